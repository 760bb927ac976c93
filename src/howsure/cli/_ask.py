"""From a question to a command: parse, answer with a progress bar, and show the document."""

import sys
from dataclasses import dataclass, replace
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import click

from howsure._fields import Checked, like, option
from howsure.cli import _commands
from howsure.cli._progress import progress
from howsure.errors import ArgumentError, HowsureError
from howsure.wording.options import as_options

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from howsure.documents import Document
    from howsure.questions.base import Question, Run, Written
    from howsure.records import Record
    from howsure.sweeps import Grid, Sweep, Task

OUTPUT = "Output"
COMPUTING = "Computing"


@dataclass(frozen=True, kw_only=True)
class Output(Checked):
    """What is done with an answer."""

    verbose: bool = option(False, "Show every detail and every note of the result.", group=OUTPUT, common=True)
    json: bool = option(False, "Print one JSON object instead of text.", group=OUTPUT, common=True)
    chart: str | None = option(
        None,
        "Plot the result to this file: .html, .svg, .png, .pdf or .json.",
        group=OUTPUT,
        metavar="FILE",
        common=True,
    )
    report: str | None = option(
        None,
        "Write a report to this file: .html, .md, .tex, .json, or tables as .csv.",
        group=OUTPUT,
        metavar="FILE",
        common=True,
    )
    force: bool = option(False, "Overwrite existing files.", group=OUTPUT)


@dataclass(frozen=True, kw_only=True)
class Threads(Checked):
    """How many threads compute."""

    workers: int | None = option(
        None, "Number of threads. Default: one per core.", at_least=1, at_most=1024, group=COMPUTING
    )

    def run(self) -> "Run":
        """Return how to compute."""
        from howsure.questions.base import Run

        return Run(workers=self.workers, progress=progress)


@dataclass(frozen=True, kw_only=True)
class Here:
    """Nothing to choose: the answer takes no time."""

    def run(self) -> "Run":
        """Return how to compute."""
        from howsure.questions.base import HERE

        return HERE


@dataclass(frozen=True, kw_only=True)
class GateFiles(Here, Checked):
    """Files that other programs read of a gate."""

    junit: str | None = option(None, "Write the verdicts as a JUnit file (.xml).", group=OUTPUT, metavar="FILE")
    markdown: str | None = option(
        None, "Write a comment for a pull request to this file (.md).", group=OUTPUT, metavar="FILE", common=True
    )
    ENDINGS: ClassVar[dict[str, tuple[str, ...]]] = {"junit": (".xml",), "markdown": (".md",)}

    @property
    def outputs(self) -> dict[str, str | None]:
        """The files by option."""
        return {"junit": self.junit, "markdown": self.markdown}

    def write(self, result: "Record") -> None:
        """Write what was asked for."""
        from howsure import _files

        for path, made in ((self.junit, "junit"), (self.markdown, "comment")):
            if path is None:
                continue
            if not hasattr(result, made):
                raise ArgumentError("`junit` and `markdown` are for verdicts; leave them out with `check`.")
            _files.write_text(path, getattr(result, made)())


@dataclass(frozen=True, kw_only=True)
class StudyOptions(Checked):
    """Where a study of many cells is computed and kept."""

    store: str | None = option(
        None,
        "Keep finished grid points in this file and continue from it the next time.",
        group=COMPUTING,
        metavar="FILE",
        common=True,
    )
    workers: int | None = option(
        None, "Number of processes. Default: threads.", at_least=1, at_most=1024, group=COMPUTING
    )
    dask: str | None = option(
        None,
        "Address of a Dask cluster (tcp://host:8786), or local to start one.",
        group=COMPUTING,
        metavar="ADDRESS",
    )
    retry: bool = option(False, "Compute failed grid points again.", group=COMPUTING)

    def compute(self, task: "Task", grid: "Grid", seed: int | None, *, threads: int | None = None) -> "Sweep":
        """Compute the cells that are not in the store yet; without processes or a cluster on threads, if any."""
        from howsure.cli._study import run_study

        place = None if self.store is None else Path(self.store)
        how: dict[str, Any] = {"workers": self.workers, "dask": self.dask, "retry": self.retry}
        return run_study(task, grid, store=place, rng=seed, threads=threads, **how)

    def run(self) -> "Run":
        """Return how to compute."""
        from howsure._random import n_workers
        from howsure.cli._study import FINISHED_WITH_FAILURES
        from howsure.questions.base import Run

        def study(task: "Task", grid: "Grid", seed: int) -> "Sweep":
            sweep = self.compute(task, grid, seed, threads=n_workers(None))
            if sweep.failures:
                print(f"howsure: {sweep}", file=sys.stderr)
                raise click.exceptions.Exit(FINISHED_WITH_FAILURES)
            return sweep

        return Run(progress=progress, study=study, study_asked=True)


@dataclass(frozen=True, kw_only=True)
class ThreadsOrStudy(Threads):
    """Threads here, or a study of many cells that is kept or computed elsewhere."""

    store: str | None = like(StudyOptions, "store", common=False)
    dask: str | None = like(StudyOptions, "dask")

    def run(self) -> "Run":
        """Return how to compute."""
        if self.store is None and self.dask is None:
            return super().run()
        return StudyOptions(store=self.store, dask=self.dask, workers=self.workers).run()


