"""Help teaches: it fits the terminal, shows few options first, and its examples run; typing errors get suggestions."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete

from howsure.cli._commands import FEW
from howsure.cli.app import COMMANDS, SOURCES, app
from howsure.metrics.builtin import BUILTIN, FAMILIES, ON_PREFERENCES
from howsure.models import families
from howsure.models.presets import PRESETS

SLOW = ("audit", "demo", "mcp", "replicate", "serve")
"""Commands whose examples take long or do not end; theirs are parsed only."""

NEVER = (
    "left out", "leave it out", "draws", "drawn", "cells", "told apart", "tell apart", "promise", "the board", "Say ",
    "Ask ", "Go all the way",
)  # fmt: skip
"""Words that docs and help do not use (WORDS)."""

STUDY = 'task = "flipping:flip"\nseed = 7\n[grid]\nn = [10, 100]\np = [0.5, 0.55]\n'
TASK = (
    "from howsure.sweeps import task\n@task(version=1)\ndef flip(cell, rng):\n"
    "    return {'power': rng.binomial(cell['n'], cell['p']) / cell['n']}\n"
)


def found(command=app, name="howsure"):
    """Yield every group and command with its full name."""
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for each in command.list_commands(context):
            yield from found(command.get_command(context, each), f"{name} {each}")


EVERY = dict(found())
LEAVES = {name: command for name, command in EVERY.items() if not isinstance(command, click.Group)}
EXAMPLES = [(name, example) for name, command in LEAVES.items() for example in command.examples]


def options_of(command):
    return [parameter for parameter in command.params if isinstance(parameter, click.Option)]


@pytest.fixture
def shown(command, monkeypatch):
    """Return the help of a command on a terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")

    def call(name, option="--help"):
        code, out, err = command(*name.split()[1:], option)
        assert (code, err) == (0, "")
        return out

    return call


@pytest.mark.parametrize("name", EVERY)
def test_help_fits_80_columns_and_uses_the_words_of_the_field(shown, name):
    texts = [shown(name)] + ([shown(name, "--help-all")] if name in LEAVES else [])
    for text in texts:
        assert max(map(len, text.splitlines())) <= 80
        assert [word for word in NEVER if re.search(rf"(?<!-){word}", text)] == []  # --max-draws is a name


@pytest.mark.parametrize("name", LEAVES)
def test_few_options_are_shown_first_and_all_of_them_with_help_all(shown, name):
    short, every, options = shown(name), shown(name, "--help-all"), options_of(LEAVES[name])
    listed = [option for option in options if re.search(rf"^  {option.opts[0]}\b(?!-)", short, re.MULTILINE)]
    assert len(listed) <= FEW
    assert all(re.search(rf"^  {option.opts[0]}\b(?!-)", every, re.MULTILINE) for option in options)
    if len(listed) < len(options):
        assert short.endswith(f"\nShow all {len(options)} options: {name} --help-all\n")
        assert len(listed) >= 5
    else:
        assert short == every


def test_commands_stand_under_headings_with_one_whole_line_each(shown):
    text = shown("howsure")
    assert [text.index(f"\n{heading}:\n") for heading in COMMANDS] == sorted(text.index(f"\n{h}:\n") for h in COMMANDS)
    for group in ("howsure", "howsure scores", "howsure sweep"):
        text = shown(group)
        for name in EVERY[group].list_commands(click.Context(EVERY[group])):
            summary = EVERY[f"{group} {name}"].help.split("\n")[0]
            assert re.search(rf"^  {name} +{re.escape(summary)}$", text, re.MULTILINE)


def test_choices_stand_beside_the_option_or_in_the_full_help(shown):
    assert "--raters [fixed|random]" in shown("howsure compare")
    assert "--null" not in shown("howsure compare")
    assert re.search(r"--null NAME .*One of:\s+sign-flip,", shown("howsure compare", "--help-all"), re.DOTALL)
    assert "sign-flip" not in shown("howsure audit")


