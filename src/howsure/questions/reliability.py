"""The question how far a model repeats itself from run to run."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from howsure._fields import option
from howsure.questions.base import HERE, Question, Run
from howsure.questions.table_fields import TableFields

if TYPE_CHECKING:
    from howsure import scoring
    from howsure.data.response_tables import ResponseTable


@dataclass(frozen=True, kw_only=True)
class Reliability(TableFields, Question):
    """Estimate how far runs of a model differ, and how many it takes.

    Shows which items are unstable, which difference between two single runs is noise, and, for two models or versions,
    which items flipped.
    """

    name: ClassVar[str] = "reliability"
    function: ClassVar[str] = "reliability"
    examples: ClassVar[tuple[str, ...]] = (
        "howsure reliability ratings.csv --gold human",
        "howsure reliability ratings.csv --gold human --model model-2,model-1",
    )

    model: tuple[str, ...] = option(
        (), "Model; of two, also what changed from the first to the second. Default: all.", metavar="NAME", common=True
    )
    gold: str | None = option(
        None, "Reference labels: a source or a column. Omit it for runs that have scores.", metavar="NAME", common=True
    )
    confidence_level: float = option(0.95, "Confidence level of the intervals.", fraction=True)

    def data(self) -> "ResponseTable":
        """Read the models and gold."""
        return self._table()[0]

    def _table(self) -> "tuple[ResponseTable, str | None]":
        """Return the table, and what gold is called in it."""
        from howsure.io.files import with_gold_by_name

        table = self.table([*self.model, *([self.gold] if self.gold and self.model else [])])
        return (table, self.gold) if self.gold or self.model else with_gold_by_name(table, n_models=1)

    def answer(self, run: Run = HERE) -> "scoring.Reliability":
        """Read the data and look at runs."""
        from howsure.scoring import reliability_of

        table, gold = self._table()
        return reliability_of(table, gold=gold, models=self.model, confidence_level=self.confidence_level)
