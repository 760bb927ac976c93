"""The question whether A is really better than B on these data."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from howsure import _check, _fields
from howsure._fields import like, option
from howsure.comparison.procedure import Procedure
from howsure.errors import ArgumentError
from howsure.questions.base import HERE, Question, Run, seed_option
from howsure.questions.table_fields import MetricFields, ModelFields, contest_of, judged_contest_of, metrics_of

if TYPE_CHECKING:
    from howsure.comparison import Comparisons
    from howsure.data.contests import Contest
    from howsure.judging import JudgedComparison

JUDGE = "Judge"
WITHOUT_JUDGE = (
    "by",
    "cluster",
    "null",
    "items",
    "responses",
    "n_responses",
    "n_resamples",
    "interval",
    "missing",
    "test",
)
"""Options that have no effect where people and a judge are combined: nothing is resampled."""


@dataclass(frozen=True, kw_only=True)
class Compare(ModelFields, MetricFields, Procedure, Question):
    """Test whether model A is better than model B.

    Estimates the difference by one or more metrics, with its confidence interval and p-value. Disagreement between
    raters is part of the uncertainty.
    """

    name: ClassVar[str] = "compare"
    function: ClassVar[str] = "compare"
    examples: ClassVar[tuple[str, ...]] = (
        "howsure compare ratings.csv --gold human --a model-2 --b model-1",
        "howsure compare ratings.csv --gold human --a model-2 --b model-1 --metric mae --by topic --report report.html",
    )

    metric: tuple[str, ...] = option(
        (),
        "Metric, or several with commas (howsure metrics lists them). Default: depends on the scale.",
        suggested="howsure.metrics.builtin:BUILTIN",
        metavar="NAME",
        common=True,
        also="Metric",
    )
    by: str | None = option(None, "Compare separately for each value of this column.", metavar="COLUMN", common=True)
    correction: str = option(
        "holm",
        "Correction of p-values for several metrics or slices.",
        choices="howsure.inference.corrections:JOINT_CORRECTIONS",
    )
    missing: str = option(
        "leave-out",
        "Missing responses: omit them (leave-out), or also show how far they could change the result (bounds).",
        choices=("leave-out", "bounds"),
    )
    test: tuple[str, ...] = option(
        (),
        "Classical tests of the item scores to show beside the result; several with commas.",
        choices="howsure.comparison.baselines:BASELINES",
    )
    judge: str | None = option(
        None,
        "Judge that scored all items while people labelled some: a source, or the rater id of the judge. The result is "
        "people's advantage, from both.",
        metavar="NAME",
        group=JUDGE,
        common=True,
    )
    sampled: str | None = option(
        None,
        "With `judge`: file of howsure sample, or column, with the chance of each item to be labelled. Default: equal.",
        metavar="FILE",
        group=JUDGE,
    )
    n_responses: int | None = like(Procedure, "n_responses", at_most=_check.MOST_RESPONSES)
    these_items: bool = option(
        False, "With `judge`: ask about these items only, not about items like these.", group=JUDGE
    )
    seed: int = seed_option()

    @property
    def result(self) -> str:
        """The name of the answer's type."""
        return "Comparisons" if self.judge is None else "JudgedComparison"

    def data(self) -> "Contest":
        """Read gold, A and B; with a judge, as people see them."""
        if self.judge is not None:
            return judged_contest_of(self, self.judge, self.metric, self.better, []).overlapping().humans
        return self._contest(complete=True)

    def answer(self, run: Run = HERE) -> "Comparisons | JudgedComparison":
        """Read the data and compare."""
        from dataclasses import replace

        if self.judge is not None:
            return self._with_judge(self.judge)
        for name in ("sampled", "these_items"):
            if getattr(self, name):
                raise ArgumentError(f"`{name}` goes with `judge`: name the judge, or leave it out.")

        from howsure.comparison.comparing import compare_each

        contest = self.data()
        metrics, why = metrics_of(self.metric, self, contest)
        contest = replace(contest, notes=(*contest.notes, *why))
        n_slices = 1 if self.by is None else len(contest.parts(self.by)[0])
        procedure = _fields.part(Procedure, self)
        how: dict[str, Any] = {"by": self.by, "procedure": procedure, "rng": self.seed, "workers": run.workers}
        with run.progress("drawing", 2 * self.n_draws * n_slices) as advance:
            found = compare_each(contest, metrics=metrics, correction=self.correction, progress=advance, **how)
        if self.test:
            from howsure.comparison.baselines import with_baselines

            found = with_baselines(found, self.test, self.seed)
        if self.missing == "bounds":
            from howsure.comparison.missing import with_bounds

            found = with_bounds(found, self._contest(complete=False), metrics, **how)
        return found

    @staticmethod
    def unpacked(found: Any, options: Mapping[str, Any]) -> Any:
        """Return the comparison itself if one metric was asked for by its name, without slices."""
        if options.get("judge") is not None:
            return found
        several = isinstance(options.get("metric"), list | tuple) or options.get("by") is not None
        return found if several or len(found) > 1 else found[0]

    def _with_judge(self, judge: str) -> "JudgedComparison":
        """Combine people's labels with the judge's."""
        from dataclasses import replace

        from howsure.judging.judged_comparison import compare_with_judge
        from howsure.judging.labels_to_draw import chances_of

        given = self.given
        for name in WITHOUT_JUDGE:
            if name in given:
                raise ArgumentError(f"`{name}` does not go with `judge`: leave it out.")
        if len(self.metric) > 1:
            raise ArgumentError("`judge` goes with one metric; name one.")
        column = [] if self.sampled is None or _is_file(self.sampled) else [self.sampled]
        judged = judged_contest_of(self, judge, self.metric, self.better, column)
        metrics, why = metrics_of(self.metric, self, judged.humans)
        judged = replace(judged, humans=replace(judged.humans, notes=(*judged.humans.notes, *why)))
        chances = None if self.sampled is None else chances_of(self.sampled, judged.humans, is_file=not column)
        how = _fields.part(Procedure, self)
        return compare_with_judge(
            judged, metric=metrics[0], procedure=how, chances=chances, these_items=self.these_items
        )

    def _contest(self, *, complete: bool) -> "Contest":
        groups = [column for column in (self.by, self.cluster) if column]
        return contest_of(self, self.metric, self.better, groups, complete=complete)


def _is_file(name: str) -> bool:
    return Path(name).is_file()
