"""Check input files: format, supported analyses, missing information, and suggested commands."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from howsure.documents import Block, Code, Column, Document, Heading, Points, Sentence, Table, details
from howsure.documents.names import shortened
from howsure.documents.numbers import counted, joined
from howsure.errors import ArgumentError, DataError
from howsure.io.collecting import Collected, LogFile, collect
from howsure.io.column_names import is_gold
from howsure.io.columns import candidates
from howsure.io.files import File, named_files, table_from
from howsure.io.folders import Skipped, short_names
from howsure.io.prospects import Prospects, models_in, of_conditions, prospects
from howsure.io.reading import is_log
from howsure.io.sheets import listed, open_sheet
from howsure.records import Record

LONGEST_NAME = 26
"""Longer names of files are shortened in the table."""

MOST_COMMANDS, MANY_FILES, MOST_ROWS = 3, 5, 21
"""Commands shown by default (with many files, which make them long, only the first), and files in the table."""

MOST_PROBLEMS = 4
"""How much missing information is shown by default."""


@dataclass(frozen=True)
class FileReport:
    """What one file is.

    Attributes
    ----------
    path : str
        As it was typed.
    name : str
        Without its folder, unless several files share that name.
    format : str
        Short: the name of a format, "table" or "not readable".
    kind : str
        The format in words.
    holds : str
        What was found in it.
    n_items, n_models : int or None
        None where it cannot be told which column holds them.
    problems : tuple of str
        What is unclear about the file, and how to make it clear.
    task, model, settings : str
        Of a log: its task, the model, and the settings in which it differs from other logs of that model.
    n_runs, n_lacking : int or None
        Of a log: the most responses to one item, and the responses without a score.
    """

    path: str
    name: str
    format: str
    kind: str
    holds: str
    n_items: int | None = None
    n_models: int | None = None
    problems: tuple[str, ...] = ()
    task: str = ""
    model: str = ""
    settings: str = ""
    n_runs: int | None = None
    n_lacking: int | None = None


@dataclass(frozen=True)
class Diagnosis(Record):
    """What files are and what can be done with them.

    Attributes
    ----------
    files : tuple of FileReport
    supports : tuple of str
        The analyses that are possible.
    lacks : tuple of str
        What is missing or wrong, with its remedy.
    commands : tuple of str
        What to run next; each was tried on these data.
    notes : tuple of str
    skipped : tuple of str
        Files of a folder that are left out, by reason.
    """

    files: tuple[FileReport, ...]
    supports: tuple[str, ...]
    lacks: tuple[str, ...]
    commands: tuple[str, ...]
    notes: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()

    def document(self) -> Document:
        """Return the diagnosis as a document: one line for each file, what is supported, what is missing."""
        blocks: list[Block] = [Sentence(self._verdict, "verdict"), *self._summary(), *self._tables()]
        if self.skipped:
            blocks += [Heading("Files left out"), Points(self.skipped[:MOST_PROBLEMS])]
            blocks += details([Points(self.skipped[MOST_PROBLEMS:])]) if self.skipped[MOST_PROBLEMS:] else []
        if self.supports:
            blocks += [Heading("Supported analyses"), Points(self.supports)]
        if self.lacks:
            first, rest = self.lacks[:MOST_PROBLEMS], self.lacks[MOST_PROBLEMS:]
            how_many = f" ({len(self.lacks)} problems)" if rest else ""
            blocks += [Heading(f"Missing information{how_many}"), Points(first)]
            blocks += details([Points(rest)]) if rest else []
        if self.commands:
            most = MOST_COMMANDS if max(map(len, self.commands[:MOST_COMMANDS])) < 400 else 1
            blocks += [Heading("Suggested commands"), Code("\n".join(self.commands[:most]))]
            blocks += details([Code("\n".join(self.commands[most:]))]) if self.commands[most:] else []
        return Document("What these files are", tuple(blocks), self.notes)

    def _summary(self) -> list[Block]:
        """Return what all files have in common, where there are several."""
        formats = Counter(report.format for report in self.files)
        if len(self.files) < 2:
            return []
        which = f" ({', '.join(formats)})" if len(formats) < 4 else f" of {len(formats)} formats"
        parts = [f"{counted(len(self.files), 'file')}{which}"]
        tasks = {report.task for report in self.files}
        parts += [f"task {tasks.pop()}"] if len(tasks) == 1 and "" not in tasks else []
        sizes = {report.n_items for report in self.files}
        parts += [f"{counted(sizes.pop() or 0, 'item')} in each"] if len(sizes) == 1 and None not in sizes else []
        return [Sentence(f"{', '.join(parts)}.")]

    def _tables(self) -> list[Block]:
        """Return one line for each file, and, as details, further files and what each file holds."""
        if not self.files:
            return []
        narrow = (
            13 if any(report.settings for report in self.files) else 5 if any(r.problems for r in self.files) else 0
        )
        short = shortened((report.name for report in self.files), LONGEST_NAME - narrow)
        models = shortened((report.model for report in self.files), LONGEST_NAME)
        tasks = shortened((report.task for report in self.files), LONGEST_NAME // 2)
        columns: dict[Column, list[Any]] = {
            Column("file"): [short[report.name] for report in self.files],
            Column("format"): [report.format for report in self.files],
            Column("task"): [tasks[report.task] for report in self.files],
            Column("model"): [models[report.model] for report in self.files],
            Column("settings that differ"): [report.settings for report in self.files],
            Column("items", "count"): [report.n_items for report in self.files],
            Column("models", "count"): [report.n_models for report in self.files],
            Column("runs", "count"): [report.n_runs for report in self.files],
            Column("errors", "count"): [report.n_lacking for report in self.files],
            Column("problems", "count"): [len(report.problems) for report in self.files],
        }
        wanted = {
            "format": len({report.format for report in self.files}) > 1 or len(self.files) == 1,
            "task": len({report.task for report in self.files if report.task}) > 1,
            "models": any(report.n_models not in (None, 1) for report in self.files),
            "runs": any((report.n_runs or 0) > 1 for report in self.files),
            "errors": any(report.n_lacking for report in self.files),
            "problems": any(report.problems for report in self.files),
        }
        wanted["problems"] &= not wanted["task"]  # the problems are listed below, too
        wanted["model"] = wanted["settings that differ"] = not wanted["models"] and not wanted["problems"]
        shown = {
            column: cells
            for column, cells in columns.items()
            if wanted.get(column.title, True) and any(cell not in ("", None) for cell in cells)
        }
        rows = tuple(zip(*shown.values(), strict=True))
        contents = tuple(
            (short[report.name], ": ".join(filter(None, (report.kind, report.holds)))) for report in self.files
        )
        tables: list[Block] = [Table(tuple(shown), rows[:MOST_ROWS])]
        if len(rows) > MOST_ROWS:
            tables.append(Sentence(f"And {len(rows) - MOST_ROWS:,} more files (`verbose`)."))
            tables += details([Table(tuple(shown), rows[MOST_ROWS:])])
        return [*tables, Table((Column("file"), Column("contents")), contents, "Contents", detail=True)]

    @property
    def _verdict(self) -> str:
        these = "This file" if len(self.files) == 1 else "These files"
        left_out = f" {counted(_n_left_out(self.skipped), 'file')} left out." if self.skipped else ""
        if not self.files:
            return f"Nothing here can be read.{left_out}"
        verbs = {command.split()[1] for command in self.commands}
        if self.supports and any(
            command.startswith("howsure compare ") and " --a " in command for command in self.commands
        ):
            able = f"{these} can be compared." if len(self.files) > 1 else "The models in this file can be compared."
            return f"{able}{left_out}"
        hold = "holds" if len(self.files) == 1 else "hold"
        if self.supports and "describe" in verbs:
            return f"{these} {hold} ratings to describe, but no two models.{left_out}"
        if self.supports:
            return f"{these} can be scored, but {hold} no two models to compare.{left_out}"
        return f"{these} cannot be compared as {'it is' if len(self.files) == 1 else 'they are'}.{left_out}"


def _n_left_out(skipped: Sequence[str]) -> int:
    return sum(
        int(match[1].replace(",", "")) if (match := re.match(r"([\d,]+) files", said)) else 1 for said in skipped
    )


def doctor(
    files: str | Path | Sequence[str | Path], *, progress: Callable[[int], object] | None = None, **options: Any
) -> Diagnosis:
    r"""Check input files: format, supported analyses, missing information, and suggested commands.

    Parameters
    ----------
    files : path or sequence of paths
        Tables, logs, exports and folders of them; `name=path` gives a source its name, as on the command line.
    progress : callable, optional
        Called with 1 after each log.
    **options
        Those of `howsure.read`, such as `scorer`.

    Returns
    -------
    Diagnosis

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = open(f"{folder}/t.csv", "w").write("item,model,score\n1,x,3\n1,y,4\n2,x,1\n2,y,5\n")
    ...     print(doctor(f"{folder}/t.csv").supports[0])
    x and y can be compared by their own scores, without gold; higher is better unless you add --better lower.
    """
    paths = [str(files)] if isinstance(files, str | Path) else [str(path) for path in files]
    given = {name: value for name, value in options.items() if value}
    left_out: list[Skipped] = []
    try:
        found = named_files(paths, left_out)
    except DataError as error:
        if not any(Path(path).is_dir() for path in paths):
            raise
        return Diagnosis((), (), (str(error),), (), skipped=_by_reason(left_out, {}))
    names = short_names([file.path for file in found] + [skip.path for skip in left_out])
    logs = [file for file in found if _is_log(file)]
    collected = _collected(logs, progress)
    reports = [_look(file, given, names, collected) for file in found]
    lacks = [problem for report in reports for problem in report.problems]
    prospect = _prospects(found, paths, given, collected, whole=len(logs) == len(found))
    told = [_plainly(said, names) for said in prospect.lacks]
    return Diagnosis(
        tuple(reports),
        tuple(prospect.supports),
        tuple(dict.fromkeys([*lacks, *told])),
        tuple(prospect.commands),
        tuple(type(note)(_plainly(note, names)) for note in prospect.notes),
        _by_reason(left_out, names),
    )


def _is_log(file: File) -> bool:
    try:
        return is_log(file.path)
    except DataError:
        return False


def _collected(logs: Sequence[File], progress: Callable[[int], object] | None) -> Collected:
    """Read every log once; what cannot be read is among the skipped."""
    listed_files = [(file.name, file.path) for file in logs]
    try:
        collected = collect([(None, path) for _, path in listed_files], fewest=0, progress=progress)
    except DataError as error:  # a single file that cannot be read
        return Collected(skipped=[Skipped(str(logs[0].path), str(error))])
    for log in collected.files:
        log.called = next((name for name, path in listed_files if str(path) == log.path), None)
    collected.settle({}, ())
    return collected


def _prospects(
    found: Sequence[File], paths: Sequence[str], given: dict[str, Any], collected: Collected, *, whole: bool
) -> Prospects:
    """Return what can be done with the files, and what stands in the way."""
    try:
        if whole:
            return prospects(paths, given, collected, found)
        table = table_from(paths, **given)
    except (ArgumentError, DataError) as error:
        other = of_conditions(found, paths, given)
        return other or Prospects(lacks=[str(error)])
    return of_conditions(found, paths, given, table) or prospects(paths, given, collected, found, table)


def _by_reason(skipped: Sequence[Skipped], names: dict[str, str]) -> tuple[str, ...]:
    """Return one line for each reason, with the number of files and the first of them."""
    reasons = Counter(_plainly(skip.reason, names) for skip in skipped)
    first = {_plainly(skip.reason, names): names.get(skip.path, skip.path) for skip in reversed(skipped)}
    return tuple(
        f"{first[reason]}: {reason.rstrip('.')}."
        if n == 1
        else f"{n:,} files: {reason.rstrip('.')} (first: {first[reason]})."
        for reason, n in reasons.items()
    )


def _plainly(said: str, names: dict[str, str]) -> str:
    """Return a message with names of files in place of paths, and options as `howsure compare` takes them."""
    for path in sorted((path for path in names if path in said), key=len, reverse=True):
        said = said.replace(path, names[path])
    said = re.sub(r"`(\w+)='([^'`]*)'`", lambda found: f"--{found[1].replace('_', '-')} {found[2]}", said)
    return re.sub(r"`(\w+)`", lambda found: f"--{found[1].replace('_', '-')}", said)


def _look(file: File, given: dict[str, Any], names: dict[str, str], collected: Collected) -> FileReport:
    """Return what one file is and what is unclear about it."""
    name = names[file.path]
    for number, log in enumerate(collected.files):
        if log.path == str(file.path):
            return _look_at_log(number, log, given, name, collected)
    reason = next((skip.reason for skip in collected.skipped if skip.path == str(file.path)), None)
    try:
        if reason is not None:
            raise DataError(reason)
        sheet = open_sheet(file.path, encoding=given.get("encoding"), sheet=given.get("sheet"))
    except DataError as error:
        told = _plainly(str(error), names)
        return FileReport(file.path, name, "not readable", "not readable", "", problems=(told,))
    alike = {role: candidates(sheet, role) for role in ("item", "source", "value", "rater", "repeat")}
    roles = [f"{role}: {' or '.join(columns)}" for role, columns in alike.items() if columns]
    holds = f"{counted(sheet.frame.height, 'row')}; {'; '.join(roles) or 'no column whose role is clear'}"
    ids = {
        role: sheet.ids(alike[role][0]).drop_nulls().unique().to_list()
        if len(alike[role]) == 1 and alike[role][0] not in sheet.nested
        else None
        for role in ("item", "source")
    }
    n_items = None if ids["item"] is None else len(ids["item"])
    n_models = None if ids["source"] is None else len(models_in(sheet, alike["source"][0]))
    if ids["source"] is None:
        from howsure.io.columns import Layout
        from howsure.io.wide import wide_sources

        n_models = sum(not is_gold(source) for source in wide_sources(sheet, Layout())) or None
    n = counted(len(sheet.columns), "column")
    return FileReport(file.path, name, f"table, {n}", f"a table of {n}", holds, n_items, n_models)


def _look_at_log(number: int, log: LogFile, given: dict[str, Any], name: str, collected: Collected) -> FileReport:
    choices = collected.choices(number)
    problems = [
        f"{name} has {len(held)} {role}s ({joined(held, 3)}); choose one with --{role}."
        for role, held in choices.items()
        if len(held) > 1 and not given.get(role) and not (role == "scorer" and log.header.default in held)
    ]
    sources, n_raters = collected.sources_of(number) or [log.model], collected.n_raters_of(number)
    parts = [
        counted(log.n_items, "item"),
        listed(sources),
        *([counted(n_raters, "rater")] if n_raters else []),
        *([f"{log.n_lacking:,} without a score"] if log.n_lacking else []),
    ]
    return FileReport(
        log.path,
        name,
        log.reader.name,
        log.reader.title,
        "; ".join(parts),
        log.n_items,
        sum(not is_gold(source) for source in sources),
        tuple(problems),
        log.header.task,
        log.header.model if len(sources) == 1 else counted(len(sources), "source"),
        log.condition,
        log.n_runs,
        log.n_lacking,
    )
