"""Which interval a comparison gives by default: of those that its metric can have, the one with the best coverage.

The coverage of each kind was measured (docs/evidence/levels.md). Each of the studentised interval's two
quantiles is less certain than the one of |t| that the symmetric interval takes: it covers where studentised is one to
two points short, and, unlike Student's, where advantages are skewed. From some hundred items on, Edgeworth's correction
of Student's covers as well as the symmetric one and needs no resamples. A comparison brings its interval in agreement
with its test (`comparison/agreeing_interval.py`).
"""

from typing import Any

from howsure.data.scales import FloatArray
from howsure.inference.estimate import tails_of
from howsure.intervals import INTERVALS
from howsure.intervals.direct import are_signs, enough
from howsure.intervals.interval import Interval


def default_interval(
    metric: Any,
    advantages: FloatArray | None = None,
    *,
    items_alone: bool,
    n_clusters: int | None = None,
    formula: bool = True,
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
) -> Interval:
    """Return the kind with the best measured coverage of those the metric can have.

    Whether item advantages are −c, 0 or c depends on `advantages`, not on the metric: tied votes are shared, and with
    single labels other metrics have such advantages, too. Without `advantages`, no vote is assumed to be tied, and
    items are assumed to be few. `n_clusters` is None where items stand alone. `formula` says whether resamples may be
    done without.
    """
    if not items_alone or not (metric.additive or metric.regular):
        return INTERVALS["percentile"]
    if not metric.additive:
        return INTERVALS["t"]
    signs = metric.counts_items if advantages is None else are_signs(advantages, span=metric.span)
    if n_clusters is not None:  # a bootstrap of clusters says nothing about a large one that it leaves out
        possible = 0.5**n_clusters <= tails_of(confidence_level, alternative)[0]
        return INTERVALS["sign-flip" if possible else "t"]
    if signs:
        return INTERVALS["score"]
    if formula and advantages is not None and enough(advantages, confidence_level, alternative):
        return INTERVALS["edgeworth"]
    return INTERVALS["symmetric"]
