"""What is deleted is deleted: every copy on the disk, at once, also while a job runs."""

import gzip
import io
import multiprocessing
import os
import tempfile
import threading
import time
import zipfile
from pathlib import Path

import openpyxl
import polars as pl
import pytest
from starlette.testclient import TestClient

from howsure.io import packed
from howsure.web import Settings, api, create_app
from howsure.web.jobs import Jobs
from howsure.web.uploads import Uploads
from howsure.web.workers import Workers, answer

HERE = "http://127.0.0.1:8765"
MARK = "zebra-4711"
ROWS = [
    ("item", "source", "value"),
    *(
        (MARK if i == 7 else f"i{i}", name, (i * k) % 5)
        for i in range(40)
        for k, name in enumerate(("human", "a", "b"), 1)
    ),
]
CSV = "".join(",".join(map(str, row)) + "\n" for row in ROWS)
TWO = {"gold": "human", "a": "a", "b": "b"}
POWER = {"effect": 0.2, "sd": 1.0, "target_power": 0.8}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server whose processes and whose own temporary files are in one place."""
    place, before = tmp_path_factory.mktemp("deletion"), tempfile.tempdir
    (place / "own").mkdir()
    tempfile.tempdir, api.WAIT = str(place / "own"), 600.0
    with TestClient(create_app(Settings(folder=str(place / "server"), workers=1)), base_url=HERE) as client:
        yield client
    tempfile.tempdir = before


def workbook():
    made, book = io.BytesIO(), openpyxl.Workbook()
    for row in ROWS:
        book.active.append(row)
    book.save(made)
    return made.getvalue()


def zstandard():
    made = io.BytesIO()
    with packed._zstd().ZstdFile(made, "w") as file:
        file.write(CSV.encode())
    return made.getvalue()


def zipped():
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("runs/ratings.csv.gz", gzip.compress(CSV.encode()))
    return made.getvalue()


def parquet():
    made = io.BytesIO()
    pl.DataFrame(ROWS[1:], schema=ROWS[0], orient="row").write_parquet(made)
    return made.getvalue()


FILES = {
    "r.csv": CSV.encode,
    "r.csv.gz": lambda: gzip.compress(CSV.encode()),
    "r.csv.zst": zstandard,
    "r.zip": zipped,
    "r.xlsx": workbook,
    "r.parquet": parquet,
}


def uploaded(client, name="r.csv"):
    sent = client.post("/api/v1/tables", files={"file": (name, FILES[name]())})
    assert sent.status_code == 201, sent.text
    return sent.json()["table"]


def files(client):
    """Return the files that a visitor's data could be in, and whether a row is to be read in one of them."""
    root = client.app.state.settings.root
    every = [path for path in root.parent.rglob("*") if path.is_file()]
    data = [
        path for path in every if {"uploads", "answers", "temporary", "own"} & set(path.relative_to(root.parent).parts)
    ]
    return data, any(MARK.encode() in _content(path) for path in every)


