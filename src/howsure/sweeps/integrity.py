"""Damage to a store: whether the file is whole, and whether each cell still says what was written.

Every row carries a checksum of all that it holds, so a flipped bit is found in its cell. What cannot be read at all,
SQLite itself finds.
"""

import hashlib
import json
import math
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from howsure.errors import DataError
from howsure.sweeps.cell_rows import FAILED, CellRow, load_values

DAMAGED = "store"
"""The stage of a cell whose stored result is damaged."""

COLUMNS = ("position", "identity", "task", "version", "parameters", "state", "values", "stage", "traceback", "seconds")
TOLD = "DataError: the stored result of this grid point is damaged; run the sweep with --retry to compute it again"

OF_ROWS = ("missing from index", "entries in index", "entry in index", "value in ", "CHECK constraint")
"""What SQLite says of damage that is confined to single rows or to an index, which can be built again."""


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
