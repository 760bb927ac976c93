"""A sheet made ready to be read: the rows that were asked for, and items that are told apart by several columns."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from howsure.documents import Aside
from howsure.errors import ArgumentError, DataError
from howsure.io.sheets import Sheet

Where = Mapping[str, str] | Sequence[str] | str
BETWEEN = ":"
"""Stands between the parts of an item's id."""


def conditions(where: Where | None) -> dict[str, str]:
    """Return column → value; "split=test" or a sequence of such texts may be given as well."""
    if where is None:
        return {}
    if isinstance(where, Mapping):
        return {str(column): str(value) for column, value in where.items()}
    found = {}
    for text in [where] if isinstance(where, str) else where:
        column, equals, value = text.partition("=")
        if not equals or not column.strip():
            raise ArgumentError(f"`where` must be written column=value; got {text!r}.")
        found[column.strip()] = value.strip()
    return found


def kept(sheet: Sheet, where: Where | None) -> tuple[Sheet, list[str]]:
    """Return the rows that meet every condition, and a note that counts them."""
    chosen = np.ones(sheet.frame.height, dtype=bool)
    wanted = conditions(where)
    for column, value in wanted.items():
        chosen &= sheet.rows_where(column, value)
    if not wanted:
        return sheet, []
    told = " and ".join(f"{column} is {value!r}" for column, value in wanted.items())
    if not chosen.any():
        raise DataError(f"{sheet.name} has no row where {told}.")
    rows = np.flatnonzero(chosen)
    lines = rows if sheet.lines is None else sheet.lines[rows]
    unit = "row" if sheet.lines is None else sheet.unit
    note = Aside(f"{rows.size:,} of {chosen.size:,} rows of {sheet.short_name} are used: those where {told}.")
    return replace(sheet, frame=sheet.frame[rows], lines=lines, unit=unit), [note]


def combined(sheet: Sheet, item: str | None) -> tuple[Sheet, list[str]]:
    """Return the sheet with a column for an item that is written "doc,dimension", and the columns it is made of."""
    if not item or item in sheet.columns or "," not in item:
        return sheet, []
    parts = [part.strip() for part in item.split(",") if part.strip()]
    cells = [sheet.ids(part).rename(f"part {number}") for number, part in enumerate(parts)]
    joined = pl.select(pl.concat_str(cells, separator=BETWEEN)).to_series().rename(item)
    return replace(sheet, frame=sheet.frame.with_columns(joined)), parts
