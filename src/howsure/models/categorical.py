"""Labels without an order: each item has its own shares, drawn from a Dirichlet distribution (FOREST)."""

import math
import string
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from howsure.documents.numbers import plainly
from howsure.errors import ArgumentError
from howsure.models.base import ResponseModel
from howsure.models.levels import ShareAnswers
from howsure.scales import Scale


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
