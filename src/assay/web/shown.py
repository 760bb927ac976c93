"""An answer as the web keeps it: its document in every format, and its chart, made once by the worker."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from assay.documents import Document, Sentence, html, latex, markdown
from assay.errors import ArgumentError
from assay.questions.base import Question
from assay.records import Record
from assay.web.uploads import hidden

FORMATS = {
    "report.html": "text/html; charset=utf-8",
    "report.md": "text/markdown; charset=utf-8",
    "report.tex": "application/x-tex; charset=utf-8",
    "table.csv": "text/csv; charset=utf-8",
    "chart.svg": "image/svg+xml",
    "chart.json": "application/json",
}
"""What can be downloaded beside result.json and chart.png."""


def frozen(result: Record, asked: Question, names: Mapping[str, str]) -> dict[str, str]:
    """Return everything that is shown of an answer; files are called as the visitor calls them."""
    document = result.document()
    spec, svg = _chart(result)
    whole = replace(
        document,
        blocks=(
            *document.blocks,
            Sentence(f"On the command line: {asked.command}", "aside"),
            Sentence(f"In Python: {asked.python}", "aside"),
        ),
    )
    kept = {
        "title": document.title,
        "verdict": document.verdict,
        "fragment": html.fragment(_untitled(document)),
        "report.html": _with_picture(html.page(whole), svg, document),
        "report.md": markdown.render(whole),
        "report.tex": latex.render(whole),
        "table.csv": _csv(result),
        "chart.svg": svg,
        "chart.json": spec,
        "command": asked.command,
        "python": asked.python,
    }
    paths, called = list(names), list(names.values())
    return {name: said if name.startswith("chart") else hidden(said, paths, called) for name, said in kept.items()}


def _untitled(document: Document) -> Document:
    """Return the document without its title, which the page itself shows."""
    return replace(document, title="")


def _with_picture(page: str, svg: str, document: Document) -> str:
    if not svg:
        return page
    head, verdict, rest = page.partition('<p class="assay-verdict">')
    if not verdict:
        return page.replace("</main>", f"<figure>{svg}</figure></main>")
    said, end, after = rest.partition("</p>")
    return f"{head}{verdict}{said}{end}<figure>{svg}</figure>{after}"


def _chart(result: Record) -> tuple[str, str]:
    """Return the chart as a specification and as a picture; empty where there is none."""
    from assay import reports

    with suppress(ArgumentError, ImportError):
        drawn = reports.plot(result)
        spec = drawn.to_json(indent=None)
        import vl_convert

        return spec, vl_convert.vegalite_to_svg(json.loads(spec))
    return "", ""


def _csv(result: Record) -> str:
    make: Any = getattr(result, "to_frame", None)
    if make is None:
        return ""
    frame = make()
    flat = [name for name, kind in frame.schema.items() if kind.is_nested()]
    return str(frame.drop(flat).write_csv())
