import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from howsure.planning.engines.score_sums import SumGrid, Summands


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


def plain_uppers(parts, n):
    """Return the lowest sum of n scores of each part, and the probability of each sum or more, by one long FFT."""
    length = sum(n * (part.shares.size - 1) for part in parts) + 1
    wave = np.prod([np.fft.rfft(part.shares, length) ** n for part in parts], axis=0)
    return sum(n * part.low for part in parts), np.cumsum(np.fft.irfft(wave, length)[::-1])[::-1]


def bell(low, size, middle, spread):
    shares = np.exp(-np.square((np.arange(size) - middle) / spread))
    return SumGrid(low, shares / shares.sum())


@pytest.mark.parametrize(
    ("parts", "n", "error"),
    [
        ([bell(-100, 400, 150, 40), bell(-100, 400, 150, 40).reflected()], 50, 1e-9),  # a short series
        ([SumGrid(-3, np.random.default_rng(0).dirichlet(np.ones(30)))], 400, 1e-9),
        ([bell(-900, 3000, 1000, 300)], 100, 1e-5),
    ],
)
def test_long_sums_are_those_of_one_long_convolution(parts, n, error):
    low, plain = plain_uppers(parts, n)
    total = Summands(*parts).times(n)
    mean, sd = n * sum(part.mean for part in parts), math.sqrt(n * sum(part.variance for part in parts))
    points = np.rint(mean + sd * np.array([-4.0, -2.0, -1.0, -0.1, 0.0, 0.3, 1.0, 3.0]))
    expected = plain[(points - low).astype(int)]
    np.testing.assert_allclose(total.uppers(points), expected, atol=error)
    np.testing.assert_allclose([total.upper(int(point)) for point in points], expected, atol=error)
    for share in (0.1, 0.5):
        exact = low + np.flatnonzero(plain <= 1 - share + 1e-12)[0] - 1
        assert total.quantile(share) == pytest.approx(exact, abs=0 if error < 1e-6 else 4)
    assert total.uppers(np.array([low - 10.0, low + plain.size + 10.0])) == pytest.approx([1, 0], abs=error)
