"""The interval that a comparison gives: it excludes 0 exactly where the exchange test rejects that A and B are equal.

Test and interval are computed in different ways, each because it is the better one at its task: exchanges give an exact
p-value, but the set of differences that they do not reject covers badly where A and B are equal on most items (79.7% at
worst, docs/evidence/intervals.md). So the interval is the one that covers, and about a single difference, 0, the test
decides. Where the two disagree, the end next to 0 is moved to where the test puts it.
"""

import math
from dataclasses import replace

import numpy as np

from howsure.data.scales import Scale
from howsure.inference.estimate import ConfidenceInterval, tails_of
from howsure.inference.evidence import Evidence
from howsure.intervals import Interval
from howsure.intervals.inverted_test import lowest_kept, units_of
from howsure.metrics import Metric
from howsure.nulls.null import Null


def interval_of(
    method: Interval,
    evidence: Evidence,
    null: Null,
    confidence_level: float,
    alternative: str,
    *,
    largest: float = math.inf,
) -> ConfidenceInterval:
    """Return the interval of the first row of evidence, in agreement with the p-value of its null about 0.

    No end lies beyond the largest difference that the scale allows.
    """
    interval = method.limits(evidence, confidence_level, alternative)
    low, high = (end if math.isinf(end) else min(max(end, -largest), largest) for end in (interval.low, interval.high))
    if not math.isnan(low):
        interval = replace(interval, low=low, high=high)
    # An interval of item scores that was asked for as it is, such as Student's, stays as it is.
    is_free = evidence.items.shape[1] > 0 and not method.yields_to_test
    if is_free or not null.flips or math.isnan(interval.low):
        return interval

    pvalue = null.pvalues(evidence, alternative)[0].pvalue
    rejects = pvalue <= interval.alpha
    if math.isnan(pvalue) or rejects == interval.excludes_zero:
        return interval

    estimate = float(evidence.estimates[0])
    is_low = estimate > 0 if alternative == "two-sided" else alternative == "greater"
    tail = tails_of(confidence_level, alternative)[0]
    end = _end_of_test(evidence, tail) if is_low else -_end_of_test(_swapped(evidence), tail)
    moved = replace(interval, low=end) if is_low else replace(interval, high=end)
    if not math.isnan(end) and rejects == moved.excludes_zero:
        return moved
    # The test has no such end. With too few items for any p-value to be small enough, 0 belongs to the interval; with
    # too few random exchanges it is not known whether it does.
    if rejects or not (evidence.exact or _has_exact_tails(evidence)):
        return interval
    return replace(interval, low=min(interval.low, 0.0), high=max(interval.high, 0.0))


def largest_difference(metric: Metric, scale: Scale) -> float:
    """Return the largest difference that two models can have: the metric's own limit, or that of an ordinal scale."""
    of_numbers = metric.additive and "nominal" not in metric.kinds and not metric.ignores
    if math.isfinite(metric.span) or not of_numbers or scale.kind != "ordinal" or not scale.levels:
        return metric.span
    return float((max(scale.levels) - min(scale.levels)) ** max(1, metric.error_power))


def _has_exact_tails(evidence: Evidence) -> bool:
    """Whether the tails of all exchanges were computed, not counted."""
    return evidence.flips is not None and evidence.flips[0] is not None


def _end_of_test(evidence: Evidence, tail: float) -> float:
    """Return the lower end that the exchange test gives; NaN where it has none.

    With item scores it is the smallest difference that is not rejected (`SignFlipInterval`). Without, it is the
    advantage less the largest one that `tail` of the exchanges reach: those of the data as they are, not of data moved
    by a difference. That is the same at 0, which is where this end is needed.
    """
    if _has_exact_tails(evidence):
        sums, sizes = units_of(evidence)
        error = float(evidence.errors[0])
        enough = error > 0 and 0.5**sizes.size <= tail
        return lowest_kept(sums[0], sizes, tail, error) if enough else math.nan
    draws = np.sort(evidence.null_draws[0][~np.isnan(evidence.null_draws[0])])
    # A sample of exchanges counts the data as one more (Phipson and Smyth 2010); a list of all includes them.
    reached = math.floor(tail * draws.size + 1e-9) if evidence.exact else math.floor(tail * (draws.size + 1) + 1e-9) - 1
    if not 0 <= reached < draws.size:
        return math.nan
    return float(evidence.estimates[0] - draws[-1 - reached])


def _swapped(evidence: Evidence) -> Evidence:
    """Return what `_end_of_test` needs with A and B exchanged."""
    return replace(
        evidence,
        estimates=-evidence.estimates,
        jackknife=-evidence.jackknife,
        unit_sums=-evidence.unit_sums,
        null_draws=-evidence.null_draws,
    )
