"""The audit as a question: its fields are everything, and what has no effect is refused."""

import json
from contextlib import contextmanager, nullcontext
from dataclasses import replace

import numpy as np
import pytest

from howsure.auditing import Audit as Result
from howsure.auditing import LeaderAudit, audit
from howsure.auditing.estimators import kept, scheme_of, write
from howsure.auditing.grid_point import GridPoint, check_model
from howsure.auditing.leader_layout import ranking
from howsure.documents.text import render
from howsure.errors import ArgumentError
from howsure.inference import binomial_region
from howsure.metrics import entry_of, metric_from, resolve
from howsure.models import preset
from howsure.questions import Audit
from howsure.questions.base import Run, cells_told
from howsure.sweeps import Counts

TINY = {"n_items": (12,), "n_responses": (3,), "n_simulations": 4, "n_resamples": 19, "n_fresh": 20}
ONE = {"null": ("sign-flip",), "test": ("none",), "interval": ("none",), "scheme": ("bootstrap/all",)}


def asked(**fields):
    return Audit(**({"files": ("normal",), "metric": ("mae",)} | TINY | ONE | fields))


def planned(question):
    """Return the cells that a question would compute, and compute none."""
    cells = []

    class PlannedError(Exception):
        pass

    def study(task, grid, seed):
        cells.extend(grid)
        raise PlannedError

    with pytest.raises(PlannedError):
        question.answer(Run(study=study))
    return cells


def test_a_question_comes_back_from_its_json_and_its_command_says_it_all():
    question = asked(epsilon=(0.1, 0.2), epsilon_a=0.05, clip=True)
    assert Audit.from_dict(json.loads(json.dumps(question.to_dict()))) == question
    assert "--epsilon-a 0.05" in question.command
    assert asked(files=(), metric=(), paper="leader", **dict.fromkeys(ONE, ())).command.count("--paper leader") == 1


def test_the_answer_is_that_of_the_function():
    found = asked().answer()
    assert found.to_dict() == audit(
        "normal", metrics=["mae"], designs=[(12, 3)], schemes=[("bootstrap", "all")], nulls=["sign-flip"], tests=[],
        intervals=[], n_simulations=4, n_resamples=19, n_fresh=20, rng=0,
    ).to_dict()  # fmt: skip
    assert Result.from_dict(json.loads(json.dumps(found.to_dict()))).to_dict() == found.to_dict()


def test_models_that_are_equally_far_from_gold_do_not_differ():
    """ε of A = ε of B: the null is true, whatever ε is; 5% of 80 data sets, by a test with 399 exact levels."""
    found = asked(
        files=("likert-toxicity",), epsilon=(0.4,), epsilon_a=0.4, n_items=(30,), n_simulations=80, n_fresh=500
    ).answer()
    equal = [row for row in found.tests if row.truth == "equal errors" and row.pvalue == "tail"]
    [row] = equal
    assert row.is_null
    assert row.epsilon == 0.4
    assert row.rejected <= binomial_region(80, 0.05, confidence_level=0.99).high
    assert abs(row.true_pvalue - 0.5) < 4 * row.true_pvalue_se
    assert not any(row.truth == "B worse" for row in found.tests)


def test_an_epsilon_of_a_makes_b_less_worse():
    ideal, off = (asked(epsilon=(0.4,), epsilon_a=strength, interval=("t",)).answer() for strength in (0.0, 0.3))
    advantage = {
        name: next(row.advantage for row in found.intervals if row.truth == "B worse")
        for name, found in (("ideal", ideal), ("off", off))
    }
    assert 0 < advantage["off"] < advantage["ideal"]


