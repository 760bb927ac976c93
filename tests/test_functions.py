"""The functions of `howsure` take what the commands take, under the same names, and give the same numbers."""

import inspect
import json
import pickle
import runpy
import subprocess
import sys
from pathlib import Path
from pkgutil import resolve_name

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import howsure
from howsure import ArgumentError, Comparison, Comparisons, Contest, DataError, FunctionMetric, _json, examples
from howsure._fields import fields_of
from howsure.cli import app
from howsure.functions import QUESTIONS
from howsure.questions.as_function import EXECUTED_WITH

ROOT = Path(__file__).parents[1]
MODELS = {"gold": "human", "a": "model-2", "b": "model-1"}


@pytest.fixture(scope="module")
def table():
    return examples.ratings()


@pytest.fixture
def folder(tmp_path, monkeypatch, table):
    """A folder with ratings.csv, votes.csv and scores.txt."""
    monkeypatch.chdir(tmp_path)
    howsure.write(table, "ratings.csv")
    howsure.write(examples.judged(), "judged.csv")
    rng = np.random.default_rng(0)
    scores = rng.normal(loc=[0.5, 0.0], size=(30, 2))
    Path("scores.txt").write_text("\n".join(f"{a:.3f}\t{b:.3f}" for a, b in scores), encoding="utf-8")
    votes = {"model_a": ["x", "y"] * 10, "model_b": ["y", "x"] * 10, "winner": ["model_a"] * 15 + ["model_b"] * 5}
    pl.DataFrame(votes).write_csv("votes.csv")
    return tmp_path


def words_of(options):
    """Return options as the command line writes them."""
    words = []
    for name, value in options.items():
        flag = f"--{name.replace('_', '-')}"
        entries = value if isinstance(value, list | tuple) else [value]
        words += [flag] if value is True else [word for entry in entries for word in (flag, str(entry))]
    return words


CALLS = [
    ("compare", ["ratings.csv"], {**MODELS, "metric": ["mae", "wins"], "seed": 3}),
    ("compare", ["ratings.csv"], {**MODELS, "by": "topic", "null": "shifted-bootstrap", "n_resamples": 99}),
    ("leaderboard", ["ratings.csv"], {"gold": "human", "n_resamples": 199, "seed": 1}),
    ("leaderboard", ["votes.csv"], {"winner": "winner", "n_resamples": 99}),
    ("leaderboard", ["ratings.csv"], {"gold": "human", "plan": 1, "n_resamples": 99}),
    ("describe", ["ratings.csv"], {"only": ["human"], "n_resamples": 19}),
    ("fit", ["ratings.csv"], {"gold": "human", "mean": "normal", "sd": "beta"}),
    ("simulate", ["likert-toxicity"], {"n_items": 10, "n_responses": 2, "epsilon": 0.3, "seed": 2}),
    ("plan", ["normal"], {"n_items": [20, 50], "n_responses": [1, 3], "epsilon": 0.2, "test": "none"}),
    ("plan", ["ratings.csv"], {**MODELS, "n_items": 50, "n_responses": 2, "test": "none"}),
    ("audit", ["normal"], {"metric": "mae", "n_items": 10, "n_simulations": 5, "n_resamples": 19, "n_fresh": 10}),
    ("doctor", ["ratings.csv"], {}),
    ("compare", ["judged.csv"], {"judge": "gpt-judge", "a": "model-2", "b": "model-1", "margin": 0.5}),
    ("score", ["judged.csv"], {"judge": "gpt-judge", "raters": "fixed"}),
    ("judge", ["judged.csv"], {"judge": "gpt-judge", "by": "topic", "bias": ["topic"], "allowance": 0.2}),
    ("sample", ["judged.csv"], {"n": 20, "stratify": "topic", "seed": 4}),
    (
        "plan",
        ["judged.csv"],
        {"judge": "gpt-judge", "a": "model-2", "b": "model-1", "target_width": 0.4, "cost_judge": 0.1},
    ),
    ("power", [], {"sd": 1.0, "effect": 0.2, "target_power": 0.8}),
    ("scores analyse", ["scores.txt"], {"test": "wilcoxon", "n_simulations": 20, "seed": 5}),
]


