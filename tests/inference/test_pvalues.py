import math
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from howsure.errors import ArgumentError
from howsure.inference import PValue, binomial_region, expected_pvalue, tail_pvalue
from tests.reference import inference as reference

ALTERNATIVES = ["two-sided", "greater", "less"]
numbers = st.integers(-20, 20).map(lambda number: number / 10)
draws_of = st.lists(numbers, min_size=1, max_size=60)


def sign_flips(advantages):
    signs = np.array(list(product([1, -1], repeat=len(advantages))))
    return signs @ np.asarray(advantages) / len(advantages)


def mean_difference(x, y, axis):
    return np.mean(x, axis=axis) - np.mean(y, axis=axis)


# --- known answers


def test_mouse_data():
    pooled = np.array(reference.MOUSE_TREATED + reference.MOUSE_CONTROL, dtype=float)
    first = np.array([pooled[list(chosen)].sum() for chosen in combinations(range(16), 7)])
    null = first / 7 - (pooled.sum() - first) / 9
    observed = np.mean(reference.MOUSE_TREATED) - np.mean(reference.MOUSE_CONTROL)
    result = tail_pvalue(observed, null, alternative="greater", exact=True)
    assert observed == pytest.approx(reference.MOUSE_DIFFERENCE, abs=5e-5)
    assert result.n_resamples == reference.MOUSE_ARRANGEMENTS
    assert result.pvalue == pytest.approx(reference.MOUSE_PVALUE_GREATER, abs=5e-8)
    assert result.standard_error == 0


def test_depression_sign_flips():
    advantages = np.subtract(reference.DEPRESSION_FIRST, reference.DEPRESSION_SECOND)
    result = tail_pvalue(advantages.mean(), sign_flips(advantages), exact=True)
    assert result.pvalue == reference.DEPRESSION_SIGN_FLIP_PVALUE


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_agrees_with_scipy_when_exact(alternative):
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=7), rng.normal(size=7) - 0.6
    theirs = stats.permutation_test(
        (x, y), mean_difference, permutation_type="samples", vectorized=True, alternative=alternative
    )
    ours = tail_pvalue(theirs.statistic, theirs.null_distribution, alternative=alternative, exact=True)
    assert ours.n_resamples == 2**7
    assert ours.pvalue == pytest.approx(theirs.pvalue, rel=1e-14)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_agrees_with_scipy_when_sampled(alternative):
    rng = np.random.default_rng(6)
    x, y = rng.normal(size=30) + 0.3, rng.normal(size=30)
    theirs = stats.permutation_test(
        (x, y), mean_difference, vectorized=True, n_resamples=499, alternative=alternative, rng=np.random.default_rng(1)
    )
    ours = tail_pvalue(theirs.statistic, theirs.null_distribution, alternative=alternative)
    assert ours.pvalue == pytest.approx(theirs.pvalue, rel=1e-14)
    share = ours.pvalue / (2 if alternative == "two-sided" else 1)
    assert ours.standard_error == pytest.approx((ours.pvalue / share) * math.sqrt(share * (1 - share) / 499))


# --- level


def test_one_sided_p_is_uniform_over_the_enumeration():
    null = sign_flips(np.random.default_rng(2).normal(size=8))
    for alternative in ("greater", "less"):
        pvalues = [tail_pvalue(observed, null, alternative=alternative, exact=True).pvalue for observed in null]
        assert sorted(pvalues) == [rank / 256 for rank in range(1, 257)]


@pytest.mark.parametrize("advantages", [[1.0, 2.1, 0.3, 4.7, 0.9, 1.7], [0.1, 0.2, 0.3, 0.1, 0.0, 0.2]])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_exact_level_is_never_exceeded(advantages, alternative):
    null = sign_flips(advantages)
    pvalues = np.array([tail_pvalue(value, null, alternative=alternative, exact=True).pvalue for value in null])
    for level in np.unique(pvalues):
        assert np.count_nonzero(pvalues <= level) <= level * null.size


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_sampled_level_is_never_exceeded(alternative):
    # Under the null the observed advantage is one of b + 1 exchangeable values: let each of them be the observed one.
    values = np.random.default_rng(3).normal(size=200)
    pvalues = np.array(
        [tail_pvalue(values[i], np.delete(values, i), alternative=alternative).pvalue for i in range(200)]
    )
    for level in np.unique(pvalues):
        assert np.count_nonzero(pvalues <= level) <= level * 200 + 1e-9
    if alternative != "two-sided":
        assert sorted(pvalues * 200) == pytest.approx(range(1, 201))


