"""Whether A is better than B by people's judgement, when a judge scored everything and people only a part."""

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from howsure import _json, _matrices
from howsure._frames import in_any_form
from howsure.comparison import notes as data_notes
from howsure.comparison import verdicts
from howsure.comparison.default_metric import bind, metrics_for
from howsure.comparison.detectable import of_parts
from howsure.comparison.margins import margin_tests
from howsure.comparison.procedure import Procedure
from howsure.comparison.rater_answers import RaterAnswer, RaterAnswers
from howsure.comparison.results import Comparison, EffectSizes
from howsure.data.scales import FloatArray
from howsure.documents import Block, Column, Document, Sentence, Table
from howsure.documents.numbers import error_of, number, rough
from howsure.documents.numbers import pvalue as p_of
from howsure.errors import ArgumentError
from howsure.inference.combined_error import CombinedError
from howsure.inference.estimate import ConfidenceInterval, Estimate, tails_of
from howsure.judging.combined_advantage import Combined, LabelDesign, Labelled, VarianceParts, bias_of, combine
from howsure.judging.judged_contests import JudgedContest, Overlapping
from howsure.metrics import ItemMetric, Metric, parameters_of, spelled
from howsure.metrics.equal_runs import EqualRuns, fair
from howsure.nulls import RANDOM_EFFECTS, STUDENT_T
from howsure.provenance import Provenance
from howsure.raters import choice as rater_choice
from howsure.raters.advantage_error import saturation_of
from howsure.records import Signed
from howsure.resampling import Scheme, cell_table, summaries_of
from howsure.wording.estimates import cells, ci_column, with_interval
from howsure.wording.sentences import labelled_items

if TYPE_CHECKING:
    import polars

    from howsure.judging.labels_to_draw import LabelChances

FEW_LABELS = 30
"""With fewer labelled items the judge's weight and the interval are rough."""

