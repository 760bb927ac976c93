"""Processes that compute jobs, and the threads that watch them.

A supervisor thread for each process claims the next job, hands its identity over, and watches time, memory and
cancellation; a process that dies or is stopped is replaced. What was running when the server died is asked again; a
study goes on from its store, and seeds make the bits the same.

One worker more is kept for short questions, so that long jobs make nobody wait for a comparison. What turns out to be
long there goes back to the queue of the others.
"""

import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

from howsure._files import is_full
from howsure.errors import ArgumentError, HowsureError
from howsure.web.folder import FULL, delete
from howsure.web.helper_processes import Child, enclosed
from howsure.web.jobs import TROUBLE, Job, Jobs
from howsure.web.settings import Settings
from howsure.web.uploads import files_of, within

PAUSE = 0.05
IDLE = 0.5
"""Seconds after which a worker looks for jobs of which nobody told it."""
SHORT = 15.0
"""Seconds that the worker for short questions gives to one of them."""


class Workers:
    """All workers of the server."""

    def __init__(self, jobs: Jobs) -> None:
        self.jobs, self.settings = jobs, jobs.settings
        self.stopping = threading.Event()
        self.threads: list[threading.Thread] = []

    def start(self) -> None:
        """Start the workers."""
        self.jobs.waiting_again()
        for number in range(self.settings.workers + 1):
            spare = number == self.settings.workers
            thread = threading.Thread(
                target=self._supervise, args=(spare,), name=f"howsure-worker-{number}", daemon=True
            )
            thread.start()
            self.threads.append(thread)

    def stop(self) -> None:
        """Stop the workers; what runs is asked again when the server starts next."""
        self.stopping.set()
        self.jobs.tell_workers()
        for thread in self.threads:
            thread.join(timeout=10)

    def _supervise(self, spare: bool) -> None:
        worker = None if spare else Child(f"{__name__}:work", self.settings)
        since = 3 * PAUSE if spare else 0.0  # the spare one takes what the others leave
        try:
            while not self.stopping.is_set():
                identity, asked = None, self.jobs.asked
                with suppress(*TROUBLE):  # a full disk, or a file that is locked for long: again later
                    identity = self.jobs.claim(only_short=spare, since=since)
                if identity is None:
                    self.jobs.wait_for_more(asked, IDLE)
                    self.stopping.wait(since)
                    continue
                self.jobs.take(identity)
                worker = self._handed(worker, identity)
                try:
                    self._watch(worker, identity, spare)
                except TROUBLE:  # the same troubles; the job ends as soon as that can be noted
                    worker.kill()
                    while not self.stopping.wait(IDLE):
                        with suppress(*TROUBLE):
                            self.jobs.end(identity, FULL)
                            break
        finally:
            if worker is not None:
                worker.kill()

    def _handed(self, worker: Child | None, identity: str) -> Child:
        """Hand a job over; return the worker that took it.

        One that died after its last job, or is dying, cannot take another: a new one gets it, and no visitor hears
        of it. A new one that dies before it takes the job is not replaced again.
        """
        if worker is not None and worker.alive and self._takes(worker, identity):
            return worker
        if worker is not None:
            worker.kill()
        worker = Child(f"{__name__}:work", self.settings)
        self._takes(worker, identity)
        return worker

    def _takes(self, worker: Child, identity: str) -> bool:
        """Send a job to a worker and wait until it says that it has it; return whether it did."""
        with suppress(OSError):
            worker.here.send(identity)
        while not _heard(worker):
            if self.stopping.is_set() or not worker.alive:
                return False
        return True

    def _watch(self, worker: Child, identity: str, spare: bool) -> None:
        """Wait for the end of a job; stop the worker where the job may not go on."""
        try:
            self._until_end(worker, identity, spare)
        finally:
            self.jobs.leave(identity)

    def _until_end(self, worker: Child, identity: str, spare: bool) -> None:
        most, memory, start = self.settings.max_seconds, self.settings.max_memory, time.monotonic()
        while not _heard(worker):
            job, seconds = self.jobs.get(identity), time.monotonic() - start
            if self.stopping.is_set() or job is None or job.state == "cancelled":
                return worker.kill()
            if not worker.alive:
                return self.jobs.end(
                    identity, "the computation stopped unexpectedly; it may have needed too much memory."
                )
            if seconds > most:
                worker.kill()
                return self.jobs.end(identity, f"the computation took longer than {most:,.0f} seconds.")
            if worker.megabytes > memory:
                worker.kill()
                return self.jobs.end(identity, f"the computation needed more than {memory:,.0f} MB of memory.")
            if spare and seconds > SHORT:
                worker.kill()
                return self.jobs.put_back(identity)
        return None


