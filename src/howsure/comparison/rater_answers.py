"""Two questions about raters, two answers: for these raters, and for raters like these."""

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from howsure.comparison.margins import MarginTests
from howsure.inference import ConfidenceInterval, Estimate
from howsure.wording import sentences
from howsure.wording.estimates import beside_skewness, p, with_interval

if TYPE_CHECKING:
    from howsure.comparison.results import Comparison


@dataclass(frozen=True, slots=True)
class RaterAnswer:
    """One of the two answers.

    Attributes
    ----------
    advantage : float
    confidence_interval : ConfidenceInterval
    pvalue : float
    shown_pvalue : str
        The p-value as text.
    detectable : float
        The smallest true advantage that a study like this finds 8 times in 10; NaN where it is unknown.
    margin : MarginTests or None
        The tests against the margin, where one was given.
    skewness_pvalue : float
        The p-value of a test that allows for skewness, where item differences are markedly skewed; else NaN.
    """

    advantage: float
    confidence_interval: ConfidenceInterval
    pvalue: float
    shown_pvalue: str
    detectable: float = math.nan
    margin: MarginTests | None = None
    skewness_pvalue: float = math.nan

    @property
    def as_estimate(self) -> Estimate:
        """The advantage with its interval and p-value."""
        return Estimate(self.advantage, self.confidence_interval, pvalue=self.pvalue)

    def as_comparison(self, result: "Comparison") -> "Comparison":
        """Return the comparison as if this were its only answer, so that sentences on comparisons can be said of it."""
        return replace(
            result,
            advantage=self.advantage,
            confidence_interval=self.confidence_interval,
            pvalue=self.pvalue,
            pvalue_adjusted=math.nan,
            skewness_pvalue=self.skewness_pvalue,
            detectable=self.detectable,
            margin=self.margin,
        )


@dataclass(frozen=True, slots=True)
class RaterAnswers:
    """What a result with raters says about these raters, and about raters like these.

    Attributes
    ----------
    n_raters : int
    these : RaterAnswer
        Raters are held fixed; items are a sample.
    like : RaterAnswer
        Items and raters are both samples. It is never surer than `these`.
    """

    n_raters: int
    these: RaterAnswer
    like: RaterAnswer

    def lines(self, result: "Comparison") -> list[str]:
        """Return both answers in two aligned lines, and which of them to report."""
        heads, answers = sentences.whose_raters(self.n_raters), (self.these, self.like)
        lines = {head: _line_of(answer, result) for head, answer in zip(heads, answers, strict=True)}
        return [*sentences.aligned(lines), sentences.which_line(self.n_raters)]


def _line_of(answer: RaterAnswer, result: "Comparison") -> str:
    by = answer.as_estimate.unsigned()
    leads = result.names[1] if answer.advantage >= 0 else result.names[2]
    text = f"{leads} better by {with_interval(by.value, by.confidence_interval)}, {p(answer.shown_pvalue)}"
    return f"{text}{beside_skewness(answer.skewness_pvalue, result.n_resamples)}"


def paired(result: "Comparison", beside: "Comparison", n_raters: int) -> "Comparison":
    """Return the result with both answers; one of them is its own, and the other is that of `beside`."""
    own = result.rater_error is not None
    like, these = (result, beside) if own else (beside, result)
    like = _no_surer(like, these)
    answers = RaterAnswers(n_raters, _answer(these), _answer(like))
    return replace(like if own else result, rater_answers=answers, beside=beside)


def _answer(result: "Comparison") -> RaterAnswer:
    return RaterAnswer(
        result.advantage,
        result.confidence_interval,
        result.pvalue,
        result.shown_pvalue,
        result.detectable,
        result.margin,
        result.skewness_pvalue,
    )


def _no_surer(like: "Comparison", these: "Comparison") -> "Comparison":
    """Return the answer for raters like these, made no surer than the answer for these.

    So its p-value is not below what the items allow, and its interval not narrower than that for these raters. Where
    unequal loads make the two advantages differ, only the number of items limits the p-value.
    """
    sides = 2 if like.alternative == "two-sided" else 1
    ends, own = these.confidence_interval, like.confidence_interval
    if not math.isclose(like.advantage, these.advantage, rel_tol=1e-9, abs_tol=1e-12 * max(1.0, abs(these.a_score))):
        return replace(like, pvalue=max(like.pvalue, min(1.0, sides * 0.5**like.n_items)))
    known = these.exact or these.pvalue > sides / (these.n_resamples + 1)
    pvalue, notes = like.pvalue, like.notes
    if known and not these.pvalue <= pvalue:
        undefined = math.isnan(pvalue)
        pvalue = these.pvalue
        notes = tuple(note for note in notes if not (undefined and "is undefined: the standard error" in note))
        if not math.isnan(pvalue) and not like.pvalue > pvalue / 2:
            notes = (*notes, "The p-value is that for these raters: the items allow no smaller one.")
    if own.method == "t" and math.isnan(own.low):
        own = replace(ends, confidence_level=own.confidence_level)
    elif own.method == "t" and not math.isnan(ends.low):
        low, high = min(own.low, ends.low), max(own.high, ends.high)
        span = like.span
        own = replace(
            own, low=low if low == -math.inf else max(-span, low), high=high if high == math.inf else min(span, high)
        )
    return replace(
        like,
        pvalue=pvalue,
        confidence_interval=own,
        notes=notes,
        detectable=max(like.detectable, these.detectable),
        margin=_no_surer_of_margin(like.margin, these.margin, like.span),
    )


def _no_surer_of_margin(like: MarginTests | None, these: MarginTests | None, span: float) -> MarginTests | None:
    if like is None or these is None or math.isnan(these.equivalence):
        return like
    if math.isnan(like.equivalence):
        return these
    own, ends = like.confidence_interval, these.confidence_interval
    return MarginTests(
        margin=like.margin,
        superiority=max(like.superiority, these.superiority),
        non_inferiority=max(like.non_inferiority, these.non_inferiority),
        equivalence=max(like.equivalence, these.equivalence),
        confidence_interval=replace(
            own, low=max(-span, min(own.low, ends.low)), high=min(span, max(own.high, ends.high))
        ),
    )
