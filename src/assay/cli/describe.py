"""`assay describe`: who judged what, how far they agree, and what can be concluded."""

import math
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli import _tables as tables

if TYPE_CHECKING:
    from assay.agreement import Description, SourceDescription


def describe(  # noqa: PLR0917 (each parameter is an option of the command)
    files: Annotated[
        list[str], typer.Argument(help="A table of responses, or one for each source: human=ratings.csv gpt-4=a.jsonl")
    ],
    sources: Annotated[
        list[str] | None,
        typer.Option(
            "--only", help="A source, a condition (kind=human) or a column; may be repeated; all if left out."
        ),
    ] = None,
    item: Annotated[str | None, typer.Option(help="Column of item ids; guessed if left out.")] = None,
    source: Annotated[str | None, typer.Option(help="Column that says who answered.")] = None,
    value: Annotated[str | None, typer.Option(help="Column of responses.")] = None,
    rater: Annotated[str | None, typer.Option(help="Column of rater ids.")] = None,
    repeat: Annotated[str | None, typer.Option(help="Column that numbers repeated responses.")] = None,
    scale: Annotated[str | None, typer.Option(help="nominal, ordinal or continuous; inferred if left out.")] = None,
    order: Annotated[
        str | None, typer.Option(help="Labels of an ordinal scale, lowest first: low,medium,high.")
    ] = None,
    level: Annotated[
        str | None, typer.Option(help="For alpha: nominal, ordinal, interval or ratio; by the scale if left out.")
    ] = None,
    raters: Annotated[bool, typer.Option("--raters", help="Show a table of the raters, too.")] = False,
    n_resamples: Annotated[int, typer.Option(help="Draws of items and raters for the intervals.")] = 499,
    seed: Annotated[int, typer.Option(help="The same seed gives the same answer.")] = 0,
    workers: Annotated[int | None, typer.Option(help="Threads; one per core if left out.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")] = False,
) -> None:
    """Describe a table of ratings: design, agreement, and what can and cannot be concluded.

    Example: assay describe ratings.csv --raters
    """
    from assay.agreement import describe as describe_table

    table = tables.table_from(
        files, sources=sources or (), item=item, source=source, value=value, rater=rater, repeat=repeat, scale=scale,
        order=order,
    )  # fmt: skip
    found = describe_table(table, level=level, n_resamples=n_resamples, rng=seed, workers=workers)
    if as_json:
        from assay import _json

        typer.echo(_json.dumps(found.to_dict(), indent=2))
        return
    _show(found, raters=raters)


def _show(found: "Description", *, raters: bool) -> None:
    typer.echo(f"{found.n_items} items; scale: {found.scale}")
    for part in found.sources:
        typer.echo()
        typer.echo(str(part))
        if raters and part.agreement is not None:
            _show_raters(part)
    typer.echo()
    for line in found.conclusions:
        typer.echo(line)
    for note in found.notes:
        typer.echo(f"Note: {note}")


def _show_raters(part: "SourceDescription") -> None:
    from rich.console import Console
    from rich.table import Table

    assert part.agreement is not None
    table = Table()
    for column in ("rater", "items", "with plurality", "mean shift", "± error"):
        table.add_column(column, justify="left" if column == "rater" else "right")
    for rater in part.agreement.raters:
        numbers = (rater.with_plurality, rater.mean_shift, rater.shift_error)
        shown = ("–" if math.isnan(number) else f"{number:.3g}" for number in numbers)
        table.add_row(rater.rater, f"{rater.n_items}", *shown)
    Console(width=None if Console().is_terminal else 100).print(table)
