"""What every page and chart shares: the formats a file may have, writing it, and the frame around what a page says."""

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from assay import _files
from assay.errors import ArgumentError

FORMATS = (".html", ".svg", ".png", ".pdf", ".json")


def check_format(path: str | Path) -> None:
    """Refuse a file whose name says no format that a chart can have."""
    if Path(path).suffix not in FORMATS:
        raise ArgumentError(f"`chart` must be a file that ends in {', '.join(FORMATS)}; got {str(path)!r}.")


def altair() -> Any:
    """Return the library that draws, or say which extra brings it."""
    try:
        return import_module("altair")
    except ImportError:
        raise ArgumentError("a chart needs the extra charts: pip install 'assay[charts]'.") from None


def write(path: str | Path, *, chart: Callable[[], Any], page: Callable[[], str] | None = None) -> None:
    """Write a page (.html, JavaScript included; the chart alone without `page`), a picture, or Vega-Lite (.json)."""
    target = Path(path)
    check_format(target)
    options: dict[str, dict[str, Any]] = {".html": {"inline": True}, ".png": {"scale_factor": 2}}
    with _files.writing(target) as draft:
        if target.suffix == ".html" and page is not None:
            draft.write_text(page(), encoding="utf-8")
        else:
            chart().save(str(draft), **options.get(target.suffix, {}))


def render(template: str, *, charts: Mapping[str, Any], **content: Any) -> str:
    """Return one page that needs no network; each chart is drawn where the template has an element chart-NAME."""
    import jinja2
    import vl_convert

    loader = jinja2.PackageLoader("assay.reports", "templates")
    page = jinja2.Environment(loader=loader, autoescape=True).get_template(template)
    # "</" inside a script would end it; JSON allows the slash to be escaped.
    specs = {name: chart.to_json(indent=None).replace("</", "<\\/") for name, chart in charts.items()}
    # The stub asks for a snippet, the function does not.
    return page.render(specs=specs, vega=vl_convert.javascript_bundle(), **content)  # type: ignore[call-arg]
