"""Dataframes of any kind, arrays and paths are taken wherever responses are."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from howsure import (
    ArgumentError,
    Contest,
    DataError,
    examples,
    preferences_between,
    preferences_from,
    read,
    variance_components,
    write,
)
from howsure.auditing import audit
from howsure.comparison import compare, missing_bounds
from howsure.describing import describe
from howsure.leaderboards import compare_all, compare_all_by, compare_votes, plan_leaderboard
from howsure.models import fit
from howsure.paired import PairedScores
from howsure.planning import plan
from howsure.raters import measure_agreement

KINDS = {
    "polars": lambda frame: frame,
    "pandas": lambda frame: frame.to_pandas(),
    "arrow": lambda frame: frame.to_arrow(),
}
FEW = {"rng": 0, "n_resamples": 49}
USES = {
    "compare": lambda data: compare(data, gold="human", a="model-2", b="model-1", **FEW),
    "compare_all": lambda data: compare_all(data, gold="human", **FEW),
    "compare_all_by": lambda data: compare_all_by(data, "topic", gold="human", **FEW),
    "plan_leaderboard": lambda data: plan_leaderboard(data, gold="human", **FEW),
    "describe": lambda data: describe(data, **FEW),
    "measure_agreement": lambda data: measure_agreement(data, source="human", **FEW),
}


@pytest.fixture(scope="module")
def frame():
    rows = examples.ratings().to_frame()
    return rows.with_columns(rater=pl.when(source="human").then(pl.format("r{}", "repeat"))).drop("repeat")


@pytest.fixture(scope="module")
def expected(frame):
    table = read(frame, groups=None)
    return {name: use(table).to_dict() for name, use in USES.items() if name != "compare"} | {
        "compare": compare(table.contest(gold="human", a="model-2", b="model-1"), **FEW).to_dict()
    }


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("use", USES)
def test_a_dataframe_gives_what_its_table_gives(use, kind, frame, expected):
    found, wanted = USES[use](KINDS[kind](frame)).to_dict(), expected[use]
    for answer in (found, wanted):
        answer.pop("notes", None)  # they say where the columns were found
    assert str(found) == str(wanted)


def test_a_path_and_a_file_are_taken_too(frame, tmp_path, expected):
    write(KINDS["pandas"](frame), tmp_path / "ratings.csv")
    found = compare(tmp_path / "ratings.csv", gold="human", a="model-2", b="model-1", **FEW)
    assert found.pvalue == expected["compare"]["pvalue"]


@pytest.mark.parametrize("column", [list, np.array, pd.Series, pl.Series, pa.array], ids=lambda kind: kind.__name__)
def test_columns_of_any_kind_are_arrays(column):
    a, b, gold = np.random.default_rng(0).normal(size=(3, 12))
    contest = Contest.from_arrays(column(gold), column(a), column(b))
    np.testing.assert_array_equal(contest.a.values, a)
    np.testing.assert_array_equal(PairedScores.from_arrays(column(a), column(b)).a, a)


@pytest.mark.parametrize("kind", KINDS)
def test_votes_are_dataframes_of_any_kind(kind):
    rows = [("x", "y", "model_a"), ("y", "z", "tie"), ("z", "x", "x"), ("z", "x", "z"), ("x", "y", "y")] * 6
    votes = pl.DataFrame(rows, ["model_a", "model_b", "winner"], orient="row")
    board = compare_votes(KINDS[kind](votes), **FEW)
    assert {row.name for row in board.models} == {"x", "y", "z"}


def test_what_is_not_enough_says_what_is_missing(frame):
    with pytest.raises(ArgumentError, match=r"name the two models .* it has human, model-1, model-2"):
        compare(frame)
    with pytest.raises(ArgumentError, match="a contest has its gold, A and B already"):
        compare(read(frame).contest(a="model-1", b="model-2"), a="model-1")
    with pytest.raises(ArgumentError, match="a contest has no more than gold, A and B"):
        compare_all(read(frame).contest(a="model-1", b="model-2"))
    with pytest.raises(ArgumentError, match=r"name the two models .* it has human, model-1, model-2"):
        plan(frame, n_items=[20], epsilon=0.1)
    with pytest.raises(ArgumentError, match=r"got int. Fit one to your data: howsure.fit\(data"):
        audit(3)


@pytest.mark.parametrize("kind", KINDS)
def test_models_are_fitted_to_dataframes(kind, frame):
    fitted = fit(KINDS[kind](frame), source="human", response_model="empirical")
    assert (
        fitted.provenance.data
        == fit(read(frame, groups=None), source="human", response_model="empirical").provenance.data
    )


def test_plans_are_made_from_dataframes_and_fits(frame):
    data, asked = KINDS["pandas"](frame), {"n_items": [20], "n_responses": [2], "rng": 0, "n_simulations": 100}
    models = {"gold": "human", "a": "model-2", "b": "model-1"}
    assert str(plan(data, **models, **asked)) == str(plan(read(data, groups=None).contest(**models), **asked))
    fitted = fit(data, source="human", response_model="empirical")
    assert plan(fitted, epsilon=0.1, **asked).cells == plan(fitted.model, epsilon=0.1, **asked).cells


def test_columns_by_name_are_a_dataframe(frame, expected):
    columns = {name: frame[name].to_numpy() for name in frame.columns}
    lists = frame.to_dict(as_series=False)
    texts = {name: [str(cell) for cell in cells] for name, cells in lists.items() if name != "rater"}
    assert read(texts).n_items == read(frame).n_items
    for data in (columns, lists):
        found = compare(data, gold="human", a="model-2", b="model-1", **FEW)
        assert found.pvalue == expected["compare"]["pvalue"]
    rows = np.array([("x", "m", 1.0), ("x", "n", 2.0)], dtype=[("item", "U1"), ("source", "U1"), ("value", float)])
    assert list(read(rows).sources) == ["m", "n"]


def test_arrays_by_source_are_a_table():
    gold, a, b = np.random.default_rng(0).integers(1, 6, size=(3, 20, 2)).astype(float)
    data = {"human": gold, "m": a[:, :1], "n": b}
    found = compare(data, gold="human", a="m", b="n", **FEW)
    assert found.pvalue == compare(Contest.from_arrays(gold, a[:, :1], b), **FEW).pvalue
    assert [row.name for row in compare_all(data, gold="human", **FEW).models]
    assert fit(gold, response_model="empirical").source == "responses"
    assert missing_bounds(data, gold="human", a="m", b="n", **FEW)[0].advantage == found.advantage
    assert variance_components(data, gold="human", a="m", b="n", metric="mae").components


def test_preferences_are_taken_from_dataframes():
    rows = {"item": [1, 1, 2, 2], "source": ["m", "n"] * 2, "rater": ["r"] * 4, "value": [2, 1, 3, 3]}
    assert preferences_between(pl.DataFrame(rows), a="m", b="n").a.values.tolist() == [1.0, 0.5]
    judged = pd.DataFrame({"item": [1, 2], "source": ["judge"] * 2, "value": ["m", "n"]})
    assert preferences_from(judged, "judge", a="m", b="n").a.values.tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"item": [1, 2], "value": [1]}, "columns must have one value for each row; got item 2, value 1"),
        ({"item": object()}, "column 'item' must be a list or a vector"),
        ({}, "has no columns"),
        (np.zeros((2, 2, 2)), r"must be an \(items, responses\) array of numbers or labels; got shape \(2, 2, 2\)"),
        ({"m": np.ones((3, 2)), "n": np.ones((2, 2))}, "m and n must have one row for each item; got rows: m 3, n 2"),
        ({1: [1], "1": [2]}, "two columns called '1'"),
    ],
)
def test_arrays_that_are_no_table(data, said):
    with pytest.raises(DataError, match=said):
        describe(data)
