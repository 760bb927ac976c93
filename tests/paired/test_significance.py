import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure import _json
from howsure.errors import ArgumentError, DataError
from howsure.paired import TESTS, PairedScores, effect_sizes, power_curve, significance_test
from tests.paired import ends
from tests.reference.scores import DEPRESSION, SLEEP

depression = PairedScores.from_arrays(DEPRESSION["a"], DEPRESSION["b"])
sleep = PairedScores.from_arrays(SLEEP["a"], SLEEP["b"])
values = st.lists(st.tuples(st.integers(-20, 20), st.integers(-20, 20)), min_size=3, max_size=25)


@pytest.mark.parametrize(("n_zero", "told"), [(1, "is exactly 0. The test ignores this segment."),
                                              (2, "are exactly 0. The test ignores these segments.")])  # fmt: skip
def test_ignored_segments_are_counted(n_zero, told):
    scores = PairedScores.from_arrays([1.0, 2.0, 3.0, 4.0, 6.0], [*[1.0, 2.0][:n_zero], *[0.0] * (5 - n_zero)])
    assert f"{n_zero} of 5 differences {told}" in significance_test(scores, test="sign").notes


def test_depression():
    wilcoxon = significance_test(depression, test="wilcoxon")
    assert wilcoxon.statistic == DEPRESSION["wilcoxon"]["statistic"]
    assert wilcoxon.pvalue == DEPRESSION["wilcoxon"]["two-sided"]
    assert wilcoxon.exact
    greater = significance_test(depression, test="wilcoxon", alternative="greater")
    assert greater.pvalue == DEPRESSION["wilcoxon"]["greater"]
    assert wilcoxon.estimate == pytest.approx(DEPRESSION["hodges_lehmann"])
    assert ends(wilcoxon) == pytest.approx(DEPRESSION["hodges_lehmann_interval"], abs=5e-4)
    t = significance_test(depression, test="t")
    assert t.statistic == pytest.approx(DEPRESSION["t"]["statistic"], abs=5e-6)
    assert t.pvalue == pytest.approx(DEPRESSION["t"]["two-sided"], abs=5e-8)
    assert significance_test(depression, test="sign").pvalue == DEPRESSION["sign"]
    permutation = significance_test(depression, test="permutation")
    assert permutation.pvalue == DEPRESSION["permutation"]
    assert permutation.exact
    assert permutation.n_resamples == 0


def test_sleep():
    found = significance_test(sleep)
    assert found.statistic == pytest.approx(SLEEP["statistic"], abs=5e-5)
    assert found.pvalue == pytest.approx(SLEEP["pvalue"], abs=5e-9)
    assert ends(found) == pytest.approx(SLEEP["interval"], abs=5e-7)


@given(values, st.sampled_from(sorted(TESTS)))
def test_swapping_flips_the_estimate_and_keeps_the_pvalue(pairs, test):
    a, b = np.array(pairs, dtype=float).T / 10
    scores = PairedScores.from_arrays(a, b)
    if scores.constant is not None:
        return
    found, swapped = (significance_test(s, test=test, n_resamples=99, rng=0) for s in (scores, scores.swapped()))
    assert swapped.estimate == pytest.approx(-found.estimate, abs=1e-12)
    if not TESTS[test].resamples or found.exact:
        assert swapped.pvalue == pytest.approx(found.pvalue)
        low, high = ends(swapped)
        assert ends(found) == pytest.approx((-high, -low), abs=1e-9)


@given(values, st.sampled_from(["sign", "wilcoxon", "permutation", "permutation-median"]))
def test_one_sided_pvalues_overlap_by_the_probability_of_the_data(pairs, test):
    a, b = np.array(pairs, dtype=float).T
    scores = PairedScores.from_arrays(a, b)
    greater, less = (
        significance_test(scores, test=test, alternative=side, n_resamples=999, rng=0).pvalue
        for side in ("greater", "less")
    )
    assert greater + less >= 1 - 1e-12
    two_sided = significance_test(scores, test=test, n_resamples=999, rng=0).pvalue
    assert two_sided == pytest.approx(min(1, 2 * min(greater, less)))


def test_one_sided_direction():
    up = PairedScores.from_arrays(np.random.default_rng(1).normal(1, 1, 40), np.zeros(40))
    for test in TESTS:
        assert significance_test(up, test=test, alternative="greater", rng=0).pvalue < 0.01
        assert significance_test(up, test=test, alternative="less", rng=0).pvalue > 0.9


@pytest.mark.parametrize("test", TESTS)
def test_shift_is_the_same_as_moving_the_scores(test):
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 100, 30) / 100, rng.integers(0, 100, 30) / 100
    shifted = significance_test(PairedScores.from_arrays(a, b), test=test, delta=0.25, rng=0)
    moved = significance_test(PairedScores.from_arrays(a - 0.25, b), test=test, rng=0)
    assert shifted.pvalue == pytest.approx(moved.pvalue)
    expected = tuple(end + 0.25 for end in ends(moved))
    assert ends(shifted) == pytest.approx(expected, abs=1e-9 if test != "permutation" else 1e-6)  # found by a search


@pytest.mark.parametrize("test", ["sign", "wilcoxon", "permutation", "permutation-median", "bootstrap-median"])
def test_identical_systems_give_p_one(test):
    scores = PairedScores.from_arrays([0.1, 0.5, 0.7], [0.1, 0.5, 0.7])
    found = significance_test(scores, test=test, rng=0)
    assert (found.estimate, found.pvalue, found.reject) == (0, 1, False)