@pytest.mark.filterwarnings("ignore::howsure.errors.HowsureWarning")
@pytest.mark.parametrize(("name", "data", "options"), CALLS, ids=lambda part: part if isinstance(part, str) else "")
@pytest.mark.usefixtures("folder")
def test_functions_and_commands_give_the_same_numbers(name, data, options):
    found = getattr(howsure, name.split()[0])(*data, **options)
    shown = CliRunner().invoke(app.app, [*name.split(), *data, *words_of(options), "--json"], catch_exceptions=False)
    assert json.loads(_json.dumps(found.to_dict())) == json.loads(shown.stdout)


@pytest.mark.usefixtures("folder")
def test_one_metric_gives_one_comparison(table):
    found = howsure.compare("ratings.csv", **MODELS, metric="mae", seed=0)
    shown = CliRunner().invoke(app.app, ["compare", "ratings.csv", *words_of(MODELS), "--metric", "mae", "--json"])
    assert isinstance(found, Comparison)
    assert json.loads(_json.dumps(found.to_dict())) == json.loads(shown.stdout)["comparisons"][0]
    assert isinstance(howsure.compare(table, **MODELS, metric=["mae"]), Comparisons)
    assert isinstance(howsure.compare(table, **MODELS, by="topic", n_resamples=19), Comparisons)


def test_every_command_is_a_function_with_every_option():
    assert set(QUESTIONS) == {*app.QUESTIONS, "scores"}
    assert {name: address for name, address in QUESTIONS.items() if name != "scores"} == {
        name: address for name, (address, _) in app.QUESTIONS.items()
    }
    for name, address in QUESTIONS.items():
        question = resolve_name(address)
        function = getattr(howsure, name)
        keywords = [p for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY]
        options = [field for field in fields_of(question) if not field.option.positional]
        assert question.function == function.__name__ == name
        assert {p.name for p in keywords} == {*(field.name for field in options), *EXECUTED_WITH.get(name, ())}
        assert all(f"\n{p.name} : " in function.__doc__ for p in keywords)


@pytest.mark.parametrize("name", QUESTIONS)
def test_wrong_keywords_are_explained(name):
    with pytest.raises(ArgumentError, match=f"`nonsense_option` is not an option of {name}"):
        getattr(howsure, name)(nonsense_option=1)


def test_the_keyword_that_was_meant_is_named():
    with pytest.raises(ArgumentError, match=r"^`metrics` is not an option of compare\. Did you mean `metric`\?$"):
        howsure.compare("ratings.csv", metrics="mae")
    with pytest.raises(ArgumentError, match=r"`n_item` is not an option of plan\. Did you mean `n_items`"):
        howsure.plan("normal", n_item=100)


def test_functions_are_found_again_by_their_name():
    import howsure.leaderboards

    assert callable(howsure.leaderboard)
    assert howsure.compare is howsure.compare
    assert pickle.loads(pickle.dumps(howsure.compare)) is howsure.compare
    assert all("rng" not in inspect.signature(getattr(howsure, name)).parameters for name in QUESTIONS)


@pytest.mark.usefixtures("folder")
def test_data_may_be_in_memory(table):
    expected = howsure.compare("ratings.csv", **MODELS, metric="mae")
    frame = pl.read_csv("ratings.csv")
    columns = {name: frame[name].to_list() for name in frame.columns}
    for data in (Path("ratings.csv"), ["ratings.csv"], table, frame, frame.to_pandas(), frame.to_arrow(), columns):
        found = howsure.compare(data, **MODELS, metric="mae")
        assert (found.advantage, found.pvalue, found.signature) == (
            expected.advantage,
            expected.pvalue,
            expected.signature,
        )
    assert howsure.compare(table.contest(**MODELS), metric="mae").signature == expected.signature
    assert howsure.leaderboard(frame, gold="human").signature == howsure.leaderboard(table, gold="human").signature
    one_each = {name: frame.filter(source=name).drop("source") for name in ("human", "model-1", "model-2")}
    for name, part in one_each.items():
        part.write_csv(f"{name}.csv")
    files = {name: f"{name}.csv" for name in one_each}
    assert howsure.compare(files, **MODELS, metric="mae").advantage == expected.advantage
    assert howsure.compare(*(f"{n}={p}" for n, p in files.items()), **MODELS, metric="mae").pvalue == expected.pvalue
    assert howsure.compare([f"{n}={p}" for n, p in files.items()], **MODELS, metric="mae").pvalue == expected.pvalue


