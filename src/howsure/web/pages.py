"""The pages: a form made from a question's fields, and the document of its answer beside it."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from howsure import _fields
from howsure._fields import Field
from howsure.errors import ArgumentError, HowsureError
from howsure.questions.table_fields import TableFields
from howsure.web import api, steps
from howsure.web.aides import apart
from howsure.web.asking import begin, fits
from howsure.web.jobs import Job, Jobs
from howsure.web.questions import PAGES, PLACES, Page, read_fields, refuse_paths, shown_fields
from howsure.web.rendering import WRITTEN, answer_part, check_form, drawn, kept, problem, shown
from howsure.web.safety import TOKEN, WRONG_TOKEN, new_session, same
from howsure.web.samples import sample
from howsure.web.shown import FORMATS
from howsure.web.trying import try_designs
from howsure.web.uploads import Upload

PATIENCE = 0.3
"""Seconds for which a page waits for its answer before it shows how far it is."""

LISTENING = 300.0
"""Seconds after which a stream of events ends; a browser then asks for the next."""

SOURCES = ("a", "b", "gold", "preference", "baseline", "only", "model")
COLUMNS = ("item", "source", "value", "rater", "repeat", "by", "cluster")
"""Fields for which a form suggests the sources, or the columns, of an upload."""

_READ = [field for field in _fields.fields_of(TableFields) if field.name not in PLACES]


def router() -> APIRouter:
    """Return the routes of the pages."""
    made = APIRouter(include_in_schema=False)
    made.add_api_route("/", home, methods=["GET"])
    made.add_api_route("/enter", enter, methods=["GET", "POST"])
    made.add_api_route("/tables", data, methods=["GET"])
    made.add_api_route("/tables", add_table, methods=["POST"])
    made.add_api_route("/tables/{table}", show_table, methods=["GET"])
    made.add_api_route("/tables/{table}/delete", delete_table, methods=["POST"])
    made.add_api_route("/tables/{table}/correct", correct_table, methods=["POST"])
    made.add_api_route("/example/{kind}", example, methods=["POST"])
    made.add_api_route("/jobs", show_jobs, methods=["GET"])
    made.add_api_route("/jobs/{job}", show_job, methods=["GET"])
    made.add_api_route("/jobs/{job}/use", use_written, methods=["POST"])
    made.add_api_route("/jobs/{job}/{how}", change_job, methods=["POST"])
    made.add_api_route("/jobs/{job}/answer", part_of_answer, methods=["GET"])
    made.add_api_route("/jobs/{job}/events", events, methods=["GET"])
    made.add_api_route("/jobs/{job}/figure/{number}/{look}.svg", figure, methods=["GET"])
    made.add_api_route("/jobs/{job}/{name}", download, methods=["GET"])
    made.add_api_route("/plan/try", try_designs, methods=["GET"])
    made.add_api_route("/scores-upload", steps.upload_scores, methods=["GET", "POST"])
    made.add_api_route("/scores-downloads", steps.downloads, methods=["GET"])
    made.add_api_route("/scores-settings", steps.settings_file, methods=["GET"])
    made.add_api_route("/glossary", steps.glossary, methods=["GET"])
    for page in PAGES.values():
        made.add_api_route(f"/{page.path}", _asking(page), methods=["GET"], name=f"page-{page.path}")
    return made


def warm() -> None:
    """Import what the forms are made of, so that the first visitor does not wait for it."""
    for page in PAGES.values():
        _groups(page, None)
        _presets(page)
    steps.words()


async def home(request: Request) -> Response:
    """Show what can be asked."""
    return shown(request, "home.html", pages=list(PAGES.values()))


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


async def data(request: Request) -> Response:
    """Show the form for uploads, and what this visitor has uploaded."""
    return shown(request, "tables.html", uploads=_uploads(request))


async def add_table(request: Request) -> Response:
    """Take an upload and show what was recognised."""
    await check_form(request)
    files = await api.uploaded(request)
    found = await apart(request.app.state.uploads.add, request.scope["session_id"], files)
    return RedirectResponse(f"/tables/{found.identity}", 303)


async def show_table(request: Request, table: str) -> Response:
    """Show what was recognised, and the questions that the table can answer."""
    return _table_page(request, api.upload_of(request, table))


def _table_page(request: Request, found: Upload, error: str = "") -> Response:
    asked = [page for page in PAGES.values() if page.place and fits(page, found) and _answers(found, page)]
    roles = "".join(f"&{part}" for part in urlencode(found.seen["roles"]).split("&") if part)
    return shown(
        request,
        "table.html",
        status=422 if error else 200,
        upload=found,
        pages=asked,
        roles=roles,
        fields=[_control(field, found) for field in _READ],
        error=error,
        sent={
            name: [",".join(map(str, value)) if isinstance(value, list) else str(value)]
            for name, value in found.reading.items()
        },
    )


def _answers(found: Upload, page: Page) -> bool:
    """Whether an upload holds what a page asks about, as far as was recognised."""
    has_sources, has_lines = bool(found.seen["sources"]), bool(found.seen["lines"])
    return found.is_model or (has_lines or not has_sources if page.place == "file" else has_sources)


async def correct_table(request: Request, table: str) -> Response:
    """Read an upload again as the visitor says: columns, scale, encoding, and whose responses each file holds."""
    await check_form(request)
    found = api.upload_of(request, table)
    form = await request.form()
    sent = {name: [str(text) for text in form.getlist(name)] for name in form}
    called = [
        text.strip().replace("=", "-") or old for text, old in zip(sent.get("called", ()), found.called, strict=False)
    ]
    try:
        reading = read_fields(_READ, sent)
        refuse_paths(reading)
        if len(set(called)) != len(called):
            raise ArgumentError("two files have the same source; give each a different name.")
        uploads = request.app.state.uploads
        now = await apart(uploads.correct, found, reading, called if len(called) > 1 else found.called)
    except HowsureError as refused:
        return _table_page(request, found, " ".join(str(refused).splitlines()))
    return RedirectResponse(f"/tables/{now.identity}", 303)


async def delete_table(request: Request, table: str) -> Response:
    """Delete an upload; with its answers, if the form says so."""
    await check_form(request)
    owner = request.scope["session_id"]
    if request.app.state.uploads.delete(table, owner) and (await request.form()).get("answers"):
        await run_in_threadpool(request.app.state.jobs.delete_about, table)
    return RedirectResponse("/tables", 303)


async def example(request: Request, kind: str) -> Response:
    """Ask an example of a question, of a table that is made for it."""
    await check_form(request)
    page = PAGES.get(kind)
    if page is None:
        return problem(request, 404, "there is no such page.")
    asked = {**page.example, "ask": "1"}
    if page.sample:
        file = await run_in_threadpool(sample, page.sample)
        found = await apart(request.app.state.uploads.add, request.scope["session_id"], [file])
        asked = {"table": found.identity, **asked}
    return RedirectResponse(f"/{kind}?{urlencode(asked)}", 303)


async def show_jobs(request: Request) -> Response:
    """Show the jobs of this visitor."""
    jobs: Jobs = request.app.state.jobs
    return shown(request, "jobs.html", jobs=jobs.of(request.scope["session_id"]), titles=PAGES)


async def show_job(request: Request, job: str) -> Response:
    """Show one job and its answer."""
    found = api.job_of(request, job)
    return shown(request, "job.html", job=found, answer=answer_part(request, found), title=PAGES[found.page].title)


async def change_job(request: Request, job: str, how: str) -> Response:
    """Cancel a job, resume it, or delete it with its answer."""
    await check_form(request)
    if how not in ("cancel", "resume", "delete"):
        raise api.GoneError("such job")
    getattr(request.app.state.jobs, how)(api.job_of(request, job, own=True).identity)
    return RedirectResponse(f"/jobs/{job}" if how == "resume" else "/jobs", 303)


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
        share = min(99, round(100 * found.done / found.total)) if found.total else 0
        now = json.dumps({"state": found.state, "label": found.label, "share": share})
        if now != last:
            last = now
            yield f"event: progress\ndata: {now}\n\n"
        await asyncio.sleep(0.25)


async def part_of_answer(request: Request, job: str) -> Response:
    """Return the part of a page that shows a job: htmx asks for it until the job has ended."""
    return HTMLResponse(answer_part(request, api.job_of(request, job)))


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


def _asking(page: Page) -> Any:
    async def asked(request: Request) -> Response:
        sent = steps.sent_by(request)
        identity = (sent.get("table") or [""])[0] if page.place else ""
        upload = api.upload_of(request, identity) if identity else None
        preset = (sent.get("preset") or [""])[0]
        error, job = "", None
        if _complete(page, sent, upload):
            try:
                given = read_fields(shown_fields(page), sent)
                job = await run_in_threadpool(begin, request, page, given, upload, preset)
            except HowsureError as refused:
                error = " ".join(str(refused).splitlines())
        if job is not None:
            job = await request.app.state.jobs.wait(job.identity, PATIENCE)
        answer = "" if job is None else answer_part(request, job)
        lists: list[dict[str, Any]] = []
        with suppress(HowsureError):
            lists = await steps.tests(request, page.path, sent, upload)
        return shown(
            request, "ask.html", status=422 if error else 200, page=page, groups=_groups(page, upload), sent=sent,
            upload=upload, uploads=[each for each in _uploads(request) if fits(page, each)], error=error,
            answer=answer, running=job is not None and not job.ended, help=page.question.__doc__,
            presets=_presets(page), steps=steps.bar(page.path, sent), carried=steps.carried(page, sent), lists=lists,
        )  # fmt: skip

    return asked


def _uploads(request: Request) -> list[Upload]:
    found: list[Upload] = request.app.state.uploads.of(request.scope["session_id"])
    return found


def _complete(page: Page, sent: dict[str, list[str]], upload: Upload | None) -> bool:
    """Whether a form was sent, and filled in so far that it can be answered."""
    required = [field.name for field in shown_fields(page) if field.required]
    given = all(any(text.strip() for text in sent.get(name, ())) for name in required)
    typed = page.presets  # a response model may be typed in
    return "ask" in sent and given and (not page.place or typed or upload is not None)


def _presets(page: Page) -> list[str]:
    from howsure.models import PRESETS

    return list(PRESETS) if page.presets else []


def _groups(page: Page, upload: Upload | None) -> dict[str, list[dict[str, Any]]]:
    """Return the fields of a form under their headings, with what each may be."""
    found: dict[str, list[dict[str, Any]]] = {}
    for field in shown_fields(page):
        found.setdefault(field.option.group, []).append(_control(field, upload))
    return dict(sorted(found.items(), key=lambda entry: bool(entry[0])))


def _control(field: Field, upload: Upload | None) -> dict[str, Any]:
    suggested: list[str] = []
    if upload is not None and field.name in SOURCES:
        suggested = list(upload.seen.get("sources", {}))
    elif upload is not None and field.name in COLUMNS:
        suggested = list(upload.seen.get("columns", []))
    default = ",".join(map(str, field.default)) if isinstance(field.default, tuple) else field.default
    kind = {bool: "flag", int: "number", float: "number"}.get(field.kind, "text") if not field.many else "text"
    if field.many and field.option.choices:
        kind = "several"
    return {
        "name": field.name,
        "label": field.name.replace("_", " "),
        "help": field.option.help.replace("`", ""),
        "kind": kind,
        "choices": list(field.option.allowed) if field.option.choices else [],
        "default": "" if default is None or default is False else default,
        "required": field.required,
        "optional": field.optional,
        "suggested": suggested,
    }
