"""Numba's cache holds pickles, so it belongs to the user alone."""

import os
import subprocess
import sys

from howsure import _compiled

SHOW = "from howsure import _compiled; from numba import config; print(config.CACHE_DIR)"


def shown(**environment):
    rest = {name: value for name, value in os.environ.items() if name not in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")}
    return subprocess.run(
        [sys.executable, "-c", SHOW], env=rest | environment, capture_output=True, text=True, check=True
    ).stdout.strip()


def test_the_cache_is_private_and_below_the_users_own(tmp_path):
    (tmp_path / "howsure" / "numba").mkdir(parents=True, mode=0o777)
    assert shown(XDG_CACHE_HOME=str(tmp_path)) == str(tmp_path / "howsure" / "numba")
    assert (tmp_path / "howsure" / "numba").stat().st_mode & 0o777 == 0o700


def test_another_folder_may_be_named(tmp_path):
    assert shown(NUMBA_CACHE_DIR=str(tmp_path / "mine"), XDG_CACHE_HOME=str(tmp_path)) == str(tmp_path / "mine")
    assert not (tmp_path / "howsure").exists()


def test_what_cannot_be_made_private_is_not_used(tmp_path, monkeypatch):
    (tmp_path / "howsure").mkdir()
    (tmp_path / "howsure" / "numba").symlink_to(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert _compiled.private_folder() is None
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert _compiled.private_folder() is None
