"""Answers on a scale with levels: Likert ratings and labels, drawn as counts of the levels.

K responses with shares p or q by a fair coin are K responses with shares (p + q) / 2, so null data cost no more.
"""

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from assay.models.answers import Answers, BoolArray, latent, shape_of, shifted_means
from assay.scales import FloatArray, IntArray
from assay.summaries import Needs

FEW = 8
"""Up to this many responses per item it is cheaper to draw each one than the counts of the levels."""


class LevelAnswers(Answers):
    """Answers on a scale with levels: whatever the parameters are, each item has a share for each level."""

    __slots__ = ()
    levels: FloatArray

    @property
    @abstractmethod
    def shares(self) -> FloatArray:
        """The probability of each level: (…, items, levels)."""

    def summary(
        self, needs: Needs, n_responses: int, generator: np.random.Generator, other: Answers | None = None
    ) -> FloatArray:
        """Draw the counts of the levels; full responses only where they are needed."""
        mixed = self.shares if other is None or other is self else (self.shares + _levels(other).shares) / 2
        if needs in ("means", "counts"):
            if n_responses <= FEW:
                counts = few_counts(mixed, n_responses, generator)
            else:
                counts = generator.multinomial(n_responses, mixed).astype(np.float64)
            if needs == "counts":
                return counts
            means: FloatArray = counts @ self.levels
            means /= n_responses
            return means
        cumulated = np.cumsum(mixed, axis=-1)[..., np.newaxis, :-1]
        uniform = generator.random((*mixed.shape[:-1], n_responses, 1))
        codes = (uniform >= cumulated).sum(axis=-1)
        if needs == "sorted":
            codes.sort(axis=-1)
        return np.asarray(self.levels[codes])

    def mixed(self, epsilon: float, generator: np.random.Generator) -> "ShareAnswers":
        """Mix each item's shares with random ones: (1 − ε) p + ε q, q ~ Dirichlet(1/M) (FOREST, algorithm 1)."""
        shares = self.shares
        n_levels = shares.shape[-1]
        noise = generator.dirichlet(np.full(n_levels, 1 / n_levels), shares.shape[:-1])
        noise *= epsilon
        noise += (1 - epsilon) * shares
        return ShareAnswers(noise, self.levels)


@dataclass(frozen=True, slots=True, eq=False)
class ShareAnswers(LevelAnswers):
    """Labels drawn with the given probabilities."""

    probabilities: FloatArray
    levels: FloatArray

    @property
    def shape(self) -> tuple[int, int]:
        """(data sets, items)."""
        return shape_of(self.probabilities)

    @property
    def shares(self) -> FloatArray:
        """The probability of each level."""
        return self.probabilities

    def where(self, mask: BoolArray, other: Self) -> Self:
        """Return answers that are this source's on the items of `mask` and `other`'s elsewhere."""
        return replace(self, probabilities=np.where(mask[..., np.newaxis], self.shares, other.shares))

    def noisier(self, epsilon: float, generator: np.random.Generator) -> "ShareAnswers":
        """Let each response be a label at random with probability ε."""
        return replace(self, probabilities=(1 - epsilon) * self.shares + epsilon / self.shares.shape[-1])


