"""`assay example`: write simulated data, so that there is something to try the other commands on."""

from pathlib import Path
from typing import Annotated

import typer


def example(
    out: Annotated[
        Path,
        typer.Argument(help="The file to write: .csv, .tsv, .jsonl or .parquet; for scores also .txt."),
    ] = Path("ratings.csv"),
    kind: Annotated[
        str,
        typer.Option(
            help="ratings (a table of human and model ratings), or a kind of two score lists: h0-normal, h0-beta, "
            "h1-greater-normal, h1-greater-beta, h1-less-normal, h1-less-beta, right-or-wrong, tied-ratings, documents."
        ),
    ] = "ratings",
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
) -> None:
    """Write a small simulated table of ratings, or two lists of scores.

    Example: assay example scores.txt --kind h1-greater-beta
    """
    from assay import _check, _files, examples, io
    from assay.paired import write_scores

    _check.one_of("kind", kind, ["ratings", *examples.KINDS])
    endings = [".csv", ".tsv", ".jsonl", ".parquet"] if kind == "ratings" else [".txt", ".tsv", ".csv"]
    _files.check_outputs({"out": out}, endings={"out": endings}, force=force)
    if kind == "ratings":
        table = examples.ratings()
        io.write(table, out)
        typer.echo(f"{out}: {table}")
        return
    scores = examples.scores(kind)
    write_scores(scores, out)
    typer.echo(f"{out}: {scores}; {examples.KINDS[kind]}")
