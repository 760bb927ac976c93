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
    with pytest.raises(DataError, match=r"9007199254740993 would be rounded to 9007199254740992\. Subtract a common"):
        howsure.compare(frame)
    exact = table([large, large - 1, large - 1], [large - 2, large - 3, large - 5])
    assert howsure.read(exact).sources["a"].values.tolist() == [large, large - 1, large - 1]


def test_arrays_of_whole_numbers_that_would_be_rounded_are_refused():
    large = 2**53
    for a in ([large + 1, large], [large + 1, None], np.array([large + 1, 5], dtype=np.uint64)):
        with pytest.raises(DataError, match="`a`: 9007199254740993 would be rounded to 9007199254740992"):
            Contest.from_arrays(None, a, [1, 2])
    assert Contest.from_arrays(None, [2**64 + 4096, 0], [0, 0]).a.values.tolist() == [2.0**64 + 4096, 0]


SHIFTS = [10**6, 10**14, 2**52, 1_700_000_000_000_000_000 // 256 * 256, -(2**53), 2**64]
"""Numbers that are added to all values, up to nanoseconds since 1970 and beyond; the last ones in steps of 4096."""


@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("more", [lambda i: 1, lambda i: 1 + i % 3, lambda i: 3 * (i % 4 == 0) - 1])
def test_a_common_number_in_exact_whole_numbers_changes_nothing(shift, more):
    step = 1 if abs(shift) <= 2**53 else 4096
    small = [step * 2 * i for i in range(20)], [step * (2 * i + more(i)) for i in range(20)]
    large = [[value + shift for value in values] for values in small]
    plain, shifted = (howsure.compare(table(a, b), a="a", b="b", better="higher", seed=0) for a, b in (small, large))
    assert shifted.advantage == plain.advantage != 0
    assert shifted.pvalue == plain.pvalue
    assert shifted.confidence_interval == plain.confidence_interval
    assert shifted.standard_error == plain.standard_error


@pytest.mark.parametrize("metric", ["mae", "rmse", "mse", "emd"])
def test_a_common_number_changes_no_distance_from_gold(metric):
    rng = np.random.default_rng(3)
    gold, a, b = rng.integers(0, 9, (3, 20)).astype(float)
    plain, shifted = (
        compare(Contest.from_arrays(gold + by, a + by, b + by), metric=metric, rng=0) for by in (0, 10**14)
    )
    assert shifted.advantage == pytest.approx(plain.advantage, rel=1e-12)
    assert shifted.pvalue == pytest.approx(plain.pvalue, rel=1e-9)


@pytest.mark.filterwarnings("ignore::howsure.HowsureWarning")
def test_means_of_several_whole_numbers_count_as_equal_within_their_rounding_only():
    a = 10**14 + np.random.default_rng(4).integers(0, 9, (20, 3)).astype(float)
    one = compare(Contest.from_arrays(None, a, a + 1), rng=0)
    assert (one.advantage, one.pvalue) == (-1, 2.0**-19)
    thirds = 10**14 + np.array([[0.0, 0, 1], [1, 0, 0]] * 10)
    same = compare(Contest.from_arrays(None, thirds, thirds[::-1]), rng=0)
    assert (same.advantage, same.pvalue) == (0, 1)


@pytest.mark.filterwarnings("ignore::howsure.HowsureWarning")
def test_numbers_with_decimals_count_as_equal_up_to_their_rounding():
    gold, a = np.full(20, 1000.0), np.array([1000.3, 1000.2] * 10)
    equal = compare(Contest.from_arrays(gold, a, 2000.0 - a), metric="mae", rng=0)
    assert (equal.advantage, equal.pvalue) == (0, 1)


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
    two, greater, less = (
        compare(data, alternative=side, n_resamples=9999, rng=0) for side in ("two-sided", "greater", "less")
    )
    assert greater.expected_pvalue == pytest.approx(two.expected_pvalue, abs=0.01)
    assert less.expected_pvalue == pytest.approx(1 - greater.expected_pvalue, abs=0.01)
