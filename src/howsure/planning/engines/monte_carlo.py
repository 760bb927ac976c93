"""The Monte-Carlo engine: any metric, by simulating whole studies."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from howsure.inference import expected_pvalue
from howsure.intervals import interval
from howsure.metrics import Metric
from howsure.models import ResponseModel, simulate_advantages
from howsure.models.base import Epsilon
from howsure.planning.engines.base import DesignOutlook
from howsure.planning.engines.exact import MATTERS, student_width
from howsure.planning.engines.item_scores import Sizes
from howsure.scales import FloatArray

FIRST_STUDIES, MOST_STUDIES = 1000, 50_000
"""Studies simulated at first, and at most, where the user does not say how many."""


@dataclass(frozen=True)
class MonteCarloEngine:
    """Outlooks of one response model, ε and numbers of responses, by any metrics.

    Parameters are those of `ExactEngine`; metrics need not be additive. With `n_simulations` the number of simulated
    studies is fixed, otherwise it grows until expected p-values that matter are known with the precision asked for.

    Examples
    --------
    >>> from howsure.metrics import resolve
    >>> from howsure.models import preset
    >>> engine = MonteCarloEngine(preset("normal"), [resolve("rmse")], (5, 5, 5), epsilon=0.3,
    ...     seed=np.random.SeedSequence(0), n_simulations=200)
    >>> [outlook] = engine.outlooks(100)
    >>> outlook.advantage > 0
    True
    """

    model: ResponseModel
    metrics: Sequence[Metric]
    n_responses: Sizes
    epsilon: Epsilon
    seed: np.random.SeedSequence
    perturbation: str | None = None
    n_simulations: int | None = None
    precision: float = 0.005
    resample_simulated: bool = False
    workers: int = 1

    def outlooks(self, n_items: int, *, confidence_level: float = 0.95) -> list[DesignOutlook]:
        """Return what a study of this many items may expect, by each metric."""
        studies = self.n_simulations or FIRST_STUDIES
        while True:
            draws, null = (self._advantages(n_items, studies, null=null) for null in (False, True))
            found = [
                self._outlook(metric, n_items, row, null_row, confidence_level)
                for metric, row, null_row in zip(self.metrics, draws, null, strict=True)
            ]
            lack = max((self._lack(outlook) for outlook in found), default=1.0)
            if self.n_simulations is not None or lack <= 1 or studies == MOST_STUDIES:
                return found
            studies = min(MOST_STUDIES, math.ceil(1.1 * lack * studies))

    def _advantages(self, n_items: int, n_simulations: int, *, null: bool) -> FloatArray:
        return simulate_advantages(
            self.model,
            self.metrics,
            n_items=n_items,
            n_responses=self.n_responses,
            epsilon=self.epsilon,
            perturbation=self.perturbation,
            null=null,
            n_simulations=n_simulations,
            resample_simulated=self.resample_simulated,
            rng=self.seed,
            workers=self.workers,
        )

    def _lack(self, outlook: DesignOutlook) -> float:
        p, error = outlook.expected_pvalue, outlook.expected_pvalue_error
        if not MATTERS[0] <= p <= MATTERS[1] or not error > self.precision:
            return 1.0
        return (error / self.precision) ** 2

    def _outlook(
        self, metric: Metric, n_items: int, draws: FloatArray, null: FloatArray, confidence_level: float
    ) -> DesignOutlook:
        expected = expected_pvalue(null, draws)
        defined = draws[~np.isnan(draws)]
        if defined.size < 2:
            nan = math.nan
            return DesignOutlook(nan, nan, nan, nan, nan, nan)
        mean, sd = float(defined.mean()), float(defined.std(ddof=1))
        if metric.additive:
            width = student_width(sd * math.sqrt(n_items), n_items, confidence_level)
            width_error = width / math.sqrt(2 * defined.size)
        else:
            tail = (1 - confidence_level) / 2
            width = interval("basic", defined, estimate=mean, confidence_level=confidence_level).width
            # Two quantiles of a normal sample; they hardly depend on each other.
            density = math.exp(-(float(ndtri(tail)) ** 2) / 2) / math.sqrt(2 * math.pi)
            width_error = sd * math.sqrt(2 * tail * (1 - tail) / defined.size) / density
        return DesignOutlook(
            mean,
            sd / math.sqrt(defined.size),
            expected.pvalue,
            expected.standard_error,
            width,
            width_error,
            sd,
            expected_pvalue_is_bound=expected.is_bound,
        )
