"""Files of agents: what is outside of the folders cannot be told from what is not there, however it is written."""

import gzip
import json
from pathlib import Path
from pkgutil import resolve_name

import pytest

from howsure import _fields
from howsure.agents.places import AllowedFolders
from howsure.agents.tools import MAY_BE_FILES, QUESTIONS, REPORTS, WRITES, Desk
from howsure.errors import HowsureError
from howsure.questions.base import Run

ROWS = "item,source,value\n" + "".join(f"q{i},{name},{i % k}\n" for i in range(20) for k, name in ((3, "a"), (2, "b")))
LOG = {
    "doc_id": 0,
    "target": "x",
    "resps": [["x"]],
    "filtered_resps": ["x"],
    "acc": 1.0,
    "arguments": [["q"]],
    "doc": {},
}


@pytest.fixture
def places(tmp_path):
    """A folder that may be used, with links out of it, and two folders beside it: one exists and one does not.

    Every link comes twice, to what exists (`real-…`) and to what does not (`gone-…`): no answer may differ.
    """
    work, outside = tmp_path / "work", tmp_path / "real"
    (work / "logs").mkdir(parents=True)
    (work / "runs").mkdir()
    (outside / "deep").mkdir(parents=True)
    for place in (work / "ratings.csv", work / "logs" / "one.csv", work / "odd[1].csv", work / "a=b.csv"):
        place.write_text(ROWS)
    for place in (outside / "secret.csv", outside / "deep" / "secret.csv"):
        place.write_text(ROWS)
    (outside / "secret.csv.gz").write_bytes(gzip.compress(ROWS.encode()))
    (work / "inner.csv").symlink_to(work / "ratings.csv")
    (work / "inner").symlink_to(work / "logs")
    for kind in ("real", "gone"):
        (work / f"{kind}-file.csv").symlink_to(tmp_path / kind / "secret.csv")
        (work / f"{kind}-file.csv.gz").symlink_to(tmp_path / kind / "secret.csv.gz")
        (work / f"{kind}-folder").symlink_to(tmp_path / kind)
        (work / f"with-{kind}").mkdir()
        (work / f"with-{kind}" / "good.csv").write_text(ROWS)
        (work / f"with-{kind}" / "linked.csv").symlink_to(tmp_path / kind / "secret.csv")
    return work


FORMS = {
    "absolute": "{top}/{kind}/secret.csv",
    "absolute folder": "{top}/{kind}",
    "absolute deep": "{top}/{kind}/deep/secret.csv",
    "dots": "../{kind}/secret.csv",
    "dots inside": "logs/../../{kind}/secret.csv",
    "dots of a link": "{kind}-folder/../ratings.csv",
    "dots to and fro": "../{kind}/../work/ratings.csv",
    "a link to a file": "{kind}-file.csv",
    "a link to a packed file": "{kind}-file.csv.gz",
    "a link to a folder": "{kind}-folder",
    "below a link": "{kind}-folder/secret.csv",
    "deep below a link": "{kind}-folder/deep/secret.csv",
    "named": "x={top}/{kind}/secret.csv",
    "a named link": "x={kind}-file.csv",
    "named below a link": "x={kind}-folder/secret.csv",
    "a column": "{top}/{kind}/secret.csv:value",
    "a column of a link": "{kind}-file.csv:value",
    "a named column": "x={kind}-file.csv:value",
    "a pattern": "{kind}-f*",
    "a pattern of a link": "{kind}-fil?.csv",
    "a pattern below a link": "{kind}-folder/s*.csv",
    "a pattern of folders": "{kind}-f*/*.csv",
    "a pattern of folders, deep": "{kind}-f*/deep/secret.c[s]v",
    "a named pattern": "x={kind}-fold*/secret.csv",
    "an absolute pattern": "{top}/{kind}/*.csv",
    "an absolute pattern of folders": "{top}/{kind}*/secret.csv",
    "a pattern with dots": "../{kind}/s*.csv",
    "a pattern of dots": "l*/../../{kind}/secret.csv",
    "home": "~/{kind}/secret.csv",
    "a folder with a link": "with-{kind}",
    "a pattern of a folder with a link": "with-{kind}*",
}


def refused(call, kind):
    """Return why a call is refused, without what was typed."""
    with pytest.raises(HowsureError) as error:
        call()
    return str(error.value).replace(kind, "KIND").replace("gone-", "KIND-").replace("real-", "KIND-")


