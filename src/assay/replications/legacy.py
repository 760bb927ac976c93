"""Metrics that exist to reproduce published tables, and for nothing else."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.metrics.labels import Accuracy
from assay.scales import FloatArray


@dataclass(frozen=True)
class AccuracyFirstLabelLegacy(Accuracy):
    """Accuracy where the first of tied labels wins the vote, so that renaming the labels changes it.

    Every published accuracy is this one. Nothing else should be: `accuracy` shares tied votes.
    """

    name: ClassVar[str] = "accuracy-first-label-legacy"
    title: ClassVar[str] = "accuracy, the first of tied labels wins (legacy)"

    def item_scores(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return 1 where the first labels with the most votes agree, else 0."""
        return np.asarray(np.argmax(model, axis=-1) == np.argmax(gold, axis=-1), dtype=np.float64)
