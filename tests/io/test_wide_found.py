"""Wide tables whose sources nobody named: which columns are models, which is gold, and which are neither."""

import pytest

from howsure import doctor, read
from howsure.io.column_names import is_gold, with_role
from howsure.io.columns import Layout
from howsure.io.sheets import open_sheet
from howsure.io.wide import wide_sources
from tests.io.test_shared_data import DATA


def found(folder, text):
    (folder / "t.csv").write_text(text)
    return list(wide_sources(open_sheet(folder / "t.csv"), Layout()))


@pytest.mark.parametrize(
    ("text", "sources"),
    [
        ("task,m1,m2\na,0.5,0.6\nb,0.7,0.2\n", ["m1", "m2"]),
        ("id,gpt-3,gpt-4\na,1,0\nb,1,1\n", ["gpt-3", "gpt-4"]),  # two models, not two runs of gpt
        ("id,rater_1,rater_2,gpt4,llama\na,1,2,1,2\nb,1,1,1,2\n", ["rater_*", "gpt4", "llama"]),
        ("id,x_run1,x_run2,y_run1,y_run2\na,1,2,1,2\nb,1,1,1,2\n", ["x_run*", "y_run*"]),
        ("id,truth,m1,m2\na,yes,no,yes\nb,no,no,yes\n", ["truth", "m1", "m2"]),
        ("id,label,m1,m2,n_tokens\na,y,n,y,9\nb,n,n,y,8\n", ["label", "m1", "m2"]),
        ("id,minishlab__M2V_base_output,NullModel\na,1,2\nb,3,1\n", ["minishlab__M2V_base_output", "NullModel"]),
        # no sources: other people's words, other scales, other roles
        ("id,age,gender\n1,20,1\n2,30,2\n", []),
        ("id,StartDate,EndDate\n1,20,21\n2,21,22\n", []),
        ("question,faithfulness,answer_relevancy\nq,0.5,0.6\nr,0.5,0.1\n", []),
        ("task_id,reward,trial\n1,1,0\n1,0,1\n", []),
        ("id,author,text\n1,ann,some text\n2,bob,other text\n3,cay,third text\n", []),
        ("id,m1,height\n1,0.5,180\n2,0.7,160\n", []),  # not one scale
        ("id,colour,shape\n1,red,round\n2,blue,square\n3,red,round\n4,blue,square\n", []),
    ],
)
def test_which_columns_are_sources(tmp_path, text, sources):
    assert found(tmp_path, text) == sources


def test_a_column_is_gold_only_if_its_whole_name_is_a_word_for_gold():
    for name in ("human", "Ground Truth", "gold_label", "rater_*", "annotator3", "expected", "label"):
        assert is_gold(name), name
    for name in ("deepvk__USER-base", "gold-7b", "human-like-llama", "labelformer", "expert-mix-8x7b"):
        assert not is_gold(name), name


@pytest.mark.parametrize(
    ("columns", "roles"),
    [
        (["Ticket ID", "Bot", "Reviewer", "Rating"], ["Ticket ID", "Bot", "Rating", "Reviewer"]),
        (["model", "id", "correct"], ["id", "model", "correct", None]),
        (["case_id", "model_id", "is_correct", "worker_id"], ["case_id", "model_id", "is_correct", "worker_id"]),
        (["session_id", "run_id"], [None, None, None, None]),
    ],
)
def test_roles_by_meaning(columns, roles):
    for role, column in zip(("item", "source", "value", "rater"), roles, strict=True):
        assert with_role(columns, role) == ([] if column is None else [column])


def test_a_wide_table_is_ranked_without_options(tmp_path, howsure):
    path = tmp_path / "scores.csv"
    path.write_text("task,m1,m2,m3\n" + "".join(f"t{i},{i % 7},{i % 3},{i % 5}\n" for i in range(30)))
    done = howsure("leaderboard", str(path), "--verbose")
    assert done.returncode == 0, done.stderr
    assert "Read as a wide table: its columns are m1, m2 and m3." in done.stdout
    assert list(read(path).sources) == ["m1", "m2", "m3"]


def test_labels_without_gold_take_the_column_that_is_called_so(tmp_path, howsure):
    path = tmp_path / "labels.csv"
    path.write_text(
        "id,truth,m1,m2\n" + "".join(f"{i},{'yn'[i % 2]},{'yn'[i % 2]},{'yn'[i % 3 % 2]}\n" for i in range(9))
    )
    for command in ("compare", "leaderboard"):
        done = howsure(command, str(path))
        assert done.returncode == 0, done.stderr
        assert "accuracy" in done.stdout
        assert "Note: Gold is truth, by its name. Change it with --gold." in done.stdout


def test_numbers_may_be_compared_without_gold_so_a_person_is_asked_for(tmp_path, howsure):
    path = tmp_path / "numbers.csv"
    path.write_text("id,human,m1,m2\n" + "".join(f"{i},{i % 5},{i % 4},{i % 3}\n" for i in range(9)))
    done = howsure("compare", str(path))
    assert done.returncode == 2
    assert "the files hold human, m1, m2. If human is gold, say so: --gold human." in done.stderr
    done = howsure("leaderboard", str(path))
    assert done.returncode == 2
    assert "human may be what people say, or one of the models: --gold human measures" in done.stderr
    assert howsure("leaderboard", str(path), "--model", "human,m1,m2").returncode == 0
    for command in ("score", "reliability"):
        done = howsure(command, str(path))
        assert done.returncode == 2
        assert "human may be what people say, or one of the models: --gold human measures" in done.stderr
    assert howsure("score", str(path), "--model", "human,m1,m2").returncode == 0


def test_gold_beside_one_model_is_gold_for_a_score(tmp_path, howsure):
    """A source called gold was scored as a model, without a word."""
    path = tmp_path / "one.csv"
    path.write_text("id,gold,m1\n" + "".join(f"{i},{i % 5},{i % 4}\n" for i in range(9)))
    done = howsure("score", str(path))
    assert "m1: mean absolute error" in done.stdout
    assert "gold: " not in done.stdout
    assert "Note: Gold is gold, by its name. Change it with --gold." in done.stdout
    path.write_text("id,human,m1\n" + "".join(f"{i},{i % 5},{i % 4}\n" for i in range(9)))
    assert "human may be what people say" in howsure("score", str(path)).stderr


@pytest.mark.parametrize(("name", "n_models"), [("mteb_english_v2.csv", 192), ("alpaca_eval_wins.csv", 58)])
@pytest.mark.skipif(not DATA.is_dir(), reason="the shared data are not here")
def test_no_model_of_a_real_table_is_lost(name, n_models):
    assert len(read(DATA / name).sources) == n_models
    command = doctor(DATA / name).commands[0]
    assert command.startswith("howsure compare ")
    assert "--gold" not in command
