"""The metrics that have a name."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module

from howsure import _check, _offers
from howsure.errors import ArgumentError
from howsure.metrics.base import AdditiveMetric, ItemMetric, Metric


class Named(Mapping[str, Metric]):
    """Metrics by name. The module of a metric is imported only when the metric is used: most jobs need one."""

    def __init__(self, addresses: Mapping[str, str]) -> None:
        self._addresses = addresses

    def __getitem__(self, name: str) -> Metric:
        return _at(self._addresses[name])

    def __contains__(self, name: object) -> bool:
        return name in self._addresses

    def __iter__(self) -> Iterator[str]:
        return iter(self._addresses)

    def __len__(self) -> int:
        return len(self._addresses)


@cache
def _at(address: str) -> Metric:
    """Return the metric of "module:Class", with its default settings."""
    module, _, kind = address.partition(":")
    found: type[Metric] = getattr(import_module(f"howsure.metrics.{module}"), kind)
    return found()


BUILTIN = Named(
    {
        "mae": "error:MeanAbsoluteError",
        "mse": "error:MeanSquaredError",
        "rmse": "error:RootMeanSquaredError",
        "max-error": "error:MaxError",
        "wins": "wins:Wins",
        "wins-responses": "wins:WinsResponses",
        "cosine": "distribution:Cosine",
        "cosine-responses": "distribution:CosineResponses",
        "spearman": "ranking:Spearman",
        "kendall": "ranking:Kendall",
        "emd": "distribution:EarthMover",
        "emd-means": "distribution:EarthMoverMeans",
        "emd-responses": "distribution:EarthMoverResponses",
        "accuracy": "labels:Accuracy",
        "accuracy-responses": "labels:AccuracyResponses",
        "tv": "distribution:TotalVariation",
        "kl": "distribution:KullbackLeibler",
        "js": "distribution:JensenShannon",
        "cross-entropy": "distribution:CrossEntropy",
        "log-loss": "probabilities:LogLoss",
        "brier": "probabilities:Brier",
        "calibration": "probabilities:CalibrationError",
        "precision": "labels:Precision",
        "recall": "labels:Recall",
        "f1": "labels:F1",
        "auc": "labels:RocAuc",
        "rating": "ratings:MeanRating",
        "superiority": "ratings:Superiority",
    }
)


ON_PREFERENCES = Named({"win-rate": "ratings:WinRate"})
"""Metrics for preferences only (`howsure.preferences`), whatever the table's own scale."""


def _wins(metric: str) -> Metric:
    """Share of items won minus lost, by another metric: wins:tv."""
    from howsure.metrics.wins import Wins

    return Wins(_additive(metric))


def _pass_at(k: str) -> Metric:
    """Probability that at least one of k runs scores 1, not 0."""
    from howsure.metrics.runs import PassAtK

    return PassAtK(_number("pass@", k))


def _pass_hat(k: str) -> Metric:
    """Probability that all of k runs score 1, not 0."""
    from howsure.metrics.runs import PassHatK

    return PassHatK(_number("pass^", k))


FAMILIES: dict[str, Callable[[str], Metric]] = {"wins:": _wins, "pass@": _pass_at, "pass^": _pass_hat}
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
    for named in (BUILTIN, ON_PREFERENCES):
        if metric in named:
            return named[metric]
    offers: dict[str, Metric] = _offers.offered(_offers.METRICS)
    return offers[_check.one_of("metric", metric, [*BUILTIN, *ON_PREFERENCES, *offers])]


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
