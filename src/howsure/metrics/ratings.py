"""Ratings without gold: raters score each model's own outputs."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from howsure import _check
from howsure.errors import ArgumentError
from howsure.metrics.base import Better, ItemMetric, RelativeMetric
from howsure.scales import FloatArray, Kind, Scale
from howsure.summaries import Needs


@dataclass(frozen=True)
class MeanRating(ItemMetric):
    """Mean over items of the mean rating that the model's output got.

    Attributes
    ----------
    direction : {"higher", "lower"}
        "lower" for penalties such as MQM.
    """

    name: ClassVar[str] = "rating"
    title: ClassVar[str] = "mean rating"
    linear: ClassVar[bool] = True
    per_response: ClassVar[bool] = True
    gold_free: ClassVar[bool] = True

    direction: Better = "higher"

    def __post_init__(self) -> None:
        _check.one_of("direction", self.direction, ("higher", "lower"))

    @property
    def better(self) -> Better:  # type: ignore[override]
        """The direction of the ratings."""
        return self.direction

    def item_scores(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return the item's mean rating; gold is not used."""
        return model


@dataclass(frozen=True)
class WinRate(ItemMetric):
    """Share of comparisons that the model wins, ties counted half: the mean of preferences (`howsure.preferences`)."""

    name: ClassVar[str] = "win-rate"
    title: ClassVar[str] = "win rate"
    better: ClassVar[Better] = "higher"
    kinds: ClassVar[tuple[Kind, ...]] = ("ordinal",)
    span: ClassVar[float] = 1.0
    linear: ClassVar[bool] = True
    per_response: ClassVar[bool] = True
    gold_free: ClassVar[bool] = True

    def on(self, scale: Scale) -> Self:
        """Refuse ratings that have not been turned into preferences."""
        if set(scale.levels) - {0.0, 0.5, 1.0} or not scale.levels:
            raise ArgumentError(
                "win-rate needs preferences: make them with howsure.preferences.preferences_between(contest)."
            )
        return self

    def item_scores(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return the share of the item's comparisons that the model wins; gold is not used."""
        return model


@dataclass(frozen=True)
class Superiority(RelativeMetric):
    """Mean over items of the probability that a rating of the model beats one of the other model, ties counted half.

    All pairs of ratings of an item are compared, whoever gave them: only the order counts, not the distance.

    Attributes
    ----------
    direction : {"higher", "lower"}
        "lower" for penalties such as MQM.
    """

    name: ClassVar[str] = "superiority"
    title: ClassVar[str] = "probability of superiority"
    better: ClassVar[Better] = "higher"
    needs: ClassVar[Needs] = "sorted"
    gold_free: ClassVar[bool] = True
    per_response: ClassVar[bool] = True
    span: ClassVar[float] = 1.0

    direction: Better = "higher"

    def __post_init__(self) -> None:
        _check.one_of("direction", self.direction, ("higher", "lower"))

    def item_advantages(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return P(A beats B) − P(B beats A) on each item."""
        first, second = a[..., :, np.newaxis], b[..., np.newaxis, :]
        n_pairs = (~np.isnan(a)).sum(axis=-1) * (~np.isnan(b)).sum(axis=-1)
        won = (first > second).sum(axis=(-2, -1)) - (first < second).sum(axis=(-2, -1))
        signed = won / n_pairs
        return np.asarray(-signed if self.direction == "lower" else signed)

    def scores(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the probability that A is the better one, and that B is."""
        ahead = self.advantage(gold, a, b)
        return (1 + ahead) / 2, (1 - ahead) / 2
