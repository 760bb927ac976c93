"""The fields that say where responses are: files, columns and scale; and the table or contest that they give."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay._fields import option
from assay.errors import ArgumentError

if TYPE_CHECKING:
    from assay.metrics import Metric
    from assay.responses import Contest, ResponseTable

DATA = "Where the data are"
METRIC = "Parameters of the metric"


@dataclass(frozen=True, kw_only=True)
class TableFields:
    """Which files hold the responses, and in which columns."""

    files: tuple[str, ...] = option(
        (), "A table of responses, or one for each source: human=ratings.csv gpt-4=a.jsonl.", positional=True
    )
    item: str | None = option(None, "Column of item ids; guessed by its name if left out.", group=DATA)
    source: str | None = option(None, "Column that says who answered; guessed if left out.", group=DATA)
    value: str | None = option(None, "Column of responses; guessed if left out.", group=DATA)
    rater: str | None = option(None, "Column of rater ids; guessed if left out.", group=DATA)
    repeat: str | None = option(None, "Column that numbers repeated responses; guessed if left out.", group=DATA)
    scale: str | None = option(
        None, "What the values mean; inferred if left out.", choices="assay.scales:KINDS", group=DATA
    )
    order: tuple[str, ...] = option((), "Labels of an ordinal scale, lowest first: low,medium,high.", group=DATA)

    @property
    def columns(self) -> dict[str, str | None]:
        """The columns by their role."""
        return {role: getattr(self, role) for role in ("item", "source", "value", "rater", "repeat")}

    def table(self, sources: Sequence[str] = (), by: Sequence[str] = ()) -> "ResponseTable":
        """Read the sources that are asked for, or all."""
        from assay.io import layouts

        return layouts.table_from(
            self.files, sources=sources, by=by, scale=self.scale, order=self.order or None, **self.columns
        )

    def contest(self, a: str, b: str, gold: str | None = None, by: Sequence[str] = ()) -> "Contest":
        """Read gold, A and B."""
        from assay.io import layouts

        return layouts.contest_from(
            self.files, a=a, b=b, gold=gold, by=by, scale=self.scale, order=self.order or None, **self.columns
        )


@dataclass(frozen=True, kw_only=True)
class ModelFields(TableFields):
    """Which two models are compared, against what, and by preferences where raters gave those."""

    a: str = option(help="Model A: a source, a condition (source=gpt-4) or a column.")
    b: str = option(help="Model B.")
    gold: str | None = option(None, "What they are measured against; leave out for ratings of the models' own outputs.")
    preference: str | None = option(
        None, "A source whose responses name the better one; a, b and tie are then its labels.", group=DATA
    )
    tie: str | None = option(None, "With preference: the label for neither.", group=DATA)


@dataclass(frozen=True, kw_only=True)
class MetricFields:
    """Parameters that some metrics take."""

    threshold: float | None = option(
        None, "From which mean response an item is positive (precision, recall, f1, auc).", group=METRIC
    )
    positive: str | None = option(None, "The label that is positive (precision, recall, f1, auc).", group=METRIC)
    better: str | None = option(
        None, "Whether higher or lower ratings are better, without gold.", choices=("higher", "lower"), group=METRIC
    )


def contest_of(question: "ModelFields", metrics: Sequence[str], better: str | None, by: Sequence[str]) -> "Contest":
    """Return the contest of a question; ratings become preferences where they are compared by win-rate."""
    from assay.io import layouts

    if question.preference is not None:
        return layouts.preferences_from(
            question.files, question.preference, a=question.a, b=question.b, tie=question.tie, gold=question.gold,
            by=by, scale=question.scale, order=question.order or None, **question.columns,
        )  # fmt: skip
    if question.tie is not None:
        raise ArgumentError("`tie` goes with `preference`, the source whose labels it is one of.")
    contest = question.contest(question.a, question.b, question.gold, by)
    if "win-rate" not in metrics:
        return contest
    if set(metrics) != {"win-rate"}:
        raise ArgumentError("win-rate turns ratings into preferences, so it goes without other metrics.")
    from assay.preferences import preferences_between

    return preferences_between(contest, better=better or "higher")


def metrics_of(names: Sequence[str], given: "MetricFields", contest: "Contest") -> tuple[list["Metric"], list[str]]:
    """Return the metrics with the parameters that were given, and a note where one was chosen by the data.

    A parameter goes to every metric that has a field of its name; one that no metric takes is refused.
    """
    from dataclasses import fields, replace

    from assay.comparison.comparing import metrics_for

    metrics, why = metrics_for(contest, list(dict.fromkeys(names)) or None)
    parameters = {"threshold": given.threshold, "positive": given.positive, "direction": given.better}
    if contest.scale.reason == "preferences":
        parameters.pop("direction")
    for name, value in parameters.items():
        takers = [metric for metric in metrics if name in {field.name for field in fields(metric)}]
        if value is None:
            continue
        if not takers:
            option_name = "better" if name == "direction" else name
            names = ", ".join(metric.name for metric in metrics)
            raise ArgumentError(f"`{option_name}` is no parameter of {names}; leave it out.")
        metrics = [replace(metric, **{name: value}) if metric in takers else metric for metric in metrics]
    return metrics, why
