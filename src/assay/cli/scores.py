"""`assay scores`: two (or more) columns of scores, from the file to a sentence."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from assay.paired import PairedScores

app = typer.Typer(
    help="Compare two systems by their scores on the same lines (columns of a text file).",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def _read_config(context: typer.Context, path: Path | None) -> Path | None:
    """Take a TOML file's settings as defaults of the options, so that options on the command line win."""
    if path is None or context.resilient_parsing:
        return path
    import tomllib

    from assay import _check
    from assay.errors import ArgumentError, DataError, MissingFileError

    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise MissingFileError(f"there is no file {path}.") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise DataError(f"{path} is not a readable TOML file: {error}.") from None
    # One file may serve all commands, so an option of any of them may stand in it.
    siblings = context.parent.command.commands.values() if context.parent else [context.command]  # type: ignore[attr-defined]
    known = {parameter.name.replace("_", "-") for command in siblings for parameter in command.params}
    for key in settings:
        if key not in known - {"file", "config"}:
            hint = _check.nearest(key, known)
            raise ArgumentError(f"{path}: {key!r} is not an option of `assay scores`.{hint}")
    defaults = {key.replace("-", "_"): value for key, value in settings.items()}
    context.default_map = {**(context.default_map or {}), **defaults}
    return path


