"""The command gate: exit codes, files for other programs, howsure.toml, and one line for everything it refuses."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


def write(name, values, start=0):
    rows = "\n".join(f"q{start + i},{value}" for i, value in enumerate(values))
    Path(name).write_text(f"item,correct\n{rows}\n", encoding="utf-8")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a baseline, and candidates that pass, fail and decide nothing."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    base = [1] * 300 + [0] * 100
    write("base.csv", base)
    write("good.csv", [0] * 10 + [1] * 300 + [0] * 90)
    write("bad.csv", [0] * 60 + [1] * 240 + [0] * 100)
    write("open.csv", [0] * 20 + [1] * 280 + [0] * 100)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "code", "word"), [("good", 0, "Pass"), ("bad", 1, "Fail"), ("open", 2, "Inconclusive")]
)
def test_exit_codes_say_the_verdict(folder, howsure, name, code, word):
    said = howsure("gate", "base.csv", f"{name}.csv", "--margin", "0.05")
    assert (said.returncode, said.stderr) == (code, "")
    assert said.stdout.startswith(f"{word}: ")
    assert "    -0." in said.stdout


REFUSED = [
    (["base.csv", "good.csv", "--margin", "2"], "--margin must be below 1", "Did you mean 0.02?"),
    (["base.csv", "good.csv", "--margin", "-0.1"], "--margin must be at least 0", ""),
    (["base.csv", "good.csv", "--margin", "x"], "--margin", ""),
    (["base.csv", "good.csv"], "a gate needs a --margin", ""),
    (["base.csv", "--margin", "0.1"], "a gate needs two files, baseline and candidate", "got one file"),
    (["base.csv", "nope.csv", "--margin", "0.1"], "nope.csv", ""),
    (["base.csv", "other.csv", "--margin", "0.1"], "shares no item", ""),
    (["base.csv", "half.csv", "--margin", "0.1"], "50% of the samples of a model have no score", "candidate lacks 200"),
    (["base.csv", "good.csv", "--margin", "0.1", "--superior", "--equivalent"], "choose one of --superior", ""),
    (["base.csv", "good.csv", "--margin", "0", "--equivalent"], "--equivalent needs a margin above 0", ""),
    (["base.csv", "good.csv", "--margin", "0.1", "--nope"], "No such option '--nope'", ""),
    (["base.csv", "good.csv", "--margin", "0.1", "--baseline", "x"], "--baseline and --candidate go together", ""),
    (["base.csv", "good.csv", "--margin", "0.1", "--metric", "nope"], "nope", ""),
    (["base.csv", "good.csv", "--margin", "0.1", "--junit", "x.txt"], "--junit must be a file that ends in .xml", ""),
]


@pytest.mark.parametrize(("words", "message", "hint"), REFUSED, ids=[" ".join(words) for words, _, _ in REFUSED])
def test_what_cannot_be_run_ends_with_3_in_one_line(folder, howsure, words, message, hint):
    write("other.csv", [1] * 50, start=1000)
    write("half.csv", [1] * 200)
    said = howsure("gate", *words)
    assert (said.returncode, said.stdout) == (3, "")
    assert said.stderr.startswith("howsure: ")
    assert said.stderr.count("\n") == 1
    assert message in said.stderr
    assert hint in said.stderr


def test_files_for_other_programs(folder, howsure):
    said = howsure(
        "gate", "base.csv", "bad.csv", "--margin", "0.05", "--json", "--junit", "g.xml", "--markdown", "g.md"
    )
    assert said.returncode == 1
    content = json.loads(said.stdout)
    assert (content["verdict"], content["exit_code"]) == ("fail", 1)
    assert content["overall"]["flips"] == {"harmful": 60, "beneficial": 0, "unchanged": 340}
    assert len(content["worst_items"]) == 5
    assert '<testsuite name="howsure gate" tests="1" failures="1"' in Path("g.xml").read_text("utf-8")
    assert Path("g.md").read_text("utf-8").startswith("<!-- howsure-gate -->")
    again = howsure("gate", "base.csv", "bad.csv", "--margin", "0.05", "--junit", "g.xml")
    assert again.returncode == 3
    assert "add --force" in again.stderr


def test_one_table_with_named_models(folder, howsure):
    howsure("example", "ratings.csv")
    words = ["gate", "ratings.csv", "--gold", "human", "--margin", "0.1", "--range", "1,5"]
    said = howsure(*words, "--baseline", "model-1", "--candidate", "model-2")
    assert said.returncode == 0
    assert said.stdout.startswith("Pass: model-2 is not worse than model-1 by more than 0.1.")
    turned = howsure(*words, "--baseline", "model-2", "--candidate", "model-1")
    assert turned.returncode == 1


def test_files_may_be_named(folder, howsure):
    said = howsure("gate", "main=base.csv", "pr=good.csv", "--margin", "0.05")
    assert "pr is not worse than main" in said.stdout


def test_init_writes_settings_that_gate_reads(folder, howsure):
    assert howsure("gate", "init").returncode == 0
    text = Path("howsure.toml").read_text("utf-8")
    assert howsure("gate", "init").returncode == 3
    assert Path("howsure.toml").read_text("utf-8") == text
    text = text.replace("results/baseline.jsonl", "base.csv").replace("results/candidate.jsonl", "good.csv")
    Path("howsure.toml").write_text(text.replace("margin = 0.02", "margin = 0.05"), encoding="utf-8")
    said = howsure("gate")
    assert (said.returncode, said.stdout.split(":")[0]) == (0, "Pass")
    assert howsure("gate", "--margin", "0.001").returncode == 2  # the command line wins
    assert howsure("gate", "base.csv", "bad.csv").returncode == 3  # files of one's own need a margin of one's own
    assert howsure("gate", "init", "--force").returncode == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[gate]\nmargn = 0.1\n", "howsure.toml: 'margn' is not an option of howsure gate. Did you mean 'margin'?"),
        ("[gate]\nmargin = 'big'\n", "howsure.toml: --margin must be"),
        ("[gate\n", "howsure.toml is not a readable TOML file"),
        ("margin = 0.1\n", "howsure.toml has no table [gate]"),
    ],
)
def test_wrong_settings_are_one_line(folder, howsure, text, message):
    Path("howsure.toml").write_text(text, encoding="utf-8")
    said = howsure("gate")
    assert said.returncode == 3
    assert message in said.stderr


OUTPUTS = {
    "report": "mine.md",
    "chart": "mine.svg",
    "junit": "mine.xml",
    "markdown": "mine.md",
    "state": "mine.jsonl",
    "sequential": "mine.jsonl",
}


@pytest.mark.parametrize("option", OUTPUTS)
@pytest.mark.parametrize("way", ["absolute", "parent", "link"])
def test_settings_of_somebody_else_write_below_their_own_folder_only(folder, howsure, monkeypatch, option, way):
    """A bare `howsure gate` in a downloaded folder must not touch what lies elsewhere."""
    mine, theirs = folder / OUTPUTS[option], folder / "downloaded"
    theirs.mkdir()
    mine.write_text("my work")
    link = theirs / f"link{mine.suffix}"
    link.symlink_to(mine)
    place = {"absolute": mine, "parent": f"../{mine.name}", "link": link.name}[way]
    files = f'files = ["{folder}/base.csv", "{folder}/good.csv"]'
    (theirs / "howsure.toml").write_text(f'[gate]\n{files}\nmargin = 0.05\n{option} = "{place}"\n')
    monkeypatch.chdir(theirs)
    said = howsure("gate")
    assert (said.returncode, mine.read_text()) == (3, "my work")
    assert f"howsure.toml may name files below its own folder only; type --{option} {place} yourself" in said.stderr


def test_settings_do_not_force(folder, howsure):
    Path("r.md").write_text("my work")
    settings = '[gate]\nfiles = ["base.csv", "good.csv"]\nmargin = 0.05\nreport = "r.md"\n'
    Path("howsure.toml").write_text(f"{settings}force = true\n")
    said = howsure("gate")
    assert (said.returncode, Path("r.md").read_text()) == (3, "my work")
    assert "howsure.toml may not overwrite files: remove force from it, and type --force yourself." in said.stderr
    Path("howsure.toml").write_text(settings)
    assert "r.md exists already" in howsure("gate").stderr
    assert howsure("gate", "--force").returncode == 0
    assert Path("r.md").read_text() != "my work"


def test_real_logs_of_two_agents(howsure, shared):
    logs = str(shared / "logs" / "new" / "terminal_bench")
    names = ["20250924_droid_gpt-5", "20250923_droid_claude-4-1-opus"]
    said = howsure("gate", logs, "--baseline", names[0], "--candidate", names[1], "--margin", "0.05")
    assert said.returncode == 0
    assert f"{names[1]} is not worse than {names[0]} by more than 0.05. Accuracy 0.581 vs 0.525" in said.stdout
    mixed = howsure("gate", logs, logs, "--margin", "0.05")
    assert mixed.returncode == 3
    assert "holds 2 models" in mixed.stderr  # under one name they would count as repeats of each other


def test_real_logs_with_epochs(howsure, shared):
    files = [str(shared / "logs" / "inspect" / f"demo_epochs3_zstd_{name}.eval") for name in "ab"]
    said = howsure("gate", *files, "--margin", "0.1", "--scorer", "match")
    assert said.returncode == 2
    assert "Accuracy 0.600 vs 0.833, lower by 0.233" in said.stdout
    assert "runs of each model on the same items would decide it" in said.stdout
    unclear = howsure("gate", *files, "--margin", "0.1")
    assert unclear.returncode == 3
    assert "--scorer match" in unclear.stderr


def test_runs_of_one_agent_show_what_a_gate_would_see(howsure, shared):
    said = howsure("gate", str(shared / "logs" / "new" / "tau_bench"), "--margin", "0.05", "--check", "--json")
    assert said.returncode == 0
    content = json.loads(said.stdout)
    assert (content["source"], content["n_items"]) == ("runs", 25)
    assert content["unchanged_fails"] < 0.05 < content["threshold_fails"]


def test_different_items(howsure, shared):
    files = [str(shared / "logs" / "inspect" / f"data_arc_{name}.json") for name in ("qwen", "sonnet")]
    said = howsure("gate", *files, "--margin", "0.05")
    assert said.returncode == 3
    assert "of the samples of a model have no score, more than 5%" in said.stderr


def test_a_shell_sees_the_code(folder):
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    words = [sys.executable, "-m", "howsure", "gate", "base.csv", "bad.csv", "--margin", "0.05"]
    assert subprocess.run(words, env=environment, capture_output=True, check=False).returncode == 1


def test_looks_and_state_on_the_command_line(folder, howsure):
    write("base1.csv", [1] * 60 + [0] * 40)
    write("new1.csv", [0] * 3 + [1] * 57 + [0] * 40)
    words = ["--margin", "0.05", "--looks", "2", "--state", "s.jsonl"]
    first = howsure("gate", "base1.csv", "new1.csv", *words)
    assert first.returncode == 2
    assert "Look 1 of 2, 100 items in all." in first.stdout
    before = Path("s.jsonl").read_bytes()
    for other, message in (
        (["--margin", "0.06", "--looks", "2", "--state", "s.jsonl"], "belongs to another gate: --margin was 0.05"),
        (words, "these files hold no new items"),
        (["--margin", "0.05", "--looks", "2"], "--looks needs --state"),
        (["--margin", "0.05", "--looks", "5", "--state", "x"], "5 looks need --max-items"),
        (["--margin", "0.05", "--state", "x"], "--state goes with --looks"),
        ([*words, "--by", "item"], "--by goes with a single look"),
        (["--margin", "0.05", "--sequential", "base1.csv"], "damaged"),
    ):
        said = howsure("gate", "base1.csv", "new1.csv", *other)
        assert (said.returncode, said.stderr.count("\n")) == (3, 1), said
        assert message in said.stderr
    assert Path("s.jsonl").read_bytes() == before
    assert not Path("x").exists()


def test_check_says_what_a_gate_can_see(folder, howsure):
    said = howsure("gate", "base.csv", "good.csv", "--margin", "0.02", "--check")
    assert said.returncode == 0
    assert said.stdout.startswith("With 400 items and 1 run of each model, this gate")
    alone = howsure("gate", "base.csv", "--margin", "0.02", "--check")
    assert alone.returncode == 3
    assert "needs two runs or more of each item" in alone.stderr
    both = howsure("gate", "base.csv", "good.csv", "--margin", "0.02", "--check", "--junit", "x.xml")
    assert both.returncode == 3


def test_preferences_of_raters(folder, howsure):
    rows = [f"q{i},{'new' if i % 3 else 'old' if i % 2 else 'both'}" for i in range(300)]
    Path("votes.csv").write_text("\n".join(["item,human", *rows]), encoding="utf-8")
    words = ["--preference", "human", "--baseline", "old", "--candidate", "new", "--tie", "both", "--margin", "0.1"]
    said = howsure("gate", "votes.csv", *words, "--superior")
    assert said.returncode == 0, said.stderr
    assert "Win rate 0.75 vs 0.25" in said.stdout or "Win rate 0.750 vs 0.250" in said.stdout


def test_ratings_as_wins(folder, howsure):
    said = howsure("gate", "base.csv", "good.csv", "--margin", "0.05", "--metric", "superiority")
    assert said.returncode == 0, said.stderr
    refused = howsure("gate", "base.csv", "good.csv", "--margin", "0.05", "--metric", "win-rate")
    assert refused.returncode == 3
    assert "use the metric superiority" in refused.stderr
