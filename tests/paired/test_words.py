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
    assert significance_test(up, test=test, rng=0).sentence.startswith(
        "new scores higher than base: mean 1.00 vs 0.00, "
    )
    swapped = significance_test(up.swapped(), test=test, rng=0).sentence
    assert swapped.startswith("new scores higher than base: mean 1.00 vs 0.00, ")


def test_where_the_estimate_is_zero_the_direction_comes_from_the_test():
    found = significance_test(mostly_zero, test="wilcoxon")
    assert found.estimate == 0
    assert found.sentence.startswith("new scores higher than base: mean 0.01287 vs 0.00000, higher by 0.01287, p = .")
    assert "Because of ties the Hodges–Lehmann difference is 0; the test compares the ranks of" in found.sentence
    assert significance_test(mostly_zero, test="wilcoxon", alternative="greater").reject
    swapped = significance_test(mostly_zero.swapped(), test="wilcoxon").sentence
    assert swapped.startswith("new scores higher than base: mean 0.01287 vs 0.00000, ")


def test_a_verdict_against_the_means_says_so():
    found = significance_test(long_tail, test="sign")
    assert found.sentence.startswith(
        "new scores higher than base: mean −0.5217 vs 0.0000, lower by 0.5217; median difference 0.1423 with new "
    )
    assert "The means differ the other way." in found.sentence
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
    first = re.match(r"(x|y) scores higher than [yx]: ", found.sentence).group(1)
    side, opposite = ("greater", "less") if first == "x" else ("less", "greater")
    one, other = (
        significance_test(scores, test=test, alternative=way, n_resamples=99, rng=0).pvalue for way in (side, opposite)
    )
    assert one < other
    means_agree = (found.means[0] - found.means[1]) * {"x": 1, "y": -1}[first] > 0
    assert means_agree == ("Do not report this result as one about average" not in found.sentence)


def test_one_sided_verdicts():
    found = significance_test(up, alternative="less")
    assert found.sentence.startswith("No clear sign that new scores lower than base: ")
    found = significance_test(up, alternative="greater")
    assert found.sentence.startswith("new scores higher than base: ")
    low = found.confidence_interval.low
    assert f"(95% CI at least {low:.2f}), p = " in found.sentence
    assert "inf" not in found.sentence


def test_a_shifted_null_is_named():
    assert significance_test(up, delta=0.2).sentence.startswith("The mean difference new − base is greater than 0.2: ")
    assert significance_test(up, delta=5).sentence.startswith("The mean difference new − base is less than 5: ")
    nothing = significance_test(up, delta=float(up.differences.mean()) + 0.01).sentence
    assert nothing.startswith("No clear sign that the mean difference new − base is other than ")


@pytest.mark.parametrize("test", TESTS)
def test_a_verdict_without_a_finding_ends_with_what_could_have_been_found(test):
    found = significance_test(flat, test=test, rng=0)
    assert not found.reject
    assert found.sentence.endswith(f" This design has 80% power for a difference of {rough(found.detectable)}.")
    assert 0 < found.detectable < 2


def test_the_detectable_difference_is_detected_with_a_power_of_80_percent():
    found = significance_test(flat)
    draws = np.random.default_rng(3).normal(found.detectable, flat.differences.std(ddof=1), (2000, 40))
    rejected = int((ttest_1samp(draws, 0, axis=1).pvalue <= 0.05).sum())
    assert rejected in binomial_region(2000, 0.8, confidence_level=0.999)


def test_a_study_too_small_to_reject_says_so():
    found = significance_test(made([0.1, 0.2, 0.3, 0.5]), test="sign")
    assert found.sentence.endswith("With 4 segments no difference can be significant at α = 0.05, however large.")
    found = significance_test(made([0.1, 0.2, 0.3, 0.5]), test="permutation")
    assert found.sentence.endswith("however large.")


def test_ties_fall_back_to_the_mean():
    found = significance_test(made(np.r_[np.zeros(100), 1, -1, 1]), test="bootstrap-median", rng=0)
    assert found.detectable_estimand == "mean difference"
    assert found.sentence.endswith(f"80% power for a difference of {rough(found.detectable)} in means (t test).")


def test_right_or_wrong_scores_are_judged_by_their_accuracy():
    a, b = np.r_[np.ones(30), np.zeros(10), np.ones(60)], np.r_[np.zeros(30), np.ones(10), np.ones(60)]
    scores = PairedScores.from_arrays(a, b)
    for test in ("sign", "wilcoxon"):
        found = significance_test(scores, test=test)
        assert found.sentence.startswith(
            "A scores higher than B: accuracy 0.900 vs 0.700, higher by 0.200 (95% CI 0.079 to 0.317), p = .0022 ("
        )
        assert found.confidence_interval.method == "score"
    nothing = significance_test(PairedScores.from_arrays(np.ones(60), np.ones(60)), test="sign")
    assert nothing.confidence_interval.high == pytest.approx(0.0601719, abs=5e-8)
    assert nothing.sentence.startswith(
        "No clear difference between A and B: accuracy 1.000 vs 1.000 (difference 0.000, "
    )


