"""Read a tidy table: one response per row, with columns for item, source, value, rater and repeat."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from howsure.data.response_tables import ResponseTable
from howsure.data.scales import IntArray
from howsure.documents import Aside
from howsure.errors import ArgumentError, DataError
from howsure.io.coded_rows import (
    CodedRows,
    amounts_in_columns,
    amounts_in_json,
    item_groups,
    repeat_rows,
    repeats,
    spread_amounts,
)
from howsure.io.column_names import OUTCOMES, ROLES, plain
from howsure.io.columns import (
    Columns,
    Condition,
    Layout,
    candidates,
    combined,
    find_columns,
    kept,
    matching,
)
from howsure.io.sheets import Sheet, as_text, open_sheet
from howsure.io.values import Factor, encode

SHARE = "share"
"""The column in which `write` keeps the share of each label of an answer."""


def read_tidy(data: str | Path | Any, layout: Layout, sources: Mapping[str, str] | str | None = None) -> ResponseTable:
    """Read a table that has one response per row; `sources` is as in `read`, but no list.

    Examples
    --------
    >>> import polars
    >>> frame = polars.DataFrame({"id": [1, 2], "label": [{"no": 3, "yes": 7}, {"no": 9, "yes": 1}]})
    >>> read_tidy(frame, Layout(), "human").sources["human"].sizes
    array([10, 10])
    """
    texts = sources.values() if isinstance(sources, Mapping) else ()
    asked = [*layout.named_columns, *(text.partition("=")[0] for text in texts)]
    sheet = open_sheet(data, paths=asked, encoding=layout.encoding, sheet=layout.sheet)
    if isinstance(sources, str) and layout.source:
        raise ArgumentError("`sources` names the source of all rows, so `source` is not allowed.")
    if sources is not None and not sources:
        raise ArgumentError("`sources` must name at least one source.")
    sheet, notes = kept(sheet, layout.where)
    sheet, parts = combined(sheet, layout.item)
    beside = _beside(sheet, layout.value)
    given = {role: getattr(layout, role) for role in ROLES} | ({"value": ""} if beside else {})
    columns = _columns(sheet, given, sources, needs_value=not beside)
    notes = [*sheet.notes, *notes, *([columns.note] if columns.note else [])]
    notes += sheet.merged_ids([columns.item, columns.source, columns.rater])
    assert columns.item is not None
    rows, source_of_row, own_rater = _sources(sheet, columns.source, columns.rater, sources)
    notes += _without_source(sheet, columns.source, rows, sources)
    items = Factor.of(sheet.complete_ids(columns.item, "item", rows))
    raters = None if columns.rater is None else Factor.of(sheet.ids(columns.rater, rows))
    if raters is not None and own_rater:
        # A source that is a value of the rater column is its own rater: its name there says nothing about who rated.
        codes = pl.Series(np.where(np.isin(source_of_row.codes, own_rater), -1, raters.codes))
        raters = Factor.of_codes(codes, raters.names)
    known = CodedRows(
        items,
        source_of_row,
        raters,
        None if columns.repeat is None else repeats(sheet.ids(columns.repeat, rows)),
        sheet,
        rows,
    )
    count, gold = layout.count, layout.gold
    used = {*columns.used, *beside.values(), *filter(None, (count, gold))}
    groups = None if layout.groups is None else list(dict.fromkeys([*layout.groups, *parts]))
    described = item_groups(sheet, rows, known.item, groups, used=used)
    count = SHARE if count is None and SHARE in sheet.columns and not beside else count
    known, cells, about = _values(sheet, known, columns.value, beside, count=count, order=layout.order)
    if gold:
        known, cells = _with_gold(sheet, known, cells, rows, gold)

    def place(row: int) -> str:
        return f"{known.place(row)}, column {gold if gold and row >= n_own else columns.value or layout.value!r}"

    n_own = len(cells) - (len(known.item.names) if gold else 0)
    outcomes = columns.value is not None and plain(columns.value) in OUTCOMES and not gold
    return known.assemble(encode(cells, layout, place, outcomes=outcomes), described, [*notes, *about])


def _beside(sheet: Sheet, value: str | None) -> dict[str, str]:
    """Return label → column where the value is a glob such as "p_*": one column holds the number of one label."""
    if not value or value in sheet.columns or "*" not in value:
        return {}
    before, _, after = value.partition("*")
    columns = matching(sheet, value)
    if not columns:
        sheet.cells(value)
    return {column[len(before) : len(column) - len(after)]: column for column in columns}


def _values(
    sheet: Sheet,
    known: CodedRows,
    value: str | None,
    beside: Mapping[str, str],
    *,
    count: str | None,
    order: Sequence[Any] | None,
) -> tuple[CodedRows, pl.Series, list[str]]:
    """Return the cells to be put on a scale; counts and shares of labels become one row for each response or label."""
    nested = value in sheet.nested or (value is not None and _is_counted(sheet.frame[value]))
    if not (beside or count or nested):
        assert value is not None
        return known, sheet.cells(value).gather(known.where), []
    if beside:
        parts = amounts_in_columns(
            {name: sheet.ids(column).gather(known.where) for name, column in beside.items()}, known
        )
    elif nested:
        assert value is not None
        cells = _as_json(sheet.frame[value]).gather(known.where)
        if not cells.drop_nulls().str.contains(r"^\s*[\[{]").all():
            sheet.cells(value)
        parts = amounts_in_json(cells, known, order, value)
    else:
        assert value is not None
        assert count is not None
        return repeat_rows(known, sheet.cells(value).gather(known.where), sheet.ids(count).gather(known.where))
    return spread_amounts(known, parts)


def _is_counted(cells: pl.Series) -> bool:
    """Whether a dataframe's cells are lists or records of numbers."""
    kind = cells.dtype
    if isinstance(kind, pl.Struct):
        return all(field.dtype.is_numeric() for field in kind.fields)
    return isinstance(kind, pl.List | pl.Array) and kind.inner is not None and kind.inner.is_numeric()


