"""Several metrics or slices: adjusted p-values and intervals that hold together."""

import numpy as np
import pytest

from howsure import Contest
from howsure.comparison import compare, compare_each
from howsure.comparison.together import without_draws
from howsure.inference import adjust, binomial_region


def contest_of(seed, n=60, shift=0.0, slices=1):
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=n)
    a, b = (truth + rng.normal(size=(n,)) * spread for spread in (1.0, 1.0 + shift))
    return Contest.from_arrays(truth, a, b, groups={"part": np.arange(n) % slices})


METRICS = ["mae", "mse", "rmse", "wins"]


def test_the_same_metric_twice_costs_nothing():
    contest = contest_of(1, shift=0.4)
    alone = compare(contest, metric="mae", rng=0)
    for entry in compare_each(contest, metrics=["mae", "mae"], correction="westfall-young", rng=0):
        assert entry.pvalue_adjusted == pytest.approx(alone.pvalue, abs=2e-4)
        assert entry.confidence_interval.low == pytest.approx(alone.confidence_interval.low, rel=1e-2)
        assert entry.n_together == 2


@pytest.mark.parametrize("by", [None, "part"])
def test_joint_intervals_are_wider_and_bonferroni_is_wider_still(by):
    contest = contest_of(2, n=120, shift=0.3, slices=3)
    found = compare_each(contest, metrics=["mae", "mse"], by=by, rng=0)
    single = compare_each(contest, metrics=["mae", "mse"], by=by, rng=0, correction="none")
    for entry, alone in zip(found, single, strict=True):
        assert entry.confidence_interval.width > alone.confidence_interval.width
        bonferroni = alone.at(confidence_level=1 - 0.05 / len(found)).confidence_interval
        assert entry.confidence_interval.width <= 1.02 * bonferroni.width
        assert entry.confidence_interval.confidence_level == 0.95
        assert f", all {len(found)} together" in entry.verdict
        assert alone.n_together == 1


def test_westfall_young_lies_between_the_single_p_and_holms():
    found = compare_each(contest_of(3, shift=0.4), metrics=METRICS, correction="westfall-young", rng=0)
    own = np.array([entry.pvalue for entry in found])
    together = np.array([entry.pvalue_adjusted for entry in found])
    assert (own <= together).all()
    assert (together <= adjust(own, method="holm") + 1e-12).all()
    assert (together < adjust(own, method="holm")).any()


@pytest.mark.parametrize("correction", ["holm", "westfall-young"])
def test_ten_items_are_enumerated(correction):
    found = compare_each(contest_of(4, n=10), metrics=["mae", "mse"], correction=correction, rng=0)
    assert all(entry.exact for entry in found)
    assert all(0 < entry.pvalue <= entry.pvalue_adjusted <= 1 for entry in found)


def test_order_of_metrics_does_not_matter():
    contest = contest_of(5, shift=0.4)
    one, other = (
        {entry.metric: entry for entry in compare_each(contest, metrics=order, correction="westfall-young", rng=0)}
        for order in (METRICS, METRICS[::-1])
    )
    for name in METRICS:
        assert one[name].pvalue_adjusted == other[name].pvalue_adjusted
        assert one[name].confidence_interval == other[name].confidence_interval


def test_a_verdict_that_its_interval_contradicts_says_so():
    for seed in range(40):
        for entry in compare_each(contest_of(seed, n=40, shift=0.5), metrics=METRICS, n_resamples=499, rng=0):
            told = entry.pvalue_adjusted <= 0.05
            if told == (0 in entry.confidence_interval):
                assert any("The verdict follows the p-value" in note for note in entry.notes)
                return
    pytest.fail("no data set of forty has an interval and a p-value that disagree")


def test_all_intervals_hold_together_and_no_null_is_rejected_in_95_percent():
    """Two equally good models, 200 data sets, three metrics on two slices each; uncorrected, 28 and 30 would err."""
    n_sets, missed, wrong = 200, 0, 0
    for seed in range(n_sets):
        found = compare_each(
            contest_of(seed + 1000, n=80, slices=2), metrics=["mae", "mse", "wins"], by="part",
            correction="westfall-young", n_resamples=299, rng=seed, workers=1,
        )  # fmt: skip
        missed += any(0 not in entry.confidence_interval for entry in found)
        wrong += any(entry.pvalue_adjusted <= 0.05 for entry in found)
    region = binomial_region(n_sets, 0.05)
    assert wrong <= region.high
    assert (
        missed <= binomial_region(n_sets, 0.07).high
    )  # resampled intervals of 40 items fall a little short one by one


def test_slices_hold_together_beyond_their_draws():
    """The level of ten slices lies beyond all of 99 draws: they get the intervals that thousands of slices get."""
    contest = contest_of(3, n=300, shift=0.4, slices=10)
    own, wide = (
        compare_each(contest, metrics=["mae"], by="part", n_resamples=99, rng=0, correction=correction)
        for correction in ("none", "holm")
    )
    for alone, entry in zip(own, wide, strict=True):
        expected = without_draws(alone, 0.95 ** (1 / 10))[1]
        found = entry.confidence_interval
        assert (found.low, found.high, entry.n_together) == (expected.low, expected.high, 10)
