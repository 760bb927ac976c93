"""The contract of a test of differences: rows of differences in, one number per row out.

A row is one data set. A user's data are one row; a power curve and a study of error rates are thousands of them, and
all go through the same code. Differences in clusters become one sum and one size per cluster, so independent
differences are clusters of size one and need no code of their own.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, TypeVar

import numpy as np

from howsure import _random
from howsure.data.scales import FloatArray, IntArray

Drawn = TypeVar("Drawn", FloatArray, IntArray)

AT_ONCE = 2**19
"""About this many random numbers are drawn at a time (four megabytes): enough to outweigh the Python around it."""
MEAN, MEDIAN, HODGES_LEHMANN = "mean difference", "median difference", "Hodges–Lehmann difference"


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Rows of differences: `sums[r, g]` is the sum of the `sizes[r, g]` differences of cluster `g` in row `r`.

    Sizes that all rows share may be given once.
    """

    sums: FloatArray
    sizes: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "sizes", np.atleast_2d(self.sizes))

    @classmethod
    def of(cls, rows: FloatArray, clusters: IntArray | None = None) -> "Sample":
        """Take each row as a data set, in an order of its own: results do not depend on the order of the items.

        `clusters` holds the number of the cluster, from 0 on, of each column.
        """
        if clusters is None:
            return cls.independent(np.sort(rows, axis=1, kind="stable"))
        order = np.argsort(rows, axis=1, kind="stable")
        each = zip(rows, order, strict=True)
        sums = np.stack([np.bincount(clusters[o], weights=row[o]).astype(np.float64) for row, o in each])
        sizes = np.broadcast_to(np.bincount(clusters).astype(np.float64), sums.shape)
        order = np.lexsort((sizes, sums), axis=1)
        return cls(np.take_along_axis(sums, order, axis=1), np.take_along_axis(sizes, order, axis=1))

    @classmethod
    def independent(cls, rows: FloatArray) -> "Sample":
        """Take each row of a matrix as a data set of independent differences."""
        return cls(rows, np.ones(rows.shape[1]))

    @classmethod
    def joined(cls, samples: Sequence["Sample"]) -> "Sample":
        """Put the rows of samples together."""
        sizes = [sample.sizes for sample in samples]
        alike = all(np.array_equal(own, sizes[0]) for own in sizes) and len(sizes[0]) == 1
        return cls(np.concatenate([sample.sums for sample in samples]), sizes[0] if alike else np.concatenate(sizes))

    @property
    def n(self) -> int:
        """The number of independent pieces: clusters, or segments where there are none."""
        return int(self.sums.shape[1])


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """What is tested: is the difference other, greater or less than `delta`, and which interval goes with `alpha`."""

    alternative: str = "two-sided"
    delta: float = 0.0
    alpha: float = 0.05
    interval: bool = True

    @property
    def tail(self) -> float:
        """The probability of error on each side that is watched."""
        return self.alpha / 2 if self.alternative == "two-sided" else self.alpha

    def decide(self, less: FloatArray, greater: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the p-value, and on which side of `delta` the test sees the difference: 1 above, −1 below, 0 neither.

        The two-sided p-value is twice the smaller of the two one-sided ones.
        """
        side = np.sign(less - greater)
        if self.alternative == "two-sided":
            return np.minimum(1.0, 2 * np.minimum(less, greater)), side
        return less if self.alternative == "less" else greater, side

    def ends(self, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Open the side of the interval that a one-sided question does not bound."""
        if self.alternative == "less":
            low = np.full_like(low, -np.inf)
        if self.alternative == "greater":
            high = np.full_like(high, np.inf)
        return low, high

    def rank(self, n_draws: int) -> int:
        """Return which draw, counted from the end, is the confidence limit: the k-th, or 0 if there are too few."""
        return int(np.floor(self.tail * (n_draws + 1) + 1e-9))


@dataclass(frozen=True, slots=True)
class Resamples:
    """How many resamples, and from which seed; `progress` is told how many each finished block adds.

    Everything runs on one thread: these are short NumPy calls, which hold the interpreter's lock, so that threads would
    only wait for each other.
    """

    seed: np.random.SeedSequence
    n_resamples: int = 9999
    progress: Callable[[int], object] | None = None

    def counts(self, use: Callable[[FloatArray], FloatArray], n: int, purpose: str) -> FloatArray:
        """Draw n pieces with replacement, and put what `use` makes of their counts, (draws, n), side by side."""
        return self._in_parts(_counts, use, n, purpose)

    def coins(self, use: Callable[[FloatArray], FloatArray], n: int, purpose: str) -> FloatArray:
        """Toss n fair coins, and put what `use` makes of them, (draws, n), side by side."""
        return self._in_parts(_coins, use, n, purpose)

    def blocks(self, draw: Callable[[np.random.Generator, int], Drawn], purpose: str) -> Drawn:
        """Call `draw(generator, count)` for fixed blocks of draws and put what it returns side by side."""
        streams = self._streams(purpose)

        def run(number: int, start: int, stop: int) -> Drawn:
            return draw(streams[number], stop - start)

        return np.concatenate(_random.map_blocks(run, self.n_resamples, workers=1, progress=self.progress), axis=-1)

    def _in_parts(
        self,
        draw: Callable[[np.random.Generator, int, int], FloatArray],
        use: Callable[[FloatArray], FloatArray],
        n: int,
        purpose: str,
    ) -> FloatArray:
        streams = self._streams(purpose)

        def run(_: int, start: int, stop: int) -> FloatArray:
            blocks = streams[start // _random.BLOCK : -(-stop // _random.BLOCK)]
            counts = [min(_random.BLOCK, stop - first) for first in range(start, stop, _random.BLOCK)]
            return use(np.concatenate([draw(*each, n) for each in zip(blocks, counts, strict=True)]))

        size = _random.BLOCK * max(1, AT_ONCE // (_random.BLOCK * n))
        parts = _random.map_blocks(run, self.n_resamples, workers=1, progress=self.progress, size=size, width=n)
        return np.concatenate(parts, axis=-1)

    def _streams(self, purpose: str) -> list[np.random.Generator]:
        """Return the generator of each block of draws."""
        n_blocks = -(-self.n_resamples // _random.BLOCK)
        return [_random.generator(self.seed, purpose, number) for number in range(n_blocks)]


@dataclass(frozen=True, slots=True, eq=False)
class TestedRows:
    """What a test says about each row; NaN where it is undefined. `side` is that of `Hypothesis.decide`."""

    estimate: FloatArray
    statistic: FloatArray
    pvalue: FloatArray
    side: FloatArray
    low: FloatArray
    high: FloatArray
    n_draws: int = 0
    exact: bool = False


class Shape(Enum):
    """What differences look like, as far as it decides which test suits them."""

    NORMAL = "normal"
    SYMMETRIC = "symmetric"
    SKEWED = "skewed"
    CLUSTERED = "clustered"
    RIGHT_OR_WRONG = "right or wrong"


class Grade(Enum):
    """How well a test suits differences of a shape."""

    RECOMMENDED = "recommended"
    NON_PREFERRED = "non-preferred"
    INAPPROPRIATE = "inappropriate"


@dataclass(frozen=True, slots=True)
class Suitability:
    """How well a test suits a shape, its place among the tests of the same grade (first is best), and why."""

    grade: Grade
    place: int
    reason: str


DEPENDENT = "it treats segments as independent, but segments of one cluster are dependent."
"""Why a test that takes no clusters does not suit them."""


class DifferenceTest(ABC):
    """A test of differences, with everything that other code has to know about it.

    To add a test, write a class in the file of its idea and enter it in the catalogue.

    Attributes
    ----------
    name, label : str
        On the command line, and in a sentence.
    estimand, statistic : str
    compares : str
        What it looks at, to complete "The test compares …".
    how : str
        What it computes, with its reference.
    takes_clusters : bool
        Whether it can handle items that depend on each other.
    resamples : bool
        Whether it draws random numbers.
    uses_threads : bool
        Whether its time goes into loops and matrix products, which threads share. The other tests are made of short
        calls, in which threads wait for each other.
    needs_variation : bool
        Whether it is undefined where all differences are equal.
    ignores_zeros : bool
        Whether items with a difference of `delta` are left out.
    estimates_accuracy : bool
        Whether of right-or-wrong scores it tests the difference in accuracy, and not its own estimand.
    exact_with_few_clusters : bool
        Whether its error rate is nominal with fewer than 50 clusters.
    caution : str
        What a reader must know about its null hypothesis.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    estimand: ClassVar[str]
    statistic: ClassVar[str]
    compares: ClassVar[str]
    how: ClassVar[str]
    takes_clusters: ClassVar[bool] = False
    resamples: ClassVar[bool] = False
    uses_threads: ClassVar[bool] = False
    needs_variation: ClassVar[bool] = False
    ignores_zeros: ClassVar[bool] = False
    estimates_accuracy: ClassVar[bool] = False
    exact_with_few_clusters: ClassVar[bool] = False
    caution: ClassVar[str] = ""

    def caution_for(self, n: int) -> str:
        """Return what must be known about the test of so many segments; empty where there is nothing."""
        return self.caution

    suitability: ClassVar[Mapping[Shape, Suitability]]

    @abstractmethod
    def run(self, sample: Sample, hypothesis: Hypothesis, resamples: Resamples) -> TestedRows:
        """Test each row. Tests that draw nothing may be called without resamples."""

    @abstractmethod
    def estimate(self, ordered: FloatArray) -> float:
        """Return the estimate of one data set of ascending differences, without testing it."""

    @property
    def compares_means(self) -> bool:
        """Whether it is about the mean, so that a result may be reported as one about average scores."""
        return self.estimand == MEAN

    def suits(self, shape: Shape, n: int) -> Suitability:
        """Return how well it suits `n` differences of this shape."""
        return self.suitability[shape]

    def can_reject(self, n: int, tail: float) -> bool:
        """Return whether `n` differences, clear as they may be, can give a one-sided p-value of `tail` or less."""
        return True

    def __repr__(self) -> str:
        return f"<{self.label}>"


def recommended(reason: str) -> Suitability:
    """Return the suitability of the best test."""
    return Suitability(Grade.RECOMMENDED, 0, reason)


def non_preferred(place: int, reason: str) -> Suitability:
    """Return the suitability of a test that is valid but not the best."""
    return Suitability(Grade.NON_PREFERRED, place, reason)


def inappropriate(place: int, reason: str) -> Suitability:
    """Return the suitability of a test that answers another question or errs."""
    return Suitability(Grade.INAPPROPRIATE, place, reason)


def shares(at_most: IntArray, at_least: IntArray, n_draws: int) -> tuple[FloatArray, FloatArray]:
    """Turn counts of draws into one-sided p-values (less, greater); the data count as one more draw."""
    return (1 + at_most) / (n_draws + 1), (1 + at_least) / (n_draws + 1)


def no_interval(like: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the ends of an interval that was not asked for."""
    nothing = np.full(like.shape, np.nan)
    return nothing, nothing


def extreme_draws(values: FloatArray, hypothesis: Hypothesis) -> tuple[FloatArray, FloatArray]:
    """Return the k-th smallest and the k-th largest value of each row, infinite when there are too few draws."""
    n_draws = values.shape[1]
    k = hypothesis.rank(n_draws)
    if k < 1:
        return np.full(values.shape[0], -np.inf), np.full(values.shape[0], np.inf)
    ordered = np.partition(values, sorted({k - 1, n_draws - k}), axis=1)
    return ordered[:, k - 1], ordered[:, n_draws - k]


def _counts(generator: np.random.Generator, count: int, n: int) -> FloatArray:
    """Return how often each of `n` pieces occurs in `count` resamples, shape (count, n)."""
    chosen = generator.integers(0, n, size=(count, n))
    chosen += n * np.arange(count)[:, np.newaxis]
    return np.bincount(chosen.ravel(), minlength=count * n).reshape(count, n).astype(np.float64)


def _coins(generator: np.random.Generator, count: int, n: int) -> FloatArray:
    """Return fair coins, shape (count, n)."""
    packed = np.frombuffer(generator.bytes(count * ((n + 7) // 8)), dtype=np.uint8).reshape(count, -1)
    return np.unpackbits(packed, axis=1, count=n).astype(np.float64)
