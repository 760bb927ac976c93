"""A study on disk: one SQLite file that remembers every finished cell.

Only the process that drives the study writes, each batch of finished cells in one transaction, so the file is whole
whenever that process dies; anyone may read meanwhile. While a run is under way SQLite keeps its write-ahead log beside
the file, and a lock file `…-driver`. After a run the store is one ordinary file that can be copied, mailed and read
anywhere. A store is one study with one seed, and has one driver at a time: the operating system releases the lock
however the driver ends. Every row carries a checksum of all that it holds: what SQLite can read but somebody or
something changed is found row by row, and what SQLite cannot read is found when the file is opened.
"""

import hashlib
import json
import math
import os
import socket
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from howsure import _check, _files, _json, _random
from howsure._frames import in_any_form
from howsure.errors import ArgumentError, DataError, MissingFileError
from howsure.provenance import version
from howsure.sweeps.grid import Cell, show
from howsure.sweeps.results import FAILED, CellRow, Counts, Sweep, dump_values, frame, load_values
from howsure.sweeps.tasks import Task

if TYPE_CHECKING:
    import polars as pl


DAMAGED = "store"
"""The stage of a cell whose stored result is damaged."""


COLUMNS = ("position", "identity", "task", "version", "parameters", "state", "values", "stage", "traceback", "seconds")


MOST_NAMED = 3
"""How many damaged grid points a message names."""


TOLD = "DataError: the stored result of this grid point is damaged; run the sweep with --retry to compute it again"


OF_ROWS = ("missing from index", "entries in index", "entry in index", "value in ", "CHECK constraint")
"""What SQLite says of damage that is confined to single rows or to an index, which can be built again."""


MARK = int.from_bytes(b"asdr")
"""What says that a lock file is ours, in the place where SQLite keeps the number of an application."""


EXPORTS = (".csv", ".parquet", ".json")
APPLICATION = int.from_bytes(b"asay")
SCHEMA = 2

TABLES = """
CREATE TABLE study (name TEXT PRIMARY KEY, content TEXT NOT NULL, checksum TEXT NOT NULL);
CREATE TABLE cells (
    position INTEGER PRIMARY KEY,
    identity TEXT NOT NULL UNIQUE,
    task TEXT NOT NULL,
    version INTEGER NOT NULL,
    parameters TEXT NOT NULL,
    state TEXT NOT NULL,
    "values" TEXT NOT NULL,
    stage TEXT NOT NULL,
    traceback TEXT NOT NULL,
    seconds REAL,
    checksum TEXT NOT NULL
);
"""
HOLDERS = ", ".join("?" * (len(COLUMNS) + 1))
INSERT = f"INSERT INTO cells VALUES ({HOLDERS})"
UPDATE = f"""UPDATE cells SET ({", ".join(f'"{name}"' for name in (*COLUMNS, "checksum"))}) = ({HOLDERS})
             WHERE identity = ? AND state != 'done'"""
