"""`assay sweep`: run a study of many cells, look at it, and take its results elsewhere."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli._study import (
    FINISHED_WITH_FAILURES,
    DaskOption,
    RetryOption,
    WorkersOption,
    run_study,
)

if TYPE_CHECKING:
    from assay.sweeps import Row

app = typer.Typer(
    help="Run a study of many cells that survives interruptions; look at it; export it.", no_args_is_help=True
)

StoreArgument = Annotated[Path, typer.Argument(help="The study's store.", show_default=False)]


@app.command()
def run(
    study: Annotated[Path, typer.Argument(help="The study: a TOML document with a task and a grid.")],
    store: Annotated[
        Path, typer.Option("--store", help="Keep finished cells in this file, and go on from it next time.")
    ],
    workers: WorkersOption = None,
    dask: DaskOption = None,
    retry: RetryOption = False,
) -> None:
    """Compute the cells that the store does not have yet; exit with 3 if some failed."""
    from assay.questions.tasks import TASKS
    from assay.sweeps import Study

    document = Study.read(study, tasks=TASKS)
    sweep = run_study(
        document.task, document.grid, store=store, workers=workers, dask=dask, rng=document.seed, retry=retry
    )
    typer.echo(str(sweep))
    if sweep.counts.failed:
        raise typer.Exit(FINISHED_WITH_FAILURES)


@app.command()
def status(store: StoreArgument) -> None:
    """Say how many cells are done, failed and missing."""
    from assay.sweeps import Store

    handle = Store(store)
    typer.echo(f"{store}, seed {handle.seed}")
    for (task, version), counts in handle.counts().items():
        typer.echo(f"{task} (version {version}): {counts}")


@app.command()
def show(
    store: StoreArgument,
    cell: Annotated[str, typer.Argument(help="The first digits of a cell's identity: show all about that cell.")] = "",
    failed: Annotated[bool, typer.Option("--failed", help="Only cells that failed.")] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, help="Show at most this many cells.")] = 20,
) -> None:
    """Show cells and their values, or all about one cell."""
    from assay.errors import ArgumentError
    from assay.sweeps import Store

    rows = [
        row for row in Store(store).rows() if row.identity.startswith(cell) and (not failed or row.state == "failed")
    ]
    if cell:
        if len(rows) != 1:
            raise ArgumentError(f"`CELL` must begin the identity of one cell; {len(rows)} cells begin with {cell!r}.")
        _show_one(rows[0])
        return
    for row in rows[:limit]:
        typer.echo(_line(row))
    if len(rows) > limit:
        typer.echo(f"… and {len(rows) - limit:,} more; see --limit, or export the store.")


@app.command()
def export(
    store: StoreArgument,
    output: Annotated[Path, typer.Argument(help="The file to write: .csv, .parquet or .json.", show_default=False)],
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file if it exists.")] = False,
) -> None:
    """Write one line per cell: task, version, parameters, values, state, stage and error."""
    from assay._files import check_outputs
    from assay.sweeps import EXPORTS, Store

    check_outputs({"OUTPUT": output}, inputs=[store], endings={"OUTPUT": EXPORTS}, force=force)
    Store(store).export(output)


def _line(row: "Row") -> str:
    from assay.sweeps.grid import show as words

    short = {name: f"{value:.6g}" if isinstance(value, float) else value for name, value in row.values.items()}
    result = {"done": words(short), "failed": f"failed ({row.stage}): {row.error}"}.get(row.state, row.state)
    return f"{row.identity[:8]}  {words(row.parameters)}  →  {result}"


def _show_one(row: "Row") -> None:
    from assay.sweeps.grid import show as words

    typer.echo(f"identity    {row.identity}")
    typer.echo(f"task        {row.task} (version {row.version})")
    typer.echo(f"parameters  {words(row.parameters)}")
    typer.echo(f"state       {row.state}" + (f", at stage {row.stage!r}" if row.stage else ""))
    if row.state != "missing":
        typer.echo(f"seconds     {row.seconds:.3g}")
    for name, value in row.values.items():
        typer.echo(f"  {name} = {value!r}")
    if row.traceback:
        typer.echo(row.traceback.rstrip())
