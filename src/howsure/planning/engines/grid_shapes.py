"""Distributions of item scores with another mean or variance, or made symmetric: scores stay where they are."""

import math

import numpy as np

from howsure.planning.engines.score_sums import SumGrid


def tilted(grid: SumGrid, mean: float) -> SumGrid:
    """Return the distribution with weights exp(θ x), θ such that it has this mean; unchanged where there is none.

    Scores stay where they are, so ties stay ties, and of all distributions with that mean it is the nearest one.

    Examples
    --------
    >>> tilted(SumGrid(0, np.array([0.5, 0.5])), 0.6).shares.round(3).tolist()
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


def bent(grid: SumGrid, mean: float, variance: float) -> SumGrid:
    """Return the distribution with weights exp(θ x + η x²) that has this mean and variance, in grid steps.

    Scores stay where they are, so ties stay ties. Where no such distribution is found, only the mean is met.

    Examples
    --------
    >>> found = bent(SumGrid(-2, np.array([0.1, 0.2, 0.4, 0.2, 0.1])), 0.3, 1.5)
    >>> round(found.mean, 6), round(found.variance, 6)
    (0.3, 1.5)
    """
    before = grid.variance
    if before <= 0 or variance <= 0:
        return tilted(grid, mean)
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
    return tilted(grid, mean)


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
