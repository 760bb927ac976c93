import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from howsure._random import BLOCK, generator
from howsure.inference import binomial_region
from howsure.inference.combined_error import CombinedError
from howsure.raters.agreement_coefficients import LEVELS, alpha, categorical, cells_from, intraclass
from howsure.raters.agreement_intervals import GROUPS, _item_weights, fisher_interval, measure_errors, one_way_interval
from howsure.raters.components import two_way


def grid_of(rng, n, r, *, of_items=1.0, of_raters=0.5):
    return of_items * rng.normal(size=(n, 1)) + of_raters * rng.normal(size=r) + rng.normal(size=(n, r))


def mean_of(grid):
    def coefficients(raters):
        def weighed(items):
            mean = items.T @ grid @ raters / (items.sum(axis=0) * raters.sum())
            return {"mean": mean, "twice": 2 * mean}

        return weighed

    return coefficients


def measured(coefficients, n, r, *, n_resamples=199, seed=0, workers=1):
    return measure_errors(
        coefficients,
        units=np.arange(n),
        n_raters=r,
        n_resamples=n_resamples,
        seed=np.random.SeedSequence(seed),
        workers=workers,
    )


def test_the_error_of_a_mean_is_that_of_analysis_of_variance():
    """Items and raters each once: the residual is part of the first and not counted again."""
    grid = grid_of(np.random.default_rng(1), 60, 6)
    items, raters = np.indices(grid.shape).reshape(2, -1)
    table = two_way(grid.ravel(), items=items, raters=raters)
    found = measured(mean_of(grid), *grid.shape, n_resamples=6000)
    of_raters, of_items = found["mean"].variances
    residual = table.residual / grid.size
    assert of_items == pytest.approx(table.items / 60 + residual, rel=4 * math.sqrt(2 / 6000))
    assert of_raters == pytest.approx(table.raters / 6, rel=0.03)
    assert found["mean"].dfs == (5, 59)
    assert found["twice"].variances == pytest.approx([4 * of_raters, 4 * of_items])


def test_many_raters_are_left_out_in_groups():
    grid = grid_of(np.random.default_rng(2), 40, 90)
    found = measured(mean_of(grid), 40, 90)["mean"]
    assert found.dfs == (GROUPS - 1, 39)
    assert found.variances[0] == pytest.approx(0.25 / 90, rel=4 * math.sqrt(2 / (GROUPS - 1)))


def test_two_raters_say_nothing_about_others():
    grid = grid_of(np.random.default_rng(3), 40, 2)
    assert measured(mean_of(grid), 40, 2)["mean"].dfs == (39,)


def test_the_number_of_workers_changes_nothing():
    grid = grid_of(np.random.default_rng(4), 30, 25)
    one, other = (measured(mean_of(grid), 30, 25, n_resamples=150, workers=workers) for workers in (1, 3))
    assert one == other


