import numpy as np
import pytest

from howsure.errors import ArgumentError, DataError, MissingFileError
from howsure.paired import PairedScores, ScoreTable, read_scores, read_table, write_scores


def write(tmp_path, content, name="scores.txt"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    "content",
    [
        "0.1 0.2\n0.3 0.4\n",
        "0.1\t0.2\n0.3\t0.4",
        "0.1,0.2\n0.3,0.4\n",
        "0.1;0.2\r\n0.3;0.4\r\n",
        "  0.1   0.2  \n\n# a comment\n0.3 0.4\n",
        "1e-1 2e-1\n.3 +.4\n",
    ],
    ids=["blanks", "tabs", "commas", "semicolons", "untidy", "notations"],
)
def test_any_separator_is_read(tmp_path, content):
    scores = read_scores(write(tmp_path, content))
    assert scores.a.tolist() == [0.1, 0.3]
    assert scores.b.tolist() == [0.2, 0.4]
    assert scores.names == ("A", "B")


def test_header_names_the_systems(tmp_path):
    scores = read_scores(write(tmp_path, "\ufeffnew,base\n1,2\n3,5\n"))
    assert scores.names == ("new", "base")
    assert scores.differences.tolist() == [-1, -2]


def test_columns_and_clusters_by_name_or_number(tmp_path):
    path = write(tmp_path, "x,y,z,doc\n1,2,3,p\n4,5,6,q\n7,8,9,p\n")
    scores = read_scores(path, columns=["z", "1"], cluster="doc")
    assert scores.names == ("z", "x")
    assert scores.a.tolist() == [3, 6, 9]
    assert scores.clusters.tolist() == [0, 1, 0]
    assert scores.n_clusters == 2
    assert read_table(path, cluster="4").names == ("x", "y", "z")


BAD = {
    "one column": ("0.1\n0.2\n", "one column of scores (line 1: '0.1'); two are needed"),
    "three columns": ("1 2 3\n4 5 6\n", "3 columns of scores, and this compares two"),
    "text": ("0.1 0.2\n0.3 good\n", "line 2, column 2 is not a number: 'good'"),
    "underscores": ("0.1 0.2\n1_000 3\n", "line 2, column 1 is not a number: '1_000'"),
    "other digits": ("0.1 0.2\n٣ 3\n", "line 2, column 1 is not a number: '٣'"),
    "NaN": ("0.1 0.2\n0.3 nan\n", "line 2, column 2 is nan; remove the line"),
    "infinite": ("0.1 0.2\ninf 3\n", "line 2, column 1 is inf"),
    "huge": ("0.1 0.2\n1e200 3\n", "line 2, column 1 is 1e200; scores below 1e-100 or above 1e100"),
    "ragged": ("0.1 0.2\n0.3\n", "line 2: one column, but the lines before have 2"),
    "empty cell": ("0.1,0.2\n0.3,\n", "line 2, column 2 is empty"),
    "empty": ("", "is empty: it has no line with scores"),
    "only comments": ("# a\n\n", "is empty"),
    "header only": ("a b\n", "no line with numbers"),
    "double name": ("a,a\n1,2\n", "two columns have the same name"),
    "binary": (b"PK\x03\x04\x00\x00", "is a binary file"),
    "latin-1": ("0.1 0.2 é\n".encode("latin-1"), "is not UTF-8 text: byte 8 is 0xe9"),
}


@pytest.mark.parametrize(("content", "message"), BAD.values(), ids=BAD.keys())
def test_bad_file_gets_one_line_with_the_place(tmp_path, content, message):
    path = write(tmp_path, content)
    with pytest.raises(DataError) as error:
        read_scores(path)
    assert str(path) in str(error.value)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_missing_file_and_directory(tmp_path):
    with pytest.raises(MissingFileError, match="there is no file"):
        read_scores(tmp_path / "absent.txt")
    with pytest.raises(DataError, match="is a directory"):
        read_scores(tmp_path)


