"""How many units a study needs, from the standard error that it has: the first forecast, before any simulation."""

from statistics import NormalDist

POWER = 0.8
"""80% power: the usual aim."""


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
