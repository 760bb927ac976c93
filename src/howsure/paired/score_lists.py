"""Lists of scores: two or more systems scored on the same segments."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from howsure import _check
from howsure.difference_tests import Sample
from howsure.errors import ArgumentError, DataError
from howsure.paired.copies import copied_segments
from howsure.paired.limits import LARGEST, SMALLEST
from howsure.responses import frozen
from howsure.scales import FloatArray, IntArray

ACCURACY = "accuracy difference"
"""What matters about right-or-wrong scores, whatever a test estimates."""
BEYOND = "scores below 1e-100 or above 1e100 in size cannot be squared and summed. Rescale the scores."


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
    def n_clusters(self) -> int | None:
        """The number of clusters, or None when segments are independent."""
        return None if self.clusters is None else int(self.clusters.max()) + 1

    @property
    def differences(self) -> FloatArray:
        """The score of `a` minus the score of `b`, segment by segment."""
        return self.a - self.b

    @property
    def sample(self) -> Sample:
        """The differences as the tests take them: one row."""
        return Sample.of(self.differences[np.newaxis, :], self.clusters)

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
        raise DataError(f"entry {where} of the scores of {name} is {column[where]:g}; {BEYOND}")
    return column


def cluster_codes(clusters: Any, n: int) -> IntArray | None:
    """Give each cluster id a number; refuse ids that leave nothing to compare."""
    if clusters is None:
        return None
    ids = np.asarray(clusters).astype(str)
    if ids.shape != (n,):
        raise DataError(f"`clusters` must have one id for each of the {n} segments; got shape {ids.shape}.")
    codes = np.unique(ids, return_inverse=True)[1].astype(np.int64)
    if codes.max() == 0:
        raise DataError(f"all {n} segments belong to one cluster ({ids[0]!r}); a test needs at least two clusters.")
    return codes


def _digest(*arrays: FloatArray | IntArray | None) -> str:
    seen = hashlib.sha256()
    for array in arrays:
        seen.update(b"" if array is None else array.tobytes())
    return seen.hexdigest()[:12]
