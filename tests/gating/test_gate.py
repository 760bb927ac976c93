"""Gates: verdicts, sentences, missing samples, slices, and what they refuse."""

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

import howsure
from howsure import ArgumentError, Contest, DataError, _json
from howsure.data.scales import OUTCOMES
from howsure.gating import CLAIMS, GateResult, GateRule, GateSettings, gate
from howsure.gating.more_data import new_items, new_runs, verdict_chance
from howsure.gating.result import interval_bar


def marked(contest):
    """Say that zeros and ones are wrong and right answers, as readers of logs do."""
    return replace(contest, scale=replace(contest.scale, reason=OUTCOMES))


def flipped(n=400, lost=10, won=10, right=300, **options):
    """Two models that are right on most items; the candidate loses some and wins some."""
    baseline = np.array([1] * right + [0] * (n - right))
    candidate = baseline.copy()
    candidate[:lost] = 0
    candidate[right : right + won] = 1
    return marked(Contest.from_arrays(None, candidate, baseline, names=("", "new", "old"), **options))


def rule(margin=0.05, claim="non-inferior", **other):
    return GateRule(CLAIMS[claim], margin, **other)


@pytest.mark.parametrize(
    ("claim", "lost", "won", "verdict", "says"),
    [
        ("non-inferior", 10, 10, "pass", "Pass: new is not worse than old by more than 0.05."),
        ("non-inferior", 60, 5, "fail", "Fail: new is worse than old by more than 0.05."),
        ("non-inferior", 22, 5, "inconclusive", "Inconclusive: the data do not decide whether new is worse than old"),
        ("superior", 5, 60, "pass", "Pass: new is better than old by more than 0.05."),
        ("superior", 10, 10, "fail", "Fail: new is not better than old by as much as 0.05."),
        ("equivalent", 10, 10, "pass", "Pass: new and old differ by less than 0.05."),
        ("equivalent", 5, 60, "fail", "Fail: new and old differ by more than 0.05."),
        ("equivalent", 60, 5, "fail", "Fail: new and old differ by more than 0.05."),
    ],
)
def test_verdicts_and_their_sentences(claim, lost, won, verdict, says):
    found = gate(flipped(lost=lost, won=won), rule(claim=claim))
    assert (found.verdict, found.exit_code) == (verdict, {"pass": 0, "fail": 1, "inconclusive": 2}[verdict])
    assert found.sentence.startswith(says)
    assert (found.overall.flips.harmful, found.overall.flips.beneficial) == (lost, won)


def test_the_numbers_of_a_sentence_are_those_of_the_result():
    found = gate(flipped(lost=30, won=10), rule())
    assert "Accuracy 0.700 vs 0.750, lower by 0.050 (90% CI 0.024 to 0.079)." in found.sentence
    better = gate(flipped(lost=10, won=30), rule())
    assert "higher by 0.050 (90% CI 0.024 to 0.079)." in better.sentence


def test_verdict_and_interval_are_the_same_thing():
    for lost in range(0, 60, 3):
        found = gate(flipped(lost=lost), rule(0.04))
        ends = found.overall.confidence_interval
        assert (found.verdict == "pass") == (ends.low > -0.04)
        assert (found.verdict == "fail") == (ends.high < -0.04)


def test_lower_values_can_be_better():
    gold = np.arange(60.0)
    noise = np.random.default_rng(0).normal(size=60)
    contest = Contest.from_arrays(gold, gold + 0.1 * noise, gold + noise, names=("gold", "new", "old"))
    found = gate(contest, rule(0.1), GateSettings("mae", range=(-np.inf, np.inf)))
    assert found.verdict == "pass"
    assert "lower by" in found.sentence


def test_exchanging_the_models_turns_superior_into_fail():
    one = gate(flipped(lost=5, won=60), rule(claim="superior"))
    other = gate(flipped(lost=60, won=5), rule(claim="non-inferior"))
    assert (one.verdict, other.verdict) == ("pass", "fail")
    assert one.overall.pvalue_pass == pytest.approx(other.overall.pvalue_fail, rel=1e-6)


def test_an_inconclusive_gate_names_new_items_and_does_not_invite_a_second_look():
    found = gate(flipped(lost=22, won=5), rule())
    shown = str(found)
    assert re.search(r"About [\d,]+ new items would decide it with 80% probability", shown)
    assert "unless the true difference is close to the margin" in shown
    assert "Do not add items to these and test again" in shown
    decided = str(gate(flipped(), rule()))
    assert "new items" not in decided


