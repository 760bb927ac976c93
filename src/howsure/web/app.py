"""`create_app`: the server with its pages, its JSON API and its jobs."""

import logging
import secrets
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.staticfiles import StaticFiles

from howsure._files import is_full, writing
from howsure.errors import ArgumentError, DataError, HowsureError
from howsure.provenance import version
from howsure.web import api, pages, rendering
from howsure.web.asking import BusyError
from howsure.web.folder import FULL, Folder, FullDiskError
from howsure.web.helper_processes import HelperProcess
from howsure.web.jobs import Jobs
from howsure.web.safety import Guard, StalledError, TooLargeError
from howsure.web.settings import Settings
from howsure.web.uploads import Uploads
from howsure.web.workers import Workers

LOG = logging.getLogger(__name__)
HERE = Path(__file__).parent
SECRET_BYTES = 32
CLEANING = 60.0
"""Seconds between two looks for what is too old."""


def create_app(settings: Settings | None = None) -> FastAPI:
    """Return the server, ready for uvicorn.

    Parameters
    ----------
    settings : Settings, optional
        Where it listens and its limits; this machine only, and a private temporary folder, if left out.

    Returns
    -------
    FastAPI
    """
    asked = settings or Settings()
    folder = Folder(asked.folder)
    asked = replace(asked, folder=str(folder.path))
    chart_process = HelperProcess(
        "howsure.web.shown:draw", folder.path, seconds=60, megabytes=asked.max_memory, by_system=False
    )
    try:
        uploads, jobs, secret = Uploads(asked), Jobs(asked), _secret(folder.path)
    except (OSError, DataError, sqlite3.Error) as error:
        folder.close()
        reason = "its disk is full" if is_full(error) else str(error).rstrip(".")
        raise ArgumentError(f"`folder` {folder.path} cannot be used: {reason}.") from error
    workers = Workers(jobs)

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        workers.start()
        threading.Thread(target=_clean, args=(workers.stopping, jobs, uploads, folder), daemon=True).start()
        yield
        workers.stop()
        chart_process.stop()
        uploads.reader.stop()
        folder.close()

    app = FastAPI(
        title="howsure",
        version=version(),
        lifespan=life,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
    )
    plain = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = api.with_results(plain())
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]
    app.state.settings, app.state.uploads, app.state.jobs = asked, uploads, jobs
    app.state.stopping, app.state.chart_process = workers.stopping, chart_process
    app.state.secret = secret
    app.include_router(api.router(asked))
    app.include_router(pages.router())
    app.mount("/static", StaticFiles(directory=HERE / "static"), name="static")
    app.add_exception_handler(HowsureError, _refused)
    app.add_exception_handler(TooLargeError, _too_large)
    app.add_exception_handler(StalledError, _stalled)
    app.add_exception_handler(HTTPException, _not_here)
    app.add_exception_handler(OSError, _full)
    app.add_middleware(Guard, settings=asked, secret=secret)
    return app


def _secret(folder: Path) -> bytes:
    """Return the server's own secret, which outlives a restart."""
    place = folder / "secret"
    if not place.exists() or place.stat().st_size != SECRET_BYTES:
        with writing(place) as draft:  # a full disk must not leave an empty secret, which anybody could guess
            draft.chmod(0o600)
            draft.write_bytes(secrets.token_bytes(SECRET_BYTES))
    return place.read_bytes()


def _clean(stopping: threading.Event, jobs: Jobs, uploads: Uploads, folder: Folder) -> None:
    """Delete what is old until the server stops; no error ends that, and none is logged with what it says."""
    while not stopping.wait(CLEANING):
        for sweep in (jobs.sweep, uploads.sweep, partial(folder.sweep, jobs.settings.keep_hours)):
            try:
                sweep()
            except Exception as error:
                LOG.error("%s while old data were deleted", type(error).__name__)


async def _refused(request: Request, error: Exception) -> Response:
    if is_full(error) and not isinstance(error, FullDiskError):
        return await _full(request, error)
    kinds = {api.GoneError: 404, BusyError: 429, FullDiskError: 507, ArgumentError: 422}
    status = next((status for kind, status in kinds.items() if isinstance(error, kind)), 400)
    return _answered(request, status, " ".join(str(error).splitlines()))


async def _full(request: Request, error: Exception) -> Response:
    """Say that the disk is full, where that is the error."""
    if not is_full(error):
        raise error
    return _answered(request, 507, FULL)


async def _too_large(request: Request, error: Exception) -> Response:
    return _answered(request, 413, f"an upload may be at most {request.app.state.settings.max_megabytes:g} MB.")


async def _stalled(request: Request, error: Exception) -> Response:
    return _answered(request, 408, "the upload stopped before its end, and nothing of it is kept; send it again.")


async def _not_here(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    said = {404: "there is no such page.", 405: "this address does not take such a request."}
    return _answered(request, error.status_code, said.get(error.status_code, str(error.detail)))


def _answered(request: Request, status: int, message: str) -> Response:
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": message}, status)
    return rendering.problem(request, status, message)


def serve(settings: Settings, ready: Callable[[], object] = lambda: None) -> None:
    """Run the server until it is stopped; `ready` is called once it listens."""
    import uvicorn

    class AnnouncingServer(uvicorn.Server):
        async def startup(self, *arguments: Any, **named: Any) -> None:
            await super().startup(*arguments, **named)
            if self.started:
                ready()

    pages.warm()
    how = uvicorn.Config(
        create_app(settings), host=settings.host, port=settings.port, log_level="warning", server_header=False
    )
    with suppress(KeyboardInterrupt):
        AnnouncingServer(how).run()
