"""Pools of item scores: histograms on a grid, which grow block by block until they are precise enough."""

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from assay.metrics import AdditiveMetric
from assay.planning.scores import Block, Setting, draw_block
from assay.planning.sums import Grid
from assay.scales import FloatArray

FINE = 1 << 12
"""Grid points over the range of scores that lie on no grid of their own."""

COARSEST = 1 << 14
"""Most points of a grid that scores have of their own; a finer one is treated as none."""

ON_GRID = 1e-6
"""How far from a grid point, in steps, a score may be that lies on it."""


BATCH = 32
"""Blocks that are drawn before their scores are counted."""

UNLIKELY = 1e-13
"""An outcome whose probability is smaller than this is left out."""


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """The scores of all items drawn so far, by one metric.

    Attributes
    ----------
    step : float
        Distance of the grid points.
    grid : Grid
        The shares of the scores, as whole numbers of steps.
    on_grid : bool
        Whether scores lie on the grid, so that ties are exact.
    mean, standard_error : float
        Of the scores, not of their grid points; the error is that of the items drawn.
    sd : float
        Standard deviation of an item's score.
    kurtosis : float
        Fourth moment over squared variance, which says how well the variance is known.
    n_items : int
        Items simulated.
    n_effective : float
        Independent scores that would tell the mean as well: more than items, where an item has many.
    """

    step: float
    grid: Grid
    on_grid: bool
    mean: float
    standard_error: float
    sd: float
    kurtosis: float
    n_items: int
    n_effective: float

    @property
    def rounding(self) -> float:
        """How far the mean of the scores is from that of their grid points, in steps."""
        return self.mean / self.step - self.grid.mean

    @property
    def variance_error(self) -> float:
        """Relative standard error of the variance."""
        return math.sqrt(max(self.kurtosis - 1, 0.0) / self.n_effective)


