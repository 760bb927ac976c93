import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

from howsure import _json, io
from howsure.cli.app import app
from howsure.documents.text import render
from howsure.errors import ArgumentError, HowsureError
from howsure.models import Simulation
from howsure.questions import Simulate


def run(*arguments):
    return CliRunner().invoke(app, ["simulate", *arguments], catch_exceptions=True)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("model", "kind"),
    [
        (["likert-toxicity"], "ordinal"),
        (["normal"], "continuous"),
        (["--dirichlet", "10,3,3"], "nominal"),
        (["--levels", "5", "--mean", "truncated-normal:0.5,0.2", "--sd", "uniform:0,0.3"], "ordinal"),
        (["--levels", "1,2,3", "--mean", "uniform:0,1", "--sd", "0.2"], "ordinal"),
        (["--mean", "uniform:0,1", "--sd", "0.2"], "continuous"),
    ],
)
def test_the_table_can_be_read_back(model, kind, ending, tmp_path):
    out = tmp_path / f"table.{ending}"
    result = run(
        *model, "--n-items", "60", "--n-responses", "5/2/2", "--epsilon", "0.3", "--seed", "1", "--out", str(out)
    )
    assert result.exit_code == 0, result.output
    contest = io.read(out).contest(gold="gold", a="A", b="B")
    assert contest.n_items == 60
    assert contest.n_responses == {"gold": 5, "a": 2, "b": 2}
    assert contest.scale.kind == kind


def test_a_seed_gives_the_same_table_and_is_shown(tmp_path):
    texts = []
    for name in ("one.csv", "two.csv"):
        result = run("normal", "--n-items", "5", "--seed", "0", "--out", str(tmp_path / name))
        assert "seed=0" in result.output
        texts.append((tmp_path / name).read_text())
    assert texts[0] == texts[1]
    run("normal", "--n-items", "5", "--seed", "1", "--out", str(tmp_path / "three.csv"))
    assert (tmp_path / "three.csv").read_text() != texts[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["likert-toxicty"], "Did you mean 'likert-toxicity'"),
        (["normal", "--dirichlet", "1,2"], "a normal model is typed in with --mean"),
        (["--dirichlet", "1,0"], "above 0"),
        (["--dirichlet", "1,x"], "must be a number"),
        (["--dirichlet", "1,2", "--sd", "1"], "give one of them"),
        (["--levels", "1", "--mean", "0.5", "--sd", "0.1"], "at least 2"),
        (["--mean", "0.5", "--sd", "-1"], "must not be negative"),
        (["--mean", "0.5"], "--mean and --sd"),
        ([], "No data and no model. Pass a table, a model file, a preset"),
        (["normal", "--n-responses", "5,2"], "one number, or 5/1/1"),
        (["normal", "--n-responses", "5/2"], "written 5/1/1"),
        (["normal", "likert-amazon"], "give one model; got 2"),
        (["normal", "--perturbation", "noise"], "--perturbation has no effect"),
        (["normal", "--n-items", "100000000"], "can be simulated"),
        (["normal", "--rho", "1"], "--rho is the noise of labels"),
        (["normal", "--epsilon", "2"], "between 0 and 1"),
        (["nowhere.json"], "no such file"),
    ],
)
def test_bad_input_gets_one_clear_line(arguments, message, tmp_path):
    result = run(*arguments, "--out", str(tmp_path / "table.csv"))
    assert isinstance(result.exception, HowsureError)
    assert message in str(result.exception)
    assert "\n" not in str(result.exception)
    assert isinstance(result.exception, ArgumentError) or "nowhere" in message or "no such file" in message


def test_a_simulation_reads_back_and_says_what_it_is(tmp_path):
    asked = Simulate(files=("likert-toxicity",), n_items=40, n_responses="5/2/1", epsilon=0.4, epsilon_a=0.1, seed=3)
    found = asked.answer()
    again = Simulation.from_dict(json.loads(_json.dumps(found.to_dict())))
    assert str(again) == str(found)
    assert str(found).startswith(
        "40 items with 5 gold, 2 A, 1 B responses each. B is degraded (ε = 0.4, shift); A is degraded (ε = 0.1, shift)."
    )
    assert "scale: ordinal: 0, 0.2, 0.4, 0.6, 0.8." in render(found.document(), verbose=True)
    only_a = Simulate(files=("normal",), n_items=5, epsilon_a=0.3, seed=3).answer()
    assert "B is not degraded (ε = 0); A is degraded (ε = 0.3, shift)." in str(only_a)
    gold = found.table.sources["gold"].values
    assert found.sources[0].mean == pytest.approx(gold.mean())
    assert sum(found.sources[2].shares.values()) == pytest.approx(1)
    with pytest.raises(ArgumentError, match="has no responses"):
        again.to_frame()
    changes = [{"seed": 4}, {"epsilon": 0.3}, {"epsilon_a": 0.0}, {"under_null": True}, {"n_responses": "5"},
               {"n_items": 41}, {"perturbation": "noise"}, {"files": ("likert-amazon",)}]  # fmt: skip
    assert len({question.answer().signature for question in [asked, *(replace(asked, **one) for one in changes)]}) == 9


def test_the_table_is_also_the_rows_of_a_report(tmp_path, command):
    code, out, err = command("simulate", "normal", "--n-items", 4, "--report", tmp_path / "rows.csv")
    assert code == 0, err
    assert "Distribution of the responses" in out
    assert len((tmp_path / "rows.csv").read_text().splitlines()) == 4 * 15 + 1


@pytest.mark.parametrize("model", ["normal", "likert-toxicity", "categorical-jobsq3"])
def test_the_default_output_fits_80_columns(model, command):
    code, out, _ = command("simulate", model, "--n-items", 20)
    assert code == 0
    assert max(len(line) for line in out.splitlines() if line[:1] in tuple("┏┃┡│└")) <= 80


@pytest.mark.parametrize(("model", "shown"), [("categorical-dices", "level"), ("normal", "low")])
def test_a_chart_shows_the_sources_side_by_side(model, shown, tmp_path, command):
    path = tmp_path / "drawn.json"
    code, _, err = command("simulate", model, "--n-items", 8, "--epsilon", 0.4, "--chart", path)
    assert code == 0, err
    drawn = json.loads(path.read_text(encoding="utf-8"))
    assert [panel["title"]["text"] for panel in drawn["hconcat"]] == ["gold", "A", "B, off by ε = 0.4"]
    parts = list(drawn["datasets"].values()) if "datasets" in drawn else [p["data"]["values"] for p in drawn["hconcat"]]
    assert all(shown in row for rows in parts for row in rows)
    assert sum(row["share"] for row in parts[0]) == pytest.approx(1)
