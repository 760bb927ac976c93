import io
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure import ArgumentError, DataError
from howsure.io import read, text_files
from tests.io.same import assert_same, rater_names

CSV = """item,source,rater,value,topic
q1,human,ann,3,sport
q1,human,bob,4,sport
q1,m1,,3,sport
q2,human,bob,5,law
q2,m1,,1,law
q2,m2,,2,law
"""


@pytest.fixture
def ratings(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(CSV)
    return path


def test_a_tidy_table_becomes_responses(ratings):
    table = read(ratings, item="item", source="source", value="value", rater="rater", groups=["topic"])
    assert table.items.tolist() == ["q1", "q2"]
    assert list(table.sources) == ["human", "m1", "m2"]
    assert table.sources["human"].values.tolist() == [3, 4, 5]
    assert table.sources["human"].offsets.tolist() == [0, 2, 3]
    assert rater_names(table, "human") == ["ann", "bob", "bob"]
    assert table.sources["m1"].raters is None  # no rater is named for the models
    assert table.sources["m2"].sizes.tolist() == [0, 1]
    assert table.groups["topic"].tolist() == ["sport", "law"]
    assert table.scale.kind == "ordinal"
    assert table.notes == ()


def test_every_format_gives_the_same_table(ratings, tmp_path):
    expected = read(ratings, groups=None)
    frame = pl.read_csv(ratings)
    frame.write_csv(tmp_path / "t.tsv", separator="\t")
    frame.write_csv(tmp_path / "quoted.csv", quote_style="always")
    frame.write_ndjson(tmp_path / "t.jsonl")
    frame.write_parquet(tmp_path / "t.parquet")
    frame.write_ipc(tmp_path / "t.arrow")
    frame.write_ipc_stream(tmp_path / "stream.arrow")
    pyarrow.feather.write_feather(frame.to_arrow(), tmp_path / "t.feather")
    (tmp_path / "windows.csv").write_bytes(b"\xef\xbb\xbf" + CSV.replace("\n", "\r\n").encode())
    (tmp_path / "mac.csv").write_bytes(CSV.replace("\n", "\r").encode())
    (tmp_path / "blank lines.csv").write_text(CSV.replace("\n", "\n\n"))
    files = sorted(set(tmp_path.iterdir()) - {ratings})
    assert len(files) == 10
    for table in [*files, frame, frame.lazy(), frame.to_pandas(), frame.to_arrow(), pd.read_csv(ratings)]:
        assert_same(read(table, groups=None), expected)


def test_the_guess_is_told_in_one_sentence(ratings):
    (note,) = read(ratings).notes
    assert note == (
        "Columns of ratings.csv guessed from their names: item = item, source = source, value = value, rater = rater."
    )


def test_names_in_the_wild_are_recognised():
    frame = pl.DataFrame({"Doc ID": [1], "Model-Name": ["x"], "Score": [2], "worker_id": ["w"], "epoch": [1]})
    assert (
        read(frame)
        .notes[0]
        .endswith("item = Doc ID, source = Model-Name, value = Score, rater = worker_id, repeat = epoch.")
    )


def test_an_empty_name_means_that_there_is_no_such_column(ratings):
    assert read(ratings, rater="").raters == ()


def test_sources_by_condition_take_the_source_column_for_the_rater():
    rows = (
        "item_id,kind,source,rep,value\nq1,human,r1,0,1\nq1,human,r2,0,2\n"
        "q1,model,m,1,3\nq1,model,m,0,4\nq1,model,n,0,9\n"
    )
    table = read(pl.read_csv(io.StringIO(rows)), sources={"human": "kind=human", "M": "source=m"})
    assert rater_names(table, "human") == ["r1", "r2"]
    assert table.sources["M"].raters is None  # m is the model, not somebody who rated it
    assert table.sources["M"].values.tolist() == [4, 3]  # in the order of rep
    assert table.notes[0].endswith(
        "item = item_id, source = source, value = value, repeat = rep; "
        "rater = source, because kind tells which source a row belongs to."
    )
    told = read(
        pl.read_csv(io.StringIO(rows)), item="item_id", source="source", value="value", repeat="rep",
        sources={"human": "kind=human"},
    )  # fmt: skip
    assert told.notes == (
        "Column of the table guessed: rater = source, because kind tells which source a row belongs to.",
    )
    explicit = read(
        pl.read_csv(io.StringIO(rows)), sources={"human": "kind=human", "M": "m"}, source="source", rater="source"
    )
    assert_same(explicit, table)


def test_repeats_are_sorted_as_numbers_or_in_order_of_appearance():
    frame = pl.DataFrame({"item": ["q"] * 3, "source": ["s"] * 3, "repeat": ["10", "9", "1"], "value": [1, 2, 3]})
    assert read(frame).sources["s"].values.tolist() == [3, 2, 1]
    frame = frame.with_columns(repeat=pl.Series(["run 10", "run 9", "run 1"]))
    assert read(frame).sources["s"].values.tolist() == [1, 2, 3]


def test_missing_values_are_absent_and_noted(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("item,source,value\nq1,s,1\nq1,s,\nq2,s,NA\nq3,s,nan\nq3,s,2\n")
    table = read(path)
    assert table.items.tolist() == ["q1", "q2", "q3"]
    assert table.sources["s"].sizes.tolist() == [1, 0, 1]
    assert table.notes[-1] == f"3 of 5 values are missing and left out (first: {path}, line 3, column 'value')."


def test_na_is_a_label_among_labels():
    frame = pl.DataFrame({"item": [1, 2, 3], "source": "s", "value": ["NA", "yes", None]})
    table = read(frame)
    assert table.scale.labels == ("NA", "yes")
    assert table.sources["s"].sizes.tolist() == [1, 1, 0]


def test_scale_and_order_override_the_inference():
    frame = pl.DataFrame({"item": [1, 2, 3], "source": "s", "value": ["low", "high", "low"]})
    assert read(frame).scale.kind == "nominal"
    ordered = read(frame, order=["low", "mid", "high"])
    assert ordered.scale.kind == "ordinal"
    assert ordered.sources["s"].values.tolist() == [0, 2, 0]
    numbered = pl.DataFrame({"item": [1, 2], "source": "s", "value": [10.0, 30.0]})
    assert read(numbered, order=[10.0, 20, 30]).sources["s"].values.tolist() == [10, 30]
    numbers = pl.DataFrame({"item": [1, 2, 3], "source": "s", "value": ["1", "2", "x"]})
    assert read(numbers, scale="nominal").scale.labels == ("1", "2", "x")
    assert read(numbers[:2], scale="continuous").scale.kind == "continuous"
    assert read(numbers[:2], scale="nominal").scale.levels == (1.0, 2.0)


def test_ordered_categories_of_a_dataframe_are_an_ordinal_scale():
    categories = pd.Categorical(["low", "high"], categories=["low", "mid", "high"], ordered=True)
    frame = pd.DataFrame({"item": [1, 2], "source": "s", "value": categories})
    assert read(frame).scale.labels == ("low", "mid", "high")
    assert read(frame, scale="nominal").scale.labels == ("high", "low")


def test_groups_are_kept_when_asked_or_when_constant():
    frame = pl.DataFrame(
        {"item": [1, 1, 2], "source": "s", "value": [1, 2, 1], "topic": ["a", None, "b"], "note": ["x", "y", "z"]}
    )
    assert read(frame).groups == {}
    assert list(read(frame, groups=None).groups) == ["topic"]
    assert read(frame, groups=["topic"]).groups["topic"].tolist() == ["a", "b"]
    with pytest.raises(DataError, match=r"row 1 .*: column 'note' is 'y' for item 1, which was 'x' before"):
        read(frame, groups=["note"])


def test_ids_are_text_and_whole_floats_lose_their_point():
    frame = pl.DataFrame({"item": [1.0, 2.0, 2.5], "source": "s", "value": [1, 2, 3]})
    assert read(frame).items.tolist() == ["1", "2", "2.5"]


def test_booleans_are_labels_written_alike_in_every_format(tmp_path):
    frame = pl.DataFrame({"item": [1, 2], "source": "s", "value": [True, False]})
    frame.write_ndjson(tmp_path / "t.jsonl")
    frame.write_csv(tmp_path / "t.csv")
    for table in (frame, frame.to_pandas(), tmp_path / "t.jsonl", tmp_path / "t.csv"):
        assert read(table).scale.labels == ("false", "true")


def test_a_column_of_mixed_python_objects_is_read_as_text():
    frame = pd.DataFrame({"item": [1, "a", 3], "source": "s", "value": [1, "2", None]})
    table = read(frame)
    assert table.items.tolist() == ["1", "a", "3"]
    assert table.sources["s"].values.tolist() == [1, 2]


def test_json_lines_may_lack_keys_and_hold_nested_ones_that_nobody_reads(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text(
        '{"id": 1, "model": "m", "score": 0.5, "meta": {"a": 1}}\n\n{"model": "m", "id": 2.0, "extra": 1}\n'
    )
    table = read(path)
    assert table.items.tolist() == ["1", "2"]
    assert table.notes[-1] == f"1 of 2 values is missing and left out (first: {path}, line 3, column 'score')."
    with pytest.raises(DataError, match=r"line 1: 'meta' is a list or an object"):
        read(path, groups=["meta"])


def test_very_long_ids_do_not_make_all_ids_long():
    frame = pl.DataFrame({"item": ["x" * 10**6, *map(str, range(1000))], "source": "s", "value": 1})
    table = read(frame)
    assert table.items.nbytes < 10**5
    assert table.items[1000] == "999"


def test_the_table_is_left_alone():
    frame = pd.DataFrame({"item": [2, 1], "source": ["s", "s"], "value": [1.5, np.nan]})
    before = frame.copy(deep=True)
    read(frame)
    pd.testing.assert_frame_equal(frame, before)


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_rows_of_different_items_may_come_in_any_order(data):
    """Only the order of first appearance and the order within item and source matter."""
    rows = data.draw(
        st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xy"), st.integers(0, 9)), min_size=1, max_size=20)
    )
    table = read(pl.DataFrame(rows, schema=["item", "source", "value"], orient="row"))
    for name, source in table.sources.items():
        for number, item in enumerate(table.items):
            own = source.values[source.offsets[number] : source.offsets[number + 1]]
            assert own.tolist() == [value for i, s, value in rows if (i, s) == (item, name)]
    assert table.items.tolist() == list(dict.fromkeys(row[0] for row in rows))


def test_arrow_tables_are_dataframes():
    table = read(pa.table({"item": [1], "source": ["s"], "value": [0.25]}))
    assert table.sources["s"].values.tolist() == [0.25]


def test_quotes_commas_and_line_ends_in_cells(tmp_path):
    path = tmp_path / "t.csv"
    long = "x" * 200_000
    path.write_text(f'item,source,value\n"a, ""b""\nc",s,1\n5" disk,s,2\n"{long}",s,3\n')
    assert read(path).items.tolist() == ['a, "b"\nc', '5" disk', long]


@settings(deadline=None, max_examples=100)
@given(st.lists(st.sampled_from(["q1", "é", "", '"', "\n", "\r\n", ",", "\r"]), max_size=12), st.integers(1, 7))
def test_the_first_look_does_not_depend_on_the_chunks(parts, size):
    content = "".join(parts).encode() + b"end"
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder) / "t.csv"
        path.write_bytes(content)
        whole = text_files.scan(path, "t.csv", separator=",")
        patch.setattr(text_files, "CHUNK", size)
        assert text_files.scan(path, "t.csv", separator=",") == whole
    text = content.decode()
    lines = text.split("\n")
    bare = text.replace("\r\n", "\n")
    blank = any(line in ("", "\r") for line in lines)
    assert whole == text_files.Outline(len(lines), text.count(","), not ('"' in text or "\r" in bare or blank))


def test_the_first_equals_sign_ends_the_column():
    frame = pl.DataFrame({"item": [1, 1], "source": ["temp=0", "temp=1"], "value": [1, 2]})
    assert read(frame, sources={"cold": "source=temp=0"}).sources["cold"].values.tolist() == [1]


def test_sources_must_be_meant():
    frame = pl.DataFrame({"item": [1], "source": ["s"], "value": [1]})
    with pytest.raises(ArgumentError, match="`sources` must name at least one source"):
        read(frame, sources={})
    with pytest.raises(ArgumentError, match="so `source` is not allowed"):
        read(frame, sources="all", source="source")
    with pytest.raises(ArgumentError, match="`item` and `value` must be different columns; got 'item' for both"):
        read(frame, item="item", value="item")
    with pytest.raises(ArgumentError, match="`scale` must be one of nominal, ordinal, continuous; got 'numeric'"):
        read(frame, scale="numeric")
    with pytest.raises(DataError, match="the table: no source column found"):
        read(frame, source="", sources={"s": "s", "t": "item=1"})
