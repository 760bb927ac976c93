"""Arrays as responses: an (items, responses) array for each source, in which NaN or None marks an absent response."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure import _check
from howsure.data.responses import Labels, Responses
from howsure.data.scales import EXACT, Scale, refuse_rounded
from howsure.errors import DataError


def responses_from(
    given: Mapping[str, Any], *, scale: str | None = None, order: Sequence[Any] | None = None
) -> tuple[dict[str, Responses], Scale]:
    """Return the responses of each source and the scale they share; a vector is one response per item.

    Examples
    --------
    >>> sources, scale = responses_from({"human": [[1, 2], [3, None]], "model": [1, 4]})
    >>> sources["human"].values.tolist(), str(scale)
    ([1.0, 2.0, 3.0], 'ordinal: 1, 2, 3, 4 (4 distinct whole numbers)')
    """
    grids = {name: _grid(name, array) for name, array in _check.mapping("sources", given).items()}
    lengths = {name: grid.shape[0] for name, grid in grids.items()}
    if len(set(lengths.values())) != 1:
        shown = ", ".join(f"{name} {length}" for name, length in lengths.items())
        *first, last = lengths
        raise DataError(f"{', '.join(first)} and {last} must have one row for each item; got rows: {shown}.")
    present = {name: _present(grid) for name, grid in grids.items()}
    everything = np.concatenate([grid[present[name]] for name, grid in grids.items()])
    if not everything.size:
        raise DataError("there is no response in these arrays.")
    shared = Scale.of(everything, kind=scale, order=order)
    sources = {}
    for name, grid in grids.items():
        filled = np.full(grid.shape, np.nan)
        filled[present[name]] = shared.encode(grid[present[name]])
        sources[name] = Responses.from_grid(filled)
    return sources, shared


def _grid(name: str, array: Any) -> npt.NDArray[Any]:
    try:
        grid = np.asarray(array)
    except ValueError:
        raise DataError(f"`{name}` has rows of different lengths; fill them up with NaN (None among labels).") from None
    if grid.dtype.kind in "iuO":
        try:  # whole numbers, or numbers with gaps
            numbers = grid.astype(np.float64)
        except OverflowError:
            raise DataError(f"`{name}` holds a number that is too large to compute with (1e-100 to 1e100).") from None
        except (TypeError, ValueError):
            pass
        else:
            for value in grid[np.abs(numbers) >= EXACT].tolist():
                if isinstance(value, int):
                    refuse_rounded(value, f"`{name}`")
            grid = numbers
    if grid.ndim == 1:
        grid = grid[:, np.newaxis]
    if grid.ndim != 2 or grid.dtype.kind not in "fbUO":
        raise DataError(f"`{name}` must be an (items, responses) array of numbers or labels; got shape {grid.shape}.")
    if grid.dtype.kind == "f" and np.isinf(grid).any():
        row, column = np.argwhere(np.isinf(grid))[0]
        raise DataError(f"`{name}` is infinite at item {row}, response {column}; leave the response out (NaN).")
    return grid


def _present(grid: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    if grid.dtype.kind == "f":
        return np.asarray(grid == grid, dtype=bool)  # noqa: PLR0124 (false for NaN only)
    if grid.dtype.kind == "O":
        present = [value is not None and value == value for value in grid.flat]  # noqa: PLR0124 (NaN of any type)
        return np.array(present, dtype=bool).reshape(grid.shape)
    return np.ones(grid.shape, dtype=bool)


def groups_from(groups: Any, n_items: int) -> dict[str, Labels]:
    """Return the columns that describe items; None has none."""
    given = {} if groups is None else _check.mapping("groups", groups)
    return {name: group_from(name, column, n_items) for name, column in given.items()}


def group_from(name: str, column: Any, n_items: int) -> Labels:
    """Return a column that describes items; it has one value for each."""
    try:
        labels = np.asarray(column).astype(str)
    except (TypeError, ValueError):
        labels = np.array([])
    if labels.shape != (n_items,):
        raise DataError(f"group {name!r} must have one value for each of the {n_items} items; got {labels.shape}.")
    return labels
