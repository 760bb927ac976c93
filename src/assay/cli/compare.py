"""`assay compare`: is A really better than B on these data."""

import math
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli import _tables as tables

if TYPE_CHECKING:
    from assay.comparison import Comparison, Comparisons
    from assay.metrics import Metric
    from assay.responses import Contest


def compare(  # noqa: PLR0917 (each parameter is an option of the command)
    files: Annotated[
        list[str], typer.Argument(help="A table of responses, or one for each source: human=ratings.csv gpt-4=a.jsonl")
    ],
    a: Annotated[str, typer.Option("--a", help="Model A: a source, a condition (source=gpt-4) or a column.")],
    b: Annotated[str, typer.Option("--b", help="Model B.")],
    gold: Annotated[
        str | None, typer.Option(help="What they are measured against; leave out for gold-free ratings.")
    ] = None,
    preference: Annotated[
        str | None,
        typer.Option(help="A source whose responses name the better one; --a, --b and --tie are then its labels."),
    ] = None,
    tie: Annotated[str | None, typer.Option(help="The label for neither, with --preference.")] = None,
    metric: Annotated[list[str] | None, typer.Option(help="May be repeated; chosen by the scale if left out.")] = None,
    item: Annotated[str | None, typer.Option(help="Column of item ids; guessed if left out.")] = None,
    source: Annotated[str | None, typer.Option(help="Column that says who answered.")] = None,
    value: Annotated[str | None, typer.Option(help="Column of responses.")] = None,
    rater: Annotated[str | None, typer.Option(help="Column of rater ids.")] = None,
    repeat: Annotated[str | None, typer.Option(help="Column that numbers repeated responses.")] = None,
    by: Annotated[str | None, typer.Option(help="Compare on the items of each value of this column.")] = None,
    scale: Annotated[str | None, typer.Option(help="nominal, ordinal or continuous; inferred if left out.")] = None,
    order: Annotated[
        str | None, typer.Option(help="Labels of an ordinal scale, lowest first: low,medium,high.")
    ] = None,
    threshold: Annotated[
        float | None, typer.Option(help="From which mean response an item is positive (precision, recall, f1, auc).")
    ] = None,
    positive: Annotated[
        str | None, typer.Option(help="The label that is positive (precision, recall, f1, auc).")
    ] = None,
    better: Annotated[str | None, typer.Option(help="higher or lower, for ratings without gold.")] = None,
    null: Annotated[
        str | None,
        typer.Option(
            help="swapped-items, random-effects, recentred, pooled-responses or dealt-responses; by default "
            "random-effects where raters are drawn, else swapped-items."
        ),
    ] = None,
    items: Annotated[str, typer.Option(help="bootstrap or all.")] = "bootstrap",
    responses: Annotated[str, typer.Option(help="all, first, one or bootstrap.")] = "all",
    raters: Annotated[
        str | None, typer.Option(help="fixed or bootstrap; by default bootstrap where rater ids show crossed raters.")
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(help="Column whose values group items (document): they are resampled together.")
    ] = None,
    alternative: Annotated[str, typer.Option(help="two-sided, greater (A is better) or less.")] = "two-sided",
    n_resamples: Annotated[
        int | None,
        typer.Option(
            help="Draws for p-value and interval each. [default: 9999, and an exact p-value where there is one]"
        ),
    ] = None,
    confidence_level: Annotated[float, typer.Option(help="Of the interval; the verdict is at 1 minus it.")] = 0.95,
    interval: Annotated[
        str | None, typer.Option(help="symmetric, score, bca, studentised, percentile, basic, t; the best if left out.")
    ] = None,
    correction: Annotated[str, typer.Option(help="holm, benjamini-hochberg or none.")] = "holm",
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same answer.")] = 0,
    workers: Annotated[int | None, typer.Option(help="Threads; one per core if left out.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")] = False,
) -> None:
    """Ask whether model A is better than model B, by one or more metrics.

    Example: assay compare ratings.csv --gold human --a model-2 --b model-1 --metric mae
    """
    import warnings

    from assay import comparison
    from assay.cli._progress import progress
    from assay.errors import AssayWarning

    columns = {
        "item": item, "source": source, "value": value, "rater": rater, "repeat": repeat, "scale": scale,
        "order": order,
    }  # fmt: skip
    groups = [column for column in (by, cluster) if column]
    if preference is None:
        contest = tables.contest_from(files, a=a, b=b, gold=gold, by=groups, **columns)
    else:
        contest = tables.preferences_from(files, preference, a=a, b=b, tie=tie, gold=gold, by=groups, **columns)
    if "win-rate" in (metric or []) and preference is None:
        contest, better = as_preferences(contest, metric or [], better), None
    metrics, why = metrics_for(metric, contest, threshold, positive, better)
    n_slices = 1 if by is None else len(list(contest.slices(by)))
    warnings.simplefilter("ignore", AssayWarning)  # the same words are among the notes
    with progress(
        "drawing", 2 * max(comparison.DRAWS if n_resamples is None else n_resamples, 0) * n_slices
    ) as advance:
        found = comparison.compare_each(
            contest, metrics=metrics, by=by, correction=correction, null=null, items=items, responses=responses,
            raters=raters, cluster=cluster, alternative=alternative, n_resamples=n_resamples,
            confidence_level=confidence_level, interval=interval, rng=seed, workers=workers, progress=advance,
        )  # fmt: skip
    if as_json:
        from assay import _json

        typer.echo(_json.dumps(found.to_dict(), indent=2))
    else:
        _show(found, [f"scale: {contest.scale}.", *why])


