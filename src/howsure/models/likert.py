"""Ratings on a few categories: a normal response, cut into equal bins (LEADER §6, RATINGS)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from howsure.errors import ArgumentError
from howsure.models.base import ResponseModel
from howsure.models.families import Family
from howsure.models.levels import LikertAnswers
from howsure.models.normal import check_spread, described
from howsure.scales import Scale


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
