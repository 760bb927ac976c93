"""`assay sweep`: run a study of many cells, look at it, and take its results elsewhere."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli._study import (
    FINISHED_WITH_FAILURES,
    TASKS,
    DaskOption,
    RetryOption,
    WorkersOption,
    run_study,
)

if TYPE_CHECKING:
    import polars as pl

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
    import sys

    from assay.sweeps import Study

    # A study's own functions are usually in a file beside it; workers on this machine inherit the path.
    sys.path.insert(0, str(study.resolve().parent))
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
) -> None:
    """Write one line per cell: task, version, parameters, values, state, stage and error."""
    from assay import _json
    from assay.errors import ArgumentError, DataError
    from assay.sweeps import Store

    suffix = output.suffix.lower()
    if suffix not in {".csv", ".parquet", ".json"}:
        raise ArgumentError(f"`OUTPUT` must end in .csv, .parquet or .json; got {str(output)!r}.")
    handle = Store(store)
    try:
        if suffix == ".json":
            names = ("task", "version", "parameters", "values", "state", "stage", "error")
            rows = [{name: getattr(row, name) for name in names} for row in handle.rows()]
            output.write_text(_json.dumps({"seed": handle.seed, "cells": rows}, indent=1) + "\n", encoding="utf-8")
        elif suffix == ".csv":
            _flat(handle.to_frame()).write_csv(output)
        else:
            handle.to_frame().write_parquet(output)
    except OSError as error:
        raise DataError(f"{output}: cannot be written: {error.strerror or error}.") from None


def _flat(frame: "pl.DataFrame") -> "pl.DataFrame":
    """Write lists and mappings among the parameters as JSON, because a CSV cell is one value."""
    import polars as pl

    from assay import _json

    nested = [name for name, dtype in frame.schema.items() if dtype.is_nested()]
    columns = [
        pl.Series(name, [None if entry is None else _json.dumps(entry) for entry in frame[name].to_list()], pl.String)
        for name in nested
    ]
    return frame.with_columns(columns)


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
