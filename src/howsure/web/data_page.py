"""The page of a table: its rows with a role above each column, who is gold and who a model, and a first answer."""

from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from howsure import _fields
from howsure._files import is_full
from howsure.errors import ArgumentError, HowsureError
from howsure.questions.table_fields import TableFields
from howsure.web import api
from howsure.web.asking import begin, fits
from howsure.web.everyday_words import humanly, measures, short
from howsure.web.helper_processes import apart
from howsure.web.questions import PAGES, PLACES, Page, read_fields, refuse_paths
from howsure.web.rendering import answer_part, check_form, shown
from howsure.web.uploads import ROLE_OPTIONS, Upload
from howsure.web.views import view_of
from howsure.web.views.base import control

PATIENCE = 2.5
"""Seconds for which the page of a table waits for its first answer."""

MANY, FEW_DRAWS = 50_000, 999
"""Tables with more responses than this get a first answer from so few resamples, and the page says so."""

ROLES = {
    "item": "item", "source": "who answered", "value": "answer or rating", "rater": "rater", "repeat": "run",
    "count": "count", "answers": "answers of one source", "": "something else",
}  # fmt: skip
"""What a column can be, in words."""

SCALES = {"": "as recognised", "continuous": "numbers", "ordinal": "ordered steps", "nominal": "labels without order"}
KINDS = {"gold": "human answers (gold)", "model": "model", "judge": "judge", "out": "leave out"}
ONLY_ONE = ("gold", "judge")
"""Kinds that one source has at most."""
MOST_CHIPS, MOST_COLUMNS = 24, 12

READ = [field for field in _fields.fields_of(TableFields) if field.name not in PLACES]
"""How a file can be read otherwise."""

FOLDED = [field for field in READ if field.name not in (*ROLE_OPTIONS, "scale")]
"""What is under "More options" here: columns and scale have menus of their own."""


def add_routes(made: APIRouter) -> None:
    """Add the routes of tables."""
    made.add_api_route("/tables", tables, methods=["GET"])
    made.add_api_route("/tables", add_table, methods=["POST"])
    made.add_api_route("/tables/{table}", show_table, methods=["GET"])
    made.add_api_route("/tables/{table}/delete", delete_table, methods=["POST"])
    made.add_api_route("/tables/{table}/correct", correct_table, methods=["POST"])


async def tables(request: Request) -> Response:
    """Show the form for uploads, and what this visitor has uploaded."""
    found: list[Upload] = request.app.state.uploads.of(request.scope["session_id"])
    return shown(request, "tables.html", uploads=found)


async def add_table(request: Request) -> Response:
    """Take an upload and show what was recognised."""
    await check_form(request)
    files = await api.uploaded(request)
    found = await apart(request.app.state.uploads.add, request.scope["session_id"], files)
    return RedirectResponse(f"/tables/{found.identity}", 303)


async def show_table(request: Request, table: str) -> Response:
    """Show the table, what was recognised, and the likeliest answer."""
    return await _page(request, api.upload_of(request, table))


async def _page(request: Request, found: Upload, error: str = "") -> Response:
    likely, query = likeliest(found)
    answer, title = "", ""
    if likely is not None and not error:
        title = likely.title
        sent = {"table": [found.identity]}
        try:
            asked = view_of(likely.path).question(likely, sent, found)
            if asked.given is not None:
                where = f"/{likely.path}?{query}"
                given, first_draws = asked.given, sum(found.seen["sources"].values()) > MANY
                drawn = "n_resamples" in _names(likely) and "judge" not in given  # nothing is resampled with a judge
                given |= {"n_resamples": FEW_DRAWS} if first_draws and drawn else {}
                job = await run_in_threadpool(lambda: begin(request, likely, given, found, address=where))
                job = await request.app.state.jobs.wait(job.identity, PATIENCE)
                answer = await apart(lambda: answer_part(request, job, sent, brief=True))
        except HowsureError as refused:
            answer = ""
            error = humanly(" ".join(str(refused).splitlines()))
    seen = found.seen
    return shown(
        request,
        "table.html",
        status=422 if error and not likely else 200,
        upload=found,
        seen=seen,
        error=error,
        columns=_columns(found),
        roles=ROLES,
        scales=SCALES,
        kinds=KINDS,
        chips=_chips(found),
        judge_guessed=bool(found.judge_rater) and found.said_judge is None,
        likely=likely,
        query=query,
        answer=answer,
        few=FEW_DRAWS if sum(seen["sources"].values()) > MANY else 0,
        title=title,
        others=_others(found, likely),
        sent=_sent(found),
        fields=[control(field, found) for field in FOLDED],
        lacks=[humanly(said) for said in seen["lacks"]],
        notes=_notes(found),
        measures=measures(seen.get("kind", ""), found.gold, seen.get("better", "")) if seen["sources"] else [],
        problem=humanly(seen["problem"]) if seen["problem"] else "",
        scale=found.reading.get("scale") or "",
    )


