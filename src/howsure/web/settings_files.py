"""Files of settings of `howsure scores`, which go up (NLPStatTest's, too) and come down again."""

from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from howsure.errors import ArgumentError
from howsure.web.helper_processes import apart
from howsure.web.questions import PAGES, read_fields, shown_fields
from howsure.web.rendering import check_form


async def use_settings(request: Request) -> Response:
    """Ask about a table with the settings of a file."""
    await check_form(request)
    form = await request.form()
    file = form.get("settings")
    if file is None or isinstance(file, str) or not file.filename:
        raise ArgumentError("choose a file of settings: .toml, or .yaml of NLPStatTest.")
    content = await file.read(2**20 + 1)
    found = await apart(request.app.state.uploads.read_settings, file.filename, content)
    several = ((name, value if isinstance(value, list) else [value]) for name, value in found.items())
    known = {field.name for field in shown_fields(PAGES["scores"])}
    asked = [(name, str(each)) for name, values in several if name in known for each in values]
    return RedirectResponse(f"/scores?{urlencode([('table', str(form.get('table', ''))), *asked])}", 303)


async def settings_file(request: Request) -> Response:
    """Return what the address sets as a file, which `howsure scores --config` and this page read."""
    from howsure.questions.score_settings import write_settings

    sent = {name: request.query_params.getlist(name) for name in request.query_params}
    fields = [field for field in shown_fields(PAGES["scores"]) if field.name not in ("columns", "cluster", "encoding")]
    given = {
        name: list(value) if isinstance(value, tuple) else value for name, value in read_fields(fields, sent).items()
    }
    return Response(
        write_settings(given),
        media_type="application/toml",
        headers={"Content-Disposition": 'attachment; filename="howsure-scores.toml"'},
    )