def as_preferences(contest: "Contest", metrics: list[str], better: str | None) -> "Contest":
    """Turn ratings into preferences for the metric win-rate, which no other metric can share."""
    from assay.errors import ArgumentError
    from assay.preferences import preferences_between

    if set(metrics) != {"win-rate"}:
        raise ArgumentError("win-rate turns ratings into preferences, so it goes without other metrics.")
    return preferences_between(contest, better=better or "higher")


def metrics_for(
    names: list[str] | None, contest: "Contest", threshold: float | None, positive: str | None, better: str | None
) -> tuple[list["Metric"], list[str]]:
    """Return the metrics with their options, and the reason if one was chosen for the user."""
    from dataclasses import replace

    from assay.metrics import resolve
    from assay.metrics.labels import OneAgainstRest
    from assay.metrics.ratings import MeanRating, Superiority

    why = []
    if not names:
        if contest.gold is None and contest.scale.reason == "preferences":
            names, reason = ["win-rate"], "the responses are preferences"
        elif contest.gold is None:
            names, reason = ["rating"], "there is no gold"
        elif contest.scale.kind == "nominal":
            names, reason = ["accuracy"], "the scale is nominal"
        else:
            names, reason = ["mae"], f"the scale is {contest.scale.kind}"
        why = [f"metric {names[0]}, because {reason}; choose another with --metric."]
    found: list[Metric] = []
    for name in dict.fromkeys(names):
        chosen = resolve(name)
        if isinstance(chosen, OneAgainstRest):
            chosen = replace(chosen, threshold=threshold, positive=positive)
        if isinstance(chosen, MeanRating | Superiority) and better in ("higher", "lower"):
            chosen = replace(chosen, direction=better)  # type: ignore[arg-type]
        found.append(chosen)
    if better is not None:
        _check_better(better, [metric.name for metric in found if isinstance(metric, MeanRating | Superiority)])
    return found, why


def _check_better(better: str, takers: list[str]) -> None:
    """Refuse a direction that is none, or that no metric takes: an error measure knows its own."""
    from assay import _check
    from assay.errors import ArgumentError

    _check.one_of("--better", better, ("higher", "lower"))
    if not takers:
        raise ArgumentError("--better is for ratings without gold (rating, superiority, win-rate); leave it out here.")


def _show(found: "Comparisons", choices: list[str]) -> None:
    """Print the table, the sentences, what was chosen for the user, the notes and the signature."""
    from rich.console import Console
    from rich.table import Table

    first = found[0]
    sliced, several = any(entry.slice for entry in found), len(found) > 1
    level = f"{100 * first.confidence_interval.confidence_level:g} % interval"
    table = Table()
    for column in (["slice"] if sliced else []) + ["metric"]:
        table.add_column(column)
    numbers = (["items"] if sliced else []) + [f"A: {first.names[1]}", f"B: {first.names[2]}", "contrast", level, "p"]
    for column in numbers + (["p adjusted"] if several else []):
        table.add_column(column, justify="right")
    for entry in found:
        table.add_row(*_cells(entry, sliced=sliced, several=several))
    console = Console(width=None if Console().is_terminal else 120)
    console.print(table)
    typer.echo()
    for entry in found:
        typer.echo(entry.verdict)
    if several:
        typer.echo(f"Verdicts are by p-values adjusted for {len(found)} comparisons ({found.correction}).")
    typer.echo()
    if not sliced:
        typer.echo(first.sizes)
    for choice in choices:
        typer.echo(f"Chosen: {choice}")
    for note in dict.fromkeys(note for entry in found for note in entry.notes):
        typer.echo(f"Note: {note}")
    for entry in found:
        typer.echo(entry.signature)


def _cells(entry: "Comparison", *, sliced: bool, several: bool) -> list[str]:
    ends = entry.confidence_interval
    between = "undefined" if math.isnan(ends.low) else f"{ends.low:.4g} to {ends.high:.4g}"
    cells = [entry.slice] if sliced else []
    cells += [f"{entry.metric} ({entry.better} is better)"]
    cells += [f"{entry.n_items:,}"] if sliced else []
    cells += [f"{number:.4g}" for number in (entry.a_score, entry.b_score, entry.contrast)]
    cells += [between, entry.shown_pvalue]
    return cells + ([f"{entry.pvalue_adjusted:.2g}"] if several else [])
