"""From one code per row (item, source, rater, repeat) to a `ResponseTable`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import polars as pl

from howsure.errors import DataError
from howsure.io._factor import Factor
from howsure.io._responders import are_people
from howsure.io._values import Encoded, refuse_mixed_sources
from howsure.io.sheets import Sheet
from howsure.response_tables import ResponseTable
from howsure.responses import Labels, Responses
from howsure.scales import IntArray

WIDEST_ARRAY = 2**28
"""Bytes up to which ids are kept in a fixed-width array; one very long id would make all others as long."""


class Places(Protocol):
    """What can say where a row is, for messages."""

    def place(self, row: int) -> str:
        """Say where a row is: "ratings.csv, line 7"."""

    def short_place(self, row: int) -> str:
        """Say where a row is within its file: "line 7"."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
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
    sheet: Places
    where: IntArray
    weights: npt.NDArray[np.float64] | None = None

    def place(self, row: int) -> str:
        """Say where a row is."""
        return self.sheet.place(int(self.where[row]))

    def assemble(self, encoded: Encoded, groups: Mapping[str, Labels], notes: Sequence[str]) -> ResponseTable:
        """Sort the rows by source, item and repeat, and cut them into sources."""
        refuse_mixed_sources(encoded, self.source, self.place)
        kept = np.flatnonzero(encoded.present)
        item, source = self.item.codes[kept], self.source.codes[kept]
        n_items, n_sources = len(self.item.names), len(self.source.names)
        rater = None if self.rater is None else self.rater.codes[kept]
        repeat = None if self.repeat is None else self.repeat[kept]
        self._refuse_duplicates(kept, item, source, rater, repeat)
        cell = source * n_items + item
        order = np.argsort(cell, kind="stable") if repeat is None else np.lexsort((repeat, cell))
        sizes = np.bincount(cell, minlength=n_items * n_sources).reshape(n_sources, n_items)
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
        notes = [*notes, *([encoded.note] if encoded.note else [])]
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
        keys: dict[str, npt.NDArray[Any]] = {"item": item, "source": source}
        told_apart = np.zeros(kept.size, dtype=bool)
        if rater is not None:
            keys["rater"] = rater
            told_apart |= rater >= 0
        if repeat is not None:
            keys["repeat"] = repeat
            told_apart |= ~np.isnan(repeat)
        if not told_apart.any():
            return
        frame = pl.DataFrame(keys)
        twice = told_apart & ~frame.to_struct().is_first_distinct().to_numpy()
        if not twice.any():
            return
        second = int(np.flatnonzero(twice)[0])
        # Polars takes NaN for equal to NaN.
        first = int(frame.select(pl.all_horizontal(pl.all() == pl.all().get(second)).arg_max()).item())
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
