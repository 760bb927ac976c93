"""Text files: looked through in chunks, then read into columns of text with the line of each row.

Everything is read as text first, so that an error can name line and column. Separated files without quotes are read
by Polars; the others by Python's csv module, which knows the line on which each record starts. Both must find in every
line as many cells as the header has.
"""

import codecs
import csv
import re
import stat
import tempfile
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from howsure._files import WATCH
from howsure.data.scales import IntArray
from howsure.errors import ArgumentError, DataError, MissingFileError

if TYPE_CHECKING:  # lists of scores are text, too, and need no Polars
    import polars as pl

CHUNK = 8 * 2**20
LONGEST_LINE = 16 * 2**20
BATCH = 100_000


@dataclass(frozen=True, slots=True)
class Outline:
    """What a first look at a text file finds.

    Attributes
    ----------
    n_lines, n_separators : int
    plain : bool
        Whether it has neither quotes nor blank lines nor bare carriage returns, so that a line is a record.
    """

    n_lines: int
    n_separators: int
    plain: bool


def scan(path: Path, name: str, *, separator: str | None) -> Outline:
    """Look through a file in chunks; refuse what is empty, binary, not UTF-8, or has a line too long to be data."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    sought = (separator or "\n").encode()
    n_lines = n_separators = position = line_length = 0
    plain, last = True, b"\n"
    with path.open("rb") as file, WATCH.get()(f"looking at {Path(name).name}", path.stat().st_size) as advance:
        while chunk := file.read(CHUNK):
            advance(len(chunk))
            refuse_binary(chunk, position, name, decoder)
            breaks = chunk.count(b"\n")
            longest = line_length + (chunk.find(b"\n") if breaks else len(chunk))
            if longest > LONGEST_LINE:
                raise DataError(
                    f"{name}, line {n_lines + 1} is longer than {LONGEST_LINE // 2**20} MB; "
                    "a table of responses has shorter lines."
                )
            line_length = len(chunk) - 1 - chunk.rfind(b"\n") if breaks else longest
            seam = last + chunk  # a blank line, or a carriage return before its newline, may be cut by the chunks
            plain = plain and b'"' not in chunk and b"\n\n" not in seam and b"\n\r\n" not in seam
            plain = plain and seam.count(b"\r") - seam.endswith(b"\r") == seam.count(b"\r\n")
            n_lines += breaks
            n_separators += chunk.count(sought)
            position += len(chunk)
            last = seam[-2:]
    if position == 0:
        raise DataError(f"{name} is empty.")
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        raise DataError(f"{name} is not UTF-8 text: it ends in the middle of a character.") from None
    return Outline(n_lines + (not last.endswith(b"\n")), n_separators, plain and not last.endswith(b"\r"))


MOST_MEMORY = 4 * 2**30
"""Bytes of memory that reading a file may take: the limit of every table, log line and list of scores."""
PER_BYTE, PER_CELL = 2, 30
"""Bytes of memory that reading takes for each byte of a table and for each of its cells.