def test_the_number_of_new_items_decides_as_often_as_it_says():
    """Simulated: the truth around the estimate, new data around the truth."""
    n = new_items((0.02,), item_error=0.015, fixed_error=0.0, n=200, critical=1.645)
    rng = np.random.default_rng(1)
    truth = rng.normal(0.02, 0.015, 200_000)
    error = 0.015 * np.sqrt(200 / n)
    decided = np.abs(rng.normal(truth, error)) > 1.645 * error
    assert 0.8 <= decided.mean() < 0.83


def test_equivalence_needs_room_inside_the_margin():
    narrow = verdict_chance((0.001, 0.001), 1e-6, np.array([1.0]), 1.645)
    assert 0 <= narrow[0] <= 1


def test_runs_are_named_where_runs_can_decide():
    assert new_runs((0.05,), between=0.0001, within=0.002, runs=2, critical=1.645) is not None
    assert new_runs((0.01,), between=0.01, within=0.0001, runs=2, critical=1.645) is None


def test_repeated_runs_are_averaged_within_items():
    rng = np.random.default_rng(2)
    p = rng.beta(1, 1, (80, 1))
    grids = [rng.binomial(1, p, (80, 5)).astype(float) for _ in range(2)]
    found = gate(marked(Contest.from_arrays(None, *grids)), rule(0.04))
    assert found.overall.confidence_interval.method == "t"
    assert found.verdict == "inconclusive"
    assert found.more.n_runs is None or found.more.n_runs > 5


def test_missing_samples_are_bounded():
    def with_gaps(lost, gaps):
        contest = flipped(lost=lost)
        a = contest.a.values.astype(float).copy()
        a[50 : 50 + gaps] = np.nan
        return Contest.from_arrays(None, a, contest.b.values, names=("", "new", "old"))

    def asked(lost, gaps, **settings):
        rng_contest = with_gaps(lost, gaps)
        whole = flipped(lost=lost)
        values = whole.a.values.copy()
        keep = np.ones(400, bool)
        keep[50 : 50 + gaps] = False
        from howsure.data.responses import Responses

        sizes = keep.astype(int)
        a = Responses(values[keep], np.concatenate([[0], np.cumsum(sizes)]))
        assert rng_contest.n_items == 400 - gaps
        return gate(whole.having({"a": a}), rule(0.04), GateSettings(**settings))

    steady = asked(6, 2)
    assert steady.verdict == "pass"
    assert (steady.missing.candidate, steady.missing.baseline, steady.missing.worst) == (2, 0, "pass")
    shaken = asked(8, 18)
    assert shaken.overall.verdict == "pass"
    assert shaken.verdict == "inconclusive"
    assert "18 samples without a score could change the verdict." in shaken.sentence
    with pytest.raises(DataError, match=r"10% of the samples of a model have no score, more than 5%: new lacks 40"):
        asked(6, 40)
    assert asked(6, 40, max_error_rate=0.2).missing.candidate == 40


def test_a_loss_in_one_slice_fails_the_gate():
    topic = np.where(np.arange(400) < 60, "law", "art")
    contest = flipped(lost=30, won=40, groups={"topic": topic})
    found = gate(contest, rule(), GateSettings(by="topic"))
    assert found.overall.verdict == "pass"
    assert found.verdict == "fail"
    assert found.sentence.startswith("Fail: the candidate loses more than the margin allows on topic = law.")
    assert {row.slice: row.verdict for row in found.slices} == {"topic = art": "pass", "topic = law": "fail"}


def test_slices_of_an_unchanged_model_rarely_fail():
    """Ten slices at the edge: a false failure of any in 5% at most."""
    from howsure.inference.proportions import binomial_region

    rng = np.random.default_rng(5)
    n_sets, failed = 200, 0
    for _ in range(n_sets):
        baseline = np.ones(500)
        candidate = (rng.random(500) > 0.1).astype(float)
        groups = {"topic": np.arange(500) % 10}
        contest = marked(Contest.from_arrays(None, candidate, baseline, groups=groups, scale="ordinal"))
        failed += gate(contest, rule(0.1), GateSettings(by="topic")).verdict == "fail"
    assert failed <= binomial_region(n_sets, 0.05, confidence_level=0.999).high


