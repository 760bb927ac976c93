"""Ratings without gold: raters score each model's own outputs."""

from dataclasses import dataclass
from typing import ClassVar

from assay import _check
from assay.metrics.base import AdditiveMetric, Better
from assay.scales import FloatArray


@dataclass(frozen=True)
class MeanRating(AdditiveMetric):
    """Mean over items of the mean rating that the model's output got.

    Attributes
    ----------
    direction : {"higher", "lower"}
        "lower" for penalties such as MQM.
    """

    name: ClassVar[str] = "rating"
    title: ClassVar[str] = "mean rating"
    linear: ClassVar[bool] = True
    gold_free: ClassVar[bool] = True

    direction: Better = "higher"

    def __post_init__(self) -> None:
        _check.one_of("direction", self.direction, ("higher", "lower"))

    @property
    def better(self) -> Better:  # type: ignore[override]
        """The direction of the ratings."""
        return self.direction

    def item_scores(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return the item's mean rating; gold is not looked at."""
        return model
