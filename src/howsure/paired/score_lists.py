"""Lists of scores: two or more systems scored on the same segments, in memory and in text files.

Segments that are copies of others get a note: a file appended to itself makes a p-value small without new evidence.
"""

import csv
import hashlib
import math
import sys
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure import _check, _files
from howsure._files import WATCH
from howsure.data.responses import frozen
from howsure.data.scales import FloatArray, IntArray
from howsure.errors import ArgumentError, DataError
from howsure.io.text_files import read_whole, refuse_too_large
from howsure.nulls import Units
from howsure.paired.score_options import LARGEST, SMALLEST

ACCURACY = "accuracy difference"
"""What matters about right-or-wrong scores, whatever a test estimates."""
BEYOND = "scores below 1e-100 or above 1e100 in size cannot be squared and summed. Rescale the scores."

FEWEST = 10
"""Fewer different segments than this repeat by chance: right-or-wrong scores have only four."""
WINDOW = 10
"""As many consecutive segments as this that stood in the same order before are a copied block."""
CHUNK = 2**20
BATCH = 100_000
CELLS_PER_SCORE = 4
"""A score takes as much memory as so many cells of a table: in 4 million lines of two scores, 120 bytes each."""
FEWER_SEGMENTS = "Make a smaller file with only the columns of the systems, or with a sample of the lines."
MULTIPLIER = 0x9E3779B97F4A7C15


