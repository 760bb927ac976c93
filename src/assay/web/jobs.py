"""Jobs: questions that wait, run in processes of their own, and survive a restart of the server.

Everything about a job is a row of one SQLite file. A supervisor thread for each worker process claims the next job,
hands its identity over, and watches time, memory and cancellation; a worker that dies or is stopped is replaced. What
was running when the server died is asked again; a study goes on from its store, and seeds make the bits the same.
"""

import asyncio
import json
import secrets
import sqlite3
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from assay.web.job_rows import COLUMNS, TABLE, Job, connected, ended, job_of, read
from assay.web.settings import Settings
from assay.web.workers import PAUSE, Worker


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
        return read(self.path, identity)

    def of(self, owner: str) -> list[Job]:
        """Return the jobs of a visitor, the newest first."""
        with connected(self.path) as connection:
            rows = connection.execute(
                f"SELECT {COLUMNS} FROM jobs WHERE owner = ? ORDER BY created DESC LIMIT 200", (owner,)
            ).fetchall()
        return [job_of(row) for row in rows]

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
        worker = Worker(self.root)
        try:
            while not self.stopping.is_set():
                identity = None
                with suppress(sqlite3.OperationalError):  # a full disk, or a file that is locked for long: again later
                    identity = self._claimed()
                if identity is None:
                    self.stopping.wait(PAUSE)
                    continue
                if not worker.alive:
                    worker = Worker(self.root)
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

    def _watch(self, worker: "Worker", identity: str) -> None:
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
