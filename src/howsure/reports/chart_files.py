"""Charts as files: the formats that one may have, and writing it."""

import io
import json
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from importlib import import_module
from pathlib import Path
from typing import Any

from howsure import _files
from howsure.errors import ArgumentError, needs_extra

FORMATS = (".html", ".svg", ".png", ".pdf", ".json")

COUNTED = re.compile(r'( (?:id|fill|stroke|clip-path)="(?:url\(#)?)(clip|gradient_)(\d+)(?=[^<>]*>)')
"""A clip path or a shade in an SVG, which the library that draws numbers for as long as the process runs."""


class _InScript(json.JSONEncoder):
    """JSON that stands in a script of a page: no name in the data can end the script, or begin a comment in it."""

    def encode(self, o: Any) -> str:
        return super().encode(o).replace("<", "\\u003c").replace(">", "\\u003e")


def altair() -> Any:
    """Return the library that draws, or say which extra brings it."""
    try:
        return import_module("altair")
    except ImportError:
        raise needs_extra("a chart", "charts") from None


def unchecked() -> AbstractContextManager[None]:
    """Let Altair make charts without checking each of their parts: the tests check whole charts."""
    made: AbstractContextManager[None] = import_module("altair.utils.schemapi").debug_mode(False)
    return made


def renumbered(svg: str) -> str:
    """Return an SVG that does not depend on what was drawn before it: its clip paths and shades count from 0.

    Examples
    --------
    >>> renumbered('<path fill="url(#gradient_7)"/><linearGradient id="gradient_7"/>')
    '<path fill="url(#gradient_0)"/><linearGradient id="gradient_0"/>'
    """
    numbers: dict[str, int] = {}
    return COUNTED.sub(
        lambda found: f"{found[1]}{found[2]}{numbers.setdefault(found[2] + found[3], len(numbers))}", svg
    )


def write(path: str | Path, *, chart: Callable[[], Any]) -> None:
    """Write a page (.html, JavaScript included), a picture, or Vega-Lite (.json)."""
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise ArgumentError(f"`chart` must be a file that ends in {', '.join(FORMATS)}; got {str(path)!r}.")
    options: dict[str, dict[str, Any]] = {
        ".html": {"inline": True, "json_kwds": {"cls": _InScript}},
        ".png": {"scale_factor": 2},
    }
    with _files.writing(path) as draft:
        if suffix == ".svg":
            drawn = io.StringIO()
            chart().save(drawn, format="svg")
            draft.write_bytes(renumbered(drawn.getvalue()).encode())
        else:
            chart().save(str(draft), format=suffix[1:], **options.get(suffix, {}))
