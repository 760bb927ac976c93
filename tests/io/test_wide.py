import polars as pl
import pytest

from howsure import ArgumentError, DataError
from howsure.io import read, read_wide
from tests.io.same import assert_same, rater_names

FRAME = pl.DataFrame(
    {
        "id": ["q1", "q2", "q3"],
        "rater_1": [1, 2, None],
        "rater_2": [2, 3, 3],
        "gpt4": [1.0, 2.0, 3.0],
        "llama": [3, None, 1],
        "topic": ["a", "a", "b"],
    }
)


def test_columns_become_sources():
    table = read_wide(FRAME, columns={"human": "rater_*", "gpt4": "gpt4", "llama": ["llama"]}, groups=["topic"])
    assert table.items.tolist() == ["q1", "q2", "q3"]
    assert table.sources["human"].values.tolist() == [1, 2, 2, 3, 3]
    assert table.sources["human"].sizes.tolist() == [2, 2, 1]
    assert rater_names(table, "human") == ["rater_1", "rater_2", "rater_1", "rater_2", "rater_2"]
    assert table.sources["gpt4"].raters is None
    assert table.sources["llama"].sizes.tolist() == [1, 0, 1]
    assert table.groups["topic"].tolist() == ["a", "a", "b"]
    assert table.notes == (
        "Columns of the table guessed from their names: item = id.",
        "human has 2 raters (the names say rater). Change this with `rater` or `repeat`.",
        "2 of 12 values are missing and left out (first: the table, row 2 (counting from 0), column 'rater_1').",
    )


def test_groups_none_takes_the_columns_that_are_no_source():
    assert list(read_wide(FRAME, columns={"x": "rater_*", "y": "gpt4"}, groups=None).groups) == ["llama", "topic"]


def test_a_rater_named_in_several_sources_is_one_rater():
    frame = pl.DataFrame({"id": [1], "x_ann": [1], "x_bob": [2], "y_ann": [3], "y_bob": [4], "z_1": [1], "z_2": [2]})
    table = read_wide(frame, columns={"x": "x_*", "y": "y_*", "z": "z_*"})
    assert rater_names(table, "x") == rater_names(table, "y") == ["ann", "bob"]
    assert table.sources["z"].raters is None  # a number names nobody
    assert table.repeats == ("z",)
    assert table.notes[-1] == (
        "x has 2 raters (the columns differ by names); y has 2 raters (the columns differ by names); "
        "z has 2 repeats (the columns are numbered). Change this with `rater` or `repeat`."
    )


@pytest.mark.parametrize(
    ("columns", "raters"),
    [
        (["nano_1", "nano_2"], False),
        (["nano_run1", "nano_run2"], False),
        (["nanoRun1", "nanoRun2"], False),
        (["judge_seed_1", "judge_seed_2"], False),
        (["nano_a", "nano_b"], False),
        (["nano_t0", "nano_t1"], False),
        (["rater_1", "rater_2"], True),
        (["Annotators1", "Annotators2"], True),
        (["human1_score", "human2_score"], True),
        (["nano_ann", "nano_bob"], True),
        (["alice", "bob"], True),
        (["gold_1", "gold_2"], True),
    ],
)
def test_columns_of_a_source_are_raters_or_repeats_by_their_names(columns, raters):
    frame = pl.DataFrame({"id": [1, 2]} | {column: [1, 2] for column in columns})
    table = read_wide(frame, columns={"x": columns})
    assert (table.sources["x"].raters is not None) == raters
    assert table.repeats == (() if raters else ("x",))
    for asked, expected in (({"rater": "x"}, True), ({"repeat": ["x"]}, False), ({"rater": ""}, False)):
        told = read_wide(frame, columns={"x": columns}, **asked)
        assert (told.sources["x"].raters is not None) == expected
        assert told.notes[-1] == f"x has 2 {'raters' if expected else 'repeats'} (as asked)."


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"rater": "q_*"}, "`rater` must name a source that has several columns, or its columns; got 'q_"),
        ({"rater": "x", "repeat": "x"}, "the columns of x cannot be both raters and repeats"),
    ],
)
def test_raters_that_cannot_be_meant(asked, message):
    frame = pl.DataFrame({"id": [1], "x_1": [1], "x_2": [2], "y": [3]})
    with pytest.raises(ArgumentError, match=message):
        read_wide(frame, columns={"x": "x_*", "y": "y"}, **asked)


def test_rows_are_numbered_when_there_is_no_item_column():
    table = read_wide(FRAME.drop("id"), columns={"x": "gpt4"})
    assert table.items.tolist() == ["1", "2", "3"]
    assert table.notes == ("the table has no item column, so its rows are numbered from 1.",)


def test_wide_and_tidy_are_the_same_data(tmp_path):
    wide = read_wide(FRAME, columns={"human": "rater_*", "gpt4": "gpt4"})
    wide.to_frame().write_csv(tmp_path / "tidy.csv")
    assert_same(read(tmp_path / "tidy.csv"), wide)


def test_labels_and_numbers_in_different_columns_of_text(tmp_path):
    path = tmp_path / "w.csv"
    path.write_text("id,a,b\n1,yes,no\n2,no,yes\n")
    assert read_wide(path, columns={"a": "a", "b": "b"}).scale.labels == ("no", "yes")
    path.write_text("id,a,b\n1,1,2\n2,oops,3\n")
    with pytest.raises(DataError, match=r"w\.csv, line 3, column 'a': 'oops' is not a number, but 3 other values are"):
        read_wide(path, columns={"a": "a", "b": "b"})


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ({}, ArgumentError, "`columns` must name at least one source."),
        (
            {"x": "rator_*"},
            DataError,
            "the table has no column that matches 'rator_*' (source x); it has id, rater_1, rater_2, gpt4, "
            "llama, topic. Did you mean 'rater_2'?",
        ),
        ({"x": "rater_*", "y": "rater_1"}, ArgumentError, "column 'rater_1' cannot belong to both x and y."),
    ],
)
def test_columns_that_cannot_be_meant(columns, error, message):
    with pytest.raises(error) as caught:
        read_wide(FRAME, columns=columns)
    assert str(caught.value) == message


def test_an_item_on_two_rows_is_refused(tmp_path):
    path = tmp_path / "w.csv"
    path.write_text("id,a\nq1,1\nq2,2\nq1,3\n")
    with pytest.raises(DataError) as caught:
        read_wide(path, columns={"a": "a"})
    assert str(caught.value) == (
        f"{path}, line 4 repeats line 2: item q1. A wide table has one row per item; remove one, "
        "or read it as a tidy table."
    )
