"""How values are written for a reader: one place for digits, undefined values and intervals.

A number with an error has as many decimals as two digits of its standard error have, so that rounding moves it by a
twentieth of its error at most. The standard error of an interval is taken to be a quarter of its width. Numbers without
an error have four digits, p-values two. Shares (a power, a rate) have three decimals at most, and what is not all of it
is not written as 1.
"""

import math
from fractions import Fraction
from typing import Any

from howsure.documents.document import BETWEEN, Kind, Measured
from howsure.documents.names import short

UNDEFINED = "undefined"
LONGEST_CELL = 500
"""The most letters of a text in a table: some 20 lines of a narrow column."""
PLAIN = 7
"""More decimals than these are written with an exponent."""
HUGE = 1e15
"""From here on a number is written with an exponent: not all of its digits before the point are known."""
LONGEST = 1e21
"""From here on also a score beside another has an exponent; below, all digits are written where the two differ late."""
SAME = 1e-9
"""Scores subtract to their difference up to this part of them: what is left is rounding of sums."""
NEXT_TO_0 = 1e-5
"""An end of an interval below this part of the other one is shown as 0: it says that 0 does not belong to it."""
ROUNDING = 1e-12
"""What is smaller than this part of the numbers around it is left by rounding, and shown as 0."""


def shown(value: Any, kind: Kind = "number") -> str:
    """Return a value as a reader sees it; text stays as it is, without its middle where it is very long.

    Examples
    --------
    >>> shown(0.123456), shown(12345, "count"), shown(0.25, "percent"), shown((0.1, 0.34), "interval")
    ('0.1235', '12,345', '25%', '0.100 to 0.340')
    >>> shown(math.nan), shown(3.1e-9, "pvalue"), shown(None), shown(Measured(0.123456, 0.02))
    ('undefined', '3.1e-09', '–', '0.123')
    """
    error = math.nan
    if isinstance(value, Measured):
        value, error = value.value, value.error
    if value is None:
        return "–"
    if isinstance(value, str):
        return short(value, LONGEST_CELL)
    if kind in BETWEEN:
        return interval(*_ends(value), error) if kind == "interval" else shares(*_ends(value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if math.isnan(value):
        return UNDEFINED
    if kind == "count":
        return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.4g}"
    if kind == "percent":
        return _percent(value) if math.isnan(error) else f"{number(100 * value, 100 * error)}%"
    if kind == "pvalue":
        return pvalue(value, error)
    if kind == "share":
        return share(value, error)
    return number(value, error)


def number(value: float, error: float = math.nan) -> str:
    """Return a number with the decimals that its standard error leaves; without one, four digits.

    Examples
    --------
    >>> number(0.123456, error=0.02), number(0.123456), number(12345.6, error=1200), number(-0.0001, error=0.1)
    ('0.123', '0.1235', '12,300', '0.00')
    >>> number(50.95, error=5900), number(1.4, error=5900)
    ('51', '1')
    """
    if math.isnan(value):
        return UNDEFINED
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    places = decimals(error, value)
    if places is not None:
        if places < 0 and value:  # an error of thousands does not turn 51 into 100: two digits stay, or the units
            places = min(0, max(places, 1 - math.floor(math.log10(abs(value)))))
        return _fixed(value, places)
    if abs(value) >= 1000 and abs(value) < HUGE:
        return minus(f"{value:,.0f}" if abs(value) >= 10_000 or float(value).is_integer() else f"{value:.4g}")
    return minus(f"{value:.4g}")


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


def rough(value: float, beside: float = 0.0) -> str:
    """Return two digits: of a standard error, or of a number that is as rough as one.

    Examples
    --------
    >>> rough(0.01234), rough(123.4), rough(1.0), rough(8.7e-19), rough(8.7e-19, beside=1.0)
    ('0.012', '120', '1.0', '8.7e-19', '0')
    """
    return "0" if abs(value) <= ROUNDING * abs(beside) else number(value, abs(value))


def plainly(value: float, error: float = math.nan) -> str:
    """Return what the error leaves; without one three digits, and none that are only zeros: it may be exact.

    Examples
    --------
    >>> plainly(0.123456), plainly(0.5), plainly(1039.76), plainly(0.123456, error=0.2)
    ('0.123', '0.5', '1,040', '0.12')
    """
    return number(value, error) if decimals(error, value) is not None else number(float(f"{value:.3g}"))


def share(value: float, error: float = math.nan, most: int = 3) -> str:
    """Return a share between 0 and 1, such as a power, with `most` decimals or the fewer that its error leaves.

    What is not all is not shown as 1, nor what is something as 0: not an estimate between them, and not one at the end
    whose interval reaches less far than the last decimal.

    Examples
    --------
    >>> share(0.81234), share(0.81234, most=2), share(0.99987), share(1.0), share(0.81234, error=0.4)
    ('0.812', '0.81', '> 0.999', '1.000', '0.81')
    >>> share(1.0, error=0.0001), share(0.0, error=0.0001), share(1.0, error=0.04)
    ('> 0.999', '< 0.001', '1.000')
    """
    if math.isnan(value):
        return UNDEFINED
    known = decimals(error)
    places = most if known is None else max(1, min(most, known))
    said, last = f"{value:.{places}f}", 10.0**-places
    sure = known is None or 4 * error <= last
    if sure and float(said) == 1 and (value < 1 or known is not None):
        return f"> {1 - last:.{places}f}"
    if sure and float(said) == 0 and (value > 0 or known is not None):
        return f"< {last:.{places}f}"
    return said


def shares(low: float, high: float) -> str:
    """Return the interval of a share: three decimals at most, more where an end would be shown as 0 or 1.

    Examples
    --------
    >>> shares(0.7, 0.81234), shares(0.999631, 1.0), shares(0.0, 0.17)
    ('0.700 to 0.812', '0.9996 to 1.0000', '0.000 to 0.170')
    """
    if math.isnan(low) or math.isnan(high):
        return UNDEFINED
    inside = [min(end, 1 - end) for end in (low, high) if 0 < end < 1]
    most = max([3, *(math.ceil(-math.log10(distance)) for distance in inside)])
    known = decimals(error_of((low, high)))
    places = most if known is None else max(1, min(most, known))
    return f"{low:.{places}f} to {high:.{places}f}"


def pvalue(value: float, error: float = math.nan) -> str:
    """Return two digits of a p-value, fewer where its Monte-Carlo error leaves fewer."""
    if math.isnan(value):
        return UNDEFINED
    places = decimals(error, value)
    if value <= 0 or places is None or places >= 1 - math.floor(math.log10(value)):
        return f"{value:.2g}"
    return f"{value:.1g}"


def in_words(shown: str) -> str:
    """Return a p-value as it stands in a sentence.

    Examples
    --------
    >>> in_words("0.041"), in_words("< 0.0002"), in_words("1.4e-07"), in_words("undefined")
    ('= .041', '< .0002', '= 1.4e-07', 'undefined')
    """
    if shown == UNDEFINED:
        return shown
    sign, _, value = shown.rpartition(" ")
    return f"{sign or '='} {value.removeprefix('0') if value.startswith('0.') else value}"


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
    finite = [end for end in (low, high) if math.isfinite(end)]
    places = decimals(known, max(map(abs, finite)))
    texts = [number(low), number(high)] if places is None else _ends_at(low, high, places)
    if math.isinf(high):
        return f"at least {texts[0]}"
    if math.isinf(low):
        return f"at most {texts[1]}"
    return f"{texts[0]} to {texts[1]}"


def _ends_at(low: float, high: float, places: int) -> list[str]:
    """Return both ends with these decimals; more where an end would be written as 0 and is not.

    Ends are not rounded to tens or hundreds: 998 is not written as 1,000, which may be impossible, nor is 4 as 0.
    """
    finite = [end for end in (low, high) if math.isfinite(end)]
    largest = max(map(abs, finite))
    places = max(places, 0) if largest < HUGE else places
    hidden = [end for end in finite if abs(end) > NEXT_TO_0 * largest]
    places = next((more for more in range(places, places + 5) if all(round(end, more) for end in hidden)), places)
    return [_fixed(end, places) if math.isfinite(end) else "" for end in (low, high)]


def subtracted(first: float, second: float, difference: float, ends: Any) -> tuple[str, str, str, str]:
    """Return two scores, how far they are apart, and the interval of that as text: what is written subtracts.

    Scores and difference have the decimals that the interval leaves; one more where the rounded scores do not subtract
    to the rounded difference; and as many as it takes, up to four, where the scores would look equal and are not. What
    is written of the difference is that of the written scores. Scores that do not subtract before they are rounded are
    written by themselves: they are not of the same items.

    Parameters
    ----------
    first, second : float
    difference : float
        Its size is written, without a sign.
    ends : ConfidenceInterval or pair of float
        The interval of the difference, in the direction in which its size is positive.

    Examples
    --------
    >>> subtracted(3.3571, 2.9522, 0.4049, (0.01, 0.8))
    ('3.357', '2.952', '0.405', '0.01 to 0.80')
    >>> subtracted(52.351, 1.402, 50.949, (0.4, 997.6))
    ('52', '1', '51', '0.4 to 997.6')
    >>> subtracted(1e16 + 2, 1e16, 2.0, (math.nan, math.nan))
    ('10,000,000,000,000,002', '10,000,000,000,000,000', '2', 'undefined')
    """
    low, high = _ends(ends)
    size, largest = abs(difference), max(abs(first), abs(second))
    error = error_of((low, high), size)
    shown = interval(low, high, error)
    if not math.isfinite(largest + size) or abs(abs(first - second) - size) > SAME * largest:
        return number(first, error), number(second, error), number(size, error), shown
    exact = [Fraction(first), Fraction(second), Fraction(size)]
    if abs(abs(first - second) - size) > 1e-6 * size:  # means of large numbers are rounded more than their difference
        exact[1] = exact[0] - (exact[2] if first >= second else -exact[2])
    start = decimals(error, size)
    if start is None:  # four digits of the larger score, without zeros that all of them end in
        start = max(0, 3 - math.floor(math.log10(largest))) if largest else 0
        while start and not any(_rounded(value, start) % 10 for value in exact):
            start -= 1
    elif size < HUGE:  # as for the ends of intervals
        start = max(start, 0)
    one, other, by = (_rounded(value, start) for value in exact)
    places = start if abs(one - other) == by else start + 1
    tried = [(more, *(_rounded(value, more) for value in exact[:2])) for more in range(places, start + 5)]
    places, one, other = next((each for each in tried if each[1] != each[2] or not size), tried[0])
    return _written(one, places), _written(other, places), _written(abs(one - other), places), shown


def _rounded(value: Fraction, places: int) -> int:
    """Return a number in units of its last decimal."""
    return round(value * Fraction(10) ** places)


def _written(units: int, places: int) -> str:
    """Return a number in units of its last decimal as text; very long ones have an exponent."""
    value = Fraction(units) / Fraction(10) ** places
    if places > PLAIN or abs(value) >= LONGEST or places < 0:
        return minus(f"{float(value):.{max(len(str(abs(units))) - 1, 0)}e}") if units else "0"
    whole, rest = divmod(abs(units), 10**places)
    return minus(f"{'-' if units < 0 else ''}{whole:,}{f'.{rest:0{places}d}' if places else ''}")


def _percent(value: float) -> str:
    """Return three digits of a percentage; what is not all is not shown as 100%."""
    said = f"{100 * value:.3g}%"
    return "> 99.9%" if said == "100%" and value < 1 else said


def _fixed(value: float, places: int) -> str:
    """Return a number with so many decimals; tens, hundreds and so on where they are negative."""
    near = round(value, places) + 0.0
    if places <= PLAIN and abs(near) < HUGE:
        return minus(f"{near:,.{max(places, 0)}f}")
    if not near:
        return "0"
    return minus(f"{value:.{max(places + math.floor(math.log10(abs(near))), 0)}e}")


def minus(said: str) -> str:
    """Return a number with a minus sign in place of the hyphen before it."""
    return f"−{said[1:]}" if said.startswith("-") else said


def _ends(value: Any) -> tuple[float, float]:
    if hasattr(value, "low"):
        return value.low, value.high
    low, high = value
    return low, high


def listed(names: Any, most: int = 10) -> str:
    """Return "a, b, c and 7 more"."""
    known = list(names)
    rest = len(known) - most
    return ", ".join(map(str, known[:most])) + (f" and {rest:,} more" if rest > 0 else "")


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


def about(n: float) -> str:
    """Return a number with the two digits that such a forecast has, rounded up.

    Examples
    --------
    >>> about(784.9), about(1_234_567), about(7.2)
    ('790', '1,300,000', '8')
    """
    if not math.isfinite(n):
        return "an unlimited number of"
    step = 10 ** max(0, math.floor(math.log10(max(n, 1))) - 1)
    return f"{math.ceil(n / step - 1e-9) * step:,}"
