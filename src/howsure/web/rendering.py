"""From templates to pages: what every page has, how a job is shown, and the token that a form carries."""

import json
from functools import cache
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from howsure._files import writing
from howsure.errors import ArgumentError
from howsure.web.jobs import Job
from howsure.web.questions import PAGES
from howsure.web.safety import csrf, same

WRITTEN = {
    "fit": ("model.json", "The model"),
    "simulate": ("simulated.csv", "The table"),
    "sample": ("to-label.csv", "The items to label"),
    "scores-describe": ("units.txt", "The units"),
}
"""The file that some answers have beside the others, and what it is."""


def answer_part(request: Request, job: Job) -> str:
    """Return the HTML of an answer, of its progress, or of why there is none."""
    answer = kept(request, job) if job.state == "done" else {}
    share = round(100 * job.done / job.total) if job.total else 0
    made = templates().get_template("_answer.html")
    return str(
        made.render(job=job, answer=answer, share=min(share, 99), csrf=token_of(request), written=WRITTEN.get(job.page))
    )


def kept(request: Request, job: Job) -> dict[str, Any]:
    """Return what is shown of an answer."""
    place = request.app.state.jobs.answers / f"{job.identity}.document"
    found: dict[str, Any] = json.loads(place.read_text(encoding="utf-8"))
    return found


def drawn(request: Request, job: Job, name: str) -> str | bytes:
    """Return a file of an answer with its pictures; what was drawn once is kept."""
    state, answer = request.app.state, kept(request, job)
    if name in ("report.md", "report.tex", "chart.json") or (name == "report.html" and not answer["figures"]):
        said: str = answer[name]
        return said
    place = state.jobs.answers / f"{job.identity}-{name}"
    if not place.exists():
        made = state.draughtsman.ask(*_order(name, answer))
        with writing(place) as draft:
            draft.write_bytes(made if isinstance(made, bytes) else made.encode())
    content: bytes = place.read_bytes()
    return content


def _order(name: str, answer: dict[str, Any]) -> tuple[Any, ...]:
    """Return what the draughtsman is asked for."""
    if name.startswith("report"):
        return "zip" if name.endswith(".zip") else name, answer[name], [figure["spec"] for figure in answer["figures"]]
    if name.startswith("chart"):
        return name, answer["chart.json"]
    _, number, look = name.split("-")
    return "figure", answer["figures"][int(number)]["spec"], look == "dark"


async def check_form(request: Request) -> None:
    """Refuse a form that was not made by this server for this visitor."""
    form = await request.form(max_files=50, max_fields=200)
    if not same(str(form.get("csrf", "")), token_of(request)):
        raise ArgumentError("this form has expired; go back, reload the page and send it again.")


def token_of(request: Request) -> str:
    """Return the token of this visitor's forms."""
    return csrf(request.scope["session_id"], request.app.state.secret)


def problem(request: Request, status: int, message: str) -> Response:
    """Return a page that says what is wrong."""
    if "text/html" not in request.headers.get("accept", "text/html") and "*/*" not in request.headers.get("accept", ""):
        return PlainTextResponse(f"howsure: {message}\n", status)
    return shown(request, "problem.html", status=status, message=message[:1].upper() + message[1:])


def shown(request: Request, template: str, *, status: int = 200, **content: Any) -> Response:
    """Return a page."""
    made = templates().get_template(template)
    page = made.render(csrf=token_of(request), path=request.url.path, menu=list(PAGES.values()), **content)
    return HTMLResponse(page, status)


@cache
def templates() -> Any:
    """Return the templates, which escape everything."""
    import jinja2

    loader = jinja2.PackageLoader("howsure.web", "templates")
    return jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
