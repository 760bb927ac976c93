"""Charts as files: the formats that one may have, and writing it."""

from collections.abc import Callable
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


def write(path: str | Path, *, chart: Callable[[], Any]) -> None:
    """Write a page (.html, JavaScript included), a picture, or Vega-Lite (.json)."""
    target = Path(path)
    check_format(target)
    options: dict[str, dict[str, Any]] = {".html": {"inline": True}, ".png": {"scale_factor": 2}}
    with _files.writing(target) as draft:
        chart().save(str(draft), **options.get(target.suffix, {}))
