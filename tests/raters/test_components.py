import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import binom

from howsure.errors import ArgumentError
from howsure.inference.combined_error import CombinedError
from howsure.raters.components import two_way
from tests.reference import raters as reference


def analysed(grid, weights=None):
    present = ~np.isnan(grid)
    items, raters = np.nonzero(present)
    return two_way(grid[present], items=items, raters=raters, weights=None if weights is None else weights[present])


@pytest.mark.parametrize(
    ("grid", "expected"),
    [
        (reference.PENICILLIN, reference.PENICILLIN_COMPONENTS),
        (reference.BRENNAN, reference.BRENNAN_COMPONENTS),
    ],
)
def test_published_components_to_the_printed_digits(grid, expected):
    found = analysed(grid)
    assert [round(part, 7) for part in (found.items, found.raters, found.residual)] == list(expected)


def test_the_error_of_a_complete_table_is_that_of_analysis_of_variance():
    rng = np.random.default_rng(1)
    n, r = 12, 5
    grid = rng.normal(size=(n, 1)) + rng.normal(size=r) + rng.normal(size=(n, r))
    rows, columns = grid.mean(axis=1), grid.mean(axis=0)
    ms_items, ms_raters = r * rows.var(ddof=1), n * columns.var(ddof=1)
    rest = grid - rows[:, np.newaxis] - columns + grid.mean()
    ms_residual = np.square(rest).sum() / ((n - 1) * (r - 1))
    error = analysed(grid).error
    assert error.variance == pytest.approx((ms_items + ms_raters - ms_residual) / (n * r), rel=1e-12)
    assert error.variances[0] == pytest.approx(ms_raters / (n * r), rel=1e-12)
    assert error.dfs == pytest.approx((r - 1, n - 1))


def test_components_of_incomplete_tables_are_unbiased():
    rng = np.random.default_rng(2)
    n, r = 40, 8
    found = []
    for _ in range(400):
        grid = 0.5 * rng.normal(size=(n, 1)) + 0.8 * rng.normal(size=r) + rng.normal(size=(n, r))
        grid[np.argsort(rng.random((n, r)), axis=1) >= 3] = np.nan
        table = analysed(grid)
        found.append((table.items, table.raters, table.residual))
    mean, error = np.mean(found, axis=0), np.std(found, axis=0) / math.sqrt(len(found))
    assert (np.abs(mean - (0.25, 0.64, 1.0)) < 4 * error).all()


@pytest.mark.parametrize("shape", ["one rater per item", "one item per rater", "both"])
def test_a_component_that_cannot_be_told_apart_is_nan_and_the_error_is_that_of_the_other_factor(shape):
    values = np.array([1.0, 2.0, 4.0, 3.0, 7.0, 5.0])
    one, many = np.array([0, 0, 1, 1, 2, 2]), np.arange(6)
    items, raters = {"one rater per item": (many, one), "one item per rater": (one, many), "both": (many, many)}[shape]
    found = two_way(values, items=items, raters=raters)
    assert math.isnan(found.items) == (shape != "one item per rater")
    assert math.isnan(found.raters) == (shape != "one rater per item")
    if shape == "both":
        assert found.error.variance == pytest.approx(values.var(ddof=1) / 6)
    else:
        assert found.error.variance == pytest.approx(values.reshape(3, 2).mean(axis=1).var(ddof=1) / 3)


def test_a_dominant_rater_leaves_few_degrees_of_freedom():
    rng = np.random.default_rng(3)
    raters = np.where(np.arange(200) < 170, 0, 1 + np.arange(200) % 5)
    table = two_way(rng.normal(size=200) + rng.normal(size=6)[raters], items=np.arange(200), raters=raters)
    assert table.error.dfs[0] < 2


def test_one_part_is_the_t_test():
    values = np.random.default_rng(4).normal(0.3, 1, 20)
    known = stats.ttest_1samp(values, 0)
    error = CombinedError((values.var(ddof=1) / 20,), (19,))
    assert error.pvalue(values.mean()) == pytest.approx(known.pvalue, rel=1e-9)
    for side in ("greater", "less"):
        expected = stats.ttest_1samp(values, 0, alternative=side)
        assert error.pvalue(values.mean(), alternative=side) == pytest.approx(expected.pvalue, rel=1e-9)
        ends = expected.confidence_interval(0.9)
        found = error.interval(values.mean(), confidence_level=0.9, alternative=side)
        assert (found.low, found.high) == pytest.approx((ends.low, ends.high))


