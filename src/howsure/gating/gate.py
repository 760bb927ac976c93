"""May the candidate replace the baseline? Measures all items and slices, bounds what is missing, and decides."""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from howsure import _matrices
from howsure.comparison import Comparison, Procedure
from howsure.comparison.comparing import compare_each
from howsure.comparison.default_metric import bind, metrics_for
from howsure.comparison.missing import PREFERENCES, filled
from howsure.data.contests import Contest
from howsure.data.responses import Responses
from howsure.documents import Aside
from howsure.documents.numbers import counted
from howsure.errors import DataError, HowsureWarning
from howsure.gating.gauges import ComparisonGauge, Gauge, GuardedStudentGauge, JudgedGauge, ScoreGauge, gauge_of, p_of
from howsure.gating.limits import Range, check_margin, range_of, required_span, span_of
from howsure.gating.more_data import TARGET, MoreData, new_items, new_runs
from howsure.gating.result import GateResult, ItemChange, ItemChanges, Looks, Measurement, MissingAnswers
from howsure.gating.rule import GateRule, Verdict
from howsure.inference.corrections import adjust
from howsure.metrics import ItemMetric, Metric, spelled
from howsure.provenance import Provenance
from howsure.raters.choice import choose
from howsure.resampling import Scheme

WORST_ITEMS = 5
"""How many of the items that lost most are named."""


@dataclass(frozen=True, slots=True)
class GateSettings:
    """How a gate measures, beside its rule.

    Attributes
    ----------
    metric : str or Metric, optional
        The scale decides by default.
    by : str, optional
        Column of slices: a loss in one of them fails the gate.
    cluster : str, optional
        Column that groups items.
    raters : {"random", "fixed"}, optional
    max_error_rate : float
        The largest share of samples without a score with which the gate is run.
    seed : int
    range : tuple of float, optional
        The lowest and the highest possible value; infinite where there is no limit.
    """

    metric: str | Metric | None = None
    by: str | None = None
    cluster: str | None = None
    raters: str | None = None
    max_error_rate: float = 0.05
    seed: int = 0
    range: Range | None = None


class GaugedComparison(NamedTuple):
    """A comparison of the candidate (A) with the baseline (B), and the gauge that decides."""

    comparison: Comparison
    gauge: Gauge
    span: float


@_matrices.on_one_thread
def gate(contest: Contest, rule: GateRule, settings: GateSettings | None = None) -> GateResult:
    """Decide whether the candidate (A of the contest) may replace the baseline (B).

    Parameters
    ----------
    contest : Contest
        With the items that a source did not answer (``complete=False``), so that they can be bounded.
    rule : GateRule
    settings : GateSettings, optional

    Examples
    --------
    >>> from howsure.gating import CLAIMS
    >>> candidate, baseline = [1] * 380 + [0] * 20, [1] * 375 + [0] * 15 + [1] * 10
    >>> contest = Contest.from_arrays(None, candidate, baseline, names=("", "new", "old"))
    >>> settings = GateSettings(range=(0, 1))
    >>> print(gate(contest, GateRule(CLAIMS["non-inferior"], 0.04), settings).claimed)
    new is not worse than old by more than 0.04.
    """
    settings = settings or GateSettings()
    prepared = prepare(contest, rule, settings)
    found = measure(prepared.complete, prepared, settings)
    overall = measurement(found, rule)
    slices = _slices(prepared, rule, settings, overall)
    missing = bounded(prepared, rule, settings)
    verdict, reason = _joint(overall, slices, missing)
    more = more_data(found, rule, rule.critical, prepared.complete) if overall.verdict == "inconclusive" else None
    return assembled(
        prepared, found, rule, settings, verdict=verdict, reason=reason, slices=slices, missing=missing, more=more
    )


@dataclass(frozen=True, slots=True)
class Prepared:
    """What is known before anything is measured: the data, whole and complete, and the metric."""

    whole: Contest
    complete: Contest
    metric: Metric
    notes: tuple[str, ...]
    scale_range: Range | None = None

    @property
    def span(self) -> float:
        """The largest difference that an item can have; NaN where nothing says it."""
        return span_of(self.metric, self.scale_range)


