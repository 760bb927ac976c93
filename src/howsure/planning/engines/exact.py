"""The exact engine: expected advantage, expected p and interval width of an additive metric's study, for any N.

One pool of item scores for A against B as they are, and one for null data, serve every number of items N: the advantage
is a mean of N independent scores. Only the items are random, and their error is reported. The pools grow until the
precision asked for is reached, and only for those p-values for which it matters.
"""

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from howsure.data.scales import FloatArray
from howsure.intervals import FEW_TELLING
from howsure.metrics import AdditiveMetric
from howsure.models import ResponseModel
from howsure.models.base import Epsilon
from howsure.planning.engines.base import DesignOutlook
from howsure.planning.engines.item_scores import Setting, Sizes
from howsure.planning.engines.score_pools import GrowingPools, Pool
from howsure.planning.engines.score_sums import Summands, Total

MOST_CHUNKS = 1 << 12
"""Chunks at which a pool stops growing, whatever the precision: 8 million items."""

SMALL = 64
"""Items up to which the shape of the scores matters for the error of p, and not only their mean and variance."""

AROUND = np.array([0.0, 1.0, -4.0, 5.0])
"""Differences at which the tail is read: a tie and the next, and the points around."""

ROUNDS = 12
"""How often the pools may grow at most."""

MATTERS = (0.01, 0.2)
"""The expected p-values that must be precise; outside this range, the answer is clear anyway."""


class Lack(NamedTuple):
    """The factors by which the items must grow: for the mean of the scores, their shape, and the null scores."""

    mean: float
    shape: float
    null_shape: float


ENOUGH = Lack(1.0, 1.0, 1.0)


class Expected(NamedTuple):
    """An expected p-value, and the parts of its error: the pools' means and shapes, and the rounding to a grid."""

    pvalue: float
    of_mean: float
    of_shape: float
    of_null_shape: float
    rounding: float

    @property
    def error(self) -> float:
        """The whole error."""
        return math.hypot(self.of_mean, self.of_shape, self.of_null_shape, self.rounding)


