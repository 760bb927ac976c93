"""The JSON API: the same questions as bodies, the same results as `--json`."""

import ast
import inspect
import json
import re
import sys
from collections.abc import Sequence
from pkgutil import resolve_name
from typing import Any

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from howsure import _json, records
from howsure.errors import ArgumentError, DataError
from howsure.provenance import version
from howsure.questions.base import Question, schema_of
from howsure.web.asking import begin, resume_job
from howsure.web.folder import FullDiskError
from howsure.web.helper_processes import apart
from howsure.web.jobs import Job, Jobs
from howsure.web.questions import PAGES, PLACES, Page, read_fields, shown_fields
from howsure.web.safety import may_change
from howsure.web.settings import Settings
from howsure.web.uploads import Upload, Uploads

WAIT = 25.0
"""Seconds after which a question becomes a job that is asked for again."""


def _schema(properties: dict[str, Any], required: Sequence[str] | None = None) -> dict[str, Any]:
    """Return the schema of an object; all its properties are required unless some are named."""
    return {"type": "object", "properties": properties, "required": list(required or properties)}


OBJECT, TEXT, NUMBER = {"type": "object"}, {"type": "string"}, {"type": "integer"}
TEXTS = {"type": "array", "items": TEXT}
ERROR = _schema({"error": TEXT})
SEEN = _schema(
    {
        "table": TEXT,
        "files": TEXTS,
        "sources": {"type": "object", "additionalProperties": NUMBER},
        "columns": TEXTS,
        "notes": TEXTS,
        "problem": TEXT,
        "model": TEXT | {"description": "The response model, if the upload is one."},
    }
)
STATES = {"enum": ["waiting", "running", "done", "failed", "cancelled"]}
JOB = _schema(
    {"job": TEXT, "question": TEXT, "state": STATES, "label": TEXT, "done": NUMBER, "total": NUMBER, "error": TEXT},
    ["job", "question", "state"],
)


def _said(description: str, schema: dict[str, Any] = OBJECT) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


REFUSED: dict[int | str, dict[str, Any]] = {
    400: _said("The data cannot be used; the error names place and remedy.", ERROR),
    401: _said("The token is missing or wrong.", ERROR),
    403: _said("The request came from another site.", ERROR),
    404: _said("There is nothing of this name, or it is somebody else's.", ERROR),
    408: _said("The body stopped before its end.", ERROR),
    413: _said("The body is too large.", ERROR),
    421: _said("The server has another name.", ERROR),
    422: _said("The settings are not valid.", ERROR),
    429: _said("Too many jobs of this visitor, or of visitors without a session, wait or run.", ERROR),
    500: _said("The computation failed.", ERROR),
    507: _said("The disk of the server is full.", ERROR),
}
PRIVATE: dict[int | str, dict[str, Any]] = {code: REFUSED[code] for code in (401, 403, 404, 421)}


