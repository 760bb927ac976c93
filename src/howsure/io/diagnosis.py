"""What files are, what can be asked of them, what they lack, and which commands to run next."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from howsure.documents import Code, Column, Document, Heading, Sentence, Table
from howsure.documents.numbers import counted, joined
from howsure.errors import ArgumentError, DataError
from howsure.io._columns import candidates
from howsure.io._responders import PEOPLE, are_people
from howsure.io.file_names import File, named_files
from howsure.io.layouts import table_from
from howsure.io.logs import collect
from howsure.io.readers.collecting import NOTHING
from howsure.io.readers.known import recognise
from howsure.io.reading import is_log
from howsure.io.sheets import Sheet, listed, open_sheet
from howsure.records import Record
from howsure.response_tables import ResponseTable

GOLD = {"human", "gold", "reference", "ground truth", "truth", "expert", "target", "people", "raters"}
"""Names of sources that are more likely to be the standard than a model."""

MOST_LABELS = 30
"""A column with more different words than this is text, not labels."""


@dataclass(frozen=True)
class FileReport:
    """What one file is.

    Attributes
    ----------
    path : str
    kind : str
        What it is, in words.
    holds : str
        What was found in it.
    """

    path: str
    kind: str
    holds: str


@dataclass(frozen=True)
class Diagnosis(Record):
    """What files are and what can be done with them.

    Attributes
    ----------
    files : tuple of FileReport
    supports : tuple of str
        What can be asked of them.
    lacks : tuple of str
        What is missing or in the way, with its remedy.
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
        """Return the diagnosis as a document."""
        columns = (Column("file"), Column("what it is"), Column("what it holds"))
        rows = tuple((report.path, report.kind, report.holds) for report in self.files)
        blocks: list[Any] = [Sentence(self._verdict, "verdict"), Table(columns, rows)]
        for title, sentences in (("What they support", self.supports), ("What they lack", self.lacks)):
            if sentences:
                blocks += [Heading(title), *(Sentence(sentence) for sentence in sentences)]
        if self.commands:
            blocks += [Heading("Run next"), Code("\n".join(self.commands))]
        return Document("What these files are", tuple(blocks), self.notes)

    @property
    def _verdict(self) -> str:
        if self.supports and any(command.startswith("howsure compare ") for command in self.commands):
            return "These files can be compared."
        if self.supports:
            return "These files hold no two models to compare; the ratings in them can be described."
        return "These files cannot be compared as they are."


