"""Rank correlations of item means: whether the model orders the items as gold does."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.metrics.base import Better, Metric
from assay.scales import FloatArray


@dataclass(frozen=True)
class Spearman(Metric):
    """Spearman's rank correlation of item means; undefined (NaN) where one side is constant."""

    name: ClassVar[str] = "spearman"
    title: ClassVar[str] = "Spearman correlation"
    better: ClassVar[Better] = "higher"

    def score(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return the product-moment correlation of the ranks."""
        of_gold, of_model = (ranks(side) for side in (gold, model))
        middle = (gold.shape[-1] + 1) / 2
        of_gold -= middle
        of_model -= middle
        shared = (of_gold * of_model).sum(axis=-1)
        with np.errstate(invalid="ignore", divide="ignore"):
            lengths = np.sqrt(np.square(of_gold).sum(axis=-1) * np.square(of_model).sum(axis=-1))
            return np.asarray(shared / lengths)


@dataclass(frozen=True)
class Kendall(Metric):
    """Kendall's τ-b of item means; undefined (NaN) where one side is constant."""

    name: ClassVar[str] = "kendall"
    title: ClassVar[str] = "Kendall correlation"
    better: ClassVar[Better] = "higher"

    def score(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return (concordant − discordant) / √((pairs − ties in gold)(pairs − ties in model))."""
        from assay.metrics import _kernels

        gold, model = np.broadcast_arrays(gold, model)
        rows = [ranks(side).reshape(-1, side.shape[-1]) for side in (gold, model)]
        return np.asarray(_kernels.kendall(*rows)).reshape(gold.shape[:-1])


def ranks(values: FloatArray) -> FloatArray:
    """Return ranks along the last axis, from 1; tied values share the mean of their ranks.

    Neighbours that differ only by rounding (1e-12 of the row's largest value) are tied: means of the same responses
    in another order differ in their last bits.
    """
    from assay.metrics import _kernels

    rows = np.ascontiguousarray(values).reshape(-1, values.shape[-1])
    return np.asarray(_kernels.ranks(rows)).reshape(values.shape)