@pytest.mark.parametrize("form", FORMS)
def test_outside_and_absent_look_alike(places, form, monkeypatch):
    monkeypatch.setenv("HOME", str(places.parent))
    folders = AllowedFolders.of([str(places)])

    def typed(kind):
        return FORMS[form].format(top=places.parent, kind=kind)

    real, gone = (refused(lambda kind=kind: folders.file(typed(kind)), kind) for kind in ("real", "gone"))
    assert real == gone
    assert real.startswith("there is no file ")
    assert "below work" in real


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ratings.csv", ["ratings.csv"]),
        ("./logs/one.csv", ["logs/one.csv"]),
        ("logs", ["logs"]),
        ("inner.csv", ["ratings.csv"]),
        ("inner/one.csv", ["logs/one.csv"]),
        ("x=ratings.csv", ["x=ratings.csv"]),
        ("ratings.csv:value", ["ratings.csv:value"]),
        ("x=ratings.csv:value", ["x=ratings.csv:value"]),
        ("rat*.csv", ["ratings.csv"]),
        ("l*/o?e.csv", ["logs/one.csv"]),
        ("inn*/*.csv", ["logs/one.csv"]),
        ("[i]nner.csv", ["ratings.csv"]),
        ("x=l*/*.csv", ["x=logs/one.csv"]),
        ("odd[1].csv", ["odd[1].csv"]),
        ("a=b.csv", ["a=b.csv"]),
        ("lo*", ["logs"]),
        ("{work}/ratings.csv", ["ratings.csv"]),
        ("{work}/rat*.csv", ["ratings.csv"]),
    ],
)
def test_what_is_inside_is_found_in_every_form(places, text, expected):
    found = AllowedFolders.of([str(places)]).file(text.format(work=places))
    assert [each.replace(f"{places}/", "") for each in found] == expected


def test_folders_of_links_that_nobody_reads_can_be_used(places):
    """Walks pass over hidden folders, links to folders and files that hold no data; so does the check."""
    (places / ".venv").mkdir()
    (places / ".venv" / "x.csv").symlink_to(places.parent / "real" / "secret.csv")
    (places / "logs" / "python").symlink_to("/usr/bin/env")
    (places / "logs" / "elsewhere").symlink_to(places.parent / "real")
    assert AllowedFolders.of([str(places)]).file("logs") == [str(places / "logs")]


@pytest.mark.parametrize("text", ["a\0b", "x" * 5000, "loop.csv", "", "/", "*/" * 50, "\ud800"])
def test_strange_paths_are_absent(places, text):
    (places / "loop.csv").symlink_to(places / "loop.csv")
    folders = AllowedFolders.of([str(places / "logs")])
    with pytest.raises(HowsureError, match="there is no file"):
        folders.file(text) if text else folders.file("loop.csv")


def asked(places, name, **given):
    return Desk(AllowedFolders.of([str(places)])).asked(resolve_name(QUESTIONS[name]), given)


@pytest.mark.parametrize("name", ["gold", "sampled", "cost", *WRITES])
@pytest.mark.parametrize(
    "form", ["{top}/{kind}/secret.csv", "../{kind}/secret.csv", "{kind}-file.csv", "{kind}-folder/secret.csv"]
)
def test_options_that_name_files_stay_below_the_folders(places, name, form):
    tool = "leaderboard" if name == "cost" else "gate"
    given = {"files": ["ratings.csv", "logs/one.csv"], **({"margin": 0.1} if tool == "gate" else {})}
    real, gone = (
        refused(
            lambda kind=kind: asked(places, tool, **given, options={name: form.format(top=places.parent, kind=kind)}),
            kind,
        )
        for kind in ("real", "gone")
    )
    assert real == gone
    assert real.startswith("there is no file ")


def test_files_of_options_become_whole_paths_and_names_stay_names(places):
    found = asked(places, "leaderboard", files=["ratings.csv"], gold="logs/one.csv", options={"cost": "inner.csv"})
    assert (found.gold, found.cost) == (str(places / "logs" / "one.csv"), str(places / "ratings.csv"))
    found = asked(places, "leaderboard", files=["ratings.csv"], gold="meta/llama-3", options={"cost": "kind=x"})
    assert (found.gold, found.cost) == ("meta/llama-3", "kind=x")
    assert asked(places, "compare", files=["ratings.csv"], a="x", b="y", options={"where": ["path=/etc/x"]}).where


def test_every_option_that_may_be_a_file_is_looked_at():
    for address in QUESTIONS.values():
        for field in _fields.fields_of(resolve_name(address)):
            says = field.option.metavar in ("FILE", "COLUMN|FILE") or "or a file" in field.option.help
            assert not says or field.name in ("files", *MAY_BE_FILES, *WRITES), field.name


