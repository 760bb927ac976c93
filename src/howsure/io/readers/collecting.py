"""The rows of several logs as columns of numbers: a name is kept once, however many rows it has."""

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from howsure.errors import DataError
from howsure.io.readers.base import Header, Reader, Row, text_of

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
    """One log that was read: where it is, what it is, what it says about itself."""

    path: str
    reader: Reader
    header: Header
    called: str | None = None
    """The name that the user gives its source."""


@dataclass
class Collected:
    """Every row of every file."""

    files: list[LogFile] = field(default_factory=list)
    shares: list[Mapping[str, float]] = field(default_factory=list)
    checks: dict[tuple[int, int], tuple[str, int]] = field(default_factory=dict)
    clashes: dict[tuple[int, int], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.items, self.sources, self.raters, self.tasks = Names(), Names(), Names(), Names()
        self.scorers, self.filters, self.reasons, self.texts = Names(), Names(), Names(), Names()
        self._codes = {name: array("q") for name in ("file", "item", "source", "rater", "task", "scorer", "filter")}
        self._codes |= {name: array("q") for name in ("lacks", "kind", "label", "answer")}
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
        }
        for name, code in codes.items():
            self._codes[name].append(code)
        self._numbers.append(number)
        self._repeats.append(float("nan") if row.repeat is None else float(row.repeat))
        if row.check:
            self._compare(item, file, row)

    def frame(self) -> pl.DataFrame:
        """Return the rows as a dataframe of codes."""
        columns: dict[str, Any] = {name: np.frombuffer(codes, dtype=np.int64) for name, codes in self._codes.items()}
        columns["number"] = np.frombuffer(self._numbers, dtype=np.float64)
        columns["repeat"] = np.frombuffer(self._repeats, dtype=np.float64)
        return pl.DataFrame(columns)

    def __len__(self) -> int:
        return len(self._numbers)

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

    def _compare(self, item: int, file: int, row: Row) -> None:
        """Notice an id that stands for different questions in two files."""
        key = item, self.tasks(_cleaned(row.task))
        check, first = self.checks.setdefault(key, (row.check, file))
        if check != row.check and first != file and self.files[first].reader is self.files[file].reader:
            self.clashes.setdefault(key, file)


def _share(share: Any, row: Row) -> float:
    try:
        number = float(share)
    except (TypeError, ValueError):
        number = float("nan")
    if not 0 <= number < float("inf"):
        raise DataError(f"item {row.item}: {share!r} is not a share of a label.")
    return number


def _cleaned(text: str | None) -> str | None:
    return None if text is None else _clean(text)


def _clean(text: str) -> str:
    """Return a text that can be written; half of a surrogate pair becomes a question mark."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
