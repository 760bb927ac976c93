"""One value for each (item, rater) pair: what agreement is measured from."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from assay.scales import FloatArray, IntArray

if TYPE_CHECKING:
    from scipy.sparse import csc_array, csr_array


@dataclass(frozen=True, slots=True)
class Cells:
    """One value for each (item, rater) pair, in ascending order of items, and of values within an item.

    Attributes
    ----------
    values : array of float
    items, raters : array of int
        Numbered from 0.
    levels : array of float
        The distinct values, ascending.
    codes : array of int
        The position of each value among the levels.
    n_items, n_raters : int
    """

    values: FloatArray
    items: IntArray
    raters: IntArray
    levels: FloatArray
    codes: IntArray
    n_items: int
    n_raters: int

    def of(self, raters: FloatArray) -> "Cells":
        """Return the cells of the raters whose entry is not 0; items, raters and levels keep their numbers."""
        if raters.all():
            return self
        keep = raters[self.raters] != 0
        parts = (part[keep] for part in (self.values, self.items, self.raters, self.codes))
        return replace(self, **dict(zip(("values", "items", "raters", "codes"), parts, strict=True)))

    def sum_by_item(self, parts: FloatArray | None = None) -> FloatArray:
        """Sum one number for each cell, by item; count the cells if there is none."""
        return np.bincount(self.items, parts, minlength=self.n_items).astype(np.float64)

    def labels(self) -> "csr_array":
        """Return how often each item has each level: items × levels."""
        from scipy.sparse import csr_array

        key = self.items * self.levels.size + self.codes
        first = np.flatnonzero(np.diff(key, prepend=-1))
        counts = np.diff(first, append=key.size).astype(np.float64)
        pointers = np.searchsorted(self.items[first], np.arange(self.n_items + 1))
        return csr_array((counts, self.codes[first], pointers), shape=(self.n_items, self.levels.size))

    def by_rater(self, *parts: FloatArray) -> "list[csc_array]":
        """Return numbers of each cell as raters × items, whose products with item weights sum them by rater."""
        from scipy.sparse import csc_array

        shape = self.n_raters, self.n_items
        pointers = np.searchsorted(self.items, np.arange(self.n_items + 1)).astype(np.int32)
        raters = self.raters.astype(np.int32)
        return [csc_array((part, raters, pointers), shape=shape, copy=False) for part in parts]


def cells_from(values: FloatArray, items: IntArray, raters: IntArray) -> Cells:
    """Return cells, numbered without gaps; repeated responses of a rater to an item become their mean."""
    item, rater = (np.unique(codes, return_inverse=True)[1] for codes in (items, raters))
    keys, cell, counts = np.unique((item << 32) | rater, return_inverse=True, return_counts=True)
    means = np.bincount(cell, values) / counts
    levels, codes = np.unique(means, return_inverse=True)
    order = np.argsort((keys >> 32) * levels.size + codes, kind="stable")
    keys, codes = keys[order], codes[order].astype(np.int64)
    return Cells(means[order], keys >> 32, keys & 0xFFFFFFFF, levels, codes, int(item.max()) + 1, int(rater.max()) + 1)