def test_rounding_does_not_break_ties():
    # .1 + .2 − .3 is 5.6e-17: on paper a tie with its mirror image, in floats larger than it.
    null = np.array([a * 0.1 + b * 0.2 + c * 0.3 for a, b, c in product([1, -1], repeat=3)])
    observed = 0.1 + 0.2 - 0.3
    assert observed > 0
    assert tail_pvalue(observed, null, alternative="greater", exact=True).pvalue == 5 / 8
    assert tail_pvalue(observed, null, alternative="less", exact=True).pvalue == 5 / 8


# --- laws


@given(numbers, draws_of, st.booleans())
def test_swapping_the_models_swaps_the_sides(observed, draws, exact):
    null = np.array(draws)
    both = tail_pvalue(observed, null, exact=exact)
    assert both == tail_pvalue(-observed, -null, exact=exact)
    greater = tail_pvalue(observed, null, alternative="greater", exact=exact)
    assert greater == tail_pvalue(-observed, -null, alternative="less", exact=exact)


@given(numbers, draws_of)
def test_one_sided_exact_pvalues_are_complementary(observed, draws):
    null = np.array(draws)
    greater, less = (tail_pvalue(observed, null, alternative=name, exact=True).pvalue for name in ("greater", "less"))
    assert greater + less == pytest.approx(1 + np.mean(null == observed))


@given(numbers, draws_of, st.sampled_from(ALTERNATIVES))
def test_sampled_p_is_never_zero(observed, draws, alternative):
    result = tail_pvalue(observed, draws, alternative=alternative)
    assert 1 / (len(draws) + 1) <= result.pvalue <= 1


@given(draws_of, st.sampled_from(["greater", "less"]))
def test_a_p_that_no_draw_reaches_is_a_bound(draws, side):
    sign = 1 if side == "greater" else -1
    for alternative, numerator in ((side, 1), ("two-sided", 2)):
        beyond = tail_pvalue(sign * 3.0, draws, alternative=alternative)
        assert beyond.is_bound
        assert beyond.pvalue == min(1, numerator / (len(draws) + 1))
    at = tail_pvalue(sign * max(sign * draw for draw in draws), draws, alternative=side)
    assert not at.is_bound


@given(st.integers(1, 50), st.sampled_from(ALTERNATIVES), st.booleans())
def test_identical_models_give_one(n_draws, alternative, exact):
    result = tail_pvalue(0.0, np.zeros(n_draws), alternative=alternative, exact=exact)
    assert (result.pvalue, result.standard_error) == (1, 0)


@given(numbers, draws_of, st.integers(-30, 30))
def test_units_do_not_matter(observed, draws, power):
    scale = 2.0**power
    assert tail_pvalue(observed * scale, np.array(draws) * scale) == tail_pvalue(observed, draws)


# --- expected p


@given(draws_of, draws_of)
def test_expected_p_is_the_share_of_pairs(null, draws):
    sign = -1 if np.median(null) > np.median(draws) else 1
    pairs = np.less_equal.outer(sign * np.array(draws), sign * np.array(null))
    bound = 1 / (min(len(null), len(draws)) + 1)
    result = expected_pvalue(null, draws)
    assert result.pvalue == pytest.approx(max(pairs.mean(), bound))
    assert result.is_bound == (pairs.mean() < bound)


