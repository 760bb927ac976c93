"""Looking whenever you like: bets against the edge of the margin, exact at every number of items.

Whoever bets that the candidate is better than the edge multiplies a capital of 1 by 1 + b · (difference − edge) at each
item, with a share b that cannot lose everything. At the edge, or below it, such a capital grows beyond 1/α with
probability α at most, however often one looks (Ville 1939). The capital is spread over five fixed bets (a mixture of
the capital processes of Waudby-Smith and Ramdas 2024), so it does not depend on the order of the items seen.
Differences without a limit have no such bet: their sequence holds for many items only (Waudby-Smith et al. 2024).
"""

import math

import numpy as np

from howsure.data.scales import FloatArray
from howsure.gating.gauges import gauge_of
from howsure.gating.looks import LookEvidence, evidence_of
from howsure.gating.rule import GateRule

BETS = np.geomspace(0.06, 0.98, 5)
"""The shares of the largest bet that cannot lose everything."""

FIRST = 100
"""An asymptotic sequence decides nothing before this many items."""

TIGHTEST = 400
"""An asymptotic sequence is narrowest at about this many items."""

FUTILE = 0.05
"""A gate is futile where the chance of a pass by its last item is below this."""


def log_capital(differences: FloatArray, edge: float, span: float, *, above: bool) -> float:
    """Return the logarithm of the capital of a bet that the truth lies above (or below) an edge.

    Examples
    --------
    >>> round(log_capital(np.array([1.0, 0.0, 1.0, 1.0]), -0.1, 1.0, above=True), 3)
    1.438
    """
    sign = 1.0 if above else -1.0
    distances = sign * (differences - edge) / span
    bets = BETS / (1 + sign * edge / span)
    logs = np.log1p(bets[:, np.newaxis] * distances).sum(axis=1)
    most = float(logs.max())
    return most + math.log(float(np.exp(logs - most).mean()))


def betting(differences: FloatArray, rule: GateRule, span: float) -> LookEvidence:
    """Return the capital for and against the claim after all items so far, as logarithms."""

    def above(edge: float) -> float:
        return log_capital(differences, edge, span, above=True) if edge > -span else math.inf

    def below(edge: float) -> float:
        return log_capital(differences, edge, span, above=False) if edge < span else math.inf

    gauge, needed = gauge_of(differences, span), -math.log(rule.alpha)
    return evidence_of(above, below, rule, gauge, span=span, critical=needed, method="betting")


def asymptotic(differences: FloatArray, rule: GateRule) -> LookEvidence:
    """Return the distance from the edges in units of the sequence's half-width; undecided before `FIRST` items."""
    gauge = gauge_of(differences, math.inf)
    n, tail = differences.size, 2 * rule.alpha
    # As narrow as possible at TIGHTEST items (Waudby-Smith et al. 2024, appendix).
    rho = (-2 * math.log(tail) + math.log(1 - 2 * math.log(tail))) / TIGHTEST if tail < 1 else 1 / TIGHTEST
    reach = math.sqrt(2 * (n * rho + 1) / (n**2 * rho) * math.log(1 + math.sqrt(n * rho + 1) / tail))
    width = gauge.error * math.sqrt(n) * reach

    def above(edge: float) -> float:
        return (gauge.estimate - edge) / width if n >= FIRST and width > 0 else -math.inf

    def below(edge: float) -> float:
        return (edge - gauge.estimate) / width if n >= FIRST and width > 0 else -math.inf

    return evidence_of(above, below, rule, gauge, span=math.inf, critical=1.0, method="asymptotic")


def chance_of_pass(estimate: float, error: float, n: int, max_units: int, rule: GateRule) -> float:
    """Return the predictive chance that a test of all units by the last one would pass (flat prior).

    It takes the bound of a single look, which is easier to reach than that of a bet: a gate that is futile by this
    chance is futile in any case.
    """
    if n >= max_units or not error > 0:
        return 1.0
    from scipy.special import ndtr

    variance = error**2 * n
    spread = math.sqrt(variance * (1 / n - 1 / max_units))
    reach = rule.critical * math.sqrt(variance / max_units)
    low, high = rule.region
    chance = float(ndtr((estimate - low - reach) / spread))
    return min(chance, float(ndtr((high - estimate - reach) / spread))) if math.isfinite(high) else chance
