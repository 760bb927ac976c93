import json
import re
from dataclasses import replace

import pytest
from click.testing import CliRunner

from howsure import _json
from howsure.cli.app import app
from howsure.documents.text import render
from howsure.models import Fit
from howsure.questions import Fit as Question


def run(*arguments):
    return CliRunner().invoke(app, [*arguments], catch_exceptions=False)


@pytest.fixture
def pilot(tmp_path):
    path = tmp_path / "pilot.csv"
    run("simulate", "categorical-dices", "--n-items", "80", "--n-responses", "6", "--out", str(path))
    return path


def test_a_fitted_model_can_be_simulated(pilot, tmp_path):
    out = tmp_path / "model.json"
    result = run("fit", str(pilot), "--gold", "gold", "--out", str(out))
    assert result.exit_code == 0
    assert "Parameters (maximum a posteriori)" in result.stdout
    assert "│ α(a) " in result.stdout
    assert "Goodness of fit: no evidence against the model (shares of 'a' p = ." in result.stdout
    assert result.stdout.endswith(f"Written to {out}.\n")
    again = run("simulate", str(out), "--n-items", "10", "--epsilon", "0.2", "--out", str(tmp_path / "again.csv"))
    assert again.exit_code == 0


def test_the_default_output_fits_80_columns_and_has_one_table(pilot):
    lines = CliRunner(env={"COLUMNS": "80"}).invoke(app, ["fit", str(pilot), "--gold", "gold"]).stdout.splitlines()
    tables = [line for line in lines if line[:1] in tuple("┏┃┡│└")]
    assert max(map(len, tables)) <= 80
    assert sum(line.startswith("┏") for line in tables) == 1


def test_a_chart_shows_simulated_beside_real(pilot, tmp_path):
    path = tmp_path / "fit.json"
    assert run("fit", str(pilot), "--gold", "gold", "--chart", str(path)).exit_code == 0
    assert len(json.loads(path.read_text(encoding="utf-8"))["vconcat"]) == 3


def test_candidates_are_listed_and_json_has_them(tmp_path):
    path = tmp_path / "pilot.csv"
    run("simulate", "likert-amazon", "--n-items", "60", "--n-responses", "4", "--out", str(path))
    options = ["fit", str(path), "--gold", "gold", "--mean", "beta", "--sd", "uniform"]
    text = run(*options, "--verbose").stdout
    assert "log-likelihood" in text
    assert re.search(r"│ beta +│ uniform ", text)
    document = json.loads(run(*options, "--json").stdout)
    again = Fit.from_dict(document)
    assert render(again.document(), verbose=True) == text.rstrip()
    assert _json.dumps(again.to_dict()) == _json.dumps(document)
    assert document["candidates"][0]["mean"] == "beta"
    assert {"aic", "bic", "goodness", "parameters", "notes"} < document.keys()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "--gold must name one of the sources: gold, A, B"),
        (["--gold", "gold", "--out", "model.txt"], "--out must be a file that ends in .json"),
        (["--gold", "gold", "--out", "nowhere/model.json"], "there is no folder"),
        (["--gold", "gold", "--chart", "fit.gif"], "--chart must be a file that ends in"),
        (["--gold", "gold", "--criterion", "aic"], "--criterion has no effect here: the model is categorical"),
        (["--gold", "gold", "--low", "0"], "--low has no effect here"),
        (["--gold", "gold", "--response-model", "empirical", "--method", "ml"], "--method has no effect here"),
        (["--gold", "gold", "--method", "mlx"], "--method must be one of map, ml"),
        (["--gold", "gold", "--mean", "gauss"], "--mean must be one of"),
    ],
)
def test_bad_input_gets_one_clear_line_before_any_work(words, told, pilot, command):
    code, out, err = command("fit", pilot, *words)
    assert (code != 0, out) == (True, "")
    assert told in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("kind", ["nominal", "ordinal", "continuous"])
@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (["1,human,1", "2,human,2", "3,human,1"], "every item has one response from human"),
        (["1,human,1", "1,human,2", "2,human,2", "2,human,2"], "needs at least 3 items; human has 2"),
        (["1,human,3", "1,human,3", "2,human,3", "3,human,3"], "all responses of human are equal"),
    ],
)
def test_small_and_constant_data_get_one_clear_line(rows, told, kind, tmp_path, command):
    path = tmp_path / "small.csv"
    path.write_text("\n".join(["item,source,value", *rows]))
    code, _, err = command("fit", path, "--scale", kind)
    assert code == 1
    assert told in err
    assert err.count("\n") == 1
    assert command("fit", path, "--scale", kind, "--response-model", "empirical")[0] == 0


def test_few_items_are_noted(tmp_path, command):
    path = tmp_path / "few.csv"
    path.write_text("\n".join(["item,source,value"] + [f"{i},h,{(i * k) % 4}" for i in range(6) for k in (1, 2, 3)]))
    code, out, err = command("fit", path, "--mean", "beta", "--sd", "uniform")
    assert code == 0, err
    assert "Note: 6 items say little about how items differ" in out


def test_questions_that_differ_have_different_signatures(pilot):
    asked = Question(files=(str(pilot),), gold="gold")
    changes = [{"method": "ml"}, {"response_model": "empirical"}, {"seed": 1}, {"gold": "A"}]
    assert len({question.answer().signature for question in [asked, *(replace(asked, **one) for one in changes)]}) == 5
