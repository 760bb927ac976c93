"""The fields that describe a response model: a preset, a model file, or one that is typed in."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from howsure._fields import option
from howsure.errors import ArgumentError

if TYPE_CHECKING:
    from howsure.models import Family, Fit, ResponseModel

MODEL = "Response model given by its parameters"

KINDS = {"categorical": "dirichlet", "likert": "levels", "normal": "mean"}
"""Kinds of typed-in models, and the field without which there is none."""


@dataclass(frozen=True, kw_only=True)
class SimulatorFields:
    """How responses are spread, where no model has a name for it."""

    dirichlet: tuple[float, ...] = option((), "Labels: Dirichlet parameters, such as 10,3,3.", group=MODEL)
    levels: tuple[float, ...] = option((), "Ratings: number of categories, or their values: 1,2,3,4,5.", group=MODEL)
    mean: str | None = option(
        None,
        "Distribution of item means: a number or a family, such as truncated-normal:0.5,0.2.",
        group=MODEL,
        also="float",
    )
    sd: str | None = option(
        None,
        "Distribution of item standard deviations, such as uniform:0,0.3 or exponential:0.2.",
        group=MODEL,
        also="float",
    )
    rho: tuple[float, ...] = option(
        (), "Labels: Dirichlet parameters of the noise that degrades B. Default: 1/M for each of M labels.", group=MODEL
    )
    clip: bool = option(False, "Clip simulated normal responses to the ends of the scale.", group=MODEL)
    epsilon_a: float = option(
        0.0, "Simulated degradation of A as a fraction of the scale.", at_least=0, at_most=1, group=MODEL
    )
    perturbation: str | None = option(
        None,
        "How B is degraded. Default: the standard perturbation of the model.",
        choices="howsure.models.base:PERTURBATIONS",
        group=MODEL,
    )

    @property
    def typed(self) -> list[str]:
        """The fields that describe a model and were given."""
        return [name for name in ("dirichlet", "levels", "mean", "sd") if getattr(self, name)]

    def simulator(self, name: "str | ResponseModel | Fit | None") -> "ResponseModel":
        """Return the model itself, that of this name or file, or as it is described."""
        from howsure import models

        if isinstance(name, str) and name in KINDS and self.typed:
            if not getattr(self, KINDS[name]):
                raise ArgumentError(f"a {name} model is typed in with `{KINDS[name]}`.")
            name = None
        if name is not None:
            if self.typed:
                raise ArgumentError(f"give a model or `{self.typed[0]}`, not both; got {name!r}.")
            if isinstance(name, str) and Path(name).is_file() and Path(name).suffix != ".json":
                raise ArgumentError(
                    f"{name} is a table, not a response model. To plan from it, name its gold labels with --gold, or "
                    "two rated models with --a and --b. To simulate data like it, fit a model first: howsure fit."
                )
            return self.adjusted(models.resolve(name))
        if self.dirichlet:
            if len(self.typed) > 1:
                raise ArgumentError(f"`dirichlet` describes labels and `{self.typed[1]}` numbers; give one of them.")
            return self.adjusted(models.CategoricalModel(self.dirichlet))
        if self.mean is None or self.sd is None:
            raise ArgumentError(
                "No data and no model. Pass a table, a model file, a preset (howsure presets lists them), `dirichlet`, "
                "or `mean` and `sd`."
            )
        means, spreads = _family("mean", self.mean), _family("sd", self.sd)
        if not self.levels:
            return self.adjusted(models.NormalModel(means, spreads))
        return self.adjusted(models.LikertModel(means, spreads, level_values(self.levels)))

    def adjusted(self, model: "ResponseModel") -> "ResponseModel":
        """Return the model with the noise and the cut that were asked for; what it has no use for is refused."""
        from howsure.models import CategoricalModel, NormalModel

        if self.rho:
            if not isinstance(model, CategoricalModel):
                raise ArgumentError("`rho` is the noise of labels, and this model has none.")
            if self.perturbation not in (None, "mixing"):
                raise ArgumentError(f"`rho` is the noise of perturbation mixing; got {self.perturbation}.")
            model = replace(model, rho=self.rho if len(self.rho) > 1 else self.rho * len(model.alpha))
        if self.clip:
            if not isinstance(model, NormalModel):
                raise ArgumentError("`clip` cuts normal responses, and this model has none.")
            model = replace(model, clip=True)
        return model


def level_values(values: Sequence[float]) -> tuple[float, ...]:
    """Return levels: several numbers are values; one is their number, reported as lower edges k/L (0 and 1 if two)."""
    if len(values) > 1:
        return tuple(values)
    count = int(values[0])
    if count != values[0] or count < 2:
        raise ArgumentError(f"`levels` must be a whole number of at least 2, or a list of values; got {values[0]:g}.")
    return (0.0, 1.0) if count == 2 else tuple(step / count for step in range(count))


def _family(name: str, text: str) -> "Family":
    """Read "uniform:0,0.3", or a plain number for a constant."""
    from howsure.models import make_family

    kind, colon, rest = text.partition(":")
    try:
        numbers = [float(part) for part in (rest if colon else text).split(",")]
    except ValueError:
        raise ArgumentError(f"`{name}` must be a number, or a family such as uniform:0,0.3; got {text!r}.") from None
    return make_family(kind if colon else "constant", numbers)