Measured with 40 million cells (an item, a model, a rater and a score in a row): 1.9 GB for CSV files of 404 MB, and of
481 MB with quotes, and for a Parquet file of 12 MB that Polars expands to 337 MB; 1.3 GB for 28 million cells in 590 MB
of JSON Lines.
"""
FEWER = "Make a smaller file with only the columns of item, model, score and rater, or with a sample of the items."


def memory_limit() -> int:
    """Return how many bytes of memory reading may take: `MOST_MEMORY`, or less where less is free."""
    with suppress(OSError, ValueError, AttributeError):  # not every system says what is free
        free = re.search(r"MemAvailable: +(\d+) kB", Path("/proc/meminfo").read_text())
        return min(MOST_MEMORY, int(free[1]) * 1024) if free else MOST_MEMORY
    return MOST_MEMORY


def refuse_too_large(name: str, n_bytes: int, n_cells: int, *, limit: int | None = None, remedy: str = FEWER) -> None:
    """Refuse a table that would take more memory than `memory_limit`, or than a limit that was asked for before."""
    need, most = PER_BYTE * n_bytes + PER_CELL * n_cells, memory_limit() if limit is None else limit
    if need > most:
        raise DataError(
            f"{name} holds {n_bytes / 2**30:.1f} GB in about {n_cells:,} cells; reading it would take about "
            f"{need / 2**30:.1f} GB of memory, and the limit is {most / 2**30:.1f} GB. {remedy}"
        )


def read_separated(path: Path, name: str, separator: str, outline: Outline) -> tuple["pl.DataFrame", IntArray]:
    """Read a CSV or TSV file as columns of text, with the line of each row."""
    refuse_too_large(name, path.stat().st_size, outline.n_lines + outline.n_separators)
    with _records(path, name, separator) as records:
        header = _header(next(records, (1, []))[1], name)
        if outline.plain and outline.n_separators == outline.n_lines * (len(header) - 1):
            frame = _read_plain(path, separator, header)
            if frame is not None and frame.height == outline.n_lines - 1:
                return frame, np.arange(2, frame.height + 2)
        with WATCH.get()(f"reading {Path(name).name}", outline.n_lines) as advance:
            return _read_quoted(records, name, header, advance)


def _read_plain(path: Path, separator: str, header: list[str]) -> "pl.DataFrame | None":
    import polars as pl

    try:
        frame = pl.read_csv(path, separator=separator, quote_char=None, infer_schema=False, glob=False)
    except pl.exceptions.PolarsError:
        return None  # the careful reader finds the line and names it
    frame.columns = header
    return frame


def _read_quoted(
    records: Iterator[tuple[int, list[str]]], name: str, header: list[str], advance: Callable[[int], object]
) -> tuple["pl.DataFrame", IntArray]:
    import polars as pl

    lines, batch, frames = array("q"), list[list[str]](), list[pl.DataFrame]()
    schema = dict.fromkeys(header, pl.String)
    for line, record in records:
        if len(record) != len(header):
            raise DataError(
                f"{name}, line {line} has {len(record)} cells, but the header has {len(header)} columns. "
                "Fix the line; a cell that contains the separator needs quotes."
            )
        lines.append(line)
        batch.append(record)
        if len(batch) == BATCH:
            frames.append(pl.DataFrame(batch, schema=schema, orient="row"))
            advance(lines[-1] - (lines[-BATCH - 1] if len(lines) > BATCH else 0))
            batch = []
    frames.append(pl.DataFrame(batch, schema=schema, orient="row"))
    return pl.concat(frames), np.frombuffer(lines, dtype=np.int64) if lines else np.empty(0, np.int64)


@contextmanager
def _records(path: Path, name: str, separator: str) -> Iterator[Iterator[tuple[int, list[str]]]]:
    """Give (line, cells) of every record that is not blank, as the csv module reads them."""
    before = csv.field_size_limit(LONGEST_LINE)  # prompts are longer than the 128 kB that the module allows by default
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield _numbered(csv.reader(file, delimiter=separator, strict=True), name)
    finally:
        csv.field_size_limit(before)


def _numbered(reader: Any, name: str) -> Iterator[tuple[int, list[str]]]:
    while True:
        line = reader.line_num + 1
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            reason = "a quote is opened and not closed" if "end of data" in str(error) else str(error)
            raise DataError(f"{name}, line {line} cannot be read: {reason}. Fix the quotes.") from None
        if any(record):
            yield line, record


def _header(cells: list[str], name: str) -> list[str]:
    header = [cell.strip() or f"column {number}" for number, cell in enumerate(cells, start=1)]
    seen: set[str] = set()
    for column in header:
        if column in seen:
            raise DataError(f"{name}, line 1 has two columns called {column!r}; rename one.")
        seen.add(column)
    return header


def sniffed(path: Path, separator: str) -> str:
    """Return what separates the cells of the header: the mark that is there most often, else the ending's."""
    with path.open("rb") as file:
        line = file.readline(LONGEST_LINE).decode("utf-8-sig", errors="replace")
    outside = re.sub(r'"[^"]*"', "", line)
    return max((separator, ";", "\t", ",", "|"), key=outside.count)


def marked_encoding(path: Path, name: str) -> tuple[str | None, tuple[str, ...]]:
    """Return the encoding that the first bytes tell, where it is not UTF-8, and a note."""
    with path.open("rb") as file:
        start = file.read(BEGINNING)
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16", (f"{name} is read as UTF-16, as its first bytes say.",)
    found = unmarked_utf16(start)
    if found is None:
        return None, ()
    return found, (
        f"{name} is read as {found}: every second byte at its beginning is zero (else name its `encoding`).",
    )


