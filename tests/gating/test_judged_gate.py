"""Gates by people's judgement: they labelled some items, a judge scored all of them."""

import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import howsure
from howsure import ArgumentError, Contest, DataError, _json, examples
from howsure.cli import app
from howsure.data.responses import Responses
from howsure.gating import CLAIMS, GateResult, GateRule, GateSettings, judged_gate
from howsure.gating.gauges import GuardedStudentGauge, JudgedGauge, z_of
from howsure.inference.combined_error import CombinedError
from howsure.inference.proportions import binomial_region
from howsure.judging import JudgedContest

SETS = 400
MODELS = {"candidate": "model-2", "baseline": "model-1"}
JUDGE = {"judge": "gpt-judge", "range": (1, 5), **MODELS}
WIDE, RIGHT = GateSettings(range=(-np.inf, np.inf)), GateSettings(range=(0, 1))
"""Simulated ratings are normal: their scale has no end."""


def judged(people_a, people_b, judge_a, judge_b, *, raters=True):
    """Return a contest that people, an (items, raters) array each, labelled on its first items, and a judge on all."""
    own = Contest.from_arrays(None, judge_a, judge_b, names=("", "new", "old"))
    n, n_raters = people_a.shape
    offsets = np.concatenate([[0], np.cumsum(np.where(np.arange(own.n_items) < n, n_raters, 0))])
    who = np.tile(np.arange(n_raters), n) if raters else None
    people = own.having(
        {"a": Responses(people_a.ravel(), offsets, who), "b": Responses(people_b.ravel(), offsets, who)}
    )
    return JudgedContest(replace(people, raters=tuple(f"r{i}" for i in range(n_raters)) if raters else ()), own, "gpt")


def rated(rng, *, edge, n_raters=6, taste=0.3, n=60, n_all=300, favour=0.5):
    """Ratings by people whose tastes differ, and by a judge that favours the candidate; the truth is at `edge`."""
    quality = rng.normal(size=(2, n_all))
    people = (
        3 + quality[:, :n, None] + taste * rng.normal(size=(2, 1, n_raters)) + 0.5 * rng.normal(size=(2, n, n_raters))
    )
    people[0] += edge
    scores = 3 + quality + 0.6 * rng.normal(size=(2, n_all))
    scores[0] += favour
    return judged(*people, *scores)


def failing(rng, *, share, blind, n=200, n_all=1000):
    """Right and wrong answers: the candidate loses this share of items, and the judge overlooks some of the losses."""
    baseline = (rng.random(n_all) < 0.8).astype(float)
    lost = rng.random(n_all) < share
    baseline[lost] = 1.0
    candidate = np.where(lost, 0.0, baseline)
    seen = np.where(rng.random(n_all) < blind, baseline, candidate)
    return judged(candidate[:n, None], baseline[:n, None], seen, baseline, raters=False)


@pytest.fixture(scope="module")
def table():
    return examples.judged()


@pytest.mark.parametrize(
    ("options", "verdict", "says"),
    [
        ({"margin": 0.1}, "pass", "Pass: model-2 is not worse than model-1 by more than 0.1."),
        ({"margin": 0.5, "superior": True}, "fail", "Fail: model-2 is not better than model-1 by as much as 0.5."),
        (
            {"margin": 0.1, "superior": True},
            "inconclusive",
            "Inconclusive: the data do not decide whether model-2 is better than model-1 by more than 0.1.",
        ),
        ({"margin": 0.5, "equivalent": True}, "pass", "Pass: model-2 and model-1 differ by less than 0.5."),
    ],
)
def test_verdicts_and_their_sentences(table, options, verdict, says):
    found = howsure.gate(table, **JUDGE, **options)
    assert (found.verdict, found.exit_code) == (verdict, {"pass": 0, "fail": 1, "inconclusive": 2}[verdict])
    assert found.sentence.startswith(f"{says} Mean rating 3.23 vs 3.04, higher by 0.19 (90% CI −0.01 to 0.40). 80 of ")
    judge = "fail" if options.get("equivalent") else "pass"
    assert found.sentence.endswith(
        f"80 of 400 items are labelled by 6 raters; gpt-judge alone would say {judge} (model-2 better by 0.603)."
    )


