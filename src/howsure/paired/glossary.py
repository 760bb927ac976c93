"""What p-value, interval, effect size and power mean, in plain words, the same in every interface."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from howsure.documents import Definitions, Document
from howsure.records import Record

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
