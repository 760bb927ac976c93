"""The metrics that have a name, and metrics as plain values.

By such a value (`entry_of`) a grid point of a study names a metric wherever it is computed.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from importlib import import_module
from typing import Any

from howsure import _check, _offers
from howsure.data.scales import Scale
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
        "log-loss": "distribution:LogLoss",
        "brier": "distribution:Brier",
        "calibration": "distribution:CalibrationError",
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
    from howsure.metrics.ratings import PassAtK

    return PassAtK(_number("pass@", k))


def _pass_hat(k: str) -> Metric:
    """Probability that all of k runs score 1, not 0."""
    from howsure.metrics.ratings import PassHatK

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
        if isinstance(metric, str) and metric in named:
            return named[metric]
    offers: dict[str, Metric] = _offers.offered(_offers.METRICS)
    return offers[_check.one_of("metric", metric, [*BUILTIN, *ON_PREFERENCES, *offers])]


def formula_of(name: str) -> str:
    """Return the formula of the metric of this name; empty for one that has no name or no formula.

    Examples
    --------
    >>> formula_of("max-error"), formula_of("my own")
    ('the largest |ā − ḡ| of all items, where ā and ḡ are the mean responses of model and gold', '')
    """
    try:
        return resolve(name).formula
    except ArgumentError:
        return ""


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


PLAIN = (str, int, float, bool, type(None))


def entry_of(metric: Metric, scale: Scale | None = None) -> str | dict[str, Any] | None:
    """Return the metric's name, with the parameters that are not at their default; None if these do not define it.

    With `scale`, the metric is already on that scale.

    Examples
    --------
    >>> from dataclasses import replace
    >>> entry_of(resolve("mae")), entry_of(replace(resolve("f1"), threshold=2.0))
    ('mae', {'name': 'f1', 'threshold': 2.0})
    """
    try:
        known = resolve(metric.name) if scale is None else resolve(metric.name).on(scale)
    except ArgumentError:
        return None
    if known == metric:
        return metric.name
    if type(known) is not type(metric) or not is_dataclass(metric):
        return None
    changed = {
        field.name: getattr(metric, field.name)
        for field in fields(metric)
        if getattr(metric, field.name) != getattr(known, field.name)
    }
    if not changed or not all(isinstance(value, PLAIN) for value in changed.values()):
        return None
    return {"name": metric.name, **changed}


def metric_from(entry: str | Mapping[str, Any]) -> Metric:
    """Return the metric of an entry that `entry_of` made."""
    if isinstance(entry, str):
        return resolve(entry)
    parameters = dict(entry)
    return replace(resolve(parameters.pop("name")), **parameters)
