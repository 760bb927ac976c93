"""Nested, counted and composite data are read as they are."""

import json

import numpy as np
import polars as pl
import pytest

from howsure import join
from howsure.comparison import compare
from howsure.errors import ArgumentError, DataError
from howsure.io import read, write
from howsure.models import fit
from tests.io.readers.made import inspect_log
from tests.io.same import assert_same


def lines(path, *entries):
    path.write_text("".join(f"{json.dumps(entry)}\n" for entry in entries))
    return path


NESTED = [
    {"uid": "q1", "meta": {"topic": "art"}, "notes": [{"who": "ann", "label": "yes"}, {"who": "bob", "label": "no"}]},
    {"uid": "q2", "meta": {"topic": "law"}, "notes": [{"who": "ann", "label": "no"}]},
]


@pytest.mark.parametrize("wrapped", [False, True])
def test_paths_reach_into_records(tmp_path, wrapped):
    path = tmp_path / "data.json"
    path.write_text(json.dumps({"version": 1, "data": NESTED} if wrapped else NESTED))
    table = read(path, value="notes.*.label", rater="notes.*.who", sources="human", groups=["meta.topic"])
    assert table.items.tolist() == ["q1", "q2"]
    assert table.sources["human"].sizes.tolist() == [2, 1]
    assert table.raters == ("ann", "bob")
    assert table.groups["meta.topic"].tolist() == ["art", "law"]
    same = read(
        lines(tmp_path / "data.jsonl", *NESTED), value="notes.*.label", rater="notes.*.who", sources="human",
        groups=["meta.topic"],
    )  # fmt: skip
    assert_same(table, same)


def test_a_path_through_an_object_gives_its_keys(tmp_path):
    path = lines(tmp_path / "d.jsonl", {"id": 1, "by": {"ann": 3, "bob": 4}}, {"id": 2, "by": {"ann": 5}})
    table = read(path, value="by.*", rater="by.#", sources="human")
    assert table.sources["human"].values.tolist() == [3, 4, 5]
    assert table.raters == ("ann", "bob")


def test_two_stars_through_different_lists_are_refused(tmp_path):
    path = lines(tmp_path / "d.jsonl", {"id": 1, "a": [1], "b": [2]})
    with pytest.raises(ArgumentError, match="paths with a star must go through one list"):
        read(path, value="a.*", rater="b.*", sources="human")


@pytest.mark.parametrize(
    "value",
    [
        {"label_count": [1, 2, 0]},
        {"label_count": {"0": 1, "1": 2}},
        {"label": ["0", "1", "1"]},
    ],
)
def test_counts_of_labels_are_responses(tmp_path, value):
    (column,) = value
    path = lines(tmp_path / "d.jsonl", {"id": "x"} | value, {"id": "y", column: value[column]})
    table = read(path, value=column, sources="human")
    assert table.sources["human"].sizes.tolist() == [3, 3]
    assert table.sources["human"].values.tolist() == [0, 1, 1, 0, 1, 1]
    assert table.sources["human"].weights is None


def test_a_list_of_numbers_is_not_guessed_at(tmp_path):
    path = lines(tmp_path / "d.jsonl", {"id": "x", "rating": [3, 4]})
    with pytest.raises(DataError, match=r"is a list of numbers. Add \.\* to the name"):
        read(path, value="rating", sources="human")
    assert read(path, value="rating.*", sources="human").sources["human"].values.tolist() == [3, 4]


def test_a_count_column_repeats_its_row():
    frame = pl.DataFrame({"item": ["x", "x", "y"], "value": ["a", "b", "a"], "n": [2, 3, 1]})
    table = read(frame, sources="human", count="n")
    assert table.sources["human"].sizes.tolist() == [5, 1]
    assert table.sources["human"].values.tolist() == [0, 0, 1, 1, 1, 0]


def test_probabilities_are_one_answer(tmp_path):
    frame = pl.DataFrame({"item": ["x", "y"], "p_no": [0.75, 0.5], "p_yes": [0.25, 0.5]})
    table = read(frame, value="p_*", sources="m")
    source = table.sources["m"]
    assert table.scale.labels == ("no", "yes")
    assert source.n_responses == 1
    np.testing.assert_allclose(source.weights, [0.75, 0.25, 0.5, 0.5])
    assert "m answers with a share for each label." in table.notes
    nested = pl.DataFrame({"item": ["x", "y"], "soft": [{"no": 0.75, "yes": 0.25}, {"no": 0.5, "yes": 0.5}]})
    np.testing.assert_allclose(read(nested, value="soft", sources="m").sources["m"].weights, source.weights)


