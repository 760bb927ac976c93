"""`assay plan` from a pilot with raters: its options, and the table that it prints."""

import math
from typing import TYPE_CHECKING, Annotated

import typer

from assay.errors import ArgumentError

if TYPE_CHECKING:
    from assay.metrics import Metric
    from assay.planning import Plan, RaterCosts
    from assay.planning.rater_designs import RaterCell
    from assay.responses import Contest

RATERS = "Raters (from a pilot with rater ids, or of ratings without gold)"

RatersOption = Annotated[str | None, typer.Option(help="Numbers of raters: 3,5,10 or 5:30:5.", rich_help_panel=RATERS)]
PerItemOption = Annotated[
    str | None,
    typer.Option(help="Raters who judge each item: as in the pilot, or all, if left out.", rich_help_panel=RATERS),
]
NestedOption = Annotated[
    bool, typer.Option("--nested", help="Every rater judges one item only.", rich_help_panel=RATERS)
]
HourOption = Annotated[float | None, typer.Option(help="Cost of a rater-hour.", rich_help_panel=RATERS)]
PaceOption = Annotated[
    float | None, typer.Option(help="Ratings that a rater gives in an hour.", rich_help_panel=RATERS)
]
RaterCostOption = Annotated[
    float | None, typer.Option(help="Cost of finding and training a rater.", rich_help_panel=RATERS)
]
BetterOption = Annotated[
    str | None, typer.Option(help="higher or lower, for ratings without gold.", rich_help_panel=RATERS)
]
PreferenceOption = Annotated[
    str | None,
    typer.Option(
        help="A source whose responses name the better one; --a, --b and --tie are its labels.", rich_help_panel=RATERS
    ),
]
TieOption = Annotated[str | None, typer.Option(help="The label for neither.", rich_help_panel=RATERS)]


def pilot_from(
    source: str | None,
    named: dict[str, str | None],
    columns: dict[str, str | None],
    *,
    preference: str | None,
    tie: str | None,
    better: str | None,
    names: list[str] | None,
) -> tuple["Contest", "Metric", list[str]]:
    """Read the pilot; return it with the metric, and why that was chosen."""
    from assay.cli._typed_metrics import as_preferences, metrics_for
    from assay.io import layouts as tables

    gold, a, b = named["--gold"], named["--a"], named["--b"]
    if source is None or a is None or b is None:
        what = "the table of ratings" if source is None else "--a or --b"
        raise ArgumentError(f"a plan from a pilot needs a table, --a and --b; {what} is missing.")
    if names and len(set(names)) > 1:
        raise ArgumentError(f"a plan with raters is for one metric; got {', '.join(names)}.")
    if preference is None:
        contest = tables.contest_from([source], a=a, b=b, gold=gold, **columns)
    else:
        contest = tables.preferences_from([source], preference, a=a, b=b, tie=tie, gold=gold, **columns)
    if names == ["win-rate"] and preference is None:
        contest, better = as_preferences(contest, names, better), None
    [metric], why = metrics_for(names, contest, None, None, better)
    return contest, metric, why


def contrast_of(
    metric: "Metric",
    epsilon: float | None,
    contrast: float | None,
    accuracy_points: float | None,
    win_rate: float | None,
) -> float | None:
    """Return the difference in units of the metric; None where it is the pilot's."""
    given = {
        "--epsilon": epsilon, "--contrast": contrast, "--accuracy-points": accuracy_points, "--win-rate": win_rate,
    }  # fmt: skip
    named = [option for option, number in given.items() if number is not None]
    if len(named) > 1:
        raise ArgumentError(f"give the difference once; got {' and '.join(named)}.")
    if epsilon is not None:
        raise ArgumentError("--epsilon moves a model of gold's responses; with raters give --contrast.")
    if accuracy_points is not None:
        if metric.name != "accuracy":
            raise ArgumentError(f"--accuracy-points goes with --metric accuracy; the metric is {metric.name}.")
        return accuracy_points / 100
    if win_rate is not None:
        if metric.name not in ("wins", "win-rate", "superiority"):
            raise ArgumentError(f"--win-rate goes with wins, win-rate or superiority; the metric is {metric.name}.")
        return 2 * win_rate - 1
    return contrast


