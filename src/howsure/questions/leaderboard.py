"""The question which of many models are significantly better."""

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, ClassVar

from howsure._fields import like, option
from howsure.comparison.procedure import METHOD, MOST_DRAWS, RandomFactors
from howsure.errors import ArgumentError
from howsure.questions.base import HERE, Question, Run, seed_option
from howsure.questions.table_fields import (
    MetricFields,
    ModelFields,
    TableFields,
    judged_table,
    metrics_of,
    with_parameters,
)

if TYPE_CHECKING:
    from howsure.data.response_tables import ResponseTable
    from howsure.judging import JudgedScores
    from howsure.leaderboards import Leaderboard as Ranking
    from howsure.leaderboards import LeaderboardPlan, LeaderboardRequest, Leaderboards
    from howsure.metrics import Metric

TASKS = "Several tasks"
VOTES = "Votes between two models"
PLAN = "Sample size"
WITH_JUDGE = (
    "judge",
    "gold",
    "model",
    "metric",
    "raters",
    "confidence_level",
    "better",
    "threshold",
    "positive",
    "seed",
)
"""Options of a leaderboard with a judge, beside how the data are read."""
PLAIN_VALUES = ("", "value", "values", "rating", "ratings", "response", "label")
"""Columns of values whose name does not say what the numbers are."""


