"""Read whatever holds responses: tables and dataframes, evaluation logs, annotation exports, or several of them."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from howsure import _check
from howsure.data.contests import Contest
from howsure.data.response_tables import ResponseTable
from howsure.documents.numbers import counted
from howsure.errors import ArgumentError, DataError
from howsure.io.columns import Layout, Where, guess
from howsure.io.files import File, unfolded
from howsure.io.joining import join
from howsure.io.logs import table_of_logs
from howsure.io.packed import actual
from howsure.io.readers.known import recognise
from howsure.io.sheets import BINARY_ENDINGS, Sheet, listed, open_sheet
from howsure.io.tidy import read_tidy
from howsure.io.wide import read_found, wide_sources
from howsure.io.workbooks import ENDINGS as WORKBOOKS

RESPONSES = "responses"
"""What the source of an array without a name is called."""

Files = Sequence[str | Path] | Mapping[str, str | Path | Sequence[str | Path]]


def read(
    data: str | Path | Files | Any,
    *,
    item: str | None = None,
    source: str | None = None,
    value: str | None = None,
    rater: str | None = None,
    repeat: str | None = None,
    count: str | None = None,
    gold: str | None = None,
    groups: Sequence[str] | None = (),
    scale: str | None = None,
    order: Sequence[Any] | None = None,
    sources: Mapping[str, str] | Sequence[str] | str | None = None,
    where: Where | None = None,
    labels: str = "stripped",
    encoding: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    pool: Sequence[str] = (),
    scorer: str | None = None,
    filter: str | None = None,
    rater_ids: str = "coded",
) -> ResponseTable:
    """Read responses: a table with one response per row, a log, an export of ratings, or several of them.

    Parameters
    ----------
    data : path, dataframe, sequence of paths, or mapping of source to path or paths
        A CSV, TSV, JSON, JSON Lines, Parquet or Arrow file, any dataframe (pandas, Polars, Arrow, …) or columns by name
        (a mapping of vectors, a structured array), or a log that `read_logs` knows. Several files are joined on the
        item id; several logs of one model are its repeats.
    item, source, value, rater, repeat : str, optional
        The columns. What is left out is guessed from the columns' names, and `notes` says so; "" means that there is
        no such column. Responses of an item are kept in the order of `repeat`, else in the order of the rows.
        Columns within JSON records are named by their path: "meta.topic", or "annotations.*.label" for each entry of a
        list. "doc,dimension" makes an item of two columns. A value "p_*" takes the columns that it matches as counts
        or probabilities of labels.
    count : str, optional
        A column that says how many responses a row stands for.
    gold : str, optional
        A column that repeats the gold label of an item on all its rows; it becomes a source of that name.
    groups : sequence of str or None, default ()
        Columns that describe items, for slices. None takes every column that is constant within each item.
    scale : {"nominal", "ordinal", "continuous"}, optional
        What the values mean; inferred when left out (`table.scale.reason` says why).
    order : sequence, optional
        The labels of an ordinal scale, lowest first.
    sources : sequence of str, mapping of str to str, or str, optional
        A list names the sources to read; all others are left out. For one table, a mapping gives each name a value of
        the source column or a condition on another column: ``{"human": "kind=human", "gpt-4": "source=gpt-4"}``. A
        single name makes all rows responses of that source.
    where : mapping of str to str, or texts such as "split=test", optional
        Use only the rows whose columns have these values.
    labels : {"stripped", "exact"}
        Labels lose spaces at their ends, and two that differ only by case, spaces or Unicode form are refused; or all
        are taken as they are.
    encoding : str, optional
        The encoding of a text file that is not UTF-8, such as "cp1252".
    decimal : {"point", "comma"}, optional
        What 1,234 means. Needed only where the cells do not tell.
    sheet : str, optional
        The sheet of a workbook; the first by default.
    pool : sequence of str, optional
        Settings of logs whose values are put together; see `read_logs`.
    scorer, filter, rater_ids
        For logs, see `read_logs`.

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
    layout = Layout(
        item=item, source=source, value=value, rater=rater, repeat=repeat, count=count, gold=gold, groups=groups,
        scale=scale, order=order, where=where, labels=labels, encoding=encoding, decimal=decimal,
        sheet=sheet, pool=pool, scorer=scorer, filter=filter, rater_ids=rater_ids,
    )  # fmt: skip
    names = None
    if isinstance(sources, Mapping):
        sources = {name: _check.text("sources", rows) for name, rows in _check.mapping("sources", sources).items()}
    elif sources is not None and not isinstance(sources, str):
        names = list(sources) if isinstance(sources, list | tuple | set) else []
        if not (names and all(isinstance(name, str) for name in names)):
            raise ArgumentError(f"`sources` must list names of sources; got {_check.shown(sources)}.")
    if isinstance(data, str | Path):
        _check.path("data", data)
    files = _files(data)
    if isinstance(data, str | Path) and (os.path.isdir(data) or _reads_as_log(data, layout)):
        files = [File(str(data), sources if isinstance(sources, str) else None)]
    if files is not None:
        files = [part for file in files for part in unfolded(file)]
    if files is None and sources is None:
        return read_sheet(
            open_sheet(data, paths=layout.named_columns, encoding=layout.encoding, sheet=layout.sheet), layout
        )
    if files is None:
        return read_tidy(data, layout, {name: name for name in names} if names is not None else sources)  # type: ignore[arg-type]
    if isinstance(sources, Mapping) or (isinstance(sources, str) and files[0].name != sources):
        raise ArgumentError(
            "`sources` with conditions, or one name for all rows, is for one table. For logs and several files list the"
            " names of sources to keep, or name the source of each file."
        )
    return keep_sources(read_files(files, layout), names)


