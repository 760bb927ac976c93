"""The `howsure` command: starts fast, says errors in one line, exits with the right code."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest

from howsure import sweeps, write
from howsure.cli._study import _kept, run_study
from howsure.cli.app import SOURCES
from howsure.examples import ratings
from tests.sweeps.tasks import draw

HEAVY = ["numpy", "polars", "scipy", "howsure.documents", "statsmodels", "altair", "distributed"]


def run(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "howsure", *arguments], capture_output=True, text=True, check=False, **options
    )  # fmt: skip


def test_help_names_the_commands_imports_nothing_heavy_and_asks_for_one_thread_of_blas():
    program = (
        "import sys\nfrom howsure.cli import main\nsys.argv = ['howsure', '--help']\n"
        "try:\n    main()\nexcept SystemExit as left:\n    assert not left.code\n"
        f"print('loaded:', [name for name in {HEAVY} if name in sys.modules])\n"
        "import os; print('threads:', os.environ['OPENBLAS_NUM_THREADS'])"
    )
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    for asked, threads in ({}, "1"), ({"OPENBLAS_NUM_THREADS": "2"}, "2"):
        shown = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment | asked
        )
        assert "compare" in shown.stdout
        assert shown.stdout.endswith(f"loaded: []\nthreads: {threads}\n")
    assert shown.stderr == ""


def test_help_of_a_command_loads_no_tables_compiler_or_charts():
    """The words that an option may be stand in modules that load NumPy, and some of them SciPy, but no more."""
    program = (
        "import sys\nimport click\nfrom howsure.cli.app import app\n"
        "def show(name, command):\n"
        "    group = isinstance(command, click.Group)\n"
        "    command.main(['--help' if group else '--help-all'], prog_name=name, standalone_mode=False)\n"
        "    for name in command.list_commands(None) if isinstance(command, click.Group) else ():\n"
        "        show(name, command.get_command(None, name))\n"
        "show('howsure', app)\n"
        f"print('loaded:', *(name for name in {[*HEAVY, 'pandas']} if name in sys.modules))"
    )
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert shown.count("Usage: ") > len(SOURCES)
    assert set(shown.rpartition("loaded: ")[2].split()) <= {"numpy", "scipy", "howsure.documents"}


def test_the_module_is_the_command():
    shown = run("--help")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout.startswith("Usage: howsure [OPTIONS] COMMAND ")


def test_help_lists_every_option_of_the_specification(command):
    code, out, err = command("compare", "--help-all")
    assert (code, err) == (0, "")
    for option in [
        "item", "source", "value", "rater", "gold", "a", "b", "metric", "null", "items", "responses", "alternative",
        "n-resamples", "confidence-level", "by", "seed", "json",
    ]:  # fmt: skip
        assert f"--{option}" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare"], "howsure: give a table of responses, for example ratings.csv"),
        (["compare", "t.csv", "--a", "x"], "howsure: --a and --b go together; got a alone."),
        (
            ["compare", "t.csv", "--a", "x", "--b", "y", "--n-resamples", "many"],
            "howsure: --n-resamples must be a whole number; got 'many'.",
        ),
        (["frobnicate"], "howsure: No such command 'frobnicate'."),
        (["compare", "--frobnicate"], "howsure: No such option '--frobnicate'"),
    ],
)
def test_usage_errors_are_one_line_and_exit_2(command, arguments, message):
    code, out, err = command(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith(message)
    assert err.count("\n") == 1


def test_without_arguments_the_first_steps_are_shown(command):
    code, out, err = command()
    assert (code, err) == (0, "")
    assert "howsure doctor" in out
    assert "howsure --help" in out
    assert len(out.splitlines()) < 15


@pytest.mark.parametrize("group", ["scores", "sweep"])
def test_a_group_without_a_command_shows_its_help_and_exits_2(command, group):
    code, _, err = command(group)
    assert code == 2
    assert err.startswith("Usage:")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_no_traceback():
    with Path("/dev/full").open("w") as full:
        help_ = [sys.executable, "-m", "howsure", "--help"]
        left = subprocess.run(help_, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert left.returncode != 0
    assert "Traceback" not in left.stderr


CLOSED = {
    ("<&-", "metrics mae"): 0,
    ("2>&-", "metrics mae"): 0,
    ("<&- 2>&-", "nope"): 2,
    ("2>/dev/full", "nope"): 2,
    (">&-", "nope"): 2,
    (">&-", "metrics mae"): 1,
    (">&- <&- 2>&-", "--help"): 1,
    ("<&-", "describe ratings.parquet --n-resamples 9"): 0,  # another process reads it
    (">&-", "describe ratings.parquet --n-resamples 9"): 1,
    ("<&-", "audit normal --n-items 5 --n-responses 2 --n-simulations 2 --n-resamples 19 --n-fresh 9 --workers 1"): 0,
}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the shell and devices of Linux")
@pytest.mark.parametrize(("how", "words"), CLOSED)
def test_closed_streams_are_no_traceback(how, words, tmp_path):
    """Only a lost answer is an error."""
    write(ratings(5), tmp_path / "ratings.parquet")
    shown = subprocess.run(
        f"{sys.executable} -m howsure {words} {how}",
        shell=True,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert shown.returncode == CLOSED[how, words], shown
    assert "Traceback" not in shown.stderr
    if shown.returncode == 1 and "2>" not in how:
        assert shown.stderr == "howsure: standard output is closed, so the answer is lost; leave out >&-\n"


@pytest.mark.parametrize("seconds", [0.02, 0.3, 0.8])
def test_ctrl_c_is_one_line_whenever_it_comes(tmp_path, seconds):
    """During imports, and while data are simulated."""
    started = tmp_path / "started"
    code = (
        f"import sys, pathlib; from howsure.cli import main; pathlib.Path({str(started)!r}).touch(); "
        "sys.argv = ['howsure', 'audit', 'normal', '--n-simulations', '100000']; main()"
    )
    assert_interrupted(code, started, seconds)


def test_ctrl_c_within_a_function_that_a_library_calls_back_is_not_lost(tmp_path):
    """Python cannot raise an error there: libraries are looked through, and kernels compiled, with such functions."""
    started = tmp_path / "started"
    code = f"""
