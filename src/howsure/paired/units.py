"""Evaluation units: scores of several segments taken together, and how large a unit should be."""

from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np

from howsure import _check, _random
from howsure.data.scales import FloatArray
from howsure.documents import Column, Document, Sentence, Table
from howsure.errors import ArgumentError, DataError
from howsure.paired.score_lists import PairedScores, ScoreTable
from howsure.records import Record

UnitStatistic = Literal["mean", "median"]
UNIT_STATISTICS: tuple[UnitStatistic, ...] = ("mean", "median")
MOST_SIZES = 100
MOST_STABLE = 10


Scores = TypeVar("Scores", PairedScores, ScoreTable)


def to_units(scores: Scores, *, size: int = 1, statistic: str = "mean", shuffle: _random.Rng = None) -> Scores:
    """Return one score per evaluation unit of `size` consecutive segments.

    Segments left over at the end do not make a unit and are dropped; a note says how many. Larger units make single
    scores steadier and fewer in the same measure, so they buy no power: they are for metrics that mean nothing on
    one line.

    Parameters
    ----------
    scores : PairedScores or ScoreTable
    size : int
        Segments per unit.
    statistic : {"mean", "median"}
        How the segments of a unit become one score.
    shuffle : int, optional
        Seed for shuffling the segments first, which removes dependence between neighbours; None keeps their order.

    Examples
    --------
    >>> scores = PairedScores.from_arrays([1, 3, 5, 7, 9], [0, 0, 2, 2, 4])
    >>> units = to_units(scores, size=2)
    >>> units.a.tolist(), units.notes
    ([2.0, 6.0], ('1 of 5 segments is dropped: the last unit would have fewer than 2.',))
    """
    _check.integer("size", size, at_least=1)
    _check.one_of("statistic", statistic, UNIT_STATISTICS)
    if size == 1:
        if shuffle is not None:
            raise ArgumentError("`shuffle` changes nothing without units: give it together with a unit size above 1.")
        return scores
    if scores.clusters is not None:
        raise ArgumentError("evaluation units and clusters solve the same problem; give one of them.")
    if scores.n // size < 2:
        raise DataError(f"{scores.n} segments are too few for two units of {size} segments; use a smaller unit size.")
    order = slice(None)
    if shuffle is not None:
        order = _random.generator(_random.seed_of(shuffle), "shuffle").permutation(scores.n)  # type: ignore[assignment]
    notes: tuple[str, ...] = scores.notes
    left = scores.n % size
    if left:
        dropped = f"{left} of {scores.n} segments {'is' if left == 1 else 'are'} dropped"
        notes = (*notes, f"{dropped}: the last unit would have fewer than {size}.")
    if isinstance(scores, ScoreTable):
        columns = [_gather(column[order], size, statistic) for column in scores.values.T]
        return ScoreTable(np.column_stack(columns), scores.names, None, notes, size)
    a, b = (_gather(column[order], size, statistic) for column in (scores.a, scores.b))
    return PairedScores(a, b, None, scores.names, notes, size)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitSizes(Record):
    """How the standard deviation of the unit differences falls as units grow.

    Attributes
    ----------
    sizes : tuple of int
    standard_deviations : tuple of float
        Of the differences between the two systems, for units of each size.
    stable : tuple of int
        The first sizes (at most ten) whose standard deviation differs from that of the size before by no more than
        `tolerance`.
    tolerance : float
    """

    sizes: tuple[int, ...]
    standard_deviations: tuple[float, ...]
    stable: tuple[int, ...]
    tolerance: float

    @property
    def sentence(self) -> str:
        """At which sizes the standard deviation settles, in words."""
        span = f"unit sizes {self.sizes[0]} to {self.sizes[-1]}"
        if not self.stable:
            return f"At {span} the standard deviation never stabilises (every change exceeds {self.tolerance:g})."
        return (
            f"At {span} the standard deviation is first stable (changes by {self.tolerance:g} or less) at "
            f"{', '.join(map(str, self.stable))} segments per unit."
        )

    def document(self) -> Document:
        """Return the sizes at which the standard deviation settles, and all of them in a table."""
        columns = (Column("segments per unit", "count"), Column("standard deviation", "number"))
        table = Table(columns, tuple(zip(self.sizes, self.standard_deviations, strict=True)))
        return Document("Evaluation units", (Sentence(self.sentence), table))


def unit_sizes(
    scores: PairedScores, *, tolerance: float = 0.01, statistic: str = "mean", largest: int = MOST_SIZES
) -> UnitSizes:
    """Measure the standard deviation of the differences at unit sizes 1, 2, … up to `largest`.

    Every size leaves at least five units, because a standard deviation of fewer says little.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> scores = PairedScores.from_arrays(rng.normal(size=500), rng.normal(size=500))
    >>> unit_sizes(scores, tolerance=0.02).stable[:3]
    (6, 12, 14)
    """
    _check.real("tolerance", tolerance, at_least=0)
    _check.one_of("statistic", statistic, UNIT_STATISTICS)
    _check.integer("largest", largest, at_least=1)
    sizes = np.arange(1, max(1, min(largest, scores.n // 5)) + 1)
    deviations = np.full(sizes.size, np.nan)
    if scores.n > 1:
        for position, size in enumerate(sizes.tolist()):
            units = _gather(scores.a, size, statistic) - _gather(scores.b, size, statistic)
            deviations[position] = units.std(ddof=1)
    settled = sizes[1:][np.abs(np.diff(deviations)) <= tolerance]
    stable = tuple(int(size) for size in settled[:MOST_STABLE])
    return UnitSizes(
        sizes=tuple(sizes.tolist()),
        standard_deviations=tuple(deviations.tolist()),
        stable=stable,
        tolerance=float(tolerance),
    )


def _gather(values: FloatArray, size: int, statistic: str) -> FloatArray:
    grid = values[: values.size // size * size].reshape(-1, size)
    gathered: FloatArray = np.median(grid, axis=1) if statistic == "median" else grid.mean(axis=1)
    return gathered