def read_sheet(sheet: Sheet, layout: Layout) -> ResponseTable:
    """Read every source of a table: tidy where a column names the sources, else wide where columns are sources."""
    wide = {} if layout.gold else wide_sources(sheet, layout)
    return read_found(sheet, wide, layout) if wide else read_tidy(sheet, layout)


def as_table(data: ResponseTable | Any) -> ResponseTable:
    """Return a table as it is; anything else that holds responses (a dataframe, arrays, a path) is read.

    Every column that is constant within each item becomes a group. Vectors by name are the columns of a dataframe. An
    (items, responses) array by name is all that the source of this name says, and an array alone that of one source.

    Examples
    --------
    >>> import pandas
    >>> frame = pandas.DataFrame({"item": [1, 1, 2, 2], "model": ["x", "y"] * 2, "score": [3, 4, 4, 5]})
    >>> list(as_table(frame).sources)
    ['x', 'y']
    """
    if isinstance(data, ResponseTable):
        return data
    if isinstance(data, Contest):
        raise ArgumentError("this takes a table of all sources; a contest has no more than gold, A and B.")
    if isinstance(data, np.ndarray) and data.dtype.names is None:
        return ResponseTable.from_arrays({RESPONSES: data})
    if isinstance(data, Mapping) and any(np.ndim(array) == 2 for array in data.values()):
        return ResponseTable.from_arrays(data)
    return read(data, groups=None)


def as_files(data: Any) -> list[Any]:
    """Return what `named_files` takes for data in memory: files by source, a table, or a sheet with its columns."""
    files = _files(data)
    if files is not None:
        return list(files)
    arrays = isinstance(data, Mapping) and any(np.ndim(array) == 2 for array in data.values())
    if arrays or (isinstance(data, np.ndarray) and data.dtype.names is None):
        return [as_table(data)]
    return [open_sheet(data)]


def as_contest(
    data: Contest | Any, *, a: str | None, b: str | None, gold: str | None, complete: bool = True
) -> Contest:
    """Return a contest as it is; of a table, a dataframe or a path it is made, with the sources that are named."""
    named = {
        name: _check.text(name, source) for name, source in (("a", a), ("b", b), ("gold", gold)) if source is not None
    }
    if isinstance(data, Contest):
        if named:
            raise ArgumentError("a contest has its gold, A and B already: leave `a`, `b` and `gold` out.")
        return data
    table = as_table(data)
    if a is None or b is None:
        raise ArgumentError(
            f"name the two models of the table with `a` and `b`, and `gold` if there is one; it has "
            f"{listed(list(table.sources))}."
        )
    return table.contest(a=a, b=b, gold=gold, complete=complete)