def router(settings: Settings) -> APIRouter:
    """Return the routes."""
    made = APIRouter(prefix="/api/v1")

    @made.get("/health", responses={200: _said("The server is up.")})
    async def health() -> Response:
        """Say that the server is up."""
        return JSONResponse({"status": "ok", "version": version()})

    files = _schema({"file": TEXT | {"format": "binary"}})
    body = {"content": {"multipart/form-data": {"schema": files}}, "required": True}

    @made.post(
        "/tables",
        status_code=201,
        openapi_extra={"requestBody": body},
        responses={
            201: _said("What was recognised.", SEEN),
            **{code: REFUSED[code] for code in (400, 401, 403, 408, 413, 421, 422, 507)},
        },
    )
    async def upload(request: Request) -> Response:
        """Upload a table, or one file for each source; answers its identity and what was recognised."""
        files = await uploaded(request)
        uploads: Uploads = request.app.state.uploads
        found = await apart(uploads.add, request.scope["session_id"], files)
        return JSONResponse(described(found), 201)

    @made.get("/tables/{table}", responses={200: _said("What was recognised.", SEEN), **PRIVATE})
    async def table(request: Request, table: str) -> Response:
        """Say again what was recognised in a table."""
        return JSONResponse(described(upload_of(request, table)))

    @made.delete("/tables/{table}", responses={200: _said("It is deleted."), 507: REFUSED[507], **PRIVATE})
    async def delete(request: Request, table: str) -> Response:
        """Delete a table with all answers about it."""
        await run_in_threadpool(delete_upload, request, upload_of(request, table, change=True))
        return JSONResponse({"deleted": table})

    @made.get("/jobs/{job}", responses={200: _said("The progress of the job.", JOB), **PRIVATE})
    async def job(request: Request, job: str) -> Response:
        """Say how far a job is."""
        return JSONResponse(status_of(job_of(request, job)))

    @made.get(
        "/jobs/{job}/result",
        responses={
            200: _said("The result."),
            202: _said("It is not done yet.", JOB),
            **{code: REFUSED[code] for code in (400, 401, 403, 404, 421, 422, 500)},
        },
    )
    async def result(request: Request, job: str, document: bool = False) -> Response:
        """Return the answer of a job as `--json` prints it."""
        return answered(request, job_of(request, job), document=document)

    @made.delete("/jobs/{job}", responses={200: _said("It is cancelled and deleted."), 507: REFUSED[507], **PRIVATE})
    async def cancel(request: Request, job: str) -> Response:
        """Cancel a job and delete its answer."""
        await run_in_threadpool(request.app.state.jobs.delete, job_of(request, job, change=True).identity)
        return JSONResponse({"deleted": job})

    stopped = {200: _said("Its progress when it was cancelled.", JOB), 507: REFUSED[507], **PRIVATE}

    @made.post("/jobs/{job}/cancel", responses=stopped)
    async def stop(request: Request, job: str) -> Response:
        """Cancel a job that has not ended; it can be resumed."""
        request.app.state.jobs.cancel(job_of(request, job, change=True).identity)
        return JSONResponse(status_of(job_of(request, job)))

    again = {200: _said("It waits again.", JOB), 429: REFUSED[429], 507: REFUSED[507], **PRIVATE}

    @made.post("/jobs/{job}/resume", responses=again)
    async def resume(request: Request, job: str) -> Response:
        """Ask again what was cancelled or failed; a study goes on from what it has."""
        await run_in_threadpool(resume_job, request, job_of(request, job, change=True))
        return JSONResponse(status_of(job_of(request, job)))

    for page in PAGES.values():
        _add_question(made, page)
    return made


def _add_question(made: APIRouter, page: Page) -> None:
    schema = schema_of(page.question)
    for name in PLACES:
        schema["properties"].pop(name, None)
    schema["required"] = [name for name in schema["required"] if name not in PLACES]
    if page.place:
        kinds = [kind for kind, taken in (("a table", page.uploads), ("a model file", page.presets)) if taken]
        said = f"An upload: {' or '.join(kinds)}."
        schema["properties"] = {"table": TEXT | {"description": said}} | schema["properties"]
    if page.presets:
        schema["properties"] |= {"preset": TEXT | {"description": "A response model in place of an upload."}}
    elif page.place:
        schema["required"] = ["table", *schema["required"]]
    body = {"content": {"application/json": {"schema": schema, "example": _example(page)}}, "required": True}

    async def asked(request: Request, document: bool = False) -> Response:
        given = await _object(request)
        identity = given.pop("table", None) if page.place else None
        preset = given.pop("preset", None) if page.place else None
        upload = None
        if identity is not None:
            upload = upload_of(request, str(identity))
        elif preset is None and "table" in schema["required"]:
            raise ArgumentError("`table` is required: upload a table first (POST /api/v1/tables).")
        job = await run_in_threadpool(begin, request, page, given, upload, "" if preset is None else str(preset))
        found = await request.app.state.jobs.wait(job.identity, 0.0 if page.long else WAIT)
        return answered(request, found, document=document)

    asked.__doc__ = (page.question.__doc__ or "").splitlines()[0]
    made.add_api_route(
        f"/{page.path}",
        asked,
        methods=["POST"],
        name=page.path,
        openapi_extra={"requestBody": body},
        responses={
            200: _said("The result, as --json prints it."),
            202: _said("The computation takes longer; poll the job.", JOB),
            **REFUSED,
        },
    )