@pytest.mark.parametrize("test", ["t", "bootstrap"])
@pytest.mark.parametrize(("shift", "words"), [(0.0, "identical"), (0.5, "every one of the 3 differences A − B is 0.5")])
def test_constant_difference_has_no_t(test, shift, words):
    scores = PairedScores.from_arrays(np.array([0.1, 0.5, 0.7]) + shift, [0.1, 0.5, 0.7])
    with pytest.raises(DataError, match=words):
        significance_test(scores, test=test)


def test_seed_and_workers():
    scores = PairedScores.from_arrays(np.random.default_rng(3).normal(0.1, 1, 120), np.zeros(120))
    how = {"test": "bootstrap", "n_resamples": 500}
    one, many = (significance_test(scores, **how, rng=7, workers=workers) for workers in (1, 8))
    assert one == many
    assert one.pvalue != significance_test(scores, **how, rng=8).pvalue
    seed = int(one.signature.split("seed=")[1].split(" ")[0])
    assert significance_test(scores, **how, rng=seed) == one


def test_monte_carlo_pvalue_is_never_zero_and_says_so():
    scores = PairedScores.from_arrays(np.random.default_rng(3).normal(5, 1, 60), np.zeros(60))
    found = significance_test(scores, test="bootstrap", n_resamples=99, rng=0)
    assert found.pvalue == 1 / 100
    assert found.shown_pvalue == "≤ 0.01"
    assert found.pvalue_standard_error > 0


def test_progress_adds_up():
    told = []
    scores = PairedScores.from_arrays(np.random.default_rng(3).normal(5, 1, 60), np.zeros(60))
    significance_test(scores, test="bootstrap", n_resamples=150, rng=0, progress=told.append)
    assert sum(told) == 150


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "ttest"}, "`test` must be one of permutation, t, sign"),
        ({"alternative": "bigger"}, "`alternative` must be one of"),
        ({"alpha": 5}, "Did you mean 0.05"),
        ({"n_resamples": 0}, "`n_resamples` must be a whole number of at least 1; got 0"),
        ({"delta": float("nan")}, "`delta` must be a finite number"),
        ({"rng": -1}, "`rng`"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ArgumentError, match=message):
        significance_test(depression, **options)


@pytest.mark.parametrize("test", ["sign", "wilcoxon", "bootstrap-median", "permutation-median"])
def test_rank_tests_refuse_clusters(test):
    scores = PairedScores.from_arrays([1, 2, 3, 5], [0, 0, 1, 2], clusters=[1, 1, 2, 2])
    with pytest.raises(ArgumentError, match="use one of permutation, t, bootstrap"):
        significance_test(scores, test=test)


def test_one_line_is_too_few():
    with pytest.raises(DataError, match="too few for a test"):
        significance_test(PairedScores.from_arrays([1], [2]))


def test_too_few_differences_leave_the_interval_open_with_a_note():
    found = significance_test(PairedScores.from_arrays([1, 2, 3, 5], [0, 0, 0, 0]), test="wilcoxon")
    assert ends(found) == (-np.inf, np.inf)
    assert any("Too few differences" in note for note in found.notes)
    assert _json.plain(found.to_dict())["confidence_interval"]["low"] == "-inf"


def test_words_and_json():
    found = significance_test(depression, test="wilcoxon", rng=0)
    assert str(found).splitlines()[0] == (
        "A scores higher than B: mean 1.767 vs 1.335, higher by 0.432; Hodges–Lehmann difference 0.46 (95% CI 0.01 to "
        "0.79), p = .039 (Wilcoxon signed-rank test, n = 9)."
    )
    assert {"pvalue", "statistic", "confidence_interval", "n", "alternative", "reject"} <= found.to_dict().keys()


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("test", TESTS)
def test_the_order_of_the_lines_changes_no_bit(test, clustered):
    if clustered and not TESTS[test].clusters:
        return
    rng = np.random.default_rng(11)
    a, b, documents = rng.normal(0.2, 1, 45), rng.normal(0, 1, 45), np.arange(45) // 3
    order = rng.permutation(45)
    plain, shuffled = (
        PairedScores.from_arrays(a[o], b[o], clusters=documents[o] if clustered else None) for o in (slice(None), order)
    )
    one, other = (significance_test(scores, test=test, n_resamples=199, rng=3) for scores in (plain, shuffled))
    assert replace(one, provenance=other.provenance) == other
    if not clustered:
        assert effect_sizes(plain) == effect_sizes(shuffled)
    curves = [power_curve(scores, test=test, n_simulations=20, n_resamples=99, rng=3) for scores in (plain, shuffled)]
    assert curves[0].power == curves[1].power


@pytest.mark.parametrize(("n", "warned"), [(99, True), (100, False)])
def test_a_bootstrap_of_few_segments_gets_a_caution(n, warned):
    scores = PairedScores.from_arrays(np.random.default_rng(1).normal(size=n), np.zeros(n))
    notes = " ".join(significance_test(scores, test="bootstrap", n_resamples=99, rng=0).notes)
    assert ("Fewer than 100 segments are few for a bootstrap." in notes) == warned
    assert ("few for a bootstrap" in " ".join(significance_test(scores, test="t", rng=0).notes)) is False


def test_the_caution_about_a_bootstrap_quotes_the_measured_error_rate():
    """The number in the note is the one in the table of docs/evidence/scores.md."""
    text = (Path(__file__).parents[2] / "docs" / "evidence" / "scores.md").read_text(encoding="utf-8")
    [row] = [line for line in text.split("## n = 100")[0].splitlines() if line.startswith("| skewed | bootstrap |")]
    measured = re.findall(r"(\d+\.\d) \(", row)[2]
    assert f"rejected {measured}% of true null hypotheses on 20 skewed" in TESTS["bootstrap"].caution_for(20)
