"""JSON as a table: one record per line, or an array of records; what is nested is reached by its path.

A path names what is in an object by its keys: "meta.topic". A star stands for every element of a list (or every value
of an object) and makes a row of each: "annotations.*.label"; "#" is then the element's key or number.
"""

import codecs
import json
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import TextIOWrapper
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

import numpy as np
import polars as pl

from howsure._files import WATCH
from howsure.data.scales import IntArray
from howsure.errors import ArgumentError, DataError
from howsure.io.folders import aggregate
from howsure.io.text_files import memory_limit, refuse_too_large

LINES = 10_000
"""How many records are decoded at a time."""

LONGEST_NUMBER = 400
MOST_KEYS = 5_000
"""A table has the same keys in every record; more different ones than this are some other kind of file."""

Records = Iterator[tuple[int, dict[str, Any]]]


class _TwiceError(Exception):
    """A key that an object has twice."""


def whole_number(text: str) -> int | float:
    """Read the digits of a whole number; one beyond any float becomes infinite, which no value may be."""
    return int(text) if len(text) < LONGEST_NUMBER else float(text)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entry = dict(pairs)
    if len(entry) < len(pairs):
        raise _TwiceError(Counter(key for key, _ in pairs).most_common(1)[0][0])
    return entry


# NaN and Infinity are not JSON, but Python writes them: as text they meet the same rules as in a CSV file.
RECORD_DECODER = json.JSONDecoder(parse_constant=str, parse_int=whole_number, object_pairs_hook=_once)


def read_json_lines(path: Path, name: str, paths: Sequence[str]) -> tuple[pl.DataFrame, IntArray, dict[str, int]]:
    """Read a JSON Lines file as columns of text, with the line of each row and the first line of nested columns."""
    with path.open("rb") as content, TextIOWrapper(content, encoding="utf-8-sig") as file:
        size = path.stat().st_size
        numbered = ((number, line) for number, line in enumerate(file, start=1) if not line.isspace())
        records = ((number, _json_object(line, name, number)) for number, line in numbered)
        return _table(records, name, paths, size, content.tell)


def read_json(path: Path, name: str, paths: Sequence[str]) -> tuple[pl.DataFrame, IntArray, dict[str, int]]:
    """Read a JSON file that is an array of records, or an object that holds one; each row has its record's number."""
    with path.open("rb") as file:
        cursor = JsonCursor(file, name, once=True)
        return _table(_array(cursor, name), name, paths, path.stat().st_size, file.tell)


def _array(cursor: Any, name: str) -> Records:
    if cursor.peek() == "{":
        for _ in cursor.members():
            if cursor.peek() == "[":
                yield from _array(cursor, name)
                return
            cursor.value()
        raise _no_table(name, " holds no list of records, so it is not a table.")
    for number in cursor.elements():
        entry = cursor.value()
        if not isinstance(entry, dict):
            raise _no_table(name, f', record {number + 1} is not an object such as {{"item": "q1", "value": 3}}.')
        yield number + 1, entry


def _no_table(name: str, why: str) -> DataError:
    totals = aggregate(name)
    return DataError(f"{name} is {totals}." if totals else f"{name}{why}")