@given(
    st.lists(st.floats(0.01, 10), min_size=1, max_size=3),
    st.lists(st.floats(1, 500), min_size=3, max_size=3),
    st.floats(-20, 20),
    st.floats(0.5, 0.999),
)
def test_p_and_interval_agree_and_swap_sides(variances, dfs, estimate, level):
    error = CombinedError(tuple(variances), tuple(dfs[: len(variances)]))
    p = error.pvalue(estimate)
    assert 0 < p <= 1
    assert p == pytest.approx(error.pvalue(-estimate))
    assert error.pvalue(estimate, alternative="greater") == pytest.approx(error.pvalue(-estimate, alternative="less"))
    total = error.pvalue(estimate, alternative="greater") + error.pvalue(estimate, alternative="less")
    assert total == pytest.approx(1)
    if abs(p - (1 - level)) > 1e-6:
        assert (0 in error.interval(estimate, confidence_level=level)) == (p > 1 - level)


@pytest.mark.parametrize("nudge", [-1, 0, 1, 2, 3])
@pytest.mark.parametrize("df", [1, 2, 3, 4, 9])
def test_p_is_right_at_whole_degrees_of_freedom_up_to_rounding(df, nudge):
    """Degrees of freedom are a ratio of sums, so whole only up to rounding: SciPy's quantile fails at 2 + 1e-15."""
    near = df + nudge * np.spacing(float(df))
    for estimate in (1e-3, 0.1, 1.0, 3.0, 30.0, 1e4):
        expected = 2 * stats.t.sf(estimate, df)
        assert CombinedError((1.0,), (near,)).pvalue(estimate) == pytest.approx(expected, rel=1e-6)
        mixed = CombinedError((0.9, 0.1), (near, 99.0))
        bounds = sorted([expected, 2 * stats.t.sf(estimate, 99)])
        assert bounds[0] * (1 - 1e-6) <= mixed.pvalue(estimate) <= bounds[1] * (1 + 1e-6)
        assert (0 in mixed.interval(estimate)) == (mixed.pvalue(estimate) > 0.05)


def test_the_combined_error_is_wider_than_satterthwaites_and_equal_when_one_part_is_all():
    mixed = CombinedError((0.5, 0.5), (2, 99))
    assert mixed.half_width(0.025) > -stats.t.ppf(0.025, mixed.df) * mixed.standard_error
    single = CombinedError((1.0, 0.0), (2, 99))
    assert single.half_width(0.025) == pytest.approx(-stats.t.ppf(0.025, 2))


def test_nothing_that_varies_and_no_difference_is_p_one():
    error = CombinedError((0.0, 0.0), (1, 1))
    assert error.pvalue(0.0) == 1.0
    assert math.isnan(error.pvalue(0.1))
    assert math.isnan(error.interval(0.0).low)
    assert "undefined" in error.test(0.1).notes[0]


def test_measured_variances_give_the_p_value_an_error():
    assert CombinedError((1.0,), (9,)).test(2.0).standard_error == 0
    assert 0 < CombinedError((1.0,), (9,), n_resamples=999).test(2.0).standard_error < 0.02


@pytest.mark.parametrize(("n", "r", "of_items", "of_raters"), [(30, 5, 0.7, 0.3), (30, 5, 0.0, 0.0), (10, 3, 0.7, 1.0)])
def test_component_intervals_cover(n, r, of_items, of_raters):
    rng = np.random.default_rng(5)
    count = 600
    held = {"items": 0, "raters": 0, "residual": 0}
    truth = {"items": of_items**2, "raters": of_raters**2, "residual": 1.0}
    for _ in range(count):
        grid = of_items * rng.normal(size=(n, 1)) + of_raters * rng.normal(size=r) + rng.normal(size=(n, r))
        for name, ends in analysed(grid).intervals().items():
            held[name] += truth[name] in ends
    least = binom.ppf(0.001, count, 0.95)
    assert all(hits >= least for hits in held.values())


def test_each_component_is_divided_by_its_own_number_in_the_error_of_the_mean():
    items, raters, residual = reference.PENICILLIN_COMPONENTS
    expected = items / 24 + raters / 6 + residual / (24 * 6)
    assert analysed(reference.PENICILLIN).error.variance == pytest.approx(expected, rel=1e-5)


def test_unequal_lengths_are_refused():
    with pytest.raises(ArgumentError, match="equally long; got 2, 1 and 2"):
        two_way([1.0, 2.0], items=[0], raters=[0, 1])


def test_unequal_loads_leave_an_error_where_the_rater_part_is_estimated_below_zero():
    """One rater per item: rater means that lie closer together than chance give a negative component."""
    raters = np.array([0] * 6 + [1, 1, 2, 2])
    values = np.array([1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 5.0, -5.0, 4.0, -4.0])
    table = two_way(values, items=np.arange(10), raters=raters)
    assert table.raters < 0
    assert table.error.variance > 0
    assert 0 < table.error.pvalue(1.0) <= 1
