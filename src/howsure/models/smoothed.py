"""A fitted model bent towards the items that were seen: nearer to the data than its family, smoother than resampling.

A Dirichlet distribution has one number for how much items differ, whatever the label; in real tables some labels
differ much between items and others hardly. Resampling real items knows that, but takes the noise of a few responses
for differences between items. Between the two lies the likelihood of the responses itself: many items are drawn from
the fitted model and weighted, and EM steps move the weights from the fitted model (no step) towards the distribution of
items that makes the data most likely (very many steps). One step gives the mean of the items' posteriors ("smoothing by
roughening", Shen & Louis 1999).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from howsure import _check
from howsure._random import generator, seed_of
from howsure.errors import ArgumentError
from howsure.models.answers import Answers
from howsure.models.base import ResponseModel
from howsure.models.levels import LevelAnswers, LikertAnswers, ShareAnswers
from howsure.responses import Responses
from howsure.scales import FloatArray, IntArray, Scale
from howsure.summaries import counts

STEPS = 32
"""EM steps, unless others are asked for. On dices350, 16 and 64 do as well (docs/plan.md)."""

MOST_STEPS = 10_000
"""Long before, the weights have stopped moving."""

POINTS = 4096
"""Items drawn from the fitted model, to be weighted."""


@dataclass(frozen=True, eq=False)
class SmoothedModel(ResponseModel):
    """Items of a fitted model, weighted by EM steps towards the responses that were seen.

    Attributes
    ----------
    fitted : ResponseModel
        A model on a scale with levels.
    seen : tuple of tuple of float
        The counts of the levels, one row for each real item.
    steps : int
        EM steps.

    Examples
    --------
    >>> from howsure.models import CategoricalModel
    >>> fitted = CategoricalModel((2.0, 2.0, 2.0))
    >>> model = SmoothedModel(fitted, ((5, 0, 0), (0, 5, 0)))
    >>> shares = model.items((1, 1000), np.random.default_rng(0)).shares[0]
    >>> bool(shares[:, 2].mean() < 0.1)  # a label that nobody gave
    True
    """

    kind: ClassVar[str] = "smoothed"

    fitted: ResponseModel
    seen: tuple[tuple[float, ...], ...]
    steps: int = STEPS

    def __post_init__(self) -> None:
        if not self.fitted.scale.levels:
            raise ArgumentError("only a model on a scale with categories can be smoothed towards counts.")
        if not self.seen or {len(row) for row in self.seen} != {len(self.fitted.scale.levels)}:
            raise ArgumentError("`seen` must have one row of counts for each item, a count for each category.")
        if not all(sum(row) > 0 and min(row) >= 0 for row in self.seen):
            raise ArgumentError("`seen` must have counts of 0 or more, and a response for each item.")
        if _check.integer("steps", self.steps, at_least=0) > MOST_STEPS:
            raise ArgumentError(f"`steps` must be at most {MOST_STEPS:,}; got {self.steps:,}. {STEPS} are enough.")

    @classmethod
    def of(cls, fitted: ResponseModel, gold: Responses) -> "SmoothedModel":
        """Make the model that bends a fitted one towards these responses."""
        return cls(fitted, tuple(tuple(row) for row in counts(gold, fitted.scale).tolist()))

    @property
    def own_perturbation(self) -> str:  # type: ignore[override]
        """That of the fitted model."""
        return self.fitted.own_perturbation

    @property
    def scale(self) -> Scale:
        """The scale of the fitted model."""
        return self.fitted.scale

    @cached_property
    def _points(self) -> tuple[LevelAnswers, FloatArray]:
        """Items of the fitted model, and the cumulated weights of each."""
        # The points belong to the model and not to a simulation: whoever draws, they are the same.
        points = self.fitted.items((1, POINTS), generator(seed_of(0), "smoothed items"))
        assert isinstance(points, LevelAnswers), "a scale with categories has responses with shares"
        rows, times = np.unique(np.array(self.seen), axis=0, return_counts=True)
        logs = rows @ np.log(np.maximum(points.shares[0], 1e-300)).T
        likelihood = np.exp(logs - logs.max(axis=1, keepdims=True))
        weights = np.full(POINTS, 1 / POINTS)
        for _ in range(self.steps):
            weights *= (times / (likelihood @ weights)) @ likelihood / times.sum()
        return points, np.cumsum(weights) / weights.sum()

    def items(self, shape: tuple[int, int], generator: np.random.Generator) -> Answers:
        """Draw items by their weights."""
        points, cumulated = self._points
        chosen = np.minimum(np.searchsorted(cumulated, generator.random(shape)), POINTS - 1)
        return _taken(points, chosen)

    def __str__(self) -> str:
        return self.described({})

    def described(self, errors: Mapping[str, float]) -> str:
        """Return the fitted model, and what bends it."""
        return f"{self.fitted.described(errors)}, smoothed towards {len(self.seen)} real items"


def _taken(points: LevelAnswers, chosen: IntArray) -> Answers:
    if isinstance(points, LikertAnswers):
        return replace(points, mean=points.mean[0][chosen], sd=points.sd[0][chosen])
    return ShareAnswers(points.shares[0][chosen], points.levels)
