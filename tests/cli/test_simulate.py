import pytest
from click.testing import CliRunner

from assay import io
from assay.cli.app import app
from assay.errors import ArgumentError, AssayError


def run(*arguments):
    return CliRunner().invoke(app, ["simulate", *arguments], catch_exceptions=True)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("model", "kind"),
    [
        (["likert-toxicity"], "ordinal"),
        (["normal"], "continuous"),
        (["--alpha", "10,3,3"], "nominal"),
        (["--levels", "5", "--mean", "truncated-normal:0.5,0.2", "--sd", "uniform:0,0.3"], "ordinal"),
        (["--levels", "1,2,3", "--mean", "uniform:0,1", "--sd", "0.2"], "ordinal"),
        (["--mean", "uniform:0,1", "--sd", "0.2"], "continuous"),
    ],
)
def test_the_table_can_be_read_back(model, kind, ending, tmp_path):
    out = tmp_path / f"table.{ending}"
    result = run(*model, "--items", "60", "--responses", "5,2,2", "--epsilon", "0.3", "--seed", "1", "--out", str(out))
    assert result.exit_code == 0, result.output
    contest = io.read(out).contest(gold="gold", a="A", b="B")
    assert contest.n_items == 60
    assert contest.n_responses == {"gold": 5, "a": 2, "b": 2}
    assert contest.scale.kind == kind


def test_a_seed_gives_the_same_table_and_is_shown(tmp_path):
    texts = []
    for name in ("one.csv", "two.csv"):
        result = run("normal", "--items", "5", "--seed", "0", "--out", str(tmp_path / name))
        assert "seed 0" in result.output
        texts.append((tmp_path / name).read_text())
    assert texts[0] == texts[1]
    run("normal", "--items", "5", "--seed", "1", "--out", str(tmp_path / "three.csv"))
    assert (tmp_path / "three.csv").read_text() != texts[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["likert-toxicty"], "Did you mean 'likert-toxicity'"),
        (["normal", "--alpha", "1,2"], "give a model or --alpha, not both"),
        (["--alpha", "1,0"], "above 0"),
        (["--alpha", "1,x"], "separated by commas"),
        (["--alpha", "1,2", "--sd", "1"], "give one of them"),
        (["--levels", "1", "--mean", "0.5", "--sd", "0.1"], "at least 2"),
        (["--mean", "0.5", "--sd", "-1"], "must not be negative"),
        (["--mean", "0.5"], "--mean and --sd"),
        ([], "give a model"),
        (["normal", "--responses", "5,2"], "three for gold, A and B"),
        (["normal", "--epsilon", "2"], "between 0 and 1"),
        (["nowhere.json"], "no such file"),
    ],
)
def test_bad_input_gets_one_clear_line(arguments, message, tmp_path):
    result = run(*arguments, "--out", str(tmp_path / "table.csv"))
    assert isinstance(result.exception, AssayError)
    assert message in str(result.exception)
    assert "\n" not in str(result.exception)
    assert isinstance(result.exception, ArgumentError) or "nowhere" in message or "no such file" in message
