"""The general view: the form of a question's fields, and a headline above its report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from howsure._fields import Field
from howsure.documents import Sentence
from howsure.questions.base import Question
from howsure.records import Record
from howsure.web.everyday_words import CHOICES, few_words, humanly, label_of
from howsure.web.questions import Page, read_fields, shown_fields
from howsure.web.uploads import Upload
from howsure.web.views.headlines import HEADLINES

Sent = Mapping[str, Sequence[str]]

SOURCES = ("a", "b", "gold", "preference", "baseline", "only", "model")
COLUMNS = ("item", "source", "value", "rater", "repeat", "by", "cluster", "count", "winner", "cost")
"""Fields whose menus are the sources, or the columns, of an upload."""

MOST_FIRST = 5
"""Fields that a form shows at once; the others are under "More options"."""


@dataclass(frozen=True, slots=True)
class Menu:
    """A control within a sentence: a menu, or a number to type.

    Attributes
    ----------
    name, label : str
        What it sends, and what it is called for those who do not see the sentence.
    value : str
    choices : list of pairs
        What it sends and says; empty where a number is typed.
    option : str
        How the command line writes it.
    look : str
        A class: "is-a", "is-b" or "".
    """

    name: str
    label: str
    value: str
    choices: list[tuple[str, str]] = field(default_factory=list)
    option: str = ""
    look: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a visitor asks.

    Attributes
    ----------
    given : mapping or None
        The fields of the question; None where something is missing.
    menus : mapping of str to Menu
        The controls of the sentence.
    missing : str
        What is missing, in words.
    corrected : bool
        Whether a menu differs from what was sent, so that the sentence must be shown again.
    """

    given: dict[str, Any] | None
    menus: dict[str, Menu] = field(default_factory=dict)
    missing: str = ""
    corrected: bool = False

    def sent_with(self, sent: Sent) -> dict[str, list[str]]:
        """Return what the address says, with what the sentence shows where the address leaves it open."""
        return {menu.name: [menu.value] for menu in self.menus.values() if menu.value} | {
            name: list(texts) for name, texts in sent.items()
        }


class View:
    """How a question is asked and shown; derived classes know more of it."""

    template = "ask.html"
    answer = "answers/general.html"
    sentence = ""
    own: tuple[str, ...] = ()
    """Fields that are in the sentence, and not under "More options"."""

    def question(self, page: Page, sent: Sent, upload: Upload | None) -> Asked:
        """Return the fields of the question that the address asks."""
        fields = shown_fields(page)
        lacking = [
            field for field in fields if field.required and not any(text.strip() for text in sent.get(field.name, ()))
        ]
        about = upload is not None or bool(first(sent, "preset"))
        begun = "ask" in sent or (about and not page.long)
        if not begun or lacking or (page.place and not about and not (page.presets and "ask" in sent)):
            what = "a table" if page.uploads and page.place else "what to do"
            return Asked(None, missing=f"Choose {what}, and the answer appears here.")
        given = read_fields(fields, sent)
        names = {field.name for field in fields}
        if (
            upload is not None
            and upload.gold in upload.seen.get("sources", ())
            and "gold" in names
            and "a" not in names
        ):
            given.setdefault("gold", upload.gold)
        if upload is not None and upload.judge and page.with_judge:
            given = {"judge": upload.judge} | ({"gold": upload.gold} if upload.gold else {}) | given
        return Asked(given)

    def freeze(self, result: Record, asked: Question) -> dict[str, Any]:
        """Return what is kept of a result for the page."""
        document = result.document()
        said = [block.text for block in document.blocks if isinstance(block, Sentence)]
        verdict = humanly(" ".join(said[0].split())) if said else document.title
        head = HEADLINES[asked.name](result) if asked.name in HEADLINES else few_words(verdict)
        rest = verdict if head.rstrip(".…") != verdict.rstrip(".") else ""
        return {"title": document.title, "tone": "good", "verdict": head, "detail": rest}

    def show(self, frozen: dict[str, Any], sent: Sent) -> dict[str, Any]:
        """Return what the template shows of what was kept, as the address asks for it."""
        return frozen


def too_few(upload: Upload, what: str) -> str:
    """Return why nothing can be compared: the file could not be read, or it holds fewer than two models."""
    problem = upload.seen.get("problem", "")
    return humanly(problem) if problem else f"{what} needs two models, and this table holds fewer."


def first(sent: Sent, name: str, default: str = "") -> str:
    """Return the first value of a name that is not empty."""
    return next((text.strip() for text in sent.get(name, ()) if text.strip()), default)


def chosen(value: str, choices: Sequence[str], other: str = "") -> str:
    """Return the value if it is among the choices, else the first of them that is not `other`."""
    if value in choices and value != other:
        return value
    return next((choice for choice in choices if choice != other), "")


def groups(page: Page, upload: Upload | None, sent: Sent, own: Sequence[str] = ()) -> dict[str, Any]:
    """Return the controls of a form: those that are shown at once, and the others under their headings."""
    fields = [field for field in shown_fields(page) if field.name not in own]
    of_data = {"Reading the data"} if upload is not None else set()
    fields = [field for field in fields if field.option.group not in of_data or field.name in ("where", "scorer")]
    once = [] if own else [field for field in fields if field.required or (field.option.common and not field.many)]
    once = once[: MOST_FIRST - 1]
    found: dict[str, list[dict[str, Any]]] = {}
    for each in fields:
        if each not in once:
            found.setdefault(each.option.group or "What counts", []).append(control(each, upload))
    names = [entry["name"] for entries in found.values() for entry in entries]
    shown = [control(each, upload) for each in once]
    if upload is not None and upload.judge and page.with_judge:
        told = {"judge": upload.judge, "gold": upload.gold}
        for entry in (*shown, *(entry for entries in found.values() for entry in entries)):
            entry["default_words"] = told.get(entry["name"]) or entry["default_words"]
    return {
        "first": shown,
        "more": found,
        "open": any(first(sent, name) for name in names),
    }


def control(field: Field, upload: Upload | None) -> dict[str, Any]:
    """Return what a form needs to know of a field."""
    suggested: list[str] = []
    if upload is not None and field.name in SOURCES:
        suggested = list(dict.fromkeys([upload.gold, *upload.models, *upload.seen.get("sources", {})]))
    elif upload is not None and field.name == "judge":
        suggested = [upload.judge, *upload.seen.get("rater_names", ()), *upload.seen.get("sources", {})]
    elif upload is not None and field.name in COLUMNS:
        suggested = [*upload.seen.get("columns", []), *upload.seen.get("groups", [])]
    suggested = [name for name in dict.fromkeys(suggested) if name][:200]
    default = ",".join(map(str, field.default)) if isinstance(field.default, tuple) else field.default
    kind = {bool: "flag", int: "number", float: "number"}.get(field.kind, "text") if not field.many else "text"
    if field.many and field.option.choices:
        kind = "several"
    choices = [(name, CHOICES.get(name, name)) for name in field.option.allowed] if field.option.choices else []
    if suggested and not field.many and not choices:
        choices, suggested = [(name, name) for name in suggested], []
    if field.name == "metric" and not field.many and not choices:
        suggested = list(field.option.names)
    shown = "" if default is None or default is False else default
    return {
        "name": field.name,
        "label": label_of(field.name),
        "flag": field.flag,
        "help": humanly(field.option.help),
        "kind": kind,
        "choices": choices,
        "default": shown,
        "default_words": CHOICES.get(str(shown), str(shown)) if shown != "" else "automatic",
        "required": field.required,
        "suggested": suggested or (list(field.option.names) if field.name == "metric" else []),
    }
