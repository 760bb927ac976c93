"""The commands score and reliability: what they print and write, and what they refuse."""

import json

import pytest

from howsure import examples, io
from howsure.scoring import ModelScores, Reliability


@pytest.fixture
def ratings(tmp_path):
    path = tmp_path / "ratings.csv"
    io.write(examples.ratings(40), path)
    return path


@pytest.mark.parametrize(
    ("name", "kind", "said"),
    [("score", ModelScores, "model-2: mean absolute error"), ("reliability", Reliability, "by chance alone (95%).")],
)
def test_a_command_prints_draws_reports_and_gives_json(ratings, command, tmp_path, name, kind, said):
    more = ["--chart", tmp_path / "x.svg", "--report", tmp_path / "x.html"]
    code, out, err = command(name, ratings, "--gold", "human", *more)
    assert code == 0, err
    assert said in out
    assert (tmp_path / "x.svg").read_text(encoding="utf-8").startswith("<svg")
    assert "What was done" in (tmp_path / "x.html").read_text(encoding="utf-8")
    content = json.loads(command(name, ratings, "--gold", "human", "--json")[1])
    assert [one.name for one in kind.from_dict(content).models] == ["model-1", "model-2"]


@pytest.mark.parametrize("name", ["score", "reliability"])
@pytest.mark.parametrize("options", [["--gold", "x"], ["--gold", "human", "--model", "human"], ["--model", "x"]])
def test_unknown_names_are_one_line(ratings, command, name, options):
    code, out, err = command(name, ratings, *options)
    assert code != 0
    assert not out
    assert err.startswith("howsure: ")
    assert len(err.splitlines()) == 1
