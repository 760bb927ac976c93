"""Estimates in words: the level of an interval, a value with its interval, p-values with their bounds.

`ends` is a `ConfidenceInterval`, or whatever has `low`, `high` and `confidence_level`. A value and its interval have
the digits that the interval allows; `documents.numbers` says how many these are.
"""

import math
from typing import Any

from howsure.documents import Column, Measured
from howsure.documents import numbers as of
from howsure.documents.numbers import error_of, in_words, number


def ci(confidence_level: float) -> str:
    """Return "95% CI"."""
    return f"{100 * confidence_level:g}% CI"


def bounds(ends: Any, value: float = math.nan) -> str:
    """Return "0.158 to 0.338", "at least 0.158", "without bounds" or "undefined"; one-sided ones have its digits."""
    if math.isinf(ends.low) and math.isinf(ends.high):
        return "without bounds"
    return of.interval(ends.low, ends.high, error_of(ends, value))


def interval(ends: Any, value: float = math.nan) -> str:
    """Return "95% CI 0.158 to 0.338"."""
    return f"{ci(ends.confidence_level)} {bounds(ends, value)}"


def with_interval(value: float, ends: Any) -> str:
    """Return "0.248 (95% CI 0.158 to 0.338)"."""
    return f"{number(value, error_of(ends, value))} ({interval(ends, value)})"


def brief(value: float, ends: Any) -> str:
    """Return "0.248 (0.158 to 0.338)", for a place that names the level once."""
    return f"{number(value, error_of(ends, value))} ({bounds(ends, value)})"


def cells(value: float, ends: Any) -> tuple[Measured, Measured]:
    """Return the cells of a table for a value and its interval."""
    error = error_of(ends, value)
    return Measured(value, error), Measured(ends, error)


def ci_column(confidence_level: float) -> Column:
    """Return the column of a table for intervals."""
    return Column(ci(confidence_level), "interval")


def bounded(pvalue: float, least: float, error: float = math.nan) -> str:
    """Return a p-value as a table shows it: "< 0.0002" where it is the least that the resamples can give.

    Examples
    --------
    >>> bounded(0.0002, 0.0002), bounded(0.04123, 0.0002), bounded(math.nan, 0.0002)
    ('< 0.0002', '0.041', 'undefined')
    """
    return f"{'< ' if pvalue <= least else ''}{of.pvalue(pvalue, error)}"


def p(shown: str) -> str:
    """Return "p = .041" or "p < .0002" of a p-value as a table shows it."""
    return f"p {in_words(shown)}"


def beside_skewness(pvalue: float, n_resamples: int) -> str:
    """Return what stands after p where items are markedly skewed: the p-value that allows for it, in brackets.

    Examples
    --------
    >>> beside_skewness(0.43, 9999), beside_skewness(0.0001, 9999), beside_skewness(math.nan, 9999)
    (' (.43 by a test that allows for skewness)', '', '')
    """
    if not pvalue > (1 + 1e-9) / (n_resamples + 1):  # undefined, or no resample is as extreme
        return ""
    return f" ({in_words(of.pvalue(pvalue)).removeprefix('= ')} by a test that allows for skewness)"
