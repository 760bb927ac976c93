"""Designs of a response model: the exact engine where the metric has item scores, else simulated studies.

`epsilon_for` goes from a difference that people can name (an advantage in a metric's units, accuracy points, a win
rate) to ε.
"""

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from howsure import _random
from howsure.errors import ArgumentError
from howsure.inference.solving import root
from howsure.metrics import AdditiveMetric, Metric
from howsure.models import simulate_advantages
from howsure.planning.designs import Design
from howsure.planning.engines import monte_carlo
from howsure.planning.engines.base import DesignOutlook, TestPower
from howsure.planning.engines.decisions import ON_ADVANTAGES, Test
from howsure.planning.engines.exact import ExactEngine
from howsure.planning.engines.item_scores import Setting, Sizes
from howsure.planning.engines.monte_carlo import MonteCarloEngine
from howsure.planning.engines.pool_power import first_guess, power_from_pool
from howsure.planning.engines.score_pools import GrowingPools
from howsure.planning.request import Effect, Scenario

POWER_SHARE = 1.5
"""The error of the power that items may add, in units of the precision asked for: as much as data sets add, .008."""

CHUNKS = 16
"""Chunks of items behind each expected advantage; all ε use the same items, so that the curve is smooth."""


class ModelEngine:
    """What designs of one response model and difference may expect.

    Examples
    --------
    >>> from howsure.planning.request import PlanRequest
    >>> engine = ModelEngine(Scenario.of("normal", PlanRequest(metrics="mae", rng=0)).at(0.3))
    >>> design = Design(100, 5, 5, 5)
    >>> engine.name(0), engine.power(design, 0, Test()).power > 0.9
    ('exact', True)
    """

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self._exact: dict[Sizes, ExactEngine] = {}
        self._studies: dict[Design, dict[int, DesignOutlook]] = {}

    @cached_property
    def _routes(self) -> tuple[list[int], list[int]]:
        """Which metrics go to the exact engine, and which are simulated."""
        request, metrics = self.scenario.request, self.scenario.metrics
        may_be_exact = request.engine != "monte-carlo" and not request.resample_simulated
        exact = []
        for number, metric in enumerate(metrics):
            if request.engine == "exact" and not isinstance(metric, AdditiveMetric):
                raise ArgumentError(
                    f"`engine='exact'` needs item scores, which metric {metric.name!r} does not have; use "
                    "`engine='monte-carlo'`."
                )
            if may_be_exact and isinstance(metric, AdditiveMetric):
                exact.append(number)
        return exact, [number for number in range(len(metrics)) if number not in exact]

    def name(self, metric: int) -> str:
        """Return what computes this metric."""
        return "exact" if metric in self._routes[0] else "monte-carlo"

    def test_name(self, design: Design, test: Test) -> str:
        """Return the name of the test."""
        return test.name

    def exact(self, design: Design) -> ExactEngine:
        """Return the exact engine of a design's numbers of responses; its pools grow as its designs need it."""
        if design.sizes not in self._exact:
            scenario = self.scenario
            metrics = [scenario.metrics[i] for i in self._routes[0]]
            self._exact[design.sizes] = ExactEngine(
                scenario.model,
                metrics,  # type: ignore[arg-type]
                design.sizes,
                epsilon=scenario.strengths,
                seed=scenario.seed,
                perturbation=scenario.perturbation,
            )
        return self._exact[design.sizes]

    def prepare(self, designs: Sequence[Design], *, for_power_only: bool = False) -> None:
        """Make the pools as precise as these designs need them."""
        if not self._routes[0]:
            return
        request = self.scenario.request
        for design in designs:
            engine = self.exact(design)
            if not for_power_only:
                engine.sharpen([design.n_items], request.precision)
            if request.with_power and any(test.name in ON_ADVANTAGES for test in request.tests):
                engine.sharpen_power([design.n_items], POWER_SHARE * request.precision, alpha=request.alpha)

    def outlook(self, design: Design, metric: int) -> DesignOutlook:
        """Return what the design may expect."""
        scenario, request = self.scenario, self.scenario.request
        exact, drawn = self._routes
        if metric in exact:
            engine = self.exact(design)
            return engine.outlook(exact.index(metric), design.n_items, confidence_level=request.confidence_level)
        if design not in self._studies:
            simulated = MonteCarloEngine(
                _setting(scenario, design.sizes),
                [scenario.metrics[i] for i in drawn],
                seed=_random.child(scenario.seed, "studies", *design.sizes, design.n_items),
                n_simulations=request.n_simulations,
                precision=request.precision,
                resample_simulated=request.resample_simulated,
                workers=scenario.workers,
            )
            found = simulated.outlooks(design.n_items, confidence_level=request.confidence_level)
            self._studies[design] = dict(zip(drawn, found, strict=True))
        return self._studies[design][metric]

    def power(self, design: Design, metric: int, test: Test) -> TestPower:
        """Return how often the test rejects."""
        seed = _random.child(self.scenario.seed, *design.sizes)
        if metric in self._routes[0] and test.name in ON_ADVANTAGES:
            pool = self.exact(design).pools[self._routes[0].index(metric)]
            return power_from_pool(pool, design.n_items, test, seed=seed)
        return monte_carlo.simulated_power(
            _setting(self.scenario, design.sizes),
            self.scenario.metrics[metric],
            design.n_items,
            test,
            seed=seed,
            workers=self.scenario.workers,
        )

    def guess(self, design: Design, test: Test, target: float, *, metric: int = 0) -> int:
        """Return about how many items it takes, by the normal formula."""
        if metric not in self._routes[0]:
            return 64
        return first_guess(self.exact(design).pools[self._routes[0].index(metric)], test, target)

    def detectable(self, design: Design, metric: int, test: Test, target: float) -> tuple[float, float]:
        """Return the smallest advantage that is found with this power, and its ε: solved over ε."""
        scenario = self.scenario
        if scenario.epsilon is None:
            raise ArgumentError("the smallest detectable advantage needs a model whose difference can be varied.")

        def excess(epsilon: float) -> float:
            engine = ModelEngine(scenario.at(epsilon))
            engine.prepare([design], for_power_only=True)
            return engine.power(design, metric, test).power - target

        epsilon = root(excess, 0.0, 1.0, tolerance=5e-5, relative=0.0025)
        if math.isnan(epsilon):
            return math.nan, math.nan
        # A smallest difference means what `--difference` means: it is measured with the same numbers of responses.
        setting = _setting(scenario.at(epsilon), scenario.reference)
        advantage, _ = expected_advantage(
            scenario.metrics[metric], setting, seed=scenario.seed, workers=scenario.workers
        )
        return advantage, epsilon