import ctypes, pathlib, time
import howsure.cli, howsure.cli.app

def wait():
    pathlib.Path({str(started)!r}).touch()
    while True:
        time.sleep(0.01)

def run():
    ctypes.CFUNCTYPE(None)(wait)()  # an interrupt ends `wait`, and is lost
    time.sleep(600)

howsure.cli.app.main = run
howsure.cli.main()
"""
    assert_interrupted(code, started, 0.02)


def assert_interrupted(code, started, seconds):
    """Run code that makes a file when it has started, interrupt it after some seconds, and read one line."""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not started.exists():
        time.sleep(0.005)
    time.sleep(seconds)
    process.send_signal(signal.SIGINT)
    try:
        _, errors = process.communicate(timeout=240)  # threads may have kernels to compile first
    finally:
        process.kill()
    assert process.returncode == 130, errors
    # Click leaves the line on which a terminal shows ^C.
    assert errors.lstrip("\n").count("\n") == 1, errors
    assert errors.lstrip("\n").startswith("howsure: interrupted: ")


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        (["doctor", "no-file.csv"], "Diagnosis"),
        (["scores", "glossary"], "Glossary"),
    ],
)
def test_a_chart_of_what_is_not_drawn_is_refused_before_the_work(command, tmp_path, arguments, kind):
    code, out, err = command(*arguments, "--chart", tmp_path / "chart.svg")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"howsure: there is no chart of a {kind}; charts show Comparison, ")


def test_the_ending_of_a_chart_may_be_in_capitals(command, tmp_path):
    code, _, err = command("simulate", "normal", "--n-items", 4, "--chart", tmp_path / "chart.SVG")
    assert (code, err) == (0, "")
    assert (tmp_path / "chart.SVG").read_text(encoding="utf-8").startswith("<svg")


def test_ctrl_c_is_heard_while_a_long_cell_computes(tmp_path):
    """Also after Polars, once imported, put its handler before Python's: the system then goes on waiting."""
    started = tmp_path / "started"
    code = f"""
import pathlib, time
from howsure.cli import app
from howsure.cli._study import run_study
from howsure.sweeps import Grid, task

@task(version=1)
def sleep(cell, rng):
    pathlib.Path({str(started)!r}).touch()
    time.sleep(600)

def study():
    import polars
    run_study(sleep, Grid.product({{"n": [1]}}), threads=1)

app.main = study
from howsure.cli import main
main()
"""
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)
    while not started.exists():
        time.sleep(0.005)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=240)  # threads may have kernels to compile first
    assert (process.returncode, errors) == (130, "howsure: interrupted: nothing is kept without --store\n")


def walked(command, name=()):
    """Return every command with the options that it takes."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for each in command.list_commands(context):
            yield from walked(command.get_command(context, each), (*name, each))
    else:
        yield " ".join(name), {option for parameter in command.params for option in parameter.opts}


def test_every_command_that_has_a_result_draws_reports_and_prints_it():
    """A study is drawn and reported from its store, by commands of their own."""
    from howsure.cli.app import app

    known = dict(walked(app))
    without = {name for name, options in known.items() if not {"--chart", "--report", "--json", "--force"} <= options}
    assert without == {
        "agent-files", "convert", "demo", "example", "mcp", "metrics", "presets", "serve", "sweep chart",
        "sweep export", "sweep report", "sweep run", "sweep show", "sweep status",
    }  # fmt: skip
    assert all("--force" in known[name] for name in ("sweep chart", "sweep export", "sweep report"))


def test_an_interrupted_study_says_how_many_cells_are_kept(tmp_path):
    path = tmp_path / "study.db"
    for n, words in ((1, "1 finished grid point is in"), (2, "2 finished grid points are in")):
        sweeps.run(draw, sweeps.Grid.product({"i": range(n)}), store=path, rng=1)
        assert _kept(draw, path).startswith(words)


@sweeps.task(version=1)
def interrupted(cell, rng):
    """Stop as Ctrl-C does, at the grid point that says so."""
    if cell["i"] == cell["stop"]:
        raise KeyboardInterrupt
    return {"value": 1.0}


@pytest.mark.parametrize(
    ("stop", "left", "words"),
    [
        (0, [], "howsure: interrupted: no grid point was finished, so nothing is kept\n"),
        (1, ["study.db"], "howsure: interrupted: 1 finished grid point is in "),
    ],
)
def test_an_interrupt_leaves_a_store_only_if_something_is_in_it(tmp_path, capsys, stop, left, words):
    path = tmp_path / "study.db"
    grid = sweeps.Grid({"i": i, "stop": stop} for i in range(3))
    with pytest.raises(SystemExit) as ended:
        run_study(interrupted, grid, store=path, rng=1)
    assert ended.value.code == 130
    assert [file.name for file in tmp_path.iterdir()] == left
    assert capsys.readouterr().err.startswith(words)


def test_an_interrupt_keeps_a_store_that_was_there_before(tmp_path):
    path = tmp_path / "study.db"
    sweeps.run(draw, sweeps.Grid([]), store=path, rng=1)
    with pytest.raises(SystemExit):
        run_study(interrupted, sweeps.Grid([{"i": 0, "stop": 0}]), store=path, rng=1)
    assert path.exists()