class Growing:
    """Pools of one setting by several metrics; `grow` adds blocks, `pools` looks at what is there.

    Parameters
    ----------
    setting : Setting
    metrics : sequence of AdditiveMetric
        Already on the model's scale. All see the same items and responses.
    seed : SeedSequence
    workers : int
        Threads; the pools do not depend on it.
    steps : sequence of float, optional
        Grid steps to share with another setting; found from the first block if left out.
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
        first = draw_block(setting, metrics, 0, seed)
        self.steps = steps or [grid_step(_likely(block)) for block in first]
        self._histograms = [_Histogram(step) for step in self.steps]

    @property
    def n_blocks(self) -> list[int]:
        """The number of blocks drawn for each metric."""
        return [histogram.n_blocks for histogram in self._histograms]

    def grow(self, n_blocks: Sequence[int]) -> None:
        """Draw blocks until each metric has as many as asked; only metrics that want a block are scored on it."""
        # Batches keep the scores that wait to be counted few.
        for first in range(min(self.n_blocks), max(n_blocks), BATCH):
            batch = range(first, min(first + BATCH, max(n_blocks)))
            wanted = [
                [i for i, histogram in enumerate(self._histograms) if histogram.n_blocks <= number < n_blocks[i]]
                for number in batch
            ]
            for which, blocks in zip(wanted, self._drawn(batch, wanted), strict=True):
                for i, block in zip(which, blocks, strict=True):
                    self._histograms[i].add(block)

    def pools(self) -> list[Pool]:
        """Return the pool of each metric."""
        return [histogram.pool(self.setting.is_symmetric) for histogram in self._histograms]

    def _drawn(self, numbers: range, wanted: list[list[int]]) -> list[list[Block]]:
        def one(number: int, which: list[int]) -> list[Block]:
            metrics = [self._metrics[i] for i in which]
            return draw_block(self.setting, metrics, number, self._seed) if metrics else []

        if self._workers == 1 or len(numbers) == 1:
            return [one(number, which) for number, which in zip(numbers, wanted, strict=True)]
        with ThreadPoolExecutor(self._workers) as pool:
            return list(pool.map(one, numbers, wanted))


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
    """Return the largest number of which all are multiples, as far as twelve digits can tell; 0 if there is none."""
    step = 0.0
    for value in distinct[::-1]:
        low, high = sorted((step, float(value)))
        while low > 1e-9:
            low, high = sorted((low, math.fmod(high, low)))
            if high - low < 1e-9:
                low = 0.0
        step = high
        if step <= 1 / COARSEST:
            return 0.0
    return step


class _Histogram:
    """Counts of grid points, and what is needed to say how precise they are."""

    def __init__(self, step: float) -> None:
        self._step = step
        self._low = 0
        self._counts = np.zeros(1)
        self._sums = np.zeros(4)
        self._off_grid = 0.0
        self._means: list[float] = []
        self._n_items = 0
        self._weighed: tuple[FloatArray, FloatArray] | None = None

    @property
    def n_blocks(self) -> int:
        """The number of blocks counted."""
        return len(self._means)

    def add(self, block: Block) -> None:
        """Count the scores of a block."""
        self._means.append(block.mean)
        self._n_items += block.n_items
        if block.weights is None:
            self._count(block.values, np.full(block.values.size, 1 / block.values.size))
        elif self._weighed is None:
            self._weighed = (block.values, block.weights.copy())
        else:  # the same values again: only their weights add up
            self._weighed[1][:] += block.weights

    def pool(self, symmetric: bool) -> Pool:
        """Return the scores so far; a symmetric distribution is made so."""
        if self._weighed is not None:
            self._counts[:], self._sums[:] = 0.0, 0.0
            values, weights = self._weighed
            likely = weights > UNLIKELY * len(self._means)
            self._count(values[likely], weights[likely])
        n_blocks = self.n_blocks
        shares = self._counts / self._counts.sum()
        first, second, third, fourth = (float(total) / n_blocks for total in self._sums)
        grid = Grid(self._low, shares)
        spread = float(np.std(self._means, ddof=1)) / math.sqrt(n_blocks) if n_blocks > 1 else math.inf
        variance = max(second - first**2, 0.0)
        if symmetric:
            grid, first, third, variance = symmetrised(grid), 0.0, 0.0, second
        fourth += -4 * third * first + 6 * second * first**2 - 3 * first**4
        return Pool(
            self._step, grid, self._off_grid <= ON_GRID, first, 0.0 if symmetric else spread, math.sqrt(variance),
            fourth / variance**2 if variance > 0 else 1.0, self._n_items,
            max(variance / spread**2, self._n_items) if spread > 0 else math.inf,
        )  # fmt: skip

    def _count(self, values: FloatArray, weights: FloatArray) -> None:
        scaled = values / self._step
        points = np.rint(scaled)
        self._off_grid = max(self._off_grid, float(np.abs(scaled - points).max()))
        self._extend(int(points.min()), int(points.max()))
        self._counts += np.bincount(points.astype(np.int64) - self._low, weights, self._counts.size)
        power = weights.copy()
        for order in range(4):
            power *= values
            self._sums[order] += power.sum()

    def _extend(self, low: int, high: int) -> None:
        before, after = max(0, self._low - low), max(0, high - (self._low + self._counts.size - 1))
        if before or after:
            self._counts = np.pad(self._counts, (before, after))
            self._low -= before


def symmetrised(grid: Grid) -> Grid:
    """Return the mean of a distribution and its mirror image.

    Examples
    --------
    >>> symmetrised(Grid(0, np.array([0.5, 0.5]))).shares.tolist()
    [0.25, 0.5, 0.25]
    """
    reach = max(-grid.low, grid.low + grid.shares.size - 1)
    shares = np.zeros(2 * reach + 1)
    shares[grid.low + reach : grid.low + reach + grid.shares.size] = grid.shares
    return Grid(-reach, (shares + shares[::-1]) / 2)


def _likely(block: Block) -> FloatArray:
    """Return the scores that a pool may really show, among all that are conceivable."""
    return block.values if block.weights is None else block.values[block.weights > UNLIKELY]