def _content(path):
    """Return the bytes of a file; nothing where SQLite has removed its shared memory meanwhile."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


@pytest.mark.parametrize("name", FILES)
def test_every_copy_of_a_deleted_upload_is_deleted_at_once(server, name):
    assert files(server) == ([], False)
    table = uploaded(server, name)
    asked = server.post("/api/v1/compare?document=true", json={"table": table, **TWO, "n_resamples": 99})
    assert asked.status_code == 200, asked.text
    job = asked.headers["x-howsure-job"]
    assert server.get(f"/history/{job}").status_code == 200  # draws pictures
    drawn = server.post("/api/v1/sample", json={"table": table, "n": 10})
    assert drawn.status_code == 200, drawn.text
    assert files(server)[1]
    assert server.delete(f"/api/v1/tables/{table}").status_code == 200
    assert files(server) == ([], False)


def test_the_button_of_the_page_deletes_as_much(server):
    table = uploaded(server, "r.csv.gz")
    asked = server.post("/api/v1/compare", json={"table": table, **TWO, "n_resamples": 99})
    assert asked.status_code == 200, asked.text
    csrf = server.get("/tables").text.partition('name="csrf" value="')[2][:64]
    assert server.post(f"/tables/{table}/delete", data={"csrf": csrf}).status_code == 200  # of the page after it
    assert files(server) == ([], False)


def test_settings_that_go_up_leave_nothing(server):
    server.app.state.uploads.read_settings("s.toml", b"unit-size = 2\n")
    assert files(server) == ([], False)


def test_a_running_job_ends_when_its_upload_is_deleted(server, monkeypatch):
    table, jobs = uploaded(server, "r.csv.gz"), server.app.state.jobs
    monkeypatch.setattr(api, "WAIT", 0.0)
    slow = {"responses": "bootstrap", "null": "shifted-bootstrap", "n_resamples": 900_000}
    asked = [server.post("/api/v1/compare", json={"table": table, **TWO, **slow, "seed": n}) for n in (1, 2, 3, 4)]
    identities = [each.json()["job"] for each in asked]
    until = time.monotonic() + 60
    while sum(jobs.get(each).state == "running" for each in identities) < 2:
        assert time.monotonic() < until
        time.sleep(0.01)
    assert server.delete(f"/api/v1/tables/{table}").status_code == 200
    assert files(server) == ([], False)
    assert not jobs.at_work
    assert [jobs.get(each) for each in identities] == [None] * 4
    time.sleep(0.5)
    assert files(server) == ([], False)
    assert server.post("/api/v1/power", json=POWER).status_code in (200, 202)  # the workers go on
    [job] = jobs.of(server.cookies["howsure_session"])
    jobs.delete(job.identity)


def aged(place, hours):
    os.utime(place, (time.time() - 3600 * hours,) * 2)


class Finished:
    """A worker that writes the answer of a job that is deleted, and then says that it is done."""

    alive, megabytes = True, 0.0

    def __init__(self, jobs, identity):
        self.here, there = multiprocessing.Pipe()
        jobs.delete(identity)
        jobs.answer_path(identity).write_text(MARK)
        there.send(identity)


def test_an_answer_that_is_done_just_when_its_job_is_deleted_is_deleted_too(tmp_path):
    jobs = Jobs(Settings(folder=str(tmp_path)))
    job = jobs.add("me", "power", POWER)
    Workers(jobs)._watch(Finished(jobs, job.identity), job.identity, spare=False)
    assert [*jobs.answers.iterdir()] == []


def test_deleting_a_job_waits_for_the_worker_that_computes_it(tmp_path):
    jobs = Jobs(Settings(folder=str(tmp_path)))
    job = jobs.add("me", "power", POWER)
    jobs.take(job.identity)

    def late():
        time.sleep(0.3)
        jobs.answer_path(job.identity).write_text(MARK)
        jobs.leave(job.identity)

    threading.Thread(target=late).start()
    jobs.delete(job.identity)
    assert [*jobs.answers.iterdir()] == []
    assert not jobs.at_work


def test_whatever_a_worker_writes_has_the_name_of_its_job(tmp_path, monkeypatch):
    """So that it is deleted with the job, also where the worker is killed in the middle of writing."""
    jobs, drafts, replace = Jobs(Settings(folder=str(tmp_path))), [], os.replace
    monkeypatch.setattr("os.replace", lambda old, new: (drafts.append(Path(old)), replace(old, new)))
    job = jobs.add("me", "simulate", {"files": ["normal"], "n_items": 20})
    jobs.claim()
    answer(jobs, job)
    assert jobs.get(job.identity).state == "done", jobs.get(job.identity).error
    assert jobs.written_path(job.identity, ".csv").exists()
    assert any(draft.is_relative_to(jobs.answers) for draft in drafts)
    for draft in drafts:
        if draft.parent.name != "__pycache__":  # byte code of a module that is imported for the first time
            assert draft.relative_to(jobs.answers).parts[0].startswith(job.identity)
    killed = jobs.making(job.identity)
    killed.mkdir()
    (killed / ".howsure-123.json").write_text(MARK)
    jobs.delete(job.identity)
    assert [*jobs.answers.iterdir()] == []


def test_a_picture_drawn_while_its_job_is_deleted_is_not_kept(server, monkeypatch):
    job = server.post("/api/v1/power", json=POWER).headers["x-howsure-job"]
    state = server.app.state

    def ask(*order):
        state.jobs.delete(job)
        return b"a picture"

    monkeypatch.setattr(state.chart_process, "ask", ask)
    server.get(f"/history/{job}/chart.svg")
    assert files(server) == ([], False)


def test_copies_that_a_killed_server_left_are_deleted_at_the_next_start(tmp_path):
    settings = Settings(folder=str(tmp_path))
    uploads = Uploads(settings)
    found = uploads.add("me", [("r.csv.gz", gzip.compress(CSV.encode()))])
    uploads.reader.stop()
    assert MARK in "".join(path.read_text() for path in tmp_path.rglob("r.csv") if path.is_file())
    aged(uploads.root / found.identity, 2)
    again = Uploads(settings)
    assert (uploads.root / found.identity).stat().st_mtime < time.time() - 3600  # a start makes no upload younger
    assert again.get(found.identity, "me").files == found.files
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()].count("r.csv") == 0
    again.reader.stop()


def test_an_upload_that_is_deleted_while_it_is_corrected_does_not_come_back(tmp_path, monkeypatch):
    uploads = Uploads(Settings(folder=str(tmp_path)))
    found = uploads.add("me", [("r.csv", CSV.encode())])
    uploads.delete(found.identity)
    with pytest.raises(Exception, match="it may have been deleted"):
        uploads.correct(found, {"scale": "nominal"}, (), kinds={})
    assert [*uploads.root.iterdir()] == []
    uploads.reader.stop()
