"""The progress bar: on stderr, only where somebody looks, only when work lasts."""

import pytest

from assay.cli import _progress


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")


def work(total=3):
    with _progress.progress("drawing", total) as advance:
        for _ in range(total):
            advance(1)


def test_lasting_work_shows_a_bar_on_stderr_and_nothing_on_stdout(terminal, monkeypatch, capfd):
    monkeypatch.setattr(_progress, "PATIENCE", -1.0)
    work()
    out, err = capfd.readouterr()
    assert out == ""
    assert "drawing" in err
    assert "100 %" in err


def test_short_work_shows_nothing(terminal, capfd):
    work()
    assert capfd.readouterr() == ("", "")


def test_a_file_or_a_pipe_gets_no_bar(monkeypatch, capfd):
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setattr(_progress, "PATIENCE", -1.0)
    work()
    assert capfd.readouterr() == ("", "")
