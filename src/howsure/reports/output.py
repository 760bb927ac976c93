"""Where results go: `plot` and `report` for Python, `write_chart` and `write_report` for files."""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from howsure import _check, _files
from howsure.documents import Figure, csv_tables, html, latex, markdown
from howsure.errors import ArgumentError
from howsure.reports import chart_files, colours
from howsure.reports.pictures import merged, pdf, svg

if TYPE_CHECKING:
    from howsure.documents import Document
    from howsure.questions.base import Question
    from howsure.records import Record

CHARTS = chart_files.FORMATS
REPORTS = (".html", ".md", ".tex", ".json", ".csv")

OF_SCORES = ("Description", "Effects", "Finding", "Overview", "PairedAnalysis", "PowerCurve", "PowerPlan",
             "SystemsComparison", "UnitSizes")  # fmt: skip
DRAWN = {
    "Comparison": "howsure.reports.compare:chart",
    "Comparisons": "howsure.reports.compare:chart",
    **dict.fromkeys(OF_SCORES, "howsure.reports.scores:chart"),
    "Audit": "howsure.reports.audit:chart",
    "Fit": "howsure.reports.fit:chart",
    "GateResult": "howsure.reports.gate:chart",
    "JudgedComparison": "howsure.reports.people_and_judge:chart",
    "LeaderAudit": "howsure.reports.audit:leader_chart",
    "Leaderboard": "howsure.reports.leaderboard:chart",
    "Leaderboards": "howsure.reports.leaderboard:of_slices",
    "LeaderboardPlan": "howsure.reports.leaderboard:of_plan",
    "ModelScores": "howsure.reports.score:chart",
    "Plan": "howsure.reports.plan:chart",
    "Reliability": "howsure.reports.reliability:chart",
    "Simulation": "howsure.reports.simulate:chart",
    "Sweep": "howsure.reports.sweep:chart",
    **dict.fromkeys(("PaperFigure", "Replication", "Search"), "howsure.reports.replicate:chart"),
    "TableDescription": "howsure.reports.describe:chart",
}
"""Who draws which result: an address, so that a result is drawn without importing the others."""


def plot(result: Any) -> Any:
    """Return the chart of a result, an Altair object that can be changed and saved.

    Its layers share what they have in common: `encode` changes one of them, assignment to a channel may change several.

    Parameters
    ----------
    result : Comparison, Plan, Audit, Fit, …

    Returns
    -------
    altair.TopLevelMixin
    """
    kind = type(result).__name__
    check_drawn(kind)
    alt = chart_files.altair()
    alt.data_transformers.disable_max_rows()
    module, _, name = DRAWN[kind].partition(":")
    with chart_files.unchecked():
        drawn = styled(getattr(import_module(module), name)(result))
    if drawn.description is alt.Undefined:
        drawn.description = result.document().in_words
    return drawn


def styled(drawn: Any) -> Any:
    """Return a chart with the look that all charts share, under its own settings."""
    alt = chart_files.altair()
    own = {} if drawn.config is alt.Undefined else drawn.config.to_dict()
    look = {key: value for key, value in colours.config().items() if key != "background"}
    drawn.config = alt.Config(**merged(look, own))
    return drawn


def report(
    result: Any,
    path: str | os.PathLike[str],
    *,
    question: "Question | None" = None,
    data: Any = None,
    force: bool = False,
) -> None:
    """Write a report of a result: .html (one file, pictures included), .md, .tex, .json or .csv, as the name says.

    Pictures of .md and .tex are files beside the report, NAME-PICTURE.svg and NAME-PICTURE.pdf.

    Parameters
    ----------
    result : Comparison, Plan, Audit, Fit, …
    path : path
    question : Question, optional
        What was asked: the report then names the files, and the command and Python that give the result again.
    data : Contest, ResponseTable or PairedScores, optional
        What the result was made of: the report then says how many responses there are, and how far they agree.
    force : bool
        Whether files that exist may be replaced; without it they are an error.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import howsure
    >>> from howsure import examples
    >>> contest = examples.ratings().contest(gold="human", a="model-2", b="model-1")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report(howsure.compare(contest, metric="mae"), Path(folder) / "report.md", data=contest)
    ...     print((Path(folder) / "report.md").read_text().splitlines()[0])
    # Is model-2 better than model-1?
    """
    from howsure.data.contests import Contest
    from howsure.data.response_tables import ResponseTable
    from howsure.paired import PairedScores
    from howsure.questions.base import Question
    from howsure.records import Record

    _check.instance("result", result, Record)
    place = _check.path("path", path)
    if question is not None:
        _check.instance("question", question, Question)
    if data is not None:
        _check.instance("data", data, Contest, ResponseTable, PairedScores)
    check_place("path", place, REPORTS, force=_check.flag("force", force))
    write_report(result, place, question, data, force=force)


def check_drawn(kind: str) -> None:
    """Refuse the chart of a type of result that has none."""
    if kind not in DRAWN:
        raise ArgumentError(f"there is no chart of a {kind}; charts show {', '.join(DRAWN)}.")