def _notes(upload: Upload) -> list[str]:
    """Return what the reader should know; also what else is possible, where no two models can be compared."""
    seen = upload.seen
    able = [] if "compare" in seen.get("guessed", ()) else list(seen["supports"])
    return [humanly(said) for said in (*able, *seen["notes"]) if "guessed from their names" not in said]


def _names(page: Page) -> set[str]:
    return {field.name for field in _fields.fields_of(page.question)}


def likeliest(upload: Upload) -> tuple[Page | None, str]:
    """Return the question that a table most likely answers, and what its address says after the mark."""
    seen = upload.seen
    query = urlencode({"table": upload.identity})
    models, gold = upload.models, upload.gold
    only_scores = bool(seen["lines"]) and (not seen["sources"] or seen["kinds"][0][1] == "lists of scores")
    if upload.is_model or not (seen["sources"] or seen["lines"]):
        return None, query
    if only_scores:
        name = "scores"
    elif "compare" not in seen.get("guessed", ()) and not upload.kinds:
        name = "describe" if "describe" in seen.get("guessed", ()) or not models else ""
        name = name or ("score" if gold else "describe")
    elif len(models) > 2:
        name = "leaderboard"
    else:
        name = "compare" if len(models) == 2 else "score" if gold and models else "describe"
    return PAGES[name], query


def _others(upload: Upload, likely: Page | None) -> list[tuple[str, str]]:
    """Return other questions that can be asked of an upload: title and address."""
    has_sources, has_lines = bool(upload.seen["sources"]), bool(upload.seen["lines"])
    found = []
    for page in PAGES.values():
        able = upload.is_model or (has_lines if page.place == "file" else has_sources)
        if page.place and page.menu and fits(page, upload) and able and page is not likely:
            found.append((page.title, f"/{page.path}?table={upload.identity}"))
    return found


def _columns(upload: Upload) -> list[dict[str, Any]]:
    """Return the columns with their roles and first cells."""
    seen = upload.seen
    roles = seen.get("column_roles", {})
    found = []
    for place, name in enumerate(seen["columns"][:MOST_COLUMNS] if seen["first"] else ()):
        role = roles.get(name, "")
        said = upload.reading.get(role) == name if role in ROLE_OPTIONS else False
        tag = "as you said" if said else "guessed" if role else ""
        found.append({"name": name, "role": role, "tag": tag, "cells": [row[place] for row in seen["first"]]})
    return found


def _chips(upload: Upload) -> list[dict[str, Any]]:
    """Return the sources with what each of them is."""
    named = upload.seen.get("models") or []
    sizes = upload.seen.get("sources", {})
    names = [upload.gold, *named] if named else list(sizes)
    if not named and upload.gold in sizes:
        names = [upload.gold, *(name for name in names if name != upload.gold)]
    models = set(upload.models)
    found = []
    for name in [name for name in names if name][: MOST_CHIPS + 1]:
        kind = "gold" if name == upload.gold else "model" if name in models else upload.kinds.get(name, "out")
        found.append(
            {"name": name, "short": short(name), "size": sizes.get(name) or sizes.get(short(name)), "kind": kind}
        )
    return found if len(found) <= MOST_CHIPS else []


