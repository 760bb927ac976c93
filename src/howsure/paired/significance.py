"""Is there a difference? A test of two score lists with its interval; of right-or-wrong scores also the flips.

Right-or-wrong scores are reported as a difference of accuracies, because the interval of their median collapses.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from howsure import _check, _matrices, _random
from howsure.documents import Column, Document, Measured, Sentence, Table
from howsure.documents.numbers import error_of, in_words, number
from howsure.documents.numbers import pvalue as p_of
from howsure.errors import ArgumentError, DataError
from howsure.inference import ConfidenceInterval, Estimate
from howsure.inference.pvalues import ALTERNATIVES
from howsure.inference.sign_flips import SMALLEST
from howsure.intervals.direct import score
from howsure.nulls import SCORE_TESTS, Hypothesis, ItemTest, Resamples, TestedRows
from howsure.nulls.item_test import MEAN
from howsure.nulls.ranks import SignTest
from howsure.nulls.student import robust_error
from howsure.paired import words
from howsure.paired.description import describe
from howsure.paired.recommendation import caution
from howsure.paired.score_lists import ACCURACY, PairedScores
from howsure.paired.score_options import TestSettings
from howsure.provenance import Provenance
from howsure.records import Record, Signed
from howsure.wording.estimates import ci_column

FOUND = 0.8
"""The power for the smallest detectable difference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignificanceTest(Signed):
    """The result of a test of two score lists.

    Attributes
    ----------
    test : str
        The name of the test; `howsure.nulls.SCORE_TESTS[test]` describes it.
    names : tuple of str
    n : int
        The number of differences; `n_clusters` is the number of clusters if there are any.
    unit_size : int
        How many segments of the file one difference stands for.
    estimand : str
        What is estimated: mean, median, Hodges–Lehmann or accuracy difference.
    estimate : float
        Positive if `a` is higher.
    confidence_interval : ConfidenceInterval
        Of the estimand, with the same sidedness as the test; infinite where the data cannot bound it.
    means : tuple of float
        The mean scores of the two systems.
    statistic : float
    pvalue : float
    pvalue_standard_error : float
        How far another set of resamples would move the p-value; 0 when nothing is resampled.
    alternative : {"two-sided", "greater", "less"}
    delta : float
        The difference under the null.
    alpha : float
    reject : bool
        Whether pvalue ≤ alpha.
    side : {1, 0, -1}
        On which side of `delta` the test sees the difference; it is the direction of the verdict.
    detectable : float
        The true difference from `delta` that a study with this standard error has 80% power for; NaN where the test
        cannot reject at all.
    detectable_estimand : str
        What that is a difference of: the estimand, or the mean where ties leave the estimand without an interval.
    exact : bool
        Whether the p-value comes from the full null distribution.
    n_resamples : int
        0 when nothing was resampled.
    notes : tuple of str
    provenance : Provenance
    """

    derived: ClassVar[tuple[str, ...]] = ("sentence", "label", "signature")

    test: str
    names: tuple[str, str]
    n: int
    n_clusters: int | None
    unit_size: int
    estimand: str
    estimate: float
    confidence_interval: ConfidenceInterval
    means: tuple[float, float]
    statistic: float
    pvalue: float
    pvalue_standard_error: float
    alternative: str
    delta: float
    alpha: float
    reject: bool
    side: int
    detectable: float
    detectable_estimand: str
    exact: bool
    n_resamples: int
    notes: tuple[str, ...]
    provenance: Provenance

    @property
    def as_estimate(self) -> Estimate:
        """The estimate with its interval and p-value."""
        return Estimate(self.estimate, self.confidence_interval, pvalue=self.pvalue)

    @property
    def label(self) -> str:
        """The test in words."""
        return SCORE_TESTS[self.test].label

    @property
    def sentence(self) -> str:
        """The finding in one or two sentences."""
        return words.sentence(self)

    @property
    def shown_pvalue(self) -> str:
        """The p-value as a table shows it; an upper bound where no resample is as extreme as the data."""
        if self.n_resamples and not self.exact and self.pvalue <= 1 / (self.n_resamples + 1):
            return f"≤ {p_of(self.pvalue)}"
        if self.pvalue <= SMALLEST:
            return f"< {SMALLEST:g}"
        return p_of(self.pvalue, self.pvalue_standard_error)

    def document(self) -> Document:
        """Return the finding and its numbers."""
        test, error = SCORE_TESTS[self.test], error_of(self.confidence_interval, self.estimate)
        a, b = self.names
        columns = (
            Column("score"),
            Column("estimate", "number"),
            ci_column(self.confidence_interval.confidence_level),
            Column("p", "pvalue"),
            Column("test", detail=True),
            Column(test.statistic, "number", detail=True),
            Column(f"p ≤ {self.alpha:g}", detail=True),
            Column("n", "count", detail=True),
        )
        means = [(f"mean of {name}", Measured(mean, error)) for name, mean in zip(self.names, self.means, strict=True)]
        estimates = Measured(self.estimate, error), Measured(self.confidence_interval, error)
        tested = (self.shown_pvalue, test.label, self.statistic, self.reject, self.n)
        rows = [(*mean, *[""] * (len(columns) - 2)) for mean in means]
        rows.append((f"{self.estimand} {a} − {b}", *estimates, *tested))
        blocks = (Sentence(self.sentence, "verdict"), Table(columns, tuple(rows)))
        return Document(f"Do {a} and {b} differ?", blocks, self.notes, self.signature)