def test_arrays_and_conditions_of_dataframes_are_read(table):
    rng = np.random.default_rng(0)
    arrays = {name: rng.integers(1, 6, size=(20, 3)) for name in "xyz"}
    assert howsure.compare(arrays, gold="x", a="y", b="z").n_items == 20
    frame = table.to_frame().with_columns(kind=pl.when(pl.col("source") == "human").then(pl.lit("person")))
    found = howsure.compare(frame, gold="kind=person", a="source=model-2", b="source=model-1", metric="mae")
    assert found.advantage == howsure.compare(table, **MODELS, metric="mae").advantage
    topic = table.groups["topic"][0]
    some = howsure.compare(table.to_frame(), **MODELS, where={"topic": topic}, metric="mae")
    assert some.n_items == (table.groups["topic"] == topic).sum()


def test_models_may_be_in_memory(table):
    named = howsure.plan("normal", n_items=20, n_responses=(2,), epsilon=0.2, test="none")
    model = howsure.preset("normal")
    assert howsure.plan(model, n_items=20, n_responses=2, epsilon=0.2, test="none").cells == named.cells
    fitted = howsure.fit(table, gold="human")
    assert howsure.simulate(fitted, n_items=5, n_responses=(3, 1, 1)).table.sources["gold"].values.size == 15
    few = {"metric": "mae", "n_items": 10, "n_simulations": 3, "n_resamples": 19, "n_fresh": 10}
    assert howsure.audit(fitted.model, **few).signature == howsure.audit(fitted, **few).signature
    assert howsure.plan(table.contest(**MODELS), metric="mae", n_items=50, n_responses=3, test="none").cells


def test_scores_take_two_lists(folder):
    a, b = np.loadtxt(folder / "scores.txt").T
    few = {"n_simulations": 20, "seed": 1}
    listed, read = howsure.scores(list(a), b, **few), howsure.scores(folder / "scores.txt", **few)
    assert (listed.pvalue, listed.curve) == (read.pvalue, read.curve)
    with pytest.raises(ArgumentError, match="scores takes a file, or two lists of scores; got nothing"):
        howsure.scores()
    with pytest.raises(ArgumentError, match="two lists of scores; got list"):
        howsure.scores([1.0, 2.0])
    with pytest.raises(ArgumentError, match="`columns` has no effect here"):
        howsure.scores(a, b, columns=[1, 2])


def test_metrics_may_be_objects(table):
    metric = FunctionMetric(lambda gold, model: np.median(np.abs(gold - model)), better="lower", name="off")
    found = howsure.compare(table, **MODELS, metric=metric, n_resamples=99)
    assert found.metric == "off"
    assert [one.metric for one in howsure.compare(table, **MODELS, metric=["mae", metric], n_resamples=99)] == [
        "mae",
        "off",
    ]


def test_seeds_may_be_generators_or_fresh(table):
    how = {**MODELS, "null": "shifted-bootstrap", "n_resamples": 99}
    one, two = (howsure.compare(table, **how, seed=np.random.default_rng(1)) for _ in range(2))
    assert one.signature == two.signature
    assert howsure.compare(table, **how, seed=one.seed).to_dict() == one.to_dict()
    child = np.random.SeedSequence(4).spawn(1)[0]
    assert howsure.compare(table, **how, seed=child).seed == howsure.compare(table, **how, seed=child).seed
    fresh = howsure.compare(table, **how, seed=None)
    assert fresh.seed != howsure.compare(table, **how, seed=None).seed
    assert howsure.compare(table, **how).seed == 0
    with pytest.raises(ArgumentError, match="`seed` must be a whole number; got 'x'"):
        howsure.compare(table, **how, seed="x")


def test_progress_counts_up_to_its_total(table, tmp_path):
    seen = []
    howsure.compare(table, **MODELS, metric="mae", null="shifted-bootstrap", n_resamples=199, workers=2,
                    progress=lambda done, total: seen.append((done, total)))  # fmt: skip
    assert seen == sorted(seen)
    assert seen[-1] == (398, 398)
    few = {"metric": "mae", "n_items": 10, "n_simulations": 3, "n_resamples": 19, "n_fresh": 10}
    kept = howsure.audit("normal", **few, store=tmp_path / "audit.db")
    assert kept.to_dict() == howsure.audit("normal", **few, workers=1).to_dict()
    assert (tmp_path / "audit.db").exists()


