"""Sentences about an estimate: the same for A against B and B against A, and written in one place."""

import math
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.inference import ConfidenceInterval, Estimate
from howsure.wording import estimates, sentences

SOURCE = Path(estimates.__file__).parents[1]
LOSS = {"title": "mean absolute error", "better": "lower"}


def estimate(value, low, high, pvalue, level=0.95):
    return Estimate(value, ConfidenceInterval(low, high, "t", level), pvalue=pvalue)


@given(st.floats(-5, 5), st.floats(0.01, 3), st.sampled_from([0.001, 0.05, 0.3, math.nan]), st.floats(0, 9))
def test_swapped_systems_have_the_same_sentence(value, arm, pvalue, score):
    found = estimate(value, value - arm, value + arm, pvalue)
    one = sentences.comparison(found, ("x", "y"), (score, score + value), "p = .1", **LOSS)
    other = sentences.comparison(found.turned(), ("y", "x"), (score + value, score), "p = .1", **LOSS)
    assert value == 0 or one == other


@pytest.mark.parametrize(
    ("value", "pvalue", "alternative", "said"),
    [
        (0.2, 0.01, "two-sided", "x is better than y: mean absolute error 0.40 vs 0.60, lower by 0.20 (95% CI "),
        (-0.2, 0.01, "two-sided", "y is better than x: mean absolute error 0.60 vs 0.40, lower by 0.20 (95% CI "),
        (
            0.2,
            0.2,
            "two-sided",
            "No clear difference between x and y: mean absolute error 0.40 vs 0.60 (difference 0.2",
        ),
        (
            -0.2,
            0.9,
            "greater",
            "No clear sign that x is better than y: mean absolute error 0.40 vs 0.60 (higher by 0.2",
        ),
        (-0.2, 0.2, "less", "No clear sign that x is worse than y: mean absolute error 0.40 vs 0.60 (higher by 0.20, "),
        (
            0.2,
            math.nan,
            "two-sided",
            "No verdict on x and y: mean absolute error 0.40 vs 0.60 (difference 0.20, 95% CI",
        ),
    ],
)
def test_who_is_better(value, pvalue, alternative, said):
    found = estimate(value, value - 0.3, value + 0.3, pvalue)
    assert sentences.comparison(found, ("x", "y"), (0.4, 0.6), "p = .01", alternative=alternative, **LOSS).startswith(
        said
    )


def test_a_page_names_nobody_where_nothing_is_clear():
    open_one, clear = estimate(-0.2, -0.5, 0.1, 0.2), estimate(-0.2, -0.3, -0.1, 0.001)
    assert sentences.headline("x", "y", open_one, "two-sided", ", for these 6 raters") == (
        "No clear difference, for these 6 raters."
    )
    assert sentences.headline("x", "y", open_one, "less") == "No clear sign that x is worse."
    assert sentences.headline("x", "y", clear, "two-sided") == "y is better than x."


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ((0.1, 0.3), "95% CI 0.100 to 0.300"),
        ((0.1, math.inf), "95% CI at least 0.100"),
        ((-math.inf, math.inf), "95% CI without bounds"),
        ((math.nan, math.nan), "95% CI undefined"),
    ],
)
def test_intervals(ends, said):
    assert estimates.interval(ConfidenceInterval(*ends, "t", 0.95), 0.2) == said


@pytest.mark.parametrize(
    ("low", "high", "pvalues", "said"),
    [
        (0.2, 0.4, (0.01, 0.9, 0.01), "x is better than y by more than 0.1 (90% CI 0.200 to 0.400, p = .01)."),
        (-0.05, 0.05, (0.9, 0.01, 0.01), "x and y are equivalent: they differ by less than 0.1 (90% CI −0.050 to "),
        (-0.05, 0.4, (0.5, 0.5, 0.01), "x is not worse than y by more than 0.1 (90% CI −0.05 to 0.40, p = .01)."),
        (-0.4, -0.2, (0.9, 0.9, 0.9), "y is better than x by more than 0.1 (90% CI 0.200 to 0.400)."),
        (
            -0.4,
            0.4,
            (0.9, 0.8, 0.9),
            "The data do not show that x is within 0.1 of y (90% CI −0.40 to 0.40, p = .8), nor",
        ),
    ],
)
def test_a_margin_allows_no_more_than_its_tests(low, high, pvalues, said):
    within = estimate((low + high) / 2, low, high, math.nan, level=0.9)
    assert sentences.margin(within, 0.1, ("x", "y"), pvalues, 0.05).startswith(said)


def test_interval_and_test_that_disagree():
    assert sentences.disagreements(estimate(0.2, 0.1, 0.3, 0.01)) == []
    assert sentences.disagreements(estimate(0.2, -0.1, 0.3, 0.2)) == []
    assert "excludes 0 although p is above 0.05" in sentences.disagreements(estimate(0.2, 0.1, 0.3, 0.2))[0]
    assert "includes 0 although p is at most 0.05" in sentences.disagreements(estimate(0.2, -0.1, 0.3, 0.01))[0]
    assert "allows for skewness disagree at 5%" in sentences.disagreements(estimate(0.2, 0.1, 0.3, 0.01), 0.2)[0]
    [few] = sentences.disagreements(estimate(0.2, 0.1, 0.3, 0.2), can_reject=False)
    assert "assumes normal differences" in few


def test_a_level_is_written_in_one_place():
    # Plans are rewritten by others; their tables of rates have a level of their own.
    apart = {"planning", "auditing"}
    built = [
        path.name
        for path in SOURCE.rglob("*.py")
        if apart.isdisjoint(path.parts) and re.search(r":\.?\d?g\}% CI", path.read_text("utf-8"))
    ]
    assert built == ["estimates.py"]


@pytest.mark.parametrize(
    "words", ["No clear difference between {", "are too few to generalise reliably", "80% power for a {"]
)
def test_a_sentence_is_written_in_one_place(words):
    apart = {"planning", "raters"}
    found = [path for path in SOURCE.rglob("*.py") if apart.isdisjoint(path.parts) and words in path.read_text("utf-8")]
    assert [path.name for path in found] == ["sentences.py"]
