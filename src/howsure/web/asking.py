"""From what a visitor sends to a job: a question about an upload or a response model, within the server's limits."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from starlette.requests import Request

from howsure.errors import ArgumentError
from howsure.web.jobs import Job
from howsure.web.questions import Page, ask, check_limits, stand_in
from howsure.web.uploads import Upload

MOST_QUEUES = 10
"""All visitors together may have so many times the jobs of one: a new cookie is free, so a limit for each is none."""


class BusyError(ArgumentError):
    """So many jobs wait or run that no more are taken."""


def begin(
    request: Request,
    page: Page,
    given: Mapping[str, Any],
    upload: Upload | None,
    preset: str = "",
    *,
    address: str = "",
) -> Job:
    """Ask a question; return its job."""
    settings, jobs, owner = request.app.state.settings, request.app.state.jobs, request.scope["session_id"]
    asked = ask(page, given, _about(page, upload, preset), None if upload is None else upload.reading)
    check_limits(asked, settings)
    about = ("", ()) if upload is None else (upload.identity, upload.files)
    question = asked.to_dict()
    with _place_in_queue(request):
        found: Job = jobs.add(owner, page.path, question, *about, long=page.long, title=page.title, address=address)
    return found


def resume_job(request: Request, job: Job) -> None:
    """Ask again what was cancelled or failed."""
    with _place_in_queue(request):
        request.app.state.jobs.resume(job.identity)


@contextmanager
def _place_in_queue(request: Request) -> Iterator[None]:
    """Refuse one more job where too many wait or run; nobody else adds one meanwhile.

    A visitor without a session would have a new one with each request, so the jobs of everybody count against it.
    """
    jobs, most, has_session = request.app.state.jobs, request.app.state.settings.max_jobs, request.scope["has_session"]
    with jobs.entering:
        if has_session and jobs.busy(None) >= MOST_QUEUES * most:
            raise BusyError(
                f"{MOST_QUEUES * most} jobs of all visitors are waiting or running, the most that this server takes; "
                "wait for some of them to end."
            )
        if jobs.busy(request.scope["session_id"] if has_session else None) >= most:
            raise BusyError(
                f"{most} of your jobs are waiting or running; cancel one first."
                if has_session
                else f"{most} jobs are waiting or running, the most for a request without a session; send the cookie "
                "of an earlier answer, or wait."
            )
        yield


def fits(page: Page, upload: Upload) -> bool:
    """Whether a page asks about such uploads: tables, or files of response models."""
    return page.presets if upload.is_model else page.uploads


def _about(page: Page, upload: Upload | None, preset: str) -> tuple[str, ...]:
    """Return what stands where a command names files."""
    if upload is None:
        return stand_in(page, preset) if preset else ()
    if preset:
        raise ArgumentError("pass `table` or `preset`, not both.")
    if not fits(page, upload):
        what, asks = ("a response model", "a table") if upload.is_model else ("a table", "a response model")
        raise ArgumentError(f"{page.path} needs {asks}, and {', '.join(upload.files)} is {what}.")
    return upload.specs
