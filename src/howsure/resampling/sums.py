"""Draws of sums over items: of items drawn with replacement, or of all items with random signs.

Which way depends on the data alone, so that a seed always gives the same draws:

* up to 4,096 items are drawn from as a whole, larger sets part by part (`PART`), each part in the processor's cache;
* more items than that, of few different kinds (accuracy, wins), are not drawn: a binomial count for each kind says how
  often it occurs. This is possible only where no metric needs to know *which* items were drawn.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from howsure._loading import pays
from howsure.data.scales import FloatArray, IntArray
from howsure.resampling._plain import with_squares
from howsure.resampling.sampler import ITEMS, SWAPS
from howsure.resampling.seeds import PART, SeedArray

STEPS = 4
"""How many numbers go through NumPy for each that it adds up: the random word and the index take their time, too."""

KINDS = 256
"""At most this many different kinds of items are counted instead of drawn."""


CANCELLED = 1e-12
"""A sum with signs that is this small beside what it adds up is zero on paper."""


class ItemSums:
    """Sums of columns (items × columns) for each seed: over drawn items or, with `swap`, with random signs.

    After the sums come those of squared distances from `centres`, where they are given. `alone` says that nothing else
    needs the drawn items.
    """

    def __init__(
        self, columns: FloatArray, *, swap: bool, n_draws: int, alone: bool, centres: FloatArray | None = None
    ) -> None:
        self.centres = np.empty(0) if centres is None else centres
        n_items, width = len(columns), columns.shape[1] + self.centres.size
        self.swap = swap
        self.stream = SWAPS if swap else ITEMS
        self.compiled = n_items > PART or pays(STEPS * n_items * n_draws * width)
        self.sizes, self.columns = np.empty(0, dtype=np.int64), columns
        if n_items > PART and alone:
            self.sizes, self.columns = kinds_of(columns)
        if self.sizes.size:
            self.columns = with_squares(self.columns, self.centres)
        self.table = self._kernels.swap_table(np.ascontiguousarray(columns)) if swap and not self.sizes.size else None

    @property
    def _kernels(self) -> Any:
        if self.compiled:
            from howsure.resampling import _kernels

            return _kernels
        from howsure.resampling import _plain

        return _plain

    def seeds(self, key: int, n_streams: int, start: int, stop: int) -> SeedArray:
        """Return the seeds of draws `start` to `stop`."""
        return np.asarray(self._kernels.seed_stream(np.uint64(key), n_streams, self.stream, start, stop))

    def of(self, seeds: SeedArray) -> FloatArray:
        """Return the sums: (draws, columns)."""
        if self.table is not None:
            return np.asarray(self._kernels.swap_sums(self.table, seeds))
        n_items = int(self.sizes.sum()) or len(self.columns)
        if n_items <= PART:
            return np.asarray(self._kernels.bootstrap_sums(self.columns, self.centres, seeds))
        from howsure.resampling import _split_kernels as split

        logs = log_factorials(n_items)
        if self.sizes.size:
            draw = split.draw_heads if self.swap else split.draw_split
            counts = draw(self.sizes, seeds, logs)
            return np.asarray(split.weighted_sums(self.sizes - 2 * counts if self.swap else counts, self.columns))
        counts = split.draw_split(parts_of(n_items), seeds, logs)
        return np.asarray(split.bootstrap_sums_of_parts(self.columns, self.centres, PART, seeds, counts))


class SummedAdvantages:
    """Advantages of a metric that is a function of sums over items, which its `item_sums` gives.

    With `swap`, an item adds what it does with A and B as they are, or exchanged: the mean of the two, and half of
    their difference with a random sign. With `clusters` (the number of each item's), whole clusters are drawn.
    """

    def __init__(
        self,
        metric: Any,
        gold: FloatArray,
        a: FloatArray,
        b: FloatArray,
        *,
        swap: bool,
        n_draws: int,
        alone: bool,
        clusters: IntArray | None = None,
    ) -> None:
        self.metric = metric
        if swap:
            a, b = metric.swappable(gold, a, b)
        columns = metric.item_sums(gold, a, b)
        self.sure, self.least = np.zeros(columns.shape[1]), np.zeros(columns.shape[1])
        if swap:
            self.sure, columns, self.least = by_signs(columns, metric.item_sums(gold, b, a))
        if clusters is not None:
            columns = np.stack([np.bincount(clusters, column) for column in columns.T], axis=1)
        self.sums = ItemSums(np.ascontiguousarray(columns), swap=swap, n_draws=n_draws, alone=alone)

    def of(self, seeds: SeedArray) -> FloatArray:
        """Return one advantage for each seed."""
        found = self.sure + self.sums.of(seeds)
        found[np.abs(found) < self.least] = 0.0
        return np.asarray(self.metric.advantage_of_sums(found))


def by_signs(columns: FloatArray, exchanged: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return what sums of swapped items have for sure, what they add with a random sign, and how small is zero.

    `columns` and `exchanged` are what items (the last axis but one) add with A and B as they are, and exchanged.
    """
    least = CANCELLED * (np.abs(columns) + np.abs(exchanged)).sum(axis=-2)
    return (columns + exchanged).sum(axis=-2) / 2, (columns - exchanged) / 2, least


def draw_items(n_items: int, seeds: SeedArray, out: IntArray) -> None:
    """Draw n items with replacement for each seed: those that `ItemSums` sums up."""
    from howsure.resampling import _kernels

    if n_items <= PART:
        _kernels.draw_items(n_items, seeds, out)
        return
    from howsure.resampling import _split_kernels as split

    counts = split.draw_split(parts_of(n_items), seeds, log_factorials(n_items))
    split.draw_items_of_parts(n_items, PART, seeds, counts, out)


def kinds_of(columns: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return how often each different row occurs, and these rows; nothing and all rows where they are too many.

    Examples
    --------
    >>> kinds_of(np.array([[1.0], [0.0], [1.0]]))
    (array([1, 2]), array([[0.],
           [1.]]))
    """
    nothing = np.empty(0, dtype=np.int64), columns
    codes, n_kinds = np.zeros(len(columns), dtype=np.int64), 1
    for column in columns.T:
        if np.unique(column[:PART]).size > KINDS:
            return nothing
        values, which = np.unique(column, return_inverse=True)
        if n_kinds * values.size > 2**62:
            return nothing
        codes, n_kinds = codes * values.size + which, n_kinds * values.size
    _, first, sizes = np.unique(codes, return_index=True, return_counts=True)
    return (sizes, columns[first]) if sizes.size <= KINDS else nothing


@lru_cache(maxsize=8)
def parts_of(n_items: int) -> IntArray:
    """Return the sizes of the parts from which items are drawn."""
    return np.diff(np.append(np.arange(0, n_items, PART), n_items))


@lru_cache(maxsize=8)
def log_factorials(n: int) -> FloatArray:
    """Return log 0! … log n!."""
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
