import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from howsure.inference import cliffs_delta, cohen_dz, hedges_factor, hedges_g, win_rate
from tests.reference import inference as reference

scores_of = st.lists(st.integers(-20, 20).map(lambda number: number / 10), min_size=1, max_size=40)
ONE_SAMPLE = [cohen_dz, hedges_g, win_rate]


def test_sleep_data():
    assert cohen_dz(reference.SLEEP_DIFFERENCES) == pytest.approx(reference.SLEEP_COHEN_DZ, abs=5e-7)
    assert hedges_g(reference.SLEEP_DIFFERENCES) == pytest.approx(
        reference.SLEEP_COHEN_DZ * reference.HEDGES_FACTOR_9, abs=1e-4
    )


def test_hedges_factor():
    assert hedges_factor(9) == pytest.approx(reference.HEDGES_FACTOR_9, abs=5e-5)
    assert hedges_factor(2) == pytest.approx(1 / math.gamma(0.5))
    # Stirling's series: 1 − 3/(4m) − 7/(32m²) − …
    assert hedges_factor(10**7) == pytest.approx(1 - 3 / (4 * 10**7) - 7 / (32 * 10**14), abs=1e-14)
    assert math.isnan(hedges_factor(1))
    assert math.isnan(hedges_factor(0))


@pytest.mark.parametrize("df", [2, 5, 30, 200])
def test_hedges_factor_removes_the_bias(df):
    # d = t/√n and E t has a closed form (noncentral t), so E[factor · d] = δ exactly.
    delta, n = 0.7, df + 1
    mean_t = stats.nct.mean(df, delta * math.sqrt(n))
    assert hedges_factor(df) * mean_t / math.sqrt(n) == pytest.approx(delta, rel=1e-9)


@given(scores_of)
def test_dz_is_t_over_root_n(advantages):
    value = cohen_dz(advantages)
    if len(set(advantages)) < 2:
        assert math.isnan(value)
    else:
        assert value * math.sqrt(len(advantages)) == pytest.approx(stats.ttest_1samp(advantages, 0).statistic)


@given(scores_of, scores_of)
def test_cliffs_delta_is_the_share_of_pairs(a, b):
    difference = np.subtract.outer(a, b)
    assert cliffs_delta(a, b) == pytest.approx(np.mean(difference > 0) - np.mean(difference < 0))
    statistic = stats.mannwhitneyu(a, b).statistic
    assert cliffs_delta(a, b) == pytest.approx(2 * statistic / (len(a) * len(b)) - 1)


@given(scores_of)
def test_swapping_the_models_flips_the_sign(advantages):
    values = np.array(advantages)
    assert cohen_dz(-values) == pytest.approx(-cohen_dz(values), nan_ok=True)
    assert hedges_g(-values) == pytest.approx(-hedges_g(values), nan_ok=True)
    assert win_rate(-values) == pytest.approx(1 - win_rate(values))
    assert cliffs_delta(values, np.zeros(3)) == pytest.approx(-cliffs_delta(np.zeros(3), values))


@given(scores_of)
def test_win_rate_by_its_definition(advantages):
    values = np.array(advantages)
    assert win_rate(values) == pytest.approx(np.mean(values > 0) + np.mean(values == 0) / 2)
    assert win_rate(values) == pytest.approx((1 + cliffs_delta(values, [0.0])) / 2)


def test_identical_models():
    assert win_rate(np.zeros(5)) == 0.5
    assert cliffs_delta([1, 2, 3], [1, 2, 3]) == 0
    assert math.isnan(cohen_dz(np.zeros(5)))


def test_rounding_makes_no_effect():
    advantages = [0.1 + 0.2, 0.3, 0.3]
    assert len(set(advantages)) == 2
    assert math.isnan(cohen_dz(advantages))
    assert win_rate([0.1 + 0.2 - 0.3, 1.0]) == 0.75
    assert cliffs_delta([0.1 + 0.2], [0.3]) == 0


@pytest.mark.parametrize("function", ONE_SAMPLE)
def test_leading_axes_are_draws(function):
    draws = np.random.default_rng(0).normal(size=(2, 3, 10))
    draws[1, 2] = 0.0
    together = function(draws)
    assert together.shape == (2, 3)
    assert together.ravel() == pytest.approx([function(row) for row in draws.reshape(6, 10)], nan_ok=True)
    with pytest.raises(ValueError, match="read-only"):
        together[0, 0] = 0


@pytest.mark.parametrize("function", ONE_SAMPLE)
@pytest.mark.parametrize("advantages", [[], [math.nan, 1.0, 2.0]])
def test_undefined_is_nan(function, advantages):
    value = function(advantages)
    assert isinstance(value, float)
    assert math.isnan(value)


def test_too_few_items():
    assert math.isnan(cohen_dz([1.0]))
    assert math.isnan(hedges_g([1.0, 2.0]))
    assert math.isnan(cliffs_delta([], [1.0]))
    assert math.isnan(cliffs_delta([1.0], [math.nan]))


def test_gamma_form():
    assert hedges_factor(7) == pytest.approx(special.gamma(3.5) / (math.sqrt(3.5) * special.gamma(3)))
