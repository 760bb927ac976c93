"""What a reader of logs is: how it recognises a file, and the rows that it finds there."""

import csv
import hashlib
import json
import struct
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import IO, Any, NamedTuple

from howsure.errors import DataError
from howsure.io.json_files import DECODER, JsonCursor
from howsure.io.packed import STANDARD_INPUT, actual, plain_path

GLANCE = 2**16
LONGEST_GLANCE = 4 * 2**20
LONGEST_ID = 120
LONGEST_LINE = 64 * 2**20


class Row(NamedTuple):
    """One response, or one that is missing with the reason why.

    Attributes
    ----------
    item : str
    value : number, bool, str, mapping of label to share, or None
        None where there is no score.
    scorer : str
        What gave the value: a scorer, metric or question. A file may have several.
    filter : str
        What picked the answer that was scored (lm-evaluation-harness).
    source : str or None
        Who answered; None means the model that the file's header names.
    rater : str or None
        Who rated.
    repeat : number or None
        Which run of the model: an epoch, a trial.
    lacks : str
        Why there is no value: "errored", "refused", "cancelled", "unscored", …
    answer : str or None
        What the model answered, where the log has it.
    task : str or None
        The task the item belongs to; None means the task that the file's header names.
    check : str
        What tells whether two files mean the same by an item's id: the question itself, or its digest.
    """

    item: str
    value: Any
    scorer: str = ""
    filter: str = ""
    source: str | None = None
    rater: str | None = None
    repeat: float | None = None
    lacks: str = ""
    answer: Any = None
    task: str | None = None
    check: str = ""


def answered(item: str, value: Any, scorer: str = "", *, absent: str = "empty", **about: Any) -> Row:
    """Return a row that lacks its value for the reason `absent` if there is none."""
    return Row(item, value, scorer, lacks=absent if value is None else "", **about)


@dataclass
class Header:
    """What a file says about itself; a reader fills it in while it yields rows.

    Attributes
    ----------
    model : str
        Who answered the rows that name no source.
    task : str
    run : str
        What identifies the run, so that one log given twice is noticed.
    higher_is_better : mapping of str to bool
        By scorer, where the log says so.
    default : str
        The scorer to take where none is asked for and there are several; "" means that the user must say.
    grades : bool
        Whether "C", "I", "P", "N" are marks for correct, incorrect, partly correct and no answer.
    settings : dict of str to str
        What was asked of the model apart from the items (`howsure.io.run_settings.settings_of`); logs of one model
        that differ in them are separate models.
    notes : list of str
    expected : int or None
        How many rows the run should have had for each scorer, where the log says so.
    scorer, item : str
        What the user asks for; readers may look at them where a format leaves a choice.
    """

    model: str = ""
    task: str = ""
    run: str = ""
    higher_is_better: dict[str, bool] = field(default_factory=dict)
    default: str = ""
    grades: bool = False
    settings: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    expected: int | None = None
    scorer: str = ""
    item: str = ""


@dataclass(frozen=True)
class Glance:
    """A first look at a path, from which readers recognise what is theirs.

    Attributes
    ----------
    path : Path
        Where it is and what it is called; other files may lie beside it.
    packed : Path, optional
        The file as it is stored, where gzip or zstandard packed it: samples.jsonl.gz for samples.jsonl.
    """

    path: Path
    packed: Path | None = None

    @classmethod
    def of(cls, path: str | Path) -> "Glance":
        """Look at a path, whether the file is packed or not."""
        plain = plain_path(path)
        return cls(plain, None if plain == Path(path) and str(path) != STANDARD_INPUT else Path(path))

    @property
    def name(self) -> str:
        """What messages call it."""
        return str(self.packed or self.path)

    @cached_property
    def file(self) -> Path:
        """The file that is read."""
        return actual(self.packed or self.path)

    @cached_property
    def kind(self) -> str:
        """What the first bytes say: "zip", "json" or "text"."""
        if self.start.startswith(b"PK\x03\x04"):
            return "zip"
        return "json" if self.text.lstrip()[:1] in ("{", "[") else "text"

    @cached_property
    def start(self) -> bytes:
        """The first bytes."""
        with self.open() as file:
            return file.read(GLANCE)

    @cached_property
    def text(self) -> str:
        """The first bytes as text."""
        return self.start.decode("utf-8-sig", errors="replace")

    @cached_property
    def first(self) -> dict[str, Any]:
        """What a JSON text starts with: the object, its first keys if it is large, or an array's first element."""
        if self.text.lstrip()[:1] not in ("{", "["):
            return {}
        found: dict[str, Any] = {}
        with suppress(DataError), self.open() as file:  # a damaged file is recognised by what comes before
            _first(JsonCursor(file, self.name), found)
        return found

    @cached_property
    def is_array(self) -> bool:
        """Whether it is a JSON array."""
        return self.text.lstrip()[:1] == "["

    @cached_property
    def columns(self) -> list[str]:
        """The header of a table of commas or tabs."""
        line = self.text.partition("\n")[0].rstrip("\r")
        mark = "\t" if "\t" in line else ","
        return [cell.strip().strip('"') for cell in line.split(mark)]

    def open(self) -> IO[bytes]:
        """Open the file for reading from its start."""
        return self.file.open("rb")


