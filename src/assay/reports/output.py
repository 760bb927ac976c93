"""Where results go: `plot` and `report` for Python, `write_chart` and `write_report` for files."""

import os
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.documents import html, latex, markdown
from assay.errors import ArgumentError, DataError

if TYPE_CHECKING:
    from assay.questions.base import Question
    from assay.records import Record

CHARTS = (".html", ".svg", ".png", ".pdf", ".json")
REPORTS = (".html", ".md", ".tex", ".json", ".csv")

OF_SCORES = (
    "Description", "Effects", "Finding", "Overview", "PairedAnalysis", "PowerCurve", "SystemsComparison", "UnitSizes"
)  # fmt: skip
DRAWN = {
    "Comparison": "assay.reports.compare:chart",
    "Comparisons": "assay.reports.compare:chart",
    **dict.fromkeys(OF_SCORES, "assay.reports.scores:chart"),
    "Audit": "assay.reports.audit:chart",
    "Fit": "assay.reports.fit:chart",
    "Leaderboard": "assay.reports.leaderboard:chart",
    "Plan": "assay.reports.plan:chart",
}
"""Who draws which result: an address, so that a result is drawn without importing the others."""

FIGURES = dict.fromkeys(OF_SCORES, "assay.reports.scores:figures")
"""Who draws the figures of a report; without the extra charts a report has none."""


def plot(result: Any) -> Any:
    """Return the chart of a result, an Altair object that can be changed and saved.

    Parameters
    ----------
    result : Comparison, Plan, Audit, Fit, …

    Returns
    -------
    altair.TopLevelMixin
    """
    kind = type(result).__name__
    if kind not in DRAWN:
        raise ArgumentError(f"there is no chart of a {kind}; charts show {', '.join(DRAWN)}.")
    module, _, name = DRAWN[kind].partition(":")
    return getattr(import_module(module), name)(result)


def report(result: Any, path: str | os.PathLike[str]) -> None:
    """Write a report of a result: .html (one file, charts included), .md, .tex or .json, as the name says."""
    check_place("path", str(path), REPORTS, force=True)
    write_report(result, str(path))


def check_place(name: str, path: str, formats: tuple[str, ...], *, force: bool) -> None:
    """Refuse a file that could not be written, before the work is done: its ending, its folder, a file in its place."""
    place = Path(path)
    if place.suffix.lower() not in formats:
        raise ArgumentError(f"`{name}` must be a file that ends in {', '.join(formats)}; got {path!r}.")
    if not place.parent.is_dir():
        raise DataError(f"{path} cannot be written: there is no folder {place.parent}.")
    if place.is_dir():
        raise DataError(f"{path} cannot be written: it is a folder.")
    if place.exists() and not force:
        raise DataError(f"{path} exists. Give `force`, or another name.")


def write_chart(result: Any, path: str) -> None:
    """Write the chart as a page (.html, JavaScript included), a picture, or a Vega-Lite specification (.json)."""
    from assay.reports import pages

    pages.write(path, chart=lambda: plot(result))


def _page(result: "Record") -> str:
    """Return one page that needs no network, with figures where they can be drawn."""
    document, address = result.document(), FIGURES.get(type(result).__name__)
    if address is None or not (find_spec("altair") and find_spec("vl_convert")):
        return html.page(document)
    import vl_convert

    module, _, name = address.partition(":")
    figures = getattr(import_module(module), name)(result)
    return html.page(document.with_figures(figures), vega=vl_convert.javascript_bundle())  # type: ignore[call-arg]


def write_report(result: "Record", path: str, asked: "Question | None" = None) -> None:
    """Write the document of a result in the format that the file's name says."""
    from assay import _json

    document = result.document()
    writers: dict[str, Callable[[], str]] = {
        ".html": lambda: _page(result),
        ".md": lambda: markdown.render(document),
        ".tex": lambda: latex.render(document),
        ".json": lambda: _json.dumps(result.to_dict(), indent=2) + "\n",
        ".csv": lambda: _rows(result),
    }
    try:
        Path(path).write_text(writers[Path(path).suffix.lower()](), encoding="utf-8")
    except OSError as error:
        raise DataError(f"{path} cannot be written: {error.strerror}.") from None


def _rows(result: Any) -> str:
    """Return the rows of a result that has some, as CSV."""
    if not hasattr(result, "to_frame"):
        raise ArgumentError(f"a {type(result).__name__} has no rows to write as .csv; take {', '.join(REPORTS[:-1])}.")
    return str(result.to_frame().write_csv())
