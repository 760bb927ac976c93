import json
import math
import os
import sqlite3
import sys
from contextlib import closing

import numpy as np
import polars as pl
import pytest

from howsure import _random, comparison
from howsure.cli import _progress, main
from howsure.io.files import contest_from
from howsure.questions.tasks import TASKS
from howsure.sweeps import Store, Task
from tests.sweeps.tasks import bits

COINS = """
import math

from howsure.sweeps import task


@task(version=1)
def flip(cell, rng):
    if cell["p"] > 1:
        raise ValueError("p is no probability")
    return {"heads": rng.binomial(cell["n"], cell["p"]), "ratio": math.nan if cell["n"] == 0 else math.inf}
"""

STUDY = """
task = "my_coins:flip"
seed = 4

[grid]
n = [0, 10, 1000]
p = [0.1, 0.5]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "my_coins.py").write_text(COINS)
    (tmp_path / "study.toml").write_text(STUDY)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    sys.modules.pop("my_coins", None)
    return tmp_path


@pytest.fixture
def howsure(folder, monkeypatch, capfd):
    """Call `howsure sweep`; what worker processes write is heard, too."""

    def howsure(*arguments):
        monkeypatch.setattr(sys, "argv", ["howsure", "sweep", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capfd.readouterr()
        return ended.value.code or 0, out, err

    return howsure


def test_a_study_beside_its_function_runs_and_is_remembered(howsure):
    code, out, err = howsure("run", "study.toml", "--store", "study.db")
    assert (code, out) == (0, "my_coins:flip (version 1), seed 4\n6 grid points: 6 done, 0 failed, 0 missing.\n")
    assert err == ""
    assert howsure("run", "study.toml", "--store", "study.db")[1] == out
    assert howsure("status", "study.db") == (
        0,
        "study.db, seed 4\nmy_coins:flip (version 1): 6 grid points: 6 done, 0 failed, 0 missing\n",
        "",
    )


def test_a_terminal_sees_progress_rate_and_time_left(howsure, monkeypatch):
    monkeypatch.setattr(_progress, "is_watched", lambda: True)
    monkeypatch.setattr(_progress, "PAUSE", 0.0)
    monkeypatch.setenv("COLUMNS", "120")
    _, out, err = howsure("run", "study.toml", "--store", "study.db")
    assert "6 of 6" in err
    assert "per second" in err
    assert "left" in err
    assert "6 of 6" not in out


def test_processes_give_the_same_store(howsure):
    howsure("run", "study.toml", "--store", "inline.db")
    assert howsure("run", "study.toml", "--store", "two.db", "--workers", "2")[0] == 0
    assert bits(Store("two.db").rows()) == bits(Store("inline.db").rows())


def test_failed_cells_give_exit_code_3_and_can_be_looked_at(howsure, folder):
    (folder / "study.toml").write_text(STUDY + "[[cells]]\nn = 1\np = 1.5\n")
    code, out, _ = howsure("run", "study.toml", "--store", "study.db")
    assert code == 3
    assert out.endswith("First failure, at n=1, p=1.5 (call): ValueError: p is no probability\n")
    code, out, _ = howsure("show", "study.db", "--failed")
    identity = Task("my_coins:flip", 1).identity({"n": 1, "p": 1.5})
    assert out == f"{identity[:8]}  n=1, p=1.5  →  failed (call): ValueError: p is no probability\n"
    code, out, _ = howsure("show", "study.db", identity[:8])
    assert f"identity    {identity}\n" in out
    assert "state       failed, at stage 'call'\n" in out
    assert 'raise ValueError("p is no probability")' in out

    # The function is mended, without a change to the results of other cells; only the failed cell is computed.
    (folder / "my_coins.py").write_text(COINS.replace('raise ValueError("p is no probability")', 'return {"heads": 1}'))
    sys.modules.pop("my_coins")
    assert howsure("run", "study.toml", "--store", "study.db")[0] == 3
    sys.modules.pop("my_coins")
    assert howsure("run", "study.toml", "--store", "study.db", "--retry")[0] == 0


def test_a_cell_that_kills_its_worker_ends_as_a_failed_cell_on_dask_and_the_others_as_without(howsure, folder):
    pytest.importorskip("distributed")  # which brings the settings that are changed below
    import dask

    howsure("run", "study.toml", "--store", "inline.db")
    (folder / "my_coins.py").write_text(
        COINS.replace('raise ValueError("p is no probability")', "__import__('os')._exit(1)")
    )
    (folder / "study.toml").write_text(STUDY + "[[cells]]\nn = 1\np = 1.5\n")
    code, _, err = howsure("run", "study.toml", "--store", "pool.db", "--workers", "1")
    assert code == 1
    assert "howsure: The executor broke (BrokenProcessPool" in err
    assert "use --dask local: it ends as a failed grid point" in err
    assert "Traceback" not in err
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}):  # else Dask tries it on four workers
        code, out, err = howsure("run", "study.toml", "--store", "dask.db", "--dask", "local", "--workers", "2")
    assert code == 3
    assert "7 grid points: 6 done, 1 failed, 0 missing." in out
    assert "First failure, at n=1, p=1.5 (worker): distributed.scheduler.KilledWorker" in out
    assert "Traceback" not in err
    done = [row for row in Store("dask.db").rows() if row.state == "done"]
    assert bits(done) == bits(Store("inline.db").rows())


def test_the_ready_made_comparison_is_that_of_compare(howsure, folder):
    lines = [
        f"{item},{source},{value + shift}"
        for item in range(12)
        for source, value, shift in (
            ("human", item % 5, 0),
            ("good", item % 5, item % 3 == 0),
            ("poor", 4 - item % 5, 0),
        )
    ]
    (folder / "ratings.csv").write_text("\n".join(["item,source,value", *lines]))
    (folder / "study.toml").write_text("""
