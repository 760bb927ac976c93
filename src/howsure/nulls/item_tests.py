"""Classical tests of the item advantages as nulls: no resamples, the p-value follows from one number for each item."""

from typing import ClassVar

import numpy as np

from howsure.data.scales import FloatArray
from howsure.difference_tests import DifferenceTest, Hypothesis, Resamples, Sample
from howsure.difference_tests.means import StudentT
from howsure.difference_tests.ranks import SignTest, Wilcoxon
from howsure.inference.evidence import Evidence
from howsure.inference.pvalues import PValues
from howsure.nulls.null import Null, Resampler, Rule, holds_raters
from howsure.resampling.draws import Draws

NO_RESAMPLES = Resamples(np.random.SeedSequence(0), 1)


class ItemTest(Null):
    """A test of differences (`howsure.difference_tests`), run on the item advantages."""

    test: ClassVar[DifferenceTest]
    item_scores = True
    direct = True
    clusters = False
    counts_resamples = False
    audited = ("tail",)

    def null_draws(self, data: Resampler, draws: Draws) -> Draws:
        """Return the resamples, shifted: for the expected p-value and the picture."""
        return draws.shifted()

    def pvalues(self, evidence: Evidence, alternative: str) -> PValues:
        """Return the p-value of each row of item advantages."""
        found = self.test.run(Sample.of(evidence.items), Hypothesis(alternative, interval=False), NO_RESAMPLES)
        return self._exact(found.pvalue)

    @staticmethod
    def _exact(values: FloatArray) -> PValues:
        n = len(values)
        zeros = np.zeros(n, dtype=np.int64)
        undefined = np.isnan(values)
        why = ["The p-value is undefined: all item advantages are equal." if lacks else "" for lacks in undefined]
        return PValues(values, np.where(undefined, np.nan, 0.0), zeros, zeros > 0, True, zeros, why)

    def tails(self, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return both one-sided p-values (less, greater) of rows of item advantages."""
        known = Evidence(np.zeros(len(rows)), items=rows)
        less, greater = (self.pvalues(known, side).values for side in ("less", "greater"))
        return less, greater

    def cautions(self, evidence: Evidence, metric: str, alternative: str) -> list[str]:
        """Return what a reader must know about the hypothesis of the test."""
        return [self.test.caution] if self.test.caution else []

    def can_reject(self, n_units: int, tail: float) -> bool:
        """Whether so many items can give a one-sided p-value at or below `tail`."""
        return self.test.can_reject(n_units, tail)


def _rules(name: str) -> tuple[Rule, ...]:
    drawn = Rule(
        verdict="refuse",
        reason=f"{name} tests the item advantages of the data; keep the responses (use `responses='all'`, equal or "
        "first).",
        responses=("one", "bootstrap"),
    )
    return holds_raters(name), drawn


class PairedT(ItemTest):
    """Student's t of the item advantages; of clusters, with the cluster-robust error and its degrees of freedom.

    It is what a comparison falls back on where there are too few clusters for any exchange of them to be rare.
    """

    name = "paired-t"
    says = "no resampling: the mean item advantage over its standard error, against Student's t"
    account = (
        "the p-value compares the mean item advantage over its standard error with Student's t (Student 1908), which "
        "assumes many items or normal advantages"
    )
    test = StudentT()
    clusters = True
    rules = _rules(name)

    def pvalues(self, evidence: Evidence, alternative: str) -> PValues:
        """Return the p-value of each row, by the error of its items or of its clusters."""
        if not evidence.unit_sizes.size:
            return super().pvalues(evidence, alternative)
        from scipy.special import stdtr

        with np.errstate(invalid="ignore", divide="ignore"):
            t = np.where(evidence.errors > 0, evidence.estimates / evidence.errors, np.nan)
            tails = {"less": stdtr(evidence.df, t), "greater": stdtr(evidence.df, -t)}
        return self._exact(tails.get(alternative, 2 * stdtr(evidence.df, -np.abs(t))))


class WilcoxonSigned(ItemTest):
    """Wilcoxon's signed ranks of the item advantages."""

    name = "wilcoxon"
    says = "no resampling: the signed ranks of the item advantages, which are symmetric around zero"
    account = (
        "the p-value is that of Wilcoxon's signed ranks of the item advantages (Wilcoxon 1945), which tests their "
        "median and assumes that they are symmetric around it"
    )
    test = Wilcoxon()
    rules = _rules(name)


class SignOfItems(ItemTest):
    """The sign test: on how many items A is better, and on how many B."""

    name = "sign-test"
    says = "no resampling: on an item where they differ, A and B are better with probability ½ each"
    account = (
        "the p-value is that of the sign test: of the items on which A and B differ, each is better on half (Arbuthnot "
        "1710). It tests how often A is better, not by how much"
    )
    test = SignTest()
    rules = _rules(name)
