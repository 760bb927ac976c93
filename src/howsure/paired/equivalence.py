"""Is there no difference that matters? Equivalence and non-inferiority within a margin.

A large p-value is no evidence of equality. Two one-sided tests (TOST, Schuirmann 1987) ask the right question: can the
data rule out that A is worse than B by the margin, and that it is better by the margin?

The margin is on the scale that matters. Of right-or-wrong scores that is the accuracy, by Tango's score test. Where
many differences are equal the median and the Hodges–Lehmann difference stay at one value while the means move apart,
so there the mean is tested.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from howsure import _check, _matrices, _random
from howsure.documents import Document, Sentence
from howsure.documents.numbers import number
from howsure.documents.numbers import pvalue as p_of
from howsure.errors import ArgumentError
from howsure.inference.estimate import ConfidenceInterval
from howsure.intervals.direct import score, score_statistic
from howsure.nulls import SCORE_TESTS, STUDENT_T, ItemTest
from howsure.paired.score_lists import ACCURACY, PairedScores
from howsure.paired.score_options import TestSettings
from howsure.paired.significance import SignificanceTest, run_test
from howsure.paired.words import difference
from howsure.provenance import Provenance
from howsure.records import Signed
from howsure.wording.estimates import p
from howsure.wording.sentences import equivalent

KINDS = ("equivalence", "non-inferiority")
SCORE_TEST = "score"
"""The name of Tango's score test, which only equivalence of right-or-wrong scores uses."""
MANY_EQUAL = 0.1
"""From this share of equal differences on, medians and Hodges–Lehmann differences hardly move."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Equivalence(Signed):
    """Whether the difference lies within a margin.

    Attributes
    ----------
    kind : {"equivalence", "non-inferiority"}
    test : str
        The test that was asked twice (equivalence) or once (non-inferiority); "score" is Tango's.
    estimand : str
        What is claimed to be small.
    n : int
    margin : float
        The smallest difference that matters.
    estimate : float
    confidence_interval : ConfidenceInterval
        At level 1 − 2·alpha for equivalence, which lies inside (−margin, margin) exactly when equivalence is
        established by a test with matching interval; one-sided at level 1 − alpha for non-inferiority.
    pvalue : float
        The larger of the two one-sided p-values (equivalence), or the one that matters.
    pvalue_lower, pvalue_upper : float
        Against "difference ≤ −margin" and "difference ≥ margin"; the second is NaN for non-inferiority.
    established : bool
    alpha : float
    names : tuple of str
    notes : tuple of str
    provenance : Provenance
    """

    derived: ClassVar[tuple[str, ...]] = ("sentence", "label", "signature")

    kind: str
    test: str
    estimand: str
    n: int
    margin: float
    estimate: float
    confidence_interval: ConfidenceInterval
    pvalue: float
    pvalue_lower: float
    pvalue_upper: float
    established: bool
    alpha: float
    names: tuple[str, str]
    notes: tuple[str, ...]
    provenance: Provenance

    @property
    def label(self) -> str:
        """The test in words."""
        return "Tango's score test" if self.test == SCORE_TEST else SCORE_TESTS[self.test].label

    @property
    def sentence(self) -> str:
        """The finding in one sentence."""
        a, b = self.names
        margin = number(self.margin)
        if self.kind == "equivalence" and self.established:
            claim = equivalent(a, b, margin)
        elif self.kind == "equivalence":
            claim = f"We cannot conclude that {a} and {b} differ by less than {margin}"
        elif self.established:
            claim = f"{a} is not worse than {b} by {margin} or more"
        else:
            claim = f"We cannot exclude that {a} is worse than {b} by {margin} or more"
        seen = difference(self.estimand, self.estimate, self.confidence_interval, self.names)
        return f"{claim} ({seen}, {p(p_of(self.pvalue))}, {self.label}, n = {self.n:,})."

    def document(self) -> Document:
        """Return the finding."""
        title = f"Do {self.names[0]} and {self.names[1]} differ by less than {self.margin:g}?"
        return Document(title, (Sentence(self.sentence, "verdict"),), self.notes, self.signature)


@_matrices.on_one_thread
def equivalence_test(
    scores: PairedScores,
    *,
    margin: float,
    kind: str = "equivalence",
    test: str = "t",
    alpha: float = 0.05,
    n_resamples: int = 9999,
    rng: _random.Rng = None,
    workers: int | None = None,
) -> Equivalence:
    """Test whether the difference between two systems is smaller than a margin.

    Parameters
    ----------
    scores : PairedScores
    margin : float
        The smallest difference that matters, above 0, in the units of the scores. Choose it before looking.
    kind : {"equivalence", "non-inferiority"}
        Equivalence: the difference is within ±margin. Non-inferiority: `a` is not worse than `b` by the margin.
    test : str
        Any of the seven tests. One of medians or ranks gives way to Tango's score test of the accuracy on
        right-or-wrong scores, and to the t test where more than a tenth of the differences are equal.
    alpha, n_resamples, rng, workers
        As in `significance_test`.

    Examples
    --------
    >>> scores = PairedScores.from_arrays([0.51, 0.48, 0.52, 0.50, 0.49], [0.50, 0.49, 0.51, 0.50, 0.50])
    >>> equivalence_test(scores, margin=0.05, rng=1).established
    True
    """
    settings = TestSettings(test=test, margin=margin, alpha=alpha, n_resamples=n_resamples)
    _random.n_workers(workers)
    return run_equivalence(scores, SCORE_TESTS[test], settings, kind, _random.replayable(rng))


def run_equivalence(
    scores: PairedScores, test: ItemTest, settings: TestSettings, kind: str, seed: np.random.SeedSequence
) -> Equivalence:
    """Test whether the difference lies within the margin of the settings."""
    _check.one_of("kind", kind, KINDS)
    margin, alpha = settings.margin, settings.alpha
    if not margin:
        raise ArgumentError("`margin` must be above 0: it is the smallest difference that matters; got 0.")
    if alpha >= 0.5 and kind == "equivalence":
        raise ArgumentError(f"`alpha` must be below 0.5 for an equivalence test; got {alpha!r}.")
    chosen, notes = _on_the_scale_that_matters(scores, test)
    if chosen is None:
        found = _accuracy(scores, margin, kind, alpha)
    else:
        found = _two_tests(scores, chosen, settings, kind, seed)
    pvalues = (found["pvalue_lower"],) if kind == "non-inferiority" else (found["pvalue_lower"], found["pvalue_upper"])
    name = SCORE_TEST if chosen is None else chosen.score_name
    parameters = {
        "kind": kind,
        "margin": margin,
        "test": name,
        "alpha": alpha,
        "unit_size": scores.unit_size,
        "n_resamples": settings.n_resamples,
    }
    return Equivalence(
        kind=kind,
        test=name,
        n=scores.n,
        margin=margin,
        pvalue=max(pvalues),
        established=max(pvalues) <= alpha,
        alpha=alpha,
        names=scores.names,
        notes=(*scores.notes, *notes),
        provenance=Provenance("equivalence_test", parameters, _random.entropy_of(seed), scores.digest),
        **found,
    )


def _on_the_scale_that_matters(scores: PairedScores, test: ItemTest) -> tuple[ItemTest | None, tuple[str, ...]]:
    """Return the test to use, None for Tango's score test, and why it is not the one that was asked for."""
    if test.compares_means:
        return test, ()
    if scores.right_or_wrong:
        return None, ()
    values, counts = np.unique(scores.differences, return_counts=True)
    most = int(counts.max())
    if most < 2 or most <= MANY_EQUAL * scores.n:
        return test, ()
    note = (
        f"Equivalence is tested on the mean: {most:,} of {scores.n:,} differences are exactly "
        f"{number(values[counts.argmax()])}, so the {test.estimand} hardly reacts to a change of the means."
    )
    return STUDENT_T, (note,)