@pytest.mark.parametrize("name", LEAVES)
def test_every_command_has_two_examples(name):
    examples = LEAVES[name].examples
    assert len(examples) == len(set(examples)) == 2
    assert all(f"{example} ".startswith(f"{name} ") for example in examples)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """Return a folder with the files that examples read."""
    folder = tmp_path_factory.mktemp("examples")
    (folder / "flipping.py").write_text(TASK)
    (folder / "study.toml").write_text(STUDY)
    for arguments in (
        ["example", "ratings.csv"],
        ["example", "judged.csv", "--kind", "judged"],
        ["example", "scores.txt", "--kind", "h1-greater-beta"],
        ["sweep", "run", "study.toml", "--store", "study.db"],
    ):
        subprocess.run([sys.executable, "-m", "howsure", *arguments], cwd=folder, check=True, capture_output=True)
    shutil.copy(folder / "study.db", folder / "raters.db")
    return folder


@pytest.mark.parametrize(("name", "example"), EXAMPLES, ids=[example for _, example in EXAMPLES])
def test_every_example_works(command, prepared, tmp_path, monkeypatch, name, example):
    monkeypatch.chdir(tmp_path)
    if name != "howsure example":
        shutil.copytree(prepared, tmp_path, dirs_exist_ok=True)
    arguments = shlex.split(example)[1:]
    if arguments[0] in SLOW:
        LEAVES[name].make_context(name, arguments[len(name.split()) - 1 :])
        return
    code, out, err = command(*arguments)
    assert (code, err) == (0, "")
    assert out or "export" in example or "--failed" in example


