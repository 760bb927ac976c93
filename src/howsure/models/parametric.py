"""Response models that are given by a few numbers.

Normal: continuous responses, each item with a mean and a standard deviation (LEADER, RATERS). Likert: the same, cut
into equal bins (LEADER §6, RATINGS). Categorical: labels without an order, each item with shares of its own from a
Dirichlet distribution (FOREST).
"""

import math
import string
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from howsure import _check
from howsure.data.scales import Scale
from howsure.documents.numbers import plainly
from howsure.errors import ArgumentError
from howsure.models.answers import LikertAnswers, NormalAnswers, ShareAnswers
from howsure.models.base import ResponseModel
from howsure.models.families import Family


@dataclass(frozen=True)
class NormalModel(ResponseModel):
    """Normal items: value = low + (high − low) N(mean, sd).

    Attributes
    ----------
    mean, sd : Family
        How the items' means and standard deviations are spread, on the unit scale.
    low, high : float
        The values that 0 and 1 of the unit scale stand for.
    clip : bool
        Cut responses to [low, high]. The published tables come from unclipped responses, whatever the text says.

    Examples
    --------
    >>> from howsure.models.families import Uniform
    >>> NormalModel(Uniform(0, 1), Uniform(0, 0.3)).scale.kind
    'continuous'
    """

    kind: ClassVar[str] = "normal"
    own_perturbation: ClassVar[str] = "shift"

    mean: Family
    sd: Family
    low: float = 0.0
    high: float = 1.0
    clip: bool = False

    def __post_init__(self) -> None:
        check_spread(self.sd)
        if not _check.real("low", self.low) < _check.real("high", self.high):
            raise ArgumentError(f"`low` must be below `high`; got {self.low!r} and {self.high!r}.")

    @property
    def scale(self) -> Scale:
        """A continuous scale."""
        return Scale("continuous", reason="simulated")

    def items(self, shape: tuple[int, int], generator: np.random.Generator) -> NormalAnswers:
        """Draw a mean and a standard deviation for each item."""
        mean, sd = self.mean.draw(shape, generator), self.sd.draw(shape, generator)
        return NormalAnswers(mean, sd, self.low, self.high, self.clip)

    def described(self, errors: Mapping[str, float]) -> str:
        """Return the families; errors are named as a fit names its parameters."""
        cut = f", clipped to [{self.low:g}, {self.high:g}]" if self.clip else ""
        mean, sd = described(self.mean, self.sd, errors)
        return f"normal items: means {mean}, standard deviations {sd}{cut}"

    def __str__(self) -> str:
        return self.described({})


def described(mean: Family, sd: Family, errors: Mapping[str, float]) -> tuple[str, str]:
    """Return the families of means and standard deviations; the errors of their parameters are "mean …" and "sd …"."""
    of_mean, of_sd = (
        {name.removeprefix(part): error for name, error in errors.items() if name.startswith(part)}
        for part in ("mean ", "sd ")
    )
    return mean.described(of_mean), sd.described(of_sd)


def check_spread(sd: Family) -> None:
    """Refuse a family of standard deviations that can be negative."""
    if float(sd.cdf(np.array([-1e-12]))[0]) > 0:
        raise ArgumentError(f"standard deviations must not be negative; {sd} can be.")


