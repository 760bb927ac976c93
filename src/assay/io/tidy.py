"""Read a tidy table: one response per row."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from assay import _check
from assay.errors import ArgumentError, DataError
from assay.io._assemble import Rows, item_groups, repeats
from assay.io._columns import Columns, Condition, candidates, find_columns
from assay.io._factor import Factor
from assay.io._values import encode
from assay.io.sheets import Sheet, listed, open_sheet
from assay.responses import ResponseTable
from assay.scales import IntArray


def read(
    data: str | Path | Any,
    *,
    item: str | None = None,
    source: str | None = None,
    value: str | None = None,
    rater: str | None = None,
    repeat: str | None = None,
    groups: Sequence[str] | None = (),
    scale: str | None = None,
    order: Sequence[Any] | None = None,
    sources: Mapping[str, str] | str | None = None,
) -> ResponseTable:
    """Read a table that has one response per row.

    Parameters
    ----------
    data : path or dataframe
        A CSV, TSV, JSON Lines, Parquet or Arrow file, or any dataframe (pandas, Polars, Arrow, …).
    item, source, value, rater, repeat : str, optional
        The columns. What is left out is guessed from the columns' names, and `notes` says so; "" means that there is
        no such column. Responses of an item are kept in the order of `repeat`, else in the order of the rows.
    groups : sequence of str or None, default ()
        Columns that describe items, for slices. None takes every column that is constant within each item.
    scale : {"nominal", "ordinal", "continuous"}, optional
        What the values mean; inferred when left out (`table.scale.reason` says why).
    order : sequence, optional
        The labels of an ordinal scale, lowest first.
    sources : mapping of str to str, or str, optional
        The sources to read: each name with a value of the source column or a condition on another column, such as
        ``{"human": "kind=human", "gpt-4": "source=gpt-4"}``. A single name makes all rows responses of that source.

    Returns
    -------
    ResponseTable
        Items and sources in the order in which they first appear.

    Examples
    --------
    >>> import polars
    >>> frame = polars.DataFrame({"id": [1, 1, 2, 2], "model": ["x", "y", "x", "y"], "score": [3, 4, 4, 5]})
    >>> table = read(frame)
    >>> print(table)
    2 items; responses: x (2), y (2); scale: ordinal: 3, 4, 5 (3 distinct whole numbers)
    >>> table.notes
    ('Columns of the table guessed from their names: item = id, source = model, value = score.',)
    """
    sheet = open_sheet(data)
    if isinstance(sources, str) and source:
        raise ArgumentError("`sources` names the source of all rows, so `source` must be left out.")
    if sources is not None and not sources:
        raise ArgumentError("`sources` must name at least one source.")
    given = {"item": item, "source": source, "value": value, "rater": rater, "repeat": repeat}
    columns = _columns(sheet, given, sources)
    assert columns.item is not None
    assert columns.value is not None
    rows, source_of_row, own_rater = _sources(sheet, columns.source, columns.rater, sources)
    ids = _complete_ids(sheet, columns.item, rows, "item")
    raters = None
    if columns.rater is not None:
        cells = sheet.ids(columns.rater).gather(rows)
        # A source that is a value of the rater column is its own rater: its name there says nothing about who rated.
        raters = Factor.of(cells.set(pl.Series(np.isin(source_of_row.codes, own_rater)), None) if own_rater else cells)
    known = Rows(
        Factor.of(ids), source_of_row, raters,
        None if columns.repeat is None else repeats(sheet.ids(columns.repeat).gather(rows)), sheet, rows,
    )  # fmt: skip

    def place(row: int) -> str:
        return f"{known.place(row)}, column {columns.value!r}"

    encoded = encode(sheet.cells(columns.value).gather(rows), scale=scale, order=order, place=place)
    described = item_groups(sheet, rows, known.item, groups, used=columns.used)
    return known.assemble(encoded, described, [columns.note] if columns.note else [])


def _columns(sheet: Sheet, given: dict[str, str | None], sources: Mapping[str, str] | str | None) -> Columns:
    """Find the columns; conditions make the source column optional, and may turn it into the rater's."""
    if isinstance(sources, str):
        return find_columns(sheet, given | {"source": ""}, required=["item", "value"])
    if sources is None:
        return find_columns(sheet, given, required=["item", "source", "value"])
    plain = any("=" not in text for text in sources.values())
    if given["source"] is None and not plain and len(candidates(sheet, "source", taken=given.values())) != 1:
        given = given | {"source": ""}  # every source is a condition, so an unclear source column does no harm
    found = find_columns(sheet, given, required=["item", "source", "value"] if plain else ["item", "value"])
    tested = {Condition.parse(text, found.source).column for text in sources.values()}
    elsewhere = sorted(tested - {found.source})
    if given["rater"] is None and found.rater is None and found.source is not None and elsewhere:
        reason = f"rater = {found.source}, because the sources are told apart by {', '.join(elsewhere)}"
        told = f"{found.note.removesuffix('.')}; " if found.note else f"Column of {sheet.name} guessed: "
        return replace(found, rater=found.source, note=f"{told}{reason}.")
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
        everything = np.arange(n_rows)
        return everything, Factor.of(_complete_ids(sheet, source, everything, "source")), []
    owner = np.full(n_rows, -1)
    own_rater = []
    for number, (name, text) in enumerate(sources.items()):
        condition = Condition.parse(text, source)
        cells = sheet.ids(condition.column)
        chosen = (cells == condition.value).fill_null(False).to_numpy()
        if not chosen.any():
            known = cells.drop_nulls().unique(maintain_order=True).to_list()
            hint = _check.nearest(condition.value, known)
            where = f"{condition.column} is {condition.value!r}"
            raise DataError(f"{sheet.name} has no row where {where}; it has {listed(known)}.{hint}")
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


def _complete_ids(sheet: Sheet, column: str, rows: IntArray, role: str) -> pl.Series:
    ids = sheet.ids(column).gather(rows)
    if ids.null_count():
        row = int(rows[int(ids.is_null().arg_max() or 0)])
        place = f"{sheet.place(row)}, column {column!r}"
        raise DataError(f"{place}: the {role} is missing. Fill the cell or remove the row.")
    return ids
