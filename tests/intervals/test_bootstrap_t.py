"""The symmetric interval: against Student and a brute-force quantile, its laws, and its coverage of skewed means."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.inference import binomial_region
from howsure.intervals import FEW_TELLING, interval, student
from tests.intervals.making import studentised, symmetric
from tests.intervals.test_bootstrap import jackknife_means, shifted
from tests.reference import inference as reference


def resampled(items, n_draws, rng):
    drawn = rng.choice(items, size=(n_draws, items.size))
    root = math.sqrt(items.size)
    known = {"standard_errors": drawn.std(axis=1, ddof=1) / root, "standard_error": items.std(ddof=1) / root}
    return drawn.mean(axis=1), known


def test_normal_draws_give_students_interval():
    data = np.array(reference.SLEEP_DIFFERENCES)
    fake = np.random.default_rng(1).normal(data.mean(), 2.0, size=(200_000, data.size))
    root = math.sqrt(data.size)
    known = {"standard_errors": fake.std(axis=1, ddof=1) / root, "standard_error": data.std(ddof=1) / root}
    wide, narrow = (
        symmetric(
            fake.mean(axis=1), data.mean(), advantages=np.ones(FEW_TELLING), **known,
            confidence_level=shifted(0.95, 200_000, errors),
        )
        for errors in (-5, 5)
    )  # fmt: skip
    low, high = reference.SLEEP_T_INTERVAL
    assert wide.low <= low <= narrow.low
    assert narrow.high <= high <= wide.high


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_the_share_of_draws_as_far_away_is_the_level(level):
    items = np.random.default_rng(2).exponential(size=25)
    draws, known = resampled(items, 4000, np.random.default_rng(3))
    found = symmetric(draws, items.mean(), advantages=items, confidence_level=level, **known)
    arms = np.abs(draws - items.mean()) / known["standard_errors"] * known["standard_error"]
    assert np.count_nonzero(arms <= found.width / 2) == pytest.approx(level * 4000, abs=1)
    assert (found.low + found.high) / 2 == pytest.approx(items.mean())


@given(
    st.lists(st.integers(1, 50), min_size=FEW_TELLING, max_size=40).filter(lambda items: len(set(items)) > 2),
    st.integers(0, 20), st.sampled_from([0.3, 3.0]), st.sampled_from([0.7, 0.95]),
)  # fmt: skip
def test_laws(items, n_zeros, factor, level):
    items = np.array(items + [0] * n_zeros, dtype=float)
    draws, known = resampled(items, 200, np.random.default_rng(4))
    found = symmetric(draws, items.mean(), advantages=items, confidence_level=level, **known)
    swapped = symmetric(-draws, -items.mean(), advantages=-items, confidence_level=level, **known)
    assert (swapped.low, swapped.high) == pytest.approx((-found.high, -found.low))
    scaled = {name: factor * value for name, value in known.items()}
    at = {"advantages": factor * items, "confidence_level": level}
    larger = symmetric(factor * draws, factor * items.mean(), **at, **scaled)
    assert (larger.low, larger.high) == pytest.approx((factor * found.low, factor * found.high))
    for side in ("greater", "less"):
        bound = symmetric(draws, items.mean(), advantages=items, confidence_level=level, alternative=side, **known)
        own = studentised(draws, items.mean(), confidence_level=level, alternative=side, **known)
        assert (bound.low, bound.high, bound.method) == (own.low, own.high, "symmetric")
        other = {"greater": "less", "less": "greater"}[side]
        turned = symmetric(-draws, -items.mean(), advantages=-items, confidence_level=level, alternative=other, **known)
        assert (turned.low, turned.high) == pytest.approx((-bound.high, -bound.low))
    again = interval(
        "symmetric", draws, estimate=items.mean(), jackknife=jackknife_means(items), confidence_level=level, **known
    )
    assert (again.low, again.high) == pytest.approx((found.low, found.high))


def test_bounds_of_skewed_advantages_cover_on_either_side():
    # The quantile of |t| would cover 99.7% on one side and 89% on the other.
    rng = np.random.default_rng(10)
    n_studies, held = 1000, {"greater": 0, "less": 0}
    for items in rng.exponential(size=(n_studies, 40)):
        draws, known = resampled(items, 399, rng)
        for side in held:
            held[side] += 1.0 in symmetric(draws, items.mean(), advantages=items, alternative=side, **known)
    region = binomial_region(n_studies, 0.95, confidence_level=0.999)
    assert all(count in region for count in held.values()), (held, region)


def test_a_bound_below_one_half_lies_beyond_the_estimate():
    items = np.arange(1.0, 21.0)
    draws, known = resampled(items, 500, np.random.default_rng(5))
    low, high = (
        symmetric(draws, items.mean(), advantages=items, confidence_level=level, alternative=side, **known)
        for level, side in ((0.2, "greater"), (0.8, "less"))
    )
    assert low.low == pytest.approx(high.high)
    assert low.low > items.mean()


@pytest.mark.parametrize("n_differ", [2, 5, FEW_TELLING - 1])
def test_few_items_that_differ_get_students_interval(n_differ):
    items = np.concatenate([np.arange(1.0, n_differ + 1), np.zeros(30)])
    draws, known = resampled(items, 99, np.random.default_rng(6))
    found = symmetric(draws, items.mean(), advantages=items, **known)
    plain = student(items.mean(), standard_error=known["standard_error"], df=n_differ - 1)
    assert (found.low, found.high, found.method) == (plain.low, plain.high, "symmetric")
    assert f"Only {n_differ} items or clusters differ between A and B" in found.notes[0]


@pytest.mark.parametrize("n_differ", [0, 1])
def test_one_item_that_differs_has_no_interval(n_differ):
    items = np.array([1.0] * n_differ + [0.0] * 20)
    draws, known = resampled(items, 99, np.random.default_rng(7))
    found = symmetric(draws, items.mean(), advantages=items, **known)
    assert math.isnan(found.low)
    assert "undefined" in found.notes[0]


def test_the_rounding_of_a_resample_without_spread_makes_no_interval_wide():
    items = np.array([0.1] * 14 + [0.3, 0.7])
    draws, known = resampled(items, 2000, np.random.default_rng(8))
    alike = known["standard_errors"] < 1e-9
    assert 0.05 < alike.mean() < 0.3
    rough = known | {"standard_errors": np.where(alike, 1e-9 * known["standard_error"], known["standard_errors"])}
    exact = known | {"standard_errors": np.where(alike, 0.0, known["standard_errors"])}
    for method in (studentised, lambda *given, **how: symmetric(*given, advantages=items, **how)):
        found = method(draws, items.mean(), **rough)
        assert found == method(draws, items.mean(), **exact)
        assert f"{alike.sum()} of 2,000 resamples were undefined" in found.notes[0]


def test_means_of_skewed_advantages_are_covered_where_students_interval_misses():
    # 2,000 studies of 20 exponential advantages: Student covers 92%.
    rng = np.random.default_rng(9)
    n_studies, n, covered, by_student = 2000, 20, 0, 0
    for items in rng.exponential(size=(n_studies, n)):
        draws, known = resampled(items, 399, rng)
        covered += 1.0 in symmetric(draws, items.mean(), advantages=items, **known)
        by_student += 1.0 in student(items.mean(), standard_error=known["standard_error"], df=n - 1)
    region = binomial_region(n_studies, 0.95, confidence_level=0.999)
    assert region.low <= covered <= region.high
    assert by_student < region.low