task = "compare"
seed = 8
[files]
table = "ratings.csv"
[grid]
gold = "human"
a = "good"
b = "poor"
metric = ["mae", "wins"]
null = ["sign-flip", "shifted-bootstrap"]
n_resamples = 199
repetition = [1, 2]
""")
    assert howsure("run", "study.toml", "--store", "study.db")[0] == 0
    rows = Store("study.db").rows()
    assert len(rows) == 8
    contest = contest_from(["ratings.csv"], gold="human", a="good", b="poor")
    for row in rows:
        rng = int(_random.generator(np.random.SeedSequence(8), row.identity).integers(2**62))
        options = {name: row.parameters[name] for name in ("metric", "null", "n_resamples")}
        found = comparison.compare(contest, rng=rng, **options)
        assert row.values == {
            "a_score": found.a_score,
            "b_score": found.b_score,
            "advantage": found.advantage,
            "low": found.confidence_interval.low,
            "high": found.confidence_interval.high,
            "pvalue": found.pvalue,
        }
    # Repetitions differ in their draws and in nothing else.
    assert rows[0].values["advantage"] == rows[1].values["advantage"]
    assert rows[0].values["low"] != rows[1].values["low"]


def test_every_short_name_is_a_task():
    for name, address in TASKS.items():
        assert Task.load(address).name == address, name


def test_show_gives_parameters_and_values(howsure):
    howsure("run", "study.toml", "--store", "study.db")
    _, out, _ = howsure("show", "study.db", "--limit", "1")
    first = Task("my_coins:flip", 1).identity({"n": 0, "p": 0.1})
    assert out == (f"{first[:8]}  n=0, p=0.1  →  heads=0, ratio=nan\n… and 5 more; see --limit, or export the store.\n")
    assert "  ratio = nan\n" in howsure("show", "study.db", first)[1]
    code, _, err = howsure("show", "study.db", "zzz")
    assert code == 2
    assert err == "howsure: CELL must begin the id of one grid point; 0 ids begin with 'zzz'.\n"


def test_exports_hold_the_same_table(howsure, folder):
    (folder / "study.toml").write_text(STUDY.replace("p = [0.1, 0.5]", "p = [0.5]\nv = [[1, 2], [3]]"))
    howsure("run", "study.toml", "--store", "study.db")
    for name in ("out.csv", "out.parquet", "out.json"):
        assert howsure("export", "study.db", name) == (0, "", "")
    frame = Store("study.db").to_frame()
    assert pl.read_parquet("out.parquet").equals(frame)
    csv = pl.read_csv("out.csv")
    assert csv.columns == frame.columns
    assert frame.columns == ["task", "version", "n", "p", "v", "heads", "ratio", "state", "stage", "error"]
    assert csv["v"].to_list() == ["[1, 2]", "[3]"] * 3
    assert csv["ratio"].is_nan().to_list() == [True, True, False, False, False, False]
    document = json.loads((folder / "out.json").read_text())
    assert document["seed"] == 4
    assert [cell["values"]["ratio"] for cell in document["cells"]] == [None, None, *["inf"] * 4]
    assert math.isinf(frame["ratio"][2])


@pytest.mark.parametrize("command", ["export out.csv", "report out.md", "report out.csv", "chart out.html"])
def test_a_damaged_result_ends_export_report_and_chart_with_1(howsure, folder, command):
    """They wrote it as an empty row, or left it out, and ended with 0."""
    howsure("run", "study.toml", "--store", "study.db")
    with closing(sqlite3.connect("study.db")) as connection:
        connection.execute("""UPDATE cells SET "values" = '{}' WHERE position = 2""")
        connection.commit()
    store = (folder / "study.db").read_bytes()
    name, target = command.split()
    code, out, err = howsure(name, "study.db", target)
    assert (code, out, len(err.splitlines())) == (1, "", 1)
    assert "study.db: the stored result of 1 grid point is damaged" in err
    assert not (folder / target).exists()
    assert (folder / "study.db").read_bytes() == store


def test_two_runs_give_the_same_export_byte_for_byte(howsure, folder):
    for name in ("a", "b"):
        howsure("run", "study.toml", "--store", f"{name}.db")
        howsure("export", f"{name}.db", f"{name}.csv")
    assert (folder / "a.csv").read_bytes() == (folder / "b.csv").read_bytes()


def test_a_study_is_drawn(howsure, folder):
    pytest.importorskip("altair")
    howsure("run", "study.toml", "--store", "study.db")
    assert howsure("chart", "study.db", "heads.json", "--y", "heads") == (0, "Chart: heads.json\n", "")
    assert json.loads((folder / "heads.json").read_text())["title"]["text"] == "heads by n and p"
    assert howsure("chart", "study.db", "heads.json", "--y", "heads")[0] == 2  # it exists
    code, _, err = howsure("chart", "study.db", "new.svg", "--y", "tails")
    assert (code, err) == (2, "howsure: --y must be one of heads, ratio; got 'tails'.\n")


def test_a_study_is_reported(howsure, folder):
    pytest.importorskip("altair")
    howsure("run", "study.toml", "--store", "study.db")
    assert howsure("report", "study.db", "study.html") == (0, "Report: study.html\n", "")
    page = (folder / "study.html").read_text(encoding="utf-8")
    for said in (
        "A sweep of 6 grid points",
        "6 grid points: 6 done",
        "What was done",
        "What to do next",
        "data:image/svg+xml",
    ):
        assert said in page
    assert "run(Task.load(&#x27;my_coins:flip&#x27;), grid, rng=4)" in page
    code, out, _ = howsure("report", "study.db", "study.md")
    assert (code, out) == (0, "Report: study.md, study-picture.svg\n")
    assert "![" in (folder / "study.md").read_text(encoding="utf-8")
    assert howsure("report", "study.db", "study.csv")[0] == 0
    assert len((folder / "study.csv").read_text().splitlines()) == 1 + 6
    assert howsure("report", "study.db", "study.md")[0] == 2  # it exists
    code, _, err = howsure("report", "study.db", "other.md", "--task", "my_coins:toss")
    assert (code, err) == (
        2,
        "howsure: --task must be one of my_coins:flip; got 'my_coins:toss'. Did you mean 'my_coins:flip'?\n",
    )


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("run", "nowhere.toml", "--store", "s.db"), 1, "howsure: nowhere.toml: there is no such file."),
        (("run", "bad.toml", "--store", "s.db"), 1, "howsure: bad.toml: task must be given"),
        (("run", "study.toml", "--store", "no/s.db"), 1, "there is no folder no."),
        (
            ("run", "study.toml", "--store", "s.db", "--workers", "2", "--dask", "tcp://a:1"),
            2,
            "`--workers` does not apply",
        ),
        (("run", "study.toml", "--store", "s.db", "--dask", "here"), 1, "No Dask scheduler answers at here"),
        (("status", "s.db"), 1, "howsure: s.db: there is no such store."),
        (("status", "study.toml"), 1, "howsure: study.toml: this is not a sweep store"),
        (
            ("export", "done.db", "out.xlsx"),
            2,
            "OUT must be a file that ends in .csv, .parquet or .json; got 'out.xlsx'.",
        ),
        (("export", "done.db", "no/out.csv"), 1, "howsure: no/out.csv cannot be written: there is no folder"),
        (("export", "done.db", "no/out.parquet"), 1, "howsure: no/out.parquet cannot be written: there is no folder"),
        (("export", "done.db", "no/out.json"), 1, "howsure: no/out.json cannot be written: there is no folder"),
        (("export", "nope.db", "out.csv"), 1, "howsure: nope.db: there is no such store."),
        (("export", "done.db", "done.db"), 2, "must be a file that ends in"),
        (("export", "done.json", "done.json", "--force"), 2, "would overwrite done.json, which is read"),
        (("export", "done.db", "there.csv"), 2, "there.csv exists already; name another file, or add --force"),
    ],
)
def test_what_cannot_be_done_is_one_line(howsure, folder, arguments, code, words):
    (folder / "bad.toml").write_text("seed = 1")
    (folder / "there.csv").write_text("mine")
    (folder / "done.json").write_text("mine")
    howsure("run", "study.toml", "--store", "done.db")
    ended, _, err = howsure(*arguments)
    assert ended == code
    assert words in err
    assert "Traceback" not in err
    assert not os.path.exists("s.db")


def test_another_seed_than_the_store_s_is_a_usage_error(howsure, folder):
    howsure("run", "study.toml", "--store", "study.db")
    (folder / "study.toml").write_text(STUDY.replace("seed = 4", "seed = 5"))
    code, _, err = howsure("run", "study.toml", "--store", "study.db")
    assert code == 2
    assert "study.db holds a study with seed 4; got seed 5." in err
