"""`howsure sweep`: run a study of many cells, look at it, draw it, report it, and take its results elsewhere."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from howsure._fields import Checked, like, option
from howsure.cli import _ask, _commands
from howsure.cli._ask import say

if TYPE_CHECKING:
    from howsure.sweeps import CellRow


@dataclass(frozen=True, kw_only=True)
class Running(_ask.StudyOptions):
    """Which study is computed, where, and where it is kept."""

    study: str = option(help="Study file (TOML) with a task and a grid.", positional=True, metavar="FILE")
    store: str = option(
        help="Keep finished grid points in this file and continue from it the next time.",
        metavar="FILE",
        group=_ask.COMPUTING,
    )


@dataclass(frozen=True, kw_only=True)
class Status(Checked):
    """Whose state is told."""

    store: str = option(help="File with the grid points of the sweep.", positional=True, metavar="FILE")


@dataclass(frozen=True, kw_only=True)
class Show(Status):
    """Which cells are shown."""

    cell: str = option("", "First digits of a grid point's id, to show everything about it.", positional=True)
    failed: bool = option(False, "Show only grid points that failed.")
    limit: int = option(20, "Largest number of grid points to show.", at_least=1)


@dataclass(frozen=True, kw_only=True)
class Export(Status):
    """Where the cells are written."""

    out: str = option(help="File to write: .csv, .parquet or .json.", positional=True, metavar="FILE")
    force: bool = like(_ask.Output, "force", group="")


@dataclass(frozen=True, kw_only=True)
class Chart(Status):
    """What is drawn, and where."""

    out: str = option(help="File to write: .html, .svg, .png, .pdf or .json.", positional=True, metavar="FILE")
    y: str | None = option(None, "Result on the y axis. Default: the first that every grid point has.", metavar="NAME")
    x: str | None = option(None, "Parameter on the x axis. Default: a number that varies.", metavar="NAME")
    colour: str | None = option(None, "Parameter shown by colour.", metavar="NAME")
    panel: str | None = option(None, "Parameter with one panel for each value.", metavar="NAME")
    force: bool = like(_ask.Output, "force", group="")


@dataclass(frozen=True, kw_only=True)
class Report(Status):
    """What is reported, and where."""

    out: str = option(
        help="File to write: .html, .md, .tex, .json, or the grid points as .csv.", positional=True, metavar="FILE"
    )
    task: str = option("", "Task to report, if the store has several (status lists them).", metavar="NAME")
    force: bool = like(_ask.Output, "force", group="")


def group() -> click.Group:
    """Return the commands of `howsure sweep`."""
    commands = [
        _commands.command_of(
            "run",
            Running,
            run,
            "Compute the grid points that the store lacks.\n\nExit code 3 means that some grid points failed.",
            ("howsure sweep run study.toml --store study.db", "howsure sweep run study.toml --store study.db --retry"),
        ),
        _commands.command_of(
            "status",
            Status,
            status,
            "Count finished, failed and missing grid points.",
            ("howsure sweep status study.db", "howsure sweep status raters.db"),
        ),
        _commands.command_of(
            "show",
            Show,
            show,
            "Show grid points and their results, or one in detail.",
            ("howsure sweep show study.db --limit 5", "howsure sweep show study.db --failed"),
        ),
        _commands.command_of(
            "export",
            Export,
            export,
            "Write a table with one row per grid point.",
            ("howsure sweep export study.db study.csv", "howsure sweep export study.db study.parquet"),
        ),
        _commands.command_of(
            "chart",
            Chart,
            chart,
            "Plot a result of the finished grid points.",
            (
                "howsure sweep chart study.db study.html",
                "howsure sweep chart study.db power.svg --y power --x n --colour p",
            ),
        ),
        _commands.command_of(
            "report",
            Report,
            report,
            "Write a report: progress, plot, grid points, next steps.",
            ("howsure sweep report study.db study.html", "howsure sweep report study.db study.md"),
        ),
    ]
    said = "Run, inspect, plot and export resumable parameter sweeps."
    return _commands.Group("sweep", commands=commands, help=said, no_args_is_help=True)


def run(asked: Running) -> None:
    """Compute what is missing."""
    from howsure.cli._study import FINISHED_WITH_FAILURES
    from howsure.questions.tasks import TASKS
    from howsure.sweeps import Study

    document = Study.read(asked.study, tasks=TASKS)
    sweep = asked.compute(document.task, document.grid, document.seed)
    say(str(sweep))
    if sweep.counts.failed:
        raise click.exceptions.Exit(FINISHED_WITH_FAILURES)


def status(asked: Status) -> None:
    """Say how far a study is."""
    from howsure.sweeps import Store

    handle = Store(asked.store)
    say(f"{asked.store}, seed {handle.seed}")
    for (task, version), counts in handle.counts().items():
        say(f"{task} (version {version}): {counts}")


def show(asked: Show) -> None:
    """Show cells, or all about one."""
    from howsure.errors import ArgumentError, cut
    from howsure.sweeps import Store

    rows = [
        row
        for row in Store(asked.store).rows()
        if row.identity.startswith(asked.cell) and (not asked.failed or row.state == "failed")
    ]
    if asked.cell:
        if len(rows) != 1:
            raise ArgumentError(
                f"`cell` must begin the id of one grid point; {len(rows)} ids begin with {asked.cell!r}."
            )
        _show_one(rows[0])
        return
    for row in rows[: asked.limit]:
        say(cut(_line(row)))
    if len(rows) > asked.limit:
        say(f"… and {len(rows) - asked.limit:,} more; see --limit, or export the store.")


def export(asked: Export) -> None:
    """Write the table of a study."""
    from howsure.sweeps import EXPORTS, Store

    _check_out(asked, EXPORTS)
    Store(asked.store).export(asked.out, force=asked.force)


def chart(asked: Chart) -> None:
    """Draw a study."""
    from howsure import reports
    from howsure.reports import chart_files
    from howsure.reports import sweep as drawing
    from howsure.sweeps import Store
    from howsure.sweeps.store import refuse_damaged

    _check_out(asked, reports.CHARTS)
    rows = Store(asked.store).rows()
    refuse_damaged(rows, asked.store)
    picture = reports.styled(drawing.chart(rows, x=asked.x, y=asked.y, colour=asked.colour, panel=asked.panel))
    chart_files.write(asked.out, chart=lambda: picture)
    say(f"Chart: {asked.out}")


def report(asked: Report) -> None:
    """Write a report of a study."""
    from howsure import reports
    from howsure.sweeps import Store
    from howsure.sweeps.store import refuse_damaged

    _check_out(asked, reports.REPORTS)
    sweep = Store(asked.store).sweep(asked.task or None)
    refuse_damaged(sweep.rows, asked.store)
    written = reports.write_report(sweep, asked.out, force=asked.force)
    say(f"Report: {', '.join(written)}")


def _check_out(asked: Export | Chart | Report, endings: tuple[str, ...]) -> None:
    """Refuse a file that could not or should not be written."""
    from howsure._files import check_outputs

    check_outputs({"out": asked.out}, inputs=[asked.store], endings={"out": endings}, force=asked.force)


def _line(row: "CellRow") -> str:
    from howsure.sweeps.grid import show as words

    short = {name: f"{value:.6g}" if isinstance(value, float) else value for name, value in row.values.items()}
    result = {"done": words(short), "failed": f"failed ({row.stage}): {row.error}"}.get(row.state, row.state)
    return f"{row.identity[:8]}  {words(row.parameters)}  →  {result}"


def _show_one(row: "CellRow") -> None:
    from howsure.sweeps.grid import show as words

    say(f"identity    {row.identity}")
    say(f"task        {row.task} (version {row.version})")
    say(f"parameters  {words(row.parameters)}")
    say(f"state       {row.state}" + (f", at stage {row.stage!r}" if row.stage else ""))
    if row.state != "missing":
        say(f"seconds     {row.seconds:.3g}")
    for name, value in row.values.items():
        say(f"  {name} = {value!r}")
    if row.traceback:
        say(row.traceback.rstrip())
