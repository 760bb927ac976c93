"""Pools of item scores: histograms on a grid, which grow block by block until they are precise enough.

Mean and shape are estimated apart. The shape comes from drawn scores, which are then given that mean, so that scores
stay on their grid and ties stay exact. The mean comes from the expected scores of items (`expected_scores`) where the
first blocks show that these are more precise in the same time; the choice depends on what was drawn, never on a clock.
Expected scores that are partly drawn cost as much as the first blocks, so they begin only where the number of scores
would have to be doubled.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from howsure.data.scales import FloatArray
from howsure.metrics import AdditiveMetric
from howsure.planning.engines.expected_scores import (
    EFFORT,
    drawn_advantages,
    drawn_kind,
    effort,
    has_expectations,
    kind_of,
    mean_advantages,
    n_expected,
)
from howsure.planning.engines.item_scores import ITEMS, Block, Setting, draw_blocks
from howsure.planning.engines.score_sums import SumGrid, symmetrised, with_mean

FIRST_BLOCKS = 16
"""Blocks with which a pool begins: enough to see how much they differ, and on which grid the scores lie."""

FIRST_OF_SYMMETRIC = 8
"""The same where the mean is known, so that only how precise the variance is must be seen."""

FINE = 1 << 12
"""Grid points over the range of scores that lie on no grid of their own."""

COARSEST = 1 << 14
"""Most points of a grid on which scores lie by themselves; a finer grid is ignored."""

ON_GRID = 1e-6
"""A score within this distance of a grid point, in steps, lies on it."""

TOGETHER = 16
"""Blocks that are drawn before their scores are counted, so that few scores wait; the work of a thread."""

UNLIKELY = 1e-13
"""An outcome whose probability is smaller than this is left out."""


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """The scores of all items drawn so far, by one metric.

    Attributes
    ----------
    step : float
        Distance of the grid points.
    grid : SumGrid
        The shares of the scores, as whole numbers of steps; their mean is `mean`.
    off_grid : float
        The share of scores that do not lie on the grid: sums with one of them tie only by rounding.
    mean, standard_error : float
        Of the scores, or of the items' expected scores where these were summed up and are more precise.
    sd : float
        Standard deviation of an item's score.
    variance_error : float
        Relative standard error of the variance.
    n_items : int
        Items simulated.
    n_effective : float
        The number of independent scores that would be as precise: more than items, where an item has many.
    """

    step: float
    grid: SumGrid
    off_grid: float
    mean: float
    standard_error: float
    sd: float
    variance_error: float
    n_items: int
    n_effective: float

    @property
    def kurtosis(self) -> float:
        """The excess kurtosis of the scores; 0 where they do not vary."""
        centred = self.grid.points - self.grid.mean
        variance = float(np.square(centred) @ self.grid.shares)
        return float(centred**4 @ self.grid.shares) / variance**2 - 3 if variance > 0 else 0.0

    @property
    def telling(self) -> FloatArray:
        """The share of scores of each size other than 0."""
        sizes = np.abs(self.grid.points).astype(np.int64)
        shares = np.bincount(sizes, self.grid.shares)[1:]
        return np.asarray(shares[shares > UNLIKELY])


class GrowingPools:
    """Pools of one setting by several metrics; `grow` adds blocks, `pools` returns what there is.

    Parameters
    ----------
    setting : Setting
    metrics : sequence of AdditiveMetric
        Already on the model's scale. All see the same items and responses.
    seed : SeedSequence
    workers : int
        Threads; the pools do not depend on it.
    steps : sequence of float, optional
        Grid steps to share with another setting; found from the first blocks if left out.
    """

    def __init__(
        self,
        setting: Setting,
        metrics: Sequence[AdditiveMetric],
        seed: np.random.SeedSequence,
        *,
        workers: int = 1,
        steps: Sequence[float] | None = None,
    ) -> None:
        self.setting = setting
        self._metrics = metrics
        self._seed = seed
        self._workers = workers
        everyone = list(range(len(metrics)))
        n_first = FIRST_OF_SYMMETRIC if setting.is_symmetric else FIRST_BLOCKS
        first = draw_blocks(setting, metrics, range(n_first), seed)
        self.steps = list(steps) if steps else [grid_step(_likely([row[i] for row in first])) for i in everyone]
        self._histograms = [ScoreHistogram(step) for step in self.steps]
        for histogram, blocks in zip(self._histograms, zip(*first, strict=True), strict=True):
            histogram.add(*blocks)
        # The mean of a symmetric distribution is zero.
        self.has_means = [not setting.is_symmetric and has_expectations(setting, metric) for metric in metrics]
        self._means: list[list[float]] = [[] for _ in metrics]
        self.may_begin = self._draws_means = [False for _ in metrics]
        self.grow_means([FIRST_BLOCKS if known else 0 for known in self.has_means])
        self._keep_means([i for i in everyone if self.has_means[i]])
        self.may_begin = [
            not (setting.is_symmetric or self.has_means[i] or first[0][i].weights is not None)
            and drawn_kind(setting, metric) is not None
            for i, metric in enumerate(metrics)
        ]
        """Whether a metric has no blocks of means, but may begin with means that are partly drawn (`drawn_means`)."""
        self._draws_means = list(self.may_begin)

    @property
    def n_blocks(self) -> list[int]:
        """The number of blocks drawn for each metric."""
        return [histogram.n_blocks for histogram in self._histograms]

    @property
    def n_mean_blocks(self) -> list[int]:
        """The number of blocks of expected scores for each metric; zero where these cannot be computed."""
        return [len(means) for means in self._means]

    def grow(self, n_blocks: Sequence[int]) -> None:
        """Draw blocks until each metric has as many as asked; only metrics that want a block are scored on it."""
        # On one thread: a block is many short calls, and two threads that share the interpreter would be slower.
        for which, numbers in _runs(self.n_blocks, n_blocks):
            metrics = [self._metrics[i] for i in which]
            blocks = draw_blocks(self.setting, metrics, numbers, self._seed)
            for i, of_metric in zip(which, zip(*blocks, strict=True), strict=True):
                self._histograms[i].add(*of_metric)

    def grow_means(self, n_blocks: Sequence[int]) -> None:
        """Sum up expected scores of items until each metric has as many blocks as asked."""
        for is_drawn, means in ((False, mean_advantages), (True, drawn_advantages)):
            wanted = [n if self._draws_means[i] == is_drawn else 0 for i, n in enumerate(n_blocks)]
            runs = list(_runs(self.n_mean_blocks, wanted))
            found = self._mapped(means, [([self._metrics[i] for i in which], numbers) for which, numbers in runs])
            for (which, _), of_blocks in zip(runs, found, strict=True):
                for of_block in of_blocks:
                    for i, mean in zip(which, of_block, strict=True):
                        self._means[i].append(mean)
        begun = [i for i, begins in enumerate(self.may_begin) if begins and self._means[i]]
        for i in begun:
            self.may_begin[i], self.has_means[i] = False, True
        self._keep_means(begun)

    def pool(self, metric: int) -> Pool:
        """Return the pool of one metric."""
        return self._histograms[metric].pool(self._means[metric], symmetric=self.setting.is_symmetric)

    def pools(self) -> list[Pool]:
        """Return the pool of each metric."""
        return [self.pool(metric) for metric in range(len(self._metrics))]

    def _keep_means(self, metrics: Sequence[int]) -> None:
        """Forget the means of these metrics where drawn scores give a more precise mean in the same time."""
        for i in metrics:
            metric = self._metrics[i]
            if self._draws_means[i]:
                n_items, price = ITEMS, EFFORT[drawn_kind(self.setting, metric) or ""]
            else:
                n_items, price = n_expected(self.setting, kind_of(self.setting, metric)), effort(self.setting, metric)
            of_means = float(np.var(self._means[i], ddof=1)) * n_items * price
            if of_means >= self._histograms[i].variance_of_means * ITEMS:
                self.has_means[i], self._means[i] = False, []

    def _mapped(
        self, means: Callable[..., list[list[float]]], runs: list[tuple[list[AdditiveMetric], list[int]]]
    ) -> list[list[list[float]]]:
        def one(run: tuple[list[AdditiveMetric], list[int]]) -> list[list[float]]:
            return means(self.setting, *run, self._seed)

        if self._workers == 1 or len(runs) <= 1:
            return [one(run) for run in runs]
        with ThreadPoolExecutor(self._workers) as pool:
            return list(pool.map(one, runs))


def _runs(have: Sequence[int], want: Sequence[int]) -> Iterator[tuple[list[int], list[int]]]:
    """Return which metrics want which of the next blocks: at most `TOGETHER` in a run, all for the same metrics."""
    numbers = range(min(have), max(want))
    wanted = [[i for i, n in enumerate(have) if n <= number < want[i]] for number in numbers]
    for which, pairs in groupby(zip(wanted, numbers, strict=True), key=lambda pair: pair[0]):
        alike = [number for _, number in pairs]
        for first in range(0, len(alike) if which else 0, TOGETHER):
            yield which, alike[first : first + TOGETHER]


def grid_step(values: FloatArray) -> float:
    """Return the step of the grid on which all values lie, or a fine one if they lie on none.

    Examples
    --------
    >>> grid_step(np.array([1.0, -0.5, 0.0, 2.5]))
    0.5
    """
    largest = float(np.abs(values).max())
    if largest == 0:
        return 1.0
    # Values that are equal on paper differ in their last bits; twelve digits tell them apart from others.
    distinct = np.unique(np.round(np.abs(values) / largest, 12))
    if distinct.size <= COARSEST:
        step = _common_divisor(distinct)
        if step > 1 / COARSEST:
            return largest / round(1 / step)
    return (float(values.max()) - float(values.min())) / FINE or largest


def _common_divisor(distinct: FloatArray) -> float:
    """Return the largest number of which all are multiples, the largest of them being 1; 0 if it is too small."""
    step = 1.0
    while True:
        parts = distinct / step
        apart = np.abs(parts - np.rint(parts))
        worst = int(apart.argmax())
        if apart[worst] < 1e-6:
            return step
        low, high = sorted((step, float(distinct[worst])))
        while low > 1e-7:
            low, high = sorted((low, math.fmod(high, low)))
            if high - low < 1e-7:
                low = 0.0
        if high <= 1 / COARSEST:
            return 0.0
        # A divisor of 1 is one over a whole number, which removes the rounding.
        step = 1 / round(1 / high)


class ScoreHistogram:
    """Counts of grid points, and what is needed to say how precise they are."""

    def __init__(self, step: float) -> None:
        self._step = step
        self._low = 0
        self._counts = np.zeros(1)
        self._off_grid = 0.0
        self._moments: list[tuple[float, float]] = []
        self._n_items = 0
        self._weighed: tuple[FloatArray, FloatArray] | None = None

    @property
    def n_blocks(self) -> int:
        """The number of blocks counted."""
        return len(self._moments)

    @property
    def variance_of_means(self) -> float:
        """The variance of the blocks' means."""
        return float(np.var([mean for mean, _ in self._moments], ddof=1))

    def add(self, *blocks: Block) -> None:
        """Count the scores of these blocks."""
        self._n_items += sum(block.n_items for block in blocks)
        if blocks[0].weights is None:
            values = np.stack([block.values for block in blocks])
            moments = zip(values.mean(axis=1).tolist(), np.square(values).mean(axis=1).tolist(), strict=True)
            self._moments.extend(moments)
            self._count(values.ravel())
            return
        for block in blocks:
            self._moments.append(block.moments)
            assert block.weights is not None, "all blocks of a setting have weights, or none"
            if self._weighed is None:
                self._weighed = (block.values, block.weights.copy())
            else:  # the same values again: only their weights add up
                self._weighed[1][:] += block.weights

    def pool(self, means: list[float], *, symmetric: bool) -> Pool:
        """Return the scores so far, moved to the mean of expected scores if there are any; or made symmetric."""
        if self._weighed is not None:
            self._counts[:] = self._off_grid = 0.0
            values, weights = self._weighed
            likely = weights > UNLIKELY * len(self._moments)
            self._count(values[likely], weights[likely])
        grid = SumGrid(self._low, self._counts / self._counts.sum())
        first, second = np.array(self._moments).T
        own, of_own = _mean_and_error(first)
        mean, error = _mean_and_error(np.array(means)) if means else (own, of_own)
        if symmetric:
            grid, mean, error, own = symmetrised(grid), 0.0, 0.0, 0.0
        else:
            grid = with_mean(grid, mean / self._step)
        squares, of_squares = _mean_and_error(second - 2 * own * first)
        variance = max(squares + own**2, 0.0)
        n_effective = math.inf
        if of_own > 0:
            n_effective = variance / of_own**2
        if of_squares > 0:
            spread = float(np.square(np.square((grid.points - grid.mean) * self._step)) @ grid.shares) - variance**2
            n_effective = min(n_effective, spread / of_squares**2)
        return Pool(
            self._step,
            grid,
            self._off_grid / float(self._counts.sum()),
            mean,
            error,
            math.sqrt(variance),
            of_squares / variance if variance > 0 else 0.0,
            self._n_items,
            max(n_effective, self._n_items),
        )

    def _count(self, values: FloatArray, weights: FloatArray | None = None) -> None:
        scaled = values / self._step
        points = np.rint(scaled)
        beside = np.abs(scaled - points) > ON_GRID
        self._off_grid += float(np.count_nonzero(beside) if weights is None else weights[beside].sum())
        self._extend(int(points.min()), int(points.max()))
        counts = np.bincount(points.astype(np.int64) - self._low, weights, self._counts.size)
        self._counts += counts

    def _extend(self, low: int, high: int) -> None:
        before, after = max(0, self._low - low), max(0, high - (self._low + self._counts.size - 1))
        if before or after:
            self._counts = np.pad(self._counts, (before, after))
            self._low -= before


def _mean_and_error(blocks: FloatArray) -> tuple[float, float]:
    return float(blocks.mean()), float(blocks.std(ddof=1)) / math.sqrt(blocks.size)


def _likely(blocks: Sequence[Block]) -> FloatArray:
    """Return the possible scores that are likely enough to occur."""
    if blocks[0].weights is None:
        return np.concatenate([block.values for block in blocks])
    weights = sum(block.weights for block in blocks if block.weights is not None)
    return np.asarray(blocks[0].values[np.asarray(weights) > UNLIKELY * len(blocks)])
