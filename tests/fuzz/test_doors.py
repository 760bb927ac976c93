"""Everything public that no question makes: whatever it is given, only our errors come out, in one short line."""

import inspect
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import howsure
from howsure import ArgumentError, DataError, HowsureError, Responses, ResponseTable, Scale, functions
from howsure.errors import LONGEST
from howsure.examples import ratings


class Faulty:
    """What cannot even be shown."""

    def __repr__(self):
        raise RuntimeError("no")


WRONG = {
    "None": None, "a number": 5, "a fraction": 1.5, "NaN": float("nan"), "true": True, "digits": 10**400,
    "more digits": 10**5000, "no text": "", "letters": "x" * 100_000, "a null character": "a\0b",
    "half a character": "\ud800", "bytes": b"x", "a path": Path("/nonexistent"), "an object": object(),
    "a faulty object": Faulty(), "a list": [], "lists": [[1], [2, [3]]], "Nones": [None, None], "texts": ["a", "b"],
    "a set": {1, 2}, "a tuple": (1, "a"), "a mapping": {}, "objects by name": {"k": object()}, "by number": {1: 2},
    "unequal lists": {"a": [1, 2], "b": [1]}, "a matrix": np.ones((2, 2)), "a cube": np.ones((2, 2, 2)),
    "no dimension": np.array(3), "objects": np.array([object()]), "complex": np.array([1j]),
    "dates": np.array(["2020-01-01"], dtype="M8[D]"), "records": np.array([(1, 2)], dtype=[("a", "i4"), ("b", "f4")]),
    "a frame": pl.DataFrame(), "a series": pl.Series([1, 2]), "a function": len,
}  # fmt: skip


def sample(item, value):
    return {"id": item, "epoch": 1, "input": item, "scores": {"match": {"value": value}}}


@pytest.fixture(scope="module")
def doors(tmp_path_factory):
    """Each function, with arguments that it takes."""
    folder = tmp_path_factory.mktemp("doors")
    table = ratings(20)
    howsure.write(table, folder / "ratings.csv")
    path, log = str(folder / "ratings.csv"), folder / "log.json"
    samples = [sample("x", "C"), sample("y", "I")]
    log.write_text(json.dumps({"eval": {"task": "qa", "model": "m"}, "status": "success", "samples": samples}))
    wide = pl.DataFrame({"item": ["a", "b"], "human": [1, 2], "m": [1, 1]})
    contest = table.contest(gold="human", a="model-1", b="model-2")
    parts = {name: howsure.read(path, sources=[name]) for name in ("human", "model-1")}
    raters = np.array([[0, 1], [0, 1]])
    a, b = (Responses.from_grid(np.array(grid, float), raters) for grid in ([[4, 2], [3, 3]], [[1, 2], [5, 1]]))
    votes = ResponseTable.from_arrays({"human": ["A", "B", "tie"]})
    rated = howsure.Contest(None, a, b, Scale("continuous"), np.array(["x", "y"]))
    result = howsure.compare(contest, metric="mae", n_resamples=19)
    return {
        "read": (howsure.read, [path], {}),
        "read a log": (howsure.read, [str(log)], {}),
        "read a frame": (howsure.read, [wide], {}),
        "read_logs": (howsure.read_logs, [str(log)], {}),
        "read_wide": (howsure.read_wide, [wide], {"columns": {"human": "human", "m": "m"}}),
        "join": (howsure.join, [parts], {}),
        "write": (howsure.write, [table, folder / "out.csv"], {}),
        "report": (howsure.report, [result, folder / "out.md"], {}),
        "plot": (howsure.plot, [result], {}),
        "Contest": (howsure.Contest, [contest.gold, contest.a, contest.b, contest.scale, contest.items], {}),
        "Contest.from_arrays": (howsure.Contest.from_arrays, [[1, 2], [1, 2], [2, 1]], {}),
        "Contest.take": (contest.take, [np.arange(3)], {}),
        "Contest.parts": (contest.parts, ["topic"], {}),
        "ResponseTable": (ResponseTable, [table.items, table.sources, table.scale], {}),
        "ResponseTable.from_arrays": (ResponseTable.from_arrays, [{"a": [1, 2]}], {}),
        "ResponseTable.contest": (table.contest, [], {"a": "model-1", "b": "model-2", "gold": "human"}),
        "ResponseTable.source": (table.source, ["human"], {}),
        "ResponseTable.take": (table.take, [np.arange(3)], {}),
        "Responses": (Responses, [[1.0, 2.0], [0, 1, 2]], {}),
        "Responses.from_grid": (Responses.from_grid, [np.ones((2, 2))], {}),
        "Scale": (Scale, ["ordinal", (1.0, 2.0), ("1", "2")], {}),
        "Scale.of": (Scale.of, [[1, 2]], {}),
        "preferences_between": (howsure.preferences_between, [rated], {}),
        "preferences_from": (howsure.preferences_from, [votes, "human"], {"a": "A", "b": "B", "tie": "tie"}),
        "variance_components": (howsure.variance_components, [contest], {"metric": "mae"}),
        "preset": (howsure.preset, ["normal"], {}),
        "Scheme": (howsure.Scheme, [], {}),
        "Procedure": (howsure.Procedure, [], {}),
        "FunctionMetric": (howsure.FunctionMetric, [max], {"better": "lower"}),
    }


