import polars as pl
import pytest

from howsure import ArgumentError, DataError
from howsure.documents import Aside
from howsure.io.files import contest_from, table_from

TIDY = """item,source,rater,value,topic
q1,human,ann,3,sport
q1,human,bob,4,sport
q1,m1,,3,sport
q1,m2,,1,sport
q2,human,bob,5,law
q2,m1,,1,law
q2,m2,,2,law
"""
CONDITIONS = """item_id,kind,source,rep,value
q1,human,r1,0,3
q1,human,r2,0,4
q1,model,m1,0,3
q1,model,m2,0,1
"""
WIDE = """id,rater_1,rater_2,gpt4,llama,topic
q1,3,4,3,1,sport
q2,,5,1,2,law
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {"tidy.csv": TIDY, "conditions.csv": CONDITIONS, "wide.csv": WIDE}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "people.csv").write_text("id,worker,rating\nq1,ann,3\nq1,bob,4\nq2,bob,5\n")
    (tmp_path / "a.jsonl").write_text(
        '{"item": "q2", "score": 1, "topic": "law"}\n{"item": "q1", "score": 3, "topic": "sport"}\n'
    )
    pl.DataFrame({"item": ["q1", "q3"], "model": ["llama-7b"] * 2, "value": [1, 2]}).write_parquet("b.parquet")
    return tmp_path


def values(contest):
    return {role: source.values.tolist() for role, source in contest.sources.items()}


def test_plain_names_are_values_of_the_source_column():
    contest = contest_from(["tidy.csv"], gold="human", a="m1", b="m2", by="topic")
    assert values(contest) == {"gold": [3, 4, 5], "a": [3, 1], "b": [1, 2]}
    assert contest.names == ("human", "m1", "m2")
    assert isinstance(contest.notes[0], Aside)
    assert contest.groups["topic"].tolist() == ["sport", "law"]
    assert contest.gold.raters is not None


def test_columns_can_be_given():
    contest = contest_from(
        ["tidy.csv"],
        gold="human",
        a="m1",
        b="m2",
        item="item",
        source="source",
        value="value",
        rater="rater",
        repeat="",
    )
    assert contest.notes == ()


def test_other_sources_of_the_table_do_not_matter(folder):
    (folder / "tidy.csv").write_text(TIDY + "q1,odd,,what,sport\n")
    assert contest_from(["tidy.csv"], gold="human", a="m1", b="m2").scale.kind == "ordinal"


def test_without_gold_the_contest_is_gold_free():
    contest = contest_from(["tidy.csv"], a="m1", b="m2")
    assert contest.gold is None
    assert contest.names == ("", "m1", "m2")


@pytest.mark.parametrize("a", ["source=m1", "m1"])
def test_conditions_and_names_may_be_mixed(a):
    contest = contest_from(["conditions.csv"], gold="kind=human", a=a, b="source=m2")
    assert values(contest) == {"gold": [3, 4], "a": [3], "b": [1]}
    assert contest.names == ("human", "m1", "m2")
    assert contest.raters == ("r1", "r2")
    assert "rater = source" in contest.notes[0]


def test_columns_and_globs_make_a_wide_table():
    contest = contest_from(["wide.csv"], gold="rater_*", a="gpt4", b="llama", by="topic")
    assert values(contest) == {"gold": [3, 4, 5], "a": [3, 1], "b": [1, 2]}
    assert contest.names == ("rater_*", "gpt4", "llama")
    assert contest.notes[0] == (
        "Read as a wide table: rater_* is rater_1, rater_2; gpt4 is a column; llama is a column."
    )
    assert contest.groups["topic"].tolist() == ["sport", "law"]


def test_a_wide_table_may_have_columns_that_look_tidy(folder):
    (folder / "wide.csv").write_text("id,source,value,human,x,y\n1,web,9,1,2,3\n")
    assert values(contest_from(["wide.csv"], gold="human", a="x", b="y")) == {"gold": [1], "a": [2], "b": [3]}


def test_one_file_per_source():
    contest = contest_from(
        ["human=people.csv", "gpt-4=a.jsonl", "llama=b.parquet"], gold="human", a="gpt-4", b="llama", by=["topic"]
    )
    assert values(contest) == {"gold": [3, 4], "a": [3], "b": [1]}
    assert contest.items.tolist() == ["q1"]
    assert contest.groups["topic"].tolist() == ["sport"]
    assert contest.notes == (
        "Columns of people.csv guessed from their names: item = id, value = rating, rater = worker.",
        "Columns of a.jsonl guessed from their names: item = item, value = score.",
        "Columns of b.parquet guessed from their names: item = item, value = value.",
        "Joined 3 tables on the item id: 1 of 3 items are in all of them; human lacks 1 (first: q3); "
        "gpt-4 lacks 1 (first: q3); llama lacks 1 (first: q2).",
        "2 of 3 items left out: 1 without a response from human (first: item q3); "
        "1 without a response from gpt-4 (first: item q3); 1 without a response from llama (first: item q2).",
    )


def test_a_column_is_used_in_the_files_that_have_it():
    table = table_from(["human=people.csv", "gpt-4=a.jsonl"], value="rating", rater="worker")
    assert table.sources["gpt-4"].values.tolist() == [3, 1]
    with pytest.raises(DataError, match=r"people\.csv has no column 'stars'; it has id, worker, rating\."):
        table_from(["human=people.csv", "gpt-4=a.jsonl"], value="stars")


def test_a_named_file_may_hold_other_sources_beside_its_own():
    table = table_from(["human=tidy.csv", "gpt-4=a.jsonl"])
    assert table.sources["human"].values.tolist() == [3, 4, 5]
    with pytest.raises(DataError) as caught:
        table_from(["people=tidy.csv", "gpt-4=a.jsonl"])
    assert str(caught.value) == (
        "tidy.csv holds 3 sources (human, m1, m2) and none is called 'people'. "
        "If column 'source' names raters, say so: `rater='source'`."
    )


def test_a_whole_table_or_a_single_named_one():
    assert list(table_from(["tidy.csv"]).sources) == ["human", "m1", "m2"]
    assert list(table_from(["human=people.csv"]).sources) == ["human"]
    assert list(table_from(["wide.csv"], sources=["rater_*", "gpt4"]).sources) == ["rater_*", "gpt4"]


def test_scale_and_order_reach_the_reader(folder):
    (folder / "words.csv").write_text("item,source,value\n1,a,low\n1,b,high\n")
    assert contest_from(["words.csv"], a="a", b="b", order="low,mid,high").b.values.tolist() == [2]
    assert contest_from(["tidy.csv"], a="m1", b="m2", scale="continuous").scale.kind == "continuous"


def test_a_file_with_an_equals_sign_in_its_name(folder):
    (folder / "seed=1.csv").write_text(TIDY)
    assert contest_from(["seed=1.csv"], a="m1", b="m2").n_items == 2


@pytest.mark.parametrize(
    ("files", "options", "error", "expected"),
    [
        (
            [], {}, ArgumentError,
            "give a table of responses, for example ratings.csv, or one for each source: human=ratings.csv.",
        ),
        (
            ["people.csv", "a.jsonl"], {}, ArgumentError,
            "people.csv does not say whose responses it holds; name it: people=people.csv.",
        ),
        (
            ["human=people.csv", "a.jsonl"], {}, ArgumentError,
            "a.jsonl does not say whose responses it holds; name it: a=a.jsonl.",
        ),
        (["human=", "x=a.jsonl"], {}, ArgumentError, "a named table is written name=file; got 'human='."),
        (["x=people.csv", "x=./people.csv"], {}, ArgumentError, "./people.csv is given twice; give it once."),
        (
            ["human=people.csv", "m1=a.jsonl"], {"gold": "humans"}, ArgumentError,
            "no table is called 'humans'; the tables are human, m1. Did you mean 'human'?",
        ),
        (
            ["human=nowhere.csv", "m1=a.jsonl", "m2=b.parquet"], {}, DataError,
            "there is no file nowhere.csv. Did you mean 'wide.csv'?",
        ),
        (["tidy.csv"], {"a": "m3"}, DataError, "tidy.csv has no row where source is 'm3'; it has human, m1, m2."),
        (
            ["tidy.csv"], {"a": "human"}, ArgumentError,
            "`gold`, `a` and `b` must be different sources; got human, human, m2.",
        ),
        (
            ["tidy.csv"], {"a": "model=m1"}, DataError,
            "tidy.csv has no column 'model'; it has item, source, rater, value, topic.",
        ),
        (
            ["wide.csv"], {"gold": "rater_*", "a": "gpt5", "b": "llama"}, DataError,
            "wide.csv: no source column found; pass its name with `source` "
            "(columns: id, rater_1, rater_2, gpt4, llama, topic). "
            "If all rows are of one source, name it: sources='human' (human=FILE on the command line).",
        ),
        (
            ["wide.csv"], {"gold": "rater_*", "a": "gpt4", "b": "llama", "rater": "topic"}, ArgumentError,
            "`rater` must name a source that has several columns, or its columns; got 'topic'. Such sources: "
            "rater_*.",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_meant(files, options, error, expected):
    with pytest.raises(error) as caught:
        contest_from(files, **{"gold": "human", "a": "m1", "b": "m2"} | options)
    assert str(caught.value) == expected