@dataclass(frozen=True, kw_only=True)
class Leaderboard(TableFields, MetricFields, RandomFactors, Question):
    """Rank models and test which of them differ significantly.

    Estimates scores and ranks with their uncertainty, and corrects the tests of all pairs for multiple comparisons.
    """

    name: ClassVar[str] = "leaderboard"
    function: ClassVar[str] = "leaderboard"
    examples: ClassVar[tuple[str, ...]] = (
        "howsure leaderboard ratings.csv --gold human --metric mae",
        "howsure leaderboard ratings.csv --gold human --baseline model-1 --chart ranks.html",
    )

    gold: str | None = like(ModelFields, "gold")
    model: tuple[str, ...] = option(
        (),
        "Model to rank: a source, a condition (source=gpt-4) or a column; several with commas. Default: all.",
        metavar="NAME",
        common=True,
    )
    metric: str | None = option(
        None,
        "Metric (howsure metrics lists them). Default: depends on the scale.",
        suggested="howsure.metrics.builtin:BUILTIN",
        metavar="NAME",
        common=True,
        also="Metric",
    )
    baseline: str | None = option(
        None, "Compare each model with this one only, instead of all pairs.", metavar="NAME", common=True
    )
    top: int | None = option(None, "Number of models to show. Default: the first 20.", at_least=1)
    picture: str = option(
        "overview",
        "What the chart shows. The others than overview are single panels for a paper.",
        choices="howsure.leaderboards.result:PICTURES",
    )
    by: str | None = option(
        None,
        "Column of tasks, such as languages. All tasks count equally.",
        metavar="COLUMN",
        group=TASKS,
        common=True,
    )
    each: bool = option(
        False, "With `by`: one leaderboard per task, with a correction across all of them.", group=TASKS
    )
    aggregate: str = option(
        "mean",
        "How to combine the scores of the tasks.",
        choices="howsure.leaderboards.units:AGGREGATES",
        group=TASKS,
    )
    task_effect: str = option(
        "fixed",
        "Treat tasks as the only tasks of interest (fixed) or as a random sample (random).",
        choices=("fixed", "random"),
        group=TASKS,
    )
    weight: tuple[str, ...] = option(
        (), "Weight of a task: news=2; several with commas.", group=TASKS, also="Mapping[str, float]"
    )
    cost: str | None = option(
        None,
        "What models cost: a column (price, tokens, latency), or a file with the columns model and cost.",
        metavar="COLUMN|FILE",
    )
    winner: str | None = option(
        None,
        "Column of votes (model_a, model_b, tie, or the name of the better model). Ranks the models by votes.",
        metavar="COLUMN",
        group=VOTES,
        common=True,
    )
    first: str = option("model_a", "With `winner`: column of the first model.", metavar="COLUMN", group=VOTES)
    second: str = option("model_b", "With `winner`: column of the second model.", metavar="COLUMN", group=VOTES)
    unordered: bool = option(False, "With `winner`: the columns do not say which model was shown first.", group=VOTES)
    control: tuple[str, ...] = option(
        (),
        "With `winner`: property to control for, such as length (columns length_a and length_b); several with commas.",
        metavar="NAME",
        group=VOTES,
    )
    strength: str = option(
        "win-rate",
        "With `winner`: scale of strengths (win rate against the other models, log-odds or Elo points).",
        choices="howsure.leaderboards.request:STRENGTHS",
        group=VOTES,
    )
    plan: int | None = option(
        None,
        "Estimate the items or responses required to separate this many adjacent ranks, counted from the top.",
        at_least=1,
        group=PLAN,
    )
    target_power: float = option(
        0.8, "With `plan`: probability that the adjacent ranks differ significantly.", fraction=True, group=PLAN
    )
    correction: str = option(
        "westfall-young",
        "Correction of p-values for the number of pairs.",
        choices="howsure.inference.corrections:JOINT_CORRECTIONS",
        group=METHOD,
    )
    n_resamples: int | None = option(
        None,
        "Number of resamples. Default: 9999, and exact p-values where possible.",
        at_least=1,
        at_most=MOST_DRAWS,
        group=METHOD,
    )
    confidence_level: float = option(
        0.95,
        "Confidence level of intervals and rank ranges. The significance level α is 1 − this level.",
        fraction=True,
        group=METHOD,
    )
    judge: str | None = option(
        None,
        "Judge that scored all items while people labelled some: a source, or the rater id of the judge.",
        metavar="NAME",
    )
    seed: int = seed_option()

    def data(self) -> "ResponseTable | None":
        """Read gold and the models; votes are no responses."""
        if self.judge is not None:
            return judged_table(self, self.judge, self.gold, self.model)
        return None if self.winner is not None else self._table([])[0]

    @property
    def result(self) -> str:
        """A leaderboard, one for each slice, or how much data it takes."""
        if self.judge is not None:
            return "JudgedScores"
        return "LeaderboardPlan" if self.plan is not None else "Leaderboards" if self.each else "Leaderboard"

    def answer(self, run: Run = HERE) -> "Ranking | Leaderboards | LeaderboardPlan | JudgedScores":
        """Read the data and rank the models."""
        if self.judge is not None:
            return self._judged(self.judge)
        if self.winner is not None:
            return self._votes(run)
        from howsure.leaderboards import LeaderboardRequest, compare_all

        groups = [column for column in (self.by, self.cluster) if column]
        table, gold = self._table(groups)
        models = [name for name in table.sources if name != gold]
        if len(models) < 2:
            from howsure.documents.numbers import joined

            chosen = f"`model` selected only {models[0]}" if self.model and models else ""
            has = chosen or f"{self.data_names} has {joined(models) or 'none'}"
            raise ArgumentError(f"a leaderboard needs at least two models; {has}.")
        contest = replace(table.contest(a=models[0], b=models[1], gold=gold), notes=())
        [metric], why = metrics_of([self.metric] if self.metric else [], self, contest)
        table = replace(table, notes=(*table.notes, *why))
        request = self.call(
            LeaderboardRequest, gold=gold, metric=metric, weights=self._weights(), score_name=self._score_name(metric)
        )
        if self.plan is not None:
            return self._plan(self.plan, table, request, run)
        if self.each:
            return self._each(table, request, run)
        with run.progress("drawing", request.n_draws) as advance:
            board = compare_all(table, request, rng=self.seed, workers=run.workers, progress=advance)
        return self._shown(board)

    def _judged(self, judge: str) -> "JudgedScores":
        """Rank by people's judgement, from their labels and the judge's."""
        from howsure.judging.judged_contests import judged_models
        from howsure.judging.judged_scores import rank_with_judge
        from howsure.metrics import resolve

        taken = {field.name for field in fields(TableFields)} | {*WITH_JUDGE}
        for name in self.given:
            if name not in taken:
                raise ArgumentError(f"`{name}` does not go with `judge`: leave it out.")
        table = judged_table(self, judge, self.gold, self.model)
        return rank_with_judge(
            judged_models(table, judge, gold=self.gold, models=self.model),
            metric=with_parameters([resolve(self.metric)], self)[0] if self.metric else None,
            raters=self.raters,
            confidence_level=self.confidence_level,
            notes=table.notes,
        )

    def _each(self, table: "ResponseTable", request: "LeaderboardRequest", run: Run) -> "Leaderboards":
        """Rank on each slice."""
        from howsure.leaderboards import compare_all_by

        if self.by is None:
            raise ArgumentError("`each` ranks the models for each value of a column; pass that column with `by`.")
        of_slice = replace(request, by=None, aggregate="mean", task_effect="fixed", weights=None)
        return compare_all_by(table, self.by, of_slice, rng=self.seed, workers=run.workers)

    def _plan(self, ranks: int, table: "ResponseTable", request: "LeaderboardRequest", run: Run) -> "LeaderboardPlan":
        """Return how much data it takes until the first adjacent ranks differ significantly."""
        from howsure.leaderboards import plan_leaderboard

        n_models = len(table.sources) - (request.gold is not None)
        unused = [
            name for name in ("baseline", "top", "by", "each", "weight", "cluster", "raters") if getattr(self, name)
        ]
        if unused:
            raise ArgumentError(f"`{unused[0]}` cannot be combined with `plan`.")
        if ranks >= n_models:
            raise ArgumentError(f"`plan` must be below the number of models ({n_models}); got {ranks}.")
        found = plan_leaderboard(
            table,
            request,
            adjacent_ranks=ranks,
            target_power=self.target_power,
            rng=self.seed,
            workers=run.workers,
        )
        return replace(found, notes=(*table.notes, *found.notes))

    def _votes(self, run: Run) -> "Ranking":
        """Rank by votes; votes with the same item or rater belong together."""
        from howsure.leaderboards import VotesRequest, compare_votes

        unused = [
            name for name in ("gold", "model", "metric", "by", "cluster", "better", "plan") if getattr(self, name)
        ]
        if unused or len(self.files) != 1:
            what = f"`{unused[0]}` is not for votes" if unused else "votes are one table"
            raise ArgumentError(f"{what}; votes use `winner`, `first`, `second`, `item` and `rater`.")
        request = self.call(VotesRequest, voter=self.rater)
        with run.progress("drawing", request.n_draws) as advance:
            board = compare_votes(self.files[0], request, rng=self.seed, workers=run.workers, progress=advance)
        return self._shown(board)

    def _shown(self, board: "Ranking") -> "Ranking":
        """Add costs, and how the leaderboard is shown."""
        if self.cost is not None:
            from howsure.leaderboards.frontier import costs_of, with_costs

            board = with_costs(board, *costs_of(self.cost, self.files, self.source))
        return replace(board, top=self.top, picture=self.picture)

    def _score_name(self, metric: "Metric") -> str:
        """Return what scores without gold are called: the column of values, where it was named and says something."""
        named = (self.value or "").replace("_", " ").strip()
        return named if metric.gold_free and named.lower() not in PLAIN_VALUES else ""

    def _weights(self) -> dict[str, float] | None:
        weights = {}
        for entry in self.weight:
            name, _, value = entry.rpartition("=")
            try:
                weights[name] = float(value)
            except ValueError:
                name = ""
            if not name:
                raise ArgumentError(f"`weight` is written task=number; got {entry!r}.")
        return weights or None

    def _table(self, groups: list[str]) -> tuple["ResponseTable", str | None]:
        """Return the table, and what gold is called in it."""
        asked = list(self.model)
        if self.gold is not None and not asked and "=" in self.gold:
            asked = self._others()
        specs = ([self.gold] if self.gold is not None and asked else []) + asked
        table = self.table(specs, groups)
        if self.gold is None and not self.model:
            from howsure.io.files import with_gold_by_name

            return with_gold_by_name(table, n_models=2)
        if self.gold is None:
            from howsure.io.files import gold_by_name

            gold, notes = gold_by_name(table)
            return replace(table, notes=(*notes, *table.notes)), gold
        if not specs:
            return table, self.gold
        return table, next(iter(table.sources))

    def _others(self) -> list[str]:
        """Return the sources of the rows that are not gold, where gold is a condition such as kind=human."""
        from howsure.io.columns import guess
        from howsure.io.sheets import open_sheet

        sheet = open_sheet(self.files[0])
        column, _, value = (part.strip() for part in (self.gold or "").partition("="))
        source = self.source or guess(sheet, "source", taken=[column])
        if source is None or column not in sheet.columns:
            raise ArgumentError(
                f"`gold={self.gold}` requires a column of model names; pass it with `source`, or name each `model`."
            )
        others = sheet.ids(source).filter(sheet.ids(column) != value)
        return [f"{source}={name}" for name in others.drop_nulls().unique(maintain_order=True).to_list()]
