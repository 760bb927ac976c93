"""A folder is an input: what is in it, what is left out and why, and that nothing is lost or used twice."""

import json
import os
import shutil
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from howsure import DataError, doctor, read
from howsure._files import WATCH
from howsure.io import folders
from howsure.io.files import table_from
from tests.io.readers.made import FILES, eval_file, inspect_log


@pytest.fixture
def logs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "logs"
    (folder / "deep").mkdir(parents=True)
    eval_file(folder / "a.eval", inspect_log("m-1", n=6, marks="CI"))
    eval_file(folder / "deep" / "b.eval", inspect_log("m-2", n=6, marks="CCI"))
    return folder


def lines(table, words):
    return [note for note in table.notes if words in note]


@pytest.mark.parametrize("command", ["compare", "leaderboard", "describe", "doctor"])
def test_a_folder_is_an_input_everywhere(logs, howsure, command):
    done = howsure(command, "logs")
    assert done.returncode == 0, done.stderr
    assert "m-1" in done.stdout
    assert "m-2" in done.stdout
    assert list(read("logs").sources) == ["m-1", "m-2"]
    assert list(table_from(["x=logs/a.eval", "y=logs/deep"]).sources) == ["x", "y"]


def test_each_file_that_is_left_out_has_its_reason(logs):
    (logs / "empty.json").write_text("")
    (logs / "results_2026-01-21T03-44-18.458309.json").write_text(json.dumps({"results": {}}))
    (logs / "config.json").write_text(json.dumps({"a": 1}))
    (logs / "table.csv").write_text("item,model,score\n1,x,1\n")
    (logs / "notes.md").write_text("not data")
    (logs / ".hidden.eval").write_bytes((logs / "a.eval").read_bytes())
    found = doctor("logs")
    assert found.skipped == (
        "config.json: neither a log nor a table of responses.",
        "empty.json: it is empty.",
        "results_2026-01-21T03-44-18.458309.json: an aggregate without items; per-item scores are in samples_*.jsonl "
        "beside it.",
        "table.csv: a table beside logs; give it by its name to use it.",
    )
    assert "These files can be compared. 4 files left out." in str(found)
    assert len(found.files) == 2


def test_a_half_written_log_does_not_spoil_the_others(logs, howsure):
    eval_file(logs / "c.eval", inspect_log("m-3", n=6))
    whole = (logs / "c.eval").read_bytes()
    (logs / "c.eval").write_bytes(whole[: len(whole) // 2])
    done = howsure("compare", "logs")
    assert done.returncode == 0, done.stderr
    assert "Note: 1 of 3 files was skipped (first: logs/c.eval is damaged or cut off (" in done.stdout
    found = doctor("logs")
    assert [report.format for report in found.files] == ["inspect", "not readable", "inspect"]
    assert any(said.startswith("c.eval is damaged or cut off") for said in found.lacks)
    (logs / "a.eval").unlink()
    done = howsure("compare", "logs")
    assert done.returncode == 1
    assert done.stderr.startswith("howsure: logs/c.eval is damaged or cut off")


def test_the_same_log_twice_is_said_and_used_once(logs):
    shutil.copy(logs / "a.eval", logs / "copy.eval")
    table = read("logs")
    assert table.sources["m-1"].sizes.tolist() == [2] * 6
    assert lines(table, "1 of 3 files was skipped (first: logs/copy.eval is the same run as logs/a.eval")
    for name in ("one", "two"):  # without a run id, the bytes tell
        (logs / f"{name}.jsonl").write_text('{"task_id": "t", "completion": "", "passed": true}\n')
    assert lines(read([str(logs / "one.jsonl"), str(logs / "two.jsonl")]), "is the same run as")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_permission_denied(logs):
    (logs / "deep").chmod(0)
    try:
        assert doctor("logs").skipped == ("deep: Permission denied.",)
    finally:
        (logs / "deep").chmod(0o755)


def test_links_that_loop_are_not_followed(logs):
    (logs / "deep" / "up").symlink_to(logs)
    (logs / "self.eval").symlink_to(logs / "self.eval")
    found = doctor("logs")
    assert len(found.files) == 2
    assert len(found.skipped) == 1
    assert "self.eval" in found.skipped[0]


def test_tools_that_share_no_item_are_groups_of_their_own(logs, howsure):
    FILES["promptfoo"](logs)
    found = doctor("logs")
    assert {report.format for report in found.files} == {"inspect", "promptfoo"}
    assert [said.split(":")[0] for said in found.supports] == ["demo", "promptfoo"]
    assert any("--where task=demo" in command for command in found.commands)
    assert any("--where tool=promptfoo" in command for command in found.commands)
    for command in found.commands:
        assert howsure(*command.split()[1:]).returncode == 0, command
    done = howsure("leaderboard", "logs")
    assert (
        "2 tasks or tools whose models share no items; choose one: --where task=demo, --where tool=prom" in done.stderr
    )


def test_nothing_that_can_be_read(tmp_path):
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(DataError, match="holds no log and no table of responses"):
        read(tmp_path)
    found = doctor(tmp_path)
    assert not found.files
    assert "Nothing here can be read." in str(found)


def test_a_folder_of_tables(tmp_path, howsure):
    for name in ("x", "y"):
        rows = "".join(f"q{i},{name},{(i * len(name)) % 2}\n" for i in range(5))
        (tmp_path / f"{name}.csv").write_text(f"id,model,correct\n{rows}")
    (tmp_path / "readme.csv").write_text("note\nhello\n")
    assert list(read(tmp_path).sources) == ["x", "y"]
    assert howsure("compare", tmp_path).returncode == 0


def test_a_folder_with_too_many_files_is_refused_before_any_is_opened(logs, howsure, monkeypatch):
    """`howsure doctor /` looked through the whole file system."""
    assert folders.MOST_ENTRIES >= 20_000
    monkeypatch.setattr(folders, "MOST_ENTRIES", 5)
    monkeypatch.setattr("howsure.io.readers.known.recognise", lambda path: pytest.fail(f"{path} was opened"))
    (logs / "more").mkdir()
    for number in range(3):
        (logs / "more" / f"{number}.txt").write_text("x")
    said = "logs holds more than 5 files and folders, which is the limit. Name a folder within it, or the files"
    with pytest.raises(DataError, match=said):
        read("logs")
    assert said in doctor("logs").lacks[0]


def test_a_walk_stays_on_its_file_system(logs, monkeypatch):
    stat = os.stat
    other = SimpleNamespace(st_dev=-1)
    monkeypatch.setattr(
        folders.os, "stat", lambda place, **how: other if str(place).endswith("deep") else stat(place, **how)
    )
    found = doctor("logs")
    assert [file.name for file in found.files] == ["a.eval"]
    assert found.skipped == ("deep: a folder on another disk or file system; give it by its name to use it.",)


def test_a_walk_shows_how_far_it_is(logs):
    shown = []

    @contextmanager
    def watch(label, total):
        shown.append([label, total, 0])
        yield lambda amount: shown[-1].__setitem__(2, shown[-1][2] + amount)

    token = WATCH.set(watch)
    try:
        read("logs")
    finally:
        WATCH.reset(token)
    assert shown == [["looking at files", 2, 2]]
