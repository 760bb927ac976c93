"""Jobs: questions that were asked. Everything about a job is a row of one SQLite file; its answer lies beside it."""

import asyncio
import json
import logging
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from howsure._files import is_full
from howsure.web.folder import YOUNG, FullDiskError, delete, older
from howsure.web.settings import Settings

LOG = logging.getLogger(__name__)
TABLE = """
CREATE TABLE IF NOT EXISTS jobs (
  identity TEXT PRIMARY KEY, owner TEXT NOT NULL, page TEXT NOT NULL, question TEXT NOT NULL, digest TEXT NOT NULL,
  upload TEXT NOT NULL, files TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'waiting', label TEXT NOT NULL DEFAULT '',
  done INTEGER NOT NULL DEFAULT 0, total INTEGER NOT NULL DEFAULT 0, error TEXT NOT NULL DEFAULT '',
  kind TEXT NOT NULL DEFAULT '', created REAL NOT NULL, finished REAL, long INTEGER NOT NULL DEFAULT 0,
  title TEXT NOT NULL DEFAULT '', verdict TEXT NOT NULL DEFAULT '', tone TEXT NOT NULL DEFAULT '',
  address TEXT NOT NULL DEFAULT '')
"""
COLUMNS = (
    "identity, owner, page, question, upload, files, state, label, done, total, error, kind, created, finished, "
    "title, verdict, tone, address"
)
ENDED = ("done", "failed", "cancelled")
TROUBLE = (sqlite3.Error, FullDiskError)
"""What a change of the table may raise: its file is locked for long, cannot be read, or has no room."""
PAUSE = 0.05
STOPPING = 30.0
"""Seconds for which a deletion waits until a worker is stopped; it takes less than one."""


@dataclass(frozen=True, slots=True)
class Job:
    """A question that was asked.

    Attributes
    ----------
    identity, owner, page : str
    question : mapping
        Its fields; files are named as in the folder of their upload.
    upload : str
        The identity of the upload that it is about; empty where it is about none.
    files : list of str
    state : {"waiting", "running", "done", "failed", "cancelled"}
    label : str
        What is being done.
    done, total : int
    error : str
    kind : {"", "usage", "data", "server"}
        Whose fault an error is.
    created, finished : float
    title, verdict, tone : str
        What the history calls it, its answer in a few words, and the colour of that.
    address : str
        The page that asked; empty where a program did.
    """

    identity: str
    owner: str
    page: str
    question: dict[str, Any]
    upload: str
    files: list[str]
    state: str
    label: str
    done: int
    total: int
    error: str
    kind: str
    created: float
    finished: float | None
    title: str = ""
    verdict: str = ""
    tone: str = ""
    address: str = ""

    @property
    def share(self) -> int:
        """How much of it is done, in hundredths; 0 where that is not known."""
        return min(99, round(100 * self.done / self.total)) if self.total else 0

    @property
    def left(self) -> str:
        """About how long it still takes, in words; empty where nothing is known."""
        if not 0 < self.done < self.total:
            return ""
        seconds = (time.time() - self.created) * (self.total - self.done) / self.done
        return f"about {seconds:.0f} seconds left" if seconds < 90 else f"about {seconds / 60:.0f} minutes left"

    @property
    def ended(self) -> bool:
        """Whether nothing more will happen."""
        return self.state in ENDED


