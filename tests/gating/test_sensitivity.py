"""What a gate can see: known answers, and what simulations of an unchanged model find."""

import numpy as np
import pytest

from howsure import ArgumentError, Contest, DataError
from howsure.gating import CLAIMS, GateRule, GateSettings, check_gate, gate
from howsure.gating.gauges import gauge_of
from howsure.gating.sensitivity import SIMULATIONS
from howsure.inference.proportions import binomial_region

RULE = GateRule(CLAIMS["non-inferior"], 0.05)
RIGHT = GateSettings(range=(0, 1))


def pair(n, discordant=0.2, seed=0):
    rng = np.random.default_rng(seed)
    baseline = rng.integers(0, 2, n).astype(float)
    moved = rng.random(n) < discordant
    return Contest.from_arrays(None, np.where(moved, 1 - baseline, baseline), baseline, names=("", "new", "old"))


def share_of(verdict, draw, rule, n_sets=2000, span=1.0):
    """Return how often gates on new data have this verdict: a simulation that shares no code with the check."""
    rng = np.random.default_rng(99)
    return sum(rule.verdict(gauge_of(draw(rng), span)) == verdict for _ in range(n_sets)) / n_sets


def of_pair(contest):
    return contest.a.values - contest.b.values


@pytest.mark.parametrize(("n", "discordant"), [(60, 0.2), (100, 0.1), (200, 0.2), (500, 0.1)])
def test_what_the_check_says_is_what_new_gates_on_right_and_wrong_answers_do(n, discordant):
    contest = pair(n, discordant)
    found = check_gate(contest, RULE, RIGHT)
    differs = float((of_pair(contest) != 0).mean())
    assert found.standard_deviation == pytest.approx(max(np.sqrt(differs), np.sqrt(0.05 * 0.95)))

    def draw(rng, loss=0.0):
        lost = rng.random(n) < loss
        return np.where(lost, -1.0, rng.choice([-1.0, 0.0, 1.0], n, p=[differs / 2, 1 - differs, differs / 2]))

    assert share_of("fail", lambda rng: draw(rng, found.failing_loss), RULE) == pytest.approx(0.8, abs=0.04)
    assert share_of("pass", draw, RULE) == pytest.approx(found.unchanged_passes, abs=0.05)
    # The share of passes jumps by up to 8 points where one item more or less decides.
    ready = GateRule(CLAIMS["non-inferior"], found.smallest_margin)
    assert 0.76 <= share_of("pass", draw, ready) <= 0.9


def test_what_the_check_says_is_what_new_gates_on_ratings_do():
    rng, n = np.random.default_rng(3), 80
    old = rng.choice([2.0, 3.0, 4.0, 5.0], n)
    new = np.clip(old + rng.choice([-1, 0, 1], n, p=[0.2, 0.6, 0.2]), 1, 5)
    contest = Contest.from_arrays(None, new, old, names=("", "new", "old"))
    rule = GateRule(CLAIMS["non-inferior"], 0.3)
    found = check_gate(contest, rule, GateSettings(range=(1, 5)))
    seen = np.abs(new - old)

    def draw(rng, loss=0.0):
        return rng.choice(seen, n) * rng.choice([-1, 1], n) - loss

    assert share_of("fail", lambda rng: draw(rng, found.failing_loss), rule, span=4.0) == pytest.approx(0.8, abs=0.04)
    assert share_of("pass", draw, rule, span=4.0) == pytest.approx(found.unchanged_passes, abs=0.05)
    ready = GateRule(CLAIMS["non-inferior"], found.smallest_margin)
    assert 0.76 <= share_of("pass", draw, ready, span=4.0) <= 0.9


def test_the_advised_design_lets_an_unchanged_model_pass():
    contest = pair(200)
    [design] = check_gate(contest, RULE, RIGHT).designs
    differs = float((of_pair(contest) != 0).mean())

    def draw(rng):
        return rng.choice([-1.0, 0.0, 1.0], design.n_items, p=[differs / 2, 1 - differs, differs / 2])

    assert share_of("pass", draw, RULE) == pytest.approx(0.8, abs=0.04)


def test_a_gate_that_nothing_fails_says_so():
    found = check_gate(pair(2, 0.5), GateRule(CLAIMS["non-inferior"], 0.9), RIGHT)
    assert np.isnan(found.failing_loss)
    assert "no loss on this scale fails in 80%" in str(found)


def test_an_unchanged_model_rarely_fails():
    found = check_gate(pair(100), GateRule(CLAIMS["non-inferior"], 0.01), RIGHT)
    assert found.unchanged_fails * SIMULATIONS <= binomial_region(SIMULATIONS, 0.05, confidence_level=0.999).high
    assert found.threshold_fails > 0.2
    assert not found.works
    assert "is too weak for its margin" in str(found)


def test_runs_of_one_model_show_how_it_differs_from_itself():
    rng = np.random.default_rng(1)
    runs = rng.binomial(1, rng.beta(1, 1, (100, 1)), (100, 6)).astype(float)
    contest = Contest.from_arrays(None, runs, runs, names=("", "candidate", "baseline"))
    found = check_gate(contest, RULE, RIGHT)
    assert (found.source, found.n_runs) == ("runs", 1)
    assert found.standard_deviation == pytest.approx(np.sqrt(2 * runs.var(axis=1, ddof=1).mean()))
    items = {design.n_runs: design.n_items for design in found.designs}
    assert items[1] == pytest.approx(5 * items[5], abs=5)


def test_words_of_a_gate_that_works():
    found = check_gate(pair(3000, 0.1), RULE, RIGHT)
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
        check_gate(Contest.from_arrays(None, values, values), RULE, RIGHT)


def test_the_gate_agrees_with_its_check():
    contest = pair(2000, 0.1)
    assert check_gate(contest, RULE, RIGHT).unchanged_passes > 0.9
    assert gate(contest, RULE, RIGHT).verdict == "pass"
