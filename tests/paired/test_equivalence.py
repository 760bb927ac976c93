import numpy as np
import pytest
from statsmodels.stats.weightstats import DescrStatsW

from assay.errors import ArgumentError
from assay.paired import TESTS, PairedScores, equivalence_test, significance_test

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
    found = equivalence_test(scores, margin=margin, test=test, rng=0)
    low, high = found.confidence_interval
    assert found.confidence_level == pytest.approx(0.9)
    assert found.established == (-margin < low and high < margin)


def test_noninferiority_is_one_one_sided_test():
    found = equivalence_test(scores, margin=0.2, kind="non-inferiority")
    assert found.pvalue == significance_test(scores, alternative="greater", delta=-0.2).pvalue
    assert found.confidence_interval[1] == np.inf
    assert np.isnan(found.pvalue_upper)


def test_difference_is_not_equivalence():
    apart = PairedScores.from_arrays(scores.a + 1, np.zeros(120))
    assert not equivalence_test(apart, margin=0.3).established
    assert "was not shown to be within" in str(equivalence_test(apart, margin=0.3))


@pytest.mark.parametrize("margin", [0, -1, float("inf")])
def test_margin_must_be_positive(margin):
    with pytest.raises(ArgumentError, match="`margin`"):
        equivalence_test(scores, margin=margin)
