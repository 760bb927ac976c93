"""Numbers of 400 digits, 500 brackets, names of 100,000 letters: one short line, whichever way they come in."""

from contextlib import suppress

import click
import pytest

import howsure as package
from howsure import _json, models
from howsure.errors import LONGEST, ArgumentError, DataError, HowsureError
from tests.fuzz.test_options import BASES, folder, options

DIGITS = "9" * 400
LETTERS = "x" * 100_000
BRACKETS = 500 * "[" + 500 * "]"
__all__ = ["folder"]


def refused(said, codes=(1, 2, 3)):
    """Assert that this is how a command refuses: one line that people can read."""
    assert said.returncode in codes, said
    assert "Traceback" not in said.stderr
    [line] = said.stderr.splitlines()
    assert line.startswith("howsure: ")
    assert len(line) <= LONGEST + 40
    return line


@pytest.mark.parametrize("name", BASES)
def test_every_number_on_the_command_line_has_a_largest(name, folder, howsure, monkeypatch):
    monkeypatch.chdir(folder)
    for option in [one for command, one, _ in options() if command == name and _kind(name, one) in (int, float)]:
        words = [*name.split(), *BASES[name].split()]
        if option in words:
            del words[words.index(option) : words.index(option) + 2]
        refused(howsure(*words, option, DIGITS), (2,))


def _kind(name, option):
    from howsure.cli.app import app

    command = app
    for word in name.split():
        command = command.get_command(click.Context(command), word)
    [found] = [one for one in command.params if option in one.opts]
    return found.field.kind if hasattr(found, "field") else None


@pytest.mark.parametrize("command", ["serve", "mcp"])
def test_a_port_has_a_largest_number(command, howsure):
    assert "--port" in refused(howsure(command, "--port", DIGITS), (2,))


def test_python_has_the_same_limit_and_long_seeds_work():
    with pytest.raises(ArgumentError, match=r"`n_resamples` must be a whole number of at most 10,000,000; got 1000"):
        package.Procedure(n_resamples=10**400)
    with pytest.raises(ArgumentError, match=r"at most 9,223,372,036,854,775,807; got int\.$"):
        package.Procedure(n_responses=10**5000)
    with pytest.raises(ArgumentError, match="`margin` must be a finite number"):
        package.Procedure(margin=10**400)
    with pytest.raises(ArgumentError, match="`seed` must be a whole number of at most 300 digits"):
        package.questions.Compare(files=("x.csv",), seed=10**400)
    assert package.questions.Compare(files=("x.csv",), seed=2**200).seed == 2**200


@pytest.mark.parametrize(
    ("file", "text", "words"),
    [
        ("howsure.toml", f"[gate]\nfiles = {BRACKETS}", ["gate"]),
        ("howsure.toml", f"[gate]\nmargin = {DIGITS}", ["gate"]),
        ("howsure.toml", f"[gate]\nmargin = {'9' * 5000}", ["gate"]),
        ("howsure.toml", "[gate]\nmargin = [1]", ["gate"]),
        ("howsure.toml", "[gate]\nby = {a = 1}", ["gate"]),
        ("howsure.toml", "[gate]\nconfidence-level = 'high'", ["gate"]),
        ("howsure.toml", "[gate]\nsuperior = 1979-05-27", ["gate"]),
        ("settings.toml", f"test = {BRACKETS}", ["scores", "test", "scores.txt", "--config", "settings.toml"]),
        ("settings.toml", f"n-resamples = {DIGITS}", ["scores", "test", "scores.txt", "--config", "settings.toml"]),
        ("settings.toml", "seed = 1.5", ["scores", "test", "scores.txt", "--config", "settings.toml"]),
        ("settings.toml", "seed = [1]", ["scores", "test", "scores.txt", "--config", "settings.toml"]),
        ("settings.toml", "test = 5", ["scores", "test", "scores.txt", "--config", "settings.toml"]),
        ("settings.yml", f"sig_test_name: {BRACKETS}", ["scores", "test", "scores.txt", "--config", "settings.yml"]),
        ("settings.yml", f"eval_unit_size: {DIGITS}", ["scores", "test", "scores.txt", "--config", "settings.yml"]),
        (
            "settings.yml",
            "shuffled: true\nrandom_seed: x",
            ["scores", "test", "scores.txt", "--config", "settings.yml"],
        ),
        ("model.json", f'{{"howsure_model": 1, "model": {BRACKETS}}}', ["simulate", "model.json", "--out", "out.csv"]),
        ("model.json", f'{{"howsure_model": {DIGITS}}}', ["simulate", "model.json", "--out", "out.csv"]),
        ("study.toml", f'task = "audit"\n[grid]\nx = {BRACKETS}', ["sweep", "run", "study.toml", "--store", "x.db"]),
        ("study.toml", f'task = "audit"\nseed = {DIGITS}', ["sweep", "run", "study.toml", "--store", "x.db"]),
        ("log.jsonl", f'{{"item": "a", "source": "m", "value": {BRACKETS}}}', ["describe", "log.jsonl"]),
        ("log.json", f'{{"eval": {BRACKETS}, "samples": {BRACKETS}}}', ["describe", "log.json"]),
        ("log.json", BRACKETS, ["doctor", "log.json"]),
    ],
)
def test_what_is_read_is_refused_with_its_file(file, text, words, tmp_path, howsure, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scores.txt").write_text("1 2\n3 4\n5 5\n")
    (tmp_path / file).write_text(text)
    said = howsure(*words)
    if words[0] == "doctor":  # its answer is what is wrong
        assert file in said.stdout
        assert max(map(len, said.stdout.splitlines())) < LONGEST
    else:
        assert file in refused(said)


def test_settings_and_models_have_one_limit_of_nesting():
    for read in (_json.loads, lambda text: _json.loads_toml(f"a={text}")["a"]):
        assert read(99 * "[" + 99 * "]")
        for depth in (101, 500, 100_000):
            with pytest.raises(ValueError, match=r"^it is nested more than 100 levels deep$"):
                read(depth * "[" + depth * "]")
    laughs = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 99))
    yaml = pytest.importorskip("yaml")
    assert _json.shallow(yaml.safe_load(laughs))["a0"] == ["x", "x"]


