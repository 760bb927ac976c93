"""How large a loss can be: the ends of the scale, which the guards against rare losses need.

They are declared (`range`, or `order`), known from the format (right or wrong answers, votes), or stored at the first
of several looks. They are never the smallest and largest value in the data: where both models score 4 or 5 of 1 to 5,
a few unseen losses may be four times as large as any difference seen. Zeros and ones are no exception: counts of errors
that are 0 or 1 in a sample may be 10 elsewhere.
"""

import math
from collections.abc import Sequence

import numpy as np

from howsure.data.contests import Contest
from howsure.data.scales import OUTCOMES, SHARES
from howsure.documents.numbers import number
from howsure.errors import ArgumentError, DataError
from howsure.metrics import Metric

Range = tuple[float, float]


def parsed_range(ends: Sequence[object]) -> Range | None:
    """Return the declared ends of a scale, None where none were declared.

    Examples
    --------
    >>> parsed_range(("1", "5")), parsed_range((0, "inf")), parsed_range(("0,1",)), parsed_range(())
    ((1.0, 5.0), (0.0, inf), (0.0, 1.0), None)
    """
    if not ends:
        return None
    shown = ",".join(map(str, ends))
    try:
        low, high = map(float, shown.split(","))
    except ValueError:
        low = high = math.nan
    if not low < high:
        raise ArgumentError(f"`range` must be the lowest and the highest possible value, such as 1,5; got {shown}.")
    return low, high


def range_of(contest: Contest, declared: Range | None, *, better: str, stored: str = "") -> Range | None:
    """Return the ends of the scale: declared, else those that the format has; None where nothing says them.

    Parameters
    ----------
    contest : Contest
    declared : tuple of float, optional
    better : {"higher", "lower"}
        Of the metric. Right and wrong answers are better the higher; where lower is better, 0 and 1 are counts.
    stored : str
        The state file that `declared` was read from, for the message about a value beyond it.
    """
    values = [source.values for source in contest.sources.values()]
    lowest, highest = min(float(each.min()) for each in values), max(float(each.max()) for each in values)
    if declared is not None:
        beyond = lowest if lowest < declared[0] else highest
        if declared[0] <= beyond <= declared[1]:
            return declared
        ends = f"{number(declared[0])} to {number(declared[1])}"
        if stored:
            raise DataError(
                f"value {beyond:g} lies outside {ends}, the scale that the first look fixed ({stored}). Correct the "
                "value, or begin another gate with a new state file."
            )
        raise DataError(f"value {beyond:g} lies outside the `range` {ends}. Correct the value or the range.")
    scale = contest.scale
    if scale.kind != "nominal" and scale.levels and scale.declared:
        return min(scale.levels), max(scale.levels)
    return (0.0, 1.0) if scale.reason in (OUTCOMES, SHARES) and better == "higher" else None


def span_of(metric: Metric, scale_range: Range | None) -> float:
    """Return the largest difference that an item can have: infinite without a limit, NaN where the scale must say it.

    Metrics of labels have a limit of their own or none; metrics of numbers have that of the scale.
    """
    if math.isfinite(metric.span) or not metric.additive or "nominal" in metric.kinds:
        return metric.span
    if scale_range is None:
        return math.nan
    return (scale_range[1] - scale_range[0]) ** max(1, metric.error_power)


def required_span(span: float, contest: Contest) -> float:
    """Return the span, or ask for the range of the scale where it is unknown."""
    if not math.isnan(span):
        return span
    values = np.concatenate([source.values for source in contest.sources.values()])
    if np.isin(values, (0.0, 1.0)).all():
        raise ArgumentError(
            "a gate on numbers needs `range`, the lowest and the highest possible value. All values here are 0 or 1: "
            "if they are wrong and right answers, use `range='0,1'`; if they count something, name the largest count."
        )
    raise ArgumentError(
        "a gate on numbers needs `range`, the lowest and the highest possible value, because a rare loss may be as "
        f"large as the scale. The values here, {number(float(values.min()))} to {number(float(values.max()))}, do not "
        "show where the scale ends. Examples: `range='1,5'` for ratings from 1 to 5; `range='0,1'` for shares; "
        "`range='0,inf'` if there is no limit."
    )


def check_margin(margin: float, metric: Metric, scale_range: Range | None) -> None:
    """Refuse a margin that no difference on the scale can reach: it is in another unit."""
    low, high = metric.bounds
    reach, where = high - low, ""
    of_scale = not math.isfinite(metric.span) and "nominal" not in metric.kinds and not metric.ignores
    if of_scale and scale_range is not None:
        reach = min(reach, (scale_range[1] - scale_range[0]) ** max(1, metric.error_power))
        where = f" on the scale from {number(scale_range[0])} to {number(scale_range[1])}"
    if margin < reach or not reach > 0:
        return
    hint = f" Did you mean {margin / 100:g}?" if margin / 100 < reach else ""
    raise ArgumentError(
        f"`margin` must be below {number(reach)}, the range of {metric.name}{where}; got {margin:g}.{hint}"
    )
