"""The document: a title, blocks in reading order, notes, and the line that says where it comes from.

A block is a heading, a sentence, a list of sentences, a table with typed columns, a list of definitions, code, or a
figure. Documents hold values rather than formatted text; renderers (`text`, `markdown`, `latex`, `html`) decide how
they look. A terminal shows an answer that fits on one screen: blocks marked `detail` and notes that are an `Aside`
appear there with --verbose only. Reports always have everything. A note that is a `Caution` stands before the numbers.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

Kind = Literal["text", "count", "number", "percent", "share", "pvalue", "interval", "shares"]
BETWEEN: tuple[Kind, ...] = ("interval", "shares")
"""Kinds of columns whose cells have two ends: of any number, or of a share between 0 and 1."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading within the document; those of level 3 stand under one of level 2."""

    text: str
    level: Literal[2, 3] = 2
    detail: bool = False


@dataclass(frozen=True, slots=True)
class Sentence:
    """A paragraph of plain English.

    Attributes
    ----------
    text : str
    role : {"", "verdict", "aside"}
        "verdict" is the answer, which is shown first and large; "aside" is what matters less than the rest.
    """

    text: str
    role: Literal["", "verdict", "aside"] = ""
    detail: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its title, what kind of values it holds, and whether it is a detail."""

    title: str
    kind: Kind = "text"
    detail: bool = False


@dataclass(frozen=True, slots=True)
class Measured:
    """A number, or an interval, with its standard error: it is shown with the digits that are known and no more.

    Attributes
    ----------
    value : float, ConfidenceInterval or (low, high)
    error : float
        NaN where it is unknown.
    """

    value: Any
    error: float


@dataclass(frozen=True, slots=True)
class Table:
    """A table of values.

    Attributes
    ----------
    columns : tuple of Column
    rows : tuple of tuple
        Values as they are: numbers, text, `ConfidenceInterval` or (low, high), or one of them `Measured`. Text is shown
        as it is in any column.
    title : str
    marked : frozenset of int or (int, int)
        Rows, or single cells (row, column), that deserve attention: a recommendation, a missed level.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]
    title: str = ""
    marked: frozenset[int | tuple[int, int]] = frozenset()
    detail: bool = False


@dataclass(frozen=True, slots=True)
class Definitions:
    """Terms and what they are here: sizes, settings, parameters."""

    entries: tuple[tuple[str, str], ...]
    title: str = ""
    detail: bool = False


@dataclass(frozen=True, slots=True)
class Points:
    """Sentences of equal rank, one under the other."""

    entries: tuple[str, ...]
    detail: bool = False


@dataclass(frozen=True, slots=True)
class Code:
    """What can be typed again as it stands: a command, a line of Python."""

    text: str
    language: Literal["console", "python"] = "console"
    detail: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture: a Vega-Lite specification, and the words for those who cannot see it.

    Attributes
    ----------
    name, title : str
    alternative : str
        What the picture shows, in words.
    spec : mapping
        The Vega-Lite specification.
    svg, dark_svg : str
        The picture itself, for light and for dark pages; empty where it was not drawn.
    file : str
        The name of the file beside the document that holds the picture; empty where there is none.
    """

    name: str
    title: str
    alternative: str
    spec: Mapping[str, Any]
    svg: str = ""
    dark_svg: str = ""
    file: str = ""
    detail: bool = False


Block = Heading | Sentence | Points | Table | Definitions | Code | Figure


class Aside(str):
    """A note on how something was done, such as which column was guessed; it would not change a reader's mind."""

    __slots__ = ()


class Caution(str):
    """A note that the numbers may be wrong, such as an interval that covers too seldom: it is shown before them."""

    __slots__ = ()


def details(blocks: Iterable[Block]) -> list[Block]:
    """Return the blocks as details, which a terminal shows with --verbose only."""
    return [replace(block, detail=True) for block in blocks]


@dataclass(frozen=True, slots=True)
class Document:
    """What a result says.

    Attributes
    ----------
    title : str
    blocks : tuple of Block
        In reading order; the verdict comes first.
    notes : tuple of str
        What the reader must know; a `Caution` among them becomes a sentence before the first table.
    signature : str
        Where the result comes from, in one line.

    Examples
    --------
    >>> page = Document("Scores", (Sentence("A is better.", "verdict"),), ("Only 3 items.",), "howsure 0.2.0 | …")
    >>> page.verdict
    'A is better.'
    """

    title: str
    blocks: tuple[Block, ...]
    notes: tuple[str, ...] = ()
    signature: str = ""

    def __post_init__(self) -> None:
        cautions = tuple(Sentence(str(note)) for note in self.notes if isinstance(note, Caution))
        if cautions:
            tables = (i for i, block in enumerate(self.blocks) if isinstance(block, Table | Definitions))
            first = next(tables, len(self.blocks))
            object.__setattr__(self, "blocks", (*self.blocks[:first], *cautions, *self.blocks[first:]))
            rest = tuple(note for note in self.notes if not isinstance(note, Caution))
            object.__setattr__(self, "notes", rest)

    @property
    def verdict(self) -> str:
        """The answer in words; empty where there is none."""
        return " ".join(block.text for block in self.blocks if isinstance(block, Sentence) and block.role == "verdict")

    @property
    def in_words(self) -> str:
        """What a picture of the result shows, for those who cannot see it."""
        return f"{self.verdict or self.title} The numbers are in the tables of the report."

    def with_figures(self, figures: tuple[Figure, ...]) -> "Document":
        """Return the document with pictures behind its verdict."""
        verdicts = [i for i, block in enumerate(self.blocks) if isinstance(block, Sentence) and block.role == "verdict"]
        at = verdicts[-1] + 1 if verdicts else 0
        return replace(self, blocks=(*self.blocks[:at], *figures, *self.blocks[at:]))
