"""The question whether a candidate may replace a baseline: pass, fail or inconclusive."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from howsure import _check
from howsure._fields import like, option
from howsure.comparison.procedure import Procedure, RandomFactors
from howsure.errors import ArgumentError
from howsure.questions.base import HERE, Question, Run, seed_option
from howsure.questions.compare import Compare
from howsure.questions.table_fields import (
    MetricFields,
    ModelFields,
    TableFields,
    contest_of,
    judged_contest_of,
    metrics_of,
)

if TYPE_CHECKING:
    from howsure.data.contests import Contest
    from howsure.data.response_tables import ResponseTable
    from howsure.gating import GateCheck, GateResult, GateRule, GateSettings
    from howsure.judging import JudgedContest

LOOKS = "Looking before the end"
BASELINE, CANDIDATE = "baseline", "candidate"
"""What the models are called where two files are given without names."""

WITHOUT_JUDGE = ("by", "cluster", "check", "looks", "state", "max_items", "sequential")
"""Options that ask for more than one verdict on people's labels, or for items in groups."""


@dataclass(frozen=True, kw_only=True)
class Gate(TableFields, MetricFields, RandomFactors, Question):
    """Decide whether a candidate may replace a baseline.

    Passes if the candidate is not worse than the baseline by more than the margin; --superior and --equivalent claim
    more. Exit codes: 0 pass, 1 fail, 2 inconclusive, 3 the gate could not be run. Without files, the options are read
    from howsure.toml, which howsure gate init writes.
    """

    name: ClassVar[str] = "gate"
    function: ClassVar[str] = "gate"
    examples: ClassVar[tuple[str, ...]] = (
        "howsure gate ratings.csv --gold human --baseline model-1 --candidate model-2 --margin 0.1 --range 1,5",
        "howsure gate ratings.csv --gold human --baseline model-1 --candidate model-2 --margin 0 --range 1,5 "
        "--by topic",
    )

    files: tuple[str, ...] = like(
        TableFields,
        "files",
        help="Baseline and candidate, in this order: tables, logs or folders. Or one table, with both named.",
    )
    baseline: str | None = option(
        None, "Baseline: its name in the files. Default: the first file.", metavar="NAME", common=True
    )
    candidate: str | None = option(
        None, "Candidate: its name in the files. Default: the second file.", metavar="NAME", common=True
    )
    gold: str | None = like(ModelFields, "gold")
    preference: str | None = like(
        ModelFields,
        "preference",
        help="Source whose responses name the better model; `baseline`, `candidate` and `tie` are its labels.",
    )
    tie: str | None = like(ModelFields, "tie")
    metric: str | None = option(
        None,
        "Metric (howsure metrics lists them). Default: depends on the scale.",
        suggested="howsure.metrics.builtin:BUILTIN",
        metavar="NAME",
        common=True,
        also="Metric",
    )
    margin: float | None = option(
        None, "Largest loss that does not matter, in units of the metric (required).", at_least=0, common=True
    )
    superior: bool = option(False, "Pass only if the candidate is better by more than the margin.")
    non_inferior: bool = option(False, "Pass if it is not worse by more than the margin (default).")
    equivalent: bool = option(False, "Pass only if both differ by less than the margin.")
    by: str | None = option(
        None, "Also test each value of this column: a loss in one slice fails the gate (Holm).", metavar="COLUMN"
    )
    cluster: str | None = like(RandomFactors, "cluster", group="")
    raters: str | None = like(RandomFactors, "raters", group="", common=False)
    max_error_rate: float = option(
        0.05,
        "Largest share of failed or missing samples. More is an error; fewer are bounded.",
        at_least=0,
        at_most=1,
    )
    confidence_level: float = like(
        Procedure,
        "confidence_level",
        help="One minus α, where α is the largest chance that a model at the margin passes.",
        group="",
    )
    range: tuple[str, ...] = option(
        (),
        "Lowest and highest possible value of ratings and other numbers, such as 1,5; 0,inf has no upper limit. "
        "Votes, `order` and right or wrong answers that the format or the column's name marks need none.",
        metavar="LOW,HIGH",
        common=True,
        also="float",
    )
    check: bool = option(
        False, "Show what this gate can see: losses it catches, how an unchanged model fares.", common=True
    )
    looks: int | None = option(
        None,
        "Number of looks, declared before the first: 2, or more up to `max_items`. Needs `state`.",
        at_least=2,
        at_most=20,
        group=LOOKS,
    )
    max_items: int | None = option(
        None, "Items planned in all (three looks or more).", at_least=2, at_most=_check.MOST_ITEMS, group=LOOKS
    )
    state: str | None = option(None, "File that remembers the looks.", metavar="FILE", group=LOOKS)
    sequential: str | None = option(
        None, "Look as often as you like: file that remembers the items.", metavar="FILE", group=LOOKS
    )
    judge: str | None = like(
        Compare,
        "judge",
        help="Judge that scored all items while people labelled some: a source, or the rater id of the judge. People's "
        "judgement decides, from both.",
        common=False,
    )
    sampled: str | None = like(Compare, "sampled")
    seed: int = seed_option()

    def __post_init__(self) -> None:
        super().__post_init__()
        if sum((self.superior, self.non_inferior, self.equivalent)) > 1:
            raise ArgumentError("choose one of `superior`, `non_inferior` and `equivalent`.")
        if self.range:
            from howsure.gating.limits import parsed_range

            parsed_range(self.range)
        for name in WITHOUT_JUDGE if self.judge is not None else ():
            if getattr(self, name):
                raise ArgumentError(f"`{name}` does not go with `judge`: leave it out.")
        if self.sampled is not None and self.judge is None:
            raise ArgumentError("`sampled` goes with `judge`: name the judge, or leave it out.")
        if self.looks is not None and (self.state is None or self.sequential is not None):
            raise ArgumentError("`looks` needs `state`, the file that remembers them, and goes without `sequential`.")
        if self.looks is None and self.state is not None:
            raise ArgumentError("`state` goes with `looks`; for looks without a plan use `sequential`.")
        if self.looks is None and self.sequential is None and self.max_items is not None:
            raise ArgumentError("`max_items` goes with `looks` or `sequential`.")
        if (self.baseline is None) != (self.candidate is None):
            raise ArgumentError("`baseline` and `candidate` go together: name both, or neither.")

    @property
    def rule(self) -> "GateRule":
        """What is claimed, by which margin, at which level."""
        from howsure.gating import CLAIMS, GateRule

        if self.margin is None:
            raise ArgumentError("a gate needs a `margin`: the largest loss that does not matter, such as 0.02.")
        claim = "superior" if self.superior else "equivalent" if self.equivalent else "non-inferior"
        return GateRule(CLAIMS[claim], self.margin, self.confidence_level)

    def settings(self, contest: "Contest") -> "GateSettings":
        """Return how these data are measured."""
        from howsure.gating import GateSettings
        from howsure.gating.limits import parsed_range

        [metric], _ = metrics_of(self._metrics, self, contest)
        ends = parsed_range(self.range)
        return GateSettings(metric, self.by, self.cluster, self.raters, self.max_error_rate, self.seed, ends)

    def data(self) -> "Contest":
        """Read baseline (B), candidate (A) and gold, with the items that one lacks; with a judge, as people do."""
        if self.judge is not None:
            return self._judged(self.judge).overlapping().humans
        groups = [column for column in (self.by, self.cluster) if column]
        named = self.candidate is not None or self.own_contest is not None
        if self.check and len(self.files) == 1 and not named:
            return self._with_itself(groups)
        return contest_of(self._models(), self._metrics, self.better, groups, complete=False)

    @property
    def _metrics(self) -> list[str]:
        return [] if self.metric is None else [self.metric]

    def _models(self) -> ModelFields:
        """Return the fields of `compare` that name candidate (A) and baseline (B)."""
        if self.candidate is not None or self.own_contest is not None:
            return self._between(self.files, (self.baseline, self.candidate))
        if len(self.files) != 2:
            had = "none" if not self.files else "one file" if len(self.files) == 1 else f"{len(self.files)} files"
            raise ArgumentError(
                f"a gate needs two files, baseline and candidate, or one with `baseline` and `candidate`; got {had}."
            )
        for file in self.files:
            self._refuse_several(file)
        files, names = zip(*map(_named, self.files, (BASELINE, CANDIDATE)), strict=True)
        return self._between(files, names)

    def _between(self, files: tuple[Any, ...], names: tuple[str | None, ...]) -> ModelFields:
        return ModelFields(
            files=files,
            a=names[1],
            b=names[0],
            gold=self.gold,
            preference=self.preference,
            tie=self.tie,
            **self.reading,
        )

    def _judged(self, judge: str) -> "JudgedContest":
        """Return the contest as people and as the judge see it; a column of chances is read with it."""
        return judged_contest_of(self._models(), judge, self._metrics, self.better, self._chance_column)

    @property
    def _chance_column(self) -> list[str]:
        return [] if self.sampled is None or Path(self.sampled).is_file() else [self.sampled]

    def _with_itself(self, groups: list[str]) -> "Contest":
        """Return the only model of the files against itself: its runs show how an unchanged model differs."""
        from howsure.data.contests import Contest

        table = self._only_table(groups)
        models = [name for name in table.sources if name != self.gold]
        if len(models) != 1 or self.gold is not None:
            raise ArgumentError("`check` of one file needs the scores of one model with several runs, without gold.")
        own = table.sources[models[0]]
        names = ("", CANDIDATE, BASELINE)
        return Contest(None, own, own, table.scale, table.items, names, table.groups, table.raters, table.notes)

    def _only_table(self, groups: list[str]) -> "ResponseTable":
        """Read the only file; one that does not name its model is the baseline's."""
        from howsure.errors import DataError
        from howsure.io.files import table_from

        try:
            return self.table([], groups)
        except DataError:
            return table_from([_named(self.files[0], BASELINE)[0]], by=groups, **self.reading)

    def _refuse_several(self, file: Any) -> None:
        """Refuse a folder of several models: under one name they would be repeats of each other."""
        from howsure.io.files import table_from

        path = file if not isinstance(file, str) or Path(file).exists() else file.partition("=")[2]
        if not isinstance(path, str) or not path or not Path(path).is_dir():
            return
        models = [name for name in table_from([path], **self.reading).sources if name != self.gold]
        if len(models) > 1:
            named = f"{', '.join(models[:3])}{' …' if len(models) > 3 else ''}"
            raise ArgumentError(
                f"{path} holds {len(models)} models, {named}. Name the two with `baseline` and `candidate`, or pool "
                "runs that differ in settings only (`pool`)."
            )

    @property
    def result(self) -> str:
        """A verdict, or with `check` what the gate can see."""
        return "GateCheck" if self.check else "GateResult"

    def answer(self, run: Run = HERE) -> "GateResult | GateCheck":
        """Read the data and decide."""
        from howsure.gating import LookPlan, check_gate, gate, staged_gate

        rule, place = self.rule, self.state or self.sequential
        if self.judge is not None:
            return self._by_people(self.judge, rule)
        plan = None if place is None else LookPlan(place, self.looks or 0, self.max_items or 0)
        contest = self.data()
        settings = self.settings(contest)
        if self.check:
            return check_gate(contest, rule, settings)
        return gate(contest, rule, settings) if plan is None else staged_gate(contest, rule, plan, settings)

    def _by_people(self, judge: str, rule: "GateRule") -> "GateResult":
        """Decide by people's judgement, from their labels and the judge's."""
        from howsure.gating import judged_gate
        from howsure.judging.labels_to_draw import chances_of

        judged = self._judged(judge)
        settings = self.settings(judged.humans)
        if self.sampled is None:
            return judged_gate(judged, rule, settings)
        chances = chances_of(self.sampled, judged.humans, is_file=not self._chance_column)
        return judged_gate(judged, rule, settings, chances=chances)


def _named(file: Any, name: str) -> tuple[Any, str]:
    """Return a file with the name of its source: the one that was typed (main=old.csv), else this one."""
    from howsure.io.files import File

    if not isinstance(file, str):
        return File(file, name), name
    typed, equals, path = file.partition("=")
    if equals and typed and path and not Path(file).exists():
        return file, typed
    return f"{name}={file}", name
