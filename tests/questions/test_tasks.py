"""Cells of a study are questions: the same options, the same numbers."""

import numpy as np
import pytest

from howsure.errors import ArgumentError
from howsure.questions import Describe, Plan, Replicate
from howsure.questions.tasks import TASKS
from howsure.sweeps import Task

DESIGN = {"files": "normal", "metric": "mae", "epsilon": 0.3, "n_items": 30}
QUICK = {"precision": 0.05, "n_responses": 3}


def seed():
    return int(np.random.default_rng(0).integers(2**62))


def ask(name, cell):
    return Task.load(TASKS[name])(cell, np.random.default_rng(0))


def test_a_cell_of_plans_is_a_plan():
    values = ask("plan", {**DESIGN, **QUICK, "repetition": 2})
    question = Plan(
        files=("normal",), metric=("mae",), epsilon=(0.3,), n_items=(30,), n_responses=("3",), precision=0.05,
        seed=seed(),
    )  # fmt: skip
    [cell] = question.answer().cells
    assert (values["power"], values["advantage"], values["cost"]) == (cell.power, cell.advantage, cell.cost)
    assert (values["n_items"], values["n_responses_gold"], values["n_raters"]) == (30, 3, 0)


def test_a_cell_with_a_target_is_the_cheapest_design_or_nothing():
    asked = {name: value for name, value in DESIGN.items() if name != "n_items"} | QUICK | {"target_width": 0.1}
    found = ask("plan", {**asked, "test": "none"})
    assert found["ci_width"] <= 0.1
    missed = ask("plan", {**asked, "test": "none", "max_items": 5})
    assert np.isnan(missed["n_items"])
    with pytest.raises(ArgumentError, match="a grid point plans for one `metric`"):
        ask("plan", {**DESIGN, **QUICK, "metric": ["mae", "mse"], "test": "none"})


def test_a_cell_of_descriptions_is_a_description(tmp_path):
    path = tmp_path / "ratings.csv"
    rng = np.random.default_rng(1)
    rows = [f"q{i},human,r{r},{i % 4 + rng.integers(2)}" for i in range(8) for r in range(3)]
    path.write_text("\n".join(["item,source,rater,value", *rows]))
    table = {"path": str(path), "sha256": ""}
    values = ask("describe", {"table": table, "only": "human", "n_resamples": 19})
    found = Describe(files=(str(path),), only=("human",), n_resamples=19, seed=seed()).answer()
    [source] = found.sources
    coefficient = source.agreement.coefficients[0]
    assert values[coefficient.name] == coefficient.value
    assert values[f"{coefficient.name} low"] == coefficient.confidence_interval.low
    assert values["n_items"] == found.n_items


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"null": ["shifted-bootstrap", "sign-flip"]}, "a grid point audits one p-value"),
        ({"test": "paired-t"}, "a grid point audits one p-value"),
        ({"interval": ["t", "basic"]}, "a grid point audits one `interval`"),
        ({"n_data_sets": 5}, "`n_data_sets` is not an option of audit"),
    ],
)
def test_a_cell_of_audits_is_one_of_each(options, message):
    cell = {**DESIGN, "n_items": 5, "n_responses": 2, "n_simulations": 2, "n_resamples": 19, "n_fresh": 5}
    with pytest.raises(ArgumentError, match=message):
        ask("audit", cell | options)


def test_a_cell_of_replications_is_a_replication():
    cell = {"paper": "forest", "table": 3, "n_simulations": 2}
    found = Replicate(**cell, seed=seed()).answer()
    known = [row for row in found.rows if row.agrees is not None]
    assert ask("replicate", cell) == {
        "n_numbers": len(known),
        "within_two_errors": np.mean([row.agrees for row in known]),
        "largest_difference": max(abs(row.difference) for row in known),
    }
    with pytest.raises(ArgumentError, match="a grid point reproduces tables"):
        ask("replicate", {"paper": "forest", "figure": 3})
