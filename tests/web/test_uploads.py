"""What can be dropped: Excel, semicolons, logs, several files, a folder as .zip; and what is kept of a table."""

import dataclasses
import io
import zipfile
from pathlib import Path

import openpyxl
import polars as pl
import pytest

from howsure.errors import DataError
from howsure.web.data_page import likeliest, moved_roles
from howsure.web.uploads import Upload, gathered, judge_among, safe_name, unpacked
from tests.web.browser import shared_file

ROWS = [(f"i{i}", source, (i * k) % 5) for i in range(20) for k, source in enumerate(("human", "m1", "m2"), 1)]


def added(client, *files):
    answer = client.post("/api/v1/tables", files=[("file", file) for file in files])
    assert answer.status_code == 201, answer.text
    return answer.json()


def zipped(**files):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def test_excel_and_semicolons_are_tables(client):
    frame = pl.DataFrame(ROWS, schema=["item", "source", "value"], orient="row")
    book, workbook = openpyxl.Workbook(), io.BytesIO()
    for row in (frame.columns, *ROWS):
        book.active.append(row)
    book.save(workbook)
    for name, content in (("r.xlsx", workbook.getvalue()), ("r.csv", frame.write_csv(separator=";").encode())):
        seen = added(client, (name, content))
        assert seen["sources"] == {"human": 20, "m1": 20, "m2": 20}, name
        assert seen["column_roles"] == {"item": "item", "source": "source", "value": "value"}, name
        page = client.get(f"/tables/{seen['table']}")
        assert "likeliest answer" in page.text, name


def test_logs_keep_their_names_and_become_one_folder(client):
    folder = shared_file("logs/inspect")
    logs = [folder / "data_arc_qwen.json", folder / "data_arc_sonnet.json"]
    long = "x" * 70
    seen = added(client, *((f"{long}{log.name}", log.read_bytes()) for log in logs))
    assert seen["files"] == ["logs"]
    assert len(seen["sources"]) == 2
    assert not any(long[:20] in name for name in seen["sources"])  # models, not names of files
    assert client.post("/api/v1/compare", json={"table": seen["table"]}).status_code == 200


def test_a_folder_goes_up_as_zip(client):
    folder = shared_file("logs/inspect")
    files = {f"runs/{name}": (folder / name).read_bytes() for name in ("data_arc_qwen.json", "data_arc_sonnet.json")}
    seen = added(client, ("my runs.zip", zipped(**files, **{"__MACOSX/runs/._x": b"", "runs/.DS_Store": b""})))
    assert seen["files"] == ["runs"]
    assert len(seen["sources"]) == 2
    page = client.get(f"/compare?table={seen['table']}")
    assert page.status_code == 200
    assert "howsure compare runs" in page.text


def test_a_log_that_leaves_a_choice_open_is_kept_and_told(client):
    folder = shared_file("logs/lm_eval/toy_repeats4")
    seen = added(client, *((place.name, place.read_bytes()) for place in sorted(folder.iterdir())))
    page = client.get(f"/tables/{seen['table']}")
    assert page.status_code == 200
    assert "“Filter of the log”" in page.text
    csrf = page.text.partition('name="csrf" value="')[2][:64]
    sent = {"csrf": csrf, "filter": "score-first", "where": "task=toy_gen"}
    client.post(f"/tables/{seen['table']}/correct", data=sent)
    assert client.get(f"/api/v1/tables/{seen['table']}").json()["sources"]