def _as_json(cells: pl.Series) -> pl.Series:
    if cells.dtype == pl.String:
        return cells
    if isinstance(cells.dtype, pl.Struct):
        held = [cell and {name: part for name, part in cell.items() if part is not None} for cell in cells]
    else:
        held = [None if cell is None else list(cell) for cell in cells]
    return pl.Series([None if cell is None else json.dumps(cell) for cell in held], dtype=pl.String)


def _with_gold(
    sheet: Sheet, known: CodedRows, cells: pl.Series, rows: IntArray, gold: str
) -> tuple[CodedRows, pl.Series]:
    """Add one response of the source `gold` for each item, from a column that repeats it on all rows of the item."""
    if gold in known.source.names:
        raise DataError(f"{sheet.name} has both a column and a source called {gold!r}; rename one.")
    n_items = len(known.item.names)
    of_row = np.full(sheet.frame.height, -1)
    of_row[known.where] = known.item.codes
    said = item_groups(sheet, rows, Factor(known.item.names, of_row[rows]), [gold], used=set())[gold]
    first = np.zeros(n_items, dtype=np.int64)
    first[known.item.codes[::-1]] = known.where[::-1]
    own = pl.Series([str(label) or None for label in said.tolist()], dtype=pl.String)
    texts = cells if cells.dtype == pl.String else as_text(cells)
    blank = np.full(n_items, -1)
    added = replace(
        known,
        item=Factor(known.item.names, np.concatenate([known.item.codes, np.arange(n_items)])),
        source=Factor(
            [*known.source.names, gold], np.concatenate([known.source.codes, blank + 1 + len(known.source.names)])
        ),
        rater=None if known.rater is None else Factor(known.rater.names, np.concatenate([known.rater.codes, blank])),
        repeat=None if known.repeat is None else np.concatenate([known.repeat, np.full(n_items, np.nan)]),
        weights=None if known.weights is None else np.concatenate([known.weights, np.full(n_items, np.nan)]),
        where=np.concatenate([known.where, first]),
    )
    return added, pl.concat([texts, own])


def _without_source(
    sheet: Sheet, source: str | None, rows: IntArray, sources: Mapping[str, str] | str | None
) -> list[str]:
    """Say which rows belong to no source because the cell that names it is blank."""
    if source is None or not isinstance(sources, Mapping):
        return []
    blank = sheet.ids(source).is_null().to_numpy()
    blank[rows] = False
    if not blank.any():
        return []
    first = sheet.short_place(int(np.flatnonzero(blank)[0]))
    count = int(blank.sum())
    row, has, is_ = ("row", "has", "is") if count == 1 else ("rows", "have", "are")
    return [f"{count:,} {row} of {sheet.name} {has} no {source} and {is_} left out (first: {first})."]


def _columns(
    sheet: Sheet, given: dict[str, str | None], sources: Mapping[str, str] | str | None, *, needs_value: bool
) -> Columns:
    """Find the columns; conditions make the source column optional, and may turn it into the rater's."""
    value = ["value"] if needs_value else []
    if isinstance(sources, str):
        return find_columns(sheet, given | {"source": ""}, required=["item", *value])
    if sources is None:
        return find_columns(sheet, given, required=["item", "source", *value])
    plain = any("=" not in text for text in sources.values())
    if given["source"] is None and not plain and len(candidates(sheet, "source", taken=given.values())) != 1:
        given = given | {"source": ""}  # every source is a condition, so an unclear source column does no harm
    found = find_columns(sheet, given, required=["item", *(["source"] if plain else []), *value])
    tested = {Condition.parse(text, found.source, sheet).column for text in sources.values()}
    elsewhere = sorted(tested - {found.source})
    if given["rater"] is None and found.rater is None and found.source is not None and elsewhere:
        reason = f"rater = {found.source}, because {', '.join(elsewhere)} tells which source a row belongs to"
        told = f"{found.note.removesuffix('.')}; " if found.note else f"Column of {sheet.short_name} guessed: "
        return replace(found, rater=found.source, note=Aside(f"{told}{reason}."))
    return found


def _sources(
    sheet: Sheet, source: str | None, rater: str | None, sources: Mapping[str, str] | str | None
) -> tuple[IntArray, Factor, list[int]]:
    """Return the rows to read, the source of each, and the sources that the rater column itself names."""
    n_rows = sheet.frame.height
    if isinstance(sources, str):
        return np.arange(n_rows), Factor([sources], np.zeros(n_rows, dtype=np.int64)), []
    if sources is None:
        assert source is not None
        return np.arange(n_rows), Factor.of(sheet.complete_ids(source, "source")), []
    owner = np.full(n_rows, -1)
    own_rater = []
    for number, (name, text) in enumerate(sources.items()):
        condition = Condition.parse(text, source, sheet)
        chosen = sheet.rows_where(condition.column, condition.value)
        both = chosen & (owner >= 0)
        if both.any():
            row = int(np.flatnonzero(both)[0])
            other = list(sources)[owner[row]]
            owners = f"{other} ({sources[other]}) and {name} ({text})"
            raise DataError(
                f"{sheet.place(row)} belongs to two sources, {owners}; make the conditions exclude each other."
            )
        owner[chosen] = number
        if condition.column == rater:
            own_rater.append(number)
    rows = np.flatnonzero(owner >= 0)
    return rows, Factor(list(sources), owner[rows]), own_rater