Rows = Iterator[Row]
"""What a reader yields."""


@dataclass(frozen=True)
class Reader:
    """One format: its name, what its files are, how they are recognised, and how their rows are read.

    Attributes
    ----------
    name : str
    title : str
        What messages call the format.
    recognises : callable
        Takes a `Glance`; whether the file is of this format.
    rows : callable
        Takes a `Glance` and the `Header` to fill in; yields `Row` after `Row`.
    yields : str
        What a row is, for the documentation.
    kinds : tuple of str
        What its files start as (`Glance.kind`); readers of other kinds are not asked.
    personal : bool
        Whether raters are people whose ids are replaced by short codes.
    """

    name: str
    title: str
    recognises: Callable[[Glance], bool]
    rows: Callable[[Glance, Header], Rows]
    yields: str
    kinds: tuple[str, ...] = ("zip", "json", "text")
    personal: bool = False


def _first(cursor: JsonCursor, found: dict[str, Any]) -> None:
    if cursor.peek() == "[":
        for _ in cursor.elements():
            element = cursor.value()
            found.update(element if isinstance(element, dict) else {})
            return
    for key in cursor.members():
        if cursor.position > LONGEST_GLANCE:
            break
        found[key] = None
        if cursor.peek() == "[":  # a list may be long; its first element tells what it holds
            for number in cursor.elements():
                element = cursor.value()
                if number == 0:
                    found[key] = [element]
                if cursor.position > LONGEST_GLANCE:
                    return
        else:
            found[key] = cursor.value()


def at(value: Any, *keys: str) -> Any:
    """Follow keys into nested objects; None where one is absent or not an object."""
    for key in keys:
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def text_of(value: Any) -> str:
    """Return a cell as text: a whole float without its point, anything nested as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value) if isinstance(value, int | float) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def id_of(value: Any) -> str:
    """Return an id that can be read: a long text is cut, and a digest keeps it unique."""
    text = " ".join(text_of(value).split())
    if len(text) <= LONGEST_ID:
        return text
    return f"{text[: LONGEST_ID // 2].rstrip()}… ({digest(text)})"


def digest(value: Any) -> str:
    """Return eight hexadecimal digits that identify a value."""
    return hashlib.sha256(text_of(value).encode("utf-8", "surrogatepass")).hexdigest()[:8]


def json_lines(glance: Glance) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line, object) for each line that is not blank.

    Where a line is not JSON, the rest is read as a stream of objects: some tools break lines within them.
    """
    with glance.open() as file:
        number = start = 0
        while line := file.readline(LONGEST_LINE):
            number += 1
            if len(line) == LONGEST_LINE:
                raise DataError(f"{glance.name}, line {number} is longer than {LONGEST_LINE // 2**20} MB.")
            if not line.isspace():
                try:
                    entry = DECODER.decode(line.decode("utf-8-sig"))
                except UnicodeDecodeError:
                    raise DataError(f"{glance.name}, line {number} is not UTF-8 text.") from None
                except (json.JSONDecodeError, RecursionError) as error:
                    yield from _stream(glance, number, start, error)
                    return
                if not isinstance(entry, dict):
                    raise DataError(f"{glance.name}, line {number} is not a JSON object.")
                yield number, entry
            start += len(line)


