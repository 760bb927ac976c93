"""Dataframes of any kind, arrays and paths are taken wherever responses are."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from assay import (
    ArgumentError,
    Contest,
    compare,
    compare_all,
    compare_all_by,
    compare_votes,
    describe,
    examples,
    fit,
    measure_agreement,
    plan,
    plan_board,
    read,
    write,
)
from assay.paired import PairedScores

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
    "plan_board": lambda data: plan_board(data, gold="human", **FEW),
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
    with pytest.raises(ArgumentError, match="`table` must be a ResponseTable; got DataFrame"):
        fit(frame)
    with pytest.raises(ArgumentError, match="A pilot is a contest"):
        plan(frame, n_items=[20], epsilon=0.1)