def prepare(contest: Contest, rule: GateRule, settings: GateSettings, *, stored: str = "") -> Prepared:
    """Return the data and the metric; refuse too many missing samples, and a margin that cannot be meant.

    `stored` is the state file that the range was read from, if it was.
    """
    whole = with_absent(contest)
    refuse_missing(whole, settings.max_error_rate)
    complete = replace(whole.complete().in_order(), notes=whole.notes)  # missing samples have a sentence of their own
    if complete.n_items < 2:
        raise DataError("a gate needs at least two items that both models answered; there is one.")
    metrics, why = metrics_for(complete, None if settings.metric is None else [settings.metric])
    metric = bind(metrics[0], complete)
    scale_range = range_of(complete, settings.range, better=metric.better, stored=stored)
    check_margin(rule.margin, metric, scale_range)
    return Prepared(whole, complete, metric, tuple(why), scale_range)


def with_absent(contest: Contest) -> Contest:
    """Count an item that one model did not answer at all as one missing answer."""

    def told(source: Responses) -> Responses:
        missing = np.zeros(source.n_items, dtype=np.int64) if source.missing is None else source.missing
        return replace(source, missing=np.where(source.sizes == 0, np.maximum(missing, 1), missing))

    asked = np.ones(contest.n_items, dtype=bool) if contest.gold is None else contest.gold.sizes > 0
    known = contest.take(np.flatnonzero(asked)) if not asked.all() else contest
    return known.having({"a": told(known.a), "b": told(known.b)})


def _missing_counts(whole: Contest) -> tuple[int, int, float]:
    """Return how many samples of candidate and baseline are missing, and the larger share."""
    counts, shares = [], []
    for source in (whole.a, whole.b):
        lacking = 0 if source.missing is None else int(source.missing.sum())
        counts.append(lacking)
        shares.append(lacking / max(1, lacking + source.values.size))
    return counts[0], counts[1], max(shares)


def refuse_missing(whole: Contest, limit: float) -> None:
    """Refuse data of which too many samples failed, or are on different items."""
    candidate, baseline, rate = _missing_counts(whole)
    if rate <= limit:
        return
    shared = (whole.a.sizes > 0) & (whole.b.sizes > 0)
    if not shared.any():
        first = [str(whole.items[source.sizes > 0][0]) for source in (whole.b, whole.a) if (source.sizes > 0).any()]
        raise DataError(
            f"{whole.names[2]} and {whole.names[1]} have no item in common (first items: {' and '.join(first)}). Run "
            "both on the same items, and check the item ids."
        )
    lacks = [
        f"{name} lacks {n:,} (first: item {whole.items[source.missing > 0][0]})"
        for name, n, source in ((whole.names[2], baseline, whole.b), (whole.names[1], candidate, whole.a))
        if n and source.missing is not None
    ]
    raise DataError(
        f"{100 * rate:.3g}% of the samples of a model have no score, more than {100 * limit:g}%: {'; '.join(lacks)}. "
        "Run both models on the same items, or allow more with `max_error_rate`."
    )


def measure(contest: Contest, prepared: Prepared, settings: GateSettings) -> GaugedComparison:
    """Compare candidate and baseline, and take the gauge that the data need."""
    [found] = _compared(contest, prepared, settings, by=None)
    return found


def _compared(
    contest: Contest, prepared: Prepared, settings: GateSettings, *, by: str | None
) -> list[GaugedComparison]:
    metric, span = prepared.metric, prepared.span
    # Without clusters the gauges make their own ends, so that no resamples are needed for another interval.
    plain = metric.additive and settings.cluster is None
    how = Procedure(interval="t" if plain else None, cluster=settings.cluster, raters=settings.raters)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HowsureWarning)  # where t is undefined, the gauge is not
        found = compare_each(contest, metrics=[metric], by=by, correction="none", procedure=how, rng=settings.seed)
    return [GaugedComparison(entry, _gauge(entry, span, contest, plain=plain), span) for entry in found]


def _gauge(found: Comparison, span: float, contest: Contest, *, plain: bool) -> Gauge:
    known = found.evidence
    if plain and known is not None and known.rater_error is None and known.items.size:
        return gauge_of(known.items[0], required_span(span, contest))
    return ComparisonGauge(found)