def test_shares_that_do_not_add_up_are_refused():
    frame = pl.DataFrame({"item": ["x"], "p_no": [0.75], "p_yes": [0.5]})
    with pytest.raises(DataError, match=r"the shares of the labels add up to 1\.25, not to 1"):
        read(frame, value="p_*", sources="m")
    with pytest.raises(DataError, match="which is neither a count nor a share"):
        read(frame.with_columns(p_no=-0.5), value="p_*", sources="m")


def test_an_item_may_be_made_of_two_columns():
    frame = pl.DataFrame(
        {"doc": [1, 1, 2, 2], "dimension": ["style", "facts"] * 2, "model": "m", "score": [1, 2, 3, 4]}
    )
    table = read(frame, item="doc,dimension")
    assert table.items.tolist() == ["1:style", "1:facts", "2:style", "2:facts"]
    assert table.groups["dimension"].tolist() == ["style", "facts", "style", "facts"]


def test_only_the_rows_that_are_asked_for():
    frame = pl.DataFrame(
        {"item": [1, 2, 1, 2], "model": "m", "score": [1, 2, 3, 4], "split": ["dev", "dev", "test", "test"]}
    )
    table = read(frame, where="split=test")
    assert table.sources["m"].values.tolist() == [3, 4]
    assert "2 of 4 rows of the table are used: those where split is 'test'." in table.notes
    assert_same(table, read(frame, where={"split": "test"}))
    with pytest.raises(DataError, match=r"has no row where split is 'tset'; it has dev, test. Did you mean 'test'"):
        read(frame, where=["split=tset"])
    with pytest.raises(ArgumentError, match="must be written column=value; got 'split'"):
        read(frame, where=["split"])


def test_places_are_those_of_the_whole_table(tmp_path):
    (tmp_path / "t.csv").write_text("item,source,value,split\n1,m,1,dev\n1,m,2,test\n2,m,3,test\n3,m,tree,test\n")
    with pytest.raises(DataError, match="line 5, column 'value': 'tree' is not a number"):
        read(tmp_path / "t.csv", where="split=test")


def test_a_gold_column_is_a_source_of_its_own():
    frame = pl.DataFrame(
        {"item": [1, 1, 2, 2], "model": ["a", "b"] * 2, "pred": ["x", "y", "y", "y"], "truth": ["x", "x", "y", "y"]}
    )
    table = read(frame, gold="truth")
    assert table.sources["truth"].sizes.tolist() == [1, 1]
    contest = table.contest(gold="truth", a="a", b="b")
    assert compare(contest, metric="accuracy", rng=0).a_score == 1.0
    with pytest.raises(DataError, match="which was 'x' before"):
        read(frame.with_columns(truth=pl.col("pred")), gold="truth")


def test_labels_are_stripped_and_twins_are_refused():
    frame = pl.DataFrame({"item": [1, 1], "source": ["gold", "a"], "value": ["Yes", "Yes "]})
    assert read(frame).scale.labels == ("Yes",)
    assert read(frame, labels="exact").scale.labels == ("Yes", "Yes ")
    for twin in ("yes", "Y es", "Ｙes"):
        twins = frame.with_columns(value=pl.Series(["Yes", twin]))
        with pytest.raises(DataError, match=r"the labels '.*' and '.*' differ only by case, spaces or Unicode form"):
            read(twins)
        assert len(read(twins, labels="exact").scale.labels) == 2


def test_twins_in_two_files_are_refused(tmp_path):
    (tmp_path / "a.csv").write_text("item,value\n1,Yes\n2,No\n")
    (tmp_path / "b.csv").write_text("item,value\n1,yes\n2,no\n")
    with pytest.raises(DataError, match="differ only by case"):
        read({"a": tmp_path / "a.csv", "b": tmp_path / "b.csv"})
    assert len(read({"a": tmp_path / "a.csv", "b": tmp_path / "b.csv"}, labels="exact").scale.labels) == 4


