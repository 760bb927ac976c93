"""A file or dataframe as a sheet: named columns of cells, and the place of each row for messages.

Text files become columns of text, so that a bad cell is found here, with its line, and not by a type inference.
Nothing is ever unpickled.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from howsure import _check
from howsure.data.scales import BoolArray, IntArray
from howsure.errors import DataError, MissingFileError
from howsure.io.binary_files import read_binary
from howsure.io.json_files import read_json, read_json_lines
from howsure.io.notations import look_alikes, without_invisible
from howsure.io.packed import STANDARD_INPUT, actual
from howsure.io.text_files import as_utf8, marked_encoding, read_separated, scan, sniffed
from howsure.io.workbooks import ENDINGS as WORKBOOKS
from howsure.io.workbooks import read_workbook

SEPARATORS = {".csv": ",", ".tsv": "\t"}
JSON_ENDINGS = (".jsonl", ".ndjson", ".json")
TEXT_ENDINGS = (*SEPARATORS, *JSON_ENDINGS)
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
        Columns of a JSON file that hold lists or objects, with the first such line; their cells are JSON.
    unit : str
        What the numbers in `lines` count: lines, or the records of a JSON array.
    notes : tuple of str
        How the file was opened, where that is not plain from its name.
    """

    frame: pl.DataFrame
    name: str
    lines: IntArray | None = None
    nested: Mapping[str, int] = field(default_factory=dict)
    unit: str = "line"
    notes: tuple[str, ...] = ()
    _by_name: Mapping[str, pl.Series] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Look up columns by name in a dictionary: Polars looks through all of them, 28 s for 5,000 columns."""
        object.__setattr__(self, "_by_name", {column.name: column for column in self.frame})

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._by_name)

    def __contains__(self, column: str) -> bool:
        return column in self._by_name

    @property
    def short_name(self) -> str:
        """The name without its folder, for notes; errors name the whole path."""
        return Path(self.name).name

    def place(self, row: int) -> str:
        """Say where a row is: "ratings.csv, line 7"."""
        return f"{self.name}, {self.short_place(row)}"

    def short_place(self, row: int) -> str:
        """Say where a row is within the sheet: "line 7"."""
        return f"row {row} (counting from 0)" if self.lines is None else f"{self.unit} {self.lines[row]}"

    def cells(self, column: str) -> pl.Series:
        """Return a column as it is; one that is absent, or that holds lists or objects, is an error."""
        if column not in self:
            hint = _check.nearest(column, self.columns)
            raise DataError(f"{self.name} has no column {column!r}; it has {listed(self.columns)}.{hint}")
        cells = self._by_name[column]
        if column in self.nested:
            line = self.nested[column]
            raise DataError(
                f"{self.name}, {self.unit} {line}: {column!r} is a list or an object, not one value. "
                f"Name what is in it, such as {column}.label, or {column}.*.label for every entry of a list."
            )
        if cells.dtype.is_nested() or cells.dtype in (pl.Binary, pl.Object):
            raise DataError(f"column {column!r} of {self.name} holds {cells.dtype} cells, not one value each.")
        return cells.cast(pl.String) if cells.dtype == pl.Categorical else cells

    def complete_ids(self, column: str, role: str, rows: IntArray | None = None) -> pl.Series:
        """Return `ids` where none may be blank."""
        ids = self.ids(column, rows)
        if ids.null_count():
            blank = int(ids.is_null().arg_max() or 0)
            place = self.place(blank if rows is None else int(rows[blank]))
            raise DataError(f"{place}, column {column!r}: the {role} is missing. Fill the cell or remove the row.")
        return ids

    def rows_where(self, column: str, value: str) -> BoolArray:
        """Return which rows have this value in a column; a value that none has is an error."""
        cells = self.ids(column)
        chosen: BoolArray = (cells == value).fill_null(False).to_numpy()
        if not chosen.any():
            known = cells.drop_nulls().unique(maintain_order=True).to_list()
            hint = _check.nearest(value, known)
            raise DataError(f"{self.name} has no row where {column} is {value!r}; it has {listed(known)}.{hint}")
        return chosen

    def ids(self, column: str, rows: IntArray | None = None) -> pl.Series:
        """Return a column, or these rows of it in their order, as text; blank is null.

        Spaces at the ends and characters that nobody sees are no part of an id.
        """
        cells = self.cells(column)
        text = (cells if cells.dtype == pl.String else as_text(cells)).str.strip_chars()
        del cells
        cells = without_invisible(text.set(text == "", None))
        return cells if rows is None or rows.size == len(cells) else cells.gather(rows)

    def merged_ids(self, columns: Sequence[str | None]) -> list[str]:
        """Say which ids are one although they are written differently, and which are two although they look alike."""
        notes = []
        for column in dict.fromkeys(column for column in columns if column is not None and column in self):
            written, ids = as_text(self.cells(column)), self.ids(column)
            changed = (written != ids).fill_null(False)
            alike = changed & ids.is_in(ids.filter(~changed).drop_nulls().implode())
            if alike.any():
                row = int(alike.arg_max() or 0)
                notes.append(
                    f"Ids in column {column!r} that differ only by spaces or invisible characters are one: "
                    f"{written[row]!a} and {ids[row]!r} (first: {self.short_place(row)})."
                )
            if twins := look_alikes(ids):
                one, other, codes = twins
                place = self.short_place(int((ids == other).arg_max() or 0))
                notes.append(
                    f"Two ids in column {column!r} look alike and are kept apart: {one!r} and {other!r} ({codes}; "
                    f"first: {place}). Spell them alike if they are one."
                )
        return notes


def open_sheet(
    data: Any, *, paths: Sequence[str | None] = (), encoding: str | None = None, sheet: str | None = None
) -> Sheet:
    """Open a path (CSV, TSV, JSON, JSON Lines, Parquet, Arrow, a workbook) or take any dataframe as a sheet.

    `paths` are the columns that are asked for; those with a dot or a star are looked for within JSON records.
    """
    if isinstance(data, Sheet):
        return data
    nested = [path for path in paths if path and ("." in path or "*" in path)]
    found = _open_path(data, nested, encoding, sheet) if isinstance(data, str | Path) else _from_dataframe(data)
    if not found.columns:
        raise DataError(f"{found.name} has no columns.")
    if found.frame.is_empty():
        raise DataError(f"{found.name} has columns ({listed(found.columns)}) but no rows.")
    return found


def as_text(cells: pl.Series) -> pl.Series:
    """Turn cells into text; blank ones become null, 3.0 in a column of numbers is 3, a duration its seconds."""
    if cells.dtype.is_float():
        whole = cells.is_finite() & (cells == cells.floor()) & (cells.abs() < 2**53)
        floats, integers = cells.fill_nan(None), cells.cast(pl.Int64, strict=False)
        return integers.cast(pl.String).zip_with(whole.fill_null(False), floats.cast(pl.String))
    if isinstance(cells.dtype, pl.Duration):
        return as_text(cells.dt.total_nanoseconds() / 1e9)
    text = cells.cast(pl.String)
    return text.set(text.str.strip_chars() == "", None)


def listed(names: list[str]) -> str:
    """List names for a message, the first twelve of them."""
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more


def no_file(path: str | Path) -> MissingFileError:
    """Return the error for a file that is not there; it names one that is called nearly so."""
    place = Path(path)
    if place.is_symlink():
        return MissingFileError(f"{path} is a link that leads to no file.")
    nearby = [str(entry) for entry in place.parent.iterdir()] if place.parent.is_dir() else []
    return MissingFileError(f"there is no file {path}.{_check.nearest(str(place), nearby)}")


def _open_path(data: str | Path, paths: Sequence[str], encoding: str | None, wanted: str | None) -> Sheet:
    path, name = actual(data), "standard input" if str(data) == STANDARD_INPUT else str(data)
    if path.is_dir():
        raise DataError(f"{name} is a directory; name one file.")
    if not path.exists():
        raise no_file(data)
    if not path.is_file():
        raise DataError(f"{name} is a pipe or a device, which can be read only once; pipe it into howsure with -.")
    ending = path.suffix.lower()
    known = (*TEXT_ENDINGS, *BINARY_ENDINGS, *WORKBOOKS)
    if ending not in known:
        what = f"files that end in {ending} cannot be read" if ending else "a file needs an ending that says its format"
        raise DataError(f"{name}: {what}; known endings: {', '.join(known)}, each also with .gz or .zst.")
    if wanted is not None and ending not in WORKBOOKS:
        raise DataError(f"{name} is no workbook, so it has no sheet {wanted!r}; leave `sheet` out.")
    try:
        if ending in WORKBOOKS:
            frame, lines, told = read_workbook(path, name, wanted)
            return Sheet(frame, name, lines, unit="row", notes=tuple(told))
        if ending in BINARY_ENDINGS:
            return Sheet(_compact(read_binary(path, name, BINARY_ENDINGS[ending])), name)
        found, notes = (encoding, ()) if encoding else marked_encoding(path, Path(name).name)
        with as_utf8(path, name, found) as file:
            if ending == ".json":
                frame, lines, nested = read_json(file, name, paths)
                return Sheet(_compact(frame), name, lines, nested, "record", notes)
            separator = SEPARATORS.get(ending)
            if separator is not None:
                separator = sniffed(file, separator)
                if separator != SEPARATORS[ending]:
                    notes = (*notes, f"The cells of {Path(name).name} are separated by {separator!r}.")
            outline = scan(file, name, separator=separator)
            if separator is None:
                frame, lines, nested = read_json_lines(file, name, paths)
                return Sheet(_compact(frame), name, lines, nested, notes=notes)
            frame, lines = read_separated(file, name, separator, outline)
            return Sheet(_compact(frame), name, lines, notes=notes)
    except OSError as error:
        raise DataError(f"{name} cannot be read: {error.strerror or error}.") from None


LARGE, FIRST = 2**28, 100_000


def _compact(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a large table of texts with a number for each text in columns whose texts repeat.

    A table of 424 MB (10 million ratings) then takes 0.4 GB in place of 1.1 GB.
    """
    if frame.estimated_size() < LARGE:
        return frame
    for position, column in enumerate(frame.columns):
        if frame.dtypes[position] != pl.String:
            continue
        start = frame[column].head(FIRST)
        if 2 * start.n_unique() <= len(start):
            frame.replace_column(position, frame[column].cast(pl.Categorical))
    return frame