@given(
    st.integers(1, 90), st.integers(0, 2), st.integers(1, 200), st.integers(1, 200), st.booleans(), st.integers(0, 99)
)
def test_items_are_drawn_as_one_draw_after_the_other(n_units, first, n_draws, at_once, clustered, number):
    """Each block of draws has a stream of its own, and each draw as many integers of it as there are units."""
    seed = np.random.SeedSequence(number)
    units = np.arange(n_units)
    if clustered:
        units = np.random.default_rng(number).permutation(np.concatenate([units, units // 2]))
    start, expected = first * BLOCK, []
    for block in range(first, first + -(-n_draws // BLOCK)):
        rng = generator(seed, "agreement", block)
        drawn = [np.bincount(rng.integers(n_units, size=n_units), minlength=n_units) for _ in range(BLOCK)]
        expected += [counts[units] for counts in drawn]
    found = [*_item_weights(units, seed, start, start + n_draws, at_once)]
    assert max(part.shape[1] for part in found) <= at_once
    np.testing.assert_array_equal(np.concatenate(found, axis=1), np.transpose(expected[:n_draws]))


@pytest.mark.parametrize("level", LEVELS)
def test_no_bit_depends_on_workers_or_on_how_many_draws_are_weighed_at_once(level):
    """129 draws end in a block of one, which would be added up otherwise alone than beside others."""
    rng = np.random.default_rng(7)
    grid = np.round(np.abs(rng.normal(size=(40, 1)) + rng.normal(size=(40, 4))), 1)
    cells = cells_from(grid.ravel(), *np.indices(grid.shape).reshape(2, -1))

    def coefficients(raters):
        some = cells.of(raters)
        parts = [categorical(some, ordered=True), alpha(some, level=level), intraclass(some)]
        return lambda items: {name: values for part in parts for name, values in part(items).items()}

    how = {"units": np.arange(40), "n_raters": 4, "n_resamples": 2 * BLOCK + 1, "seed": np.random.SeedSequence(8)}
    one, *others = (
        measure_errors(coefficients, workers=workers, at_once=at_once, **how)
        for workers, at_once in [(1, 1000), (2, 1000), (3, BLOCK), (1, 2 * BLOCK), (2, 9)]
    )
    assert others == [one] * len(others)


def test_intervals_of_icc_cover():
    n, r, count = 30, 5, 150
    truth = 1 / (1 + 0.25 + 1)
    held = 0
    for number in range(count):
        grid = grid_of(np.random.default_rng([5, number]), n, r)
        cells = cells_from(grid.ravel(), *np.indices(grid.shape).reshape(2, -1))
        value = float(intraclass(cells)(np.ones((n, 1)))["icc_2"][0])
        error = measured(lambda raters, cells=cells: intraclass(cells.of(raters)), n, r, n_resamples=59, seed=number)
        held += truth in fisher_interval("icc_2", value, error["icc_2"], confidence_level=0.95)
    assert binom.ppf(0.001, count, 0.95) <= held < count


@given(st.floats(-0.99, 0.99), st.floats(1e-4, 0.5), st.floats(0, 0.5), st.sampled_from(["agreement", "fleiss_kappa"]))
def test_an_interval_holds_its_estimate_and_keeps_to_what_is_possible(value, of_items, of_raters, name):
    value = (value + 1) / 2 if name == "agreement" else value
    error = CombinedError((of_raters, of_items), (4, 99))
    wide, narrow = (fisher_interval(name, value, error, confidence_level=level) for level in (0.95, 0.5))
    assert value in narrow
    least = 0 if name == "agreement" else -1
    assert least <= wide.low <= narrow.low <= narrow.high <= wide.high <= 1


def test_intervals_of_small_errors_are_those_of_students_t():
    error = CombinedError((1e-6, 1e-6), (4, 99))
    found = fisher_interval("agreement", 0.7, error, confidence_level=0.9)
    assert (found.low, found.high) == pytest.approx(
        (0.7 - error.half_width(0.05), 0.7 + error.half_width(0.05)), abs=1e-4
    )


@pytest.mark.parametrize(("value", "variance"), [(1.0, 0.0), (math.nan, 0.1), (0.5, 0.0), (0.5, math.nan)])
def test_without_an_error_there_is_no_interval(value, variance):
    found = fisher_interval("fleiss_kappa", value, CombinedError((variance,), (9,)), confidence_level=0.95)
    assert math.isnan(found.low)
    assert "undefined" in found.notes[0]


def test_a_correlation_far_below_zero_has_an_interval():
    found = fisher_interval("icc_2k", -3.0, CombinedError((0.5, 0.5), (4, 9)), confidence_level=0.95)
    assert found.low < -3 < found.high <= 1


def test_one_way_correlations_have_the_published_f_limits():
    # Shrout and Fleiss (1979), table 2: six subjects, four judges; ICC(1, 1) = .17, ICC(1, 4) = .44 (−.88 to .91).
    single = one_way_interval("icc_1", 0.16574, n_items=6, per_item=4, confidence_level=0.95)
    mean = one_way_interval("icc_1k", 0.16574, n_items=6, per_item=4, confidence_level=0.95)
    assert (round(single.low, 3), round(single.high, 3)) == (-0.133, 0.723)
    assert (round(mean.low, 2), round(mean.high, 2)) == (-0.88, 0.91)


def test_one_way_limits_cover():
    rng, n_data_sets, covered = np.random.default_rng(3), 1000, 0
    for _ in range(n_data_sets):
        values = rng.normal(0, 1, (15, 1)) + rng.normal(0, 1, (15, 3))
        between, within = 3 * values.mean(axis=1).var(ddof=1), values.var(axis=1, ddof=1).mean()
        correlation = (between - within) / (between + 2 * within)
        covered += 0.5 in one_way_interval("icc_1", correlation, n_items=15, per_item=3, confidence_level=0.95)
    assert covered in binomial_region(n_data_sets, 0.95)