def keep_sources(table: ResponseTable, names: Sequence[str] | None) -> ResponseTable:
    """Return the table of these sources, with the items that any of them has; of all sources for None."""
    if names is None:
        return table
    sources = {name: table.source(name) for name in names}
    held = np.zeros(table.n_items, dtype=bool)
    for source in sources.values():
        held |= (source.sizes > 0) if source.missing is None else (source.sizes > 0) | (source.missing > 0)
    repeats = tuple(name for name in table.repeats if name in sources)
    return replace(table, sources=sources, repeats=repeats).take(np.flatnonzero(held))


def read_files(files: Sequence[File], layout: Layout) -> ResponseTable:
    """Read several files and join them on the item id.

    Logs of one name (or of one model, where they have no name) are its repeats; so are several tables of one name.
    """
    logs = [file for file in files if _reads_as_log(file.path, layout)]
    if len(logs) == len(files):
        return _table_of_logs(logs, layout)
    parts = split_sources(_table_of_logs(logs, layout)) if logs else {}
    others = [file for file in files if file not in logs]
    held: dict[str, list[ResponseTable]] = {}
    for file, table in zip(others, _tables(others, layout), strict=True):
        for name, own in split_sources(table).items():
            if name in parts:
                raise ArgumentError(
                    f"{file.path} and a log both hold a source called {name!r}; name them: x={file.path}."
                )
            held.setdefault(name, []).append(own)
    parts |= {name: own[0] if len(own) == 1 else _stacked(name, own, layout) for name, own in held.items()}
    if len(parts) == 1:
        return next(iter(parts.values()))
    paths = {file.name: file.path for file in files if file.name is not None}
    return join(parts, files=paths, labels=layout.labels)


def is_log(path: str | Path | Any) -> bool:
    """Whether a file is a log or an export that is known; a table of another kind, or a dataframe, is not."""
    if not isinstance(path, str | Path):
        return False
    return actual(path).suffix.lower() not in (*BINARY_ENDINGS, *WORKBOOKS) and recognise(path) is not None


def split_sources(table: ResponseTable) -> dict[str, ResponseTable]:
    """Return each source of a table as a table of its own; the notes go with the first."""
    first = next(iter(table.sources), None)
    parts = {name: keep_sources(table, [name]) for name in table.sources}
    return {name: part if name == first else replace(part, notes=()) for name, part in parts.items()}


def _reads_as_log(path: str | Path, layout: Layout) -> bool:
    """Whether a file is to be read as a log: it is one, and no columns of a table are asked for."""
    columns = [layout.source, layout.rater, layout.repeat, layout.count, layout.gold]
    if not (layout.scorer or layout.value == "answer"):
        columns += [layout.item, layout.value]
    return all(column is None for column in columns) and is_log(path)


def _table_of_logs(files: Sequence[File], layout: Layout) -> ResponseTable:
    return table_of_logs([(file.name, file.path) for file in files], layout)


def _tables(files: Sequence[File], layout: Layout) -> list[ResponseTable]:
    """Read each table; a column that some files lack is guessed there, since each file has its own names."""
    asked = layout.named_columns
    sheets = [
        open_sheet(file.path, paths=[*asked, file.value], encoding=layout.encoding, sheet=layout.sheet)
        for file in files
    ]
    for column in asked:
        parts = [column] if "," not in column else [part.strip() for part in column.split(",")]
        if sheets and not any(set(parts) <= set(sheet.columns) or "*" in column for sheet in sheets):
            sheets[0].cells(column)
    seen: dict[Any, Sheet] = {}
    for number, sheet in enumerate(sheets):
        if len(sheets) == 1 or any(dtype.is_nested() for dtype in sheet.frame.dtypes):
            continue
        same = seen.setdefault((*sheet.columns, sheet.frame.height, sheet.frame.hash_rows().sum()), sheet)
        if same is not sheet and same.frame.equals(sheet.frame):
            rows = counted(sheet.frame.height, "row")
            said = f"{same.name} and {sheet.name} hold the same {rows}; if one is a copy, leave it out."
            sheets[number] = replace(sheet, notes=(*sheet.notes, said))
    return [_table(file, sheet, layout) for file, sheet in zip(files, sheets, strict=True)]