def test_advantage_and_interval_are_those_of_compare(table):
    for raters in (None, "random", "fixed"):
        found = howsure.gate(table, margin=0.1, raters=raters, **JUDGE)
        beside = howsure.compare(
            table, judge="gpt-judge", a="model-2", b="model-1", raters=raters, confidence_level=0.9
        ).combined
        assert found.overall.advantage == pytest.approx(beside.advantage)
        assert found.overall.standard_error == pytest.approx(beside.standard_error)
        for end in ("low", "high"):
            sign = 1 if end == "high" else -1
            own, other = (getattr(one.confidence_interval, end) for one in (found.overall, beside))
            if raters == "fixed":  # the labels' guards are a little longer
                assert -1e-9 < sign * (own - other) < 0.02
            else:
                assert own == pytest.approx(other)
    assert found.notes[0] == "The result holds for these 6 raters only, as asked."


def test_exchanging_the_models_exchanges_the_p_values(table):
    one = howsure.gate(table, margin=0.1, superior=True, **JUDGE)
    other = howsure.gate(table, judge="gpt-judge", candidate="model-1", baseline="model-2", margin=0.1, range=(1, 5))
    assert one.overall.pvalue_pass == pytest.approx(other.overall.pvalue_fail)
    assert "gpt-judge alone would say fail (model-2 better by 0.603)." in other.sentence


def test_an_inconclusive_gate_says_what_helps_and_does_not_invite_more_labels(table):
    found = howsure.gate(table, margin=0.1, superior=True, **JUDGE)
    first, second = found.advice
    assert first.startswith("More raters help more than more items: 12 raters would give about ±")
    assert second.startswith("Do not add labels to these and test again")
    assert "looks" not in second
    assert found.more is None


def test_verdict_and_interval_are_the_same_thing():
    rng = np.random.default_rng(5)
    verdicts = set()
    for edge in np.linspace(-1.2, 0.4, 12):
        found = judged_gate(rated(rng, edge=edge), GateRule(CLAIMS["non-inferior"], 0.4), WIDE)
        ends = found.overall.confidence_interval
        assert (found.verdict == "pass") == (ends.low > -0.4)
        assert (found.verdict == "fail") == (ends.high < -0.4)
        verdicts.add(found.verdict)
    assert verdicts == {"pass", "fail", "inconclusive"}


@pytest.mark.parametrize(
    ("make", "margin", "settings"),
    [
        (lambda rng: rated(rng, edge=-0.5), 0.5, WIDE),
        (lambda rng: rated(rng, edge=-0.5, taste=0.0), 0.5, WIDE),
        (lambda rng: rated(rng, edge=-0.5, n_raters=3), 0.5, replace(WIDE, raters="random")),
        (lambda rng: failing(rng, share=0.05, blind=0.5), 0.05, RIGHT),
        (lambda rng: failing(rng, share=0.02, blind=1.0), 0.02, RIGHT),
    ],
    ids=["raters", "raters alike", "three raters", "a judge half blind", "a blind judge"],
)
def test_a_model_at_the_edge_passes_as_rarely_as_it_should(make, margin, settings):
    """By the judge, which favours the candidate, most of these models would pass."""
    rng, rule = np.random.default_rng(0), GateRule(CLAIMS["non-inferior"], margin)
    found = [judged_gate(make(rng), rule, settings) for _ in range(SETS)]
    passed = sum(one.verdict == "pass" for one in found)
    assert passed <= binomial_region(SETS, 0.05, confidence_level=0.999).high
    assert sum(one.judge.verdict == "pass" for one in found) > SETS / 2


def test_without_the_guards_a_blind_judge_would_pass_too_many():
    """The interval of `compare` alone, at the same edge: two losses in a hundred items, none seen by the judge."""
    rng, rule, passed = np.random.default_rng(0), GateRule(CLAIMS["non-inferior"], 0.02), 0
    for _ in range(SETS):
        own = howsure.judging.compare_with_judge(failing(rng, share=0.02, blind=1.0, n=100)).evidence
        passed += z_of(own.error.pvalue(own.estimate + 0.02, alternative="greater")) > rule.critical
    assert passed > binomial_region(SETS, 0.05, confidence_level=0.999).high


def test_a_clear_loss_fails_and_a_clear_gain_passes():
    rng, rule = np.random.default_rng(1), GateRule(CLAIMS["non-inferior"], 0.2)
    assert judged_gate(rated(rng, edge=-1.5), rule, WIDE).verdict == "fail"
    assert judged_gate(rated(rng, edge=1.0), rule, WIDE).verdict == "pass"


