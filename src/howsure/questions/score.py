"""The question how good a model is, by itself."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from howsure._fields import like, option
from howsure.comparison.procedure import RandomFactors
from howsure.errors import ArgumentError
from howsure.questions.base import HERE, Question, Run
from howsure.questions.table_fields import MetricFields, TableFields, judged_table, with_parameters

if TYPE_CHECKING:
    from howsure.data.response_tables import ResponseTable
    from howsure.judging import JudgedScores
    from howsure.scoring import ModelScores


@dataclass(frozen=True, kw_only=True)
class Score(TableFields, MetricFields, Question):
    """Estimate the score of each model with its confidence interval.

    Against gold or by the models' own scores; where runs pass or fail, also pass@k and pass^k.
    """

    name: ClassVar[str] = "score"
    function: ClassVar[str] = "score"
    examples: ClassVar[tuple[str, ...]] = (
        "howsure score ratings.csv --gold human --metric mae",
        "howsure score ratings.csv --gold human --model model-2 --report score.html",
    )

    model: tuple[str, ...] = option(
        (), "Model to score; several with commas. Default: all.", metavar="NAME", common=True
    )
    gold: str | None = option(
        None,
        "Reference labels: a source or a column. Omit it to average the models' own scores.",
        metavar="NAME",
        common=True,
    )
    metric: tuple[str, ...] = option(
        (),
        "Metric, or several with commas (howsure metrics lists them). Default: depends on the scale.",
        suggested="howsure.metrics.builtin:BUILTIN",
        metavar="NAME",
        common=True,
        also="Metric",
    )
    cluster: str | None = option(
        None, "Column that groups items, such as documents: the interval is for groups like these.", metavar="COLUMN"
    )
    confidence_level: float = option(0.95, "Confidence level of the intervals.", fraction=True)
    judge: str | None = option(
        None,
        "Judge that scored all items while people labelled some: a source, or the rater id of the judge.",
        metavar="NAME",
    )
    raters: str | None = like(RandomFactors, "raters")

    @property
    def result(self) -> str:
        """The name of the answer's type."""
        return "ModelScores" if self.judge is None else "JudgedScores"

    def data(self) -> "ResponseTable":
        """Read the models and gold."""
        if self.judge is not None:
            return judged_table(self, self.judge, self.gold, self.model)
        return self._table()[0]

    def _table(self) -> "tuple[ResponseTable, str | None]":
        """Return the table, and what gold is called in it."""
        from howsure.io.files import with_gold_by_name

        wanted = [*self.model, *([self.gold] if self.gold and self.model else [])]
        table = self.table(wanted, [self.cluster] if self.cluster else [])
        return (table, self.gold) if self.gold or self.model else with_gold_by_name(table, n_models=1)

    def answer(self, run: Run = HERE) -> "ModelScores | JudgedScores":
        """Read the data and score."""
        if self.judge is not None:
            return self._with_judge(self.judge)
        from howsure.metrics import resolve
        from howsure.scoring import score_models

        metrics = with_parameters([resolve(metric) for metric in self.metric], self) if self.metric else []
        table, gold = self._table()
        return score_models(
            table,
            gold=gold,
            models=self.model,
            metrics=metrics,
            cluster=self.cluster,
            raters=self.raters,
            confidence_level=self.confidence_level,
        )

    def _with_judge(self, judge: str) -> "JudgedScores":
        """Score by people's judgement, from their labels and the judge's."""
        from howsure.judging.judged_contests import judged_models
        from howsure.judging.judged_scores import score_with_judge
        from howsure.metrics import resolve

        if self.cluster is not None:
            raise ArgumentError("`cluster` does not go with `judge`: leave it out.")
        if len(self.metric) > 1:
            raise ArgumentError("`judge` goes with one metric; name one.")
        metrics = with_parameters([resolve(metric) for metric in self.metric], self) if self.metric else []
        table = self.data()
        return score_with_judge(
            judged_models(table, judge, gold=self.gold, models=self.model),
            metric=metrics[0] if metrics else None,
            raters=self.raters,
            confidence_level=self.confidence_level,
            notes=table.notes,
        )
