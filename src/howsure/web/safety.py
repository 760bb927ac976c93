"""What every request passes: size, host, origin, token, and the headers that keep a page to itself."""

import asyncio
import hmac
import logging
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from traceback import extract_tb
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response

from howsure.web.settings import LOOPBACK, Settings

LOG = logging.getLogger(__name__)
Scope = MutableMapping[str, Any]
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
SESSION, TOKEN = "howsure_session", "howsure_token"
OPEN = ("/api/v1/health", "/enter", "/static/")
"""What is seen without a token."""
STALLED = 60.0
"""Seconds for which the server waits for the next part of a body."""
WRONG_TOKEN = 1.0
"""Seconds until a wrong token gets its answer, so that guessing is slow."""


class Guard:
    """The outermost layer of the server."""

    def __init__(self, app: Callable[..., Awaitable[None]], settings: Settings, secret: bytes) -> None:
        self.app, self.settings, self.secret = app, settings, secret

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        """Refuse or pass on, and add headers to what comes back."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        session = request.cookies.get(SESSION, "")
        fresh = "" if is_session(session, self.secret) else new_session(self.secret)
        scope["session_id"], scope["has_session"], scope["begins"] = fresh or session, not fresh, fresh
        token = self.settings.token
        scope["has_token"] = token is not None and same(_sent_token(request), token)
        refused = await self.refusal(request)

        started = False

        async def headed(message: Any) -> None:
            nonlocal started
            started = True
            if message["type"] == "http.response.start":
                begins = scope["begins"] if message["status"] < 400 and not _is_static(request) else ""
                message["headers"] = [*message.get("headers", []), *self.headers(request, begins)]
            await send(message)

        if refused is not None:
            await refused(scope, receive, headed)
            return
        try:
            await self.app(scope, Limited(receive, self.settings.max_bytes + 100_000), headed)
        except ClientDisconnect:  # in the middle of an upload, of which nothing is kept; nobody waits for an answer
            return
        except Exception as error:  # logged here without its message, which may hold a visitor's data
            place = extract_tb(error.__traceback__)[-1]
            LOG.error("%s in %s, line %s", type(error).__name__, place.filename, place.lineno)
            if not started:
                said = _said(request, 500, "an internal error of howsure; none of your data is lost.")
                await said(scope, receive, headed)

    async def refusal(self, request: Request) -> Response | None:
        """Return why a request is refused; None where it may pass."""
        host = request.headers.get("host", "")
        name = _name_of(f"//{host}")
        if self.settings.is_local and name not in (*LOOPBACK, self.settings.host):
            return _said(request, 421, f"this server does not accept the host name {name!r}.")
        origin = request.headers.get("origin")
        if origin and origin.partition("://")[2] != host:
            return _said(request, 403, "requests from other sites are not allowed.")
        size = request.headers.get("content-length", "0")
        if not size.isdigit() or int(size) > self.settings.max_bytes + 100_000:
            return _said(request, 413, f"an upload may be at most {self.settings.max_megabytes:g} MB.")
        token, path = self.settings.token, request.url.path
        if token is None or path.startswith(OPEN):
            return None
        given = (request.cookies.get(TOKEN, ""), _sent_token(request))
        if any(same(each, token) for each in given):
            return None
        if any(given):
            await asyncio.sleep(WRONG_TOKEN)
        if path.startswith("/api/") or request.method != "GET":
            return _said(request, 401, "this server requires its token: Authorization: Bearer TOKEN.")
        return RedirectResponse("/enter", 303)

    def headers(self, request: Request, fresh: str) -> list[tuple[bytes, bytes]]:
        """Return the headers of every answer, and the session that it begins for a visitor who has none.

        A file that any visitor may share begins none, and no error does: a late one would end the session that a page
        has just begun, and with it the page's forms.
        """
        found = {
            "content-security-policy": POLICY,
            "x-content-type-options": "nosniff",
            "x-frame-options": "DENY",
            "referrer-policy": "same-origin",
            "cross-origin-opener-policy": "same-origin",
            "cache-control": "public, max-age=86400" if _is_static(request) else "no-store",
        }
        lines = [(name.encode(), value.encode()) for name, value in found.items()]
        if fresh:
            lines.append((b"set-cookie", f"{SESSION}={fresh}; Path=/; HttpOnly; SameSite=Strict".encode()))
        return lines


class Limited:
    """A body that may not be longer than so many bytes, whatever its header says, and whose parts come in time."""

    def __init__(self, receive: Any, most: int) -> None:
        self.receive, self.left, self.whole = receive, most, False

    async def __call__(self) -> Any:
        """Return the next part, or why there is none."""
        if self.whole:  # what comes now is that the visitor has gone, which may take as long as it likes
            return await self.receive()
        try:
            message = await asyncio.wait_for(self.receive(), STALLED)
        except TimeoutError:
            raise StalledError from None
        self.whole = not message.get("more_body", False)
        self.left -= len(message.get("body", b""))
        if self.left < 0:
            raise TooLargeError
        return message


class TooLargeError(Exception):
    """A body that is longer than an upload may be."""


class StalledError(Exception):
    """A body of which no more comes."""


def new_session(secret: bytes) -> str:
    """Return a session: 128 random bits, and the server's signature of them."""
    name = secrets.token_hex(16)
    return name + _signature(name, secret)


def is_session(text: str, secret: bytes) -> bool:
    """Whether this server began a session; one that somebody made up and put into a browser is none."""
    return len(text) == 64 and same(text[32:], _signature(text[:32], secret))


def _signature(name: str, secret: bytes) -> str:
    return hmac.new(secret, f"session {name}".encode(), "sha256").hexdigest()[:32]


def may_change(request: Request, owner: str) -> bool:
    """Whether a request may change or delete what a session made: it is of that session, or has the server's token.

    A link, which is an identity, is for reading. The token that visitors enter lets them in and gives no right to what
    others made; a program that sends it with each request may change everything.
    """
    return bool(request.scope["has_token"] or (request.scope["has_session"] and request.scope["session_id"] == owner))


def csrf(session: str, secret: bytes) -> str:
    """Return the token that a form of this session carries."""
    return hmac.new(secret, session.encode(), "sha256").hexdigest()


def same(left: str, right: str) -> bool:
    """Whether two secrets are equal, in a time that tells nothing."""
    return hmac.compare_digest(left.encode(), right.encode())


def _name_of(address: str) -> str:
    """Return the host's name in an address; empty where it is none."""
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def _sent_token(request: Request) -> str:
    return request.headers.get("authorization", "").removeprefix("Bearer ")


def _is_static(request: Request) -> bool:
    return request.url.path.startswith("/static/")


def _said(request: Request, status: int, message: str) -> Response:
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": message}, status)
    return PlainTextResponse(f"howsure: {message}\n", status)
