"""From a question to a tool: its common options are parameters, and the answer fits into a small budget of tokens."""

import inspect
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from howsure import _fields, _json
from howsure._fields import Field
from howsure.agents.places import AllowedFolders
from howsure.documents import Aside, Code, Document, Points, Sentence, Table
from howsure.documents.numbers import shown
from howsure.errors import ArgumentError
from howsure.io.packed import only_where
from howsure.questions.base import Question, Run

if TYPE_CHECKING:
    from howsure.records import Record

QUESTIONS = {
    "doctor": "howsure.questions.doctor:Doctor",
    "compare": "howsure.questions.compare:Compare",
    "leaderboard": "howsure.questions.leaderboard:Leaderboard",
    "plan": "howsure.questions.plan:Plan",
    "score": "howsure.questions.score:Score",
    "reliability": "howsure.questions.reliability:Reliability",
    "gate": "howsure.questions.gate:Gate",
}
"""The questions that agents ask."""

MAY_BE_FILES = ("gold", "sampled", "cost")
"""Options that name a file, or something in the table."""

WRITES = ("state", "sequential")
"""Options that name files which are written."""

BUDGET = 4000
"""The most characters of an answer, which is about a thousand tokens; the report has everything."""

ROWS, NOTES, NEXT = 12, 3, 4
REPORTS = "howsure-reports"
"""The folder, below the first one of the server, that full reports go to."""

OPTIONS = "Further options by name, as `howsure {name} --help-all` lists them (underscores for hyphens)."


def fields_shown(question: type[Question]) -> list[Field]:
    """Return the options that are parameters of their own: those that the command's short help shows."""
    return [field for field in _fields.fields_of(question) if field.option.common or field.option.positional]


def signature(question: type[Question]) -> inspect.Signature:
    """Return the parameters of a tool, with the help of each; `options` takes all others."""
    from pydantic import Field as Described

    parameters = []
    for field in sorted(fields_shown(question), key=lambda field: not field.required):
        kind: Any = field.kind
        if field.many:
            kind = list[kind] | kind
        if not field.required:
            kind |= None
        said = _said(field)
        default = inspect.Parameter.empty if field.required else None
        parameters.append(_parameter(field.name, Annotated[kind, Described(description=said)], default))
    described = Described(description=OPTIONS.format(name=question.name))
    parameters.append(_parameter("options", Annotated[dict[str, Any] | None, described], None))
    return inspect.Signature(parameters, return_annotation=dict[str, Any])


def _parameter(name: str, kind: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default)


def _said(field: Field) -> str:
    said = field.option.help
    if field.option.choices:
        said += f" One of: {', '.join(field.option.allowed)}."
    if field.default not in (None, (), "", False) and not field.required:
        said += f" Default: {field.default}."
    return said


