"""From rows of codes (item, source, rater, repeat) and their values to a `ResponseTable`.

A cell may also say how often each label was given, or how likely it is: counts become responses, shares one answer.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from howsure.data.response_tables import ResponseTable
from howsure.data.responses import Labels, Responses
from howsure.data.scales import FloatArray, IntArray
from howsure.errors import DataError
from howsure.io.column_names import are_people
from howsure.io.sheets import Sheet
from howsure.io.values import Encoded, Factor, refuse_mixed_sources

WIDEST_ARRAY = 2**28
"""Bytes up to which ids are kept in a fixed-width array; one very long id would make all others as long."""


@dataclass(frozen=True, slots=True, eq=False)
class CodedRows:
    """What is known of each row but its value.

    Attributes
    ----------
    item, source : Factor
        No blank cells.
    rater : Factor or None
    repeat : array of float, optional
        What responses of an item are sorted by; NaN where the cell is blank.
    sheet : Sheet, or what else can say where a row is
    where : array of int
        The row of the sheet that each row comes from.
    weights : array of float, optional
        The share of each row in its source's answer; NaN where a row is a response of its own.
    """

    item: Factor
    source: Factor
    rater: Factor | None
    repeat: npt.NDArray[np.float64] | None
    sheet: Any
    where: IntArray
    weights: npt.NDArray[np.float64] | None = None

    def place(self, row: int) -> str:
        """Say where a row is."""
        return str(self.sheet.place(int(self.where[row])))

    def assemble(self, encoded: Encoded, groups: Mapping[str, Labels], notes: Sequence[str]) -> ResponseTable:
        """Sort the rows by source, item and repeat, and cut them into sources."""
        refuse_mixed_sources(encoded, self.source, self.place)
        kept = np.flatnonzero(encoded.present)
        every = kept.size == encoded.present.size  # then copies would only take memory
        item, source = (codes.codes if every else codes.codes[kept] for codes in (self.item, self.source))
        n_items, n_sources = len(self.item.names), len(self.source.names)
        rater = None if self.rater is None else self.rater.codes if every else self.rater.codes[kept]
        repeat = None if self.repeat is None else self.repeat[kept]
        self._refuse_duplicates(kept, item, source, rater, repeat)
        cell = source * n_items + item
        order = np.argsort(cell, kind="stable") if repeat is None else np.lexsort((repeat, cell))
        sizes = np.bincount(cell, minlength=n_items * n_sources).reshape(n_sources, n_items)
        del cell
        stops = np.cumsum(sizes.sum(axis=1))
        missing = self._missing(~encoded.present)
        sources = {}
        for number, name in enumerate(self.source.names):
            rows = order[stops[number] - sizes[number].sum() : stops[number]]
            offsets = np.concatenate([[0], np.cumsum(sizes[number])])
            raters = None if rater is None else self._raters(name, kept[rows], rater[rows])
            weights = None if self.weights is None else self.weights[kept[rows]]
            shared = weights is not None and not np.isnan(weights).any()
            sources[name] = Responses(
                encoded.values[rows], offsets, raters, weights if shared else None, missing[number]
            )
        known = tuple(self.rater.names) if self.rater is not None else ()
        if all(responses.raters is None for responses in sources.values()):
            known = ()
        notes = [*notes, *encoded.notes, *([encoded.missing] if encoded.missing else [])]
        runs = [name for name, source in sources.items() if source.raters is None and not are_people(name)]
        repeated = [] if repeat is None else runs
        return ResponseTable(
            labels(self.item.names), sources, encoded.scale, groups, known, tuple(notes), tuple(repeated)
        )

    def _missing(self, absent: npt.NDArray[np.bool_]) -> list[IntArray | None]:
        """Return how many values of each item are missing, by source; None for a source that has them all."""
        n_items = len(self.item.names)
        cell = self.source.codes[absent] * n_items + self.item.codes[absent]
        counts = np.bincount(cell, minlength=n_items * len(self.source.names)).reshape(-1, n_items)
        return [row if row.any() else None for row in counts]

    def _raters(self, source: str, rows: IntArray, raters: IntArray) -> IntArray | None:
        blank = raters < 0
        if blank.all():
            return None
        if blank.any():
            first = int(rows[blank].min())
            raise DataError(
                f"{self.place(first)}: the rater is missing, though other responses of {source} have one. "
                "Fill the cell, or leave raters out with an empty `rater`."
            )
        return raters

    def _refuse_duplicates(
        self,
        kept: IntArray,
        item: IntArray,
        source: IntArray,
        rater: IntArray | None,
        repeat: npt.NDArray[np.float64] | None,
    ) -> None:
        keys: list[npt.NDArray[Any]] = [item, source]
        told_apart = np.zeros(kept.size, dtype=bool)
        if rater is not None:
            keys.append(rater)
            told_apart |= rater >= 0
        if repeat is not None:
            keys.append(np.where(np.isnan(repeat), -np.inf, repeat))  # two blank cells are equal
            told_apart |= ~np.isnan(repeat)
        if not told_apart.any():
            return
        order = np.lexsort(keys)
        same = np.ones(max(kept.size - 1, 0), dtype=bool)
        for key in keys:
            in_order = key[order]
            same &= in_order[1:] == in_order[:-1]
        again = order[1:][same]
        again = again[told_apart[again]]
        if not again.size:
            return
        second = int(again.min())
        first = int(np.logical_and.reduce([key == key[second] for key in keys]).argmax())
        who = f"item {self.item.names[item[second]]} of {self.source.names[source[second]]}"
        if rater is not None and self.rater is not None and rater[second] >= 0:
            who += f" by rater {self.rater.names[rater[second]]}"
        if repeat is not None and not np.isnan(repeat[second]):
            who += f", repeat {repeat[second]:g}"
        remedy = "" if repeat is not None else ", or name the column that numbers them with `repeat`"
        before = self.sheet.short_place(int(self.where[kept[first]]))
        places = f"{self.place(int(kept[second]))} repeats {before}"
        raise DataError(f"{places}: {who}. Remove one{remedy}.")


def repeats(cells: pl.Series) -> npt.NDArray[np.float64]:
    """Return what to sort repeats by: the number where all are numbers, else the order of first appearance."""
    numbers = cells.str.strip_chars().cast(pl.Float64, strict=False)
    if (numbers.is_not_null() | cells.is_null()).all():
        return numbers.to_numpy()
    codes = Factor.of(cells).codes.astype(np.float64)
    codes[codes < 0] = np.nan
    return codes


def item_groups(
    sheet: Sheet, rows: IntArray, item: Factor, asked: Sequence[str] | None, *, used: set[str]
) -> dict[str, Labels]:
    """Return the columns that describe items: those asked for, or (None) all that are constant within every item."""
    found = {}
    for column in sheet.columns if asked is None else asked:
        if asked is None and (column in used or column in sheet.nested or sheet.frame[column].dtype.is_nested()):
            continue
        factor = Factor.of(sheet.ids(column, rows))
        first = np.full(len(item.names), -1)
        filled = factor.codes[::-1] >= 0
        first[item.codes[::-1][filled]] = factor.codes[::-1][filled]  # the last write wins: the item's first row
        varies = (factor.codes >= 0) & (factor.codes != first[item.codes])
        if not varies.any():
            found[column] = labels([*factor.names, ""])[first]
        elif asked is not None:
            row = int(np.flatnonzero(varies)[0])
            now, before = factor.names[factor.codes[row]], factor.names[first[item.codes[row]]]
            raise DataError(
                f"{sheet.place(int(rows[row]))}: column {column!r} is {now!r} for item {item.names[item.codes[row]]}, "
                f"which was {before!r} before. A group must be the same on all rows of an item."
            )
    return found


def labels(names: Sequence[str]) -> Labels:
    """Return names as an array of text."""
    longest = max(map(len, names), default=0)
    return np.array(names, dtype=object if 4 * longest * len(names) > WIDEST_ARRAY else np.str_)


MOST_RESPONSES = 50_000_000
"""The most responses that counts may stand for; more would not fit into memory."""

NEAR_ONE = 0.02
"""Shares that are rounded add up to 1 within this."""

COUNT_WORDS = ("count", "prob", "dist", "soft", "share", "freq", "vote", "weight")

Amounts = Mapping[str, float]
"""How often each label was given, or how likely it is."""


def amounts_in_json(cells: pl.Series, rows: CodedRows, order: Sequence[Any] | None, column: str) -> list[Amounts]:
    """Read cells that hold JSON: objects (label: number), lists of labels, or lists of one number for each label."""
    found: list[Amounts] = []
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


def amounts_in_columns(columns: Mapping[str, pl.Series], rows: CodedRows) -> list[Amounts]:
    """Read columns that hold the number of each label, one column for a label."""
    cells = {name: column.to_list() for name, column in columns.items()}
    return [
        _numbers({name: column[row] for name, column in cells.items() if column[row] is not None}, rows, row)
        for row in range(len(rows.where))
    ]


def spread_amounts(rows: CodedRows, parts: Sequence[Amounts]) -> tuple[CodedRows, pl.Series, list[str]]:
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


def repeat_rows(rows: CodedRows, cells: pl.Series, counts: pl.Series) -> tuple[CodedRows, pl.Series, list[str]]:
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


def _told(rows: CodedRows, soft: Any) -> list[str]:
    return [f"{rows.source.names[number]} answers with a share for each label." for number in soft]


def _numbers(value: Any, rows: CodedRows, row: int) -> Amounts:
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


def _refuse_odd_totals(totals: FloatArray, soft: Any, parts: Sequence[Amounts], rows: CodedRows) -> None:
    filled = np.array([bool(part) for part in parts])
    odd = soft & filled & (np.abs(totals - 1) > NEAR_ONE)
    if odd.any():
        row = int(np.flatnonzero(odd)[0])
        raise DataError(
            f"{rows.place(row)}: the shares of the labels add up to {totals[row]:g}, not to 1; "
            "counts must be whole numbers."
        )


def _taken(rows: CodedRows, where: IntArray, weights: FloatArray | None) -> CodedRows:
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
