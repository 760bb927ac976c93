"""Slices of few items, thousands at once: what `compare` says of each of them alone, for a small part of the time.

Slices of the same number of items draw the same items, so that what a draw is made of is found once. Below ten items an
interval needs no draws (`assay.inference.symmetric`) and all swaps are listed: draws are needed for the expected p
alone, which does not ask which of two equal draws came first. They are not kept.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay import _random, inference
from assay.comparison.comparisons import Comparison, EffectSizes, ItemScores, nothing
from assay.comparison.default_interval import limits_of
from assay.comparison.default_metric import bind
from assay.comparison.detectable import detectable
from assay.comparison.observed import small, unequal, uneven, without_spread
from assay.comparison.procedure_run import ProcedureRun
from assay.comparison.signing import parameters_of, provenance_of
from assay.contests import Contest
from assay.inference.direct import SAME_SIZE
from assay.inference.pvalues import placed
from assay.metrics import ItemMetric, Metric
from assay.provenance import Provenance
from assay.resampling import judge, summaries_of
from assay.resampling.sampler import ITEMS, STREAMS
from assay.resampling.sums import draw_items
from assay.responses import digests_of
from assay.scales import FloatArray, IntArray
from assay.summaries import lean

CELLS = 2**21
"""So many draws are looked at at a time."""
EPSILON = float(np.finfo(np.float64).eps)


def compare_few(
    contest: Contest, starts: IntArray, metrics: Sequence[Metric], run: ProcedureRun, *, slices: Sequence[str]
) -> dict[int, list[Comparison]]:
    """Return the comparisons of each slice of fewer than ten items by its number; none where they need another way.

    The items of slice i are those from `starts[i]` to `starts[i + 1]`; it is called `slices[i]`.
    """
    bound = [bind(metric, contest) for metric in metrics]
    null = run.null or "swapped-items"
    if not _possible(contest, bound, run, null):
        return {}
    run = replace(run, null=null)
    about = [_Metric.of(contest, starts, metric) for metric in bound]
    if not all(np.isfinite(each.contrasts).all() for each in about):
        return {}
    digests = digests_of(contest.scale, contest.sources, starts)
    sizes = np.diff(starts)
    found: dict[int, list[Comparison]] = {}
    for n in np.unique(sizes[sizes < inference.FEW_TELLING]).tolist():
        patterns = _Patterns.of(n, run)
        which = np.flatnonzero(sizes == n)
        step = max(1, CELLS // patterns.times.size)
        for low in range(0, which.size, step):
            those = which[low : low + step]
            columns = [
                _compared(
                    contest, starts, those, about=each, patterns=patterns, run=run, digests=digests, slices=slices
                )
                for each in about
            ]
            for number, answers in zip(those.tolist(), zip(*columns, strict=True), strict=True):
                found[number] = list(answers)
            if run.progress is not None:
                run.progress(2 * run.procedure.n_draws * those.size)
    return found


def _possible(contest: Contest, metrics: Sequence[Metric], run: ProcedureRun, null: str) -> bool:
    """Whether slices differ in their numbers alone: means of item scores, no raters, and the default procedure."""
    how = run.procedure
    plain = (how.cluster, how.margin, how.interval, how.n_resamples, run.shared) == (None,) * 5
    usual = plain and run.resamples_items and null == "swapped-items" and how.raters != "bootstrap"
    rules = [judge(run.scheme, null, n_responses=(k, k)) for k in (1, 2)] if usual else [[("", "")]]
    sources = contest.sources.values()
    single = all((source.sizes == 1).all() for source in sources)
    even = single or all(metric.needs in ("means", "counts") for metric in metrics)
    return (
        not any(rules)
        and how.n_draws >= 2 ** (inference.FEW_TELLING - 1)
        and all(source.raters is None for source in sources)
        and (contest.gold is not None or single)
        and even
        and all(_is_mean(metric) for metric in metrics)
    )


def _is_mean(metric: Metric) -> bool:
    """Whether a metric is a mean of item scores and nothing else."""
    if not isinstance(metric, ItemMetric):
        return False
    kind = type(metric)
    return (
        kind.notes is Metric.notes
        and kind.scores is Metric.scores
        and (kind.score, kind.item_contrasts) == (ItemMetric.score, ItemMetric.item_contrasts)
    )


@dataclass(frozen=True, slots=True)
class _Metric:
    """A metric, what it says of each item, and what it calls equal in each slice."""

    metric: ItemMetric
    contrasts: FloatArray
    a: FloatArray
    b: FloatArray
    rounding: FloatArray

    @classmethod
    def of(cls, contest: Contest, starts: IntArray, metric: Metric) -> "_Metric":
        """Score all items."""
        assert isinstance(metric, ItemMetric)
        gold, a, b = summaries_of(lean(contest, [metric]), metric.needs)
        sources = contest.sources.values()
        largest = np.max(
            [np.maximum.reduceat(np.abs(each.values), each.offsets[starts[:-1]]) for each in sources], axis=0
        )
        if metric.needs == "counts" or metric.ignores:
            largest = np.maximum(largest, 1.0)
        of_a, of_b = (np.asarray(metric.item_scores(gold, side)) for side in (a, b))
        return cls(metric, np.asarray(metric.item_contrasts(gold, a, b)), of_a, of_b, 100 * EPSILON * largest)


@dataclass(frozen=True, slots=True)
class _Patterns:
    """What draws of n items are made of: how often each item is in it, and how often that draw comes."""

    items: FloatArray
    times: IntArray
    swapped: FloatArray

    @classmethod
    def of(cls, n: int, run: ProcedureRun) -> "_Patterns":
        """Draw n items as `draw` does, and list all swaps of n items."""
        from assay.resampling import _kernels

        n_draws = run.procedure.n_draws
        seeds = _kernels.seed_stream(np.uint64(_random.key(run.seed, "draws")), STREAMS, ITEMS, 0, n_draws)
        drawn = np.empty((n_draws, n), dtype=np.int64)
        draw_items(n, seeds, drawn)
        counts = (drawn[:, :, np.newaxis] == np.arange(n)).sum(axis=1)
        kinds, times = np.unique(counts, axis=0, return_counts=True)
        swapped = (np.arange(2**n)[:, np.newaxis] >> np.arange(n)) % 2
        return cls(kinds.astype(np.float64), times, swapped.astype(np.float64))


def _compared(
    contest: Contest,
    starts: IntArray,
    those: IntArray,
    *,
    about: _Metric,
    patterns: _Patterns,
    run: ProcedureRun,
    digests: Sequence[str],
    slices: Sequence[str],
) -> list[Comparison]:
    """Return the comparisons of slices of equally many items by one metric."""
    n = patterns.items.shape[1]
    metric, how = about.metric, run.procedure
    items = starts[those][:, np.newaxis] + np.arange(n)
    rows, of_a, of_b = about.contrasts[items], about.a[items], about.b[items]
    rounding = about.rounding[those][:, np.newaxis]
    contrasts = rows.mean(axis=1)
    contrasts[np.abs(contrasts) <= rounding[:, 0]] = 0.0
    observed = contrasts[:, np.newaxis]
    if n > 1:
        left = (rows.sum(axis=1, keepdims=True) - rows) / (n - 1)
        spread = np.where(np.ptp(rows, axis=1) <= rounding[:, 0], 0.0, rows.std(axis=1, ddof=1))
        errors, df = spread / math.sqrt(n), n - 1.0
    else:
        left, errors, df = np.full_like(rows, np.nan), np.full(len(rows), np.nan), math.nan
    left = np.where(np.abs(left - observed) <= rounding, observed, left)
    left.flags.writeable = False
    tails = _flips(rows, rounding, patterns.swapped)
    expected = _expected(rows, observed, rounding, patterns)
    signs = _are_signs(np.where(np.abs(rows) <= rounding, 0.0, rows), metric.span)
    sizes = _effects(metric, rows, of_a, of_b)
    n_responses = _n_responses(contest, starts, those)
    example = contest.take(items[0])
    parameters, notes_of = parameters_of(metric), _Notes(contest, metric)
    provenances = {method: provenance_of(example, [metric], run, [method]) for method in ("symmetric", "score")}
    scores = of_a.mean(axis=1).tolist(), of_b.mean(axis=1).tolist()
    scale, scheme, empty = str(contest.scale), str(run.scheme), nothing()
    found = []
    for i, number in enumerate(those.tolist()):
        contrast, error, method = float(contrasts[i]), float(errors[i]), "score" if signs[i] else "symmetric"
        flips = inference.SignFlips(float(tails[0][i]), float(tails[1][i]), 0.0)
        tail = flips.pvalue(how.alternative)
        limits = limits_of(
            method,
            empty,
            estimate=contrast,
            error=None,
            jackknife=left[i],
            standard_errors=empty,
            standard_error=error,
            df=df,
            span=metric.span,
            confidence_level=how.confidence_level,
            alternative=how.alternative,
        )
        effects = EffectSizes(*(float(size[i]) for size in sizes))
        low, high = int(starts[number]), int(starts[number + 1])
        place = provenances[method]
        found.append(
            Comparison(
                metric=metric.name,
                parameters=parameters,
                title=metric.title,
                better=metric.better,
                names=contest.names,
                a_score=scores[0][i],
                b_score=scores[1][i],
                contrast=contrast,
                standard_error=error,
                confidence_interval=limits,
                pvalue=tail.pvalue,
                pvalue_se=tail.standard_error,
                expected_pvalue=float(expected[0][i]),
                expected_pvalue_se=float(expected[1][i]),
                detectable=detectable(
                    error,
                    None,
                    df=df,
                    n_units=n,
                    null="swapped-items",
                    confidence_level=how.confidence_level,
                    alternative=how.alternative,
                ),
                effect_sizes=effects,
                n_items=n,
                n_responses=n_responses[i],
                scale=scale,
                scheme=scheme,
                null="swapped-items",
                alternative=how.alternative,
                n_resamples=how.n_draws,
                exact=True,
                notes=notes_of(limits.notes, tail, effects, n_responses[i], items[i]),
                provenance=Provenance(place.call, place.parameters, place.seed, digests[number], place.version),
                slice=slices[number],
                draws=empty,
                null_draws=empty,
                standard_errors=empty,
                item_error=error,
                df=df,
                jackknife=left[i],
                span=metric.span,
                flips=flips,
                item_scores=ItemScores(
                    contest.items[low:high], about.contrasts[low:high], about.a[low:high], about.b[low:high]
                ),
            )
        )
    return found


def _flips(rows: FloatArray, rounding: FloatArray, swapped: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return both tails of `sign_flips` for each row, all swaps of which are listed."""
    sizes = np.abs(rows)
    slack = np.maximum(rounding, 8 * EPSILON * sizes.max(axis=1, keepdims=True))
    ordered = np.sort(sizes, axis=1)
    ordered[ordered <= slack] = 0.0
    # Sizes that are equal on paper are made equal: their mean.
    apart = np.diff(ordered, axis=1, prepend=-np.inf) > slack
    starts = np.flatnonzero(apart.ravel())
    times = np.diff(starts, append=ordered.size)
    means = np.add.reduceat(ordered.ravel(), starts) / times
    grouped = np.repeat(means, times).reshape(ordered.shape)
    observed = rows.sum(axis=1)
    reach = grouped.sum(axis=1)
    tolerance = np.maximum(rows.shape[1] * rounding[:, 0], 100 * EPSILON * reach)
    room = reach - np.abs(observed)
    taken = 2 * grouped @ swapped.T
    n_swaps = len(swapped)
    at_least = np.count_nonzero(taken <= (room + tolerance)[:, np.newaxis], axis=1) / n_swaps
    at_most = 1 - np.count_nonzero(taken < (room - tolerance)[:, np.newaxis], axis=1) / n_swaps
    forward = observed >= 0
    return np.where(forward, at_most, at_least), np.where(forward, at_least, at_most)


