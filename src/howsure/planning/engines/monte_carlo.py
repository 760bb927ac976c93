"""The Monte-Carlo engine: what designs may expect, and the power of any test, by simulating whole studies.

`MonteCarloEngine` is for metrics without item scores. `simulated` is the power of a test on simulated data sets. Tests
that see only the advantage of each item have a faster way (`pool_power`). Welch's t and the nulls that resample
responses need whole data sets, and metrics without item scores are compared as `compare` does.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from howsure._random import child, generator, map_blocks
from howsure.data.scales import FloatArray
from howsure.data.summaries import Needs
from howsure.errors import ArgumentError
from howsure.inference import expected_pvalue
from howsure.inference.edgeworth import symmetric_tails
from howsure.intervals import interval
from howsure.metrics import AdditiveMetric, ItemMetric, Metric
from howsure.models import simulate_advantages
from howsure.models.simulation import derive
from howsure.nulls import NULLS, SIGN_FLIP, WELCH, Tails
from howsure.nulls.mixed_responses import PermutedResponses, PooledResponses
from howsure.nulls.student import welch
from howsure.planning.engines.base import DesignOutlook, TestPower
from howsure.planning.engines.decisions import RESAMPLING, Test
from howsure.planning.engines.exact import MATTERS, student_width
from howsure.planning.engines.item_scores import Setting
from howsure.planning.engines.pool_power import NUMBERS, binomial_error
from howsure.resampling.units import draw_signs, scorer_of_sides

FIRST_STUDIES, MOST_STUDIES = 1000, 50_000
"""Studies simulated at first, and at most, where the user does not say how many."""

SIMULATED_DATA_SETS = 2000
"""Data sets drawn from the response model."""

COMPARED_DATA_SETS, COMPARED_DRAWS = 400, 199
"""Data sets compared one by one, and their draws, where there is no faster way: the power's error is at most .025."""

EXCHANGED_DATA_SETS = 400
"""Data sets whose items are exchanged, for metrics without item scores: the power's error is at most .025."""

EXCHANGES = (20, 30, 50, 99)
"""Exchanges of each data set, batch after batch, 199 in all: as soon as the decision is certain, no more are drawn."""

BATCHES = 8
"""Data sets come in at least so many batches, for threads to share."""

CERTAIN = 2.5
"""A decision is certain so many standard errors away from the critical value; after n exchanges z errs by z / √(2n)."""


@dataclass(frozen=True)
class MonteCarloEngine:
    """Outlooks of one response model, ε and numbers of responses, by any metrics on the model's scale.

    With `n_simulations` the number of simulated
    studies is fixed, otherwise it grows until expected p-values that matter are known with the precision asked for.

    Examples
    --------
    >>> from howsure.metrics import resolve
    >>> from howsure.models import preset
    >>> setting = Setting(preset("normal"), (5, 5, 5), epsilon=0.3)
    >>> engine = MonteCarloEngine(setting, [resolve("rmse")], np.random.SeedSequence(0), n_simulations=200)
    >>> [outlook] = engine.outlooks(100)
    >>> outlook.advantage > 0
    True
    """

    setting: Setting
    metrics: Sequence[Metric]
    seed: np.random.SeedSequence
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
            self.setting.model,
            self.metrics,
            n_items=n_items,
            n_responses=self.setting.n_responses,
            epsilon=self.setting.epsilon,
            perturbation=self.setting.perturbation,
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