def check_place(name: str, path: str, formats: tuple[str, ...], *, force: bool) -> None:
    """Refuse a file that could not be written, before the work is done: its ending, its folder, a file in its place."""
    _files.check_outputs({name: path}, endings={name: formats}, force=force)


def write_chart(result: Any, path: str) -> None:
    """Write the chart as a page (.html, JavaScript included), a picture, or a Vega-Lite specification (.json)."""
    chart_files.write(path, chart=lambda: plot(result))


def write_report(
    result: "Record", path: str, asked: "Question | None" = None, data: Any = None, *, force: bool = False
) -> tuple[str, ...]:
    """Write the report of a result in the format that the file's name says, and return the files that were written.

    Pictures of a report in Markdown or LaTeX are files beside it (NAME-PICTURE.svg or .pdf). Where such a file is there
    already, it is replaced only if `force` says so. As .csv a result writes its rows; one without rows writes the
    tables of its document, each into a file of its own where there are several (NAME-TITLE.csv).
    """
    from howsure import _json
    from howsure.reports.frame import framed

    def document(*, pictures: bool = False, draw: bool = True) -> Any:
        return framed(result, asked, data, pictures=pictures, draw=draw)

    writers: dict[str, Callable[[], str]] = {
        ".html": lambda: html.page(document(pictures=True)),
        ".json": lambda: _json.dumps(_content(result, asked, document()), indent=2) + "\n",
        ".csv": lambda: csv_tables.from_frame(cast(Any, result).to_frame()),
    }
    suffix = Path(path).suffix.lower()
    if suffix in BESIDE:
        return _write_with_pictures(document(pictures=True, draw=False), Path(path), force=force)
    if suffix == ".csv" and not hasattr(result, "to_frame"):
        return _write_tables(result, Path(path), force=force)
    _files.write_text(path, writers[suffix]())
    return (path,)


def _write_with_pictures(document: "Document", path: Path, *, force: bool) -> tuple[str, ...]:
    """Write the pictures of a document beside it, then the document."""
    alone = path.exists() and not path.is_file()  # a pipe takes the text only
    text, figures = beside(document, path.name, pictures=not alone)
    _files.check_outputs({f"picture {name}": path.with_name(name) for name in figures}, force=force)
    for name, figure in figures.items():
        with _files.writing(path.with_name(name)) as draft:
            draft.write_bytes(picture_file(name, figure.spec))
    _files.write_text(str(path), text)
    return (str(path), *(str(path.with_name(name)) for name in figures))


def beside(document: "Document", file: str, *, pictures: bool = True) -> tuple[str, dict[str, Figure]]:
    """Return the text of a report in Markdown or LaTeX, and its figures by the names of the files that it shows."""
    stem, suffix = Path(file).stem, Path(file).suffix.lower()
    ending, render = BESIDE[suffix]
    blocks: list[Any] = []
    figures: dict[str, Figure] = {}
    for block in document.blocks:
        shown = block
        if isinstance(block, Figure) and pictures:
            name = _plain(f"{stem}-{block.name}")
            if f"{name}{ending}" in figures:  # sources that differ by such signs only
                name = f"{name}-{len(figures) + 1}"
            figures[f"{name}{ending}"] = block
            shown = replace(block, file=f"{name}{ending}")
        blocks.append(shown)
    return render(replace(document, blocks=tuple(blocks))), figures


def picture_file(name: str, spec: Mapping[str, Any]) -> bytes:
    """Return what a picture's file holds, as its name says."""
    return pdf(spec) if name.endswith(".pdf") else svg(spec).encode()


def _plain(name: str) -> str:
    """Return a name that any disk takes, and in which nothing is markup: it stands in the document, too.

    Examples
    --------
    >>> _plain("report-map-meta-llama/Llama-3.1 (8B)")
    'report-map-meta-llama-Llama-3-1-8B-'
    """
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name)[:100]


BESIDE: dict[str, tuple[str, Callable[["Document"], str]]] = {
    ".md": (".svg", markdown.render),
    ".tex": (".pdf", latex.render),
}
"""Formats whose pictures are files beside them: how those end, and who writes the text."""


def _content(result: "Record", asked: "Question | None", document: Any) -> dict[str, Any]:
    """Return the result as `to_dict` gives it, with what was asked and what the report says under `report`."""
    from howsure.documents.text import render

    said = {"title": document.title, "text": render(document, width=None)}
    if asked is not None:
        said |= {"question": {"name": asked.name, **asked.to_dict()}, "command": asked.command, "python": asked.python}
    return {**result.to_dict(), "report": said}


def _write_tables(result: "Record", path: Path, *, force: bool) -> tuple[str, ...]:
    """Write each table of a document as a file of its own."""
    found = csv_tables.tables(result.document())
    if not found:
        raise ArgumentError(f"a {type(result).__name__} has no table to write as .csv; use {', '.join(REPORTS[:-1])}.")
    places = {name: path if len(found) == 1 else path.with_name(f"{path.stem}-{name}.csv") for name in found}
    _files.check_outputs({f"table {name}": place for name, place in places.items()}, force=force)
    for name, text in found.items():
        _files.write_text(str(places[name]), text)
    return tuple(map(str, places.values()))