def measurement(found: GaugedComparison, rule: GateRule, *, adjusted: tuple[float, float] | None = None) -> Measurement:
    """Return the verdict with its numbers; `adjusted` are p-values in place of those of one measurement alone."""
    one, gauge = found.comparison, found.gauge
    pvalues = adjusted or (p_of(rule.passing(gauge)), p_of(rule.failing(gauge)))
    passes, fails = (not math.isnan(p) and p < rule.alpha for p in pvalues)
    verdict: Verdict = "pass" if passes else "fail" if fails else "inconclusive"
    return Measurement(
        slice=one.slice,
        verdict=verdict,
        candidate_score=one.a_score,
        baseline_score=one.b_score,
        advantage=one.advantage,
        standard_error=gauge.error,
        confidence_interval=gauge.interval(rule.interval_level),
        pvalue_pass=pvalues[0],
        pvalue_fail=pvalues[1],
        n_items=one.n_items,
        flips=_flips(one),
    )


def _flips(found: Comparison) -> ItemChanges | None:
    if found.item_scores is None:
        return None
    advantages = found.item_scores.advantages
    worse, better = int((advantages < -1e-12).sum()), int((advantages > 1e-12).sum())
    return ItemChanges(worse, better, advantages.size - worse - better)


def _slices(
    prepared: Prepared, rule: GateRule, settings: GateSettings, overall: Measurement
) -> tuple[Measurement, ...]:
    """Return the verdict on each slice, with p-values adjusted by Holm; a loss is adjusted beside that of all items."""
    if settings.by is None:
        return ()
    found = _compared(prepared.complete, prepared, settings, by=settings.by)
    passing = adjust([p_of(rule.passing(one.gauge)) for one in found], method="holm")
    failing = adjust([overall.pvalue_fail, *(p_of(rule.failing(one.gauge)) for one in found)], method="holm")[1:]
    return tuple(
        measurement(one, rule, adjusted=(float(p), float(q))) for one, p, q in zip(found, passing, failing, strict=True)
    )


def left_out(prepared: Prepared) -> MissingAnswers | None:
    """Return how many samples have no score, where what they could change is not asked; None where all have one."""
    candidate, baseline, rate = _missing_counts(prepared.whole)
    return MissingAnswers(candidate, baseline, rate) if candidate + baseline else None


def bounded(prepared: Prepared, rule: GateRule, settings: GateSettings) -> MissingAnswers | None:
    """Return what missing samples could change: the verdict if they were best, and worst, for the candidate."""
    candidate, baseline, rate = _missing_counts(prepared.whole)
    if not candidate + baseline:
        return None
    metric = prepared.metric
    models = (prepared.whole.a, prepared.whole.b)
    single = all(one.raters is None and one.weights is None for one in models)
    if not isinstance(metric, ItemMetric) or not single or prepared.whole.scale.reason == PREFERENCES:
        return MissingAnswers(candidate, baseline, rate)
    verdicts = []
    for side in ("a", "b"):
        contest = filled(_with_ends(prepared), metric, best_for=side).complete().in_order()
        verdicts.append(rule.verdict(measure(contest, prepared, settings).gauge))
    return MissingAnswers(candidate, baseline, rate, *verdicts)


def _with_ends(prepared: Prepared) -> Contest:
    """Return the data with the ends of the scale among its levels, so that a missing answer may be as bad as they are.

    Continuous scores beside gold keep the ends of what was seen, because their best value is gold's own.
    """
    whole, ends = prepared.whole, prepared.scale_range
    scale = whole.scale
    if ends is None or math.isinf(ends[1] - ends[0]) or not scale.is_numeric or (not scale.levels and whole.gold):
        return whole
    levels = tuple(sorted({*scale.levels, *ends}))
    return replace(whole, scale=replace(scale, kind="ordinal", levels=levels, labels=tuple(map(str, levels))))


