"""Which metric a comparison takes: the one that was asked for, or the one that fits the data."""

from collections.abc import Sequence
from dataclasses import replace

from howsure.data.contests import Contest
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


def bind(metric: Metric, contest: Contest) -> Metric:
    """Return the metric for the contest's scale; one that needs gold where there is none is refused."""
    if contest.gold is None and not metric.gold_free:
        raise ArgumentError(f"metric {metric.name!r} needs gold: name its source with `gold`, or use 'rating'.")
    return metric.on(contest.scale)
