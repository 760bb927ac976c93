"""Model files are read field by field: what is not of its kind is one line that names the field."""

import copy
import json

import numpy as np
import pytest

from howsure import models
from howsure.data.contests import Contest
from howsure.errors import DataError, HowsureError
from howsure.models import CategoricalModel, EmpiricalModel, SmoothedModel, load, save

EXAMPLES = {
    "normal": models.preset("normal"),
    "likert": models.preset("likert-toxicity"),
    "categorical": CategoricalModel((2.0, 1.0, 3.0)),
    "smoothed": SmoothedModel(CategoricalModel((2.0, 1.0)), ((3, 1), (0, 2))),
    "empirical": EmpiricalModel.of(Contest.from_arrays([[1, 2], [3, 3]], [[1, 1], [3, 4]], [[5, 4], [1, 2]])),
}


@pytest.fixture
def changed(tmp_path):
    """Write the model file of an example with one entry changed, given by its path."""

    def change(example, *place, to):
        path = tmp_path / "m.json"
        save(EXAMPLES[example], path)
        content = json.loads(path.read_text())
        part = content
        for name in place[:-1]:
            part = part[name]
        part[place[-1]] = to
        path.write_text(json.dumps(content))
        return path

    return change


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_kind_of_model_comes_back(name, tmp_path):
    save(EXAMPLES[name], tmp_path / "m.json")
    again = load(tmp_path / "m.json")
    assert type(again) is type(EXAMPLES[name])
    a, b = (model.table(5, 2, epsilon=0, rng=1).to_frame() for model in (EXAMPLES[name], again))
    assert a.equals(b)


@pytest.mark.parametrize(
    ("example", "place", "to", "words"),
    [
        ("normal", ("howsure_model",), -5, "not a model file"),
        ("normal", ("howsure_model",), True, "not a model file"),
        ("normal", ("howsure_model",), 10**30, "written by a newer howsure"),
        ("normal", ("model",), [], "`model` must be an object; got "),
        ("normal", ("model", "kind"), "norml", "`model.kind` must be one of .* Did you mean 'normal'"),
        ("normal", ("model", "clip"), "no", "`model.clip` must be true or false; got 'no'"),
        ("normal", ("model", "low"), float("nan"), "not a JSON file .NaN is not a number"),
        ("normal", ("model", "high"), float("inf"), "not a JSON file .Infinity is not a number"),
        ("normal", ("model", "high"), 1e300, "`model.high` must be between"),
        ("normal", ("model", "low"), "0", "`model.low` must be a number; got '0'"),
        ("normal", ("model", "extra"), 1, "`field of model` must be one of"),
        ("normal", ("model", "mean"), 3, "`model.mean` must be an object; got 3"),
        ("normal", ("model", "mean", "low"), None, "`model.mean.low` must be a number; got None"),
        ("normal", ("model", "mean", "high"), -1, "uniform needs low < high"),
        ("likert", ("model", "levels"), [1, 1], "`levels` must be at least two ascending numbers"),
        ("likert", ("model", "levels"), "abc", "`model.levels` must be a list; got 'abc'"),
        ("likert", ("model", "levels"), [0, [1]], "`model.levels` must be a number"),
        ("categorical", ("model", "labels"), [1, 2, 3], "`model.labels` must be a list of texts"),
        ("categorical", ("model", "alpha"), [1, 2, 0], "`model.alpha` must be between"),
        ("categorical", ("model", "alpha"), [1.0] * 10_001, "at most 10,000 levels; got 10,001"),
        ("smoothed", ("model", "steps"), 10**9, "`steps` must be at most 10,000; got 1,000,000,000"),
        ("smoothed", ("model", "steps"), 1.5, "`steps` must be a whole number"),
        ("smoothed", ("model", "seen"), [[1, -1]], "`model.seen.row` must be between"),
        ("smoothed", ("model", "seen"), [[0, 0]], "a response for each item"),
        ("smoothed", ("model", "seen"), [[1, 2], [1]], "one row of counts for each item"),
        ("smoothed", ("model", "fitted", "kind"), "smoothed", "must be a likert or categorical model"),
        ("empirical", ("model", "sources", "gold", "sizes"), [2, -2], "`model.sources.gold.sizes` must be between 1"),
        ("empirical", ("model", "sources", "gold", "sizes"), [2, 1], "must add up to the 4 values; they add up to 3"),
        ("empirical", ("model", "sources", "gold", "sizes"), [1.5, 2.5], "must be whole numbers"),
        ("empirical", ("model", "sources", "gold", "sizes"), [4], "the same number of items each"),
        ("empirical", ("model", "sources", "gold", "values"), [1, 2, 3, 99], "must be levels of the scale"),
        ("empirical", ("model", "sources"), {}, "`model.sources` must have 'gold'"),
        ("empirical", ("model", "scale", "labels"), ["1"], "ascending levels with a label each"),
        ("empirical", ("model", "scale", "kind"), "nominl", "Did you mean 'nominal'"),
    ],
)
def test_what_is_not_of_its_kind_is_one_line_with_its_place(changed, example, place, to, words):
    with pytest.raises(DataError, match=words) as caught:
        load(changed(example, *place, to=to))
    assert "m.json: " in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "[" * 100_000, '{"howsure_model": 1, "howsure_model": 1}', "9" * 5000, "\ud800"])
def test_what_is_no_json_is_said(tmp_path, text):
    path = tmp_path / "m.json"
    path.write_text(text, errors="replace")
    with pytest.raises(DataError, match="not a"):
        load(path)
    path.write_bytes(b"\xff\xfe{}")
    with pytest.raises(DataError, match="not a JSON file"):
        load(path)


def test_a_device_is_no_model_file():
    with pytest.raises(DataError, match="no such file"):
        load("/dev/zero")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("example", EXAMPLES)
def test_any_entry_may_be_anything(example, tmp_path):
    """Each entry in turn is replaced by every kind of nonsense: read it, and draw from it, or refuse it."""
    save(EXAMPLES[example], tmp_path / "m.json")
    content = json.loads((tmp_path / "m.json").read_text())
    nonsense = [None, True, -1, 0, 1, 2.5, 1e308, 10**400, "", "a", [], [[]], [1, "a"], {}, {"kind": "normal"}]
    for place in places(content["model"]):
        for value in nonsense:
            model = copy.deepcopy(content["model"])
            part = model
            for name in place[:-1]:
                part = part[name]
            part[place[-1]] = value
            try:
                found = models.from_dict(model)
                found.table(3, 2, epsilon=0, rng=np.random.default_rng(0))
            except HowsureError:
                continue


def places(part, before=()):
    """Yield the path of every entry."""
    entries = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for name, value in entries:
        yield (*before, name)
        yield from places(value, (*before, name))
