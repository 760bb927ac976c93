"""What the data show before anything is resampled: moments, effect sizes, and notes on what they cannot show."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from howsure import inference
from howsure.comparison.comparisons import EffectSizes, ItemScores
from howsure.comparison.drawn_answers import tested
from howsure.contests import Contest
from howsure.documents.numbers import number
from howsure.inference import PValue, SignFlips
from howsure.metrics import AdditiveMetric, ItemMetric, Metric
from howsure.resampling import Scheme, cluster_sums, jackknife, ratio_error, summaries_of
from howsure.responses import Labels, frozen
from howsure.scales import FloatArray, IntArray

MARKED, SURPRISING = 1.0, 2.58
"""Item advantages are markedly skewed if their skewness is at least the first, and the second times its error."""

SMALL = 30
"""With fewer items than this, the interval of an uneven metric may cover less than it says."""


class Moments(NamedTuple):
    """How certain an advantage is, by its items: its standard error, degrees of freedom, and the jackknife."""

    standard_error: float
    df: float
    jackknife: FloatArray


def rounding_of(metric: Metric, contest: Contest) -> float:
    """Return how far apart two advantages may be that are equal on paper.

    Errors are small differences of responses that may be large: 1000.3 − 1000.1 and 1000.2 − 1000.0 differ by 1e-13.
    """
    return float(roundings_of(metric, contest, np.array([0, contest.n_items]))[0])


def roundings_of(metric: Metric, contest: Contest, starts: IntArray) -> FloatArray:
    """Return the same for each run of items, from one of the starts to the next."""
    sources = contest.sources.values()
    largest = np.max([np.maximum.reduceat(np.abs(each.values), each.offsets[starts[:-1]]) for each in sources], axis=0)
    unitless = metric.needs == "counts" or metric.ignores
    return np.asarray(100 * float(np.finfo(np.float64).eps) * (np.maximum(largest, 1.0) if unitless else largest))


def settled(advantages: FloatArray, observed: float | FloatArray, rounding: float | FloatArray) -> FloatArray:
    """Return the advantages; those that differ from the observed one only by rounding are made equal to it."""
    return frozen(np.where(np.abs(advantages - observed) <= rounding, observed, advantages))


def moments(
    metric: Metric,
    gold: Any,
    a: FloatArray,
    b: FloatArray,
    *,
    contest: Contest,
    rounding: float,
    clusters: IntArray | None,
) -> Moments:
    """Return the standard error of the advantage with its degrees of freedom, and the advantages with items left out.

    The error is that of the item advantages where there are any, else the metric's own formula, else the jackknife's.
    """
    if not isinstance(metric, AdditiveMetric):
        left = jackknife(contest, metric, clusters)
        formula = metric.error(gold, a, b) if clusters is None else None
        if formula is not None:
            return Moments(*formula, left)
        return Moments(_jackknife_error(left, rounding), left.size - 1.0, left)
    advantages = metric.item_advantages(gold, a, b)
    if clusters is not None:
        sums, sizes = cluster_sums(advantages, clusters)
        left = (sums.sum() - sums) / (sizes.sum() - sizes)
        return Moments(ratio_error(sums, sizes), sums.size - 1.0, left)
    error, df, left = moments_of_mean(advantages, rounding)
    return Moments(float(error), df, left)


def moments_of_mean(advantages: FloatArray, rounding: float | FloatArray) -> tuple[FloatArray, float, FloatArray]:
    """Return the moments of a mean of item advantages; the last axis is items, and of several rows each has its own."""
    n = advantages.shape[-1]
    if n < 2:
        return np.full(advantages.shape[:-1], np.nan), math.nan, np.full(advantages.shape, np.nan)
    spread = np.where(np.ptp(advantages, axis=-1) <= rounding, 0.0, advantages.std(axis=-1, ddof=1))
    return spread / math.sqrt(n), n - 1.0, (advantages.sum(axis=-1, keepdims=True) - advantages) / (n - 1)


def _jackknife_error(left: FloatArray, rounding: float) -> float:
    """Return the jackknife's standard error; 0 where leaving out an item changes nothing, NaN where it is undefined."""
    if left.size < 2 or np.isnan(left).any():
        return math.nan
    if np.ptp(left) <= rounding:
        return 0.0
    return math.sqrt((left.size - 1) / left.size * float(np.square(left - left.mean()).sum()))


