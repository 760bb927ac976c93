"""Read a table in one of two layouts: tidy (one response per row), or wide (one item per row, columns per source)."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from howsure import _check
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
from howsure.io.columns import (
    ALIASES,
    Columns,
    Condition,
    Layout,
    Responders,
    Where,
    candidates,
    combined,
    find_columns,
    kept,
    matching,
    note,
    responders,
)
from howsure.io.sheets import Sheet, as_text, listed, open_sheet
from howsure.io.values import Factor, encode
from howsure.response_tables import ResponseTable
from howsure.scales import IntArray

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
    sheet = open_sheet(data, paths=asked, encoding=layout.encoding)
    if isinstance(sources, str) and layout.source:
        raise ArgumentError("`sources` names the source of all rows, so `source` is not allowed.")
    if sources is not None and not sources:
        raise ArgumentError("`sources` must name at least one source.")
    sheet, notes = kept(sheet, layout.where)
    sheet, parts = combined(sheet, layout.item)
    beside = _beside(sheet, layout.value)
    given = {role: getattr(layout, role) for role in ALIASES} | ({"value": ""} if beside else {})
    columns = _columns(sheet, given, sources, needs_value=not beside)
    notes += [columns.note] if columns.note else []
    assert columns.item is not None
    rows, source_of_row, own_rater = _sources(sheet, columns.source, columns.rater, sources)
    notes += _without_source(sheet, columns.source, rows, sources)
    ids = sheet.complete_ids(columns.item, "item", rows)
    raters = None
    if columns.rater is not None:
        cells = sheet.ids(columns.rater, rows)
        # A source that is a value of the rater column is its own rater: its name there says nothing about who rated.
        raters = Factor.of(cells.set(pl.Series(np.isin(source_of_row.codes, own_rater)), None) if own_rater else cells)
    known = CodedRows(
        Factor.of(ids),
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
    return known.assemble(encode(cells, layout, place), described, [*notes, *about])


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
    layout = Layout(item=item, groups=groups, scale=scale, order=order, where=where, labels=labels)
    return read_columns(open_sheet(data, encoding=encoding), columns, layout, rater=rater, repeat=repeat)


def read_columns(
    sheet: Sheet,
    columns: Mapping[str, str | Sequence[str]],
    layout: Layout,
    *,
    rater: str | Sequence[str] | None,
    repeat: str | Sequence[str] | None,
) -> ResponseTable:
    """Read a wide sheet; `rater` and `repeat` name sources or globs of columns, as in `read_wide`."""
    sheet, kept_rows = kept(sheet, layout.where)
    if not columns:
        raise ArgumentError("`columns` must name at least one source.")
    found = find_columns(sheet, {"item": layout.item}, required=[])
    reserved = {found.item, *(layout.groups or ())}
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
    encoded = encode(pl.concat(cells), layout, place)
    sizes = [len(matched) * n_rows for matched in chosen.values()]
    known = CodedRows(
        Factor(items.names, np.tile(items.codes, n_columns)),
        Factor(list(chosen), np.repeat(np.arange(len(chosen)), sizes)),
        _raters(columns, chosen, kinds, n_rows),
        None,
        sheet,
        np.tile(np.arange(n_rows), n_columns),
    )
    described = item_groups(sheet, np.arange(n_rows), items, layout.groups, used=found.used | set(pairs))
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
