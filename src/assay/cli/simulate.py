"""`assay simulate`: write a table of simulated responses that `assay compare` reads."""

from pathlib import Path
from typing import Annotated

import typer

from assay.cli._models import (
    AlphaOption,
    LevelsOption,
    MeanOption,
    ModelArgument,
    PerturbationOption,
    SdOption,
    model_from,
    sizes,
)


def simulate(
    *,
    out: Annotated[Path, typer.Option(help="The table to write: .csv, .tsv, .jsonl or .parquet.")],
    model: ModelArgument = None,
    items: Annotated[int, typer.Option(help="Number of items.")] = 100,
    responses: Annotated[str, typer.Option(help="Responses per item: one number, or gold,A,B.")] = "5",
    epsilon: Annotated[float, typer.Option(help="How far B is from gold, as a share of the scale.")] = 0.0,
    epsilon_a: Annotated[float, typer.Option(help="How far A is from gold; 0 is an ideal model.")] = 0.0,
    perturbation: PerturbationOption = None,
    null: Annotated[bool, typer.Option("--null", help="Mix the answers of A and B by a fair coin.")] = False,
    alpha: AlphaOption = None,
    levels: LevelsOption = None,
    mean: MeanOption = None,
    sd: SdOption = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same table.")] = 0,
) -> None:
    """Simulate responses of gold, A and B (perturbed by --epsilon) and write them as a table."""
    from assay import io

    described = model_from(model, alpha=alpha, levels=levels, mean=mean, sd=sd)
    table = described.table(
        items, sizes(responses), epsilon=(epsilon_a, epsilon), perturbation=perturbation, null=null, rng=seed
    )
    io.write(table, out)
    typer.echo(f"{out}: {table}; seed {seed}")
    typer.echo(f"Simulated from {described}.")