def item_advantages(metric: Metric, contest: Contest) -> FloatArray | None:
    """Return how much better A is than B on each item, 0 where that is rounding; None without item scores."""
    found = item_advantages_of(metric, *summaries_of(contest, metric.needs))
    return None if found is None else settled(found, 0.0, rounding_of(metric, contest))


def item_advantages_of(metric: Metric, gold: Any, a: FloatArray, b: FloatArray) -> FloatArray | None:
    """Return the same from summaries, without rounding."""
    return metric.item_advantages(gold, a, b) if isinstance(metric, AdditiveMetric) else None


def item_scores(metric: Metric, gold: Any, a: FloatArray, b: FloatArray, items: Labels) -> ItemScores | None:
    """Return what each item says; None for a metric without item scores."""
    if not isinstance(metric, AdditiveMetric):
        return None
    advantages = np.asarray(metric.item_advantages(gold, a, b))
    if not isinstance(metric, ItemMetric):
        return ItemScores(items, advantages, np.empty(0), np.empty(0))
    return ItemScores(items, advantages, *(np.asarray(metric.item_scores(gold, side)) for side in (a, b)))


def flips_of(
    metric: Metric, gold: Any, a: FloatArray, b: FloatArray, *, rounding: float, clusters: IntArray | None
) -> SignFlips | None:
    """Return the exact tails of swapped items, or clusters; None without item scores, and where they must be drawn."""
    if not isinstance(metric, AdditiveMetric):
        return None
    advantages = metric.item_advantages(gold, a, b)
    if clusters is None:
        return inference.sign_flips(advantages, rounding=rounding)
    sums, sizes = cluster_sums(advantages, clusters)
    return inference.sign_flips(sums, rounding=rounding * float(sizes.max()))


def effects(metric: Metric, gold: Any, a: FloatArray, b: FloatArray) -> EffectSizes:
    """Return the effect sizes of a metric with item scores; NaN for the others."""
    if not isinstance(metric, AdditiveMetric):
        return EffectSizes()
    scores = [metric.item_scores(gold, side) for side in (a, b)] if isinstance(metric, ItemMetric) else None
    return EffectSizes(*effects_of_items(metric, metric.item_advantages(gold, a, b), scores))


def effects_of_items(metric: Metric, advantages: FloatArray, scores: Sequence[FloatArray] | None) -> tuple[Any, ...]:
    """Return the effect sizes of item advantages and of the scores of A and B; the last axis is items."""
    delta = math.nan if scores is None else inference.cliffs_delta(*scores)
    delta = -delta if metric.better == "lower" else delta
    return inference.cohen_dz(advantages), inference.hedges_g(advantages), inference.win_rate(advantages), delta


def without_spread(sizes: EffectSizes, contest: Contest) -> list[str]:
    """Say why effect sizes in standard deviations are undefined although there are item scores."""
    if math.isnan(sizes.win_rate) or not math.isnan(sizes.hedges_g):
        return []
    if not math.isnan(sizes.cohen_d):
        return [f"Hedges' g is undefined with {contest.n_items} items."]
    why = "A and B differ by the same amount on every item" if contest.n_items > 1 else "there is one item"
    return [f"Cohen's d and Hedges' g are undefined: {why}."]


def small(contest: Contest, tail: PValue) -> list[str]:
    """Say which p-value is the smallest possible, where few items are enumerated."""
    if not tail.exact or contest.n_items > 5:
        return []
    one_sided = 1 / 2**contest.n_items
    return [
        f"With {contest.n_items} item{'s' * (contest.n_items > 1)} no p-value below {2 * one_sided:.4g} is possible "
        f"({one_sided:.4g} one-sided)."
    ]


def unequal(contest: Contest, metric: Metric) -> list[str]:
    """Say that a mean of more responses is closer to gold, so that equally good models would be called different."""
    of_a, of_b = contest.a.n_responses, contest.b.n_responses
    soft = contest.a.weights is not None or contest.b.weights is not None
    if of_a == of_b or metric.per_response or soft:
        return []
    return [
        f"A has {of_a:.4g} and B {of_b:.4g} responses per item. Averages of more responses are closer to gold, even if "
        "the models are equally good. Compare equally many with `responses='equal'`."
    ]