def test_what_cannot_be_read_is_refused(table):
    with pytest.raises(ArgumentError, match="`item` has no effect here: the data have been read"):
        howsure.compare(table, **MODELS, item="item")
    with pytest.raises(ArgumentError, match="a contest has its gold, A and B already"):
        howsure.compare(table.contest(**MODELS), a="model-1", b="model-2")
    with pytest.raises(DataError, match="a table must be a path or a dataframe; got list"):
        howsure.compare([[1, 2], [3, 4]])
    with pytest.raises(ArgumentError, match="doctor takes paths of files; got ResponseTable"):
        howsure.doctor(table)
    with pytest.raises(ArgumentError, match="power takes no argument without a name"):
        howsure.power(1.0)


def test_json_cannot_pass_objects():
    from howsure.questions import Compare

    with pytest.raises(ArgumentError, match="`files` must be text"):
        Compare.from_dict({"files": [{"item": [1]}]})


def test_a_question_about_data_in_memory_can_be_shown(table):
    from howsure.questions import Compare

    asked = Compare(
        files=(table,), metric=(howsure.metrics.resolve("mae"),) if hasattr(howsure, "metrics") else ("mae",)
    )
    assert json.dumps(asked.to_dict())
    assert asked.to_dict()["files"] == ["<ResponseTable>"]


def test_the_stub_is_up_to_date():
    pytest.importorskip("ruff")
    made = runpy.run_path(str(ROOT / "scripts" / "stubs.py"))["stub"]()
    shown = (ROOT / "src" / "howsure" / "functions.pyi").read_text(encoding="utf-8")
    assert shown == made, "run python scripts/stubs.py"


SNIPPET = """
import howsure
from howsure import Comparison, Comparisons, Leaderboard

one: Comparison = howsure.compare("ratings.csv", gold="human", a="m2", b="m1", metric="mae", seed=0)
several: Comparisons = howsure.compare("ratings.csv", a="m2", b="m1", metric=["mae", "wins"])
slices: Comparisons = howsure.compare("ratings.csv", by="topic", null="sign-flip")
board: Leaderboard = howsure.leaderboard("ratings.csv", gold="human", weight={"news": 2.0})
howsure.plan("normal", n_items=[50, 100], n_responses=(5, 1), epsilon=0.1, seed=None)
"""


def test_type_checkers_know_every_keyword(tmp_path):
    pytest.importorskip("mypy")
    wrong = ['howsure.compare("x.csv", metrics="mae")', 'howsure.compare("x.csv", null="sing-flip")', "howsure.power()"]
    (tmp_path / "right.py").write_text(SNIPPET, encoding="utf-8")
    (tmp_path / "wrong.py").write_text("import howsure\n" + "\n".join(wrong), encoding="utf-8")
    how = [sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={ROOT / '.mypy_cache'}"]
    checked = subprocess.run([*how, "right.py", "wrong.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    places = {line.split(": error")[0] for line in checked.stdout.splitlines() if ": error" in line}
    assert places == {"wrong.py:2", "wrong.py:3", "wrong.py:4"}, checked.stdout


def test_tables_and_contests_show_themselves_in_short(table):
    contest = table.contest(**MODELS)
    assert repr(table).startswith("<ResponseTable: 200 items; responses: human (1000), model-1 (600)")
    assert repr(contest).startswith("<Contest: 200 items; responses: gold: human (1000), a: model-2 (600)")
    assert len(repr(contest)) < 200
    many = howsure.ResponseTable.from_arrays({f"<m{i}>": [1, 2, 3] for i in range(30)})
    assert "<m9> (3) and 20 more;" in repr(many)
    assert "&lt;m0&gt;" in many._repr_html_()
    assert "20 more" in many._repr_html_()
    assert "gold: human" in contest._repr_html_()
    assert "a: A" in Contest.from_arrays(None, [1, 2], [2, 1])._repr_html_()


def test_results_show_their_verdict_in_short(table):
    one = howsure.compare(table, **MODELS, metric="mae")
    assert repr(one) == f"<Comparison: {one.verdict}>"
    assert repr(howsure.compare(table, **MODELS, metric=["mae"])) == f"<Comparisons: 1, the first of them {one!r}>"
    assert repr(howsure.plan("normal", n_items=20, n_responses=2, epsilon=0.2, test="none")).startswith("<Plan: ")


def test_slices_need_their_column(table):
    bare = howsure.ResponseTable(table.items, table.sources, table.scale)
    with pytest.raises(ArgumentError, match=r"Columns: none; read the table with groups=\['topic'\]"):
        howsure.compare(bare, **MODELS, by="topic")
