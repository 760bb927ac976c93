import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from howsure.errors import ArgumentError
from howsure.inference import ConfidenceInterval
from howsure.inference.evidence import quantiles
from howsure.intervals import interval
from howsure.intervals.bootstrap import accelerations
from tests.intervals.making import basic, bca, percentile, studentised
from tests.reference import inference as reference

ALTERNATIVES = ["two-sided", "greater", "less"]
R_DRAWS = 1_000_000


def jackknife_means(values):
    values = np.asarray(values, dtype=float)
    return (values.sum() - values) / (values.size - 1)


def shifted(level, n_draws, n_errors):
    """The level whose tails are `n_errors` Monte-Carlo standard errors away, ours and R's together."""
    tail = (1 - level) / 2
    return 1 - 2 * (tail + n_errors * math.sqrt(tail * (1 - tail) * (1 / n_draws + 1 / R_DRAWS)))


# --- known answers


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_agrees_with_r_boot(method):
    data = np.array(reference.BOOT_DATA)
    rng = np.random.default_rng(0)
    draws = rng.multinomial(data.size, np.full(data.size, 1 / data.size), size=200_000) @ data / data.size

    def at(level):
        return interval(method, draws, estimate=data.mean(), jackknife=jackknife_means(data), confidence_level=level)

    wide, narrow = at(shifted(0.95, draws.size, -5)), at(shifted(0.95, draws.size, 5))
    low, high = reference.BOOT_INTERVALS[method]
    half_digit = 0.005
    assert wide.low - half_digit <= low <= narrow.low + half_digit
    assert narrow.high - half_digit <= high <= wide.high + half_digit


def test_acceleration_of_the_mouse_data():
    treated, control = reference.MOUSE_TREATED, reference.MOUSE_CONTROL_SCIPY
    factors = jackknife_means(treated) - np.mean(control), np.mean(treated) - jackknife_means(control)
    [value] = accelerations(*(factor[np.newaxis] for factor in factors))
    assert value == pytest.approx(reference.MOUSE_ACCELERATION, rel=1e-12)


def test_studentised_of_normal_draws_is_student():
    # If the resampled data are normal, the ratio is Student's t, and so is the interval.
    data = np.array(reference.SLEEP_DIFFERENCES)
    rng = np.random.default_rng(1)
    fake = rng.normal(data.mean(), 2.0, size=(200_000, data.size))
    options = {
        "standard_errors": fake.std(axis=1, ddof=1) / math.sqrt(data.size),
        "standard_error": data.std(ddof=1) / math.sqrt(data.size),
    }
    wide, narrow = (
        studentised(fake.mean(axis=1), data.mean(), confidence_level=shifted(0.95, 200_000, errors), **options)
        for errors in (-5, 5)
    )
    low, high = reference.SLEEP_T_INTERVAL
    assert wide.low <= low <= narrow.low
    assert narrow.high <= high <= wide.high


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_agrees_with_scipy(method, alternative, level):
    data = np.random.default_rng(2).exponential(size=25)
    theirs = stats.bootstrap(
        (data,),
        np.mean,
        method="BCa" if method == "bca" else method,
        n_resamples=999,
        confidence_level=level,
        alternative=alternative,
        rng=np.random.default_rng(3),
    )
    ours = interval(
        method,
        theirs.bootstrap_distribution,
        estimate=data.mean(),
        jackknife=jackknife_means(data),
        confidence_level=level,
        alternative=alternative,
    )
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs.confidence_interval), rel=1e-9)
    assert (ours.method, ours.confidence_level, ours.notes) == (method, level, ())


# --- laws

draws_of = st.lists(st.integers(-50, 50), min_size=40, max_size=120).filter(lambda draws: len(set(draws)) > 1)


@given(draws_of, st.integers(-5, 5), st.sampled_from(["percentile", "basic", "bca", "studentised"]))
def test_swapping_the_models_mirrors_the_interval(draws, estimate, method):
    draws = np.array(draws, dtype=float)
    jackknife = np.array([1.0, 2.0, 4.0, 4.5])
    options = {"standard_errors": np.ones(draws.size), "standard_error": 2.0}
    there = interval(method, draws, estimate=estimate, jackknife=jackknife, **options)
    back = interval(method, -draws, estimate=-estimate, jackknife=-jackknife, **options)
    assert (back.low, back.high) == pytest.approx((-there.high, -there.low), nan_ok=True)


@given(draws_of, st.floats(0.1, 0.9))
def test_a_higher_level_gives_a_wider_interval(draws, level):
    wide, narrow = percentile(draws, confidence_level=(1 + level) / 2), percentile(draws, confidence_level=level)
    assert wide.low <= narrow.low <= narrow.high <= wide.high


@given(draws_of)
def test_one_sided_bound_is_the_end_of_the_wider_two_sided_interval(draws):
    both = percentile(draws, confidence_level=0.9)
    assert percentile(draws, alternative="greater").low == pytest.approx(both.low)
    assert percentile(draws, alternative="less").high == pytest.approx(both.high)
    assert percentile(draws, alternative="greater").high == math.inf
    assert percentile(draws, alternative="less").low == -math.inf


@given(draws_of)
def test_bca_without_bias_or_acceleration_is_percentile(draws):
    draws = np.array(draws, dtype=float)
    symmetric = np.concatenate([draws, -draws])
    without = bca(symmetric, 0.0, jackknife=[-1.0, 0.0, 1.0])
    plain = percentile(symmetric)
    assert (without.low, without.high) == pytest.approx((plain.low, plain.high))


