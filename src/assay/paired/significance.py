"""Is there a difference? Seven tests of two score lists, one- or two-sided, each with its interval."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from assay import _check, _json, _random
from assay.errors import ArgumentError, DataError
from assay.inference.pvalues import ALTERNATIVES
from assay.paired.means import bootstrap, permutation, t_test
from assay.paired.medians import bootstrap_median, permutation_median
from assay.paired.ranks import hodges_lehmann, sign_test, wilcoxon
from assay.paired.rows import Draws, Outcome, Question, Sample
from assay.paired.scores import PairedScores
from assay.provenance import Provenance


@dataclass(frozen=True, slots=True)
class PairedTest:
    """One of the tests: its name on the command line, in words, what it estimates and what it can handle."""

    name: str
    label: str
    estimand: str
    statistic: str
    run: Callable[[Sample, Question, Draws], Outcome]
    clusters: bool = False
    resamples: bool = False


_ALL = (
    PairedTest("t", "paired t test", "mean difference", "t", t_test, clusters=True),
    PairedTest("sign", "sign test", "median difference", "positive differences", sign_test),
    PairedTest("wilcoxon", "Wilcoxon signed-rank test", "Hodges–Lehmann difference", "positive rank sum", wilcoxon),
    PairedTest("bootstrap", "bootstrap test of the mean", "mean difference", "t", bootstrap, True, True),
    PairedTest(
        "bootstrap-median", "bootstrap test of the median", "median difference", "median", bootstrap_median,
        resamples=True,
    ),
    PairedTest(
        "permutation", "permutation test of the mean", "mean difference", "mean difference", permutation, True, True
    ),
    PairedTest(
        "permutation-median", "permutation test of the median", "median difference", "median", permutation_median
    ),
)  # fmt: skip
TESTS: Mapping[str, PairedTest] = MappingProxyType({test.name: test for test in _ALL})


@dataclass(frozen=True, slots=True)
class SignificanceTest:
    """What a test says about two score lists.

    Attributes
    ----------
    test : str
        The name of the test; `TESTS[test]` describes it.
    n : int
        The number of differences; `n_clusters` is the number of clusters if there are any.
    estimate : float
        The difference (mean, median or Hodges–Lehmann, as `TESTS[test].estimand` says); positive if `a` is higher.
    confidence_interval : tuple of float
        Of the estimand, with the same sidedness as the test; infinite where the data cannot bound it.
    confidence_level : float
        1 − alpha.
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
    exact : bool
        Whether the p-value comes from the full null distribution.
    n_resamples : int
        0 when nothing was resampled.
    names : tuple of str
    notes : tuple of str
    signature : str
    """

    test: str
    n: int
    n_clusters: int | None
    estimate: float
    confidence_interval: tuple[float, float]
    confidence_level: float
    statistic: float
    pvalue: float
    pvalue_standard_error: float
    alternative: str
    delta: float
    alpha: float
    reject: bool
    exact: bool
    n_resamples: int
    names: tuple[str, str]
    notes: tuple[str, ...]
    signature: str

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name, with the words for test, estimand and statistic."""
        test = TESTS[self.test]
        words = {"label": test.label, "estimand": test.estimand, "statistic_name": test.statistic}
        return {**_json.plain(self), **words}

    @property
    def p_text(self) -> str:
        """The p-value with what may be said about it."""
        sides = 2 if self.alternative == "two-sided" else 1
        if self.n_resamples and not self.exact and self.pvalue <= sides / (self.n_resamples + 1):
            return f"p ≤ {self.pvalue:.2g}"
        if self.pvalue < 1e-300:
            return "p < 1e-300"
        return f"p = {self.pvalue:.3g}" if self.pvalue >= 1e-4 else f"p = {self.pvalue:.1e}"

    def __str__(self) -> str:
        a, b = self.names
        test = TESTS[self.test]
        level = f"{100 * self.confidence_level:g} % interval"
        low, high = self.confidence_interval
        clusters = "" if self.n_clusters is None else f" in {self.n_clusters:,} clusters"
        claim = {"two-sided": "other", "greater": "greater", "less": "less"}[self.alternative]
        found = "is" if self.reject else "is not"
        lines = [
            f"{_capital(test.estimand)} {a} − {b}: {self.estimate:.4g}, {level} {low:.4g} to {high:.4g}.",
            f"{_capital(test.label)}: {self.p_text}, n = {self.n:,}{clusters}. At α = {self.alpha:g} "
            f"a difference {claim} than {self.delta:g} {found} established.",
        ]
        return "\n".join([*lines, *self.notes, self.signature])


