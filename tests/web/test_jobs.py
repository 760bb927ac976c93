"""Jobs: they survive the death of the server, can be cancelled, and end when they ask for too much."""

import contextlib
import json
import sqlite3
import threading
import time
import urllib.request

from assay.questions import Compare
from tests.web.browser import Server

SLOW = {
    "gold": "human", "a": "model-2", "b": "model-1", "responses": "bootstrap", "null": "recentred",
    "n_resamples": 30_000,
}  # fmt: skip


def post(url, body, kind="application/json", **headers):
    request = urllib.request.Request(url, data=body, headers={"content-type": kind, **headers})
    with urllib.request.urlopen(request, timeout=120) as answer:
        return json.load(answer)


def test_a_job_that_ran_when_the_server_died_ends_with_the_same_bits(tmp_path, ratings_csv):
    place = tmp_path / "ratings.csv"
    place.write_bytes(ratings_csv)
    server = Server(tmp_path / "mortal", "--n-workers", "1")
    try:
        table = post(f"{server.url}/api/v1/tables", ratings_csv, "text/csv", **{"x-filename": "ratings.csv"})["table"]
        identity = _begun(server, table)
        server.kill()
        server.start()
        found = _result(server, identity)["comparisons"][0]
    finally:
        server.kill()
    [expected] = Compare(files=(str(place),), **SLOW).answer()
    assert found["confidence_interval"]["low"] == expected.confidence_interval.low
    assert found["pvalue"] == expected.pvalue


def test_a_job_can_be_cancelled_and_too_long_ones_end(tmp_path, ratings_csv):
    server = Server(tmp_path / "limited", "--n-workers", "1", "--max-seconds", "1")
    try:
        table = post(f"{server.url}/api/v1/tables", ratings_csv, "text/csv", **{"x-filename": "ratings.csv"})["table"]
        identity = _begun(server, table, n_resamples=1_000_000)
        until = time.monotonic() + 60
        while time.monotonic() < until:
            with urllib.request.urlopen(f"{server.url}/api/v1/jobs/{identity}") as answer:
                state = json.load(answer)
            if state["state"] == "failed":
                break
            time.sleep(0.2)
        assert state["error"] == "the answer took longer than 1 seconds."
        request = urllib.request.Request(f"{server.url}/api/v1/jobs/{identity}", method="DELETE")
        with urllib.request.urlopen(request) as answer:
            assert json.load(answer) == {"deleted": identity}
    finally:
        server.kill()


def test_events_tell_how_far_a_job_is(client, table):
    body = {"table": table, **SLOW, "n_resamples": 999}
    answer = client.post("/api/v1/compare", json=body)
    job = answer.headers["x-assay-job"]
    with client.stream("GET", f"/jobs/{job}/events") as events:
        assert events.headers["content-type"].startswith("text/event-stream")
        assert "event: ended" in "".join(events.iter_text())


def test_a_cancelled_job_is_resumed_and_its_answer_is_read_by_link(app, client):
    sent = {"paper": "raters", "table": 4, "n_simulations": 30}
    job = client.post("/api/v1/replicate", json=sent).json()["job"]
    assert client.post(f"/api/v1/jobs/{job}/cancel").json()["state"] == "cancelled"
    assert client.get(f"/api/v1/jobs/{job}/result").status_code == 202
    mine = dict(app.cookies)
    app.cookies.clear()
    client.get("/")  # somebody else has a session of their own
    assert client.post(f"/api/v1/jobs/{job}/resume").status_code == 404
    app.cookies.clear()
    app.cookies.update(mine)
    assert client.post(f"/api/v1/jobs/{job}/resume").json()["state"] in ("waiting", "running", "done")
    until = time.monotonic() + 120
    while client.get(f"/api/v1/jobs/{job}").json()["state"] != "done":
        assert time.monotonic() < until
        time.sleep(0.1)
    app.cookies.clear()
    client.get("/")
    assert client.get(f"/api/v1/jobs/{job}/result").json()["schema_version"]
    assert "published numbers" in client.get(f"/jobs/{job}").text


def _begun(server, table, **changes):
    """Ask without waiting for the answer; return the job once it runs."""
    body = json.dumps({"table": table, **SLOW, **changes}).encode()
    asking = threading.Thread(target=_quietly, args=(f"{server.url}/api/v1/compare", body), daemon=True)
    asking.start()
    until = time.monotonic() + 60
    while time.monotonic() < until:
        with sqlite3.connect(server.folder / "jobs.db") as connection:
            row = connection.execute("SELECT identity FROM jobs WHERE state = 'running'").fetchone()
        connection.close()
        if row is not None:
            return row[0]
        time.sleep(0.02)
    raise AssertionError("the job did not begin")


def _quietly(url, body):
    with contextlib.suppress(OSError):
        post(url, body)


def _result(server, identity):
    until = time.monotonic() + 120
    while time.monotonic() < until:
        with urllib.request.urlopen(f"{server.url}/api/v1/jobs/{identity}/result") as answer:
            if answer.status == 200:
                return json.load(answer)
        time.sleep(0.3)
    raise AssertionError("the job did not end")
