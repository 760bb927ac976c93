"""Jobs: questions that wait, run in processes of their own, and survive a restart of the server.

Everything about a job is a row of one SQLite file. A supervisor thread for each worker process claims the next job,
hands its identity over, and watches time, memory and cancellation; a worker that dies or is stopped is replaced. What
was running when the server died is asked again; a study goes on from its store, and seeds make the bits the same.
"""

import asyncio
import json
import multiprocessing
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.web.aides import enclosed, resident
from assay.web.settings import Settings

TABLE = """
CREATE TABLE IF NOT EXISTS jobs (
  identity TEXT PRIMARY KEY, owner TEXT NOT NULL, page TEXT NOT NULL, question TEXT NOT NULL, digest TEXT NOT NULL,
  names TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'waiting', label TEXT NOT NULL DEFAULT '',
  done INTEGER NOT NULL DEFAULT 0, total INTEGER NOT NULL DEFAULT 0, error TEXT NOT NULL DEFAULT '',
  kind TEXT NOT NULL DEFAULT '', created REAL NOT NULL, finished REAL)
"""
COLUMNS = "identity, owner, page, question, names, state, label, done, total, error, kind, created, finished"
ENDED = ("done", "failed", "cancelled")
PAUSE = 0.05


@dataclass(frozen=True, slots=True)
class Job:
    """A question that was asked.

    Attributes
    ----------
    identity, owner, page : str
    question : mapping
        Its fields, with paths on this machine.
    names : mapping
        What the visitor called each path.
    state : {"waiting", "running", "done", "failed", "cancelled"}
    label : str
        What is being done.
    done, total : int
    error : str
    kind : {"", "usage", "data", "server"}
        Whose fault an error is.
    created, finished : float
    """

    identity: str
    owner: str
    page: str
    question: dict[str, Any]
    names: dict[str, str]
    state: str
    label: str
    done: int
    total: int
    error: str
    kind: str
    created: float
    finished: float | None

    @property
    def ended(self) -> bool:
        """Whether nothing more will happen."""
        return self.state in ENDED


