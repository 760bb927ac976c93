"""Second stage: how one source answers each item, and the summaries that follow without drawing every response.

An `Answers` object holds the parameters of one source for every item of every simulated data set; leading axes are
data sets, the last parameter axis is items. `summary` draws what a metric needs. With `other`, each response comes
from this source or the other by a fair coin, independently (the papers' null data): K responses with probabilities p
or q by a fair coin are K responses with probabilities (p + q) / 2, and the mean of K normal responses, n of them from
the other source, is one normal draw once n is known.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from howsure.data.scales import FloatArray, IntArray
from howsure.data.summaries import Needs
from howsure.errors import ArgumentError

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


Thresholds = npt.NDArray[np.uint32]

FEW_RESPONSES = 32
"""Up to this many responses per item it is cheaper to draw each one than the counts of the levels."""

CERTAIN = 2**31
"""Random words are below this, so that a threshold of 1 is never reached, and one of 0 always."""


class LevelAnswers(Answers):
    """Answers on a scale with levels: whatever the parameters are, each item has a share for each level."""

    __slots__ = ()
    levels: FloatArray

    @property
    def rho(self) -> tuple[float, ...] | None:
        """How the noise that `mixed` adds is spread over the levels; None is 1/M each."""
        return None

    @property
    @abstractmethod
    def shares(self) -> FloatArray:
        """The probability of each level: (…, items, levels)."""

    def summary(
        self, needs: Needs, n_responses: int, generator: np.random.Generator, other: Answers | None = None
    ) -> FloatArray:
        """Draw the counts of the levels; full responses only where they are needed."""
        if needs in ("means", "counts") and n_responses <= FEW_RESPONSES:
            return self._few(needs, n_responses, generator, None if other is self else other)
        mixed = self.shares if other is None or other is self else (self.shares + _levels(other).shares) / 2
        if needs in ("means", "counts"):
            counts = generator.multinomial(n_responses, mixed).astype(np.float64)
            return counts if needs == "counts" else self._means(counts, n_responses)
        cumulated = np.cumsum(mixed, axis=-1)
        uniform = generator.random((*mixed.shape[:-1], n_responses))
        codes = np.zeros(uniform.shape, dtype=np.int64)
        for level in range(mixed.shape[-1] - 1):
            codes += uniform >= cumulated[..., level, np.newaxis]
        if needs == "sorted":
            codes.sort(axis=-1)
        return np.asarray(self.levels[codes])

    @property
    @abstractmethod
    def below(self) -> FloatArray:
        """The probability of a response below each cut between levels: (cuts, data sets, items)."""

    def _few(self, needs: Needs, k: int, generator: np.random.Generator, other: Answers | None) -> FloatArray:
        """Draw responses one by one, and count how many reach each cut between levels."""
        below = self.below if other is None else (self.below + _levels(other).below) / 2
        cuts: Thresholds = (below * CERTAIN + 0.5).astype(np.uint32)
        reached = np.zeros(cuts.shape, dtype=np.uint8)  # at most `FEW_RESPONSES`
        for _ in range(k):
            reached += generator.integers(0, CERTAIN, self.shape, dtype=np.uint32) >= cuts
        if needs == "means" and _equidistant(tuple(self.levels.tolist())):
            step = (self.levels[1] - self.levels[0]) / k
            return np.asarray(self.levels[0] + step * reached.sum(axis=0, dtype=np.uint16))
        counts = np.empty((*self.shape, self.levels.size))
        counts[..., 0] = k
        counts[..., 1:] = np.moveaxis(reached, 0, -1)
        counts[..., :-1] -= counts[..., 1:].copy()
        return counts if needs == "counts" else self._means(counts, k)

    def _means(self, counts: FloatArray, n_responses: int) -> FloatArray:
        means: FloatArray = counts @ self.levels
        means /= n_responses
        return means

    def mixed(self, epsilon: float, generator: np.random.Generator) -> "ShareAnswers":
        """Mix each item's shares with random ones: (1 − ε) p + ε q, q ~ Dirichlet(ρ), 1/M if not said otherwise.

        (FOREST, algorithm 1.)
        """
        shares = self.shares
        n_levels = shares.shape[-1]
        spread = np.full(n_levels, 1 / n_levels) if self.rho is None else np.array(self.rho, dtype=np.float64)
        noise = generator.dirichlet(spread, shares.shape[:-1])
        noise *= epsilon
        noise += (1 - epsilon) * shares
        return ShareAnswers(noise, self.levels)


@dataclass(frozen=True, slots=True, eq=False)
class ShareAnswers(LevelAnswers):
    """Labels drawn with the given probabilities."""

    probabilities: FloatArray
    levels: FloatArray
    noise: tuple[float, ...] | None = None

    @property
    def rho(self) -> tuple[float, ...] | None:
        """How the noise that `mixed` adds is spread over the labels."""
        return self.noise

    @property
    def shape(self) -> tuple[int, int]:
        """(data sets, items)."""
        return shape_of(self.probabilities)

    @property
    def shares(self) -> FloatArray:
        """The probability of each level."""
        return self.probabilities

    @property
    def below(self) -> FloatArray:
        """The probability of a label before each cut."""
        return np.cumsum(np.moveaxis(self.probabilities, -1, 0)[:-1], axis=0)

    def where(self, mask: BoolArray, other: Self) -> Self:
        """Return answers that are this source's on the items of `mask` and `other`'s elsewhere."""
        return replace(self, probabilities=np.where(mask[..., np.newaxis], self.shares, other.shares))

    def moved(self, distance: float) -> "ShareAnswers":
        """Give the lowest level (or the highest) this share of every item's responses."""
        end = np.eye(self.levels.size)[0 if distance < 0 else -1]
        return replace(self, probabilities=(1 - abs(distance)) * self.shares + abs(distance) * end)

    def noisier(self, epsilon: float, generator: np.random.Generator) -> "ShareAnswers":
        """Let each response be a label at random with probability ε."""
        return replace(self, probabilities=(1 - epsilon) * self.shares + epsilon / self.shares.shape[-1])