@dataclass(frozen=True, slots=True)
class Desk:
    """Where questions are answered: which files may be used, and where full reports go.

    Attributes
    ----------
    places : AllowedFolders
    reports : bool
        Whether a full report is written for each answer.
    """

    places: AllowedFolders
    reports: bool = True

    def asked(self, question: type[Question], given: Mapping[str, Any]) -> Question:
        """Return the question; paths are made whole, and those outside the folders are errors."""
        content = {name: value for name, value in given.items() if value is not None and name != "options"}
        further = given.get("options") or {}
        if not isinstance(further, Mapping):
            raise ArgumentError("`options` must be an object of options by name.")
        content |= {str(name).replace("-", "_"): value for name, value in further.items()}
        for name, value in content.items():
            if name == "files":
                texts = value if isinstance(value, list | tuple) else [value]
                content[name] = [path for text in texts for path in self._files(question, str(text))]
            elif name in WRITES:
                content[name] = str(self.places.inside(str(value)))
            elif name in MAY_BE_FILES and isinstance(value, str):
                content[name] = self.places.name_or_file(value)
        return question.from_dict(content)

    def _files(self, question: type[Question], text: str) -> list[str]:
        from howsure.models.presets import PRESETS

        return [text] if question.name == "plan" and text in PRESETS else self.places.file(text)

    def answer(self, asked: Question, run: Run) -> dict[str, Any]:
        """Compute the result, write its report, and return what an agent needs of it."""
        import warnings

        from howsure.errors import HowsureWarning

        with warnings.catch_warnings(), only_where(self.places.allows):
            warnings.simplefilter("ignore", HowsureWarning)  # the same words are among the notes
            result = asked.answer(run)
        found = brief(result)
        if self.reports and asked.name != "doctor":
            found["report"] = self._report(result, asked)
        found["command"] = asked.command
        return within(found)

    def _report(self, result: "Record", asked: Question) -> str:
        """Write the full report as Markdown and JSON; the same question of the same data gives the same names."""
        from howsure import _files
        from howsure.documents import markdown

        folder = self.places.roots[0] / REPORTS
        self.places.inside(folder).mkdir(exist_ok=True)
        content = _json.dumps(result.to_dict())
        name = f"{asked.name}-{_json.digest(json.loads(content))[:8]}"
        _files.write_text(self.places.inside(folder / f"{name}.json"), content + "\n")
        _files.write_text(self.places.inside(folder / f"{name}.md"), markdown.render(result.document()))
        return str(Path(REPORTS) / f"{name}.md")


def brief(result: "Record") -> dict[str, Any]:
    """Return the verdict in words, the first table, the notes that matter, and commands that may follow."""
    document = result.document()
    found: dict[str, Any] = {"answer": document.verdict or document.title}
    if result.exit_code or hasattr(result, "verdict"):
        found["exit_code"] = result.exit_code
    said = [block.text for block in document.blocks if isinstance(block, Sentence) and block.role != "verdict"]
    if said := [text for text in said if not _is_detail(document, text)][:NEXT]:
        found["more"] = said
    tables = [block for block in document.blocks if isinstance(block, Table)]
    if tables:
        found["table"] = _table(next((table for table in tables if not table.detail), tables[0]))
    points = [entry for block in document.blocks if isinstance(block, Points) for entry in block.entries]
    notes = [str(note) for note in document.notes if not isinstance(note, Aside)]
    if notes or points:
        found["notes"] = [*points, *notes][:NOTES]
    commands = [block.text for block in document.blocks if isinstance(block, Code) and block.text.startswith("howsure")]
    if commands:
        found["next"] = [line for text in commands for line in text.splitlines()][:NEXT]
    found["signature"] = document.signature
    return found


def _is_detail(document: Document, text: str) -> bool:
    return any(isinstance(block, Sentence) and block.text == text and block.detail for block in document.blocks)


def _table(table: Table) -> dict[str, Any]:
    columns = [i for i, column in enumerate(table.columns) if not column.detail]
    rows = [[shown(row[i], table.columns[i].kind) for i in columns] for row in table.rows[:ROWS]]
    found: dict[str, Any] = {"columns": [table.columns[i].title for i in columns], "rows": rows}
    if len(table.rows) > ROWS:
        found["left_out"] = len(table.rows) - ROWS
    return found


def within(found: dict[str, Any], budget: int = BUDGET) -> dict[str, Any]:
    """Return an answer that fits the budget: rows go first, then notes, then sentences."""
    kept: dict[str, Any] = {name: list(value) if isinstance(value, list) else value for name, value in found.items()}
    if "table" in kept:
        kept["table"] = {**kept["table"], "rows": list(kept["table"]["rows"])}

    def size() -> int:
        return len(json.dumps(kept, ensure_ascii=False))

    while size() > budget and kept.get("table", {}).get("rows"):
        kept["table"]["rows"].pop()
        kept["table"]["left_out"] = kept["table"].get("left_out", 0) + 1
    for part in ("notes", "more", "next"):
        while size() > budget and kept.get(part):
            kept[part].pop()
    for part in ("answer", "command", "signature"):
        if size() > budget and len(kept.get(part, "")) > budget // 4:
            kept[part] = f"{kept[part][: budget // 4]}…"
    return kept