def _joint(overall: Measurement, slices: Sequence[Measurement], missing: MissingAnswers | None) -> tuple[Verdict, str]:
    """Return the verdict on everything together, and why it is not that on all items alone."""
    lost = [row.slice for row in slices if row.verdict == "fail"]
    if overall.verdict != "fail" and lost:
        return "fail", f"the candidate loses more than the margin allows on {', '.join(lost[:3])}."
    bounds = set() if missing is None else {missing.best, missing.worst} - {""}
    if missing is not None and overall.verdict != "inconclusive" and bounds - {overall.verdict}:
        n = counted(missing.candidate + missing.baseline, "sample")
        return "inconclusive", f"{n} without a score could change the verdict."
    return overall.verdict, ""


def more_data(found: GaugedComparison, rule: GateRule, critical: float, contest: Contest) -> MoreData | None:
    """Return how many new items, or runs, would decide the gate."""
    gauge, known = found.gauge, found.comparison.evidence
    item_error, fixed = item_noise(gauge, found.span, rule), 0.0
    if known is not None and known.rater_error is not None:
        parts = known.rater_error.variances
        item_error, fixed = math.sqrt(parts[0]), math.sqrt(sum(parts[1:]))
    if not item_error > 0:
        return None
    distances = _distances(gauge.estimate, rule)
    items = new_items(distances, item_error=item_error, fixed_error=fixed, n=gauge.n, critical=critical)
    within, runs = _within(contest, found)
    more = None
    if within > 0:
        between = max(0.0, item_error**2 - within)
        more = new_runs(distances, between=between, within=within, runs=runs, critical=critical)
    return MoreData(items, more, TARGET, 2 * rule.alpha)


def item_noise(gauge: Gauge, span: float, rule: GateRule) -> float:
    """Return the standard error that new items would have; the margin itself needs some of them to differ.

    Items that happen to be equal so far do not mean that new ones will be.
    """
    if not isinstance(gauge, ScoreGauge | GuardedStudentGauge):
        return gauge.error
    return max(gauge.error, least_error(span, gauge.n, rule))


def least_error(span: float, n: int, rule: GateRule) -> float:
    """Return the standard error of items that differ as rarely as a loss of the margin needs; 0 without a limit."""
    if not math.isfinite(span):
        return 0.0
    return math.sqrt(span * rule.margin * max(0.0, 1 - rule.margin / span) / n)


def _distances(estimate: float, rule: GateRule) -> tuple[float, ...]:
    """Return how far an estimate lies inside each edge."""
    low, high = rule.region
    return (estimate - low,) if math.isinf(high) else (estimate - low, high - estimate)


def verdict_items(estimate: float, error: float, n: int, rule: GateRule, critical: tuple[float, float]) -> int | None:
    """Return how many new items decide from these critical values on, one to pass and one to fail."""
    if not error > 0:
        return None
    return new_items(_distances(estimate, rule), item_error=error, fixed_error=0.0, n=n, critical=critical)


def _within(contest: Contest, found: GaugedComparison) -> tuple[float, float]:
    """Return the part of the variance of the mean that comes from runs, and the number of runs; 0 where unknown.

    It is known for means of single responses: scores of repeated runs.
    """
    linear = found.comparison.metric == "rating" and not contest.raters
    if not linear or min(contest.a.sizes.min(), contest.b.sizes.min()) < 2 or isinstance(found.gauge, ComparisonGauge):
        return 0.0, 1.0
    total = 0.0
    for source in (contest.a, contest.b):
        means = np.add.reduceat(source.values, source.offsets[:-1]) / source.sizes
        rest = np.square(source.values - np.repeat(means, source.sizes))
        total += float((np.add.reduceat(rest, source.offsets[:-1]) / (source.sizes - 1) / source.sizes).sum())
    return total / contest.n_items**2, float(min(contest.a.sizes.mean(), contest.b.sizes.mean()))