class ExactEngine:
    """Outlooks of one response model, ε and numbers of responses, by several metrics, for any number of items.

    The first question makes the pools; every further one takes a few milliseconds.

    Parameters
    ----------
    model : ResponseModel
    metrics : sequence of AdditiveMetric
        Already on the model's scale.
    n_responses : tuple of int
        Of gold, A and B.
    epsilon, perturbation
        As for `ResponseModel.draw`.
    seed : SeedSequence

    Examples
    --------
    >>> from howsure.metrics import resolve
    >>> from howsure.models import preset
    >>> engine = ExactEngine(preset("normal"), [resolve("mae")], (5, 5, 5), epsilon=0.3, seed=np.random.SeedSequence(0))
    >>> [outlook] = engine.outlooks(100)
    >>> outlook.expected_pvalue < 0.01
    True
    """

    def __init__(
        self,
        model: ResponseModel,
        metrics: Sequence[AdditiveMetric],
        n_responses: Sizes,
        *,
        epsilon: Epsilon,
        seed: np.random.SeedSequence,
        perturbation: str | None = None,
    ) -> None:
        settings = [Setting(model, n_responses, epsilon, perturbation, null) for null in (False, True)]
        self._scores = GrowingPools(settings[0], metrics, seed)
        self._null_scores = GrowingPools(settings[1], metrics, seed, steps=self._scores.steps)
        self._parts = [self._part(metric) for metric in range(len(metrics))]

    @property
    def n_items(self) -> list[int]:
        """The number of simulated items behind each metric's numbers."""
        return [pool.n_items for pool in self.pools]

    @property
    def pools(self) -> list[Pool]:
        """The pool of each metric's item scores."""
        return [part.pool for part in self._parts]

    def sharpen(self, n_items: Sequence[int], precision: float) -> None:
        """Simulate items until every expected p between .01 and .2 is known this well, or the limit is reached."""

        def lack(metric: int) -> Lack:
            lacks = [self._parts[metric].lack(n, precision) for n in n_items]
            return Lack(*(max(parts) for parts in zip(*lacks, strict=True)))

        self._sharpen(lack)

    def sharpen_power(self, n_items: Sequence[int], precision: float, *, alpha: float = 0.05) -> None:
        """Simulate items until their number adds less than this to the error of the power."""

        def lack(metric: int) -> Lack:
            pool = self.pools[metric]
            worst = 0.0
            for n in n_items if pool.sd > 0 else ():
                slope = math.sqrt(n) * pool.standard_error / pool.sd
                beyond = abs(math.sqrt(n) * pool.mean / pool.sd) - abs(_quantile(alpha / 2))
                nearest = max(0.0, abs(beyond) - 2 * slope)
                worst = max(worst, slope * math.exp(-nearest * nearest / 2) / math.sqrt(2 * math.pi))
            return Lack(1.1 * (worst / precision) ** 2 if worst > precision else 1.0, 1.0, 1.0)

        self._sharpen(lack)

    def outlooks(self, n_items: int, *, confidence_level: float = 0.95) -> list[DesignOutlook]:
        """Return what a study of this many items may expect, by each metric."""
        return [part.outlook(n_items, confidence_level) for part in self._parts]

    def outlook(self, metric: int, n_items: int, *, confidence_level: float = 0.95) -> DesignOutlook:
        """Return what a study of this many items may expect, by one metric."""
        return self._parts[metric].outlook(n_items, confidence_level)

    def _sharpen(self, lack: Callable[[int], Lack]) -> None:
        for _ in range(ROUNDS):
            lacks = [lack(metric) for metric in range(len(self._parts))]
            mean, shape, null_shape = (max(parts) for parts in zip(*lacks, strict=True))
            of_null = null_shape if self._null_scores.setting.is_symmetric else max(null_shape, mean)
            before = self._scores.n_chunks, self._null_scores.n_chunks
            wanted = _grown(before[0], max(shape, mean)), _grown(before[1], of_null)
            if wanted == before:
                return
            self._scores.grow(wanted[0])
            self._null_scores.grow(wanted[1])
            self._parts = [self._part(metric) for metric in range(len(self._parts))]

    def _part(self, metric: int) -> "PoolPair":
        return PoolPair(
            self._scores.pool(metric), self._null_scores.pool(metric), symmetric=self._null_scores.setting.is_symmetric
        )


def _grown(n_chunks: int, factor: float) -> int:
    # Of a large step only half at first: with more chunks, the factor is known better.
    factor = factor if factor < 4 else factor / 2
    return min(MOST_CHUNKS, max(n_chunks, math.ceil(n_chunks * factor)))


