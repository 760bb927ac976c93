"""The responses of one source.

They are frozen and their arrays are read-only. Ragged is the normal case: an item has as many responses as it has, and
a missing response is absent, never a sentinel.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure import _check
from howsure.data.scales import BoolArray, FloatArray, IntArray, Scale
from howsure.errors import ArgumentError, DataError

Labels = npt.NDArray[np.str_]
SMALLEST, LARGEST = 1e-100, 1e100
"""Values outside cannot be squared and summed."""


def frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the array, contiguous and read-only (a copy where the caller could still write to it)."""
    array = np.ascontiguousarray(array)
    if array.flags.writeable:
        array = array.copy()
        array.flags.writeable = False
    return array


def _vector(name: str, given: Any, *, whole: bool = False) -> npt.NDArray[Any]:
    """Return a vector of numbers; floats are not cut to whole numbers silently."""
    try:
        array = np.asarray(given)
        if array.dtype.kind not in "c" and not (whole and array.dtype.kind == "f" and (array % 1 != 0).any()):
            array = array.astype(np.int64 if whole else np.float64, copy=False)
            if array.ndim == 1:
                return array
    except (TypeError, ValueError, OverflowError):
        pass
    raise ArgumentError(f"`{name}` must be a vector of {'whole ' if whole else ''}numbers; got {_check.shown(given)}.")


@dataclass(frozen=True, slots=True, eq=False)
class Responses:
    """All responses of one source: item `i` has `values[offsets[i]:offsets[i + 1]]`.

    Attributes
    ----------
    values : array of float
        Every response, item after item.
    offsets : array of int
        Where each item starts; one entry more than there are items.
    raters : array of int, optional
        The number of the rater who gave each response.
    weights : array of float, optional
        The share of each response in its item's answer, for a source that answers with probabilities: the responses
        of an item are then one answer, a distribution over labels, and are never drawn one by one.
    missing : array of int, optional
        How many more responses each item should have had: answers that the data name but that have no value.
    """

    values: FloatArray
    offsets: IntArray
    raters: IntArray | None = None
    weights: FloatArray | None = None
    missing: IntArray | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", frozen(_vector("values", self.values)))
        object.__setattr__(self, "offsets", frozen(_vector("offsets", self.offsets, whole=True)))
        n_values, starts = self.values.size, self.offsets
        if not starts.size or starts[0] != 0 or starts[-1] != n_values or (starts[1:] < starts[:-1]).any():
            raise ArgumentError(
                f"`offsets` must ascend from 0 to the number of values, {n_values:,}; got {_check.shown(starts)}."
            )
        for name, whole, size in (
            ("raters", True, n_values),
            ("weights", False, n_values),
            ("missing", True, starts.size - 1),
        ):
            if getattr(self, name) is not None:
                array = _vector(name, getattr(self, name), whole=whole)
                if array.size != size:
                    raise ArgumentError(f"`{name}` must have {size:,} entries; got {array.size:,}.")
                object.__setattr__(self, name, frozen(array))

    @classmethod
    def from_grid(cls, grid: FloatArray, raters: IntArray | None = None) -> "Responses":
        """Make responses from an (items, responses) array in which NaN marks an absent response."""
        try:
            grid = np.asarray(grid, dtype=np.float64)
            raters = None if raters is None else np.asarray(raters, dtype=np.int64)
        except (TypeError, ValueError, OverflowError):
            raise ArgumentError("`grid` and `raters` must be (items, responses) arrays of numbers.") from None
        if grid.ndim != 2 or (raters is not None and raters.shape != grid.shape):
            shapes = f"{grid.shape}{'' if raters is None else f' and {raters.shape}'}"
            raise ArgumentError(f"`grid` and `raters` must be (items, responses) arrays of one shape; got {shapes}.")
        present = ~np.isnan(grid)
        offsets = np.concatenate([[0], np.cumsum(present.sum(axis=1))])
        return cls(grid[present], offsets, None if raters is None else raters[present])

    @property
    def n_items(self) -> int:
        """The number of items."""
        return self.offsets.size - 1

    @property
    def sizes(self) -> IntArray:
        """The number of responses of each item."""
        return self.offsets[1:] - self.offsets[:-1]

    @property
    def n_responses(self) -> int | float:
        """Responses per item: the number K where it is the same for all items, else the mean."""
        sizes = self.sizes if self.weights is None else np.minimum(self.sizes, 1)
        if not sizes.size:
            return 0
        n = int(np.add.reduce(sizes))
        return n // sizes.size if (sizes == sizes[0]).all() else n / sizes.size

    @property
    def items(self) -> IntArray:
        """The item of each response."""
        return np.repeat(np.arange(self.n_items), self.sizes)

    @property
    def cells(self) -> IntArray:
        """The (item, rater) pair of each response, as one number; see `cell_codes`."""
        assert self.raters is not None
        return cell_codes(self.items, self.raters)

    def check_magnitudes(self, name: str, items: Labels) -> None:
        """Refuse values whose squares or sums are no longer numbers; the message names the first."""
        size = np.abs(self.values)
        fine = (size <= LARGEST) & ((size >= SMALLEST) | (size == 0))
        if not fine.all():
            bad = np.flatnonzero(~fine)
            raise DataError(
                f"{name}, item {items[self.items[bad[0]]]}: {self.values[bad[0]]:g} is too large or too small to "
                "compute with (1e-100 to 1e100 in size). Rescale the values, or leave it out if it is an error."
            )

    def take(self, items: IntArray) -> "Responses":
        """Return the responses of these items, in this order; an item may be taken more than once."""
        try:
            starts = self.offsets[items]
            sizes = self.offsets[np.asarray(items) + 1] - starts
            offsets = np.concatenate([[0], np.cumsum(sizes)])
            where = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], sizes)
        except (IndexError, TypeError, ValueError, OverflowError):
            said = f"`items` must be an array of positions, 0 to {self.n_items - 1:,}"
            raise ArgumentError(f"{said}; got {_check.shown(items)}.") from None
        return Responses(
            self.values[where],
            offsets,
            None if self.raters is None else self.raters[where],
            None if self.weights is None else self.weights[where],
            None if self.missing is None else self.missing[items],
        )

    def keep(self, kept: BoolArray) -> "Responses":
        """Return the responses where `kept` is true, on the same items."""
        sizes = np.bincount(self.items[kept], minlength=self.n_items)
        raters = None if self.raters is None else self.raters[kept]
        return Responses(self.values[kept], np.concatenate([[0], np.cumsum(sizes)]), raters)


