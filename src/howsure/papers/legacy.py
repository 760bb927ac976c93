"""Metrics that exist to reproduce published tables, and for nothing else.

Every published "EMD" takes two histograms, forgets which bin is which, and measures the Wasserstein distance between
the two sets of bin counts. All mass in the first bin against all mass in the last one scores 0: the number does not
measure how far a model is from gold. Every published accuracy lets the first of tied labels win a vote, so that
renaming the labels changes it.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
import numpy.typing as npt

from howsure.data.scales import FloatArray, Scale
from howsure.data.summaries import Needs
from howsure.metrics import ItemMetric, Metric, resolve
from howsure.metrics.base import ROUNDING
from howsure.metrics.distribution import TotalVariation
from howsure.metrics.labels import Accuracy
from howsure.metrics.weighted import ArrayPool

if TYPE_CHECKING:
    from howsure.papers._histogram_kernels import Shapes


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
class OfOneHistogram(Metric):
    """What the two metrics share that count what all items give into one histogram."""

    by_weights: ClassVar[bool] = True

    bins: int = 50

    def weighted(self, gold: FloatArray, *models: FloatArray) -> "WeightedHistograms":
        """Return an object that scores weights of the items: draws that keep all responses need no more."""
        return WeightedHistograms(self.bins, gold, *models)


@dataclass(frozen=True)
class EarthMoverMeansHistogramLegacy(OfOneHistogram):
    """LEADER's "EMD aggregated": the same on 50-bin histograms of the item means."""

    name: ClassVar[str] = "emd-means-histogram-legacy"
    title: ClassVar[str] = "EMD of histogram counts of item means (legacy, not a distance from gold)"

    def score(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return mean |sorted counts − sorted counts|."""
        return _distances(gold, model, bins=self.bins)[0]

    def scores(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the scores of A and of B; gold is counted once."""
        of_a, of_b = _distances(gold, a, b, bins=self.bins)
        return of_a, of_b


@dataclass(frozen=True)
class EarthMoverResponsesHistogramLegacy(OfOneHistogram):
    """LEADER's "EMD vectorised": the same on 50-bin histograms of all responses."""

    name: ClassVar[str] = "emd-responses-histogram-legacy"
    title: ClassVar[str] = "EMD of histogram counts of all responses (legacy, not a distance from gold)"
    needs: ClassVar[Needs] = "values"

    def score(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return mean |sorted counts − sorted counts|."""
        return _distances(_flat(gold), _flat(model), bins=self.bins)[0]

    def scores(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the scores of A and of B; gold is counted once."""
        of_a, of_b = _distances(_flat(gold), _flat(a), _flat(b), bins=self.bins)
        return of_a, of_b


class WeightedHistograms:
    """Mean |sorted counts − sorted counts| of each model and gold, where each item counts as often as it weighs."""

    lanes = 16

    def __init__(self, bins: int, *sides: FloatArray) -> None:
        self.bins, self.rows = bins, ArrayPool(len(sides[0]), self.lanes)
        self.sides = [_by_bin(side.reshape(len(side), -1), bins) for side in sides]

    def scores(self, weights: npt.NDArray[np.uint8]) -> FloatArray:
        """Return one distance for each model and draw of (draws, items)."""
        from howsure.papers._histogram_kernels import add_up

        counts = np.empty((len(self.sides), -(-len(weights) // self.lanes) * self.lanes, self.bins), dtype=np.int32)
        with self.rows.borrowed() as rows:
            for (entries, stops), out in zip(self.sides, counts, strict=True):
                add_up(entries, stops, weights, rows, out)
        counts.sort(axis=-1)
        return np.asarray(np.abs(counts[1:, : len(weights)] - counts[0, : len(weights)]).sum(axis=-1) / self.bins)


def _by_bin(rows: FloatArray, bins: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return the item of each value that lies in a bin, bin after bin, and where each bin stops."""
    from howsure.papers import _histogram_kernels

    places = np.empty(rows.size, dtype=np.int32)
    _histogram_kernels.bins_of(np.ascontiguousarray(rows).ravel(), bins, places)
    order = np.argsort(places, kind="stable")
    stops = np.searchsorted(places[order], np.arange(bins), side="right")
    return (order[: stops[-1]] // rows.shape[1]).astype(np.int32), stops.astype(np.int32)


MOST_WAYS = 2**16
"""Up to so many ways to count the responses of an item are listed: 6⁵ for five responses in five bins."""

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
    from howsure.papers import _histogram_kernels

    sides = [np.ascontiguousarray(side).reshape(-1, side.shape[-1]) for side in (gold, *models)]
    bin_of = np.array([_bin(level, bins) for level in levels], dtype=np.int64)
    n_responses = max(int(side.sum(axis=-1).max(initial=0)) if levels else side.shape[-1] for side in sides)
    shapes = _shapes(bins, n_responses)
    if shapes is not None:
        found = [shapes.table[(side @ shapes.steps[bin_of]).astype(np.int64)] for side in sides] if levels else []
        for side in [] if levels else sides:
            found.append(np.empty(len(side), dtype=np.uint16))
            _histogram_kernels.shapes_of(side, shapes, np.empty(side.size, dtype=np.int32), found[-1])
        of_gold, *others = (each.reshape(side.shape[:-1]) for each, side in zip(found, (gold, *models), strict=True))
        return [np.asarray(shapes.apart[of_gold, each] / bins) for each in others]
    if levels:
        kept = (bin_of[:, np.newaxis] == np.arange(bins)).astype(np.float64)
        counted = [np.sort(side @ kept, axis=-1) for side in sides]
    else:
        counted = [np.sort(_histogram_kernels.histograms(side, bins), axis=-1) for side in sides]
    shaped = [rows.reshape(*side.shape[:-1], bins) for rows, side in zip(counted, (gold, *models), strict=True)]
    return [np.asarray(np.abs(side - shaped[0]).sum(axis=-1) / bins) for side in shaped[1:]]


@lru_cache(maxsize=16)
def _shapes(bins: int, n_responses: int) -> "Shapes | None":
    """Return the sorted counts of up to so many responses, None where there are too many ways to count them."""
    from howsure.papers._histogram_kernels import Shapes

    base = n_responses + 1
    if base**bins > MOST_WAYS:
        return None
    counts = np.stack(np.unravel_index(np.arange(base**bins), (base,) * bins), axis=-1)[:, ::-1]
    counts = np.where(counts.sum(axis=-1, keepdims=True) > n_responses, 0, counts)
    shapes, which = np.unique(np.sort(counts, axis=-1), axis=0, return_inverse=True)
    apart = np.abs(shapes[:, np.newaxis] - shapes).sum(axis=-1)
    steps = np.append(base ** np.arange(bins), 0)
    return Shapes(steps.astype(np.uint32), which.ravel().astype(np.uint16), apart.astype(np.int32))


def _bin(value: float, bins: int) -> int:
    return min(int(value * bins + bins * ROUNDING), bins - 1) if 0 <= value <= 1 else -1
