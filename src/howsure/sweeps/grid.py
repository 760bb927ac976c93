"""What a study covers: an ordered set of cells, each a mapping of parameter names to values."""

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from howsure import _json
from howsure.errors import ArgumentError

Cell = Mapping[str, Any]

MOST_CELLS = 1_000_000
"""The largest grid: its cells and their results are held in memory, some kilobytes each."""

LONGEST_SHOWN = 120
"""Characters of a value that a message shows."""

RESERVED = frozenset({"task", "version", "state", "stage", "error"})
"""Columns that a sweep's table has anyway, and that no parameter or value can therefore be called."""


@dataclass(frozen=True, slots=True, init=False)
class Grid:
    """An ordered set of cells; made from a list of cells, or from axes with `Grid.product`.

    Parameters
    ----------
    cells : iterable of mappings
        The parameters of each cell: strings, numbers, booleans, None, and lists or mappings of these. Cells need not
        have the same parameters. A cell cannot occur twice; to repeat a computation, add a parameter such as `repeat`.

    Examples
    --------
    >>> grid = Grid.product({"n_items": [100, 1000], "metric": ["mae", "wins"]})
    >>> len(grid), grid.axes
    (4, ('n_items', 'metric'))
    >>> grid = grid + Grid([{"n_items": 5000, "metric": "mae"}])
    >>> dict(list(grid)[-1])
    {'n_items': 5000, 'metric': 'mae'}
    """

    cells: tuple[Cell, ...]

    def __init__(self, cells: Iterable[Cell]) -> None:
        frozen = tuple(_frozen(cell, number) for number, cell in enumerate(_counted(cells), start=1))
        first: dict[str, int] = {}
        for number, cell in enumerate(frozen, start=1):
            before = first.setdefault(_json.canonical(cell), number)
            if before != number:
                raise ArgumentError(
                    f"Grid point {number} repeats grid point {before} ({show(cell)}); "
                    "add a parameter such as `repeat` to compute it more than once."
                )
        object.__setattr__(self, "cells", frozen)

    @classmethod
    def product(cls, axes: Mapping[str, Sequence[Any]]) -> "Grid":
        """Make every combination of the axes' values; the last axis varies fastest."""
        for name, values in axes.items():
            if isinstance(values, str | bytes) or not isinstance(values, Iterable):
                raise ArgumentError(
                    f"Axis `{name}` must be a list of values; got {values!r}. Did you mean [{values!r}]?"
                )
        lists = {name: list(_counted(values)) for name, values in axes.items()}
        _check_size(math.prod(len(values) for values in lists.values()))
        return cls(dict(zip(lists, combination, strict=True)) for combination in itertools.product(*lists.values()))

    @property
    def axes(self) -> tuple[str, ...]:
        """The names of all parameters, in the order in which they first occur."""
        return tuple(dict.fromkeys(name for cell in self.cells for name in cell))

    def __len__(self) -> int:
        return len(self.cells)

    def __iter__(self) -> Iterator[Cell]:
        return iter(self.cells)

    def __add__(self, other: "Grid") -> "Grid":
        """Return the cells of both; a cell that both have is there once."""
        return Grid({_json.canonical(cell): cell for cell in (*self.cells, *other.cells)}.values())

    def __mul__(self, other: "Grid") -> "Grid":
        """Return every cell of this grid combined with every cell of the other."""
        _check_size(len(self) * len(other))
        shared = set(self.axes) & set(other.axes)
        if shared:
            raise ArgumentError(f"Grids to be multiplied cannot share a parameter; both have `{min(shared)}`.")
        return Grid({**a, **b} for a, b in itertools.product(self.cells, other.cells))


def _counted(entries: Iterable[Any]) -> Iterator[Any]:
    for number, entry in enumerate(entries, start=1):
        _check_size(number)
        yield entry


def _check_size(n_cells: int) -> None:
    if n_cells > MOST_CELLS:
        raise ArgumentError(
            f"a grid has at most {MOST_CELLS:,} grid points; got {n_cells:,}. Split it into several sweeps."
        )


def show(cell: Cell) -> str:
    """Write a cell as `name=value, name=value`; values of many words (a model's data) are cut."""
    return ", ".join(f"{name}={_short(str(value))}" for name, value in cell.items())


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"


def _frozen(cell: Cell, number: int) -> Cell:
    """Return the cell as every executor and every later run will see it: plain JSON values, read-only."""
    for name, value in cell.items():
        if not isinstance(name, str) or name in RESERVED:
            raise ArgumentError(
                f"Cell {number} of the grid has a parameter called {name!r}; "
                f"names are strings other than {', '.join(sorted(RESERVED))}."
            )
        if not _finite(value):
            raise ArgumentError(f"Parameter `{name}` of grid point {number} must be finite; got {value!r}.")
    try:
        frozen = _json.plain(dict(cell))
        _json.canonical(frozen).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise ArgumentError(f"Cell {number} of the grid cannot be stored: {error}.") from None
    return MappingProxyType(frozen)


def _finite(value: Any) -> bool:
    """Say whether a parameter keeps its identity in JSON, which has neither NaN nor infinity."""
    if isinstance(value, Mapping):
        return all(_finite(entry) for entry in value.values())
    if isinstance(value, list | tuple):
        return all(_finite(entry) for entry in value)
    return not isinstance(value, float) or math.isfinite(value)