class Jobs:
    """The jobs of all visitors, and the workers that compute them."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.root = settings.root
        self.answers = self.root / "answers"
        self.answers.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.path = self.root / "jobs.db"
        with connected(self.path) as connection:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute(TABLE)
            connection.execute("UPDATE jobs SET state = 'waiting' WHERE state = 'running'")
        self.stopping = threading.Event()
        self.threads: list[threading.Thread] = []

    def start(self) -> None:
        """Start the workers."""
        for number in range(self.settings.n_workers):
            thread = threading.Thread(target=self._supervise, name=f"assay-worker-{number}", daemon=True)
            thread.start()
            self.threads.append(thread)

    def stop(self) -> None:
        """Stop the workers; what runs is asked again when the server starts next."""
        self.stopping.set()
        for thread in self.threads:
            thread.join(timeout=10)

    def add(self, owner: str, page: str, question: dict[str, Any], names: dict[str, str]) -> Job:
        """Ask a question, unless this visitor asked it already: then return that job."""
        from assay import _json

        digest = _json.digest([owner, page, question])
        with connected(self.path) as connection:
            old = connection.execute(
                "SELECT identity FROM jobs WHERE digest = ? AND state NOT IN ('cancelled')", (digest,)
            ).fetchone()
            if old is None:
                identity = secrets.token_hex(16)
                connection.execute(
                    "INSERT INTO jobs (identity, owner, page, question, digest, names, created) VALUES (?,?,?,?,?,?,?)",
                    (identity, owner, page, json.dumps(question), digest, json.dumps(names), time.time()),
                )
            else:
                identity = old[0]
        found = self.get(identity)
        assert found is not None
        return found

    def get(self, identity: str) -> Job | None:
        """Return a job."""
        with connected(self.path) as connection:
            row = connection.execute(f"SELECT {COLUMNS} FROM jobs WHERE identity = ?", (identity,)).fetchone()
        return None if row is None else _job(row)

    def of(self, owner: str) -> list[Job]:
        """Return the jobs of a visitor, the newest first."""
        with connected(self.path) as connection:
            rows = connection.execute(
                f"SELECT {COLUMNS} FROM jobs WHERE owner = ? ORDER BY created DESC LIMIT 200", (owner,)
            ).fetchall()
        return [_job(row) for row in rows]

    def busy(self, owner: str) -> int:
        """Return how many jobs of a visitor wait or run."""
        return sum(not job.ended for job in self.of(owner))

    def cancel(self, identity: str) -> None:
        """Cancel a job that has not ended."""
        with connected(self.path) as connection:
            connection.execute(
                "UPDATE jobs SET state = 'cancelled', finished = ? "
                "WHERE identity = ? AND state IN ('waiting', 'running')",
                (time.time(), identity),
            )

    def resume(self, identity: str) -> None:
        """Ask again what was cancelled or failed; a study goes on from what its store holds."""
        with connected(self.path) as connection:
            connection.execute(
                "UPDATE jobs SET state = 'waiting', error = '', kind = '', finished = NULL, done = 0, total = 0 "
                "WHERE identity = ? AND state IN ('cancelled', 'failed')",
                (identity,),
            )

    async def wait(self, identity: str, seconds: float) -> Job:
        """Return the job when it has ended, or as it is after so many seconds; no thread waits along."""
        until, pause = time.monotonic() + seconds, PAUSE
        while True:
            job = self.get(identity)
            assert job is not None
            if job.ended or time.monotonic() > until:
                return job
            await asyncio.sleep(pause)
            pause = min(1.2 * pause, 0.5)

    def result(self, job: Job) -> dict[str, Any]:
        """Return the answer as JSON, as `--json` prints it."""
        content: dict[str, Any] = json.loads(self.answer_path(job.identity).read_text(encoding="utf-8"))
        return content

    def answer_path(self, identity: str) -> Path:
        """Return where the answer of a job is kept."""
        return self.answers / f"{identity}.json"

    def delete(self, identity: str) -> None:
        """Delete a job with its answer."""
        self.cancel(identity)
        with connected(self.path) as connection:
            connection.execute("DELETE FROM jobs WHERE identity = ?", (identity,))
        for path in self.answers.glob(f"{identity}*"):
            path.unlink(missing_ok=True)

    def sweep(self) -> None:
        """Delete what is older than it may be."""
        oldest = time.time() - 3600 * self.settings.keep_hours
        with connected(self.path) as connection:
            rows = connection.execute("SELECT identity FROM jobs WHERE created < ?", (oldest,)).fetchall()
        for (identity,) in rows:
            self.delete(identity)

    def _supervise(self) -> None:
        worker = _Worker(self.root)
        try:
            while not self.stopping.is_set():
                identity = None
                with suppress(sqlite3.OperationalError):  # a full disk, or a file that is locked for long: again later
                    identity = self._claimed()
                if identity is None:
                    self.stopping.wait(PAUSE)
                    continue
                if not worker.alive:
                    worker = _Worker(self.root)
                self._watch(worker, identity)
        finally:
            worker.kill()

    def _claimed(self) -> str | None:
        """Take the job that waits longest, so that no other worker takes it."""
        with connected(self.path) as connection:
            row = connection.execute(
                "UPDATE jobs SET state = 'running' WHERE identity = (SELECT identity FROM jobs WHERE state = 'waiting' "
                "ORDER BY created LIMIT 1) RETURNING identity"
            ).fetchone()
        return None if row is None else str(row[0])

    def _watch(self, worker: "_Worker", identity: str) -> None:
        """Hand a job over and wait for its end; stop the worker where the job may not go on."""
        worker.begin(identity)
        until = time.monotonic() + self.settings.max_seconds
        while not worker.finished():
            job = self.get(identity)
            if self.stopping.is_set():
                return worker.kill()
            if job is None or job.state == "cancelled":
                return worker.kill()
            if not worker.alive:
                return self.fail(identity, "the computation ended without a word; it may have needed too much memory.")
            if time.monotonic() > until:
                worker.kill()
                return self.fail(identity, f"the answer took longer than {self.settings.max_seconds:,.0f} seconds.")
            if worker.megabytes() > self.settings.max_memory:
                worker.kill()
                return self.fail(identity, f"the answer needed more than {self.settings.max_memory:,.0f} MB of memory.")
        return None

    def fail(self, identity: str, error: str, kind: str = "server") -> None:
        """Note that a job failed, and why."""
        ended(self.path, identity, "failed", error, kind)


class _Worker:
    """A process that computes one job after another."""

    def __init__(self, root: Path) -> None:
        context = multiprocessing.get_context("spawn")
        self.here, there = context.Pipe()
        self.process = context.Process(target=work, args=(there, str(root)), daemon=True)
        self.process.start()
        there.close()

    @property
    def alive(self) -> bool:
        return self.process.is_alive()

    def begin(self, identity: str) -> None:
        with suppress(OSError):
            self.here.send(identity)

    def finished(self) -> bool:
        try:
            return bool(self.here.poll(PAUSE)) and self.here.recv() is not None
        except (EOFError, OSError):
            return False

    def megabytes(self) -> float:
        return resident(self.process.pid or 0)

    def kill(self) -> None:
        self.process.kill()
        self.process.join(timeout=5)


def work(connection: Any, root: str) -> None:
    """Compute jobs by their identity until the other side closes."""
    enclosed()
    os.nice(5)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    folder = Path(root)
    while True:
        try:
            identity = connection.recv()
        except (EOFError, OSError):
            return
        answer(folder, identity)
        with suppress(OSError):
            connection.send(identity)


def _end_with_parent() -> None:
    """End this process when the server has died: what it computes would be computed twice."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def answer(root: Path, identity: str) -> None:
    """Compute one job and keep its answer."""
    import warnings

    from assay import _json
    from assay._files import writing
    from assay.errors import ArgumentError, AssayError
    from assay.questions.base import Run, of_counts
    from assay.sweeps import run as run_cells
    from assay.web.questions import PAGES

    database = root / "jobs.db"
    with connected(database) as connection:
        row = connection.execute(f"SELECT {COLUMNS} FROM jobs WHERE identity = ?", (identity,)).fetchone()
    if row is None:
        return
    job = _job(row)
    told = _Told(database, identity)

    def study(task: Any, grid: Any, seed: int) -> Any:
        with told.progress("computing", len(grid)) as advance:
            return run_cells(
                task, grid, store=root / "answers" / f"{identity}.db", rng=seed, progress=of_counts(advance)
            )

    try:
        warnings.simplefilter("ignore")
        asked = PAGES[job.page].question.from_dict(job.question)
        result = asked.answer(Run(workers=1, progress=told.progress, study=study))
        with writing(root / "answers" / f"{identity}.json") as draft:
            draft.write_text(_json.dumps({"result": result.to_dict()}), encoding="utf-8")
        with writing(root / "answers" / f"{identity}.document") as draft:
            from assay.web.shown import frozen

            draft.write_text(json.dumps(frozen(result, asked, job.names)), encoding="utf-8")
        if asked.written is not None:
            asked.write(result, str(root / "answers" / f"{identity}{asked.written.endings[0]}"))
        ended(database, identity, "done")
    except ArgumentError as error:
        ended(database, identity, "failed", _said(error, job), "usage")
    except AssayError as error:
        ended(database, identity, "failed", _said(error, job), "data")
    except MemoryError:
        ended(database, identity, "failed", "the answer needed more memory than there is.", "server")
    except Exception as error:  # the server goes on, and says what it can without giving anything away
        ended(database, identity, "failed", f"an error of assay's own ({type(error).__name__}).", "server")


