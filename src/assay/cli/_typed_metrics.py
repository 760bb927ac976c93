"""Metrics of commands that are not yet made from questions."""

from typing import TYPE_CHECKING

from assay.questions.tables import MetricFields, metrics_of

if TYPE_CHECKING:
    from assay.metrics import Metric
    from assay.responses import Contest


def as_preferences(contest: "Contest", metrics: list[str], better: str | None) -> "Contest":
    """Turn ratings into preferences."""
    from assay.preferences import preferences_between

    return preferences_between(contest, better=better or "higher")


def metrics_for(
    names: list[str] | None, contest: "Contest", threshold: float | None, positive: str | None, better: str | None
) -> tuple[list["Metric"], list[str]]:
    """Return the metrics and why one was chosen."""
    return metrics_of(names or (), MetricFields(threshold=threshold, positive=positive, better=better), contest)
