"""The published toolkit's "EMD", kept only to reproduce published tables.

It takes two histograms, forgets which bin is which, and measures the Wasserstein distance between the two sets of bin
counts. All mass in the first bin against all mass in the last one scores 0: the number does not measure how far a
model is from gold. Do not use these metrics for anything but replication (METHODS §3).
"""

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from assay.metrics.base import ROUNDING, AdditiveMetric, Metric
from assay.scales import FloatArray, Scale
from assay.summaries import Needs


@dataclass(frozen=True)
class EarthMoverHistogramLegacy(AdditiveMetric):
    """Every published "MEMD": per item, sorted 5-bin counts against sorted 5-bin counts. Measures nothing useful."""

    name: ClassVar[str] = "emd-histogram-legacy"
    title: ClassVar[str] = "mean EMD of histogram counts (legacy, not a distance from gold)"

    bins: int = 5
    levels: tuple[float, ...] = ()

    @property
    def needs(self) -> Needs:  # type: ignore[override]
        """Counts where the scale has levels, which then fall into bins, else the responses."""
        return "counts" if self.levels else "values"

    def on(self, scale: Scale) -> Self:
        """Take the levels from the scale."""
        super().on(scale)
        return replace(self, levels=scale.levels)

    def item_scores(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return mean |sorted counts − sorted counts| for each item."""
        if self.levels:
            # Each level is a response of its own: its row of the histogram says into which bin it falls, if any.
            bin_of = _histogram(np.array(self.levels)[:, np.newaxis], self.bins)
            return _set_distance(gold @ bin_of, model @ bin_of)
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
    """Count the last axis into equal bins on [0, 1]; what lies outside (or is absent) is dropped.

    A value on an edge belongs to the upper bin, also where rounding puts it below: 0.6 is less than the edge that
    NumPy computes for 3/5. The published ratings were 3 × 0.2, which is not; this way reproduces their tables.
    """
    rows = int(np.prod(values.shape[:-1], dtype=np.int64))
    flat = values.reshape(rows, -1)
    where = np.minimum(np.floor(flat * bins + bins * ROUNDING), bins - 1)
    where[~((flat >= 0) & (flat <= 1))] = bins
    where += np.arange(0, rows * (bins + 1), bins + 1)[:, np.newaxis]
    counts = np.bincount(where.astype(np.intp).ravel(), minlength=rows * (bins + 1))
    return counts.reshape(*values.shape[:-1], bins + 1)[..., :bins].astype(np.float64)


def _set_distance(gold: FloatArray, model: FloatArray) -> FloatArray:
    return np.asarray(np.abs(np.sort(gold, axis=-1) - np.sort(model, axis=-1)).mean(axis=-1))
