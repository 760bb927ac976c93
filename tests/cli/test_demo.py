"""The demo runs each command that it prints, in a folder of its own, and leaves a report."""

import shlex

from howsure.cli.demo import STEPS


def test_the_demo_prints_commands_that_can_be_typed_again(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = command("demo", "tour", "--browser", "none")
    assert (code, err) == (0, "")
    typed = [line.removeprefix("$ ") for line in out.splitlines() if line.startswith("$ ")]
    assert len(typed) == len(STEPS)
    assert "model-2 is better than model-1" in out
    assert "<html" in (tmp_path / "tour" / "report.html").read_text(encoding="utf-8")
    again = next(line for line in typed if "leaderboard" in line)
    assert command(*shlex.split(again)[1:])[0] == 0


def test_the_demo_overwrites_nothing(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tour").mkdir()
    code, _, err = command("demo", "tour", "--browser", "none")
    assert code == 2
    assert "tour exists already" in err
    assert not list((tmp_path / "tour").iterdir())


def test_the_report_is_opened(command, tmp_path, monkeypatch):
    opened = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert command("demo")[0] == 0
    assert opened == [(tmp_path / "howsure-demo" / "report.html").resolve().as_uri()]
