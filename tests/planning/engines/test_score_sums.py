import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from howsure.planning.engines.score_sums import SumGrid, Summands, fast_length


@pytest.mark.parametrize("n", [1, 2, 7, 30, 100, 1000, 50_000])
@pytest.mark.parametrize("p", [0.5, 0.03])
def test_sums_of_coins_are_binomial(n, p):
    total = Summands(SumGrid(0, np.array([1 - p, p]))).times(n)
    points = np.unique(np.clip(np.rint(n * p + np.array([-3, -1, 0, 1, 3]) * np.sqrt(n * p)), 0, n)).astype(int)
    np.testing.assert_allclose([total.upper(int(k)) for k in points], binom.sf(points - 1, n, p), atol=1e-9)
    for share in (0.025, 0.5, 0.975):
        assert total.quantile(share) == binom.ppf(share, n, p)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=6), st.integers(-5, 5), st.integers(1, 6))
def test_sums_agree_with_plain_convolution(weights, low, n):
    shares = np.array(weights) / sum(weights)
    plain = np.array([1.0])
    for _ in range(n):
        plain = np.convolve(plain, shares)
    total = Summands(SumGrid(low, shares)).times(n)
    uppers = np.cumsum(plain[::-1])[::-1]
    points = low * n + np.arange(plain.size)
    np.testing.assert_allclose(total.uppers(points.astype(float)), uppers, atol=1e-9)
    assert total.upper(int(points[-1]) + 1) == pytest.approx(0, abs=1e-9)


def test_parts_may_be_added_different_numbers_of_times():
    coin, die = SumGrid(0, np.array([0.5, 0.5])), SumGrid(1, np.full(6, 1 / 6))
    plain = np.convolve(np.convolve([0.5, 0.5], [0.5, 0.5]), np.full(6, 1 / 6))
    total = Summands(coin, die).times(2, 1)
    assert total.upper(8) == pytest.approx(plain[-1])
    assert Summands(coin, die).times(0, 1).upper(6) == pytest.approx(1 / 6)


def test_the_series_and_the_table_agree():
    from howsure.planning.engines.score_sums import _Series, _Table, _wave, power

    shares = np.exp(-np.square((np.arange(400) - 150) / 40))
    grid = SumGrid(-100, shares / shares.sum())
    series = Summands(grid, grid.reflected()).times(50)
    assert isinstance(series, _Series)
    table = _Table([power(_wave(each, 8192), 50) for each in (grid, grid.reflected())], 0.0, 8192)
    for point in (-900, -50, 0, 1, 700):
        assert series.upper(point) == pytest.approx(table.upper(point), abs=1e-9)
    assert series.quantile(0.1) == table.quantile(0.1)


def test_a_very_long_sum_is_computed_on_a_coarser_grid():
    from howsure.planning.engines.score_sums import _Coarse, _Table, _wave, power

    shares = np.exp(-np.square((np.arange(3000) - 1000) / 300))
    grid = SumGrid(-900, shares / shares.sum())
    assert grid.coarser(4).mean * 4 == pytest.approx(grid.mean)
    coarse = Summands(grid).times(100)
    assert isinstance(coarse, _Coarse)
    table = _Table([power(_wave(grid, 1 << 17), 100)], 100 * grid.mean, 1 << 17)
    points = np.rint(100 * grid.mean + 2000 * np.array([-2.0, -1.0, -0.1, 0.0, 0.3, 1.0, 3.0]))
    np.testing.assert_allclose(coarse.uppers(points), table.uppers(points), atol=1e-5)
    np.testing.assert_allclose([coarse.upper(int(point)) for point in points], table.uppers(points), atol=1e-5)
    assert coarse.quantile(0.2) == pytest.approx(table.quantile(0.2), abs=4)


@pytest.mark.parametrize("n_waves", [1, 2, 9, 10, 57])
def test_waves_are_sums_of_turns(n_waves):
    from howsure.planning.engines.score_sums import _first_waves

    grid = SumGrid(-3, np.random.default_rng(0).dirichlet(np.ones(40)))
    found = _first_waves(grid, 200, n_waves)
    step, points = 2j * np.pi / 200, grid.points - round(grid.mean)
    plain = [grid.shares @ np.exp(step * number * points) for number in range(1, n_waves + 1)]
    np.testing.assert_allclose(found, plain, atol=1e-13)


def test_a_series_gives_many_points_as_it_gives_one():
    from howsure.planning.engines.score_sums import _Series

    shares = np.random.default_rng(0).dirichlet(np.ones(30))
    total = Summands(SumGrid(-3, shares)).times(400)
    assert isinstance(total, _Series)
    points = np.array([-2000.0, 4000, 4500, 4600, 4700, 20_000])
    np.testing.assert_allclose(total.uppers(points), [total.upper(int(point)) for point in points], atol=1e-13)


def test_fast_lengths_have_small_factors_and_none_is_left_out():
    def is_fast(number):
        for prime in (2, 3, 5):
            while number % prime == 0:
                number //= prime
        return number == 1

    for length in (*range(1, 400), 99_999, 1 << 20):
        found = fast_length(length)
        assert is_fast(found)
        assert not any(is_fast(number) for number in range(length, found))
