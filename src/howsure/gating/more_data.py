"""How many more items, or runs, would decide an inconclusive gate.

The rule is predictive (flat prior): what is known of the difference, with its error, and the error that more data would
have. It answers for data that come anew: those at hand have been looked at.
"""

import math
from dataclasses import dataclass

import numpy as np

from howsure.data.scales import FloatArray
from howsure.documents.numbers import counted

TARGET = 0.8
"""The probability with which the number named decides the gate."""

MOST = 200
"""The largest number that is named, in multiples of the items at hand: beyond it nothing decides."""

STEPS = 400


@dataclass(frozen=True, slots=True)
class MoreData:
    """What would decide an inconclusive gate.

    Attributes
    ----------
    n_items : int or None
        How many new items decide it with probability `probability`, either way; None where no reasonable number does.
    n_runs : int or None
        How many runs of each model on the same items do; None where runs cannot, or were not repeated.
    probability : float
        The probability of a verdict with that many, unless the true difference is close to the edge.
    at_edge : float
        The probability of a verdict where the true difference is at the edge, whatever the number.
    """

    n_items: int | None
    n_runs: int | None
    probability: float
    at_edge: float

    @property
    def sentence(self) -> str:
        """What it takes, with its condition."""
        if self.n_items is None and self.n_runs is None:
            return (
                "The difference lies so close to the margin that no reasonable number of items is likely to decide it."
            )
        ways = [] if self.n_items is None else [f"about {counted(self.n_items, 'new item')}"]
        ways += [] if self.n_runs is None else [f"about {counted(self.n_runs, 'run')} of each model on the same items"]
        said = " or ".join(ways)
        return (
            f"{said[0].upper()}{said[1:]} would decide it with {100 * self.probability:.0f}% probability, unless the "
            "true difference is close to the margin: then nothing does."
        )


def new_items(
    distances: tuple[float, ...],
    *,
    item_error: float,
    fixed_error: float,
    n: int,
    critical: float | tuple[float, float],
    probability: float = TARGET,
) -> int | None:
    """Return the least number of new items that decide with this probability, or None.

    Parameters
    ----------
    distances : tuple of float
        How far the estimate lies from each edge of the claim's region, positive inside.
    item_error, fixed_error : float
        The parts of the standard error that more items do, and do not, make smaller.
    n : int
        The items at hand.
    critical : float, or two of them
        The normal quantile from which new data decide; for a pass and for a fail where these differ.

    Examples
    --------
    The estimate lies on the edge: half of what it may be is too close to it for any number of items.

    >>> new_items((0.0,), item_error=0.02, fixed_error=0.0, n=100, critical=1.645)
    4200
    >>> new_items((0.05,), item_error=0.03, fixed_error=0.0, n=100, critical=1.645)
    450
    """
    sizes = np.unique(np.round(np.geomspace(max(2, n // 20), MOST * n, STEPS)).astype(np.int64))
    known = item_error**2 + fixed_error**2
    # Raters stay the same; their part is not seen by the new interval's own error alone, so it counts in both.
    future = item_error**2 * n / sizes + fixed_error**2
    chance = verdict_chance(distances, known, future, critical)
    enough = np.flatnonzero(chance >= probability)
    return _two_digits(int(sizes[enough[0]])) if enough.size else None


def new_runs(
    distances: tuple[float, ...],
    *,
    between: float,
    within: float,
    runs: float,
    critical: float,
    probability: float = TARGET,
) -> int | None:
    """Return how many runs of each model on the same items decide; None where the items themselves leave too much.

    `between` and `within` are the parts of the variance of the mean: by items, and by `runs` runs of them.
    """
    counts = np.unique(np.round(np.geomspace(1, 100, 60)).astype(np.int64))
    chance = verdict_chance(distances, between + within, between + within * runs / counts, critical)
    enough = np.flatnonzero(chance >= probability)
    return int(counts[enough[0]]) if enough.size and counts[enough[0]] > runs else None


def verdict_chance(
    distances: tuple[float, ...], known: float, future: FloatArray, critical: float | tuple[float, float]
) -> FloatArray:
    """Return how probable a verdict is, for each variance that new data would have.

    The true distance is normal around the one seen, with the variance `known`; new data decide where their own
    estimate lies `critical` standard errors from every edge that matters.
    """
    from scipy.special import ndtr

    to_pass, to_fail = critical if isinstance(critical, tuple) else (critical, critical)
    spread, reach = np.sqrt(known + future), to_pass * np.sqrt(future)
    outside = sum(ndtr((-distance - to_fail * np.sqrt(future)) / spread) for distance in distances)
    if len(distances) == 1:
        inside = ndtr((distances[0] - reach) / spread)
    else:
        lower, upper = distances
        inside = np.maximum(0.0, ndtr((upper - reach) / spread) - ndtr((-lower + reach) / spread))
    return np.asarray(inside + outside)


def _two_digits(n: int) -> int:
    """Return the number with two digits: it is no better known."""
    places = max(0, math.floor(math.log10(n)) - 1)
    return int(math.ceil(n / 10**places) * 10**places)
