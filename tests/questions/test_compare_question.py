"""A question says everything that decides its answer; options, bodies and signatures are made from its fields."""

import json
from dataclasses import replace
from pkgutil import resolve_name

import numpy as np
import polars as pl
import pytest

import howsure
from howsure import ArgumentError, _fields
from howsure.cli import _ask, _commands
from howsure.cli.app import QUESTIONS
from howsure.questions import Compare
from howsure.questions.base import schema_of
from howsure.wording.options import as_options


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(0)
    rows = [
        {"item": f"q{i:02d}", "source": source, "value": int(np.clip(3 + rng.integers(-spread, spread + 1), 1, 5)),
         "topic": "xy"[i % 2]}
        for i in range(24) for source, k, spread in (("human", 3, 1), ("m1", 2, 1), ("m2", 2, 2)) for _ in range(k)
    ]  # fmt: skip
    path = tmp_path_factory.mktemp("question") / "ratings.csv"
    pl.DataFrame(rows).write_csv(path)
    return str(path)


@pytest.fixture
def asked(table):
    return Compare(files=(table,), gold="human", a="m1", b="m2", n_resamples=199)


def test_the_answer_is_that_of_the_library(asked):
    found = asked.answer()
    assert found[0].metric == "mae"
    assert found[0].n_items == 24


@pytest.mark.parametrize("name", list(QUESTIONS))
def test_every_option_of_a_command_is_a_field(name):
    address, computing = QUESTIONS[name]
    question = resolve_name(address)
    command = _ask.command(question, getattr(_ask, computing))
    groups = (question, getattr(_ask, computing), _ask.Output)
    fields = [field for group in groups for field in _fields.fields_of(group)]
    files = ([] if question.written is None else [question.written.name]) + ["config"] * question.reads_settings
    assert [parameter.name for parameter in command.params] == [*(field.name for field in fields), *files]
    assert all(field.option.help for field in fields)


def test_a_question_survives_json_and_the_command_line(asked):
    again = Compare.from_dict(json.loads(json.dumps(asked.to_dict())))
    assert again == asked
    import shlex

    command = _ask.command(Compare)
    words = shlex.split(asked.command)[2:]
    context = command.make_context("compare", list(words))
    assert _commands.record_from(Compare, context.params) == asked


def test_the_python_of_a_question_asks_it_again(asked):
    import howsure

    assert asked.python.startswith("howsure.compare('")
    [answer] = asked.answer()
    assert eval(asked.python, {"howsure": howsure}).to_dict() == answer.to_dict()


def test_unknown_and_missing_fields_are_named():
    with pytest.raises(ArgumentError, match=r"`metrik` is not an option of compare\. Did you mean `metric`"):
        Compare.from_dict({"files": ["x"], "a": "m1", "b": "m2", "metrik": "mae"})
    with pytest.raises(ArgumentError, match="`a` and `b` go together; got a alone"):
        Compare.from_dict({"files": ["x"], "a": "m1"}).answer()


def test_a_parameter_that_no_metric_takes_is_refused(asked):
    with pytest.raises(ArgumentError, match="`threshold` is not a parameter of mae"):
        replace(asked, threshold=2.0).answer()


def test_the_schema_knows_types_choices_and_bounds():
    schema = schema_of(Compare)
    assert schema["required"] == []
    assert schema["properties"]["confidence_level"]["exclusiveMaximum"] == 1
    assert "sign-flip" in schema["properties"]["null"]["anyOf"][0]["enum"]


def test_messages_name_options_on_the_command_line():
    assert as_options("Take `interval='score'`.") == "Take --interval score."
    assert as_options("`n_resamples` must be given.") == "--n-resamples must be given."


@pytest.mark.parametrize(
    ("values", "more", "asks"),
    [
        ([0, 0, 0, 1, 5, 2, 25], {}, True),  # counted errors: mostly none
        ([0, 0, 0, 1, 5, 2, 25], {"better": "lower"}, False),
        ([3, 4, 5, 2, 1, 5, 4], {}, False),  # ratings
        ([0, 1, 1, 0, 1, 0, 0], {}, False),  # right and wrong
    ],
)
def test_ratings_that_look_like_penalties_get_a_question(values, more, asks):
    frame = pl.DataFrame({"item": range(70), "A": values * 10, "B": values[::-1] * 10})
    for result in (howsure.compare(frame, a="A", b="B", **more), howsure.leaderboard(frame, **more)):
        assert any("if these are penalties, use `better='lower'`" in note for note in result.notes) == asks
