"""The page with sliders: one design, what it may expect, and where it lies on the map of designs."""

from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from howsure.errors import ArgumentError, HowsureError
from howsure.web import api
from howsure.web.aides import apart
from howsure.web.questions import PAGES, refuse_paths, stand_in
from howsure.web.rendering import shown, templates
from howsure.web.sliders import SUGGESTED
from howsure.web.uploads import Upload, files_of

TRIED = {
    "preset": "", "table": "", "gold": "", "a": "", "b": "", "metric": "", "n_items": "200", "n_responses": "5",
    "n_raters": "5", "epsilon": "0.1", "cost_item": "0", "cost_response": "0",
}  # fmt: skip
"""What the sliders of the plan page ask at first."""

SLIDERS = ("n_items", "n_responses", "n_raters", "epsilon", "cost_item", "cost_response")


async def try_designs(request: Request) -> Response:
    """Show sliders for a design and what it may expect; htmx asks for the second part while they are dragged."""
    sent = {name: request.query_params.get(name, default) for name, default in TRIED.items()}
    upload = api.upload_of(request, sent["table"]) if sent["table"] else None
    if not request.query_params:
        sent["preset"] = "likert-toxicity"
    found, said = None, ""
    if sent["preset"] or upload is not None:
        try:
            found = await apart(request.app.state.desk.ask, _design(sent, upload, request.app.state.settings.root))
        except HowsureError as refused:
            said = str(refused)
    exact = {name: sent[name] for name in ("preset", "table", "gold", "a", "b", "metric", "epsilon") if sent[name]}
    content = {
        "found": found,
        "problem": said[:1].upper() + said[1:],
        "exact": f"/plan?{urlencode(exact)}",
        "sent": sent,
    }
    if request.headers.get("hx-request"):  # htmx shows no answers but those of 2xx
        return HTMLResponse(templates().get_template("_design.html").render(moved=SLIDERS, **content))
    from howsure.models import PRESETS

    return shown(
        request,
        "try.html",
        status=422 if said else 200,
        upload=upload,
        presets=list(PRESETS),
        uploads=request.app.state.uploads.of(request.scope["session_id"]),
        sources=[] if upload is None else list(upload.seen.get("sources", {})),
        raters=found is not None and found["across"] == "raters",
        metrics=SUGGESTED["nominal" if found is not None and found["kind"] == "nominal" else ""],
        **content,
    )


def _design(sent: dict[str, str], upload: Upload | None, root: Path) -> dict[str, Any]:
    """Return the design that the sliders ask for; numbers are checked here, everything else where it is used."""
    asked: dict[str, Any] = {name: sent[name] for name in ("gold", "a", "b", "metric")}
    if upload is None:
        asked["preset"] = stand_in(PAGES["plan"], sent["preset"])[0]
    else:
        asked |= {
            "folder": str(files_of(root, upload.identity)),
            "files": list(upload.specs),
            "reading": upload.reading,
            "is_model": upload.is_model,
        }
    refuse_paths({name: asked[name] for name in ("gold", "a", "b", "metric")})
    whole = {"n_items": (2, 100_000), "n_responses": (1, 500), "n_raters": (2, 500)}
    for name, (low, high) in whole.items():
        asked[name] = int(_number(name, sent[name], low, high))
    for name, most in (("epsilon", 1.0), ("cost_item", 1e9), ("cost_response", 1e9)):
        asked[name] = _number(name, sent[name], 0.0, most)
    return asked


def _number(name: str, text: str, low: float, high: float) -> float:
    from howsure import _check

    try:
        value = float(text)
    except ValueError:
        raise ArgumentError(f"`{name}` must be a number; got {text!r}.") from None
    return _check.real(name, value, at_least=low, at_most=high)
