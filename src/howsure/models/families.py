"""First-stage families: how the items' means, or their standard deviations, are spread.

Each is a frozen set of parameters that can draw, and whose distribution function fitting needs. The numbers live on
the unit scale: 0 is the lowest value that a response can have and 1 the highest.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar

import numpy as np
from scipy.special import betainc, ndtr, ndtri

from howsure import _check
from howsure.data.scales import FloatArray
from howsure.documents.numbers import plainly
from howsure.errors import ArgumentError

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Family(ABC):
    """A distribution on the real line, its parameters the fields of the class."""

    kind: ClassVar[str]

    @abstractmethod
    def draw(self, shape: Shape, generator: np.random.Generator) -> FloatArray:
        """Draw an array of independent values."""

    @abstractmethod
    def cdf(self, x: FloatArray) -> FloatArray:
        """Return P(value ≤ x)."""

    def to_dict(self) -> dict[str, Any]:
        """Return kind and parameters; a model file holds it."""
        return {"kind": self.kind, **{field.name: getattr(self, field.name) for field in fields(self)}}

    def __str__(self) -> str:
        return self.described({})

    def described(self, errors: Mapping[str, float]) -> str:
        """Return the family with the digits of its parameters that their standard errors, by name, leave."""
        known = ((getattr(self, field.name), errors.get(field.name, math.nan)) for field in fields(self))
        return f"{self.kind}({', '.join(plainly(value, error) for value, error in known)})"


@dataclass(frozen=True)
class Uniform(Family):
    """Uniform between `low` and `high`.

    Examples
    --------
    >>> Uniform(0, 0.3).cdf(np.array([0.15])).tolist()
    [0.5]
    """

    kind: ClassVar[str] = "uniform"
    low: float
    high: float

    def __post_init__(self) -> None:
        _ordered("uniform", self.low, self.high)

    def draw(self, shape: Shape, generator: np.random.Generator) -> FloatArray:
        """Draw an array of independent values."""
        values = generator.random(shape)
        if self.high - self.low != 1:
            values *= self.high - self.low
        if self.low:
            values += self.low
        return values

    def cdf(self, x: FloatArray) -> FloatArray:
        """Return P(value ≤ x)."""
        return np.clip((x - self.low) / (self.high - self.low), 0.0, 1.0)


@dataclass(frozen=True)
class Normal(Family):
    """A normal distribution, values outside [0, 1] set to the ends (also called clamped or censored)."""

    kind: ClassVar[str] = "normal"
    mean: float
    sd: float

    def __post_init__(self) -> None:
        _positive("normal", self.sd)

    def draw(self, shape: Shape, generator: np.random.Generator) -> FloatArray:
        """Draw an array of independent values."""
        return np.clip(self.mean + self.sd * generator.standard_normal(shape), 0.0, 1.0)

    def cdf(self, x: FloatArray) -> FloatArray:
        """Return P(value ≤ x)."""
        inside: FloatArray = ndtr((x - self.mean) / self.sd)
        return np.where(x < 0, 0.0, np.where(x >= 1, 1.0, inside))


@dataclass(frozen=True)
class TruncatedNormal(Family):
    """A normal distribution cut off at 0 and 1 and rescaled.

    Examples
    --------
    >>> round(float(TruncatedNormal(0.5, 0.2).cdf(np.array([0.5]))[0]), 6)
    0.5
    """

    kind: ClassVar[str] = "truncated-normal"
    mean: float
    sd: float

    def __post_init__(self) -> None:
        _positive("truncated-normal", self.sd)

    @property
    def _flip(self) -> bool:
        # Right of the middle the tails are computed on the mirrored side, where Φ does not round to 1.
        return self.mean < 0.5

    @property
    def _nearest_end(self) -> float:
        # So far outside that no mass of [0, 1] can be told from 0: all of what is left sits at the nearer end.
        return 0.0 if self._flip else 1.0

    def _ends(self) -> tuple[float, float]:
        near, far = ((1 - self.mean), -self.mean) if self._flip else (self.mean, self.mean - 1)
        return float(ndtr(-near / self.sd)), float(ndtr(-far / self.sd))

    def draw(self, shape: Shape, generator: np.random.Generator) -> FloatArray:
        """Draw an array of independent values by inverting the distribution function."""
        low, high = self._ends()
        if high == low:
            return np.full(shape, self._nearest_end)
        values = generator.random(shape)
        values *= high - low
        values += low
        ndtri(values, out=values)
        values *= -self.sd if self._flip else self.sd
        values += self.mean
        return np.clip(values, 0.0, 1.0, out=values)

    def cdf(self, x: FloatArray) -> FloatArray:
        """Return P(value ≤ x)."""
        low, high = self._ends()
        if high == low:
            return np.asarray(x >= self._nearest_end, dtype=np.float64)
        sign = -1.0 if self._flip else 1.0
        tail = (ndtr(sign * (np.minimum(np.maximum(x, 0.0), 1.0) - self.mean) / self.sd) - low) / (high - low)
        return np.asarray(1 - tail if self._flip else tail)


@dataclass(frozen=True)
class FoldedNormal(Family):
    """|N(0, sd)|, values above `high` set to `high`."""

    kind: ClassVar[str] = "folded-normal"
    sd: float
    high: float = 1.0

    def __post_init__(self) -> None:
        _positive("folded-normal", self.sd)

    def draw(self, shape: Shape, generator: np.random.Generator) -> FloatArray:
        """Draw an array of independent values."""
        values = generator.standard_normal(shape)
        values *= self.sd
        np.abs(values, out=values)
        return np.minimum(values, self.high, out=values)

    def cdf(self, x: FloatArray) -> FloatArray:
        """Return P(value ≤ x)."""
        inside: FloatArray = 2 * ndtr(x / self.sd) - 1
        return np.where(x >= self.high, 1.0, np.maximum(inside, 0.0))


@dataclass(frozen=True)
class Triangular(Family):
    """Triangular between `low` and `high` with its peak at `mode`, values below 0 set to 0."""

    kind: ClassVar[str] = "triangular"
    low: float
    mode: float
    high: float

    def __post_init__(self) -> None:
        _ordered("triangular", self.low, self.high)
        if not self.low <= self.mode <= self.high or self.high <= 0:
            raise ArgumentError(
                f"triangular needs low ≤ mode ≤ high and high > 0; got {self.low}, {self.mode}, {self.high}."
            )

    def draw(self, shape: Shape, generator: np.random.Generator) -> FloatArray:
        """Draw an array of independent values."""
        values = generator.triangular(self.low, self.mode, self.high, shape)
        return np.maximum(values, 0.0, out=values)

    def cdf(self, x: FloatArray) -> FloatArray:
        """Return P(value ≤ x)."""
        rise, fall, width = self.mode - self.low, self.high - self.mode, self.high - self.low
        inside = np.clip(x, self.low, self.high)
        with np.errstate(invalid="ignore", divide="ignore"):
            below = np.square(inside - self.low) / (width * rise)
            above = 1 - np.square(self.high - inside) / (width * fall)
        return np.where(x < 0, 0.0, np.where(inside < self.mode, below, np.where(inside >= self.high, 1.0, above)))


@dataclass(frozen=True)
class Beta(Family):
    """Beta distribution with shapes `a` and `b`."""

    kind: ClassVar[str] = "beta"
    a: float
    b: float

    def __post_init__(self) -> None:
        _positive("beta", self.a)
        _positive("beta", self.b)

    def draw(self, shape: Shape, generator: np.random.Generator) -> FloatArray:
        """Draw an array of independent values."""
        return generator.beta(self.a, self.b, shape)

    def cdf(self, x: FloatArray) -> FloatArray:
        """Return P(value ≤ x)."""
        return np.asarray(betainc(self.a, self.b, np.clip(x, 0.0, 1.0)))


@dataclass(frozen=True)
class TruncatedMixture(Family):
    """Two truncated normals, the first with probability `weight`."""

    kind: ClassVar[str] = "mixture"
    weight: float
    mean: float
    sd: float
    second_mean: float
    second_sd: float

    def __post_init__(self) -> None:
        _check.real("weight", self.weight, at_least=0, at_most=1)
        _positive("mixture", self.sd)
        _positive("mixture", self.second_sd)

    @property
    def _parts(self) -> tuple[TruncatedNormal, TruncatedNormal]:
        return TruncatedNormal(self.mean, self.sd), TruncatedNormal(self.second_mean, self.second_sd)

    def draw(self, shape: Shape, generator: np.random.Generator) -> FloatArray:
        """Draw an array of independent values."""
        first, second = (part.draw(shape, generator) for part in self._parts)
        return np.where(generator.random(shape) < self.weight, first, second)

    def cdf(self, x: FloatArray) -> FloatArray:
        """Return P(value ≤ x)."""
        first, second = self._parts
        return np.asarray(self.weight * first.cdf(x) + (1 - self.weight) * second.cdf(x))


@dataclass(frozen=True)
class Exponential(Family):
    """Exponential with this scale, cut off at 1: most items are alike, and a few differ much.

    Examples
    --------
    >>> round(float(Exponential(0.2).cdf(np.array(0.2))), 4)
    0.6364
    """

    kind: ClassVar[str] = "exponential"
    scale: float

    def __post_init__(self) -> None:
        _positive(self.kind, self.scale)

    def draw(self, shape: Shape, generator: np.random.Generator) -> FloatArray:
        """Draw values, by the inverse of the distribution function."""
        return np.asarray(-self.scale * np.log1p(generator.random(shape) * math.expm1(-1 / self.scale)))

    def cdf(self, x: FloatArray) -> FloatArray:
        """Return P(value ≤ x)."""
        return np.asarray(np.expm1(-np.clip(x, 0.0, 1.0) / self.scale) / math.expm1(-1 / self.scale))


@dataclass(frozen=True)
class Constant(Family):
    """The same value for every item."""

    kind: ClassVar[str] = "constant"
    value: float

    def draw(self, shape: Shape, generator: np.random.Generator) -> FloatArray:
        """Return an array of that value."""
        return np.full(shape, float(self.value))

    def cdf(self, x: FloatArray) -> FloatArray:
        """Return P(value ≤ x)."""
        return np.asarray(x >= self.value, dtype=np.float64)


FAMILIES: dict[str, type[Family]] = {
    family.kind: family
    for family in (
        Uniform,
        Normal,
        TruncatedNormal,
        FoldedNormal,
        Triangular,
        Beta,
        TruncatedMixture,
        Exponential,
        Constant,
    )
}


def make_family(kind: str, parameters: list[float] | tuple[float, ...]) -> Family:
    """Make the family of this kind from its parameters in order.

    Examples
    --------
    >>> print(make_family("truncated-normal", [0.5, 0.2]))
    truncated-normal(0.5, 0.2)
    """
    family = FAMILIES[_check.one_of("family", kind, FAMILIES)]
    names = [field.name for field in fields(family)]
    required = [field.name for field in fields(family) if field.default is MISSING]
    if not len(required) <= len(parameters) <= len(names):
        raise ArgumentError(f"{kind} takes {len(names)} numbers ({', '.join(names)}); got {len(parameters)}.")
    return family(*(_check.real(name, value) for name, value in zip(names, parameters, strict=False)))


def _positive(kind: str, number: float) -> None:
    if not (number > 0 and math.isfinite(number)):
        raise ArgumentError(f"{kind} needs a standard deviation or shape above 0; got {number!r}.")


def _ordered(kind: str, low: float, high: float) -> None:
    if not low < high:
        raise ArgumentError(f"{kind} needs low < high; got {low!r} and {high!r}.")
