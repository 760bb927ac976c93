"""Answers that were marked right or wrong: 1 and 0 in any spelling, and their mean is called accuracy."""

import pytest

from howsure import read

ROWS = "model,id,correct\na,1,{yes}\na,2,{no}\na,3,{yes}\nb,1,{no}\nb,2,{no}\nb,3,{yes}\n"


@pytest.mark.parametrize(
    ("yes", "no"), [("True", "False"), ("true", "false"), ("1", "0"), ("1.0", "0.0"), ("PASS", "fail"), ("yes", "no")]
)
def test_right_and_wrong_in_any_spelling(tmp_path, howsure, yes, no):
    (tmp_path / "t.csv").write_text(ROWS.format(yes=yes, no=no))
    table = read(tmp_path / "t.csv")
    assert table.sources["a"].values.tolist() == [1, 0, 1]
    done = howsure("compare", tmp_path / "t.csv")
    assert done.returncode == 0, done.stderr
    assert "accuracy 0.667 vs 0.333" in done.stdout
    assert howsure("compare", tmp_path / "t.csv", "--metric", "accuracy").stdout == done.stdout


def test_a_missing_mark_is_missing(tmp_path):
    (tmp_path / "t.csv").write_text("model,id,passed\na,1,True\na,2,\nb,1,False\nb,2,NaN\n")
    table = read(tmp_path / "t.csv")
    assert table.sources["a"].values.tolist() == [1]
    assert "2 of 4 values are missing" in table.notes[-1]


def test_other_words_are_labels(tmp_path):
    (tmp_path / "t.csv").write_text("model,id,correct\na,1,partly\na,2,yes\nb,1,no\nb,2,no\n")
    assert read(tmp_path / "t.csv").scale.labels == ("no", "partly", "yes")


def test_against_gold_they_are_labels_to_agree_on(tmp_path, howsure):
    (tmp_path / "t.csv").write_text(ROWS.format(yes="True", no="False") + "human,1,True\nhuman,2,False\nhuman,3,True\n")
    done = howsure("compare", tmp_path / "t.csv", "--gold", "human", "--a", "a", "--b", "b")
    assert "accuracy 1.00 vs 0.67" in done.stdout
    (tmp_path / "w.csv").write_text("id,y,m1,m2\n1,True,True,False\n2,False,False,False\n3,True,True,True\n")
    done = howsure("compare", tmp_path / "w.csv", "--gold", "y", "--a", "m1", "--b", "m2")
    assert "accuracy 1.00 vs 0.67" in done.stdout
    done = howsure("compare", tmp_path / "w.csv", "--a", "m1", "--b", "m2")
    assert "accuracy 0.667 vs 0.333" in done.stdout


def test_numbers_of_a_wide_table_are_ratings(tmp_path, howsure):
    (tmp_path / "w.csv").write_text("id,m1,m2\n1,1,0\n2,0,0\n3,1,1\n")
    assert "mean rating 0.667 vs 0.333" in howsure("compare", tmp_path / "w.csv").stdout
