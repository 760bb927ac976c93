"""Metrics that exist to reproduce published tables, and for nothing else.

Every published "EMD" takes two histograms, forgets which bin is which, and measures the Wasserstein distance between
the two sets of bin counts. All mass in the first bin against all mass in the last one scores 0: the number does not
measure how far a model is from gold. Every published accuracy lets the first of tied labels win a vote, so that
renaming the labels changes it.
"""

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from howsure.data.scales import FloatArray, Scale
from howsure.data.summaries import Needs
from howsure.metrics import ItemMetric, Metric, resolve
from howsure.metrics.base import ROUNDING
from howsure.metrics.distribution import TotalVariation
from howsure.metrics.labels import Accuracy


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


@dataclass(frozen=True)
class TotalVariationSumLegacy(TotalVariation):
    """FOREST's total variation: Σ |P − Q| from 0 to 2, twice what the word means elsewhere."""

    name: ClassVar[str] = "tv-sum-legacy"
    title: ClassVar[str] = "sum of absolute differences of label shares (legacy)"
    span: ClassVar[float] = 2.0

    def level_scores(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return |P_model − P_gold| of a label."""
        return 2 * super().level_scores(gold, model)

    def item_scores(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return Σ |P_model − P_gold| for each item."""
        return 2 * super().item_scores(gold, model)


@dataclass(frozen=True)
class EarthMoverHistogramLegacy(ItemMetric):
    """Every published "MEMD": per item, sorted 5-bin counts against sorted 5-bin counts. Measures nothing useful."""

    name: ClassVar[str] = "emd-histogram-legacy"
    title: ClassVar[str] = "mean EMD of histogram counts (legacy, not a distance from gold)"
    counts_levels: ClassVar[bool] = True

    bins: int = 5
    levels: tuple[float, ...] = ()

    @property
    def needs(self) -> Needs:  # type: ignore[override]
        """Counts where the scale has levels, which then fall into bins, else the responses."""
        return "counts" if self.levels else "values"

    def on(self, scale: Scale) -> Self:
        """Take the levels from the scale."""
        super().on(scale)
        return replace(self, levels=scale.levels if self.counts_levels else ())

    def item_scores(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return mean |sorted counts − sorted counts| for each item."""
        return _distances(gold, model, bins=self.bins, levels=self.levels)[0]

    def item_advantages(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return how much better A is than B on each item; gold is counted once."""
        of_a, of_b = _distances(gold, a, b, bins=self.bins, levels=self.levels)
        return of_b - of_a


@dataclass(frozen=True)
class EarthMoverHistogramOfResponsesLegacy(EarthMoverHistogramLegacy):
    """The same from the responses on any scale: cheaper beside metrics for which they are drawn anyway."""

    counts_levels: ClassVar[bool] = False


@dataclass(frozen=True)
class EarthMoverMeansHistogramLegacy(Metric):
    """LEADER's "EMD aggregated": the same on 50-bin histograms of the item means."""

    name: ClassVar[str] = "emd-means-histogram-legacy"
    title: ClassVar[str] = "EMD of histogram counts of item means (legacy, not a distance from gold)"

    bins: int = 50

    def score(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return mean |sorted counts − sorted counts|."""
        return _distances(gold, model, bins=self.bins)[0]

    def scores(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the scores of A and of B; gold is counted once."""
        of_a, of_b = _distances(gold, a, b, bins=self.bins)
        return of_a, of_b


@dataclass(frozen=True)
class EarthMoverResponsesHistogramLegacy(Metric):
    """LEADER's "EMD vectorised": the same on 50-bin histograms of all responses."""

    name: ClassVar[str] = "emd-responses-histogram-legacy"
    title: ClassVar[str] = "EMD of histogram counts of all responses (legacy, not a distance from gold)"
    needs: ClassVar[Needs] = "values"

    bins: int = 50

    def score(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return mean |sorted counts − sorted counts|."""
        return _distances(_flat(gold), _flat(model), bins=self.bins)[0]

    def scores(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the scores of A and of B; gold is counted once."""
        of_a, of_b = _distances(_flat(gold), _flat(a), _flat(b), bins=self.bins)
        return of_a, of_b


LEGACY: dict[str, Metric] = {
    "emd-histogram-legacy": EarthMoverHistogramLegacy(),
    "emd-means-histogram-legacy": EarthMoverMeansHistogramLegacy(),
    "emd-responses-histogram-legacy": EarthMoverResponsesHistogramLegacy(),
    "accuracy-first-label-legacy": AccuracyFirstLabelLegacy(),
    "tv-sum-legacy": TotalVariationSumLegacy(),
}
"""By their names, which only replications know."""


def published_metric(name: str) -> Metric:
    """Return the metric of this name, legacy or not."""
    return LEGACY[name] if name in LEGACY else resolve(name)


def _flat(values: FloatArray) -> FloatArray:
    return values.reshape(*values.shape[:-2], -1)


def _distances(gold: FloatArray, *models: FloatArray, bins: int, levels: tuple[float, ...] = ()) -> list[FloatArray]:
    """Return mean |sorted counts − sorted counts| along the last axis, of each model and gold.

    Counts are those of equal bins on [0, 1]; what lies outside (or is absent) is dropped. A value on an edge belongs to
    the upper bin, also where rounding puts it below: 0.6 is less than the edge that NumPy computes for 3/5. The
    published ratings were 3 × 0.2, which is not; this way reproduces their tables. With `levels`, the last axis holds
    the counts of the levels, which fall into bins as if each were a response.
    """
    if levels:
        bin_of = np.array([_bin(level, bins) for level in levels])
        kept = (bin_of[:, np.newaxis] == np.arange(bins)).astype(np.float64)
        counts = [np.sort(side @ kept, axis=-1) for side in (gold, *models)]
    else:
        counts = [np.sort(_histograms(side, bins), axis=-1) for side in (gold, *models)]
    return [np.asarray(np.abs(side - counts[0]).sum(axis=-1) / bins) for side in counts[1:]]


def _histograms(rows: FloatArray, bins: int) -> FloatArray:
    """Count the values of each row in equal bins on [0, 1], dropping what lies outside or is absent."""
    lead, n_rows = rows.shape[:-1], math.prod(rows.shape[:-1])
    is_inside = (rows >= 0) & (rows <= 1)
    places = np.where(is_inside, np.minimum(rows * bins + bins * ROUNDING, bins - 1), bins).astype(np.int64)
    places = places.reshape(n_rows, -1) + (bins + 1) * np.arange(n_rows)[:, np.newaxis]
    counts = np.bincount(places.ravel(), minlength=n_rows * (bins + 1)).reshape(*lead, bins + 1)
    return counts[..., :bins].astype(np.float64)


def _bin(value: float, bins: int) -> int:
    return min(int(value * bins + bins * ROUNDING), bins - 1) if 0 <= value <= 1 else -1