def costs_of(
    *,
    item: float | None,
    response: float | None,
    run: float | None,
    rater: float | None,
    hour: float | None,
    pace: float | None,
    budget: float | None,
    max_cost: float | None,
) -> "RaterCosts | None":
    """Return what things cost; None where ratings are counted."""
    from assay.planning import RaterCosts

    if (hour is None) != (pace is None):
        raise ArgumentError("--cost-rater-hour and --ratings-per-hour go together: they say what a rating costs.")
    if hour is not None and response is not None:
        raise ArgumentError("give the cost of a rating once: --cost-response, or --cost-rater-hour.")
    if all(cost is None for cost in (item, response, run, rater, hour)):
        if max_cost is not None:
            raise ArgumentError(
                "--max-cost needs to know what things cost: --cost-item, --cost-rater-hour, --cost-run."
            )
        return None
    if budget is not None:
        raise ArgumentError("--budget counts ratings; with costs, give --max-cost.")
    others = {"item": item or 0.0, "rater": rater or 0.0, "run": run or 0.0}
    if hour is not None and pace is not None:
        return RaterCosts.per_hour(hour, ratings_per_hour=pace, **others)
    return RaterCosts(rating=response or 0.0, **others)


def refuse_simulation(test: str, **given: object) -> None:
    """Refuse options that have no meaning where nothing is simulated."""
    for option, value in given.items():
        if value:
            raise ArgumentError(f"--{option.replace('_', '-')} is for plans from a response model, without raters.")
    if test not in ("swapped-items", "random-effects"):
        raise ArgumentError(f"with raters the test is that of compare, random-effects; got --test {test}.")


def show(found: "Plan") -> None:
    """Print the table, the sentences, the notes and the signature."""
    from rich.console import Console
    from rich.table import Table

    cells: list[RaterCell] = list(found.cells)  # type: ignore[arg-type]
    repeats = len({cell.n_responses["a"] for cell in cells if cell.n_responses["gold"] or not cell.n_raters}) > 1
    partial = any(cell.raters_per_item != cell.n_raters for cell in cells)
    solved = any(not math.isnan(cell.detectable) for cell in cells)
    heads = ["items", "raters", *(["per item"] if partial else []), *(["repeats"] if repeats else [])]
    heads += ["contrast", "standard error", "raters’ part", "interval width", "power", *(["detects"] if solved else [])]
    table = Table()
    for head in [*heads, "cost", ""]:
        table.add_column(head, justify="right")
    for cell in cells:
        row = [f"{cell.n_items:,}", f"{cell.n_raters:,}" if cell.n_raters else "unknown"]
        row += [f"{cell.raters_per_item}"] if partial else []
        row += [f"{cell.n_responses['a']}"] if repeats else []
        row += [f"{cell.contrast:.4g}", f"{cell.standard_error:.3g}", f"{cell.shares.get('raters', 0.0):.0%}"]
        row += [f"{cell.ci_width:.4g}", f"{cell.power:.3f}", *([f"{cell.detectable:.4g}"] if solved else [])]
        table.add_row(*row, f"{cell.cost:,g}", "← take this" if found.recommended == cell else "")
    Console(width=None if Console().is_terminal else 120).print(table)
    typer.echo()
    for sentence in found.sentences:
        typer.echo(sentence)
    typer.echo()
    typer.echo(f"Computed from {found.model}: {_components(found)}.")
    for note in found.notes:
        typer.echo(f"Note: {note}")
    typer.echo(found.signature)


def _components(found: "Plan") -> str:
    """Return the components with their intervals."""
    from assay.comparison.components import TITLES

    parts = []
    for name, value in found.pilot["components"].items():
        ends = found.pilot["intervals"][name]
        known = not math.isnan(ends["low"])
        between = f" ({ends['low']:.3g} to {ends['high']:.3g})" if known else ""
        parts.append(f"{TITLES[name]} {'unknown' if math.isnan(value) else format(value, '.3g')}{between}")
    return ", ".join(parts)