def _accuracy(scores: PairedScores, margin: float, kind: str, alpha: float) -> dict[str, Any]:
    from scipy.special import ndtr

    if margin >= 1:
        raise ArgumentError(
            f"`margin` must be below 1 for right-or-wrong scores, whose accuracy it is; got {margin:g}."
        )
    differences = scores.differences
    won, lost = int(np.count_nonzero(differences > 0)), int(np.count_nonzero(differences < 0))
    level, side = (1 - 2 * alpha, "two-sided") if kind == "equivalence" else (1 - alpha, "greater")
    upper = float(ndtr(score_statistic(won, lost, scores.n, margin))) if kind == "equivalence" else float("nan")
    return {
        "estimand": ACCURACY,
        "estimate": float(differences.mean()),
        "confidence_interval": score(differences, span=1.0, confidence_level=level, alternative=side),
        "pvalue_lower": float(ndtr(-score_statistic(won, lost, scores.n, -margin))),
        "pvalue_upper": upper,
    }


def _two_tests(
    scores: PairedScores, test: ItemTest, settings: TestSettings, kind: str, seed: np.random.SeedSequence
) -> dict[str, Any]:
    margin, alpha = settings.margin or 0.0, settings.alpha

    def ask(alternative: str, delta: float, level: float = alpha) -> SignificanceTest:
        claim = replace(settings, alternative=alternative, delta=delta, alpha=level)
        return run_test(scores, test, claim, seed)

    lower = ask("greater", -margin)
    interval, upper = lower.confidence_interval, float("nan")
    if kind == "equivalence":
        interval, upper = ask("two-sided", 0.0, 2 * alpha).confidence_interval, ask("less", margin).pvalue
    return {
        "estimand": lower.estimand,
        "estimate": lower.estimate,
        "confidence_interval": interval,
        "pvalue_lower": lower.pvalue,
        "pvalue_upper": upper,
    }
