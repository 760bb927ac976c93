"""Sentences are claims: each is compared with the numbers it is made of."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_1samp

from howsure.documents.numbers import rough
from howsure.inference.proportions import binomial_region
from howsure.paired import TESTS, PairedScores, analyse, significance_test

up = PairedScores.from_arrays(np.random.default_rng(1).normal(1, 1, 40), np.zeros(40), names=("new", "base"))
"""The first system is higher by every test."""
flat = PairedScores.from_arrays(np.random.default_rng(2).normal(0, 1, 40), np.zeros(40), names=("new", "base"))


def made(differences, names=("new", "base")):
    """Scores with these differences."""
    return PairedScores.from_arrays(np.asarray(differences, dtype=float), np.zeros(len(differences)), names=names)


mostly_zero = made(np.r_[np.zeros(150), [0.2] * 16, [-0.2] * 5])
"""The Hodges–Lehmann difference is 0, and the test rejects."""
long_tail = made(np.r_[np.linspace(0.1, 0.2, 40), np.full(6, -5.0)])
"""Higher on most lines, lower on average."""


@pytest.mark.parametrize("test", TESTS)
def test_the_higher_system_is_called_higher(test):
    assert significance_test(up, test=test, rng=0).sentence.startswith("new scores higher than base (")
    assert significance_test(up.swapped(), test=test, rng=0).sentence.startswith("base scores lower than new (")


def test_where_the_estimate_is_zero_the_direction_comes_from_the_test():
    found = significance_test(mostly_zero, test="wilcoxon")
    assert found.estimate == 0
    assert found.sentence.startswith("new scores higher than base (Hodges–Lehmann difference 0, ")
    assert "The Hodges–Lehmann difference is exactly 0 and does not show the direction" in found.sentence
    assert "The means agree with it: new 0.01287, base 0." in found.sentence
    assert significance_test(mostly_zero, test="wilcoxon", alternative="greater").reject
    swapped = significance_test(mostly_zero.swapped(), test="wilcoxon").sentence
    assert swapped.startswith("base scores lower than new (")


def test_a_verdict_against_the_means_says_so():
    found = significance_test(long_tail, test="sign")
    assert found.sentence.startswith("new scores higher than base (median difference ")
    assert "The means say the opposite: new -0.5217, base 0." in found.sentence
    assert found.sentence.endswith("Do not report this result as one about average scores.")
    agreeing = significance_test(up, test="sign").sentence
    assert "means" not in agreeing


@given(
    st.lists(st.integers(-3, 3), min_size=6, max_size=40),
    st.sampled_from(sorted(TESTS)),
    st.sampled_from(["two-sided", "greater", "less"]),
)
def test_no_verdict_claims_a_direction_that_the_test_denies(differences, test, alternative):
    scores = made(differences, names=("x", "y"))
    if scores.constant is not None:
        return
    found = significance_test(scores, test=test, alternative=alternative, n_resamples=99, rng=0)
    if not found.reject:
        assert "scores higher than" not in found.sentence or found.sentence.startswith("No clear sign")
        return
    word = re.match(r"x scores (higher|lower) than y", found.sentence).group(1)
    side = {"higher": "greater", "lower": "less"}[word]
    opposite = {"higher": "less", "lower": "greater"}[word]
    one, other = (
        significance_test(scores, test=test, alternative=way, n_resamples=99, rng=0).pvalue for way in (side, opposite)
    )
    assert one < other
    means_agree = (found.means[0] - found.means[1]) * {"higher": 1, "lower": -1}[word] > 0
    assert means_agree == ("Do not report this result as one about average" not in found.sentence)


def test_one_sided_verdicts():
    found = significance_test(up, alternative="less")
    assert found.sentence.startswith("No clear sign that new scores lower than base (")
    found = significance_test(up, alternative="greater")
    assert found.sentence.startswith("new scores higher than base (")
    assert "95% interval 0." in found.sentence
    assert " or more, p = " in found.sentence
    assert "inf" not in found.sentence


def test_a_shifted_null_is_named():
    assert significance_test(up, delta=0.2).sentence.startswith("The mean difference new − base is greater than 0.2 (")
    assert significance_test(up, delta=5).sentence.startswith("The mean difference new − base is less than 5 (")
    nothing = significance_test(up, delta=float(up.differences.mean()) + 0.01).sentence
    assert nothing.startswith("No clear sign that the mean difference new − base is other than ")


@pytest.mark.parametrize("test", TESTS)
def test_a_verdict_without_a_finding_ends_with_what_could_have_been_found(test):
    found = significance_test(flat, test=test, rng=0)
    assert not found.reject
    estimand = {"t": "mean", "wilcoxon": "Hodges–Lehmann"}.get(test, "median" if "median" in test else None)
    estimand = estimand or {"sign": "median"}.get(test, "mean")
    assert found.sentence.endswith(
        f"A study like this finds a true {estimand} difference of about {rough(found.detectable)} 8 times in 10; it "
        "often misses smaller ones."
    )
    assert 0 < found.detectable < 2


def test_the_detectable_difference_is_detected_eight_times_in_ten():
    found = significance_test(flat)
    draws = np.random.default_rng(3).normal(found.detectable, flat.differences.std(ddof=1), (2000, 40))
    rejected = int((ttest_1samp(draws, 0, axis=1).pvalue <= 0.05).sum())
    assert rejected in binomial_region(2000, 0.8, confidence_level=0.999)


def test_a_study_too_small_to_reject_says_so():
    found = significance_test(made([0.1, 0.2, 0.3, 0.5]), test="sign")
    assert found.sentence.endswith("With 4 lines this test cannot find any difference at α = 0.05, however large.")
    found = significance_test(made([0.1, 0.2, 0.3, 0.5]), test="permutation")
    assert found.sentence.endswith("however large.")


def test_ties_fall_back_to_the_mean():
    found = significance_test(made(np.r_[np.zeros(100), 1, -1, 1]), test="bootstrap-median", rng=0)
    assert found.detectable_estimand == "mean difference"
    assert found.sentence.endswith("8 times in 10 by a t test; it often misses smaller ones.")


def test_right_or_wrong_scores_are_judged_by_their_accuracy():
    a, b = np.r_[np.ones(30), np.zeros(10), np.ones(60)], np.r_[np.zeros(30), np.ones(10), np.ones(60)]
    scores = PairedScores.from_arrays(a, b)
    for test in ("sign", "wilcoxon"):
        found = significance_test(scores, test=test)
        assert found.sentence.startswith(
            "A scores higher than B (accuracy difference 0.200, 95% interval 0.079 to 0.317, p = 0.00222, "
        )
        assert found.confidence_interval.method == "score"
    nothing = significance_test(PairedScores.from_arrays(np.ones(60), np.ones(60)), test="sign")
    assert nothing.confidence_interval.high == pytest.approx(0.0601719, abs=5e-8)
    assert nothing.sentence.startswith("No clear difference between A and B (accuracy difference 0.000, ")


def test_p_and_interval_that_disagree_are_explained():
    # McNemar's exact test is more careful than Tango's interval: 6 against 1 flips of 100.
    scores = PairedScores.from_arrays(np.r_[np.ones(7), 0, np.ones(92)], np.r_[np.zeros(7), 1, np.ones(92)])
    found = significance_test(scores, test="sign")
    assert not found.reject
    assert 0 not in found.confidence_interval
    assert any("yet 0 lies outside the interval" in note for note in found.notes)
    tied = significance_test(mostly_zero, test="wilcoxon")
    assert any("yet 0 lies inside the interval" in note for note in tied.notes)


def test_analyses_speak_with_the_same_sentence():
    found = analyse(mostly_zero, test="wilcoxon", n_simulations=10, rng=0)
    assert found.sentence == found.significance.sentence
