"""The frame of every report: question, verdict, picture, numbers, data, what was done, its limits, and what is next."""

from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from howsure.documents import Block, Code, Definitions, Document, Figure, Heading, Points, Sentence
from howsure.reports import about_data
from howsure.reports.accounts import account_of
from howsure.reports.chart_files import unchecked
from howsure.reports.output import DRAWN, OF_SCORES, plot
from howsure.reports.pictures import can_draw, pictured

if TYPE_CHECKING:
    from howsure.questions.base import Question

FIGURES = {
    **dict.fromkeys(OF_SCORES, "howsure.reports.scores:figures"),
    "Comparison": "howsure.reports.compare:figures",
    "Comparisons": "howsure.reports.compare:figures",
    "TableDescription": "howsure.reports.describe:figures",
}
"""Who cuts the picture of a result into several, so that each fits a narrow page; the others are one picture."""


def framed(
    result: Any, asked: "Question | None" = None, data: Any = None, *, pictures: bool = True, draw: bool = True
) -> Document:
    """Return the report of a result: its document with everything around it that a reader asks for.

    Parameters
    ----------
    result : Record
    asked : Question, optional
        Adds the files, the command and the Python that give the result again; reads the data unless they are given.
    data : ResponseTable, Contest or PairedScores, optional
        What the result was made of: adds responses per item, agreement and what was left out.
    pictures : bool
        Whether to have figures, which needs the extra charts.
    draw : bool
        Whether figures are drawn for pages, light and dark; those of paper are drawn by who writes it.
    """
    document: Document = result.document()
    if data is None and asked is not None:
        data = asked.data()
    account = account_of(result, asked, data)
    facts = about_data.facts(result, asked, data)
    said_of_data = about_data.notes(data)
    verdict = [block for block in document.blocks if _is_verdict(block)]
    others = [_lower(block) for block in document.blocks if not _is_verdict(block)]
    limits = [*account.limits, *(note for note in document.notes if note not in said_of_data)]
    again = (
        [Code(asked.command), Code(f"import howsure\n\nresult = {asked.python}", "python")] if asked else account.again
    )
    blocks: list[Block] = [
        *verdict,
        *(figures_of(result, document, draw=draw) if pictures and can_draw() else ()),
        *_section("Numbers", others),
        *_section("Data", [Definitions(tuple(facts))] if facts else [], _points(said_of_data)),
        *_section("What was done", [Sentence(said) for said in account.done]),
        *_section("What this does not show", _points(limits)),
        *_section("What to do next", _points(account.next), [Code(line) for line in account.commands]),
        *_section("How to get this result again", list(again)),
    ]
    return replace(document, blocks=tuple(blocks), notes=())


def figures_of(result: Any, document: Document, *, draw: bool = True) -> tuple[Figure, ...]:
    """Return the pictures of a result with words for those who cannot see them; none where there is none to draw.

    Without `draw` they have their specifications only, to be drawn later.
    """
    from howsure.errors import ArgumentError

    kind = type(result).__name__
    if kind not in DRAWN:
        return ()
    try:
        if kind in FIGURES:
            module, _, name = FIGURES[kind].partition(":")
            with unchecked():
                parts = getattr(import_module(module), name)(result)
            return tuple(pictured(*each, draw=draw) for each in parts)
        return (pictured("picture", document.title, document.in_words, plot(result), draw=draw),)
    except ArgumentError:  # nothing to draw: a model that is the data itself
        return ()


def _section(title: str, *parts: list[Any]) -> list[Block]:
    """Return a heading and what stands under it; nothing where nothing does."""
    blocks = [block for part in parts for block in part]
    return [Heading(title), *blocks] if blocks else []


def _points(entries: Any) -> list[Block]:
    return [Points(tuple(dict.fromkeys(entries)))] if entries else []


def _lower(block: Block) -> Block:
    return replace(block, level=3) if isinstance(block, Heading) else block


def _is_verdict(block: Block) -> bool:
    return isinstance(block, Sentence) and block.role == "verdict"
