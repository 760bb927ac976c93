"""The doctor says what files are, and every command it names runs."""

import json
import shlex
import time

import pytest

from howsure import Diagnosis
from howsure.documents import Code
from howsure.documents.text import cell_width
from howsure.errors import DataError
from howsure.io import doctor, read
from tests.io.readers.made import FILES, eval_file, inspect_log


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for number, name in enumerate(("m-1", "m-2", "m-3")):
        eval_file(tmp_path / f"{name}.eval", inspect_log(name, n=6, marks="CI" + "C" * number))
    (tmp_path / "tidy.csv").write_text(
        "item,source,rater,value\n"
        + "".join(f"q{i},human,{who},{1 + (i + j) % 5}\n" for i in range(6) for j, who in enumerate(("ann", "bob")))
        + "".join(f"q{i},{m},,{1 + i % n}\n" for i in range(6) for n, m in ((3, "x"), (4, "y")))
    )
    (tmp_path / "wide.csv").write_text(
        "id,rater_1,rater_2,gpt4,llama\n" + "".join(f"q{i},{i % 3},{i % 4},{i % 2},{i % 5}\n" for i in range(6))
    )
    (tmp_path / "kinds.csv").write_text(
        "item,kind,source,value\n"
        + "".join(f"q{i},human,r{j},{'a' if i + j < 4 else 'b'}\n" for i in range(6) for j in range(2))
        + "".join(f"q{i},model,{m},{'ab'[i % n]}\n" for i in range(6) for n, m in ((2, "x"), (1, "y")))
    )
    FILES["mqm"](tmp_path)
    return tmp_path