@dataclass(frozen=True, eq=False)
class LikertAnswers(LevelAnswers, LatentAnswers):
    """A normal response, cut into L equal bins of [0, 1]; what lies outside falls into the end bins."""

    levels: FloatArray
    cuts: FloatArray | None = None
    """Where the bins meet, if not in equal steps."""

    @cached_property
    def shares(self) -> FloatArray:
        """The probability of each level."""
        return np.diff(np.moveaxis(self.below, 0, -1), axis=-1, prepend=0.0, append=1.0)

    @cached_property
    def below(self) -> FloatArray:
        """The probability of a response below each cut, from the normal distribution function."""
        cuts = self._cuts[:, np.newaxis, np.newaxis]
        with np.errstate(divide="ignore", invalid="ignore"):
            below = ndtr((cuts - self.mean) / self.sd)
        if not self.sd.all():
            # Without spread every response is the mean; a mean on a cut belongs to the upper bin.
            np.copyto(below, cuts > self.mean, where=self.sd == 0)
        return below

    @property
    def _cuts(self) -> FloatArray:
        return np.arange(1, self.levels.size) / self.levels.size if self.cuts is None else self.cuts

    def summary(
        self, needs: Needs, n_responses: int, generator: np.random.Generator, other: Answers | None = None
    ) -> FloatArray:
        """Draw few responses one by one and many as counts."""
        if needs in ("means", "counts") or self.cuts is not None or not isinstance(other, LikertAnswers | None):
            return super().summary(needs, n_responses, generator, other)
        values: FloatArray = self.levels[self._codes(n_responses, generator, None if other is self else other)]
        if needs == "sorted":
            values.sort(axis=-1)
        return values

    def _codes(self, k: int, generator: np.random.Generator, other: "LikertAnswers | None") -> IntArray:
        values = self._latent(k, generator, other)
        values *= self.levels.size
        np.floor(values, out=values)
        return np.clip(values, 0, self.levels.size - 1, out=values).astype(np.int64)


@lru_cache(maxsize=64)
def _equidistant(levels: tuple[float, ...]) -> bool:
    steps = np.diff(levels)
    return bool(np.abs(steps - steps[0]).max() <= 1e-9 * abs(steps[0]))


def _levels(other: Answers) -> LevelAnswers:
    if not isinstance(other, LevelAnswers):
        raise TypeError(f"{type(other).__name__} has no shares of levels")
    return other
