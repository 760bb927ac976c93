"""Read whatever holds responses: tables and dataframes, evaluation logs, annotation exports, or several of them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import ArgumentError, DataError
from assay.io._columns import guess
from assay.io._shaping import Where, conditions
from assay.io.joining import join
from assay.io.logs import read_logs
from assay.io.readers.known import recognise
from assay.io.sheets import BINARY_ENDINGS, Sheet, listed, open_sheet
from assay.io.tidy import read_tidy
from assay.responses import ResponseTable

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
    sources: Mapping[str, str] | str | None = None,
    where: Where | None = None,
    labels: str = "stripped",
    encoding: str | None = None,
    scorer: str | None = None,
    filter: str | None = None,
    rater_ids: str = "coded",
) -> ResponseTable:
    """Read responses: a table with one response per row, a log, an export of ratings, or several of them.

    Parameters
    ----------
    data : path, dataframe, sequence of paths, or mapping of source to path or paths
        A CSV, TSV, JSON, JSON Lines, Parquet or Arrow file, any dataframe (pandas, Polars, Arrow, …), or a log that
        `read_logs` knows. Several files are joined on the item id; several logs of one model are its repeats.
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
    sources : mapping of str to str, or str, optional
        The sources to read: each name with a value of the source column or a condition on another column, such as
        ``{"human": "kind=human", "gpt-4": "source=gpt-4"}``. A single name makes all rows responses of that source.
    where : mapping of str to str, or texts such as "split=test", optional
        Use only the rows whose columns have these values.
    labels : {"stripped", "exact"}
        Labels lose spaces at their ends, and two that differ only by case, spaces or Unicode form are refused; or all
        are taken as they are.
    encoding : str, optional
        The encoding of a text file that is not UTF-8, such as "cp1252".
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
    tabular: dict[str, Any] = {
        "item": item, "source": source, "value": value, "rater": rater, "repeat": repeat, "count": count, "gold": gold,
        "groups": groups, "where": where, "labels": labels, "encoding": encoding, "scale": scale, "order": order,
    }  # fmt: skip
    logged: dict[str, Any] = {
        "scorer": scorer, "filter": filter, "scale": scale, "order": order, "rater_ids": rater_ids, "item": item,
        "value": value or "score",
    }  # fmt: skip
    columns = [source, rater, repeat, count, gold, sources] + ([] if scorer or value == "answer" else [item, value])
    as_logs = not any(column is not None for column in columns)
    if isinstance(data, str | Path):
        if as_logs and is_log(data):
            return read_logs(data, where=conditions(where), **logged)
        return read_tidy(data, sources=sources, **tabular)
    named = _named(data)
    if named is None:
        return read_tidy(data, sources=sources, **tabular)
    if sources is not None:
        raise ArgumentError("`sources` is for one table; name the source of each file instead.")
    logs = {name: [path for path in paths if is_log(path)] for name, paths in named.items()}
    tables = [(path, name) for name, paths in named.items() for path in paths if path not in logs[name]]
    parts: dict[str, ResponseTable] = {}
    if any(logs.values()):
        given = {name: paths for name, paths in logs.items() if name is not None and paths}
        for group in (given, logs.get(None, [])):
            if group:
                _add(parts, read_logs(group, where=conditions(where), **logged))
    for path, name in tables:
        _add(parts, _table(path, name, tabular))
    if len(parts) == 1:
        return next(iter(parts.values()))
    return join(parts, labels=labels)


def _table(path: str | Path, name: str | None, tabular: Mapping[str, Any]) -> ResponseTable:
    """Read one table of several: all its rows are of the source `name`, or those that its source column marks."""
    if name is None:
        return read_tidy(path, **tabular)
    sheet = open_sheet(path, paths=[*_asked(tabular)], encoding=tabular["encoding"])
    column = source_column(sheet, name, tabular)
    return read_tidy(sheet, sources=name if column is None else {name: name}, **{**tabular, "source": column})


def _asked(tabular: Mapping[str, Any]) -> list[str]:
    roles = ("item", "value", "rater", "repeat", "count", "gold")
    return [tabular[role] for role in roles if tabular[role]] + [
        *conditions(tabular["where"]),
        *(tabular["groups"] or ()),
    ]


def source_column(sheet: Sheet, name: str, given: Mapping[str, Any]) -> str | None:
    """Return the column in which rows of this source are marked by its name; None where all rows are its own."""
    if given["source"] == "":
        return None
    taken = [given[role] for role in ("item", "value", "rater", "repeat")]
    column = given["source"] or guess(sheet, "source", taken=taken)
    if column is None:
        return None
    known = sheet.ids(column).drop_nulls().unique(maintain_order=True).to_list()
    if name in known:
        return str(column)
    if len(known) > 1:
        raise DataError(
            f"{sheet.name} holds {len(known)} sources ({listed(known)}) and none is called {name!r}. "
            f"If column {column!r} names raters, say --rater {column}."
        )
    return None


def is_log(path: str | Path) -> bool:
    """Whether a file is a log or an export that is known; a table of another kind is not."""
    return Path(path).suffix.lower() not in BINARY_ENDINGS and recognise(path) is not None


def _named(data: Any) -> dict[str | None, list[str | Path]] | None:
    """Return the files of each source (None: the files name it themselves), or None where `data` is something else."""
    if isinstance(data, Mapping) and all(isinstance(name, str) for name in data):
        found = {name: [own] if isinstance(own, str | Path) else list(own) for name, own in data.items()}
        return found if all(isinstance(path, str | Path) for paths in found.values() for path in paths) else None
    if isinstance(data, list | tuple) and data and all(isinstance(path, str | Path) for path in data):
        return {None: list(data)}
    return None


def _add(parts: dict[str, ResponseTable], table: ResponseTable) -> None:
    """Add each source of a table as a table of its own; the notes go with the first."""
    for number, (name, source) in enumerate(table.sources.items()):
        if name in parts:
            raise ArgumentError(
                f"two files have a source called {name!r}; name the files: {{'{name}': …, 'other': …}}."
            )
        held = source.sizes > 0 if source.missing is None else (source.sizes > 0) | (source.missing > 0)
        items = np.flatnonzero(held)
        parts[name] = replace(
            table, items=table.items[items], sources={name: source.take(items)},
            groups={group: column[items] for group, column in table.groups.items()},
            notes=table.notes if number == 0 else (), repeats=tuple(n for n in table.repeats if n == name),
        )  # fmt: skip
