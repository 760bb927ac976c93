"""Cells that say how often each label was given, or how likely it is: counts become responses, shares one answer."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from howsure.errors import DataError
from howsure.io._assemble import Rows
from howsure.io._factor import Factor
from howsure.scales import FloatArray, IntArray

MOST_RESPONSES = 50_000_000
"""The most responses that counts may stand for; more would not fit into memory."""

NEAR_ONE = 0.02
"""Shares that are rounded add up to 1 within this."""

COUNT_WORDS = ("count", "prob", "dist", "soft", "share", "freq", "vote", "weight")

Part = Mapping[str, float]


def parsed(cells: pl.Series, rows: Rows, order: Sequence[Any] | None, column: str) -> list[Part]:
    """Read cells that hold JSON: objects (label: number), lists of labels, or lists of one number for each label."""
    found: list[Part] = []
    for row, cell in enumerate(cells.to_list()):
        try:
            value = None if cell is None else json.loads(cell)
        except (ValueError, RecursionError):
            value = cell
        if isinstance(value, list):
            value = _of_list(value, order, f"{rows.place(row)}, column {column!r}", counted=_says_counts(column))
        found.append({} if value is None else _numbers(value, rows, row))
    return found


def _of_list(value: list[Any], order: Sequence[Any] | None, place: str, *, counted: bool) -> dict[str, Any]:
    """Read a list of labels, one for each response, or of numbers, one for each label."""
    if value and all(isinstance(entry, str) for entry in value):
        return dict(Counter(value))
    if not counted:
        raise DataError(
            f"{place} is a list of numbers. Add .* to the name of the column if each number is a response; a list of "
            "counts or probabilities is known by its name (label_count, probs)."
        )
    names = [str(number) for number in range(len(value))] if order is None else [str(name) for name in order]
    if len(names) != len(value):
        raise DataError(f"{place}: {len(value)} numbers for the {len(names)} labels of `order`.")
    return dict(zip(names, value, strict=True))


def _says_counts(column: str) -> bool:
    """Whether a column's name says that it holds counts or shares of labels."""
    return any(word in column.lower() for word in COUNT_WORDS)


def beside(columns: Mapping[str, pl.Series], rows: Rows) -> list[Part]:
    """Read columns that hold the number of each label, one column for a label."""
    cells = {name: column.to_list() for name, column in columns.items()}
    return [
        _numbers({name: column[row] for name, column in cells.items() if column[row] is not None}, rows, row)
        for row in range(len(rows.where))
    ]


def spread(rows: Rows, parts: Sequence[Part]) -> tuple[Rows, pl.Series, list[str]]:
    """Return one row for each response that the parts stand for, its label, and what to tell the user.

    Whole numbers are counts of responses. Other numbers are shares of one answer: they become weights.
    """
    where = np.repeat(np.arange(len(parts)), [len(part) or 1 for part in parts])
    names = [name for part in parts for name in (part or [None])]
    amounts = np.array([amount for part in parts for amount in (part.values() or [1.0])], dtype=np.float64)
    owner = rows.source.codes[where]
    totals = np.bincount(where, amounts, minlength=len(parts)).astype(np.float64)
    soft = [
        number
        for number in range(len(rows.source.names))
        if bool((amounts[owner == number] != np.floor(amounts[owner == number])).any())
    ]
    is_soft = np.isin(owner, soft)
    _refuse_odd_totals(totals, np.isin(rows.source.codes, soft), parts, rows)
    n_responses = amounts[~is_soft].sum()
    if n_responses > MOST_RESPONSES:
        raise DataError(f"the counts add up to {n_responses:,.0f} responses; at most {MOST_RESPONSES:,} can be held.")
    times = np.where(is_soft, (amounts > 0).astype(np.int64), amounts).astype(np.int64)
    chosen = np.repeat(np.arange(where.size), times)
    weights = (amounts / np.where(totals > 0, totals, 1.0)[where])[chosen] if soft else None
    if weights is not None:
        weights[~is_soft[chosen]] = np.nan
    labels = pl.Series(names, dtype=pl.String).gather(chosen)
    return _taken(rows, where[chosen], weights), labels, _told(rows, soft)


