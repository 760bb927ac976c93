"""`assay describe`: who judged what, how far they agree, and what can be concluded."""

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.errors import ArgumentError
from assay.io import layouts as tables

if TYPE_CHECKING:
    from assay.agreement import Description, SourceDescription
    from assay.comparison import ContrastComponents

PARTS = "Where the error of a contrast comes from"


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
    a: Annotated[
        str | None,
        typer.Option("--a", help="With --b: the variance components of their contrast.", rich_help_panel=PARTS),
    ] = None,
    b: Annotated[str | None, typer.Option("--b", help="The other model.", rich_help_panel=PARTS)] = None,
    gold: Annotated[
        str | None, typer.Option(help="What they are measured against, if anything.", rich_help_panel=PARTS)
    ] = None,
    metric: Annotated[
        str | None, typer.Option(help="With item scores; chosen by the scale if left out.", rich_help_panel=PARTS)
    ] = None,
    better: Annotated[
        str | None, typer.Option(help="higher or lower, for ratings without gold.", rich_help_panel=PARTS)
    ] = None,
    n_resamples: Annotated[int, typer.Option(help="Draws of items for the intervals.")] = 499,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same answer.")] = 0,
    workers: Annotated[int | None, typer.Option(help="Threads; one per core if left out.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")] = False,
) -> None:
    """Describe a table of ratings: design, agreement, and what can and cannot be concluded.

    With --a and --b also how much of the error of their contrast comes from items, raters and the rest.

    Examples: assay describe ratings.csv --raters

    assay describe ratings.csv --a new --b old
    """
    from assay.agreement import describe as describe_table
    from assay.cli._progress import progress

    columns: dict[str, Any] = {
        "item": item, "source": source, "value": value, "rater": rater, "repeat": repeat, "scale": scale,
        "order": order,
    }  # fmt: skip
    named = [name for name in (gold, a, b) if name is not None]
    if named and (a is None or b is None):
        raise ArgumentError("the variance components of a contrast need --a and --b, and --gold if there is gold.")
    table = tables.table_from(files, sources=sources or named, **columns)
    with progress("drawing", 2 * max(n_resamples, 0) * len(table.sources)) as advance:
        found = describe_table(table, level=level, n_resamples=n_resamples, rng=seed, workers=workers, progress=advance)
    parts, why = None, list[str]()
    if a is not None and b is not None:
        from assay.cli._typed_metrics import as_preferences, metrics_for
        from assay.comparison import variance_components

        contest = tables.contest_from(files, a=a, b=b, gold=gold, **columns).complete()
        if metric == "win-rate":
            contest, better = as_preferences(contest, [metric], better), None
        [chosen], why = metrics_for([metric] if metric else None, contest, None, None, better)
        parts = variance_components(contest, metric=chosen)
    if as_json:
        from assay import _json

        added = {} if parts is None else {"components": parts.to_dict()}
        typer.echo(_json.dumps(found.to_dict() | added, indent=2))
        return
    _show(found, raters=raters)
    if parts is not None:
        _show_components(parts, f"{a} − {b}", why)


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


def _show_components(found: "ContrastComponents", contrast: str, why: list[str]) -> None:
    """Print the components with their intervals, and what the error would shrink to with more of each."""
    from rich.console import Console
    from rich.table import Table

    from assay.comparison.components import TITLES

    console = Console(width=None if Console().is_terminal else 120)
    level = next(iter(found.intervals.values())).confidence_level
    typer.echo()
    typer.echo(f"Variance components of {contrast} = {found.contrast:.4g} ({found.metric})")
    table = Table()
    for head in ("component", "variance of one", f"{100 * level:g} % interval", "number here"):
        table.add_column(head, justify="left" if head == "component" else "right")
    numbers = {
        "items": found.n_items, "raters": found.n_raters, "residual": found.n_items * found.raters_per_item,
        **{f"repeats_{role}": found.n_items * k for role, k in found.n_repeats.items()},
    }  # fmt: skip
    for name, value in found.components.items():
        ends = found.intervals[name]
        between = "undefined" if math.isnan(ends.low) else f"{ends.low:.3g} to {ends.high:.3g}"
        shown = "unknown" if math.isnan(value) else f"{value:.3g}"
        table.add_row(TITLES[name], shown, between, f"{numbers[name]:,.0f}")
    console.print(table)
    study = found.decision_study()
    table = Table()
    names = list(study[0]["shares"])
    for head in ("with", "standard error", *(f"of its square: {TITLES[name]}" for name in names)):
        table.add_column(head, justify="left" if head == "with" else "right")
    for entry in study:
        shares = ("–" if math.isnan(entry["shares"][name]) else f"{entry['shares'][name]:.0%}" for name in names)
        table.add_row(entry["change"], f"{entry['standard_error']:.3g}", *shares)
    console.print(table)
    for choice in why:
        typer.echo(f"Chosen: {choice}")
    for note in found.notes:
        typer.echo(f"Note: {note}")
    typer.echo("What a study of another size may expect, and what it costs: assay plan with --n-raters.")