def test_ids_lose_the_spaces_at_their_ends():
    frame = pl.DataFrame({"item": ["q1", "q1 "], "source": ["a", "b "], "value": [1, 2]})
    table = read(frame)
    assert table.items.tolist() == ["q1"]
    assert list(table.sources) == ["a", "b"]


def test_names_with_an_equals_sign_or_a_star():
    frame = pl.DataFrame({"item": [1, 1], "model": ["temp=0", "m*"], "score": [1, 2]})
    table = read(frame, sources={"cold": "temp=0", "any": "m*"})
    assert list(table.sources) == ["cold", "any"]


def test_rows_without_a_source_are_told(tmp_path):
    (tmp_path / "t.csv").write_text("item,source,value\n1,a,1\n1,b,2\n2,,3\n2,a,1\n")
    table = read(tmp_path / "t.csv", sources={"a": "a", "b": "b"})
    assert f"1 row of {tmp_path}/t.csv has no source and is left out (first: line 4)." in table.notes


def test_an_encoding_can_be_named(tmp_path):
    (tmp_path / "t.csv").write_bytes("item,source,value\n1,café,1\n2,café,2\n".encode("cp1252"))
    with pytest.raises(DataError, match=r"`encoding='cp1252'`"):
        read(tmp_path / "t.csv")
    assert list(read(tmp_path / "t.csv", encoding="cp1252").sources) == ["café"]
    (tmp_path / "u.csv").write_text("item,source,value\n1,é,1\n2,é,2\n", encoding="utf-16")
    assert list(read(tmp_path / "u.csv", encoding="utf-16").sources) == ["é"]
    with pytest.raises(ArgumentError, match="must be one that Python knows"):
        read(tmp_path / "t.csv", encoding="klingon")
    with pytest.raises(DataError, match="is not ascii text"):
        read(tmp_path / "t.csv", encoding="ascii")


def test_all_missing_columns_are_told_at_once(tmp_path):
    frame = pl.DataFrame({"item": [1], "model": ["a"], "score": [2]})
    with pytest.raises(
        DataError,
        match=r"has no columns 'itm', 'scor'; it has item, model, score. Did you mean 'item'. Did you mean 'score'",
    ):
        read(frame, item="itm", value="scor")


def test_other_names_are_guessed():
    frame = pl.DataFrame({"uid": [1, 1], "llm": ["a", "a"], "who": ["x", "y"], "pred": [1, 2]})
    assert read(frame).notes[0].endswith("item = uid, source = llm, value = pred, rater = who.")


def test_several_files_are_joined(tmp_path):
    (tmp_path / "h.csv").write_text("id,worker,rating\nq1,ann,3\nq1,bob,4\nq2,bob,5\n")
    (tmp_path / "m.csv").write_text("id,model,score\nq1,m-1,3\nq2,m-1,4\nq1,m-2,1\nq2,m-2,2\n")
    table = read([tmp_path / "m.csv"])
    assert list(table.sources) == ["m-1", "m-2"]
    table = read({"human": tmp_path / "h.csv", "m-1": tmp_path / "m.csv", "m-2": tmp_path / "m.csv"})
    assert list(table.sources) == ["human", "m-1", "m-2"]
    assert table.sources["m-2"].values.tolist() == [1, 2]
    with pytest.raises(DataError, match=r"holds 2 sources \(m-1, m-2\) and none is called 'm-3'"):
        read({"human": tmp_path / "h.csv", "m-3": tmp_path / "m.csv"})


def test_missing_values_are_written_and_read_back(tmp_path):
    frame = pl.DataFrame({"item": [1, 1, 2], "source": "m", "repeat": [1, 2, 1], "value": [1, None, 3]})
    table = read(frame)
    assert table.sources["m"].missing.tolist() == [1, 0]
    write(table, tmp_path / "t.csv")
    assert read(tmp_path / "t.csv").sources["m"].missing.tolist() == [1, 0]


