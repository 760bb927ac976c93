"""From templates to pages: what every page has, how a job is shown, and the token that a form carries."""

import json
import re
import time
from contextlib import suppress
from functools import cache
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from howsure._files import writing
from howsure.errors import ArgumentError, DataError
from howsure.web.everyday_words import ago, humanly, plural, short
from howsure.web.jobs import Job
from howsure.web.questions import PAGES
from howsure.web.safety import csrf, same
from howsure.web.views import view_of
from howsure.web.views.base import Sent

WRITTEN = {
    "fit": ("model.json", "The model"),
    "simulate": ("simulated.csv", "The table"),
    "sample": ("to-label.csv", "The items to label"),
    "scores-describe": ("units.txt", "The units"),
}
"""The file that some answers have beside the others, and what it is."""

FILES = {
    "report.html": ("Report", "HTML"),
    "report-md.zip": ("Markdown", ".zip with pictures"),
    "report.md": ("Markdown", ".md"),
    "report-tex.zip": ("LaTeX", ".zip with pictures"),
    "report.tex": ("LaTeX", ".tex"),
}
"""What can be downloaded, and what it is called; a .zip stands in for the report without its pictures."""


def answer_part(request: Request, job: Job, sent: Sent, *, brief: bool = False) -> str:
    """Return the HTML of an answer, of its progress, or of why there is none."""
    content: dict[str, Any] = {
        "brief": brief,
        "query": urlencode([(name, text) for name in sent for text in sent[name]]),
    }
    if job.state == "done":
        answer, view = kept(request, job), view_of(job.page)
        content |= {"answer": answer, "shown": view.show(answer["view"], sent), "files": files_of(answer)}
        content["part"] = "answers/general.html" if answer["view"].get("several") else view.answer
        if content["part"] == "answers/general.html" and not brief:
            content["sizes"] = [picture_size(request, job, number) for number in range(len(answer["figures"]))]
    made = templates().get_template("_answer.html")
    return str(
        made.render(job=job, csrf=token_of(request), written=WRITTEN.get(job.page), page=PAGES[job.page], **content)
    )


def files_of(answer: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return the files of an answer: name, title and kind of each."""
    zipped = {name for name in ("md", "tex") if answer.get(f"report-{name}.zip")}
    found = [
        (name, *said)
        for name, said in FILES.items()
        if answer.get(name) and not (name.startswith("report.") and name.rpartition(".")[2] in zipped)
    ]
    found.append(("result.json", "Numbers", "JSON"))
    found += [(f"{name}.csv", name.replace("-", " ").capitalize(), "CSV") for name in answer["tables"]]
    if answer["chart.json"]:
        found += [("chart.svg", "Picture", "SVG"), ("chart.png", "Picture", "PNG")]
    return found


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
    if place.exists():
        before: bytes = place.read_bytes()
        return before
    made = state.chart_process.ask(*_order(name, answer))
    content: bytes = made if isinstance(made, bytes) else made.encode()
    with suppress(DataError), writing(place) as draft:  # where the disk is full, it is drawn again next time
        draft.write_bytes(content)
    if state.jobs.get(job.identity) is None:  # deleted while this was drawn
        state.jobs.delete(job.identity)
    return content


def picture_size(request: Request, job: Job, number: int) -> tuple[int, int]:
    """Return the size of a picture, so that the page keeps its place; it is drawn for that."""
    head = drawn(request, job, f"figure-{number}-light")[:600]
    found = re.search(r'<svg[^>]*?\bwidth="([\d.]+)"[^>]*?\bheight="([\d.]+)"', bytes(head).decode(errors="replace"))  # type: ignore[arg-type]
    return (round(float(found[1])), round(float(found[2]))) if found else (640, 360)


def _order(name: str, answer: dict[str, Any]) -> tuple[Any, ...]:
    """Return what the chart_process is asked for."""
    if name.startswith("report"):
        return "zip" if name.endswith(".zip") else name, answer[name], [figure["spec"] for figure in answer["figures"]]
    if name.startswith("chart"):
        return name, answer["chart.json"]
    _, number, look = name.split("-")
    return "figure", answer["figures"][int(number)]["spec"], look == "dark"


async def check_form(request: Request) -> None:
    """Refuse a form that was not made by this server for this visitor."""
    form = await request.form(max_files=500, max_fields=1000)
    if not same(str(form.get("csrf", "")), token_of(request)):
        raise ArgumentError("this form has expired; go back, reload the page and send it again.")


def token_of(request: Request) -> str:
    """Return the token of this visitor's forms."""
    return csrf(request.scope["session_id"], request.app.state.secret)


def problem(request: Request, status: int, message: str) -> Response:
    """Return a page that says what is wrong."""
    if "text/html" not in request.headers.get("accept", "text/html") and "*/*" not in request.headers.get("accept", ""):
        return PlainTextResponse(f"howsure: {message}\n", status)
    return shown(request, "problem.html", status=status, message=humanly(message))


def shown(request: Request, template: str, *, status: int = 200, **content: Any) -> Response:
    """Return a page."""
    return HTMLResponse(filled(request, template, **content), status)


def filled(request: Request, template: str, **content: Any) -> str:
    """Return the text of a template, filled in."""
    made = templates().get_template(template)
    keep = request.app.state.settings.keep_hours
    menu = [page for page in PAGES.values() if page.menu]
    return str(made.render(csrf=token_of(request), path=request.url.path, menu=menu, keep=keep, **content))


@cache
def templates() -> Any:
    """Return the templates, which escape everything."""
    import jinja2

    loader = jinja2.PackageLoader("howsure.web", "templates")
    made = jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    made.filters |= {"humanly": humanly, "plural": plural, "short": short, "json": _as_json}
    made.filters["ago"] = lambda when: ago(time.time() - when)
    return made


def _as_json(value: Any) -> Any:
    """Return JSON that can stand in a script element: nothing in it ends that element."""
    import markupsafe

    said = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    for letter in "<>&":
        said = said.replace(letter, f"\\u{ord(letter):04x}")
    return markupsafe.Markup(said)
