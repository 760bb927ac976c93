"""One cell's result: computed where the executor says, written as text that gives back the same bits."""

import json
import math
import threading
import time
import traceback
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from howsure import _json, _matrices, _random
from howsure.documents.numbers import counted
from howsure.sweeps.grid import RESERVED, Cell
from howsure.sweeps.tasks import Parts, Task

if TYPE_CHECKING:
    import polars as pl

MISSING, DONE, FAILED = "missing", "done", "failed"
PLAIN = (float, int, bool)


@dataclass(frozen=True, slots=True)
class CellRow:
    """One cell of a study and what became of it.

    Attributes
    ----------
    identity : str
        The digest of task, version and parameters.
    task : str
        The task's address.
    version : int
        The task's version.
    parameters : mapping
    state : str
        "missing" (not yet computed), "done" or "failed".
    values : mapping of str to number
        What the task returned; NaN and infinity included.
    stage : str
        Where a failed cell failed: "call" (the function raised), "values" (it returned something other than named
        numbers), "worker" (its worker died) or "store" (its stored result is damaged).
    traceback : str
        The traceback of a failed cell.
    seconds : float
        How long the function took.
    """

    identity: str
    task: str
    version: int
    parameters: Cell
    state: str = MISSING
    values: Mapping[str, int | float] = field(default_factory=dict)
    stage: str = ""
    traceback: str = ""
    seconds: float = math.nan

    @property
    def error(self) -> str:
        """The last line of the traceback: what went wrong, in short."""
        return self.traceback.rstrip().rpartition("\n")[2]


@dataclass(frozen=True, slots=True)
class Counts:
    """How many cells are done, failed and missing; `begun` is how much of those missing is done, in parts of cells."""

    done: int = 0
    failed: int = 0
    missing: int = 0
    begun: float = 0.0

    @classmethod
    def of(cls, rows: Iterable[CellRow]) -> "Counts":
        """Count the states of rows."""
        states = [row.state for row in rows]
        return cls(states.count(DONE), states.count(FAILED), states.count(MISSING))

    @property
    def total(self) -> int:
        """The number of cells."""
        return self.done + self.failed + self.missing

    def __str__(self) -> str:
        return (
            f"{counted(self.total, 'grid point')}: {self.done:,} done, {self.failed:,} failed, {self.missing:,} missing"
        )


class Computing:
    """A cell that is being computed, in parts that threads may share; what goes wrong in the task is a row as well."""

    def __init__(self, task: Task, identity: str, cell: Cell, entropy: int) -> None:
        task.resolve()  # what cannot be loaded is no trouble of this cell alone
        self._of = task, identity, cell
        self._start, self._lock, self._ended = time.perf_counter(), threading.Lock(), False
        try:
            self._parts = task.parts(dict(cell), _random.generator(np.random.SeedSequence(entropy), identity))
        except (Exception, SystemExit) as error:
            self._parts = Parts([partial(_raise, error)], dict)
        self._found: list[Any] = [None] * len(self)
        self._n_left = len(self)

    def __len__(self) -> int:
        return len(self._parts.calls)

    @property
    def share(self) -> float:
        """How much of the cell is done."""
        return 1 - self._n_left / len(self)

    @_matrices.on_one_thread
    def compute(self, number: int) -> CellRow | None:
        """Compute a part; return the cell's row if this ends it: it was the last, or it failed."""
        task, identity, cell = self._of
        stage = "call"
        if self._ended:
            return None
        try:
            self._found[number] = self._parts.calls[number]()
            with self._lock:
                self._n_left -= 1
                last = self._n_left == 0
            if not last:
                return None
            result = self._parts.join(self._found)
            seconds = time.perf_counter() - self._start
            stage = "values"
            values = _numbers(result, cell)
        except (Exception, SystemExit) as error:
            with self._lock:
                first, self._ended = not self._ended, True
            seconds = time.perf_counter() - self._start
            return failed(task, identity, cell, stage, error, seconds=seconds) if first else None
        return CellRow(identity, task.name, task.version, dict(cell), DONE, values, seconds=seconds)


def compute(task: Task, identity: str, cell: Cell, entropy: int) -> CellRow:
    """Compute one cell, wherever this runs."""
    computing = Computing(task, identity, cell, entropy)
    return next(row for number in range(len(computing)) if (row := computing.compute(number)) is not None)


def _raise(error: BaseException) -> NoReturn:
    raise error


