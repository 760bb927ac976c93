"""Answers on a scale with levels: Likert ratings and labels, drawn as counts of the levels.

K responses with shares p or q by a fair coin are K responses with shares (p + q) / 2, so null data cost no more.
"""

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.special import ndtr

from howsure._loading import pays
from howsure.models.answers import Answers, BoolArray, LatentAnswers, shape_of
from howsure.scales import FloatArray, IntArray
from howsure.summaries import Needs

if TYPE_CHECKING:
    from howsure.models._kernels import Thresholds, Words

FEW_RESPONSES = 32
"""Up to this many responses per item it is cheaper to draw each one than the counts of the levels."""
STEPS = 32
"""Points to a unit at which the normal distribution function is tabulated."""


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
    def thresholds(self) -> "Thresholds":
        """The probability of a response below each cut between levels, times 2³¹: (data sets × items, cuts)."""

    def _few(self, needs: Needs, k: int, generator: np.random.Generator, other: Answers | None) -> FloatArray:
        """Draw responses one by one, two from each random word, and count levels or add up their positions."""
        loops = _loops(self.shape[0] * self.shape[1] * self.levels.size * k)
        below = self.thresholds if other is None else loops.mixed(self.thresholds, _levels(other).thresholds)
        words: Words = generator.integers(
            0, np.iinfo(np.uint64).max, (below.shape[0], (k + 1) // 2), dtype=np.uint64, endpoint=True
        )
        if needs == "means" and _equidistant(tuple(self.levels.tolist())):
            step = (self.levels[1] - self.levels[0]) / k
            return np.asarray(loops.means(below, words, k, self.levels[0], step)).reshape(self.shape)
        counts = loops.counts(below, words, k).reshape(*self.shape, self.levels.size)
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
    def thresholds(self) -> "Thresholds":
        """The probability of a label before each cut, times 2³¹."""
        shares = self.probabilities
        below = np.empty((*shares.shape[:-1], shares.shape[-1] - 1))
        below[..., :1] = shares[..., :1]
        for cut in range(1, below.shape[-1]):  # NumPy's own sums along a short axis take several times as long
            np.add(below[..., cut - 1], shares[..., cut], out=below[..., cut])
        below *= 2.0**31
        below += 0.5
        return below.astype(np.uint32).reshape(-1, below.shape[-1])

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
        """The probability of each level, from the normal distribution function at the cuts between bins."""
        cuts = self._cuts
        with np.errstate(divide="ignore", invalid="ignore"):
            below = ndtr((cuts - self.mean[..., np.newaxis]) / self.sd[..., np.newaxis])
        if not self.sd.all():
            # Without spread every response is the mean; a mean on a cut belongs to the upper bin.
            np.copyto(below, cuts > self.mean[..., np.newaxis], where=(self.sd == 0)[..., np.newaxis])
        return np.diff(below, axis=-1, prepend=0.0, append=1.0)

    @cached_property
    def thresholds(self) -> "Thresholds":
        """The probability of a response below each cut, times 2³¹."""
        loops = _loops(10 * self.mean.size * self.levels.size)
        found: Thresholds = loops.thresholds(
            self.mean.ravel(), self.sd.ravel(), self._cuts, normal_table(), float(STEPS)
        )
        return found

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


@cache
def normal_table() -> FloatArray:
    """Return the cubics that meet Φ and its slope at `STEPS` points to a unit, within ±7: off by less than 2e-9."""
    z = np.arange(-7 * STEPS, 7 * STEPS + 1) / STEPS
    value, slope = ndtr(z), np.exp(-np.square(z) / 2) / np.sqrt(2 * np.pi) / STEPS
    rise, left, right = np.diff(value), slope[:-1], slope[1:]
    table = np.stack([value[:-1], left, 3 * rise - 2 * left - right, left + right - 2 * rise], axis=-1)
    table.setflags(write=False)
    return table


def _loops(n_numbers: int) -> Any:
    """Return the loops for so many more numbers: compiled, or plain ones with the same bits."""
    if pays(n_numbers):
        from howsure.models import _kernels

        return _kernels
    from howsure.models import _plain

    return _plain


def _levels(other: Answers) -> LevelAnswers:
    if not isinstance(other, LevelAnswers):
        raise TypeError(f"{type(other).__name__} has no shares of levels")
    return other
