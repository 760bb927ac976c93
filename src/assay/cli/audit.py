"""`assay audit`: which p-value and which interval can be trusted on data like these."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli._models import AlphaOption, LevelsOption, MeanOption, SdOption, model_from, numbers
from assay.cli._study import DaskOption, RetryOption, StoreOption, WorkersOption
from assay.errors import ArgumentError

if TYPE_CHECKING:
    from assay.auditing import Audit
    from assay.models import ResponseModel
    from assay.sweeps import Grid, Sweep

SCHEMES = "bootstrap/all,bootstrap/bootstrap"
NULLS = "swapped-items,recentred,dealt-responses,pooled-responses"
ANALYTICAL, INTERVALS = "paired-t,wilcoxon", "percentile,basic,bca,studentised,symmetric,score,t"
DESIGNS, EPSILONS = "100x5", "0,0.1"
PILOT = "Pilot data"
METHOD = "Method"


def audit(  # noqa: PLR0917 (each parameter is an option of the command)
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="[MODEL|TABLE]",
            show_default=False,
            help="A preset (normal, likert-toxicity, categorical-dices, …), a model file (.json), or a table of pilot "
            "responses, to which a model is fitted.",
        ),
    ] = None,
    metrics: Annotated[str | None, typer.Option(help="mae,wins; chosen by the scale if left out.")] = None,
    schemes: Annotated[
        str, typer.Option(help="What a draw resamples, items/responses: bootstrap/all,all/one.")
    ] = SCHEMES,
    nulls: Annotated[str, typer.Option(help="Combinations without a meaning are left out.")] = NULLS,
    designs: Annotated[str, typer.Option(help="Items × responses: 100x5,1000x5.")] = DESIGNS,
    epsilons: Annotated[str, typer.Option(help="How far B is from gold; 0 is always among them.")] = EPSILONS,
    data_sets: Annotated[int | None, typer.Option(help="Simulated data sets of each kind. [default: 1000]")] = None,
    n_resamples: Annotated[int | None, typer.Option(help="Draws on each data set. [default: 399]")] = None,
    preset: Annotated[
        str | None, typer.Option(help="leader: all strategies, metrics and ε of the LEADER paper, on both its data.")
    ] = None,
    analytical: Annotated[
        str, typer.Option(help='paired-t and wilcoxon on item contrasts; "" for none.', rich_help_panel=METHOD)
    ] = ANALYTICAL,
    intervals: Annotated[
        str, typer.Option(help='Some of the kinds of interval, all if left out; "" for none.', rich_help_panel=METHOD)
    ] = INTERVALS,
    perturbation: Annotated[
        str | None, typer.Option(help="How B is worse: shift, mixing, noise or guessing.", rich_help_panel=METHOD)
    ] = None,
    significance: Annotated[float, typer.Option(help="Level of the tests.", rich_help_panel=METHOD)] = 0.05,
    confidence_level: Annotated[float, typer.Option(help="Of the intervals.", rich_help_panel=METHOD)] = 0.95,
    samples: Annotated[
        int, typer.Option(help="Fresh data sets for the true p of each cell.", rich_help_panel=METHOD)
    ] = 2000,
    alpha: AlphaOption = None,
    levels: LevelsOption = None,
    mean: MeanOption = None,
    sd: SdOption = None,
    gold: Annotated[str | None, typer.Option(help="Gold of the pilot table.", rich_help_panel=PILOT)] = None,
    pilot_model: Annotated[
        str, typer.Option(help="auto (by the scale), categorical, likert, normal or empirical.", rich_help_panel=PILOT)
    ] = "auto",
    item: Annotated[str | None, typer.Option(help="Column of item ids.", rich_help_panel=PILOT)] = None,
    source_column: Annotated[
        str | None, typer.Option("--source", help="Column that says who answered.", rich_help_panel=PILOT)
    ] = None,
    value: Annotated[str | None, typer.Option(help="Column of responses.", rich_help_panel=PILOT)] = None,
    rater: Annotated[str | None, typer.Option(help="Column of rater ids.", rich_help_panel=PILOT)] = None,
    repeat: Annotated[str | None, typer.Option(help="Column that numbers repeats.", rich_help_panel=PILOT)] = None,
    scale: Annotated[str | None, typer.Option(help="nominal, ordinal or continuous.", rich_help_panel=PILOT)] = None,
    order: Annotated[str | None, typer.Option(help="Labels, lowest first.", rich_help_panel=PILOT)] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same audit.")] = 0,
    store: StoreOption = None,
    workers: WorkersOption = None,
    dask: DaskOption = None,
    retry: RetryOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
    chart: Annotated[
        Path | None, typer.Option(help="Draw the rates: .html, .svg, .png, .pdf or .json.", show_default=False)
    ] = None,
) -> None:
    """Measure how far each p-value and interval can be trusted on data like these, and say what to use.

    Example: assay audit likert-toxicity --metrics mae,wins --designs 50x5,200x5 --epsilons 0,0.1 --data-sets 200
    """
    from assay import _check, _json
    from assay.auditing import conclude, measure, plan
    from assay.cli._study import FINISHED_WITH_FAILURES, run_study
    from assay.sweeps import Grid as Cells

    _check.fraction("--significance", significance)  # --alpha is another option: a model's
    if chart is not None:
        from assay.reports.pages import check_format

        check_format(chart)  # before the work, not after it
        if preset is not None:
            raise ArgumentError("--chart draws one audit; leave it out with --preset, and read --json.")
    if preset is not None:
        _refuse_fixed({
            "--metrics": (metrics, None), "--schemes": (schemes, SCHEMES), "--nulls": (nulls, NULLS),
            "--designs": (designs, DESIGNS), "--epsilons": (epsilons, EPSILONS), "--intervals": (intervals, INTERVALS),
            "--analytical": (analytical, ANALYTICAL),
        })  # fmt: skip
    parts = _parts(
        source, preset, {"alpha": alpha, "levels": levels, "mean": mean, "sd": sd}, pilot_model,
        {"sources": [] if gold is None else [gold], "item": item, "source": source_column, "value": value,
         "rater": rater, "repeat": repeat, "scale": scale, "order": order},
    )  # fmt: skip
    asked: dict[str, Any] = {
        "metrics": None if metrics is None else words(metrics),
        "schemes": [pair("--schemes", word, "/") for word in words(schemes)],
        "nulls": words(nulls),
        "analytical": words(analytical),
        "intervals": words(intervals),
        "designs": [design(word) for word in words(designs)],
        "epsilons": numbers("--epsilons", epsilons),
        "perturbation": perturbation, "alpha": significance, "confidence_level": confidence_level,
        "n_simulations": samples,
    }  # fmt: skip
    given = {"n_data_sets": data_sets, "n_resamples": n_resamples}
    sizes = {name: number for name, number in given.items() if number is not None}
    plans = [plan(model, **(asked | options | sizes)) for model, options in parts]
    # One sweep for all models: they share workers, store and progress bar.
    everything = sum((grid for grid, _ in plans), start=Cells([]))
    sweep = run_study(measure, everything, store=store, workers=workers, dask=dask, rng=seed, retry=retry)
    if sweep.failures:
        typer.echo(f"assay: {sweep}", err=True)
        raise typer.Exit(FINISHED_WITH_FAILURES)
    about = _about_raters(source, {
        "sources": [] if gold is None else [gold], "item": item, "source": source_column, "value": value,
        "rater": rater, "repeat": repeat, "scale": scale, "order": order,
    })  # fmt: skip
    found = [conclude(_part(sweep, grid), [*about, *notes]) for grid, notes in plans]
    if chart is not None:
        from assay.reports.audit import write_chart

        write_chart(found[0], chart)
    if as_json:
        shown = [one.to_dict() for one in found]
        typer.echo(_json.dumps(shown if len(shown) > 1 else shown[0], indent=1))
        return
    for number, one in enumerate(found):
        typer.echo("\n" * bool(number) + _text(one, leader=preset == "leader"))


def _refuse_fixed(options: dict[str, tuple[str | None, str | None]]) -> None:
    """Refuse options that a preset fixes, rather than to ignore them."""
    for option, (given, default) in options.items():
        if given != default:
            raise ArgumentError(f"--preset fixes {option}; leave it out, or audit a model without --preset.")


def _parts(
    source: str | None, preset: str | None, typed: dict[str, str | None], pilot_model: str, columns: dict[str, Any]
) -> list[tuple["ResponseModel", dict[str, Any]]]:
    """Return what to audit: for each result a model, and the options that a preset fixes."""
    if preset is None:
        return [(_model(source, typed, pilot_model, columns), {})]
    if preset != "leader":
        raise ArgumentError(f"--preset must be leader; got {preset!r}.")
    if source is not None:
        raise ArgumentError(f"--preset leader has its own two models; leave {source!r} out.")
    from assay import models
    from assay.replications import leader
    from assay.replications.legacy import published_metric

    shared = {
        "metrics": [published_metric(name) for name in leader.METRICS.values()],
        "designs": [(leader.N_ITEMS, leader.N_RESPONSES)], "epsilons": [0.0, 0.05, 0.1, 0.3, 0.7],
        "n_data_sets": 50, "n_resamples": 1000,
    }  # fmt: skip
    # With one response per item, metrics of sets of responses are metrics of means or nothing: 45 estimators remain.
    of_sets = ("wins-responses", "emd-responses-histogram-legacy", "emd-histogram-legacy")
    of_one = [name for name in leader.METRICS.values() if name not in of_sets]
    single = [scheme for scheme in leader.STRATEGIES.values() if scheme.responses in ("one", "first")]
    # The paper's own estimators, and beside them, on the draws of one of them, the tests that it left as future work.
    shared |= {
        "schemes": list(leader.STRATEGIES.values()), "nulls": ["pooled-responses"], "intervals": ["studentised"],
        "only": {f"{scheme.items}/{scheme.responses}": of_one for scheme in single},
        "beside": {"bootstrap/all": ["swapped-items", "recentred"]},
    }  # fmt: skip
    return [(models.preset(name), shared) for name in leader.DATA.values()]


def _model(
    source: str | None, typed: dict[str, str | None], pilot_model: str, columns: dict[str, Any]
) -> "ResponseModel":
    import warnings

    from assay import models
    from assay.errors import AssayWarning
    from assay.io.layouts import table_from

    is_table = source is not None and source not in models.PRESETS and not source.endswith(".json")
    if source is None or not is_table or not Path(source).exists():
        named = [option for option in ("gold", *columns) if option != "sources" and columns.get(option)]
        if columns["sources"] or named:
            what = "no table" if source is None else f"{source}, which is no table that exists"
            raise ArgumentError(f"--{'gold' if columns['sources'] else named[0]} describes a pilot table; got {what}.")
        return model_from(source, **typed)
    table = table_from([source], **columns)
    if len(table.sources) > 1:
        raise ArgumentError(f"--gold must name one of the sources: {', '.join(list(table.sources)[:10])}.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AssayWarning)  # `assay fit` shows how well the model fits
        return models.fit(table, model=pilot_model).model


def _about_raters(source: str | None, columns: dict[str, Any]) -> list[str]:
    """Say that the raters of a pilot table are not simulated, where `compare` would take them into account."""
    from assay.auditing import about_raters
    from assay.io.layouts import table_from

    if source is None or not columns["sources"] or not Path(source).exists() or source.endswith(".json"):
        return []
    return about_raters(table_from([source], **columns))


def words(text: str) -> list[str]:
    """Read "mae,wins"."""
    return [word.strip() for word in text.split(",") if word.strip()]


def pair(option: str, word: str, sign: str) -> tuple[str, str]:
    """Read "bootstrap/all"."""
    first, found, second = word.partition(sign)
    if not found:
        raise ArgumentError(f"{option} must be written like bootstrap/all; got {word!r}.")
    return first, second


def design(word: str) -> tuple[int, int]:
    """Read "100x5"."""
    n_items, _, n_responses = word.replace("×", "x").partition("x")
    try:
        return int(n_items), int(n_responses)
    except ValueError:
        raise ArgumentError(f"--designs must be items × responses, like 100x5,1000x5; got {word!r}.") from None


def _part(sweep: "Sweep", grid: "Grid") -> "Sweep":
    """Return the cells of one result."""
    from dataclasses import replace

    wanted = {sweep.task.identity(cell) for cell in grid}
    return replace(sweep, rows=tuple(row for row in sweep.rows if row.identity in wanted))


def _text(found: "Audit", *, leader: bool) -> str:
    from assay.auditing.tables import document
    from assay.documents import text

    return text.render(document(found, leader=leader))
