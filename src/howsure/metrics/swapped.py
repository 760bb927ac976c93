"""Rank correlations and areas of two models whose items are swapped: what a swap changes, and nothing sorted again."""

from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.metrics.base import ROUNDING
from howsure.metrics.weighted import Order, Room, Weights
from howsure.scales import FloatArray, IntArray

MOST_SWAPPED = 2**17 - 1
"""Sums of products of up to this many doubled ranks are whole numbers of 53 bits, the same in whatever order."""

WORD = 64
"""Coins of so many items are one word."""

Words = npt.NDArray[np.uint64]


class SwappedRanks:
    """Spearman's correlation of gold and of each of two models whose items are swapped where a coin is 1.

    Gold, A and B are those of one data set, or (data sets, items): of many, as much is done in one call.

    Examples
    --------
    >>> swaps = SwappedRanks(np.arange(4.0), np.arange(4.0), -np.arange(4.0))
    >>> swaps.scores(np.array([[0, 0, 0, 0], [1, 1, 1, 1]], dtype=np.uint8))
    array([[ 1., -1.],
           [-1.,  1.]])
    """

    lanes = 32
    correlates = True

    def __init__(self, gold: npt.NDArray[Any], a: FloatArray, b: FloatArray) -> None:
        gold, a, b = map(np.atleast_2d, (gold, a, b))
        self.answers, self.gold = _orders(np.concatenate([a, b], axis=1)), self._of_gold(gold)
        self.n_words = -(-gold.shape[1] // WORD)
        self._rows = Room(gold.shape[1], self.lanes)

    def _of_gold(self, gold: npt.NDArray[Any]) -> tuple[npt.NDArray[np.uint32], FloatArray]:
        """Return gold's doubled ranks and cubed ties."""
        from howsure.metrics._swap_kernels import rank_rows

        ranks = np.empty(gold.shape, dtype=np.uint32)
        return ranks, rank_rows(*_orders(gold), ranks)

    def scores(self, weights: Weights) -> FloatArray:
        """Return the scores of A and of B for each draw of (draws, items): (2, draws)."""
        coins = np.zeros((len(weights), self.n_words * WORD // 8), dtype=np.uint8)
        packed = np.packbits(weights, axis=1, bitorder="little")
        coins[:, : packed.shape[1]] = packed
        return self.of_words(coins.view("<u8")[np.newaxis], np.zeros(1, dtype=np.int64))[:, 0]

    def of_words(self, words: Words, sets: IntArray) -> FloatArray:
        """Return the scores of A and of B in some data sets, whose coins are words: (2, sets, draws)."""
        from howsure.metrics._swap_kernels import swapped_scores

        out = np.empty((2, *words.shape[:2]))
        with self._rows.lent() as rows:
            swapped_scores(self.answers, self.gold, self.correlates, sets, words, rows, out)
        return out


class SwappedAreas(SwappedRanks):
    """The area under the ROC curve of each of two models whose items are swapped; gold says which are positive.

    It rests on the sum of the positive items' ranks (Mann and Whitney 1947).

    Examples
    --------
    >>> swaps = SwappedAreas(np.array([False, True, True]), np.array([1.0, 2.0, 3.0]), np.array([1.0, 0.0, 4.0]))
    >>> swaps.scores(np.array([[0, 0, 0], [0, 1, 0]], dtype=np.uint8))
    array([[1. , 0.5],
           [0.5, 1. ]])
    """

    correlates = False

    def _of_gold(self, gold: npt.NDArray[Any]) -> tuple[npt.NDArray[np.uint32], FloatArray]:
        """Return 1 for positive items, and how many there are."""
        return np.ascontiguousarray(gold, dtype=np.uint32), np.asarray(gold.sum(axis=1), dtype=np.float64)


def _orders(rows: FloatArray) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.bool_]]:
    """Return, of each row, what `Order` has: its entries in order, and which are the last of equal ones."""
    from howsure.metrics._swap_kernels import settle_rows, words_of_rows

    rows = np.ascontiguousarray(rows, dtype=float)
    places = (1 << rows.shape[1].bit_length()) - 1
    words = words_of_rows(rows, places)
    words.sort(axis=1)
    words &= places
    entries, ends = np.empty(rows.shape, dtype=np.int32), np.empty(rows.shape, dtype=bool)
    for number in np.flatnonzero(settle_rows(rows, words, ROUNDING, entries, ends)):
        order = Order.of(rows[number])
        entries[number], ends[number] = order.entries, order.ends
    return entries, ends