def _heard(worker: Child) -> bool:
    """Whether a worker says something within a moment: once that it has a job, and once that it is done."""
    try:
        return bool(worker.here.poll(PAUSE)) and worker.here.recv() is not None
    except (EOFError, OSError):
        return False


def work(connection: Any, settings: Settings) -> None:
    """Compute jobs by their identity until the other side closes."""
    enclosed(settings.root)
    os.nice(5)
    import_early()
    jobs = Jobs(settings)
    while True:
        try:
            identity = connection.recv()
        except (EOFError, OSError):
            return
        with suppress(OSError):
            connection.send(identity)
        job = jobs.get(identity)
        if job is not None:
            answer(jobs, job)
        with suppress(OSError):
            connection.send(identity)


def import_early() -> None:
    """Import what most answers need, so that the first visitor does not wait for it."""
    import howsure.reports.frame
    import howsure.reports.pictures
    import howsure.web.questions
    import howsure.web.shown  # noqa: F401

    with suppress(ImportError):  # charts are an extra
        import altair  # noqa: F401


def answer(jobs: Jobs, job: Job) -> None:
    """Compute one job and keep its answer, or why there is none."""
    folder = files_of(jobs.root, job.upload)
    if job.upload and not folder.is_dir():
        return jobs.end(job.identity, "the upload of this job was deleted.", "data")
    try:
        with within(folder) if job.upload else nullcontext():
            _compute(jobs, job)
        jobs.end(job.identity)
    except MemoryError:
        jobs.end(job.identity, "the computation needed more memory than there is.")
    except Exception as error:  # whatever goes wrong in a computation, the visitor hears of it and the next job runs
        if is_full(error):  # what a message says would name the folder of the server
            jobs.end(job.identity, FULL)
        elif isinstance(error, HowsureError):
            jobs.end(job.identity, str(error), "usage" if isinstance(error, ArgumentError) else "data")
        else:
            jobs.end(job.identity, f"an internal error of howsure ({type(error).__name__}).")
    return None


def _compute(jobs: Jobs, job: Job) -> None:
    import warnings

    from howsure import _json
    from howsure._files import write_text
    from howsure.questions.base import Run, cells_told
    from howsure.sweeps import run as run_cells
    from howsure.web.questions import PAGES
    from howsure.web.shown import frozen

    @contextmanager
    def progress(label: str, total: int) -> Iterator[Any]:
        yield _Told(jobs, job.identity, label, total).advance

    def study(task: Any, grid: Any, seed: int) -> Any:
        with cells_told(progress, "computing", len(grid)) as tell:
            store = jobs.answers / f"{job.identity}.db"
            return run_cells(task, grid, store=store, rng=seed, progress=tell)

    warnings.simplefilter("ignore")  # the same words are among the notes
    asked = PAGES[job.page].question.from_dict(job.question)
    result = asked.answer(Run(workers=1, progress=progress, study=study))
    kept = frozen(result, asked, job.page)
    making = jobs.making(job.identity)
    delete(making)  # of a worker that was killed
    making.mkdir(mode=0o700)
    write_text(making / jobs.answer_path(job.identity).name, _json.dumps({"result": result.to_dict()}))
    write_text(making / f"{job.identity}.document", json.dumps(kept))
    if asked.written is not None:
        asked.write(result, str(making / jobs.written_path(job.identity, asked.written.endings[0]).name))
    for place in sorted(making.iterdir()):
        place.rename(jobs.answers / place.name)
    making.rmdir()
    jobs.headline(job.identity, *(kept["view"][name] for name in ("title", "verdict", "tone")))


class _Told:
    """Writes how far a job is, a few times in a second at most."""

    def __init__(self, jobs: Jobs, identity: str, label: str, total: int) -> None:
        self.jobs, self.identity, self.label, self.total = jobs, identity, label, total
        self.done, self.last, self.lock = 0, 0.0, threading.Lock()

    def advance(self, amount: int) -> None:
        """Note that so much more is done."""
        with self.lock:
            self.done += amount
            if time.monotonic() - self.last < 0.25:
                return
            self.last, done = time.monotonic(), self.done
        with suppress(*TROUBLE):
            self.jobs.tell(self.identity, self.label, done, self.total)