def assembled(
    prepared: Prepared,
    found: GaugedComparison,
    rule: GateRule,
    settings: GateSettings,
    *,
    verdict: Verdict,
    reason: str = "",
    slices: tuple[Measurement, ...] = (),
    missing: MissingAnswers | None = None,
    more: MoreData | None = None,
    looks: Looks | None = None,
    overall: Measurement | None = None,
    about: dict[str, Any] | None = None,
) -> GateResult:
    """Put everything that was found into the answer."""
    one = found.comparison
    parameters = {
        "claim": rule.claim.name,
        "margin": rule.margin,
        "metric": spelled(prepared.metric),
        "interval": found.gauge.method,
        "by": settings.by,
        "cluster": settings.cluster,
        "raters": one.provenance.parameters["raters"],
        "confidence_level": rule.confidence_level,
        "range": _shown_range(prepared),
        **(about or {}),
    }
    return GateResult(
        verdict=verdict,
        reason=reason,
        claim=rule.claim.name,
        margin=rule.margin,
        confidence_level=rule.confidence_level,
        candidate=one.names[1],
        baseline=one.names[2],
        metric=one.metric,
        title=one.title,
        better=one.better,
        overall=overall or measurement(found, rule),
        slices=slices,
        worst_items=_worst(one),
        missing=missing,
        more=more,
        looks=looks,
        notes=_notes(prepared, found, rule, settings, missing),
        provenance=Provenance("gate", parameters, settings.seed, prepared.complete.digest),
    )


def _shown_range(prepared: Prepared) -> str | None:
    """Return the range of the scale where the gate depends on it."""
    if prepared.scale_range is None or math.isnan(prepared.span) or math.isfinite(prepared.metric.span):
        return None
    low, high = prepared.scale_range
    return f"{low:g},{high:g}"


def _worst(found: Comparison) -> tuple[ItemChange, ...]:
    scores = found.item_scores
    if scores is None or not scores.a.size:
        return ()
    order = np.argsort(scores.advantages, kind="stable")[:WORST_ITEMS]
    return tuple(
        ItemChange(str(scores.items[i]), float(scores.a[i]), float(scores.b[i]), float(scores.advantages[i]))
        for i in order.tolist()
        if scores.advantages[i] < -1e-12
    )


def _notes(
    prepared: Prepared, found: GaugedComparison, rule: GateRule, settings: GateSettings, missing: MissingAnswers | None
) -> tuple[str, ...]:
    """Return what the reader must know; of the comparison's notes those about data and raters."""
    one, gauge = found.comparison, found.gauge
    notes: list[str] = []
    if _same(prepared.complete.a, prepared.complete.b):
        notes.append(f"{one.names[1]} and {one.names[2]} have the same scores everywhere: check that the files differ.")
    if missing is not None:
        notes.append(_missing_note(missing, one.names))
    if isinstance(gauge, GuardedStudentGauge | JudgedGauge) and gauge.widened(rule.interval_level):
        notes.append(
            "A few large differences decide here, or could: the interval is longer than Student's t, because rare "
            "large losses may be missing from these items."
        )
    if not isinstance(gauge, ComparisonGauge) and math.isinf(found.span):
        notes.append(
            f"{one.metric} has no limit here, so nothing guards against losses that are rarer and larger than those "
            "seen."
        )
    if one.rater_answers is not None:  # the two answers of `compare` say it there; a gate has one
        notes += choose(prepared.complete, Scheme(), raters=settings.raters, null=None).notes
    if settings.by is not None:
        notes.append("A pass means that no slice is shown to lose more than the margin, not that each of them passes.")
    of_interval = {*one.confidence_interval.notes} if not isinstance(gauge, ComparisonGauge) else set()
    kept = [note for note in one.notes if note not in of_interval and note not in prepared.complete.notes]
    notes += [note if isinstance(note, Aside) or "rater" in note or "cluster" in note else Aside(note) for note in kept]
    notes += [*prepared.complete.notes, *prepared.notes]
    return tuple(dict.fromkeys(notes))


def _same(one: Responses, other: Responses) -> bool:
    return np.array_equal(one.values, other.values) and np.array_equal(one.offsets, other.offsets)


def _missing_note(missing: MissingAnswers, names: tuple[str, str, str]) -> str:
    n = missing.candidate + missing.baseline
    of_each = f"{missing.candidate:,} of {names[1]}, {missing.baseline:,} of {names[2]}"
    said = f"{counted(n, 'sample')} without a score ({of_each})."
    if not missing.best:
        return f"{said} They are left out, and what they could change is not bounded."
    return f"{said} If all of them were best for {names[1]}: {missing.best}; if worst: {missing.worst}."
