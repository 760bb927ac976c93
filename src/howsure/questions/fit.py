"""The question which response model describes pilot data."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from howsure._fields import option
from howsure.errors import ArgumentError
from howsure.questions.base import HERE, Question, Run, Written, seed_option
from howsure.questions.table_fields import TableFields

if TYPE_CHECKING:
    from howsure import models
    from howsure.data.response_tables import ResponseTable

MODEL = "Model to fit"
CHOICES = ("mean", "sd", "criterion", "method", "low", "high")


@dataclass(frozen=True, kw_only=True)
class Fit(TableFields, Question):
    """Fit a response model to pilot data.

    Estimates its parameters with standard errors, compares it with alternatives and tests the goodness of fit. The
    model can be written for simulate, plan and audit.
    """

    name: ClassVar[str] = "fit"
    function: ClassVar[str] = "fit"
    examples: ClassVar[tuple[str, ...]] = (
        "howsure fit ratings.csv --gold human --out model.json",
        "howsure fit ratings.csv --gold human --chart fit.html",
    )
    written: ClassVar[Written] = Written("out", "Write the model to this file (.json).", (".json",))

    gold: str | None = option(
        None,
        "Responses to fit: a source, a condition (kind=human) or a column.",
        metavar="NAME",
        common=True,
    )
    response_model: str = option(
        "auto",
        "Type of model; auto chooses it by the scale.",
        choices="howsure.models.fitting.fit:MODELS",
        group=MODEL,
        common=True,
    )
    mean: str | None = option(
        None,
        "Family of item means. Default: chosen by the criterion.",
        choices="howsure.models.fitting.number_fit:MEANS",
        group=MODEL,
    )
    sd: str | None = option(
        None,
        "Family of item standard deviations. Default: chosen by the criterion.",
        choices="howsure.models.fitting.number_fit:SPREADS",
        group=MODEL,
    )
    criterion: str = option(
        "bic",
        "Information criterion for the choice of families.",
        choices="howsure.models.fitting.fit:CRITERIA",
        group=MODEL,
        common=True,
    )
    method: str = option(
        "map",
        "For labels: estimate Dirichlet parameters with a weak prior on their sum (map) or without (ml).",
        choices="howsure.models.fitting.fit:METHODS",
        group=MODEL,
    )
    low: float | None = option(None, "Lower end of a continuous scale.", group=MODEL, common=True)
    high: float | None = option(None, "Upper end of a continuous scale.", group=MODEL, common=True)
    seed: int = seed_option("held-out items and simulated data")

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
        result.save(path, force=True)
