"""Errors of item means: mean absolute, mean squared, root mean squared, maximum."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from howsure.data.scales import FloatArray
from howsure.metrics.base import ItemMetric, Metric, SummedMetric


@dataclass(frozen=True)
class MeanAbsoluteError(ItemMetric):
    """Mean over items of |mean response of the model − mean response of gold|."""

    name: ClassVar[str] = "mae"
    title: ClassVar[str] = "mean absolute error"
    formula: ClassVar[str] = (
        "mean over items of |ā − ḡ|, where ā and ḡ are the mean responses of model and gold to the item"
    )
    distance: ClassVar[bool] = True
    error_power: ClassVar[int] = 1

    def item_scores(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return |model − gold| for each item."""
        return np.abs(model - gold)


@dataclass(frozen=True)
class MeanSquaredError(ItemMetric):
    """Mean over items of (mean response of the model − mean response of gold)²."""

    name: ClassVar[str] = "mse"
    title: ClassVar[str] = "mean squared error"
    formula: ClassVar[str] = (
        "mean over items of (ā − ḡ)², where ā and ḡ are the mean responses of model and gold to the item"
    )
    uneven: ClassVar[bool] = True
    error_power: ClassVar[int] = 2

    def item_scores(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return (model − gold)² for each item."""
        return np.square(model - gold)


@dataclass(frozen=True)
class RootMeanSquaredError(SummedMetric):
    """Square root of the mean squared error."""

    name: ClassVar[str] = "rmse"
    title: ClassVar[str] = "root mean squared error"
    formula: ClassVar[str] = (
        "root of the mean over items of (ā − ḡ)², where ā and ḡ are the mean responses of model and gold"
    )
    distance: ClassVar[bool] = True

    def score(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return √ mean (model − gold)²."""
        return np.asarray(np.sqrt(np.square(model - gold).mean(axis=-1)))

    def item_sums(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return what each item adds: to the squared errors of A and of B, and to the number of items."""
        return np.stack([np.square(a - gold), np.square(b - gold), np.ones(gold.shape)], axis=-1)

    def advantage_of_sums(self, sums: FloatArray) -> FloatArray:
        """Return how much smaller A's error is, from sums of `item_sums`."""
        of_a, of_b = np.sqrt(sums[..., 0] / sums[..., 2]), np.sqrt(sums[..., 1] / sums[..., 2])
        return np.asarray(of_b - of_a)


@dataclass(frozen=True)
class MaxError(Metric):
    """Largest absolute error over the items.

    A maximum is not a smooth function of the data, so that its intervals are rough.
    """

    name: ClassVar[str] = "max-error"
    title: ClassVar[str] = "maximum absolute error"
    formula: ClassVar[str] = "the largest |ā − ḡ| of all items, where ā and ḡ are the mean responses of model and gold"
    uneven: ClassVar[bool] = True
    distance: ClassVar[bool] = True

    def score(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return max |model − gold|."""
        return np.asarray(np.abs(model - gold).max(axis=-1))