def _table(
    records: Records, name: str, paths: Sequence[str], size: int, position: Callable[[], int]
) -> tuple[pl.DataFrame, IntArray, dict[str, int]]:
    """Return the records of a file of `size` bytes; `position` says how many of them are read.

    How many cells the file has follows from those so far, so that one that is too large is refused at its beginning.
    """
    nested: dict[str, int] = {}
    numbers, frames, known = array("q"), list[pl.DataFrame](), dict[str, None]()
    exploded = (row for record in records for row in _rows(*record, paths, name))
    limit, n_cells, before = memory_limit(), 0, 0
    with WATCH.get()(f"reading {Path(name).name}", size) as advance:
        while batch := list(islice(exploded, LINES)):
            keys = dict.fromkeys(chain.from_iterable(entry for _, entry in batch))
            known |= keys
            if len(known) > MOST_KEYS:
                raise DataError(
                    f"{name} has more than {MOST_KEYS:,} different keys by line {batch[-1][0]}, so its keys are data; "
                    "write one response per line with the same keys."
                )
            here, n_cells = position(), n_cells + len(batch) * len(keys)
            refuse_too_large(name, size, n_cells * size // max(here, 1), limit=limit)
            advance(here - before)
            before = here
            columns = {key: [entry.get(key) for _, entry in batch] for key in keys}
            for key, cells in columns.items():
                if key not in nested and any(type(cell) in (list, dict) for cell in cells):
                    nested[key] = next(batch[row][0] for row, cell in enumerate(cells) if isinstance(cell, list | dict))
            frames.append(
                pl.DataFrame(
                    {text(key): pl.Series(map(text, cells), dtype=pl.String) for key, cells in columns.items()}
                )
            )
            numbers.extend(number for number, _ in batch)
    frame = pl.concat(frames, how="diagonal") if frames else pl.DataFrame()
    return frame, np.array(numbers, dtype=np.int64), nested


def _rows(number: int, entry: dict[str, Any], paths: Sequence[str], name: str) -> Iterable[tuple[int, dict[str, Any]]]:
    """Return the record with its paths as columns: one row, or one for each element that a star stands for."""
    wanted = [path for path in paths if path not in entry]
    if not wanted:
        return [(number, entry)]
    starred = [path for path in wanted if "*" in path.split(".") or "#" in path.split(".")]
    plain = entry | {path: _follow(entry, path.split(".")) for path in wanted if path not in starred}
    if not starred:
        return [(number, plain)]
    stems = {_stem(path) for path in starred}
    if len(stems) > 1:
        raise ArgumentError(f"paths with a star must go through one list; got {', '.join(starred)}.")
    (stem,) = stems
    held = _follow(entry, stem.split(".")) if stem else entry
    elements = held.items() if isinstance(held, dict) else enumerate(held if isinstance(held, list) else ())
    rows = []
    for key, element in elements:
        own = dict(plain)
        for path in starred:
            rest = path.split(".")[len(stem.split(".")) if stem else 0 :]
            own[path] = key if rest[0] == "#" else _follow(element, rest[1:])
        rows.append((number, own))
    return rows


def _stem(path: str) -> str:
    parts = path.split(".")
    return ".".join(parts[: next(place for place, part in enumerate(parts) if part in ("*", "#"))])


def _follow(value: Any, keys: Sequence[str]) -> Any:
    for key in keys:
        if isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        elif isinstance(value, dict):
            value = value.get(key)
        else:
            return None
    return value


def _json_object(line: str, name: str, number: int) -> dict[str, Any]:
    try:
        entry = RECORD_DECODER.decode(line)
    except _TwiceError as error:
        raise DataError(f"{name}, line {number} has the key {error.args[0]!r} twice; remove one.") from None
    except (json.JSONDecodeError, RecursionError) as error:
        reason = "too deep"
        if isinstance(error, json.JSONDecodeError):
            reason = f"{error.msg}, character {min(error.pos, len(line.rstrip())) + 1}"
        raise DataError(f"{name}, line {number} is not JSON ({reason}); each line must be one object.") from None
    if not isinstance(entry, dict):
        raise DataError(f'{name}, line {number} is not an object such as {{"item": "q1", "value": 3}}.')
    return entry


def text(value: Any) -> str | None:
    """Return a value as a cell of text; what is nested stays JSON."""
    if value is None:
        return value
    if isinstance(value, str):  # half of a surrogate pair cannot be written anywhere
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value) if isinstance(value, list | dict) else str(value)


CHUNK = 2**18
LARGEST_VALUE = 64 * 2**20
"""Characters of one value (a sample, a header) that are taken into memory at once."""

SPACE = " \t\n\r"

DECODER = json.JSONDecoder(parse_constant=str, parse_int=whole_number)
LENIENT = json.JSONDecoder(parse_constant=str, parse_int=whole_number, strict=False)
"""Takes line breaks within texts, which some tools write."""


