"""Looking before the end: planned looks whose verdicts together keep the error of one.

Two looks are joined by the inverse normal rule (Lehmacher and Wassmer 1999): each look is tested on its own new items,
and the quantiles are added, so that any number of items may follow the first look. More looks spend the error as
O'Brien and Fleming's boundaries do (Lan and DeMets 1983), on all items so far, up to a number that is declared first.
An open end is a bet (`sequential`).
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise

import numpy as np

from howsure.data.scales import FloatArray
from howsure.errors import ArgumentError
from howsure.gating.gauges import NORMAL, Gauge, gauge_of, not_rejected, p_of
from howsure.gating.rule import GateRule
from howsure.inference.estimate import ConfidenceInterval
from howsure.inference.solving import root

GRID = 1201
"""The points at which the density of a statistic that has not crossed a boundary is computed."""
FAR = 9.0
"""A quantile that no look exceeds."""


@dataclass(frozen=True, slots=True)
class LookEvidence:
    """What a look says of all items so far.

    Attributes
    ----------
    passing, failing : float
        Normal quantiles, or the capital of bets.
    critical : float
        From where they decide.
    estimate, error : float
        Of all units so far.
    interval : ConfidenceInterval
        The differences that no look so far rejects.
    """

    passing: float
    failing: float
    critical: float
    estimate: float
    error: float
    interval: ConfidenceInterval


def two_looks(parts: Sequence[FloatArray], rule: GateRule, span: float) -> LookEvidence:
    """Return the evidence after one or two looks, each on units of its own."""
    gauges = [gauge_of(part, span) for part in parts]
    everything = gauge_of(np.concatenate(list(parts)), span)

    # A look of many items may outweigh, in the sum of quantiles, what the mean of all items says: the evidence that the
    # truth lies beyond an edge is 0 at most where that mean does not.
    def above(edge: float) -> float:
        evidence = added(gauge.above(edge) for gauge in gauges)
        return evidence if edge < everything.estimate else min(evidence, 0.0)

    def below(edge: float) -> float:
        evidence = added(gauge.below(edge) for gauge in gauges)
        return evidence if edge > everything.estimate else min(evidence, 0.0)

    return evidence_of(above, below, rule, everything, span=span, critical=two_look_bound(rule.alpha))


def evidence_of(
    above: Callable[[float], float],
    below: Callable[[float], float],
    rule: GateRule,
    everything: Gauge,
    *,
    span: float,
    critical: float,
    method: str = "",
    level: float | None = None,
) -> LookEvidence:
    """Return what the evidence at the edges of the claim says, and the interval of the edges that it does not reject.

    The verdict follows from the first, the interval from the same functions: a gate passes exactly where its interval
    lies inside the region of the claim.
    """
    low, high = rule.region
    passing = float(np.minimum(above(low), below(high))) if math.isfinite(high) else above(low)
    failing = float(np.maximum(below(low), above(high))) if math.isfinite(high) else below(low)
    estimate, error = everything.estimate, everything.error
    ends = not_rejected(above, below, estimate=estimate, error=error, span=span, critical=critical)
    interval = ConfidenceInterval(*ends, method or everything.method, rule.interval_level if level is None else level)
    return LookEvidence(passing, failing, critical, estimate, error, interval)


def added(quantiles: Iterable[float]) -> float:
    """Return the quantile of independent looks together, with equal weights (inverse normal rule).

    Examples
    --------
    >>> round(added([1.2, 1.5]), 4)
    1.9092
    """
    known = list(quantiles)
    return sum(known) / math.sqrt(len(known))


def spending_looks(
    parts: Sequence[FloatArray], rule: GateRule, span: float, *, planned: int, max_units: int
) -> LookEvidence:
    """Return the evidence after the last of several looks, on all units so far."""
    sizes = np.cumsum([part.size for part in parts]).tolist()
    spent = [1.0 if look == planned else min(1.0, size / max_units) for look, size in enumerate(sizes, 1)]
    critical = spending_bounds(tuple(sizes), tuple(spent), rule.alpha)[-1]
    gauge = gauge_of(np.concatenate(list(parts)), span)
    level = 1 - 2 * max(p_of(critical), 1e-12)
    return evidence_of(gauge.above, gauge.below, rule, gauge, span=span, critical=critical, level=level)


@lru_cache
def two_look_bound(alpha: float) -> float:
    """Return the quantile that two looks of equal weight exceed, one or the other, with probability α.

    Examples
    --------
    >>> round(two_look_bound(0.05), 4)
    1.8754
    """
    from scipy.special import ndtr

    nodes, weights = np.polynomial.legendre.leggauss(200)

    def spare(bound: float) -> float:
        """Return how much less than α the two looks use."""
        at = (nodes + 1) / 2 * (bound + 9) - 9
        density = np.exp(-(at**2) / 2) / math.sqrt(2 * math.pi)
        kept = float((weights * density * ndtr(math.sqrt(2) * bound - at)).sum()) * (bound + 9) / 2
        return alpha - (1 - kept)

    return root(spare, -NORMAL.inv_cdf(alpha), -NORMAL.inv_cdf(alpha / 2))


@lru_cache
def spending_bounds(sizes: tuple[int, ...], spent: tuple[float, ...], alpha: float) -> tuple[float, ...]:
    """Return the bound of each look: O'Brien and Fleming's spending function of the share of the planned items.

    Parameters
    ----------
    sizes : tuple of int
        The units seen at each look, which say how looks depend on each other.
    spent : tuple of float
        The share of the planned units at each look, which says how much of α it may use; 1 at the last.
    alpha : float

    Examples
    --------
    >>> [round(bound, 3) for bound in spending_bounds((1, 2, 3, 4, 5), (0.2, 0.4, 0.6, 0.8, 1.0), 0.05)]
    [4.229, 2.888, 2.298, 1.962, 1.74]
    """
    if any(later <= earlier for earlier, later in pairwise(sizes)):
        raise ArgumentError("each look needs new items.")
    half = -NORMAL.inv_cdf(alpha / 2)
    total = [2 * p_of(half / math.sqrt(share)) if share > 0 else 0.0 for share in spent]
    bounds: list[float] = []
    at, density = np.zeros(1), np.ones(1)  # the sum of all units so far, in standard deviations of one
    step = 1.0
    used = 0.0
    for k, (size, upto) in enumerate(zip(sizes, total, strict=True)):
        more = max(upto - used, 0.0)
        spread = math.sqrt(size - (sizes[k - 1] if k else 0))
        beyond = partial(_beyond, size=size, at=at, mass=density * step, spread=spread)
        bound = FAR if beyond(FAR) >= more else root(lambda z, beyond=beyond, more=more: more - beyond(z), -FAR, FAR)  # type: ignore[misc]
        bounds.append(bound)
        used += beyond(bound)
        new = np.linspace(-FAR * math.sqrt(size), bound * math.sqrt(size), GRID)
        kernel = np.exp(-(((new[:, np.newaxis] - at) / spread) ** 2) / 2) / (spread * math.sqrt(2 * math.pi))
        density = (kernel * density).sum(axis=1) * step
        at, step = new, float(new[1] - new[0])
        density[[0, -1]] /= 2  # trapezoids
    return tuple(bounds)


def _beyond(bound: float, *, size: int, at: FloatArray, mass: FloatArray, spread: float) -> float:
    """Return the probability that a sum which has not crossed a boundary yet crosses this quantile at the next look."""
    from scipy.special import ndtr

    return float((mass * ndtr((at - bound * math.sqrt(size)) / spread)).sum())