class PoolPair:
    """What one metric's two pools say; answers for a number of items are kept."""

    def __init__(self, pool: Pool, null: Pool, *, symmetric: bool) -> None:
        self.pool, self._null = pool, null
        self._symmetric = symmetric
        self._sums, self._null_sums = Summands(pool.grid), Summands(null.grid)
        self._differences = Summands(null.grid, pool.grid.reflected())
        self._known: dict[int, Expected] = {}

    @cached_property
    def _kurtosis(self) -> float:
        return self.pool.kurtosis

    @cached_property
    def _telling(self) -> FloatArray:
        return self.pool.telling

    def lack(self, n: int, precision: float) -> Lack:
        """Return by which factors the pools must grow for the precision of p; 1 where they suffice."""
        pool, null = self.pool, self._null
        spread = math.hypot(pool.sd, null.sd)
        if spread == 0:
            return ENOUGH
        # The normal approximation, with a margin, says where to look more closely.
        z = abs(math.sqrt(n) * (pool.mean - null.mean) / spread)
        slope = math.sqrt(n) * math.hypot(pool.standard_error, null.standard_error) / spread
        if _tail(z - 2 * slope) < MATTERS[0] / 4 or _tail(z + 2 * slope) > 2 * MATTERS[1]:
            return ENOUGH
        found = self.expected(n)
        # Outside of the range it is enough to be sure of that.
        outside = max(MATTERS[0] - found.pvalue, found.pvalue - MATTERS[1])
        return _shared_out(found, max(precision, outside / 2))

    def outlook(self, n: int, confidence_level: float) -> DesignOutlook:
        """Return what a study of this many items may expect."""
        pool = self.pool
        found = self.expected(n)
        width = student_width(pool.sd, n, confidence_level, self._kurtosis)
        width *= wider_for_few(n, self._telling, confidence_level)
        error = pool.sd / math.sqrt(n)
        return DesignOutlook(
            pool.mean, pool.standard_error, found.pvalue, found.error, width, width * pool.variance_error / 2, error
        )

    def expected(self, n: int) -> Expected:
        """Return P(null sum ≥ sum) and its errors; both are negated first if the null's median is the larger one."""
        if n not in self._known:
            self._known[n] = self._expected(n)
        return self._known[n]

    def _expected(self, n: int) -> Expected:
        difference = self._differences.times(n)
        at_least, more, before, beyond = difference.uppers(AROUND).tolist()
        # The grid rounds about as many sums together here as at the points around; the rest are exact ties.
        tie = max(at_least - more, 0.0)
        off_grid = 1 - ((1 - self.pool.off_grid) * (1 - self._null.off_grid)) ** n
        near = off_grid * min(tie, max((before - beyond - tie) / 8, 0.0))
        share = more + tie - near / 2
        if self._null_is_above(n):
            share = 1 - more - near / 2
        return Expected(min(max(share, 0.0), 1.0), *self._sampling_errors(n, difference), near / 2)

    def _null_is_above(self, n: int) -> bool:
        pool, null = self.pool, self._null
        ahead, spread = math.sqrt(n) * (pool.grid.mean - null.grid.mean), null.grid.variance**0.5
        if abs(ahead) > pool.grid.variance**0.5 + (0.0 if self._symmetric else spread):
            return ahead < 0  # a median is at most a standard deviation from its mean
        sums = self._sums.times(n)
        if self._symmetric:  # its median is zero
            return sums.upper(0) <= 0.5 + 1e-12
        return self._null_sums.times(n).quantile(0.5) > sums.quantile(0.5)

    def _sampling_errors(self, n: int, difference: Total) -> tuple[float, float, float]:
        """Return the errors of p that come from the mean, the shape and the null shape of the finite pools."""
        pool, null = self.pool, self._null
        if pool.sd + null.sd == 0:
            return 0.0, 0.0, 0.0
        error_of_mean = math.hypot(pool.standard_error, null.standard_error) / pool.step
        if n <= SMALL:
            slope, shape = self._influence(n, pool, self._differences.times(n, n - 1), 1)
            null_slope, null_shape = self._influence(n, null, self._differences.times(n - 1, n), -1)
            mean = math.hypot(slope * pool.standard_error, null_slope * null.standard_error) / pool.step
            return mean, shape, null_shape
        # For large sums only the precision of the pools' means and variances matters.
        spread = math.sqrt(n) * math.hypot(pool.sd, null.sd) / pool.step
        near = max(1, round(spread / 2))
        before, beyond = difference.uppers(np.array([-near, near + 1.0])).tolist()
        density = (before - beyond) / (2 * near + 1)
        distance = abs(n * (pool.mean - null.mean) / pool.step)
        of_spread = density * distance / 2 / (pool.sd**2 + null.sd**2)
        shape, null_shape = (of_spread * each.sd**2 * each.variance_error for each in (pool, null))
        return n * error_of_mean * density, shape, null_shape

    def _influence(self, n: int, pool: Pool, others: Total, sign: int) -> tuple[float, float]:
        """Return how p moves with the pool's mean, and the error of p from its shape, by the delta method.

        It sums up how much p moves with each score that the pool may or may not have, given the sum of the others.
        """
        points, shares = pool.grid.points, pool.grid.shares
        influence = n * others.uppers(sign * points)
        if sign < 0 and self._symmetric:
            influence = (influence + influence[::-1]) / 2
        influence -= influence @ shares
        centred = points - points @ shares
        variance = float(np.square(centred) @ shares)
        slope = float((influence * centred) @ shares) / variance if variance > 0 else 0.0
        rest = float(np.square(influence - slope * centred) @ shares)
        return slope, math.sqrt(rest / pool.n_effective)


