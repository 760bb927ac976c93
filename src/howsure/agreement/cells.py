"""What each rater said about each item: what agreement is measured from."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from howsure.responses import cell_codes, cells_from_codes
from howsure.scales import FloatArray, IntArray

if TYPE_CHECKING:
    from scipy.sparse import csc_array, csr_array


@dataclass(frozen=True, slots=True)
class Cells:
    """One entry for each value that a rater gave to an item, in ascending order of items, and of values within an item.

    A rater who answered an item several times is still one rater: the shares of their values sum to 1.

    Attributes
    ----------
    values : array of float
    items, raters : array of int
        Numbered from 0.
    shares : array of float
        How much of the rater's answer to the item each value is; 1 without repeats.
    levels : array of float
        The distinct values, ascending.
    codes : array of int
        The position of each value among the levels.
    n_items, n_raters : int
    """

    values: FloatArray
    items: IntArray
    raters: IntArray
    shares: FloatArray
    levels: FloatArray
    codes: IntArray
    n_items: int
    n_raters: int

    def of(self, raters: FloatArray) -> "Cells":
        """Return the cells of the raters whose entry is not 0; items, raters and levels keep their numbers."""
        return self if raters.all() else self._only(raters[self.raters] != 0)

    @property
    def repeated(self) -> bool:
        """Whether some rater gave different values to one item."""
        return bool((self.shares < 1).any())

    def divided(self) -> "tuple[Cells, IntArray]":
        """Return each repeated answer with different values as an item of its own, and the item it belongs to here."""
        only = self._only(self.shares < 1)
        answers, answer = np.unique(cell_codes(only.items, only.raters), return_inverse=True)
        order = np.lexsort((only.codes, answer))
        found = only._only(order)
        return replace(found, items=answer[order].astype(np.int64), n_items=answers.size), cells_from_codes(answers)[0]

    def means(self) -> "Cells":
        """Return the cells with one value for each item and rater, the mean."""
        if not self.repeated:
            return self
        keys, cell = np.unique(cell_codes(self.items, self.raters), return_inverse=True)
        means = np.bincount(cell, self.shares * self.values).astype(np.float64)
        return cells_from(means, *cells_from_codes(keys))

    def sum_by_item(self, parts: FloatArray | None = None) -> FloatArray:
        """Sum one number for each entry, by item; count the raters if there is none."""
        sums = np.bincount(self.items, self.shares if parts is None else parts, minlength=self.n_items)
        return np.asarray(np.rint(sums) if parts is None else sums, dtype=np.float64)

    def labels(self) -> "csr_array":
        """Return how often each item has each level: items × levels."""
        from scipy.sparse import csr_array

        key = self.items * self.levels.size + self.codes
        first = np.flatnonzero(np.diff(key, prepend=-1))
        counts = np.add.reduceat(self.shares, first) if first.size else np.zeros(0)
        pointers = np.searchsorted(self.items[first], np.arange(self.n_items + 1))
        return csr_array((counts, self.codes[first], pointers), shape=(self.n_items, self.levels.size))

    def by_rater(self, *parts: FloatArray) -> "list[csc_array]":
        """Return matrices (raters × items) of one number for each entry; times item weights, they give rater sums."""
        from scipy.sparse import csc_array

        shape = self.n_raters, self.n_items
        pointers = np.searchsorted(self.items, np.arange(self.n_items + 1)).astype(np.int32)
        raters = self.raters.astype(np.int32)
        return [csc_array((part, raters, pointers), shape=shape, copy=False) for part in parts]

    def _only(self, keep: "IntArray | np.typing.NDArray[np.bool_]") -> "Cells":
        names = ("values", "items", "raters", "shares", "codes")
        return replace(self, **{name: getattr(self, name)[keep] for name in names})


def cells_from(values: FloatArray, items: IntArray, raters: IntArray) -> Cells:
    """Return cells, numbered without gaps; each different value that a rater gave to an item is one entry."""
    item, rater = (np.unique(codes, return_inverse=True)[1] for codes in (items, raters))
    levels, code = np.unique(values, return_inverse=True)
    order = np.lexsort((rater, code, item))
    item, code, rater = item[order], code[order], rater[order]
    new = (np.diff(item, prepend=-1) != 0) | (np.diff(code, prepend=-1) != 0) | (np.diff(rater, prepend=-1) != 0)
    first = np.flatnonzero(new)
    counts = np.diff(first, append=item.size)
    item, code, rater = (part[first].astype(np.int64) for part in (item, code, rater))
    _, cell = np.unique(cell_codes(item, rater), return_inverse=True)
    shares = counts / np.bincount(cell, counts)[cell]
    return Cells(levels[code], item, rater, shares, levels, code, int(item.max()) + 1, int(rater.max()) + 1)
