"""From the options that `simulate`, `plan` and `audit` share to a response model.

A model is the name of a preset, a file that `assay fit` wrote, or typed in: `--alpha 10,3,3` for labels,
`--levels 5 --mean truncated-normal:0.5,0.2 --sd uniform:0,0.3` for ratings, the same without `--levels` for numbers.
"""

from typing import TYPE_CHECKING, Annotated

import typer

from assay.errors import ArgumentError

if TYPE_CHECKING:
    from assay.models import Family, ResponseModel

ModelArgument = Annotated[
    str | None,
    typer.Argument(
        help="A preset (normal, likert-toxicity, categorical-dices, …) or a model file.", show_default=False
    ),
]
AlphaOption = Annotated[str | None, typer.Option(help="Typed-in labels: Dirichlet parameters, e.g. 10,3,3.")]
LevelsOption = Annotated[
    str | None, typer.Option(help="Typed-in ratings: the number of levels, or their values, e.g. 1,2,3,4,5.")
]
MeanOption = Annotated[
    str | None, typer.Option(help="How item means are spread: a number or family, e.g. truncated-normal:0.5,0.2.")
]
SdOption = Annotated[str | None, typer.Option("--sd", help="How item standard deviations are spread: uniform:0,0.3.")]
PerturbationOption = Annotated[
    str | None, typer.Option(help="How B is worse: shift, mixing, noise, guessing or split (A and B equally bad).")
]


def model_from(
    model: str | None,
    *,
    alpha: str | None = None,
    levels: str | None = None,
    mean: str | None = None,
    sd: str | None = None,
) -> "ResponseModel":
    """Return the model that the options name or describe."""
    from assay import models

    typed = {"--alpha": alpha, "--levels": levels, "--mean": mean, "--sd": sd}
    given = [name for name, text in typed.items() if text is not None]
    if model is not None:
        if given:
            raise ArgumentError(f"give a model or {given[0]}, not both; got {model!r} and {given[0]}.")
        return models.resolve(model)
    if alpha is not None:
        if len(given) > 1:
            raise ArgumentError(f"--alpha describes labels and {given[1]} numbers; give one of them.")
        return models.CategoricalModel(tuple(numbers("--alpha", alpha)))
    if mean is None or sd is None:
        known = ", ".join(models.PRESETS)
        raise ArgumentError(f"give a model ({known}), a model file, --alpha, or --mean and --sd.")
    means, spreads = family("--mean", mean), family("--sd", sd)
    if levels is None:
        return models.NormalModel(means, spreads)
    return models.LikertModel(means, spreads, level_values(levels))


def family(option: str, text: str) -> "Family":
    """Read "uniform:0,0.3", or a plain number for a constant."""
    from assay.models import make_family

    kind, colon, rest = text.partition(":")
    return make_family(kind, numbers(option, rest)) if colon else make_family("constant", numbers(option, text))


def level_values(text: str) -> tuple[float, ...]:
    """Read levels: "1,2,3" are values; "5" is their number, reported as lower edges k/5 (0 and 1 if there are two)."""
    values = numbers("--levels", text)
    if len(values) > 1:
        return tuple(values)
    count = int(values[0])
    if count != values[0] or count < 2:
        raise ArgumentError(f"--levels must be a whole number of at least 2, or a list of values; got {text}.")
    return (0.0, 1.0) if count == 2 else tuple(step / count for step in range(count))


def numbers(option: str, text: str) -> list[float]:
    """Read "10,3,3"."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ArgumentError(f"{option} must be numbers separated by commas; got {text!r}.") from None


def sizes(text: str) -> int | tuple[int, int, int]:
    """Read "5", or "5,1,1" for gold, A and B."""
    values = [int(value) if value.is_integer() else 0 for value in numbers("--responses", text)]
    if len(values) not in (1, 3) or min(values) < 1:
        raise ArgumentError(f"--responses must be a number of at least 1, or three for gold, A and B; got {text!r}.")
    return values[0] if len(values) == 1 else (values[0], values[1], values[2])
