"""Slices of few items, thousands at once: what `compare` says about each of them alone, in a fraction of the time.

Slices of the same number of items draw the same items, so that the draws are made once. Below ten items an interval
needs no draws (`assay.inference.symmetric`) and all swaps are listed: only the expected p needs draws, in any order.
They are not kept. Intervals of one kind (with the same numbers of items won and lost) differ only in place and size,
so that each kind is computed once.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from assay import _random, inference
from assay.comparison.comparisons import Comparison, EffectSizes, ItemScores, nothing
from assay.comparison.default_metric import bind
from assay.comparison.detectable import detectable
from assay.comparison.observed import small, unequal, uneven, without_spread
from assay.comparison.procedure_run import ProcedureRun
from assay.comparison.signing import provenance_of, shared_fields
from assay.comparison.together import clash
from assay.contests import Contest
from assay.inference import ConfidenceInterval, SignFlips
from assay.inference.direct import won_and_lost
from assay.inference.pvalues import placed
from assay.inference.sign_flips import all_swaps, counted_tails
from assay.metrics import ItemMetric, Metric
from assay.provenance import Provenance
from assay.resampling import judge, summaries_of
from assay.resampling.sampler import ITEMS, STREAMS
from assay.resampling.sums import draw_items
from assay.responses import digests_of
from assay.scales import FloatArray, IntArray
from assay.summaries import lean

CELLS = 2**21
"""This many draws are processed at a time."""
EPSILON = float(np.finfo(np.float64).eps)


def compare_few(
    contest: Contest, starts: IntArray, metrics: Sequence[Metric], run: ProcedureRun, *, slices: Sequence[str]
) -> list["FewItems"]:
    """Return the comparisons of all slices of fewer than ten items, by size and metric; none where they need draws.

    The items of slice i are those from `starts[i]` to `starts[i + 1]`; it is called `slices[i]`.
    """
    bound = [bind(metric, contest) for metric in metrics]
    null = run.null or "swapped-items"
    if not _possible(contest, bound, run, null):
        return []
    about = [_Metric.of(contest, starts, metric) for metric in bound]
    if not all(np.isfinite(each.contrasts).all() for each in about):
        return []
    data = _Slices(contest, starts, slices, digests_of(contest.scale, contest.sources, starts), replace(run, null=null))
    sizes = np.diff(starts)
    found = []
    for n in np.unique(sizes[sizes < inference.FEW_TELLING]).tolist():
        patterns = _Patterns.of(n, run)
        which = np.flatnonzero(sizes == n)
        step = max(1, CELLS // patterns.times.size)
        for low in range(0, which.size, step):
            those = which[low : low + step]
            found += [FewItems(data, those, place, each, patterns) for place, each in enumerate(about)]
            if run.progress is not None:
                run.progress(2 * run.procedure.n_draws * those.size)
    return found


def _possible(contest: Contest, metrics: Sequence[Metric], run: ProcedureRun, null: str) -> bool:
    """Whether slices differ only in their numbers: means of item scores, no raters, and the default procedure."""
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
    """The different draws of n items: how often each item is in one, and how often that draw occurs."""

    items: FloatArray
    times: IntArray

    @classmethod
    def of(cls, n: int, run: ProcedureRun) -> "_Patterns":
        """Draw n items as `draw` does."""
        from assay.resampling import _kernels

        n_draws = run.procedure.n_draws
        seeds = _kernels.seed_stream(np.uint64(_random.key(run.seed, "draws")), STREAMS, ITEMS, 0, n_draws)
        drawn = np.empty((n_draws, n), dtype=np.int64)
        draw_items(n, seeds, drawn)
        counts = (drawn[:, :, np.newaxis] == np.arange(n)).sum(axis=1)
        kinds, times = np.unique(counts, axis=0, return_counts=True)
        return cls(kinds.astype(np.float64), times)


@dataclass(frozen=True, slots=True)
class _Slices:
    """All slices: where each starts, its name and digest, and how it is compared."""

    contest: Contest
    starts: IntArray
    names: Sequence[str]
    digests: Sequence[str]
    run: ProcedureRun


class _Limits(NamedTuple):
    """Intervals: the ends of each, its kind, and the notes of each kind."""

    low: FloatArray
    high: FloatArray
    kinds: IntArray
    notes: list[tuple[str, ...]]


class FewItems:
    """Slices of the same number of items by one metric: arrays with an entry for each slice.

    Attributes
    ----------
    those : array of int
        The numbers of the slices.
    place : int
        The number of the metric.
    pvalues : array of float
    """

    def __init__(self, data: _Slices, those: IntArray, place: int, about: _Metric, patterns: _Patterns) -> None:
        self.data, self.those, self.place, self.about = data, those, place, about
        n = self.n = patterns.items.shape[1]
        items = data.starts[those][:, np.newaxis] + np.arange(n)
        rows, of_a, of_b = about.contrasts[items], about.a[items], about.b[items]
        rounding = about.rounding[those][:, np.newaxis]
        self.scores = of_a.mean(axis=1), of_b.mean(axis=1)
        self.contrasts = rows.mean(axis=1)
        self.contrasts[np.abs(self.contrasts) <= rounding[:, 0]] = 0.0
        observed = self.contrasts[:, np.newaxis]
        left, self.errors, self.df = np.full_like(rows, np.nan), np.full(len(rows), np.nan), math.nan
        if n > 1:
            left = (rows.sum(axis=1, keepdims=True) - rows) / (n - 1)
            spread = np.where(np.ptp(rows, axis=1) <= rounding[:, 0], 0.0, rows.std(axis=1, ddof=1))
            self.errors, self.df = spread / math.sqrt(n), n - 1.0
        self.left = np.where(np.abs(left - observed) <= rounding, observed, left)
        self.left.flags.writeable = False
        self.tails = counted_tails(rows, rounding)
        two_sided = np.minimum(1.0, 2 * np.minimum(*self.tails))
        sides = dict(zip(("less", "greater", "two-sided"), (*self.tails, two_sided), strict=True))
        self.pvalues: FloatArray = sides[data.run.procedure.alternative]
        self.expected = _expected(rows, observed, rounding, patterns)
        self.effects = _effects(about.metric, rows, of_a, of_b)
        self.signs = inference.are_signs(np.where(np.abs(rows) <= rounding, 0.0, rows), span=about.metric.span)

    def limits(self, confidence_level: float) -> _Limits:
        """Return the intervals at a level: each kind is computed once, then moved and scaled."""
        asked: Any = {"confidence_level": confidence_level, "alternative": self.data.run.procedure.alternative}
        n, signs = self.n, self.signs
        given = n * self.contrasts[:, np.newaxis] - (n - 1) * self.left  # of a mean, leaving one out gives it back
        won, lost = won_and_lost(given)
        size = np.abs(given).max(axis=1)
        scaled = np.where(signs, (size > 0) & inference.are_signs(given), self.errors > 0)
        codes = ((2 * signs + scaled) * (n + 1) + won) * (n + 1) + lost
        _, first, kinds = np.unique(codes, return_index=True, return_inverse=True)
        units = []
        for i in first.tolist():
            if signs[i]:
                alike = np.repeat([1.0, -1.0, 0.0], [won[i], lost[i], n - won[i] - lost[i]])
                units.append(inference.score(alike if scaled[i] else given[i], span=self.about.metric.span, **asked))
            else:
                known: Any = {"standard_errors": nothing(), "standard_error": float(scaled[i])}
                units.append(inference.symmetric(nothing(), 0.0, contrasts=given[i], **known, **asked))
        scale = np.where(scaled, np.where(signs, size, self.errors), 1.0)
        middle = np.where(signs, -0.0, self.contrasts)  # −0 changes no bit
        low, high = (middle + scale * np.array([getattr(one, end) for one in units])[kinds] for end in ("low", "high"))
        return _Limits(low, high, kinds, [unit.notes for unit in units])

    def answers(self, adjusted: FloatArray, wide_level: float, n_together: int) -> Iterator[Comparison]:
        """Yield the comparisons, with adjusted p-values and with intervals of a level at which n hold together."""
        data, about, n, how = self.data, self.about, self.n, self.data.run.procedure
        level = how.confidence_level
        own = self.limits(level)
        joint = ~np.isnan(own.low) & (wide_level > level)
        wide = self.limits(wide_level) if joint.any() else own
        low, high = np.where(joint, wide.low, own.low), np.where(joint, wide.high, own.high)
        unit = detectable(
            1.0, None, df=self.df, n_units=n, null="swapped-items", confidence_level=level, alternative=how.alternative
        )
        columns = {
            "a_score": self.scores[0],
            "b_score": self.scores[1],
            "contrast": self.contrasts,
            "standard_error": self.errors,
            "item_error": self.errors,
            "pvalue": self.pvalues,
            "pvalue_adjusted": adjusted,
            "expected_pvalue": self.expected[0],
            "expected_pvalue_se": self.expected[1],
            "detectable": np.full_like(self.errors, unit) if math.isinf(unit) else unit * self.errors,
            "n_together": np.where(joint, n_together, 1),
        }
        rows = zip(*(column.tolist() for column in columns.values()), strict=True)
        ends, effects, tails = (
            zip(*(column.tolist() for column in group), strict=True)
            for group in ((low, high, self.signs), self.effects, self.tails)
        )
        empty = nothing()
        shared: Any = shared_fields(about.metric, data.contest, data.run) | {
            "n_items": n,
            "exact": True,
            "pvalue_se": 0.0,
            "df": self.df,
            "draws": empty,
            "null_draws": empty,
            "standard_errors": empty,
        }
        starts = data.starts[self.those]
        example = data.contest.take(np.arange(n) + starts[0])
        methods = ("symmetric", "score")
        places = [provenance_of(example, [about.metric], data.run, [method]) for method in methods]
        n_responses = _n_responses(data.contest, data.starts, self.those)
        told = adjusted <= 1 - level + 1e-12
        kinds = np.where(joint, 1 + (told == ((low <= 0) & (high >= 0))) * (1 + told), 0)
        notes = self._notes(own, kinds.tolist(), n_responses, n_together)
        for number, start, row, (first, last, sign), sizes, (less, greater), left, said, count in zip(
            self.those.tolist(), starts.tolist(), rows, ends, effects, tails, self.left, notes, n_responses, strict=True
        ):
            place, those = places[sign], slice(start, start + n)
            yield Comparison(
                **shared,
                **dict(zip(columns, row, strict=True)),
                confidence_interval=ConfidenceInterval(first, last, methods[sign], level, said[0]),
                effect_sizes=EffectSizes(*sizes),
                n_responses=count,
                notes=said[1],
                provenance=Provenance(place.call, place.parameters, place.seed, data.digests[number], place.version),
                slice=data.names[number],
                jackknife=left,
                flips=SignFlips(less, greater, 0.0),
                item_scores=ItemScores(
                    data.contest.items[those], about.contrasts[those], about.a[those], about.b[those]
                ),
            )

    def _notes(
        self, limits: _Limits, kinds: Sequence[int], n_responses: Sequence[dict[str, int | float]], n_together: int
    ) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
        """Yield the notes of each interval and of each slice; those of each kind of slice are made once.

        `kinds` says whether an interval is one of several that hold together (1), and contradicts a p-value that does
        not tell A and B apart (2), or does (3).
        """
        contest, metric = self.data.contest, self.about.metric
        undefined = zip(*(np.isnan(size).tolist() for size in self.effects[:3]), strict=True)
        known: dict[Any, tuple[str, ...]] = {}
        for i, (of_interval, kind, count, lacks) in enumerate(
            zip(limits.kinds.tolist(), kinds, n_responses, undefined, strict=True)
        ):
            key = (of_interval, kind, count["a"], count["b"], lacks)
            interval_notes = limits.notes[of_interval]
            if key not in known:
                part = contest.take(np.arange(self.n) + self.data.starts[self.those[i]])
                about = [*small(part, SignFlips(1.0, 1.0, 0.0).pvalue("less")), *unequal(part, metric)]
                about += [
                    *uneven(metric, part),
                    *without_spread(EffectSizes(*(float(size[i]) for size in self.effects)), part),
                ]
                notes = list(dict.fromkeys([*contest.notes, *interval_notes, *about]))
                if kind:
                    notes = [note for note in notes if note not in interval_notes] + [*interval_notes]
                    notes += [clash(kind == 3, n_together)] if kind > 1 else []
                known[key] = tuple(notes)
            yield interval_notes, known[key]


def _expected(
    rows: FloatArray, observed: FloatArray, rounding: FloatArray, patterns: _Patterns
) -> tuple[FloatArray, FloatArray]:
    """Return the expected p-value and its standard error for each row."""
    from assay.inference._placement_kernels import placements

    n = rows.shape[1]
    null, draws = rows @ (1 - 2 * all_swaps(n)).T / n, rows @ patterns.items.T / n
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