def repeated(rows: Rows, cells: pl.Series, counts: pl.Series) -> tuple[Rows, pl.Series, list[str]]:
    """Return each row as often as its count says; counts that are no whole numbers are shares of one answer.

    A row without a count is one response.
    """
    numbers = counts.cast(pl.Float64, strict=False)
    wrong = (
        (numbers.is_null() & counts.is_not_null()) | (numbers < 0).fill_null(False) | numbers.is_nan().fill_null(False)
    )
    if wrong.any():
        row = int(wrong.arg_max() or 0)
        raise DataError(f"{rows.place(row)}: {counts[row]!r} is neither a count nor a share.")
    amounts, owner = numbers.to_numpy(), rows.source.codes
    whole = np.isnan(amounts) | (amounts == np.floor(amounts))
    soft = np.isin(owner, np.unique(owner[~whole]))
    if (amounts[~soft & ~np.isnan(amounts)]).sum() > MOST_RESPONSES:
        raise DataError(f"the counts add up to more than {MOST_RESPONSES:,} responses, which cannot be held.")
    times = np.where(soft, 1, np.where(np.isnan(amounts), 1, amounts)).astype(np.int64)
    chosen = np.repeat(np.arange(times.size), times)
    weights = None
    if soft.any():
        cell = owner * len(rows.item.names) + rows.item.codes
        totals = np.bincount(cell, np.nan_to_num(amounts))[cell]
        odd = soft & (np.abs(totals - 1) > NEAR_ONE)
        if odd.any():
            row = int(np.flatnonzero(odd)[0])
            raise DataError(f"{rows.place(row)}: the shares of this item add up to {totals[row]:g}, not to 1.")
        weights = np.where(soft, amounts / totals, np.nan)[chosen]
    return _taken(rows, chosen, weights), cells.gather(chosen), _told(rows, np.unique(owner[soft]))


def _told(rows: Rows, soft: Any) -> list[str]:
    return [f"{rows.source.names[number]} answers with a share for each label." for number in soft]


def _numbers(value: Any, rows: Rows, row: int) -> Part:
    if not isinstance(value, dict):
        raise DataError(f"{rows.place(row)}: {value!r} is neither one value nor a number for each label.")
    found = {}
    for name, amount in value.items():
        try:
            number = float(amount)
        except (TypeError, ValueError):
            number = np.nan
        if not 0 <= number < np.inf:
            raise DataError(f"{rows.place(row)}: label {name!r} has {amount!r}, which is neither a count nor a share.")
        found[str(name).strip()] = number
    return found if any(found.values()) else {}


def _refuse_odd_totals(totals: FloatArray, soft: Any, parts: Sequence[Part], rows: Rows) -> None:
    filled = np.array([bool(part) for part in parts])
    odd = soft & filled & (np.abs(totals - 1) > NEAR_ONE)
    if odd.any():
        row = int(np.flatnonzero(odd)[0])
        raise DataError(
            f"{rows.place(row)}: the shares of the labels add up to {totals[row]:g}, not to 1; "
            "counts must be whole numbers."
        )


def _taken(rows: Rows, where: IntArray, weights: FloatArray | None) -> Rows:
    """Return these rows; responses that a count stands for have no rater of their own."""
    several = where.size != np.unique(where).size or weights is not None
    raters = None if several or rows.rater is None else Factor(rows.rater.names, rows.rater.codes[where])
    return replace(
        rows,
        item=Factor(rows.item.names, rows.item.codes[where]),
        rater=raters,
        repeat=None,
        source=Factor(rows.source.names, rows.source.codes[where]),
        where=rows.where[where],
        weights=weights,
    )
