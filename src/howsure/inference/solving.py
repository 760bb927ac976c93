"""Where a function that grows reaches a target: roots, edges of tests, and the fewest units that a study needs.

Plain Python, because loading `scipy.optimize` takes 0.14 to 0.2 s, as long as a small comparison.
"""

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Any

import numpy as np

POWER = 0.8
"""80% power: the usual aim."""


def root(
    excess: Callable[[float], float], low: float, high: float, *, tolerance: float = 1e-12, relative: float = 1e-12
) -> float:
    """Return where a monotone function crosses zero between two ends, to within `tolerance` + `relative` · |root|.

    Of the last two points it is the one at which the function is not negative, so that a target is reached there by a
    function with steps, too. It is NaN where the function has the same sign at both ends, or is NaN.

    Examples
    --------
    >>> round(root(lambda x: x**3 - 8, 0.0, 5.0), 6), root(lambda x: x + 1, 0.0, 1.0)
    (2.0, nan)
    """
    x1, x2 = low, high
    f1, f2 = excess(x1), excess(x2)
    if f1 == 0 or f2 == 0:
        return x1 if f1 == 0 else x2
    if (f1 < 0) == (f2 < 0):
        return math.nan
    # Chandrupatla (1997), Advances in Engineering Software 28: inverse quadratic interpolation where three points allow
    # it, halving elsewhere. x1 is the last point, x2 lies on the other side of the root, x3 is the point before.
    share = 0.5
    while True:
        x = x1 + share * (x2 - x1)
        f = excess(x)
        if math.isnan(f):
            return math.nan
        if (f < 0) == (f1 < 0):
            x3, f3 = x1, f1
        else:
            x3, f3, x2, f2 = x2, f2, x1, f1
        x1, f1 = x, f
        nearest = (tolerance + relative * abs(x1 if abs(f1) < abs(f2) else x2)) / abs(x2 - x1)
        if f1 == 0 or nearest > 0.5 or math.nextafter(x1, x2) == x2:
            return x1 if f1 >= 0 else x2
        xi, phi = (x1 - x2) / (x3 - x2), (f1 - f2) / (f3 - f2)
        share = 0.5
        if phi**2 < xi and (1 - phi) ** 2 < 1 - xi:
            share = f1 / (f2 - f1) * f3 / (f2 - f3) + (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f3 - f2)
        share = min(1 - nearest, max(nearest, share))


def edge(reached: Callable[[Any], Any], low: Any, high: Any, *, halvings: int) -> Any:
    """Return the smallest number from which a target is reached, by halving; it is reached at `high`.

    Of arrays, that of each element.

    Examples
    --------
    >>> float(edge(lambda x: x >= 3, 0.0, 4.0, halvings=30))
    3.0
    >>> edge(lambda x: x**2 >= [1, 2], np.zeros(2), 2.0, halvings=9)
    array([1.        , 1.41796875])
    """
    for _ in range(halvings):
        middle = (low + high) / 2
        enough = reached(middle)
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return high


def outward(reached: Callable[[float], bool], start: float, *, most: float = math.inf) -> float:
    """Return a number at which a target is reached: the first that doubling finds; NaN if `most` is too small.

    Examples
    --------
    >>> outward(lambda x: x >= 7, 1.0), outward(lambda x: x >= 7, 1.0, most=5.0)
    (8.0, nan)
    """
    end = min(start, most)
    while not reached(end):
        if not 0 < end < most or math.isinf(2 * end):
            return math.nan
        end = min(most, 2 * end)
    return end


def fewest(
    reached: Callable[[int], bool],
    *,
    most: int,
    least: int = 2,
    guess: int | None = None,
    step: float = 2.0,
    precision: float = 0.0,
) -> int | None:
    """Return the smallest whole number, from `least`, that reaches a target; None if `most` does not.

    Power grows with the number, apart from simulation noise and the steps of exact tests. The target is bracketed in
    growing steps from a guess, and the bracket is halved, down to `precision` as a share of the number.

    Examples
    --------
    >>> fewest(lambda n: n >= 77, most=1000), fewest(lambda n: n >= 77, most=50)
    (77, None)
    """
    if most < least:
        return None
    low, high, factor = least - 1, max(least, min(guess or least, most)), step
    while not reached(high):
        if high == most:
            return None
        low, high, factor = high, min(most, math.ceil(factor * high)), 1.3 * factor
    factor = step
    while low == least - 1 and high > least:
        below = max(least, math.floor(high / factor))
        if not reached(below):
            low = below
            break
        high, factor = below, 1.3 * factor
    while high - low > max(1, math.floor(precision * high)):
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def units_needed(n: float, standard_error: float, advantage: float, *, alpha: float, sides: int = 2) -> float:
    """Return how many units a study needs for 80% power at an advantage, from the standard error that `n` units have.

    The error shrinks with the root of the number: n · ((z₁ + z₂) · error / advantage)², where z₁ belongs to the level
    of the test and z₂ to the power.

    Examples
    --------
    >>> round(units_needed(100, 0.1, 0.1, alpha=0.05))
    785
    """
    normal = NormalDist()
    reach = normal.inv_cdf(1 - alpha / sides) + normal.inv_cdf(POWER)
    return n * (reach * standard_error / advantage) ** 2
