"""Scores and ranks of models by people's judgement, when a judge scored everything and people only a part."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from howsure import _check, _matrices
from howsure._frames import in_any_form
from howsure.comparison.default_metric import bind, metrics_for
from howsure.comparison.procedure import Procedure
from howsure.data.scales import FloatArray
from howsure.documents import Block, Column, Document, Measured, Sentence, Table
from howsure.documents.numbers import counted, error_of, joined, subtracted
from howsure.errors import ArgumentError
from howsure.inference import adjust
from howsure.inference.combined_error import CombinedError
from howsure.inference.estimate import ConfidenceInterval, Estimate
from howsure.judging.combined_advantage import Combined, LabelDesign, Labelled, bias_of, combine
from howsure.judging.judged_comparison import compare_with_judge
from howsure.judging.judged_contests import JudgedContest
from howsure.metrics import ItemMetric, Metric, spelled
from howsure.provenance import Provenance
from howsure.raters import choice as rater_choice
from howsure.records import Signed
from howsure.resampling import Scheme, cell_table, summaries_of
from howsure.wording.estimates import cells, ci, ci_column

if TYPE_CHECKING:
    import polars

SENTENCES = 3
"""So many models have a sentence each; the table has all of them."""


@dataclass(frozen=True, slots=True)
class JudgedScore:
    """The score of one model.

    Attributes
    ----------
    name, title, better : str
    combined, humans, judge_alone : Estimate
        From labels and judge, from labels alone, and the judge's own mean; p-values are NaN.
    bias : Estimate
        By how much the judge's mean is above people's score.
    worth : float
        How many labelled items without the judge would be as precise.
    n_labelled, n_all, n_raters : int
        `n_raters` is 0 where raters are held fixed.
    """

    name: str
    title: str
    better: str
    combined: Estimate
    humans: Estimate
    judge_alone: Estimate
    bias: Estimate
    worth: float
    n_labelled: int
    n_all: int
    n_raters: int

    @property
    def score(self) -> float:
        """The score from labels and judge."""
        return self.combined.value

    @property
    def confidence_interval(self) -> ConfidenceInterval:
        """The interval of the score from labels and judge."""
        return self.combined.confidence_interval

    @property
    def sentence(self) -> str:
        """The score in one sentence, and what the judge alone would say."""
        ends, off = self.combined.confidence_interval, self.bias.value
        score, alone, by, shown = subtracted(self.combined.value, self.judge_alone.value, off, ends)
        said = f"{self.name}: {self.title} {score} ({ci(ends.confidence_level)} {shown}) by people's judgement; "
        said += f"the judge alone says {alone}"
        if not off:
            return f"{said}."
        side = "too high" if off > 0 else "too low"
        sure = ", significantly" if self.bias.confidence_interval.excludes_zero else ""
        return f"{said}, {by} {side}{sure}."


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """By how much one model is better than another.

    Attributes
    ----------
    better, worse : str
    advantage : Estimate
        Of the better model; its interval is not adjusted. The adjusted p-value is Holm's, over all pairs.
    """

    derived: ClassVar[tuple[str, ...]] = ("pvalue_adjusted",)

    better: str
    worse: str
    advantage: Estimate

    @property
    def pvalue_adjusted(self) -> float:
        """The adjusted p-value of the advantage."""
        return self.advantage.pvalue_adjusted


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedScores(Signed):
    """The scores of models by people's judgement, each from people's labels and a judge.

    Attributes
    ----------
    judge : str
    models : tuple of JudgedScore
        The best first where pairs are compared.
    pairs : tuple of JudgedPair
        The comparison of every pair, where models are ranked.
    notes : tuple of str
    provenance : Provenance
    """

    derived: ClassVar[tuple[str, ...]] = ("signature", "may_be_best")

    judge: str
    models: tuple[JudgedScore, ...]
    pairs: tuple[JudgedPair, ...] = ()
    notes: tuple[str, ...]
    provenance: Provenance

    @property
    def may_be_best(self) -> tuple[str, ...]:
        """The models that no other model is significantly better than; empty where pairs are not compared."""
        beaten = {pair.worse for pair in self.pairs if pair.advantage.is_significant}
        return tuple(one.name for one in self.models if one.name not in beaten) if self.pairs else ()

    def document(self) -> Document:
        """Return who may be the best, or a sentence for few models; the scores by people and judge; and all pairs."""
        blocks: list[Block] = [Sentence(one.sentence, "verdict") for one in self.models[:SENTENCES]]
        if self.pairs:
            blocks = [Sentence(self._ranked(), "verdict")]
        first = self.models[0]
        between = ci_column(first.confidence_interval.confidence_level)
        columns = [Column("model"), Column(first.title, "number"), between]
        columns += [Column("people alone", "number"), Column("judge alone", "number"), Column("bias", "number")]
        columns += [Column("labelled", "count"), Column("items", "count"), Column("worth", "count", detail=True)]
        rows = []
        for one in self.models:
            error = error_of(one.combined.confidence_interval, one.combined.value)
            shown = (one.combined.value, one.combined.confidence_interval, one.humans.value)
            shown = (*shown, one.judge_alone.value, one.bias.value)  # type: ignore[assignment]
            rows.append((one.name, *(Measured(value, error) for value in shown), one.n_labelled, one.n_all, one.worth))
        blocks.append(Table(tuple(columns), tuple(rows)))
        if self.pairs:
            blocks.append(self._pairs())
        elif len(self.models) > 1:
            blocks.append(Sentence("To test whether two models differ, use howsure compare with the same judge."))
        return Document("How good is each model, by people's judgement?", tuple(blocks), self.notes, self.signature)

    def _ranked(self) -> str:
        found, best = sum(pair.advantage.is_significant for pair in self.pairs), self.may_be_best
        if len(best) == 1:
            said = f"{best[0]} is significantly better than every other model by people's judgement."
        else:
            said = f"{joined(best)} may be the best by people's judgement."
        if len(self.pairs) == 1:
            return said
        n = counted(len(self.pairs), "pair")
        return f"{said} {found or 'None'} of {n} {'differs' if found < 2 else 'differ'} significantly (Holm)."

    def _pairs(self) -> Table:
        between = ci_column(self.pairs[0].advantage.confidence_interval.confidence_level)
        columns = [Column("better"), Column("worse"), Column("by", "number"), between]
        rows = []
        for pair in self.pairs:
            shown = cells(pair.advantage.value, pair.advantage.confidence_interval)
            rows.append((pair.better, pair.worse, *shown, pair.pvalue_adjusted))
        return Table(
            (*columns, Column("adjusted p", "pvalue")),
            tuple(rows),
            "All pairs: p-values are adjusted, each interval holds by itself",
        )

    @in_any_form
    def to_frame(self) -> "polars.DataFrame":
        """Return one row for each model."""
        import polars

        rows = []
        for one in self.models:
            ends = one.combined.confidence_interval
            row = {"model": one.name, "score": one.combined.value, "interval_low": ends.low}
            row |= {"interval_high": ends.high, "people": one.humans.value, "judge": one.judge_alone.value}
            rows.append(row | {"bias": one.bias.value, "n_labelled": one.n_labelled, "n_items": one.n_all})
        return polars.DataFrame(rows)


@dataclass(frozen=True)
class ScoreOfA:
    """A metric of single models as `cell_table` takes it: the "advantage" of an item is A's score."""

    metric: ItemMetric

    @property
    def needs(self) -> Any:
        """What the metric needs to know of responses."""
        return self.metric.needs

    def item_advantages(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return A's score of each item."""
        return self.metric.item_scores(gold, a)


@_matrices.on_one_thread
def score_with_judge(
    contests: Sequence[JudgedContest],
    *,
    metric: str | Metric | None = None,
    raters: str | None = None,
    confidence_level: float = 0.95,
    notes: Sequence[str] = (),
) -> JudgedScores:
    """Return the score of each model by people's judgement; a contest has the model as A and as B."""
    level = _check.fraction("confidence_level", confidence_level)
    found, told = [], list(notes)
    for judged in contests:
        one, about, used = _score(judged, metric, raters, level)
        found.append(one)
        told += about
    parameters = {
        "metric": spelled(used),
        "judge": contests[0].name,
        "raters": raters,
        "confidence_level": level,
    }
    from howsure import _json

    digests = [contest.digest for judged in contests for contest in (judged.humans, judged.judge)]
    provenance = Provenance("score", parameters, None, _json.digest(digests)[:12])
    return JudgedScores(
        judge=contests[0].name, models=tuple(found), notes=tuple(dict.fromkeys(told)), provenance=provenance
    )


def rank_with_judge(
    contests: Sequence[JudgedContest],
    *,
    metric: str | Metric | None = None,
    raters: str | None = None,
    confidence_level: float = 0.95,
    notes: Sequence[str] = (),
) -> JudgedScores:
    """Return the scores of models, the best first, and the comparison of every pair, adjusted by Holm's method."""
    if len(contests) < 2:
        raise ArgumentError(f"a leaderboard needs at least two models; got {len(contests)}.")
    scores = score_with_judge(contests, metric=metric, raters=raters, confidence_level=confidence_level, notes=notes)
    procedure = Procedure(raters=raters, confidence_level=confidence_level)
    found = []
    for one, other in combinations(contests, 2):
        views = []
        for first, second in ((one.humans, other.humans), (one.judge, other.judge)):
            names = (first.names[0], first.names[1], second.names[1])
            views.append(replace(first, b=second.b, names=names))
        result = compare_with_judge(JudgedContest(views[0], views[1], one.name), metric=metric, procedure=procedure)
        better, worse = result.combined.names[1:][:: 1 if result.advantage >= 0 else -1]
        found.append((better, worse, result.combined.as_estimate.unsigned()))
    adjusted = adjust([own.pvalue for *_, own in found])
    pairs = [
        JudgedPair(better, worse, replace(own, pvalue_adjusted=float(p)))
        for (better, worse, own), p in zip(found, adjusted, strict=True)
    ]
    sign = 1 if scores.models[0].better == "higher" else -1
    order = sorted(scores.models, key=lambda one: -sign * one.combined.value)
    return replace(
        scores,
        models=tuple(order),
        pairs=tuple(sorted(pairs, key=lambda pair: (math.isnan(pair.pvalue_adjusted), pair.pvalue_adjusted))),
        provenance=replace(scores.provenance, call="leaderboard"),
    )


def _score(
    judged: JudgedContest, metric: str | Metric | None, raters: str | None, level: float
) -> tuple[JudgedScore, list[str], Metric]:
    """Return the score of one model, notes and the metric."""
    found = judged.overlapping()
    chosen, why = metrics_for(found.humans, None if metric is None else [metric])
    bound = bind(chosen[0], found.humans)
    if not isinstance(bound, ItemMetric):
        raise ArgumentError(f"`judge` needs a metric that is a mean of item scores; {bound.name!r} is none.")
    found = found.on_one_scale(graded=bound.needs == "means")
    choice = rater_choice.choose(found.humans, Scheme(), raters=raters, null=None)
    random = choice.scheme.raters == "random"
    alone = ScoreOfA(bound)
    people, own = (summaries_of(contest, bound.needs) for contest in (found.humans, found.judge))
    data = Labelled(
        human=np.asarray(alone.item_advantages(*people)),
        judge=np.asarray(alone.item_advantages(*own)),
        where=found.where,
        design=LabelDesign.simple(found.humans.n_items),
        cells=cell_table(found.humans, alone) if random else None,
    )
    both = combine(data)
    judge = CombinedError((float(data.judge.var(ddof=1)) / data.n_all,), (data.n_all - 1.0,))
    _, name, _ = found.humans.names
    sizes = {int(found.humans.a.sizes.min()), int(found.humans.a.sizes.max())}
    one = JudgedScore(
        name=name,
        title=bound.titled(sizes if found.humans.gold is not None else {1}),
        better=bound.better,
        combined=_estimate(both, level, bound.bounds),
        humans=_estimate(combine(data, slope=0.0), level, bound.bounds),
        judge_alone=_of(float(data.judge.mean()), judge, level, bound.bounds),
        bias=_estimate(bias_of(data), level, (-math.inf, math.inf)),
        worth=both.parts.worth(),
        n_labelled=data.n,
        n_all=data.n_all,
        n_raters=both.parts.n_raters if random else 0,
    )
    said = list(choice.notes)
    if data.n < data.n_all and not np.ptp(data.judge) > 0:
        said.append(f"{name}: {found.name} gives the same score to every item, so it adds nothing to the labels.")
    said += [f"{name}: {note}" for note in one.combined.confidence_interval.notes]
    return one, [*said, *found.notes, *why], bound


def _estimate(found: Combined, level: float, bounds: tuple[float, float]) -> Estimate:
    return _of(found.estimate, found.error, level, bounds)


def _of(estimate: float, error: CombinedError, level: float, bounds: tuple[float, float]) -> Estimate:
    """Return an estimate with its interval, within the range of the score; scores have no p-value."""
    ends = error.interval(estimate, confidence_level=level)
    low, high = ends.low, ends.high
    if not math.isnan(low):
        low, high = max(low, bounds[0]), min(high, bounds[1])
    limits = ConfidenceInterval(low, high, ends.method, level, ends.notes)
    return Estimate(estimate, limits, error.standard_error)
