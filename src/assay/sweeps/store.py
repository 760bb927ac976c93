"""A study on disk: one SQLite file that remembers every finished cell.

Only the process that drives the study writes, each batch of finished cells in one transaction, so the file is whole
whenever that process dies; anyone may read meanwhile. While a run is under way SQLite keeps its write-ahead log beside
the file, and a file `…-driver` is locked, which the operating system undoes however the driver ends. After a run the
store is one ordinary file that can be copied, mailed and read anywhere.
"""

import json
import os
import socket
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from assay import _json, _random
from assay.errors import ArgumentError, DataError, MissingFileError
from assay.provenance import version
from assay.sweeps.rows import Counts, Row, dump_values, frame, load_values

if TYPE_CHECKING:
    import polars as pl

APPLICATION = int.from_bytes(b"asay")
SCHEMA = 1

TABLES = """
CREATE TABLE study (name TEXT PRIMARY KEY, content TEXT NOT NULL);
CREATE TABLE cells (
    position INTEGER PRIMARY KEY,
    identity TEXT NOT NULL UNIQUE,
    task TEXT NOT NULL,
    version INTEGER NOT NULL,
    parameters TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'missing' CHECK (state IN ('missing', 'done', 'failed')),
    "values" TEXT NOT NULL DEFAULT '{}',
    stage TEXT NOT NULL DEFAULT '',
    traceback TEXT NOT NULL DEFAULT '',
    seconds REAL
);
"""


@dataclass(frozen=True, slots=True)
class Store:
    """A handle on a store's file; the file is the truth, and every call reads it anew.

    Parameters
    ----------
    path : path
        Where the store is, or will be once a run has begun. On the driver's own disk: SQLite's write-ahead log does
        not work over a network file system.
    """

    path: Path

    def __init__(self, path: str | os.PathLike[str]) -> None:
        object.__setattr__(self, "path", Path(path))

    @property
    def seed(self) -> int:
        """The study's seed: the number that, passed as `rng`, gives the same results."""
        with self._reading() as connection:
            return int(_study(connection)["seed"])

    def counts(self) -> dict[tuple[str, int], Counts]:
        """Return the done, failed and missing cells of each (task, version) in the store."""
        query = """SELECT task, version, sum(state = 'done'), sum(state = 'failed'), sum(state = 'missing')
                   FROM cells GROUP BY task, version ORDER BY min(position)"""
        with self._reading() as connection:
            return {(task, number): Counts(*states) for task, number, *states in connection.execute(query)}

    def rows(self) -> list[Row]:
        """Return every cell, in the order in which they were planned."""
        with self._reading() as connection:
            return list(_rows(connection))

    def to_frame(self) -> "pl.DataFrame":
        """Return a dataframe with one line per cell: task, version, parameters, values, state, stage and error."""
        return frame(self.rows(), task=True)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        if not self.path.exists():
            raise MissingFileError(f"{self.path}: there is no such store.")
        with (
            _clear(self.path),
            closing(sqlite3.connect(f"file:{quote(str(self.path))}?mode=ro", uri=True)) as connection,
        ):
            if _is_new(connection, self.path):
                raise DataError(f"{self.path} is not a sweep store: it is empty.")
            yield connection


class Recorder:
    """The driver's side of a store; made by `recording`."""

    def __init__(self, path: Path, connection: sqlite3.Connection, seed: int) -> None:
        self.seed = seed
        self._path = path
        self._connection = connection

    def plan(self, rows: Iterable[Row]) -> dict[str, Row]:
        """Add the cells that the store does not have; return what it knows about each identity."""
        cells = [(row.identity, row.task, row.version, _json.dumps(row.parameters)) for row in rows]
        insert = "INSERT OR IGNORE INTO cells (identity, task, version, parameters) VALUES (?, ?, ?, ?)"
        with _clear(self._path):
            with _transaction(self._connection):
                self._connection.executemany(insert, cells)
            return {row.identity: row for row in _rows(self._connection)}

    def record(self, rows: Iterable[Row]) -> None:
        """Write finished cells, all or none; a cell that is done already stays as it is."""
        update = """UPDATE cells SET state = ?, "values" = ?, stage = ?, traceback = ?, seconds = ?
                    WHERE identity = ? AND state != 'done'"""
        results = [
            (row.state, dump_values(row.values), row.stage, row.traceback, row.seconds, row.identity) for row in rows
        ]
        with _clear(self._path), _transaction(self._connection):
            self._connection.executemany(update, results)