FAR = 3.0
"""Judge scores of labelled and unlabelled items that differ by more standard errors were not labelled at random."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """The half-width that another design would give.

    Attributes
    ----------
    change : {"raters", "labels"}
        What there is more of.
    n_labelled, n_raters : int
    half_width : float
    """

    change: str
    n_labelled: int
    n_raters: int
    half_width: float


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedComparison(Signed):
    """Whether A is better than B by people's judgement, from people's labels and a judge. `print` it for the verdict.

    Attributes
    ----------
    judge : str
        What the judge is called.
    combined : Comparison
        The answer: people's advantage from the labels and the judge.
    humans : Estimate
        From the labels alone.
    judge_alone : Estimate
        What the judge says about all items; its interval ignores that the judge may be biased.
    bias : Estimate
        By how much the judge favours A, on the labelled items.
    slope : float
        The weight λ of the judge's advantage; 0 where the judge adds nothing.
    correlation : float
        Of the judge's and people's advantages over the labelled items; NaN where one of them is constant.
    n_labelled, n_all, n_labels, n_raters : int
        Labelled items, all items, people's responses, and raters (0 where they are unknown).
    worth : float
        How many labelled items without the judge would be as precise, by the same raters.
    floor, floor_like : float
        The half-width that a perfect judge would leave, for the answer that leads and for raters like these; the second
        is NaN without raters.
    half_width : float
        Of the combined interval.
    forecasts : tuple of Forecast
        With twice as many raters, and with twice as many labelled items: for raters like these, where there are raters.
    parts : VarianceParts
        What the variance is made of, for a label budget.
    notes : tuple of str
    provenance : Provenance
    evidence : Combined or None
        What interval and p-value were made from; not written.
    """

    derived: ClassVar[tuple[str, ...]] = ("signature", "verdict")

    judge: str
    combined: Comparison
    humans: Estimate
    judge_alone: Estimate
    bias: Estimate
    slope: float
    correlation: float
    n_labelled: int
    n_all: int
    n_labels: int
    n_raters: int
    worth: float
    floor: float
    floor_like: float
    half_width: float
    forecasts: tuple[Forecast, ...]
    parts: VarianceParts
    notes: tuple[str, ...]
    provenance: Provenance
    evidence: Combined | None = field(default=None, repr=False, compare=False)

    @property
    def verdict(self) -> str:
        """The answer in words."""
        return verdicts.verdict(self.combined)

    @property
    def advantage(self) -> float:
        """The combined advantage; positive when A is better."""
        return self.combined.advantage

    @property
    def confidence_interval(self) -> ConfidenceInterval:
        """The interval of the combined advantage."""
        return self.combined.confidence_interval

    @property
    def pvalue(self) -> float:
        """The p-value of the combined advantage."""
        return self.combined.pvalue

    def document(self) -> Document:
        """Return the verdict, what the judge was worth, its bias, the floor, and what would help most."""
        _, a, b = self.combined.names
        blocks: list[Block] = [Sentence(self.verdict, "verdict")]
        answers = self.combined.rater_answers
        blocks += [Sentence(line) for line in (answers.lines(self.combined) if answers is not None else [])]
        blocks += [Sentence(said) for said in self.findings]
        blocks.append(self._table())
        return Document(f"Is {a} better than {b}, by people's judgement?", tuple(blocks), self.notes, self.signature)

    @in_any_form
    def to_frame(self) -> "polars.DataFrame":
        """Return one row each for people alone, the judge alone, its bias, and both combined."""
        import polars

        rows = []
        for name, one in (*self.estimates, ("bias of the judge", self.bias)):
            ends = one.confidence_interval
            row = {"estimate": name, "advantage": one.value, "standard_error": one.standard_error}
            rows.append(row | {"interval_low": ends.low, "interval_high": ends.high, "pvalue": one.pvalue})
        return polars.DataFrame(rows)

    @property
    def estimates(self) -> tuple[tuple[str, Estimate], ...]:
        """The three advantages with their names: by people alone, by the judge alone, by both."""
        both = self.combined.as_estimate
        return (("people alone", self.humans), ("judge alone", self.judge_alone), ("people and judge", both))

    @property
    def findings(self) -> tuple[str, ...]:
        """What the judge was worth, its bias, the floor, and what would help most; a sentence or two of each."""
        return tuple(said for said in (self._worth(), self._bias(), self._floor(), self.advice) if said)

    def _table(self) -> Table:
        columns = [Column("from"), Column("items", "count"), Column("advantage", "number")]
        columns += [ci_column(self.confidence_interval.confidence_level), Column("p", "pvalue")]
        rows = []
        for (name, one), n in zip(self.estimates, (self.n_labelled, self.n_all, self.n_all), strict=True):
            rows.append((name, n, *cells(one.value, one.confidence_interval), one.pvalue))
        return Table(tuple(columns), tuple(rows))

    def _worth(self) -> str:
        labelled = labelled_items(self.n_labelled, self.n_all, self.n_raters)
        if self.n_labelled == self.n_all:
            return f"{labelled}, so {self.judge} adds nothing."
        said = f"{labelled}; {self.judge} scored all of them."
        if not math.isfinite(self.worth):
            return said
        gained = round(self.worth) - self.n_labelled
        if gained <= 0:
            return f"{said} The judge saved no labels."
        return f"{said} Without the judge, {round(self.worth):,} labelled items would be as precise."

    def _bias(self) -> str:
        _, a, b = self.combined.names
        alone, bias = self.judge_alone.value, self.bias.unsigned()
        ends, error = bias.confidence_interval, error_of(bias.confidence_interval, bias.value)
        if math.isnan(alone) or math.isnan(error):
            return ""
        better = f"{a if alone > 0 else b} is better by {number(abs(alone), error)}" if alone else "both are equal"
        said = f"{self.judge} alone would say that {better}."
        favours = f"It favours {a if self.bias.value >= 0 else b} by {with_interval(bias.value, ends)}"
        return f"{said} {favours}{'' if ends.excludes_zero else ', no clear bias'}."

    def _floor(self) -> str:
        # Its error rests on fewer degrees of freedom, so where raters hardly differ it can exceed the interval.
        if not 0 < self.floor < self.half_width or self.n_labelled == self.n_all:
            return ""
        why = f", because the {self.n_raters} raters disagree" if not math.isnan(self.floor_like) else ""
        if why and self.parts.n_raters < 2:
            why = f" for these raters, and ±{rough(self.floor_like)} for raters like these{why}"
        return (
            f"Even a perfect judge would leave ±{rough(self.floor)}{why}; the interval has ±{rough(self.half_width)}."
        )

    @property
    def advice(self) -> str:
        """What would help most: more raters, or more labelled items."""
        known = {one.change: one for one in self.forecasts}
        labels = known.get("labels")
        if labels is None or not self.half_width > 0:
            return ""
        more = f"{labels.n_labelled:,} labelled items"
        if "raters" not in known:
            return f"{more} would give about ±{rough(labels.half_width)}."
        raters = known["raters"]
        people = f"{raters.n_raters} raters"
        if raters.half_width < labels.half_width:
            first, other = (people, raters), (more, labels)
            head = "More raters help more than more items"
        else:
            first, other = (more, labels), (people, raters)
            head = "More labelled items help more than more raters"
        if self.parts.n_raters < 2:
            head = f"For raters like these, {head[0].lower()}{head[1:]}"
        return (
            f"{head}: {first[0]} would give about ±{rough(first[1].half_width)}, {other[0]} ±"
            f"{rough(other[1].half_width)}."
        )


class _Scored(NamedTuple):
    """What is known of each item: people's and the judge's advantages, and the scores of A and B."""

    data: Labelled
    human_scores: tuple[FloatArray, ...]
    judge_scores: tuple[FloatArray, ...]


@_matrices.on_one_thread
def compare_with_judge(
    judged: JudgedContest,
    *,
    metric: str | Metric | None = None,
    procedure: Procedure | None = None,
    chances: "LabelChances | None" = None,
    these_items: bool = False,
) -> JudgedComparison:
    """Ask whether A is better than B by people's judgement.

    Parameters
    ----------
    judged : JudgedContest
        Labels of people on some items, and of the judge on all.
    metric : str or Metric, optional
        One with item scores; the scale decides by default, as in `compare`.
    procedure : Procedure, optional
        `raters`, `alternative`, `confidence_level` and `margin` are used.
    chances : LabelChances, optional
        The chance with which each item was chosen to be labelled; equal by default.
    these_items : bool
        The question is about these items only, not about items like these.
    """
    how = procedure or Procedure()
    found = judged.overlapping()
    chosen, why = metrics_for(found.humans, None if metric is None else [metric])
    bound = bind(chosen[0], found.humans)
    bound = fair(bound, found.judge) or bound
    found = found.on_one_scale(graded=bound.needs == "means")
    data_notes.check_magnitudes(found.humans)
    about_design: list[str] = []
    design = LabelDesign.simple(found.humans.n_items)
    if chances is not None:
        found, design, about_design = chances.applied(found)
    _check_metric(bound)
    choice = rater_choice.choose(found.humans, Scheme(), raters=how.raters, null=None)
    scored = _scored(found, bound, design, random=choice.n_raters > 1 or choice.scheme.raters == "random")
    answers = _Answers.of(scored.data, how, these_items=these_items)
    random = choice.scheme.raters == "random"
    lead = answers.like if random else answers.these
    beside = choice.n_raters > 1 and answers.like is not None and answers.these is not None
    assert lead is not None
    data = scored.data if random else replace(scored.data, cells=None)
    alone, bias = combine(data, slope=0.0, these_items=these_items), bias_of(data)
    people, judge = found.humans, scored.data.judge
    spread = float(judge.var(ddof=1)) / judge.size if judge.size > 1 else math.nan
    of_judge = CombinedError((spread,), (max(1.0, judge.size - 1.0),))  # as if it were a person whose word counts
    notes = [
        *(() if beside else choice.notes),
        *about_design,
        *_cautions(scored.data, lead, found, chances is not None),
    ]
    notes += [*lead.error.interval(lead.estimate).notes, *found.notes, *why]
    parameters = {
        "metric": spelled(bound),
        "judge": found.name,
        "raters": choice.scheme.raters,
        "sampled": None if chances is None else chances.name,
        "these_items": these_items or None,
        "confidence_level": how.confidence_level,
        "alternative": how.alternative,
        "margin": how.margin,
    }
    digest = _json.digest([people.digest, found.judge.digest])[:12]
    provenance = Provenance("compare", parameters, None, digest)
    comparison = _comparison(found, bound, scored, lead, how, random=random, provenance=provenance)
    comparison = replace(comparison, scheme=str(choice.scheme))
    if beside:
        comparison = replace(comparison, rater_answers=answers.lines(how, choice.n_raters))
    parts, half = lead.parts, _half(lead.error, how)
    labelled = (people.a, people.b) if people.gold is None else (people.gold,)
    return JudgedComparison(
        judge=found.name,
        combined=comparison,
        humans=_estimate(alone.estimate, alone.error, how),
        judge_alone=_estimate(float(judge.mean()), of_judge, how),
        bias=_estimate(bias.estimate, bias.error, replace(how, alternative="two-sided")),
        slope=lead.slope,
        correlation=_correlation(scored.data),
        n_labelled=scored.data.n,
        n_all=scored.data.n_all,
        n_labels=sum(int(source.values.size) for source in labelled),
        n_raters=choice.n_raters or parts.n_raters,
        worth=parts.worth(),
        floor=_half(parts.error(left=0.0), how),
        floor_like=math.nan if answers.like is None else _half(answers.like.parts.error(left=0.0), how),
        half_width=half,
        forecasts=_forecasts(parts if answers.like is None else answers.like.parts, how),
        parts=parts,
        notes=tuple(dict.fromkeys(notes)),
        provenance=provenance,
        evidence=lead,
    )


def _check_metric(metric: Metric) -> None:
    averaged = metric.averaged if isinstance(metric, EqualRuns) else metric
    if not isinstance(averaged, ItemMetric):
        raise ArgumentError(
            f"`judge` needs a metric that is a mean of item scores, such as mae, accuracy or rating; {metric.name!r} "
            "is none."
        )


def _scored(found: Overlapping, metric: Any, design: LabelDesign, *, random: bool) -> _Scored:
    """Score every item by people's labels and by the judge's."""
    people, own = (summaries_of(contest, metric.needs) for contest in (found.humans, found.judge))
    levels = set(found.humans.scale.levels)
    counts = metric.counts_items or (metric.linear and bool(levels) and levels <= {0.0, 0.5, 1.0})
    data = Labelled(
        human=np.asarray(metric.item_advantages(*people)),
        judge=np.asarray(metric.item_advantages(*own)),
        where=found.where,
        design=design,
        cells=cell_table(found.humans, metric) if random else None,
        span=1.0 if counts else math.inf,
        saturation=1.0 if metric.linear or not random else saturation_of(found.humans, metric),
    )
    return _Scored(data, metric.scores_by_item(*people), metric.scores_by_item(*own))


@dataclass(frozen=True, slots=True)
class _Answers:
    """The answer for these raters, and for raters like these; the second is None without raters."""

    these: Combined
    like: Combined | None

    @classmethod
    def of(cls, data: Labelled, how: Procedure, *, these_items: bool) -> "_Answers":
        these = combine(replace(data, cells=None), these_items=these_items)
        if data.cells is None:
            return cls(these, None)
        like = combine(data, these_items=these_items)
        if _half(like.error, how) < _half(these.error, how):  # raters never make a result surer
            like = replace(like, error=these.error)
        return cls(these, like)

    def lines(self, how: Procedure, n_raters: int) -> RaterAnswers:
        """Return both answers for the two lines."""
        assert self.like is not None
        found = []
        for one in (self.these, self.like):
            own = _estimate(one.estimate, one.error, how)
            found.append(RaterAnswer(own.value, own.confidence_interval, own.pvalue, p_of(own.pvalue)))
        return RaterAnswers(n_raters, *found)


def _comparison(
    found: Overlapping,
    metric: Metric,
    scored: _Scored,
    lead: Combined,
    how: Procedure,
    *,
    random: bool,
    provenance: Provenance,
) -> Comparison:
    """Return the combined answer as a comparison, whose verdict has the words of `compare`."""

    def limits(level: float, side: str) -> ConfidenceInterval:
        return lead.error.interval(lead.estimate, confidence_level=level, alternative=side)

    own = _estimate(lead.estimate, lead.error, how)
    w, data = scored.data.design.weights, scored.data
    of_a, of_b = (
        float(w @ (human - lead.slopes * (judge[data.where] - judge.mean())))
        for human, judge in zip(scored.human_scores, scored.judge_scores, strict=True)
    )
    tail = tails_of(how.confidence_level, how.alternative)[0]
    sizes = {int(size) for side in (found.humans.a, found.humans.b) for size in (side.sizes.min(), side.sizes.max())}
    return Comparison(
        metric=metric.name,
        title=metric.titled(sizes if found.humans.gold is not None else {1}),
        better=metric.better,
        parameters=parameters_of(metric),
        names=found.humans.names,
        a_score=of_a,
        b_score=of_b,
        advantage=own.value,
        standard_error=own.standard_error,
        confidence_interval=own.confidence_interval,
        pvalue=own.pvalue,
        pvalue_se=0.0,
        expected_pvalue=math.nan,
        expected_pvalue_se=math.nan,
        detectable=of_parts(lead.error, tail),
        effect_sizes=EffectSizes(),
        n_items=data.n_all,
        n_responses=found.humans.n_responses,
        scale=str(found.humans.scale),
        null=(RANDOM_EFFECTS if random else STUDENT_T).name,
        scheme="",
        alternative=how.alternative,
        n_resamples=0,
        exact=True,
        margin=None if how.margin is None else margin_tests(how.margin, limits, confidence_level=how.confidence_level),
        notes=(),
        provenance=provenance,
    )


def _estimate(estimate: float, error: CombinedError, how: Procedure) -> Estimate:
    ends = error.interval(estimate, confidence_level=how.confidence_level, alternative=how.alternative)
    return Estimate(estimate, ends, error.standard_error, error.pvalue(estimate, alternative=how.alternative))


def _half(error: CombinedError, how: Procedure) -> float:
    """Return the half-width of the two-sided interval."""
    return error.half_width((1 - how.confidence_level) / 2)


def _correlation(data: Labelled) -> float:
    own = data.judge[data.where]
    if not np.ptp(own) > 0 or not np.ptp(data.human) > 0:
        return math.nan
    return float(np.corrcoef(own, data.human)[0, 1])


def _forecasts(parts: VarianceParts, how: Procedure) -> tuple[Forecast, ...]:
    """Return what twice the labels would give: more items by the same raters, or more raters on the same items."""
    n = 2 * parts.n
    found = [Forecast("labels", n, parts.n_raters, _half(parts.error(n=n), how))]
    if parts.n_raters > 1:
        r = 2 * parts.n_raters
        found.insert(0, Forecast("raters", parts.n, r, _half(parts.error(n_raters=r), how)))
    return tuple(found)


def _cautions(data: Labelled, lead: Combined, found: Overlapping, drawn: bool) -> list[str]:
    """Say what makes the answer less sure than it looks."""
    cautions: list[str] = []
    name = found.name
    if data.n == data.n_all:
        return cautions
    own, rest = data.judge[data.where], np.delete(data.judge, data.where)
    if not np.ptp(data.judge) > 0:
        cautions.append(f"{name} finds the same difference on every item, so it adds nothing to the labels.")
    elif lead.slope <= 0:
        cautions.append(
            f"{name} and people do not agree on which items A is better (correlation {_correlation(data):.2f}): it "
            "adds nothing to the labels."
        )
    if data.n < FEW_LABELS:
        cautions.append(
            f"{data.n} labelled items are few: interval and p-value are rough. Label at least {FEW_LABELS}."
        )
    worth = data.design.n_effective
    if data.design.unequal and worth < data.n / 2:
        cautions.append(
            f"The chances to be labelled differ so much that {data.n:,} labelled items are worth about {worth:.0f}: "
            "the interval may be too short, and p too small. Label more of the items that had small chances."
        )
    spread = math.sqrt(own.var(ddof=1) / own.size + (rest.var(ddof=1) / rest.size if rest.size > 1 else 0.0))
    off = own.mean() - rest.mean()
    if not drawn and spread > 0 and abs(off) > FAR * spread:
        cautions.append(
            f"By {name}, A is better by {number(own.mean(), spread)} on labelled and by {number(rest.mean(), spread)} "
            "on other items: these were hardly labelled at random, and no method repairs that. Draw items with howsure "
            "sample."
        )
    return cautions
