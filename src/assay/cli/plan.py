"""`assay plan`: how many items, how many responses."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli import _rater_plans as rater_plans
from assay.cli._models import AlphaOption, LevelsOption, MeanOption, PerturbationOption, SdOption, model_from, numbers
from assay.cli._study import DaskOption, StoreOption
from assay.errors import ArgumentError
from assay.questions.typed import response_numbers, whole_numbers

if TYPE_CHECKING:
    from assay.metrics import Metric
    from assay.models import ResponseModel
    from assay.planning import Cell, Effect, Plan
    from assay.planning.planner import Compute, Groups
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
    budget: Annotated[
        str | None, typer.Option(help="Responses of people in all, N × K: 5000 or 1000,2500.", rich_help_panel=DESIGNS)
    ] = None,
    max_cost: Annotated[
        str | None, typer.Option(help="Cost in all, with --cost-item and the like.", rich_help_panel=DESIGNS)
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
    target_p: Annotated[
        float | None, typer.Option(help="Find the cheapest design with this expected p.", rich_help_panel=DESIGNS)
    ] = None,
    target_width: Annotated[
        float | None, typer.Option(help="Find the cheapest design with this interval width.", rich_help_panel=DESIGNS)
    ] = None,
    spend: Annotated[
        bool,
        typer.Option(
            "--spend",
            help="Spend the whole budget; find the fewest responses per item that reach the target.",
            rich_help_panel=DESIGNS,
        ),
    ] = False,
    follow_up: Annotated[
        str | None,
        typer.Option("--next", help="From a pilot: what 100,500,1000 more responses bring.", rich_help_panel=DESIGNS),
    ] = None,
    max_items: Annotated[
        int, typer.Option(min=1, help="Where to stop looking for a number of items.", rich_help_panel=DESIGNS)
    ] = 100_000,
    mde: Annotated[
        bool, typer.Option("--mde", help="Also the smallest contrast each design detects.", rich_help_panel=DESIGNS)
    ] = False,
    epsilon: Annotated[
        str | None, typer.Option(help="How far B is from gold, 0 to 1: 0.1 or 0.05,0.1.", rich_help_panel=DIFFERENCE)
    ] = None,
    epsilon_a: Annotated[float, typer.Option(help="How far A is from gold.", rich_help_panel=DIFFERENCE)] = 0.0,
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
    rho: Annotated[
        str | None, typer.Option(help="Labels: Dirichlet parameters of B's noise; 1/M each if left out.")
    ] = None,
    clip: Annotated[bool, typer.Option("--clip", help="Cut normal responses to the scale.")] = False,
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
    cluster: Annotated[
        str | None, typer.Option(help="Column of items that belong together, such as documents.", rich_help_panel=PILOT)
    ] = None,
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
            "item-bootstrap, paired-t, welch-t, wilcoxon, or several of them; or none (no power).",
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
    layout: Annotated[str, typer.Option(help="Table: list, or matrix (items against responses).")] = "list",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")] = False,
    chart: Annotated[
        Path | None, typer.Option(help="Draw the plan: .html, .svg, .png, .pdf or .json.", show_default=False)
    ] = None,
) -> None:
    """Say how many items, responses and raters it takes to find a difference, and what any design may expect.

    Examples: assay plan likert-toxicity --metric mae --epsilon 0.1 --budget 5000

    assay plan ratings.csv --a new --b old --contrast 0.3 --raters 3,5,10 --cost-rater-hour 30 --ratings-per-hour 60
    """
    from assay import _check, planning
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
    with_raters = with_raters or (gold is None and a is not None and b is not None)
    limit = _limit(budget, max_cost)
    options: dict[str, object] = {
        "n_items": None if items is None else whole_numbers("--items", items),
        "budget": None if limit is None else numbers(*limit),
        "costs": rater_plans.costs_of(
            item=cost_item, response=cost_response, run=cost_run, rater=cost_rater, hour=cost_rater_hour,
            pace=ratings_per_hour, budget=budget, max_cost=max_cost,
        ),
        "target_power": target_power, "target_p": target_p, "target_width": target_width, "spend": spend,
        "max_items": max_items, "detectable": mde, "alpha": significance, "alternative": alternative,
        "confidence_level": confidence_level, "rng": seed, "workers": workers,
        "follow_up": None if follow_up is None else whole_numbers("--next", follow_up),
    }  # fmt: skip
    if with_raters:
        rater_plans.refuse_simulation(
            test, store=store, dask=dask, samples=samples, perturbation=perturbation,
            resample_simulated=resample_simulated, epsilon=epsilon,
        )  # fmt: skip
        pilot, chosen, why = rater_plans.pilot_from(
            source, named, columns, preference=preference, tie=tie, better=better, names=metric
        )
        found = planning.plan(
            pilot, metrics=chosen, effect=_effect(chosen, **difference), nested=nested, with_raters=True,
            n_raters=None if raters is None else whole_numbers("--raters", raters),
            raters_per_item=None if raters_per_item is None else whole_numbers("--raters-per-item", raters_per_item),
            n_responses=None if responses is None else whole_numbers("--responses", responses), **options,  # type: ignore[arg-type]
        )  # fmt: skip
        _finish(_with_notes(found, why), chart=chart, as_json=as_json, layout=layout)
        return
    options |= {
        "n_responses": None if responses is None else response_numbers(responses),
        "epsilon": None if epsilon is None else numbers("--epsilon", epsilon), "epsilon_a": epsilon_a,
        "perturbation": perturbation, "test": None if test == "none" else test.split(","), "engine": engine,
        "n_simulations": samples, "precision": precision, "resample_simulated": resample_simulated,
    }  # fmt: skip
    if store is not None or dask is not None:
        options["compute"] = _study(store, dask, seed)
    with progress("planning", 1) as advance:
        if any(name is not None for name in named.values()):
            found = _from_pilot(
                source, named, columns, names=metric, difference=difference,
                options=options | {"pilot_model": pilot_model, "cluster": cluster},
            )  # fmt: skip
        else:
            model = _noise(_model(source, alpha=alpha, levels=levels, mean=mean, sd=sd), rho=rho, clip=clip)
            metrics, why = _metrics(metric, model.scale)
            effect = _effect(metrics[0], **difference)
            found = planning.plan(model, metrics=metrics, effect=effect, **options)  # type: ignore[arg-type]
            found = _with_notes(found, why)
        advance(1)
    _finish(found, chart=chart, as_json=as_json, layout=layout)


def _finish(found: "Plan", *, chart: Path | None, as_json: bool, layout: str) -> None:
    """Draw the plan if asked, and print it."""
    from assay.documents import text

    shown = text.render(found.document(layout=layout))
    if chart is not None:
        from assay.reports.plan import write_chart

        write_chart(found, chart)
    if as_json:
        from assay import _json

        typer.echo(_json.dumps(found.to_dict(), indent=2))
        return
    typer.echo(shown)
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
    metric: "str | Metric", contrast: float | None, accuracy_points: float | None, win_rate: float | None
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


def _limit(budget: str | None, max_cost: str | None) -> tuple[str, str] | None:
    if budget is not None and max_cost is not None:
        raise ArgumentError("give --budget (responses) or --max-cost (cost), not both.")
    if budget is not None:
        return "--budget", budget
    return None if max_cost is None else ("--max-cost", max_cost)


def _noise(model: "ResponseModel", *, rho: str | None, clip: bool) -> "ResponseModel":
    """Return the model with another noise of labels, or with responses cut to the scale."""
    from dataclasses import replace

    from assay.models import CategoricalModel, NormalModel

    if rho is not None:
        if not isinstance(model, CategoricalModel):
            raise ArgumentError("--rho is the noise of labels, and this model has none.")
        values = numbers("--rho", rho)
        return replace(model, rho=tuple(values if len(values) > 1 else values * len(model.alpha)))
    if clip:
        if not isinstance(model, NormalModel):
            raise ArgumentError("--clip cuts normal responses, and this model has none.")
        return replace(model, clip=True)
    return model


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
    from assay.planning import plan as make_plan

    missing = [option for option, name in named.items() if name is None]
    if missing or source is None:
        what = "the table of responses" if source is None else " and ".join(missing)
        raise ArgumentError(f"a plan from pilot data needs a table, --gold, --a and --b; {what} is missing.")
    gold, a, b = (str(name) for name in named.values())
    contest = contest_from([source], gold=gold, a=a, b=b, **columns)
    metrics, why = _metrics(names, contest.scale)
    effect = _effect(metrics[0], **difference)
    found = make_plan(contest, metrics=metrics, effect=effect, **options)  # type: ignore[arg-type]
    return _with_notes(found, why)


def _study(store: Path | None, dask: str | None, seed: int) -> "Compute":
    """Return what computes groups of designs as cells of a study that can be interrupted and goes on from its store."""

    def compute(groups: "Groups") -> "list[list[Cell]]":
        from assay.cli._study import FINISHED_WITH_FAILURES, run_study
        from assay.planning.groups import grid_of, measure, read

        sweep = run_study(measure, grid_of(groups), store=store, dask=dask, rng=seed)
        if sweep.failures:
            typer.echo(str(sweep), err=True)
            raise typer.Exit(FINISHED_WITH_FAILURES)
        return [read(given, shape, row.values) for (given, shape, _), row in zip(groups, sweep.rows, strict=True)]

    return compute


def _with_notes(found: "Plan", why: list[str], *notes: str) -> "Plan":
    from dataclasses import replace

    return replace(found, notes=(*found.notes, *notes, *(f"chosen: {reason}" for reason in why)))