def of_helm(folder):
    stats = [{"name": {"name": "exact_match", "split": "test"}, "count": 1, "mean": 1.0}]
    log = [{"instance_id": f"id{i}", "train_trial_index": 0, "stats": stats} for i in range(20)]
    (folder / "per_instance_stats.json").write_text(json.dumps(log))
    return folder / "run_spec.json", json.dumps({"adapter_spec": {"model": "SECRET"}})


def of_terminal_bench(folder):
    trials = [{"trial_name": f"t{i}.1-of-1.x", "task_id": f"t{i}", "is_resolved": True} for i in range(20)]
    (folder / "results.json").write_text(json.dumps({"results": trials}))
    return folder / "run_metadata.json", json.dumps({"model_name": "SECRET"})


def of_lm_eval(folder):
    place = folder / "samples_task_2024-01-01T00-00-00.000000.jsonl"
    place.write_text("".join(json.dumps(LOG | {"doc_id": i}) + "\n" for i in range(20)))
    beside = folder / "results_2024-01-01T00-00-00.000000.json"
    return beside, json.dumps({"config": {"model": "hf", "model_args": "pretrained=SECRET"}, "model_name": "SECRET"})


def of_bfcl(folder):
    place = folder / "score" / "m-1" / "java_score.json"
    place.parent.mkdir(parents=True)
    place.write_text(json.dumps({"accuracy": 1.0, "correct_count": 20, "total_count": 20}) + "\n")
    result = folder / "result" / "m-1" / "v1_java_result.json"
    result.parent.mkdir(parents=True)
    return result, "".join(json.dumps({"id": f"SECRET{i}", "result": "x"}) + "\n" for i in range(20))


def diagnosed(root, folder):
    """Return what the tool says of a folder of logs, or why it says nothing."""
    desk = Desk(AllowedFolders.of([str(root)]), reports=False)
    try:
        return json.dumps(desk.answer(desk.asked(resolve_name(QUESTIONS["doctor"]), {"files": [str(folder)]}), Run()))
    except HowsureError as error:
        return str(error)


@pytest.mark.parametrize("made", [of_helm, of_terminal_bench, of_lm_eval, of_bfcl])
def test_files_that_belong_to_a_log_are_not_read_through_links(places, made):
    folder = places / "harness"
    folder.mkdir()
    beside, content = made(folder)
    outside, logs = places.parent / "outside.json", [path for path in folder.rglob("*.json*") if path != beside]
    seen = []
    for text in (content, "no JSON", None):
        outside.unlink(missing_ok=True)
        if text is not None:
            outside.write_text(text)
        beside.unlink(missing_ok=True)
        beside.symlink_to(outside)
        seen.append([diagnosed(places, log) for log in logs])
    assert seen[0] == seen[1] == seen[2]
    beside.unlink()
    beside.write_text(content)
    inside = [diagnosed(places, log) for log in logs]
    assert inside != seen[0]  # there it is read


def test_files_that_belong_to_a_log_are_not_read_outside(places):
    beside, content = of_bfcl(places)
    log = places / "score" / "m-1" / "java_score.json"
    seen = [diagnosed(log.parent, log)]
    beside.write_text(content)
    seen.append(diagnosed(log.parent, log))
    assert seen[0] == seen[1]
    assert diagnosed(places, log) != seen[0]


def test_a_file_that_becomes_a_link_after_it_was_checked_is_not_read(places):
    desk = Desk(AllowedFolders.of([str(places)]), reports=False)
    question = desk.asked(resolve_name(QUESTIONS["score"]), {"files": ["ratings.csv"]})
    (places / "ratings.csv").unlink()
    (places / "ratings.csv").symlink_to(places.parent / "real" / "secret.csv")
    with pytest.raises(HowsureError, match="there is no file"):
        desk.answer(question, Run())


@pytest.mark.parametrize("what", ["folder", "report.md", "report.json"])
def test_reports_are_not_written_through_links(places, what):
    desk = Desk(AllowedFolders.of([str(places)]))
    question = desk.asked(resolve_name(QUESTIONS["score"]), {"files": ["ratings.csv"]})
    outside = places.parent / "elsewhere"
    outside.mkdir()
    if what == "folder":
        (places / REPORTS).symlink_to(outside)
    else:
        written = places / desk.answer(question, Run())["report"]
        written = written.with_suffix(Path(what).suffix)
        written.unlink()
        (outside / "target").write_text("mine")
        written.symlink_to(outside / "target")
    with pytest.raises(HowsureError, match="there is no file"):
        desk.answer(question, Run())
    left = [path.read_text() for path in outside.iterdir()]
    assert left == ([] if what == "folder" else ["mine"])