BEGINNING = 2**12


def unmarked_utf16(start: bytes) -> str | None:
    """Return the encoding of text that begins in UTF-16 without a mark: of ASCII letters every second byte is zero.

    Other letters have other second bytes, so half of them are enough; a zero among the first bytes is no text.
    """
    even, odd = start[0:BEGINNING:2], start[1:BEGINNING:2]
    for letters, others, name in ((even, odd, "utf-16-le"), (odd, even, "utf-16-be")):
        if 0 not in letters and 2 * others.count(0) > len(others) > 1:
            return name
    return None


@contextmanager
def as_utf8(path: Path, name: str, encoding: str | None) -> Iterator[Path]:
    """Yield the file itself, or for as long as needed a copy of it in UTF-8."""
    if encoding is None:
        yield path
        return
    check_encoding(encoding)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", newline="", suffix=path.suffix) as copy:
        try:
            with path.open(encoding=encoding, newline="") as file:
                while chunk := file.read(CHUNK):
                    copy.write(chunk)
        except (UnicodeError, TypeError) as error:
            raise DataError(f"{name} is not {encoding} text: {error}.") from None
        copy.flush()
        yield Path(copy.name)


WHOLE_CHUNK = 2**20
LARGEST_WHOLE = MOST_MEMORY // 4
"""Bytes of a file that is read whole: its text is held beside it, and takes two bytes for each letter if one needs two.

A pipe without end is refused once it has sent as many."""


def refuse_binary(chunk: bytes, position: int, name: str, decoder: codecs.IncrementalDecoder) -> None:
    """Refuse a part of a file that is not UTF-8 text; the decoder remembers a character that the parts cut."""
    if position == 0 and chunk.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise DataError(f"{name} is UTF-16 text; save it as UTF-8, or say so with `encoding='utf-16'`.")
    if position == 0 and (found := unmarked_utf16(chunk)):
        raise DataError(f"{name} seems to be UTF-16 text; save it as UTF-8, or say so with `encoding='{found}'`.")
    if (zero := chunk.find(b"\0")) >= 0:
        raise DataError(f"{name} is a binary file (NUL at byte {position + zero}), not text.")
    pending = len(decoder.getstate()[0])
    try:
        decoder.decode(chunk)
    except UnicodeDecodeError as error:
        where = position - pending + error.start
        raise DataError(
            f"{name} is not UTF-8 text: byte {where} is 0x{error.object[error.start]:02x}. Save it as UTF-8, or name "
            "its encoding: `encoding='cp1252'` for most files that Windows wrote."
        ) from None


def check_encoding(encoding: str) -> None:
    """Refuse an encoding that Python does not know."""
    try:
        "a".encode(encoding)
    except (LookupError, UnicodeError, TypeError, ValueError):
        raise ArgumentError(f"`encoding` must be one that Python knows, such as cp1252; got {encoding!r}.") from None


def read_whole(path: Path, *, encoding: str | None = None) -> str:
    """Return a text file as one string, read once, so that a pipe serves as well as a file.

    Parameters
    ----------
    path : Path
    encoding : str, optional
        UTF-8 if left out, with or without a mark at the beginning.
    """
    if encoding is not None:
        check_encoding(encoding)
    decoder = codecs.getincrementaldecoder("utf-8")()
    content, limit = bytearray(), f"{LARGEST_WHOLE / 2**30:.1f} GB, the limit of a file that is read as a whole"
    too_large = DataError(f"{path} is larger than {limit}. Make a smaller file with some of its lines.")
    try:
        status = path.stat()
        if status.st_size > LARGEST_WHOLE:
            raise too_large
        if stat.S_ISCHR(status.st_mode):
            raise DataError(f"{path} is a device and not a file; name a file.")
        with path.open("rb") as file:
            while part := file.read(WHOLE_CHUNK):
                if encoding is None:
                    refuse_binary(part, len(content), str(path), decoder)
                content += part
                if len(content) > LARGEST_WHOLE:
                    raise too_large
    except FileNotFoundError:
        raise MissingFileError(f"there is no file {path}.") from None
    except IsADirectoryError:
        raise DataError(f"{path} is a directory; name one file.") from None
    except (OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{str(path)!r} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    try:
        return content.decode(encoding or "utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not {encoding or 'UTF-8'} text: {error.reason} at byte {error.start}.") from None
