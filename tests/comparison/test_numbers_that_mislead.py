"""Numbers that cannot be right are refused or not printed: rounded whole numbers, lost digits, impossible intervals."""

import numpy as np
import polars as pl
import pytest

import howsure
from howsure import DataError
from howsure.comparison import compare
from howsure.data.contests import Contest
from howsure.documents.numbers import number


def table(a, b):
    n = len(a)
    return pl.DataFrame({"item": [f"q{i}" for i in range(n)] * 2, "source": ["a"] * n + ["b"] * n, "value": a + b})


@pytest.mark.parametrize("as_text", [False, True])
def test_whole_numbers_that_would_be_rounded_are_refused_with_their_place(as_text):
    large = 2**53
    frame = table([large + 1, large + 3, large + 5], [large + 2, large + 4, large + 6])
    frame = frame.with_columns(pl.col("value").cast(pl.String)) if as_text else frame
    with pytest.raises(DataError, match=r"9007199254740993 would be rounded to 9007199254740992\. Subtract"):
        howsure.compare(frame)
    exact = table([large, large - 1, large - 1], [large - 2, large - 3, large - 5])
    assert howsure.read(exact).sources["a"].values.tolist() == [large, large - 1, large - 1]


def test_a_large_error_does_not_round_a_score_to_another_one():
    assert (number(50.95, error=5900), number(1.40, error=5900), number(49.55, error=5900)) == ("51", "1", "50")


@pytest.mark.parametrize("command", [howsure.score, howsure.leaderboard])
def test_sizes_that_cannot_be_squared_are_refused_everywhere(command):
    with pytest.raises(DataError, match="too large or too small to compute with"):
        command(table([-1e200, 6e200], [1.0, 2.0]))


def test_no_interval_lies_beyond_what_the_scale_allows():
    a, b = np.array([1.0, 2, 3, 4, 5, 999]), np.array([1.0, 1, 1, 1, 1, 1])
    result = compare(Contest.from_arrays(None, a, b, scale="ordinal"), rng=0)
    assert -998 <= result.confidence_interval.low <= result.confidence_interval.high <= 998
    wide = result.at(confidence_level=0.999).confidence_interval
    assert -998 <= wide.low <= wide.high <= 998


@pytest.mark.parametrize(("n", "shift"), [(60, 0.2), (2000, 0.03)])
def test_the_expected_p_value_is_that_of_the_side_asked_for(n, shift):
    a = np.random.default_rng(1).normal(shift, 1, n)
    data = Contest.from_arrays(None, a, np.zeros(n))
    two, greater, less = (compare(data, alternative=side, rng=0) for side in ("two-sided", "greater", "less"))
    assert greater.expected_pvalue == pytest.approx(two.expected_pvalue, abs=0.01)
    assert less.expected_pvalue == pytest.approx(1 - greater.expected_pvalue, abs=0.01)
