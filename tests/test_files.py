"""Outputs are checked before the work, never overwrite an input, and are written whole or not at all."""

import errno
import os
import signal

import polars as pl
import pytest

from howsure import _files
from howsure.errors import ArgumentError, DataError, MissingFileError


def test_a_file_is_replaced_only_once_it_is_complete(tmp_path):
    target = tmp_path / "old.txt"
    target.write_text("old")
    with pytest.raises(RuntimeError), _files.writing(target) as draft:  # noqa: PT012
        draft.write_text("half")
        assert target.read_text() == "old"
        raise RuntimeError
    assert target.read_text() == "old"
    _files.write_text(target, "new\n")
    assert target.read_text() == "new\n"
    assert list(tmp_path.iterdir()) == [target]


def test_a_full_disk_leaves_the_old_file(tmp_path):
    target = tmp_path / "old.json"
    target.write_text("old")
    with pytest.raises(DataError, match=r"old\.json cannot be written: No space left"), _files.writing(target):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_an_interrupt_leaves_nothing_behind(tmp_path):
    with pytest.raises(KeyboardInterrupt), _files.writing(tmp_path / "a.csv") as draft:  # noqa: PT012
        draft.write_text("half")
        raise KeyboardInterrupt
    assert not list(tmp_path.iterdir())


def test_modes_are_those_of_the_old_file_or_the_users_umask(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("")
    old.chmod(0o640)
    for path in (old, new):
        _files.write_text(path, "x")
    assert old.stat().st_mode & 0o777 == 0o640
    mask = os.umask(0)
    os.umask(mask)
    assert new.stat().st_mode & 0o777 == 0o666 & ~mask


def test_a_link_stays_a_link(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old")
    link.symlink_to(real)
    _files.write_text(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"


def test_devices_are_written_and_stay_devices():
    _files.check_outputs({"--out": "/dev/null"})
    _files.write_text("/dev/null", "x")
    assert not os.path.isfile("/dev/null")


def test_places_that_cannot_be_written_are_named(tmp_path):
    with pytest.raises(MissingFileError, match=r"no/m\.json cannot be written: there is no folder"):
        _files.check_outputs({"--out": tmp_path / "no" / "m.json"})
    with pytest.raises(DataError, match="is a folder; name a file in it"):
        _files.check_outputs({"--out": tmp_path})
    with pytest.raises(DataError, match="cannot be written"):
        _files.check_outputs({"--out": "a\0b"})
    with pytest.raises(DataError, match="cannot be written"):
        _files.check_outputs({"--out": tmp_path / ("x" * 300)})
    with pytest.raises(ArgumentError, match=r"`--chart` must be a file that ends in \.svg or \.png; got 'x\.gif'"):
        _files.check_outputs({"--chart": "x.gif"}, endings={"--chart": (".svg", ".png")})


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_is_named(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(DataError, match="permission denied"):
        _files.check_outputs({"--out": tmp_path / "m.json"})
    tmp_path.chmod(0o700)


def test_inputs_are_never_overwritten_and_existing_files_only_by_force(tmp_path):
    model = tmp_path / "m.json"
    model.write_text("{}")
    link = tmp_path / "link.json"
    link.symlink_to(model)
    for name in (model, link, tmp_path / "." / "m.json"):
        with pytest.raises(ArgumentError, match=r"`--chart` would overwrite .* which is read; name another file"):
            _files.check_outputs({"--chart": name}, inputs=["normal", "a\0b", model], force=True)
    with pytest.raises(
        ArgumentError, match=r"exists already; name another file, or add `force=True` to overwrite it\."
    ):
        _files.check_outputs({"--out": model})
    _files.check_outputs({"--out": model, "--chart": None, "--report": tmp_path / "new"}, force=True)
    with pytest.raises(ArgumentError, match="`--out` and `--chart` would write the same file"):
        _files.check_outputs({"--out": tmp_path / "n", "--chart": tmp_path / "n"})


def test_a_draft_that_a_killed_process_left_is_deleted_when_its_file_is_written_next(tmp_path):
    target, other = tmp_path / "state.jsonl", tmp_path / "other.jsonl"
    for path in (target, target, other):
        process = os.fork()
        if process == 0:
            with _files.writing(path) as draft:
                draft.write_text("half")
                os.kill(os.getpid(), signal.SIGKILL)
        os.waitpid(process, 0)
    assert len(list(tmp_path.iterdir())) == 2, "the second draft of a file replaces the first"
    with _files.writing(target), _files.writing(target) as second:  # two writers do not disturb each other
        second.write_text("second")
        assert len(list(tmp_path.iterdir())) == 3
    _files.write_text(other, "whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other.jsonl", "state.jsonl"]


def test_what_a_library_says_of_a_full_disk_is_one_line(tmp_path):
    """Polars says it in words of its own when it writes Parquet."""
    said = "parquet: File out of specification: underlying IO error: No space left on device (os error 28)"
    with pytest.raises(DataError, match=r"a\.parquet cannot be written: No space left on device\.") as raised:  # noqa: SIM117
        with _files.writing(tmp_path / "a.parquet"):
            raise pl.exceptions.ComputeError(said)
    assert _files.is_full(raised.value)
    with pytest.raises(pl.exceptions.ComputeError), _files.writing(tmp_path / "a.parquet"):
        raise pl.exceptions.ComputeError("something else")
    assert list(tmp_path.iterdir()) == []