def test_clusters_are_the_units():
    rng = np.random.default_rng(3)
    doc = np.repeat(np.arange(30), 10)
    lost = rng.random(30)[doc] < 0.1
    contest = Contest.from_arrays(
        None, np.where(lost, 0.0, 1.0), np.ones(300), groups={"doc": doc}, names=("", "new", "old")
    )
    contest = marked(contest)
    alone, grouped = gate(contest, rule(0.2)), gate(contest, rule(0.2), GateSettings(cluster="doc"))
    assert grouped.overall.confidence_interval.width > alone.overall.confidence_interval.width


def test_rare_catastrophes_are_recognised_and_end_inconclusive():
    values = np.concatenate([np.full(3, -1.0), np.full(97, 0.01)])
    contest = Contest.from_arrays(None, 0.5 + values / 2, np.full(100, 0.5), names=("", "new", "old"))
    found = gate(contest, rule(0.027), GateSettings(range=(0, 1)))
    assert found.verdict == "inconclusive"
    assert any("rare large losses" in note for note in found.notes)


@pytest.mark.parametrize(
    ("margin", "message"),
    [
        (2, r"`margin` must be below 1, the range of rating on the scale from 0 to 1; got 2. Did you mean 0.02\?"),
        (1, "`margin` must be below 1"),
        (-0.1, "`margin` must be at least 0; got -0.1"),
    ],
)
def test_margins_in_the_wrong_unit(margin, message):
    with pytest.raises(ArgumentError, match=message):
        gate(flipped(), rule(margin))


def test_no_common_items(tmp_path):
    for name, start in (("old", 0), ("new", 50)):
        rows = "\n".join(f"q{start + i},{i % 2}" for i in range(50))
        (tmp_path / f"{name}.csv").write_text(f"item,score\n{rows}\n", encoding="utf-8")
    with pytest.raises(DataError, match="shares no item"):
        howsure.gate(str(tmp_path / "old.csv"), str(tmp_path / "new.csv"), margin=0.1)


def test_the_result_round_trips_and_is_read_by_programs():
    topic = np.where(np.arange(400) < 60, "law", "art")
    found = gate(flipped(lost=30, won=40, groups={"topic": topic}), rule(), GateSettings(by="topic"))
    content = json.loads(_json.dumps(found.to_dict()))
    assert content["exit_code"] == 1
    assert GateResult.from_dict(content).to_dict() == found.to_dict()
    suite = ET.fromstring(found.junit())
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "2", "0")
    assert [case.get("name") for case in suite] == ["new against old", "topic = art", "topic = law"]
    comment = found.comment()
    assert comment.startswith("<!-- howsure-gate -->\n### ❌ howsure gate: fail\n")
    assert "<details>" in comment


def test_hostile_names_are_harmless():
    name = '</testcase><x a="1">&\x1b[31m'
    contest = flipped()
    hostile = Contest(None, contest.a, contest.b, contest.scale, contest.items, ("", name, "old"))
    found = gate(hostile, rule())
    ET.fromstring(found.junit())
    assert "<x a" not in found.comment()


def test_the_bar_marks_margin_zero_estimate_and_ends():
    found = gate(flipped(lost=22, won=5), rule())
    bar = interval_bar(found.overall, found.rule)
    assert bar.isascii()
    assert [bar.count(mark) for mark in "(*)0M"][:3] == [1, 1, 1]
    inside = bar[bar.index("|") + 1 : bar.rindex("|")]
    assert inside.index("(") < inside.index("M") < inside.index("*") < inside.index(")") < inside.index("0")


def test_the_function_takes_files_and_data_in_memory(tmp_path):
    contest = flipped()
    named = howsure.gate(contest, margin=0.05)
    assert named.candidate == "new"
    for name, source in (("old", contest.b), ("new", contest.a)):
        rows = "\n".join(f"q{i},{value:g}" for i, value in enumerate(source.values))
        (tmp_path / f"{name}.csv").write_text(f"item,correct\n{rows}\n", encoding="utf-8")
    files = howsure.gate(str(tmp_path / "old.csv"), str(tmp_path / "new.csv"), margin=0.05)
    assert files.overall.advantage == named.overall.advantage
    assert (files.candidate, files.baseline) == ("candidate", "baseline")
