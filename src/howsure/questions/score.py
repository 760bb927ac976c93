"""The question how good a model is, by itself."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from howsure._fields import option
from howsure.questions.base import HERE, Question, Run
from howsure.questions.table_fields import MetricFields, TableFields, with_parameters

if TYPE_CHECKING:
    from howsure.data.response_tables import ResponseTable
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

    def data(self) -> "ResponseTable":
        """Read the models and gold."""
        wanted = [*self.model, *([self.gold] if self.gold and self.model else [])]
        return self.table(wanted, [self.cluster] if self.cluster else [])

    def answer(self, run: Run = HERE) -> "ModelScores":
        """Read the data and score."""
        from howsure.metrics import resolve
        from howsure.scoring import score_models

        metrics = with_parameters([resolve(metric) for metric in self.metric], self) if self.metric else []
        return score_models(
            self.data(),
            gold=self.gold,
            models=self.model,
            metrics=metrics,
            cluster=self.cluster,
            confidence_level=self.confidence_level,
        )
