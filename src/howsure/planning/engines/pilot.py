"""Designs of a pilot with A and B: its own item advantages, subsampled where a design has fewer responses than it.

Any k of an item's K responses, drawn without replacement, are k responses as a study would collect them. So the
advantages of subsampled items have exactly the distribution of a study with k responses (a U-statistic): nothing is
assumed, and with all K responses they are the pilot's own advantages. Beyond K, a model of the items without their
noise (`DeconvolvedModel`) says how mean and variance of the advantages change from K on; at K both ways agree.

A given difference changes the weights of items: those on which A is better count more, until the advantage is the one
asked for. Items on which A and B agree keep their share.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from howsure import _random
from howsure.contests import Contest
from howsure.errors import ArgumentError
from howsure.inference import ConfidenceInterval
from howsure.metrics import AdditiveMetric
from howsure.models import DeconvolvedModel
from howsure.models.answers import Answers
from howsure.models.simulation import derive
from howsure.planning.designs import Design
from howsure.planning.engines.base import DesignOutlook, TestPower
from howsure.planning.engines.exact import PoolPair
from howsure.planning.engines.item_scores import Sizes
from howsure.planning.engines.model import ModelEngine
from howsure.planning.engines.pool_power import first_guess, power_from_pool
from howsure.planning.engines.score_pools import ON_GRID, Pool, grid_step
from howsure.planning.engines.score_sums import SumGrid, symmetrised, with_mean, with_moments
from howsure.planning.engines.simulated_pvalues import ON_ADVANTAGES, Test, combine, sign_flip
from howsure.planning.request import Effect, Scenario
from howsure.resampling import ratio_error
from howsure.responses import Responses, cluster_codes
from howsure.scales import FloatArray
from howsure.summaries import grid as rows_of
from howsure.summaries import summarise

SUBSETS, SUBSET_RESPONSES = 1 << 18, 1 << 23
"""Most subsets of responses that are scored, of all items together; fewer where they are long."""

SETS = 512
"""Most subsets of one item's responses that are scored."""

RESAMPLES = 1999
"""Bootstrap samples of the pilot's items."""

SPREAD, DRAWN = 1 << 13, 1 << 21
"""Items drawn from the model where a design goes beyond the pilot, and their responses in all."""


