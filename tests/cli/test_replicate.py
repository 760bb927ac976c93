import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from howsure.cli.app import app
from howsure.errors import HowsureError
from howsure.sweeps import Store


def run(*arguments):
    return CliRunner(env={"COLUMNS": "120"}).invoke(app, ["replicate", *arguments], catch_exceptions=False)


def test_rows_stand_side_by_side_with_the_convention():
    result = run("forest", "--table", "3", "--n-simulations", "4", "--verbose")
    assert result.exit_code == 0
    assert "of 40 published numbers are reproduced within two standard errors" in result.stdout
    head = next(line for line in result.stdout.splitlines() if "published" in line and "dataset" in line)
    assert [word.strip() for word in head.strip("┃").split("┃")] == [
        "dataset", "metric", "NK", "K", "published", "reproduced", "difference", "standard error",
    ]  # fmt: skip
    assert "Convention that reproduces the tables: fresh items" in result.stdout


@pytest.mark.parametrize("words", ["forest --table 3", "leader --table 5", "leader --figure 1", "raters --table 1"])
def test_the_default_output_fits_80_columns(words):
    result = CliRunner(env={"COLUMNS": "80"}).invoke(app, ["replicate", *words.split(), "--n-simulations", "2"])
    assert max(len(line) for line in result.stdout.splitlines() if line[:1] in tuple("┏┃┡│└")) <= 80


def test_all_tables_end_with_one_screen():
    result = run("forest", "--n-simulations", "2")
    assert result.exit_code == 0
    assert "published" in result.stdout.splitlines()[0]
    assert "dataset" not in result.stdout.splitlines()[3]
    assert len(result.stdout.splitlines()) < 30


def test_json_rows_have_identity_and_both_numbers():
    result = run("forest", "--table", "2", "--n-simulations", "4", "--json")
    document = json.loads(result.stdout)
    assert document["paper"] == "forest"
    assert document["n_simulations"] == 4
    row = document["rows"][0]
    assert {"table", "dataset", "metric", "NK", "K", "quantity"} < row.keys()
    assert {"published", "reproduced", "standard_error"} < row.keys()


def test_a_store_and_a_worker_process_change_nothing(tmp_path):
    store = str(tmp_path / "forest.db")
    plain = run("forest", "--table", "3", "--n-simulations", "2", "--json")
    stored = run("forest", "--table", "3", "--n-simulations", "2", "--json", "--store", store, "--workers", "1")
    again = run("forest", "--table", "3", "--n-simulations", "2", "--json", "--store", store)
    assert plain.stdout == stored.stdout == again.stdout
    assert {row.state for row in Store(store).rows()} == {"done"}


def test_a_store_of_another_seed_is_refused(tmp_path):
    store = str(tmp_path / "forest.db")
    run("forest", "--table", "3", "--n-simulations", "2", "--store", store)
    with pytest.raises(HowsureError, match="seed"):
        run("forest", "--table", "3", "--n-simulations", "2", "--store", store, "--seed", "1")


def test_a_part_of_a_table_gives_the_numbers_of_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("study.toml").write_text("""
task = "howsure.papers.replicating:measure"
seed = 0
[grid]
paper = "ratings"
table = 2
dataset = "MHS"
metric = ["mae", "wins"]
n_simulations = 2
""")
    found = CliRunner().invoke(app, ["sweep", "run", "study.toml", "--store", "study.db"], catch_exceptions=False)
    assert found.exit_code == 0
    rows = {row.parameters["metric"]: row.values for row in Store("study.db").rows()}
    printed = json.loads(run("ratings", "--table", "2", "--n-simulations", "2", "--json").stdout)["rows"]
    for row in printed:
        if row["dataset"] == "MHS" and row["metric"] in rows:
            assert row["reproduced"] == rows[row["metric"]][row["quantity"]]
    assert len(rows) == 2
