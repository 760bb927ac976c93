"""`assay replicate`: recompute published tables and show both numbers side by side."""

from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli._study import DaskOption, RetryOption, StoreOption, WorkersOption

if TYPE_CHECKING:
    from assay.replications import Replication


def replicate(
    paper: Annotated[str, typer.Argument(help="raters, leader, forest or ratings.", show_default=False)],
    *,
    table: Annotated[int | None, typer.Option(help="Only this table.")] = None,
    samples: Annotated[
        int | None,
        typer.Option(help="Simulated data sets of each kind, per design. [default: 1000, forest 4000]"),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Another seed gives another Monte-Carlo error.")] = 0,
    store: StoreOption = None,
    workers: WorkersOption = None,
    dask: DaskOption = None,
    retry: RetryOption = False,
    json: Annotated[bool, typer.Option("--json", help="Write JSON instead of a table.")] = False,
) -> None:
    """Recompute the tables of a published paper: published, reproduced, difference and its standard error.

    Example: assay replicate raters --store raters.db (Ctrl-C, and the same command goes on)
    """
    from assay import _json
    from assay._random import n_workers
    from assay.cli._study import FINISHED_WITH_FAILURES, run_study
    from assay.replications import conclude, measure, plan

    cells = plan(paper, table=table, n_simulations=samples)
    sweep = run_study(
        measure, cells, store=store, workers=workers, dask=dask, rng=seed, retry=retry, threads=n_workers(None)
    )
    if sweep.failures:
        typer.echo(f"assay: {sweep}", err=True)
        raise typer.Exit(FINISHED_WITH_FAILURES)
    result = conclude(sweep, table)
    typer.echo(_json.dumps(result.to_dict(), indent=1) if json else "\n".join([_table(result), "", str(result)]))


def _table(result: "Replication") -> str:
    lines = []
    for quantity in result.quantities:
        rows = result.of(quantity)
        names = [
            *rows[0].cell,
            "published",
            "reproduced",
            "difference",
            "±",
            *dict.fromkeys(k for r in rows for k in r.beside),
        ]
        body = []
        for row in rows:
            numbers = [row.published, row.reproduced, row.difference, row.standard_error]
            numbers += [row.beside.get(name, float("nan")) for name in names[len(row.cell) + 4 :]]
            shown = ["" if number != number else f"{number:.4f}" for number in numbers]  # noqa: PLR0124 (NaN)
            shown[2] = f"{row.difference:+.4f}"
            body.append([*map(str, row.cell.values()), *shown])
        lines += ["", quantity, *_aligned([names, *body])]
    return "\n".join(lines).lstrip()


def _aligned(rows: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
