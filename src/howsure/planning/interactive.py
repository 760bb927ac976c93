"""Answers for one design after another, fast enough for a slider.

A new difference costs one pool of item scores for each number of responses; every number of items then costs
milliseconds. Pilots with raters need no pools: their variance components answer for every design.
"""

from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from howsure import _check, _matrices, _random
from howsure.data.contests import Contest
from howsure.errors import ArgumentError
from howsure.metrics import AdditiveMetric
from howsure.models import ResponseModel
from howsure.planning.designs import Design
from howsure.planning.engines.exact import ExactEngine
from howsure.planning.engines.item_scores import Sizes
from howsure.planning.engines.model import ModelEngine
from howsure.planning.engines.pool_power import moment_power, power_from_pool
from howsure.planning.engines.rater_engine import RaterEngine
from howsure.planning.engines.simulated_pvalues import Test
from howsure.planning.request import PlanRequest, Scenario

MOST_POOLS = 48
"""Pools that are kept; the one used longest ago is dropped first."""

MANY_ITEMS = 200
"""From this many items on, the power follows from the moments of the item advantages; below, data sets are drawn."""

DATA_SETS = 300
"""Data sets behind the power of a design with fewer items: its standard error is at most .03."""

PRECISION = 0.01
"""Largest error of the expected p."""

ITEMS = (10, 20, 50, 100, 200, 500, 1000, 2000)
RESPONSES = (1, 2, 3, 5, 10, 20, 50)
RATERS = (2, 3, 5, 10, 20, 50)
"""The numbers that the map shows."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """What one design may expect.

    Attributes
    ----------
    design : Design
    advantage, expected_pvalue, ci_width, power : float
    """

    design: Design
    advantage: float
    expected_pvalue: float
    ci_width: float
    power: float


@dataclass(frozen=True, slots=True)
class Tile:
    """One tile of the map: items against responses, or against raters."""

    n_items: int
    across: int
    power: float


class ModelSliders:
    """Designs of a response model, by a metric with item scores.

    Examples
    --------
    >>> found = ModelSliders("normal", "mae").at(n_items=100, n_responses=5, epsilon=0.3)
    >>> str(found.design), found.power > 0.9
    ('100 items × 5 responses', True)
    """

    across = "responses"

    def __init__(self, model: str | ResponseModel, metric: str | None = None, *, alpha: float = 0.05, seed: int = 0):
        request = PlanRequest(metrics=() if metric is None else (metric,), alpha=alpha, rng=seed)
        self.scenario = Scenario.of(model, request, workers=1).at(0.0)
        if not isinstance(self.scenario.metrics[0], AdditiveMetric):
            raise ArgumentError(f"metric {metric!r} has no item scores, and simulating its studies takes longer.")
        self._pools: OrderedDict[tuple[float, Sizes], ExactEngine] = OrderedDict()
        self._maps: OrderedDict[float, list[Tile]] = OrderedDict()

    @_matrices.on_one_thread
    def at(self, *, n_items: int, n_responses: int, epsilon: float) -> Expectation:
        """Return what a design may expect."""
        k = _check.integer("n_responses", n_responses, at_least=1, at_most=1000)
        n = _check.integer("n_items", n_items, at_least=2, at_most=100_000)
        engine = self._engine(_check.real("epsilon", epsilon, at_least=0, at_most=1), k)
        engine.sharpen([n], PRECISION)
        found = engine.outlook(0, n, confidence_level=self.scenario.request.confidence_level)
        power = self._power(engine, n, k)
        return Expectation(Design(n, *self._sizes(k)), found.advantage, found.expected_pvalue, found.ci_width, power)

    @_matrices.on_one_thread
    def map(self, *, epsilon: float) -> list[Tile]:
        """Return the power of every number of items with every number of responses."""
        if epsilon not in self._maps:
            tiles = []
            for k in RESPONSES:
                engine = self._engine(epsilon, k)
                tiles += [Tile(n, k, self._power(engine, n, k)) for n in ITEMS]
            _kept(self._maps, epsilon, tiles, MOST_POOLS)
        return self._maps[epsilon]

    def _engine(self, epsilon: float, k: int) -> ExactEngine:
        key = epsilon, self._sizes(k)
        if key not in self._pools:
            sizes = (max(1, key[1][0]), *key[1][1:])
            _kept(self._pools, key, ModelEngine(self.scenario.at(epsilon)).exact(sizes), MOST_POOLS)
        self._pools.move_to_end(key)
        return self._pools[key]

    def _sizes(self, k: int) -> Sizes:
        return (0 if self.scenario.metrics[0].gold_free else k), k, k

    def _power(self, engine: ExactEngine, n: int, k: int) -> float:
        test, pool = self.scenario.request.tests[0], engine.pools[0]
        if n >= MANY_ITEMS:
            return moment_power(pool, n, test)
        return power_from_pool(pool, n, test, seed=_random.child(self.scenario.seed, k), n=DATA_SETS).power


class RaterSliders:
    """Designs of a pilot with raters, by its variance components."""

    across = "raters"

    def __init__(self, contest: Contest, metric: str | None = None, *, alpha: float = 0.05, seed: int = 0) -> None:
        from howsure.comparison.default_metric import metrics_for
        from howsure.raters import variance_components

        self.contest = contest.complete()
        metrics, _ = metrics_for(self.contest, [metric] if metric else None)
        self.metric = metrics[0].on(self.contest.scale)
        self.test = Test(alpha=alpha)
        self.seed = _random.seed_of(seed)
        self.found = variance_components(self.contest, metric=self.metric)

    @cached_property
    def pilot(self) -> RaterEngine:
        """The engine with the pilot's own difference."""
        return self._engine(None)

    @_matrices.on_one_thread
    def at(self, *, n_items: int, n_raters: int, n_responses: int = 1, advantage: float | None = None) -> Expectation:
        """Return what a design may expect."""
        r = _check.integer("n_raters", n_raters, at_least=2, at_most=1000)
        n = _check.integer("n_items", n_items, at_least=2, at_most=100_000)
        k = _check.integer("n_responses", n_responses, at_least=1, at_most=1000)
        engine = self._engine(advantage)
        design = self._design(n, r, k)
        found = engine.outlook(design)
        power = engine.power(design, 0, self.test)
        return Expectation(design, found.advantage, found.expected_pvalue, found.ci_width, power.power)

    @_matrices.on_one_thread
    def map(self, *, n_responses: int = 1, advantage: float | None = None) -> list[Tile]:
        """Return the power of every number of items with every number of raters."""
        engine = self._engine(advantage)
        return [
            Tile(n, r, engine.power(self._design(n, r, n_responses), 0, self.test).power) for r in RATERS for n in ITEMS
        ]

    def _engine(self, advantage: float | None) -> RaterEngine:
        return RaterEngine.of(
            self.contest, self.found, metric=self.metric, advantage=advantage, level=0.95, seed=self.seed
        )

    def _design(self, n: int, r: int, k: int) -> Design:
        pilot = self.pilot.pilot
        return Design(n, r if pilot.gold else 0, k, k, n_raters=r, raters_per_item=r, per_pair=pilot.per_pair)


def _kept(held: OrderedDict[Any, Any], key: Any, value: Any, most: int) -> None:
    held[key] = value
    while len(held) > most:
        held.popitem(last=False)
