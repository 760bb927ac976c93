"""A server with real worker processes, and a client."""

from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the extra web is not installed: the web page was not tested")

from starlette.testclient import TestClient

from howsure import examples, io
from howsure.web import Settings, api, create_app, data_page, pages
from tests.web.browser import MOST, Server, need_browser


@pytest.fixture(scope="session")
def ratings_csv(tmp_path_factory):
    path = tmp_path_factory.mktemp("web") / "ratings.csv"
    io.write(examples.ratings(60), path)
    return path.read_bytes()


@pytest.fixture
def importable(monkeypatch):
    """Let helper processes import these tests: the folder in which somebody works is not on their path by itself."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))


@pytest.fixture(scope="session")
def app(tmp_path_factory):
    """One server for all tests of this process that need no browser; it waits for every answer."""
    api.WAIT = pages.PATIENCE = data_page.PATIENCE = 600.0
    settings = Settings(folder=str(tmp_path_factory.mktemp("server")), workers=1, max_megabytes=5, max_jobs=5)
    with TestClient(create_app(settings), base_url="http://127.0.0.1:8765") as client:
        yield client


@pytest.fixture
def client(app):
    """A visitor without a past."""
    app.cookies.clear()
    return app


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """One server for all tests in a browser."""
    need_browser()
    running = Server(tmp_path_factory.mktemp("browsed"), "--workers", "1")
    yield running
    running.kill()


@pytest.fixture(scope="session")
def window(browser, server):
    """One page for all tests in a browser, and what was wrong: another page would start a process of its own."""
    context = browser.new_context(accept_downloads=True)
    opened = context.new_page()
    opened.set_default_timeout(MOST)
    opened.wrong = wrong = []
    opened.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("request", lambda request: None if request.url.startswith(server.url) else wrong.append(request.url))
    yield opened
    context.close()


@pytest.fixture
def page(window, server):
    """The first page of a visitor without a past; fails on console errors, unless expected, and requests elsewhere."""
    # Away from what was shown, but not to another process; a picture would make the browser ask for /favicon.ico.
    # Cookies are cleared after that: a late answer to the old page would set another than the new page's forms have.
    window.goto(server.url)
    window.context.clear_cookies()
    window.goto(server.url)
    window.emulate_media(media="screen", color_scheme="light")
    window.set_viewport_size({"width": 1280, "height": 720})
    window.expected = []
    window.wrong.clear()
    yield window
    assert [text for text in window.wrong if not any(part in text for part in window.expected)] == []


@pytest.fixture
def table(client, ratings_csv):
    """The identity of an uploaded table."""
    answer = client.post("/api/v1/tables", files={"file": ("ratings.csv", ratings_csv)})
    assert answer.status_code == 201, answer.text
    return answer.json()["table"]