def _example(page: Page) -> dict[str, Any]:
    """Return a body that asks what the example of the home page asks."""
    sent = {name: [value] for name, value in page.example.items()}
    values = read_fields(shown_fields(page), sent)
    given = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
    about = {"preset": page.example["preset"]} if "preset" in page.example else {"table": "0" * 32}
    return {**(about if page.place else {}), **given}


def with_results(document: dict[str, Any]) -> dict[str, Any]:
    """Return the OpenAPI document with the schema of every result; it is made when somebody first asks for it."""
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    known: dict[str, Any] = {}
    for page in PAGES.values():
        kinds = results_of(page.question)
        known |= {kind.__name__: records.schema_of(kind) for kind in kinds}
        found = document["paths"][f"/api/v1/{page.path}"]["post"]["responses"]["200"]
        found["content"]["application/json"]["schema"] = _any_of([kind.__name__ for kind in kinds])
    every = document["paths"]["/api/v1/jobs/{job}/result"]["get"]["responses"]["200"]
    every["content"]["application/json"]["schema"] = _any_of(sorted(known))
    schemas |= known
    return document


def _any_of(names: Sequence[str]) -> dict[str, Any]:
    places: list[dict[str, Any]] = [{"$ref": f"#/components/schemas/{name}"} for name in names]
    return places[0] if len(places) == 1 else {"anyOf": places}


def results_of(question: type[Question]) -> list[type[records.Record]]:
    """Return the kinds of result that a question has, as its `answer` declares them.

    The declaration is text whose names are imported for type checkers alone, so they are looked up in those imports.
    """
    module = sys.modules[question.answer.__module__]
    imported = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in ast.walk(ast.parse(inspect.getsource(module)))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    found = []
    for name in re.findall(r"[A-Za-z_][\w.]*", str(question.answer.__annotations__["return"])):
        first, _, rest = name.partition(".")
        place = imported.get(first, f"{module.__name__}.{first}")
        found.append(resolve_name(f"{place}.{rest}" if rest else place))
    return found


