"""`assay plan` from a pilot with raters: its options."""

from typing import TYPE_CHECKING, Annotated

import typer

from assay.errors import ArgumentError

if TYPE_CHECKING:
    from assay.metrics import Metric
    from assay.planning import Costs
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


def costs_of(
    *,
    item: float | None,
    response: float | None,
    run: float | None,
    rater: float | None,
    hour: float | None,
    pace: float | None,
    budget: str | None,
    max_cost: str | None,
) -> "Costs":
    """Return what things cost; where nothing is said, responses of people are counted."""
    from assay.planning import Costs

    if (hour is None) != (pace is None):
        raise ArgumentError("--cost-rater-hour and --ratings-per-hour go together: they say what a rating costs.")
    if hour is not None and response is not None:
        raise ArgumentError("give the cost of a rating once: --cost-response, or --cost-rater-hour.")
    if all(cost is None for cost in (item, response, run, rater, hour)):
        if max_cost is not None:
            raise ArgumentError(
                "--max-cost needs to know what things cost: --cost-item, --cost-response, --cost-run or the like."
            )
        return Costs()
    if budget is not None:
        raise ArgumentError("--budget counts responses; with costs, give --max-cost.")
    others = {"item": item or 0.0, "rater": rater or 0.0, "run": run or 0.0}
    if hour is not None and pace is not None:
        return Costs.per_hour(hour, responses_per_hour=pace, **others)
    return Costs(response=response or 0.0, **others)


def refuse_simulation(test: str, **given: object) -> None:
    """Refuse options that have no meaning where nothing is simulated."""
    for option, value in given.items():
        if value and option == "epsilon":
            raise ArgumentError("--epsilon moves a model of gold's responses; with raters give --contrast.")
        if value:
            raise ArgumentError(f"--{option.replace('_', '-')} is for plans from a response model, without raters.")
    if test not in ("swapped-items", "random-effects"):
        raise ArgumentError(f"with raters the test is that of compare, random-effects; got --test {test}.")
