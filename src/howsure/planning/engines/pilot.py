"""Designs of a pilot with A and B: its own item advantages, subsampled where a design has fewer responses than it.

Any k of an item's K responses, drawn without replacement, are k responses as a study would collect them. So the
advantages of subsampled items have exactly the distribution of a study with k responses (a U-statistic): nothing is
assumed, and with all K responses they are the pilot's own advantages. Beyond K, a model of the items without their
noise (`DeconvolvedModel`) says how mean and variance of the advantages change from K on; at K both ways agree.

A given difference exchanges A and B on a share of the items (`exchange`).
"""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

from howsure import _random
from howsure.data.contests import Contest
from howsure.data.responses import Responses
from howsure.data.scales import FloatArray
from howsure.data.summaries import grid as rows_of
from howsure.data.summaries import summarise
from howsure.errors import ArgumentError, HowsureWarning
from howsure.inference import ConfidenceInterval
from howsure.metrics import AdditiveMetric, Metric
from howsure.models import DeconvolvedModel
from howsure.models.answers import Answers
from howsure.models.simulation import derive
from howsure.nulls import SIGN_FLIP, Hypothesis, Units
from howsure.nulls.student import robust_error
from howsure.planning.designs import Design
from howsure.planning.engines.base import CAUTION, DesignOutlook, OwnAdvantage, TestPower
from howsure.planning.engines.decisions import ON_ADVANTAGES, Test
from howsure.planning.engines.exact import PoolPair
from howsure.planning.engines.exchange import (
    PilotUnits,
    Population,
    largest_difference,
    with_difference,
)
from howsure.planning.engines.item_scores import Sizes
from howsure.planning.engines.model import ModelEngine
from howsure.planning.engines.pool_power import first_guess, power_from_pool
from howsure.planning.engines.score_pools import ON_GRID, Pool, grid_step
from howsure.planning.engines.score_sums import SumGrid, symmetrised, with_moments
from howsure.planning.request import Effect, PlanRequest, Scenario

SUBSETS, SUBSET_RESPONSES = 1 << 18, 1 << 23
"""Most subsets of responses that are scored, of all items together; fewer where they are long."""

SETS = 512
"""Most subsets of one item's responses that are scored."""

RESAMPLES = 1999
"""Bootstrap samples of the pilot's items."""

HELD = 1 << 22
"""Numbers of these samples that are held at a time: 32 MB."""

SPREAD, DRAWN = 1 << 13, 1 << 21
"""Items drawn from the model where a design goes beyond the pilot, and their responses in all."""


@dataclass(frozen=True, slots=True, eq=False)
class PilotAdvantages:
    """The advantages of the pilot's units at one number of responses, before any exchange of A and B.

    Attributes
    ----------
    pair : PoolPair
    null : Pool
    means, squares : array of float
        Mean and mean square of each unit's advantage over sets of responses.
    alone : float
        The variance of single items' advantages.
    shift, stretch : float
        What is added to the mean and multiplies the variance: by the model beyond the pilot, and for a worse model.
    """

    pair: PoolPair
    null: Pool
    means: FloatArray
    squares: FloatArray
    alone: float
    shift: float = 0.0
    stretch: float = 1.0


def subsets(side: Responses, k: int, n_sets: int, stream: np.random.Generator) -> FloatArray:
    """Draw k of each item's responses without replacement: (sets, items, k); an item with fewer gives some twice."""
    rows, sizes = rows_of(side), side.sizes
    chosen = np.empty((n_sets, len(rows), k))
    columns = np.arange(k) % sizes[:, np.newaxis]
    beyond = np.arange(rows.shape[1]) >= sizes[:, np.newaxis]
    uneven = bool((sizes < k).any())
    first = rows.shape[1] * np.arange(len(rows))[:, np.newaxis]  # where the responses of each item begin
    for start in range(0, n_sets, 16):
        part = slice(start, min(start + 16, n_sets))
        keys = stream.random((part.stop - start, *rows.shape))
        keys[:, beyond] = 2.0
        order = np.argsort(keys, axis=-1)
        picked = np.take_along_axis(order, columns[np.newaxis], axis=-1) if uneven else order[..., :k]
        np.take(rows, picked + first, out=chosen[part])
    return chosen


