"""What a gate can see: known answers, and what simulations of an unchanged model find."""

import numpy as np
import pytest

from howsure import ArgumentError, Contest, DataError
from howsure.gating import CLAIMS, GateRule, GateSettings, check_gate, gate
from howsure.gating.sensitivity import SIMULATIONS
from howsure.inference.proportions import binomial_region

RULE = GateRule(CLAIMS["non-inferior"], 0.05)


def pair(n, discordant=0.2, seed=0):
    rng = np.random.default_rng(seed)
    baseline = rng.integers(0, 2, n).astype(float)
    moved = rng.random(n) < discordant
    return Contest.from_arrays(None, np.where(moved, 1 - baseline, baseline), baseline, names=("", "new", "old"))


def test_the_loss_that_fails_and_the_margin_that_works_follow_from_the_noise():
    found = check_gate(pair(500), RULE)
    error = found.standard_deviation / np.sqrt(500)
    assert found.standard_deviation == pytest.approx(np.sqrt(0.2), abs=0.05)
    assert found.failing_loss == pytest.approx(0.05 + 2.4865 * error, abs=1e-4)
    assert found.smallest_margin == pytest.approx(2.4865 * error, abs=1e-4)
    assert found.unchanged_passes + found.unchanged_fails + found.unchanged_inconclusive == pytest.approx(1)


def test_the_advised_design_lets_an_unchanged_model_pass():
    [design] = check_gate(pair(200), RULE).designs
    larger = check_gate(pair(design.n_items, seed=3), RULE)
    assert abs(larger.unchanged_passes - 0.8) < 0.08  # the discordance of the pilot itself varies


def test_an_unchanged_model_rarely_fails():
    found = check_gate(pair(100), GateRule(CLAIMS["non-inferior"], 0.01))
    assert found.unchanged_fails * SIMULATIONS <= binomial_region(SIMULATIONS, 0.05, confidence_level=0.999).high
    assert found.threshold_fails > 0.2
    assert not found.works
    assert "is too weak for its margin" in str(found)


def test_runs_of_one_model_show_how_it_differs_from_itself():
    rng = np.random.default_rng(1)
    runs = rng.binomial(1, rng.beta(1, 1, (100, 1)), (100, 6)).astype(float)
    contest = Contest.from_arrays(None, runs, runs, names=("", "candidate", "baseline"))
    found = check_gate(contest, RULE)
    assert (found.source, found.n_runs) == ("runs", 1)
    assert found.standard_deviation == pytest.approx(np.sqrt(2 * runs.var(axis=1, ddof=1).mean()))
    items = {design.n_runs: design.n_items for design in found.designs}
    assert items[1] == pytest.approx(5 * items[5], abs=5)


def test_words_of_a_gate_that_works():
    found = check_gate(pair(3000, 0.1), RULE)
    assert found.works
    assert str(found).startswith("With 3,000 items and 1 run of each model, this gate works: an unchanged model passes")


@pytest.mark.parametrize(
    ("contest", "rule", "settings", "message"),
    [
        (pair(50), GateRule(CLAIMS["superior"], 0.05), GateSettings(), "leave out `superior`"),
        (pair(50), GateRule(CLAIMS["non-inferior"], 0.0), GateSettings(), "needs a margin above 0"),
        (pair(50), RULE, GateSettings(by="x"), "leave out `cluster`, `by` and `raters`"),
    ],
)
def test_what_a_check_refuses(contest, rule, settings, message):
    with pytest.raises(ArgumentError, match=message):
        check_gate(contest, rule, settings)


def test_one_run_alone_says_nothing():
    values = np.array([1.0, 0.0, 1.0])
    with pytest.raises(DataError, match="needs two runs or more"):
        check_gate(Contest.from_arrays(None, values, values), RULE)


def test_the_gate_agrees_with_its_check():
    contest = pair(2000, 0.1)
    assert check_gate(contest, RULE).unchanged_passes > 0.9
    assert gate(contest, RULE).verdict == "pass"
