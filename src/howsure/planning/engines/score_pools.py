"""Pools of item scores: histograms on a grid, which grow block by block until they are precise enough."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from howsure.data.scales import FloatArray
from howsure.inference.sign_flips import grid_step as common_step
from howsure.metrics import AdditiveMetric
from howsure.planning.engines.item_scores import Block, Setting, draw_chunk
from howsure.planning.engines.score_sums import SumGrid, symmetrised

FIRST_CHUNKS = 1
"""Chunks with which a pool begins: enough to see how much blocks differ, and on which grid the scores lie."""

FINE = 1 << 12
"""Grid points over the range of scores that lie on no grid of their own."""

COARSEST = 1 << 14
"""Most points of a grid on which scores lie by themselves; a finer grid is ignored."""

ON_GRID = 1e-6
"""A score within this distance of a grid point, in steps, lies on it."""

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
        Of the scores.
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
    """Pools of one setting by several metrics, which all see the same items; `grow` adds to them.

    Parameters
    ----------
    setting : Setting
    metrics : sequence of AdditiveMetric
        Already on the model's scale. All see the same items and responses.
    seed : SeedSequence
    steps : sequence of float, optional
        Grid steps to share with another setting; found from the first blocks if left out.
    """

    def __init__(
        self,
        setting: Setting,
        metrics: Sequence[AdditiveMetric],
        seed: np.random.SeedSequence,
        *,
        steps: Sequence[float] | None = None,
    ) -> None:
        self.setting = setting
        self._metrics = metrics
        self._seed = seed
        self.n_chunks = 0
        first = [draw_chunk(setting, metrics, number, seed) for number in range(FIRST_CHUNKS)]
        by_metric = [[block for chunk in first for block in chunk[i]] for i in range(len(metrics))]
        self.steps = list(steps) if steps else [grid_step(_likely(blocks)) for blocks in by_metric]
        self._histograms = [ScoreHistogram(step) for step in self.steps]
        for chunk in first:
            self._add(chunk)

    def grow(self, n_chunks: int) -> None:
        """Draw chunks until there are so many."""
        for number in range(self.n_chunks, n_chunks):
            self._add(draw_chunk(self.setting, self._metrics, number, self._seed))

    def _add(self, chunk: list[list[Block]]) -> None:
        self.n_chunks += 1
        for histogram, blocks in zip(self._histograms, chunk, strict=True):
            histogram.add(*blocks)

    def pool(self, metric: int) -> Pool:
        """Return the pool of one metric."""
        return self._histograms[metric].pool(symmetric=self.setting.is_symmetric)

    def pools(self) -> list[Pool]:
        """Return the pool of each metric."""
        return [self.pool(metric) for metric in range(len(self._metrics))]


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
        step = common_step(distinct[distinct > 0], 2e-10)
        if step > 1 / COARSEST:
            return largest * step
    return (float(values.max()) - float(values.min())) / FINE or largest


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

    def pool(self, *, symmetric: bool) -> Pool:
        """Return the scores so far, made symmetric if asked for."""
        if self._weighed is not None:
            self._counts[:] = self._off_grid = 0.0
            values, weights = self._weighed
            likely = weights > UNLIKELY * len(self._moments)
            self._count(values[likely], weights[likely])
        grid = SumGrid(self._low, self._counts / self._counts.sum())
        first, second = np.array(self._moments).T
        mean, error = _mean_and_error(first)
        of_error = error
        if symmetric:  # the mean of a symmetric distribution is zero
            grid, mean, error = symmetrised(grid), 0.0, 0.0
        squares, of_squares = _mean_and_error(second - 2 * mean * first)
        variance = max(squares + mean**2, 0.0)
        n_effective = variance / of_error**2 if of_error > 0 else math.inf
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