DOORS = (
    "read", "read a log", "read a frame", "read_logs", "read_wide", "join", "write", "report", "plot", "Contest",
    "Contest.from_arrays", "Contest.take", "Contest.parts", "ResponseTable", "ResponseTable.from_arrays",
    "ResponseTable.contest", "ResponseTable.source", "ResponseTable.take", "Responses", "Responses.from_grid", "Scale",
    "Scale.of", "preferences_between", "preferences_from", "variance_components", "preset", "Scheme", "Procedure",
    "FunctionMetric",
)  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("door", DOORS)
def test_only_our_errors_come_out(doors, door):
    function, given, options = doors[door]
    assert function(*given, **options) is not None or door in ("write", "report")
    foreign = []
    for place, parameter in enumerate(inspect.signature(function).parameters):
        for kind, wrong in WRONG.items():
            arguments, named = list(given), dict(options)
            if place < len(given):
                arguments[place] = wrong
            else:
                named[parameter] = wrong
            error = outcome(function, arguments, named)
            if not (error is None or (isinstance(error, HowsureError) and len(str(error)) <= LONGEST + 3)):
                foreign.append(f"{parameter} = {kind}: {type(error).__name__}: {str(error)[:100]}")
    assert not foreign, "\n".join(foreign)


def outcome(function, arguments, named):
    """Return the error that a call ends with, or None."""
    try:
        function(*arguments, **named)
    except Exception as error:
        return error
    return None


@pytest.mark.filterwarnings("ignore::howsure.HowsureWarning")
@pytest.mark.parametrize("name", [name for name in functions.QUESTIONS if name not in ("replicate", "power")])
def test_questions_refuse_data_in_our_words(name):
    function = getattr(howsure, name)
    for kind, wrong in WRONG.items():
        if kind in ("None", "no text"):
            continue
        error = outcome(function, [wrong], {})
        assert error is None or isinstance(error, HowsureError), (kind, error)
        assert len(str(error)) <= LONGEST + 3


def test_the_sentences_name_what_was_given():
    with pytest.raises(ArgumentError, match=r"^`order` must be a list; got 5\.$"):
        howsure.read(pl.DataFrame({"item": [1], "value": [2]}), order=5)
    with pytest.raises(ArgumentError, match=r"^`groups` must be a mapping of names; got <object object at"):
        ResponseTable.from_arrays({"a": [1]}, groups=object())
    with pytest.raises(ArgumentError, match=r"^`offsets` must ascend from 0 to the number of values, 2; got array"):
        Responses([1, 2], [0, 3])
    with pytest.raises(ArgumentError, match=r"^`offsets` must be a vector of whole numbers; got \[0, 1\.5\]"):
        Responses([1, 2], [0, 1.5])
    with pytest.raises(ArgumentError, match=r"^`tables` must be a ResponseTable; got 5"):
        howsure.join({"a": 5, "b": 6})
    with pytest.raises(ArgumentError, match=r"^`path` must be a path; got 5"):
        howsure.write(ratings(3), 5)
    with pytest.raises(ArgumentError, match="must be a list"):
        howsure.read_logs(None)
    with pytest.raises(DataError, match="holds a number that is too large"):
        ResponseTable.from_arrays({"a": [10**400, 1]})