STATEMENTS = [statement.strip() for statement in TABLES.split(";\n") if statement.strip()]


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
            return _seed(connection, self.path)

    def counts(self) -> dict[tuple[str, int], Counts]:
        """Return the done, failed and missing cells of each (task, version) in the store."""
        rows: dict[tuple[str, int], list[CellRow]] = {}
        for row in self.rows():
            rows.setdefault((row.task, row.version), []).append(row)
        return {task: Counts.of(some) for task, some in rows.items()}

    def rows(self) -> list[CellRow]:
        """Return every cell, in the order in which they were planned; one that is damaged has failed, at "store"."""
        with self._reading() as connection:
            return [row for _, row in read_rows(connection)]

    def sweep(self, task: str | None = None) -> "Sweep":
        """Return the study as `run` gives it, with every cell of a task; which task, where the store has several.

        Of several versions of the task it is the latest.
        """
        rows = self.rows()
        known = list(dict.fromkeys(row.task for row in rows))
        if not known:
            raise DataError(f"{self.path} has no grid points yet.")
        if task is None and len(known) > 1:
            raise ArgumentError(f"`task` must be given: {self.path} has grid points of {', '.join(known)}.")
        name = known[0] if task is None else _check.one_of("task", task, known)
        latest = max(row.version for row in rows if row.task == name)
        own = tuple(row for row in rows if (row.task, row.version) == (name, latest))
        return Sweep(name, latest, self.seed, own)

    @in_any_form
    def to_frame(self) -> "pl.DataFrame":
        """Return a dataframe with one line per cell: task, version, parameters, values, state, stage and error."""
        return frame(self.rows(), task=True)

    def export(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write one line per cell to a .csv or .parquet file, or everything to a .json file.

        A file that exists is replaced only if `force` is set.

        Parameters that have no common type, and lists and mappings in a .csv file, are written as JSON. Where the
        result of a cell is damaged nothing is written: its row would be empty.
        """
        _files.check_outputs({"path": path}, inputs=[self.path], endings={"path": EXPORTS}, force=force)
        target, rows = Path(path), self.rows()
        refuse_damaged(rows, self.path)
        with _files.writing(target) as draft:
            if target.suffix.lower() == ".json":
                names = ("task", "version", "parameters", "values", "state", "stage", "error")
                cells = [{name: getattr(row, name) for name in names} for row in rows]
                draft.write_text(_json.dumps({"seed": self.seed, "cells": cells}, indent=1) + "\n", encoding="utf-8")
            elif target.suffix.lower() == ".csv":
                frame(rows, task=True, nested=False).write_csv(draft)
            else:
                frame(rows, task=True).write_parquet(draft)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        if not self.path.is_file():
            raise MissingFileError(f"{self.path}: there is no such store.")
        place = f"file:{quote(os.fsencode(self.path))}?mode=ro"
        with _clear(self.path), closing(sqlite3.connect(place, uri=True)) as connection:
            if _is_new(connection, self.path):
                raise DataError(f"{self.path} is not a sweep store: it is empty.")
            check_file(connection, self.path)
            yield connection


class Recorder:
    """The driver's side of a store; made by `recording`."""

    def __init__(self, path: Path, real: Path, connection: sqlite3.Connection, seed: int) -> None:
        self.seed = seed
        self._path, self._real = path, real
        self._connection = connection
        self._file = real.stat()
        self._planned: dict[str, tuple[int, CellRow]] = {}

    def plan(self, rows: Iterable[CellRow], *, retry: bool) -> dict[str, CellRow]:
        """Add the cells that the store does not have; return what it knows about each identity.

        With `retry`, cells that are damaged are as good as missing.
        """
        wanted = {row.identity: row for row in rows}
        with _clear(self._path), _transaction(self._connection):
            known = {row.identity: (position, row) for position, row in read_rows(self._connection)}
            last = max((position for position, _ in known.values()), default=0)
            if retry:
                known = self._repaired(known, wanted)
            new = [row for identity, row in wanted.items() if identity not in known]
            known |= {row.identity: (last + number, row) for number, row in enumerate(new, 1)}
            self._connection.executemany(INSERT, [_entries(*known[row.identity]) for row in new])
        self._planned = {identity: known[identity] for identity in wanted}
        return {identity: row for identity, (_, row) in known.items()}

    def record(self, rows: Iterable[CellRow]) -> None:
        """Write finished cells, all or none; a cell that is done already stays as it is."""
        self.check_there()
        results = []
        for row in rows:
            position, planned = self._planned[row.identity]
            results.append((*_entries(position, row, planned.parameters), row.identity))
        with _clear(self._path), _transaction(self._connection):
            self._connection.executemany(UPDATE, results)

    def check_there(self) -> None:
        """Refuse to go on writing into a file that is no longer the store."""
        try:
            found = self._real.stat()
        except OSError:
            found = None
        if found is None or not os.path.samestat(found, self._file):
            raise DataError(
                f"{self._path} was deleted or replaced while the study ran, and its results with it. "
                "Run the study again."
            )

    def _repaired(
        self, known: dict[str, tuple[int, CellRow]], wanted: dict[str, CellRow]
    ) -> dict[str, tuple[int, CellRow]]:
        """Make damaged cells of this study missing ones; forget those whose identity is no longer known."""
        kept = {identity: entry for identity, entry in known.items() if entry[1].stage != DAMAGED}
        for identity, (position, row) in known.items():
            if identity in kept:
                continue
            planned = wanted.get(identity)
            if planned is None and Task(row.task, row.version).identity(row.parameters) == identity:
                kept[identity] = position, row  # of another study, which may try it again itself
                continue
            self._connection.execute("DELETE FROM cells WHERE position = ?", (position,))
            if planned is not None:
                self._connection.execute(INSERT, _entries(position, planned))
                kept[identity] = position, planned
        return kept


@contextmanager
def recording(store: Store, rng: _random.Rng) -> Iterator[Recorder]:
    """Open a store for writing, create it where it does not exist, and keep other drivers out."""
    path, seed = store.path, _random.entropy_of(_random.seed_of(rng))
    _check_place(path)
    real = Path(os.path.realpath(path))  # a link is another name of the same store
    with (
        _clear(path),
        alone(real, lambda: _driver(path)),
        closing(sqlite3.connect(real, isolation_level=None, timeout=30)) as connection,
    ):
        if not _is_new(connection, path):
            if check_file(connection, path):
                connection.execute("REINDEX")
            recorded = _seed(connection, path)
            if rng is not None and seed != recorded:
                raise ArgumentError(
                    f"{path} holds a study with seed {recorded}; got seed {seed}. "
                    "Leave the seed out to continue that study, or use another store."
                )
            seed = recorded
        # NORMAL: a killed process loses nothing; a power cut may lose the last cells, which are then computed again.
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        with _transaction(connection):
            if _is_new(connection, path):
                _create(connection, seed)
            driver = ("driver", f"process {os.getpid()} on {socket.gethostname()}")
            connection.execute("INSERT OR REPLACE INTO study VALUES (?, ?, ?)", (*driver, checksum(*driver)))
        recorder = Recorder(path, real, connection, seed)
        try:
            yield recorder
        finally:
            # Tidying up only: the cells are safe already, and on a full disk none of this may succeed.
            with suppress(sqlite3.Error):
                connection.execute("DELETE FROM study WHERE name = 'driver'")
                connection.execute("PRAGMA journal_mode = DELETE")
        recorder.check_there()


def refuse_damaged(rows: Iterable[CellRow], path: str | os.PathLike[str]) -> None:
    """Refuse to show rows as a study's results where some are damaged: they would be empty, or left out."""
    damaged = [f"{row.identity[:8]} ({show(row.parameters)})" for row in rows if row.stage == DAMAGED]
    if damaged:
        are = "result of 1 grid point is" if len(damaged) == 1 else f"results of {len(damaged):,} grid points are"
        more = f" and {len(damaged) - MOST_NAMED:,} more" if len(damaged) > MOST_NAMED else ""
        raise DataError(
            f"{path}: the stored {are} damaged: {', '.join(damaged[:MOST_NAMED])}{more}. Nothing is written; "
            "run the sweep with --retry first, which computes what is damaged again."
        )


def _check_place(path: Path) -> None:
    if not path.parent.is_dir():
        raise MissingFileError(f"{path}: there is no folder {path.parent}.")
    if path.is_dir():
        raise DataError(f"{path} is a folder; name a file in it for the store.")
    if path.exists() and path.stat().st_nlink > 1:
        raise DataError(f"{path} has several names (hard links), under which two runs could meet; use a copy of it.")


def _entries(position: int, row: CellRow, parameters: Cell | None = None) -> tuple[Any, ...]:
    """Return a row as it is stored."""
    cell = _json.dumps(row.parameters if parameters is None else parameters)
    entries = (
        position,
        row.identity,
        row.task,
        row.version,
        cell,
        row.state,
        dump_values(row.values),
        row.stage,
        row.traceback,
        None if math.isnan(row.seconds) else row.seconds,
    )
    return *entries, checksum(*entries)


def _driver(path: Path) -> str:
    with suppress(DataError), Store(path)._reading() as connection:
        return _study(connection).get("driver", "another driver")
    return "another driver"


def _seed(connection: sqlite3.Connection, path: Path) -> int:
    """Return the study's seed, by which all its cells were computed."""
    seed = _study(connection).get("seed")
    if seed is None:
        raise DataError(f"{path}: the store is damaged (its seed). Restore a copy, or start again in another store.")
    return int(seed)


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
            f"{path} was made by {age} version of howsure (store format {schema}; this version uses {SCHEMA}). "
            "Use that version, or another store; nothing was changed."
        )
    tables = [sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE sql NOT NULL ORDER BY rowid")]
    if tables != STATEMENTS:
        raise DataError(f"{path}: the store is damaged (its tables). Restore a copy, or start again in another store.")
    return False


def _create(connection: sqlite3.Connection, seed: int) -> None:
    for statement in STATEMENTS:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {SCHEMA}")
    about = [("seed", str(seed)), ("howsure", version())]
    connection.executemany("INSERT INTO study VALUES (?, ?, ?)", [(*entry, checksum(*entry)) for entry in about])


def _study(connection: sqlite3.Connection) -> dict[str, str]:
    """Return what the store says of itself, as far as it is undamaged."""
    connection.text_factory = lambda text: text.decode("utf-8", "replace")
    entries = connection.execute("SELECT name, content, checksum FROM study").fetchall()
    return {name: content for name, content, written in entries if written == checksum(name, content)}


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
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: {REMEDIES['SQLITE_CORRUPT']}") from error
    except sqlite3.Error as error:
        kind = getattr(error, "sqlite_errorname", "")
        remedy = next((words for prefix, words in REMEDIES.items() if kind.startswith(prefix)), f"{error}.")
        raise DataError(f"{path}: {remedy}") from error


REMEDIES = {
    "SQLITE_FULL": "the disk is full. Finished grid points are kept; free some space and run the sweep again.",
    "SQLITE_IOERR": "the disk refused to write (full, or over quota?). "
    "Finished grid points are kept; free some space and run the sweep again.",
    "SQLITE_READONLY": "the store cannot be written. Make the file and its folder writable, or use another store.",
    "SQLITE_CANTOPEN": "the store cannot be opened or written. Make the file and its folder writable, or use another.",
    "SQLITE_BUSY": "another program keeps the store locked. Close it and run the study again.",
    "SQLITE_NOTADB": "this is not a sweep store: it is not an SQLite file.",
    "SQLITE_CORRUPT": "the store is damaged. Restore a copy, or start again in another store.",
}


def checksum(*entries: Any) -> str:
    """Return the checksum of what a row holds; "" for what was never written, neither text nor number."""
    try:
        text = json.dumps(entries, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:32]
    except (TypeError, ValueError):
        return ""


def check_file(connection: sqlite3.Connection, path: Path) -> bool:
    """Refuse a file that SQLite cannot read in full; return whether its indexes must be built again."""
    told = [line for (line,) in connection.execute("PRAGMA integrity_check")]
    if told == ["ok"]:
        return False
    if all(any(words in line for words in OF_ROWS) for line in told):
        return True
    first = " ".join(str(told[0]).split())
    raise DataError(f"{path}: the store is damaged ({first}). Restore a copy, or start again in another store.")


def read_rows(connection: sqlite3.Connection) -> Iterator[tuple[int, CellRow]]:
    """Yield the position and content of every cell, in the order of planning; a damaged one as a failed cell."""
    names = ", ".join(f'"{name}"' for name in COLUMNS)
    connection.text_factory = lambda text: text.decode("utf-8", "replace")
    for *entries, written in connection.execute(f"SELECT {names}, checksum FROM cells ORDER BY position"):
        yield entries[0], _row(*entries[1:]) if written == checksum(*entries) else _damaged(*entries[1:5])


def _row(*entries: Any) -> CellRow:
    identity, task, version, parameters, state, values, stage, traceback, seconds = entries
    lasted = math.nan if seconds is None else seconds
    return CellRow(
        identity, task, version, json.loads(parameters), state, load_values(values), stage, traceback, lasted
    )


def _damaged(identity: Any, task: Any, version: Any, parameters: Any) -> CellRow:
    """Return what is left of a damaged row."""
    try:
        known = json.loads(parameters)
    except (TypeError, ValueError, RecursionError):
        known = {}
    return CellRow(
        str(identity),
        str(task),
        version if isinstance(version, int) else 0,
        known if isinstance(known, dict) else {},
        FAILED,
        stage=DAMAGED,
        traceback=TOLD,
    )


@contextmanager
def alone(store: Path, driver: Callable[[], str]) -> Iterator[None]:
    """Hold the right to drive the store at this path (no link); SQLite's own file lock is portable.

    A lock file that a killed driver left is used again and removed. A file of that name that is not ours is never
    touched.
    """
    guard = Path(f"{store}-driver")
    keep = _is_foreign(guard)
    with closing(sqlite3.connect(guard, isolation_level=None, timeout=0)) as connection:
        try:
            if not keep:
                connection.execute(f"PRAGMA application_id = {MARK}")
            connection.execute("BEGIN EXCLUSIVE")
            if not guard.exists():  # the driver before removed it between our opening and our locking it
                raise DataError(f"{store} was being run until a moment ago; run the study again.")
        except sqlite3.OperationalError as error:
            if not str(getattr(error, "sqlite_errorname", "")).startswith("SQLITE_BUSY"):
                raise
            raise DataError(
                f"{store} is being run by {driver()}; wait for it, stop it, or use another store."
            ) from None
        except KeyboardInterrupt:  # the file is made, but perhaps not locked yet
            with suppress(sqlite3.OperationalError, OSError):
                if not connection.in_transaction:
                    connection.execute("BEGIN EXCLUSIVE")
                if not keep:
                    guard.unlink()
            raise
        try:
            yield
        finally:
            if not keep:
                with suppress(OSError):
                    guard.unlink()


def _is_foreign(guard: Path) -> bool:
    """Refuse a file that is not a lock; return whether it is empty, and so perhaps somebody's."""
    try:
        with guard.open("rb") as file:
            head = file.read(72)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise DataError(
            f"{guard} is in the way of the lock: {error.strerror}. Rename it, or use another store."
        ) from None
    if head and (len(head) < 72 or int.from_bytes(head[68:72]) != MARK):
        raise DataError(f"{guard} is in the way: a run locks a file of this name. Rename it, or use another store.")
    return not head
