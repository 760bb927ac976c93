"""A document as Markdown."""

import re

from howsure.documents.document import Block, Code, Definitions, Document, Figure, Heading, Points, Sentence, Table
from howsure.documents.numbers import shown
from howsure.documents.text import plain


def render(document: Document) -> str:
    r"""Return the document as Markdown that shows no HTML of its own.

    Examples
    --------
    >>> print(render(Document("A|B", (Sentence("A is better.", "verdict"),), (), "howsure 0.2.0")))
    # A\|B
    <BLANKLINE>
    **A is better.**
    <BLANKLINE>
    `howsure 0.2.0`
    <BLANKLINE>
    """
    parts = [f"# {escape(document.title)}"] if document.title else []
    parts += [_block(block) for block in document.blocks]
    if document.notes:
        parts.append("\n".join(f"* {escape(note)}" for note in document.notes))
    if document.signature:
        parts.append(code(document.signature))
    return "\n\n".join(parts) + "\n"


def _block(block: Block) -> str:
    if isinstance(block, Heading):
        return f"{'#' * block.level} {escape(block.text)}"
    if isinstance(block, Sentence):
        return f"**{escape(block.text)}**" if block.role == "verdict" else escape(block.text)
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Points):
        return "\n".join(f"* {escape(entry)}" for entry in block.entries)
    if isinstance(block, Code):
        fence = "`" * max(3, _longest_run(block.text) + 1)
        return "\n".join([f"{fence}{block.language}", *map(plain, block.text.splitlines()), fence])
    if isinstance(block, Figure):
        picture = f"![{escape(block.alternative)}](<{block.file}>)\n\n" if block.file else ""
        words = "" if block.file else f" {escape(block.alternative)}"
        return f"{picture}*Figure: {escape(block.title)}.{words}*"
    return _definitions(block)


def _table(block: Table) -> str:
    heads = [escape(column.title) or " " for column in block.columns]
    rules = ["---" if column.kind == "text" else "---:" for column in block.columns]
    rows = []
    for number, row in enumerate(block.rows):
        cells = [escape(shown(value, column.kind)) for value, column in zip(row, block.columns, strict=True)]
        if number in block.marked:
            cells = [f"**{cell}**" if cell.strip() else cell for cell in cells]
        rows.append([f"**{cell}**" if (number, i) in block.marked else cell for i, cell in enumerate(cells)])
    lines = ["| " + " | ".join(line) + " |" for line in (heads, rules, *rows)]
    return "\n".join([*([f"*{escape(block.title)}*", ""] if block.title else []), *lines])


def _definitions(block: Definitions) -> str:
    lines = [f"* **{escape(term)}**: {escape(meaning)}" for term, meaning in block.entries]
    return "\n".join([*([f"*{escape(block.title)}*", ""] if block.title else []), *lines])


def escape(said: str) -> str:
    """Return text in which nothing is markup: neither HTML nor Markdown."""
    safe = plain(said).replace("\\", "\\\\")
    for letter in "`*_[]|#~$":
        safe = safe.replace(letter, f"\\{letter}")
    return safe.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def code(said: str) -> str:
    """Return text as code, fenced by more backticks than it holds in a row."""
    safe = plain(said)
    fence = "`" * (_longest_run(safe) + 1)
    pad = " " if safe.startswith("`") or safe.endswith("`") else ""
    return f"{fence}{pad}{safe}{pad}{fence}"


def _longest_run(said: str) -> int:
    """Return how many backticks follow each other at most."""
    return max(map(len, re.findall("`+", said)), default=0)
