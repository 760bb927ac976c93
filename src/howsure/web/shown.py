"""An answer as the web keeps it: its document, its report in every format, tables and charts; pictures are drawn later.

A worker writes what the answer says, and the specification of each chart. Drawing takes longer than most answers, so
it waits until somebody looks: a process of its own draws what a page or a download asks for.
"""

import base64
import io
import json
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from howsure.documents import Document, Figure, csv_tables, html, latex, markdown
from howsure.provenance import Provenance
from howsure.questions.base import Question
from howsure.records import Record

FORMATS = {
    "report.html": "text/html; charset=utf-8",
    "report.md": "text/markdown; charset=utf-8",
    "report.tex": "application/x-tex; charset=utf-8",
    "report-md.zip": "application/zip",
    "report-tex.zip": "application/zip",
    "chart.json": "application/json",
    "chart.svg": "image/svg+xml",
    "chart.png": "image/png",
}
"""What can be downloaded beside result.json and tables as CSV."""


def frozen(result: Record, asked: Question, page: str) -> dict[str, Any]:
    """Return everything that is shown of an answer: the parts of the page, files, tables by name, and figures."""
    from howsure.reports.frame import figures_of, framed
    from howsure.reports.pictures import can_draw
    from howsure.web.views import view_of

    view = view_of(page).freeze(result, asked)

    document = _signed(result.document(), asked)
    figures = figures_of(result, document, draw=False) if can_draw() else ()
    report = _signed(framed(result, asked, pictures=False), asked)
    before, after = _around(document)
    places = tuple(replace(figure, svg=_place(n), dark_svg=_place(n, dark=True)) for n, figure in enumerate(figures))
    whole = report.with_figures(places)
    return {
        "title": document.title,
        "before": html.fragment(before),
        "after": html.fragment(after),
        "figures": [{"title": each.title, "words": each.alternative, "spec": each.spec} for each in figures],
        "report.html": html.page(whole),
        "report.md": markdown.render(report),
        "report.tex": latex.render(report),
        **({f"report-{kind}.zip": _beside(whole, f"report.{kind}") for kind in ("md", "tex")} if figures else {}),
        "tables": _tables(result) | view.pop("tables", {}),
        "view": view,
        "chart.json": json.dumps(_together(figures)) if figures else "",
        "command": asked.command,
        "python": asked.python,
    }


def _signed(document: Document, asked: Question) -> Document:
    """Return the document with a signature: where there are no data, what was asked and its seed are all there is."""
    settings = {name: value for name, value in asked.given.items() if name != "seed"}
    made = Provenance(asked.name, settings, getattr(asked, "seed", None), "")
    return document if document.signature else replace(document, signature=made.signature)


def _beside(document: Document, file: str) -> dict[str, Any]:
    """Return a report whose pictures are files beside it: its name, its text, and the names of the pictures."""
    from howsure.reports.output import beside

    text, figures = beside(document, file)
    return {"name": file, "text": text, "pictures": list(figures)}


def _together(figures: Sequence[Figure]) -> dict[str, Any]:
    """Return one chart of all figures, one below the other."""
    from howsure.reports import colours
    from howsure.reports.pictures import merged

    first = figures[0].spec
    look = merged(colours.config() | {"background": "white"}, first.get("config", {}))
    if len(figures) == 1:
        return {**first, "config": look}
    data = {name: rows for each in figures for name, rows in each.spec.get("datasets", {}).items()}
    parts = [
        {name: part for name, part in each.spec.items() if name not in ("$schema", "config", "datasets")}
        | {"title": {"text": each.title, "anchor": "start"}}
        for each in figures
    ]
    whole = {"$schema": first["$schema"], "config": look, "datasets": data, "vconcat": parts, "spacing": 30}
    return {**whole, "resolve": {"scale": {"color": "independent"}}}  # each figure has colours of its own


def _around(document: Document) -> tuple[Document, Document]:
    """Return what stands before the pictures, and what stands after them; the page has the title."""
    at = document.with_figures((Figure("", "", "", {}),)).blocks.index(Figure("", "", "", {}))
    return Document("", document.blocks[:at]), replace(document, title="", blocks=document.blocks[at:])


def _tables(result: Record) -> dict[str, str]:
    """Return the result's rows as CSV; the tables of its document where it has none."""
    make: Any = getattr(result, "to_frame", None)
    if make is None:
        return csv_tables.tables(result.document())
    return {"table": csv_tables.from_frame(make())}


def draw(kind: str, *arguments: Any) -> str | bytes:
    """Draw in the process that does nothing else: a figure of a page, a download, or all figures of a report."""
    makers: dict[str, Any] = {
        "figure": _figure,
        "chart.svg": _svg,
        "chart.png": _png,
        "report.html": _report,
        "zip": _zip,
    }
    made: str | bytes = makers[kind](*arguments)
    return made


def _figure(spec: dict[str, Any], dark: bool) -> str:
    from howsure.reports.pictures import svg

    return svg(spec, dark=dark)


def _svg(spec: str) -> str:
    import vl_convert

    return str(vl_convert.vegalite_to_svg(spec))


def _png(spec: str) -> bytes:
    import vl_convert

    return bytes(vl_convert.vegalite_to_png(spec, scale=2))


def _report(page: str, specs: Sequence[dict[str, Any]]) -> str:
    """Return the report with its pictures where their places were kept."""
    for n, spec in enumerate(specs):
        for dark in (False, True):
            page = page.replace(_encoded(_place(n, dark=dark)), _encoded(_figure(spec, dark)))
    return page


def _zip(report: dict[str, Any], specs: Sequence[dict[str, Any]]) -> bytes:
    """Return one file that holds a report and its pictures, as `--report` writes them side by side."""
    from howsure.reports.output import picture_file

    drawn = {name: picture_file(name, spec) for name, spec in zip(report["pictures"], specs, strict=True)}
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {report["name"]: report["text"].encode(), **drawn}.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def _place(n: int, *, dark: bool = False) -> str:
    return f"<svg><!-- figure {n}{' on dark' if dark else ''} --></svg>"


def _encoded(svg: str) -> str:
    return base64.b64encode(svg.encode()).decode("ascii")
