"""Take every row of every log: recognise each file once, give ids numbers, and list the files that cannot be read."""

import hashlib
import unicodedata
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from howsure.errors import DataError
from howsure.io.folders import Skipped, contents
from howsure.io.readers.base import Header, Reader, Row, digest, text_of
from howsure.io.readers.known import recognise, rows_of
from howsure.io.run_settings import ABSENT, condition, differing

NOTHING, NUMBER, TEXT, SHARES = range(4)
"""What a value is."""


class Names:
    """Texts as numbers, in the order of first appearance; None is -1."""

    def __init__(self) -> None:
        self._code: dict[str, int] = {}

    def __call__(self, name: str | None) -> int:
        """Return the number of a name."""
        return -1 if name is None else self._code.setdefault(name, len(self._code))

    def __len__(self) -> int:
        return len(self._code)

    @property
    def all(self) -> list[str]:
        """The names by number."""
        return list(self._code)


@dataclass
class LogFile:
    """One log: where it is, what it is, what it says about itself, and how much it holds.

    Attributes
    ----------
    path : str
    reader : Reader
    header : Header
        Model, task and settings.
    called : str or None
        The name that the user gives its source.
    condition : str
        The settings in which it differs from other logs of its model on its task.
    n_items, n_runs, n_lacking : int
        Its items, the most responses to one of them by one source, and the responses without a score.
    rows : range
        Where its rows are among those of all files.
    """

    path: str
    reader: Reader
    header: Header
    called: str | None = None
    condition: str = ""
    n_items: int = 0
    n_runs: int = 0
    n_lacking: int = 0
    rows: range = range(0)

    def setting(self, key: str) -> str:
        """Return what the log says of a setting, its tool or its model."""
        about = {"tool": self.reader.name, "model": self.header.model}
        return about.get(key) or self.header.settings.get(key, ABSENT)

    @property
    def model(self) -> str:
        """Who answered the rows that name no source, with the settings that set the run apart."""
        return " · ".join(filter(None, (_clean(self.header.model or Path(self.path).stem), self.condition)))