def _expected(
    rows: FloatArray, observed: FloatArray, rounding: FloatArray, patterns: _Patterns
) -> tuple[FloatArray, FloatArray]:
    """Return the expected p-value and its standard error for each row."""
    from assay.inference._placement_kernels import placements

    n = rows.shape[1]
    null, draws = rows @ (1 - 2 * patterns.swapped).T / n, rows @ patterns.items.T / n
    null, draws = (np.where(np.abs(each - observed) <= rounding, observed, each) for each in (null, draws))
    order = np.argsort(draws, axis=1)
    null, draws, times = np.sort(null, axis=1), np.take_along_axis(draws, order, axis=1), patterns.times[order]
    n_draws, n_null = int(patterns.times.sum()), null.shape[1]
    upto, everyone = np.cumsum(times, axis=1), np.arange(len(rows))
    middles = [draws[everyone, np.argmax(upto > place, axis=1)] for place in ((n_draws - 1) // 2, n_draws // 2)]
    below = (null[:, (n_null - 1) // 2] + null[:, n_null // 2]) / 2 > (middles[0] + middles[1]) / 2
    null[below], draws[below], times[below] = -null[below, ::-1], -draws[below, ::-1], times[below, ::-1]
    ends = np.abs([null[:, 0], null[:, -1], draws[:, 0], draws[:, -1]]).max(axis=0)
    above, beneath = placements(null, np.ascontiguousarray(draws), times, 100 * EPSILON * ends)
    share, error, _ = placed(above, beneath, n_draws, n_null)
    return share, error


def _are_signs(rows: FloatArray, span: float) -> Any:
    """Return `inference.are_signs` of each row."""
    sizes = np.abs(rows)
    largest = sizes.max(axis=1, keepdims=True)
    tolerance = SAME_SIZE * rows.shape[1] * largest
    differs = sizes > tolerance
    alike = (~differs | (np.abs(sizes - largest) <= tolerance)).all(axis=1)
    return np.where(differs.any(axis=1), alike, math.isfinite(span))


def _effects(metric: ItemMetric, rows: FloatArray, of_a: FloatArray, of_b: FloatArray) -> tuple[FloatArray, ...]:
    """Return the effect sizes of each row."""
    first, second = of_a[:, :, np.newaxis], of_b[:, np.newaxis, :]
    slack = 100 * EPSILON * np.maximum(np.abs(of_a).max(axis=1), np.abs(of_b).max(axis=1))[:, np.newaxis, np.newaxis]
    lower = np.count_nonzero(second < first - slack, axis=(1, 2))
    higher = np.count_nonzero(second > first + slack, axis=(1, 2))
    delta = (lower - higher) / rows.shape[1] ** 2
    delta = -delta if metric.better == "lower" else delta
    return inference.cohen_dz(rows), inference.hedges_g(rows), inference.win_rate(rows), delta


def _n_responses(contest: Contest, starts: IntArray, those: IntArray) -> list[dict[str, int | float]]:
    """Return the responses per item of each slice, as `Contest.n_responses` does."""
    columns: dict[str, list[int | float]] = {}
    for role, source in contest.sources.items():
        sizes = np.minimum(source.sizes, 1) if source.weights is not None else source.sizes
        least, most = (at.reduceat(sizes, starts[:-1])[those].tolist() for at in (np.minimum, np.maximum))
        totals = np.add.reduceat(sizes, starts[:-1])[those].tolist()
        n_items = np.diff(starts)[those].tolist()
        columns[role] = [
            low if low == high else total / n for low, high, total, n in zip(least, most, totals, n_items, strict=True)
        ]
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


class _Notes:
    """The notes of a slice, each kind of slice thought of once."""

    def __init__(self, contest: Contest, metric: ItemMetric) -> None:
        self.contest, self.metric = contest, metric
        self._known: dict[Any, tuple[str, ...]] = {}

    def __call__(
        self,
        of_interval: tuple[str, ...],
        tail: inference.PValue,
        effects: EffectSizes,
        n_responses: dict[str, int | float],
        items: IntArray,
    ) -> tuple[str, ...]:
        """Return the notes of a slice."""
        undefined = tuple(math.isnan(size) for size in (effects.win_rate, effects.hedges_g, effects.cohen_d))
        key = (of_interval, undefined, n_responses["a"], n_responses["b"])
        if key not in self._known:
            part = self.contest.take(items)
            about = [*small(part, tail), *unequal(part, self.metric), *uneven(self.metric, part)]
            about += without_spread(effects, part)
            self._known[key] = tuple(dict.fromkeys([*self.contest.notes, *of_interval, *about]))
        return self._known[key]
