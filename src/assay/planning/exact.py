"""The exact engine: expected contrast, expected p and interval width of an additive metric's study, for any N at once.

One pool of item scores for A against B as they are, and one for null data, serve every number of items (METHODS §7):
the contrast of N items is a sum of N independent scores. Only the items are random, and their error is reported. The
pools grow until the asked precision is reached, and only for those p-values for which it matters.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from assay.metrics import AdditiveMetric
from assay.models import ResponseModel
from assay.models.base import Epsilon
from assay.planning.pools import Growing, Pool
from assay.planning.scores import Setting, Sizes
from assay.planning.sums import Summands, Total
from assay.scales import FloatArray

FIRST_BLOCKS = 16
"""Blocks with which a pool begins: enough to see how much they differ."""

MOST_BLOCKS = 1 << 14
"""Blocks at which a pool stops growing, whatever the precision: 16 million items."""

SMALL = 64
"""Items up to which the shape of the scores matters for the error of p, and not only their mean and variance."""

MATTERS = (0.01, 0.2)
"""Expected p-values for which precision is sought; beyond, an answer is plainly yes or plainly no."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a design may expect, with the numerical error of each number.

    Attributes
    ----------
    contrast, contrast_error : float
        Mean of the metric's contrast over studies.
    expected_pvalue, expected_pvalue_error : float
        P(contrast of null data ≥ contrast), the p-value that such a study gives on average.
    ci_width, ci_width_error : float
        Width of the basic interval of the contrast.
    """

    contrast: float
    contrast_error: float
    expected_pvalue: float
    expected_pvalue_error: float
    ci_width: float
    ci_width_error: float


class ExactEngine:
    """Outlooks of one response model, ε and numbers of responses, by several metrics, for any number of items.

    The second question costs a few milliseconds, because the pools are there already.

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
    workers : int
        Threads; results do not depend on it.

    Examples
    --------
    >>> from assay.metrics import resolve
    >>> from assay.models import preset
    >>> engine = ExactEngine(preset("normal"), [resolve("mae")], (5, 5, 5), epsilon=0.3, seed=np.random.SeedSequence(0))
    >>> [outlook] = engine.outlooks(100)
    >>> outlook.expected_pvalue < 0.01
    True
    """

    name = "exact"

    def __init__(
        self,
        model: ResponseModel,
        metrics: Sequence[AdditiveMetric],
        n_responses: Sizes,
        *,
        epsilon: Epsilon,
        seed: np.random.SeedSequence,
        perturbation: str | None = None,
        workers: int = 1,
    ) -> None:
        settings = [Setting(model, n_responses, epsilon, perturbation, null) for null in (False, True)]
        self._scores = Growing(settings[0], metrics, seed, workers=workers)
        self._null_scores = Growing(settings[1], metrics, seed, workers=workers, steps=self._scores.steps)
        self._null_scores.grow([FIRST_BLOCKS] * len(metrics))
        self._grow([FIRST_BLOCKS] * len(metrics))

    @property
    def n_items(self) -> list[int]:
        """The number of simulated items behind each metric's numbers."""
        return [pool.n_items for pool in self._pools]

    @property
    def pools(self) -> list[Pool]:
        """The pool of each metric's item scores."""
        return self._pools

    def sharpen(self, n_items: Sequence[int], precision: float) -> None:
        """Simulate items until every expected p between .01 and .2 is known this well, or the limit is reached."""
        self._sharpen(lambda metric: max((self._lack(metric, n, precision) for n in n_items), default=1.0))

    def sharpen_power(self, n_items: Sequence[int], precision: float, *, alpha: float = 0.05) -> None:
        """Simulate items until their number adds less than this to the error of the power."""

        def lack(metric: int) -> float:
            pool = self._pools[metric]
            if pool.sd == 0:
                return 1.0
            worst = 0.0
            for n in n_items:
                slope = math.sqrt(n) * pool.standard_error / pool.sd
                beyond = abs(math.sqrt(n) * pool.mean / pool.sd) - abs(_quantile(alpha / 2))
                nearest = max(0.0, abs(beyond) - 2 * slope)
                worst = max(worst, slope * math.exp(-nearest * nearest / 2) / math.sqrt(2 * math.pi))
            return 1.1 * (worst / precision) ** 2 if worst > precision else 1.0

        self._sharpen(lack)

    def _sharpen(self, lack: Callable[[int], float]) -> None:
        for _ in range(8):
            wanted = [
                min(MOST_BLOCKS, max(have, math.ceil(have * lack(metric))))
                for metric, have in enumerate(self._scores.n_blocks)
            ]
            if wanted == self._scores.n_blocks:
                return
            self._grow(wanted)

    def outlooks(self, n_items: int, *, confidence_level: float = 0.95) -> list[Outlook]:
        """Return what a study of this many items may expect, by each metric."""
        return [self._outlook(i, n_items, confidence_level) for i in range(len(self._pools))]

    def _grow(self, n_blocks: list[int]) -> None:
        self._scores.grow(n_blocks)
        if not self._null_scores.setting.is_symmetric:  # then the mean of null scores is as uncertain as the other
            self._null_scores.grow(n_blocks)
        self._pools, self._null = self._scores.pools(), self._null_scores.pools()
        self._sums = [Summands(pool.grid) for pool in self._pools]
        self._null_sums = [Summands(pool.grid) for pool in self._null]
        self._differences = [
            Summands(null.grid, pool.grid.reflected()) for pool, null in zip(self._pools, self._null, strict=True)
        ]

    def _lack(self, metric: int, n: int, precision: float) -> float:
        """Return by which factor the pool must grow for the precision of p; 1 or less where it suffices."""
        pool, null = self._pools[metric], self._null[metric]
        spread = math.hypot(pool.sd, null.sd)
        if spread == 0:
            return 1.0
        # The normal approximation, with a margin, says where to look more closely.
        z = abs(math.sqrt(n) * (pool.mean - null.mean) / spread)
        slope = math.sqrt(n) * math.hypot(pool.standard_error, null.standard_error) / spread
        if _tail(z - 2 * slope) < MATTERS[0] / 4 or _tail(z + 2 * slope) > 2 * MATTERS[1]:
            return 1.0
        pvalue, error = self._pvalue(metric, n, self._sums[metric].times(n))
        inside = MATTERS[0] - 2 * error < pvalue < MATTERS[1] + 2 * error
        return 1.1 * (error / (0.95 * precision)) ** 2 if inside and error > 0.95 * precision else 1.0

    def _outlook(self, metric: int, n: int, confidence_level: float) -> Outlook:
        pool = self._pools[metric]
        total = self._sums[metric].times(n)
        pvalue, error = self._pvalue(metric, n, total)
        tail = (1 - confidence_level) / 2
        scale = pool.step / n
        width = (total.quantile(1 - tail) - total.quantile(tail)) * scale
        width_error = width * pool.variance_error / 2 + (0.0 if pool.on_grid else scale)
        return Outlook(pool.mean, pool.standard_error, pvalue, error, width, width_error)

    def _pvalue(self, metric: int, n: int, total: Total) -> tuple[float, float]:
        """Return P(null sum ≥ sum) and its error; both are negated first if the null's median is the larger one."""
        pool, null = self._pools[metric], self._null[metric]
        difference = self._differences[metric].times(n)
        # The grid may move the mean a little; whole steps bring it back.
        zero = round(n * (pool.rounding - null.rounding))
        at_least, more = difference.upper(zero), difference.upper(zero + 1)
        tie, near = max(at_least - more, 0.0), 0.0
        if not (pool.on_grid and null.on_grid):
            # What the grid throws together is as much as at the points around; what is more ties exactly.
            around = difference.upper(zero - 4) - difference.upper(zero + 5) - tie
            near = min(tie, max(around / 8, 0.0))
        share = more + tie - near / 2
        if self._null_is_above(metric, n, total):
            share = 1 - more - near / 2
        return min(max(share, 0.0), 1.0), self._sampling_error(metric, n, difference, zero, share) + near / 2

    def _null_is_above(self, metric: int, n: int, total: Total) -> bool:
        null = self._null[metric]
        middle = total.quantile(0.5)
        if null.mean == 0 and null.standard_error == 0:  # symmetric: its median is zero
            return middle < 0
        return self._null_sums[metric].times(n).quantile(0.5) > middle

    def _sampling_error(self, metric: int, n: int, difference: Total, zero: int, share: float) -> float:
        """Return the error of p that comes from the finite pools."""
        pool, null = self._pools[metric], self._null[metric]
        if pool.sd + null.sd == 0:
            return 0.0
        if n <= SMALL:
            return self._influence_error(metric, n, zero)
        # For large sums all that matters is how well the pools' means and variances are known.
        spread = math.sqrt(n) * math.hypot(pool.sd, null.sd) / pool.step
        near = max(1, round(spread / 2))
        density = (difference.upper(zero - near) - difference.upper(zero + near + 1)) / (2 * near + 1)
        of_means = n * math.hypot(pool.standard_error, null.standard_error) / pool.step * density
        distance = abs(n * (pool.mean - null.mean) / pool.step)
        of_variances = math.hypot(pool.sd**2 * pool.variance_error, null.sd**2 * null.variance_error)
        of_spread = density * distance / 2 * of_variances / (pool.sd**2 + null.sd**2)
        return math.hypot(of_means, of_spread)

    def _influence_error(self, metric: int, n: int, zero: int) -> float:
        """Return the error of p by the delta method: how much p moves with each score that a pool has or has not."""
        pool, null = self._pools[metric], self._null[metric]
        without_score = self._differences[metric].times(n, n - 1)
        influence = n * without_score.uppers(pool.grid.points + zero)
        variance = _spread(influence, pool.grid.shares) / pool.n_effective
        without_null = self._differences[metric].times(n - 1, n)
        influence = n * without_null.uppers(zero - null.grid.points)
        if self._null_scores.setting.is_symmetric:
            influence = (influence + influence[::-1]) / 2
        variance += _spread(influence, null.grid.shares) / null.n_effective
        return math.sqrt(variance)


def _spread(values: FloatArray, shares: FloatArray) -> float:
    mean = float(values @ shares)
    return float(np.square(values - mean) @ shares)


def _quantile(share: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(share))


def _tail(z: float) -> float:
    return 0.5 * math.erfc(z / math.sqrt(2))