def simulated_power(
    setting: Setting,
    metric: Metric,
    n_items: int,
    test: Test,
    *,
    seed: np.random.SeedSequence,
    n: int | None = None,
    workers: int = 1,
) -> TestPower:
    """Return the power of any test, on data sets drawn from the response model; the same on any number of threads."""
    if not isinstance(metric, AdditiveMetric) and test.name == SIGN_FLIP.name:
        return _exchanged(setting, metric, n_items, test, seed=seed, n=n or EXCHANGED_DATA_SETS, workers=workers)
    if not isinstance(metric, AdditiveMetric):
        return _compared(setting, metric, n_items, test, seed=seed, n=n or COMPARED_DATA_SETS)
    n = n or SIMULATED_DATA_SETS
    if test.name == WELCH and not isinstance(metric, ItemMetric):
        raise ArgumentError(f"welch-t compares the scores of A with those of B, and {metric.name!r} gives neither one.")
    resamples = test.name in NULLS and NULLS[test.name].narrower
    width = 3 * max(setting.n_responses) if resamples else max(1, len(setting.model.scale.levels))

    def rejected(n_data_sets: int, stream: np.random.Generator) -> int:
        drawn = _drawn(setting, n_data_sets, n_items, "values" if resamples else metric.needs, stream)
        if resamples:
            deal = test.name == PermutedResponses.name
            tails = _resampled_responses(drawn, metric, setting, deal=deal, stream=stream)
        elif test.name == WELCH:
            assert isinstance(metric, ItemMetric)
            sign = -1 if metric.better == "lower" else 1
            _, tails = welch(*(sign * metric.item_scores(drawn[0], model) for model in drawn[1:]))
        else:
            tails = None
        decided = test.decide(metric.item_advantages(*drawn)) if tails is None else test.rejects_tails(tails)
        return int(decided.sum())

    return _share(rejected, n, n_items * width, seed=child(seed, "power by simulation", n_items), workers=workers)


