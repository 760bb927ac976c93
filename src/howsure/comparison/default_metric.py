"""Which metric a comparison takes: the one that was asked for, or the one that fits the data."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from howsure.data.contests import Contest
from howsure.data.responses import Responses
from howsure.data.scales import OUTCOMES
from howsure.documents import Aside
from howsure.errors import ArgumentError
from howsure.metrics import Metric, resolve


def metrics_for(contest: Contest, metrics: Sequence[str | Metric] | None) -> tuple[list[Metric], list[str]]:
    """Return the metrics by their names, or the one that fits the data, with a note that says why."""
    if metrics is not None:
        if not metrics:
            raise ArgumentError("`metrics` must name at least one metric; got none.")
        right = contest.gold is None and contest.scale.reason == OUTCOMES  # the answers have been marked already
        names = ["rating" if right and metric == "accuracy" else metric for metric in metrics]
        return _directed([resolve(metric) for metric in names], contest)
    if contest.gold is None and contest.scale.reason == "preferences":
        name, reason = "win-rate", "preferences"
    elif contest.gold is None:
        name, reason = "rating", "ratings without gold"
    elif contest.scale.kind == "nominal" or contest.scale.reason == OUTCOMES:
        name, reason = "accuracy", "nominal labels"
    else:
        name, reason = "mae", f"{contest.scale.kind} responses"
    chosen, told = _directed([resolve(name)], contest)
    return chosen, [Aside(f"Metric: {name} (default for {reason}). Change it with `metric`."), *told]


def _directed(metrics: list[Metric], contest: Contest) -> tuple[list[Metric], list[str]]:
    """Reverse the direction of ratings where the data say that lower values are better, such as penalties."""
    turned = [metric for metric in metrics if getattr(metric, "direction", None) == "higher"]
    if contest.gold is not None or contest.better != "lower" or not turned:
        return metrics, []
    directed = [replace(metric, direction="lower") if metric in turned else metric for metric in metrics]  # type: ignore[call-arg]
    return directed, ["Lower values are better, as the data say."]


PENALTIES = 0.15
"""Share of zeros from which ratings without gold look like penalties: errors that were counted, and mostly none."""


def penalty_note(sources: Iterable[Responses], better: str) -> list[str]:
    """Ask whether lower is better where 0 is the smallest and the most frequent of many values.

    Nobody should read that the system with the most errors is the best without a word of doubt.
    """
    values = np.concatenate([source.values for source in sources])
    if better or not values.size or values.min() != 0 or values.max() <= 1:
        return []
    found, counts = np.unique(values, return_counts=True)
    if found.size < 4 or counts.argmax() != 0 or counts[0] < PENALTIES * values.size:
        return []
    return ["Higher values count as better. 0 is the most frequent one: if these are penalties, use `better='lower'`."]


def bind(metric: Metric, contest: Contest) -> Metric:
    """Return the metric for the contest's scale; one that needs gold where there is none is refused."""
    if contest.gold is None and not metric.gold_free:
        raise ArgumentError(f"metric {metric.name!r} needs gold: name its source with `gold`, or use 'rating'.")
    return metric.on(contest.scale)
