"""Files as people name them on the command line: logs, globs, several files, a gold standard of its own."""

import json

import pytest

from howsure import ArgumentError, DataError
from howsure.io.files import File, contest_from, named_files, table_from
from tests.io.readers.made import FILES, eval_file, inspect_log


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("m-1", "m-2"):
        log = inspect_log(name, n=4, epochs=3)
        for i, sample in enumerate(log["samples"]):
            sample["scores"]["match"]["value"] = 1 + (i * len(name) + (name == "m-2") * i) % 5
        eval_file(tmp_path / f"{name}.eval", log)
    (tmp_path / "ratings.csv").write_text(
        "id,who,label,other\n" + "".join(f"q{i},{who},{1 + i},{5 - i}\n" for i in range(4) for who in ("ann", "bob"))
    )
    return tmp_path


def test_two_logs_are_compared_by_their_models():
    contest = contest_from(["m-1.eval", "m-2.eval"])
    assert contest.names == ("", "m-1", "m-2")
    assert contest.n_responses == {"a": 3, "b": 3}
    assert "A is m-1 and B is m-2: the files hold no other models." in contest.notes
    assert contest_from(["m-1.eval", "m-2.eval"], a="m-2", b="m-1").names == ("", "m-2", "m-1")


def test_a_glob_names_files():
    assert contest_from(["m-*.eval"]).names == ("", "m-1", "m-2")
    with pytest.raises(DataError, match=r"no file matches x\*\.eval"):
        contest_from(["x*.eval"])


def test_gold_may_be_a_file_of_its_own():
    contest = contest_from(["m-1.eval", "m-2.eval"], gold="ratings.csv")
    assert contest.names == ("gold", "m-1", "m-2")
    assert contest.gold.sizes.tolist() == [2, 2, 2, 2]
    assert contest.raters == ("ann", "bob")


def test_gold_may_be_an_export(folder):
    FILES["argilla"](folder)
    contest = contest_from(["m-1.eval", "m-2.eval"], gold="records.json")
    assert contest.names == ("human", "m-1", "m-2")
    assert contest.n_items == 3


def test_each_file_may_have_its_own_value_column():
    table = table_from(["human=ratings.csv:label", "other=ratings.csv:other"])
    assert table.sources["human"].values.tolist() == [1, 1, 2, 2, 3, 3, 4, 4]
    assert table.sources["other"].values.tolist() == [5, 5, 4, 4, 3, 3, 2, 2]


def test_several_files_of_one_source_are_repeats(folder):
    (folder / "a1.csv").write_text("id,score\nq0,1\nq1,2\n")
    (folder / "a2.csv").write_text("id,score\nq0,3\nq1,4\n")
    table = table_from(["a=a1.csv", "a=a2.csv"])
    assert table.sources["a"].values.tolist() == [1, 3, 2, 4]
    assert table.raters == ()
    assert table_from(["a=a?.csv"]).sources["a"].values.tolist() == [1, 3, 2, 4]


def test_a_path_that_exists_is_never_anything_else(folder):
    (folder / "r[1].csv").write_text("id,score\nq0,1\n")
    (folder / "x=r:1.csv").write_text("id,score\nq0,1\n")
    assert named_files(["r[1].csv", "x=r:1.csv"]) == [File("r[1].csv"), File("x=r:1.csv")]


def test_a_gold_column_of_a_tidy_table(folder):
    (folder / "t.csv").write_text("item,model,pred,truth\n1,a,x,x\n1,b,y,x\n2,a,y,y\n2,b,y,y\n")
    contest = contest_from(["t.csv"], gold="truth", a="a", b="b")
    assert contest.names == ("truth", "a", "b")
    assert contest.gold.values.tolist() == [0, 1]
    assert contest_from(["t.csv"], gold="truth").names == ("truth", "a", "b")


@pytest.mark.parametrize(
    ("files", "options", "message"),
    [
        (["m-1.eval"], {}, "the files hold m-1 alone. Two logs of one model are its repeats; name them"),
        (["m-1.eval", "m-2.eval"], {"a": "m-1"}, "`a` and `b` go together; got a alone."),
        (["m-1.eval", "m-2.eval"], {"a": "m-1", "b": "m-3"}, "no source is called 'm-3'; the table has m-1, m-2."),
        (["m-1.eval", "ratings.csv"], {}, "ratings.csv does not say whose responses it holds; name it: ratings="),
        (["m-1.eval", "m-1.eval"], {}, "m-1.eval is given twice; give it once."),
    ],
)
def test_what_cannot_be_meant(files, options, message):
    with pytest.raises((ArgumentError, DataError)) as caught:
        contest_from(files, **options)
    assert message in str(caught.value)


def test_the_answer_of_a_log_can_be_compared_with_labels(folder):
    for name in ("m-1", "m-2"):
        log = inspect_log(name, n=4, epochs=1)
        (folder / f"{name}.json").write_text(json.dumps(log))
    (folder / "labels.csv").write_text("id,label\n" + "".join(f"q{i},{'yes' if i else 'no'}\n" for i in range(4)))
    contest = contest_from(["m-1.json", "m-2.json"], gold="labels.csv", value="answer")
    assert contest.scale.labels == ("no", "yes")


def test_gold_is_the_only_source_that_people_judged(folder):
    rows = [f"q{i},human,{who},{1 + (i + n) % 5}" for i in range(8) for n, who in enumerate(("ann", "bob"))]
    rows += [f"q{i},{model},,{1 + i % n}" for i in range(8) for n, model in ((4, "m-1"), (5, "m-2"))]
    (folder / "judged.csv").write_text("\n".join(["item,source,rater,value", *rows]) + "\n")
    contest = contest_from(["judged.csv"])
    assert contest.names == ("human", "m-1", "m-2")
    assert "Gold is human, by its name. Change it with `gold`." in contest.notes


def test_numbered_columns_are_named_by_what_they_share(folder):
    (folder / "wide.csv").write_text("item,human_1,human_2,claude-2,claude-3\nx,1,2,3,4\ny,2,2,1,3\nz,4,3,4,4\n")
    contest = contest_from(["wide.csv"], gold="human", a="claude-2", b="claude-3")
    assert contest.gold.sizes.tolist() == [2, 2, 2]
    with pytest.raises(DataError):  # two models, not two runs of one
        contest_from(["wide.csv"], gold="human", a="claude", b="claude-3")
