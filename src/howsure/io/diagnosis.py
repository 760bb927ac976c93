"""Check input files: format, supported analyses, missing information, and suggested commands."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from howsure.documents import Block, Code, Column, Document, Heading, Points, Sentence, Table, details
from howsure.documents.names import shortened
from howsure.documents.numbers import counted, joined
from howsure.errors import ArgumentError, DataError
from howsure.io.columns import PEOPLE, are_people, candidates
from howsure.io.files import File, named_files, table_from
from howsure.io.logs import NOTHING, collect
from howsure.io.readers.known import recognise
from howsure.io.reading import is_log
from howsure.io.sheets import Sheet, listed, open_sheet
from howsure.records import Record
from howsure.response_tables import ResponseTable

GOLD = {"human", "gold", "reference", "ground truth", "truth", "expert", "target", "people", "raters"}
"""Names of sources that are more likely to be gold than a model."""

LONGEST_NAME = 26
"""Longer names of files are shortened in the table."""

MOST_LABELS = 30
"""A column with more different words than this is text, not labels."""


MOST_COMMANDS, MANY_FILES = 3, 5
"""So many commands are shown by default; with many files, which make them long, only the first."""

MOST_PROBLEMS = 4
"""So much missing information is shown by default."""


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
    """

    path: str
    name: str
    format: str
    kind: str
    holds: str
    n_items: int | None = None
    n_models: int | None = None
    problems: tuple[str, ...] = ()


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
        What to run next.
    notes : tuple of str
    """

    files: tuple[FileReport, ...]
    supports: tuple[str, ...]
    lacks: tuple[str, ...]
    commands: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def document(self) -> Document:
        """Return the diagnosis as a document: one line for each file, what is supported, what is missing."""
        blocks: list[Block] = [Sentence(self._verdict, "verdict"), *self._tables()]
        if self.supports:
            blocks += [Heading("Supported analyses"), Points(self.supports)]
        if self.lacks:
            first, rest = self.lacks[:MOST_PROBLEMS], self.lacks[MOST_PROBLEMS:]
            how_many = f" ({len(self.lacks)} problems)" if rest else ""
            blocks += [Heading(f"Missing information{how_many}"), Points(first)]
            blocks += details([Points(rest)]) if rest else []
        if self.commands:
            most = MOST_COMMANDS if len(self.files) <= MANY_FILES else 1
            blocks += [Heading("Suggested commands"), Code("\n".join(self.commands[:most]))]
            blocks += details([Code("\n".join(self.commands[most:]))]) if self.commands[most:] else []
        return Document("What these files are", tuple(blocks), self.notes)

    def _tables(self) -> tuple[Table, Table]:
        """Return one line for each file, and, as a detail, what each file holds."""
        columns = (
            Column("file"),
            Column("format"),
            Column("items", "count"),
            Column("models", "count"),
            Column("problems", "count"),
        )
        short = shortened((report.name for report in self.files), LONGEST_NAME)
        rows = tuple(
            (short[report.name], report.format, report.n_items, report.n_models, len(report.problems))
            for report in self.files
        )
        contents = tuple(
            (short[report.name], ": ".join(filter(None, (report.kind, report.holds)))) for report in self.files
        )
        return Table(columns, rows), Table((Column("file"), Column("contents")), contents, "Contents", detail=True)

    @property
    def _verdict(self) -> str:
        these = "This file" if len(self.files) == 1 else "These files"
        if self.supports and any(command.startswith("howsure compare ") for command in self.commands):
            return f"{these} can be compared." if len(self.files) > 1 else "The models in this file can be compared."
        if self.supports:
            return f"{these} {'holds' if len(self.files) == 1 else 'hold'} ratings to describe, but no two models."
        return f"{these} cannot be compared as {'it is' if len(self.files) == 1 else 'they are'}."


def doctor(files: str | Path | Sequence[str | Path], **options: Any) -> Diagnosis:
    r"""Check input files: format, supported analyses, missing information, and suggested commands.

    Parameters
    ----------
    files : path or sequence of paths
        Tables, logs and exports; `name=path` gives a source its name, as on the command line.
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
    x and y can be compared by their own scores, without gold.
    """
    paths = [str(files)] if isinstance(files, str | Path) else [str(path) for path in files]
    found = named_files(paths)
    names = _names([file.path for file in found])
    reports, lacks = [], list[str]()
    choices: dict[str, Any] = {}
    for file in found:
        report, chosen = _look(file, options, names)
        reports.append(report)
        lacks += report.problems
        choices |= {name: value for name, value in chosen.items() if name not in choices}
    settings = {name: value for name, value in options.items() if value} | choices
    try:
        table = table_from(paths, **settings)
    except (ArgumentError, DataError) as error:
        told = tuple(dict.fromkeys([*lacks, _plainly(str(error), names)]))
        other = _of_one_table(found, paths, settings)
        return Diagnosis(tuple(reports), other[:1], () if other else told, other[1:])
    notes = tuple(type(note)(_plainly(note, names)) for note in table.notes)
    if _gold(table) is None and (other := _of_one_table(found, paths, settings, columns=False)):
        return Diagnosis(tuple(reports), other[:1], tuple(lacks), other[1:], notes)
    supports, more, commands = _prospects(table, found, paths, settings)
    return Diagnosis(tuple(reports), tuple(supports), (*lacks, *more), tuple(commands), notes)


def _names(paths: Sequence[str]) -> dict[str, str]:
    """Return the name of each file without its folder; files of the same name keep the last folder.

    Examples
    --------
    >>> _names(["logs/a/run.json", "logs/b/run.json", "logs/b/x.csv"])
    {'logs/a/run.json': 'a/run.json', 'logs/b/run.json': 'b/run.json', 'logs/b/x.csv': 'x.csv'}
    """
    names = [Path(path).name or path for path in paths]
    return {
        path: name if names.count(name) == 1 else "/".join(Path(path).parts[-2:])
        for path, name in zip(paths, names, strict=True)
    }


def _plainly(said: str, names: dict[str, str]) -> str:
    """Return a message with names of files in place of paths, and options as `howsure compare` takes them."""
    for path in sorted(names, key=len, reverse=True):
        said = said.replace(path, names[path])
    return re.sub(r"`(item|source|value|rater|repeat)`", r"--\1", said.replace("scale='nominal'", "--scale nominal"))


def _look(file: File, options: dict[str, Any], names: dict[str, str]) -> tuple[FileReport, dict[str, Any]]:
    """Return what one file is and what is unclear about it, and which settings would make it clear."""
    name = names[file.path]
    try:
        if is_log(file.path):
            return _look_at_log(file, options, name)
        sheet = open_sheet(file.path, encoding=options.get("encoding"))
    except DataError as error:
        return FileReport(
            file.path, name, "not readable", "not readable", "", problems=(_plainly(str(error), names),)
        ), {}
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
    n_models = None if ids["source"] is None else _n_models(ids["source"])
    n = len(sheet.columns)
    report = FileReport(
        file.path,
        name,
        f"table, {counted(n, 'column')}",
        f"a table of {counted(n, 'column')}",
        holds,
        n_items,
        n_models,
    )
    return report, {}


def _n_models(sources: Sequence[str | None]) -> int:
    """Return how many sources are models, as far as names tell."""
    return sum(name is None or name.lower() not in GOLD for name in sources)


def _look_at_log(file: File, options: dict[str, Any], name: str) -> tuple[FileReport, dict[str, Any]]:
    known = recognise(file.path)
    assert known is not None
    collected = collect(file.path)
    header, frame = collected.files[0].header, collected.frame()
    scored = frame.filter(frame["kind"] != NOTHING)
    problems, chosen = [], dict[str, Any]()
    tasks = [
        task for code in frame["task"].unique(maintain_order=True) if code >= 0 and (task := collected.tasks.all[code])
    ]
    own = scored
    if len(tasks) > 1 and not options.get("where"):
        chosen["where"] = (f"task={tasks[0]}",)
        own = scored.filter(scored["task"] == collected.tasks(tasks[0]))
        problems.append(f"{name} has {len(tasks)} tasks ({listed(tasks)}); choose one with --where task={tasks[0]}.")
    for role, held_names in (("filter", collected.filters), ("scorer", collected.scorers)):
        held = [held_names.all[code] for code in own[role].unique(maintain_order=True)]
        if len(held) > 1 and not options.get(role) and not (role == "scorer" and header.default in held):
            chosen[role] = held[0]
            problems.append(f"{name} has {len(held)} {role}s ({_few(held)}); choose one with --{role}.")
    sources = [collected.sources.all[code] for code in frame["source"].unique(maintain_order=True) if code >= 0]
    n_raters = frame["rater"].filter(frame["rater"] >= 0).n_unique()
    n_items = frame["item"].n_unique()
    parts = [
        counted(n_items, "item"),
        f"{listed(sources) if sources else header.model}",
        *([counted(n_raters, "rater")] if n_raters else []),
        *([f"{frame.height - scored.height:,} without a score"] if frame.height > scored.height else []),
    ]
    title, holds = known[0].title, "; ".join(parts)
    n_models = _n_models(sources or [header.model])
    report = FileReport(file.path, name, known[0].name, title, holds, n_items, n_models, tuple(problems))
    return report, chosen


def _prospects(
    table: ResponseTable, files: Sequence[File], paths: Sequence[str], settings: dict[str, Any]
) -> tuple[list[str], list[str], list[str]]:
    """Return what a table supports, what it lacks, and the commands for it."""
    gold = _gold(table)
    models = [name for name in table.sources if name != gold]
    supports, lacks, commands = [], list[str](), list[str]()
    flags = [word for name, value in settings.items() for word in _flag(name, value)]

    def command(verb: str, *more: str) -> str:
        return shlex.join(["howsure", verb, *paths, *flags, *more])

    against = () if gold is None else ("--gold", gold)
    if len(models) >= 2:
        a, b = models[:2]
        better = "" if not table.better else f"; {table.better} is better"
        by = f"their own scores, without gold{better}" if gold is None else f"how close they are to {gold}"
        supports.append(f"{a} and {b} can be compared by {by}.")
        commands.append(command("compare", *against, "--a", a, "--b", b))
        if len(models) > 2:
            supports.append(f"All {len(models)} models can be ranked ({_few(models)}).")
            commands.append(command("leaderboard", *against))
    elif models and are_people(models[0]):
        lacks.append(f"The data hold human answers ({models[0]}) but no model. Add the logs of two models.")
    elif models:
        lacks.append(
            f"The data hold only one model, {models[0]}. Logs with the same model name count as repeats; if the models "
            "differ, name them (name=FILE)."
        )
        if len(files) > 1 and all(file.name is None for file in files):
            named = [f"{Path(file.path).stem}={file.path}" for file in files]
            commands.append(shlex.join(["howsure", "compare", *named[:2], *flags]))
    rated = [name for name, source in table.sources.items() if source.raters is not None]
    if any(source.raters is not None and np.unique(source.raters).size > 1 for source in table.sources.values()):
        supports.append(f"The agreement of raters can be estimated ({_few(rated)}).")
        commands.append(command("describe"))
    elif (len(models) >= 2 or gold is not None) and not set(models) <= set(table.repeats):
        lacks.append("The data have no rater ids, so results hold for these raters or runs only.")
    single = [name for name in table.sources if table.sources[name].n_responses <= 1]
    if single:
        have = "has" if len(single) == 1 else "have"
        lacks.append(f"{_few(single)} {have} one response per item, so we cannot estimate the variance within items.")
    commands.append(command("convert", "--out", "table.parquet"))
    return supports, lacks, commands


def _few(names: Sequence[str]) -> str:
    return joined(list(names), 3)


def _gold(table: ResponseTable) -> str | None:
    """Return the source that is probably gold: by its name, else the only one with raters."""
    named = [name for name in table.sources if name.lower() in GOLD]
    rated = [name for name, source in table.sources.items() if source.raters is not None]
    found = named or (rated if len(rated) == 1 else [])
    return found[0] if found and len(table.sources) > 1 else None


def _flag(name: str, value: Any) -> list[str]:
    flag = f"--{name.replace('_', '-')}"
    values = value if isinstance(value, list | tuple) else [value]
    return [word for entry in values for word in (flag, str(entry))]


def _of_one_table(
    files: Sequence[File], paths: Sequence[str], settings: dict[str, Any], *, columns: bool = True
) -> tuple[str, ...]:
    """Return how to compare the sources of one table that conditions select, or that are its columns."""
    if len(files) != 1 or files[0].name is not None or is_log(files[0].path):
        return ()
    try:
        sheet = open_sheet(files[0].path, encoding=settings.get("encoding"))
        found = {role: candidates(sheet, role) for role in ("item", "source", "value")}
        if found["source"] and found["value"]:
            said, roles = (
                "Long layout: conditions on columns select gold and the models.",
                _conditions(sheet, found["source"][0]),
            )
        else:
            said, roles = (
                "Wide layout: each column holds one source (gold labels or a model).",
                _columns(sheet, found["item"]) if columns else [],
            )
    except DataError:
        return ()
    return (said, shlex.join(["howsure", "compare", *paths, *roles])) if roles else ()


def _conditions(sheet: Sheet, source: str) -> list[str]:
    """Return gold, A and B where another column says who is human."""
    for column in sheet.columns:
        kinds = [] if column == source or column in sheet.nested else sheet.ids(column).drop_nulls().unique().to_list()
        people = [kind for kind in kinds if kind.lower() in GOLD]
        if people and len(kinds) <= MOST_LABELS:
            others = (sheet.ids(column) != people[0]).fill_null(False)
            models = sheet.ids(source).filter(others).drop_nulls().unique(maintain_order=True).to_list()
            if len(models) > 1:
                a, b = (f"{source}={name}" for name in models[:2])
                return ["--gold", f"{column}={people[0]}", "--a", a, "--b", b]
    return []


def _columns(sheet: Sheet, items: Sequence[str]) -> list[str]:
    """Return gold, A and B where columns are sources; columns that are numbered belong together."""
    groups: dict[str, list[str]] = {}
    for column in sheet.columns:
        if column not in items and _holds_values(sheet, column):
            groups.setdefault(re.sub(r"[_\- ]?\d+$", "", column), []).append(column)
    specs = {stem: columns[0] if len(columns) == 1 else f"{stem}*" for stem, columns in groups.items()}
    gold = next((stem for stem in specs if set(re.findall(r"[a-z]+", stem.lower())) & (PEOPLE | GOLD)), None)
    models = [spec for stem, spec in specs.items() if stem != gold]
    if len(models) < 2:
        return []
    return [*([] if gold is None else ["--gold", specs[gold]]), "--a", models[0], "--b", models[1]]


def _holds_values(sheet: Sheet, column: str) -> bool:
    if column in sheet.nested:
        return False
    cells = sheet.ids(column).drop_nulls()
    numbers = cells.str.strip_chars().cast(pl.Float64, strict=False)
    return len(cells) > 0 and (bool(numbers.is_not_null().all()) or cells.n_unique() <= MOST_LABELS)
