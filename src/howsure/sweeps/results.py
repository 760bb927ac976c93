"""What a study found: a row for each grid point, their counts, and the sweep as a table and as a document.

Values are written as text that gives back the same bits.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from howsure import _json
from howsure._frames import in_any_form
from howsure.documents import Block, Column, Document, Sentence, Table, details
from howsure.documents.numbers import counted
from howsure.records import Record
from howsure.sweeps.grid import Cell, show

if TYPE_CHECKING:
    import polars as pl


MISSING, DONE, FAILED = "missing", "done", "failed"


MOST = 100
"""How many grid points a report shows; all of them are in `to_frame` and in an export."""


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


@dataclass(frozen=True, slots=True)
class Sweep(Record):
    """A study that was run.

    Attributes
    ----------
    task : str
        The task's address, `package.module:function`.
    version : int
        The task's version.
    seed : int
        The number that, passed as `rng`, gives the same results.
    rows : tuple of CellRow
        One per cell, in the grid's order.
    """

    task: str
    version: int
    seed: int
    rows: tuple[CellRow, ...]

    @property
    def counts(self) -> Counts:
        """The done, failed and missing cells."""
        return Counts.of(self.rows)

    @property
    def failures(self) -> tuple[CellRow, ...]:
        """The rows of the cells that failed."""
        return tuple(row for row in self.rows if row.state == FAILED)

    @in_any_form
    def to_frame(self) -> "pl.DataFrame":
        """Return a dataframe with one line per cell: parameters, values, state, stage and error."""
        return frame(self.rows, task=False)

    def document(self) -> Document:
        """Return the study as a document: how far it is, and a row for each cell."""
        return _document(self)

    def __str__(self) -> str:
        lines = [f"{self.task} (version {self.version}), seed {self.seed}", f"{self.counts}."]
        if self.failures:
            first = self.failures[0]
            lines.append(f"First failure, at {show(first.parameters)} ({first.stage}): {first.error}")
        return "\n".join(lines)


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


def _document(found: Sweep) -> Document:
    """Return how many grid points are done, the first failure, and a row for each grid point."""
    done = [row for row in found.rows if row.state == "done"]
    first, *others = str(found).splitlines()
    blocks: list[Block] = [Sentence(said, "verdict" if place == 0 else "") for place, said in enumerate(others)]
    if done:
        blocks.append(_table(done))
    if len(done) > MOST:
        blocks.append(Sentence(f"The table shows the first {MOST} of {len(done):,} finished grid points.", "aside"))
    fixed = _fixed([row.parameters for row in found.rows])
    if fixed:
        same = ", ".join(f"{name} = {_text(value)}" for name, value in fixed.items())
        blocks += details([Sentence(f"At every grid point: {same}.")])
    return Document(f"A sweep of {counted(len(found.rows), 'grid point')}", tuple(blocks), (), first)


def _table(rows: Sequence["CellRow"]) -> Table:
    fixed = _fixed([row.parameters for row in rows])
    names = [name for name in dict.fromkeys(name for row in rows for name in row.parameters) if name not in fixed]
    values = list(dict.fromkeys(name for row in rows for name in row.values))
    columns = (*(Column(name) for name in names), *(Column(name, "number") for name in values))
    lines = tuple(
        (*(_text(row.parameters.get(name)) for name in names), *(row.values.get(name) for name in values))
        for row in rows[:MOST]
    )
    return Table(columns, lines, "Grid points")


def _fixed(cells: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the parameters that all grid points share."""
    first = cells[0] if cells else {}
    return {
        name: value
        for name, value in first.items()
        if len(cells) > 1 and all(name in cell and cell[name] == value for cell in cells)
    }


def _text(value: Any) -> str:
    return value if isinstance(value, str) else _json.dumps(value)