@pytest.mark.parametrize(
    "words",
    [
        [LETTERS],
        ["compare", LETTERS],
        ["compare", "ratings.csv", f"--{LETTERS}"],
        ["compare", "ratings.csv", "--metric", LETTERS],
        ["compare", "ratings.csv", "--a", LETTERS, "--b", "y y " * 30_000],
        ["compare", "ratings.csv", "--item", LETTERS],
        ["compare", "ratings.csv", "--where", LETTERS],
        ["compare", "ratings.csv", "--seed", LETTERS],
        ["compare", "ratings.csv", "--report", f"{LETTERS}.html"],
        ["describe", "ratings.csv", "--by", LETTERS],
        ["convert", "ratings.csv", "--out", f"{LETTERS}.csv"],
        ["gate", "ratings.csv", LETTERS],
        ["simulate", LETTERS, "--n-items", "3"],
        ["sweep", "run", LETTERS, "--store", LETTERS],
        ["sweep", "status", LETTERS],
        ["serve", "--folder", LETTERS],
    ],
)
def test_a_line_that_repeats_what_was_typed_is_short(words, folder, howsure, monkeypatch):
    monkeypatch.chdir(folder)
    refused(howsure(*words))


def test_a_line_that_repeats_what_was_read_is_short(tmp_path, howsure):
    path = tmp_path / "wide.csv"
    path.write_text(f"{LETTERS},{'y ' * 50_000},z\n1,2,3\n4,5,6\n")
    refused(howsure("compare", path, "--gold", "human"))
    path.write_text(f"item,source,value\n1,{LETTERS},3\n2,{LETTERS[1:]},4\n")
    refused(howsure("compare", path, "--gold", "human", "--a", "m", "--b", "n"))


NAMED = {
    "column": (f"item,{LETTERS}h,{LETTERS}m,{LETTERS}n", lambda i, m: None),
    "model": ("item,model,score", lambda i, m: f"q{i},{LETTERS}{m},{(i * len(m) + i) % 5}"),
    "item": ("item,model,score", lambda i, m: f"{LETTERS}{i},{m},{(i * len(m) + i) % 5}"),
    "rater": ("item,model,rater,score", lambda i, m: f"q{i},{m},{LETTERS}{i % 3},{(i * len(m) + i) % 5}"),
    "label": ("item,model,label", lambda i, m: f"q{i},{m},{LETTERS}{(i * len(m) + i) % 3}"),
    "words": ("item,model,label", lambda i, m: f"q{i},{m},{'y ' * 50_000}{(i * len(m) + i) % 3}"),
    "group": ("item,model,topic,score", lambda i, m: f"q{i},{m},{LETTERS}{i % 2},{(i * len(m) + i) % 5}"),
}
"""A header, and the row of an item and a model: what has a name of 100,000 letters."""
MODELS = {"model": f"--a {LETTERS}a --b {LETTERS}bb", "column": f"--a {LETTERS}m --b {LETTERS}n --gold {LETTERS}h"}


@pytest.mark.parametrize("command", ["doctor", "describe --verbose", "leaderboard --verbose", "compare --verbose"])
@pytest.mark.parametrize("name", NAMED)
def test_an_answer_cuts_names_of_100000_letters(name, command, tmp_path, howsure):
    """A verdict, a table or a note repeated them whole: up to 7 MB on the terminal."""
    header, row = NAMED[name]
    path = tmp_path / "t.csv"
    if name == "column":
        rows = [f"q{i},{i % 5},{i % 3},{i % 2}" for i in range(12)]
    else:
        rows = [row(i, m) for i in range(12) for m in ("a", "bb", "ccc")]
    path.write_text("\n".join([header, *rows]))
    words = command.split()
    if words[0] == "compare":
        words += MODELS.get(name, "--a a --b bb").split() + (["--by", "topic"] if name == "group" else [])
    said = howsure(words[0], path, *words[1:])
    if said.returncode:
        refused(said)
    assert max(map(len, said.stdout.splitlines()), default=0) < 4 * LONGEST + 100
    assert len(said.stdout) < 60_000