@dataclass
class Collected:
    """Every row of every file, and the files that were left out."""

    files: list[LogFile] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    shares: list[Mapping[str, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.items, self.sources, self.raters, self.tasks = Names(), Names(), Names(), Names()
        self.scorers, self.filters, self.reasons, self.texts, self.inputs = Names(), Names(), Names(), Names(), Names()
        self._codes = {name: array("q") for name in ("file", "item", "source", "rater", "task", "scorer", "filter")}
        self._codes |= {name: array("q") for name in ("lacks", "kind", "label", "answer", "check")}
        self._numbers, self._repeats = array("d"), array("d")

    def add(self, row: Row) -> None:
        """Take a row of the file that was opened last."""
        file = len(self.files) - 1
        kind, number, label = self._value(row)
        item = self.items(_clean(row.item))
        codes = {
            "file": file,
            "item": item,
            "source": self.sources(_cleaned(row.source)),
            "rater": self.raters(_cleaned(row.rater)),
            "task": self.tasks(_cleaned(row.task)),
            "scorer": self.scorers(_clean(row.scorer)),
            "filter": self.filters(_clean(row.filter)),
            "lacks": self.reasons(row.lacks or ("empty" if kind == NOTHING else None)),
            "kind": kind,
            "label": label,
            "answer": -1 if row.answer is None else self.texts(_clean(text_of(row.answer))),
            "check": self.inputs(_input(row.check)) if row.check else -1,
        }
        for name, code in codes.items():
            self._codes[name].append(code)
        self._numbers.append(number)
        self._repeats.append(float("nan") if row.repeat is None else float(row.repeat))

    def frame(self) -> pl.DataFrame:
        """Return the rows as a dataframe of codes."""
        columns: dict[str, Any] = {name: np.frombuffer(codes, dtype=np.int64) for name, codes in self._codes.items()}
        columns["number"] = np.frombuffer(self._numbers, dtype=np.float64)
        columns["repeat"] = np.frombuffer(self._repeats, dtype=np.float64)
        return pl.DataFrame(columns)

    def __len__(self) -> int:
        return len(self._numbers)

    def undo(self, n_rows: int) -> None:
        """Forget the file that was opened last, and its rows after these."""
        self.files.pop()
        for codes in self._codes.values():
            del codes[n_rows:]
        del self._numbers[n_rows:], self._repeats[n_rows:]

    def count(self, n_rows: int) -> None:
        """Count what the file that was opened last holds: its rows are those after these."""
        item, source, scorer, kind = (self._codes[name][n_rows:] for name in ("item", "source", "scorer", "kind"))
        rater, filters = self._codes["rater"][n_rows:], self._codes["filter"][n_rows:]
        file = self.files[-1]
        file.rows = range(n_rows, len(self))
        file.n_items = len(set(item))
        file.n_runs = max(Counter(zip(item, source, scorer, filters, rater, strict=True)).values(), default=0)
        file.n_lacking = kind.count(NOTHING)

    def settle(self, where: Mapping[str, str], pool: Sequence[str]) -> list[int]:
        """Return the files with these settings, and tell runs of one model on one task apart by theirs."""
        kept = []
        for key, wanted in where.items():
            held = list(dict.fromkeys(file.setting(key) for file in self.files))
            if wanted not in held:
                raise DataError(f"no log has the setting {key}={wanted}; there is {', '.join(held)}.")
        alike: dict[tuple[str, str, str], list[LogFile]] = {}
        for number, file in enumerate(self.files):
            if all(file.setting(key) == wanted for key, wanted in where.items()):
                kept.append(number)
                if file.called is None:
                    alike.setdefault((file.reader.name, file.header.task, file.header.model), []).append(file)
        for own in alike.values():
            keys = differing([file.header.settings for file in own], pool)
            for file in own:
                file.condition = condition(file.header.settings, keys)
        return kept

    @property
    def settings(self) -> list[str]:
        """Every setting that some log has, and what else files are selected by."""
        return ["tool", "model", *dict.fromkeys(key for file in self.files for key in file.header.settings)]

    def choices(self, number: int) -> dict[str, list[str]]:
        """Return the filters and scorers that give the scores of a file."""
        scored = [row for row in self.files[number].rows if self._codes["kind"][row] != NOTHING]
        held = {}
        for role, names in (("filter", self.filters.all), ("scorer", self.scorers.all)):
            held[role] = [names[code] for code in dict.fromkeys(self._codes[role][row] for row in scored)]
        return held

    def sources_of(self, number: int) -> list[str]:
        """Return the sources that the rows of a file name."""
        names = self.sources.all
        codes = dict.fromkeys(self._codes["source"][row] for row in self.files[number].rows)
        return [names[code] for code in codes if code >= 0]

    def n_raters_of(self, number: int) -> int:
        """Return how many raters a file has."""
        return len({self._codes["rater"][row] for row in self.files[number].rows} - {-1})

    def groups(self) -> list[dict[str, str]]:
        """Return what selects each group of logs, by tool and task, where no item of one is in another."""
        found: dict[tuple[str, str], set[int]] = {}
        for file in self.files:
            items = {self._codes["item"][row] for row in file.rows}
            found.setdefault((file.reader.name, file.header.task), set()).update(items)
        tools, tasks = Counter(tool for tool, _ in found), Counter(task for _, task in found)
        if len(set(tasks) - {""}) < 2 and any(a & b for a, b in combinations(found.values(), 2)):
            return [{}]  # exports of ratings beside logs: they belong together by their items
        groups = []
        for tool, task in found:
            if task and tasks[task] == 1:
                groups.append({"task": task})
            else:
                groups.append({"tool": tool} if tools[tool] == 1 else {"tool": tool, "task": task})
        return groups

    def in_group(self, number: int, where: Mapping[str, str]) -> bool:
        """Whether a file belongs to the group that these conditions select."""
        file = self.files[number]
        about = {"tool": file.reader.name, "task": file.header.task}
        return all(about[key] == wanted for key, wanted in where.items())

    def _value(self, row: Row) -> tuple[int, float, int]:
        value = None if row.lacks else row.value
        if value is None:
            return NOTHING, 0.0, -1
        if isinstance(value, bool | int | float):
            if value != value:  # noqa: PLR0124 (NaN)
                return NOTHING, 0.0, -1
            return NUMBER, float(value), -1
        if isinstance(value, Mapping):
            self.shares.append({_clean(str(name)): _share(share, row) for name, share in value.items()})
            return SHARES, 0.0, len(self.shares) - 1
        text = _clean(text_of(value)).strip()
        return (TEXT, 0.0, self.texts(text)) if text else (NOTHING, 0.0, -1)


def _share(share: Any, row: Row) -> float:
    try:
        number = float(share)
    except (TypeError, ValueError):
        number = float("nan")
    if not 0 <= number < float("inf"):
        raise DataError(f"item {row.item}: {share!r} is not a share of a label.")
    return number


def _input(check: str) -> str:
    """Return what identifies a question: its text without regard to spaces and Unicode form, or the digest of it."""
    plain = " ".join(unicodedata.normalize("NFC", check).split())
    return plain if len(plain) <= 16 else digest(plain)


def _cleaned(text: str | None) -> str | None:
    return None if text is None else _clean(text)


def _clean(text: Any) -> str:
    """Return a text that can be written; half of a surrogate pair becomes a question mark."""
    written = text if isinstance(text, str) else text_of(text)
    return written if written.isascii() else written.encode("utf-8", "replace").decode()


Named = tuple[str | None, str | Path]
Paths = str | Path | Sequence[str | Path | Named] | Mapping[str, str | Path | Sequence[str | Path]]


class SameRunError(DataError):
    """A run that was read before."""


def collect(
    files: Paths,
    asked: Header | None = None,
    *,
    coded: bool = True,
    fewest: int = 2,
    progress: Callable[[int], object] | None = None,
) -> Collected:
    """Take all rows of each file.

    Of several files, those that cannot be read are skipped with their reason, and a run that is there twice is used
    once. A file that the user names, a single one, and files of which fewer than `fewest` are left raise the error.
    """
    listed = list(_paths(files))
    collected = Collected()
    runs, errors = dict[str, str](), list[DataError]()
    for called, path in listed:
        try:
            _collect_one(collected, str(path), called, asked or Header(), runs, coded=coded)
        except DataError as error:
            if called is not None or len(listed) == 1:
                raise
            errors += [] if isinstance(error, SameRunError) else [error]
            collected.skipped.append(Skipped(str(path), str(error)))
        if progress is not None:
            progress(1)
    if errors and len(collected.files) < fewest:
        raise errors[0]
    return collected


def _collect_one(
    collected: Collected, path: str, called: str | None, asked: Header, runs: dict[str, str], *, coded: bool
) -> None:
    known = recognise(path)
    if known is None:
        raise DataError(f"{path} is not a log or export that is known. If it is a table, read it with `read`.")
    reader, glance = known
    file = LogFile(path, reader, replace(asked, higher_is_better={}, notes=[], settings={}), called)
    before = len(collected)
    collected.files.append(file)
    try:
        for row in rows_of(reader, glance, file.header):
            code = row.rater is not None and reader.personal and coded
            collected.add(row._replace(rater=f"r-{digest(row.rater)}") if code else row)
        if len(collected) == before:
            raise DataError(f"{path} ({reader.title}) holds no sample.")
        run = file.header.run or _content(glance.file)
        if runs.setdefault(run, path) != path:
            raise SameRunError(f"{path} is the same run as {runs[run]}, so it is used once.")
    except DataError:
        collected.undo(before)
        raise
    collected.count(before)


def _content(path: Path) -> str:
    """Return a digest of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _paths(files: Paths) -> Iterator[tuple[str | None, str | Path]]:
    for called, path in _named(files):
        yield from ((called, part) for part in (contents(path).paths if Path(path).is_dir() else [path]))


def _named(files: Paths) -> Iterator[tuple[str | None, str | Path]]:
    if isinstance(files, str | Path):
        yield None, files
    elif isinstance(files, Mapping):
        for called, own in files.items():
            yield from ((called, path) for path in ([own] if isinstance(own, str | Path) else own))
    else:
        yield from (path if isinstance(path, tuple) else (None, path) for path in files)
