"""Which interval a comparison gives: the kinds that a metric can have, and the default by measured coverage."""

from typing import Any

from assay import inference
from assay.inference import CombinedError, ConfidenceInterval
from assay.metrics import Metric
from assay.scales import FloatArray

SCORES = "item scores, resampled items and all responses"
NEEDED = {"bca": "resampled items and all responses"} | dict.fromkeys(
    ("studentised", "symmetric", "score", "t"), SCORES
)
"""What each kind of interval needs, in words; percentile and basic need draws alone."""


def can_have(method: str, metric: Metric, *, resamples_items: bool) -> bool:
    """Whether a metric has this interval; `resamples_items`: items are drawn, all their responses and raters kept."""
    return method not in NEEDED or (resamples_items and (metric.additive or method == "bca"))


def default_interval(metric: Metric, *, resamples_items: bool, clustered: bool = False) -> str:
    """Return the kind with the best measured coverage (docs/audit-defaults.md) of those the metric can have."""
    if not (resamples_items and metric.additive):
        return "percentile"
    if metric.three_valued and not clustered:
        return "bca" if metric.relative else "score"
    return "symmetric"


def limits_of(
    method: str,
    draws: FloatArray,
    *,
    estimate: float,
    error: CombinedError | None,
    confidence_level: float,
    alternative: str,
    **known: Any,
) -> ConfidenceInterval:
    """Return the interval of a method; "t" is Student's, from the error of items and raters where raters are drawn."""
    if method == "t" and error is not None:
        return error.interval(estimate, confidence_level=confidence_level, alternative=alternative)
    return inference.interval(
        method, draws, estimate=estimate, confidence_level=confidence_level, alternative=alternative, **known
    )
