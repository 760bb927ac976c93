"""Metrics of order on weighted entries: what makes their draws as cheap as a few passes over the items.

A draw that keeps all responses is a weight for each item; a draw that swaps items chooses one of two entries of each.
Both are weights of entries whose order is known, so that nothing is sorted or scored anew.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from assay.metrics.base import ROUNDING
from assay.scales import FloatArray, IntArray

Weights = npt.NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class Order:
    """The entries from the smallest value to the largest; `ends` marks the last of those that are equal."""

    entries: npt.NDArray[Any]
    ends: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, values: FloatArray, *, within: IntArray | None = None) -> "Order":
        """Put values in order; within equal values of `within` where that is given."""
        entries = np.argsort(values, kind="stable") if within is None else np.lexsort((values, within))
        tie = ROUNDING * float(np.abs(values).max(initial=0.0))
        apart = np.abs(np.diff(values[entries])) > tie
        if within is not None:
            apart |= np.diff(within[entries]) != 0
        return cls(entries, np.append(apart, True))

    def groups(self) -> IntArray:
        """Return the number of each entry's group of equal values."""
        out = np.empty_like(self.entries)
        out[self.entries] = np.concatenate([[0], np.cumsum(self.ends[:-1])])
        return out

    def __getitem__(self, entries: IntArray) -> "Order":
        """Return the same order of entries that are renumbered: `entries` in their new sequence."""
        places = np.empty_like(entries)
        places[entries] = np.arange(entries.size)
        return Order(places[self.entries].astype(np.int32), self.ends)


class RankCorrelation:
    """Spearman's correlation of gold and a model."""

    def __init__(self, gold: FloatArray, model: FloatArray) -> None:
        self.gold = Order.of(gold)
        self.entries = self.gold.entries.astype(np.int32)
        self.model = Order.of(model)[self.gold.entries]

    def scores(self, weights: Weights) -> FloatArray:
        """Return one correlation for each draw of (draws, entries)."""
        from assay.metrics._weighted_kernels import spearman

        return np.asarray(spearman(self.entries, self.gold.ends, self.model.entries, self.model.ends, weights))


class Area:
    """The area under the ROC curve of a model whose positive entries are known."""

    def __init__(self, positive: npt.NDArray[np.bool_], model: FloatArray) -> None:
        order = Order.of(model)
        self.positive, self.entries, self.ends = positive[order.entries], order.entries.astype(np.int32), order.ends

    def scores(self, weights: Weights) -> FloatArray:
        """Return one area for each draw of (draws, entries)."""
        from assay.metrics._weighted_kernels import area

        return np.asarray(area(self.positive, self.entries, self.ends, weights))


FEW_ENTRIES = 4096
"""Up to so many entries a tree of counts stays near the processor, and is faster than inversions level by level."""


class PairCorrelation:
    """Kendall's τ-b of gold and a model: with few entries by a tree of counts, else by inversions (Knight 1966)."""

    def __init__(self, gold: FloatArray, model: FloatArray) -> None:
        of_gold, of_model = Order.of(gold), Order.of(model)
        if gold.size <= FEW_ENTRIES:
            self.entries, self.ends = of_gold.entries, of_gold.ends
            self.codes = (of_model.groups()[self.entries] + 1).astype(np.int32)
            return
        of_both = Order.of(model, within=of_gold.groups())
        self.entries = of_both.entries  # by gold, and by the model where gold is equal: so ties are no inversions
        self.ties = [order[self.entries] for order in (of_gold, of_model, of_both)]
        self.levels = merge_levels(of_model.groups()[self.entries])

    def scores(self, weights: Weights) -> FloatArray:
        """Return one correlation for each draw of (draws, entries)."""
        from assay.metrics._weighted_kernels import kendall, tied_pairs

        in_order = np.take(weights, self.entries, axis=1)
        if self.entries.size <= FEW_ENTRIES:
            return np.asarray(kendall(self.ends, self.codes, int(self.codes.max(initial=0)), in_order))
        total = np.asarray(weights.sum(axis=1, dtype=np.float64))
        alone = np.asarray(np.square(weights, dtype=np.int64).sum(axis=1), dtype=np.float64)
        pairs = total * (total - 1) / 2
        # Without equal values, the only equal entries are copies of one.
        in_gold, in_model, in_both = (
            (alone - total) / 2 if order.ends.all() else tied_pairs(order.entries, order.ends, in_order)
            for order in self.ties
        )
        wrong = (np.square(total) - alone) / 2 - self._pairs_in_order(in_order)
        right = pairs - in_gold - in_model + in_both - wrong
        scale = np.sqrt(pairs - in_gold) * np.sqrt(pairs - in_model)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.where(scale > 0, (right - wrong) / scale, np.nan))

    def _pairs_in_order(self, weights: Weights) -> FloatArray:
        """Count for four draws at a time, so that the levels come from the memory once for all of them."""
        from assay.metrics._weighted_kernels import pairs_in_order

        n_draws = len(weights)
        filled = np.zeros((-(-n_draws // 4) * 4, weights.shape[1]), dtype=np.int16)
        filled[:n_draws] = weights
        found = [
            pairs_in_order(self.levels, np.ascontiguousarray(filled[low : low + 4].T)) for low in range(0, n_draws, 4)
        ]
        return np.concatenate(found)[:n_draws]


def merge_levels(values: IntArray) -> npt.NDArray[np.int32]:
    """Return the places in the order of their values within blocks of 2, 4, 8 … places, equal ones in their sequence.

    From the order of all places down: the two halves of a block keep the order that they have in it.

    Examples
    --------
    >>> merge_levels(np.array([3, 1, 2, 0]))
    array([[1, 0, 3, 2],
           [3, 1, 2, 0]], dtype=int32)
    """
    order = np.argsort(values, kind="stable")
    n_levels = max(1, int(order.size - 1).bit_length())
    levels = np.empty((n_levels, order.size), dtype=np.int32)
    for level in range(n_levels - 1, -1, -1):
        levels[level] = order
        block, half = order >> (level + 1), 1 << level
        second = (order >> level) & 1
        seconds = np.cumsum(second)
        firsts = np.arange(1, order.size + 1) - seconds
        place = 2 * half * block + np.where(second == 1, half + seconds, firsts) - 1 - half * block
        finer = np.empty_like(order)
        finer[place] = order
        order = finer
    return levels
