"""Which interval a comparison gives: the kinds that a metric can have, and the default by measured coverage."""

import math
from dataclasses import replace
from typing import Any

from howsure import inference
from howsure.inference import ConfidenceInterval
from howsure.metrics import Metric
from howsure.raters.combined_error import CombinedError
from howsure.scales import FloatArray

SCORES = "item scores, resampled items and all responses"
NEEDED = dict.fromkeys(("bca", "t"), "resampled items and all responses") | dict.fromkeys(
    ("studentised", "symmetric", "score"), SCORES
)
"""What each kind of interval needs, in words; percentile and basic need draws alone."""


def can_have(method: str, metric: Metric, *, resamples_items: bool) -> bool:
    """Whether a metric has this interval; `resamples_items`: items are drawn, all their responses and raters kept."""
    return method not in NEEDED or (resamples_items and (metric.additive or method in ("bca", "t")))


def default_interval(
    metric: Metric, advantages: FloatArray | None = None, *, resamples_items: bool, clustered: bool = False
) -> str:
    """Return the kind with the best measured coverage (docs/audit-defaults.md) of those the metric can have.

    Whether item advantages are −c, 0 or c depends on `advantages`, not on the metric: tied votes are shared, and with
    single labels other metrics have such advantages, too. Without `advantages`, no vote is assumed to be tied.
    """
    if not resamples_items or not (metric.additive or metric.regular):
        return "percentile"
    if not metric.additive:
        return "t"
    signs = metric.counts_items if advantages is None else inference.are_signs(advantages, span=metric.span)
    if not signs or clustered:
        return "symmetric"
    many = advantages is None or 2 * inference.telling(advantages) > advantages.size
    return "bca" if metric.relative and many else "score"


def limits_of(
    method: str,
    draws: FloatArray,
    *,
    estimate: float,
    error: CombinedError | None,
    confidence_level: float,
    alternative: str,
    span: float = math.inf,
    **known: Any,
) -> ConfidenceInterval:
    """Return the interval of a method; "t" is Student's, from the error of items and raters where raters are drawn.

    With raters it stays within the metric's possible advantages (`span`).
    """
    if method == "t" and error is not None:
        found = error.interval(estimate, confidence_level=confidence_level, alternative=alternative)
        low, high = (end if math.isinf(end) else max(-span, min(span, end)) for end in (found.low, found.high))
        return found if math.isnan(found.low) else replace(found, low=low, high=high)
    return inference.interval(
        method,
        draws,
        estimate=estimate,
        confidence_level=confidence_level,
        alternative=alternative,
        span=span,
        **known,
    )
