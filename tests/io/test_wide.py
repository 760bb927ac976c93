import polars as pl
import pytest

from assay import ArgumentError, DataError
from assay.io import read, read_wide
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
        "2 of 12 values are missing and left out (first: the table, row 2 (counting from 0), column 'rater_1').",
    )


def test_groups_none_takes_the_columns_that_are_no_source():
    assert list(read_wide(FRAME, columns={"x": "rater_*", "y": "gpt4"}, groups=None).groups) == ["llama", "topic"]


def test_a_rater_named_in_several_sources_is_one_rater():
    frame = pl.DataFrame({"id": [1], "x_ann": [1], "x_bob": [2], "y_ann": [3], "y_bob": [4], "z_1": [1], "z_2": [2]})
    table = read_wide(frame, columns={"x": "x_*", "y": "y_*", "z": "z_*"})
    assert rater_names(table, "x") == rater_names(table, "y") == ["ann", "bob"]
    assert rater_names(table, "z") == ["z_1", "z_2"]  # a number names nobody


def test_rows_are_numbered_when_there_is_no_item_column():
    table = read_wide(FRAME.drop("id"), columns={"x": "gpt4"})
    assert table.items.tolist() == ["1", "2", "3"]
    assert table.notes == ("the table has no column that looks like the item, so its rows are numbered from 1.",)


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
