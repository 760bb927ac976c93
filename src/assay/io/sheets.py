"""A file or dataframe as a sheet: named columns of cells, and the place of each row for messages.

Text files become columns of text, so that a bad cell is found here, with its line, and not by a type inference.
Nothing is ever unpickled.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl

from assay import _check
from assay.errors import DataError, MissingFileError
from assay.io import _text
from assay.scales import IntArray

TEXT_ENDINGS = {".csv": ",", ".tsv": "\t", ".jsonl": None, ".ndjson": None}
BINARY_ENDINGS = {".parquet": "Parquet", ".arrow": "Arrow", ".feather": "Arrow", ".ipc": "Arrow"}
MOST_NAMES = 12


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """Columns of cells, with what a message needs to name a place.

    Attributes
    ----------
    frame : polars.DataFrame
    name : str
        The file as the user wrote it, or "the table".
    lines : array of int, optional
        The line of the file on which each row starts; None where rows have no lines.
    nested : mapping of str to int
        Columns of a JSON Lines file that hold lists or objects, with the first such line.
    """

    frame: pl.DataFrame
    name: str
    lines: IntArray | None = None
    nested: Mapping[str, int] = field(default_factory=dict)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self.frame.columns

    def place(self, row: int) -> str:
        """Say where a row is: "ratings.csv, line 7"."""
        return f"{self.name}, {self.short_place(row)}"

    def short_place(self, row: int) -> str:
        """Say where a row is within the sheet: "line 7"."""
        return f"row {row} (counting from 0)" if self.lines is None else f"line {self.lines[row]}"

    def cells(self, column: str) -> pl.Series:
        """Return a column as it is; one that is absent, or that holds lists or objects, is an error."""
        if column not in self.frame.columns:
            hint = _check.nearest(column, self.columns)
            raise DataError(f"{self.name} has no column {column!r}; it has {listed(self.columns)}.{hint}")
        cells = self.frame[column]
        if column in self.nested:
            line = self.nested[column]
            raise DataError(f"{self.name}, line {line}: {column!r} is a list or an object, not one value.")
        if cells.dtype.is_nested() or cells.dtype in (pl.Binary, pl.Object):
            raise DataError(f"column {column!r} of {self.name} holds {cells.dtype} cells, not one value each.")
        return cells

    def ids(self, column: str) -> pl.Series:
        """Return a column as text in which blank cells are null."""
        return as_text(self.cells(column))


def open_sheet(data: Any) -> Sheet:
    """Open a path (CSV, TSV, JSON Lines, Parquet, Arrow) or take any dataframe as a sheet."""
    if isinstance(data, Sheet):
        return data
    sheet = _open_path(data) if isinstance(data, str | Path) else _from_dataframe(data)
    if not sheet.columns:
        raise DataError(f"{sheet.name} has no columns.")
    if sheet.frame.is_empty():
        raise DataError(f"{sheet.name} has columns ({listed(sheet.columns)}) but no rows.")
    return sheet


def as_text(cells: pl.Series) -> pl.Series:
    """Turn cells into text; blank ones become null, and 3.0 in a column of numbers is written 3."""
    if cells.dtype.is_float():
        whole = cells.is_finite() & (cells == cells.floor()) & (cells.abs() < 2**53)
        floats, integers = cells.fill_nan(None), cells.cast(pl.Int64, strict=False)
        return integers.cast(pl.String).zip_with(whole.fill_null(False), floats.cast(pl.String))
    text = cells.cast(pl.String)
    return text.set(text.str.strip_chars() == "", None)


def listed(names: list[str]) -> str:
    """List names for a message, the first twelve of them."""
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more


def _open_path(data: str | Path) -> Sheet:
    path, name = Path(data), str(data)
    if path.is_dir():
        raise DataError(f"{name} is a directory; name one file.")
    if not path.exists():
        nearby = [str(entry) for entry in path.parent.iterdir()] if path.parent.is_dir() else []
        raise MissingFileError(f"there is no file {name}.{_check.nearest(str(path), nearby)}")
    ending = path.suffix.lower()
    if ending not in TEXT_ENDINGS and ending not in BINARY_ENDINGS:
        known = ", ".join([*TEXT_ENDINGS, *BINARY_ENDINGS])
        remedy = " Write one JSON object per line and call it .jsonl." if ending == ".json" else ""
        what = f"files that end in {ending} cannot be read" if ending else "a file needs an ending that says its format"
        raise DataError(f"{name}: {what}; known endings: {known}.{remedy}")
    try:
        if ending in BINARY_ENDINGS:
            return Sheet(_read_binary(path, name, BINARY_ENDINGS[ending]), name)
        outline = _text.scan(path, name, separator=TEXT_ENDINGS[ending])
        separator = TEXT_ENDINGS[ending]
        if separator is None:
            return Sheet(*_text.read_json_lines(path, name))
        frame, lines = _text.read_separated(path, name, separator, outline)
        return Sheet(frame, name, lines)
    except OSError as error:
        raise DataError(f"{name} cannot be read: {error.strerror or error}.") from None


def _read_binary(path: Path, name: str, kind: str) -> pl.DataFrame:
    with path.open("rb") as file:
        start = file.read(8)
    try:
        if kind == "Parquet" and start.startswith(b"PAR1"):
            return pl.read_parquet(path, glob=False)
        if kind == "Arrow" and start.startswith(b"ARROW1"):
            return pl.read_ipc(path)
        if kind == "Arrow" and start.startswith(b"\xff\xff\xff\xff"):
            return pl.read_ipc_stream(path)
        reason = "it is empty" if not start else f"it starts with {start[:6]!r}"
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        reason = str(error).splitlines()[0]
    raise DataError(f"{name} is not a readable {kind} file ({reason}).")


def _from_dataframe(data: Any) -> Sheet:
    try:
        frame = nw.from_native(data)
    except TypeError:
        raise DataError(f"a table must be a path or a dataframe; got {type(data).__name__}.") from None
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    names = [str(column) for column in frame.columns]
    if len(set(names)) != len(names):
        raise DataError(f"the table has two columns called {_first_repeated(names)!r}; rename one.")
    columns = [_column(frame[original], name) for original, name in zip(frame.columns, names, strict=True)]
    return Sheet(pl.DataFrame(columns), "the table")


def _column(series: Any, name: str) -> pl.Series:
    try:
        cells = series.to_polars()
    except Exception:  # a column of mixed Python objects: each backend has its own error for it
        missing = series.is_null().to_list()
        entries = zip(series.to_list(), missing, strict=True)
        cells = pl.Series([None if absent else str(entry) for entry, absent in entries], dtype=pl.String)
    if isinstance(series.dtype, nw.Enum):  # ordered categories keep their order
        cells = cells.cast(pl.Enum(list(series.dtype.categories)))
    return cells.alias(name) if isinstance(cells, pl.Series) else pl.Series(name, cells)


def _first_repeated(names: list[str]) -> str:
    return next(name for position, name in enumerate(names) if name in names[:position])
