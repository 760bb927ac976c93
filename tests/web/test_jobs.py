"""Jobs: they survive the death of the server, can be cancelled, and end when they ask for too much."""

import asyncio
import contextlib
import json
import multiprocessing
import sqlite3
import threading
import time
import urllib.request

from starlette.testclient import TestClient

from howsure.questions import Compare
from howsure.web import Settings, create_app
from howsure.web.helper_processes import Child
from howsure.web.jobs import Jobs, connected
from howsure.web.workers import Workers
from tests.web.browser import Server
from tests.web.greedy import apart

SLOW = {
    "gold": "human", "a": "model-2", "b": "model-1", "responses": "bootstrap", "null": "shifted-bootstrap",
    "n_resamples": 30_000,
}  # fmt: skip


def post(url, body, kind="application/json", **headers):
    request = urllib.request.Request(url, data=body, headers={"content-type": kind, **headers})
    with urllib.request.urlopen(request, timeout=120) as answer:
        return json.load(answer)


def test_a_job_that_ran_when_the_server_died_ends_with_the_same_bits(tmp_path, ratings_csv):
    place = tmp_path / "ratings.csv"
    place.write_bytes(ratings_csv)
    server = Server(tmp_path / "mortal", "--workers", "1")
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


def test_jobs_that_take_too_long_end_with_a_sentence_and_can_be_deleted(tmp_path, ratings_csv):
    settings = Settings(folder=str(tmp_path), workers=1, max_seconds=1)
    with TestClient(create_app(settings), base_url="http://127.0.0.1:8765") as client:
        table = client.post("/api/v1/tables", files={"file": ("ratings.csv", ratings_csv)}).json()["table"]
        answer = client.post("/api/v1/compare", json={"table": table, **SLOW, "n_resamples": 1_000_000})
        assert answer.status_code == 500
        assert answer.json()["error"] == "the computation took longer than 1 seconds."
        [job] = client.app.state.jobs.of(client.cookies["howsure_session"])
        assert client.delete(f"/api/v1/jobs/{job.identity}").json() == {"deleted": job.identity}


def test_events_tell_how_far_a_job_is(client, table):
    body = {"table": table, **SLOW, "n_resamples": 999}
    answer = client.post("/api/v1/compare", json=body)
    job = answer.headers["x-howsure-job"]
    with client.stream("GET", f"/history/{job}/events") as events:
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
    assert "published numbers" in client.get(f"/history/{job}").text


def test_short_questions_are_answered_while_long_jobs_fill_the_queue(client, table, monkeypatch):
    def ask(path, **body):
        return client.post(f"/api/v1/{path}", json=body)

    jobs = client.app.state.jobs
    long = [ask("replicate", paper="raters", n_simulations=5000, seed=seed).json()["job"] for seed in (1, 2)]
    try:
        _until(lambda: jobs.get(long[0]).state == "running")
        monkeypatch.setattr("howsure.web.workers.SHORT", 0.0)  # nothing is short enough
        monkeypatch.setattr("howsure.web.pages.PATIENCE", 0.1)  # the page does not wait for the job
        client.get("/compare", params={"table": table, **SLOW, "n_resamples": 900_000, "ask": 1})
        _until(lambda: _queued(jobs) == 2)
        monkeypatch.setattr("howsure.web.workers.SHORT", 1e9)
        answer = ask("compare", table=table, gold="human", a="model-2", b="model-1", n_resamples=99)
        assert answer.status_code == 200, answer.text
        assert [jobs.get(each).state for each in long] == ["running", "waiting"]
        assert _queued(jobs) == 2
    finally:
        for job in jobs.of(client.cookies["howsure_session"]):
            jobs.delete(job.identity)


def _queued(jobs):
    """Return how many long jobs wait."""
    with connected(jobs.path) as connection:
        return connection.execute("SELECT COUNT(*) FROM jobs WHERE long AND state = 'waiting'").fetchone()[0]


def _until(true):
    until = time.monotonic() + 120
    while not true():
        assert time.monotonic() < until
        time.sleep(0.02)


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


def test_workers_that_have_nothing_to_do_wait_until_they_are_told(tmp_path, monkeypatch):
    monkeypatch.setattr("howsure.web.workers.IDLE", 1e6)  # else they look by themselves
    settings = Settings(folder=str(tmp_path), workers=1)
    jobs, looked = Jobs(settings), []
    claim = jobs.claim
    monkeypatch.setattr(jobs, "claim", lambda **how: (looked.append(how), claim(**how))[1])
    workers = Workers(jobs)
    workers.start()
    try:
        _until(lambda: len(looked) == 2)  # both, once
        job = jobs.add("me", "power", {"effect": 0.2, "sd": 1.0, "target_power": 0.8})
        _until(lambda: jobs.get(job.identity).state == "done")
    finally:
        workers.stop()
    assert not any(thread.is_alive() for thread in workers.threads)
    assert len(looked) < 10


POWER = {"effect": 0.2, "sd": 1.0, "target_power": 0.8}


def test_a_job_goes_to_a_new_worker_where_the_old_one_is_dying(tmp_path, importable):
    jobs = Jobs(Settings(folder=str(tmp_path), workers=1))
    workers, dying = Workers(jobs), Child("tests.web.greedy:mortal")
    job = jobs.add("me", "power", POWER)
    assert jobs.claim() == job.identity
    taken = workers._handed(dying, job.identity)  # it lives, and dies of what it gets
    try:
        assert taken is not dying
        assert not dying.alive
        workers._watch(taken, job.identity, spare=False)
    finally:
        taken.kill()
    assert jobs.get(job.identity).state == "done"


def test_a_worker_that_was_killed_gets_no_job_while_it_ends(monkeypatch, importable):
    worker = Child("tests.web.greedy:mortal")
    monkeypatch.setattr(worker.process, "kill", lambda: None)  # the system takes its time
    monkeypatch.setattr(worker.process, "wait", lambda timeout: None)
    worker.kill()
    assert worker.process.poll() is None
    assert not worker.alive
    monkeypatch.undo()
    worker.kill()


def test_a_job_that_is_deleted_while_somebody_waits_for_it_counts_as_cancelled(tmp_path):
    jobs = Jobs(Settings(folder=str(tmp_path), workers=1))
    job = jobs.add("me", "power", POWER)

    async def waited():
        waiting = asyncio.create_task(jobs.wait(job.identity, 600.0))
        await asyncio.sleep(0)  # it has looked once
        jobs.delete(job.identity)
        return await waiting

    assert apart(waited).state == "cancelled"


class Doomed:
    """A worker that writes its answer in its last moment."""

    alive, megabytes = True, 0.0

    def __init__(self, place):
        self.place, self.here = place, multiprocessing.Pipe()[0]

    def kill(self):
        self.place.write_text("{}")


def test_an_answer_that_comes_after_its_job_was_deleted_is_deleted_too(tmp_path):
    jobs = Jobs(Settings(folder=str(tmp_path), workers=1))
    job = jobs.add("me", "power", POWER)
    jobs.delete(job.identity)
    place = jobs.answer_path(job.identity)
    Workers(jobs)._watch(Doomed(place), job.identity, spare=False)
    assert not place.exists()
