"""A document as plain text, for the terminal and for `str(result)`."""

import unicodedata
from collections.abc import Iterable

from howsure.documents.document import Block, Code, Definitions, Document, Figure, Heading, Points, Sentence, Table
from howsure.documents.numbers import shown

WIDTH = 120
LONGEST = 24
"""A longer word may be broken where a table is too wide."""


def render(document: Document, *, width: int | None = WIDTH) -> str:
    """Return the document as lines; tables fit into `width`, sentences are left to the terminal to wrap.

    Examples
    --------
    >>> print(render(Document("", (Sentence("A is better."),), ("Only 3 items.",), "howsure 0.2.0")))
    A is better.
    <BLANKLINE>
    Note: Only 3 items.
    howsure 0.2.0
    """
    parts = list(_blocks(document.blocks, width))
    last = [f"Note: {plain(note)}" for note in document.notes]
    last += [plain(document.signature)] if document.signature else []
    return "\n\n".join([*parts, *(["\n".join(last)] if last else [])])


def _blocks(blocks: Iterable[Block], width: int | None) -> Iterable[str]:
    """Yield paragraphs: sentences that follow each other share one."""
    lines: list[str] = []
    for block in blocks:
        if isinstance(block, Sentence):
            lines.append(plain(block.text))
            continue
        if lines:
            yield "\n".join(lines)
            lines = []
        if isinstance(block, Heading):
            lines.append(plain(block.text))
        elif isinstance(block, Table):
            yield table(block, width)
        elif isinstance(block, Definitions):
            yield _definitions(block)
        elif isinstance(block, Points):
            yield "\n".join(f"* {plain(entry)}" for entry in block.entries)
        elif isinstance(block, Code):
            yield "\n".join(f"    {plain(line)}" for line in block.text.splitlines())
        elif isinstance(block, Figure):
            yield f"Figure: {plain(block.title)}"
    if lines:
        yield "\n".join(lines)


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
        words = [
            [cell_width(word) for cell in column for word in cell.split(" ")]
            for column in zip(heads, *cells, strict=True)
        ]
        widths = _fitted(widths, [min(max(lengths), LONGEST) for lengths in words], width - 3 * len(widths) - 1)
    lines = [_rule("┏━┳┓", widths), *_row(heads, widths, right, "┃"), _rule("┡━╇┩", widths)]
    for row in cells:
        lines += _row(row, widths, right, "│")
    lines.append(_rule("└─┴┘", widths))
    return "\n".join([*([plain(block.title)] if block.title else []), *lines])


def _definitions(block: Definitions) -> str:
    longest = max((len(plain(term)) for term, _ in block.entries), default=0)
    lines = [f"{plain(term):<{longest}}  {plain(meaning)}" for term, meaning in block.entries]
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

    Examples
    --------
    >>> plain("a\x1b[31mred")
    'a�[31mred'
    """
    if said.isprintable():
        return said
    return "".join(letter if letter.isprintable() else _replaced(letter) for letter in said)


def _replaced(letter: str) -> str:
    if letter in "\n\t":
        return " "
    return letter if unicodedata.category(letter) in ("Zs",) else "�"