def test_plan_audit_and_simulate_describe_a_model_by_the_same_fields():
    from howsure._fields import fields_of
    from howsure.questions import Plan, Simulate
    from howsure.questions.simulators import SimulatorFields

    for field in fields_of(SimulatorFields):
        for question in (Plan, Audit, Simulate):
            assert field in fields_of(question)
    assert {"epsilon_a", "rho", "clip", "perturbation"} <= {field.name for field in fields_of(SimulatorFields)}
    table = Simulate(files=("normal",), n_items=50, clip=True, seed=1).answer().table
    assert all(0 <= source.values.min() <= source.values.max() <= 1 for source in table.sources.values())
    # With ε = 1 the noise is all there is, and with a large ρ it is the same for every item: a third of each label.
    noise = Simulate(files=("categorical-dices",), n_items=20, n_responses="90", epsilon=1, rho=(1e9,), seed=1)
    shares = [np.mean(noise.answer().table.sources["B"].values == code) for code in range(3)]
    assert all(
        binomial_region(1800, 1 / 3).low <= 1800 * share <= binomial_region(1800, 1 / 3).high for share in shares
    )


def test_noise_of_labels_and_clipping_reach_the_model():
    cell = planned(asked(files=("categorical-dices",), metric=("tv",), rho=(2.0,)))[0]
    assert cell["model"]["rho"] == [2.0, 2.0, 2.0]
    assert planned(asked(clip=True))[0]["model"]["clip"] is True


def test_the_true_p_of_a_scheme_is_that_of_the_responses_it_draws():
    schemes = ("bootstrap/one", "bootstrap/bootstrap:2", "bootstrap/all")
    found = asked(scheme=schemes, null=("shifted-bootstrap",), epsilon=(0.4,), n_fresh=200).answer()
    rows = {row.scheme: row for row in found.tests if row.truth == "B worse" and row.pvalue == "tail"}
    assert {name: row.n_kept for name, row in rows.items()} == {
        "bootstrap/one": 1, "bootstrap/bootstrap:2": 2, "bootstrap/all": 3
    }  # fmt: skip
    assert len({row.true_pvalue for row in rows.values()}) == 3
    scheme = scheme_of("bootstrap", "bootstrap:2")
    assert (write(scheme), kept(scheme, 5), kept(scheme_of("bootstrap", "all"), 5)) == ("bootstrap/bootstrap:2", 2, 5)


def test_metrics_with_parameters_are_known_in_every_process():
    high = replace(resolve("f1"), threshold=0.7)
    assert metric_from(json.loads(json.dumps(entry_of(high)))) == high
    cell = planned(asked(files=("likert-toxicity",), metric=("f1",), threshold=0.7))[0]
    assert cell["metrics"] == [{"name": "f1", "threshold": 0.7}]
    [metric] = GridPoint.of(cell).estimators.metrics
    assert metric.threshold == 0.7


def test_plans_of_metrics_with_parameters_keep_them_in_a_store_and_in_the_signature(tmp_path):
    from howsure.questions import Plan
    from howsure.sweeps import run

    fields = {"files": ("likert-toxicity",), "metric": ("f1",), "n_items": (20,), "n_responses": ("2",)}
    fields |= {"epsilon": (0.3,), "test": ("none",), "n_simulations": 50}
    stored = Run(study=lambda task, grid, seed: run(task, grid, store=tmp_path / "plan.db", rng=seed))
    low, high = (Plan(**fields, threshold=threshold) for threshold in (0.3, 0.7))
    assert low.answer(stored).to_dict() == low.answer().to_dict()
    assert low.answer().cells[0].advantage != high.answer().cells[0].advantage
    assert "f1(threshold=0.3)" in low.answer().signature
    assert low.answer().signature != high.answer().signature
    with pytest.raises(ArgumentError, match="`threshold` is not a parameter of mae"):
        Plan(files=("normal",), metric=("mae",), threshold=0.5).answer()


def test_a_cluster_must_be_a_column_of_the_simulated_tables():
    with pytest.raises(ArgumentError, match="`cluster` must be a column of the tables that the model simulates"):
        audit("normal", cluster="document", n_simulations=2)


