"""One row for each job, in a SQLite file that server and workers share."""

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TABLE = """
CREATE TABLE IF NOT EXISTS jobs (
  identity TEXT PRIMARY KEY, owner TEXT NOT NULL, page TEXT NOT NULL, question TEXT NOT NULL, digest TEXT NOT NULL,
  names TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'waiting', label TEXT NOT NULL DEFAULT '',
  done INTEGER NOT NULL DEFAULT 0, total INTEGER NOT NULL DEFAULT 0, error TEXT NOT NULL DEFAULT '',
  kind TEXT NOT NULL DEFAULT '', created REAL NOT NULL, finished REAL)
"""
COLUMNS = "identity, owner, page, question, names, state, label, done, total, error, kind, created, finished"
ENDED = ("done", "failed", "cancelled")


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


def job_of(row: tuple[Any, ...]) -> Job:
    """Return the job that a row with these columns is."""
    identity, owner, page, question, names, *rest = row
    return Job(identity, owner, page, json.loads(question), json.loads(names), *rest)


@contextmanager
def connected(path: Path) -> Iterator[sqlite3.Connection]:
    """Yield a connection, commit and close it."""
    connection = sqlite3.connect(path, timeout=30)
    try:
        with connection:
            yield connection
    finally:
        connection.close()


def read(database: Path, identity: str) -> Job | None:
    """Return a job; None where there is none."""
    with connected(database) as connection:
        row = connection.execute(f"SELECT {COLUMNS} FROM jobs WHERE identity = ?", (identity,)).fetchone()
    return None if row is None else job_of(row)


def ended(database: Path, identity: str, state: str, error: str = "", kind: str = "") -> None:
    """Note the end of a job that was running."""
    with connected(database) as connection:
        connection.execute(
            "UPDATE jobs SET state = ?, error = ?, kind = ?, finished = ? WHERE identity = ? AND state = 'running'",
            (state, error, kind, time.time(), identity),
        )
