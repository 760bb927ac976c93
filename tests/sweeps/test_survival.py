"""Drivers in processes of their own, ended in every unfriendly way: nothing is lost, nothing is doubled."""

import ctypes
import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path

import pytest

from howsure.errors import DataError
from howsure.sweeps import Store, run
from tests.sweeps.drive import SEED, drive
from tests.sweeps.tasks import GRID, bits, draw

ROOT = Path(__file__).parents[2]
FORKED = get_context("forkserver")  # each driver is a process of its own; what they import is imported once
FORKED.set_forkserver_preload(["tests.sweeps.drive"])
STUDY = f"""
task = "tests.sweeps.tasks:draw"
seed = {SEED}
[grid]
i = {list(range(len(GRID)))}
"""


@pytest.fixture(scope="module")
def uninterrupted():
    return bits(run(draw, GRID, rng=SEED).rows)


@pytest.fixture
def path(tmp_path):
    (tmp_path / "study.toml").write_text(STUDY)
    return tmp_path / "study.db"


def test_a_driver_killed_at_twenty_moments_loses_and_doubles_nothing(path, uninterrupted):
    moments = random.Random(20)
    done = [0]
    for number in range(20):
        driver = _drive(path, n_threads=1 + number % 2, seconds=0.005)
        # Some kills hit the opening of the store, most of them a random moment after some cells.
        for _ in range(moments.choice([0, 1, moments.randint(2, 20)])):
            driver.told.recv()
        time.sleep(moments.uniform(0, 0.01))
        _kill(driver)
        if path.exists():
            connection = sqlite3.connect(path)
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            connection.close()
            done.append(_done(path))
    assert done == sorted(done)
    # The kills hit runs that had begun and not ended.
    assert len(set(done)) > 5
    assert done[-1] < len(GRID)
    driver = _drive(path, n_threads=2)
    driver.join()
    assert driver.exitcode == 0
    assert bits(Store(path).rows()) == uninterrupted
    assert sorted(os.listdir(path.parent)) == ["study.db", "study.toml"]


def test_a_driver_killed_with_its_workers_under_way_takes_them_along(path, uninterrupted):
    driver = _howsure("run", "study.toml", "--store", path, "--workers", "2", cwd=path.parent, seconds=0.02)
    _wait_for(lambda: path.exists() and _done(path) > 5)
    driver.kill()
    driver.communicate()
    _wait_for(lambda: _is_empty(driver.pid))
    assert 5 < _done(path) < len(GRID)
    run(draw, GRID, store=path, rng=SEED)
    assert bits(Store(path).rows()) == uninterrupted


@pytest.mark.parametrize("options", [(), ("--workers", "2")])
def test_ctrl_c_stops_at_once_and_says_what_is_kept(path, uninterrupted, options):
    driver = _howsure("run", "study.toml", "--store", path, *options, cwd=path.parent, seconds=0.02)
    _wait_for(lambda: path.exists() and _done(path) > 5)
    os.killpg(driver.pid, signal.SIGINT)  # as a terminal does: to the driver and to its workers
    _, errors = driver.communicate()
    assert driver.returncode == 130
    assert "Traceback" not in errors
    done = _done(path)
    assert (
        f"howsure: interrupted: {done} finished grid points are in {path}; the same command continues from there"
        in errors
    )
    assert 5 < done < len(GRID)
    _wait_for(lambda: _is_empty(driver.pid))
    assert sorted(os.listdir(path.parent)) == ["study.db", "study.toml"]
    assert _howsure("run", "study.toml", "--store", path, cwd=path.parent).wait() == 0
    assert bits(Store(path).rows()) == uninterrupted


def test_a_second_driver_is_sent_away_and_the_first_is_not_disturbed(path, uninterrupted):
    first = _drive(path, n_threads=1, seconds=0.05)
    _wait_for(lambda: path.exists() and _done(path) > 5)
    second = _howsure("run", "study.toml", "--store", path, cwd=path.parent)
    _, errors = second.communicate()
    assert second.returncode == 1
    assert f"howsure: {path} is being run by process {first.pid} on " in errors
    assert errors.count("\n") == 1
    before = _done(path)
    _wait_for(lambda: _done(path) > before)
    _kill(first)
    run(draw, GRID, store=path, rng=SEED)
    assert bits(Store(path).rows()) == uninterrupted