def doctor(files: str | Path | Sequence[str | Path], **options: Any) -> Diagnosis:
    r"""Look at files: what they are, what they support, what they lack, and the commands to run next.

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
    reports, lacks = [], list[str]()
    choices: dict[str, Any] = {}
    for file in found:
        report, said, chosen = _look(file, options)
        reports.append(report)
        lacks += said
        choices |= {name: value for name, value in chosen.items() if name not in choices}
    settings = {name: value for name, value in options.items() if value} | choices
    try:
        table = table_from(paths, **settings)
    except (ArgumentError, DataError) as error:
        told = tuple(dict.fromkeys([*lacks, str(error)]))
        other = _of_one_table(found, paths, settings)
        return Diagnosis(tuple(reports), other[:1], () if other else told, other[1:])
    if _gold(table) is None and (other := _of_one_table(found, paths, settings, columns=False)):
        return Diagnosis(tuple(reports), other[:1], tuple(lacks), other[1:], table.notes)
    supports, more, commands = _prospects(table, found, paths, settings)
    return Diagnosis(tuple(reports), tuple(supports), (*lacks, *more), tuple(commands), table.notes)


def _look(file: File, options: dict[str, Any]) -> tuple[FileReport, list[str], dict[str, Any]]:
    """Say what one file is, what is unclear about it, and what would make it clear."""
    try:
        if is_log(file.path):
            return _look_at_log(file, options)
        sheet = open_sheet(file.path, encoding=options.get("encoding"))
    except DataError as error:
        return FileReport(file.path, "unreadable", ""), [str(error)], {}
    roles = []
    for role in ("item", "source", "value", "rater", "repeat"):
        alike = candidates(sheet, role)
        roles += [f"{role}: {' or '.join(alike)}"] if alike else []
    holds = f"{counted(sheet.frame.height, 'row')}; {'; '.join(roles) or 'no column whose role is clear'}"
    return FileReport(file.path, f"a table of {len(sheet.columns)} columns", holds), [], {}


def _look_at_log(file: File, options: dict[str, Any]) -> tuple[FileReport, list[str], dict[str, Any]]:
    known = recognise(file.path)
    assert known is not None
    collected = collect(file.path)
    header, frame = collected.files[0].header, collected.frame()
    scored = frame.filter(frame["kind"] != NOTHING)
    lacks, chosen = [], dict[str, Any]()
    tasks = [
        name for code in frame["task"].unique(maintain_order=True) if code >= 0 and (name := collected.tasks.all[code])
    ]
    own = scored
    if len(tasks) > 1 and not options.get("where"):
        chosen["where"] = (f"task={tasks[0]}",)
        own = scored.filter(scored["task"] == collected.tasks(tasks[0]))
        lacks.append(f"{file.path} has {len(tasks)} tasks ({listed(tasks)}); choose one with --where task={tasks[0]}.")
    for role, names in (("filter", collected.filters), ("scorer", collected.scorers)):
        held = [names.all[code] for code in own[role].unique(maintain_order=True)]
        if len(held) > 1 and not options.get(role) and not (role == "scorer" and header.default in held):
            chosen[role] = held[0]
            lacks.append(f"{file.path} has {len(held)} {role}s ({listed(held)}); choose one with --{role}.")
    sources = [collected.sources.all[code] for code in frame["source"].unique(maintain_order=True) if code >= 0]
    n_raters = frame["rater"].filter(frame["rater"] >= 0).n_unique()
    parts = [
        counted(frame["item"].n_unique(), "item"),
        f"{listed(sources) if sources else header.model}",
        *([counted(n_raters, "rater")] if n_raters else []),
        *([f"{frame.height - scored.height:,} without a score"] if frame.height > scored.height else []),
    ]
    return FileReport(file.path, known[0].title, "; ".join(parts)), lacks, chosen


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
        lacks.append(f"There are answers of people ({models[0]}) and no model: give the logs of two models as well.")
    elif models:
        lacks.append(
            f"There is one model, {models[0]}. Several logs of one model are its repeats; if they are different "
            "models, give them names."
        )
        if len(files) > 1 and all(file.name is None for file in files):
            named = [f"{Path(file.path).stem}={file.path}" for file in files]
            commands.append(shlex.join(["howsure", "compare", *named[:2], *flags]))
    rated = [name for name, source in table.sources.items() if source.raters is not None]
    if any(source.raters is not None and np.unique(source.raters).size > 1 for source in table.sources.values()):
        supports.append(f"How far raters agree can be described ({_few(rated)}).")
        commands.append(command("describe"))
    elif (len(models) >= 2 or gold is not None) and not set(models) <= set(table.repeats):
        lacks.append(
            "There are no rater ids, so a result holds for these raters or runs and says nothing about others."
        )
    single = [name for name in table.sources if table.sources[name].n_responses <= 1]
    if single:
        have = "has" if len(single) == 1 else "have"
        lacks.append(
            f"{_few(single)} {have} one response per item, so the noise of single responses cannot be estimated."
        )
    commands.append(command("convert", "--out", "table.parquet"))
    return supports, lacks, commands


def _few(names: Sequence[str]) -> str:
    return joined(list(names), 3)


def _gold(table: ResponseTable) -> str | None:
    """Return the source that looks like the standard: by its name, else the only one that raters gave."""
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
    """Say how to compare the sources of one table that are told apart by a condition, or that are its columns."""
    if len(files) != 1 or files[0].name is not None or is_log(files[0].path):
        return ()
    try:
        sheet = open_sheet(files[0].path, encoding=settings.get("encoding"))
        found = {role: candidates(sheet, role) for role in ("item", "source", "value")}
        if found["source"] and found["value"]:
            said, roles = "Its sources are selected by conditions.", _conditions(sheet, found["source"][0])
        else:
            said, roles = "Its columns are sources.", _columns(sheet, found["item"]) if columns else []
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
