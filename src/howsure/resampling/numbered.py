"""Few responses have few resamples: number them, and draw a number instead of responses.

An item with n responses, of which k are drawn with replacement, has nᵏ equally likely resamples: 3,125 for five of
five, and only 126 of them differ in more than the order. Their counts are computed once for each item; a draw is then
one random word and one look-up.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.data.responses import Responses
from howsure.data.scales import FloatArray, IntArray
from howsure.data.summaries import IN_A_WORD, WordArray

MOST_RESAMPLES = 2**12
MOST_DRAWN = 12
MOST_BYTES = 2**25
"""A larger table of one source's means or counts, of one data set, would leave the cache and cost more than drawing."""

FEW_ITEMS = 2**14
"""How data of up to so many items are numbered is remembered: simulated studies have the same numbers of responses."""


@dataclass(frozen=True, slots=True)
class Numbered:
    """The resamples of each item of one source.

    Attributes
    ----------
    n_resamples : array of int, (items,)
        nᵏ, the number of resamples.
    first : array of int, (items,)
        Where the resamples of an item start in `positions` and `distinct`; items with equal n and k share theirs.
    positions : array of int, (resamples, k)
        The positions drawn, in order.
    distinct : array of int, (resamples,)
        The number of the resample when order does not count.
    rows : array of int, (items,)
        Where the distinct resamples of an item start in a table of their means or counts.
    """

    responses: Responses
    n_resamples: IntArray
    first: IntArray
    positions: npt.NDArray[np.uint16]
    distinct: npt.NDArray[np.uint16]
    rows: IntArray
    n_rows: int
    groups: tuple[tuple[IntArray, FloatArray], ...]

    @classmethod
    def of(cls, responses: Responses, n_out: IntArray, n_levels: int, n_data_sets: int = 1) -> "Numbered | None":
        """Return the resamples of `n_out` responses of each item; None where there are too many.

        Whether there are depends on the data alone, not on the summary, so every metric gets the same resamples. Data
        sets of equal sizes that are drawn from together are numbered as each alone would be.
        """
        arrange = _arranged if responses.n_items <= FEW_ITEMS else _arranged.__wrapped__
        found = arrange(responses.sizes.tobytes(), n_out.astype(np.int64).tobytes(), n_levels, n_data_sets)
        return None if found is None else cls(responses, *found)

    def in_order(self) -> npt.NDArray[np.uint16]:
        """Return the positions of each resample in ascending order."""
        ascending = self.positions.copy()
        for items, times in self.groups:
            k = int(times[0].sum())
            rows = slice(int(self.first[items[0]]), int(self.first[items[0]] + self.n_resamples[items[0]]))
            ascending[rows, :k] = np.sort(self.positions[rows, :k], axis=1)
        return ascending

    def counts(self, codes: IntArray, n_levels: int) -> WordArray:
        """Return how often each level occurs in every distinct resample, packed: (words of eight levels, rows)."""
        from howsure.resampling import _numbered_kernels

        table = np.zeros((-(-n_levels // IN_A_WORD), self.n_rows), dtype=np.uint64)
        for items, times in self.groups:
            _numbered_kernels.tabulate_counts(codes, self.responses.offsets[items], times, self.rows[items], table)
        return table


@lru_cache(maxsize=16)
def _arranged(of_items: bytes, drawn: bytes, n_levels: int, n_data_sets: int) -> tuple[Any, ...] | None:
    """Return how the resamples of items with so many responses, of which so many are drawn, are numbered."""
    sizes, n_out = (np.frombuffer(each, dtype=np.int64) for each in (of_items, drawn))
    base = int(n_out.max()) + 1
    codes, which = np.unique(sizes * base + n_out, return_inverse=True)
    pairs = np.stack([codes // base, codes % base])
    if pairs[1].max() > MOST_DRAWN or (pairs[0].astype(float) ** pairs[1]).max() > MOST_RESAMPLES:
        return None
    listed = [_listed(int(n), int(k)) for n, k in pairs.T]
    n_distinct = np.array([len(times) for _, _, times in listed])[which]
    n_rows = int(n_distinct.sum())
    if n_rows * max(8, n_levels) > MOST_BYTES * n_data_sets:
        return None
    numbers = np.array([len(distinct) for _, distinct, _ in listed])
    positions = np.zeros((int(numbers.sum()), int(pairs[1].max())), dtype=np.uint16)
    first = np.concatenate([[0], np.cumsum(numbers)])
    for start, (of_pair, _, _) in zip(first, listed, strict=False):
        positions[start : start + len(of_pair), : of_pair.shape[1]] = of_pair
    return (
        numbers[which],
        first[which],
        positions,
        np.concatenate([distinct for _, distinct, _ in listed]),
        np.cumsum(n_distinct) - n_distinct,
        n_rows,
        tuple((np.flatnonzero(which == g), times) for g, (_, _, times) in enumerate(listed)),
    )


@lru_cache(maxsize=64)
def _listed(n: int, k: int) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.uint16], FloatArray]:
    """Return the nᵏ resamples as positions, the distinct one behind each, and how often that repeats each position."""
    positions = np.stack(np.unravel_index(np.arange(n**k), (n,) * k), axis=1)
    alike = {drawn: number for number, drawn in enumerate(combinations_with_replacement(range(n), k))}
    distinct = np.array([alike[tuple(row)] for row in np.sort(positions, axis=1).tolist()], dtype=np.uint16)
    times = np.stack([np.bincount(drawn, minlength=n) for drawn in alike])
    return positions.astype(np.uint16), distinct, times.astype(np.float64)