def failed(
    task: Task, identity: str, cell: Cell, stage: str, error: BaseException, *, seconds: float = math.nan
) -> CellRow:
    """Return the row of a cell that has no values because of `error`."""
    where, ours = error.__traceback__, (__name__, _matrices.__name__, Task.__module__) if stage == "call" else ()
    while where is not None and where.tb_frame.f_globals.get("__name__") in ours:
        where = where.tb_next  # these frames tell a reader nothing about the task
    text = "".join(traceback.format_exception(type(error), error, where)).encode(errors="backslashreplace").decode()
    return CellRow(identity, task.name, task.version, dict(cell), FAILED, {}, stage, text, seconds)


def dump_values(values: Mapping[str, float]) -> str:
    """Write a row's values: floats in the shortest form that reads back as the same bits."""
    return _json.dumps(values)


def load_values(text: str) -> dict[str, float]:
    """Read what `dump_values` wrote; only NaN is null, and only an infinite number is a string."""
    values = json.loads(text)
    return {
        name: math.nan if value is None else float(value) if isinstance(value, str) else value
        for name, value in values.items()
    }


def frame(rows: Sequence[CellRow], *, task: bool, nested: bool = True) -> "pl.DataFrame":
    """Return one line per cell: parameters, values, state, stage and error, with the task in front where asked.

    Lists and mappings among the parameters are written as JSON unless they may be `nested`.
    The time that a cell took is left out, so that two runs of one study give equal tables.
    """
    import polars as pl

    parameters = list(dict.fromkeys(name for row in rows for name in row.parameters))
    values = list(dict.fromkeys(name for row in rows for name in row.values))
    columns: dict[str, list[Any]] = {}
    if task:
        columns["task"] = [row.task for row in rows]
        columns["version"] = [row.version for row in rows]
    columns |= {name: [row.parameters.get(name) for row in rows] for name in parameters}
    numbers = {name: [row.values.get(name) for row in rows] for name in values}
    words: dict[str, list[str | None]] = {
        "state": [row.state for row in rows],
        "stage": [row.stage or None for row in rows],
        "error": [row.error or None for row in rows],
    }
    return pl.DataFrame(
        [
            *(_series(name, entries, nested=nested) for name, entries in columns.items()),
            *(_numeric(name, entries) for name, entries in numbers.items()),
            *(pl.Series(name, entries, dtype=pl.String) for name, entries in words.items()),
        ]
    )


def _series(name: str, entries: list[Any], *, nested: bool) -> "pl.Series":
    """Return parameters as a column; where a common type would change or merge some of them, as JSON."""
    import polars as pl

    distinct = {_json.canonical(entry): entry for entry in entries}
    if all(type(entry) in (int, float, type(None)) for entry in distinct.values()):
        column = _numeric(name, entries)
        return column if column.n_unique() == len(distinct) else _as_json(name, entries)
    try:
        column = pl.Series(name, entries)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        return _as_json(name, entries)
    if column.dtype == pl.Object or (column.dtype.is_nested() and not nested):
        return _as_json(name, entries)
    same = all(_json.canonical(a) == _json.canonical(b) for a, b in zip(column.to_list(), entries, strict=True))
    return column if same else _as_json(name, entries)


def _numeric(name: str, entries: list[Any]) -> "pl.Series":
    """Return numbers as a column of whole numbers, or of floats where all are floats exactly; else as JSON."""
    import polars as pl

    known = [entry for entry in entries if entry is not None]
    if all(type(entry) is bool for entry in known):
        return pl.Series(name, entries, pl.Boolean if known else None)
    if all(type(entry) is int and -(2**63) <= entry < 2**63 for entry in known):
        return pl.Series(name, entries, pl.Int64)
    if all(isinstance(entry, float) or abs(entry) <= 2**53 for entry in known):
        return pl.Series(name, [None if entry is None else float(entry) for entry in entries], pl.Float64)
    return _as_json(name, entries)


def _as_json(name: str, entries: list[Any]) -> "pl.Series":
    import polars as pl

    return pl.Series(name, [None if entry is None else _json.dumps(entry) for entry in entries], pl.String)


def _numbers(result: Any, cell: Cell) -> dict[str, float]:
    if not isinstance(result, Mapping):
        raise TypeError(f"a task returns a mapping of names to numbers; got {type(result).__name__}")
    for name, value in result.items():
        if not isinstance(name, str) or name in RESERVED or name in cell:
            raise ValueError(f"a task's values need names that no parameter or column has; got {name!r}")
        if type(value) not in PLAIN and not isinstance(value, np.bool_ | np.integer | np.floating | int | float):
            raise TypeError(f"a task's values are numbers (NaN where undefined); `{name}` is {value!r}")
    # Through the stored form and back: a run without a store then gives the same bits as one with it.
    text = dump_values(result)
    text.encode()
    return load_values(text)
