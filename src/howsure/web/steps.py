"""Two lists of scores in steps: upload, data analysis, significance, effect size, power, downloads and deletion.

Each step is the page of its question. The address carries what was set in every step, so that steps can be left out,
done again in any order, and written to a file of settings.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from howsure import _fields
from howsure.errors import ArgumentError
from howsure.web import api
from howsure.web.aides import apart
from howsure.web.asking import add
from howsure.web.questions import PAGES, PLACES, Page, from_form, read_fields
from howsure.web.rendering import check_form, kept, shown
from howsure.web.uploads import Upload

STEPS = {
    "scores-upload": "Upload",
    "scores-describe": "Data analysis",
    "scores-test": "Significance",
    "scores-effect": "Effect size",
    "scores-power": "Power",
    "scores-downloads": "Downloads and deletion",
}
ASKED = ("scores-describe", "scores-test", "scores-effect", "scores-power")
LISTS = {
    "recommended": "Recommended tests",
    "non_preferred": "Less preferred tests",
    "inappropriate": "Inappropriate tests",
}


def sent_by(request: Request) -> dict[str, list[str]]:
    """Return what the address of a request says, every name with all its values."""
    return {name: request.query_params.getlist(name) for name in request.query_params}


def settable() -> dict[str, _fields.Field]:
    """Return the fields of all steps by name."""
    return {
        field.name: field
        for path in ASKED
        for field in _fields.fields_of(PAGES[path].question)
        if field.name not in PLACES
    }


def bar(path: str, sent: Mapping[str, list[str]]) -> list[dict[str, Any]]:
    """Return the steps with links that carry on what was set; nothing on other pages."""
    if path not in STEPS and path != "scores":
        return []
    known = {"table", *settable()}
    carried = [(name, text) for name in sent if name in known for text in sent[name] if text.strip()]
    return [
        {"title": title, "href": f"/{step}?{urlencode(carried)}", "now": step == path} for step, title in STEPS.items()
    ]


def carried(page: Page, sent: Mapping[str, list[str]]) -> list[tuple[str, str]]:
    """Return what other steps set, for the hidden fields of a form."""
    if page.path not in ASKED:
        return []
    own = {field.name for field in _fields.fields_of(page.question)}
    return [(name, text) for name in settable() if name not in own for text in sent.get(name, ()) if text.strip()]


async def tests(
    request: Request, path: str, sent: Mapping[str, list[str]], upload: Upload | None
) -> list[dict[str, Any]]:
    """Return the three lists of tests with their reasons, as the data analysis of these units says; else nothing."""
    if path not in ("scores-test", "scores-power") or upload is None:
        return []
    page = PAGES["scores-describe"]
    own = {field.name for field in _fields.fields_of(page.question)}
    asked = from_form(page, {name: texts for name, texts in sent.items() if name in own}, upload.specs, upload.reading)
    jobs = request.app.state.jobs
    job = await jobs.wait(add(jobs, request.scope["session_id"], page, asked.to_dict(), upload).identity, 10.0)
    if job.state != "done":
        return []
    found = jobs.result(job)["result"]["recommendation"]
    return [{"title": title, "tests": found[name]} for name, title in LISTS.items() if found[name]]


async def upload_scores(request: Request) -> Response:
    """Take a file of scores and, if there is one, a file of settings."""
    if request.method == "GET":
        sent = sent_by(request)
        uploads = request.app.state.uploads.of(request.scope["session_id"])
        return shown(request, "scores_upload.html", steps=bar("scores-upload", sent), uploads=uploads, sent=sent)
    await check_form(request)
    form = await request.form()
    asked: list[tuple[str, str]] = []
    settings = form.get("settings")
    if settings is not None and not isinstance(settings, str) and settings.filename:
        content = await settings.read(2**20 + 1)
        found = await apart(request.app.state.uploads.read_settings, settings.filename, content)
        several = ((name, value if isinstance(value, list) else [value]) for name, value in found.items())
        asked = [(name, str(each)) for name, values in several for each in values]
    files = [part for part in await api.uploaded(request, only="file") if part[1]]
    owner = request.scope["session_id"]
    if files:
        added = await apart(request.app.state.uploads.add, owner, files[:1])
        asked.insert(0, ("table", added.identity))
    elif str(form.get("table", "")).strip():
        asked.insert(0, ("table", str(form.get("table"))))
    else:
        raise ArgumentError("choose a file with two columns of scores.")
    return RedirectResponse(f"/scores-describe?{urlencode(asked)}", 303)


async def downloads(request: Request) -> Response:
    """Show every answer about an upload with its files, the file of settings, and the button that deletes all."""
    sent = sent_by(request)
    upload = api.upload_of(request, (sent.get("table") or [""])[0])
    jobs = [job for job in request.app.state.jobs.of(request.scope["session_id"]) if job.upload == upload.identity]
    done = [job for job in jobs if job.state == "done"]
    return shown(
        request,
        "scores_downloads.html",
        steps=bar("scores-downloads", sent),
        upload=upload,
        titles=PAGES,
        jobs=done,
        answers={job.identity: kept(request, job) for job in done},
        settings=f"/scores-settings?{request.url.query}",
    )


async def settings_file(request: Request) -> Response:
    """Return what was set in all steps as a file, which `howsure scores --config` and the upload step read."""
    from howsure.questions.score_settings import write_settings

    given = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in read_fields(list(settable().values()), sent_by(request)).items()
    }
    return Response(
        write_settings(given),
        media_type="application/toml",
        headers={"Content-Disposition": 'attachment; filename="howsure-scores.toml"'},
    )


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
