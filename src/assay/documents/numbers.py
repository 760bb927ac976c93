"""How values are written for a reader: one place for digits, undefined values and intervals.

A number with an error has as many decimals as two digits of its standard error have, so that rounding moves it by a
twentieth of its error at most. The standard error of an interval is taken to be a quarter of its width. Numbers without
an error have four digits, p-values two.
"""

import math
from typing import Any

from assay.documents.document import Kind, Measured

UNDEFINED = "undefined"
PLAIN = 7
"""More decimals than these are written with an exponent."""


def shown(value: Any, kind: Kind = "number") -> str:
    """Return a value as a reader sees it; text stays as it is.

    Examples
    --------
    >>> shown(0.123456), shown(12345, "count"), shown(0.25, "percent"), shown((0.1, 0.34), "interval")
    ('0.1235', '12,345', '25 %', '0.100 to 0.340')
    >>> shown(math.nan), shown(3.1e-9, "pvalue"), shown(None), shown(Measured(0.123456, 0.02))
    ('undefined', '3.1e-09', '–', '0.123')
    """
    error = math.nan
    if isinstance(value, Measured):
        value, error = value.value, value.error
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    if kind == "interval":
        return interval(*_ends(value), error)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if math.isnan(value):
        return UNDEFINED
    if kind == "count":
        return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.4g}"
    if kind == "percent":
        return _percent(value) if math.isnan(error) else f"{number(100 * value, 100 * error)} %"
    if kind == "pvalue":
        return pvalue(value, error)
    return number(value, error)


def number(value: float, error: float = math.nan) -> str:
    """Return a number with the decimals that its standard error leaves; without one, four digits.

    Examples
    --------
    >>> number(0.123456, error=0.02), number(0.123456), number(12345.6, error=1200), number(-0.0001, error=0.1)
    ('0.123', '0.1235', '12,300', '0.00')
    """
    if math.isnan(value):
        return UNDEFINED
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    places = decimals(error, value)
    if places is not None:
        return _fixed(value, places)
    if abs(value) >= 1000 and abs(value) < 1e15:
        return f"{value:,.0f}" if abs(value) >= 10_000 or float(value).is_integer() else f"{value:.4g}"
    return f"{value:.4g}"


def decimals(error: float, value: float = 0.0) -> int | None:
    """Return how many decimals two digits of a standard error have; None where there is no error to speak of.

    Examples
    --------
    >>> decimals(0.0123), decimals(1.5), decimals(1234.0), decimals(0.0)
    (3, 1, -2, None)
    """
    if not math.isfinite(error) or not error > 1e-13 * abs(value):
        return None
    return 1 - math.floor(math.log10(error))


def error_of(ends: Any, estimate: float = math.nan) -> float:
    """Return the standard error that an interval stands for: a quarter of its width, or half of its one side.

    Examples
    --------
    >>> error_of((1.0, 3.0)), error_of((1.0, math.inf), estimate=2.0), error_of((math.nan, math.nan))
    (0.5, 0.5, nan)
    """
    low, high = _ends(ends)
    if math.isfinite(low) and math.isfinite(high):
        return (high - low) / 4
    return abs(estimate - (low if math.isfinite(low) else high)) / 2


def measured(value: float, ends: Any) -> Measured:
    """Return a value with the error of its interval, for the cell of a table."""
    return Measured(value, error_of(ends, value))


def as_error(value: float) -> Measured:
    """Return a standard error for the cell of a table, where it has two digits."""
    return Measured(value, abs(value))


def rough(value: float) -> str:
    """Return two digits: of a standard error, or of a number that is as rough as one.

    Examples
    --------
    >>> rough(0.01234), rough(123.4), rough(1.0)
    ('0.012', '120', '1.0')
    """
    return number(value, abs(value))


def pvalue(value: float, error: float = math.nan) -> str:
    """Return two digits of a p-value, fewer where its Monte-Carlo error leaves fewer."""
    if math.isnan(value):
        return UNDEFINED
    places = decimals(error, value)
    if value <= 0 or places is None or places >= 1 - math.floor(math.log10(value)):
        return f"{value:.2g}"
    return f"{value:.1g}"


def interval(low: float, high: float, error: float = math.nan) -> str:
    """Return "low to high", "at least low" or "at most high", both ends with the same decimals.

    The error is that of the width where none is given.

    Examples
    --------
    >>> interval(0.1, 0.34), interval(0.123456, math.inf), interval(0.123456, math.inf, error=0.02)
    ('0.100 to 0.340', 'at least 0.1235', 'at least 0.123')
    """
    if math.isnan(low) or math.isnan(high):
        return UNDEFINED
    if math.isinf(low) and math.isinf(high):
        return "any"
    known = error_of((low, high)) if math.isnan(error) else error
    if decimals(known, max(abs(end) for end in (low, high) if math.isfinite(end))) is None:
        known = math.nan
    if math.isinf(high):
        return f"at least {number(low, known)}"
    if math.isinf(low):
        return f"at most {number(high, known)}"
    return f"{number(low, known)} to {number(high, known)}"


def _percent(value: float) -> str:
    """Return three digits of a percentage; what is not all is not shown as 100 %."""
    said = f"{100 * value:.3g} %"
    return "> 99.9 %" if said == "100 %" and value < 1 else said


def _fixed(value: float, places: int) -> str:
    """Return a number with so many decimals; tens, hundreds and so on where they are negative."""
    near = round(value, places) + 0.0
    if places <= PLAIN:
        return f"{near:,.{max(places, 0)}f}"
    if not near:
        return "0"
    return f"{value:.{max(places + math.floor(math.log10(abs(near))), 0)}e}"


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


def counted(n: int, thing: str) -> str:
    """Return how many there are: "1 item", "1,200 items".

    Examples
    --------
    >>> counted(1, "item"), counted(1200, "item")
    ('1 item', '1,200 items')
    """
    return f"{n:,} {thing}{'s' * (n != 1)}"


def joined(names: Any, most: int = 8) -> str:
    """Return "a, b and c", or "a, b, c and 7 more"."""
    known = [str(name) for name in names]
    if len(known) > most or len(known) < 2:
        return listed(known, most)
    return f"{', '.join(known[:-1])} and {known[-1]}"