def _said(error: Exception, job: Job) -> str:
    from assay.web.uploads import hidden

    return hidden(" ".join(str(error).splitlines()), list(job.names), list(job.names.values()))


class _Told:
    """Writes how far a job is, a few times in a second at most."""

    def __init__(self, database: Path, identity: str) -> None:
        self.database, self.identity = database, identity

    @contextmanager
    def progress(self, label: str, total: int) -> Iterator[Any]:
        done, last = 0, 0.0
        lock = threading.Lock()

        def advance(amount: int) -> None:
            nonlocal done, last
            with lock:
                done += amount
                if time.monotonic() - last < 0.25:
                    return
                last = time.monotonic()
                now = done
            with suppress(sqlite3.Error), connected(self.database) as connection:
                connection.execute(
                    "UPDATE jobs SET label = ?, done = ?, total = ? WHERE identity = ?",
                    (label, now, total, self.identity),
                )

        yield advance


def ended(database: Path, identity: str, state: str, error: str = "", kind: str = "") -> None:
    """Note the end of a job that was running."""
    with connected(database) as connection:
        connection.execute(
            "UPDATE jobs SET state = ?, error = ?, kind = ?, finished = ? WHERE identity = ? AND state = 'running'",
            (state, error, kind, time.time(), identity),
        )


@contextmanager
def connected(path: Path) -> Iterator[sqlite3.Connection]:
    """Yield a connection, commit and close it."""
    connection = sqlite3.connect(path, timeout=30)
    try:
        with connection:
            yield connection
    finally:
        connection.close()


def _job(row: tuple[Any, ...]) -> Job:
    identity, owner, page, question, names, *rest = row
    return Job(identity, owner, page, json.loads(question), json.loads(names), *rest)
