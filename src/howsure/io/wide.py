"""Read a wide table: one item per row, and one or more columns for each source."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from howsure import _check
from howsure.data.response_tables import ResponseTable
from howsure.documents import Aside
from howsure.documents.numbers import joined
from howsure.errors import ArgumentError, DataError
from howsure.io.coded_rows import CodedRows, item_groups
from howsure.io.column_names import PEOPLE, RUNS, describes, is_gold, with_role, words
from howsure.io.columns import Layout, Where, candidates, find_columns, kept, matching
from howsure.io.notations import are_numbers
from howsure.io.responders import Responders, note, responders
from howsure.io.sheets import Sheet, as_text, listed, open_sheet
from howsure.io.values import MISSING_WORDS, Factor, encode


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
    layout = Layout(item=item, groups=groups, scale=scale, order=order, where=where, labels=labels, encoding=encoding)
    if isinstance(data, str | Path):
        _check.path("data", data)
    for name, own in _check.mapping("columns", columns).items():
        _check.texts(f"columns[{name!r}]", own)
    rater, repeat = (
        named if named is None or isinstance(named, str) else _check.texts(option, named)
        for option, named in (("rater", rater), ("repeat", repeat))
    )
    return read_columns(open_sheet(data, encoding=encoding), columns, layout, rater=rater, repeat=repeat)


def read_columns(
    sheet: Sheet,
    columns: Mapping[str, str | Sequence[str]],
    layout: Layout,
    *,
    rater: str | Sequence[str] | None,
    repeat: str | Sequence[str] | None,
    marks: bool = False,
) -> ResponseTable:
    """Read a wide sheet; `rater` and `repeat` name sources or globs of columns, as in `read_wide`.

    Where there is no gold, True and False are `marks` of answers, and not labels.
    """
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
    encoded = encode(pl.concat(cells), layout, place, outcomes=marks and _says_true(cells))
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
    notes = [said for said in (*sheet.notes, *kept_rows, numbered, note(chosen, kinds)) if said]
    notes += sheet.merged_ids([found.item])
    repeated = [name for name, kind in kinds.items() if not kind.are_raters]
    return replace(known.assemble(encoded, described, notes), repeats=tuple(repeated))


def _says_true(columns: Sequence[pl.Series]) -> bool:
    return all(column.dtype == pl.Boolean for column in columns) or all(
        as_text(column).str.strip_chars().str.to_lowercase().drop_nulls().is_in(["true", "false"]).all()
        for column in columns
    )


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


MOST_LABELS = 30
"""A column with more different words than this is text, not labels."""


MOST_TIMES = 20
"""Scores of 0 to 1 and percentages, or scores and heights, differ by more than this and are not one scale."""


def wide_sources(sheet: Sheet, layout: Layout) -> dict[str, str]:
    """Return the sources of a sheet without a column of sources: each by its column, or by the glob of its columns.

    A column is a source unless its name says that it is something else. All sources answer on one scale: numbers of
    one size, or labels of one vocabulary, and gold decides which of the two. Columns that are numbered belong
    together where their names say raters or runs; "gpt-3" and "gpt-4" are two models. Empty where there are no sources.
    """
    if layout.value or layout.source or candidates(sheet, "source"):
        return {}
    items = [layout.item] if layout.item else candidates(sheet, "item")
    if len(items) == 1 and items[0] in sheet.columns and sheet.ids(items[0]).is_duplicated().any():
        return {}  # several rows of an item: somebody answered in each
    taken = {layout.item, *with_role(sheet.columns, "item"), *(layout.groups or ()), *layout.conditions}
    groups: dict[str, list[str]] = {}
    for column in sheet.columns:
        if column not in taken and _may_answer(column):
            groups.setdefault(_stem(column), []).append(column)
    specs = {columns[0] if len(columns) == 1 else f"{stem}*": columns for stem, columns in groups.items()}
    kinds, answers = dict[str, str](), dict[str, pl.Series]()
    for spec, columns in specs.items():
        kinds[spec], cells = _kind(sheet, columns)
        if kinds[spec]:
            answers[spec] = cells
    gold = next((spec for spec in specs if is_gold(spec) and kinds[spec]), None)
    numeric = [spec for spec, kind in kinds.items() if kind == "numbers"]
    wanted = kinds[gold] if gold else "numbers" if len(numeric) > 1 else "labels"
    chosen = {spec: columns for spec, columns in specs.items() if kinds[spec] == wanted}
    several = len(chosen) > 1 or any(len(columns) > 1 for columns in chosen.values())
    return {spec: spec for spec in chosen} if several and _one_scale([answers[spec] for spec in chosen], wanted) else {}


def _may_answer(column: str) -> bool:
    """Whether nothing in a column's name says that it holds something other than one source's answers."""
    if is_gold(column) or set(words(column)[:-1]) & (PEOPLE | RUNS):
        return True
    return not (describes(column) or any(with_role([column], role) for role in ("value", "rater", "repeat")))


def _stem(column: str) -> str:
    """Return what numbered columns of one source share: rater_ of rater_1; every other column is its own stem."""
    match = re.fullmatch(r"(.*?)(\d+)", column)
    return match[1] if match and set(words(match[1])[-1:]) & (PEOPLE | RUNS) else column


def _kind(sheet: Sheet, columns: Sequence[str]) -> tuple[str, pl.Series]:
    """Return whether columns hold numbers or labels, "" for text and for nothing at all; and their cells as text."""
    if any(column in sheet.nested or sheet.frame[column].dtype.is_nested() for column in columns):
        return "", pl.Series(dtype=pl.String)
    cells = pl.concat([sheet.ids(column) for column in columns]).drop_nulls()
    if len(cells) and cells.cast(pl.Float64, strict=False).is_not_nan().all(ignore_nulls=False):
        return "numbers", cells
    said = cells.filter(~cells.str.to_lowercase().is_in(MISSING_WORDS))
    if not len(said):
        return "", cells
    if are_numbers(said):
        return "numbers", cells
    return ("labels" if said.n_unique() <= min(MOST_LABELS, max(2, len(said) // 2)) else ""), cells


def _one_scale(cells: Sequence[pl.Series], kind: str) -> bool:
    """Whether the answers of all sources can be on one scale."""
    if kind == "labels":
        words = [set(own.to_list()) for own in cells]
        times = Counter(chain.from_iterable(words))
        return len(words) == 1 or all(any(times[word] > 1 for word in own) for own in words)
    numbers = [own.cast(pl.Float64, strict=False) for own in cells]
    ends: list[tuple[Any, Any]] = [(own.min() or 0.0, own.max() or 0.0) for own in numbers]
    largest = sorted(max(abs(low), abs(high)) for low, high in ends)
    return all(low == 0 or high <= MOST_TIMES * low for low, high in pairwise(largest))


def read_found(sheet: Sheet, sources: Mapping[str, str], layout: Layout) -> ResponseTable:
    """Read the sources that `wide_sources` found; a note names them, and the columns of numbers that are none."""
    marks = not any(is_gold(name) for name in sources)
    table = read_columns(sheet, sources, layout, rater=None, repeat=None, marks=marks)
    used = {column for spec in sources for column in matching(sheet, spec)} | {*with_role(sheet.columns, "item")}
    others = [column for column in sheet.columns if column not in used and _kind(sheet, [column])[0] == "numbers"]
    said = f"Read as a wide table: its columns are {joined(list(sources), 4)}."
    said += f" Columns that are no source by their name: {joined(others, 4)}." if others else ""
    return replace(table, notes=(Aside(said), *table.notes))