def test_p_and_interval_that_disagree_are_explained():
    # McNemar's exact test is more careful than Tango's interval: 6 against 1 flips of 100.
    scores = PairedScores.from_arrays(np.r_[np.ones(7), 0, np.ones(92)], np.r_[np.zeros(7), 1, np.ones(92)])
    found = significance_test(scores, test="sign")
    assert not found.reject
    assert 0 not in found.confidence_interval
    assert any("but 0 lies outside the interval" in note for note in found.notes)
    tied = significance_test(mostly_zero, test="wilcoxon")
    assert any("but 0 lies inside the interval" in note for note in tied.notes)


@pytest.mark.parametrize("names", [("new", "base"), ("base", "new")])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_finding_is_true_word_for_word_whoever_wins(sign, names):
    a, b = 3 + sign * up.a, 3 + sign * up.b
    found = significance_test(PairedScores.from_arrays(a, b, names=names))
    d = np.abs(a.mean() - b.mean())
    low, high = ttest_1samp(sign * (a - b), 0).confidence_interval()
    first, second = names[::sign]
    more, less = sorted([a.mean(), b.mean()], reverse=True)
    p = ttest_1samp(a - b, 0).pvalue
    assert found.sentence == (
        f"{first} scores higher than {second}: mean {more:.2f} vs {less:.2f}, higher by {d:.2f} (95% CI {low:.2f} to "
        f"{high:.2f}), p = {p:.2g} (paired t test, n = 40)."
    )


@pytest.mark.parametrize("sign", [1, -1])
def test_no_finding_is_true_word_for_word(sign):
    found = significance_test(PairedScores.from_arrays(3 + sign * flat.a, 3 + flat.b, names=("new", "base")))
    d, p = float(flat.a.mean()), ttest_1samp(flat.a, 0).pvalue
    low, high = ttest_1samp(flat.a * np.sign(d), 0).confidence_interval()
    higher = d * sign > 0
    first, second = ("new", "base") if higher else ("base", "new")
    scores = (3 + abs(d), 3) if higher else (3, 3 - abs(d))
    said = (
        f"No clear difference between {first} and {second}: mean {scores[0]:.3f} vs {scores[1]:.3f} (difference "
        f"{abs(d):.3f}, 95% CI {low:.2f} to {high:.2f}, p = {f'{p:.2g}'[1:]}, paired t test, n = 40). This design has "
        f"80% power for a difference of {rough(found.detectable)}."
    )
    assert found.sentence == said.replace("-", "−")


def test_a_one_sided_question_keeps_its_order_and_says_which_is_lower():
    found = significance_test(up, alternative="less").sentence
    assert found.startswith(
        "No clear sign that new scores lower than base: mean 1.00 vs 0.00 (difference 1.00, 95% CI "
    )
    found = significance_test(up.swapped(), alternative="greater").sentence
    assert found.startswith("No clear sign that base scores higher than new: mean 0.00 vs 1.00 (lower by 1.00, 95% CI ")


def test_analyses_speak_with_the_same_sentence():
    found = analyse(mostly_zero, test="wilcoxon", n_simulations=10, rng=0)
    assert found.sentence == found.significance.sentence


@pytest.mark.parametrize("test", ["sign", "wilcoxon"])
def test_where_most_differences_are_ties_the_headline_has_the_means_and_no_interval_of_zeros(test):
    a = np.r_[np.linspace(0.6, 0.9, 25), np.full(175, 0.5)]
    found = significance_test(PairedScores.from_arrays(a, np.full(200, 0.5), names=("new", "old")), test=test)
    assert found.reject
    assert (found.estimate, found.confidence_interval.low, found.confidence_interval.high) == (0, 0, 0)
    first, second = found.sentence.split(". ")
    gap = found.means[0] - found.means[1]
    assert first.startswith("new scores higher than old: mean 0.5312 vs 0.5000, higher by 0.0312, p ")
    assert gap == pytest.approx(0.03125)
    assert "CI" not in found.sentence
    assert second.startswith(f"Because of ties the {found.estimand} is 0; the test compares ")


def test_undecided_ties_have_no_interval_of_zeros_either():
    a = np.r_[np.linspace(0.6, 0.9, 25), np.full(175, 0.5)]
    scores = PairedScores.from_arrays(a, np.full(200, 0.5), names=("new", "old"))
    found = significance_test(scores, test="bootstrap-median", rng=0)
    assert found.sentence.startswith(
        "No clear difference between new and old: mean 0.5312 vs 0.5000 (difference 0.0312, p = 1, bootstrap"
    )


def test_ties_do_not_hide_means_that_differ_the_other_way():
    a = np.r_[np.full(40, 0.51), np.zeros(2), np.full(158, 0.5)]
    scores = PairedScores.from_arrays(a, np.full(200, 0.5), names=("new", "old"))
    found = significance_test(scores, test="sign")
    assert "higher by" not in found.sentence
    assert "The means differ the other way. Do not report this result as one about average scores." in found.sentence