def test_the_gauge_takes_the_lesser_evidence_and_the_farther_ends():
    error = CombinedError((0.04, 0.01), (4.0, 99.0))
    labels = GuardedStudentGauge(0.3, 1.0, -2.0, 100, 4.0)
    gauge = JudgedGauge(0.3, error, labels)
    own = error.interval(0.3, confidence_level=0.9)
    assert gauge.above(-0.2) == min(labels.above(-0.2), z_of(error.pvalue(0.5, alternative="greater")))
    assert gauge.below(0.9) == pytest.approx(min(labels.below(0.9), z_of(error.pvalue(-0.6, alternative="less"))))
    assert (gauge.interval(0.9).low, gauge.interval(0.9).high) == (own.low, own.high)
    assert (gauge.error, gauge.n, gauge.widened(0.9)) == (error.standard_error, 100, False)
    small = JudgedGauge(0.3, CombinedError((1e-6,), (99.0,)), labels)
    assert small.interval(0.9) == labels.interval(0.9)
    assert small.widened(0.9)


def test_where_no_item_differs_unseen_losses_decide():
    scores = np.arange(100) % 2.0
    same = judged(scores[:40, None], scores[:40, None], scores, scores, raters=False)
    found = judged_gate(same, GateRule(CLAIMS["non-inferior"], 0.2), RIGHT)
    assert found.verdict == "pass"
    share = 1 - 0.05 ** (1 / 40)  # with this share of losses, 40 items show none in 5% of samples
    assert found.overall.confidence_interval.low == pytest.approx(-share)
    assert judged_gate(same, GateRule(CLAIMS["non-inferior"], 0.02), RIGHT).verdict == "inconclusive"


def test_few_raters_are_told():
    found = judged_gate(
        rated(np.random.default_rng(0), edge=0.0, n_raters=3), GateRule(CLAIMS["non-inferior"], 0.5), WIDE
    )
    assert "The result holds for these 3 raters: too few to generalise reliably. Add raters." in found.notes


def test_a_gate_without_a_judge_tells_for_which_raters_it_speaks(table):
    for raters, said in (
        (None, "generalises to raters like these 7."),
        ("fixed", "holds for these 7 raters only, as asked."),
    ):
        assert f"The result {said}" in howsure.gate(table, margin=0.1, raters=raters, range=(1, 5), **MODELS).notes


def test_all_items_labelled():
    found = judged_gate(
        rated(np.random.default_rng(0), edge=0.0, n_all=60), GateRule(CLAIMS["non-inferior"], 0.5), WIDE
    )
    assert found.sentence.endswith("All 60 items are labelled by 6 raters, so gpt adds nothing.")


def test_two_files_are_baseline_and_candidate(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    howsure.write(table, "judged.csv")
    rows = pl.read_csv("judged.csv")
    for model in ("model-1", "model-2"):
        rows.filter(pl.col("source") == model).drop("source").write_csv(f"{model}.csv")
    found = howsure.gate("model-1.csv", "model-2.csv", judge="gpt-judge", margin=0.1, range=(1, 5))
    whole = howsure.gate("judged.csv", margin=0.1, **JUDGE)
    assert (found.candidate, found.baseline) == ("candidate", "baseline")
    assert found.overall == whole.overall
    assert found.sentence.endswith("gpt-judge alone would say pass (candidate better by 0.603).")


def test_labels_against_people_and_preferences():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 300)

    def noisy(right):
        return np.array(["neg", "neu", "pos"])[np.where(rng.random(300) < right, truth, rng.integers(0, 3, 300))]

    rows = [(f"q{i}", "human", f"r{r}", label) for r in range(6) for i, label in enumerate(noisy(0.9)[:80])]
    for source, right in (("gpt", 0.85), ("model-1", 0.6), ("model-2", 0.8)):
        rows += [(f"q{i}", source, "", label) for i, label in enumerate(noisy(right))]
    labels = pl.DataFrame(rows, orient="row", schema=["item", "source", "rater", "value"])
    found = howsure.gate(labels, gold="human", judge="gpt", margin=0.05, **MODELS)
    assert found.verdict == "pass"
    assert "80 of 300 items are labelled by 6 raters; gpt alone would say pass (model-2 better by" in found.sentence
    votes = [(f"q{i}", "vote", f"r{r}", w) for r in range(6) for i, w in enumerate(rng.choice(["x", "y"], 80))]
    votes += [(f"q{i}", "vote", "gpt", w) for i, w in enumerate(rng.choice(["x", "y"], 300))]
    wins = pl.DataFrame(votes, orient="row", schema=["item", "source", "rater", "value"])
    told = howsure.gate(wins, preference="vote", candidate="x", baseline="y", judge="gpt", margin=0.9)
    assert told.metric == "win-rate"
    assert "80 of 300 items are labelled by 6 raters" in told.sentence


