"""Second stage: how one source answers each item, and the summaries that follow without drawing every response.

An `Answers` object holds the parameters of one source for every item of every simulated data set; leading axes are
data sets, the last parameter axis is items. `summary` draws what a metric needs. With `other`, each response comes
from this source or the other by a fair coin, independently (the papers' null data): K responses with probabilities p
or q by a fair coin are K responses with probabilities (p + q) / 2, and the mean of K normal responses, n of them from
the other source, is one normal draw once n is known.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt

from howsure.errors import ArgumentError
from howsure.scales import FloatArray, IntArray
from howsure.summaries import Needs

BoolArray = npt.NDArray[np.bool_]


T = TypeVar("T", bound="Answers")


class Answers(ABC):
    """What one source answers: a distribution of responses for every item of every data set."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """(data sets, items)."""

    @abstractmethod
    def summary(
        self, needs: Needs, n_responses: int, generator: np.random.Generator, other: "Answers | None" = None
    ) -> FloatArray:
        """Draw `n_responses` per item and return the summary; with `other`, each from either source by a fair coin."""

    @abstractmethod
    def where(self, mask: BoolArray, other: Self) -> Self:
        """Return answers that are this source's on the items of `mask` and `other`'s elsewhere."""

    def shifted(self, epsilon: float, generator: np.random.Generator) -> "Answers":
        """Move each item's mean by U(−ε, ε), staying on the scale."""
        raise ArgumentError("perturbation 'shift' needs a scale of numbers; use 'mixing' for labels.")

    def mixed(self, epsilon: float, generator: np.random.Generator) -> "Answers":
        """Mix each item's shares with random ones: (1 − ε) p + ε q, q ~ Dirichlet(1/M)."""
        raise ArgumentError(
            "perturbation 'mixing' requires a scale with categories; use 'shift' for continuous responses."
        )

    def moved(self, distance: float) -> "Answers":
        """Move every item's mean by the same share of the scale, staying on it."""
        raise ArgumentError("perturbations 'lower' and 'raise' require a scale of numbers or ordered categories.")

    @abstractmethod
    def noisier(self, epsilon: float, generator: np.random.Generator) -> "Answers":
        """Add noise to every single response."""


@dataclass(frozen=True, eq=False)
class LatentAnswers(Answers):
    """Answers that start as normal numbers on the unit scale, each item with its own mean and standard deviation."""

    mean: FloatArray
    sd: FloatArray

    @property
    def shape(self) -> tuple[int, int]:
        """(data sets, items)."""
        return shape_of(self.mean)

    def where(self, mask: BoolArray, other: Self) -> Self:
        """Return answers that are this source's on the items of `mask` and `other`'s elsewhere."""
        return replace(self, mean=np.where(mask, self.mean, other.mean), sd=np.where(mask, self.sd, other.sd))

    def shifted(self, epsilon: float, generator: np.random.Generator) -> Self:
        """Move each item's mean by U(−ε, ε), staying on the scale (LEADER, algorithm 3; the clamp is in its tables)."""
        moved = generator.random(self.mean.shape)
        moved -= 0.5
        moved *= 2 * epsilon
        moved += self.mean
        return replace(self, mean=np.clip(moved, 0.0, 1.0, out=moved))

    def moved(self, distance: float) -> Self:
        """Move every item's mean by the same distance, staying on the scale."""
        return replace(self, mean=np.clip(self.mean + distance, 0.0, 1.0))

    def noisier(self, epsilon: float, generator: np.random.Generator) -> Self:
        """Add N(0, ε) to every response (before it is binned, on a scale with levels)."""
        return replace(self, sd=np.hypot(self.sd, epsilon))

    def _latent(self, k: int, generator: np.random.Generator, other: "LatentAnswers | None") -> FloatArray:
        """Draw k normal responses per item; with `other`, each from either source by a fair coin."""
        values = generator.standard_normal((*self.mean.shape, k))
        mean, sd = self.mean[..., np.newaxis], self.sd[..., np.newaxis]
        if other is not None:
            coin = generator.integers(0, 2, values.shape, dtype=np.int8).astype(bool)
            mean = np.where(coin, mean, other.mean[..., np.newaxis])
            sd = sd if other.sd is self.sd else np.where(coin, sd, other.sd[..., np.newaxis])
        values *= sd
        values += mean
        return values


