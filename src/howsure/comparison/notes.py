"""What the reader must know about the data: values that spoil a comparison, and what few items cannot show."""

import math
from dataclasses import replace

import numpy as np

from howsure.comparison.results import EffectSizes
from howsure.data.contests import Contest
from howsure.data.scales import FloatArray
from howsure.documents import Aside, Caution
from howsure.documents.numbers import number
from howsure.inference import PValue
from howsure.inference.evidence import Evidence, quantiles
from howsure.intervals import FEW_TELLING, Interval, are_signs, telling
from howsure.metrics import Metric
from howsure.metrics.equal_runs import EqualRuns, typical_runs
from howsure.resampling import Scheme
from howsure.resampling.responses_kept import equally_many

SMALL = 30
"""With fewer items than this, the interval of an uneven metric may cover less than it says."""

FAR = 10
"""A value is far outside if it is this many widths of the middle 90% of values away from their middle."""


def check_magnitudes(contest: Contest) -> None:
    """Refuse values whose squares or sums are no longer numbers; the message names the first."""
    for role, source in contest.sources.items():
        source.check_magnitudes(_name(contest, role), contest.items)


def far_outside(contest: Contest) -> list[str]:
    """Say which value lies far outside all others: the result depends on it, and it is often a code for "missing"."""
    if contest.scale.kind == "nominal":
        return []
    values = np.concatenate([source.values for source in contest.sources.values()])
    low, high = quantiles(values, (0.05, 0.95))
    found = [
        (role, number)
        for role, source in contest.sources.items()
        for number in np.flatnonzero(np.abs(source.values - (low + high) / 2) > FAR * max(high - low, 0.0)).tolist()
    ]
    if not found or high == low:
        return []
    role, number = found[0]
    source = contest.sources[role]
    place = f"{_name(contest, role)}, item {contest.items[source.items[number]]}"
    more = f" (and {len(found) - 1:,} more)" if len(found) > 1 else ""
    return [
        f"{place}: the value {source.values[number]:g}{more} lies far outside the others, of which nearly all are "
        f"between {low:g} and {high:g}. If it is an error or a code for a missing answer, leave it out: the result "
        "depends on it."
    ]


def _name(contest: Contest, role: str) -> str:
    return dict(zip(("gold", "a", "b"), contest.names, strict=True))[role] or role


def small(contest: Contest, tail: PValue) -> list[str]:
    """Say which p-value is the smallest possible, where few items are enumerated; an undecided verdict says it, too."""
    if not tail.exact or contest.n_items > 5:
        return []
    one_sided = 1 / 2**contest.n_items
    return [
        Aside(
            f"With {contest.n_items} item{'s' * (contest.n_items > 1)} no p-value below {2 * one_sided:.4g} is "
            f"possible ({one_sided:.4g} one-sided)."
        )
    ]


def unequal(contest: Contest, metric: Metric) -> list[str]:
    """Say that the model with more runs is scored as if it had as many as the other."""
    if not isinstance(metric, EqualRuns):
        return []
    of_a, of_b = typical_runs(contest)
    if of_a != of_b:
        said = f"{_runs(contest)}: both are scored as if they had {min(of_a, of_b)}"
        return [f"{said}. Averages of more runs are closer to gold even if models are equally good."]
    n = int(np.count_nonzero(contest.a.sizes != contest.b.sizes))
    return [Aside(f"A and B have unequally many runs on {n:,} of {contest.n_items:,} items: there both count as many.")]


def with_equal_runs(contest: Contest) -> Contest:
    """Return the contest with equally many runs of A and B on each item, and a note that says so."""
    said = f"{_runs(contest)}: as many runs of A as of B are compared, chosen at random."
    if len(set(typical_runs(contest))) == 1:
        said = Aside("Where A and B have unequally many runs, as many of A as of B are compared, chosen at random.")
    return replace(equally_many(contest), notes=(*contest.notes, said))


def _runs(contest: Contest) -> str:
    of_a, of_b = typical_runs(contest)
    return f"A has {of_a} run{'s' * (of_a > 1)} per item, B {of_b}"


def uneven(metric: Metric, contest: Contest) -> list[str]:
    """Say that a small sample may lack the few items on which the metric depends."""
    if not metric.uneven or (contest.n_items >= SMALL and metric.additive):
        return []
    return [
        f"The {'mean of ' * metric.additive}{metric.name} depends on a few items, which a sample of {contest.n_items} "
        "may lack, so the interval may be too narrow. Add items, or use mae, tv or js."
    ]


def few(metric: Metric, evidence: Evidence, interval: Interval, *, items_alone: bool) -> list[str]:
    """Say that a resampled interval is rough where A and B are equal on nearly all items, and name a better one.

    There is a better one only where nothing but items is resampled.
    """
    items = evidence.items[0]
    by_jackknife = not items.size and not evidence.unit_sizes.size and type(metric).error is Metric.error
    if by_jackknife and evidence.df[0] + 1 < min(FEW_TELLING, evidence.n_units):
        return [
            Caution(
                f"A and B differ on only {evidence.df[0] + 1:.0f} of {evidence.n_units:,} items: a 95% interval of "
                f"{metric.name} covers 87% to 94% then."
            )
        ]
    if not items.size or interval.sparse:
        return []
    differ = telling(items)
    if not 0 < differ < FEW_TELLING <= items.size:
        return []
    found = (
        f"A and B differ by {metric.name} on only {differ} of {items.size:,} items: a {interval.name} interval is rough"
    )
    better = "score" if are_signs(items) else "symmetric"
    return [f"{found}. Use `interval={better!r}`." if items_alone else f"{found}."]


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


def without_spread(sizes: EffectSizes, contest: Contest) -> list[str]:
    """Say why effect sizes in standard deviations, which are details, are undefined although there are item scores."""
    if math.isnan(sizes.win_rate) or not math.isnan(sizes.hedges_g):
        return []
    if not math.isnan(sizes.cohen_d):
        return [Aside(f"Hedges' g is undefined with {contest.n_items} items.")]
    why = "A and B differ by the same amount on every item" if contest.n_items > 1 else "there is one item"
    return [Aside(f"Cohen's d and Hedges' g are undefined: {why}.")]