def significance_test(
    scores: PairedScores,
    *,
    test: str = "t",
    alternative: str = "two-sided",
    delta: float = 0.0,
    alpha: float = 0.05,
    n_resamples: int = 9999,
    rng: _random.Rng = None,
    workers: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> SignificanceTest:
    """Test whether two systems' scores differ by something else than `delta`.

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
        For the tests that resample.
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
    >>> result.statistic, result.pvalue, [round(end, 3) for end in result.confidence_interval]
    (40.0, 0.0390625, [0.01, 0.786])
    """
    chosen = TESTS[_check.one_of("test", test, TESTS)]
    _check.one_of("alternative", alternative, ALTERNATIVES)
    question = Question(alternative, _check.real("delta", delta), _check.fraction("alpha", alpha))
    _check.integer("n_resamples", n_resamples, at_least=1)
    seed = _random.replayable(rng)
    check_testable(scores, chosen)
    outcome = chosen.run(Sample.of(scores), question, Draws(seed, n_resamples, _random.n_workers(workers), progress))
    pvalue, interval = float(outcome.pvalue[0]), (float(outcome.low[0]), float(outcome.high[0]))
    parameters = {"test": test, "alternative": alternative, "delta": question.delta, "alpha": question.alpha}
    if chosen.resamples:
        parameters["n_resamples"] = n_resamples
    provenance = Provenance("significance_test", parameters, _random.entropy_of(seed), scores.digest)
    return SignificanceTest(
        test, scores.n, scores.n_clusters, float(outcome.estimate[0]), interval, 1 - question.alpha,
        float(outcome.statistic[0]), pvalue, _standard_error(pvalue, outcome, alternative), alternative,
        question.delta, question.alpha, pvalue <= question.alpha, outcome.exact, outcome.n_draws, scores.names,
        (*scores.notes, *_notes(scores, chosen, question, interval)), provenance.signature,
    )  # fmt: skip


def estimate(scores: PairedScores, test: PairedTest) -> float:
    """Return the difference that the test is about, without testing it."""
    differences = scores.differences
    if test.estimand == "mean difference":
        return float(differences.mean())
    return (
        float(np.median(differences)) if test.estimand == "median difference" else hodges_lehmann(np.sort(differences))
    )


def check_testable(scores: PairedScores, test: PairedTest) -> None:
    """Refuse data on which the test means nothing, in one line."""
    if scores.n < 2:
        raise DataError("one line of scores is too few for a test; give at least two.")
    if scores.clusters is not None and not test.clusters:
        able = ", ".join(name for name, other in TESTS.items() if other.clusters)
        raise ArgumentError(
            f"`test` {test.name!r} takes lines as independent, but the scores come in clusters; use one of {able}."
        )
    if scores.constant is not None and test.name in ("t", "bootstrap"):
        raise DataError(
            f"{scores.sameness}: without variation the {test.label} is undefined. Check the file, or use the sign or "
            f"permutation test."
        )


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _standard_error(pvalue: float, outcome: Outcome, alternative: str) -> float:
    if outcome.exact or not outcome.n_draws:
        return 0.0
    sides = 2 if alternative == "two-sided" else 1
    share = pvalue / sides
    return sides * math.sqrt(share * (1 - share) / outcome.n_draws)


def _notes(scores: PairedScores, test: PairedTest, question: Question, interval: tuple[float, float]) -> list[str]:
    notes = []
    n_zero = int(np.count_nonzero(scores.differences == question.delta))
    if test.name in ("sign", "wilcoxon") and n_zero:
        notes.append(
            f"{n_zero:,} of {scores.n:,} differences are exactly {question.delta:g} and left out of the p-value."
        )
    if scores.binary and test.estimand != "mean difference":
        notes.append("The median of right-or-wrong scores is nearly always 0: see the accuracy among the flips.")
    if test.name == "permutation-median":
        notes.append("The null is that differences are symmetric about delta; a skewed distribution also violates it.")
    expected = {"two-sided": (True, True), "greater": (True, False), "less": (False, True)}[question.alternative]
    if any(wanted and math.isinf(end) for wanted, end in zip(expected, interval, strict=True)):
        what = "resamples" if test.resamples and scores.n > 20 else "differences"
        notes.append(f"There are too few {what} to bound the {test.estimand} at this confidence level.")
    if scores.n_clusters is not None and scores.n_clusters < 50 and test.name != "permutation":
        notes.append(
            f"With {scores.n_clusters} clusters this test rejects a little too often; prefer the permutation test."
        )
    return notes