@dataclass(frozen=True, eq=False)
class NormalAnswers(LatentAnswers):
    """Normal responses: value = low + (high − low) N(mean, sd), cut to [low, high] if `clip`."""

    low: float = 0.0
    high: float = 1.0
    clip: bool = False

    def summary(
        self, needs: Needs, n_responses: int, generator: np.random.Generator, other: Answers | None = None
    ) -> FloatArray:
        """Draw item means directly; full responses only where they are needed."""
        if needs == "means" and not self.clip:
            return self._scaled(self._means(n_responses, generator, _same_kind(self, other)))
        values = self._latent(n_responses, generator, _same_kind(self, other))
        if self.clip:
            np.clip(values, 0.0, 1.0, out=values)
        values = self._scaled(values)
        if needs == "means":
            return np.asarray(values.mean(axis=-1))
        if needs == "sorted":
            values.sort(axis=-1)
        return values

    def _means(self, k: int, generator: np.random.Generator, other: "NormalAnswers | None") -> FloatArray:
        values = generator.standard_normal(self.mean.shape)
        if other is None:
            values *= self.sd
            values *= 1 / np.sqrt(k)
            values += self.mean
            return values
        share = coins(k, self.mean.shape, generator)
        share *= 1 / k
        if other.sd is self.sd:
            values *= self.sd
            values *= 1 / np.sqrt(k)
        else:
            values *= np.sqrt(((1 - share) * np.square(self.sd) + share * np.square(other.sd)) / k)
        share *= other.mean - self.mean
        values += share
        values += self.mean
        return values

    def _scaled(self, values: FloatArray) -> FloatArray:
        if (self.low, self.high) != (0.0, 1.0):
            values *= self.high - self.low
            values += self.low
        return values


@dataclass(frozen=True, slots=True, eq=False)
class PoolAnswers(Answers):
    """Responses drawn with replacement from those that real items got, moved by `offset` and kept within the scale."""

    pool: FloatArray
    sizes: IntArray
    items: IntArray
    low: float
    high: float
    offset: FloatArray | None = None
    noise: float = 0.0

    @property
    def shape(self) -> tuple[int, int]:
        """(data sets, items)."""
        return shape_of(self.items)

    def summary(
        self, needs: Needs, n_responses: int, generator: np.random.Generator, other: Answers | None = None
    ) -> FloatArray:
        """Draw every response: real ones have no shorter summary."""
        values = self._responses(n_responses, generator)
        second = _same_kind(self, other)
        if second is not None:
            coin = generator.random(values.shape) < 0.5
            values = np.where(coin, values, second._responses(n_responses, generator))
        if needs == "means":
            return np.asarray(values.mean(axis=-1))
        if needs == "sorted":
            values.sort(axis=-1)
        return values

    def _responses(self, k: int, generator: np.random.Generator) -> FloatArray:
        uniform = generator.random((*self.items.shape, k))
        uniform *= self.sizes[self.items][..., np.newaxis]
        places = uniform.astype(np.intp)
        places += self.pool.shape[1] * self.items[..., np.newaxis]
        values = np.take(self.pool, places)
        if self.offset is None and not self.noise:
            return values
        if self.offset is not None:
            values += self.offset[..., np.newaxis]
        if self.noise:
            values += self.noise * generator.standard_normal(values.shape)
        return np.clip(values, self.low, self.high, out=values)

    def where(self, mask: BoolArray, other: Self) -> Self:
        """Return answers that are this source's on the items of `mask` and `other`'s elsewhere."""
        if self.noise != other.noise:
            raise ArgumentError("perturbation 'noise' cannot be split between items of resampled real responses.")
        offsets = [np.zeros(mask.shape) if side.offset is None else side.offset for side in (self, other)]
        return replace(self, items=np.where(mask, self.items, other.items), offset=np.where(mask, *offsets))

    def shifted(self, epsilon: float, generator: np.random.Generator) -> "PoolAnswers":
        """Move each item's responses by U(−ε, ε) of the range, staying within it."""
        width = self.high - self.low
        return replace(self, offset=width * epsilon * (2 * generator.random(self.items.shape) - 1))

    def moved(self, distance: float) -> "PoolAnswers":
        """Move every item's responses by the same share of the range, staying within it."""
        return replace(self, offset=np.full(self.items.shape, (self.high - self.low) * distance))

    def noisier(self, epsilon: float, generator: np.random.Generator) -> "PoolAnswers":
        """Add N(0, ε) of the range to every response."""
        return replace(self, noise=epsilon * (self.high - self.low))


def coins(k: int, shape: tuple[int, ...], generator: np.random.Generator) -> FloatArray:
    """Draw Binomial(k, ½): the number of ones among k random bits, which is much faster than inverting its cdf."""
    if k > 1024:
        return generator.binomial(k, 0.5, shape).astype(np.float64)
    total = np.zeros(shape, dtype=np.uint16)
    for left in range(k, 0, -64):
        word: Any = np.uint8 if left <= 8 else np.uint64
        bits = generator.integers(0, np.iinfo(word).max, shape, dtype=word, endpoint=True)
        if left < 8 * bits.itemsize:
            bits &= word((1 << left) - 1)
        total += np.bitwise_count(bits)
    return total.astype(np.float64)


def shape_of(array: npt.NDArray[Any]) -> tuple[int, int]:
    """Return (data sets, items) of an array of parameters."""
    return array.shape[0], array.shape[1]


def _same_kind(source: T, other: Answers | None) -> T | None:
    if other is None or other is source:
        return None
    if not isinstance(other, type(source)):
        raise TypeError(f"cannot mix {type(source).__name__} with {type(other).__name__}")
    return other