CASES = {
    "two logs": (["m-1.eval", "m-2.eval"], "m-1 and m-2 can be compared by their own scores, without gold."),
    "three logs": (["m-1.eval", "m-2.eval", "m-3.eval"], "m-1 and m-2 can be compared by their own scores, "),
    "tidy": (["tidy.csv"], "x and y can be compared by how close they are to human."),
    "wide": (["wide.csv"], "gpt4 and llama can be compared by how close they are to rater_*."),
    "mqm": (["mqm.tsv"], "A and B can be compared by their own scores, without gold; lower is better."),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_supported_and_that_its_commands_run(name, howsure):
    files, sentence = CASES[name]
    found = doctor(files)
    assert any(sentence in said for said in found.supports)
    assert found.commands
    assert Code("\n".join(found.commands[:3])) in found.document().blocks
    for command in found.commands:
        done = howsure(*shlex.split(command)[1:])
        assert done.returncode == 0, f"{command}\n{done.stderr}"


def test_two_logs_of_one_model_get_names(folder):
    log = inspect_log("m-1", n=6)
    log["eval"]["eval_id"] = "other"
    eval_file(folder / "again.eval", log)
    found = doctor(["m-1.eval", "again.eval"])
    assert found.supports == (
        "The score of m-1 can be estimated, with its confidence interval.",
        "How far runs of m-1 differ can be estimated.",
    )
    assert "These files can be scored, but hold no two models to compare." in str(found)
    assert found.commands[:3] == (
        "howsure compare m-1=m-1.eval again=again.eval",
        "howsure score m-1.eval again.eval",
        "howsure reliability m-1.eval again.eval",
    )


def test_one_model_is_scored(howsure):
    found = doctor("m-1.eval")
    assert [shlex.split(command)[1] for command in found.commands[:2]] == ["score", "reliability"]
    for command in found.commands:
        assert howsure(*shlex.split(command)[1:]).returncode == 0, command


def test_ratings_say_which_are_better(folder):
    (folder / "rated.csv").write_text("item,model,score\n1,x,3\n1,y,4\n2,x,1\n2,y,5\n", encoding="utf-8")
    (folder / "right.csv").write_text("item,model,score\n1,x,1\n1,y,0\n2,x,1\n2,y,1\n", encoding="utf-8")
    said = "x and y can be compared by their own scores, without gold"
    assert doctor("rated.csv").supports[0] == f"{said}; higher is better unless you add --better lower."
    assert doctor("right.csv").supports[0] == f"{said}."


def test_raters_of_different_items_do_not_agree_or_disagree(folder):
    rows = [f"{item},{model},r{item % 2},{item}" for item in range(6) for model in ("x", "y")]
    (folder / "split.csv").write_text("item,model,rater,score\n" + "\n".join(rows), encoding="utf-8")
    found = doctor("split.csv")
    assert not any("agreement" in said for said in found.supports)
    assert not any("no rater ids" in said for said in found.lacks)


def test_totals_say_where_the_items_are(folder):
    (folder / "results_2026.json").write_text('{"results": {"quiz": {"acc": 0.5}}}', encoding="utf-8")
    told = "an aggregate without items; per-item scores are in samples_*.jsonl beside it."
    assert doctor("results_2026.json").lacks == (f"results_2026.json is {told}",)
    with pytest.raises(DataError, match="is an aggregate without items"):
        read("results_2026.json")


def test_several_scorers_are_told(folder):
    eval_file(folder / "two.eval", inspect_log(scorers=("match", "judge")))
    found = doctor("two.eval")
    assert found.lacks[0] == "two.eval has 2 scorers (match and judge); choose one with --scorer."
    assert all("--scorer match" in command for command in found.commands)


def test_what_cannot_be_read_says_why(folder):
    (folder / "bad.eval").write_bytes(b"PK\x03\x04 nonsense")
    found = doctor("bad.eval")
    assert not found.supports
    assert not found.commands
    assert found.files[0].format == "not readable"
    assert "bad.eval is damaged or cut off" in found.lacks[0]


def test_a_table_of_people_and_models_gets_conditions():
    found = doctor("kinds.csv")
    assert found.commands == ("howsure compare kinds.csv --gold kind=human --a source=x --b source=y",)
    assert found.files[0].n_models == 2


def test_people_and_models_that_read_as_one_tidy_table_get_conditions_too(folder):
    rows = [f"{item},human,p{item},3" for item in range(4)]
    rows += [f"{item},model,{name},{item}" for name in ("x", "y") for item in range(4)]
    (folder / "apart.csv").write_text("item_id,kind,source,value\n" + "\n".join(rows), encoding="utf-8")
    found = doctor("apart.csv")
    assert found.commands == ("howsure compare apart.csv --gold kind=human --a source=x --b source=y",)


def test_the_diagnosis_is_a_record():
    found = doctor(["m-1.eval", "m-2.eval"])
    assert Diagnosis.from_dict(found.to_dict()) == found
    assert "2 files (inspect), task demo, 6 items in each." in str(found)


def test_convert_keeps_everything(howsure):
    done = howsure("convert", "m-1.eval", "m-2.eval", "--out", "t.parquet")
    assert done.returncode == 0, done.stderr
    assert "t.parquet: 6 items; responses: m-1 (12), m-2 (12)" in done.stdout
    table, again = read(["m-1.eval", "m-2.eval"]), read("t.parquet")
    for name in ("m-1", "m-2"):
        assert table.sources[name].values.tolist() == again.sources[name].values.tolist()
    for arguments, message in (
        (["--out", "t.parquet"], "t.parquet exists already"),
        (["--out", "m-1.eval"], "must be a file that ends in"),
        (["--out", "x.csv", "--scorer", "x"], ""),
    ):
        done = howsure("convert", "m-1.eval", *arguments)
        assert (done.returncode != 0) == bool(message)
        assert message in done.stderr


def test_convert_says_where_lower_is_better(howsure):
    done = howsure("convert", "mqm.tsv", "--out", "mqm.csv")
    assert (
        "Lower values are better, as the data say. A table cannot say this: compare it with --better lower."
        in done.stdout
    )


def test_many_models_get_a_leaderboard(howsure):
    found = doctor(["m-1.eval", "m-2.eval", "m-3.eval"])
    assert "All 3 models can be ranked (m-1, m-2 and m-3)." in found.supports
    assert "howsure leaderboard m-1.eval m-2.eval m-3.eval" in found.commands


def test_a_folder_with_several_tasks_keeps_their_items_apart(folder, howsure):
    (folder / "out").mkdir()
    for task, metric in (("gen", "exact_match"), ("mc", "acc")):
        lines = [
            {"doc_id": i, "target": "", "resps": [["x"]], "filter": "none", "metrics": [metric], metric: i % 2}
            for i in range(3)
        ]
        name = f"samples_{task}_2026-01-21T03-44-18.458309.jsonl"
        (folder / "out" / name).write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    found = doctor("out")
    assert [report.n_items for report in found.files] == [3, 3]
    assert found.lacks[0].startswith("gen: The data hold only one model, out.")
    for command in found.commands:
        assert howsure(*shlex.split(command)[1:]).returncode == 0, command


def test_people_are_no_model(folder):
    (folder / "people.json").write_text(json.dumps([
        {"id": 1, "data": {}, "predictions": [], "annotations": [
            {"completed_by": 1, "result": [{"from_name": "q", "value": {"rating": 3}}]}]}
    ]))  # fmt: skip
    assert doctor("people.json").lacks[0].startswith("The data hold human answers (human) but no model.")
    assert "This file cannot be compared as it is." in str(doctor("people.json"))
    assert doctor("people.json").files[0].holds == "1 item; human; 1 rater"


def test_people_alone_are_described(folder):
    path = FILES["lewidi-2025"](folder)
    found = doctor(str(path))
    assert "This file holds ratings to describe, but no two models." in str(found)
    assert found.commands[0] == f"howsure describe {path}"


def test_21_files_fit_one_screen_and_are_called_by_their_names(folder):
    for number in range(18):
        (folder / "logs" / f"run-{number}").mkdir(parents=True)
        (folder / "logs" / f"run-{number}" / f"results_of_a_long_task_2026-01-21T03-44-18.{number:06}.json").write_text(
            "{"
        )
    files = ["m-1.eval", "m-2.eval", "tidy.csv", *sorted(str(path) for path in folder.glob("logs/*/*.json"))]
    found = doctor(files)
    lines = str(found).splitlines()
    assert len(lines) <= 40
    tables = [line for line in lines if line[:1] in "┏┃┡│└" and line]
    assert max(map(cell_width, tables)) <= 80
    assert len(tables) == 21 + 4
    assert str(folder) not in str(found)
    assert [report.format for report in found.files[:3]] == ["inspect", "inspect", "table, 4 columns"]
    assert [(report.n_items, report.n_models) for report in found.files[:3]] == [(6, 1), (6, 1), (6, 2)]
    assert all(len(report.problems) == 1 for report in found.files[3:])
    assert "Missing information (19 problems)" in str(found) or "Missing information (18 problems)" in str(found)
    assert {said for report in found.files for said in report.problems} <= set(found.lacks)


def test_files_of_one_name_keep_their_folders_and_commands_their_paths(folder):
    for name in ("a", "b"):
        (folder / name).mkdir()
        eval_file(folder / name / "run.eval", inspect_log(f"model-{name}", n=6, marks="CI"))
    found = doctor([str(folder / name / "run.eval") for name in ("a", "b")])
    assert [report.name for report in found.files] == ["a/run.eval", "b/run.eval"]
    assert found.commands[0].startswith(f"howsure compare {folder}/a/run.eval {folder}/b/run.eval ")


def test_a_table_without_an_item_says_what_to_type(folder, howsure):
    (folder / "t.csv").write_text("name,source,score\nq1,x,some long text\n")
    said = howsure("doctor", str(folder / "t.csv")).stdout
    assert "t.csv: no item column found; pass its name with --item (columns: name, source, score)." in said
    assert str(folder) not in said


@pytest.mark.parametrize("name", CASES)
def test_the_default_output_fits(name):
    lines = str(doctor(CASES[name][0])).splitlines()
    assert len(lines) <= 30
    assert max(cell_width(line) for line in lines if line[:1] in "┏┃┡│└" and line) <= 80
    assert len([line for line in lines if line.startswith("    howsure ")]) <= 3


def test_a_role_that_is_nested_is_not_counted(folder):
    (folder / "nested.json").write_text(json.dumps([{"prompt": {"text": "x"}, "model": "m", "score": 1}]))
    report = doctor("nested.json").files[0]
    assert (report.n_items, report.n_models) == (None, 1)


@pytest.mark.parametrize(
    "text",
    [
        "task_id,reward,trial\n1,1,0\n1,0,1\n2,1,0\n2,1,1\n",
        "author,text\nann,some words\nbob,other words\n",
        "age,gender\n20,1\n30,2\n40,1\n",
        "StartDate,EndDate,Q1\n1,2,3\n2,3,4\n",
        "question,contexts,answer\nq1,c1,a1\nq2,c2,a2\n",
    ],
)
def test_columns_of_no_known_role_are_never_proposed(folder, text):
    (folder / "t.csv").write_text(text)
    found = doctor("t.csv")
    assert not [command for command in found.commands if command.startswith("howsure compare")]
    assert found.lacks


def test_a_column_of_gold_comes_with_commands_that_work(folder, howsure):
    (folder / "t.csv").write_text(
        "prompt,truth,m1,m2\n" + "".join(f"p{i},{i % 2},{i % 2},{i % 3 % 2}\n" for i in range(9))
    )
    found = doctor("t.csv")
    assert found.commands[0] == "howsure compare t.csv --gold truth --a m1 --b m2"
    for command in found.commands:
        assert howsure(*shlex.split(command)[1:]).returncode == 0, command


def test_what_blocks_a_command_is_said_with_the_option_that_helps(folder):
    (folder / "t.csv").write_text("id,m1,m2\n" + "".join(f"{i},{'ab'[i % 2]},{'ab'[i % 3 % 2]}\n" for i in range(6)))
    found = doctor("t.csv")
    assert found.lacks[0] == (
        "The models answer in labels, and nothing says which are right. Name the gold labels: --gold."
    )


def test_a_table_of_people_alone_gets_their_agreement(folder, howsure):
    rows = "".join(f"q{i},human,Ann{j},{(i + j) % 3}\n" for i in range(6) for j in range(3))
    (folder / "people.csv").write_text(f"item_id,kind,source,value\n{rows}")
    found = doctor("people.csv")
    assert found.commands == ("howsure describe human=people.csv --rater source",)
    assert howsure(*found.commands[0].split()[1:]).returncode == 0


def test_many_columns_take_time_in_proportion_to_their_number(tmp_path):
    """3 rows of 5,000 columns took 18 s of processor time, now 2.5 s; the bound leaves room for slow machines."""
    columns = [f"c{number}" for number in range(5_000)]
    rows = [[f"q{row}", *(str(1 + (7 * row + number) % 5) for number in range(5_000))] for row in range(3)]
    (tmp_path / "t.csv").write_text("\n".join(map(",".join, [["item", *columns], *rows])) + "\n")
    started = time.process_time()
    diagnosis = doctor(tmp_path / "t.csv")
    assert time.process_time() - started < 9
    assert "All 5000 models can be ranked" in " ".join(diagnosis.supports)
