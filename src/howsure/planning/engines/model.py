"""Designs of a response model: the exact engine where the metric has item scores, else simulated studies."""

import math
from collections.abc import Sequence
from functools import cached_property

from howsure import _random
from howsure.errors import ArgumentError
from howsure.metrics import AdditiveMetric
from howsure.planning.designs import Design
from howsure.planning.differences import expected_advantage
from howsure.planning.engines import simulated_power as powers
from howsure.planning.engines.base import DesignOutlook, TestPower
from howsure.planning.engines.exact import ExactEngine
from howsure.planning.engines.item_scores import Setting, Sizes
from howsure.planning.engines.monte_carlo import MonteCarloEngine
from howsure.planning.engines.pool_power import first_guess, from_pool
from howsure.planning.engines.simulated_pvalues import ON_ADVANTAGES, Test
from howsure.planning.premises import Premises

POWER_SHARE = 1.5
"""The error of the power that items may add, in units of the precision asked for: as much as data sets add, .008."""


class ModelEngine:
    """What designs of one response model and difference may expect.

    Examples
    --------
    >>> from howsure.planning.premises import premises
    >>> engine = ModelEngine(premises("normal", metrics=["mae"], epsilon=0.3, rng=0))
    >>> design = Design(100, 5, 5, 5)
    >>> engine.name(0), engine.power(design, 0, Test()).power > 0.9
    ('exact', True)
    """

    def __init__(self, premises: Premises) -> None:
        self.premises = premises
        self._exact: dict[Sizes, ExactEngine] = {}
        self._studies: dict[Design, dict[int, DesignOutlook]] = {}

    @cached_property
    def _routes(self) -> tuple[list[int], list[int]]:
        """Which metrics go to the exact engine, and which are simulated."""
        asked = self.premises.engine
        exact = []
        for number, metric in enumerate(self.premises.metrics):
            if asked == "exact" and not isinstance(metric, AdditiveMetric):
                raise ArgumentError(
                    f"`engine='exact'` needs item scores, which metric {metric.name!r} does not have; use "
                    "`engine='monte-carlo'`."
                )
            if asked != "monte-carlo" and isinstance(metric, AdditiveMetric) and not self.premises.resample_simulated:
                exact.append(number)
        return exact, [number for number in range(len(self.premises.metrics)) if number not in exact]

    def name(self, metric: int) -> str:
        """Return what computes this metric."""
        return "exact" if metric in self._routes[0] else "monte-carlo"

    def test_name(self, design: Design, test: Test) -> str:
        """Return the name of the test."""
        return test.name

    def exact(self, n_responses: Sizes) -> ExactEngine:
        """Return the exact engine for these numbers of responses."""
        if n_responses not in self._exact:
            q = self.premises
            metrics = [q.metrics[i] for i in self._routes[0]]
            self._exact[n_responses] = ExactEngine(
                q.model,
                metrics,  # type: ignore[arg-type]
                n_responses,
                epsilon=q.strengths,
                seed=q.seed,
                perturbation=q.perturbation,
                workers=q.workers,
            )
        return self._exact[n_responses]

    def prepare(self, designs: Sequence[Design], *, for_power_only: bool = False) -> None:
        """Make the pools as precise as these designs need them."""
        if not self._routes[0]:
            return
        q = self.premises
        for sizes in dict.fromkeys(design.sizes for design in designs):
            n_items = [design.n_items for design in designs if design.sizes == sizes]
            engine = self.exact(sizes)
            if not for_power_only:
                engine.sharpen(n_items, q.precision)
            if q.with_power and any(test.name in ON_ADVANTAGES for test in q.tests):
                engine.sharpen_power(n_items, POWER_SHARE * q.precision, alpha=q.tests[0].alpha)

    def outlook(self, design: Design, metric: int) -> DesignOutlook:
        """Return what the design may expect."""
        q = self.premises
        exact, drawn = self._routes
        if metric in exact:
            engine = self.exact(design.sizes)
            return engine.outlook(exact.index(metric), design.n_items, confidence_level=q.confidence_level)
        if design not in self._studies:
            simulated = MonteCarloEngine(
                model=q.model,
                metrics=[q.metrics[i] for i in drawn],
                n_responses=design.sizes,
                epsilon=q.strengths,
                seed=_random.child(q.seed, "studies", *design.sizes, design.n_items),
                perturbation=q.perturbation,
                n_simulations=q.n_simulations,
                precision=q.precision,
                resample_simulated=q.resample_simulated,
                workers=q.workers,
            )
            found = simulated.outlooks(design.n_items, confidence_level=q.confidence_level)
            self._studies[design] = dict(zip(drawn, found, strict=True))
        return self._studies[design][metric]

    def power(self, design: Design, metric: int, test: Test) -> TestPower:
        """Return how often the test rejects."""
        q = self.premises
        seed = _random.child(q.seed, *design.sizes)
        if metric in self._routes[0] and test.name in ON_ADVANTAGES:
            pool = self.exact(design.sizes).pools[self._routes[0].index(metric)]
            return from_pool(pool, design.n_items, test, seed=seed)
        return powers.simulated(
            self._setting(design), q.metrics[metric], design.n_items, test, seed=seed, workers=q.workers
        )

    def guess(self, design: Design, test: Test, target: float) -> int:
        """Return about how many items it takes, by the normal formula."""
        if 0 not in self._routes[0]:
            return 64
        return first_guess(self.exact(design.sizes).pools[0], test, target)

    def detectable(self, design: Design, metric: int, test: Test, target: float) -> tuple[float, float]:
        """Return the smallest advantage that is found with this power, and its ε: solved over ε."""
        q = self.premises
        if q.epsilon is None:
            raise ArgumentError("the smallest detectable advantage needs a model whose difference can be varied.")

        def power(epsilon: float) -> float:
            engine = ModelEngine(q.at(epsilon))
            engine.prepare([design], for_power_only=True)
            return engine.power(design, metric, test).power

        low, high = 0.0, 1.0
        if power(high) < target:
            return math.nan, math.nan
        while high - low > 0.005 * max(high, 0.02):
            middle = (low + high) / 2
            low, high = (low, middle) if power(middle) >= target else (middle, high)
        setting = Setting(q.model, design.sizes, (q.epsilon_a, high), q.perturbation)
        advantage, _ = expected_advantage(q.metrics[metric], setting, seed=q.seed, workers=q.workers)
        return advantage, high

    def _setting(self, design: Design) -> Setting:
        q = self.premises
        return Setting(q.model, design.sizes, q.strengths, q.perturbation)
