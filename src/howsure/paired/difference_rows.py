"""What every test here gets and gives: rows of differences in, one number per row out.

A row is one data set. A user's data are one row; a power curve and a study of error rates are thousands of them, and
all go through the same code. Scores in clusters become one sum and one size per cluster, so independent segments are
clusters of size one and need no code of their own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from howsure import _random
from howsure.paired.score_lists import PairedScores
from howsure.scales import FloatArray, IntArray

Drawn = TypeVar("Drawn", FloatArray, IntArray)

AT_ONCE = 2**19
"""About so many pieces are drawn at a time (four megabytes): long beside the Python around it."""


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
    def of(cls, scores: PairedScores) -> "Sample":
        """Take the data as one row, in an order of its own: results do not depend on the order of the segments."""
        order = np.argsort(scores.differences, kind="stable")
        differences = scores.differences[order]
        if scores.clusters is None:
            return cls.independent(differences[np.newaxis, :])
        sums = np.bincount(scores.clusters[order], weights=differences).astype(np.float64)
        sizes = np.bincount(scores.clusters).astype(np.float64)
        order = np.lexsort((sizes, sums))
        return cls(sums[np.newaxis, order], sizes[order])

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
    """How many resamples, from which seed, on how many threads."""

    seed: np.random.SeedSequence
    n_resamples: int = 9999
    workers: int = 1
    progress: Callable[[int], object] | None = None

    def counts(self, use: Callable[[FloatArray], FloatArray], n: int, purpose: str) -> FloatArray:
        """Draw n pieces with replacement, and put what `use` makes of their counts, (draws, n), side by side."""
        return self._in_parts("counts", use, n, purpose)

    def coins(self, use: Callable[[FloatArray], FloatArray], n: int, purpose: str) -> FloatArray:
        """Toss n fair coins, and put what `use` makes of them, (draws, n), side by side."""
        return self._in_parts("coins", use, n, purpose)

    def _in_parts(self, kind: str, use: Callable[[FloatArray], FloatArray], n: int, purpose: str) -> FloatArray:
        streams = self._streams(purpose)

        def run(_: int, start: int, stop: int) -> FloatArray:
            blocks = streams[start // _random.BLOCK : -(-stop // _random.BLOCK)]
            counts = [min(_random.BLOCK, stop - first) for first in range(start, stop, _random.BLOCK)]
            return use(np.concatenate([DRAWN[kind](*each, n) for each in zip(blocks, counts, strict=True)]))

        size = _random.BLOCK * max(1, AT_ONCE // (_random.BLOCK * n))
        # NumPy's short calls hold the interpreter's lock, so that threads would only wait for each other.
        parts = _random.map_blocks(run, self.n_resamples, workers=1, progress=self.progress, size=size, width=n)
        return np.concatenate(parts, axis=-1)

    def _streams(self, purpose: str) -> list[np.random.Generator]:
        """Return the generator of each block of draws."""
        return _random.generators(self.seed, purpose, numbers=self._numbers)

    @property
    def _numbers(self) -> range:
        """Those of the blocks of draws."""
        return range(-(-self.n_resamples // _random.BLOCK))

    def blocks(self, draw: Callable[[np.random.Generator, int], Drawn], purpose: str) -> Drawn:
        """Call `draw(generator, count)` for fixed blocks of draws and put what it returns side by side.

        These are short calls, in which threads would wait for each other.
        """
        streams = self._streams(purpose)

        def run(number: int, start: int, stop: int) -> Drawn:
            return draw(streams[number], stop - start)

        return np.concatenate(_random.map_blocks(run, self.n_resamples, workers=1, progress=self.progress), axis=-1)


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


def shares(at_most: IntArray, at_least: IntArray, n_draws: int) -> tuple[FloatArray, FloatArray]:
    """Turn counts of draws into one-sided p-values (less, greater); the data count as one more draw."""
    return (1 + at_most) / (n_draws + 1), (1 + at_least) / (n_draws + 1)


def no_interval(like: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the ends of an interval that was not asked for."""
    nothing = np.full(like.shape, np.nan)
    return nothing, nothing


def counts(generator: np.random.Generator, count: int, n: int) -> FloatArray:
    """Return how often each of `n` pieces occurs in `count` resamples, shape (count, n)."""
    chosen = generator.integers(0, n, size=(count, n))
    chosen += n * np.arange(count)[:, np.newaxis]
    return np.bincount(chosen.ravel(), minlength=count * n).reshape(count, n).astype(np.float64)


def coins(generator: np.random.Generator, count: int, n: int) -> FloatArray:
    """Return fair coins, shape (count, n)."""
    packed = np.frombuffer(generator.bytes(count * ((n + 7) // 8)), dtype=np.uint8).reshape(count, -1)
    return np.unpackbits(packed, axis=1, count=n).astype(np.float64)


DRAWN = {"counts": counts, "coins": coins}
