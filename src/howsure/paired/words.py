"""What a test found, in sentences that can be pasted into a paper, and what the words in them mean.

The system that scores higher is named first, so that no number needs a sign. The direction is that of the test which
rejected; where the estimate or the means do not show it, the sentence says so.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from howsure.documents import Definitions, Document
from howsure.documents.numbers import error_of, number, subtracted
from howsure.inference import ConfidenceInterval, Estimate
from howsure.nulls import SCORE_TESTS
from howsure.nulls.item_test import MEAN
from howsure.paired.score_lists import ACCURACY
from howsure.records import Record
from howsure.wording.estimates import interval, p, with_interval
from howsure.wording.sentences import HIGHER, claim, finding, no_power, order_of, power

if TYPE_CHECKING:
    from howsure.paired.significance import SignificanceTest

CLAIMS = {"two-sided": "other than", "greater": "greater than", "less": "less than"}


def sentence(found: "SignificanceTest") -> str:
    """Return the finding: which system scores higher, or what could have been found."""
    if found.delta:
        said = _about_delta(found)
    else:
        order = found.side if found.reject else order_of(found.as_estimate, found.alternative)
        scores, differ, ends = _scores(found, order)
        who = claim(found.names[::order], significant=found.reject, alternative=found.alternative, verbs=HIGHER)
        how, p_text = _how(found), p(found.shown_pvalue)
        said = finding(who, scores, differ, ends, p_text, significant=found.reject, how=how)
    return " ".join([said, *(_contradictions(found) if found.reject else [could_have_found(found)])])


def difference(estimand: str, estimate: float, ends: ConfidenceInterval, names: Sequence[str]) -> str:
    """Return an estimate without a sign, its interval, and which system is the higher one.

    Examples
    --------
    >>> difference("mean difference", -0.02, ConfidenceInterval(-0.05, 0.01, "t", 0.9), ("new", "base"))
    'mean difference 0.020, base higher, 90% CI −0.010 to 0.050'
    """
    higher = f", {names[estimate < 0]} higher" if estimate else ""
    by = Estimate(estimate, ends).unsigned()
    return (
        f"{estimand} {number(by.value, error_of(ends, estimate))}{higher}, {interval(by.confidence_interval, by.value)}"
    )


def could_have_found(found: "SignificanceTest") -> str:
    """Return the difference that a study like this one has 80% power for."""
    if math.isnan(found.detectable):
        n, pieces = (found.n, "segment") if found.n_clusters is None else (found.n_clusters, "cluster")
        return no_power(n, "unit" if found.unit_size > 1 else pieces, at=f" at α = {found.alpha:g}")
    from_delta = f" from {number(found.delta)}" if found.delta else ""
    what = "difference" if found.detectable_estimand in (found.estimand, MEAN) else found.detectable_estimand
    other = "" if found.detectable_estimand == found.estimand else " in means (t test)"
    return power(found.detectable, what, f"{from_delta}{other}")


def _scores(found: "SignificanceTest", order: int) -> tuple[str, str, str]:
    """Return the means of the two systems in the order in which they are named, how far they are apart, the interval.

    The interval is that of the estimate. Where this is not the difference of the means, such as a median, it follows
    with its own name; where ties leave nothing of it, the means stand alone.
    """
    gap, ahead = found.means[0] - found.means[1], found.as_estimate.unsigned()
    ends = ahead.confidence_interval
    one, other = found.means[::order]
    of_first, of_second, by, _ = subtracted(one, other, gap, ends)
    scores = f"{'accuracy' if found.estimand == ACCURACY else 'mean'} {of_first} vs {of_second}"
    way = "lower by" if gap * order < 0 else "higher by" if gap and found.reject else "difference"
    differ = f"{way} {by}"
    if found.estimand not in (MEAN, ACCURACY):
        if _tied(found):
            return scores, differ, ""
        estimate = number(ahead.value, error_of(ends, ahead.value))
        clear = found.estimate == 0 or (gap * found.estimate > 0 and found.estimate * order > 0)
        higher = "" if clear else f" with {found.names[found.estimate < 0]} higher"
        differ += f"; {found.estimand} {estimate}{higher}"
        return scores, differ, interval(ends, ahead.value)
    return scores, differ, interval(ends, abs(gap))


def _tied(found: "SignificanceTest") -> bool:
    """Return whether ties leave nothing of the estimate: a difference of 0 would hide which system the test favours."""
    return found.estimand not in (MEAN, ACCURACY) and found.estimate == found.delta == 0


def _how(found: "SignificanceTest") -> str:
    """Return the test and the size of the study."""
    units = "" if found.unit_size == 1 else f" units of {found.unit_size} segments"
    if found.n_clusters is not None:
        units = f" in {found.n_clusters:,} clusters"
    return f"{SCORE_TESTS[found.test].label}, n = {found.n:,}{units}"


def _about_delta(found: "SignificanceTest") -> str:
    """Return what was found about a difference A − B other than 0, with its sign: it is compared with delta."""
    a, b = found.names
    what, shown = f"the {found.estimand} {a} − {b} is", with_interval(found.estimate, found.confidence_interval)
    numbers = f"{shown}, {p(found.shown_pvalue)} ({_how(found)})"
    if found.reject:
        side = "greater" if found.side > 0 else "less"
        return f"{what[0].upper()}{what[1:]} {side} than {number(found.delta)}: {numbers}."
    return f"No clear sign that {what} {CLAIMS[found.alternative]} {number(found.delta)}: {numbers}."


def _contradictions(found: "SignificanceTest") -> list[str]:
    """Return what the reader must know if the estimate or the means do not show the direction of the test."""
    test, said = SCORE_TESTS[found.test], []
    if _tied(found):
        ends = found.confidence_interval
        within = "" if ends.low == ends.high == 0 else f" ({interval(ends, 0.0)})"
        said.append(f"Because of ties the {found.estimand} is 0{within}; the test compares {test.compares}.")
    elif (found.estimate - found.delta) * found.side <= 0:
        where = "is exactly" if found.estimate == found.delta else "lies on the other side of"
        said.append(
            f"The {found.estimand} {where} {number(found.delta)} and does not show the direction; the test compares "
            f"{test.compares}."
        )
    mean_a, mean_b = found.means
    gap = (mean_a - mean_b - found.delta) * found.side
    if gap <= 0 and not test.compares_means:
        means = "The means differ the other way" if gap < 0 else "The means do not differ"
        if found.delta:
            means = f"The mean difference is not {'greater' if found.side > 0 else 'less'} than {number(found.delta)}"
        said.append(f"{means}. Do not report this result as one about average scores.")
    return said


GLOSSARY: Mapping[str, str] = MappingProxyType(
    {
        "null hypothesis": (
            "The claim that a test tries to refute: here, that the two systems do not differ (or differ by "
            "exactly delta)."
        ),
        "alternative hypothesis": (
            "What you believe if the null hypothesis is refuted: that the systems differ, or that the first one scores "
            "higher (or lower)."
        ),
        "test statistic": (
            "The number that a test computes from the data, such as t. The further it lies from what the null "
            "hypothesis makes usual, the smaller the p-value."
        ),
        "p-value": (
            "How often data like these, or more extreme, would turn up if the null hypothesis were true. A small "
            "p-value speaks against the null hypothesis. It is not the probability that the null hypothesis is "
            "true, and it does not say how large the difference is: with enough segments, a tiny difference has a "
            "tiny p-value."
        ),
        "significance level": (
            "Alpha: how often a true null hypothesis may be rejected. The test finds a difference "
            "where p ≤ alpha. A larger p-value does not show that the systems are equal."
        ),
        "errors of type I and II": (
            "Type I: to find a difference where there is none; alpha limits how often. Type II: to miss a difference "
            "that is there; one minus the power says how often."
        ),
        "confidence interval": (
            "The differences that fit the data. If the study were repeated many times, 95% of such intervals "
            "would contain the true difference. This is a property of the method; a single interval contains it or "
            "does not."
        ),
        "effect size": (
            "How large a difference is. Some are in the units of the scores; others (Cohen's d, Hedges' g, "
            "Wilcoxon's r) have no unit, so that studies with different scores can be compared."
        ),
        "Cohen's convention": (
            "Cohen called a d of 0.2 small, 0.5 medium and 0.8 large. His examples come from the behavioural sciences. "
            "On a benchmark a small effect can matter, and a large one can be useless."
        ),
        "power": (
            "How often a study finds a difference that is really there. A power of 0.8 means 80% of the studies. It "
            "grows with the number of segments, with the size of the difference and with alpha. It is useful before "
            "a study; the power at the difference that was observed only restates the p-value."
        ),
        "equivalence": (
            "That a difference is too small to matter. A large p-value does not show it. Name the smallest "
            "difference that matters (the margin), and two one-sided tests decide."
        ),
        "evaluation unit": (
            "The segments that share one score. Combine several segments where a score means nothing on one of "
            "them, as BLEU on one sentence."
        ),
        "skewness": (
            "Whether one tail of the differences is longer: 0 is symmetric. Below 0.5 in size the mean is "
            "compared, above it the median."
        ),
        "normality": (
            "Whether the differences look like a bell curve. The t test needs it when there are few segments; with "
            "many, it hardly matters."
        ),
        "Hodges–Lehmann difference": (
            "A typical difference: the median of the means of all pairs of differences. Outliers hardly move it."
        ),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Glossary(Record):
    """The words and what they mean."""

    entries: Mapping[str, str]

    def document(self) -> Document:
        """Return the words as a list of definitions."""
        return Document("What the words mean", (Definitions(tuple(self.entries.items())),))


def glossary() -> Glossary:
    """Return what the words of this package's results mean.

    Examples
    --------
    >>> glossary().entries["power"][:58]
    'How often a study finds a difference that is really there.'
    """
    return Glossary(entries=GLOSSARY)