def test_a_long_example_is_broken_where_a_shell_goes_on(shown):
    text = shown("howsure compare")
    joined = re.sub(r" \\\n +", " ", text)
    assert " \\\n      --" in text
    assert all(f"\n  {example}\n" in joined for example in LEAVES["howsure compare"].examples)


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["comapre"], "No such command 'comapre'. Did you mean 'compare'?"),
        (["scores", "tset"], "No such command 'tset'. Did you mean 'test'?"),
        (["xyz"], "No such command 'xyz'. See howsure --help."),
        (["compare", "t.csv", "--metrc", "mae"], "No such option '--metrc'. Did you mean '--metric'?"),
        (["compare", "t.csv", "--xyz"], "No such option '--xyz'. See howsure compare --help-all."),
        (["compare", "t.csv", "--raters", "radnom"], "--raters must be one of fixed, random; got 'radnom'. Did you"),
        (["simulate", "likert-toxicty"], "Did you mean 'likert-toxicity'?"),
        (["metrics", "maee"], "Did you mean 'mae'?"),
        (["presets", "norml"], "Did you mean 'normal'?"),
    ],
)  # fmt: skip
def test_typing_errors_get_a_suggestion(command, arguments, hint):
    code, out, err = command(*arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert hint in err


def test_a_file_instead_of_a_command_is_for_the_doctor(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.csv").touch()
    assert command("mine.csv")[2] == "howsure: No such command 'mine.csv'. To check a file: howsure doctor mine.csv\n"


def completions(*arguments):
    *words, incomplete = arguments
    completer = ShellComplete(app, {}, "howsure", "_HOWSURE_COMPLETE")
    return [(item.type, item.value) for item in completer.get_completions(words, incomplete)]


def test_shells_complete_commands_options_choices_names_and_files():
    assert completions("comp") == [("plain", "compare")]
    assert ("plain", "--metric") in completions("compare", "--me")
    assert completions("compare", "--raters", "") == [("plain", "fixed"), ("plain", "random")]
    assert completions("compare", "--metric", "cos") == [("plain", "cosine"), ("plain", "cosine-responses")]
    assert completions("compare", "--metric", "mae,sp") == [("plain", "mae,spearman")]
    assert completions("metrics", "log") == [("plain", "log-loss")]
    assert completions("presets", "norm") == [("plain", "normal")]
    assert completions("plan", "likert-a") == [
        ("file", "likert-a"), ("plain", "likert-amazon"), ("plain", "likert-armis"),
    ]  # fmt: skip
    for arguments in (["compare", "rat"], ["compare", "--report", "rat"], ["fit", "--out", "rat"]):
        assert completions(*arguments) == [("file", "rat")]


def test_the_installed_command_completes():
    words = {"_HOWSURE_COMPLETE": "bash_complete", "COMP_WORDS": "howsure compare --items b", "COMP_CWORD": "3"}
    run = "import sys; sys.argv = ['howsure']; from howsure.cli import main; main()"
    called = [sys.executable, "-c", run]
    left = subprocess.run(called, env=os.environ | words, capture_output=True, text=True, check=False)
    assert left.stdout == "plain,bootstrap\n"


def test_the_version(command):
    assert command("--version") == (0, f"howsure {version('howsure')}\n", "")


def test_metrics_lists_every_metric_once_under_the_data_that_it_needs(command):
    code, out, err = command("metrics")
    assert (code, err) == (0, "")
    listed = re.findall(r"^  (\S+)", out, re.MULTILINE)
    assert sorted(listed[: -len(FAMILIES)]) == sorted([*BUILTIN, *ON_PREFERENCES])
    assert listed[-len(FAMILIES) :] == ["wins:METRIC", "pass@K", "pass^K"]
    assert re.search(r"^  mae +mean absolute error \(lower is better\)$", out, re.MULTILINE)
    assert max(map(len, out.splitlines())) <= 80
    for heading, name in (("Labels, with gold", "accuracy"), ("Ratings or preferences, without gold", "rating")):
        assert re.search(rf"^{heading}:\n(  .+\n)*  {name} ", out, re.MULTILINE)


def test_metrics_shows_one_in_detail_and_as_json(command):
    out = command("metrics", "auc")[1]
    assert "area under the ROC curve" in out
    assert "--threshold, --positive" in out
    assert json.loads(command("metrics", "pass@3", "--json")[1])["name"] == "pass@3"
    entries = json.loads(command("metrics", "--json")[1])["metrics"]
    assert {"mae", "wins:METRIC"} <= {entry["name"] for entry in entries}


@pytest.mark.parametrize("name", [*BUILTIN, *ON_PREFERENCES, "wins:tv", "pass@3"])
def test_every_metric_has_details_that_fit(command, name):
    out = command("metrics", name)[1]
    assert max(map(len, out.splitlines())) <= 80
    assert re.search(r"^description  \S", out, re.MULTILINE)


def test_presets_lists_every_preset_and_shows_one(command):
    out = command("presets")[1]
    assert re.findall(r"^  (\S+)", out, re.MULTILINE) == [*PRESETS, *families.FAMILIES]
    assert max(map(len, out.splitlines())) <= 80
    assert [entry["name"] for entry in json.loads(command("presets", "--json")[1])["presets"]] == list(PRESETS)
    assert "folded-normal(0.28, 0.8)" in command("presets", "likert-toxicity")[1]


def test_presets_lists_every_family_as_it_is_typed(command):
    out = command("presets")[1]
    assert "Families for --mean and --sd:" in out
    listed = json.loads(command("presets", "--json")[1])["families"]
    assert [entry["name"] for entry in listed] == list(families.FAMILIES)
    assert all(entry["title"].split()[0] in out for entry in listed)
    assert "exponential:SCALE" in out
    for entry in listed:  # the parameters that are named are those that it takes
        kind, _, names = entry["title"].split()[0].partition(":")
        assert families.make_family(kind, [0.1, 0.2, 0.3, 0.4, 0.5][: len(names.split(","))]).kind == kind


def test_sources_are_the_commands_under_the_headings():
    assert list(SOURCES) == [name for section in COMMANDS.values() for name in section]