def _table(file: File, sheet: Sheet, layout: Layout) -> ResponseTable:
    """Read one table of several; it is of the source that the file's name gives, or names its sources itself."""

    def here(column: str | None) -> str | None:
        known = not column or column in sheet.columns or "*" in column or "," in column
        return column if known else None

    own = replace(
        layout,
        item=here(layout.item),
        source=here(layout.source),
        value=file.value or here(layout.value),
        rater=here(layout.rater),
        repeat=here(layout.repeat),
        count=here(layout.count),
        groups=[name for name in layout.groups or () if name in sheet.columns],
        where={name: value for name, value in layout.conditions.items() if name in sheet.columns},
    )
    if file.name is None:
        if wide := wide_sources(sheet, own):
            return read_found(sheet, wide, own)
        if own.source is None and guess(sheet, "source", taken=[own.item, own.value]) is None:
            on_disk = isinstance(file.path, str | Path)
            named = f"{Path(file.path).stem}={file.path}" if on_disk else "NAME=table, in a mapping"
            raise ArgumentError(f"{sheet.name} does not say whose responses it holds; name it: {named}.")
        return read_tidy(sheet, own)
    column = _source_column(sheet, file.name, own)
    return read_tidy(sheet, replace(own, source=column), file.name if column is None else {file.name: file.name})


def _source_column(sheet: Sheet, name: str, layout: Layout) -> str | None:
    """Return the column in which rows of this source are marked by its name; None where all rows are its own."""
    if layout.source == "":
        return None
    taken = [layout.item, layout.value, layout.rater, layout.repeat]
    column = layout.source or guess(sheet, "source", taken=taken)
    if column is None:
        return None
    known = sheet.ids(column).drop_nulls().unique(maintain_order=True).to_list()
    if name in known:
        return column
    if len(known) > 1:
        raise DataError(
            f"{sheet.name} holds {len(known)} sources ({listed(known)}) and none is called {name!r}. "
            f"If column {column!r} names raters, say so: `rater={column!r}`."
        )
    return None


def _stacked(name: str, tables: Sequence[ResponseTable], layout: Layout) -> ResponseTable:
    """Put several tables of one source together: the responses of the second are further repeats, and so on."""
    frames, last = [], 0
    for table in tables:
        frame = table.to_frame().with_columns(pl.col("repeat") + last, pl.col("value").cast(pl.String))
        frames.append(frame.with_columns(source=pl.lit(name)))
        last += max(frame["repeat"].to_list(), default=0)
    columns = {role: role for role in ("item", "source", "value", "repeat")}
    rater = "rater" if any(table.raters for table in tables) else ""
    scale: dict[str, Any] = {"scale": layout.scale, "order": layout.order, "labels": layout.labels}
    whole = read_tidy(pl.concat(frames, how="diagonal"), Layout(**columns, rater=rater, groups=None, **scale))
    notes = dict.fromkeys(note for table in tables for note in table.notes)
    return replace(whole, notes=(*notes, f"{name} is read from {len(tables)} files."))


def _files(data: Any) -> list[File] | None:
    """Return the files of each source (without a name where they name it themselves); None where `data` is no list."""
    if isinstance(data, Mapping) and data and all(isinstance(name, str) for name in data):
        found = {name: _paths(own) for name, own in data.items()}
        if all(found.values()):
            return [File(str(path), name) for name, paths in found.items() for path in paths]
    if isinstance(data, list | tuple) and data and all(isinstance(path, str | Path) for path in data):
        return [File(str(path)) for path in data]
    return None


def _paths(data: Any) -> list[str | Path]:
    """Return the files that a source is read from; none where these are the cells of a column."""
    if isinstance(data, str | Path):
        return [data]
    listed_files = isinstance(data, list | tuple) and all(
        isinstance(path, Path) or (isinstance(path, str) and (Path(path).suffix or os.path.exists(path)))
        for path in data
    )
    return list(data) if listed_files else []