def test_a_file_that_may_not_grow_is_one_line_and_the_study_goes_on_later(path, uninterrupted):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_500_000, 1_500_000))

    _runs_out_of_space(path, preexec_fn=limit)
    run(draw, GRID, store=path, rng=SEED)
    assert bits(Store(path).rows()) == uninterrupted


def test_a_full_disk_is_one_line_and_the_study_goes_on_later(path, uninterrupted):
    disk = path.with_name("disk")
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk]
    if os.geteuid() or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("a small disk can only be mounted by root")
    try:
        _runs_out_of_space(disk / "study.db")
        subprocess.run(["mount", "-o", "remount,size=16m", disk], check=True)
        run(draw, GRID, store=disk / "study.db", rng=SEED)
        assert bits(Store(disk / "study.db").rows()) == uninterrupted
    finally:
        subprocess.run(["umount", disk], check=True)


def test_a_read_only_store_can_be_read_and_refuses_a_run(path, uninterrupted):
    done = run(draw, GRID, store=path, rng=SEED)
    before = path.read_bytes()
    bound = {"preexec_fn": _bound_by_permissions} if os.geteuid() == 0 else {}
    try:
        path.chmod(0o444)
        path.parent.chmod(0o555)
        reader = _howsure("status", path, **bound)
        assert f"{len(GRID)} done" in reader.communicate()[0]
        driver = _howsure("run", path.with_name("study.toml"), "--store", path, **bound)
        _, errors = driver.communicate()
        assert driver.returncode == 1
        assert "Traceback" not in errors
        assert (
            f"howsure: {path}: the store cannot be opened or written. Make the file and its folder writable" in errors
        )
        path.parent.chmod(0o777)
        driver = _howsure("run", path.with_name("study.toml"), "--store", path, **bound)
        _, errors = driver.communicate()
        assert driver.returncode == 1
        assert f"howsure: {path}: the store cannot be written. Make the file and its folder writable" in errors
    finally:
        path.parent.chmod(0o755)
    assert path.read_bytes() == before
    assert bits(done.rows) == uninterrupted


def _runs_out_of_space(store, **limits):
    study = store.with_name("study.toml") if store.with_name("study.toml").exists() else store.parents[1] / "study.toml"
    driver = _howsure("run", study, "--store", store, **limits)
    _, errors = driver.communicate()
    assert driver.returncode == 1
    assert "Traceback" not in errors
    assert f"howsure: {store}: the disk " in errors
    assert "Finished grid points are kept; free some space and run the sweep again." in errors
    assert errors.count("\n") == 1
    assert 0 < _done(store) < len(GRID)


def _drive(path, *, n_threads, seconds=0.0):
    """Start a driver and return when it is about to open the store."""
    told, end = FORKED.Pipe(duplex=False)
    driver = FORKED.Process(target=drive, args=(path, n_threads, seconds, end))
    driver.start()
    end.close()
    driver.told = told
    told.recv()
    return driver


def _kill(driver):
    driver.kill()
    driver.join()
    assert driver.exitcode == -signal.SIGKILL


def _howsure(*arguments, seconds=0.0, **options):
    # A session of its own, so that a signal to the group reaches the driver and its workers and nobody else.
    return subprocess.Popen(
        [sys.executable, "-c", "from howsure.cli import main; main()", "sweep", *map(str, arguments)],
        env=_environment(seconds),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        **options,
    )


def _environment(seconds):
    return {**os.environ, "PYTHONPATH": str(ROOT), "CELL_SECONDS": str(seconds)}


def _bound_by_permissions():
    """In a process about to start: give up root's right to write where permissions forbid it (prctl, on Linux)."""
    drop_from_bounding_set, write_anywhere = 24, 1
    ctypes.CDLL(None).prctl(drop_from_bounding_set, write_anywhere, 0, 0, 0)


def _done(path):
    # A driver makes the file first and its tables a moment later; until then a reader is told that it is empty.
    with suppress(DataError):
        return sum(counts.done for counts in Store(path).counts().values())
    return 0


def _is_empty(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


def _wait_for(condition, *, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.01)
