import json
import sys

import numpy as np
import pytest
from click.testing import CliRunner

from howsure import models, sweeps
from howsure.auditing import audit, conclude, grid_of, measure
from howsure.cli import main
from howsure.cli._commands import flags_of
from howsure.cli.app import app
from howsure.documents.text import render
from howsure.errors import ArgumentError
from howsure.questions import Audit
from howsure.questions.tasks import TASKS
from howsure.sweeps import Grid, Store, Task
from howsure.wording.options import as_options

SMALL = ["--n-items", "20", "--n-responses", "2", "--n-simulations", "3", "--n-resamples", "39", "--n-fresh", "60"]
SIZES = {"designs": [(20, 2)], "n_simulations": 3, "n_resamples": 39, "n_fresh": 60}


def run(*arguments):
    result = CliRunner(env={"COLUMNS": "120"}).invoke(app, ["audit", *arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def said(capsys, monkeypatch, *arguments):
    """Run the command as a shell does and return exit code and stderr."""
    monkeypatch.setattr(sys, "argv", ["howsure", "audit", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    return end.value.code, capsys.readouterr().err


def test_the_command_prints_the_verdict_and_the_tables():
    text = run("normal", "--metric", "mae,wins", "--epsilon", "0.2", "--verbose", *SMALL).output
    found = audit("normal", metrics=["mae", "wins"], epsilons=[0.2], rng=0, **SIZES)
    assert text == as_options(f"{render(found.document(), width=120, verbose=True)}\n", flags_of(Audit))
    for head in ("rejection rate at a nominal 5%", "estimated p − true p", "coverage of 95% intervals"):
        assert f"20 items × 2 responses: {head}" in text
    line = next(line for line in text.splitlines() if line.startswith("│ wins   │ sign-flip (bootstrap/all) "))
    row = next(
        row for row in found.tests if (row.metric, row.null, row.scheme, row.pvalue, row.truth)
        == ("wins", "sign-flip", "bootstrap/all", "tail", "same")
    )  # fmt: skip
    low, high = (100 * end for end in row.rate_interval)  # three data sets: no decimal is known
    assert f" {100 * row.rate:.0f} ({low:.0f} to {high:.0f})" in line


def test_json_holds_every_number():
    given = json.loads(run("--dirichlet", "10,3,3", "--metric", "tv", "--json", *SMALL).output)
    found = audit(models.CategoricalModel((10.0, 3.0, 3.0)), metrics=["tv"], rng=0, **SIZES)
    assert given == found.to_dict()


def test_a_store_remembers_finished_cells_which_are_drawn(tmp_path):
    pytest.importorskip("altair")
    store, chart = tmp_path / "audit.db", tmp_path / "audit.json"
    first = run("normal", "--store", str(store), *SMALL).output
    assert Store(store).counts()[measure.name, measure.version].done == 2
    assert run("normal", "--store", str(store), "--chart", str(chart), *SMALL).output == f"{first}Chart: {chart}\n"
    assert len(json.loads(chart.read_text())["vconcat"]) == 2


def test_a_pilot_table_is_fitted_or_resampled(tmp_path):
    table = str(tmp_path / "pilot.csv")
    CliRunner().invoke(app, ["simulate", "--dirichlet", "10,3,3", "--n-items", "50", "--out", table])
    assert "categorical items, 3 labels: Dirichlet(" in run(table, "--gold", "gold", "--verbose", *SMALL).output
    real = run(table, "--gold", "gold", "--response-model", "empirical", "--verbose", *SMALL).output
    assert "50 real items resampled" in real
    with pytest.raises(ArgumentError, match="--gold must name one of the sources: "):
        run(table, *SMALL)


def test_a_model_file_is_audited(tmp_path):
    models.save(models.preset("categorical-dices"), tmp_path / "model.json")
    assert "Dirichlet(5.22, 0.86, 2.75)" in run(str(tmp_path / "model.json"), "--verbose", *SMALL).output


def test_an_output_never_replaces_what_is_read(tmp_path, capsys, monkeypatch):
    model = tmp_path / "model.json"
    models.save(models.preset("normal"), model)
    before = model.read_bytes()
    code, text = said(capsys, monkeypatch, str(model), "--report", str(model), "--force", *SMALL)
    assert (code, model.read_bytes()) == (2, before)
    assert "would overwrite" in text
    assert "which is read; name another file." in text
    assert said(capsys, monkeypatch, "normal", "--chart", str(model), *SMALL)[0] == 2
    assert model.read_bytes() == before


def test_the_default_output_fits_80_columns_and_has_one_table():
    result = CliRunner(env={"COLUMNS": "80"}).invoke(app, ["audit", "normal", "--metric", "mae,wins", *SMALL])
    tables = [line for line in result.stdout.splitlines() if line[:1] in tuple("┏┃┡│└")]
    assert max(map(len, tables)) <= 80
    assert sum(line.startswith("┏") for line in tables) == 1


def test_leaders_tables_come_in_its_layout(monkeypatch):
    from howsure.papers import leader
    from howsure.questions import audit as question

    monkeypatch.setattr(leader, "N_ITEMS", 20)
    monkeypatch.setattr(question, "LEADER_EPSILONS", (0.0, 0.05))
    text = run(
        "--paper", "leader", "--n-simulations", "2", "--n-resamples", "19", "--n-fresh", "10", "--verbose"
    ).output
    assert text.count("smallest error of estimated p among the metrics") == 2
    assert "│ bootstrap/all       │ 9 │" in text
    assert "ε = 0.05" in text
    assert text.count("Best scheme by the smallest error among metrics, LEADER's criterion: ") == 2
    assert "bootstrap probability that the advantage changes sign" in text
    assert "│ all/one             │ 6 │" in text
    counted = {tuple(cell.strip() for cell in line.split("│")[1:3]) for line in text.splitlines() if "│" in line}
    assert {("mae", "6"), ("emd-histogram-legacy", "3")} <= counted
    folded = "".join(line.split("│")[2].strip() + " " for line in text.splitlines() if line.count("│") > 2)
    assert "bootstrap-sign (bootstrap/first, expected)" in folded  # narrow columns fold their words


@pytest.mark.parametrize(
    ("scheme", "null", "named"),
    [
        ("bootstrap/all", "shifted-bootstrap", "shifted-bootstrap"),
        ("bootstrap/all", "pooled-responses", "bootstrap-sign"),
    ],
)
def test_audit_is_a_ready_made_task(scheme, null, named):
    """One p-value and one interval in each cell; the same numbers as the rows of an audit of that cell."""
    ready = Task.load(TASKS["audit"])
    cell = {
        "files": "normal", "metric": "mae", "scheme": scheme, "null": null, "n_items": 20, "n_responses": 2,
        "n_simulations": 8, "n_resamples": 39, "n_fresh": 60, "repetition": 1,
    }  # fmt: skip
    values = ready({**cell, "epsilon": 0.3}, np.random.default_rng(0))
    grid, _ = grid_of(
        "normal", metrics=["mae"], nulls=[null], schemes=[("bootstrap", "all")], intervals=["percentile"],
        tests=[], epsilons=[0.3], **(SIZES | {"n_simulations": 8}),
    )  # fmt: skip
    seed = int(np.random.default_rng(0).integers(2**62))
    found = conclude(sweeps.run(measure, Grid(list(grid)[-1:]), rng=seed))
    pvalue = "expected" if named == "bootstrap-sign" else "tail"
    rows = {row.truth: row for row in found.tests if (row.null, row.pvalue) == (named, pvalue)}
    assert values["power"] == rows["B worse"].rate
    assert values["level"] == rows["different errors"].rate
    assert values["bias"] == rows["B worse"].bias
    assert values["coverage"] == next(row.coverage for row in found.intervals if row.truth == "B worse")
    alike = ready({**cell, "epsilon": 0}, np.random.default_rng(0))
    assert "power" not in alike
    assert 0 <= alike["level"] <= 1


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["normla"], 2, "no response model is called 'normla'. Did you mean 'normal'?"),
        ([], 2, "No data and no model. Pass a table, a model file, a preset"),
        (["normal", "--n-items", "1"], 2, "--n-items must be a whole number of at least 2; got 1."),
        (["normal", "--n-responses", "5/1/1"], 2, "--n-responses must be whole numbers separated by commas"),
        (["normal", "--scheme", "bootstrap"], 2, "--scheme must be written like bootstrap/all; got 'bootstrap'."),
        (["normal", "--scheme", "bootstrap/most"], 2, "schemes must be pairs of items (all or bootstrap)"),
        (["normal", "--null", "sign-flp"], 2, "Did you mean 'sign-flip'?"),
        (["normal", "--test", "none,wilcoxon"], 2, "--test is none, or a list; not both."),
        (["normal", "--interval", "wald"], 2, "--interval must be one of percentile, basic"),
        (["normal", "--epsilon", "a"], 2, "--epsilon must be a number; got 'a'."),
        (["normal", "--metric", "tv"], 2, "needs labels"),
        (["normal", "--metric", "mae", "--threshold", "1"], 2, "--threshold is not a parameter of mae; leave it out."),
        (["normal", "--threshold", "1"], 2, "--threshold, --positive and --better are parameters of a metric"),
        (["normal", "--gold", "human"], 2, "--gold describes a pilot table; got normal, which is a response model."),
        (["normal", "--response-model", "x"], 2, "--response-model must be one of auto, categorical"),
        (
            ["normal", "--response-model", "likert"],
            2,
            "--response-model describes a pilot table; got normal, which is a",
        ),
        (["normal", "--rho", "1"], 2, "--rho is the noise of labels, and this model has none."),
        (["categorical-dices", "--rho", "1", "--clip"], 2, "--clip cuts normal responses, and this model has none."),
        (
            ["categorical-dices", "--rho", "1", "--perturbation", "noise"],
            2,
            "--rho is the noise of perturbation mixing",
        ),
        (["normal", "--interval", "none", "--confidence-level", ".9"], 2, "--confidence-level has no effect here"),
        (["normal", "--epsilon-a", ".2", "--epsilon", ".1"], 2, "--epsilon must be at least --epsilon-a, 0.2, because"),
        (["--paper", "raters"], 2, "--paper must be one of leader; got 'raters'."),
        (["normal", "--paper", "leader"], 2, "--paper leader fixes FILE; leave one of them out."),
        (["normal", "--alpha", "5"], 2, "--alpha must lie strictly between 0 and 1; got 5.0. Did you"),
        (["normal", "--chart", "audit.gif"], 2, "--chart must be a file that ends in .html, .svg"),
        (["--paper", "leader", "--n-items", "50"], 2, "--paper leader fixes --n-items; leave one of them out."),
        (["model.json"], 1, "model.json: no such file."),
    ],
)
def test_bad_input_is_one_line(arguments, code, message, capsys, monkeypatch):
    found, text = said(capsys, monkeypatch, *arguments)
    assert found == code
    assert message in text
    assert text.count("\n") == 1


@pytest.fixture
def rated(tmp_path):
    """Ratings of 20 items, in documents of two, by three raters who judge all of them."""
    rng = np.random.default_rng(2)
    rows = ["item,document,source,rater,value"]
    rows += [f"q{i},d{i // 2},human,r{r},{rng.integers(1, 5)}" for i in range(20) for r in range(3)]
    (tmp_path / "rated.csv").write_text("\n".join(rows))
    return str(tmp_path / "rated.csv")


def test_a_fitted_model_of_a_pilot_with_crossed_raters_says_for_whom_it_holds(rated):
    text = run(rated, "--gold", "human", "--response-model", "likert", *SMALL).output
    assert "Note: Raters judged several items each, so a comparison also answers for raters like these." in text
    assert "this verdict holds for these raters only" in text


def test_a_pilot_with_crossed_raters_is_audited_with_them(rated):
    text = run(rated, "--gold", "human", "--verbose", *SMALL).output
    assert "│ random-effects (bootstrap/all/raters)" in text
    assert "Note: Real items are resampled with their raters; nothing is fitted." in text
    assert "these raters only" not in text


def test_the_documents_of_a_pilot_are_audited_as_clusters(rated, capsys, monkeypatch):
    text = run(rated, "--gold", "human", "--cluster", "document", "--verbose", *SMALL).output
    assert "20 real items in 10 groups by document and 3 real raters resampled" in text
    assert "Note: Real items are resampled with their raters, group by group; nothing is fitted." in text
    for arguments, message in (
        ([rated, "--gold", "human", "--cluster", "paper"], "paper"),
        (
            [rated, "--gold", "human", "--cluster", "document", "--response-model", "likert"],
            "--response-model likert has no",
        ),
        (["normal", "--cluster", "document"], "--cluster describes a pilot table; got normal"),
    ):
        code, error = said(capsys, monkeypatch, *arguments, *SMALL)
        assert code == 2 or message == "paper"
        assert message in error


def test_every_number_of_an_audit_is_written_as_csv(tmp_path):
    table = tmp_path / "audit.csv"
    run("normal", "--n-items", "12", "--n-responses", "1", "--n-simulations", "3", "--n-resamples", "19", "--n-fresh",
        "20", "--report", str(table))  # fmt: skip
    head, *rows = table.read_text(encoding="utf-8").splitlines()
    assert {"metric", "null", "rate", "below_10%", "below_90%"} <= set(head.split(","))
    assert rows


def test_a_table_is_audited_in_its_own_shape(tmp_path):
    """100 × 5 were simulated as "data like yours" for a file of 1,698 × 1."""
    table = tmp_path / "pilot.csv"
    rows = [f"q{i},human,{(i * 7 + j) % 5}" for i in range(30) for j in range(2)]
    table.write_text("\n".join(["item,source,value", *rows]))
    words = [
        str(table),
        "--gold",
        "human",
        "--metric",
        "mae",
        "--n-simulations",
        "3",
        "--n-resamples",
        "39",
        "--n-fresh",
        "60",
    ]
    text = run(*words).output
    assert "Note: Simulated data sets have the shape of the table: 30 items × 2 responses." in text
    assert " | n_items=30 | n_responses=2 | " in text.replace("\n", " ")
    other = run(*words, "--n-items", "20").output
    assert "Simulated data sets have 20 items × 2 responses; the table has 30 items × 2 responses." in other


def test_leaders_layout_takes_the_epsilon_that_is_given():
    """0.1 was ignored, because it is the default of the other layout."""
    asked = Audit(files=("normal",), metric=("mae",), layout="leader", epsilon=(0.1,))
    [(_, request)], _ = asked._parts()
    assert request.epsilons == (0.0, 0.1)
    [(_, usual)], _ = Audit(files=("normal",), metric=("mae",), layout="leader")._parts()
    assert usual.epsilons != request.epsilons
