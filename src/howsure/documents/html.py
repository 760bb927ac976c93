"""A document as HTML: a fragment for notebooks and web pages, or one page that needs no network."""

import base64
import html
import re

from howsure.documents.document import Block, Code, Definitions, Document, Figure, Heading, Points, Sentence, Table
from howsure.documents.numbers import shown
from howsure.documents.text import plain

CODE = re.compile(r"`([^`]+)`")
STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --paper: #ffffff; --soft: #5b6675; --line: #d5dae1; --mark: #fff3d1;
  --accent: #1f5fa8; --code: #f3f5f8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ebf0; --paper: #14181f; --soft: #a3adba; --line: #39424e;
  --mark: #4a3d12; --accent: #8fc1ff; --code: #1f2630; } }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem 1rem 3rem; color: var(--ink); background: var(--paper);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.5rem; line-height: 1.25; } h2 { font-size: 1.15rem; margin-top: 2rem; }
h3 { font-size: 1rem; margin-top: 1.4rem; }
.howsure-verdict { font-size: 1.15rem; font-weight: 600; border-left: 4px solid var(--accent); padding-left: .8rem; }
.howsure-aside, .howsure-notes, .howsure-signature { color: var(--soft); }
.howsure-table { overflow-x: auto; } .howsure-table table { border-collapse: collapse; font-variant-numeric:
tabular-nums; } .howsure-table caption { text-align: left; padding: .3rem 0; color: var(--soft); }
.howsure-table th, .howsure-table td { padding: .3rem .7rem; border-bottom: 1px solid var(--line); text-align: left; }
.howsure-table .number { text-align: right; white-space: nowrap; }
.howsure-table .marked { background: var(--mark); font-weight: 600; }
.howsure dt { font-weight: 600; } .howsure dd { margin: 0 0 .4rem 1rem; }
@media (min-width: 40rem) { .howsure dl { display: grid; gap: 0 1rem;
  grid-template-columns: minmax(8rem, max-content) 1fr; }
  .howsure dd { margin: 0 0 .2rem; overflow-wrap: anywhere; } }
.howsure-signature { font-size: .8rem; overflow-wrap: anywhere; } .howsure figure { margin: 1.2rem 0; }
.howsure-picture { overflow-x: auto; } .howsure-picture img { display: block; max-width: max(100%, 24rem);
  height: auto; }
.howsure figcaption { color: var(--soft); font-size: .9rem; }
.howsure pre { background: var(--code); padding: .6rem .8rem; border-radius: 4px; overflow-x: auto; font-size: .85rem; }
.howsure li { margin: .25rem 0; }
@media print { :root { color-scheme: light; --ink: #1c2430; --paper: #ffffff; --soft: #5b6675; --line: #d5dae1;
  --mark: #fff3d1; --accent: #1f5fa8; --code: #f3f5f8; } body { max-width: none; padding: 0; font-size: 10.5pt; }
  .howsure-table, .howsure-picture { overflow: visible; } .howsure-picture img { max-width: 100%; height: auto; }
  .howsure pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  figure, tr { break-inside: avoid; } h2 { break-after: avoid; } }
"""


def fragment(document: Document) -> str:
    """Return the document as one element; figures that were drawn are pictures in it, the others words.

    Examples
    --------
    >>> fragment(Document("", (Sentence("A < B", "verdict"),)))
    '<div class="howsure"><p class="howsure-verdict">A &lt; B</p></div>'
    """
    parts = [f"<h1>{escape(document.title)}</h1>"] if document.title else []
    parts += [_block(block) for block in document.blocks]
    if document.notes:
        notes = "".join(f"<li>{told(note)}</li>" for note in document.notes)
        parts.append(f'<ul class="howsure-notes">{notes}</ul>')
    if document.signature:
        parts.append(f'<p class="howsure-signature"><code>{escape(document.signature)}</code></p>')
    return f'<div class="howsure">{"".join(parts)}</div>'


def page(document: Document) -> str:
    """Return one page that needs neither network nor JavaScript."""
    title = escape(document.title or "howsure")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head>'
        f"<body><main>{fragment(document)}</main></body></html>\n"
    )


def _block(block: Block) -> str:
    if isinstance(block, Heading):
        return f"<h{block.level}>{escape(block.text)}</h{block.level}>"
    if isinstance(block, Sentence):
        kind = f' class="howsure-{block.role}"' if block.role else ""
        return f"<p{kind}>{told(block.text)}</p>"
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Figure):
        return _figure(block)
    if isinstance(block, Points):
        return f"<ul>{''.join(f'<li>{told(entry)}</li>' for entry in block.entries)}</ul>"
    if isinstance(block, Code):
        return f'<pre tabindex="0"><code>{html.escape(_lines(block.text))}</code></pre>'
    return _definitions(block)


def _figure(block: Figure) -> str:
    """Return the picture as an image of its own: nothing inside it is part of the page."""
    title, alternative = escape(block.title), escape(block.alternative)
    if not block.svg:
        return f"<figure><p>{alternative}</p><figcaption>{title}</figcaption></figure>"
    dark = ""
    if block.dark_svg:
        dark = f'<source media="screen and (prefers-color-scheme: dark)" srcset="{_source(block.dark_svg)}">'
    return (
        f'<figure><div class="howsure-picture" tabindex="0" role="group" aria-label="Picture: {title}">'
        f'<picture>{dark}<img src="{_source(block.svg)}" alt="{alternative}"></picture></div>'
        f"<figcaption>{title}</figcaption></figure>"
    )


def _source(svg: str) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode('ascii')}"


def _lines(said: str) -> str:
    return "\n".join(plain(line) for line in said.splitlines())


def _table(block: Table) -> str:
    classes = ["" if column.kind == "text" else ' class="number"' for column in block.columns]
    heads = "".join(
        f'<th scope="col"{kind}>{escape(column.title)}</th>' if column.title else f"<td{kind}></td>"
        for column, kind in zip(block.columns, classes, strict=True)
    )
    rows = []
    for number, row in enumerate(block.rows):
        cells = []
        for i, (value, column) in enumerate(zip(row, block.columns, strict=True)):
            names = ["number"] if column.kind != "text" else []
            names += ["marked"] if (number, i) in block.marked else []
            kind = f' class="{" ".join(names)}"' if names else ""
            cells.append(f"<td{kind}>{escape(shown(value, column.kind))}</td>")
        mark = ' class="marked"' if number in block.marked else ""
        rows.append(f"<tr{mark}>{''.join(cells)}</tr>")
    caption = f"<caption>{escape(block.title)}</caption>" if block.title else ""
    return (
        f'<div class="howsure-table" tabindex="0" role="group" aria-label="{escape(block.title or "table")}">'
        f"<table>{caption}"
        f"<thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _definitions(block: Definitions) -> str:
    entries = "".join(f"<dt>{escape(term)}</dt><dd>{escape(meaning)}</dd>" for term, meaning in block.entries)
    title = f"<p>{escape(block.title)}</p>" if block.title else ""
    return f"{title}<dl>{entries}</dl>" if entries else title


def escape(said: str) -> str:
    """Return text in which nothing is markup, in elements and in attributes."""
    return html.escape(plain(said))


def told(said: str) -> str:
    """Return a sentence; what stands between backticks is code."""
    return CODE.sub(r"<code>\1</code>", escape(said))