def test_rounding_does_not_bias_bca():
    # Draws that equal the estimate on paper count half on each side, whatever their last bits are.
    draws = np.array([0.2, 0.3, 0.1 + 0.2, 0.3, 0.4] * 20)
    assert 0.1 + 0.2 > 0.3
    result = bca(draws, 0.3, jackknife=[-1.0, 0.0, 1.0], confidence_level=0.5)
    assert (result.low, result.high) == pytest.approx((0.3, 0.3))
    assert result == bca(draws, 0.1 + 0.2, jackknife=[-1.0, 0.0, 1.0], confidence_level=0.5)


# --- undefined, refused, said


@pytest.mark.parametrize(
    ("result", "note"),
    [
        (percentile([1.0, 1.0, 1.0]), "The interval is undefined: all resamples are equal."),
        (percentile([0.1 + 0.2, 0.3, 0.3]), "The interval is undefined: all resamples are equal."),
        (percentile([]), "The interval is undefined: it needs two resamples or more; got 0."),
        (basic([1.0, math.nan], 1.0), "The interval is undefined: it needs two resamples or more; got 1."),
        (basic([1.0, 2.0], math.nan), "The interval is undefined: the estimate is undefined."),
        (
            bca([1.0, 2.0], 3.0, jackknife=[1.0, 2.0]),
            "The BCa interval is undefined: every resample is on the same side of the estimate.",
        ),
        (
            bca([1.0, 2.0], 1.5, jackknife=[1.0, 1.0]),
            "The BCa interval is undefined: the jackknife estimates are all equal or undefined.",
        ),
        (
            bca([1.0, 2.0], 1.5, jackknife=[]),
            "The BCa interval is undefined: the jackknife estimates are all equal or undefined.",
        ),
        (
            bca([1.0, 2.0], 1.5, jackknife=[1.0, math.nan]),
            "The BCa interval is undefined: the jackknife estimates are all equal or undefined.",
        ),
        (
            bca(np.arange(1e4), 9998.5, jackknife=-1.0 * (np.arange(1000) == 0), confidence_level=0.999),
            "The BCa interval is undefined: the acceleration is too large for this confidence level.",
        ),
        (
            studentised([1.0, 2.0], 1.5, standard_errors=[1, 1], standard_error=0.0),
            "The interval is undefined: the standard error is 0 or undefined.",
        ),
        (
            studentised([1.0, 2.0], 1.5, standard_errors=[0, 0], standard_error=1.0),
            "The interval is undefined: it needs two resamples or more; got 0.",
        ),
    ],
)
def test_undefined_is_nan_with_a_note(result, note):
    assert math.isnan(result.low)
    assert math.isnan(result.high)
    assert result.notes[-1] == note
    assert "is undefined" in str(result)
    assert 0.0 not in result


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_undefined_stays_undefined_when_one_sided(alternative):
    result = percentile([1.0, 1.0], alternative=alternative)
    assert math.isnan(result.low)
    assert math.isnan(result.high)


def test_undefined_draws_are_counted_and_left_out():
    values = np.arange(100.0)
    with_gaps = np.concatenate([values, [math.nan, math.nan]])
    result = percentile(with_gaps)
    assert (result.low, result.high) == (percentile(values).low, percentile(values).high)
    assert result.notes == ("2 of 102 resamples were undefined and omitted.",)
    errors = np.where(np.arange(102) < 3, 0.0, 1.0)
    assert studentised(with_gaps, 50.0, standard_errors=errors, standard_error=1.0).notes == (
        "5 of 102 resamples were undefined and omitted.",
    )


def test_too_few_draws_for_the_level_are_said():
    note = ("An end of the interval is the most extreme of 38 resamples: use more resamples.",)
    assert percentile(np.arange(38.0)).notes == note
    assert percentile(np.arange(39.0)).notes == ()
    assert percentile(np.arange(38.0), alternative="greater").notes == ()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: percentile([1, 2], confidence_level=95), r"strictly between 0 and 1; got 95. Did you mean 0.95\?"),
        (lambda: basic([1, 2], 1, alternative="up"), "`alternative` must be one of"),
        (lambda: interval("BCa", [1, 2], estimate=1), r"`method` must be one of .*; got 'BCa'"),
        (lambda: interval("bca", [1, 2], estimate=1), "`jackknife` must be given for method 'bca'"),
        (lambda: interval("studentised", [1, 2], estimate=1), "`standard_errors` and `standard_error` must be given"),
        (
            lambda: studentised([1, 2], 1, standard_errors=[1], standard_error=1),
            r"`standard_errors` must have one entry per resample \(2\); got 1",
        ),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ArgumentError, match=message):
        call()


def test_words_round_trip_and_width():
    result = ConfidenceInterval(0.01234, math.inf, "basic", 0.9)
    assert str(result) == "90% CI at least 0.01234 (basic)"
    assert ConfidenceInterval(**result.to_dict()) == result
    assert 5.0 in result
    assert 0.0 not in result
    assert ConfidenceInterval(1.0, 3.0, "basic", 0.9).width == 2


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30), st.tuples(st.floats(0, 1), st.floats(0, 1)))
def test_quantiles_have_the_bits_of_numpys(draws, shares):
    assert quantiles(np.array(draws), shares) == tuple(np.quantile(draws, shares))
