import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from howsure.errors import ArgumentError
from howsure.inference import binomial_region, clopper_pearson, wilson
from tests.reference import inference as reference

FUNCTIONS = {"wilson": (wilson, reference.WILSON), "exact": (clopper_pearson, reference.CLOPPER_PEARSON)}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_known_answers(name):
    function, answers = FUNCTIONS[name]
    for (successes, n), ends in answers.items():
        result = function(successes, n)
        assert (result.low, result.high) == pytest.approx(ends, abs=5e-6)


@given(
    st.sampled_from(sorted(FUNCTIONS)),
    st.integers(1, 300),
    st.floats(0, 1),
    st.sampled_from([0.5, 0.9, 0.95, 0.999]),
    st.sampled_from(["two-sided", "greater", "less"]),
)
def test_agrees_with_scipy(name, n, share, level, alternative):
    successes = round(n * share)
    theirs = stats.binomtest(successes, n, alternative=alternative).proportion_ci(level, method=name)
    ours = FUNCTIONS[name][0](successes, n, confidence_level=level, alternative=alternative)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=1e-9, abs=1e-12)
    if alternative == "two-sided":
        assert successes / n in ours


@given(st.sampled_from(sorted(FUNCTIONS)), st.integers(1, 300), st.floats(0, 1))
def test_counting_failures_mirrors_the_interval(name, n, share):
    successes = round(n * share)
    there, back = (FUNCTIONS[name][0](count, n) for count in (successes, n - successes))
    assert (back.low, back.high) == pytest.approx((1 - there.high, 1 - there.low), abs=1e-12)


@pytest.mark.parametrize("function", [wilson, clopper_pearson])
def test_nothing_counted_is_undefined(function):
    result = function(0, 0)
    assert math.isnan(result.low)
    assert math.isnan(result.high)
    assert result.notes == ("The interval is undefined: nothing was counted.",)


@given(st.integers(1, 5000), st.floats(0.001, 0.999), st.sampled_from([0.9, 0.95, 0.99, 0.999]))
def test_region_is_the_smallest_with_equal_tails(n, p, level):
    region = binomial_region(n, p, confidence_level=level)
    tail = (1 - level) / 2
    slack = 1e-12
    assert stats.binom.cdf(region.low - 1, n, p) < tail + slack
    assert stats.binom.cdf(region.low, n, p) >= tail - slack
    assert stats.binom.sf(region.high, n, p) <= tail + slack
    assert stats.binom.sf(region.high - 1, n, p) > tail - slack


@pytest.mark.parametrize("n", [1, 20, 1200, 10**6, 10**9])
@pytest.mark.parametrize("p", [0.05, 0.5, 0.8])
def test_region_agrees_with_scipy(n, p):
    region = binomial_region(n, p)
    assert (region.low, region.high) == stats.binom.interval(0.95, n, p)


def test_region_of_certainty():
    assert (binomial_region(10, 0.0).low, binomial_region(10, 0.0).high) == (0, 0)
    assert (binomial_region(10, 1.0).low, binomial_region(10, 1.0).high) == (10, 10)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: wilson(11, 10), "`successes` must be between 0 and 10; got 11"),
        (lambda: wilson(-1, 10), "`successes` must be a whole number of at least 0; got -1"),
        (lambda: clopper_pearson(1.5, 10), "`successes` must be a whole number; got 1.5"),
        (lambda: wilson(1, 10, confidence_level=95), r"Did you mean 0.95\?"),
        (lambda: wilson(1, 10, alternative="up"), "`alternative` must be one of"),
        (lambda: binomial_region(0, 0.5), "`n` must be a whole number of at least 1; got 0"),
        (lambda: binomial_region(10, 5), "`p` must be between 0 and 1; got 5"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ArgumentError, match=message):
        call()
