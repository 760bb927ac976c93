"""How values are written for a reader: one place for digits, undefined values and intervals."""

import math
from typing import Any

from assay.documents.document import Kind

UNDEFINED = "undefined"


def shown(value: Any, kind: Kind = "number") -> str:
    """Return a value as a reader sees it; text stays as it is.

    Examples
    --------
    >>> shown(0.123456), shown(12345, "count"), shown(0.25, "percent"), shown((0.1, 0.34), "interval")
    ('0.1235', '12,345', '25 %', '0.1 to 0.34')
    >>> shown(math.nan), shown(3.1e-9, "pvalue"), shown(None)
    ('undefined', '3.1e-09', '–')
    """
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    if kind == "interval":
        return interval(*_ends(value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if math.isnan(value):
        return UNDEFINED
    if kind == "count":
        return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.4g}"
    if kind == "percent":
        return f"{100 * value:.3g} %"
    if kind == "pvalue":
        return pvalue(value)
    return number(value)


def number(value: float) -> str:
    """Return four digits of a number; whole numbers in full."""
    if math.isnan(value):
        return UNDEFINED
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if abs(value) >= 1000 and abs(value) < 1e15:
        return f"{value:,.0f}" if abs(value) >= 10_000 or float(value).is_integer() else f"{value:.4g}"
    return f"{value:.4g}"


def pvalue(value: float) -> str:
    """Return two digits of a p-value."""
    return UNDEFINED if math.isnan(value) else f"{value:.2g}"


def interval(low: float, high: float) -> str:
    """Return "low to high", "at least low" or "at most high"."""
    if math.isnan(low) or math.isnan(high):
        return UNDEFINED
    if math.isinf(low) and math.isinf(high):
        return "any"
    if math.isinf(high):
        return f"at least {number(low)}"
    if math.isinf(low):
        return f"at most {number(high)}"
    return f"{number(low)} to {number(high)}"


def _ends(value: Any) -> tuple[float, float]:
    if hasattr(value, "low"):
        return value.low, value.high
    low, high = value
    return low, high


def listed(names: Any, most: int = 10) -> str:
    """Return "a, b, c and 7 more"."""
    known = [str(name) for name in names]
    rest = len(known) - most
    return ", ".join(known[:most]) + (f" and {rest} more" if rest > 0 else "")


def joined(names: Any, most: int = 8) -> str:
    """Return "a, b and c", or "a, b, c and 7 more"."""
    known = [str(name) for name in names]
    if len(known) > most or len(known) < 2:
        return listed(known, most)
    return f"{', '.join(known[:-1])} and {known[-1]}"
