"""Right or wrong: how many answers flipped between two systems, with McNemar's exact test."""

import math
from dataclasses import dataclass
from typing import ClassVar

from howsure import _check
from howsure.difference_tests import Hypothesis
from howsure.difference_tests.ranks import SignTest
from howsure.documents import Column, Document, Sentence, Table
from howsure.documents.numbers import in_words
from howsure.documents.numbers import pvalue as p_of
from howsure.errors import DataError
from howsure.inference.direct import score
from howsure.inference.intervals import ConfidenceInterval
from howsure.inference.pvalues import ALTERNATIVES
from howsure.paired.score_lists import PairedScores
from howsure.paired.verdict import difference
from howsure.records import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Flips(Record):
    """The two-by-two table of right and wrong answers.

    Attributes
    ----------
    n : int
    both, only_a, only_b, neither : int
        How many items both systems, only one of them, or neither got right.
    difference : float
        Accuracy of `a` minus accuracy of `b`.
    confidence_interval : ConfidenceInterval
        Tango's (1998) score interval of that difference, as in `howsure.compare`.
    statistic, statistic_corrected : float
        McNemar's χ² without and with continuity correction; NaN when no answer flipped.
    pvalue : float
        McNemar's exact test, which is the sign test of the flips.
    alternative : str
    names : tuple of str
    """

    derived: ClassVar[tuple[str, ...]] = ("sentence",)

    n: int
    both: int
    only_a: int
    only_b: int
    neither: int
    difference: float
    confidence_interval: ConfidenceInterval
    statistic: float
    statistic_corrected: float
    pvalue: float
    alternative: str
    names: tuple[str, str]

    @property
    def sentence(self) -> str:
        """The table and the accuracy in words."""
        a, b = self.names
        seen = difference("accuracy difference", self.difference, self.confidence_interval, self.names)
        return (
            f"Of {self.n:,} items, both systems got {self.both:,} right, only {a} {self.only_a:,}, only {b} "
            f"{self.only_b:,}, neither {self.neither:,}. Exact McNemar test: {seen}, p {in_words(p_of(self.pvalue))}."
        )

    def document(self) -> Document:
        """Return the table of right and wrong answers."""
        a, b = self.names
        rows = ((f"{a} right", self.both, self.only_a), (f"{a} wrong", self.only_b, self.neither))
        table = Table((Column(""), Column(f"{b} right", "count"), Column(f"{b} wrong", "count")), rows)
        return Document(f"{a} vs {b}", (Sentence(self.sentence), table))


def count_flips(scores: PairedScores, *, alternative: str = "two-sided", alpha: float = 0.05) -> Flips:
    """Count the flips between two systems whose scores are 0 or 1.

    Examples
    --------
    >>> flips = count_flips(PairedScores.from_arrays([1, 1, 1, 0, 1, 1], [1, 0, 0, 0, 0, 1]))
    >>> flips.only_a, flips.only_b, flips.pvalue
    (3, 0, 0.25)
    """
    _check.one_of("alternative", alternative, ALTERNATIVES)
    level = 1 - _check.fraction("alpha", alpha)
    if not scores.binary:
        strange = next(value for value in (*scores.a.tolist(), *scores.b.tolist()) if value not in (0.0, 1.0))
        raise DataError(f"flips are counted for scores of 0 and 1 only; found {strange:g}.")
    if scores.clusters is not None:
        raise DataError("McNemar's test treats segments as independent, but the scores come in clusters; use a t test.")
    a, b = scores.a == 1, scores.b == 1
    both, only_a, only_b = (int(pattern.sum()) for pattern in (a & b, a & ~b, ~a & b))
    flipped, n = only_a + only_b, scores.n
    tested = SignTest().run(scores.sample, Hypothesis(alternative, interval=False))
    gap = abs(only_a - only_b)
    return Flips(
        n=n,
        both=both,
        only_a=only_a,
        only_b=only_b,
        neither=n - both - flipped,
        difference=(only_a - only_b) / n,
        confidence_interval=score(scores.differences, span=1.0, confidence_level=level, alternative=alternative),
        statistic=gap**2 / flipped if flipped else math.nan,
        statistic_corrected=max(0, gap - 1) ** 2 / flipped if flipped else math.nan,
        pvalue=float(tested.pvalue[0]),
        alternative=alternative,
        names=scores.names,
    )
