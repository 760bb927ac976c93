"""Distributions on a grid: sums of N independent scores by Fourier inversion, and the same scores with other moments.

Scores lie on a grid, exactly (wins, accuracy, total variation of few responses, …) or rounded to it. The
characteristic function of a sum is a product, so N items cost no more than one: raise it to the N-th power and invert.
The inversion is an FFT over a window that holds the whole sum except for a negligible tail.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.fft import next_fast_len

from howsure.data.scales import FloatArray

WINDOW = 9.0
"""Half the width of the window in standard deviations of the sum; single extreme scores are added on top."""


@dataclass(frozen=True, eq=False)
class SumGrid:
    """A distribution on the whole numbers low, low + 1, …; shares may sum to less than one.

    Attributes
    ----------
    low : int
    shares : array
    """

    low: int
    shares: FloatArray

    @cached_property
    def points(self) -> FloatArray:
        """The numbers."""
        return np.arange(self.low, self.low + self.shares.size, dtype=np.float64)

    @cached_property
    def mean(self) -> float:
        """The mean."""
        return float(self.points @ self.shares)

    @cached_property
    def variance(self) -> float:
        """The variance."""
        return float(np.square(self.points - self.mean) @ self.shares)

    @property
    def reach(self) -> float:
        """The largest distance of a number from the mean."""
        return max(self.low + self.shares.size - 1 - self.mean, self.mean - self.low)

    def reflected(self) -> "SumGrid":
        """Return the distribution of the negative."""
        return SumGrid(-(self.low + self.shares.size - 1), self.shares[::-1])


class Summands:
    """Independent parts of a sum: one score from each, added up N times.

    Examples
    --------
    >>> coin = SumGrid(0, np.array([0.5, 0.5]))
    >>> round(Summands(coin).times(10).upper(9), 6)  # 9 or 10 heads of 10
    0.010742
    """

    def __init__(self, *parts: SumGrid) -> None:
        self._parts = parts
        self._waves: tuple[int, list[np.ndarray]] = (0, [])

    @cached_property
    def _extent(self) -> tuple[float, float, float]:
        """The variance of one score of each part, their reach together, and the largest reach."""
        reaches = [part.reach for part in self._parts]
        return (
            sum(part.variance for part in self._parts),
            sum(reaches),
            max(reaches),
        )

    def times(self, *counts: int) -> "Total":
        """Return the distribution of the sum of this many scores from each part (one number is for all parts)."""
        numbers = counts * len(self._parts) if len(counts) == 1 else counts
        # Of sums with one score less of some part, the window and its waves are the same, and computed once.
        most = max(numbers)
        variance, reach, farthest = self._extent
        half = min(most * reach, WINDOW * math.sqrt(most * variance) + 6 * farthest) + 2
        length = next_fast_len(2 * math.ceil(half) + 1, real=True)
        if self._waves[0] != length:
            self._waves = length, [_wave(part, length) for part in self._parts]
        powers = [power(wave, n) for wave, n in zip(self._waves[1], numbers, strict=True) if n > 0]
        centre = sum(n * part.mean for n, part in zip(numbers, self._parts, strict=True))
        return Total(powers, centre, length)


def _wave(part: SumGrid, length: int) -> np.ndarray:
    """Return the characteristic function of one score at the frequencies of a window."""
    return np.fft.rfft(np.bincount((np.arange(part.shares.size) + part.low) % length, part.shares, length))


def power(base: np.ndarray, exponent: int) -> np.ndarray:
    """Return base to a whole power from 1 on by squaring: a complex power takes ten times as long."""
    found = None
    while exponent:
        if exponent & 1:
            found = base if found is None else found * base
        base, exponent = base * base, exponent >> 1
    assert found is not None
    return found


class Total:
    """The distribution of a sum: every probability of a window, by FFT."""

    def __init__(self, powers: list[np.ndarray], centre: float, length: int) -> None:
        wave = math.prod(powers, start=np.ones(length // 2 + 1, dtype=np.complex128))
        self._base = math.ceil(centre - length / 2)
        shares, first = np.fft.irfft(wave, length), self._base % length
        self._above = np.zeros(length + 1)
        np.cumsum(np.concatenate([shares[first:], shares[:first]])[::-1], out=self._above[-2::-1])

    def upper(self, point: int) -> float:
        """Return the probability of this number or more."""
        return float(self._above[min(max(point - self._base, 0), self._above.size - 1)])

    def uppers(self, points: FloatArray) -> FloatArray:
        """Return the probability of each of these whole numbers or more."""
        where = np.clip(points.astype(np.int64) - self._base, 0, self._above.size - 1)
        return np.asarray(self._above[where])

    def quantile(self, share: float) -> float:
        """Return the smallest number below or at which at least this share lies."""
        # Smallest k with P(X > k) ≤ 1 − share; the sums carry the rounding of the FFT.
        above = np.maximum.accumulate(self._above[::-1])
        n_above = int(np.searchsorted(above, 1 - share + 1e-12, side="right"))
        return float(self._base + self._above.size - 1 - n_above)


def with_mean(grid: SumGrid, mean: float) -> SumGrid:
    """Return the distribution with weights exp(θ x), θ such that it has this mean; unchanged where there is none.

    Scores stay where they are, so ties stay ties, and of all distributions with that mean it is the nearest one.

    Examples
    --------
    >>> with_mean(SumGrid(0, np.array([0.5, 0.5])), 0.6).shares.round(3).tolist()
    [0.4, 0.6]
    """
    centred = grid.points - grid.mean
    wanted = mean - grid.mean
    variance = float(np.square(centred) @ grid.shares)
    if variance == 0 or not centred[0] < wanted < centred[-1]:
        return grid
    theta, shares = 0.0, grid.shares
    for _ in range(50):
        found = float(centred @ shares)
        spread = float(np.square(centred - found) @ shares)
        if abs(wanted - found) <= 1e-12 * math.sqrt(variance) or spread == 0:
            break
        theta += (wanted - found) / spread
        powers = theta * centred
        shares = grid.shares * np.exp(powers - powers.max())
        shares /= shares.sum()
    return SumGrid(grid.low, shares)


def with_moments(grid: SumGrid, mean: float, variance: float) -> SumGrid:
    """Return the distribution with weights exp(θ x + η x²) that has this mean and variance, in grid steps.

    Scores stay where they are, so ties stay ties. Where no such distribution is found, only the mean is met.

    Examples
    --------
    >>> found = with_moments(SumGrid(-2, np.array([0.1, 0.2, 0.4, 0.2, 0.1])), 0.3, 1.5)
    >>> round(found.mean, 6), round(found.variance, 6)
    (0.3, 1.5)
    """
    before = grid.variance
    if before <= 0 or variance <= 0:
        return with_mean(grid, mean)
    z = (grid.points - grid.mean) / math.sqrt(before)
    wanted = np.array([(mean - grid.mean) / math.sqrt(before), 0.0])
    wanted[1] = variance / before + wanted[0] ** 2
    features = np.stack([z, np.square(z)])
    theta, shares = np.zeros(2), grid.shares / grid.shares.sum()
    for _ in range(100):
        found = features @ shares
        lack = wanted - found
        if np.abs(lack).max() <= 1e-10:
            return SumGrid(grid.low, shares)
        spread = (features * shares) @ features.T - np.outer(found, found)
        if not np.linalg.det(spread) > 1e-14:
            break
        step = np.linalg.solve(spread, lack)
        theta = theta + step * min(1.0, 0.5 / max(float(np.abs(step).max()), 1e-300))
        powers = theta @ features
        shares = grid.shares * np.exp(powers - powers.max())
        shares /= shares.sum()
    return with_mean(grid, mean)


def symmetrised(grid: SumGrid) -> SumGrid:
    """Return the mean of a distribution and its mirror image.

    Examples
    --------
    >>> symmetrised(SumGrid(0, np.array([0.5, 0.5]))).shares.tolist()
    [0.25, 0.5, 0.25]
    """
    reach = max(-grid.low, grid.low + grid.shares.size - 1)
    shares = np.zeros(2 * reach + 1)
    shares[grid.low + reach : grid.low + reach + grid.shares.size] = grid.shares
    return SumGrid(-reach, (shares + shares[::-1]) / 2)