@pytest.mark.parametrize("metric", ["tv", "kl", "js", "cross-entropy", "accuracy"])
def test_a_distribution_counts_as_the_responses_it_stands_for(metric):
    """Shares of tenths and the ten responses that they stand for give the same scores."""
    rng = np.random.default_rng(4)
    n = 12
    tenths = rng.multinomial(10, [0.5, 0.3, 0.2], size=(3, n)).astype(float)
    names = ["a", "b", "c"]

    def table(scale):
        rows = [
            {"item": f"q{i}", "source": source} | {f"p_{name}": tenths[s, i, j] / scale for j, name in enumerate(names)}
            for s, source in enumerate(("gold", "x", "y"))
            for i in range(n)
        ]
        return read(pl.DataFrame(rows), value="p_*").contest(gold="gold", a="x", b="y")

    hard, soft = (compare(table(scale), metric=metric, rng=0) for scale in (1, 10))
    assert soft.a_score == pytest.approx(hard.a_score)
    assert soft.advantage == pytest.approx(hard.advantage)
    assert soft.pvalue == pytest.approx(hard.pvalue)
    assert soft.n_responses == {"gold": 1, "a": 1, "b": 1}


def test_shares_are_written_and_read_back(tmp_path):
    frame = pl.DataFrame({"item": ["x", "y"], "p_no": [0.75, 0.5], "p_yes": [0.25, 0.5]})
    table = read(frame, value="p_*", sources="m")
    for ending in ("csv", "parquet", "jsonl"):
        write(table, tmp_path / f"t.{ending}")
        again = read(tmp_path / f"t.{ending}")
        assert_same(again, table)
        np.testing.assert_allclose(again.sources["m"].weights, table.sources["m"].weights)


@pytest.mark.filterwarnings("ignore::howsure.errors.HowsureWarning")
@pytest.mark.parametrize("responses", ["all", "first", "one", "bootstrap"])
def test_a_distribution_is_kept_whole_where_responses_are_drawn(responses):
    frame = pl.DataFrame(
        {"item": [str(i) for i in range(8)], "p_no": np.arange(8) / 10, "p_yes": 1 - np.arange(8) / 10}
    )
    models = {name: read(frame, value="p_*", sources=name) for name in ("a", "b")}
    gold = read(pl.DataFrame({"item": [str(i) for i in range(8)], "value": ["no", "yes"] * 4}), sources="gold")
    contest = join({"gold": gold} | models).contest(gold="gold", a="a", b="b")
    result = compare(contest, metric="tv", responses=responses, rng=0, n_resamples=99)
    assert result.advantage == 0
    assert (result.draws == 0).all()
    with pytest.raises(ArgumentError, match="mixes single responses, but a model answers with a share"):
        compare(contest, metric="tv", null="permuted-responses", rng=0, n_resamples=99)


def test_a_distribution_is_not_taken_for_single_responses():
    frame = pl.DataFrame({"item": ["x", "y", "z"], "p_no": [0.75, 0.5, 0.1], "p_yes": [0.25, 0.5, 0.9]})
    with pytest.raises(DataError, match="m answers with a share for each label; this needs single responses"):
        fit(read(frame, value="p_*", sources="m"))


def test_a_list_of_sources_keeps_these_whatever_is_read(tmp_path):
    rows = {"item": [1, 1, 1, 2, 2, 3], "model": ["x", "y", "z", "x", "y", "z"], "score": [1, 2, 3, 4, 5, 6]}
    frame = pl.DataFrame(rows)
    frame.write_csv(tmp_path / "t.csv")
    log = inspect_log("m-1", n=3)
    (tmp_path / "log.json").write_text(json.dumps(log))
    for data in (frame, tmp_path / "t.csv"):
        table = read(data, sources=["y", "x"])
        assert list(table.sources) == ["y", "x"]
        assert table.n_items == 2
    assert list(read(tmp_path / "log.json", sources=["m-1"]).sources) == ["m-1"]
    assert list(read(tmp_path / "log.json", sources="mine").sources) == ["mine"]
    both = read({"one": tmp_path / "log.json", "two": tmp_path / "log.json"}, sources=("two",))
    assert list(both.sources) == ["two"]


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        (["m-2"], "no source is called 'm-2'; the table has m-1."),
        ([], "`sources` must list names of sources; got []."),
        ([1], "`sources` must list names of sources; got [1]."),
        ({"m": "kind=x"}, "For logs and several files list the names of sources to keep"),
    ],
)
def test_sources_that_a_log_cannot_have_are_told(sources, message, tmp_path):
    (tmp_path / "log.json").write_text(json.dumps(inspect_log("m-1", n=3)))
    with pytest.raises((ArgumentError, DataError)) as caught:
        read(tmp_path / "log.json", sources=sources)
    assert message in str(caught.value)
