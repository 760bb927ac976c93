import numpy as np
import pytest
from statsmodels.stats.weightstats import DescrStatsW

from howsure.errors import ArgumentError
from howsure.inference.proportions import binomial_region
from howsure.paired import TESTS, PairedScores, equivalence_test, significance_test
from tests.paired import ends

rng = np.random.default_rng(1)
scores = PairedScores.from_arrays(rng.normal(0.05, 1, 120), np.zeros(120))


def test_tost_is_that_of_statsmodels():
    found = equivalence_test(scores, margin=0.3)
    pvalue, lower, upper = DescrStatsW(scores.differences).ttost_mean(-0.3, 0.3)
    assert found.pvalue == pytest.approx(pvalue)
    assert found.pvalue_lower == pytest.approx(lower[1])
    assert found.pvalue_upper == pytest.approx(upper[1])


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("margin", [0.1, 0.25, 0.6])
def test_equivalence_is_the_ninety_percent_interval_within_the_margin(test, margin):
    found = equivalence_test(scores, margin=margin, test=test, n_resamples=1999, rng=0)
    low, high = ends(found)
    assert found.confidence_interval.confidence_level == pytest.approx(0.9)
    assert found.established == (-margin < low and high < margin)


def test_noninferiority_is_one_one_sided_test():
    found = equivalence_test(scores, margin=0.2, kind="non-inferiority")
    assert found.pvalue == significance_test(scores, alternative="greater", delta=-0.2).pvalue
    assert found.confidence_interval.high == np.inf
    assert np.isnan(found.pvalue_upper)


def test_difference_is_not_equivalence():
    apart = PairedScores.from_arrays(scores.a + 1, np.zeros(120))
    assert not equivalence_test(apart, margin=0.3).established
    assert "We cannot conclude that A and B differ by less than 0.3 (" in str(equivalence_test(apart, margin=0.3))


@pytest.mark.parametrize("margin", [0, -1, float("inf")])
def test_margin_must_be_positive(margin):
    with pytest.raises(ArgumentError, match="`margin`"):
        equivalence_test(scores, margin=margin)


def right_or_wrong(only_a, only_b, both, neither):
    """Answers by how many each system got right."""
    a = np.repeat([1.0, 0.0, 1.0, 0.0], [only_a, only_b, both, neither])
    b = np.repeat([0.0, 1.0, 1.0, 0.0], [only_a, only_b, both, neither])
    return PairedScores.from_arrays(a, b)


@pytest.mark.parametrize("test", ["sign", "wilcoxon", "bootstrap-median", "permutation-median"])
def test_right_or_wrong_scores_are_equivalent_in_accuracy_or_not_at_all(test):
    # 44 against 35 flips of 200: the accuracy differs by .045, and its 90% interval is far wider than the margin.
    found = equivalence_test(right_or_wrong(44, 35, 80, 41), margin=0.05, test=test)
    assert found.estimand == "accuracy difference"
    assert not found.established
    assert found.pvalue > 0.4
    assert found.sentence.startswith(
        "We cannot conclude that A and B differ by less than 0.05 (accuracy difference 0.045, A higher, "
    )
    assert "Tango's score test" in found.sentence


@pytest.mark.parametrize("counts", [(44, 35, 80, 41), (3, 3, 300, 100), (0, 0, 500, 100), (0, 9, 300, 100)])
@pytest.mark.parametrize("margin", [0.02, 0.05, 0.1])
def test_equivalence_of_accuracy_is_tangos_interval_within_the_margin(counts, margin):
    found = equivalence_test(right_or_wrong(*counts), margin=margin, test="sign")
    low, high = ends(found)
    assert found.established == (-margin < low and high < margin)
    one_sided = equivalence_test(right_or_wrong(*counts), margin=margin, test="sign", kind="non-inferiority")
    assert one_sided.established == (one_sided.confidence_interval.low > -margin)


def test_equivalence_of_accuracy_holds_its_level_at_the_margin():
    # 300 questions, A better by exactly the margin: 20% flips, .125 against .075.
    draws = np.random.default_rng(5).multinomial(300, [0.125, 0.075, 0.8], size=2000)
    wrong = 0
    for (only_a, only_b, alike), times in zip(*np.unique(draws, axis=0, return_counts=True), strict=True):
        found = equivalence_test(right_or_wrong(only_a, only_b, alike, 0), margin=0.05, test="sign")
        wrong += times * found.established
    assert wrong <= binomial_region(2000, 0.05, confidence_level=0.999).high


def test_where_the_median_stays_put_the_mean_is_tested():
    # Ratings: half of the differences are 0, and A is better by .3 on average.
    ratings = PairedScores.from_arrays(np.repeat([3.0, 4.0, 2.0], [100, 70, 10]), np.full(180, 3.0))
    for test in ("sign", "wilcoxon", "bootstrap-median"):
        found = equivalence_test(ratings, margin=0.25, test=test, rng=0)
        assert (found.test, found.estimand, found.established) == ("t", "mean difference", False)
        assert any("Equivalence is tested on the mean" in note for note in found.notes)
    assert equivalence_test(scores, margin=0.6, test="wilcoxon").test == "wilcoxon"


def test_a_margin_of_accuracy_is_below_one():
    with pytest.raises(ArgumentError, match="`margin` must be below 1"):
        equivalence_test(right_or_wrong(3, 2, 5, 5), margin=1, test="sign")
