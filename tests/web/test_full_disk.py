"""A full disk: what is there can be read and deleted, and what cannot be kept is refused in one sentence."""

import errno
import subprocess
import sys
from contextlib import suppress

import pytest
from starlette.testclient import TestClient

from howsure.errors import DataError
from howsure.io import read, write
from howsure.web import Settings, api, create_app
from howsure.web.folder import FullDiskError
from tests.web.test_deletion import CSV, MARK, POWER, TWO

HERE = "http://127.0.0.1:8765"
FULL = "he disk of this server is full"


class Disk:
    """A small disk that can be filled to its last byte."""

    def __init__(self, place):
        self.place, self.filling = place, place / "filling"

    def fill(self):
        with self.filling.open("ab", buffering=0) as file, suppress(OSError):
            while True:
                file.write(bytes(4096))

    def empty(self):
        self.filling.unlink()

    def reads(self, text):
        return [path for path in self.place.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


@pytest.fixture
def disk(tmp_path):
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", place]
    mounted = subprocess.run(mount, check=False, capture_output=True)
    if mounted.returncode:
        pytest.skip("only root can mount a small disk")
    yield Disk(place)
    subprocess.run(["umount", "-l", place], check=True)


@pytest.fixture
def server(disk, monkeypatch):
    monkeypatch.setattr(api, "WAIT", 600.0)
    with TestClient(create_app(Settings(folder=str(disk.place / "server"), workers=1)), base_url=HERE) as client:
        yield client


def asked(client):
    """Upload a table and ask about it; return both identities."""
    sent = client.post("/api/v1/tables", files={"file": ("r.csv", CSV)})
    assert sent.status_code == 201, sent.text
    answer = client.post("/api/v1/compare", json={"table": sent.json()["table"], **TWO, "n_resamples": 99})
    assert answer.status_code == 200, answer.text
    return sent.json()["table"], answer.headers["x-howsure-job"]


def test_what_is_there_can_be_read_and_the_rest_is_refused(disk, server):
    table, job = asked(server)
    csrf = server.get("/").text.partition('name="csrf" value="')[2][:64]
    disk.fill()
    for path in ("/", "/tables", "/history", f"/tables/{table}", f"/history/{job}", f"/history/{job}/chart.svg",
                 f"/api/v1/tables/{table}", f"/api/v1/jobs/{job}", f"/api/v1/jobs/{job}/result"):  # fmt: skip
        assert server.get(path).status_code == 200, path
    refused = [
        server.post("/api/v1/power", json=POWER),
        server.post("/api/v1/compare", json={"table": table, **TWO, "n_resamples": 98}),
        server.post("/api/v1/tables", files={"file": ("more.csv", CSV)}),
        server.post(f"/history/{job}/rename", data={"csrf": csrf, "title": "another"}),
        server.post(f"/tables/{table}/correct", data={"csrf": csrf, "scale": "nominal"}),
    ]
    for answer in refused:
        assert answer.status_code == 507
        assert FULL in answer.text
        assert str(disk.place) not in answer.text
    page = server.get(f"/compare?table={table}&a=a&b=b&gold=human&n_resamples=97")
    assert (page.status_code, FULL in page.text) == (422, True)
    disk.empty()
    assert server.post("/api/v1/power", json=POWER).status_code == 200


def test_everything_can_be_deleted(disk, server):
    table, job = asked(server)
    disk.fill()
    assert server.delete(f"/api/v1/tables/{table}").status_code == 200
    for path in (f"/api/v1/tables/{table}", f"/api/v1/jobs/{job}", f"/api/v1/jobs/{job}/result", f"/history/{job}"):
        assert server.get(path).status_code == 404
    assert disk.reads(MARK) == []


def test_a_server_starts_on_a_full_disk_or_says_so_in_one_line(disk):
    used = disk.place / "server"
    with TestClient(create_app(Settings(folder=str(used), workers=1)), base_url=HERE) as client:
        _, job = asked(client)
    disk.fill()
    with TestClient(create_app(Settings(folder=str(used), workers=1)), base_url=HERE) as client:
        assert client.get(f"/api/v1/jobs/{job}/result").status_code == 200
    command = [sys.executable, "-m", "howsure", "serve", "--port", "0", "--folder", disk.place / "new"]
    said = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert said.returncode == 2
    assert said.stderr == f"howsure: --folder {disk.place}/new cannot be used: its disk is full.\n"


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".jsonl"])
def test_a_table_that_does_not_fit_is_one_line(disk, tmp_path, ending):
    (tmp_path / "r.csv").write_text(CSV)
    table = read(tmp_path / "r.csv")
    disk.fill()
    with pytest.raises(DataError, match=r"cannot be written: No space left on device\.$"):
        write(table, disk.place / f"r{ending}")
    assert [path.name for path in disk.place.iterdir()] == ["filling"]


@pytest.fixture
def refusing(tmp_path, monkeypatch):
    """A server whose table of jobs cannot be changed, as if nothing that is deleted made room enough."""
    monkeypatch.setattr(api, "WAIT", 600.0)
    with TestClient(create_app(Settings(folder=str(tmp_path / "server"), workers=1)), base_url=HERE) as client:
        client.jobs = client.app.state.jobs
        execute = client.jobs._execute

        def refuse(statement, *values):
            if client.full and statement.startswith(("DELETE", "UPDATE", "INSERT")):
                raise FullDiskError
            return execute(statement, *values)

        monkeypatch.setattr(client.jobs, "_execute", refuse)
        client.full = False
        yield client


def test_a_deletion_that_cannot_be_finished_hides_everything_and_is_finished_later(refusing, tmp_path):
    table, job = asked(refusing)
    csrf = refusing.get("/").text.partition('name="csrf" value="')[2][:64]
    refusing.full = True
    answer = refusing.delete(f"/api/v1/tables/{table}")
    assert answer.status_code == 507
    assert "the list of what you asked is deleted as soon as the disk has space" in answer.json()["error"]
    for path in (f"/api/v1/tables/{table}", f"/api/v1/jobs/{job}", f"/api/v1/jobs/{job}/result", f"/history/{job}"):
        assert refusing.get(path).status_code == 404
    assert f"/history/{job}" not in refusing.get("/history").text
    assert not any(MARK in path.read_text(errors="ignore") for path in tmp_path.rglob("*") if path.is_file())
    assert refusing.post(f"/history/{job}/rename", data={"csrf": csrf, "title": "x"}).status_code == 404
    refusing.jobs.sweep()  # still full: the error is logged, and the next look tries again
    refusing.full = False
    refusing.jobs.sweep()
    assert refusing.jobs._execute("SELECT identity FROM jobs WHERE identity = ?", job) == []
    assert list(refusing.jobs.answers.iterdir()) == []


def test_a_job_that_a_full_disk_ended_does_not_name_the_folder(tmp_path, monkeypatch):
    from howsure.web import workers
    from howsure.web.jobs import Jobs

    jobs = Jobs(Settings(folder=str(tmp_path)))
    job = jobs.add("me", "power", POWER)
    jobs.claim()

    def full(*_):
        raise DataError(f"{tmp_path}/answers cannot be written: No space left.") from OSError(errno.ENOSPC, "No space")

    monkeypatch.setattr(workers, "_compute", full)
    workers.answer(jobs, job)
    assert jobs.get(job.identity).error.startswith(f"t{FULL}")
    assert str(tmp_path) not in jobs.get(job.identity).error
