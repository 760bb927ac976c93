"""From how often each unit is drawn, or with which sign, to the advantage of a metric.

A unit is an item or a whole cluster of items. A resample is a row of counts, an exchange of A and B a row of signs
(−1 where they are exchanged). Three kinds of metrics read such rows: a mean over items adds up item advantages, a
function of sums adds up what each item contributes, and any other metric gets the drawn items written out.
"""

from typing import Any, Protocol

import numpy as np

from howsure.data.scales import FloatArray, IntArray
from howsure.metrics.base import SummedMetric
from howsure.resampling.clusters import cluster_sums
from howsure.resampling.stacks import Stack

MANY, KINDS = 2**14, 256
"""From so many units on they are counted by kind, if there are at most this many kinds."""

WRITTEN = 2**20
"""Numbers of a source that are written out at a time."""

CANCELLED = 1e-12
"""A sum with signs that is this small beside what it adds up is zero on paper."""


class Scorer(Protocol):
    """What turns counts or signs of the units, (data sets, draws, units), into advantages."""

    def __call__(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return advantages and their standard errors, (data sets, draws); without such errors NaN."""


def scorer_of(metric: Any, stack: Stack, clusters: IntArray | None, *, exchanges: bool) -> Scorer:
    """Return what scores a metric."""
    if metric.additive and not metric.ignores:
        advantages = stack.item_advantages(metric)
        if clusters is None:
            return MeanScorer(advantages, np.ones((1, advantages.shape[1])), exchanges=exchanges)
        sums, sizes = cluster_sums(advantages[0], clusters)
        return MeanScorer(sums[np.newaxis], sizes[np.newaxis], exchanges=exchanges)
    return scorer_of_sides(metric, stack.summaries(metric.needs), clusters, exchanges=exchanges)


def scorer_of_sides(metric: Any, sides: Any, clusters: IntArray | None = None, *, exchanges: bool) -> Scorer:
    """Return what scores a metric without item scores from summaries of gold, A and B, (data sets, items, …)."""
    kind = SumScorer if isinstance(metric, SummedMetric) else RowScorer
    return kind(metric, sides, clusters, exchanges=exchanges)


# ---- drawing -------------------------------------------------------------------------------------------------------


def draw_counts(
    rng: np.random.Generator, shape: tuple[int, ...], n: int, *, kinds: IntArray | None = None
) -> FloatArray:
    """Return how often each of n units is among n that are drawn with replacement: (…, units).

    With `kinds`, the sizes of groups of units that are alike, how often each group is.
    """
    if kinds is not None:
        return rng.multinomial(n, kinds / kinds.sum(), shape).astype(np.float64)
    drawn = rng.integers(0, n, (*shape, n))
    n_rows = drawn.size // n
    drawn.reshape(n_rows, n)[...] += n * np.arange(n_rows)[:, np.newaxis]
    return np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape).astype(np.float64)


def draw_signs(
    rng: np.random.Generator, shape: tuple[int, ...], n: int, *, kinds: IntArray | None = None
) -> FloatArray:
    """Return a fair sign for each of n units: (…, units); with `kinds` the sum of the signs of each group."""
    if kinds is not None:
        return np.asarray(kinds - 2.0 * rng.binomial(kinds, 0.5, (*shape, kinds.size)))
    n_bytes = -(-n // 8)
    coins = np.frombuffer(rng.bytes(int(np.prod(shape)) * n_bytes), dtype=np.uint8).reshape(*shape, n_bytes)
    return np.asarray(1 - 2 * np.unpackbits(coins, axis=-1, count=n).astype(np.float64))


def every_sign(n: int) -> FloatArray:
    """Return all 2ⁿ ways to give n units a sign, (ways, n); the first turns none."""
    return np.asarray(1.0 - 2.0 * ((np.arange(2**n)[:, np.newaxis] >> np.arange(n)) & 1))


def few_kinds(scorers: list[Any]) -> IntArray | None:
    """Return how many units of each kind there are, and tell the scorers; None where units must be drawn one by one.

    Units are of one kind if they add the same to every metric.
    """
    if not all(isinstance(scorer, MeanScorer | SumScorer) for scorer in scorers) or len(scorers[0].columns[0]) < MANY:
        return None
    columns = np.concatenate([scorer.columns[0] for scorer in scorers], axis=1)
    if any(np.unique(column[:MANY]).size > KINDS for column in columns.T):  # soon known, before all are sorted
        return None
    codes, n_codes = np.zeros(len(columns), dtype=np.int64), 1
    for column in columns.T:
        values, which = np.unique(column, return_inverse=True)
        if n_codes * values.size > 2**62:
            return None
        codes, n_codes = codes * values.size + which, n_codes * values.size
    _, first, sizes = np.unique(codes, return_index=True, return_counts=True)
    if sizes.size > KINDS:
        return None
    for scorer in scorers:
        scorer.columns = scorer.columns[:, first]
    return sizes


# ---- scoring -------------------------------------------------------------------------------------------------------


class MeanScorer:
    """A mean over items: counts or signs times the sums of units, a matrix product.

    `sums` are those of items or of clusters, (rows, units), and `sizes` the number of items in each unit. Squares are
    about the data's mean: about zero, a small spread would be lost in the rounding of large squares.
    """

    def __init__(self, sums: FloatArray, sizes: FloatArray, *, exchanges: bool) -> None:
        self.exchanges, self.n_items = exchanges, sizes.sum(axis=-1, keepdims=True)
        self.clustered = bool((sizes != 1).any())
        if exchanges:
            columns = [sums]
        else:
            self.centres = sums.sum(axis=1, keepdims=True) / self.n_items
            rests = sums - self.centres * sizes
            columns = [rests, np.square(rests)]
            if self.clustered:
                columns += [rests * sizes, sizes, np.square(sizes)]
        self.columns = np.stack(np.broadcast_arrays(*columns), axis=-1)

    def __call__(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return means, and the standard errors that the drawn units themselves give."""
        sums = np.moveaxis(weights @ self.columns, -1, 0)
        if self.exchanges:
            return sums[0] / self.n_items, np.full(sums[0].shape, np.nan)
        n = weights.sum(axis=-1)  # as many as there are, but for a jackknife
        with np.errstate(invalid="ignore", divide="ignore"):
            if not self.clustered:
                moved = sums[0] / n
                spread = np.maximum(sums[1] / n - np.square(moved), 0.0)
                return self.centres + moved, np.sqrt(spread / (n - 1))
            # A ratio of sums over clusters: their residuals are sum − mean · size (Cochran 1977, eq. 6.12).
            total, squares, products, sizes, squared_sizes = sums
            moved = total / sizes
            spread = np.maximum(squares - 2 * moved * products + np.square(moved) * squared_sizes, 0.0)
            return self.centres + moved, np.sqrt(spread * n / (n - 1)) / sizes


class SumScorer:
    """A function of sums over items, such as a root of a mean of squares.

    Where A and B are exchanged, an item adds the mean of what it adds with A and B as they are and exchanged, and half
    of the difference with a random sign.
    """

    def __init__(self, metric: SummedMetric, sides: Any, clusters: IntArray | None, *, exchanges: bool) -> None:
        self.metric = metric
        gold, a, b = sides
        if exchanges:
            a, b = metric.swappable(gold, a, b)
        columns = metric.item_sums(gold, a, b)
        self.fixed, self.least = np.zeros((2, len(columns), 1, columns.shape[-1]))
        if exchanges:
            swapped = metric.item_sums(gold, b, a)
            self.fixed = (columns + swapped).sum(axis=1, keepdims=True) / 2
            self.least = CANCELLED * (np.abs(columns) + np.abs(swapped)).sum(axis=1, keepdims=True)
            columns = (columns - swapped) / 2
        if clusters is not None:
            summed = [np.bincount(clusters, each).astype(np.float64) for each in columns[0].T]
            columns = np.stack(summed, axis=-1)[np.newaxis]
        self.columns = columns

    def __call__(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return advantages."""
        sums = self.fixed + weights @ self.columns
        sums[np.abs(sums) < self.least] = 0.0
        advantages = np.asarray(self.metric.advantage_of_sums(sums))
        return advantages, np.full(advantages.shape, np.nan)


class RowScorer:
    """Any metric: the drawn items are written out, or A's and B's answers exchanged, and each draw is scored."""

    def __init__(self, metric: Any, sides: Any, clusters: IntArray | None, *, exchanges: bool) -> None:
        self.metric, self.exchanges, self.clusters = metric, exchanges, clusters
        self.gold, self.a, self.b = sides
        self.width = int(np.prod(self.a.shape[1:]))
        if exchanges:
            self.a, self.b = metric.swappable(self.gold, self.a, self.b)
            if metric.needs != "means":
                width = max(self.a.shape[-1], self.b.shape[-1])
                self.a, self.b = (widen(side, width) for side in (self.a, self.b))

    def __call__(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return advantages; of wide summaries a few draws at a time are written out."""
        score = self._exchanged if self.exchanges else self._drawn
        size = max(1, WRITTEN // (len(weights) * self.width))
        parts = []
        for start in range(0, weights.shape[1], size):
            some = weights[:, start : start + size]
            parts.append(score(some if self.clusters is None else some[..., self.clusters]))
        advantages = np.concatenate(parts, axis=1)
        return advantages, np.full(advantages.shape, np.nan)

    def _exchanged(self, signs: FloatArray) -> FloatArray:
        swaps = (signs < 0).reshape(*signs.shape, *[1] * (self.a.ndim - 2))
        a, b = self.a[:, np.newaxis], self.b[:, np.newaxis]
        gold = None if self.gold is None else self.gold[:, np.newaxis]
        return np.asarray(self.metric.advantage(gold, np.where(swaps, b, a), np.where(swaps, a, b)))

    def _drawn(self, counts: FloatArray) -> FloatArray:
        """Score the items as often as they are drawn; draws of equally many items are scored together."""
        n_data_sets, n_draws, n = counts.shape
        rows = counts.reshape(-1, n).astype(np.int64)
        n_drawn = rows.sum(axis=1)
        data_sets = np.repeat(np.arange(n_data_sets), n_draws)
        advantages = np.full(len(rows), np.nan)
        for size in np.unique(n_drawn[n_drawn > 0]):
            alike = np.flatnonzero(n_drawn == size)
            items = item_numbers(rows[alike], int(size))
            at = data_sets[alike][:, np.newaxis]
            gold, a, b = (None if side is None else side[at, items] for side in (self.gold, self.a, self.b))
            advantages[alike] = self.metric.advantage(gold, a, b)
        return advantages.reshape(n_data_sets, n_draws)


def item_numbers(counts: IntArray, size: int) -> IntArray:
    """Return the numbers of the items of each row, (rows, size), each as often as its count says.

    Examples
    --------
    >>> item_numbers(np.array([[2, 0, 1], [0, 3, 0]]), 3).tolist()
    [[0, 0, 2], [1, 1, 1]]
    """
    n = counts.shape[1]
    numbers = np.broadcast_to(np.arange(n), counts.shape)
    return np.repeat(numbers.ravel(), counts.ravel()).reshape(len(counts), size)


def widen(rows: FloatArray, width: int) -> FloatArray:
    """Return rows of responses filled up with NaN to this length."""
    missing = width - rows.shape[-1]
    return np.pad(rows, [(0, 0)] * (rows.ndim - 1) + [(0, missing)], constant_values=np.nan) if missing > 0 else rows