def _stream(glance: Glance, line: int, start: int, error: Exception) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects from a byte on, whatever stands between them; if they are none, the line is the error."""
    with glance.open() as file:
        file.seek(start)
        cursor = JsonCursor(file, glance.name, strict=False)
        for number in count(line):
            try:
                entry = cursor.value() if cursor.peek() else None
            except DataError:
                entry = ""
            if entry is None:
                return
            if not isinstance(entry, dict):
                reason = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deep"
                raise DataError(f"{glance.name}, line {line} is not JSON ({reason}).") from None
            yield number, entry


def csv_records(glance: Glance, **dialect: Any) -> Iterator[tuple[int, list[str]]]:
    """Yield (line, cells) of each record of a table, its header first; cells may be as long as a prompt."""
    before = csv.field_size_limit(LONGEST_LINE)
    try:
        with glance.file.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, **dialect)
            yield from ((reader.line_num, record) for record in reader)
    finally:
        csv.field_size_limit(before)


def json_beside(path: Path, said: str) -> Any:
    """Return what a small JSON file holds that belongs to a log; `said` is how the message begins if it is none."""
    try:
        return DECODER.decode(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        raise DataError(f"{said} is not JSON; fix or remove it.") from None


def array_of(glance: Glance, *path: str, header: dict[str, Any] | None = None) -> Iterator[dict[str, Any]]:
    """Yield the objects of the array under `path`; what stands beside the path goes to `header`, key by key."""
    with glance.open() as file:
        cursor = JsonCursor(file, glance.name)
        yield from _array(cursor, path, {} if header is None else header)
        if cursor.peek():
            raise cursor.damage("there is something after its end")


def _array(cursor: JsonCursor, path: tuple[str, ...], header: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if not path:
        for number in cursor.elements():
            element = cursor.value()
            if not isinstance(element, dict):
                raise DataError(f"{cursor.name}: entry {number} (counting from 0) is not an object.")
            yield element
        return
    for key in cursor.members():
        if key == path[0] and cursor.peek() == ("{" if len(path) > 1 else "["):
            yield from _array(cursor, path[1:], header)
        else:
            header[key] = cursor.value()


def objects_of(glance: Glance) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (key, object) for each entry of a file that is one object of objects."""
    with glance.open() as file:
        cursor = JsonCursor(file, glance.name)
        for key in cursor.members():
            value = cursor.value()
            if not isinstance(value, dict):
                raise DataError(f"{glance.name}: {key!r} is not an object.")
            yield key, value


SMALL = 64 * 2**20
MOST_EXPANSION = 200
"""A member that expands to more than `SMALL` bytes and more than this many times its size is refused."""


class BoundedMember:
    """A member's bytes as they expand; more of them than a log can have is an error."""

    def __init__(self, file: IO[bytes], name: str, limit: int) -> None:
        self._file = file
        self._name = name
        self._left = limit

    def read(self, n_bytes: int) -> bytes:
        """Read on."""
        with readable(self._name):
            chunk = self._file.read(n_bytes)
        self._left -= len(chunk)
        if self._left < 0:
            raise DataError(f"{self._name} expands to far more than its size; such archives are not opened.")
        return chunk


class Archive:
    """A zip file whose members are read one at a time.

    Parameters
    ----------
    path : path
    """

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        with readable(self.name):
            self._zip = _zipfile().ZipFile(path)
        self.members: list[str] = self._zip.namelist()

    def __enter__(self) -> "Archive":
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    @contextmanager
    def open(self, member: str) -> Iterator[Any]:
        """Open a member for reading from its start."""
        name = f"{self.name} ({member})"
        info = self._zip.getinfo(member)
        limit = max(SMALL, MOST_EXPANSION * max(info.compress_size, 1))
        if info.file_size > limit:
            raise DataError(f"{name} expands to far more than its size; such archives are not opened.")
        with readable(name):
            file = self._zip.open(info)
        try:
            yield BoundedMember(file, name, limit)
        finally:
            file.close()


@contextmanager
def readable(name: str) -> Iterator[None]:
    """Turn what a damaged archive raises into one line."""
    try:
        yield
    except DataError:
        raise
    except MemoryError:
        raise DataError(f"{name} asks for more memory than there is; such archives are not opened.") from None
    except _damages() as error:
        reason = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
        raise DataError(f"{name} is damaged or cut off ({reason}).") from None


def _damages() -> tuple[type[Exception], ...]:
    """Return what the zip module raises: a wrong mark, an unknown method, a password, a number out of range."""
    if sys.version_info >= (3, 14):
        from compression.zstd import ZstdError
    else:
        from backports.zstd import ZstdError
    known = (OSError, EOFError, zlib.error, struct.error, NotImplementedError, RuntimeError, ValueError, LookupError)
    return (*known, _zipfile().BadZipFile, ZstdError)


def _zipfile() -> Any:
    if sys.version_info >= (3, 14):
        import zipfile
    else:
        from backports.zstd import zipfile
    return zipfile
