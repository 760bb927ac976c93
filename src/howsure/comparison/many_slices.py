"""Thousands of slices at once: what `compare` says about each of them alone, in a fraction of the time.

Slices of the same number of items draw the same items, so that their draws are made together. Below ten items an
interval needs no draws (`howsure.inference.symmetric`): only the expected p does, and different draws are counted.
Draws are not kept. Intervals without draws of one kind (with the same numbers of items won and lost) differ only in
place and size, so that each kind is computed once.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, compress
from typing import Any

import numpy as np

from howsure import _random, inference
from howsure.comparison.comparisons import Comparison, EffectSizes, ItemScores, nothing
from howsure.comparison.default_metric import bind
from howsure.comparison.detectable import detectable
from howsure.comparison.observed import (
    effects_of_items,
    moments_of_mean,
    roundings_of,
    settled,
    skewed,
    skewness_of,
    small,
    unequal,
    uneven,
    without_spread,
)
from howsure.comparison.procedure_run import ProcedureRun
from howsure.comparison.signing import provenance_of, shared_fields
from howsure.comparison.slice_limits import slice_limits
from howsure.comparison.together import clash
from howsure.contests import Contest
from howsure.inference import SMALLEST, ConfidenceInterval, SignFlips
from howsure.inference.pvalues import expected_pvalues
from howsure.inference.sign_flips import all_swaps
from howsure.metrics import ItemMetric, Metric
from howsure.provenance import Provenance
from howsure.resampling import draw_columns, judge, summaries_of
from howsure.resampling.sampler import ITEMS, STREAMS
from howsure.resampling.seeds import PART
from howsure.resampling.sums import draw_items
from howsure.responses import digests_of
from howsure.scales import FloatArray, IntArray
from howsure.summaries import lean

CELLS = 2**19
"""This many draws are processed at a time: four megabytes."""


def compare_many(
    contest: Contest,
    starts: IntArray,
    metrics: Sequence[Metric],
    run: ProcedureRun,
    *,
    slices: Sequence[str],
    wide_level: float,
) -> list["EqualSlices"]:
    """Return the comparisons of slices by size and metric; without those that must be compared one by one.

    The items of slice i are those from `starts[i]` to `starts[i + 1]`; it is called `slices[i]`. Intervals are given at
    the run's level and at a wider one.
    """
    bound = [bind(metric, contest) for metric in metrics]
    null = run.null or "sign-flip"
    if not _possible(contest, bound, run, null):
        return []
    about = [_Metric.of(contest, starts, metric) for metric in bound]
    data = _Slices(
        contest,
        starts,
        names=slices,
        digests=digests_of(contest.scale, contest.sources, starts),
        n_responses=_n_responses(contest, starts),
        run=replace(run, null=null),
        wide_level=wide_level,
        n_metrics=len(about),
    )
    sizes = np.diff(starts)
    sizes[~np.logical_and.reduce([np.logical_and.reduceat(each.defined, starts[:-1]) for each in about])] = 0
    blocks = []
    for n in np.unique(sizes[(sizes > 0) & (sizes <= PART)]).tolist():
        patterns = _Patterns.of(n, run)
        which = np.flatnonzero(sizes == n)
        step = max(1, CELLS // patterns.times.size)
        blocks += [(which[low : low + step], patterns) for low in range(0, which.size, step)]

    def compared(number: int, _: int, __: int) -> list[EqualSlices]:
        those, patterns = blocks[number]
        items = starts[those][:, np.newaxis] + np.arange(patterns.items.shape[1])
        flips = [inference.sign_flips_of_rows(each.advantages[items], rounding=each.roundings[those]) for each in about]
        told = np.array([None not in of_slice for of_slice in zip(*flips, strict=True)])
        if run.progress is not None:
            run.progress(2 * run.procedure.n_draws * int(told.sum()))
        return [
            EqualSlices(data, those[told], place, each, patterns=patterns, flips=[*compress(flips[place], told)])
            for place, each in enumerate(about)
        ]

    return [*chain(*_random.map_blocks(compared, len(blocks), workers=run.workers, size=1))]


def _possible(contest: Contest, metrics: Sequence[Metric], run: ProcedureRun, null: str) -> bool:
    """Whether slices differ only in their numbers: means of item scores, no raters, and the default procedure."""
    how = run.procedure
    plain = (how.cluster, how.margin, how.interval, how.n_resamples, run.shared) == (None,) * 5
    usual = plain and run.resamples_items and null == "sign-flip" and how.raters != "random"
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
        and (kind.score, kind.item_advantages) == (ItemMetric.score, ItemMetric.item_advantages)
    )


@dataclass(frozen=True, slots=True)
class _Metric:
    """A metric, what it says of each item, and what it calls equal in each slice."""

    metric: ItemMetric
    advantages: FloatArray
    a: FloatArray
    b: FloatArray
    roundings: FloatArray

    @classmethod
    def of(cls, contest: Contest, starts: IntArray, metric: Metric) -> "_Metric":
        """Score all items."""
        assert isinstance(metric, ItemMetric)
        gold, a, b = summaries_of(lean(contest, [metric]), metric.needs)
        of_a, of_b = (np.asarray(metric.item_scores(gold, side)) for side in (a, b))
        advantages = np.asarray(metric.item_advantages(gold, a, b))
        return cls(metric, advantages, of_a, of_b, roundings_of(metric, contest, starts))

    @property
    def defined(self) -> Any:
        """Whether the numbers of each item are finite."""
        return np.isfinite(self.advantages) & np.isfinite(self.a) & np.isfinite(self.b)


@dataclass(frozen=True, slots=True)
class _Patterns:
    """The different draws of n items: how often each item is in one, and how often that draw occurs.

    There are more of ten items than are drawn: then `items` is empty, and every draw counts once.
    """

    items: FloatArray
    times: IntArray

    @classmethod
    def of(cls, n: int, run: ProcedureRun) -> "_Patterns":
        """Draw n items as `draw` does."""
        from howsure.resampling import _kernels

        n_draws = run.procedure.n_draws
        if n >= inference.FEW_TELLING:
            return cls(np.empty((0, n)), np.ones(n_draws, dtype=np.int64))
        seeds = _kernels.seed_stream(np.uint64(_random.key(run.seed, "draws")), STREAMS, ITEMS, 0, n_draws)
        drawn = np.empty((n_draws, n), dtype=np.int64)
        draw_items(n, seeds, drawn)
        counts = (drawn[:, :, np.newaxis] == np.arange(n)).sum(axis=1)
        kinds, times = np.unique(counts, axis=0, return_counts=True)
        return cls(kinds.astype(np.float64), times)


@dataclass(frozen=True, slots=True)
class _Slices:
    """All slices: where each starts, its name, digest and responses per item, and how it is compared."""

    contest: Contest
    starts: IntArray
    names: Sequence[str]
    digests: Sequence[str]
    n_responses: Sequence[dict[str, int | float]]
    run: ProcedureRun
    wide_level: float
    n_metrics: int

    def draw(self, rows: FloatArray, null: Any = None) -> tuple[FloatArray, FloatArray]:
        """Draw means of rows of items, and the standard error of each draw."""
        # `draw` adds up the items of one metric in pairs, those of several metrics one after the other.
        means = rows.mean(axis=1) if self.n_metrics == 1 else np.cumsum(rows, axis=1)[:, -1] / rows.shape[1]
        how: Any = {"n_resamples": self.run.procedure.n_draws, "seed": self.run.seed}
        found = draw_columns(np.ascontiguousarray(rows.T), means, null=null, **how)
        return found.advantages, found.standard_errors


class EqualSlices:
    """Slices of the same number of items by one metric: arrays with an entry for each slice.

    Attributes
    ----------
    those : array of int
        The numbers of the slices.
    place : int
        The number of the metric.
    pvalues : array of float
    """

    def __init__(
        self,
        data: _Slices,
        those: IntArray,
        place: int,
        about: _Metric,
        *,
        patterns: _Patterns,
        flips: Sequence[Any],
    ) -> None:
        self.data, self.those, self.place, self.about, self.flips = data, those, place, about, flips
        n = self.n = patterns.items.shape[1]
        how = data.run.procedure
        items = data.starts[those][:, np.newaxis] + np.arange(n)
        rows, of_a, of_b = about.advantages[items], about.a[items], about.b[items]
        rounding = about.roundings[those][:, np.newaxis]
        self.scores = of_a.mean(axis=1), of_b.mean(axis=1)
        self.advantages = rows.mean(axis=1)
        self.advantages[np.abs(self.advantages) <= rounding[:, 0]] = 0.0
        observed = self.advantages[:, np.newaxis]
        self.errors, self.df, left = moments_of_mean(rows, rounding[:, 0])
        self.left = settled(left, observed, rounding)
        tails = np.array([(flip.less, flip.greater) for flip in flips]).reshape(-1, 2).T
        sides = {"less": tails[0], "greater": tails[1], "two-sided": np.minimum(1.0, 2 * tails.min(axis=0))}
        self.pvalues: FloatArray = np.maximum(sides[how.alternative], SMALLEST)
        self.effects = effects_of_items(about.metric, rows, (of_a, of_b))
        self.signs = inference.are_signs(np.where(np.abs(rows) <= rounding, 0.0, rows), span=about.metric.span)
        few = n < inference.FEW_TELLING
        draws, errors = (rows @ patterns.items.T / n, nothing()) if few else data.draw(rows)
        draws = settled(draws, observed, rounding)
        listed = 2**n <= how.n_draws
        null = rows @ (1 - 2 * all_swaps(n)).T / n if listed else data.draw(rows, "sign-flip")[0]
        self.expected = expected_pvalues(settled(null, observed, rounding), draws, patterns.times)
        levels = [how.confidence_level, *([data.wide_level] if data.wide_level > how.confidence_level else [])]
        limits = slice_limits(
            levels,
            estimates=self.advantages,
            errors=self.errors,
            jackknife=self.left,
            signs=self.signs,
            draws=draws,
            standard_errors=errors,
            span=about.metric.span,
            alternative=how.alternative,
        )
        self.own, self.wide = limits[0], limits[-1]
        self.skews = [[]] * len(rows) if few else self._skews(rows, draws, errors)

    def _skews(self, rows: FloatArray, draws: FloatArray, errors: FloatArray) -> list[list[str]]:
        """Return what is said about rows that are markedly skewed."""
        with np.errstate(invalid="ignore", divide="ignore"):
            skewness, least = skewness_of(rows)
        side = self.data.run.procedure.alternative
        found: list[list[str]] = [[] for _ in rows]
        for i in np.flatnonzero(np.abs(skewness) >= least).tolist():
            known: Any = {"standard_errors": errors[i], "standard_error": float(self.errors[i])}
            found[i] = skewed(self.about.metric, rows[i], draws=draws[i], **known, alternative=side)
        return found

    def answers(self, adjusted: FloatArray, n_together: int) -> Iterator[Comparison]:
        """Yield the comparisons, with adjusted p-values and with intervals of a level at which n hold together."""
        data, about, n, how = self.data, self.about, self.n, self.data.run.procedure
        level, own, wide = how.confidence_level, self.own, self.wide
        joint = ~np.isnan(own.low) & (data.wide_level > level)
        low, high = np.where(joint, wide.low, own.low), np.where(joint, wide.high, own.high)
        unit = detectable(
            1.0, None, df=self.df, n_units=n, null="sign-flip", confidence_level=level, alternative=how.alternative
        )
        columns = {
            "a_score": self.scores[0],
            "b_score": self.scores[1],
            "advantage": self.advantages,
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
        ends, effects = (
            zip(*(column.tolist() for column in group), strict=True)
            for group in ((low, high, self.signs), self.effects)
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
        n_responses = [data.n_responses[i] for i in self.those.tolist()]
        told = adjusted <= 1 - level + 1e-12
        kinds = np.where(joint, 1 + (told == ((low <= 0) & (high >= 0))) * (1 + told), 0)
        notes = self._notes(kinds.tolist(), n_responses, n_together)
        for number, start, row, (first, last, sign), sizes, flips, left, said, count in zip(
            self.those.tolist(),
            starts.tolist(),
            rows,
            ends,
            effects,
            self.flips,
            self.left,
            notes,
            n_responses,
            strict=True,
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
                flips=flips,
                item_scores=ItemScores(
                    data.contest.items[those], about.advantages[those], about.a[those], about.b[those]
                ),
            )

    def _notes(
        self, kinds: Sequence[int], n_responses: Sequence[dict[str, int | float]], n_together: int
    ) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
        """Yield the notes of each interval and of each slice; those of each kind of slice are made once.

        `kinds` says whether an interval is one of several that hold together (1), and contradicts a p-value that does
        not tell A and B apart (2), or does (3).
        """
        contest, metric = self.data.contest, self.about.metric
        undefined = zip(*(np.isnan(size).tolist() for size in self.effects[:3]), strict=True)
        known: dict[Any, tuple[str, ...]] = {}
        for i, (own, wide, kind, count, lacks, skews) in enumerate(
            zip(self.own.notes, self.wide.notes, kinds, n_responses, undefined, self.skews, strict=True)
        ):
            key = (own, wide, kind, count["a"], count["b"], lacks, *skews)
            if key not in known:
                part = contest.take(np.arange(self.n) + self.data.starts[self.those[i]])
                about = [*small(part, SignFlips(1.0, 1.0, 0.0).pvalue("less")), *unequal(part, metric)]
                about += [*uneven(metric, part), *skews]
                about += without_spread(EffectSizes(*(float(size[i]) for size in self.effects)), part)
                notes = list(dict.fromkeys([*own, *about, *contest.notes]))
                if kind:
                    notes = [note for note in notes if note not in own] + [note for note in wide if note in notes]
                    notes += [clash(kind == 3, n_together)] if kind > 1 else []
                known[key] = tuple(notes)
            yield wide if kind else own, known[key]


def _n_responses(contest: Contest, starts: IntArray) -> list[dict[str, int | float]]:
    """Return the responses per item of each slice, as `Contest.n_responses` does; slices with the same share them."""
    columns: dict[str, list[int | float]] = {}
    for role, source in contest.sources.items():
        sizes = np.minimum(source.sizes, 1) if source.weights is not None else source.sizes
        least, most, totals = (at.reduceat(sizes, starts[:-1]) for at in (np.minimum, np.maximum, np.add))
        means = totals / np.diff(starts)
        columns[role] = [
            low if low == high else mean
            for low, high, mean in zip(least.tolist(), most.tolist(), means.tolist(), strict=True)
        ]
    rows = [*zip(*columns.values(), strict=True)]
    known = {row: dict(zip(columns, row, strict=True)) for row in set(rows)}
    return [known[row] for row in rows]