def test_scores_and_reports_cut_names_of_100000_letters(tmp_path, howsure):
    path = tmp_path / "s.txt"
    path.write_text(f"{LETTERS}a\t{LETTERS}b\n" + "".join(f"{i % 7}\t{i % 5}\n" for i in range(60)))
    for words in (["scores", "describe"], ["scores", "test"], ["scores", "analyse", "--n-simulations", "10"]):
        said = howsure(*words, path)
        assert said.returncode == 0
        assert len(said.stdout) < 60_000
    for ending in ("html", "md", "tex"):
        report = tmp_path / f"r.{ending}"
        assert howsure("scores", "test", path, "--report", report).returncode == 0
        assert LETTERS not in report.read_text()


SIZES = [
    (
        ["audit", "normal", "--n-items", "1000001"],
        "--n-items must be a whole number of at most 1,000,000; got 1000001.",
    ),
    (["audit", "normal", "--n-responses", "1001"], "--n-responses must be a whole number of at most 1,000; got 1001."),
    (
        ["audit", "normal", "--n-items", "9,10000", "--n-responses", "5,1000"],
        "--n-items times --n-responses must be at most 1,000,000; got 10,000 × 1,000.",
    ),
    (["plan", "normal", "--n-items", "10000001"], "--n-items must be a whole number of at most 10,000,000; got"),
    (["plan", "ratings.csv", "--next", "10000001"], "--next must be a whole number of at most 10,000,000; got"),
    (["plan", "ratings.csv", "--n-raters", "10000001"], "--n-raters must be a whole number of at most 10,000,000; got"),
    (["simulate", "normal", "--n-items", "100000000"], "at most 100,000,000 responses can be simulated; got"),
    (["sample", "ratings.csv", "--n", "100000001"], "--n must be a whole number of at most 100,000,000; got"),
    (["compare", "ratings.csv", "--n-responses", "1001"], "--n-responses must be a whole number of at most 1,000; got"),
    (
        ["gate", "ratings.csv", "--max-items", "10000001"],
        "--max-items must be a whole number of at most 10,000,000; got",
    ),
]


@pytest.mark.parametrize(("words", "line"), SIZES)
def test_a_number_that_sets_the_size_of_an_array_has_a_limit(words, line, folder, howsure, monkeypatch):
    """An audit of a million million items ended in an ArrayMemoryError."""
    monkeypatch.chdir(folder)
    assert line in refused(howsure(*words))


def test_a_study_of_too_many_items_is_no_traceback(tmp_path, howsure):
    path = tmp_path / "study.toml"
    path.write_text('task = "audit"\n[grid]\nfiles = ["normal"]\nn_items = [1000000000000]\n')
    said = howsure("sweep", "run", path, "--store", tmp_path / "study.db")
    assert said.returncode == 3
    assert "`n_items` must be a whole number of at most 1,000,000; got 1000000000000." in said.stdout + said.stderr


def test_memory_that_is_not_there_is_one_line(howsure, monkeypatch):
    def ask(*arguments, **options):
        raise MemoryError("Unable to allocate 7.28 TiB for an array")

    monkeypatch.setattr(package.questions.Power, "answer", ask)
    line = refused(howsure("power", "--effect", "0.1", "--sd", "1", "--target-power", "0.8"), (1,))
    assert line.startswith(
        "howsure: this needs more memory than there is (Unable to allocate 7.28 TiB for an array); ask"
    )


def test_messages_keep_their_start_and_their_end():
    told = str(
        DataError(f"ratings.csv has no column {LETTERS!r}; it has {', '.join(map(str, range(9999)))}. Say more.")
    )
    assert len(told) <= LONGEST + 3
    assert told.startswith("ratings.csv has no column 'xxx")
    assert told.endswith("Say more.")
    assert str(DataError("a " * 400)) == "a " * 400


@pytest.mark.parametrize("name", [",,", ",", " , ", "", " ", LETTERS, "\x00", "\x1b[31m", "\n", "\ud800"])
@pytest.mark.parametrize("option", ["item", "source", "value", "rater", "repeat"])
def test_a_column_may_be_called_anything(option, name, folder):
    table = str(folder / "ratings.csv")
    for call in (package.read, package.fit, package.describe):
        with suppress(HowsureError):
            call(table, **{option: name})
    if name == ",,":
        with pytest.raises(DataError, match="has no column ',,'"):
            package.read(table, **{option: name})


def test_a_model_that_is_nested_too_deeply_is_named(tmp_path):
    path = tmp_path / "deep.json"
    path.write_text(BRACKETS)
    with pytest.raises(DataError, match=r"deep\.json: not a JSON file \(it is nested more than 100 levels deep\)"):
        models.load(path)
