"""The published toolkit's "EMD", kept only to reproduce published tables.

It takes two histograms, forgets which bin is which, and measures the Wasserstein distance between the two sets of bin
counts. All mass in the first bin against all mass in the last one scores 0: the number does not measure how far a
model is from gold. Do not use these metrics for anything but replication (METHODS §3).
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.metrics.base import AdditiveMetric, Metric
from assay.scales import FloatArray
from assay.summaries import Needs


@dataclass(frozen=True)
class EarthMoverHistogramLegacy(AdditiveMetric):
    """Every published "MEMD": per item, sorted 5-bin counts against sorted 5-bin counts. Measures nothing useful."""

    name: ClassVar[str] = "emd-histogram-legacy"
    title: ClassVar[str] = "mean EMD of histogram counts (legacy, not a distance from gold)"
    needs: ClassVar[Needs] = "values"

    bins: int = 5

    def item_scores(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return mean |sorted counts − sorted counts| for each item."""
        return _set_distance(_histogram(gold, self.bins), _histogram(model, self.bins))


@dataclass(frozen=True)
class EarthMoverMeansHistogramLegacy(Metric):
    """LEADER's "EMD aggregated": the same on 50-bin histograms of the item means."""

    name: ClassVar[str] = "emd-means-histogram-legacy"
    title: ClassVar[str] = "EMD of histogram counts of item means (legacy, not a distance from gold)"

    bins: int = 50

    def score(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return mean |sorted counts − sorted counts|."""
        return _set_distance(_histogram(gold, self.bins), _histogram(model, self.bins))


@dataclass(frozen=True)
class EarthMoverResponsesHistogramLegacy(Metric):
    """LEADER's "EMD vectorised": the same on 50-bin histograms of all responses."""

    name: ClassVar[str] = "emd-responses-histogram-legacy"
    title: ClassVar[str] = "EMD of histogram counts of all responses (legacy, not a distance from gold)"
    needs: ClassVar[Needs] = "values"

    bins: int = 50

    def score(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return mean |sorted counts − sorted counts|."""
        flat = [values.reshape(*values.shape[:-2], -1) for values in (gold, model)]
        return _set_distance(_histogram(flat[0], self.bins), _histogram(flat[1], self.bins))


def _histogram(values: FloatArray, bins: int) -> FloatArray:
    """Count the last axis into equal bins on [0, 1], with NumPy's edges; what lies outside is dropped."""
    edges = np.linspace(0.0, 1.0, bins + 1)
    with np.errstate(invalid="ignore"):
        inside = (values >= 0) & (values <= 1)
    where = np.minimum(np.searchsorted(edges, np.where(inside, values, 0.0), side="right") - 1, bins - 1)
    rows = int(np.prod(values.shape[:-1], dtype=np.int64))
    cells = np.arange(rows)[:, np.newaxis] * bins + where.reshape(rows, -1)
    counts = np.bincount(cells[inside.reshape(rows, -1)], minlength=rows * bins)
    return counts.reshape(*values.shape[:-1], bins).astype(np.float64)


def _set_distance(gold: FloatArray, model: FloatArray) -> FloatArray:
    return np.asarray(np.abs(np.sort(gold, axis=-1) - np.sort(model, axis=-1)).mean(axis=-1))