def _from_dataframe(data: Any) -> Sheet:
    import narwhals as nw  # files do not need it, and starting up is part of speed

    if isinstance(data, Mapping) or getattr(getattr(data, "dtype", None), "names", None):
        data = _from_columns(data)
    try:
        frame = nw.from_native(data)
    except nw.exceptions.DuplicateError:
        _refuse_repeated([str(column) for column in data.columns])
        raise
    except TypeError:
        raise DataError(f"a table must be a path or a dataframe; got {type(data).__name__}.") from None
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    names = [str(column) for column in frame.columns]
    _refuse_repeated(names)
    columns = [_column(frame[original], name, nw.Enum) for original, name in zip(frame.columns, names, strict=True)]
    return Sheet(pl.DataFrame(columns), "the table")


def _from_columns(data: Any) -> pl.DataFrame:
    """Return columns by name, or the fields of a structured array, as a dataframe."""
    names = list(data) if isinstance(data, Mapping) else list(data.dtype.names)
    columns = []
    for name in names:
        try:
            columns.append(pl.Series(str(name), data[name], strict=False))
        except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
            raise DataError(f"column {str(name)!r} must be a list or a vector with one value for each row.") from None
    _refuse_repeated([column.name for column in columns])
    if len({len(column) for column in columns}) > 1:
        lengths = listed([f"{column.name} {len(column)}" for column in columns])
        raise DataError(f"columns must have one value for each row; got {lengths}.")
    return pl.DataFrame(columns)


def _column(series: Any, name: str, ordered: Any) -> pl.Series:
    try:
        cells = series.to_polars()
    except Exception:  # a column of mixed Python objects: each backend has its own error for it
        missing = series.is_null().to_list()
        entries = zip(series.to_list(), missing, strict=True)
        cells = pl.Series([None if absent else str(entry) for entry, absent in entries], dtype=pl.String)
    if isinstance(series.dtype, ordered):  # ordered categories keep their order
        cells = cells.cast(pl.Enum(list(series.dtype.categories)))
    return cells.alias(name) if isinstance(cells, pl.Series) else pl.Series(name, cells)


def _refuse_repeated(names: list[str]) -> None:
    for name, times in Counter(names).most_common(1):
        if times > 1:
            raise DataError(f"the table has two columns called {name!r}; rename one.")
