"""`assay plan`: how many items, how many responses."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli import _rater_plans as rater_plans
from assay.cli._models import AlphaOption, LevelsOption, MeanOption, PerturbationOption, SdOption, model_from
from assay.cli._numbers import response_numbers, whole_numbers
from assay.cli._study import DaskOption, StoreOption
from assay.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.models import ResponseModel
    from assay.planning import Cell, Costs, Design, Effect, Plan
    from assay.planning.answering import Question
    from assay.responses import Contest
    from assay.scales import Scale

DESIGNS = "Designs"
DIFFERENCE = "How large the difference is"
PILOT = "Pilot data"
TYPED = "Typed-in response model"
METHOD = "Method"


def plan(  # noqa: PLR0917 (each parameter is an option of the command)
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="[MODEL|TABLE]",
            show_default=False,
            help="A preset (normal, likert-toxicity, categorical-dices, …), a model file (.json), a kind of typed-in "
            "model (categorical --alpha 10,3,3), or a table of pilot responses.",
        ),
    ] = None,
    metric: Annotated[
        list[str] | None, typer.Option(help="May be repeated; chosen by the scale if left out. The first decides.")
    ] = None,
    items: Annotated[
        str | None, typer.Option(help="Numbers of items: 50,100,200 or 100:1000:100.", rich_help_panel=DESIGNS)
    ] = None,
    responses: Annotated[
        str | None,
        typer.Option(
            help="Responses per item: 1,5,10 or 1:10:1; 5/1/1 for gold/A/B. With --raters: of each model.",
            rich_help_panel=DESIGNS,
        ),
    ] = None,
    budget: Annotated[float | None, typer.Option(help="Gold responses in all, N × K.", rich_help_panel=DESIGNS)] = None,
    max_cost: Annotated[
        float | None, typer.Option(help="Cost in all, with --cost-item and the like.", rich_help_panel=DESIGNS)
    ] = None,
    cost_item: Annotated[float | None, typer.Option(help="Cost of an item.", rich_help_panel=DESIGNS)] = None,
    cost_response: Annotated[
        float | None, typer.Option(help="Cost of a gold response, or of a rating.", rich_help_panel=DESIGNS)
    ] = None,
    cost_run: Annotated[
        float | None, typer.Option(help="Cost of a response of a model.", rich_help_panel=DESIGNS)
    ] = None,
    raters: rater_plans.RatersOption = None,
    raters_per_item: rater_plans.PerItemOption = None,
    nested: rater_plans.NestedOption = False,
    cost_rater_hour: rater_plans.HourOption = None,
    ratings_per_hour: rater_plans.PaceOption = None,
    cost_rater: rater_plans.RaterCostOption = None,
    target_power: Annotated[
        float | None, typer.Option(help="Find the cheapest design with this power.", rich_help_panel=DESIGNS)
    ] = None,
    max_items: Annotated[
        int, typer.Option(help="Where to stop looking for a number of items.", rich_help_panel=DESIGNS)
    ] = 100_000,
    mde: Annotated[
        bool, typer.Option("--mde", help="Also the smallest contrast each design detects.", rich_help_panel=DESIGNS)
    ] = False,
    epsilon: Annotated[
        float | None, typer.Option(help="How far B is from gold, 0 to 1.", rich_help_panel=DIFFERENCE)
    ] = None,
    contrast: Annotated[
        float | None, typer.Option(help="In units of the first metric; ε is solved for.", rich_help_panel=DIFFERENCE)
    ] = None,
    accuracy_points: Annotated[
        float | None, typer.Option(help="A's accuracy minus B's, in percent.", rich_help_panel=DIFFERENCE)
    ] = None,
    win_rate: Annotated[
        float | None, typer.Option(help="Share of items where A is better, ties half.", rich_help_panel=DIFFERENCE)
    ] = None,
    perturbation: PerturbationOption = None,
    alpha: AlphaOption = None,
    levels: LevelsOption = None,
    mean: MeanOption = None,
    sd: SdOption = None,
    gold: Annotated[str | None, typer.Option(help="Gold of the pilot table.", rich_help_panel=PILOT)] = None,
    a: Annotated[str | None, typer.Option("--a", help="Model A of the pilot.", rich_help_panel=PILOT)] = None,
    b: Annotated[str | None, typer.Option("--b", help="Model B of the pilot.", rich_help_panel=PILOT)] = None,
    pilot_model: Annotated[
        str, typer.Option(help="How items are carried on: auto, smoothed, fitted or empirical.", rich_help_panel=PILOT)
    ] = "auto",
    item: Annotated[str | None, typer.Option(help="Column of item ids.", rich_help_panel=PILOT)] = None,
    source_column: Annotated[
        str | None, typer.Option("--source", help="Column that says who answered.", rich_help_panel=PILOT)
    ] = None,
    value: Annotated[str | None, typer.Option(help="Column of responses.", rich_help_panel=PILOT)] = None,
    rater: Annotated[str | None, typer.Option(help="Column of rater ids.", rich_help_panel=PILOT)] = None,
    repeat: Annotated[str | None, typer.Option(help="Column that numbers repeats.", rich_help_panel=PILOT)] = None,
    preference: rater_plans.PreferenceOption = None,
    tie: rater_plans.TieOption = None,
    better: rater_plans.BetterOption = None,
    scale: Annotated[str | None, typer.Option(help="nominal, ordinal or continuous.", rich_help_panel=PILOT)] = None,
    order: Annotated[str | None, typer.Option(help="Labels, lowest first.", rich_help_panel=PILOT)] = None,
    test: Annotated[
        str,
        typer.Option(
            rich_help_panel=METHOD,
            help="The test that will be run: swapped-items, pooled-responses, dealt-responses, recentred, "
            "item-bootstrap, paired-t, welch-t, wilcoxon; or none (no power).",
        ),
    ] = "swapped-items",
    significance: Annotated[float, typer.Option(help="Level of the test.", rich_help_panel=METHOD)] = 0.05,
    alternative: Annotated[str, typer.Option(help="two-sided, greater or less.", rich_help_panel=METHOD)] = "two-sided",
    confidence_level: Annotated[float, typer.Option(help="Of the interval.", rich_help_panel=METHOD)] = 0.95,
    engine: Annotated[str, typer.Option(help="auto, exact or monte-carlo.", rich_help_panel=METHOD)] = "auto",
    samples: Annotated[
        int | None, typer.Option(help="Simulated studies of the Monte-Carlo engine.", rich_help_panel=METHOD)
    ] = None,
    precision: Annotated[
        float, typer.Option(help="Error of expected p-values between .01 and .2.", rich_help_panel=METHOD)
    ] = 0.005,
    resample_simulated: Annotated[
        bool,
        typer.Option(
            "--resample-simulated",
            help="Bootstrap items inside simulated data, as RATINGS did: replication only.",
            rich_help_panel=METHOD,
        ),
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same plan.")] = 0,
    workers: Annotated[int | None, typer.Option(help="Threads; one per core if left out.")] = None,
    store: StoreOption = None,
    dask: DaskOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")] = False,
    chart: Annotated[
        Path | None, typer.Option(help="Draw the plan: .html, .svg, .png, .pdf or .json.", show_default=False)
    ] = None,
) -> None:
    """Say how many items, responses and raters it takes to find a difference, and what any design may expect.

    Examples: assay plan likert-toxicity --metric mae --epsilon 0.1 --budget 5000

    assay plan ratings.csv --a new --b old --contrast 0.3 --raters 3,5,10 --cost-rater-hour 30 --ratings-per-hour 60
    """
    from assay import _check
    from assay.cli._progress import progress

    _check.fraction("--significance", significance)  # --alpha is another option: a model's
    named = {"--gold": gold, "--a": a, "--b": b}
    columns = {
        "item": item, "source": source_column, "value": value, "rater": rater, "repeat": repeat, "scale": scale,
        "order": order,
    }  # fmt: skip
    difference = {"contrast": contrast, "accuracy_points": accuracy_points, "win_rate": win_rate}
    if chart is not None:
        from assay.reports.pages import check_format

        check_format(chart)
    with_raters = any((raters, raters_per_item, nested, cost_rater_hour, ratings_per_hour, cost_rater, preference))
    if with_raters or (gold is None and a is not None and b is not None):
        rater_plans.refuse_simulation(
            test, store=store, dask=dask, samples=samples, perturbation=perturbation,
            resample_simulated=resample_simulated,
        )  # fmt: skip
        pilot, chosen, why = rater_plans.pilot_from(
            source, named, columns, preference=preference, tie=tie, better=better, names=metric
        )
        costs = rater_plans.costs_of(
            item=cost_item, response=cost_response, run=cost_run, rater=cost_rater, hour=cost_rater_hour,
            pace=ratings_per_hour, budget=budget, max_cost=max_cost,
        )  # fmt: skip
        numbers = {
            name: None if text is None else whole_numbers(option, text)
            for name, option, text in (
                ("n_items", "--items", items), ("n_raters", "--raters", raters),
                ("raters_per_item", "--raters-per-item", raters_per_item), ("n_repeats", "--responses", responses),
            )
        }  # fmt: skip
        from assay.planning import plan_raters

        found = plan_raters(
            pilot, metric=chosen, contrast=rater_plans.contrast_of(chosen, epsilon, **difference), nested=nested,
            budget=_limit(budget, max_cost), costs=costs, target_power=target_power, max_items=max_items,
            detectable=mde, alpha=significance, alternative=alternative, confidence_level=confidence_level, rng=seed,
            workers=workers, **numbers,  # type: ignore[arg-type]
        )  # fmt: skip
        _finish(_with_notes(found, why), rater_plans.show, chart=chart, as_json=as_json)
        return
    options: dict[str, object] = {
        "n_items": None if items is None else whole_numbers("--items", items),
        "n_responses": None if responses is None else response_numbers(responses),
        "budget": _limit(budget, max_cost),
        "costs": _costs(cost_item, cost_response, cost_run, budget, max_cost),
        "target_power": target_power, "max_items": max_items, "detectable": mde,
        "perturbation": perturbation, "test": None if test == "none" else test, "alpha": significance,
        "alternative": alternative, "confidence_level": confidence_level, "engine": engine, "n_simulations": samples,
        "precision": precision, "resample_simulated": resample_simulated, "rng": seed, "workers": workers,
    }  # fmt: skip
    if store is not None or dask is not None:
        options["compute"] = _study(store, dask, seed)
    with progress("planning", 1) as advance:
        if any(name is not None for name in named.values()):
            options["pilot_model"] = pilot_model
            found = _from_pilot(
                source, named, columns, names=metric, difference={"epsilon": epsilon, **difference}, options=options
            )
        else:
            from assay import planning

            model = _model(source, alpha=alpha, levels=levels, mean=mean, sd=sd)
            metrics, why = _metrics(metric, model.scale)
            effect = _effect(metrics[0], **difference)
            found = planning.plan(model, metrics=metrics, epsilon=epsilon, effect=effect, **options)  # type: ignore[arg-type]
            found = _with_notes(found, why)
        advance(1)
    _finish(found, _show, chart=chart, as_json=as_json)


def _finish(found: "Plan", show: "Callable[[Plan], None]", *, chart: Path | None, as_json: bool) -> None:
    """Draw the plan if asked, and print it."""
    if chart is not None:
        from assay.reports.plan import write_chart

        write_chart(found, chart)
    if as_json:
        from assay import _json

        typer.echo(_json.dumps(found.to_dict(), indent=2))
        return
    show(found)
    if chart is not None:
        typer.echo(f"Chart: {chart}")


def _model(source: str | None, **typed: str | None) -> "ResponseModel":
    kinds = {"categorical": "--alpha", "likert": "--levels", "normal": "--mean"}
    if source in kinds and (typed["alpha"] is not None or typed["mean"] is not None):
        if typed[kinds[source][2:]] is None:
            raise ArgumentError(f"a {source} model is typed in with {kinds[source]}.")
        return model_from(None, **typed)
    return model_from(source, **typed)


def _metrics(names: list[str] | None, scale: "Scale") -> tuple[list[str], list[str]]:
    if names:
        return list(dict.fromkeys(names)), []
    chosen = "accuracy" if scale.kind == "nominal" else "mae"
    return [chosen], [f"metric {chosen}, because the scale is {scale.kind}; choose another with --metric."]


def _effect(
    metric: str, contrast: float | None, accuracy_points: float | None, win_rate: float | None
) -> "Effect | None":
    from assay.metrics import resolve
    from assay.planning import Effect

    given = {"--contrast": contrast, "--accuracy-points": accuracy_points, "--win-rate": win_rate}
    named = [name for name, number in given.items() if number is not None]
    if len(named) > 1:
        raise ArgumentError(f"give the difference once; got {' and '.join(named)}.")
    if contrast is not None:
        return Effect(resolve(metric), contrast)
    if accuracy_points is not None:
        return Effect.accuracy_points(accuracy_points)
    return None if win_rate is None else Effect.win_rate(win_rate)


def _limit(budget: float | None, max_cost: float | None) -> float | None:
    if budget is not None and max_cost is not None:
        raise ArgumentError("give --budget (responses) or --max-cost (cost), not both.")
    return budget if budget is not None else max_cost


def _costs(
    item: float | None, response: float | None, run: float | None, budget: float | None, max_cost: float | None
) -> "Costs":
    from assay.planning import Costs

    given = [cost is not None for cost in (item, response, run)]
    if any(given) and budget is not None:
        raise ArgumentError("--budget counts responses; with costs, give --max-cost.")
    if max_cost is not None and not any(given):
        raise ArgumentError("--max-cost needs to know what things cost: --cost-item, --cost-response, --cost-run.")
    if not any(given):
        return Costs()
    return Costs(item or 0.0, response or 0.0, run or 0.0)


def _from_pilot(
    source: str | None,
    named: dict[str, str | None],
    columns: dict[str, str | None],
    *,
    names: list[str] | None,
    difference: dict[str, float | None],
    options: dict[str, object],
) -> "Plan":
    """Read the pilot table and plan from it."""
    from assay.io.layouts import contest_from
    from assay.planning.pilot import plan_from_pilot

    missing = [option for option, name in named.items() if name is None]
    if missing or source is None:
        what = "the table of responses" if source is None else " and ".join(missing)
        raise ArgumentError(f"a plan from pilot data needs a table, --gold, --a and --b; {what} is missing.")
    gold, a, b = (str(name) for name in named.values())
    contest = contest_from([source], gold=gold, a=a, b=b, **columns)
    metrics, why = _metrics(names, contest.scale)
    epsilon = difference.pop("epsilon")
    effect = _effect(metrics[0], **difference)
    found = plan_from_pilot(contest, metrics=metrics, epsilon=epsilon, effect=effect, **options)  # type: ignore[arg-type]
    return _with_notes(found, why, *_about_raters(contest))


def _study(store: Path | None, dask: str | None, seed: int) -> "Callable[[Question, list[Design]], list[Cell]]":
    """Return what computes designs as cells of a study that can be interrupted and goes on from its store."""

    def compute(question: "Question", designs: "list[Design]") -> "list[Cell]":
        from assay.cli._study import FINISHED_WITH_FAILURES, run_study
        from assay.planning import cell

        sweep = run_study(cell.measure, cell.grid(question, designs), store=store, dask=dask, rng=seed)
        if sweep.failures:
            typer.echo(str(sweep), err=True)
            raise typer.Exit(FINISHED_WITH_FAILURES)
        return cell.cells(question, sweep)

    return compute


def _about_raters(contest: "Contest") -> list[str]:
    """Say that `compare` will take raters as a random factor where the pilot's raters judged several items."""
    from assay.rating_design import design_of, rated

    roles = rated(contest)
    if not roles or design_of(*(contest.sources[role] for role in roles)).kind == "nested":
        return []
    return [
        "the pilot's raters judged several items each, and this plan takes every response as another rater's; compare "
        "will count raters as a random factor: plan for that with --raters."
    ]