def student_width(sd: float, n: int, confidence_level: float, kurtosis: float = 0.0) -> float:
    """Return the expected width of Student's interval of a mean of n scores.

    The standard deviation of few scores is on average smaller than that of many: E s ≈ σ (1 − Var(s²) / 8 σ⁴).

    Examples
    --------
    >>> round(student_width(1.0, 20, 0.95), 3)  # the normal interval would be 0.877 wide
    0.924
    """
    if n < 2:
        return math.nan
    from scipy.special import stdtrit

    mean_sd = sd * (1 - min(0.5, (max(kurtosis, -2.0) / n + 2 / (n - 1)) / 8))
    return 2 * float(stdtrit(n - 1, (1 + confidence_level) / 2)) * mean_sd / math.sqrt(n)


def wider_for_few(n: int, telling: FloatArray, confidence_level: float) -> float:
    """Return by which factor an interval is wider on average because few of n items tell A and B apart.

    Where fewer than ten do, `compare` takes Student's quantile of that many, unless all have the same size of
    advantage, for which there is the score interval. `telling` holds the share of items with each size of advantage.
    The standard deviation grows with the root of the number of items that tell A and B apart.

    Examples
    --------
    >>> halves = np.array([0.2, 0.2])
    >>> [round(wider_for_few(n, halves, 0.95), 2) for n in (20, 50)], round(wider_for_few(20, np.array([0.4]), 0.95), 2)
    ([1.13, 1.0], 1.0)
    """
    share = float(telling.sum())
    if n < 2 or not 0 < share < 1 or n * share > 6 * FEW_TELLING:
        return 1.0
    from scipy.special import gammaln, stdtrit

    told = np.arange(1.0, min(n, 20 * FEW_TELLING) + 1)
    ways = gammaln(n + 1) - gammaln(told + 1) - gammaln(n - told + 1)
    weights = np.exp(ways + told * math.log(share) + (n - told) * math.log1p(-share)) * np.sqrt(told)
    level = (1 + confidence_level) / 2
    usual = float(stdtrit(n - 1.0, level))
    few = told < FEW_TELLING
    alike = np.power.outer(telling / share, told[few]).sum(axis=0)
    alike[0] = 1.0  # a single item, whose amount rounding may have cut into several
    quantiles = np.full(told.size, usual)
    quantiles[few] += (1 - alike) * (stdtrit(np.maximum(told[few] - 1, 1), level) - usual)
    return float(weights @ quantiles / weights.sum() / usual)


def _shared_out(found: Expected, precision: float) -> Lack:
    """Return by which factors the pools must grow: errors that are small already stay, the others share the rest."""
    wanted = precision**2 - found.rounding**2
    squares = [found.of_mean**2, found.of_shape**2, found.of_null_shape**2]
    if sum(squares) <= wanted or wanted <= 0:
        return ENOUGH
    large = [square > wanted / 6 for square in squares]
    left = wanted - sum(square for square, is_large in zip(squares, large, strict=True) if not is_large)
    each = left / sum(large)
    return Lack(*(1.1 * square / each if is_large else 1.0 for square, is_large in zip(squares, large, strict=True)))


def _quantile(share: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(share))


def _tail(z: float) -> float:
    return 0.5 * math.erfc(z / math.sqrt(2))
