import json

import pytest
from click.testing import CliRunner

from assay.cli.app import app
from assay.errors import ArgumentError, DataError


def run(*arguments):
    return CliRunner().invoke(app, [*arguments], catch_exceptions=False)


@pytest.fixture
def pilot(tmp_path):
    path = tmp_path / "pilot.csv"
    run("simulate", "categorical-dices", "--items", "80", "--responses", "6", "--out", str(path))
    return path


def test_a_fitted_model_can_be_simulated(pilot, tmp_path):
    out = tmp_path / "model.json"
    result = run("fit", str(pilot), "--gold", "gold", "--out", str(out))
    assert result.exit_code == 0
    assert "Parameters (map): α(a)" in result.stdout
    assert "shares of 'a': quantiles 5%, 25%, 50%, 75%, 95%" in result.stdout
    assert f"Written to {out}." in result.stdout
    again = run("simulate", str(out), "--items", "10", "--epsilon", "0.2", "--out", str(tmp_path / "again.csv"))
    assert again.exit_code == 0


def test_a_chart_shows_simulated_beside_real(pilot, tmp_path):
    path = tmp_path / "fit.json"
    assert run("fit", str(pilot), "--gold", "gold", "--chart", str(path)).exit_code == 0
    assert len(json.loads(path.read_text(encoding="utf-8"))["vconcat"]) == 2


def test_candidates_are_listed_and_json_has_them(tmp_path):
    path = tmp_path / "pilot.csv"
    run("simulate", "likert-amazon", "--items", "60", "--responses", "4", "--out", str(path))
    options = ["fit", str(path), "--gold", "gold", "--mean", "beta", "--sd", "uniform"]
    text = run(*options).stdout
    assert "log-likelihood" in text
    assert "beta              uniform" in text
    document = json.loads(run(*options, "--json").stdout)
    assert document["candidates"][0]["mean"] == "beta"
    assert {"aic", "bic", "goodness", "parameters", "notes"} < document.keys()


def test_bad_input_gets_one_clear_line(pilot, tmp_path):
    with pytest.raises(ArgumentError, match="--gold must name one of the sources: gold, A, B"):
        run("fit", str(pilot))
    with pytest.raises(ArgumentError, match=r"must end in \.json"):
        run("fit", str(pilot), "--gold", "gold", "--out", str(tmp_path / "model.txt"))
    with pytest.raises(ArgumentError, match="must be a file that ends in"):
        run("fit", str(pilot), "--gold", "gold", "--chart", str(tmp_path / "fit.gif"))
    single = tmp_path / "single.csv"
    single.write_text("item,source,value\n1,human,a\n2,human,b\n3,human,a\n")
    with pytest.raises(DataError, match="every item has one response from human"):
        run("fit", str(single), "--gold", "human")