class JsonCursor:
    """Walks through a JSON text: `peek` at the next value, take it, or step into it.

    Parameters
    ----------
    file : file of bytes
    name : str
        What messages call the file.
    strict : bool
        Whether a line break within a text is an error.
    once : bool
        Whether a key that an object has twice is an error; else the last one counts.

    Examples
    --------
    >>> import io
    >>> cursor = JsonCursor(io.BytesIO(b'{"model": "m", "samples": [1, 2]}'), "log.json")
    >>> for key in cursor.members():
    ...     print(key, [cursor.value() for _ in cursor.elements()] if cursor.peek() == "[" else cursor.value())
    model m
    samples [1, 2]
    """

    def __init__(self, file: IO[bytes], name: str, *, strict: bool = True, once: bool = False) -> None:
        self.name = name
        self._file = file
        self._json = RECORD_DECODER if once else DECODER if strict else LENIENT
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._text = ""
        self._at = 0
        self._before = 0
        self._ended = False

    @property
    def position(self) -> int:
        """How many characters have been passed."""
        return self._before + self._at

    def peek(self) -> str:
        """Return the first character of what comes next; nothing at the end."""
        while True:
            while self._at < len(self._text):
                if self._text[self._at] not in SPACE:
                    return self._text[self._at]
                self._at += 1
            if not self._more():
                return ""

    def value(self) -> Any:
        """Take the next value."""
        if not self.peek():
            raise self.damage("it ends in the middle of a value")
        while True:
            try:
                value, end = self._json.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if not (self._cut(error) and self._more()):
                    reason = "it ends in the middle of a value" if self._cut(error) else error.msg
                    raise self.damage(reason, error.pos - self._at) from None
            except RecursionError:
                raise self.damage("it is nested too deep") from None
            except _TwiceError as error:
                place = f"the object at character {self.position + 1:,}"
                raise DataError(f"{self.name}: {place} has the key {error.args[0]!r} twice; remove one.") from None
            else:
                if end < len(self._text) or not self._more():  # a number may go on in what is not yet read
                    self._at = end
                    return value

    def members(self) -> Iterator[str]:
        """Step into an object: yield each key; the caller takes its value."""
        self._expect("{")
        first = True
        while (mark := self.peek()) != "}":
            if not first:
                self._expect(",")
                mark = self.peek()
            if mark != '"':
                raise self.damage("a key in quotes is expected")
            key = self.value()
            self._expect(":")
            yield key
            first = False
        self._at += 1

    def elements(self) -> Iterator[int]:
        """Step into an array: yield the number of each element from 0; the caller takes the element."""
        self._expect("[")
        number = 0
        while self.peek() != "]":
            if number:
                self._expect(",")
            yield number
            number += 1
        self._at += 1

    def damage(self, reason: str, offset: int = 0) -> DataError:
        """Return the error that names the place."""
        return DataError(f"{self.name} is not JSON at character {self.position + offset + 1:,}: {reason}.")

    def _expect(self, mark: str) -> None:
        found = self.peek()
        if found != mark:
            raise self.damage(f"{mark!r} is expected, not {found!r}" if found else "it ends too early")
        self._at += 1

    def _cut(self, error: json.JSONDecodeError) -> bool:
        """Whether the value only seems wrong because the window ends within it."""
        return error.msg.startswith("Unterminated") or error.pos > len(self._text) - 16

    def _more(self) -> bool:
        """Read on; twice as much as is waiting, so that a long value is not tried too often."""
        if self._ended:
            return False
        waiting = len(self._text) - self._at
        if waiting > LARGEST_VALUE:
            raise self.damage(f"one value is longer than {LARGEST_VALUE // 2**20} MB")
        try:
            chunk = self._file.read(max(CHUNK, waiting))
            text = self._decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError:
            raise DataError(f"{self.name} is not UTF-8 text after character {self.position + waiting:,}.") from None
        self._ended = not chunk
        if text:
            self._text = self._text[self._at :] + text
            self._before += self._at
            self._at = 0
        return bool(text) or (not self._ended and self._more())