def _with_notes(found: "Plan", why: list[str], *notes: str) -> "Plan":
    from dataclasses import replace

    return replace(found, notes=(*found.notes, *notes, *(f"chosen: {reason}" for reason in why)))


def _show(found: "Plan") -> None:
    """Print the table, the sentences, the notes and the signature."""
    from rich.console import Console
    from rich.table import Table

    several = len({cell.metric for cell in found.cells}) > 1
    solved = any(not math.isnan(cell.detectable) for cell in found.cells)
    table = Table()
    for column in (["metric"] if several else []) + ["items", "responses", "contrast", "expected p", "interval width"]:
        table.add_column(column, justify="left" if column == "metric" else "right")
    for column in (["power"] if found.test else []) + (["detects"] if solved else []) + ["cost", ""]:
        table.add_column(column, justify="right")
    for cell in found.cells:
        table.add_row(*_row(cell, found, several=several, solved=solved))
    console = Console(width=None if Console().is_terminal else 120)
    console.print(table)
    typer.echo()
    for sentence in found.sentences:
        typer.echo(sentence)
    typer.echo()
    typer.echo(f"Simulated from {found.model}.")
    for note in found.notes:
        typer.echo(f"Note: {note}")
    typer.echo(found.signature)


def _row(cell: "Cell", found: "Plan", *, several: bool, solved: bool) -> list[str]:
    gold, a, b = cell.design.n_responses
    sizes = f"{gold}" if gold == a == b else f"{gold}/{a}/{b}"
    row = ([cell.metric] if several else []) + [f"{cell.n_items:,}", sizes, f"{cell.contrast:.4g}"]
    row += [f"{cell.expected_pvalue:.4f} ± {cell.expected_pvalue_error:.4f}", f"{cell.ci_width:.4g}"]
    if found.test:
        row.append(f"{cell.power:.3f} ± {cell.power_error:.3f}")
    if solved:
        row.append("–" if math.isnan(cell.detectable) else f"{cell.detectable:.4g}")
    mark = "← take this" if found.recommended == cell else ""
    return [*row, f"{cell.cost:,g}", mark]