@dataclass(frozen=True, eq=False)
class LikertAnswers(LevelAnswers):
    """A normal response, cut into L equal bins of [0, 1]; what lies outside falls into the end bins."""

    mean: FloatArray
    sd: FloatArray
    levels: FloatArray
    cuts: FloatArray | None = None
    """Where the bins meet, if not in equal steps."""

    @property
    def shape(self) -> tuple[int, int]:
        """(data sets, items)."""
        return shape_of(self.mean)

    @cached_property
    def shares(self) -> FloatArray:
        """The probability of each level, from the normal distribution function at the cuts between bins."""
        cuts = np.arange(1, self.levels.size) / self.levels.size if self.cuts is None else self.cuts
        with np.errstate(divide="ignore", invalid="ignore"):
            below = ndtr((cuts - self.mean[..., np.newaxis]) / self.sd[..., np.newaxis])
        if not self.sd.all():
            # Without spread every response is the mean; a mean on a cut belongs to the upper bin.
            np.copyto(below, cuts > self.mean[..., np.newaxis], where=(self.sd == 0)[..., np.newaxis])
        return np.diff(below, axis=-1, prepend=0.0, append=1.0)

    def summary(
        self, needs: Needs, n_responses: int, generator: np.random.Generator, other: Answers | None = None
    ) -> FloatArray:
        """Draw few responses one by one and many as counts."""
        if self.cuts is not None or not isinstance(other, LikertAnswers | None):
            return super().summary(needs, n_responses, generator, other)
        mixed = None if other is self else other
        if needs in ("sorted", "values"):
            values: FloatArray = self.levels[self._codes(n_responses, generator, mixed)]
            if needs == "sorted":
                values.sort(axis=-1)
            return values
        if n_responses > FEW:
            return super().summary(needs, n_responses, generator, mixed)
        counts = self._counts(n_responses, generator, mixed, needs == "means" and self._equidistant)
        if needs == "counts":
            return np.moveaxis(counts, 0, -1).astype(np.float64)
        if not self._equidistant:
            return np.asarray(np.tensordot(self.levels, counts, 1) / n_responses)
        step = (self.levels[1] - self.levels[0]) / n_responses
        return np.asarray(self.levels[0] + step * counts.astype(np.float64))

    @property
    def _equidistant(self) -> bool:
        steps = np.diff(self.levels)
        return bool(np.allclose(steps, steps[0], rtol=1e-9, atol=0))

    def _codes(self, k: int, generator: np.random.Generator, other: "LikertAnswers | None") -> IntArray:
        values = latent(self.mean, self.sd, k, generator, None if other is None else (other.mean, other.sd))
        values *= self.levels.size
        np.floor(values, out=values)
        return np.clip(values, 0, self.levels.size - 1, out=values).astype(np.int64)

    @cached_property
    def _below(self) -> npt.NDArray[np.float32]:
        """The probability of a response below each cut, in single precision: (cuts, …, items)."""
        n_levels = self.levels.size
        mean, sd = self.mean.astype(np.float32), self.sd.astype(np.float32)
        with np.errstate(divide="ignore", invalid="ignore"):
            inverse = 1 / sd
            cuts = [np.float32(cut / n_levels) for cut in range(1, n_levels)]
            below = np.empty((len(cuts), *mean.shape), dtype=np.float32)
            for cut, row in zip(cuts, below, strict=True):
                normal_cdf(np.multiply(np.subtract(cut, mean, out=row), inverse, out=row))
        if not sd.all():
            for number, row in enumerate(below, start=1):
                np.copyto(row, number / n_levels > self.mean, where=sd == 0)
        return below

    def _counts(
        self, k: int, generator: np.random.Generator, other: "LikertAnswers | None", summed: bool
    ) -> npt.NDArray[np.float32]:
        """Draw responses one at a time and count the levels, or sum up their positions if only the mean matters.

        Single precision halves the work; it misplaces a response with a probability of less than one in a million.
        """
        below = self._below if other is None else (self._below + other._below) / 2
        at_least = np.zeros((1 if summed else below.shape[0], *self.mean.shape), dtype=np.uint8)
        uniform = np.empty(self.mean.shape, dtype=np.float32)
        for _ in range(k):
            generator.random(out=uniform, dtype=np.float32)
            for level, row in enumerate(below):
                at_least[0 if summed else level] += uniform >= row
        if summed:
            return np.asarray(at_least[0], dtype=np.float32)
        full, none = np.full((1, *self.mean.shape), k, dtype=np.uint8), np.zeros((1, *self.mean.shape), dtype=np.uint8)
        counts = np.concatenate([full, at_least]) - np.concatenate([at_least, none])
        return np.asarray(counts, dtype=np.float32)

    def where(self, mask: BoolArray, other: Self) -> Self:
        """Return answers that are this source's on the items of `mask` and `other`'s elsewhere."""
        return replace(self, mean=np.where(mask, self.mean, other.mean), sd=np.where(mask, self.sd, other.sd))

    def shifted(self, epsilon: float, generator: np.random.Generator) -> "LikertAnswers":
        """Move each item's mean by U(−ε, ε), staying on the scale."""
        return replace(self, mean=shifted_means(self.mean, epsilon, generator))

    def noisier(self, epsilon: float, generator: np.random.Generator) -> "LikertAnswers":
        """Add N(0, ε) to every response before it is binned."""
        return replace(self, sd=np.hypot(self.sd, epsilon))


def normal_cdf(z: npt.NDArray[np.float32]) -> None:
    """Replace z by Φ(z), to within 3e-7: Abramowitz and Stegun 7.1.26, five times as fast as the exact one."""
    one = np.float32(1)
    upper = z > 0
    np.abs(z, out=z)
    z *= np.float32(0.7071067811865476)
    t = z * np.float32(0.3275911)
    t += one
    np.divide(one, t, out=t)
    np.square(z, out=z)
    np.negative(z, out=z)
    np.exp(z, out=z)
    tail = t * np.float32(1.061405429 / 2)
    for coefficient in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        tail += np.float32(coefficient / 2)
        tail *= t
    z *= tail
    np.subtract(one, z, out=z, where=upper)


def few_counts(shares: FloatArray, k: int, generator: np.random.Generator) -> FloatArray:
    """Draw the counts of the levels for a small k: a uniform number per response, not a binomial per level."""
    cumulated = np.moveaxis(np.cumsum(shares[..., :-1], axis=-1), -1, 0).copy()
    at_least = np.zeros((shares.shape[-1] + 1, *shares.shape[:-1]))
    at_least[0] = k
    for _ in range(k):
        uniform = generator.random(shares.shape[:-1])
        for level, below in enumerate(cumulated, start=1):
            at_least[level] += uniform >= below
    return np.moveaxis(at_least[:-1] - at_least[1:], 0, -1).copy()


def _levels(other: Answers) -> LevelAnswers:
    if not isinstance(other, LevelAnswers):
        raise TypeError(f"{type(other).__name__} has no shares of levels")
    return other
