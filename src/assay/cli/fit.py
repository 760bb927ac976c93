"""`assay fit`: from pilot data to a model file that `simulate`, `plan` and `audit` accept."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.io import layouts as tables

if TYPE_CHECKING:
    from assay.models import Fit


def fit(
    files: Annotated[list[str], typer.Argument(help="A table of responses, or one for each source: human=a.csv.")],
    *,
    gold: Annotated[
        str | None, typer.Option(help="Whose responses: a source, a condition (kind=human) or a column.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write the model to this file (.json).")] = None,
    model: Annotated[str, typer.Option(help="auto (by the scale), categorical, likert, normal or empirical.")] = "auto",
    mean: Annotated[str | None, typer.Option(help="Family of item means; chosen by the criterion if left out.")] = None,
    sd: Annotated[str | None, typer.Option("--sd", help="Family of item standard deviations; likewise.")] = None,
    criterion: Annotated[str, typer.Option(help="bic or aic.")] = "bic",
    method: Annotated[str, typer.Option(help="For labels: map (weak prior on Σα) or ml.")] = "map",
    low: Annotated[float | None, typer.Option(help="Lower end of a continuous scale.")] = None,
    high: Annotated[float | None, typer.Option(help="Upper end of a continuous scale.")] = None,
    item: Annotated[str | None, typer.Option(help="Column of item ids; guessed if left out.")] = None,
    source: Annotated[str | None, typer.Option(help="Column that says who answered.")] = None,
    value: Annotated[str | None, typer.Option(help="Column of responses.")] = None,
    rater: Annotated[str | None, typer.Option(help="Column of rater ids.")] = None,
    repeat: Annotated[str | None, typer.Option(help="Column that numbers repeated responses.")] = None,
    scale: Annotated[str | None, typer.Option(help="nominal, ordinal or continuous; inferred if left out.")] = None,
    order: Annotated[str | None, typer.Option(help="Labels of an ordinal scale, lowest first: low,high.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="For the held-out items and the simulated data.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")] = False,
    chart: Annotated[
        Path | None, typer.Option(help="Draw simulated beside real: .html, .svg, .png, .pdf or .json.")
    ] = None,
) -> None:
    """Fit a response model to pilot data: parameters with standard errors, alternatives, and how well it fits.

    Example: assay fit ratings.csv --gold human --out model.json --chart fit.html
    """
    import warnings

    from assay import _json, models
    from assay.errors import ArgumentError, AssayWarning

    if out is not None and out.suffix != ".json":
        raise ArgumentError(f"--out must end in .json; got {out}.")
    if chart is not None:
        from assay.reports.pages import check_format

        check_format(chart)  # before the work, not after it
    table = tables.table_from(
        files, sources=[] if gold is None else [gold], item=item, source=source, value=value, rater=rater,
        repeat=repeat, scale=scale, order=order,
    )  # fmt: skip
    if gold is None and len(table.sources) > 1:
        raise ArgumentError(f"--gold must name one of the sources: {', '.join(list(table.sources)[:10])}.")
    warnings.simplefilter("ignore", AssayWarning)  # the same words are among the notes
    result = models.fit(
        table, model=model, mean=mean, sd=sd, criterion=criterion, method=method, low=low, high=high, rng=seed
    )
    if out is not None:
        result.save(out)
    if chart is not None:
        from assay.reports.fit import write_chart

        write_chart(result, chart)
    typer.echo(_json.dumps(result.to_dict(), indent=1) if as_json else _text(result, out))


def _text(result: "Fit", out: Path | None) -> str:
    lines = [str(result)]
    if not math.isnan(result.mean_absolute_bias):
        lines.append(f"Mean absolute bias of the shares {result.mean_absolute_bias:.4f}.")
    if result.candidates:
        lines += [
            "",
            f"{'means':<18}{'standard deviations':<21}{'log-likelihood':>15}{'AIC':>11}{'BIC':>11}{'held out':>11}",
        ]
    for one in result.candidates:
        held = "" if math.isnan(one.held_out) else f"{one.held_out:.4f}"
        lines.append(f"{one.mean:<18}{one.sd:<21}{one.log_likelihood:>15.1f}{one.aic:>11.1f}{one.bic:>11.1f}{held:>11}")
    for feature in result.goodness:
        known = feature.to_dict()
        lines += ["", f"{feature.name}: quantiles {', '.join(f'{at:.0%}' for at in known['quantiles'])}"]
        for side in ("real", "simulated"):
            lines.append(f"  {side:<10}" + "".join(f"{number:>9.3f}" for number in known[side]))
    if out is not None:
        lines += ["", f"Written to {out}."]
    return "\n".join(lines)
