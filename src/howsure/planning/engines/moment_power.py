"""The power of the test with swapped items from the moments of item advantages alone, in milliseconds.

The test rejects where the sum of the advantages exceeds z times the root of the sum of their squares. Both sums are
sums over many items, so together they are nearly normal, and their moments follow from a pool of scores. How far this
is from simulated power is measured in benchmarks/plan_sliders.py.
"""

import math

import numpy as np
from scipy.special import ndtr, ndtri

from howsure.planning.engines.score_pools import Pool
from howsure.planning.engines.simulated_pvalues import Test

POINTS = 401
"""Points at which the density of the sum is taken."""

REACH = 6.0
"""How many standard deviations of the sum they cover on either side."""


def moment_power(pool: Pool, n_items: int, test: Test) -> float:
    """Return about how often the test rejects a study of this many items.

    Examples
    --------
    >>> from howsure._random import seed_of
    >>> from howsure.metrics import resolve
    >>> from howsure.models import preset
    >>> from howsure.planning.engines.exact import ExactEngine
    >>> engine = ExactEngine(preset("normal"), [resolve("mae")], (5, 5, 5), epsilon=0.3, seed=seed_of(0))
    >>> round(moment_power(engine.pools[0], 200, Test()), 2)
    1.0
    """
    scores = pool.grid.points * pool.step
    scores = scores + (pool.mean - float(scores @ pool.grid.shares))
    first, second, third, fourth = (float(scores**power @ pool.grid.shares) for power in (1, 2, 3, 4))
    variance = second - first**2
    if variance <= 0 or not test.can_reject(n_items):
        return float(first > 0 and test.can_reject(n_items))
    sd = math.sqrt(n_items * variance)
    sums = n_items * first + sd * np.linspace(-REACH, REACH, POINTS)
    weights = np.exp(-np.square((sums - n_items * first) / sd) / 2)
    weights /= weights.sum()
    slope = (third - first * second) / variance
    left = max(fourth - second**2 - slope**2 * variance, 1e-12 * second**2)
    squares = n_items * second + slope * (sums - n_items * first)
    z = float(ndtri(1 - test.tail))
    rejects = ndtr((np.square(sums / z) - squares) / math.sqrt(n_items * left))
    if test.sides == 1:
        rejects = np.where((sums > 0) == (test.alternative == "greater"), rejects, 0.0)
    return float(weights @ rejects)