def _sent(upload: Upload) -> dict[str, list[str]]:
    """Return what was corrected, as a form sends it."""
    return {
        name: [",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)]
        for name, value in upload.reading.items()
    }


async def correct_table(request: Request, table: str) -> Response:
    """Read an upload again as the visitor says: roles of columns, scale, encoding, and what each source is."""
    await check_form(request)
    found = api.upload_of(request, table, change=True)
    form = await request.form(max_fields=1000)
    sent = {name: [str(text) for text in form.getlist(name)] for name in form}
    called = [
        text.strip().replace("=", "-") or old for text, old in zip(sent.get("called", ()), found.called, strict=False)
    ]
    try:
        reading = read_fields([*FOLDED, *(field for field in READ if field.name == "scale")], sent)
        refuse_paths(reading)
        reading |= moved_roles(found, dict(zip(sent.get("column", ()), sent.get("role", ()), strict=False)))
        kinds = _kinds(found, dict(zip(sent.get("named", ()), sent.get("kind", ()), strict=False)))
        kinds, said_judge = _judge(found, kinds, (sent.get("judge") or [found.judge_rater])[0])
        if len(set(called)) != len(called):
            raise ArgumentError("two files have the same source; give each a different name.")
        uploads = request.app.state.uploads
        measure = (sent.get("measure") or [""])[0].strip()
        known = called if len(called) > 1 else found.called
        says: dict[str, Any] = {"kinds": kinds, "measure": measure, "said_judge": said_judge}
        now = await apart(lambda: uploads.correct(found, reading, known, **says))
    except HowsureError as refused:
        if is_full(refused):  # its message names the folder of the server
            raise
        return await _page(request, found, humanly(" ".join(str(refused).splitlines())))
    return RedirectResponse(f"/tables/{now.identity}", 303)


def moved_roles(upload: Upload, said: dict[str, str]) -> dict[str, Any]:
    """Return the columns of the roles: what a visitor chose moves a role to that column, away from where it was.

    A role that nobody touched stays as it was recognised; one that a column lost and no other got is switched off ("").
    """
    shown = upload.seen.get("column_roles", {})
    reading = {role: upload.reading[role] for role in ROLE_OPTIONS if role in upload.reading}
    changed = {name: role for name, role in said.items() if role != shown.get(name, "") and role in ROLES}
    for name in changed:
        old = shown.get(name, "")
        if old in ROLE_OPTIONS:
            reading[old] = ""
    return reading | {role: name for name, role in changed.items() if role in ROLE_OPTIONS}


def _kinds(upload: Upload, said: dict[str, str]) -> dict[str, str]:
    """Return what each source is: as the visitor says, and only where that differs from what was recognised."""
    before = {chip["name"]: chip["kind"] for chip in _chips(upload)}
    changed = {name: kind for name, kind in said.items() if kind in KINDS and kind != before.get(name)}
    kinds = upload.kinds | changed
    for only in ONLY_ONE:
        now = next((name for name, kind in changed.items() if kind == only), "")
        if now:  # the one that was becomes a model
            was = {name for name, kind in before.items() if kind == only and name not in changed}
            kinds = kinds | {name: "model" for name in (*was, *kinds) if kinds.get(name, only) == only and name != now}
    return kinds


def _judge(upload: Upload, kinds: dict[str, str], rater: str) -> tuple[dict[str, str], str | None]:
    """Return what each source is, and which rater is the judge: a table has one judge, the one chosen last."""
    if rater == upload.judge_rater or rater not in ("", *upload.seen.get("rater_names", ())):
        return kinds, upload.said_judge
    return {name: kind for name, kind in kinds.items() if kind != "judge"}, rater


async def delete_table(request: Request, table: str) -> Response:
    """Delete an upload with its answers."""
    await check_form(request)
    await run_in_threadpool(api.delete_upload, request, api.upload_of(request, table, change=True))
    return RedirectResponse("/tables", 303)