def pool_of(scores: FloatArray, weights: FloatArray, *, step: float | None = None, n_units: float = math.inf) -> Pool:
    """Return the distribution of a score: every set of responses counts equally, every item by its weight.

    Where the items are the `n_units` of a pilot, they vary less around their own mean than around that of all items.
    """
    n_sets, n_items = scores.shape
    step = grid_step(scores.ravel()) if step is None else step
    scaled = scores / step
    points = np.rint(scaled)
    low = int(points.min())
    counts = np.bincount((points - low).astype(np.int64).ravel(), np.tile(weights / n_sets, n_sets))
    means = scores.mean(axis=0)
    mean = math.fsum(weights * means)  # an advantage of zero is zero, without the rounding of a sum
    of_squares = float(weights @ np.square(scores).mean(axis=0))
    variance = max(of_squares - mean**2, 0.0) / (1 - 1 / n_units) if n_units > 1 else 0.0
    error = 0.0
    if n_sets > 1:
        error = math.sqrt(float(np.square(weights) @ scores.var(axis=0, ddof=1)) / n_sets)
    grid = with_moments(SumGrid(low, counts / counts.sum()), mean / step, variance / step**2)
    off_grid = float(np.mean(np.abs(scaled - points) > ON_GRID))
    return Pool(step, grid, off_grid, mean, error, math.sqrt(variance), 0.0, n_items, max(n_items * n_sets, 1.0))


def mirrored(pool: Pool) -> Pool:
    """Return the pool made symmetric around zero."""
    grid = symmetrised(pool.grid)
    return replace(pool, grid=grid, mean=0.0, standard_error=0.0, sd=math.sqrt(grid.variance) * pool.step)


