"""Questions about lists of scores: what is asked decides the answer, and the signature tells questions apart."""

import json
import shlex
from dataclasses import replace

import numpy as np
import pytest

from howsure import ArgumentError, _fields, _json
from howsure.cli import _commands
from howsure.cli import scores as commands
from howsure.questions import Power, ScoresAnalyse, ScoresDescribe, ScoresEffect, ScoresPower, ScoresTest
from howsure.questions.base import schema_of
from howsure.questions.scores import SCORES


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Three systems on 60 lines in 12 documents."""
    rng = np.random.default_rng(3)
    rows = rng.normal([0.4, 0.1, 0], 1, (60, 3)).round(4)
    lines = ["x,y,z,doc", *(f"{','.join(map(str, row))},d{i // 5}" for i, row in enumerate(rows))]
    path = tmp_path_factory.mktemp("scores") / "scores.csv"
    path.write_text("\n".join(lines))
    return str(path)


def questions(file):
    """One question of each kind."""
    data = {"file": file, "columns": ("x", "y")}
    return [
        ScoresDescribe(**data, unit_size=3),
        ScoresTest(**data, test="permutation", n_resamples=199),
        ScoresEffect(**data),
        ScoresPower(**data, n_simulations=20, sizes=(20, 30)),
        ScoresAnalyse(**data, n_simulations=20, steps=2, n_resamples=199),
    ]


def test_answers_are_those_of_the_library(file):
    from howsure import paired

    scores = paired.read_scores(file, columns=["x", "y"])
    _, test, effect, power, analysis = (question.answer() for question in questions(file))
    assert test.pvalue == paired.significance_test(scores, test="permutation", n_resamples=199, rng=0).pvalue
    assert effect.effects == paired.effect_sizes(scores, rng=0)
    assert power.sizes == (20, 30)
    assert analysis.curve.sizes == (30, 60)


@pytest.mark.parametrize("number", range(5))
def test_questions_survive_json_and_the_command_line(file, number):
    asked = questions(file)[number]
    assert type(asked).from_dict(json.loads(json.dumps(asked.to_dict()))) == asked
    group = commands.group()
    words = shlex.split(asked.command)
    assert words[:2] == ["howsure", "scores"]
    context = group.commands[words[2]].make_context(words[2], words[3:])
    assert _commands.record_from(type(asked), context.params) == asked


@pytest.mark.parametrize("question", [*SCORES, Power], ids=lambda question: question.name)
def test_every_field_has_help_and_a_schema(question):
    fields = _fields.fields_of(question)
    assert all(field.option.help.endswith(".") for field in fields)
    assert set(schema_of(question)["properties"]) == {field.name for field in fields}


CHANGES = {
    "columns": ("x", "z"),
    "unit_size": 3,
    "unit_statistic": "median",
    "shuffle": 1,
    "tolerance": 0.02,
    "normality_alpha": 0.01,
    "test": "bootstrap",
    "alternative": "greater",
    "delta": 0.05,
    "alpha": 0.1,
    "margin": 0.5,
    "n_resamples": 99,
    "effect_size": ("cohen-d",),
    "effect_alpha": 0.1,
    "power_method": "normal",
    "power_alpha": 0.1,
    "effect": 0.2,
    "sizes": (20,),
    "steps": 3,
    "n_simulations": 10,
    "seed": 1,
}
NEEDS = {"shuffle": {"unit_size": 3}, "unit_statistic": {"unit_size": 3}}


@pytest.mark.parametrize("number", range(5))
def test_questions_that_differ_have_different_signatures(file, number):
    asked = questions(file)[number]
    for field in _fields.fields_of(type(asked)):
        if field.name in ("file", "cluster", "encoding", "noninferiority", "all_pairs", "correction"):
            continue
        if field.name == "steps" and asked.sizes:
            continue
        if field.name == "sizes" and asked.steps:
            continue
        base = replace(asked, **NEEDS.get(field.name, {}))
        if getattr(base, field.name) == CHANGES[field.name]:
            continue
        other = replace(base, **{field.name: CHANGES[field.name]})
        assert base.answer().signature != other.answer().signature, field.name


def test_a_margin_and_its_kind_are_in_the_answer(file):
    plain = ScoresTest(file=file, columns=("x", "y"), margin=0.5)
    one_sided = replace(plain, noninferiority=True)
    assert plain.answer().signature != one_sided.answer().signature


def test_clusters_and_pairs(file):
    found = ScoresTest(file=file, columns=("x", "y"), cluster="doc").answer()
    assert "12 clusters" in found.sentence
    pairs = ScoresTest(file=file, cluster="doc", all_pairs=True).answer()
    assert [pair.names for pair in pairs.pairs] == [("x", "y"), ("x", "z"), ("y", "z")]
    adjusted = ScoresTest(file=file, cluster="doc", all_pairs=True, correction="none").answer()
    assert adjusted.signature != pairs.signature


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"noninferiority": True}, "`noninferiority` needs `margin`"),
        ({"correction": "holm"}, "`correction` is for `all_pairs`"),
        ({"all_pairs": True, "margin": 1.0}, "`margin` is for two systems"),
        ({"unit_statistic": "median"}, "`unit_statistic` changes nothing"),
        ({"test": "z"}, "`test` must be one of permutation, t, sign"),
        ({"n_resamples": 10**9}, "`n_resamples` must be"),
        ({"alpha": 0}, "`alpha` must lie strictly between 0 and 1"),
    ],
)
def test_wrong_or_idle_fields_are_refused(file, fields, message):
    with pytest.raises(ArgumentError, match=message):
        ScoresTest(file=file, **fields)


def test_a_plan_is_a_question_too():
    asked = Power(sd=1, effect=0.2, target_power=0.8)
    assert asked.answer().n_items == 199
    assert asked.command == "howsure power --sd 1 --effect 0.2 --target-power 0.8"
    assert json.loads(_json.dumps(asked.answer().to_dict()))["sentence"].startswith("199 segments give 80.2% power")
