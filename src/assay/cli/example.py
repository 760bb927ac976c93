"""`assay example`: write the bundled example, so that there is something to try the other commands on."""

from pathlib import Path
from typing import Annotated

import typer


def example(
    out: Annotated[Path, typer.Argument(help="The table to write: .csv, .tsv, .jsonl or .parquet.")] = Path(
        "ratings.csv"
    ),
) -> None:
    """Write a small simulated table of human and model ratings."""
    from assay import io
    from assay.examples import ratings

    table = ratings()
    io.write(table, out)
    typer.echo(f"{out}: {table}")