def test_unknown_column_is_a_usage_error(tmp_path):
    path = write(tmp_path, "x y\n1 2\n3 4\n")
    with pytest.raises(ArgumentError, match=r"`columns` must name columns of .*: x, y; got 'w'"):
        read_scores(path, columns=["x", "w"])
    with pytest.raises(ArgumentError, match="different columns"):
        read_scores(path, columns=["x", "1"])


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([1, 2], [1], "equally long"),
        ([], [], "one list of numbers"),
        ([[1, 2]], [[1, 2]], "one list of numbers"),
        ([1, float("nan")], [1, 2], "entry 1 is nan"),
        (["x"], [1], "must be numbers"),
        ([1, 1e-200], [1, 2], "entry 1 of the scores of A is 1e-200"),
    ],
)
def test_bad_arrays(a, b, message):
    with pytest.raises(DataError, match=message):
        PairedScores.from_arrays(a, b)


def test_one_cluster_is_refused():
    with pytest.raises(DataError, match="at least two clusters"):
        PairedScores.from_arrays([1, 2], [3, 4], clusters=["d", "d"])


def test_arrays_are_read_only_and_the_input_is_not():
    a = np.array([1.0, 2.0])
    scores = PairedScores.from_arrays(a, [0, 0])
    with pytest.raises(ValueError, match="read-only"):
        scores.a[0] = 5
    a[0] = 7
    assert scores.a[0] == 1


def test_constant_differences_are_seen_through_rounding():
    scores = PairedScores.from_arrays([0.3, 0.2, 0.9], [0.2, 0.1, 0.8])
    assert len(set(scores.differences.tolist())) > 1
    assert scores.constant == pytest.approx(0.1)
    assert PairedScores.from_arrays([0.3, 0.2], [0.2, 0.2]).constant is None


def test_digest_depends_on_scores_and_clusters():
    one = PairedScores.from_arrays([1, 2], [3, 4])
    assert one.digest == PairedScores.from_arrays([1, 2], [3, 4]).digest
    assert one.digest != one.swapped().digest
    assert one.digest != PairedScores.from_arrays([1, 2], [3, 4], clusters=[0, 1]).digest


def test_unknown_system_gets_a_suggestion():
    table = ScoreTable(np.zeros((2, 2)), ("first", "second"))
    with pytest.raises(DataError, match=r"no system is called 'frist'.*Did you mean 'first'"):
        table.pair("frist", "second")
    with pytest.raises(ArgumentError, match="different systems"):
        table.pair("first", "first")


def test_other_encodings_and_quoted_names(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_bytes('"modèle, neuf",base\n0.1,0.2\n"0.3",0.1\n'.encode("cp1252"))
    with pytest.raises(DataError, match="encoding='cp1252'"):
        read_scores(path)
    found = read_scores(path, encoding="cp1252")
    assert found.names == ("modèle, neuf", "base")
    assert found.a.tolist() == [0.1, 0.3]
    for encoding in ("rot13", "klingon"):
        with pytest.raises(ArgumentError, match="`encoding` must be one that Python knows"):
            read_scores(path, encoding=encoding)


def test_one_column_is_too_few(tmp_path):
    with pytest.raises(ArgumentError, match="`columns` must name two columns or more"):
        read_scores(write(tmp_path, "1 2\n3 4\n"), columns=["1"])


def test_a_file_is_replaced_only_by_force(tmp_path):
    path = tmp_path / "keep.txt"
    path.write_text("my work")
    scores = PairedScores.from_arrays([0.5, 1.0], [0.25, 0.0])
    with pytest.raises(ArgumentError, match=r"keep.txt exists already; name another file, or add `force=True`"):
        write_scores(scores, path)
    assert path.read_text() == "my work"
    write_scores(scores, path, force=True)
    assert read_scores(path).digest == scores.digest
