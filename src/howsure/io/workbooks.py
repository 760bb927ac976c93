"""Workbooks (.xlsx, .xls, .ods): one sheet as columns of text, with the row of each record."""

import zipfile
from datetime import date, time, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from howsure import _check
from howsure.data.scales import IntArray
from howsure.errors import DataError, needs_extra

if TYPE_CHECKING:
    import polars as pl

ENDINGS = (".xlsx", ".xlsm", ".xls", ".ods")
LARGEST = 2**30
"""Bytes that the parts of a workbook may unpack to."""


def read_workbook(path: Path, name: str, wanted: str | None) -> tuple["pl.DataFrame", IntArray, list[str]]:
    """Read the sheet that is asked for, else the first that is not hidden; a note names the others."""
    import polars as pl

    try:
        import python_calamine as calamine
    except ImportError:
        raise needs_extra("a workbook", "excel") from None
    _refuse_bomb(path, name)
    try:
        with calamine.CalamineWorkbook.from_path(path) as book:
            visible = [sheet.name for sheet in book.sheets_metadata if "Visible" in str(sheet.visible)]
            chosen = _chosen(book.sheet_names, visible, wanted, name)
            sheet = book.get_sheet_by_name(chosen)
            rows = sheet.to_python(skip_empty_area=False)
            merged = list(getattr(sheet, "merged_cell_ranges", None) or ())
    except (calamine.CalamineError, OSError, ValueError) as error:
        reason = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
        raise DataError(f"{name} is not a readable workbook ({reason}).") from None
    notes = _fill_merged(rows, merged)
    others = [sheet for sheet in visible if sheet != chosen]
    if others and wanted is None:
        notes.append(f"Sheet {chosen!r} of {Path(name).name} is read; also there: {', '.join(others)} (`sheet`).")
    header_row = next((number for number, row in enumerate(rows) if any(cell != "" for cell in row)), None)
    if header_row is None:
        raise DataError(f"{name}: sheet {chosen!r} is empty.")
    header = [_text(cell) or f"column {number}" for number, cell in enumerate(rows[header_row], start=1)]
    while header and header[-1].startswith("column ") and all(row[len(header) - 1] == "" for row in rows):
        header.pop()
    for column in header:
        if header.count(column) > 1:
            raise DataError(f"{name}, row {header_row + 1} has two columns called {column!r}; rename one.")
    kept = [number for number in range(header_row + 1, len(rows)) if any(cell != "" for cell in rows[number])]
    cells = {
        column: pl.Series([_text(rows[number][place]) for number in kept], dtype=pl.String)
        for place, column in enumerate(header)
    }
    return pl.DataFrame(cells), np.array(kept, dtype=np.int64) + 1, notes


def _chosen(names: list[str], visible: list[str], wanted: str | None, name: str) -> str:
    if wanted is None:
        return (visible or names)[0]
    if wanted not in names:
        hint = _check.nearest(wanted, names)
        raise DataError(f"{name} has no sheet {wanted!r}; it has {', '.join(names)}.{hint}")
    return wanted


def _fill_merged(rows: list[list[Any]], merged: list[Any]) -> list[str]:
    """Give every cell of a merged range its value; the file has it in the first one only."""
    for (top, left), (bottom, right) in merged:
        for row in range(top, min(bottom, len(rows) - 1) + 1):
            for column in range(left, min(right, len(rows[row]) - 1) + 1):
                rows[row][column] = rows[top][left]
    return [f"{len(merged):,} merged ranges are filled with their value."] if merged else []


def _text(cell: Any) -> str | None:
    """Return a cell as it would be written in a text file; ids and counts are floats in a workbook."""
    if cell == "" or cell is None:
        return None
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 2**53 else repr(cell)
    if isinstance(cell, date | time | timedelta):
        return str(cell)
    return str(cell).strip() or None


def _refuse_bomb(path: Path, name: str) -> None:
    """Refuse a workbook whose parts unpack to more than a table has."""
    if not zipfile.is_zipfile(path):
        return
    try:
        with zipfile.ZipFile(path) as parts:
            size = sum(part.file_size for part in parts.infolist())
    except (zipfile.BadZipFile, OSError) as error:
        raise DataError(f"{name} is not a readable workbook ({error}).") from None
    if size > LARGEST:
        raise DataError(f"{name} unpacks to {size / 2**30:.1f} GB; at most {LARGEST // 2**30} GB are read.")