def uneven(metric: Metric, contest: Contest) -> list[str]:
    """Say that a small sample may lack the few items on which the metric depends."""
    if not metric.uneven or (contest.n_items >= SMALL and metric.additive):
        return []
    return [
        f"The {'mean of ' * metric.additive}{metric.name} depends on a few items, which a sample of {contest.n_items} "
        "may lack, so the interval may be too narrow (docs/audit-defaults.md). Add items, or use mae, tv or js."
    ]


def sparse(metric: Metric, gold: Any, a: FloatArray, b: FloatArray) -> list[str]:
    """Say that a studentised test has too little to resample where few items tell A and B apart."""
    advantages = item_advantages_of(metric, gold, a, b)
    differ = 0 if advantages is None else inference.telling(advantages)
    if advantages is None or differ >= inference.FEW_TELLING:
        return []
    return [
        f"A and B differ by {metric.name} on only {differ} of {advantages.size:,} items: the studentised test has too "
        "little to resample and may reject far too often. Use `null='sign-flip'`."
    ]


def skewed(
    metric: Metric,
    advantages: FloatArray | None,
    *,
    draws: FloatArray,
    standard_errors: FloatArray,
    standard_error: float,
    alternative: str,
) -> list[str]:
    """Say that item advantages are skewed, where swapped items assume symmetry, and what a studentised test says."""
    if advantages is None or not standard_error > 0 or np.isnan(standard_errors).all():
        return []
    if inference.are_signs(advantages) or inference.telling(advantages) < inference.FEW_TELLING:
        return []
    estimate, (skewness, least) = float(advantages.mean()), skewness_of(advantages)
    if abs(skewness) < least:
        return []
    null = inference.studentised_draws(draws, estimate, standard_errors=standard_errors, standard_error=standard_error)
    found = tested("studentised", estimate, null, error=None, flips=None, alternative=alternative, exact=False)
    return [
        f"Item differences in {metric.name} are markedly skewed (skewness {skewness:.2g}), but the sign-flip test "
        "assumes symmetry if A and B are equally good. The studentised bootstrap test does not: "
        f"p {'<' if found.is_bound else '='} {found.pvalue:.2g} (`null='studentised'`)."
    ]


def skewness_of(advantages: FloatArray) -> tuple[Any, float]:
    """Return the skewness of item advantages, the last axis being items, and how large a marked one is at least."""
    n = advantages.shape[-1]
    centred = (advantages - advantages.mean(axis=-1, keepdims=True)) / advantages.std(axis=-1, keepdims=True)
    by_chance = math.sqrt(6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3)))
    return math.sqrt(n * (n - 1)) / (n - 2) * (centred**3).mean(axis=-1), max(MARKED, SURPRISING * by_chance)


def few(metric: Metric, gold: Any, a: FloatArray, b: FloatArray, *, interval: str, resamples_items: bool) -> list[str]:
    """Say that a resampled interval is rough where A and B are equal on nearly all items, and name a better one.

    There is a better one only where nothing but items is resampled.
    """
    if not isinstance(metric, AdditiveMetric) or interval in ("symmetric", "score"):
        return []
    advantages = metric.item_advantages(gold, a, b)
    differ = inference.telling(advantages)
    if not 0 < differ < inference.FEW_TELLING <= advantages.size:
        return []
    found = (
        f"A and B differ by {metric.name} on only {differ} of {advantages.size:,} items: a {interval} interval is rough"
    )
    better = "score" if inference.are_signs(advantages) else "symmetric"
    return [f"{found}. Use `interval={better!r}`." if resamples_items else f"{found}."]


def off_centre(scheme: Scheme, advantage: float, draws: FloatArray) -> list[str]:
    """Say that draws with resampled responses lie elsewhere than the advantage, where that matters.

    An interval that is off by a tenth of its standard error still covers 94.9% of the time instead of 95.
    """
    known = draws[~np.isnan(draws)]
    if scheme.responses != "bootstrap" or scheme.raters != "fixed" or math.isnan(advantage) or known.size < 2:
        return []
    centre, error = float(known.mean()), float(known.std())
    by_chance = 3 / math.sqrt(known.size)
    if abs(centre - advantage) <= max(0.1, by_chance) * error:
        return []
    return [
        "Resampling the responses adds their noise a second time, which moves the advantage: "
        f"{number(centre, error)} on average over the resamples, {number(advantage, error)} in the data. The interval "
        "is moved as much. `responses='all'` gives the interval of the data."
    ]
