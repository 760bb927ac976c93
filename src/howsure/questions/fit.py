"""The question which response model describes pilot data."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from howsure._fields import option
from howsure.errors import ArgumentError
from howsure.questions.base import HERE, Question, Run, Written
from howsure.questions.table_fields import TableFields

if TYPE_CHECKING:
    from howsure import models
    from howsure.response_tables import ResponseTable

MODEL = "What is fitted"
CHOICES = ("mean", "sd", "criterion", "method", "low", "high")


@dataclass(frozen=True, kw_only=True)
class Fit(TableFields, Question):
    """Fit a response model to pilot data: parameters with standard errors, alternatives, and how well it fits."""

    name: ClassVar[str] = "fit"
    function: ClassVar[str] = "fit"
    example: ClassVar[str] = "howsure fit ratings.csv --gold human --out model.json --chart fit.html"
    written: ClassVar[Written] = Written("out", "Write the model for simulate, plan and audit: .json.", (".json",))

    gold: str | None = option(None, "Whose responses to fit: a source, a condition (kind=human) or a column.")
    response_model: str = option(
        "auto", "Kind of model; with auto the scale decides.", choices="howsure.models.fitting.fit:MODELS", group=MODEL
    )
    mean: str | None = option(
        None,
        "Family of item means; chosen by the criterion if left out.",
        choices="howsure.models.fitting.number_fit:MEANS",
        group=MODEL,
    )
    sd: str | None = option(
        None,
        "Family of item standard deviations; chosen by the criterion if left out.",
        choices="howsure.models.fitting.number_fit:SPREADS",
        group=MODEL,
    )
    criterion: str = option(
        "bic", "The criterion that chooses the families.", choices="howsure.models.fitting.fit:CRITERIA", group=MODEL
    )
    method: str = option(
        "map",
        "For labels: with a weak prior on the sum of the Dirichlet parameters (map), or without (ml).",
        choices="howsure.models.fitting.fit:METHODS",
        group=MODEL,
    )
    low: float | None = option(None, "Lower end of a continuous scale.", group=MODEL)
    high: float | None = option(None, "Upper end of a continuous scale.", group=MODEL)
    seed: int = option(0, "The same seed gives the same held-out items and simulated data.", at_least=0)

    def data(self) -> "ResponseTable":
        """Read the responses of one source."""
        return self.one_source(self.gold)

    def answer(self, run: Run = HERE) -> "models.Fit":
        """Read the responses and fit a model to them."""
        from howsure.models import fit
        from howsure.models.fitting.fit import OPTIONS, kind_of

        table = self.data()
        kind = kind_of(self.response_model, table.scale)
        for name in CHOICES:
            if name in self.given and name not in OPTIONS[kind]:
                raise ArgumentError(f"`{name}` has no effect here: the model is {kind}.")
        asked = {name: getattr(self, name) for name in CHOICES}
        return fit(table, response_model=self.response_model, rng=self.seed, **asked)

    def write(self, result: Any, path: str) -> None:
        """Write the model file."""
        result.save(path)