def item_ids(given: Any) -> Labels:
    """Return the ids of items."""
    try:
        ids = np.asarray(given)
        if ids.ndim == 1:
            return ids
    except ValueError:  # lists within lists
        pass
    raise ArgumentError(f"`items` must be a vector of ids, one for each item; got {_check.shown(given)}.")


def cell_codes(items: IntArray, raters: IntArray) -> IntArray:
    """Return one number for each (item, rater) pair, in the order of items, then raters; `cells_from_codes` undoes it.

    Examples
    --------
    >>> [part.tolist() for part in cells_from_codes(cell_codes(np.array([0, 7]), np.array([2, 1])))]
    [[0, 7], [2, 1]]
    """
    return (items << 32) | raters


def cells_from_codes(codes: IntArray) -> tuple[IntArray, IntArray]:
    """Return items and raters from the numbers of their pairs."""
    return codes >> 32, codes & 0xFFFFFFFF


def group_codes(groups: Mapping[str, Labels], option: str, column: str) -> tuple[Labels, IntArray]:
    """Return the values of a column that describes items, and the number of each item's value among them."""
    if _check.text(option, column) not in groups:
        known = ", ".join(groups) or f"none; read the table with groups=[{column!r}]"
        raise ArgumentError(
            f"`{option}` must name a column that describes items; got {column!r}. Columns: {known}."
            f"{_check.nearest(column, groups)}"
        )
    values, codes = np.unique(groups[column], return_inverse=True)
    return values, codes.astype(np.int64)


def cluster_codes(groups: Mapping[str, Labels], cluster: str) -> tuple[Labels, IntArray]:
    """Return the clusters by a column, and the number of each item's cluster; a single cluster is an error."""
    names, codes = group_codes(groups, "cluster", cluster)
    if names.size < 2:
        raise DataError(f"all items are in one cluster ({cluster} {names[0]!r}): nothing can be said about others.")
    return names, codes


def by_id(ids: Labels) -> IntArray:
    """Return the order of ids, the shorter first, so that 2 comes before 10."""
    lengths = np.fromiter(map(len, ids.tolist()), dtype=np.int64, count=ids.size)
    return np.lexsort((ids, lengths))


def digest_of(scale: Scale, sources: Mapping[str, Responses]) -> str:
    """Return twelve hexadecimal digits that identify scale, sources and responses."""
    seen = hashlib.sha256(repr((scale.kind, scale.levels, scale.labels)).encode())
    for name, source in sources.items():
        seen.update(name.encode())
        seen.update(source.values.tobytes())
        seen.update(source.offsets.tobytes())
        seen.update(b"" if source.raters is None else source.raters.tobytes())
        seen.update(b"" if source.weights is None else source.weights.tobytes())
    return seen.hexdigest()[:12]


def raters_in_order(
    sources: Mapping[str, Responses], raters: tuple[str, ...]
) -> tuple[dict[str, Responses], tuple[str, ...]]:
    """Return the sources with raters numbered in the order of their ids, and these; raters without a response go."""
    codes = [source.raters for source in sources.values() if source.raters is not None]
    if not raters or not codes:
        return dict(sources), raters
    used = np.unique(np.concatenate(codes))
    names = np.array([raters[code] for code in used])
    order = by_id(names)
    place = np.full(len(raters), -1)
    place[used[order]] = np.arange(used.size)
    return {name: _by_rater(source, place) for name, source in sources.items()}, tuple(names[order].tolist())


def _by_rater(source: Responses, place: IntArray) -> Responses:
    """Return the responses with new rater numbers, those of an item in the order of their raters."""
    if source.raters is None:
        return source
    raters = place[source.raters]
    order = np.lexsort((raters, source.items))
    weights = None if source.weights is None else source.weights[order]
    return Responses(source.values[order], source.offsets, raters[order], weights, source.missing)
