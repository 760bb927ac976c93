"""Read a wide table: one item per row, one or several columns per source."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from howsure import _check
from howsure.errors import ArgumentError, DataError
from howsure.io._assemble import Rows, item_groups
from howsure.io._columns import find_columns, matching
from howsure.io._factor import Factor
from howsure.io._responders import Responders, note, responders
from howsure.io._shaping import Where, kept
from howsure.io._values import encode
from howsure.io.sheets import Sheet, listed, open_sheet
from howsure.response_tables import ResponseTable


def read_wide(
    data: str | Path | Any,
    *,
    columns: Mapping[str, str | Sequence[str]],
    item: str | None = None,
    rater: str | Sequence[str] | None = None,
    repeat: str | Sequence[str] | None = None,
    groups: Sequence[str] | None = (),
    scale: str | None = None,
    order: Sequence[Any] | None = None,
    where: Where | None = None,
    labels: str = "stripped",
    encoding: str | None = None,
) -> ResponseTable:
    """Read a table that has one item per row.

    Parameters
    ----------
    data : path or dataframe
        As for `read`.
    columns : mapping of str to str or sequence of str
        The columns of each source: a name, a glob such as ``"rater_*"``, or a list of names. Where a source has
        several, they are raters or repeats: repeats where their names say run, seed, sample or the like; raters where
        the names say rater, annotator, human or the like; else raters where they are told apart by names (x_ann,
        x_bob), and repeats where they are numbered (x_1, x_2). A note says which. A rater is named by what the star
        stands for if that has letters, else by the column.
    item : str, optional
        The column of item ids; guessed when left out, and rows are numbered from 1 where there is none.
    rater, repeat : str or sequence of str, optional
        Sources (or globs of their columns) whose columns are raters, or repeats, whatever their names say. An empty
        `rater` means that there are no raters.
    groups, scale, order, where, labels, encoding
        As for `read`.

    Returns
    -------
    ResponseTable

    Examples
    --------
    >>> import polars
    >>> frame = polars.DataFrame({"id": ["q1", "q2"], "rater_1": [3, 4], "rater_2": [4, None], "gpt4": [3, 5]})
    >>> table = read_wide(frame, columns={"human": "rater_*", "gpt4": "gpt4"})
    >>> table.sources["human"].sizes, table.raters
    (array([2, 1]), ('rater_1', 'rater_2'))
    """
    sheet, kept_rows = kept(open_sheet(data, encoding=encoding), where)
    if not columns:
        raise ArgumentError("`columns` must name at least one source.")
    found = find_columns(sheet, {"item": item}, required=[])
    reserved = {found.item, *(groups or ())}
    chosen = {name: _matched(sheet, name, wanted, reserved) for name, wanted in columns.items()}
    _refuse_shared(chosen)
    kinds = responders(chosen, rater=rater, repeat=repeat)
    n_rows, n_columns = sheet.frame.height, sum(map(len, chosen.values()))
    if found.item is None:
        ids = pl.Series([str(number) for number in range(1, n_rows + 1)])
        numbered: str | None = f"{sheet.name} has no item column, so its rows are numbered from 1."
    else:
        ids, numbered = _unique_ids(sheet, found.item), found.note
    items = Factor.of(ids)
    pairs = [column for matched in chosen.values() for column in matched]

    def place(row: int) -> str:
        return f"{sheet.place(row % n_rows)}, column {pairs[row // n_rows]!r}"

    cells = [sheet.cells(column) for column in pairs]
    if len({cell.dtype for cell in cells}) > 1:  # numbers beside text: judged as text, cell by cell
        cells = [cell.cast(pl.String) for cell in cells]
    encoded = encode(pl.concat(cells), scale=scale, order=order, place=place, labels=labels)
    sizes = [len(matched) * n_rows for matched in chosen.values()]
    known = Rows(
        Factor(items.names, np.tile(items.codes, n_columns)),
        Factor(list(chosen), np.repeat(np.arange(len(chosen)), sizes)),
        _raters(columns, chosen, kinds, n_rows),
        None,
        sheet,
        np.tile(np.arange(n_rows), n_columns),
    )
    described = item_groups(sheet, np.arange(n_rows), items, groups, used=found.used | set(pairs))
    notes = [said for said in (*kept_rows, numbered, note(chosen, kinds)) if said]
    repeated = [name for name, kind in kinds.items() if not kind.are_raters]
    return replace(known.assemble(encoded, described, notes), repeats=tuple(repeated))


def _matched(sheet: Sheet, name: str, wanted: str | Sequence[str], reserved: set[str | None]) -> list[str]:
    matched = []
    for pattern in [wanted] if isinstance(wanted, str) else wanted:
        alike = [column for column in matching(sheet, pattern) if column == pattern or column not in reserved]
        if not alike:
            hint = _check.nearest(pattern, sheet.columns)
            what = f"no column that matches {pattern!r} (source {name})"
            raise DataError(f"{sheet.name} has {what}; it has {listed(sheet.columns)}.{hint}")
        matched += alike
    return list(dict.fromkeys(matched))


def _refuse_shared(chosen: Mapping[str, list[str]]) -> None:
    owner: dict[str, str] = {}
    for name, matched in chosen.items():
        for column in matched:
            if column in owner:
                raise ArgumentError(f"column {column!r} cannot belong to both {owner[column]} and {name}.")
            owner[column] = name


def _unique_ids(sheet: Sheet, column: str) -> pl.Series:
    ids = sheet.complete_ids(column, "item")
    again = ids.is_duplicated()
    if again.any():
        first = int(again.arg_max() or 0)
        second = int(np.flatnonzero((ids == ids[first]).to_numpy())[1])
        raise DataError(
            f"{sheet.place(second)} repeats {sheet.short_place(first)}: item {ids[first]}. "
            "A wide table has one row per item; remove one, or read it as a tidy table."
        )
    return ids


def _raters(
    columns: Mapping[str, str | Sequence[str]],
    chosen: Mapping[str, list[str]],
    kinds: Mapping[str, Responders],
    n_rows: int,
) -> Factor | None:
    """Name a rater for each column of the sources that have raters."""
    if not any(kind.are_raters for kind in kinds.values()):
        return None
    raters: list[str | None] = []
    for name, matched in chosen.items():
        rated = name in kinds and kinds[name].are_raters
        raters += [_rater(columns[name], column) if rated else None for column in matched]
    names = list(dict.fromkeys(rater for rater in raters if rater is not None))
    number = {name: position for position, name in enumerate(names)}
    codes = [-1 if rater is None else number[rater] for rater in raters]
    return Factor(names, np.repeat(np.array(codes), n_rows))


def _rater(wanted: str | Sequence[str], column: str) -> str:
    """Return what the star stands for: alice in x_alice and y_alice is one rater; 1 in x_1 and y_1 is not."""
    if isinstance(wanted, str) and wanted.count("*") == 1:
        before, _, after = wanted.partition("*")
        match = re.fullmatch(f"{re.escape(before)}(.*){re.escape(after)}", column)
        if match and any(letter.isalpha() for letter in match[1]):
            return match[1]
    return column
