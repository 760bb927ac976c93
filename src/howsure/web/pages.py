"""The pages: a question as a sentence of menus, its answer below, and what a visitor has asked before."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from howsure.errors import HowsureError
from howsure.web import api, data_page, settings_files
from howsure.web.asking import begin, fits, resume_job
from howsure.web.everyday_words import humanly
from howsure.web.helper_processes import apart
from howsure.web.jobs import Job, Jobs
from howsure.web.questions import PAGES, Page
from howsure.web.rendering import WRITTEN, answer_part, check_form, drawn, filled, kept, problem, shown
from howsure.web.safety import TOKEN, WRONG_TOKEN, may_change, new_session, same
from howsure.web.samples import sample
from howsure.web.shown import FORMATS
from howsure.web.uploads import ROLE_OPTIONS, Upload
from howsure.web.views import VIEWS, view_of
from howsure.web.views.base import groups

PATIENCE = 1.2
"""Seconds for which a page waits for its answer before it shows how far it is; the former answer is dimmed then."""

LISTENING = 300.0
"""Seconds after which a stream of events ends; a browser then asks for the next."""

LAST = 4
"""Answers on the home page."""


def router() -> APIRouter:
    """Return the routes of the pages."""
    made = APIRouter(include_in_schema=False)
    made.add_api_route("/", home, methods=["GET"])
    made.add_api_route("/enter", enter, methods=["GET", "POST"])
    data_page.add_routes(made)
    made.add_api_route("/example/{kind}", example, methods=["POST"])
    made.add_api_route("/history", history, methods=["GET"])
    made.add_api_route("/history/{job}", show_job, methods=["GET"])
    made.add_api_route("/history/{job}/use", use_written, methods=["POST"])
    made.add_api_route("/history/{job}/{how}", change_job, methods=["POST"])
    made.add_api_route("/history/{job}/answer", part_of_answer, methods=["GET"])
    made.add_api_route("/history/{job}/events", events, methods=["GET"])
    made.add_api_route("/history/{job}/figure/{number}/{look}.svg", figure, methods=["GET"])
    made.add_api_route("/history/{job}/{name}", download, methods=["GET"])
    made.add_api_route("/scores-settings", settings_files.settings_file, methods=["GET"])
    made.add_api_route("/scores-settings", settings_files.use_settings, methods=["POST"])
    made.add_api_route("/glossary", glossary, methods=["GET"])
    made.add_api_route("/api", about_api, methods=["GET"])
    for page in PAGES.values():
        made.add_api_route(f"/{page.path}", _asking(page), methods=["GET"], name=f"page-{page.path}")
    return made


def warm() -> None:
    """Import what the forms are made of, so that the first visitor does not wait for it."""
    for page in PAGES.values():
        groups(page, None, {})
        _presets(page)
    words()


async def home(request: Request) -> Response:
    """Show the place to drop a table, the questions, and the last answers."""
    jobs: Jobs = request.app.state.jobs
    last = [_entry(request, job) for job in jobs.of(request.scope["session_id"]) if job.state == "done"][:LAST]
    more = [page for page in PAGES.values() if page.menu and page.path not in VIEWS]
    return shown(request, "home.html", last=last, others=more)


async def enter(request: Request) -> Response:
    """Ask for the token, and remember it."""
    if request.method == "GET":
        return shown(request, "enter.html", wrong=False)
    form = await request.form()
    token, given = request.app.state.settings.token, str(form.get("token", ""))
    if token is None or not same(given, token):
        await asyncio.sleep(WRONG_TOKEN)
        return shown(request, "enter.html", status=401, wrong=True)
    # Whoever used this browser before, or put a session into it, must not share what comes after the token.
    request.scope["begins"] = new_session(request.app.state.secret)
    answer = RedirectResponse("/", 303)
    answer.set_cookie(TOKEN, given, httponly=True, samesite="strict")
    return answer


async def example(request: Request, kind: str) -> Response:
    """Ask an example of a question, of a table that is made for it; or show such a table."""
    await check_form(request)
    page = PAGES.get(kind)
    if page is None and kind != "table":
        return problem(request, 404, "there is no such page.")
    asked = {} if page is None else dict(page.example)
    name = "raters" if page is None else page.sample
    if name:
        file = await run_in_threadpool(sample, name)
        found = await apart(request.app.state.uploads.add, request.scope["session_id"], [file])
        if page is None:
            return RedirectResponse(f"/tables/{found.identity}", 303)
        asked = {"table": found.identity, **asked}
    if page is not None and not name:
        asked["ask"] = "1"
    return RedirectResponse(f"/{kind}?{urlencode(asked)}", 303)


def _asking(page: Page) -> Any:
    view = view_of(page.path)

    async def asked(request: Request) -> Response:
        sent = sent_by(request)
        whole = not request.headers.get("hx-request")
        untidy = "like" in sent or any(not text.strip() for _, text in request.query_params.multi_items())
        upload, preset = _about(request, page, sent)
        if whole and untidy:
            return RedirectResponse(_address(page, sent), 303)  # forms without script send empty fields, too
        error, job, found = "", None, None
        try:
            found = view.question(page, sent, upload)
            if found.given is not None:
                about = upload, "" if upload else preset
                where = _address(page, sent)
                job = await run_in_threadpool(lambda: begin(request, page, found.given or {}, *about, address=where))
        except HowsureError as refused:
            error = humanly(" ".join(str(refused).splitlines()))
        if job is not None:
            job = await request.app.state.jobs.wait(job.identity, 0.0 if page.long else PATIENCE)
        answer = "" if job is None or found is None else await apart(answer_part, request, job, found.sent_with(sent))
        uploads: list[Upload] = request.app.state.uploads.of(request.scope["session_id"])
        content = {
            "page": page,
            "sent": sent,
            "upload": upload,
            "error": error,
            "answer": answer,
            "view": view,
            "menus": {} if found is None else found.menus,
            "missing": "" if found is None else found.missing,
            "uploads": [each for each in uploads if fits(page, each)],
            "presets": _presets(page),
            "preset": preset,
            "running": job is not None and not job.ended,
            "form": groups(page, upload, sent, view.own),
            "job": job,
        }
        if whole:
            return shown(request, view.template, status=422 if error else 200, **content)
        again = found is not None and found.corrected
        part = filled(request, "_part.html", again=again, **content)
        return HTMLResponse(part, headers={"HX-Push-Url": _address(page, sent)})

    return asked


def _about(request: Request, page: Page, sent: dict[str, list[str]]) -> tuple[Upload | None, str]:
    """Return the upload and the preset that a page is about; one menu may name either of them."""
    like = (sent.get("like") or [""])[0]
    kind, _, name = like.partition(":")
    identity = name if kind == "table" else (sent.get("table") or [""])[0] if kind != "preset" else ""
    preset = name if kind == "preset" else (sent.get("preset") or [""])[0] if kind != "table" else ""
    if like:  # the address has one name for it
        sent.pop("like")
        sent.pop("table", None)
        sent.pop("preset", None)
        sent |= {"table": [identity]} if identity else {"preset": [preset]}
    upload = api.upload_of(request, identity) if identity and page.place else None
    return upload, preset


def _address(page: Page, sent: dict[str, list[str]]) -> str:
    """Return the address of a question: what is set, and nothing that is empty."""
    asked = [(name, text.strip()) for name, texts in sent.items() for text in texts if text.strip()]
    return f"/{page.path}?{urlencode(asked)}" if asked else f"/{page.path}"


def sent_by(request: Request) -> dict[str, list[str]]:
    """Return what the address of a request says, every name with all its values."""
    return {name: request.query_params.getlist(name) for name in request.query_params}


def _presets(page: Page) -> list[tuple[str, str]]:
    from howsure.models import PRESETS

    return [(name, _preset_said(name)) for name in PRESETS] if page.presets else []


def _preset_said(name: str) -> str:
    """Return a preset in words.

    Examples
    --------
    >>> _preset_said("likert-hs-brexit"), _preset_said("normal")
    ('ratings like hs-brexit (likert)', 'numbers (normal)')
    """
    kind, _, data = name.partition("-")
    said = {"likert": "ratings", "categorical": "labels", "normal": "numbers"}.get(kind, kind)
    return f"{said} like {data} ({kind})" if data else f"{said} ({kind})"


async def history(request: Request) -> Response:
    """Show what this visitor has asked: what runs, and what was answered."""
    jobs: Jobs = request.app.state.jobs
    found = await run_in_threadpool(lambda: [_entry(request, job) for job in jobs.of(request.scope["session_id"])])
    tables = sorted({entry["table"] for entry in found if entry["table"]})
    only = request.query_params.get("table", "")
    found = [entry for entry in found if not only or entry["table"] == only]
    running = [entry for entry in found if not entry["job"].ended]
    ended = [entry for entry in found if entry["job"].ended]
    return shown(request, "history.html", waiting=running, ended=ended, tables=tables, only=only)


def _entry(request: Request, job: Job) -> dict[str, Any]:
    """Return how the history shows a job."""
    upload = request.app.state.uploads.get(job.upload, None) if job.upload else None
    gone = bool(job.upload) and upload is None
    stale = upload is not None and any(
        json.dumps(job.question[name]) != json.dumps(value)
        for name, value in (dict.fromkeys(ROLE_OPTIONS) | {"scale": None} | upload.reading).items()
        if name in job.question
    )
    address = job.address if job.address and not gone else f"/history/{job.identity}"
    title = job.title or PAGES[job.page].title
    return {
        "job": job,
        "title": title,
        "table": ", ".join(job.files[:2]),
        "address": address,
        "gone": gone,
        "stale": stale,
    }


async def show_job(request: Request, job: str) -> Response:
    """Show one answer, which everybody who has its link can read."""
    found = api.job_of(request, job)
    answer = await apart(answer_part, request, found, sent_by(request))
    own = may_change(request, found.owner)
    return shown(request, "job.html", job=found, answer=answer, entry=_entry(request, found), own=own)


async def change_job(request: Request, job: str, how: str) -> Response:
    """Cancel a job, resume it, rename it, or delete it with its answer."""
    await check_form(request)
    if how not in ("cancel", "resume", "delete", "rename"):
        raise api.GoneError("such job")
    found = api.job_of(request, job, change=True)
    jobs: Jobs = request.app.state.jobs
    if how == "rename":
        title = " ".join(str((await request.form()).get("title", "")).split())[:200]
        await run_in_threadpool(jobs.rename, found.identity, title)
    elif how == "resume":
        await run_in_threadpool(resume_job, request, found)
    else:
        await run_in_threadpool(getattr(jobs, how), found.identity)
    return RedirectResponse(f"/history/{job}" if how == "resume" else "/history", 303)


async def events(request: Request, job: str) -> Response:
    """Send how far a job is, as server-sent events, until it has ended."""
    told = _told(request, api.job_of(request, job).identity)
    return StreamingResponse(told, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


async def _told(request: Request, job: str) -> AsyncIterator[str]:
    last, until = "", time.monotonic() + LISTENING
    while time.monotonic() < until and not request.app.state.stopping.is_set():
        found = await run_in_threadpool(request.app.state.jobs.get, job)
        if found is None or found.ended:
            yield "event: ended\ndata: {}\n\n"
            return
        now = json.dumps({"state": found.state, "label": found.label, "share": found.share, "left": found.left})
        if now != last:
            last = now
            yield f"event: progress\ndata: {now}\n\n"
        await asyncio.sleep(0.25)


async def part_of_answer(request: Request, job: str) -> Response:
    """Return the part of a page that shows a job: htmx asks for it until the job has ended."""
    sent = sent_by(request)
    found = api.job_of(request, job)
    return HTMLResponse(await apart(lambda: answer_part(request, found, sent, brief=bool(sent.get("brief")))))


async def download(request: Request, job: str, name: str) -> Response:
    """Return the answer of a job as a file."""
    found = api.done_job(request, job, "answer")
    if name == "result.json":
        from howsure import _json

        content = _json.dumps(request.app.state.jobs.result(found)["result"], indent=2)
        return _file(content, "application/json", name)
    answer = kept(request, found)
    if name == "written" and found.page in WRITTEN:
        file, written = _written_file(request, found)
        return _file(written, "application/octet-stream", file)
    if name.endswith(".csv") and name.removesuffix(".csv") in answer["tables"]:
        return _file(answer["tables"][name.removesuffix(".csv")], "text/csv; charset=utf-8", name)
    if name not in FORMATS or not answer.get("chart.json" if name.startswith("chart") else name):
        return problem(request, 404, f"this result has no {name}.")
    return _file(await apart(drawn, request, found, name), FORMATS[name], name)


def _written_file(request: Request, job: Job) -> tuple[str, bytes]:
    """Return the file that an answer has beside the others: a model, a table, units."""
    file = WRITTEN[job.page][0]
    return file, request.app.state.jobs.written_path(job.identity, Path(file).suffix).read_bytes()


async def figure(request: Request, job: str, number: int, look: str) -> Response:
    """Return a picture of an answer, for a light or a dark page."""
    found = api.done_job(request, job, "picture")
    if look not in ("light", "dark"):
        raise api.GoneError("picture here")
    if not 0 <= number < len(kept(request, found)["figures"]):
        return problem(request, 404, f"this result has no picture {number}.")
    return Response(await apart(drawn, request, found, f"figure-{number}-{look}"), media_type="image/svg+xml")


async def use_written(request: Request, job: str) -> Response:
    """Take the file of an answer as an upload of this visitor, to ask about it."""
    await check_form(request)
    found = api.done_job(request, job, "file")
    if found.page not in WRITTEN:
        raise api.GoneError("file here")
    file = await run_in_threadpool(_written_file, request, found)
    added = await apart(request.app.state.uploads.add, request.scope["session_id"], [file])
    return RedirectResponse(f"/tables/{added.identity}", 303)


def _file(content: str | bytes, kind: str, name: str) -> Response:
    return Response(content, media_type=kind, headers={"Content-Disposition": f'attachment; filename="howsure-{name}"'})


async def glossary(request: Request) -> Response:
    """Show what each number means."""
    return shown(request, "glossary.html", words=await run_in_threadpool(words))


@cache
def words() -> list[tuple[str, str]]:
    """Return the words that the answers use, and what they mean."""
    from howsure.documents import Definitions
    from howsure.paired import glossary as said

    blocks = said().document().blocks
    return [entry for block in blocks if isinstance(block, Definitions) for entry in block.entries]


async def about_api(request: Request) -> Response:
    """Show the JSON API: each request with its fields, and what it answers."""
    document = await run_in_threadpool(request.app.openapi)
    return shown(request, "api.html", paths=await run_in_threadpool(api.listed, document))