def _share(
    rejected: Callable[[int, np.random.Generator], int],
    n: int,
    width: int,
    *,
    seed: np.random.SeedSequence,
    workers: int,
) -> TestPower:
    """Return the share of n data sets that are rejected; each batch has a stream of its own, so threads share them."""
    size = max(1, min(NUMBERS // width, n // BATCHES))

    def batch(number: int, start: int, stop: int) -> int:
        return rejected(stop - start, generator(seed, "batch", number))

    share = sum(map_blocks(batch, n, workers=workers, size=size)) / n
    return TestPower(share, binomial_error(share, n))


def _drawn(
    setting: Setting, n_data_sets: int, n_items: int, needs: Needs, stream: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Draw gold, A and B of data sets."""
    return setting.model.draw(
        n_data_sets,
        n_items,
        n_responses=setting.n_responses,
        epsilon=setting.epsilon,
        perturbation=setting.perturbation,
        needs=needs,
        rng=stream,
    )


def _resampled_responses(
    drawn: tuple[FloatArray, FloatArray, FloatArray],
    metric: AdditiveMetric,
    setting: Setting,
    *,
    deal: bool,
    stream: np.random.Generator,
    repeats: int = 4,
) -> Tails:
    """Return the tails of pooled or dealt responses.

    With items drawn too, a draw's advantage is a mean of independent scores, so its tail follows from their variance
    and fourth moment over all items; a few resampled scores of each item are enough to know these.
    """
    gold, a, b = drawn
    scale = setting.model.scale
    n_items = gold.shape[1]
    both = np.concatenate([a, b], axis=-1)
    second, fourth = np.zeros(len(gold)), np.zeros(len(gold))
    for _ in range(repeats):
        if deal:
            shuffled = stream.permuted(both, axis=-1)
            resampled = (gold, shuffled[..., : a.shape[-1]], shuffled[..., a.shape[-1] :])
        else:
            of_a, of_b = (_resample(both, side.shape[-1], stream) for side in (a, b))
            resampled = (_resample(gold, gold.shape[-1], stream), of_a, of_b)
        scores = metric.item_advantages(*(derive(side, "values", metric.needs, scale) for side in resampled))
        squares = np.square(scores)
        second += squares.mean(axis=1) / repeats
        fourth += np.square(squares).mean(axis=1) / repeats
    observed = metric.item_advantages(*(derive(side, "values", metric.needs, scale) for side in drawn)).mean(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        kurtosis = np.where(second > 0, fourth / second**2 - 3, 0.0) / n_items
    return symmetric_tails(observed, second / n_items, kurtosis)


def _resample(values: FloatArray, k: int, stream: np.random.Generator) -> FloatArray:
    chosen = stream.integers(0, values.shape[-1], (*values.shape[:-1], k), dtype=np.int32)
    return np.take_along_axis(values, chosen, axis=-1)


def _exchanged(
    setting: Setting,
    metric: Metric,
    n_items: int,
    test: Test,
    *,
    seed: np.random.SeedSequence,
    n: int,
    workers: int = 1,
) -> TestPower:
    """Exchange A and B in simulated data sets; for most, a few exchanges are enough to be certain of the result."""
    width = n_items * max(1, len(setting.model.scale.levels) if metric.needs == "counts" else 1)
    width *= max(setting.n_responses) if metric.needs in ("sorted", "values") else 1

    def rejected(n_data_sets: int, stream: np.random.Generator) -> int:
        sides = _drawn(setting, n_data_sets, n_items, metric.needs, stream)
        return rejected_by_exchange(metric, sides, metric.advantage(*sides), test, stream)

    if not getattr(metric, "vectorized", True):
        workers = 1  # threads would only wait for each other
    seed = child(seed, "power by swaps", n_items)
    return _share(rejected, n, width * max(EXCHANGES), seed=seed, workers=workers)


def rejected_by_exchange(
    metric: Metric, sides: Sequence[FloatArray], observed: FloatArray, test: Test, stream: np.random.Generator
) -> int:
    """Return in how many data sets exchanges of A and B item by item leave the observed advantage significant.

    `sides` are summaries of gold, A and B, (data sets, items, …). As soon as the decision on a data set is certain, it
    is exchanged no more.
    """
    level = test.tail * (1 + 1e-9)
    critical, sign = float(ndtri(1 - level)), -1.0 if test.alternative == "less" else 1.0
    observed = sign * observed
    undecided = np.flatnonzero(~np.isnan(observed))
    beyond = np.zeros((2, observed.size), dtype=np.int64)
    squares, drawn, rejected = np.zeros(observed.size), 0, 0
    for batch in EXCHANGES:
        if not undecided.size:
            break
        score = scorer_of_sides(metric, [side[undecided] for side in sides], exchanges=True)
        draws = sign * score(draw_signs(stream, (undecided.size, batch), sides[0].shape[1]))[0]
        here = observed[undecided, np.newaxis]
        tie = 1e-9 * np.maximum(np.abs(here), 1e-12)
        beyond[0, undecided] += (draws >= here - tie).sum(axis=1)
        beyond[1, undecided] += (draws <= here + tie).sum(axis=1)
        squares[undecided] += np.square(np.nan_to_num(draws)).sum(axis=1)
        drawn += batch
        fewest = beyond[0, undecided] if test.sides == 1 else beyond[:, undecided].min(axis=0)
        spread = np.sqrt(squares[undecided] / drawn)
        far = np.abs(observed[undecided]) if test.sides == 2 else observed[undecided]
        doubt, is_last = CERTAIN * critical / math.sqrt(2 * drawn), drawn == sum(EXCHANGES)
        lost = (fewest + 1) / (sum(EXCHANGES) + 1) > level
        lost |= (not is_last) & (far < (critical - doubt) * spread)
        won = ~lost & ((far > (critical + doubt) * spread) | is_last) & (fewest <= 1 + drawn * level)
        rejected += int(won.sum())
        undecided = undecided[~lost & ~won]
    return rejected


def _compared(
    setting: Setting, metric: Metric, n_items: int, test: Test, *, seed: np.random.SeedSequence, n: int
) -> TestPower:
    """Run `compare` on simulated tables: the slow way, and the only one for metrics without item scores."""
    from howsure.comparison.comparing import pvalue_of
    from howsure.comparison.procedure import Procedure

    if test.name not in RESAMPLING:
        known = ", ".join(RESAMPLING)
        raise ArgumentError(
            f"test {test.name!r} needs item scores, which metric {metric.name!r} does not have; use {known}."
        )
    how = Procedure(
        null=test.name,
        responses="bootstrap" if test.name == PooledResponses.name else "all",
        alternative=test.alternative,
        n_resamples=COMPARED_DRAWS,
    )
    rejected = 0
    for number in range(n):
        table = setting.model.table(
            n_items,
            setting.n_responses,
            epsilon=setting.epsilon,
            perturbation=setting.perturbation,
            rng=child(seed, "data set", n_items, number),
        )
        contest = table.contest(gold="gold", a="A", b="B")
        pvalue = pvalue_of(contest, metric=metric, procedure=how, rng=child(seed, "compare", n_items, number))
        rejected += pvalue <= test.alpha * (1 + 1e-9)
    return TestPower(rejected / n, binomial_error(rejected / n, n))
