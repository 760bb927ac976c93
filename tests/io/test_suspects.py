"""What is probably a mistake is read as it stands, and a note counts it, names the place and says what to do."""

import pytest

from howsure import DataError, read


def column(folder, values, name="value"):
    rows = [f"q{i // 2},{'xy'[i % 2]},{value}\n" for i, value in enumerate(values)]
    (folder / "t.csv").write_text(f"item,model,{name}\n" + "".join(rows), encoding="utf-8")
    return folder / "t.csv"


def said(path, words, **how):
    return [note for note in read(path, **how).notes if words in note]


@pytest.mark.parametrize(
    ("values", "title", "remedy"),
    [
        (["2024-01-05", "05.02.2024", "", "ok"] * 3, "6 of 9 values look like dates", "name another column"),
        (["4/5", "3 / 5"] * 6, "12 of 12 values look like fractions", "write 4/5 as 0.8 or as 4"),
        (["0x4", "0x3"] * 6, "12 of 12 values look like hexadecimal numbers", "write 0x4 as 4"),
    ],
)
def test_labels_that_look_like_something_else(tmp_path, values, title, remedy):
    path = column(tmp_path, values)
    [note] = said(path, title)
    assert f"(first: {path}, line 2, column 'value': {values[0]!r})" in note
    assert remedy in note
    assert not said(path, title, scale="nominal")


def test_plain_labels_get_no_note(tmp_path):
    path = column(tmp_path, ["a/b", "1.5.x", "v1.2", "да", "нет", "αβ"] * 2)
    assert not said(path, "look")


def test_true_beside_1(tmp_path):
    path = column(tmp_path, ["TRUE", "1", "FALSE", "0", "true", "false"], "correct")
    [note] = said(path, "beside")
    assert note == f"2 values such as '1' ({path}, line 3, column 'correct') beside 4 such as 'TRUE'. " + (
        "Write all alike if they mean the same."
    )
    assert not said(column(tmp_path, ["1", "0", "yes", "no"], "correct"), "beside")


def test_letters_of_two_alphabets_in_labels(tmp_path):
    path = column(tmp_path, ["A", "\u0410", "B", "B"])
    [note] = said(path, "look alike")
    assert note.startswith("Two labels look alike and are kept apart: 'A' and '\u0410' (U+0410 looks like A; first: ")
    assert "line 3" in note
    assert len(read(path).scale.labels) == 3


def test_letters_of_two_alphabets_in_ids(tmp_path):
    rows = [f"q{i},{name},{i % 3}\n" for i in range(3) for name in ("gpt-o", "gpt-\u043e", "other")]
    (tmp_path / "t.csv").write_text("item,model,value\n" + "".join(rows), encoding="utf-8")
    [note] = said(tmp_path / "t.csv", "look alike")
    assert note.startswith("Two ids in column 'model' look alike and are kept apart: 'gpt-o' and 'gpt-\u043e' (U+043E ")
    assert "first: line 3" in note
    assert len(read(tmp_path / "t.csv").sources) == 3


def test_a_key_twice_in_an_array_of_records(tmp_path):
    path = tmp_path / "t.json"
    path.write_text('[{"item":"q","model":"x","value":1},\n {"item":"r","item":"s","model":"x","value":2}]')
    with pytest.raises(DataError, match=r"t.json: the object at character 39 has the key 'item' twice; remove one\."):
        read(path)


def test_a_file_twice_under_two_names(tmp_path):
    paths = [tmp_path / "one.csv", tmp_path / "two.csv", tmp_path / "three.csv"]
    for path, last in zip(paths, (1, 1, 2), strict=True):
        path.write_text(f"item,model,value\nq1,x,1\nq2,x,{last}\n")
    found = [note for note in read(paths).notes if "hold the same" in note]
    assert found == [f"{paths[0]} and {paths[1]} hold the same 2 rows; if one is a copy, leave it out."]
