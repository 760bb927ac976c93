"""The processes that compute jobs: one job after another, enclosed, and replaced when they end."""

import json
import multiprocessing
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from assay.web.aides import enclosed, resident
from assay.web.job_rows import Job, connected, ended, read

PAUSE = 0.05


class Worker:
    """A process that computes one job after another."""

    def __init__(self, root: Path) -> None:
        context = multiprocessing.get_context("spawn")
        self.here, there = context.Pipe()
        self.process = context.Process(target=work, args=(there, str(root)), daemon=True)
        self.process.start()
        there.close()

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self.process.is_alive()

    def begin(self, identity: str) -> None:
        """Hand a job over."""
        with suppress(OSError):
            self.here.send(identity)

    def finished(self) -> bool:
        """Wait a moment for the end of the job, and say whether it came."""
        try:
            return bool(self.here.poll(PAUSE)) and self.here.recv() is not None
        except (EOFError, OSError):
            return False

    def megabytes(self) -> float:
        """Return how much memory the process holds."""
        return resident(self.process.pid or 0)

    def kill(self) -> None:
        """End the process."""
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
    job = read(database, identity)
    if job is None:
        return
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