@dataclass(frozen=True)
class LikertModel(ResponseModel):
    """Likert items: N(mean, sd), clipped to [0, 1], floored to equal bins and reported as that bin's level.

    Attributes
    ----------
    mean, sd : Family
        How the items' latent means and standard deviations are spread, on the unit scale.
    levels : tuple of float
        The value reported for each bin, ascending.

    Examples
    --------
    >>> from howsure.models.families import TruncatedNormal, Uniform
    >>> LikertModel(TruncatedNormal(0.5, 0.2), Uniform(0, 0.3), levels=(1, 2, 3, 4, 5)).scale.labels
    ('1', '2', '3', '4', '5')
    """

    kind: ClassVar[str] = "likert"
    own_perturbation: ClassVar[str] = "shift"

    mean: Family
    sd: Family
    levels: tuple[float, ...] = (0.0, 0.2, 0.4, 0.6, 0.8)

    def __post_init__(self) -> None:
        check_spread(self.sd)
        if len(self.levels) < 2 or list(self.levels) != sorted(set(self.levels)):
            raise ArgumentError(f"`levels` must be at least two ascending numbers; got {self.levels}.")

    @cached_property
    def scale(self) -> Scale:
        """An ordinal scale with the model's levels."""
        return Scale.of(np.array(self.levels, dtype=np.float64), kind="ordinal")

    def items(self, shape: tuple[int, int], generator: np.random.Generator) -> LikertAnswers:
        """Draw a latent mean and standard deviation for each item."""
        mean, sd = self.mean.draw(shape, generator), self.sd.draw(shape, generator)
        return LikertAnswers(mean, sd, np.array(self.levels, dtype=np.float64))

    def described(self, errors: Mapping[str, float]) -> str:
        """Return levels and families; errors are named as a fit names its parameters."""
        mean, sd = described(self.mean, self.sd, errors)
        return f"Likert items, {len(self.levels)} categories: latent means {mean}, standard deviations {sd}"

    def __str__(self) -> str:
        return self.described({})


@dataclass(frozen=True)
class CategoricalModel(ResponseModel):
    """Categorical items: shares ~ Dirichlet(α), then labels with these shares.

    Attributes
    ----------
    alpha : tuple of float
        One positive number for each label.
    labels : tuple of str
        What the labels are called, in alphabetical order; a, b, c, … when left out.
    rho : tuple of float, optional
        The Dirichlet parameters of the noise by which B is worse (perturbation "mixing"); 1/M each when left out.

    Examples
    --------
    >>> CategoricalModel((10, 3, 3)).scale.labels
    ('a', 'b', 'c')
    """

    kind: ClassVar[str] = "categorical"
    own_perturbation: ClassVar[str] = "mixing"

    alpha: tuple[float, ...]
    labels: tuple[str, ...] = ()
    rho: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if len(self.alpha) < 2 or not all(value > 0 and math.isfinite(value) for value in self.alpha):
            raise ArgumentError(f"`alpha` must be at least two numbers above 0; got {list(self.alpha)}.")
        if not self.labels:
            object.__setattr__(self, "labels", letters(len(self.alpha)))
        if len(self.labels) != len(self.alpha) or list(self.labels) != sorted(set(self.labels)):
            raise ArgumentError(f"`labels` must be {len(self.alpha)} different labels in order; got {self.labels}.")
        if self.rho is not None and (
            len(self.rho) != len(self.alpha) or not all(value > 0 and math.isfinite(value) for value in self.rho)
        ):
            raise ArgumentError(f"`rho` must be {len(self.alpha)} numbers above 0; got {list(self.rho)}.")

    @cached_property
    def scale(self) -> Scale:
        """A nominal scale with the model's labels."""
        return Scale("nominal", tuple(float(code) for code in range(len(self.labels))), self.labels, "simulated")

    def items(self, shape: tuple[int, int], generator: np.random.Generator) -> ShareAnswers:
        """Draw the shares of each item."""
        shares = generator.dirichlet(np.array(self.alpha, dtype=np.float64), shape)
        return ShareAnswers(shares, np.arange(len(self.alpha), dtype=np.float64), self.rho)

    def __str__(self) -> str:
        return self.described({})

    def described(self, errors: Mapping[str, float]) -> str:
        """Return the parameters; the errors stand in the order of the labels."""
        known = dict(enumerate(errors.values()))
        alpha = ", ".join(plainly(value, known.get(place, math.nan)) for place, value in enumerate(self.alpha))
        noise = "" if self.rho is None else f", noise Dirichlet({', '.join(map(plainly, self.rho))})"
        return f"categorical items, {len(self.alpha)} labels: Dirichlet({alpha}){noise}"


def letters(n: int) -> tuple[str, ...]:
    """Return n labels in alphabetical order."""
    if n <= len(string.ascii_lowercase):
        return tuple(string.ascii_lowercase[:n])
    return tuple(f"label-{number:0{len(str(n))}d}" for number in range(1, n + 1))