def _setting(scenario: Scenario, n_responses: Sizes) -> Setting:
    return Setting(scenario.model, n_responses, scenario.strengths, scenario.perturbation)


def epsilon_for(effect: Effect, scenario: Scenario, n_responses: Sizes) -> tuple[float, float]:
    """Return the ε that gives the effect's advantage with this many responses, and the numerical error of ε."""
    metric = effect.metric.on(scenario.model.scale)
    seed = _random.child(scenario.seed, "effect")

    def advantage(epsilon: float) -> tuple[float, float]:
        setting = _setting(scenario.at(epsilon), n_responses)
        return expected_advantage(metric, setting, seed=seed, workers=scenario.workers)

    least, error = advantage(0.0)
    most, _ = advantage(1.0)
    if not least < effect.advantage <= most:
        bound = f"the largest is {most:.4g}" if effect.advantage > most else f"with ε = 0 it is {least:.4g}"
        gold, a, b = n_responses
        raise ArgumentError(
            f"an advantage of {effect.advantage:g} in {metric.name} is not possible with {gold} gold, {a} A and {b} B "
            f"responses per item: {bound}."
        )
    low, high = 0.0, 1.0
    at_low, at_high = least, most
    for _ in range(40):
        middle = (low + high) / 2
        value, error = advantage(middle)
        if value < effect.advantage:
            low, at_low = middle, value
        else:
            high, at_high = middle, value
        if high - low < 1e-4 or at_high - at_low < error / 10:
            break
    slope = (at_high - at_low) / (high - low)
    return (low + high) / 2, float(error / slope) if slope > 0 else float("inf")


def expected_advantage(
    metric: Metric, setting: Setting, *, seed: np.random.SeedSequence, workers: int = 1
) -> tuple[float, float]:
    """Return the mean advantage at ε and its numerical error; a metric without item scores is taken on 1,000 items."""
    if isinstance(metric, AdditiveMetric):
        scores = GrowingPools(setting, [metric], seed)
        scores.grow(CHUNKS)
        [pool] = scores.pools()
        return pool.mean, pool.standard_error
    draws = simulate_advantages(
        setting.model,
        [metric],
        n_items=1000,
        n_responses=setting.n_responses,
        epsilon=setting.epsilon,
        perturbation=setting.perturbation,
        n_simulations=400,
        rng=seed,
        workers=workers,
    )
    return float(np.nanmean(draws)), float(np.nanstd(draws) / 20)