File = Annotated[Path, typer.Argument(help="Text file, one line per item, one column per system.")]
Columns = Annotated[str | None, typer.Option(help="Which columns to compare, by name or number: 1,3.")]
Clusters = Annotated[
    str | None, typer.Option(help="Column of document ids; lines of one document are not independent.")
]
UnitSize = Annotated[int, typer.Option(help="Lines per evaluation unit.")]
UnitStatistic = Annotated[str, typer.Option(help="mean or median of the lines of a unit.")]
Shuffle = Annotated[
    int | None, typer.Option(help="Seed for shuffling lines before making units; no shuffling if left out.")
]
Tolerance = Annotated[float, typer.Option(help="How little the standard deviation may change to count as settled.")]
Alpha = Annotated[float, typer.Option(help="Level of tests; intervals have level 1 minus it.")]
Alternative = Annotated[str, typer.Option(help="two-sided, greater (the first system is higher) or less.")]
Delta = Annotated[float, typer.Option(help="The difference under the null.")]
Test = Annotated[
    str | None,
    typer.Option(
        help="t, sign, wilcoxon, bootstrap, bootstrap-median, permutation or permutation-median; the recommended one "
        "if left out."
    ),
]
Resamples = Annotated[int, typer.Option(help="Iterations of bootstrap and permutation tests.")]
Margin = Annotated[float | None, typer.Option(help="Smallest difference that matters: adds an equivalence test.")]
Method = Annotated[str, typer.Option(help="bootstrap (resample the data) or normal (Monte Carlo).")]
Effect = Annotated[float | None, typer.Option(help="The true difference to assume; the observed one if left out.")]
Sizes = Annotated[str, typer.Option(help="How many sizes up to that of the data, or the sizes: 100,200,400.")]
Simulations = Annotated[int | None, typer.Option(help="Simulated studies per size; 1,000, or fewer for large files.")]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same answer.")]
Workers = Annotated[int | None, typer.Option(help="Threads; one per core if left out.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
Config = Annotated[
    Path | None,
    typer.Option(help="TOML file with defaults for these options.", callback=_read_config, is_eager=True),
]


@app.command()
def describe(  # noqa: PLR0917 (each parameter is an option of the command)
    file: File,
    columns: Columns = None,
    clusters: Clusters = None,
    unit_size: UnitSize = 1,
    unit_statistic: UnitStatistic = "mean",
    shuffle: Shuffle = None,
    tolerance: Tolerance = 0.01,
    alpha: Alpha = 0.05,
    as_json: Json = False,
    config: Config = None,
) -> None:
    """Summarise the scores and their differences, and say which tests fit.

    Example: assay scores describe scores.txt
    """
    from assay import paired
    from assay.cli import _scores as show

    lines = _read(file, columns, clusters)
    found = paired.overview(
        lines, unit_size=unit_size, unit_statistic=unit_statistic, shuffle=shuffle, tolerance=tolerance,
        normality_alpha=alpha,
    )  # fmt: skip
    show.result(found, as_json)


@app.command("test")
def significance(  # noqa: PLR0917
    file: File,
    test: Test = None,
    alternative: Alternative = "two-sided",
    delta: Delta = 0.0,
    alpha: Alpha = 0.05,
    n_resamples: Resamples = 9999,
    margin: Margin = None,
    noninferiority: Annotated[
        bool, typer.Option("--noninferiority", help="With --margin: ask only that the first system is not worse.")
    ] = False,
    all_pairs: Annotated[
        bool, typer.Option("--all-pairs", help="Compare every pair of three or more systems.")
    ] = False,
    correction: Annotated[
        str | None, typer.Option(help="For --all-pairs: holm (if left out), benjamini-hochberg or none.")
    ] = None,
    columns: Columns = None,
    clusters: Clusters = None,
    unit_size: UnitSize = 1,
    unit_statistic: UnitStatistic = "mean",
    shuffle: Shuffle = None,
    seed: Seed = 0,
    workers: Workers = None,
    as_json: Json = False,
    config: Config = None,
) -> None:
    """Test whether the systems differ; with --margin also whether they are equivalent.

    Example: assay scores test scores.txt --test wilcoxon --alternative greater
    """
    from assay import paired
    from assay.cli import _scores as show
    from assay.cli._progress import progress
    from assay.errors import ArgumentError

    if noninferiority and margin is None:
        raise ArgumentError("--noninferiority needs --margin, the loss that would still be acceptable.")
    if all_pairs:
        if margin is not None:
            raise ArgumentError("--margin compares two systems; it does not go with --all-pairs.")
        table = paired.read_table(file, columns=_words(columns) if columns else None, clusters=clusters)
        pairs = paired.compare_systems(
            paired.to_units(table, size=unit_size, statistic=unit_statistic, shuffle=shuffle), test=test or "t",
            alternative=alternative, delta=delta, alpha=alpha, correction=correction or "holm", n_resamples=n_resamples,
            rng=seed, workers=workers,
        )  # fmt: skip
        show.result(pairs, as_json)
        return
    if correction is not None:
        raise ArgumentError("--correction is for --all-pairs; two systems have one p-value.")
    lines = _read(file, columns, clusters)
    units = paired.to_units(lines, size=unit_size, statistic=unit_statistic, shuffle=shuffle)
    with progress("resampling", max(n_resamples, 0)) as advance:
        found = paired.find(
            units, test=test, alternative=alternative, delta=delta, alpha=alpha, n_resamples=n_resamples, margin=margin,
            kind="non-inferiority" if noninferiority else "equivalence", rng=seed, workers=workers, progress=advance,
        )  # fmt: skip
    show.result(found, as_json)


@app.command()
def effect(  # noqa: PLR0917
    file: File,
    effects: Annotated[
        str, typer.Option(help="Which ones, separated by commas.")
    ] = "cohen-d,hedges-g,wilcoxon-r,hodges-lehmann",
    alpha: Alpha = 0.05,
    columns: Columns = None,
    clusters: Clusters = None,
    unit_size: UnitSize = 1,
    unit_statistic: UnitStatistic = "mean",
    shuffle: Shuffle = None,
    seed: Seed = 0,
    as_json: Json = False,
    config: Config = None,
) -> None:
    """Measure how large the difference is, with intervals.

    Example: assay scores effect scores.txt --effects hedges-g,hodges-lehmann
    """
    from assay import paired
    from assay.cli import _scores as show

    units = paired.to_units(_read(file, columns, clusters), size=unit_size, statistic=unit_statistic, shuffle=shuffle)
    found = paired.effect_sizes(units, effects=_words(effects), alpha=alpha, rng=seed)
    show.result(paired.Effects(names=units.names, n=units.n, effects=found), as_json)


@app.command()
def power(  # noqa: PLR0917
    file: File,
    test: Test = None,
    power_method: Method = "bootstrap",
    effect: Effect = None,
    sizes: Sizes = "5",
    n_simulations: Simulations = None,
    n_resamples: Resamples = 999,
    alternative: Alternative = "two-sided",
    delta: Delta = 0.0,
    alpha: Alpha = 0.05,
    columns: Columns = None,
    clusters: Clusters = None,
    unit_size: UnitSize = 1,
    unit_statistic: UnitStatistic = "mean",
    shuffle: Shuffle = None,
    seed: Seed = 0,
    workers: Workers = None,
    as_json: Json = False,
    config: Config = None,
) -> None:
    """Show how often the test would reject in new studies like this one, at several sizes.

    Example: assay scores power scores.txt --effect 0.01 --sizes 500,1000,2000
    """
    from assay import paired
    from assay.cli import _scores as show
    from assay.cli._progress import progress

    units = paired.to_units(_read(file, columns, clusters), size=unit_size, statistic=unit_statistic, shuffle=shuffle)
    chosen = test or paired.recommend(units, paired.describe(units, alpha=alpha)).test
    wanted = _sizes(sizes)
    studies = (wanted if isinstance(wanted, int) else len(wanted)) * (n_simulations or 1000)
    with progress("simulating", studies) as advance:
        curve = paired.power_curve(
            units, test=chosen, method=power_method, effect=effect, sizes=wanted, n_simulations=n_simulations,
            n_resamples=n_resamples, alternative=alternative, delta=delta, alpha=alpha, rng=seed, workers=workers,
            progress=advance,
        )  # fmt: skip
    show.result(curve, as_json)


@app.command()
def analyse(  # noqa: PLR0917
    file: File,
    report: Annotated[Path | None, typer.Option(help="Also write a report: .html (with charts), .md or .json.")] = None,
    test: Test = None,
    alternative: Alternative = "two-sided",
    delta: Delta = 0.0,
    alpha: Alpha = 0.05,
    n_resamples: Resamples = 9999,
    margin: Margin = None,
    power_method: Method = "bootstrap",
    effect: Effect = None,
    sizes: Sizes = "5",
    n_simulations: Simulations = None,
    columns: Columns = None,
    clusters: Clusters = None,
    unit_size: UnitSize = 1,
    unit_statistic: UnitStatistic = "mean",
    shuffle: Shuffle = None,
    tolerance: Tolerance = 0.01,
    seed: Seed = 0,
    workers: Workers = None,
    as_json: Json = False,
    config: Config = None,
) -> None:
    """Go all the way: describe, choose a test, test, measure the effect, show the power.

    Example: assay scores analyse scores.txt --report report.html
    """
    from assay import paired
    from assay.cli import _scores as show
    from assay.cli._progress import progress

    lines = _read(file, columns, clusters)
    wanted = _sizes(sizes)
    steps = wanted if isinstance(wanted, int) else len(wanted)
    with progress("analysing", max(n_resamples, 0) + steps * (n_simulations or 1000)) as advance:
        found = paired.analyse(
            lines, unit_size=unit_size, unit_statistic=unit_statistic, shuffle=shuffle, tolerance=tolerance, test=test,
            alternative=alternative, delta=delta, alpha=alpha, n_resamples=n_resamples, margin=margin,
            power_method=power_method, effect=effect, sizes=wanted, n_simulations=n_simulations, rng=seed,
            workers=workers, progress=advance,
        )  # fmt: skip
    if report is not None:
        from assay.reports.scores import write_report

        write_report(found, report)
    show.result(found, as_json)


def _read(file: Path, columns: str | None, clusters: str | None) -> "PairedScores":
    from assay.paired import read_scores

    return read_scores(file, columns=_words(columns) if columns else None, clusters=clusters)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _sizes(text: str) -> int | list[int]:
    from assay.errors import ArgumentError

    try:
        numbers = [int(word) for word in _words(text)]
    except ValueError:
        raise ArgumentError(
            f"`sizes` must be one number of steps or sizes separated by commas; got {text!r}."
        ) from None
    return numbers[0] if len(numbers) == 1 and "," not in text else numbers
