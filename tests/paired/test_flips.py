import numpy as np
import pytest

from howsure.errors import DataError
from howsure.paired import PairedScores, count_flips, significance_test
from tests.paired import ends
from tests.reference.scores import APPROVAL


def test_approval():
    cells = [APPROVAL[name] for name in ("both", "only_a", "only_b", "neither")]
    a, b = np.repeat([1, 1, 0, 0], cells), np.repeat([1, 0, 1, 0], cells)
    found = count_flips(PairedScores.from_arrays(a, b))
    assert [found.both, found.only_a, found.only_b, found.neither] == cells
    assert found.statistic == pytest.approx(APPROVAL["statistic"], abs=5e-5)
    assert found.statistic_corrected == pytest.approx(APPROVAL["statistic_corrected"], abs=5e-5)
    assert found.pvalue == pytest.approx(APPROVAL["pvalue"], rel=1e-5)
    assert found.difference == pytest.approx((150 - 86) / 1600)
    assert found.confidence_interval.low < found.difference < found.confidence_interval.high


@pytest.mark.parametrize("side", ["two-sided", "greater", "less"])
def test_exact_mcnemar_is_the_sign_test(side):
    rng = np.random.default_rng(0)
    scores = PairedScores.from_arrays(rng.integers(0, 2, 40), rng.integers(0, 2, 40))
    assert (
        count_flips(scores, alternative=side).pvalue == significance_test(scores, test="sign", alternative=side).pvalue
    )


def test_no_flips():
    found = count_flips(PairedScores.from_arrays([1, 0, 1], [1, 0, 1]))
    assert (found.pvalue, found.difference) == (1, 0)
    assert np.isnan(found.statistic)
    low, high = ends(found)
    assert low < 0 < high


def test_only_for_right_and_wrong():
    with pytest.raises(DataError, match=r"scores of 0 and 1 only; found 0.5"):
        count_flips(PairedScores.from_arrays([1, 0.5], [0, 1]))