@_matrices.on_one_thread
def significance_test(
    scores: PairedScores,
    *,
    test: str = "t",
    alternative: str = "two-sided",
    delta: float = 0.0,
    alpha: float = 0.05,
    n_resamples: int = 9999,
    normality_alpha: float = 0.05,
    rng: _random.Rng = None,
    workers: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> SignificanceTest:
    """Test whether two systems' scores differ by something else than `delta`.

    A test that does not fit the scores is run all the same, with a note that says why it does not fit.

    Parameters
    ----------
    scores : PairedScores
    test : {"t", "sign", "wilcoxon", "bootstrap", "bootstrap-median", "permutation", "permutation-median"}
        With clusters: t, bootstrap or permutation.
    alternative : {"two-sided", "greater", "less"}
        "greater" asks whether `a` is higher than `b` by more than `delta`.
    delta : float
        The difference under the null.
    alpha : float
        Level of the decision; the interval has level 1 − alpha.
    n_resamples : int
        For the bootstrap test of the mean.
    normality_alpha : float
        Level of the normality test behind the note.
    rng : int, SeedSequence, Generator or None
    workers : int, optional
        Threads; the result does not depend on it.
    progress : callable, optional
        Told how many resamples each finished block adds.

    Returns
    -------
    SignificanceTest

    Examples
    --------
    >>> a = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
    >>> b = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    >>> result = significance_test(PairedScores.from_arrays(a, b), test="wilcoxon", rng=1)
    >>> result.statistic, result.pvalue, round(result.confidence_interval.low, 3)
    (40.0, 0.0390625, 0.01)
    """
    _random.n_workers(workers)
    settings = TestSettings(
        test=test,
        alternative=alternative,
        delta=delta,
        alpha=alpha,
        n_resamples=n_resamples,
        normality_alpha=normality_alpha,
    )
    return run_test(scores, SCORE_TESTS[test], settings, _random.replayable(rng), progress)


def run_test(
    scores: PairedScores,
    test: ItemTest,
    settings: TestSettings,
    seed: np.random.SeedSequence,
    progress: Callable[[int], object] | None = None,
) -> SignificanceTest:
    """Run a test, the one that was asked for or that the data recommend."""
    hypothesis = Hypothesis(settings.alternative, settings.delta, settings.alpha)
    check_testable(scores, test, hypothesis.delta)
    outcome = test.run(scores.units, hypothesis, Resamples(seed, settings.n_resamples, progress))
    pvalue, side = float(outcome.pvalue[0]), int(outcome.side[0])
    estimate, interval = _estimate(scores, test, hypothesis, outcome)
    detectable, of = _detectable(scores, test, hypothesis, estimate, interval)
    parameters = {
        "test": test.score_name,
        "alternative": hypothesis.alternative,
        "delta": hypothesis.delta,
        "alpha": hypothesis.alpha,
        "unit_size": scores.unit_size,
        "normality_alpha": settings.normality_alpha,
        "n_resamples": settings.n_resamples,
    }
    unfit: tuple[str, ...] = ()
    if scores.constant is None:
        unfit = caution(scores, describe(scores, alpha=settings.normality_alpha), test)
    return SignificanceTest(
        test=test.score_name,
        names=scores.names,
        n=scores.n,
        n_clusters=scores.n_clusters,
        unit_size=scores.unit_size,
        estimand=estimand(scores, test),
        estimate=estimate,
        confidence_interval=interval,
        means=(float(np.sort(scores.a).mean()), float(np.sort(scores.b).mean())),
        statistic=float(outcome.statistic[0]),
        pvalue=pvalue,
        pvalue_standard_error=_pvalue_error(pvalue, outcome),
        alternative=hypothesis.alternative,
        delta=hypothesis.delta,
        alpha=hypothesis.alpha,
        reject=pvalue <= hypothesis.alpha,
        side={"greater": 1, "less": -1}.get(hypothesis.alternative, side),
        detectable=detectable,
        detectable_estimand=of,
        exact=outcome.exact,
        n_resamples=outcome.n_draws,
        notes=(*scores.notes, *unfit, *_notes(scores, test, hypothesis, interval, pvalue)),
        provenance=Provenance("scores test", parameters, _random.entropy_of(seed), scores.digest),
    )


def estimand(scores: PairedScores, test: ItemTest) -> str:
    """Return what the test estimates on these scores."""
    return ACCURACY if test.estimates_accuracy and scores.right_or_wrong else test.estimand


def check_testable(scores: PairedScores, test: ItemTest, delta: float = 0.0) -> None:
    """Refuse data on which the test means nothing, in one line."""
    if scores.n < 2:
        raise DataError("one segment is too few for a test; give at least two.")
    if scores.clusters is not None and not test.clusters:
        able = ", ".join(name for name, other in SCORE_TESTS.items() if other.clusters)
        raise ArgumentError(
            f"`test` {test.score_name!r} treats segments as independent, but the scores come in clusters; use one of "
            f"{able}."
        )
    if delta and scores.right_or_wrong and not test.compares_means:
        able = ", ".join(name for name, other in SCORE_TESTS.items() if other.compares_means)
        raise ArgumentError(
            f"`delta` must be 0 for the {test.label} of right-or-wrong scores, whose differences are −1, 0 and 1; got "
            f"{delta:g}. Use one of {able}, or give a margin."
        )
    if scores.constant is not None and test.needs_variation:
        raise DataError(
            f"{scores.sameness}: without variation the {test.label} is undefined. Check the file, or use the sign or "
            f"permutation test."
        )


def _estimate(
    scores: PairedScores, test: ItemTest, hypothesis: Hypothesis, outcome: TestedRows
) -> tuple[float, ConfidenceInterval]:
    level = 1 - hypothesis.alpha
    if estimand(scores, test) == ACCURACY:
        tango = score(scores.differences, span=1.0, confidence_level=level, alternative=hypothesis.alternative)
        return float(scores.differences.mean()), tango
    ends = float(outcome.low[0]), float(outcome.high[0])
    return float(outcome.estimate[0]), ConfidenceInterval(*ends, test.score_name, level)


def _detectable(
    scores: PairedScores, test: ItemTest, hypothesis: Hypothesis, estimate: float, interval: ConfidenceInterval
) -> tuple[float, str]:
    """Return the difference that this standard error gives 80% power for, and of what it is a difference."""
    from scipy.special import ndtri, stdtrit

    units, what = scores.units, estimand(scores, test)
    if what != MEAN:
        ends = {"greater": (interval.low,), "less": (interval.high,)}.get(hypothesis.alternative, ())
        arms = [abs(end - estimate) for end in ends] or [interval.width / 2]
        z = -float(ndtri(hypothesis.tail))
        if not math.isfinite(arms[0]):
            return math.nan, what
        if arms[0] > 0:
            return arms[0] * (1 + float(ndtri(FOUND)) / z) if z > 0 else math.nan, what
    _, [error], [degrees] = robust_error(units)
    if not test.can_reject(units.n, hypothesis.tail):
        error = math.nan
    return error * float(stdtrit(degrees, FOUND) - stdtrit(degrees, hypothesis.tail)), MEAN


def _pvalue_error(pvalue: float, outcome: TestedRows) -> float:
    if outcome.exact or not outcome.n_draws:
        return 0.0
    return math.sqrt(pvalue * (1 - pvalue) / outcome.n_draws)


def _notes(
    scores: PairedScores, test: ItemTest, hypothesis: Hypothesis, interval: ConfidenceInterval, pvalue: float
) -> list[str]:
    notes = []
    n_zero = int(np.count_nonzero(scores.differences == hypothesis.delta))
    if test.ignores_zeros and n_zero:
        notes.append(
            f"{n_zero:,} of {scores.n:,} differences {'is' if n_zero == 1 else 'are'} exactly {hypothesis.delta:g}. "
            f"The test ignores {'this segment' if n_zero == 1 else 'these segments'}."
        )
    if scores.right_or_wrong and not test.compares_means and not test.estimates_accuracy:
        notes.append("The median of right-or-wrong scores is nearly always 0. Look at the accuracy difference.")
    if said := test.caution_for(scores.n):
        notes.append(said)
    watched = {"two-sided": (True, True), "greater": (True, False), "less": (False, True)}[hypothesis.alternative]
    ends = (interval.low, interval.high)
    if any(wanted and math.isinf(end) for wanted, end in zip(watched, ends, strict=True)):
        what = "resamples" if test.resamples and scores.n > 20 else "differences"
        notes.append(f"Too few {what} for an interval of the {estimand(scores, test)} at this confidence level.")
    inside, reject = hypothesis.delta in interval, pvalue <= hypothesis.alpha
    if inside == reject and not math.isnan(interval.low):
        why = "the p-value is exact and the interval an approximation"
        if estimand(scores, test) != ACCURACY:
            why = "the interval counts segments with equal scores, and the p-value does not"
        place = "inside" if inside else "outside"
        notes.append(
            f"p {in_words(p_of(pvalue))}, but {number(hypothesis.delta)} lies {place} the interval: {why}. The verdict "
            "follows the p-value."
        )
    if scores.n_clusters is not None and scores.n_clusters < 50 and not test.exact_with_few_clusters:
        notes.append(
            f"With {scores.n_clusters} clusters this test rejects slightly too often. Prefer the permutation test."
        )
    return notes


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
        seen = words.difference("accuracy difference", self.difference, self.confidence_interval, self.names)
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
    tested = SignTest().run(scores.units, Hypothesis(alternative, interval=False))
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
