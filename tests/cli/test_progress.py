"""The progress bar: on stderr, only where somebody looks, only when work lasts."""

import pytest

from howsure.cli import _progress


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setattr(_progress, "is_watched", lambda: True)


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
    assert "100%" in err
    assert err.endswith("\r\x1b[K")  # the line is taken away


def test_short_work_shows_nothing(terminal, capfd):
    work()
    assert capfd.readouterr() == ("", "")


def test_a_file_or_a_pipe_gets_no_bar(monkeypatch, capfd):
    monkeypatch.setattr(_progress, "PATIENCE", -1.0)
    work()
    assert capfd.readouterr() == ("", "")


def test_a_bar_says_how_long_the_rest_takes(terminal, monkeypatch, capfd):
    clock = iter([0.0, 0.0, 10.0, 10.0])
    monkeypatch.setattr(_progress.time, "monotonic", lambda: next(clock))
    bar = _progress.Bar("cells")
    bar.begin(20)
    bar.show(25, 100)
    assert capfd.readouterr().err == f"\rcells [{'=' * 8:<30}]  25%  2:30 left\x1b[K"