@dataclass(frozen=True, slots=True, eq=False)
class PairedScores:
    """The scores of two systems on the same segments; every question here is about `a - b`.

    Attributes
    ----------
    a, b : array of float
        One score per segment, finite and read-only.
    clusters : array of int, optional
        The number of the cluster (document, conversation, …) each segment belongs to. Segments of one cluster may
        depend on each other; clusters are independent.
    names : tuple of str
        What the systems are called.
    notes : tuple of str
        What the reader of a result must know about how the scores were put together.
    unit_size : int
        How many segments of the file one segment here stands for; see `to_units`.

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
    unit_size: int = 1

    @classmethod
    def from_arrays(
        cls, a: Any, b: Any, *, clusters: Any = None, names: tuple[str, str] = ("A", "B")
    ) -> "PairedScores":
        """Make paired scores from two lists of numbers, and optionally one cluster id (of any type) each.

        Segments that look like copies of other segments get a note.
        """
        scores = cls(a, b, None, names)
        return replace(scores, clusters=cluster_codes(clusters, scores.n), notes=copied_segments(scores.a, scores.b))

    def __post_init__(self) -> None:
        a, b = (_column(name, values) for name, values in zip(self.names, (self.a, self.b), strict=True))
        if a.size != b.size:
            sizes = f"{a.size} and {b.size}"
            raise DataError(f"the two score lists must be equally long, one score for each item; got {sizes} scores.")
        object.__setattr__(self, "a", frozen(a))
        object.__setattr__(self, "b", frozen(b))
        if self.clusters is not None:
            object.__setattr__(self, "clusters", frozen(np.asarray(self.clusters, dtype=np.int64)))

    @property
    def n(self) -> int:
        """The number of segments."""
        return self.a.size

    @property
    def counted(self) -> str:
        """What a size of a study is the number of: segments, units of several segments, or clusters."""
        if self.clusters is not None:
            return "clusters"
        return "units" if self.unit_size > 1 else "segments"

    @property
    def n_clusters(self) -> int | None:
        """The number of clusters, or None when segments are independent."""
        return None if self.clusters is None else int(self.clusters.max()) + 1

    @property
    def differences(self) -> FloatArray:
        """The score of `a` minus the score of `b`, segment by segment."""
        return self.a - self.b

    @property
    def units(self) -> Units:
        """The differences as the tests take them: one row."""
        return Units.of(self.differences[np.newaxis, :], self.clusters)

    @property
    def constant(self) -> float | None:
        """The difference that every segment shares, or None when differences vary."""
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
    def right_or_wrong(self) -> bool:
        """Whether the scores are right or wrong answers to independent questions, so that accuracy is what matters."""
        return self.clusters is None and self.binary

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits that identify the scores and their clusters."""
        return _digest(self.a, self.b, self.clusters)

    def swapped(self) -> "PairedScores":
        """Return the scores with the two systems exchanged."""
        return PairedScores(self.b, self.a, self.clusters, self.names[::-1], self.notes, self.unit_size)

    def __str__(self) -> str:
        grouped = "" if self.clusters is None else f" in {self.n_clusters} clusters"
        units = "" if self.unit_size == 1 else f" (units of {self.unit_size} segments)"
        return f"{self.n:,} pairs of scores{units}{grouped}: {self.names[0]} against {self.names[1]}"


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTable:
    """The scores of two or more systems on the same segments.

    Attributes
    ----------
    values : array of float
        Shape (segments, systems).
    names : tuple of str
    clusters : array of int, optional
    notes : tuple of str
    unit_size : int
        As in `PairedScores`.

    Examples
    --------
    >>> table = ScoreTable(np.array([[0.1, 0.2, 0.3], [0.2, 0.2, 0.4]]), ("x", "y", "z"))
    >>> [pair.names for pair in table.pairs()]
    [('x', 'y'), ('x', 'z'), ('y', 'z')]
    """

    values: FloatArray
    names: tuple[str, ...]
    clusters: IntArray | None = None
    notes: tuple[str, ...] = ()
    unit_size: int = 1

    def __post_init__(self) -> None:
        values = np.asarray(self.values, dtype=np.float64)
        if values.ndim != 2 or values.shape[1] != len(self.names):
            raise DataError(f"a table needs one column for each of its {len(self.names)} names; got {values.shape}.")
        object.__setattr__(self, "values", frozen(values))

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits that identify the scores and their clusters."""
        return _digest(self.values, self.clusters)

    @property
    def n(self) -> int:
        """The number of segments."""
        return int(self.values.shape[0])

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
        notes = (*self.notes, *copied_segments(*columns)) if self.unit_size == 1 else self.notes
        return PairedScores(columns[0], columns[1], self.clusters, (a, b), notes, self.unit_size)

    def pairs(self) -> Iterator[PairedScores]:
        """Yield every pair of systems, in the order of the columns."""
        for a, b in combinations(self.names, 2):
            yield self.pair(a, b)


def _column(name: str, values: Any) -> FloatArray:
    try:
        column = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):  # words, lists of lists, or whole numbers of 400 digits
        raise DataError(f"the scores of {name} must be numbers that a double holds.") from None
    if column.ndim != 1 or column.size == 0:
        raise DataError(f"the scores of {name} must be one list of numbers; got an array of shape {column.shape}.")
    if not np.isfinite(column).all():
        where = int(np.flatnonzero(~np.isfinite(column))[0])
        raise DataError(f"the scores of {name} must be finite; entry {where} is {column[where]}.")
    beyond = (column != 0) & ((np.abs(column) < SMALLEST) | (np.abs(column) > LARGEST))
    if beyond.any():
        where = int(np.flatnonzero(beyond)[0])
        raise DataError(f"entry {where} of the scores of {name} is {column[where]:g}; {BEYOND}")
    return column


def cluster_codes(clusters: Any, n: int) -> IntArray | None:
    """Give each cluster id a number; refuse ids that leave nothing to compare."""
    if clusters is None:
        return None
    # In an array of text, each id would take as much memory as the longest.
    are_text = isinstance(clusters, list) and all(isinstance(each, str) for each in clusters)
    given = np.asarray(clusters, dtype=object if are_text else None)
    if given.shape != (n,):
        raise DataError(f"`clusters` must have one id for each of the {n} segments; got shape {given.shape}.")
    ids = given.tolist() if are_text else given.astype(str).tolist()
    numbers = {name: number for number, name in enumerate(sorted(set(ids)))}
    if len(numbers) == 1:
        raise DataError(f"all {n} segments belong to one cluster ({ids[0]!r}); a test needs at least two clusters.")
    return np.array([numbers[name] for name in ids], dtype=np.int64)


def _digest(*arrays: FloatArray | IntArray | None) -> str:
    seen = hashlib.sha256()
    for each in arrays:
        seen.update(b"" if each is None else each.tobytes())
    return seen.hexdigest()[:12]


def copied_segments(a: FloatArray, b: FloatArray) -> tuple[str, ...]:
    """Return a note if the segments look copied: all of them equally often, or a block that stood there before.

    Single segments may agree by chance, and coarse scores do so all the time. That every one of ten or more different
    segments occurs a multiple of k times, or that ten segments in a row repeat ten earlier ones (at least half of them
    different), does not happen by chance.

    Examples
    --------
    >>> a, b = np.random.default_rng(1).normal(size=(2, 50))
    >>> copied_segments(a, b)
    ()
    >>> copied_segments(np.tile(a, 3), np.tile(b, 3))[0][:53]
    'The scores look like 3 copies of the same 50 segments'
    """
    _, ids, counts = np.unique(a + 1j * b, return_inverse=True, return_counts=True)
    times = reduce(math.gcd, counts.tolist())
    if times > 1 and counts.size >= FEWEST:
        return (
            f"The scores look like {times} copies of the same {a.size // times:,} segments. Copies make p-values too "
            "small and intervals too narrow. Remove the copies.",
        )
    n_copied = _segments_in_repeated_blocks(ids)
    if not n_copied:
        return ()
    return (
        f"{n_copied:,} of {a.size:,} segments repeat earlier ones in the same order. Copies make p-values too small "
        "and intervals too narrow. Remove them.",
    )


def _segments_in_repeated_blocks(ids: IntArray) -> int:
    """Count the segments that belong to a window which occurred before."""
    if ids.size < 2 * WINDOW:
        return 0
    marks = _random_words(ids)
    hashes = np.zeros(ids.size - WINDOW + 1, dtype=np.uint64)
    for place in range(WINDOW):
        hashes = hashes * np.uint64(MULTIPLIER) + marks[place : place + hashes.size]
    _, first, group = np.unique(hashes, return_index=True, return_inverse=True)
    again = np.flatnonzero(np.arange(hashes.size) != first[group])
    windows = np.sort(np.lib.stride_tricks.sliding_window_view(ids, WINDOW)[again], axis=1)
    again = again[np.count_nonzero(np.diff(windows, axis=1), axis=1) + 1 >= WINDOW // 2]
    copied = np.zeros(ids.size, dtype=bool)
    copied[(again[:, np.newaxis] + np.arange(WINDOW)).ravel()] = True
    return int(copied.sum())


def _random_words(ids: IntArray) -> npt.NDArray[np.uint64]:
    """Give every number a word of 64 bits, so that sums of words tell rows of numbers apart."""
    words = np.random.default_rng(0).integers(2**63, size=int(ids.max()) + 1, dtype=np.uint64)
    marks: npt.NDArray[np.uint64] = words[ids]
    return marks


def read_scores(
    path: str | Path,
    *,
    columns: Sequence[str] | None = None,
    cluster: str | None = None,
    encoding: str | None = None,
) -> PairedScores:
    """Read the scores of two systems from a text file with one line per item.

    Columns are separated by tabs, commas, semicolons or blanks. A first line without any number names the columns;
    empty lines and lines that start with `#` are skipped.

    Parameters
    ----------
    path : path
    columns : two str, optional
        Which columns to read, by name or by number (the first is 1), when the file has more than two.
    cluster : str, optional
        The column with the cluster id of each line, by name or number.
    encoding : str, optional
        The encoding of a file that is not UTF-8, such as "cp1252".
    """
    table = read_table(path, columns=columns, cluster=cluster, encoding=encoding)
    if len(table.names) != 2:
        many = len(table.names)
        raise DataError(
            f"{path} has {many} columns of scores, and this compares two. Choose two by name or number "
            "(`columns='1,2'`), name the column of document ids (`cluster='3'`), or compare every pair (`all_pairs`)."
        )
    return table.pair(*table.names)


def read_table(
    path: str | Path,
    *,
    columns: Sequence[str] | None = None,
    cluster: str | None = None,
    encoding: str | None = None,
) -> ScoreTable:
    """Read the scores of two or more systems from a text file; see `read_scores` for the format."""
    name, content = Path(path).name, read_whole(Path(path), encoding=encoding)
    n_lines = content.count("\n") + 1
    lines = _lines(content)
    first, line = next(lines, (0, ""))
    if not line:
        raise DataError(f"{path} is empty: it has no line with scores.")
    separator, header = next((mark for mark in "\t,;" if mark in line), None), None
    cells = _cells(line, separator)
    if not any(_number(part) is not None for part in cells):
        header, named = tuple(cells), (first, line)
        first, line = next(lines, (0, ""))
        if not line:
            raise DataError(f"{path} has no line with numbers: its only line is {named[1][:60]!r}.")
        if len(set(header)) != len(header):
            raise DataError(f"{path}, line {named[0]}: two columns have the same name.")
        cells = _cells(line, separator)
    width = len(header or cells)
    names = header or tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:width] if width <= 26 else map(str, range(1, width + 1)))
    chosen, group = _chosen(columns, cluster, header, width, path)
    if len(chosen) < 2:
        raise DataError(
            f"{path} has one column of scores (line {first}: {' '.join(cells)!r}); two are needed, one for each "
            f"system, separated by blanks, commas or tabs."
        )
    n_cells = n_lines * (len(chosen) + 2 * (group is not None)) * CELLS_PER_SCORE
    refuse_too_large(str(path), len(content), n_cells, remedy=FEWER_SEGMENTS)
    values, ids = array("d"), list[str]()
    with WATCH.get()(f"reading {name}", n_lines) as advance:
        before = 0
        for number, text in chain([(first, line)], lines):
            cells = _cells(text, separator)
            if len(cells) != width:
                raise DataError(f"{path}, line {number}: {_count(len(cells))}, but the lines before have {width}.")
            values.extend([_score(cells[column], path, number, column) for column in chosen])
            if group is not None:
                ids.append(sys.intern(cells[group]))
            if number - before >= BATCH:
                advance(number - before)
                before = number
    del content, lines
    codes = None if group is None else cluster_codes(ids, len(ids))
    table = np.frombuffer(values, dtype=np.float64).reshape(-1, len(chosen))
    return ScoreTable(table, tuple(names[column] for column in chosen), codes)


def write_scores(scores: PairedScores, path: str | Path, *, force: bool = False) -> None:
    """Write two lists of scores as text that `read_scores` reads back, for example the evaluation units of `to_units`.

    Parameters
    ----------
    scores : PairedScores
    path : path
        Columns are separated by commas in a file that ends in .csv, else by tabs.
    force : bool
        Whether a file that exists may be replaced; without it that is an error.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_scores(PairedScores.from_arrays([0.5, 1], [0.25, 0]), f"{folder}/units.txt")
    ...     read_scores(f"{folder}/units.txt").differences.tolist()
    [0.25, 1.0]
    """
    _check.instance("scores", scores, PairedScores)
    _files.check_outputs({"path": _check.path("path", path)}, force=_check.flag("force", force))
    columns: dict[str, list[str]] = {
        scores.names[0]: [repr(value) for value in scores.a.tolist()],
        scores.names[1]: [repr(value) for value in scores.b.tolist()],
    }
    if scores.clusters is not None:
        columns["cluster"] = [f"c{code}" for code in scores.clusters.tolist()]
    separator = "," if Path(path).suffix.lower() == ".csv" else "\t"
    header = [name.replace(separator, " ") for name in columns]
    lines = [separator.join(row) for row in (header, *zip(*columns.values(), strict=True))]
    _files.write_text(path, "\n".join(lines) + "\n")


def _lines(content: str) -> Iterator[tuple[int, str]]:
    """Give the number and the text of every line with data, in parts, so that not all lines are in memory at once."""
    start, number = 0, 0
    while start < len(content):
        end = content.find("\n", start + CHUNK) + 1 or len(content)
        for line in content[start:end].splitlines():
            number += 1
            text = line.strip()
            if text and not text.startswith("#"):
                yield number, text
        start = end


def _chosen(
    columns: Sequence[str] | None, cluster: str | None, header: tuple[str, ...] | None, width: int, path: str | Path
) -> tuple[list[int], int | None]:
    """Return the positions of the columns of scores, and of the column of clusters."""
    group = None if cluster is None else _position("cluster", cluster, header, width, path)
    if columns is None:
        return [column for column in range(width) if column != group], group
    chosen = [_position("columns", column, header, width, path) for column in columns]
    if len(chosen) < 2:
        raise ArgumentError(f"`columns` must name two columns or more, one for each system; got {columns[0]!r}.")
    if len(set(chosen)) != len(chosen) or group in chosen:
        raise ArgumentError(f"`columns` and `cluster` must be different columns; got {', '.join(columns)}.")
    return chosen, group


def _cells(line: str, separator: str | None) -> list[str]:
    """Cut a line into cells; a separator between quotes does not count."""
    if separator is None or '"' not in line:
        return [cell.strip() for cell in line.split(separator)]
    return [cell.strip() for cell in next(csv.reader([line], delimiter=separator))]


def _number(text: str) -> float | None:
    """Return the number that people would read; Python also reads 1_000 and the digits of other scripts."""
    if "_" in text or not text.isascii():
        return None
    try:
        return float(text)
    except ValueError:
        return None


def _score(text: str, path: str | Path, line: int, column: int) -> float:
    number = _number(text)
    if number is None:
        what = "is empty" if not text else f"is not a number: {text[:40]!r}"
        raise DataError(f"{path}, line {line}, column {column + 1} {what}.")
    if number and not SMALLEST <= abs(number) <= LARGEST and math.isfinite(number):
        raise DataError(f"{path}, line {line}, column {column + 1} is {text}; {BEYOND}")
    if not math.isfinite(number):
        raise DataError(
            f"{path}, line {line}, column {column + 1} is {text}; remove the line (for both systems) or give a score."
        )
    return number


def _position(option: str, column: str, header: tuple[str, ...] | None, width: int, path: str | Path) -> int:
    text = str(column).strip()
    if header is not None and text in header:
        return header.index(text)
    if text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= width:
        return int(text) - 1
    known = ", ".join(header) if header else f"1 to {width} (the file has no header line)"
    raise ArgumentError(f"`{option}` must name columns of {path}: {known}; got {text!r}.")


def _count(n: int) -> str:
    return "one column" if n == 1 else f"{n} columns"
