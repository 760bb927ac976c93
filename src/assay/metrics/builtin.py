"""The metrics that have a name."""

from assay import _check
from assay.metrics.base import Metric
from assay.metrics.distribution import (
    Cosine,
    CosineResponses,
    CrossEntropy,
    EarthMover,
    EarthMoverMeans,
    EarthMoverResponses,
    JensenShannon,
    KullbackLeibler,
    TotalVariation,
)
from assay.metrics.error import MaxError, MeanAbsoluteError, MeanSquaredError, RootMeanSquaredError
from assay.metrics.labels import F1, Accuracy, AccuracyResponses, Precision, Recall, RocAuc
from assay.metrics.legacy import (
    EarthMoverHistogramLegacy,
    EarthMoverMeansHistogramLegacy,
    EarthMoverResponsesHistogramLegacy,
)
from assay.metrics.ranking import Kendall, Spearman
from assay.metrics.ratings import MeanRating, Superiority, WinRate
from assay.metrics.wins import Wins, WinsResponses

BUILTIN: dict[str, Metric] = {
    "mae": MeanAbsoluteError(),
    "mse": MeanSquaredError(),
    "rmse": RootMeanSquaredError(),
    "max-error": MaxError(),
    "wins": Wins(),
    "wins-responses": WinsResponses(),
    "cosine": Cosine(),
    "cosine-responses": CosineResponses(),
    "spearman": Spearman(),
    "kendall": Kendall(),
    "emd": EarthMover(),
    "emd-means": EarthMoverMeans(),
    "emd-responses": EarthMoverResponses(),
    "emd-histogram-legacy": EarthMoverHistogramLegacy(),
    "emd-means-histogram-legacy": EarthMoverMeansHistogramLegacy(),
    "emd-responses-histogram-legacy": EarthMoverResponsesHistogramLegacy(),
    "accuracy": Accuracy(),
    "accuracy-responses": AccuracyResponses(),
    "tv": TotalVariation(),
    "kl": KullbackLeibler(),
    "js": JensenShannon(),
    "cross-entropy": CrossEntropy(),
    "precision": Precision(),
    "recall": Recall(),
    "f1": F1(),
    "auc": RocAuc(),
    "rating": MeanRating(),
    "superiority": Superiority(),
}


ON_PREFERENCES: dict[str, Metric] = {"win-rate": WinRate()}
"""Metrics that exist on preferences only (`assay.preferences`), whatever the table's own scale."""


def resolve(metric: str | Metric) -> Metric:
    """Return the metric of this name, or the metric itself."""
    if isinstance(metric, Metric):
        return metric
    known = BUILTIN | ON_PREFERENCES
    return known[_check.one_of("metric", metric, known)]
