"""Laws of a comparison: what must hold for any data."""

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from howsure import Contest, FunctionMetric, _json
from howsure.comparison import compare, compare_each
from howsure.metrics import BUILTIN
from howsure.testing import check_metric

POSITIONAL = {"wins-responses", "cosine-responses"}  # pair responses by position, so their order matters
LEVELS = st.integers(1, 4)
SIZES = st.integers(2, 7)
ADDITIVE = [name for name, metric in BUILTIN.items() if metric.additive]


@st.composite
def contests(draw, n_items=SIZES, elements=LEVELS):
    """Draw the arrays of small ragged contests, with as many runs of B as of A (`metrics/test_equal_runs.py`)."""
    n = draw(n_items)
    item = st.lists(elements, min_size=1, max_size=4)
    sides = [draw(st.lists(item, min_size=n, max_size=n)) for _ in range(2)]
    sides.append([draw(st.lists(elements, min_size=len(row), max_size=len(row))) for row in sides[1]])
    return [np.array([[*row, *[np.nan] * (4 - len(row))] for row in side], dtype=float) for side in sides]


def quietly(contest, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compare(contest, rng=0, workers=1, **{"n_resamples": 199} | options)


def by_each(contest, names, **options):
    """Compare by several metrics at once, each as it compares alone: examples and draws are made once for all."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compare_each(
            contest, metrics=list(names), correction="none", rng=0, workers=1, **{"n_resamples": 199} | options
        )


def pairs(names, left, right, **options):
    """Return the name of each metric with its comparison of the left and of the right contest."""
    return zip(names, by_each(left, names, **options), by_each(right, names, **options), strict=True)


@pytest.mark.filterwarnings("ignore::howsure.errors.HowsureWarning")
def test_by_each_metric_compares_as_alone(likert):
    options = {"n_resamples": 199, "workers": 1, "rng": 0}
    likert = likert.take(np.arange(7))
    for name, found in zip(BUILTIN, by_each(likert, BUILTIN), strict=True):
        alone = compare(likert, metric=name, **options)
        assert str((found.advantage, found.pvalue, found.exact)) == str((alone.advantage, alone.pvalue, alone.exact))
        assert str(found.confidence_interval) == str(alone.confidence_interval)


@settings(max_examples=20)
@given(sides=contests())
def test_swapping_a_and_b_flips_the_advantage_and_keeps_the_p(sides):
    contest = Contest.from_arrays(*sides, scale="ordinal")
    for name, one, other in pairs(BUILTIN, contest, contest.swapped()):
        assert one.exact, name
        if math.isnan(one.advantage):
            assert math.isnan(other.advantage), name
            assert math.isnan(one.pvalue), name
            continue
        assert other.advantage == -one.advantage, name
        assert other.pvalue == one.pvalue, name
        assert (other.a_score, other.b_score) == (one.b_score, one.a_score), name
        greater, less = one.at(alternative="greater"), other.at(alternative="less")
        assert greater.pvalue == less.pvalue, name


@pytest.mark.parametrize("null", ["sign-flip", "permuted-responses", "shifted-bootstrap"])
def test_swapping_holds_for_sampled_draws_too(ratings, null):
    one, other = (quietly(contest, null=null) for contest in (ratings, ratings.swapped()))
    assert other.advantage == -one.advantage
    if null == "permuted-responses":  # who is dealt first changes: the same null in other draws
        assert other.pvalue == pytest.approx(one.pvalue, abs=4 * math.hypot(one.pvalue_se, other.pvalue_se))
        return
    assert other.pvalue == one.pvalue
    low, high = one.confidence_interval.low, one.confidence_interval.high
    assert (-other.confidence_interval.high, -other.confidence_interval.low) == pytest.approx((low, high), rel=1e-9)


@settings(max_examples=12)
@given(sides=contests())
def test_identical_models_do_not_differ(sides):
    gold, model, _ = sides
    contest = Contest.from_arrays(gold, model, model, scale="ordinal")
    for n_resamples in (199, 3):  # enumerated, and sampled
        for name, result in zip(BUILTIN, by_each(contest, BUILTIN, n_resamples=n_resamples), strict=True):
            if math.isnan(result.advantage):
                assert math.isnan(result.pvalue), name
            else:
                assert result.advantage == 0, name
                assert result.pvalue == 1, name
            if BUILTIN[name].additive and math.isfinite(BUILTIN[name].span):
                assert -result.confidence_interval.low == result.confidence_interval.high > 0, name
            else:
                assert math.isnan(result.confidence_interval.low), name
            assert result.notes, name


LABELS = [name for name, metric in BUILTIN.items() if "nominal" in metric.kinds]


@settings(max_examples=12)
@given(sides=contests(elements=st.sampled_from([0, 1, 2])), names=st.permutations(["x", "y", "z"]))
def test_the_spelling_of_labels_decides_nothing(sides, names):
    def spelled(names):
        rows = [[[None if math.isnan(code) else names[int(code)] for code in row] for row in side] for side in sides]
        return Contest.from_arrays(*(np.array(side, dtype=object) for side in rows))

    for name, one, other in pairs(LABELS, spelled("abc"), spelled(names)):
        assert other.advantage == pytest.approx(one.advantage, abs=1e-12, nan_ok=True), name
        assert other.pvalue == pytest.approx(one.pvalue, nan_ok=True), name
        for end in ("low", "high"):
            ours, theirs = (getattr(found.confidence_interval, end) for found in (one, other))
            assert theirs == pytest.approx(ours, abs=1e-9, nan_ok=True), name


@settings(max_examples=12)
@given(sides=contests(), seed=st.integers(0, 99))
def test_the_order_of_responses_does_not_matter(sides, seed):
    rng = np.random.default_rng(seed)
    shuffled = [rng.permuted(side, axis=1) for side in sides]
    both = (Contest.from_arrays(*each, scale="ordinal") for each in (sides, shuffled))
    for name, one, other in pairs(sorted(set(BUILTIN) - POSITIONAL), *both):
        assert other.advantage == pytest.approx(one.advantage, abs=1e-12, nan_ok=True), name
        assert other.pvalue == pytest.approx(one.pvalue, abs=0, nan_ok=True), name


@settings(max_examples=12)
@given(sides=contests(), seed=st.integers(0, 99))
def test_the_order_of_items_does_not_matter(sides, seed):
    order = np.random.default_rng(seed).permutation(len(sides[0]))
    both = (Contest.from_arrays(*each, scale="ordinal") for each in (sides, [side[order] for side in sides]))
    for name, one, other in pairs(BUILTIN, *both):
        assert other.advantage == pytest.approx(one.advantage, abs=1e-12, nan_ok=True), name
        assert other.pvalue == pytest.approx(one.pvalue, abs=0, nan_ok=True), name


@settings(max_examples=25)
@given(
    sides=contests(elements=st.floats(-1, 1).map(lambda x: x if abs(x) > 1e-50 else 0.0)),
    n_resamples=st.integers(1, 40),
    name=st.sampled_from(["mae", "rmse"]),
)
def test_p_is_at_least_one_in_n_plus_one_and_at_most_one(sides, n_resamples, name):
    contest = Contest.from_arrays(*sides, scale="continuous")
    for null in ("sign-flip", "permuted-responses", "shifted-bootstrap"):
        result = quietly(contest, metric=name, null=null, n_resamples=n_resamples)
        one_sided = [result.at(alternative=side).pvalue for side in ("greater", "less")]
        least = 1 / 2**contest.n_items if result.exact else 1 / (n_resamples + 1)
        assert all(least <= p <= 1 for p in [result.pvalue, *one_sided])
        # Each draw is at least as large or at least as small as the data, ties both: the two tails cover everything.
        assert sum(one_sided) >= 1
        assert 0 <= result.expected_pvalue <= 1


@settings(max_examples=12)
@given(sides=contests())
def test_duplicating_every_response_creates_no_significance(sides):
    doubled = [np.repeat(side, 2, axis=1) for side in sides]
    both = (Contest.from_arrays(*each, scale="ordinal") for each in (sides, doubled))
    for name, one, other in pairs(ADDITIVE, *both):
        assert other.advantage == pytest.approx(one.advantage, abs=1e-12), name
        assert other.pvalue == one.pvalue, name


@settings(max_examples=25)
@given(sides=contests(elements=st.integers(0, 20).map(lambda k: k / 10)), offset=st.sampled_from([100, 1000, 12345]))
def test_a_common_shift_of_all_values_changes_no_p(sides, offset):
    moved = [np.round(side + offset, 6) for side in sides]
    both = (Contest.from_arrays(*each, scale="continuous") for each in (sides, moved))
    for name, one, other in pairs(("mae", "wins", "emd", "rating", "rmse", "spearman"), *both):
        assert other.advantage == pytest.approx(one.advantage, abs=1e-9, nan_ok=True), name
        assert other.pvalue == pytest.approx(one.pvalue, abs=0, nan_ok=True), name


@pytest.mark.parametrize("labels", ["abc", "acb", "cba"])
def test_rounding_errors_of_an_item_are_no_signs(labels):
    """KL of one label is the same whichever it is, but its logarithms are summed in another order."""
    rows = [[0, 2, 2], [2, 0, 1]], [[0], [0]], [[0], [2]]
    contest = Contest.from_arrays(*([[labels[code] for code in row] for row in side] for side in rows))
    found = quietly(contest, metric="kl")
    assert (found.advantage, found.pvalue) == (0, 1)
    assert found.confidence_interval.method == "symmetric"
    assert math.isnan(found.confidence_interval.low)


def test_rounding_far_from_zero_breaks_no_ties():
    gold = np.array([1000.3, 1002.7, 1001.1, 1004.9, 1000.2, 1003.6])
    errors = np.array([0.1, 0.1, 0.1, 0.1, 0.1, 0.2])
    for odd in range(6):
        better, worse = np.roll(errors, odd), np.roll(0.3 - errors, odd)
        contest = Contest.from_arrays(gold, np.round(gold + better, 1), np.round(gold + worse, 1), scale="continuous")
        # Five advantages of .1 and one of −.1: 1 + 6 of the 64 sign patterns are as large, and as many as small.
        assert quietly(contest).pvalue == 14 / 64


@settings(max_examples=15)
@given(sides=contests(n_items=st.integers(8, 9)), workers=st.integers(2, 3))
def test_the_same_rng_gives_the_same_bits_on_any_number_of_workers(sides, workers):
    contest = Contest.from_arrays(*sides, scale="ordinal")
    assume(contest.n_items > 7)  # 2 ** 8 arrangements are more than the draws below
    for options in ({}, {"responses": "bootstrap", "null": "pooled-responses"}, {"null": "permuted-responses"}):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            one, other = (
                compare(contest, metric="tv", rng=3, n_resamples=150, workers=w, **options) for w in (1, workers)
            )
        assert (one.draws == other.draws).all()
        assert (one.null_draws == other.null_draws).all()
        assert _json.dumps(other.to_dict()) == _json.dumps(one.to_dict())


def test_inputs_are_unchanged():
    rng = np.random.default_rng(0)
    sides = [rng.normal(size=(20, 3)) for _ in range(3)]
    copies = [side.copy() for side in sides]
    contest = Contest.from_arrays(*sides)
    digest = contest.digest
    quietly(contest)
    assert all((side == copy).all() for side, copy in zip(sides, copies, strict=True))
    assert contest.digest == digest


IGNORE = [name for name, metric in BUILTIN.items() if metric.ignores]


@pytest.mark.parametrize("name", IGNORE)
@pytest.mark.parametrize("n_resamples", [4096, 199])  # enumerated, and sampled
@settings(max_examples=6)
@given(seed=st.integers(0, 1000))
def test_what_a_metric_ignores_its_p_value_and_interval_ignore(name, n_resamples, seed):
    rng = np.random.default_rng(seed)
    gold = rng.uniform(0.0, 1.0, size=(12, 2))
    a, b = gold + 0.1 * rng.normal(size=(12, 2)), gold + 0.3 * rng.normal(size=(12, 2))
    if name.endswith("-responses"):
        changed = 0.01 * b
    elif BUILTIN[name].ignores == "scale":
        b, changed = b.mean(axis=1), 0.01 * b.mean(axis=1)
    else:
        b, changed = b.mean(axis=1), np.exp(-3 + b.mean(axis=1))
    metric = replace(BUILTIN[name], threshold=0.5) if name == "auc" else BUILTIN[name]
    one, other = (
        quietly(Contest.from_arrays(gold, a, model, scale="continuous"), metric=metric, n_resamples=n_resamples)
        for model in (b, changed)
    )
    assert other.advantage == pytest.approx(one.advantage, rel=1e-9, abs=1e-12)
    assert other.pvalue == pytest.approx(one.pvalue, nan_ok=True)
    for end in ("low", "high"):
        ours, theirs = (getattr(found.confidence_interval, end) for found in (one, other))
        assert theirs == pytest.approx(ours, rel=1e-6, abs=1e-9, nan_ok=True)


def test_a_function_that_ignores_the_scale_says_so():
    def correlation(gold, model):
        return float(np.corrcoef(gold, model)[0, 1])

    with pytest.raises(AssertionError, match="it ignores the scale of a model's answers: say ignores = 'scale'"):
        check_metric(FunctionMetric(correlation, better="higher"))
    with pytest.raises(AssertionError, match="it ignores the line of a model's answers: say ignores = 'line'"):
        check_metric(FunctionMetric(correlation, better="higher", ignores="scale"))
    check_metric(FunctionMetric(correlation, better="higher", ignores="line"))
    with pytest.raises(AssertionError, match="said to ignore a model's magnitude but does not"):
        check_metric(FunctionMetric(correlation, better="higher", ignores="magnitude"))
