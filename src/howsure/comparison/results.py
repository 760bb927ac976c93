"""The answers: frozen records that hold numbers, draws and notes, and show themselves as a verdict in English."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from howsure import _check, _json
from howsure._frames import in_any_form
from howsure.comparison import verdicts
from howsure.comparison.agreeing_interval import interval_of
from howsure.comparison.baselines import Baseline
from howsure.comparison.detectable import detectable
from howsure.comparison.margins import MarginTests, margin_tests
from howsure.comparison.rater_answers import RaterAnswers, paired
from howsure.data.responses import Labels
from howsure.data.scales import FloatArray
from howsure.documents import Document
from howsure.errors import ArgumentError
from howsure.inference import ConfidenceInterval, Estimate, PValue
from howsure.inference.combined_error import CombinedError
from howsure.inference.evidence import Evidence
from howsure.intervals import INTERVALS
from howsure.nulls import NULLS
from howsure.provenance import Provenance
from howsure.records import Signed
from howsure.wording.estimates import bounded

if TYPE_CHECKING:
    import polars


NESTED = {"names", "parameters", "confidence_interval", "effect_sizes", "n_responses", "margin", "provenance"}
NESTED |= {"rater_answers", "baselines"}
"""Fields of several values, which have no column of their own name."""


def nothing() -> FloatArray:
    """Return the empty array that stands for draws which were not kept."""
    return np.empty(0)


@dataclass(frozen=True, slots=True)
class EffectSizes:
    """How large the difference is, free of the metric's units; NaN where the metric has no item scores.

    Attributes
    ----------
    cohen_d : float
        Mean item advantage over its standard deviation (d_z, paired).
    hedges_g : float
        The same without its small-sample bias.
    win_rate : float
        Share of items where A is better, ties counted half.
    cliffs_delta : float
        Probability that a random item of A beats a random item of B minus the reverse; ignores the pairing.
    """

    cohen_d: float = math.nan
    hedges_g: float = math.nan
    win_rate: float = math.nan
    cliffs_delta: float = math.nan


@dataclass(frozen=True, slots=True)
class ItemScores:
    """Scores and advantage of each item, for pictures and to find the items that decide.

    Attributes
    ----------
    items : array of str
    advantages : array of float
        How much better A is than B on each item.
    a, b : array of float
        The score of each model on each item; empty for a metric that exists only between two models.
    """

    items: Labels
    advantages: FloatArray
    a: FloatArray
    b: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(Signed):
    """The answer for one metric. `print` it for the verdict in English.

    Attributes
    ----------
    metric, better : str
    parameters : mapping
        Parameters of the metric, such as its threshold.
    names : tuple of str
        What gold, A and B are called.
    a_score, b_score, advantage : float
        The advantage is positive when A is better.
    standard_error : float
        Of the advantage, from items (and raters, where they are a random factor), or from the draws where responses are
        resampled; NaN where it is unknown.
    confidence_interval : ConfidenceInterval
        Of the advantage.
    pvalue, pvalue_se : float
        Of the null that A and B are equal, and its Monte-Carlo standard error.
    skewness_pvalue : float
        The p-value of a test that allows for skewness, where item differences are markedly skewed; else NaN.
    expected_pvalue, expected_pvalue_se : float
        The p-value that a study like this gives on average; it describes the study and is not a test of these data.
    detectable : float
        The smallest true advantage that a study like this finds 8 times in 10; NaN where the standard error is unknown,
        infinite where too few items or clusters are swapped for any p-value to be small enough.
    effect_sizes : EffectSizes
    n_items : int
    n_responses : dict
        Responses per item of gold, a and b.
    scale : str
    null, scheme, alternative : str
    n_resamples : int
    exact : bool
        Whether the p-value counts all arrangements instead of a sample of them; it then does not depend on the seed.
    margin : MarginTests or None
        Superiority, non-inferiority and equivalence, where a margin was given.
    notes : tuple of str
        What the reader must know.
    provenance : Provenance
    slice : str
        Which slice of the items this is; empty for all of them.
    pvalue_adjusted : float
        For the number of metrics and slices compared; NaN for a single comparison.
    n_together : int
        How many intervals, this one among them, hold together at their level.
    rater_answers : RaterAnswers or None
        For these raters, and for raters like these; None without raters who judged several items. The p-values and
        intervals in it are not adjusted.
    baselines : tuple of Baseline
        Tests that were asked for beside the one that decides.
    evidence : Evidence or None
        What p-value and interval were made of; it is not written to files.
    item_scores : ItemScores or None
        Scores and advantage of each item, where the metric has item scores.
    """

    derived: ClassVar[tuple[str, ...]] = ("seed", "signature", "verdict")

    metric: str
    title: str
    better: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    names: tuple[str, str, str]
    a_score: float
    b_score: float
    advantage: float
    standard_error: float = math.nan
    confidence_interval: ConfidenceInterval
    pvalue: float
    pvalue_se: float
    expected_pvalue: float
    expected_pvalue_se: float
    detectable: float = math.nan
    effect_sizes: EffectSizes
    n_items: int
    n_responses: Mapping[str, int | float]
    scale: str = ""
    null: str
    scheme: str
    alternative: str
    n_resamples: int
    exact: bool
    margin: MarginTests | None = None
    notes: tuple[str, ...]
    provenance: Provenance
    slice: str = ""
    pvalue_adjusted: float = math.nan
    n_together: int = 1
    rater_answers: RaterAnswers | None = None
    baselines: tuple[Baseline, ...] = ()
    span: float = field(default=math.inf, repr=False, compare=False)
    evidence: Evidence | None = field(default=None, repr=False, compare=False)
    item_scores: ItemScores | None = field(default=None, repr=False, compare=False)
    beside: "Comparison | None" = field(default=None, repr=False, compare=False)
    skewness_pvalue: float = math.nan

    @property
    def as_estimate(self) -> Estimate:
        """The advantage with its interval and p-values."""
        return Estimate(
            self.advantage, self.confidence_interval, self.standard_error, self.pvalue, self.pvalue_adjusted
        )

    @property
    def draws(self) -> FloatArray:
        """The resampled advantages behind the interval; empty where nothing was resampled, or they were not kept."""
        return nothing() if self.evidence is None else self.evidence.draws[0]

    @property
    def null_draws(self) -> FloatArray:
        """The advantages under the null; empty where nothing was resampled, or they were not kept."""
        return nothing() if self.evidence is None else self.evidence.null_draws[0]

    @property
    def standard_errors(self) -> FloatArray:
        """The standard error of each resampled advantage, where it has one."""
        return nothing() if self.evidence is None else self.evidence.standard_errors[0]

    @property
    def rater_error(self) -> "CombinedError | None":
        """The error from items and raters, where raters are a random factor."""
        return None if self.evidence is None else self.evidence.rater_error

    def tail(self, alternative: str) -> PValue:
        """Return the p-value of an alternative from the same evidence."""
        return NULLS[self.null].pvalues(self._known, alternative)[0]

    def limits(self, method: str, confidence_level: float, alternative: str) -> ConfidenceInterval:
        """Return another interval of the advantage from the same evidence."""
        null = NULLS[self.null]
        return interval_of(INTERVALS[method], self._known, null, confidence_level, alternative, largest=self.span)

    @property
    def _known(self) -> Evidence:
        if self.evidence is None:
            raise ArgumentError(
                "This comparison was read back without its resamples. Run `compare` with its seed again."
            )
        return self.evidence

    def at(
        self, *, confidence_level: float | None = None, alternative: str | None = None, interval: str | None = None
    ) -> "Comparison":
        """Return the answer at another level, alternative or kind of interval, from the same draws."""
        method = _check.one_of("interval", interval or self.confidence_interval.method, INTERVALS)
        if not self.draws.size and INTERVALS[method].needs_draws(self._known):
            raise ArgumentError(
                f"No resamples were kept, which a {method} interval needs. Compare this alone, with "
                f"`interval={method!r}`."
            )
        level = self.confidence_interval.confidence_level if confidence_level is None else confidence_level
        side = self.alternative if alternative is None else alternative
        tail = self.tail(side)
        level = _check.fraction("confidence_level", level)
        limits = self.limits(method, level, side)
        old = {*self.confidence_interval.notes}
        changed = replace(
            self,
            confidence_interval=limits,
            pvalue=tail.pvalue,
            pvalue_se=tail.standard_error,
            skewness_pvalue=NULLS[self.null].pvalue_under_skewness(self._known, side),
            alternative=side,
            pvalue_adjusted=math.nan,
            n_together=1,
            detectable=detectable(self.standard_error, self._known, NULLS[self.null], level, side),
            margin=None if self.margin is None else self.margin_tests(self.margin.margin, limits.method, level),
            notes=(*(note for note in self.notes if note not in old), *limits.notes),
            provenance=self.provenance.changed(
                interval=limits.method, alternative=side, confidence_level=limits.confidence_level
            ),
        )
        if self.beside is None or self.rater_answers is None:
            return changed
        return paired(changed, self.beside.at(confidence_level=level, alternative=side), self.rater_answers.n_raters)

    def margin_tests(self, margin: float, method: str, confidence_level: float) -> MarginTests:
        """Return the tests against a margin that belong to an interval, from the same draws."""
        return margin_tests(
            margin,
            lambda level, side: self.limits(method, level, side),
            confidence_level=confidence_level,
            tails=lambda advantage: INTERVALS[method].tails(self._known, advantage),
        )

    @property
    def seed(self) -> int | None:
        """The number that, passed as `rng`, gives this result again."""
        return self.provenance.seed

    @property
    def verdict(self) -> str:
        """Who is better, by how much, how sure."""
        return verdicts.verdict(self)

    @property
    def shown_pvalue(self) -> str:
        """The p-value as text: "< 0.0002" where the draws cannot tell it from zero."""
        least = NULLS[self.null].floor(self.alternative, self.n_resamples, exact=self.exact)
        return bounded(self.pvalue, least, self.pvalue_se)

    @property
    def sizes(self) -> str:
        """How many items, with how many responses."""
        n = self.n_responses
        gold = f"{n['gold']:.4g} gold, " if "gold" in n else ""
        varies = " on average" if any(isinstance(count, float) for count in n.values()) else ""
        return f"{self.n_items:,} items with {gold}{n['a']:.4g} A and {n['b']:.4g} B responses each{varies}."

    def document(self) -> Document:
        """Return verdict, numbers, sizes, effect sizes and notes."""
        return verdicts.document((self,), "", self.signature)

    @in_any_form
    def to_frame(self) -> "polars.DataFrame":
        """Return one row with the numbers."""
        return _frame([self])


@dataclass(frozen=True, slots=True)
class Comparisons(Signed, Sequence[Comparison]):
    """Several comparisons, with p-values adjusted for their number.

    Attributes
    ----------
    comparisons : tuple of Comparison
    correction : str
    provenance : Provenance
    """

    derived: ClassVar[tuple[str, ...]] = ("signature",)

    comparisons: tuple[Comparison, ...]
    correction: str
    provenance: Provenance

    def __len__(self) -> int:
        return len(self.comparisons)

    def __getitem__(self, index: Any) -> Any:
        return self.comparisons[index]

    def __repr__(self) -> str:
        return f"<Comparisons: {len(self)}, the first of them {self.comparisons[0]!r}>"

    def having(self, comparisons: Iterable[Comparison], **parameters: Any) -> "Comparisons":
        """Return other comparisons in place of these, with more parameters in all signatures."""
        entries = (replace(one, provenance=one.provenance.changed(**parameters)) for one in comparisons)
        return replace(self, comparisons=tuple(entries), provenance=self.provenance.changed(**parameters))

    def json_pieces(self) -> Iterator[str]:
        """Yield `to_dict` as JSON, one comparison in each piece."""
        return _json.pieces(replace(self, comparisons=()).to_dict() | {"comparisons": (one.to_dict() for one in self)})

    def document(self) -> Document:
        """Return the verdicts, one table of all comparisons, and notes that name their slice."""
        return verdicts.document(self.comparisons, self.correction, self.signature)

    @in_any_form
    def to_frame(self) -> "polars.DataFrame":
        """Return one row for each comparison."""
        return _frame(self.comparisons)


def _frame(results: Sequence[Comparison]) -> "polars.DataFrame":
    import polars

    names = [field.name for field in fields(Comparison) if field.repr and field.name not in NESTED]
    rows = []
    for result in results:
        content = {name: getattr(result, name) for name in (*names, *Comparison.derived)}
        content["gold"], content["a"], content["b"] = result.names
        content["notes"] = " ".join(result.notes)
        content["seed"] = str(result.seed)
        limits, sizes = result.confidence_interval, result.effect_sizes
        rows.append(
            content
            | {"interval_low": limits.low, "interval_high": limits.high, "interval": limits.method}
            | {"confidence_level": limits.confidence_level}
            | {field.name: getattr(sizes, field.name) for field in fields(EffectSizes)}
            | {f"n_responses_{role}": count for role, count in result.n_responses.items()}
            | _flat_answers(result.rater_answers)
            | {f"baseline_{one.test}": one.pvalue for one in result.baselines}
            | _flat_margin(result.margin)
        )
    return polars.DataFrame(rows)


def _flat_answers(answers: RaterAnswers | None) -> dict[str, float]:
    if answers is None:
        return {}
    return {
        f"{name}_raters_{field}": value
        for name, answer in (("these", answers.these), ("like", answers.like))
        for field, value in (
            ("pvalue", answer.pvalue),
            ("interval_low", answer.confidence_interval.low),
            ("interval_high", answer.confidence_interval.high),
        )
    }


def _flat_margin(margin: MarginTests | None) -> dict[str, float]:
    if margin is None:
        return {}
    return {
        "margin": margin.margin,
        "margin_superiority": margin.superiority,
        "margin_non_inferiority": margin.non_inferiority,
        "margin_equivalence": margin.equivalence,
    }