class PilotEngine:
    """What designs may expect if the study is like the pilot.

    Parameters
    ----------
    contest : Contest
        With gold.
    scenario : Scenario
        Its model is ignored: the pilot's takes its place. Its request may have an `effect`, the difference to plan for
        (else the pilot's own), and a `cluster`, an item column: items that share its value are not independent, and
        are drawn and exchanged together.
    """

    def __init__(self, contest: Contest, scenario: Scenario) -> None:
        self.contest = contest
        self.scenario = scenario
        self.request = scenario.request
        self.own: Sizes = tuple(max(1, round(contest.n_responses.get(role, 1))) for role in ("gold", "a", "b"))  # type: ignore[assignment]
        self.units = PilotUnits.of(contest, self.request.cluster)
        self._found: dict[tuple[Sizes, int], PilotAdvantages] = {}
        self._drawn: dict[tuple[Sizes, int], tuple[FloatArray, FloatArray]] = {}

    @cached_property
    def population(self) -> Population:
        """The units that studies draw from: the pilot's, with the exchanges that the given difference needs."""
        weights, effect = np.full(self.units.n, 1 / self.units.n), self.request.effect
        if effect is None:
            return Population.own(weights)
        advantages, sizes = self._of_effect, self.units.sizes
        largest = largest_difference(weights, advantages, sizes)
        if abs(effect.advantage) > largest * (1 + 1e-9):
            differ = 100 * np.mean(np.abs(advantages) > 0)
            raise ArgumentError(
                f"{effect.in_words} is more than items like the pilot's can show: A and B differ on {differ:.0f}% of "
                f"its {'items' if self.units.alone else 'clusters'}, and if one model won all of these, the difference "
                f"would be about {largest:.2g}. Give a smaller one, or plan from gold alone with `epsilon`."
            )
        return with_difference(weights, advantages, sizes, effect.advantage)

    @cached_property
    def _of_effect(self) -> FloatArray:
        """The pilot's unit advantages by the metric in which the difference is given.

        A metric without item scores has one advantage for all of them: a share of all units is exchanged.
        """
        assert self.request.effect is not None
        metric = self.request.effect.metric.on(self.contest.scale)
        if isinstance(metric, AdditiveMetric):
            return self.units.means(self.observed(metric))
        return np.full(self.units.n, self.score(metric))

    def score(self, metric: Metric) -> float:
        """Return the pilot's advantage by a metric without item scores."""
        gold, a, b = (summarise(side, metric.needs, self.contest.scale)[np.newaxis] for side in self._sides)
        return float(metric.advantage(gold, a, b)[0])

    def observed(self, metric: AdditiveMetric) -> FloatArray:
        """Return the advantages of the pilot's items, with all their responses."""
        gold, a, b = (summarise(side, metric.needs, self.contest.scale)[np.newaxis] for side in self._sides)
        return np.asarray(metric.item_advantages(gold, a, b)[0])

    @property
    def _sides(self) -> tuple[Responses, Responses, Responses]:
        return self.contest.a if self.contest.gold is None else self.contest.gold, self.contest.a, self.contest.b

    @cached_property
    def model(self) -> DeconvolvedModel:
        """The pilot's items without the noise of their responses."""
        codes, found = self.units.codes, self.population
        return DeconvolvedModel.of(self.contest, found.weights[codes], found.exchanged[codes])

    @cached_property
    def _by_model(self) -> ModelEngine:
        return ModelEngine(
            replace(
                self.scenario,
                request=replace(self.request, epsilon_a=0.0),
                model=self.model,
                epsilon=None,
                perturbation=None,
            )
        )

    def name(self, metric: int) -> str:
        """Return what computes this metric."""
        return "pilot" if self._additive(metric) is not None else "monte-carlo"

    def test_name(self, design: Design, test: Test) -> str:
        """Return the name of the test."""
        return test.name

    def _additive(self, metric: int) -> AdditiveMetric | None:
        found = self.scenario.metrics[metric]
        return found if isinstance(found, AdditiveMetric) and self.request.engine != "monte-carlo" else None

    def prepare(self, designs: Sequence[Design], *, for_power_only: bool = False) -> None:
        """Do nothing: a pilot's answer cannot be made more precise."""

    def outlook(self, design: Design, metric: int) -> DesignOutlook:
        """Return what the design may expect."""
        if self._additive(metric) is None:
            return self._by_model.outlook(design, metric)
        return self.scores(design.sizes, metric).pair.outlook(design.n_units, self.request.confidence_level)

    def power(self, design: Design, metric: int, test: Test) -> TestPower:
        """Return how often the test rejects."""
        if self._additive(metric) is None or test.name not in ON_ADVANTAGES:
            return self._by_model.power(design, metric, test)
        pool = self.scores(design.sizes, metric).pair.pool
        found = power_from_pool(pool, design.n_units, test, seed=_random.child(self.scenario.seed, *design.sizes))
        return replace(found, interval=self._power_interval(design, metric, test, found.power))

    def guess(self, design: Design, test: Test, target: float, *, metric: int = 0) -> int:
        """Return about how many items it takes, by the normal formula."""
        if self._additive(metric) is None:
            return 64
        return first_guess(self.scores(design.sizes, metric).pair.pool, test, target, per_unit=self.units.per_unit)

    def detectable(self, design: Design, metric: int, test: Test, target: float) -> tuple[float, float]:
        """Return the smallest difference that is found with this power, measured as a given one is."""
        if self._additive(metric) is None or test.name not in ON_ADVANTAGES:
            return math.nan, math.nan
        pool = self.scores(design.sizes, metric).pair.pool
        n = design.n_units
        needed = float(ndtri(1 - test.tail) + ndtri(target))
        advantage = needed * pool.sd / math.sqrt(n)
        seed = _random.child(self.scenario.seed, *design.sizes)
        for _ in range(6):
            try:
                effect = Effect(self.scenario.metrics[metric], math.copysign(advantage, pool.mean))
                given = replace(self.scenario, request=replace(self.request, effect=effect))
                moved = PilotEngine(self.contest, given).scores(design.sizes, metric).pair.pool
            except ArgumentError:  # more than these items can show
                return math.nan, math.nan
            found = power_from_pool(moved, n, test, seed=seed).power
            lack = float(ndtri(target) - ndtri(min(max(found, 0.001), 0.999)))
            if abs(found - target) < 0.005:
                break
            advantage *= max(0.5, min(2.0, 1 + lack / needed))
        return advantage, math.nan

    def scores(self, n_responses: Sizes, metric: int) -> PilotAdvantages:
        """Return the advantages of the pilot's items at these numbers of responses."""
        # A source with one response to each item is taken to answer the same again: more of them change nothing.
        sizes: Sizes = tuple(  # type: ignore[assignment]
            min(k, own) if int(side.sizes.max()) < 2 else k
            for k, own, side in zip(n_responses, self.own, self._sides, strict=True)
        )
        if (sizes, metric) not in self._found:
            within: Sizes = tuple(min(k, own) for k, own in zip(sizes, self.own, strict=True))  # type: ignore[assignment]
            if within == sizes:
                self._found[sizes, metric] = self._subsampled(sizes, metric)
            else:
                self._found[sizes, metric] = self._beyond(sizes, within, metric)
        return self._found[sizes, metric]

    def _subsampled(self, sizes: Sizes, number: int) -> PilotAdvantages:
        metric = self._additive(number)
        assert metric is not None
        stream = _random.generator(self.scenario.seed, "subsets", *sizes)
        n_sets = 1 if sizes == self.own else self._n_sets
        gold, a, b = self._sides
        of_gold, of_a, of_b = (
            self._summaries(side, k, own, metric, n_sets, stream)
            for side, k, own in zip((gold, a, b), sizes, self.own, strict=True)
        )
        scores = np.asarray(metric.item_advantages(of_gold, of_a, of_b)).reshape(-1, self.contest.n_items)
        units = self.units.means(scores)
        pool = self._pool(units)
        more = self._more_variable(metric, metric.scores_by_item(of_gold, of_a, of_b), abs(pool.mean))
        if more > 1:
            shape = with_moments(pool.grid, pool.mean / pool.step, more * (pool.sd / pool.step) ** 2)
            pool = replace(pool, grid=shape, sd=math.sqrt(shape.variance) * pool.step)
        dealt = self.units.means(self._dealt(sizes, metric, max(n_sets, 64), of_gold, stream))
        null = self._pool(dealt, step=pool.step)
        symmetric = sizes[1] == sizes[2]
        null = mirrored(null) if symmetric else null
        alone = float(np.square(scores).mean(axis=0).mean()) - pool.mean**2
        pair = PoolPair(pool, null, symmetric=symmetric)
        means, squares = units.mean(axis=0), np.square(units).mean(axis=0)
        return PilotAdvantages(pair, null, means, squares, max(alone, 0.0), stretch=more)

    def _pool(self, units: FloatArray, *, step: float | None = None) -> Pool:
        """Return the distribution of the units' advantages, (sets, units), with the exchanges of A and B.

        A cluster's advantage is how far it moves the mean over all items: for clusters of equal size it is their mean;
        large ones move the mean more, as they do in `compare`.
        """
        found, sizes = self.population, self.units.sizes / self.units.per_unit
        mean = float(found.mean(units.mean(axis=0), sizes))
        weights = found.weights
        if found.exchanged.any():
            units = np.concatenate([units, -units], axis=1)
            weights = np.concatenate([weights * (1 - found.exchanged), weights * found.exchanged])
            sizes = np.tile(sizes, 2)
        moving = units if self.units.alone else mean + sizes * (units - mean)
        pool = pool_of(moving, weights, step=step, n_units=self.units.n)
        # A mean of zero is zero, without the rounding of a sum.
        return pool if self.units.alone and not found.exchanged.any() else replace(pool, mean=mean)

    @cached_property
    def unseen(self) -> float:
        """The share of the given difference that the pilot does not show, in either direction.

        It shows what is no larger than its own difference; of a larger one, the lower 80% limit of its own.
        """
        effect, sizes = self.request.effect, self.units.sizes
        if effect is None:
            return 0.0
        sums = self._of_effect * sizes
        own, given = abs(float(sums.sum() / sizes.sum())), abs(effect.advantage)
        if given <= own * (1 + 1e-9):
            return 0.0
        _, [error], [df] = robust_error(Units(sums[np.newaxis], sizes))
        least = own - float(stdtrit(df, CAUTION)) * np.nan_to_num(error)
        return float(1 - max(0.0, least) / given)

    def _more_variable(self, metric: AdditiveMetric, scores: tuple[FloatArray, ...], difference: float) -> float:
        """Return by how much a model that is worse than the pilot's multiplies the variance of the item advantages.

        Exchanging A and B keeps how far they differ. But what the pilot does not show of the difference comes from a
        worse model, and errors of a worse model vary more: unbounded errors E become (1 + r) E, and of scores between
        0 and 1 a share q is lost. Either model may be the worse one, so both variances are averaged.
        """
        loss = self.unseen * difference
        errors = metric.better == "lower" and math.isinf(metric.span)
        if not scores or loss <= 0 or not (errors or math.isfinite(metric.span)):
            return 1.0
        # Bounded scores as how much is right, whichever direction is better.
        sides = scores if errors or metric.better == "higher" else tuple(metric.span - side for side in scores)
        before = float(np.square(sides[0] - sides[1]).mean()) - difference**2
        variances = []
        for worse, other in (sides, sides[::-1]):
            mean = float(worse.mean())
            share = loss / mean if mean > 0 else 0.0
            if errors:
                changed = (1 + share) * worse - other
                variances.append(float(np.square(changed).mean()) - float(changed.mean()) ** 2)
            else:
                share = min(1.0, share)
                square = (1 - share) * np.square(worse - other) + share * np.square(other)
                moved = (1 - share) * mean - float(other.mean())
                variances.append(float(square.mean()) - moved**2)
        return max(1.0, sum(variances) / 2 / before) if before > 0 else 1.0

    @property
    def _n_sets(self) -> int:
        longest = max(int(side.sizes.max()) for side in self._sides)
        return min(SETS, max(16, min(SUBSETS, SUBSET_RESPONSES // longest) // self.contest.n_items))

    def _summaries(  # noqa: PLR0917 (private)
        self, side: Responses, k: int, own: int, metric: AdditiveMetric, n_sets: int, stream: np.random.Generator
    ) -> FloatArray:
        """Return summaries of k of each item's responses, drawn without replacement, several times."""
        if k >= own:
            return summarise(side, metric.needs, self.contest.scale)[np.newaxis]
        return derive(subsets(side, k, n_sets, stream), "values", metric.needs, self.contest.scale)

    def _dealt(
        self, sizes: Sizes, metric: AdditiveMetric, n_sets: int, of_gold: FloatArray, stream: np.random.Generator
    ) -> FloatArray:
        """Return the advantages if A's and B's responses to each item are mixed and dealt out again."""
        _, a, b = self._sides
        values = np.concatenate([rows_of(a), rows_of(b)], axis=1)
        order = np.argsort(~np.isnan(values), axis=1, kind="stable")[:, ::-1]
        both = Responses.from_grid(np.take_along_axis(values, order, axis=1))
        drawn = subsets(both, sizes[1] + sizes[2], n_sets, stream)
        of_a, of_b = (
            derive(part, "values", metric.needs, self.contest.scale)
            for part in (drawn[..., : sizes[1]], drawn[..., sizes[1] :])
        )
        gold = of_gold if len(of_gold) == 1 else of_gold[np.arange(n_sets) % len(of_gold)]
        gold = np.broadcast_to(gold, (n_sets, *gold.shape[1:]))
        return np.asarray(metric.item_advantages(gold, of_a, of_b)).reshape(-1, self.contest.n_items)

    def _beyond(self, sizes: Sizes, within: Sizes, number: int) -> PilotAdvantages:
        """Take mean and variance at the pilot's numbers, and change them as the model without noise says.

        The responses within the pilot's numbers are part of those beyond them, so the change has little noise.
        """
        edge = self.scores(within, number)
        metric = self._additive(number)
        assert metric is not None
        sides = self.model.spread_items(SPREAD)
        weights = np.full(SPREAD, 1 / SPREAD)
        stream = _random.generator(self.scenario.seed, "beyond", *sizes)
        n_sets = min(32, max(2, DRAWN // (SPREAD * max(sizes))))

        def drawn(side: Answers, *counts: int, other: Answers | None = None) -> list[FloatArray]:
            """Return summaries of sets of responses: of all, and of the first; `other` gives about half of them."""
            parts: list[list[FloatArray]] = [[] for _ in counts]
            for _ in range(n_sets):
                values = side.summary("values", counts[0], stream, other)
                for part, k in zip(parts, counts, strict=True):
                    part.append(derive(values[..., :k], "values", metric.needs, self.contest.scale))
            return [np.concatenate(part) for part in parts]

        here = [drawn(side, *counts) for side, *counts in zip(sides, sizes, within, strict=True)]
        far_scores, near_scores = (np.asarray(metric.item_advantages(*each)) for each in zip(*here, strict=True))
        far, near = (pool_of(scores, weights) for scores in (far_scores, near_scores))
        mixed = [drawn(sides[1], *counts, other=sides[2]) for counts in zip(sizes[1:], within[1:], strict=True)]
        far_null, near_null = (
            pool_of(metric.item_advantages(of_gold, *of_models), weights, step=far.step)
            for of_gold, of_models in zip(here[0], zip(*mixed, strict=True), strict=True)
        )
        null = _changed(far_null, edge.null, near_null)
        shift = far.mean - near.mean
        stretch = (far.sd / near.sd) ** 2 if near.sd > 0 else 1.0
        start = edge.pair.pool
        symmetric = sizes[1] == sizes[2]
        null = mirrored(null) if symmetric else null
        if not self.units.alone:
            # The noise of responses belongs to single items and shrinks in a cluster's mean; what items share stays.
            per, grid = self.units.per_unit, edge.null.grid
            stretch = max(0.01, 1 + (stretch - 1) * edge.alone / per / start.sd**2) if start.sd > 0 else 1.0
            null = replace(
                edge.null,
                grid=with_moments(grid, grid.mean, null.sd**2 / per / edge.null.step**2),
                sd=null.sd / math.sqrt(per),
            )
            far = start
        mean, variance = start.mean + shift, start.sd**2 * stretch
        each = np.square(weights) @ (far_scores - near_scores).var(axis=0, ddof=1) / n_sets
        error = math.hypot(start.standard_error, math.sqrt(float(each)))
        shape = with_moments(far.grid, mean / far.step, variance / far.step**2)
        pool = replace(far, grid=shape, mean=mean, sd=math.sqrt(variance), standard_error=error)
        pair = PoolPair(pool, null, symmetric=symmetric)
        return replace(edge, pair=pair, null=null, shift=shift + edge.shift, stretch=stretch * edge.stretch)

    def resampled(self, n_responses: Sizes, metric: int) -> tuple[FloatArray, FloatArray]:
        """Return mean and standard deviation of the advantages in bootstrap samples of the pilot's items."""
        key = (n_responses, metric)
        if key not in self._drawn:
            found, sizes = self.scores(n_responses, metric), self.units.sizes / self.units.per_unit
            parts = []
            for rows in np.array_split(self._bootstrap, max(1, self._bootstrap.size // HELD)):
                drawn = self._with_the_difference(rows)
                means = drawn.mean(found.means, sizes)
                spread = drawn.weights * np.square(sizes)
                # E(±d − mean)², of which only the product changes sides.
                variances = spread @ found.squares + spread.sum(axis=1) * np.square(means)
                variances -= 2 * means * ((spread * drawn.signs) @ found.means)
                parts.append((means + found.shift, np.sqrt(np.maximum(variances, 0.0) * found.stretch)))
            unbiased = math.sqrt(1 / (1 - 1 / self.units.n)) if self.units.n > 1 else math.nan
            means, sds = (np.concatenate(part) for part in zip(*parts, strict=True))
            self._drawn[key] = means, sds * unbiased
        return self._drawn[key]

    @cached_property
    def _bootstrap(self) -> FloatArray:
        """How often each unit is in each bootstrap sample, as a share."""
        stream = _random.generator(self.scenario.seed, "pilot items")
        n = self.units.n
        return stream.multinomial(n, np.full(n, 1 / n), RESAMPLES) / n

    def _with_the_difference(self, rows: FloatArray) -> Population:
        effect = self.request.effect
        if effect is None:
            return Population.own(rows)
        return with_difference(rows, self._of_effect, self.units.sizes, effect.advantage)

    def needed_interval(self, design: Design, level: float = 0.95) -> ConfidenceInterval | None:
        """Return how many items it takes, as far as the pilot shows; infinite where A may not be better at all."""
        if self._additive(0) is None:
            return None
        pool = self.scores(design.sizes, 0).pair.pool
        if pool.mean == 0 or pool.sd == 0:
            return None
        means, sds = self.resampled(design.sizes, 0)
        own = (pool.sd / pool.mean) ** 2
        same_sign = means * np.sign(pool.mean) > 0
        ratios = np.where(same_sign, np.square(sds / np.where(same_sign, means, 1.0)), np.inf)
        tail = (1 - level) / 2
        low, high = np.quantile(design.n_items * ratios / own, [tail, 1 - tail], method="inverted_cdf")
        return ConfidenceInterval(float(low), float(high), "percentile", level)

    def _power_interval(self, design: Design, metric: int, test: Test, power: float) -> ConfidenceInterval:
        pool = self.scores(design.sizes, metric).pair.pool
        level = self.request.confidence_level
        if pool.sd == 0:
            return ConfidenceInterval(math.nan, math.nan, "percentile", level)
        means, sds = self.resampled(design.sizes, metric)
        n = math.sqrt(design.n_units)
        own = n * pool.mean / pool.sd
        each = n * means / np.where(sds > 0, sds, np.nan)
        critical = float(ndtri(1 - test.tail))
        drawn = test.normal_power(each, critical)
        # The error of the normal formula at the plan's own numbers is assumed to be its error everywhere.
        off = ndtri(min(max(power, 0.002), 0.998)) - ndtri(
            np.clip(test.normal_power(np.array([own]), critical)[0], 0.002, 0.998)
        )
        drawn = ndtr(ndtri(np.clip(drawn, 1e-9, 1 - 1e-9)) + off)
        tail = (1 - level) / 2
        low, high = np.nanquantile(drawn, [tail, 1 - tail])
        return ConfidenceInterval(float(low), float(high), "percentile", level)

    def design_effect(self, metric: int) -> float:
        """Return by how much clusters of items multiply the variance of the mean advantage; 1 without clusters."""
        if self.units.alone or self._additive(metric) is None:
            return 1.0
        found = self.scores(self.own, metric)
        alone = found.alone / (self.contest.n_items - 1)
        return found.pair.pool.sd**2 / self.units.n / alone if alone > 0 else 1.0

    @property
    def differs(self) -> bool:
        """Whether A and B differ on any item, by the first metric; where it has no item scores, in any response."""
        metric = self._additive(0)
        if metric is None:
            return not np.array_equal(self.contest.a.values, self.contest.b.values)
        return bool(np.any(self.observed(metric)))

    def own_advantage(self, metric: int = 0) -> OwnAdvantage:
        """Return what the pilot itself shows; the p-value is that of `compare`."""
        found, level = self._additive(metric), self.request.confidence_level
        if found is None or self.contest.n_items < 2:
            return _compared(self.contest, self.scenario.metrics[metric], self.request)
        advantages = self.observed(found)
        units, mean = Units(self.units.sums(advantages)[np.newaxis], self.units.sizes), float(advantages.mean())
        _, [error], [df] = robust_error(units)
        error = np.nan_to_num(error)  # no difference varies
        reach, cautious = (float(stdtrit(df, share)) * error for share in ((1 + level) / 2, CAUTION))
        p = float(SIGN_FLIP.run(units, Hypothesis(interval=False)).pvalue[0])
        return OwnAdvantage(mean, ConfidenceInterval(mean - reach, mean + reach, "t", level), p, abs(mean) - cautious)


def _compared(contest: Contest, metric: Metric, request: PlanRequest) -> OwnAdvantage:
    """Return what `compare` finds, for metrics without item scores."""
    from howsure.comparison import compare

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HowsureWarning)
        found = compare(contest, metric=metric, raters="fixed", confidence_level=request.confidence_level, rng=0)
    ends = found.confidence_interval
    error = ends.width / 2 / float(ndtri((1 + request.confidence_level) / 2))
    least = abs(found.advantage) - float(ndtri(CAUTION)) * error
    return OwnAdvantage(found.advantage, ends, found.pvalue, least)


def _changed(far: Pool, edge: Pool, near: Pool) -> Pool:
    """Return the shape of `far` with the moments of `edge`, changed as they change from `near` to `far`."""
    variance = edge.sd**2 * ((far.sd / near.sd) ** 2 if near.sd > 0 else 1.0)
    mean = edge.mean + far.mean - near.mean
    grid = with_moments(far.grid, mean / far.step, variance / far.step**2)
    return replace(far, grid=grid, mean=mean, sd=math.sqrt(variance))
