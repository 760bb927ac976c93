"""What every request passes: host names, sessions, tokens, and bodies that never end."""

import asyncio
import json

import pytest
from starlette.testclient import TestClient

from howsure.web import Settings, create_app
from tests.web.greedy import apart

HERE = "http://127.0.0.1:8765"
TOKEN = "a token of some length"


@pytest.fixture
def slept(monkeypatch):
    """How many seconds the server paused, each time; nobody waits for it."""
    seconds = []

    async def sleep(amount):
        seconds.append(amount)

    monkeypatch.setattr("asyncio.sleep", sleep)
    return seconds


@pytest.fixture
def guarded(tmp_path, slept):
    """A server with a token; it has no workers, because nothing is computed here."""
    return TestClient(create_app(Settings(folder=str(tmp_path), token=TOKEN)), base_url=HERE, follow_redirects=False)


def test_the_name_that_test_clients_use_is_no_name_of_this_server(guarded):
    assert guarded.get("/api/v1/health", headers={"host": "testserver"}).status_code == 421


def test_a_correct_token_is_taken_beside_a_cookie_with_an_old_one(guarded):
    guarded.cookies.set("howsure_token", "the token of yesterday")
    correct = {"authorization": f"Bearer {TOKEN}"}
    assert guarded.get("/tables", headers=correct).status_code == 200
    assert guarded.get("/tables").status_code == 303


def test_a_wrong_token_is_answered_late_wherever_it_is_given(guarded, slept):
    assert guarded.get("/tables").status_code == 303
    assert guarded.get("/api/v1/jobs/x").status_code == 401
    assert slept == []  # nobody guessed
    wrong = {"authorization": "Bearer a guess"}
    assert guarded.get("/tables", headers=wrong).status_code == 303
    assert guarded.get("/api/v1/jobs/x", headers=wrong).status_code == 401
    assert guarded.post("/enter", data={"token": "a guess"}).status_code == 401
    guarded.cookies.set("howsure_token", "a guess")
    assert guarded.get("/tables").status_code == 303
    assert slept == [1.0] * 4
    assert guarded.post("/enter", data={"token": TOKEN}).status_code == 303
    assert slept == [1.0] * 4


def test_a_session_that_somebody_made_up_is_replaced(client):
    client.cookies.set("howsure_session", "0" * 32)
    assert "howsure_session=" in client.get("/").headers["set-cookie"]
    client.cookies.clear()
    client.get("/")
    genuine = client.cookies["howsure_session"]
    assert "set-cookie" not in client.get("/").headers
    client.cookies.clear()
    client.cookies.set("howsure_session", genuine[:-1] + ("0" if genuine[-1] != "0" else "1"))
    assert "howsure_session=" in client.get("/").headers["set-cookie"]


def test_the_token_begins_a_new_session(guarded):
    guarded.get("/enter")
    before = guarded.cookies["howsure_session"]
    guarded.post("/enter", data={"token": "a guess"})
    assert guarded.cookies["howsure_session"] == before
    answer = guarded.post("/enter", data={"token": TOKEN})
    assert guarded.cookies["howsure_session"] != before
    assert answer.headers.get_list("set-cookie")[-1].endswith("; Path=/; HttpOnly; SameSite=Strict")
    assert guarded.get("/tables").status_code == 200


FORM = b'--x\r\nContent-Disposition: form-data; name="file"; filename="r.csv"\r\n\r\nitem,source,value\r\n1,a,2\r\n'
PARTS = {"a form": (FORM, b"multipart/form-data; boundary=x"), "a file": (b"item,source,value\n1,a,2\n", b"text/csv")}


def sent(app, first, kind, *then):
    """Send the first part of an upload and what follows; return what the server sends, or fail if it waits forever."""
    coming = [{"type": "http.request", "body": first, "more_body": True}, *then]
    headers = [(b"host", b"127.0.0.1:8765"), (b"content-type", kind), (b"authorization", f"Bearer {TOKEN}".encode())]
    scope = {
        "type": "http", "method": "POST", "path": "/api/v1/tables", "raw_path": b"/api/v1/tables", "query_string": b"",
        "headers": headers, "http_version": "1.1", "scheme": "http", "server": ("127.0.0.1", 8765), "root_path": "",
    }  # fmt: skip
    answered = []

    async def receive():
        if not coming:
            await asyncio.Event().wait()
        return coming.pop(0)

    async def send(message):
        answered.append(message)

    apart(lambda: app(scope, receive, send))
    return answered


@pytest.mark.parametrize("kind", PARTS)
def test_a_visitor_who_leaves_in_the_middle_of_an_upload_is_no_error(guarded, kind, caplog):
    assert sent(guarded.app, *PARTS[kind], {"type": "http.disconnect"}) == []
    assert caplog.text == ""
    assert [*guarded.app.state.uploads.root.iterdir()] == []


@pytest.mark.parametrize("kind", PARTS)
def test_an_upload_that_stops_is_given_up(guarded, kind, monkeypatch):
    monkeypatch.setattr("howsure.web.safety.STALLED", 0.01)
    start, body = sent(guarded.app, *PARTS[kind])
    assert start["status"] == 408
    assert json.loads(body["body"])["error"].startswith("the upload stopped before its end")
    assert [*guarded.app.state.uploads.root.iterdir()] == []


def test_a_form_without_its_end_is_not_taken_for_a_table(guarded):
    start, body = sent(guarded.app, *PARTS["a form"], {"type": "http.request", "body": b"", "more_body": False})
    assert start["status"] == 400
    assert json.loads(body["body"])["error"].endswith(".")
    assert [*guarded.app.state.uploads.root.iterdir()] == []