def command(
    question: "type[Question]", computing: type = Threads, kind: type[_commands.Command] = _commands.Command
) -> click.Command:
    """Return the command of a question; `kind` is the class of a command that ends in a way of its own."""
    groups = (question, computing, Output)
    file = question.written
    flags = _commands.flags_of(*groups) | ({} if file is None else {file.name: f"--{file.name}"})

    def ask(**typed: Any) -> None:
        output = _commands.record_from(Output, typed)
        place = None if file is None else typed[file.name]
        asked: Question = _commands.record_from(question, typed)
        where = _commands.record_from(computing, typed)
        if output.chart is not None:
            from howsure.reports import check_drawn

            check_drawn(asked.result)
        inputs = [*_read_by(asked), *filter(None, [getattr(where, "store", None)])]
        check_output(output, inputs, file, place)
        if isinstance(where, GateFiles):
            from howsure import _files

            _files.check_outputs(where.outputs, inputs=inputs, endings=GateFiles.ENDINGS, force=output.force)
        run: Run = where.run()
        import warnings

        from howsure.errors import HowsureWarning

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HowsureWarning)  # the same words are among the notes
            result = asked.answer(run)
        if place is not None:
            asked.write(result, place)
        if isinstance(where, GateFiles):
            where.write(result)
        show(result, output, asked, flags)
        if place is not None and not output.json:
            say(f"Written to {place}.")
        if result.exit_code:
            raise click.exceptions.Exit(result.exit_code)

    params = _commands.parameters(*groups)
    if file is not None:
        params.append(_commands.file_option(file.name, file.help, OUTPUT))
    if question.reads_settings:
        params.append(_config())
    said: dict[str, Any] = {"help": cleandoc(question.__doc__ or ""), "examples": question.examples}
    return kind(question.name.split()[-1], flags=flags, params=params, callback=ask, **said)


def _config() -> click.Option:
    """Return the option that reads settings from a file; they are defaults, so that the command line wins."""
    said = "Read options from this file: .toml, or .yml or .yaml of NLPStatTest."
    how: dict[str, Any] = {"is_eager": True, "expose_value": False, "callback": _read_config}
    return _commands.file_option("config", said, "Settings", common=False, **how)


def _read_config(context: click.Context, _: click.Parameter, path: str | None) -> None:
    if path is None:
        return
    from howsure.questions.score_settings import read_settings

    settings = read_settings(path)
    for parameter in context.command.params:
        if isinstance(parameter, _commands.FieldOption) and parameter.field.name in settings:
            try:
                _commands.checked_setting(parameter.field, settings[parameter.field.name])
            except HowsureError as error:
                raise type(error)(f"{path}: {error}") from None
    context.default_map = {**(context.default_map or {}), **settings}


def check_output(
    output: Output, inputs: "Iterable[str]" = (), file: "Written | None" = None, place: str | None = None
) -> None:
    """Refuse output that could not be written, or would replace what is read, before any work is done."""
    from howsure import _files, reports

    places = {"chart": output.chart, "report": output.report}
    endings: dict[str, tuple[str, ...]] = {"chart": reports.CHARTS, "report": reports.REPORTS}
    if file is not None:
        places[file.name], endings[file.name] = place, file.endings
    _files.check_outputs(places, inputs=inputs, endings=endings, force=output.force)


def _read_by(asked: "Question") -> "Iterator[str]":
    """Yield what may be the paths of a question's files: ratings.csv, human=ratings.csv, human=ratings.csv:label."""
    for text in (*getattr(asked, "files", ()), *filter(None, [getattr(asked, "file", None)])):
        path = text.partition("=")[2]
        yield from (text, path or text, (path or text).rpartition(":")[0] or text)


def show(
    result: "Record", output: Output, asked: "Question | None" = None, flags: "Mapping[str, str] | None" = None
) -> None:
    """Print the result, and write its chart and report where they were asked for."""
    written = ""
    if output.chart is not None or output.report is not None:
        from howsure import reports

        if output.chart is not None:
            reports.write_chart(result, output.chart)
        if output.report is not None:
            written = ", ".join(reports.write_report(result, output.report, asked, force=output.force))
    if output.json:
        for piece in result.json_pieces():
            say(piece, end="")
        say("")
        return
    say(as_text(result.document(), flags, verbose=output.verbose))
    for name, files in (("Chart", output.chart), ("Report", written)):
        if files:
            say(f"{name}: {files}")


def as_text(document: "Document", flags: "Mapping[str, str] | None" = None, *, verbose: bool = False) -> str:
    """Return the document for the terminal: sentences and notes name the options of the command as they are typed."""
    from howsure.documents import Sentence, text

    notes = tuple(type(note)(as_options(note, flags)) for note in document.notes)
    blocks = tuple(
        replace(block, text=as_options(block.text, flags)) if isinstance(block, Sentence) else block
        for block in document.blocks
    )
    shown, terminal = replace(document, blocks=blocks, notes=notes), sys.stdout.isatty()
    said = text.render(shown, width=terminal_width(), wrap=terminal, verbose=verbose)
    return (
        f"{said}\nMore with --verbose, or in a --report." if terminal and text.is_short(shown) and not verbose else said
    )


def terminal_width() -> int:
    """Return how wide output may be: as wide as the terminal, or as COLUMNS says, which defaults to 80."""
    import os
    import shutil

    from howsure.documents.text import WIDTH

    if sys.stdout.isatty():
        return max(60, shutil.get_terminal_size((WIDTH, 24)).columns)
    typed = os.environ.get("COLUMNS", "")
    return max(60, int(typed)) if typed.isdecimal() else WIDTH


def say(said: str, end: str = "\n") -> None:
    """Print to stdout; what its encoding cannot show is replaced, and never a reason to stop."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        said.encode(encoding)
    except UnicodeEncodeError:
        for fancy, simple in zip("┏┳┓┡╇┩┃│└┴┘━─←−×–’≤≥±", "++++++||+++--<-x-'<>~", strict=True):
            said = said.replace(fancy, simple)
        said = said.encode(encoding, errors="replace").decode(encoding)
    print(said, end=end)
