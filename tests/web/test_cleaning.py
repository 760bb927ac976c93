"""The thread that deletes what is old: no file that vanishes and no error of a file or the database ends it."""

import logging
import os
import sqlite3
import tempfile
import threading
import time
from pathlib import Path

import pytest

from howsure.web import Settings, app
from howsure.web.folder import Folder, delete_left_behind, scratch
from howsure.web.jobs import Jobs
from howsure.web.uploads import Uploads

MARK = "zebra-4711"
POWER = {"effect": 0.2, "sd": 1.0, "target_power": 0.8}


def aged(place, hours=99.0):
    os.utime(place, (time.time() - 3600 * hours,) * 2)


@pytest.fixture
def vanishing(monkeypatch):
    """Let every entry of this name be gone when somebody looks at it."""
    stat = Path.stat

    def looked(self, **how):
        if self.name.endswith("vanishing"):
            raise FileNotFoundError(2, "No such file or directory", str(self))
        return stat(self, **how)

    monkeypatch.setattr(Path, "stat", looked)


def test_a_file_that_vanishes_does_not_end_the_cleaning(tmp_path, vanishing):
    settings = Settings(folder=str(tmp_path), keep_hours=1)
    uploads, folder = Uploads(settings), Folder(str(tmp_path))
    scratch(tmp_path).mkdir()
    for parent in (uploads.root, scratch(tmp_path)):
        for name in ("a-vanishing", "b-old", "c-vanishing", "d-new"):
            (parent / name).mkdir()
            (parent / name / "about.json").write_text("{}")
            if "new" not in name:
                aged(parent / name)
    uploads.sweep()
    folder.sweep(1)
    folder.close()
    for parent in (uploads.root, scratch(tmp_path)):
        assert {"b-old", "d-new"} & {place.name for place in parent.iterdir()} == {"d-new"}


def test_what_a_deletion_has_left_of_an_upload_is_deleted_an_hour_later(tmp_path):
    uploads = Uploads(Settings(folder=str(tmp_path)))
    for name in ("left", "young", "whole"):
        (uploads.root / name).mkdir()
    (uploads.root / "whole" / "about.json").write_text("{}")
    for name in ("left", "whole"):
        aged(uploads.root / name, 2)
    uploads.sweep()
    assert {place.name for place in uploads.root.iterdir()} == {"young", "whole"}


def test_a_whole_folder_that_vanishes_does_not_end_the_cleaning(tmp_path):
    uploads, folder = Uploads(Settings(folder=str(tmp_path))), Folder(str(tmp_path))
    uploads.root.rmdir()
    uploads.sweep()
    folder.sweep(1)
    folder.close()


def test_a_folder_that_vanishes_does_not_end_the_start(tmp_path, monkeypatch, vanishing):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name in ("a-vanishing", "b", "c-vanishing"):
        (tmp_path / f"howsure-web-{name}").mkdir()
        aged(tmp_path / f"howsure-web-{name}")
    delete_left_behind()
    assert not (tmp_path / "howsure-web-b").exists()


def test_a_job_that_cannot_be_deleted_does_not_keep_the_others(tmp_path, monkeypatch, caplog):
    jobs = Jobs(Settings(folder=str(tmp_path), keep_hours=1))
    identities = [jobs.add("me", "power", POWER | {"sd": sd}).identity for sd in (1.0, 2.0, 3.0)]
    jobs._execute("UPDATE jobs SET created = 0")
    delete = jobs.delete

    def stubborn(identity):
        if identity == identities[0]:
            raise PermissionError(13, MARK)
        if identity == identities[1]:
            raise sqlite3.OperationalError(MARK)
        delete(identity)

    monkeypatch.setattr(jobs, "delete", stubborn)
    with caplog.at_level(logging.ERROR):
        jobs.sweep()
    assert [jobs.get(each) is None for each in identities] == [False, False, True]
    assert "PermissionError" in caplog.text
    assert "OperationalError" in caplog.text
    assert MARK not in caplog.text


def test_answers_without_a_job_are_deleted(tmp_path):
    jobs = Jobs(Settings(folder=str(tmp_path)))
    job = jobs.add("me", "power", POWER)
    left = [jobs.answers / f"{'0' * 32}.json", jobs.answers / ".howsure-0.json"]
    for place in (*left, jobs.answer_path(job.identity), jobs.answers / ".howsure-1.json"):
        place.write_text(MARK)
    aged(left[1])
    jobs.sweep()
    assert {path.name for path in jobs.answers.iterdir()} == {f"{job.identity}.json", ".howsure-1.json"}


def test_no_error_ends_the_thread_that_cleans(monkeypatch, caplog):
    swept, stopping = [], threading.Event()

    class Broken:
        settings = Settings()

        def __init__(self, error):
            self.error = error

        def sweep(self, *_):
            swept.append(self.error)
            if len(swept) == 6:
                stopping.set()
            raise self.error

    errors = [sqlite3.DatabaseError(MARK), FileNotFoundError(2, MARK), RuntimeError(MARK)]
    monkeypatch.setattr(app, "CLEANING", 0.01)
    with caplog.at_level(logging.ERROR):
        cleaning = threading.Thread(target=app._clean, args=(stopping, *map(Broken, errors)), daemon=True)
        cleaning.start()
        cleaning.join(20)
    assert not cleaning.is_alive()
    assert swept == 2 * errors
    for error in errors:
        assert type(error).__name__ in caplog.text
    assert MARK not in caplog.text
