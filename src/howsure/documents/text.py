"""A document as plain text, for the terminal and for `str(result)`."""

import textwrap
import unicodedata
from collections.abc import Iterable
from dataclasses import replace

from howsure.documents.document import (
    Aside,
    Block,
    Code,
    Definitions,
    Document,
    Figure,
    Heading,
    Points,
    Sentence,
    Table,
)
from howsure.documents.numbers import shown
from howsure.errors import LONGEST as LONGEST_MESSAGE
from howsure.errors import cut

WIDTH = 80
LONGEST_TEXT = 4 * LONGEST_MESSAGE
"""The most letters of a paragraph: about 50 lines of a terminal, and room for paths as long as a system takes."""
NOTES = 3
"""The most notes of a short answer."""
LONGEST, SHORTEST = 24, 8
"""Longer words may be broken where a table is too wide: names of models, and if need be all longer than the second."""


def render(document: Document, *, width: int | None = WIDTH, wrap: bool = False, verbose: bool = False) -> str:
    """Return the document as lines; tables fit into `width`, and so do sentences with `wrap`.

    Details and asides are left out unless `verbose`, and of the notes the first three are shown.

    Examples
    --------
    >>> print(render(Document("", (Sentence("A is better."),), ("Only 3 items.",), "howsure 0.2.0")))
    A is better.
    <BLANKLINE>
    Note: Only 3 items.
    howsure 0.2.0
    """
    blocks = [block for block in document.blocks if verbose or not block.detail]
    notes = document.notes if verbose else [note for note in document.notes if not isinstance(note, Aside)][:NOTES]
    last = [f"Note: {plain(note)}" for note in notes]
    room = width if wrap else None
    parts = [part if whole else _wrapped(part, room) for whole, part in _blocks(blocks, width, verbose)]
    if last:
        parts.append("\n".join(_wrapped(line, room) for line in last))
    if document.signature:  # stands whole, so that it can be copied
        signature = plain(document.signature)
        parts[-1:] = [f"{parts[-1]}\n{signature}"] if last else [*parts[-1:], signature]
    return "\n\n".join(parts)


def is_short(document: Document) -> bool:
    """Whether `render` leaves something out unless it is verbose."""
    notes = [note for note in document.notes if not isinstance(note, Aside)]
    return any(block.detail for block in document.blocks) or len(notes[:NOTES]) < len(document.notes)


