"""The metrics that have a name."""

from collections.abc import Callable

from assay import _check, _offers
from assay.errors import ArgumentError
from assay.metrics.base import AdditiveMetric, ItemMetric, Metric
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
from assay.metrics.probabilities import Brier, CalibrationError, LogLoss
from assay.metrics.ranking import Kendall, Spearman
from assay.metrics.ratings import MeanRating, Superiority, WinRate
from assay.metrics.runs import PassAtK, PassHatK
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
    "accuracy": Accuracy(),
    "accuracy-responses": AccuracyResponses(),
    "tv": TotalVariation(),
    "kl": KullbackLeibler(),
    "js": JensenShannon(),
    "cross-entropy": CrossEntropy(),
    "log-loss": LogLoss(),
    "brier": Brier(),
    "calibration": CalibrationError(),
    "precision": Precision(),
    "recall": Recall(),
    "f1": F1(),
    "auc": RocAuc(),
    "rating": MeanRating(),
    "superiority": Superiority(),
}


ON_PREFERENCES: dict[str, Metric] = {"win-rate": WinRate()}
"""Metrics that exist on preferences only (`assay.preferences`), whatever the table's own scale."""


FAMILIES: dict[str, Callable[[str], Metric]] = {
    "wins:": lambda base: Wins(_additive(base)),
    "pass@": lambda k: PassAtK(_number("pass@", k)),
    "pass^": lambda k: PassHatK(_number("pass^", k)),
}
"""Metrics whose name ends in a parameter: the base error of wins, a number of runs."""


def resolve(metric: str | Metric) -> Metric:
    """Return the metric of this name, or the metric itself.

    Examples
    --------
    >>> resolve("wins:tv").title, resolve("pass@3").k
    ('wins by total variation', 3)
    """
    if isinstance(metric, Metric):
        return metric
    for start, make in FAMILIES.items():
        if isinstance(metric, str) and metric.startswith(start):
            return make(metric.removeprefix(start))
    known = BUILTIN | ON_PREFERENCES
    if metric not in known:
        known |= _offers.offered(_offers.METRICS)
    return known[_check.one_of("metric", metric, known)]


def _additive(name: str) -> AdditiveMetric:
    """Return the base error of wins."""
    additive = [known for known, metric in BUILTIN.items() if isinstance(metric, ItemMetric)]
    base = resolve(name) if name.startswith("pass") else BUILTIN[_check.one_of("metric", name, BUILTIN)]
    if not isinstance(base, ItemMetric):
        raise ArgumentError(
            f"wins need a metric with item scores: wins:tv, for example; {name!r} has none. Those with "
            f"item scores are {', '.join(additive)}."
        )
    return base


def _number(start: str, text: str) -> int:
    """Return k."""
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise ArgumentError(f"`metric` {start + text!r} needs a whole number of runs, such as {start}3.")
    return int(text)