@given(draws_of, draws_of)
def test_expected_p_ignores_the_direction(null, draws):
    # When the medians agree no sign is preferred, and with ties the two signs may give different shares.
    if np.median(null) != np.median(draws):
        there, back = expected_pvalue(null, draws), expected_pvalue(np.negative(null), np.negative(draws))
        assert back.pvalue == there.pvalue
        assert back.standard_error == pytest.approx(there.standard_error, nan_ok=True)


def test_expected_p_is_the_mean_tail_p():
    rng = np.random.default_rng(4)
    null, draws = rng.normal(size=300), rng.normal(size=200) + 1
    tails = [tail_pvalue(draw, null, alternative="greater", exact=True).pvalue for draw in draws]
    assert expected_pvalue(null, draws).pvalue == pytest.approx(np.mean(tails))
    assert expected_pvalue(null, draws).pvalue == pytest.approx(
        stats.mannwhitneyu(null, draws).statistic / (300 * 200), rel=1e-12
    )


def test_standard_error_of_expected_p_is_honest():
    # P(N(0,1) ≥ N(1,1)) = Φ(−1/√2) is known, so the share of studies within 1.96 standard errors of it can be counted.
    rng = np.random.default_rng(7)
    truth = stats.norm.cdf(-1 / math.sqrt(2))
    n_studies = 1000
    hits = 0
    for _ in range(n_studies):
        result = expected_pvalue(rng.normal(size=400), rng.normal(size=600) + 1)
        hits += abs(result.pvalue - truth) <= stats.norm.ppf(0.975) * result.standard_error
    assert hits in binomial_region(n_studies, 0.95, confidence_level=0.999)


def test_standard_error_of_tail_p_is_honest():
    rng = np.random.default_rng(8)
    pvalues = [tail_pvalue(1.0, rng.normal(size=999)) for _ in range(1000)]
    truth = 2 * stats.norm.sf(1)
    hits = sum(abs(result.pvalue - truth) <= stats.norm.ppf(0.975) * result.standard_error for result in pvalues)
    assert hits in binomial_region(1000, 0.95, confidence_level=0.999)


# --- undefined, refused, said


def test_undefined_draws_are_counted_and_left_out():
    result = tail_pvalue(1.0, [0.0, math.nan, 2.0, math.nan], alternative="greater")
    assert (result.pvalue, result.n_resamples, result.n_undefined) == (2 / 3, 2, 2)
    assert result.notes == ("2 of 4 resamples were undefined and omitted.",)
    result = expected_pvalue([0.0, math.nan, 2.0], [0.0, 1.0, math.nan])
    assert (result.pvalue, result.n_resamples, result.n_undefined) == (2 / 4, 2, 2)


@pytest.mark.parametrize(
    ("result", "note"),
    [
        (tail_pvalue(math.nan, [1.0]), "The observed advantage is undefined."),
        (tail_pvalue(1.0, [math.nan]), "No resample under the null is defined."),
        (tail_pvalue(1.0, []), "No resample under the null is defined."),
        (expected_pvalue([math.nan], [1.0]), "No resample under the null is defined."),
        (expected_pvalue([1.0], []), "No resample is defined."),
    ],
)
def test_undefined_is_nan_with_a_note(result, note):
    assert math.isnan(result.pvalue)
    assert math.isnan(result.standard_error)
    assert result.notes[-1] == note
    assert str(result).startswith("p is undefined")


def test_unknown_alternative():
    with pytest.raises(ArgumentError, match="`alternative` must be one of two-sided, greater, less; got 'larger'"):
        tail_pvalue(1.0, [1.0], alternative="larger")


def test_words():
    null = np.arange(999) / 1000
    assert str(tail_pvalue(0.9, null, alternative="greater")) == "p = 0.1000 (± 0.0095 from 999 resamples)"
    assert str(tail_pvalue(2.0, null)) == "p < 0.002 (± 0.0020 from 999 resamples)"


def test_round_trip_and_inputs_unchanged():
    null = np.array([3.0, 1.0, 2.0])
    result = tail_pvalue(2.0, null)
    assert PValue(**result.to_dict()) == result
    expected_pvalue(null, null)
    assert null.tolist() == [3.0, 1.0, 2.0]
