"""The fields that say where responses are: files, columns and scale; and the table or contest that they give."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from howsure._fields import fields_of, option
from howsure.errors import ArgumentError, HowsureError

if TYPE_CHECKING:
    from howsure.data.contests import Contest
    from howsure.data.response_tables import ResponseTable
    from howsure.judging import JudgedContest
    from howsure.metrics import Metric

DATA = "Reading the data"
METRIC = "Parameters of the metric"

PARAMETERS = {"threshold": "threshold", "positive": "positive", "better": "direction"}
"""The options that are parameters of metrics, and what the metrics call them."""


@dataclass(frozen=True, kw_only=True)
class TableFields:
    """Which files hold the responses, and in which columns."""

    files: tuple[str, ...] = option(
        (),
        "Table of responses, or one file for each source: human=ratings.csv gpt-4=a.jsonl.",
        positional=True,
        metavar="FILE",
        also="Any",
    )
    item: str | None = option(None, "Column of item ids. Default: detected by its name.", metavar="COLUMN", group=DATA)
    source: str | None = option(
        None, "Column of sources (gold or a model). Default: detected by its name.", metavar="COLUMN", group=DATA
    )
    value: str | None = option(
        None, "Column of responses. Default: detected by its name.", metavar="COLUMN", group=DATA
    )
    rater: str | None = option(
        None, "Column of rater ids. Default: detected by its name.", metavar="COLUMN", group=DATA
    )
    repeat: str | None = option(
        None, "Column that numbers repeated responses. Default: detected by its name.", metavar="COLUMN", group=DATA
    )
    scale: str | None = option(
        None, "Type of scale. Default: inferred from the values.", choices="howsure.data.scales:KINDS", group=DATA
    )
    order: tuple[str, ...] = option(
        (), "Labels of an ordinal scale, lowest first: low,medium,high.", metavar="LABELS", group=DATA, also="float"
    )
    count: str | None = option(
        None, "Column of counts (number of identical responses per row).", metavar="COLUMN", group=DATA
    )
    where: tuple[str, ...] = option(
        (),
        "Use only rows with this value: column=value. Repeat it for more conditions.",
        group=DATA,
        also="Mapping[str, Any]",
    )
    labels: str = option(
        "stripped",
        "Labels that differ only in case, spaces or Unicode form are an error (stripped) or different labels (exact).",
        choices="howsure.data.scales:SPELLINGS",
        group=DATA,
    )
    encoding: str | None = option(None, "Encoding of text files that are not UTF-8, such as cp1252.", group=DATA)
    decimal: str | None = option(
        None,
        "Decimal separator of numbers such as 1,234. Default: inferred from the values.",
        choices="howsure.data.scales:DECIMALS",
        group=DATA,
    )
    sheet: str | None = option(None, "Sheet of a workbook. Default: the first.", metavar="NAME", group=DATA)
    pool: tuple[str, ...] = option(
        (),
        "Setting of logs to ignore, so that runs that differ in it are repeats; all ignores every setting.",
        metavar="SETTING",
        group=DATA,
    )
    scorer: str | None = option(None, "Scorer, metric or question to read from a log.", group=DATA)
    filter: str | None = option(None, "Filter to read from a log of lm-evaluation-harness.", group=DATA)
    rater_ids: str = option(
        "coded",
        "Rater ids in exports: replace them by short codes (coded) or keep them (as written).",
        choices="howsure.raters.design:RATER_IDS",
        group=DATA,
    )

    @property
    def reading(self) -> dict[str, Any]:
        """The options of `howsure.read`, by name."""
        return {field.name: getattr(self, field.name) for field in fields_of(TableFields) if field.name != "files"}

    def table(self, sources: Sequence[str] = (), by: Sequence[str] = ()) -> "ResponseTable":
        """Read the sources that are asked for, or all."""
        from howsure.io.files import table_from

        self.refuse_idle_columns()
        return table_from(self.files, sources=sources, by=by, **self.reading)

    def one_source(self, gold: str | None, by: Sequence[str] = ()) -> "ResponseTable":
        """Read the source that `gold` names, or the only one that there is."""
        table = self.table([] if gold is None else [gold], by)
        if len(table.sources) > 1:
            raise ArgumentError(f"`gold` must name one of the sources: {', '.join(list(table.sources)[:10])}.")
        return table

    def contest(
        self, a: str | None, b: str | None, gold: str | None = None, by: Sequence[str] = (), *, complete: bool = True
    ) -> "Contest":
        """Read gold, A and B; with the items that one of them lacks unless `complete`."""
        from howsure.io.files import contest_from

        self.refuse_idle_columns()
        return contest_from(self.files, a=a, b=b, gold=gold, by=by, complete=complete, **self.reading)

    @property
    def data_names(self) -> str:
        """What messages call the data: the files, or "the table"."""
        return ", ".join(file if isinstance(file, str) else "the table" for file in self.files)

    @property
    def own_contest(self) -> "Contest | None":
        """The contest that was passed in place of files, if any."""
        from howsure.data.contests import Contest

        return self.files[0] if len(self.files) == 1 and isinstance(self.files[0], Contest) else None

    def refuse_idle_columns(self) -> None:
        """Refuse options for reading where the data are in memory and have been read."""
        from howsure.data.contests import Contest
        from howsure.data.response_tables import ResponseTable

        if any(isinstance(file, ResponseTable | Contest) for file in self.files):
            defaults = {field.name: field.default for field in fields_of(TableFields)}
            for name, value in self.reading.items():
                if value != defaults[name]:
                    raise ArgumentError(f"`{name}` has no effect here: the data have been read. Pass it to read.")


@dataclass(frozen=True, kw_only=True)
class ModelFields(TableFields):
    """Which two models are compared, against what, and by preferences where raters gave those."""

    a: str | None = option(
        None,
        "Model A: a source, a condition (source=gpt-4) or a column. Optional if the files hold two models.",
        metavar="NAME",
        common=True,
    )
    b: str | None = option(None, "Model B, named like model A.", metavar="NAME", common=True)
    gold: str | None = option(
        None,
        "Reference labels: a source, a column or a file. Omit it to compare ratings of the models' own outputs.",
        metavar="NAME",
        common=True,
    )
    preference: str | None = option(
        None,
        "Source whose responses name the better model; `a`, `b` and `tie` are its labels.",
        metavar="NAME",
        group=DATA,
    )
    tie: str | None = option(
        None, "With `preference`: the label for a tie between A and B.", metavar="LABEL", group=DATA
    )


@dataclass(frozen=True, kw_only=True)
class MetricFields:
    """Parameters that some metrics take."""

    threshold: float | None = option(
        None, "Mean response from which an item is positive (precision, recall, f1, auc).", group=METRIC
    )
    positive: str | None = option(
        None, "Label that is positive (precision, recall, f1, auc).", metavar="LABEL", group=METRIC
    )
    better: str | None = option(
        None,
        "Without gold: direction of better ratings. Default: higher, unless the data say otherwise.",
        choices=("higher", "lower"),
        group=METRIC,
    )


def contest_of(
    question: "ModelFields", metrics: Sequence[str], better: str | None, by: Sequence[str], *, complete: bool = True
) -> "Contest":
    """Return the contest of a question; ratings become preferences where they are compared by win-rate.

    Unless `complete`, items that one of them lacks are in it, too; but preferences between ratings are complete.
    """
    if question.preference is not None:
        return _preferred(question, question.preference, by, complete=complete)
    if question.tie is not None:
        raise ArgumentError("`tie` goes with `preference`: it is one of the labels of that source.")
    if "win-rate" not in metrics:
        return question.contest(question.a, question.b, question.gold, by, complete=complete)
    if any(metric != "win-rate" for metric in metrics):
        raise ArgumentError("win-rate turns ratings into preferences, so it goes without other metrics.")
    from howsure.preferences import preferences_between

    contest = question.contest(question.a, question.b, question.gold, by)
    if contest.scale.reason == "preferences":
        return contest
    return preferences_between(contest, better=better or "higher")


def judged_contest_of(
    question: "ModelFields", judge: str, metrics: Sequence[str], better: str | None, by: Sequence[str]
) -> "JudgedContest":
    """Return gold, A and B as people and as a judge see them.

    With gold, the judge is a source of labels as gold is, or one of gold's raters. Without it, the judge is one of the
    raters of A and B. With `preference`, it is one of the raters, or another source of preferences.
    """
    from howsure.judging.judged_contests import JudgedContest

    if question.preference is not None:
        contest = contest_of(question, metrics, better, by, complete=False)
        if judge in contest.raters:
            return JudgedContest.by_rater(contest, judge)
        from howsure.preferences import preferences_from

        table = question.table([question.preference, judge], by)
        how: dict[str, Any] = {"a": question.a, "b": question.b, "tie": question.tie, "complete": False}
        first, second = table.sources
        voters, name = (second, first) if first == judge else (first, second)
        people, own = (preferences_from(table, source, **how).in_order() for source in (voters, name))
        return JudgedContest(people, own, name)
    if question.gold is None:
        return JudgedContest.by_rater(contest_of(question, metrics, better, by, complete=False), judge)
    from howsure.io.files import judged_contests_from

    question.refuse_idle_columns()
    gold, a, b = question.gold, question.a, question.b
    try:
        people, own = judged_contests_from(question.files, judge=judge, gold=gold, a=a, b=b, by=by, **question.reading)
    except HowsureError:
        contest = question.contest(a, b, gold, by, complete=False)
        if judge not in contest.raters:
            raise
        return JudgedContest.by_rater(contest, judge)
    return JudgedContest(people, own, own.names[0])


def judged_table(question: "TableFields", judge: str, gold: str | None, models: Sequence[str]) -> "ResponseTable":
    """Return the table of gold, judge and models; the judge is a source, or one of the raters."""
    wanted = [*models, *([gold] if gold and models else [])]
    if gold is None or not models:
        return question.table(wanted)
    try:
        return question.table([*wanted, judge])
    except HowsureError:
        table = question.table(wanted)
        if judge not in table.raters:
            raise
        return table


def _preferred(question: "ModelFields", preference: str, by: Sequence[str], *, complete: bool) -> "Contest":
    """Return the contest of the models whose labels, `a` and `b`, the source `preference` answers."""
    from howsure.preferences import preferences_from

    if question.gold is not None:
        raise ArgumentError("preferences are gold-free; leave out `gold` or `preference`.")
    if question.a is None or question.b is None:
        raise ArgumentError("`preference` needs `a` and `b`: the labels that name the two models.")
    table = question.table([preference], by)
    name = next(iter(table.sources))
    return preferences_from(table, name, a=question.a, b=question.b, tie=question.tie, complete=complete)


def distinct(metrics: Sequence[Any]) -> list[Any]:
    """Return metrics without names that are repeated; metric objects need not be hashable."""
    return [metric for i, metric in enumerate(metrics) if not (isinstance(metric, str) and metric in metrics[:i])]


def metrics_of(names: Sequence[str], given: "MetricFields", contest: "Contest") -> tuple[list["Metric"], list[str]]:
    """Return the metrics with the parameters that were given, and a note where one was chosen by the data."""
    from howsure.comparison.default_metric import metrics_for, penalty_note

    metrics, why = metrics_for(contest, distinct(names) or None)
    if contest.gold is None and given.better is None and any(hasattr(metric, "direction") for metric in metrics):
        why += penalty_note((contest.a, contest.b), contest.better)
    return with_parameters(metrics, given, preferences=contest.scale.reason == "preferences"), why


def with_parameters(metrics: Sequence["Metric"], given: "MetricFields", *, preferences: bool = False) -> list["Metric"]:
    """Return the metrics with the parameters that were given.

    A parameter goes to every metric that has a field of its name; one that no metric takes is refused.
    """
    from dataclasses import fields, replace

    changed = list(metrics)
    for name, parameter in PARAMETERS.items():
        value = getattr(given, name)
        if value is None or (preferences and name == "better"):
            continue
        takers = [metric for metric in changed if parameter in {field.name for field in fields(metric)}]
        if not takers:
            raise ArgumentError(f"`{name}` is not a parameter of {', '.join(m.name for m in changed)}; leave it out.")
        changed = [replace(metric, **{parameter: value}) if metric in takers else metric for metric in changed]
    return changed