def test_a_zip_cannot_leave_its_folder_or_grow(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("evil.zip").write_bytes(zipped(**{"../../out.csv": b"a", "/etc/x.csv": b"b", "ok/../..\\y.csv": b"c"}))
    folder = unpacked("evil.zip", 10_000)["folder"]
    assert {path.relative_to(tmp_path).parts[0] for path in tmp_path.rglob("*.csv")} == {folder}
    assert not (tmp_path.parent / "out.csv").exists()
    Path("bomb.zip").write_bytes(zipped(**{"big.csv": b"0" * 20_000}))
    with pytest.raises(DataError, match="unpacks to more than"):
        unpacked("bomb.zip", 10_000)
    Path("broken.zip").write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(DataError, match=r"broken\.zip cannot be unpacked"):
        unpacked("broken.zip", 10_000)


def test_tables_of_several_sources_stay_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("item,value\n1,2\n")
    Path("b.csv").write_text("item,value\n1,3\n")
    assert gathered(["a.csv", "b.csv"]) == {"files": ["a.csv", "b.csv"]}


def test_long_names_stay_different():
    names = [safe_name(f"samples_{task}_{'0' * 50}.jsonl") for task in ("a", "b")]
    assert names[0] != names[1]
    assert len(safe_name("ü" * 500 + ".csv").encode()) < 255


def upload(**seen):
    blank = {"sources": {}, "lines": 0, "roles": {}, "models": [], "guessed": [], "model": ""}
    return Upload("0" * 32, "me", ("f.csv",), blank | {"kinds": [["f", "a table", ""]]} | seen)


TWO, THREE = {"a": 9, "b": 9}, {"a": 9, "b": 9, "c": 9}
PAIR = {"a": "a", "b": "b"}


@pytest.mark.parametrize(
    ("seen", "page"),
    [
        ({"sources": TWO | {"human": 9}, "roles": PAIR | {"gold": "human"}, "guessed": ["compare"]}, "compare"),
        ({"sources": TWO, "roles": PAIR, "guessed": ["compare"]}, "compare"),
        ({"sources": THREE, "roles": PAIR, "guessed": ["compare", "leaderboard"]}, "leaderboard"),
        ({"lines": 50, "kinds": [["f", "lists of scores", ""]]}, "scores"),
        ({"sources": {"Ann": 9, "Bo": 9}, "guessed": ["describe"]}, "describe"),
        ({"model": "normal items"}, None),
    ],
)
def test_the_likeliest_question_of_a_table(seen, page):
    found, _ = likeliest(upload(**seen))
    assert (None if found is None else found.path) == page


def test_a_role_moves_to_the_column_that_a_visitor_chose():
    known = upload(column_roles={"id": "item", "who": "source", "n": "value"})
    assert moved_roles(known, {"id": "item", "who": "source", "n": "value", "p": ""}) == {}
    assert moved_roles(known, {"id": "", "who": "source", "n": "value", "p": "item"}) == {"item": "p"}
    assert moved_roles(known, {"id": "item", "who": "source", "n": "value", "p": "value"}) == {"value": "p"}
    assert moved_roles(known, {"id": "item", "who": "", "n": "value"}) == {"source": ""}


@pytest.mark.parametrize(
    ("raters", "sources", "judge"),
    [
        (["r1", "r2", "gpt-judge"], (), "gpt-judge"),
        (["r1", "Claude 3"], (), "Claude 3"),
        (["ann", "bob"], (), ""),
        (["r1", "gpt-4o", "LLM"], (), ""),  # which of the two?
        (["gpt-4o"], (), ""),  # nobody to check it
        (["r1", "gpt-4o"], ("gpt-4o", "human"), ""),  # a model that is rated itself
    ],
)
def test_a_judge_is_guessed_only_where_one_name_says_so(raters, sources, judge):
    assert judge_among(raters, sources) == judge


def test_what_a_visitor_says_of_the_judge_comes_before_a_guess():
    guessed = upload(sources=TWO, rater_names=["r1", "r2", "gpt"], judge="gpt")
    assert guessed.judge == guessed.judge_rater == "gpt"
    assert dataclasses.replace(guessed, said_judge="").judge == ""
    assert dataclasses.replace(guessed, said_judge="r2").judge == "r2"
    assert dataclasses.replace(guessed, said_judge="nobody").judge == ""  # read otherwise, the table has no such rater
    source = dataclasses.replace(guessed, kinds={"b": "judge"})
    assert (source.judge, source.judge_rater, source.models) == ("b", "", ["a"])


def corrected(client, table, **said):
    csrf = client.get(f"/tables/{table}").text.partition('name="csrf" value="')[2][:64]
    return client.post(f"/tables/{table}/correct", data={"csrf": csrf, **said}).text


def test_a_source_is_the_judge_and_only_one(client):
    rows = [f"i{i},m{k},{(i * k + i // 7) % 5}" for i in range(60) for k in (1, 2)]
    rows += [f"i{i},gpt,{i % 5}" for i in range(60)] + [f"i{i},llm,{(i + 1) % 5}" for i in range(60)]
    rows += [f"i{i},human,{(i + i % 2) % 5}" for i in range(0, 60, 2)]
    table = added(client, ("labels.csv", "\n".join(["item,source,value", *rows])))["table"]
    assert 'id="judge"' not in client.get(f"/tables/{table}").text  # nobody knows the raters
    names = ["human", "m1", "m2", "gpt", "llm"]
    corrected(client, table, named=names, kind=["gold", "model", "model", "judge", "out"])
    page = client.get(f"/compare?table={table}").text
    assert '<th scope="row">Judge alone</th>' in page
    assert "30 of 60 items are labelled; gpt scored all of them." in page
    assert "--judge gpt" in page
    again = corrected(client, table, named=names, kind=["gold", "model", "model", "judge", "judge"])
    assert again.count('<option value="judge" selected>') == 1
    assert "--judge llm" in client.get(f"/compare?table={table}").text
    assert "--judge" not in client.get(f"/compare?table={table}&judge=none").text.partition('id="code"')[2]
    corrected(client, table, named=names, kind=["out", "model", "model", "out", "judge"])
    page = client.get(f"/compare?table={table}").text
    assert "This cannot be answered yet" in page
    assert "a source of labels beside “Human answers (gold)”" in page


@pytest.mark.parametrize(("rater_of_models", "judge"), [("gpt", ""), ("", "gpt")])
def test_a_rater_whom_nobody_can_check_is_not_guessed_to_be_the_judge(client, rater_of_models, judge):
    rows = [f"i{i},m{k},{(i * k) % 5},{rater_of_models}" for i in range(20) for k in (1, 2)]
    rows += [f"i{i},human,{(i + k) % 5},r{k}" for i in range(20) for k in (1, 2)]
    rows += [] if rater_of_models else [f"i{i},human,{i % 5},gpt" for i in range(20)]
    found = added(client, ("rated.csv", "\n".join(["item,source,value,rater", *rows])))
    assert "gpt" in found["rater_names"]
    assert found["judge"] == judge