@contextmanager
def recording(store: Store, rng: _random.Rng) -> Iterator[Recorder]:
    """Open a store for writing, create it where it does not exist, and keep other drivers out."""
    path, seed = store.path, _random.entropy_of(_random.seed_of(rng))
    if not path.parent.is_dir():
        raise MissingFileError(f"{path}: there is no folder {path.parent}.")
    with _alone(path), _clear(path), closing(sqlite3.connect(path, isolation_level=None, timeout=30)) as connection:
        if not _is_new(connection, path):
            recorded = int(_study(connection)["seed"])
            if rng is not None and seed != recorded:
                raise ArgumentError(
                    f"{path} holds a study with seed {recorded}; got seed {seed}. "
                    "Leave the seed out to go on with that study, or use another store."
                )
            seed = recorded
        # NORMAL: a killed process loses nothing; a power cut may lose the last cells, which are then computed again.
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        with _transaction(connection):
            if _is_new(connection, path):
                _create(connection, seed)
            driver = f"process {os.getpid()} on {socket.gethostname()}"
            connection.execute("INSERT OR REPLACE INTO study VALUES ('driver', ?)", (driver,))
        try:
            yield Recorder(path, connection, seed)
        finally:
            # Tidying up only: the cells are safe already, and on a full disk none of this may succeed.
            with suppress(sqlite3.Error):
                connection.execute("DELETE FROM study WHERE name = 'driver'")
                connection.execute("PRAGMA journal_mode = DELETE")


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold the right to drive this store; SQLite's own file lock is portable, and dies with the process."""
    guard = Path(f"{path}-driver")
    with _clear(path):
        connection = sqlite3.connect(guard, isolation_level=None, timeout=0)
    with closing(connection):
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorname != "SQLITE_BUSY":
                with _clear(path):
                    raise
            raise DataError(
                f"{path} is being run by {_driver(path)}; wait for it, stop it, or use another store."
            ) from None
        try:
            yield
        finally:
            with suppress(OSError):
                guard.unlink()


def _driver(path: Path) -> str:
    with suppress(DataError), Store(path)._reading() as connection:
        return _study(connection).get("driver", "another driver")
    return "another driver"


def _is_new(connection: sqlite3.Connection, path: Path) -> bool:
    """Say whether the file is still empty; refuse one that is not a store that this version can use."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (schema,) = connection.execute("PRAGMA user_version").fetchone()
    (n_tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application == 0 and n_tables == 0:
        return True
    if application != APPLICATION:
        raise DataError(f"{path} is not a sweep store: it is another program's SQLite file.")
    if schema != SCHEMA:
        age = "a newer" if schema > SCHEMA else "an older"
        raise DataError(
            f"{path} was made by {age} version of assay (store format {schema}; this version uses {SCHEMA}). "
            "Use that version, or another store; nothing was changed."
        )
    return False


def _create(connection: sqlite3.Connection, seed: int) -> None:
    for statement in TABLES.split(";\n"):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {SCHEMA}")
    connection.executemany("INSERT INTO study VALUES (?, ?)", [("seed", str(seed)), ("assay", version())])


def _study(connection: sqlite3.Connection) -> dict[str, str]:
    return dict(connection.execute("SELECT name, content FROM study"))


def _rows(connection: sqlite3.Connection) -> Iterator[Row]:
    query = """SELECT identity, task, version, parameters, state, "values", stage, traceback, seconds
               FROM cells ORDER BY position"""
    for identity, task, number, parameters, state, values, stage, traceback, seconds in connection.execute(query):
        yield Row(
            identity,
            task,
            number,
            json.loads(parameters),
            state,
            load_values(values),
            stage,
            traceback,
            float("nan") if seconds is None else seconds,
        )


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # SQLite rolls back by itself when the disk is full
            connection.execute("ROLLBACK")
        raise


@contextmanager
def _clear(path: Path) -> Iterator[None]:
    """Turn what SQLite says into one line with the remedy."""
    try:
        yield
    except sqlite3.Error as error:
        kind = getattr(error, "sqlite_errorname", "")
        remedy = next((words for prefix, words in REMEDIES.items() if kind.startswith(prefix)), str(error) + ".")
        raise DataError(f"{path}: {remedy}") from error


REMEDIES = {
    "SQLITE_FULL": "the disk is full. Finished cells are kept; free some space and run the study again.",
    "SQLITE_IOERR": "the disk refused to write (full, or over quota?). "
    "Finished cells are kept; free some space and run the study again.",
    "SQLITE_READONLY": "the store cannot be written. Make the file and its folder writable, or use another store.",
    "SQLITE_CANTOPEN": "the store cannot be opened or written. Make the file and its folder writable, or use another.",
    "SQLITE_BUSY": "another program keeps the store locked. Close it and run the study again.",
    "SQLITE_NOTADB": "this is not a sweep store: it is not an SQLite file.",
    "SQLITE_CORRUPT": "the store is damaged. Restore a copy, or start again in another store.",
}