def test_leaders_preset_gives_both_of_its_data_and_keeps_to_its_fields(monkeypatch):
    with pytest.raises(ArgumentError, match="`paper='leader'` fixes `rho`"):
        Audit(paper="leader", rho=(1.0,)).answer()
    cells = planned(Audit(paper="leader", n_fresh=30))
    assert {cell["model"]["kind"] for cell in cells} == {"normal", "likert"}
    assert {cell["n_fresh"] for cell in cells} == {30}
    assert {(cell["n_simulations"], cell["n_resamples"]) for cell in cells} == {(50, 1000)}


def test_a_leader_audit_comes_back_from_its_json():
    pooled = {"null": ("pooled-responses",), "test": ("paired-t",)}
    found = LeaderAudit((asked(**pooled).answer(), asked(files=("likert-toxicity",), **pooled).answer()))
    again = LeaderAudit.from_dict(json.loads(json.dumps(found.to_dict())))
    assert again.to_dict() == found.to_dict()
    assert render(again.document(), verbose=True).count("Best scheme by the smallest error among metrics") == 2


def test_a_model_that_cannot_be_perturbed_says_so_before_the_work():
    with pytest.raises(ArgumentError, match="requires a scale with categories"):
        check_model(preset("normal"), (0.1, 0.1), "mixing")


def test_progress_moves_within_cells_and_ends_at_all_of_them():
    moves = []

    @contextmanager
    def progress(label, total):
        moves.append((label, total))
        yield moves.append

    asked(n_simulations=2000).answer(Run(workers=2, progress=progress))
    (label, total), *steps = moves
    assert label == "auditing"
    assert total % 100 == 0
    assert all(step > 0 for step in steps)
    assert sum(steps) == total
    assert len(steps) > total // 100


def test_a_cell_that_fails_or_is_computed_twice_counts_once():
    steps = []
    with cells_told(lambda label, total: nullcontext(steps.append), "auditing", 3) as tell:
        for counts in (
            Counts(0, 0, 3),
            Counts(0, 0, 3, 0.5),
            Counts(0, 0, 3, 0.25),
            Counts(1, 0, 2),
            Counts(1, 1, 1),
            Counts(2, 1),
        ):
            tell(counts)
    assert steps == [50, 50, 100, 100]


def test_metrics_and_sampling_methods_are_ranked_by_the_error_of_p_on_own_data(tmp_path):
    """The verdict and the tables say what the rows say: mean |estimated p − true p| where B is worse."""
    table = tmp_path / "gold.csv"
    rng = np.random.default_rng(0)
    rows = [f"q{i},human,{value}" for i in range(30) for value in rng.integers(1, 4, 4) + i % 3]
    table.write_text("\n".join(["item,source,value", *rows]), encoding="utf-8")
    question = Audit(files=(str(table),), gold="human", layout="leader", metric=("mae", "wins"), epsilon=(0.2, 0.4),
                     n_items=(12,), n_responses=(2,), n_simulations=6, n_resamples=39, n_fresh=100)  # fmt: skip
    found = question.answer()
    assert isinstance(found, LeaderAudit)
    [one] = found.audits
    assert {row.scheme for row in one.tests} == {
        "all/one", "all/bootstrap", "bootstrap/all", "bootstrap/first", "bootstrap/one", "bootstrap/bootstrap"
    }  # fmt: skip
    assert not one.intervals
    errors = {}
    for row in one.tests:
        if row.pvalue == "expected" and row.truth == "B worse":
            errors.setdefault((row.metric, row.scheme), []).append(row.absolute_error)
    means = {key: np.mean(each) for key, each in errors.items()}
    metric, scheme = min(means, key=means.get)
    said = str(found)
    assert said.startswith(f"The p-values of {metric} with {scheme} (items/responses) come nearest to the true p: on "
                           f"average they are off by {means[metric, scheme]:.3f} where B is worse.")  # fmt: skip
    by_scheme = {name: np.mean([means[key] for key in means if key[1] == name]) for _, name in means}
    best = ranking(one, "scheme").rows
    assert [row[0] for row in best] == sorted(by_scheme, key=by_scheme.get)
    assert best[0][1] == f"{min(by_scheme.values()):.3f}"