def test_the_chances_of_labels_are_used(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    drawn = howsure.sample(table, n=200, seed=1, judge="gpt-judge", a="model-2", b="model-1", by_judge_score=True)
    drawn.to_frame().write_csv("to-label.csv")
    found = howsure.gate(table, margin=0.1, sampled="to-label.csv", **JUDGE)
    beside = howsure.compare(table, judge="gpt-judge", a="model-2", b="model-1", sampled="to-label.csv")
    assert found.overall.advantage == pytest.approx(beside.advantage)
    assert found.provenance.parameters["sampled"] == "to-label.csv"


@pytest.mark.parametrize(
    "options",
    [
        {"looks": 2, "state": "s.jsonl"},
        {"sequential": "s.jsonl"},
        {"by": "topic"},
        {"cluster": "topic"},
        {"check": True},
        {"max_items": 300},
    ],
)
def test_options_that_do_not_go_together(table, options):
    name = next(iter(options))
    with pytest.raises(ArgumentError, match=f"`{name}` does not go with `judge`: leave it out."):
        howsure.gate(table, margin=0.1, **JUDGE, **options)


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"sampled": "x.csv", "judge": None}, ArgumentError, "`sampled` goes with `judge`"),
        ({"judge": "nobody"}, DataError, "'nobody' is no rater"),
        ({"margin": 10}, ArgumentError, "`margin` must be below 4"),
        ({"metric": "spearman"}, ArgumentError, "spearman"),
        ({"margin": None}, ArgumentError, "a gate needs a `margin`"),
    ],
)
def test_wrong_options_get_one_clear_line(table, options, error, said):
    with pytest.raises(error, match=said) as told:
        howsure.gate(table, **{"margin": 0.1, **JUDGE, **options})
    assert "\n" not in str(told.value)


def test_answers_that_the_judge_did_not_score(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    howsure.write(table, "judged.csv")
    rows = pl.read_csv("judged.csv")
    last = sorted(rows["item"].unique())[::-1]

    def without(n):
        gone = pl.col("item").is_in(last[:n]) & (pl.col("source") == "model-2")
        return rows.filter(~gone)

    with pytest.raises(DataError, match=r"10% of the samples of a model have no score, more than 5%: model-2 lacks 40"):
        howsure.gate(without(40), margin=0.1, **JUDGE)
    found = howsure.gate(without(8), margin=0.1, **JUDGE)
    assert (found.missing.candidate, found.missing.baseline) == (8, 0)
    assert any(note.startswith("8 samples without a score (8 of model-2, 0 of model-1).") for note in found.notes)
    with pytest.raises(DataError, match="no item has a label by people"):
        howsure.gate(rows.filter(pl.col("rater") == "gpt-judge"), margin=0.1, **JUDGE)


def test_the_result_round_trips_and_is_read_by_programs(table):
    found = howsure.gate(table, margin=0.1, superior=True, **JUDGE)
    content = json.loads(_json.dumps(found.to_dict()))
    assert (content["verdict"], content["exit_code"], content["judge"]["verdict"]) == ("inconclusive", 2, "pass")
    assert (content["judge"]["n_labelled"], content["judge"]["n_items"], content["judge"]["n_raters"]) == (80, 400, 6)
    again = GateResult.from_dict(content)
    assert again.to_dict() == found.to_dict()
    assert (again.sentence, again.advice, again.junit()) == (found.sentence, found.advice, found.junit())
    suite = ET.fromstring(found.junit())
    assert suite.get("skipped") == "1"
    assert "gpt-judge alone would say pass" in suite.find("testcase/system-out").text
    assert "gpt-judge alone would say pass" in found.comment()
    assert howsure.gate(table, margin=0.1, range=(1, 5), **MODELS).to_dict()["judge"] is None


def test_command_and_report(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    howsure.write(table, "judged.csv")
    words = [
        "gate",
        "judged.csv",
        "--judge",
        "gpt-judge",
        "--candidate",
        "model-2",
        "--baseline",
        "model-1",
        "--range",
        "1,5",
    ]
    shown = CliRunner().invoke(app.app, [*words, "--superior", "--margin", "0.1", "--report", "report.md"])
    assert shown.exit_code == 2
    assert "80 of 400 items are labelled by 6 raters" in shown.stdout
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "Cochran" in text
    assert "howsure judge" in text
    refused = CliRunner().invoke(app.app, [*words, "--margin", "0.1", "--check"])
    assert refused.exit_code == 3
    assert "--check does not go with --judge: leave it out." in refused.stderr
