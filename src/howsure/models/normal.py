"""Continuous responses: each item has a mean and a standard deviation, responses are normal (LEADER, RATERS)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from howsure import _check
from howsure.errors import ArgumentError
from howsure.models.answers import NormalAnswers
from howsure.models.base import ResponseModel
from howsure.models.families import Family
from howsure.scales import Scale


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
