"""The seven tests by name: what each is called, what it estimates, and on which scores it means something."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from howsure.errors import ArgumentError, DataError
from howsure.paired.difference_rows import Hypothesis, Resamples, Sample, TestedRows
from howsure.paired.means import bootstrap, permutation, t_test
from howsure.paired.medians import bootstrap_median, permutation_median
from howsure.paired.ranks import hodges_lehmann, sign_test, wilcoxon
from howsure.paired.score_lists import PairedScores

MEAN, MEDIAN, HODGES_LEHMANN = "mean difference", "median difference", "Hodges–Lehmann difference"
ACCURACY = "accuracy difference"


@dataclass(frozen=True, slots=True)
class PairedTest:
    """One of the tests.

    Attributes
    ----------
    name, label : str
        On the command line, and in a sentence.
    estimand, statistic : str
    compares : str
        What it looks at, to complete "The test compares …".
    run : callable
    clusters : bool
        Whether it can handle segments that depend on each other.
    resamples : bool
        Whether it draws random numbers.
    """

    name: str
    label: str
    estimand: str
    statistic: str
    compares: str
    run: Callable[[Sample, Hypothesis, Resamples], TestedRows]
    clusters: bool = field(default=False, kw_only=True)
    resamples: bool = field(default=False, kw_only=True)


_ALL = (
    PairedTest("t", "paired t test", MEAN, "t", "means", t_test, clusters=True),
    PairedTest(
        "sign",
        "sign test",
        MEDIAN,
        "positive differences",
        "how many differences are positive and how many negative",
        sign_test,
    ),
    PairedTest(
        "wilcoxon",
        "Wilcoxon signed-rank test",
        HODGES_LEHMANN,
        "positive rank sum",
        "the ranks of positive and negative differences",
        wilcoxon,
    ),
    PairedTest("bootstrap", "bootstrap test of the mean", MEAN, "t", "means", bootstrap, clusters=True, resamples=True),
    PairedTest(
        "bootstrap-median",
        "bootstrap test of the median",
        MEDIAN,
        "median",
        "medians",
        bootstrap_median,
        resamples=True,
    ),
    PairedTest(
        "permutation", "permutation test of the mean", MEAN, MEAN, "means", permutation, clusters=True, resamples=True
    ),
    PairedTest("permutation-median", "permutation test of the median", MEDIAN, "median", "medians", permutation_median),
)
TESTS: Mapping[str, PairedTest] = MappingProxyType({test.name: test for test in _ALL})


def estimand(scores: PairedScores, test: PairedTest) -> str:
    """Return what the test estimates on these scores: of right-or-wrong scores, signs and ranks say the accuracy."""
    return ACCURACY if test.name in ("sign", "wilcoxon") and scores.right_or_wrong else test.estimand


def estimate(scores: PairedScores, test: PairedTest) -> float:
    """Return the difference that the test is about, without testing it."""
    differences = np.sort(scores.differences)
    wanted = estimand(scores, test)
    if wanted in (MEAN, ACCURACY):
        return float(differences.mean())
    return float(np.median(differences)) if wanted == MEDIAN else hodges_lehmann(differences)


def check_testable(scores: PairedScores, test: PairedTest, delta: float = 0.0) -> None:
    """Refuse data on which the test means nothing, in one line."""
    if scores.n < 2:
        raise DataError("one segment is too few for a test; give at least two.")
    if scores.clusters is not None and not test.clusters:
        able = ", ".join(name for name, other in TESTS.items() if other.clusters)
        raise ArgumentError(
            f"`test` {test.name!r} treats segments as independent, but the scores come in clusters; use one of {able}."
        )
    if delta and scores.right_or_wrong and test.estimand != MEAN:
        able = ", ".join(name for name, other in TESTS.items() if other.estimand == MEAN)
        raise ArgumentError(
            f"`delta` must be 0 for the {test.label} of right-or-wrong scores, whose differences are −1, 0 and 1; got "
            f"{delta:g}. Use one of {able}, or give a margin."
        )
    if scores.constant is not None and test.name in ("t", "bootstrap"):
        raise DataError(
            f"{scores.sameness}: without variation the {test.label} is undefined. Check the file, or use the sign or "
            f"permutation test."
        )