@dataclass(frozen=True, slots=True, eq=False)
class PilotAdvantages:
    """The advantages of the pilot's items at one number of responses: mean and mean square of each item.

    Beyond the pilot, the model adds `shift` to the mean and multiplies the variance by `stretch`.
    """

    pair: PoolPair
    null: Pool
    means: FloatArray
    squares: FloatArray
    shift: float = 0.0
    stretch: float = 1.0

    def variances(self, weights: FloatArray) -> FloatArray:
        """Return the variance of single items' advantages for rows of weights."""
        return np.maximum(weights @ self.squares - np.square(weights @ self.means), 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """Which items belong together: a study draws whole clusters, and its test exchanges whole clusters.

    Attributes
    ----------
    codes : array of int
        The cluster of each item.
    sizes : array of float
        The items of each cluster.
    """

    codes: npt.NDArray[np.int64]
    sizes: FloatArray

    @classmethod
    def of(cls, contest: Contest, cluster: str) -> "Clusters":
        """Take the clusters of a column."""
        _, codes = cluster_codes(contest.groups, cluster)
        return cls(codes, np.bincount(codes).astype(np.float64))

    @property
    def n(self) -> int:
        """How many there are."""
        return self.sizes.size

    @property
    def per_cluster(self) -> float:
        """Items of a cluster, on average."""
        return float(self.sizes.mean())

    def sums(self, values: FloatArray) -> FloatArray:
        """Return sums over the items of each cluster, along the last axis."""
        order = np.argsort(self.codes, kind="stable")
        starts = np.concatenate([[0], np.cumsum(self.sizes)[:-1]]).astype(np.int64)
        return np.asarray(np.add.reduceat(values[..., order], starts, axis=-1))

    def weighed(self, weights: FloatArray) -> FloatArray:
        """Return how much each cluster counts, given how much its items do."""
        found = self.sums(weights) / self.sizes
        return np.asarray(found / found.sum(axis=-1, keepdims=True))

    def advantages(self, scores: FloatArray, weights: FloatArray) -> FloatArray:
        """Return the advantage of each cluster, (sets, clusters): how far it moves the mean over all items.

        For clusters of equal size it is their mean; large ones move the mean more, as they do in `compare`.
        """
        mean = math.fsum(weights * scores.mean(axis=0))
        off = self.sums(weights * (scores - mean)) / self.sums(weights)
        return np.asarray(mean + self.sizes / self.per_cluster * off)

    def variances(self, weights: FloatArray, means: FloatArray, squares: FloatArray) -> FloatArray:
        """Return the variance of these advantages for rows of weights, from mean and mean square of each item."""
        centre = (weights @ means)[:, np.newaxis]
        inside = self.sums(weights)
        inside = np.where(inside > 0, inside, 1.0)  # a cluster that was not drawn does not count
        off = self.sums(weights * means) / inside - centre
        noise = self.sums(np.square(weights) * np.maximum(squares - np.square(means), 0.0)) / np.square(inside)
        each = np.square(self.sizes / self.per_cluster) * (np.square(off) + noise)
        return np.asarray((self.weighed(weights) * each).sum(axis=1))


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


def pool_of(scores: FloatArray, weights: FloatArray, *, step: float | None = None, unbiased: bool = True) -> Pool:
    """Return the distribution of a score: every set of responses counts equally, every item by its weight."""
    n_sets, n_items = scores.shape
    step = grid_step(scores.ravel()) if step is None else step
    scaled = scores / step
    points = np.rint(scaled)
    low = int(points.min())
    counts = np.bincount((points - low).astype(np.int64).ravel(), np.tile(weights / n_sets, n_sets))
    means = scores.mean(axis=0)
    mean = math.fsum(weights * means)  # an advantage of zero is zero, without the rounding of a sum
    of_squares = float(weights @ np.square(scores).mean(axis=0))
    kish = float(np.square(weights).sum()) if unbiased else 0.0
    # Items that were drawn vary less around their own mean than around that of all items.
    variance = max(of_squares - mean**2, 0.0) / (1 - kish) if kish < 1 else 0.0
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


def moved_pool(pool: Pool, mean: float) -> Pool | None:
    """Return the pool with another mean; scores of zero keep their share. None where no weights give that mean."""
    points, shares = pool.grid.points, pool.grid.shares
    zero = points == 0
    ties = 0.0 if pool.off_grid else float(shares[zero].sum())
    if pool.off_grid:
        zero = np.zeros_like(zero)
    if ties >= 1:
        return None
    wanted = mean / pool.step / (1 - ties)
    rest = np.where(zero, 0.0, shares) / (1 - ties)
    likely = points[rest > 0]
    if not likely.min() < wanted < likely.max():
        return None
    moved = with_mean(SumGrid(pool.grid.low, rest), wanted)
    if abs(moved.mean - wanted) > 1e-6 * max(1.0, abs(wanted)):
        return None
    grid = SumGrid(pool.grid.low, moved.shares * (1 - ties) + np.where(zero, shares, 0.0))
    return replace(pool, grid=grid, mean=mean, sd=math.sqrt(grid.variance) * pool.step)


def moved_weights(advantages: FloatArray, weights: FloatArray, effect: Effect, *, strict: bool = True) -> FloatArray:
    """Return weights exp(θ d) of the items, with θ such that each row's mean advantage is the effect's; ties stay.

    Rows for which there is no such θ keep their weights, unless that is an error (`strict`).
    """
    largest = float(np.abs(advantages).max())
    tied = np.abs(advantages) <= 1e-12 * max(largest, 1e-300)
    ties = weights[:, tied].sum(axis=1)
    rest = np.where(tied, 0.0, weights)
    reach = advantages[~tied]
    can = np.zeros(len(weights), dtype=bool)
    if reach.size:
        wanted = effect.advantage / np.maximum(1 - ties, 1e-300)
        top = np.where(rest > 0, advantages, -np.inf).max(axis=1)
        bottom = np.where(rest > 0, advantages, np.inf).min(axis=1)
        can = (bottom < wanted) & (wanted < top)
    if strict and not can.all():
        differ = 1 - float(ties[0])
        most = differ * float(reach.max()) if reach.size else 0.0
        raise ArgumentError(
            f"an advantage of {effect.advantage:g} in {effect.metric.name} is not possible with the "
            f"pilot's items: A and "
            f"B differ on {100 * differ:.0f}% of them, and the largest is {most:.4g}."
        )
    z = advantages / max(largest, 1e-300)
    goal = np.where(can, effect.advantage / np.maximum(1 - ties, 1e-300) / max(largest, 1e-300), 0.0)
    low, high = np.full(len(weights), -200.0), np.full(len(weights), 200.0)
    middle, out = np.zeros(len(weights)), rest
    for _ in range(48):
        logs = middle[:, np.newaxis] * z
        logs -= logs.max(axis=1, keepdims=True)
        out = np.exp(logs, out=logs)
        out *= rest
        out /= np.maximum(out.sum(axis=1, keepdims=True), 1e-300)
        off = out @ z - goal
        if np.abs(off[can]).max(initial=0.0) < 1e-14:
            break
        low, high = np.where(off > 0, low, middle), np.where(off > 0, middle, high)
        # Newton's step, as the mean grows with θ by the variance; halving where that leaves what is left of the range.
        middle = middle - off / np.maximum(out @ np.square(z) - np.square(off + goal), 1e-300)
        middle = np.where((low <= middle) & (middle <= high), middle, (low + high) / 2)
    moved = out * (1 - ties)[:, np.newaxis] + np.where(tied, weights, 0.0)
    return np.where(can[:, np.newaxis], moved, weights)


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
        cluster = self.request.cluster
        self.own: Sizes = tuple(max(1, round(contest.n_responses.get(role, 1))) for role in ("gold", "a", "b"))  # type: ignore[assignment]
        self.clusters = None if cluster is None else Clusters.of(contest, cluster)
        self._found: dict[tuple[Sizes, int], PilotAdvantages] = {}
        self._drawn: dict[tuple[Sizes, int], tuple[FloatArray, FloatArray]] = {}

    @cached_property
    def weights(self) -> FloatArray:
        """How much each item counts: all equally, or as the given difference needs it."""
        n_items = self.contest.n_items
        alike = np.full((1, n_items), 1 / n_items)
        if self.request.effect is None:
            return np.asarray(alike[0])
        return np.asarray(moved_weights(self._moving, alike, self.request.effect)[0])

    @cached_property
    def _moving(self) -> FloatArray:
        """The pilot's item advantages by the metric in which the difference is given."""
        assert self.request.effect is not None
        metric = self.request.effect.metric.on(self.contest.scale)
        if not isinstance(metric, AdditiveMetric):
            raise ArgumentError(
                f"a difference in {metric.name!r} cannot change the weights of items: it has no item scores."
            )
        return self.observed(metric)

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
        return DeconvolvedModel.of(self.contest, None if self.request.effect is None else self.weights)

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

    def guess(self, design: Design, test: Test, target: float) -> int:
        """Return about how many items it takes, by the normal formula."""
        if self._additive(0) is None:
            return 64
        per = 1.0 if self.clusters is None else self.clusters.per_cluster
        return first_guess(self.scores(design.sizes, 0).pair.pool, test, target, per_unit=per)

    def detectable(self, design: Design, metric: int, test: Test, target: float) -> tuple[float, float]:
        """Return the smallest advantage that is found with this power: items are weighted until it is."""
        if self._additive(metric) is None or test.name not in ON_ADVANTAGES:
            return math.nan, math.nan
        pool = self.scores(design.sizes, metric).pair.pool
        n = design.n_units
        needed = float(ndtri(1 - test.tail) + ndtri(target))
        advantage = needed * pool.sd / math.sqrt(n)
        seed = _random.child(self.scenario.seed, *design.sizes)
        for _ in range(4):
            moved = moved_pool(pool, advantage)
            if moved is None:
                return math.nan, math.nan
            found = power_from_pool(moved, n, test, seed=seed).power
            lack = float(ndtri(target) - ndtri(min(max(found, 0.001), 0.999)))
            if abs(found - target) < 0.005:
                break
            advantage *= max(0.5, min(2.0, 1 + lack / needed))
        return advantage, math.nan

    def scores(self, n_responses: Sizes, metric: int) -> PilotAdvantages:
        """Return the advantages of the pilot's items at these numbers of responses."""
        sizes = n_responses
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
        pool = self._pool(scores)
        null = self._pool(self._dealt(sizes, metric, max(n_sets, 64), of_gold, stream), step=pool.step)
        symmetric = sizes[1] == sizes[2]
        null = mirrored(null) if symmetric else null
        pair = PoolPair(pool, null, symmetric=symmetric)
        return PilotAdvantages(pair, null, scores.mean(axis=0), np.square(scores).mean(axis=0))

    def _pool(self, scores: FloatArray, *, step: float | None = None) -> Pool:
        """Return the distribution of the advantages of items, or of clusters."""
        if self.clusters is None:
            return pool_of(scores, self.weights, step=step)
        found = pool_of(self.clusters.advantages(scores, self.weights), self.clusters.weighed(self.weights), step=step)
        return replace(found, mean=math.fsum(self.weights * scores.mean(axis=0)))

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
        far, near = (pool_of(scores, weights, unbiased=False) for scores in (far_scores, near_scores))
        mixed = [drawn(sides[1], k, other=sides[2])[0] for k in sizes[1:]]
        null = pool_of(metric.item_advantages(here[0][0], *mixed), weights, step=far.step, unbiased=False)
        shift = far.mean - near.mean
        stretch = (far.sd / near.sd) ** 2 if near.sd > 0 else 1.0
        start = edge.pair.pool
        symmetric = sizes[1] == sizes[2]
        null = mirrored(null) if symmetric else null
        if self.clusters is not None:
            # The noise of responses belongs to single items and shrinks in a cluster's mean; what items share stays.
            per, grid = self.clusters.per_cluster, edge.null.grid
            alone = float(edge.variances(self.weights[np.newaxis])[0])
            stretch = max(0.01, 1 + (stretch - 1) * alone / per / start.sd**2) if start.sd > 0 else 1.0
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
        return PilotAdvantages(pair, null, edge.means, edge.squares, shift + edge.shift, stretch * edge.stretch)

    def resampled(self, n_responses: Sizes, metric: int) -> tuple[FloatArray, FloatArray]:
        """Return mean and standard deviation of the advantages in bootstrap samples of the pilot's items."""
        key = (n_responses, metric)
        if key not in self._drawn:
            found = self.scores(n_responses, metric)
            weights = self._resampled_weights
            units = self.weights if self.clusters is None else self.clusters.weighed(self.weights)
            unbiased = 1 / (1 - float(np.square(units).sum()))
            means = weights @ found.means + found.shift
            variances = (
                found.variances(weights)
                if self.clusters is None
                else self.clusters.variances(weights, found.means, found.squares)
            )
            self._drawn[key] = means, np.sqrt(variances * unbiased * found.stretch)
        return self._drawn[key]

    @cached_property
    def _resampled_weights(self) -> FloatArray:
        """How much each item counts in each bootstrap sample, changed as the given difference needs it."""
        stream = _random.generator(self.scenario.seed, "pilot items")
        n_items = self.contest.n_items
        n_units = n_items if self.clusters is None else self.clusters.n
        drawn = stream.multinomial(n_units, np.full(n_units, 1 / n_units), RESAMPLES).astype(np.float64)
        if self.clusters is not None:
            drawn = drawn[:, self.clusters.codes]
        drawn /= drawn.sum(axis=1, keepdims=True)
        effect = self.request.effect
        return drawn if effect is None else moved_weights(self._moving, drawn, effect, strict=False)

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
        if self.clusters is None or self._additive(metric) is None:
            return 1.0
        found = self.scores(self.own, metric)
        alone = float(found.variances(self.weights[np.newaxis])[0]) / (self.contest.n_items - 1)
        return found.pair.pool.sd**2 / self.clusters.n / alone if alone > 0 else 1.0

    def own_advantage(self, metric: int = 0) -> tuple[float, ConfidenceInterval | None, float]:
        """Return the pilot's own advantage, its interval, and the p-value of swapped items; NaN where there is none."""
        found = self._additive(metric)
        if found is None or self.contest.n_items < 2:
            return math.nan, None, math.nan
        advantages = self.observed(found)
        from scipy.special import stdtrit

        level = self.request.confidence_level
        sums, sizes = advantages, np.ones_like(advantages)
        if self.clusters is not None:
            sums, sizes = self.clusters.sums(advantages), self.clusters.sizes
        reach = float(stdtrit(sums.size - 1, (1 + level) / 2)) * ratio_error(sums, sizes)
        mean = float(advantages.mean())
        p = float(combine(sign_flip(sums[np.newaxis]), "two-sided")[0])
        return mean, ConfidenceInterval(mean - reach, mean + reach, "t", level), p