class Jobs:
    """The jobs of all visitors."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.root = settings.root
        self.answers = self.root / "answers"
        self.answers.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.path = self.root / "jobs.db"
        self.asked, self._more, self.entering = 0, threading.Condition(), threading.Lock()
        self.at_work: set[str] = set()
        self._execute("PRAGMA journal_mode=DELETE")  # a full disk can be read, and no log keeps what was deleted
        self._execute(TABLE)
        known = {row[1] for row in self._execute("PRAGMA table_info(jobs)")}
        for column in ("title", "verdict", "tone", "address"):  # of a folder that an earlier version made
            if column not in known:
                self._execute(f"ALTER TABLE jobs ADD COLUMN {column} TEXT NOT NULL DEFAULT ''")

    def add(
        self,
        owner: str,
        page: str,
        question: dict[str, Any],
        upload: str = "",
        files: Sequence[str] = (),
        *,
        long: bool = False,
        title: str = "",
        address: str = "",
    ) -> Job:
        """Ask a question, unless this visitor asked it already: then return that job."""
        from howsure import _json

        digest = _json.digest([owner, page, question, upload])
        with connected(self.path) as connection:
            old = connection.execute(
                "SELECT identity FROM jobs WHERE digest = ? AND state NOT IN ('cancelled')", (digest,)
            ).fetchone()
            if old is None or self._deletion(old[0]).exists():
                identity = secrets.token_hex(16)
                connection.execute(
                    "INSERT INTO jobs (identity, owner, page, question, digest, upload, files, created, long, title, "
                    "address) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
                    (
                        identity,
                        owner,
                        page,
                        json.dumps(question),
                        digest,
                        upload,
                        json.dumps(files),
                        time.time(),
                        long,
                        title,
                        address,
                    ),
                )
            else:
                identity = old[0]
        self.tell_workers()
        found = self.get(identity)
        assert found is not None
        return found

    def _execute(self, statement: str, *values: Any) -> list[Any]:
        with connected(self.path) as connection:
            return connection.execute(statement, values).fetchall()

    def get(self, identity: str) -> Job | None:
        """Return a job."""
        rows = self._execute(f"SELECT {COLUMNS} FROM jobs WHERE identity = ?", identity)
        return _job(rows[0]) if rows and not self._deletion(identity).exists() else None

    def of(self, owner: str) -> list[Job]:
        """Return the jobs of a visitor, the newest first."""
        rows = self._execute(f"SELECT {COLUMNS} FROM jobs WHERE owner = ? ORDER BY created DESC LIMIT 200", owner)
        return [job for job in map(_job, rows) if not self._deletion(job.identity).exists()]

    def busy(self, owner: str | None) -> int:
        """Return how many jobs wait or run: those of a visitor, or of all visitors (None)."""
        asked = "SELECT COUNT(*) FROM jobs WHERE state IN ('waiting', 'running') AND (owner = ?1 OR ?1 IS NULL)"
        return int(self._execute(asked, owner)[0][0])

    def cancel(self, identity: str) -> None:
        """Cancel a job that has not ended."""
        self._execute(
            "UPDATE jobs SET state = 'cancelled', finished = ? WHERE identity = ? AND state IN ('waiting', 'running')",
            time.time(),
            identity,
        )

    def resume(self, identity: str) -> None:
        """Ask again what was cancelled or failed; a study goes on from what its store holds."""
        self._execute(
            "UPDATE jobs SET state = 'waiting', error = '', kind = '', finished = NULL, done = 0, total = 0 "
            "WHERE identity = ? AND state IN ('cancelled', 'failed')",
            identity,
        )
        self.tell_workers()

    async def wait(self, identity: str, seconds: float) -> Job:
        """Return the job when it has ended, or as it is after so many seconds; no thread waits along.

        One that somebody deletes meanwhile counts as cancelled.
        """
        until, pause = time.monotonic() + seconds, PAUSE
        job = None
        while True:
            now = self.get(identity)
            if now is None and job is not None:
                return replace(job, state="cancelled")
            job = now
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

    def written_path(self, identity: str, ending: str) -> Path:
        """Return where the file is that some answers have beside the others: a model, a table, units."""
        return self.answers / f"{identity}-written{ending}"

    def making(self, identity: str) -> Path:
        """Return the folder in which a worker writes the files of an answer until all of them are complete."""
        return self.answers / f"{identity}-making"

    def take(self, identity: str) -> None:
        """Note that a worker computes a job."""
        with self._more:
            self.at_work.add(identity)

    def leave(self, identity: str) -> None:
        """Note that no worker computes a job any more; nothing is kept of one that was deleted meanwhile."""
        with suppress(*TROUBLE):  # of a job whose row cannot be looked up, the sweep deletes what is left
            if self.get(identity) is None:
                self._delete_answer(identity)
        with self._more:
            self.at_work.discard(identity)
            self._more.notify_all()

    def delete(self, identity: str) -> None:
        """Delete a job with its answer, once the worker that computes it is stopped.

        From its beginning on, nobody finds the job. Files are deleted first, which makes room on a full disk for the
        change of the table; where that is not enough, this raises, and the next sweep deletes what is left.
        """
        with suppress(OSError):  # an empty file needs no room
            self._deletion(identity).touch()
        with self._more:
            self._more.wait_for(lambda: identity not in self.at_work, STOPPING)
        self._delete_answer(identity)
        self._execute("DELETE FROM jobs WHERE identity = ?", identity)
        delete(self._deletion(identity))

    def _deletion(self, identity: str) -> Path:
        """Return the file that says that a job is being deleted."""
        return self.answers / f"{identity}-deleted"

    def _delete_answer(self, identity: str) -> None:
        for path in self.answers.glob(f"{identity}*"):
            if path != self._deletion(identity):
                delete(path)

    def delete_about(self, upload: str) -> None:
        """Delete all jobs about an upload, with their answers; a full disk is an error once all files are deleted."""
        failed = None
        for (identity,) in self._execute("SELECT identity FROM jobs WHERE upload = ?", upload):
            try:
                self.delete(identity)
            except FullDiskError as error:
                failed = error
        if failed is not None:
            raise failed

    def sweep(self) -> None:
        """Delete what is older than it may be, what a full disk kept, and what a killed server wrote of answers."""
        oldest = time.time() - 3600 * self.settings.keep_hours
        for identity, created in self._execute("SELECT identity, created FROM jobs"):
            if created >= oldest and not self._deletion(identity).exists():
                continue
            try:
                self.delete(identity)
            except (OSError, *TROUBLE) as error:
                LOG.error("%s while an old job was deleted", type(error).__name__)
        for path in older(self.answers, YOUNG, ".*"):
            delete(path)
        written = [*self.answers.glob("[!.]*")]
        jobs = {identity for (identity,) in self._execute("SELECT identity FROM jobs")}
        for path in written:
            if path.name[:32] not in jobs:
                delete(path)

    def waiting_again(self) -> None:
        """Let everything wait that was running when the server died."""
        self._execute("UPDATE jobs SET state = 'waiting' WHERE state = 'running'")

    def claim(self, *, only_short: bool = False, since: float = 0.0) -> str | None:
        """Take the job that waits longest, so that no worker takes it twice; return its identity.

        Parameters
        ----------
        only_short : bool
            Leave long ones.
        since : float
            Leave those that wait for fewer seconds than this.
        """
        rows = self._execute(
            "UPDATE jobs SET state = 'running' WHERE identity = (SELECT identity FROM jobs "
            "WHERE state = 'waiting' AND long <= ? AND created <= ? ORDER BY created LIMIT 1) RETURNING identity",
            not only_short,
            time.time() - since,
        )
        return str(rows[0][0]) if rows else None

    def put_back(self, identity: str) -> None:
        """Let a job that runs wait again, among the long ones."""
        self._execute("UPDATE jobs SET state = 'waiting', long = 1 WHERE identity = ? AND state = 'running'", identity)
        self.tell_workers()

    def tell_workers(self) -> None:
        """Wake those that wait for more."""
        with self._more:
            self.asked += 1
            self._more.notify_all()

    def wait_for_more(self, asked: int, seconds: float) -> None:
        """Wait until more was asked than so much, or for so many seconds."""
        with self._more:
            self._more.wait_for(lambda: self.asked != asked, seconds)

    def tell(self, identity: str, label: str, done: int, total: int) -> None:
        """Note how far a job is."""
        self._execute("UPDATE jobs SET label = ?, done = ?, total = ? WHERE identity = ?", label, done, total, identity)

    def headline(self, identity: str, title: str, verdict: str, tone: str) -> None:
        """Note what the history says of an answer."""
        self._execute(
            "UPDATE jobs SET title = ?, verdict = ?, tone = ? WHERE identity = ?", title, verdict, tone, identity
        )

    def rename(self, identity: str, title: str) -> None:
        """Give a job another title."""
        self._execute("UPDATE jobs SET title = ? WHERE identity = ?", title, identity)

    def end(self, identity: str, error: str = "", kind: str = "server") -> None:
        """Note that a job that runs is done; or that it failed, and why."""
        state, kind = ("failed", kind) if error else ("done", "")
        self._execute(
            "UPDATE jobs SET state = ?, error = ?, kind = ?, finished = ? WHERE identity = ? AND state = 'running'",
            *(state, error, kind, time.time(), identity),
        )


@contextmanager
def connected(path: Path) -> Iterator[sqlite3.Connection]:
    """Yield a connection, commit and close it."""
    connection = sqlite3.connect(path, timeout=30)
    try:
        connection.execute("PRAGMA secure_delete=ON")  # what is deleted is overwritten
        with connection:
            yield connection
    except sqlite3.Error as error:
        if is_full(error):
            raise FullDiskError from error
        raise
    finally:
        connection.close()


def _job(row: tuple[Any, ...]) -> Job:
    identity, owner, page, question, upload, files, *rest = row
    return Job(identity, owner, page, json.loads(question), upload, json.loads(files), *rest)
