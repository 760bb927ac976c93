"""The folder of a server: one server at a time uses it, and nothing temporary is left behind."""

import gzip
import multiprocessing.util
import os
import re
import tempfile
import time

import pytest
from starlette.testclient import TestClient

from howsure.errors import ArgumentError
from howsure.web import Settings, create_app
from howsure.web.app import _secret
from howsure.web.folder import Folder, scratch

HERE = "http://127.0.0.1:8765"


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """Where temporary folders are made; that of the process from which others are copied is elsewhere already."""
    multiprocessing.util.get_temp_dir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_two_servers_do_not_share_a_folder(tmp_path):
    said = f"another server uses `folder` {tmp_path}: stop it, or give another folder."
    running = TestClient(create_app(Settings(folder=str(tmp_path), workers=1)), base_url=HERE)
    with running, pytest.raises(ArgumentError, match=re.escape(said)):
        create_app(Settings(folder=str(tmp_path)))
    create_app(Settings(folder=str(tmp_path)))


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ArgumentError, match=f"`folder` {tmp_path}/file/below cannot be used: Not a directory"):
        Folder(str(tmp_path / "file" / "below"))


def test_a_server_without_a_folder_leaves_nothing_behind(temporary):
    app = create_app(Settings(workers=1))
    with TestClient(app, base_url=HERE) as client:
        rows = [f"i{i},{name},{i % 3}" for i in range(9) for name in ("human", "m1", "m2")]
        packed = gzip.compress("\n".join(["item,source,value", *rows]).encode())
        assert client.post("/api/v1/tables", files={"file": ("r.csv.gz", packed)}).status_code == 201
        assert client.post("/api/v1/power", json={"sd": 1, "effect": 0.2, "target_power": 0.8}).status_code == 200
        assert [*temporary.iterdir()] == [app.state.settings.root]  # also those of workers and readers are in it
    assert [*temporary.iterdir()] == []


def test_folders_of_killed_servers_are_deleted_and_those_of_others_are_not(temporary):
    running, killed, young = Folder(None), Folder(None), Folder(None)
    for each in (killed, young):
        (each.path / "uploads").mkdir()
        os.close(each._lock)  # as the system does when a process dies
    for each in (running, killed):
        os.utime(each.path, (time.time() - 3600,) * 2)
    (temporary / "howsure-web-elsewhere").symlink_to(temporary)
    started = Folder(None)
    left = {path.name for path in temporary.iterdir()}
    assert left == {running.path.name, young.path.name, started.path.name, "howsure-web-elsewhere"}
    running.close()
    started.close()


def test_what_killed_processes_left_is_deleted_when_it_is_old_and_at_the_next_start(tmp_path):
    folder = Folder(str(tmp_path))
    place = scratch(tmp_path)
    for name in ("old", "new"):
        (place / name).mkdir(parents=True)
    os.utime(place / "old", (time.time() - 7200,) * 2)
    folder.sweep(hours=1)
    assert [path.name for path in place.iterdir()] == ["new"]
    folder.close()
    Folder(str(tmp_path)).close()
    assert not [*place.glob("*")]


def test_files_that_a_killed_server_had_not_read_are_deleted_at_the_next_start(tmp_path):
    half = tmp_path / "uploads" / ("0" * 32) / "files"
    half.mkdir(parents=True)
    (half / "r.csv").write_text("item,sou")
    create_app(Settings(folder=str(tmp_path)))
    assert [*(tmp_path / "uploads").iterdir()] == []


def test_a_secret_that_a_full_disk_cut_is_made_again(tmp_path):
    (tmp_path / "secret").touch(mode=0o600)
    secret = _secret(tmp_path)
    assert len(secret) == 32
    assert _secret(tmp_path) == secret
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600
