"""Intervals without draws, against their definitions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from howsure.errors import ArgumentError
from howsure.intervals import interval, score, student
from tests.intervals.test_bootstrap import jackknife_means


@pytest.mark.parametrize(("alternative", "level"), [("two-sided", 0.95), ("greater", 0.9), ("less", 0.99)])
def test_students_interval_is_scipys(alternative, level):
    data = np.random.default_rng(0).normal(0.2, 1.0, 15)
    theirs = stats.ttest_1samp(data, 0, alternative=alternative).confidence_interval(level)
    error = data.std(ddof=1) / math.sqrt(data.size)
    ours = student(data.mean(), standard_error=error, df=14, confidence_level=level, alternative=alternative)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high))
    again = interval(
        "t", [], estimate=data.mean(), jackknife=jackknife_means(data), standard_error=error, confidence_level=level,
        alternative=alternative,
    )  # fmt: skip
    assert again == ours


def most_likely(won, lost, n, difference):
    """The largest likelihood of the counts where the shares won and lost differ by so much: a plain search."""
    low, high = max(0.0, -difference), (1 - difference) / 2
    shares = np.linspace(low, high, 200_001)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = [(won, shares + difference), (lost, shares), (n - won - lost, 1 - 2 * shares - difference)]
        likelihood = sum(np.where(count == 0, 0.0, count * np.log(np.maximum(p, 0))) for count, p in terms)
    return shares[np.argmax(likelihood)]


@pytest.mark.parametrize(("won", "lost", "n"), [(1, 7, 21), (40, 20, 160), (3, 0, 50), (5, 5, 12), (9, 1, 10)])
def test_the_score_interval_ends_where_the_score_test_rejects(won, lost, n):
    advantages = np.repeat([0.5, -0.5, 0.0], [won, lost, n - won - lost])
    found = score(advantages)
    for end in (found.low, found.high):
        difference = end / 0.5
        share = most_likely(won, lost, n, difference)
        error = math.sqrt(max(2 * share + difference - difference**2, 0) / n)
        assert abs((won - lost) / n - difference) == pytest.approx(stats.norm.isf(0.025) * error, rel=1e-3)


@given(st.integers(0, 12), st.integers(0, 12), st.integers(1, 30), st.sampled_from([0.8, 0.95]))
def test_the_score_interval_has_its_laws(won, lost, same, level):
    advantages = np.repeat([0.3, -0.3, 0.0], [won, lost, same + 1])
    if won + lost == 0:
        advantages[0] = 0.3
    found = score(advantages, confidence_level=level)
    swapped = score(-advantages, confidence_level=level)
    assert (swapped.low, swapped.high) == pytest.approx((-found.high, -found.low), abs=1e-9)
    assert -0.3 <= found.low <= advantages.mean() <= found.high <= 0.3
    assert score(advantages, confidence_level=level, alternative="greater").low >= found.low
    # A jackknife of the mean holds the advantages, which is how a comparison hands them over.
    left = jackknife_means(advantages)
    again = interval("score", [], estimate=advantages.mean(), jackknife=left, confidence_level=level)
    assert (again.low, again.high) == pytest.approx((found.low, found.high), abs=1e-9)


@pytest.mark.parametrize(
    ("result", "note"),
    [
        (score([0.0, 0.0]), "The score interval is undefined: A and B differ on no item."),
        (score([math.nan]), "The score interval is undefined: there is one item."),
        (score([1.0, 0.5, 0.0]), "The score interval is undefined: the item advantages are not all −c, 0 or c."),
        (student(1.0, standard_error=0.0, df=8), "The t interval is undefined: the standard error is 0 or undefined."),
        (student(1.0, standard_error=1.0, df=0), "The t interval is undefined: the standard error is 0 or undefined."),
    ],
)
def test_undefined_is_nan_with_a_note(result, note):
    assert math.isnan(result.low)
    assert math.isnan(result.high)
    assert result.notes == (note,)


def test_where_no_item_differs_the_score_interval_says_what_that_leaves_possible():
    found = score([0.0] * 60, span=1.0)
    assert (found.low, found.high) == pytest.approx((-0.0601719, 0.0601719), abs=5e-8)  # Tango 1998: ± z² / (n + z²)
    assert score([0.0] * 60, span=2.0).high == pytest.approx(2 * found.high)
    bound = score([0.0] * 60, span=1.0, alternative="greater")
    z = stats.norm.ppf(0.95)
    assert (bound.low, bound.high) == (pytest.approx(-(z**2) / (60 + z**2)), math.inf)


@pytest.mark.parametrize("method", ["score", "t"])
def test_what_a_method_needs_is_asked_for(method):
    with pytest.raises(ArgumentError, match=f"must be given for method '{method}'"):
        interval(method, [0.0, 1.0], estimate=0.5)