def listed(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the requests of the OpenAPI document for the page that shows them."""
    found = []
    for path, methods in document["paths"].items():
        for method, said in methods.items():
            body = said.get("requestBody", {}).get("content", {}).get("application/json", {})
            fields = body.get("schema", {}).get("properties", {})
            example = json.dumps(body["example"], indent=1) if body.get("example") else ""
            answers = [(code, each["description"], _named(each)) for code, each in sorted(said["responses"].items())]
            rows = [(name, _kind(one), one.get("description", "")) for name, one in fields.items()]
            summary = said.get("description") or said.get("summary", "")
            found.append(
                {
                    "method": method.upper(),
                    "path": path,
                    "summary": summary,
                    "fields": rows,
                    "example": example,
                    "answers": answers,
                }
            )
    return found


def _named(answer: dict[str, Any]) -> str:
    """Return what an answer holds: the names of results, or of fields."""
    schema = answer.get("content", {}).get("application/json", {}).get("schema", {})
    names = [one["$ref"].rpartition("/")[2] for one in schema.get("anyOf", [schema]) if "$ref" in one]
    return ", ".join(names if len(names) <= 4 else []) or ", ".join(schema.get("properties", {}))


def _kind(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_kind(one) for one in schema["anyOf"] if one.get("type") != "null")
    if schema.get("type") == "array":
        return f"list of {_kind(schema['items'])}"
    return " | ".join(map(str, schema["enum"])) if "enum" in schema else str(schema.get("type", "any"))


def answered(request: Request, job: Job, *, document: bool) -> Response:
    """Return the answer of a job, or how far it is, or why it failed."""
    if job.state == "failed":
        return JSONResponse({"error": job.error}, {"usage": 422, "data": 400}.get(job.kind, 500))
    if job.state != "done":
        return JSONResponse(status_of(job), 202)
    content = request.app.state.jobs.result(job)["result"]
    if document:
        from howsure.web.rendering import kept

        shown = kept(request, job)
        content["document"] = {
            "html": shown["before"] + shown["after"],
            "markdown": shown["report.md"],
            "latex": shown["report.tex"],
            "chart": json.loads(shown["chart.json"]) if shown["chart.json"] else None,
            "tables": shown["tables"],
        }
    return JSONResponse(content, headers={"X-Howsure-Job": job.identity})


def status_of(job: Job) -> dict[str, Any]:
    """Return how far a job is."""
    same = {name: getattr(job, name) for name in ("state", "label", "done", "total", "error")}
    return {"job": job.identity, "question": job.page, **same}


def described(upload: Upload) -> dict[str, Any]:
    """Return what was recognised in an upload."""
    return {"table": upload.identity, "files": list(upload.files), **upload.seen}


class GoneError(DataError):
    """There is nothing of this name, or it is somebody else's."""

    def __init__(self, what: str) -> None:
        super().__init__(f"there is no {what}; it may have been deleted.")


def upload_of(request: Request, identity: str, *, change: bool = False) -> Upload:
    """Return an upload that this visitor may see; or may change."""
    uploads: Uploads = request.app.state.uploads
    found = uploads.get(identity, request.scope["session_id"] if request.scope["has_session"] and not change else None)
    if found is None or (change and not may_change(request, found.owner)):
        raise GoneError("such table")
    return found


def delete_upload(request: Request, upload: Upload) -> None:
    """Delete an upload with all jobs and answers about it; those that run are stopped first."""
    failed = None
    for _ in range(2):  # a request that was under way has perhaps begun a job, or the first deletion made room
        try:
            request.app.state.jobs.delete_about(upload.identity)
            failed = None
        except FullDiskError as error:
            failed = error
        finally:
            request.app.state.uploads.delete(upload.identity)
    if failed is not None:
        raise FullDiskError(
            "the disk of this server is full. The table and all answers about it are deleted; the list of what you "
            "asked is deleted as soon as the disk has space."
        ) from failed


def job_of(request: Request, identity: str, *, change: bool = False) -> Job:
    """Return a job by its link, which is enough to read its answer; or a job that this visitor may change."""
    jobs: Jobs = request.app.state.jobs
    found = jobs.get(identity)
    if found is None or (change and not may_change(request, found.owner)):
        raise GoneError("such job")
    return found


def done_job(request: Request, identity: str, what: str) -> Job:
    """Return a job that has an answer."""
    found: Job | None = request.app.state.jobs.get(identity)
    if found is None or found.state != "done":
        raise GoneError(f"{what} here")
    return found


async def uploaded(request: Request, only: str = "") -> list[tuple[str, bytes]]:
    """Return the files of a request: of a form (of one of its fields, if `only` names it), or its whole body."""
    kind = request.headers.get("content-type", "")
    if kind.startswith("multipart/form-data"):
        from starlette.datastructures import UploadFile
        from starlette.exceptions import HTTPException

        try:
            form = await request.form(max_files=50, max_fields=50)
        except HTTPException as error:
            raise DataError(f"the upload is malformed: {error.detail}") from None
        files = [
            (part.filename or "table.csv", await part.read())
            for name, part in form.multi_items()
            if isinstance(part, UploadFile) and (part.filename or part.size) and only in ("", name)
        ]
        pasted = form.get("text")
        if isinstance(pasted, str) and pasted.strip():
            files.append(("pasted.csv", pasted.encode()))
        return files
    content = await request.body()
    return [(request.headers.get("x-filename", "table.csv"), content)]


async def _object(request: Request) -> dict[str, Any]:
    if "json" not in request.headers.get("content-type", ""):
        raise ArgumentError("the body must be JSON (Content-Type: application/json).")
    try:
        found = _json.shallow(json.loads(await request.body()))
    except RecursionError:
        raise ArgumentError(f"the body is not JSON: {_json.TOO_DEEP}.") from None
    except ValueError as error:
        raise ArgumentError(f"the body is not JSON: {error}.") from None
    if not isinstance(found, dict):
        raise ArgumentError("the body must be a JSON object.")
    for name in found:  # values are checked by their fields
        if not name.isprintable():
            raise ArgumentError(f"there is no field {name!r}: a name holds a character that cannot be printed.")
    return found
