"""The contract of a null: what a resample looks like if A and B are equal, its p-value on rows, its rules and words."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

from howsure.data.scales import FloatArray
from howsure.inference.evidence import Evidence
from howsure.inference.pvalues import (
    PValue,
    PValues,
    expected_pvalue,
    expected_pvalues,
    tail_pvalues,
)
from howsure.inference.sign_flips import SMALLEST
from howsure.resampling.draws import Draws
from howsure.resampling.schemes import Scheme


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A combination that makes no sense, or needs a word; what is None or empty matches anything."""

    verdict: Literal["refuse", "warn", "note"]
    reason: str
    items: str | None = None
    responses: tuple[str, ...] = ()
    raters: str | None = None
    single: bool = False
    """Only when A and B have one response per item."""
    enlarged: bool = False
    """Only when more responses are drawn for an item than A and B gave."""

    def applies(self, scheme: Scheme, n_responses: tuple[float, float]) -> bool:
        """Whether it speaks of this scheme, where A and B have so many responses per item."""
        return (
            self.items in (None, scheme.items)
            and (not self.responses or scheme.responses in self.responses)
            and self.raters in (None, scheme.raters)
            and (max(n_responses) == 1 or not self.single)
            and ((scheme.n_responses or 0) > min(n_responses) or not self.enlarged)
        )


class Resampler(Protocol):
    """What a null asks of the data: resamples, exchanges of A and B, or all exchanges of few items."""

    @property
    def n_units(self) -> int:
        """The number of items, or of clusters."""

    @property
    def n_resamples(self) -> int:
        """How many resamples were asked for."""

    @property
    def keeps_responses(self) -> bool:
        """Whether a resample keeps the responses of the data."""

    def resampled(self) -> Draws:
        """Return advantages of resampled data."""

    def exchanged(self, how: str, *, items: str | None = None) -> Draws:
        """Return advantages after random exchanges of A and B (`how`); `items` replaces the scheme's."""

    def every_exchange(self) -> Draws:
        """Return the advantages of all exchanges of A and B, item by item (or cluster by cluster)."""


class Null(ABC):
    """What "A and B are equal" means for a resample, and the p-value that follows from it.

    Attributes
    ----------
    name : str
    says : str
        What a resample is, for help and lists.
    account : str
        How the p-value comes about, to complete "… : " in a report.
    item_scores : bool
        Whether it needs a metric with item scores.
    clusters : bool
        Whether items may come in clusters.
    random_raters : bool
        Whether raters can be a random factor.
    narrower : bool
        Whether it tests that A and B answer alike on every item, which equally good models need not.
    direct : bool
        Whether the p-value of a mean of item scores follows from the item advantages, without resamples.
    flips : bool
        Whether it does so from the exact tails of exchanged items, which are not known for all data.
    audited : tuple of str
        How an audit reads its draws: as "tail" p (the data against null draws, by which `compare` decides), and as
        "expected" p (LEADER's: null draws against resamples).
    from_resamples : bool
        Whether its draws are made of the resamples of the interval.
    counts_resamples : bool
        Whether a report says how many resamples the p-value counts.
    two_answers : bool
        Whether it answers for raters like these, beside which the answer for these raters stands.
    rules : tuple of Rule
    """

    name: ClassVar[str]
    says: ClassVar[str]
    account: ClassVar[str]
    item_scores: ClassVar[bool] = False
    clusters: ClassVar[bool] = True
    random_raters: ClassVar[bool] = False
    narrower: ClassVar[bool] = False
    direct: ClassVar[bool] = False
    flips: ClassVar[bool] = False
    audited: ClassVar[tuple[str, ...]] = ("tail", "expected")
    from_resamples: ClassVar[bool] = True
    counts_resamples: ClassVar[bool] = True
    two_answers: ClassVar[bool] = False
    rules: ClassVar[tuple[Rule, ...]] = ()

    @abstractmethod
    def null_draws(self, data: Resampler, draws: Draws) -> Draws:
        """Return advantages as they are if A and B are equal; `draws` are those of resampled data."""

    def moved(self, evidence: Evidence) -> FloatArray:
        """Return the null draws of evidence that is otherwise complete: as they are, unless they need its errors."""
        return evidence.null_draws

    def pvalues(self, evidence: Evidence, alternative: str) -> PValues:
        """Return the p-value of each row."""
        return tail_pvalues(evidence.estimates, evidence.null_draws, alternative=alternative, exact=evidence.exact)

    def expected(self, evidence: Evidence) -> FloatArray:
        """Return the p-value that a study like each row gives on average (LEADER's)."""
        return expected_pvalues(self.expected_draws(evidence), evidence.draws)

    def expected_of(self, evidence: Evidence, alternative: str = "two-sided") -> PValue:
        """Return the expected p-value of the first row, with its error."""
        return expected_pvalue(self.expected_draws(evidence)[0], evidence.draws[0], alternative=alternative)

    def expected_draws(self, evidence: Evidence) -> FloatArray:
        """Return the null draws that the expected p-value holds against the resamples."""
        return evidence.null_draws

    def floor(self, alternative: str, n_resamples: int, *, exact: bool) -> float:
        """Return the p-value at or below which only "less than" can be said."""
        return SMALLEST if exact else (2 if alternative == "two-sided" else 1) / (n_resamples + 1)

    def can_reject(self, n_units: int, tail: float) -> bool:
        """Whether so many items (or clusters) can give a one-sided p-value at or below `tail`."""
        return True

    def pvalue_under_skewness(self, evidence: Evidence, alternative: str) -> float:
        """Return what a test that allows for skewness gives, where items are too skewed for this null; else NaN."""
        return math.nan

    def cautions(self, evidence: Evidence, metric: str, alternative: str) -> list[str]:
        """Return notes on data that do not fit the null; of the first row."""
        return []

    def judge(self, scheme: Scheme, n_responses: tuple[float, float]) -> list[tuple[str, str]]:
        """Return (verdict, reason) of every rule that applies; A and B have `n_responses` per item."""
        return [(rule.verdict, rule.reason) for rule in (*self.rules, *SCHEMES) if rule.applies(scheme, n_responses)]


KEEPING = ("all", "equal", "first")

SCHEMES = (
    Rule(
        verdict="refuse",
        reason="a resampled rater has all their responses; with `raters='random'` use `responses='all'`.",
        responses=("equal", "first", "one", "bootstrap"),
        raters="random",
    ),
    Rule(
        verdict="refuse",
        reason="nothing is resampled with `items='all'` and responses that are kept; use `items='bootstrap'` or "
        "`responses='bootstrap'`.",
        items="all",
        responses=KEEPING,
        raters="fixed",
    ),
    Rule(
        verdict="note",
        reason="items are kept: the result holds for these items only, not for others like them.",
        items="all",
    ),
)
"""What holds for every null."""


def holds_raters(name: str) -> Rule:
    """Return the rule of a null that holds the raters fixed."""
    return Rule(
        verdict="refuse",
        reason=f"{name} holds the raters fixed; with `raters='random'` use the null random-effects or "
        "shifted-bootstrap.",
        raters="random",
    )
