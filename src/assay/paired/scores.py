"""Lists of scores: two or more systems scored on the same lines, read from a text file or made from arrays."""

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from assay import _check
from assay.errors import ArgumentError, DataError, MissingFileError
from assay.responses import frozen
from assay.scales import FloatArray, IntArray

SMALLEST, LARGEST = 1e-100, 1e100
_BEYOND = "sizes below 1e-100 or above 1e100 are beyond what can be squared. Rescale the scores."


@dataclass(frozen=True, slots=True, eq=False)
class PairedScores:
    """The scores of two systems on the same lines; every question here is about `a - b`.

    Attributes
    ----------
    a, b : array of float
        One score per line, finite and read-only.
    clusters : array of int, optional
        The number of the cluster (document, conversation, …) each line belongs to. Lines of one cluster may depend on
        each other; clusters are independent.
    names : tuple of str
        What the systems are called.
    notes : tuple of str
        What the reader of a result must know about how the scores were put together.

    Examples
    --------
    >>> scores = PairedScores.from_arrays([0.3, 0.5, 0.4], [0.1, 0.5, 0.2])
    >>> scores.n, scores.differences.round(2).tolist()
    (3, [0.2, 0.0, 0.2])
    """

    a: FloatArray
    b: FloatArray
    clusters: IntArray | None = None
    names: tuple[str, str] = ("A", "B")
    notes: tuple[str, ...] = ()

    @classmethod
    def from_arrays(
        cls, a: Any, b: Any, *, clusters: Any = None, names: tuple[str, str] = ("A", "B")
    ) -> "PairedScores":
        """Make paired scores from two lists of numbers, and optionally one cluster id (of any type) per line."""
        columns = [_column(name, values) for name, values in zip(names, (a, b), strict=True)]
        if columns[0].size != columns[1].size:
            sizes = f"{columns[0].size} and {columns[1].size}"
            raise DataError(f"the two score lists must be equally long, one line for each item; got {sizes} scores.")
        return cls(columns[0], columns[1], _codes(clusters, columns[0].size), names)

    def __post_init__(self) -> None:
        object.__setattr__(self, "a", frozen(np.asarray(self.a, dtype=np.float64)))
        object.__setattr__(self, "b", frozen(np.asarray(self.b, dtype=np.float64)))
        if self.clusters is not None:
            object.__setattr__(self, "clusters", frozen(np.asarray(self.clusters, dtype=np.int64)))

    @property
    def n(self) -> int:
        """The number of lines."""
        return self.a.size

    @property
    def n_clusters(self) -> int | None:
        """The number of clusters, or None when lines are independent."""
        return None if self.clusters is None else int(self.clusters.max()) + 1

    @property
    def differences(self) -> FloatArray:
        """The score of `a` minus the score of `b`, line by line."""
        return self.a - self.b

    @property
    def constant(self) -> float | None:
        """The difference that every line shares, or None when differences vary."""
        differences = self.differences
        largest = max(float(np.abs(self.a).max()), float(np.abs(self.b).max()))
        # 0.3 - 0.2 and 0.2 - 0.1 are equal on paper only: the subtraction rounds at the size of the scores.
        same = float(np.ptp(differences)) <= 8 * float(np.finfo(np.float64).eps) * largest
        return float(differences[0]) if same else None

    @property
    def sameness(self) -> str:
        """What a message says of differences that do not vary."""
        a, b = self.names
        if self.constant == 0:
            return f"the scores of {a} and {b} are identical"
        return f"every one of the {self.n:,} differences {a} − {b} is {self.constant:.6g}"

    @property
    def binary(self) -> bool:
        """Whether every score is 0 or 1 (right or wrong)."""
        return all(bool(np.isin(scores, (0.0, 1.0)).all()) for scores in (self.a, self.b))

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits that identify the scores and their clusters."""
        seen = hashlib.sha256(self.a.tobytes())
        seen.update(self.b.tobytes())
        seen.update(b"" if self.clusters is None else self.clusters.tobytes())
        return seen.hexdigest()[:12]

    def swapped(self) -> "PairedScores":
        """Return the scores with the two systems exchanged."""
        return PairedScores(self.b, self.a, self.clusters, self.names[::-1], self.notes)

    def __str__(self) -> str:
        grouped = "" if self.clusters is None else f" in {self.n_clusters} clusters"
        return f"{self.n:,} pairs of scores{grouped}: {self.names[0]} against {self.names[1]}"


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTable:
    """The scores of two or more systems on the same lines.

    Attributes
    ----------
    values : array of float
        Shape (lines, systems).
    names : tuple of str
    clusters : array of int, optional

    Examples
    --------
    >>> table = ScoreTable(np.array([[0.1, 0.2, 0.3], [0.2, 0.2, 0.4]]), ("x", "y", "z"))
    >>> [pair.names for pair in table.pairs()]
    [('x', 'y'), ('x', 'z'), ('y', 'z')]
    """

    values: FloatArray
    names: tuple[str, ...]
    clusters: IntArray | None = field(default=None)

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", frozen(np.asarray(self.values, dtype=np.float64)))

    def pair(self, a: str, b: str) -> PairedScores:
        """Put two systems against each other."""
        columns = []
        for name in (a, b):
            if name not in self.names:
                known = ", ".join(self.names)
                hint = _check.nearest(name, self.names)
                raise DataError(f"no system is called {name!r}; the table has {known}.{hint}")
            columns.append(self.values[:, self.names.index(name)])
        if a == b:
            raise ArgumentError(f"`a` and `b` must be different systems; got {a!r} twice.")
        return PairedScores(columns[0], columns[1], self.clusters, (a, b))

    def pairs(self) -> Iterator[PairedScores]:
        """Yield every pair of systems, in the order of the columns."""
        for a, b in combinations(self.names, 2):
            yield self.pair(a, b)


def read_scores(path: str | Path, *, columns: Sequence[str] | None = None, clusters: str | None = None) -> PairedScores:
    """Read the scores of two systems from a text file with one line per item.

    Columns are separated by tabs, commas, semicolons or blanks. A first line without any number names the columns;
    empty lines and lines that start with `#` are skipped.

    Parameters
    ----------
    path : path
    columns : two str, optional
        Which columns to read, by name or by number (the first is 1), when the file has more than two.
    clusters : str, optional
        The column with the cluster id of each line, by name or number.
    """
    table = read_table(path, columns=columns, clusters=clusters)
    if len(table.names) != 2:
        many = len(table.names)
        raise DataError(
            f"{path} has {many} columns of scores, and this compares two. Choose two by name or number "
            f"(--columns 1,2), name the column of document ids (--clusters 3), or compare all systems (--all-pairs)."
        )
    return table.pair(*table.names)


def read_table(path: str | Path, *, columns: Sequence[str] | None = None, clusters: str | None = None) -> ScoreTable:
    """Read the scores of two or more systems from a text file; see `read_scores` for the format."""
    rows, header, first = _rows(Path(path))
    width = len(rows[0][1])
    names = header or tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:width] if width <= 26 else map(str, range(1, width + 1)))
    group = None if clusters is None else _position("clusters", clusters, header, width, path)
    if columns is None:
        chosen = [column for column in range(width) if column != group]
    else:
        chosen = [_position("columns", column, header, width, path) for column in columns]
        if len(set(chosen)) != len(chosen) or group in chosen:
            raise ArgumentError(f"`columns` and `clusters` must be different columns; got {', '.join(columns)}.")
    if len(chosen) < 2:
        raise DataError(
            f"{path} has one column of scores (line {first}: {' '.join(rows[0][1])!r}); two are needed, one for each "
            f"system, separated by blanks, commas or tabs."
        )
    values = np.array([[_score(fields[c], path, number, c) for c in chosen] for number, fields in rows])
    codes = None if group is None else _codes([fields[group] for _, fields in rows], len(rows))
    return ScoreTable(values, tuple(names[column] for column in chosen), codes)


def _rows(path: Path) -> tuple[list[tuple[int, list[str]]], tuple[str, ...] | None, int]:
    """Return the (line number, fields) of every line with data, the header if there is one, and the first line."""
    lines = [(number, line) for number, line in enumerate(_text(path).splitlines(), 1) if line.strip()]
    lines = [(number, line) for number, line in lines if not line.lstrip().startswith("#")]
    if not lines:
        raise DataError(f"{path} is empty: it has no line with scores.")
    separator = next((mark for mark in "\t,;" if mark in lines[0][1]), None)
    rows = [(number, [part.strip() for part in line.strip().split(separator)]) for number, line in lines]
    header = None
    if not any(_is_number(part) for part in rows[0][1]):
        header = tuple(rows.pop(0)[1])
        if not rows:
            raise DataError(f"{path} has no line with numbers: its only line is {lines[0][1].strip()[:60]!r}.")
        if len(set(header)) != len(header):
            raise DataError(f"{path}, line {lines[0][0]}: two columns have the same name.")
    width = len(header or rows[0][1])
    for number, fields in rows:
        if len(fields) != width:
            raise DataError(f"{path}, line {number}: {_count(len(fields))}, but the lines before have {width}.")
    return rows, header, rows[0][0]


def _text(path: Path) -> str:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise MissingFileError(f"there is no file {path}.") from None
    except IsADirectoryError:
        raise DataError(f"{path} is a directory; give the file with the scores.") from None
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}.") from None
    if b"\x00" in content:
        raise DataError(f"{path} is not a text file; scores are read from text with one line per item.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{path} is not a text file in UTF-8; save it as plain text.") from None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _score(text: str, path: str | Path, line: int, column: int) -> float:
    try:
        number = float(text)
    except ValueError:
        what = "is empty" if not text else f"is not a number: {text[:40]!r}"
        raise DataError(f"{path}, line {line}, column {column + 1} {what}.") from None
    if number and not SMALLEST <= abs(number) <= LARGEST and math.isfinite(number):
        raise DataError(f"{path}, line {line}, column {column + 1} is {text}; {_BEYOND}")
    if not math.isfinite(number):
        raise DataError(
            f"{path}, line {line}, column {column + 1} is {text}; remove the line (for both systems) or give a score."
        )
    return number


def _position(option: str, column: str, header: tuple[str, ...] | None, width: int, path: str | Path) -> int:
    text = str(column).strip()
    if header is not None and text in header:
        return header.index(text)
    if text.isdigit() and 1 <= int(text) <= width:
        return int(text) - 1
    known = ", ".join(header) if header else f"1 to {width} (the file has no header line)"
    raise ArgumentError(f"`{option}` must name columns of {path}: {known}; got {text!r}.")


def _column(name: str, values: Any) -> FloatArray:
    try:
        column = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"the scores of {name} must be numbers.") from None
    if column.ndim != 1 or column.size == 0:
        raise DataError(f"the scores of {name} must be one list of numbers; got an array of shape {column.shape}.")
    if not np.isfinite(column).all():
        where = int(np.flatnonzero(~np.isfinite(column))[0])
        raise DataError(f"the scores of {name} must be finite; entry {where} is {column[where]}.")
    beyond = (column != 0) & ((np.abs(column) < SMALLEST) | (np.abs(column) > LARGEST))
    if beyond.any():
        where = int(np.flatnonzero(beyond)[0])
        raise DataError(f"entry {where} of the scores of {name} is {column[where]:g}; {_BEYOND}")
    return column


def _codes(clusters: Any, n: int) -> IntArray | None:
    if clusters is None:
        return None
    ids = np.asarray(clusters).astype(str)
    if ids.shape != (n,):
        raise DataError(f"`clusters` must have one id for each of the {n} lines; got shape {ids.shape}.")
    codes = np.unique(ids, return_inverse=True)[1].astype(np.int64)
    if codes.max() == 0:
        raise DataError(f"all {n} lines belong to one cluster ({ids[0]!r}); a test needs at least two clusters.")
    return codes


def _count(n: int) -> str:
    return "one column" if n == 1 else f"{n} columns"