def _wrapped(lines: str, width: int | None) -> str:
    """Return lines that are no longer than `width`; what is indented goes on at the same indent."""
    if width is None:
        return lines
    found = []
    for line in lines.splitlines():
        indent = " " * (len(line) - len(line.lstrip()))
        fold = textwrap.wrap(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
        found += fold or [line]
    return "\n".join(found)


def _blocks(blocks: Iterable[Block], width: int | None, verbose: bool) -> Iterable[tuple[bool, str]]:
    """Yield whether a paragraph stands as it is, and its text: sentences that follow each other share one."""
    lines: list[str] = []
    for block in blocks:
        if isinstance(block, Sentence):
            lines.append(plain(block.text))
            continue
        if lines:
            yield False, "\n".join(lines)
            lines = []
        if isinstance(block, Heading):
            lines.append(plain(block.text))
        elif isinstance(block, Table):
            yield True, table(block if verbose else _without_details(block), width)
        elif isinstance(block, Definitions):
            yield False, _definitions(block)
        elif isinstance(block, Points):
            yield False, "\n".join(f"* {plain(entry)}" for entry in block.entries)
        elif isinstance(block, Code):
            yield True, "\n".join(f"    {plain(line)}" for line in block.text.splitlines())
        elif isinstance(block, Figure):
            yield False, f"Figure: {plain(block.title)}"
    if lines:
        yield False, "\n".join(lines)


def _without_details(block: Table) -> Table:
    """Return the table without the columns that are details; a mark on one of them moves to its row."""
    kept = [i for i, column in enumerate(block.columns) if not column.detail]
    if len(kept) == len(block.columns):
        return block
    marks = {
        mark if isinstance(mark, int) else (mark[0], kept.index(mark[1])) if mark[1] in kept else mark[0]
        for mark in block.marked
    }
    rows = tuple(tuple(row[i] for i in kept) for row in block.rows)
    return replace(block, columns=tuple(block.columns[i] for i in kept), rows=rows, marked=frozenset(marks))


def table(block: Table, width: int | None = WIDTH) -> str:
    """Return a table drawn with lines; numbers stand to the right, marked rows end in an arrow."""
    cells = [
        [plain(shown(value, column.kind)) for value, column in zip(row, block.columns, strict=True)]
        for row in block.rows
    ]
    for mark in block.marked:
        if isinstance(mark, tuple):
            cells[mark[0]][mark[1]] += " !"
        else:
            cells[mark][-1] += " ←"
    heads = [plain(column.title) for column in block.columns]
    widths = [max(map(cell_width, column)) for column in zip(heads, *cells, strict=True)]
    right = [column.kind != "text" for column in block.columns]
    if width is not None:
        columns = [*zip(zip(heads, *cells, strict=True), right, strict=True)]
        for longest in (LONGEST, SHORTEST):
            least = [_least(column, longest, numbers=numbers) for column, numbers in columns]
            widths = _fitted(widths, least, width - 3 * len(widths) - 1)
    lines = [_rule("┏━┳┓", widths), *_row(heads, widths, right, "┃"), _rule("┡━╇┩", widths)]
    for row in cells:
        lines += _row(row, widths, right, "│")
    lines.append(_rule("└─┴┘", widths))
    title = _wrapped(plain(block.title), width)
    return "\n".join([*([title] if title else []), *lines])


def _least(column: tuple[str, ...], longest: int, *, numbers: bool) -> int:
    """Return how narrow a column may get: text and titles fold, numbers and intervals do not."""
    words = [cell_width(word) for cell in (column[:1] if numbers else column) for word in cell.split(" ")]
    return max(min(max(words), longest), *(map(cell_width, column[1:]) if numbers else ()), 1)


def _definitions(block: Definitions) -> str:
    entries = [(plain(shown(term)), plain(meaning)) for term, meaning in block.entries]
    longest = max((len(term) for term, _ in entries), default=0)
    lines = [f"{term:<{longest}}  {meaning}" for term, meaning in entries]
    return "\n".join([*([plain(block.title)] if block.title else []), *lines])


def _rule(shape: str, widths: list[int]) -> str:
    first, line, between, last = tuple(shape)
    return first + between.join(line * (width + 2) for width in widths) + last


def _row(cells: list[str], widths: list[int], right: list[bool], edge: str) -> list[str]:
    """Return a row; cells that are too long for their column are folded."""
    folded = [_folded(cell, width) for cell, width in zip(cells, widths, strict=True)]
    height = max(map(len, folded))
    lines = []
    for number in range(height):
        parts = []
        for pieces, width, to_the_right in zip(folded, widths, right, strict=True):
            piece = pieces[number] if number < len(pieces) else ""
            space = " " * (width - cell_width(piece))
            parts.append(f" {space}{piece} " if to_the_right else f" {piece}{space} ")
        lines.append(edge + edge.join(parts) + edge)
    return lines


def _fitted(widths: list[int], floors: list[int], room: int) -> list[int]:
    """Narrow the widest columns until all fit; none gets narrower than its longest word, unless that is very long."""
    widths = list(widths)
    while sum(widths) > room:
        slack = [width - floor for width, floor in zip(widths, floors, strict=True)]
        if max(slack) <= 0:
            break
        widest = max(range(len(widths)), key=lambda i: (slack[i] > 0, widths[i]))
        widths[widest] -= 1
    return widths


def _folded(cell: str, width: int) -> list[str]:
    lines, line = [], ""
    for whole in cell.split(" "):
        word = whole
        joined = f"{line} {word}" if line else word
        if cell_width(joined) <= width:
            line = joined
            continue
        if line:
            lines.append(line)
        while cell_width(word) > width:
            cut = width
            while cell_width(word[:cut]) > width:
                cut -= 1
            lines.append(word[:cut])
            word = word[cut:]
        line = word
    return [*lines, line]


def cell_width(cell: str) -> int:
    """Return how many columns of a terminal the text takes: wide letters take two, combining marks none."""
    if cell.isascii():
        return len(cell)
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in cell
    )


def plain(said: str) -> str:
    r"""Return text without control characters: a label must not move the cursor or colour the terminal.

    A sentence, or a command, that repeats a name of 100,000 letters is cut.

    Examples
    --------
    >>> plain("a\x1b[31mred")
    'a�[31mred'
    """
    said = cut(said, LONGEST_TEXT)
    if said.isprintable():
        return said
    return "".join(letter if letter.isprintable() else _replaced(letter) for letter in said)


def _replaced(letter: str) -> str:
    if letter in "\n\t":
        return " "
    return letter if unicodedata.category(letter) in ("Zs",) else "�"
