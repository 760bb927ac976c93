"""The ends of the scale: declared, known from the format, or stored at the first look; never those of the sample."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import howsure
from howsure import ArgumentError, Contest, DataError
from howsure.data.scales import OUTCOMES, Scale
from howsure.gating import CLAIMS, GateRule, GateSettings, LookPlan, gate, staged_gate
from howsure.gating.limits import range_of
from howsure.inference.proportions import binomial_region
from howsure.metrics.builtin import BUILTIN

RULE = GateRule(CLAIMS["non-inferior"], 0.2)
MODELS = {"candidate": "new", "baseline": "old"}


def rated(n=60, values=(4, 5), seed=0):
    """A table of ratings from 1 to 5 in which nobody gave less than 4."""
    rng = np.random.default_rng(seed)
    scores = rng.choice(values, (2, n))
    rows = [
        (f"q{i}", model, int(score))
        for model, row in zip(MODELS.values(), scores, strict=True)
        for i, score in enumerate(row)
    ]
    return pl.DataFrame(rows, orient="row", schema=["item", "source", "value"])


def test_ratings_without_a_range_are_a_question_with_examples():
    with pytest.raises(
        ArgumentError, match=r"needs `range`.*values here, 4 to 5, do not show.*range='1,5'.*range='0,inf'"
    ):
        howsure.gate(rated(), margin=0.2, **MODELS)


def test_a_rare_fall_to_the_end_of_the_scale_is_counted_although_nobody_saw_one():
    near = howsure.gate(rated(), margin=0.2, range=(4, 5), **MODELS).overall.confidence_interval
    far = howsure.gate(rated(), margin=0.2, range=(1, 5), **MODELS).overall.confidence_interval
    assert far.low < near.low - 0.01


@pytest.mark.parametrize("order", [(1, 2, 3, 4, 5), ("1", "2", "3", "4", "5")])
def test_a_declared_order_is_a_range_and_leaves_the_means_as_they_are(order):
    declared = howsure.gate(rated(), margin=0.2, order=order, **MODELS)
    ranged = howsure.gate(rated(), margin=0.2, range=(1, 5), **MODELS)
    assert declared.overall == ranged.overall
    assert 4 < declared.overall.candidate_score < 5
    assert str(declared.sentence) == str(ranged.sentence)


def test_declared_labels_have_the_distance_of_their_positions():
    words = Contest.from_arrays(None, ["good"] * 9 + ["bad"], ["good"] * 10, order=["bad", "fair", "good"])
    assert range_of(words, None, better="higher") == (0, 2)


def test_right_or_wrong_answers_need_no_range_and_zeros_and_ones_do():
    numbers = Contest.from_arrays(None, [1, 0, 1, 1], [1, 1, 1, 1])
    assert range_of(numbers, None, better="higher") is None
    right = Scale("ordinal", (0.0, 1.0), ("0", "1"), OUTCOMES, declared=False)
    marked = Contest(None, numbers.a, numbers.b, right, numbers.items)
    assert range_of(marked, None, better="higher") == (0, 1)
    assert range_of(marked, None, better="lower") is None


def answers(column, write, *, lost=2, n=60):
    """A table of answers in a column of this name; the candidate loses two items."""
    rows = [
        (f"q{i}", model, write(i % 3 > 0 and (model == "old" or i > 1 + lost)))
        for i in range(n)
        for model in MODELS.values()
    ]
    return pl.DataFrame(rows, orient="row", schema=["item", "source", column])


@pytest.mark.parametrize(
    "column",
    ["correct", "is_correct", "passed", "pass", "success", "Right", "exact_match", "match", "accuracy", "solved"],
)
@pytest.mark.parametrize("write", [int, bool, lambda right: "yes" if right else "no"])
def test_a_column_whose_name_says_right_or_wrong_needs_no_range(column, write):
    found = howsure.gate(answers(column, write), value=column, margin=0.3, **MODELS)
    assert (found.verdict, found.title, found.provenance.parameters["range"]) == ("pass", "accuracy", "0,1")


@pytest.mark.parametrize(
    ("column", "better"), [("value", None), ("score", None), ("errors", "lower"), ("correct", "lower")]
)
def test_other_zeros_and_ones_are_a_question(column, better):
    data = answers(column, int)
    asked = r"needs `range`.*All values here are 0 or 1: if they are wrong and right answers, use `range='0,1'`"
    with pytest.raises(ArgumentError, match=asked):
        howsure.gate(data, value=column, better=better, margin=0.3, **MODELS)
    ranged = howsure.gate(data, value=column, better=better, margin=0.3, range="0,1", **MODELS)
    assert ranged.provenance.parameters["range"] == "0,1"


def test_counts_of_errors_that_rarely_rise_to_ten_do_not_pass_as_zeros_and_ones():
    """3% of the candidate's counts are 10, a loss of 0.3: samples without one used to pass as right answers."""
    rng, rule, sets = np.random.default_rng(1), GateRule(CLAIMS["non-inferior"], 0.3), 200
    asked = passed = 0
    for _ in range(sets):
        baseline = (rng.random(40) < 0.1).astype(float)
        candidate = np.where(rng.random(40) < 0.3 / 9.9, 10.0, baseline)
        counts = replace(Contest.from_arrays(None, candidate, baseline), better="lower")
        try:
            passed += gate(counts, rule).verdict == "pass"
        except ArgumentError:
            asked += 1
        passed += gate(counts, rule, GateSettings(range=(0, 10))).verdict == "pass"
    assert asked == sets
    assert passed <= binomial_region(sets, 0.05, confidence_level=0.999).high


@pytest.mark.parametrize("first", [None, (0, 1)])
def test_a_value_beyond_the_stored_scale_blames_no_range_that_was_not_given(tmp_path, first):
    def part(start, values):
        made = Contest.from_arrays(None, values, values[::-1], names=("", "new", "old"))
        scale = replace(made.scale, reason=OUTCOMES)
        names = np.array([f"q{start + i}" for i in range(len(values))])
        return Contest(None, made.a, made.b, scale, names, made.names)

    plan = LookPlan(str(tmp_path / "gate.jsonl"), 2)
    assert staged_gate(part(0, [0, 1, 1] * 9), RULE, plan, GateSettings(range=first)).verdict == "inconclusive"
    beyond = (
        r"^value 3 lies outside 0 to 1, the scale that the first look fixed \(.*gate.jsonl\). Correct the value, or"
    )
    with pytest.raises(DataError, match=beyond):
        staged_gate(part(90, [0, 1, 3] * 9), RULE, plan)
    with pytest.raises(DataError, match=r"value 3 lies outside the `range` 0 to 1\. Correct the value or the range"):
        staged_gate(part(90, [0, 1, 3] * 9), RULE, plan, GateSettings(range=(0, 1)))


def test_metrics_of_labels_need_no_range():
    labels = Contest.from_arrays(list("abcabc") * 10, list("abcabb") * 10, list("abcabc") * 10)
    assert gate(labels, GateRule(CLAIMS["non-inferior"], 0.5), GateSettings("accuracy")).verdict == "pass"
    assert BUILTIN["accuracy"].span == 1


@pytest.mark.parametrize(
    ("ends", "error", "message"),
    [
        ((1, 4), DataError, "value 5 lies outside the `range` 1 to 4"),
        ((5, 1), ArgumentError, "lowest and the highest possible value, such as 1,5; got 5,1"),
        ((1,), ArgumentError, "got 1"),
        (("low", "high"), ArgumentError, "got low,high"),
    ],
)
def test_ranges_that_cannot_be_meant(ends, error, message):
    with pytest.raises(error, match=message):
        howsure.gate(rated(), margin=0.2, range=ends, **MODELS)


def test_without_a_limit_a_note_says_what_is_not_guarded():
    found = howsure.gate(rated(), margin=0.2, range=(0, "inf"), **MODELS)
    assert any("nothing guards against losses that are rarer and larger" in note for note in found.notes)
    assert not any("nothing guards" in note for note in howsure.gate(rated(), margin=0.2, range=(1, 5), **MODELS).notes)


def test_the_margin_is_that_of_the_scale_and_not_of_the_sample():
    """Scores within 0.02 of each other do not forbid a margin of 0.1."""
    scores = 0.8 + 0.01 * np.random.default_rng(0).random((2, 50))
    close = Contest.from_arrays(None, *scores)
    assert gate(close, GateRule(CLAIMS["non-inferior"], 0.1), GateSettings(range=(0, 1))).verdict == "pass"
    with pytest.raises(ArgumentError, match="`margin` must be below 1, the range of rating on the scale from 0 to 1"):
        gate(close, GateRule(CLAIMS["non-inferior"], 1.5), GateSettings(range=(0, 1)))


@pytest.mark.parametrize("looks", [2, 0])
def test_a_later_look_needs_neither_the_range_nor_the_extreme_values(tmp_path, looks):
    def part(first, last, values):
        rng = np.random.default_rng(first)
        a, b = rng.choice(values, (2, last - first)).astype(float)
        made = Contest.from_arrays(None, a, b, names=("", "new", "old"))
        names = np.array([f"q{i}" for i in range(first, last)])
        return Contest(None, made.a, made.b, made.scale, names, made.names)

    plan = LookPlan(str(tmp_path / "gate"), looks)
    narrow = GateRule(CLAIMS["non-inferior"], 0.01)
    first = staged_gate(part(0, 40, [1, 2, 3, 4, 5]), narrow, plan, GateSettings(range=(1, 5)))
    assert first.verdict == "inconclusive"
    second = staged_gate(part(40, 80, [2, 3, 4]), narrow, plan)  # neither a 1 nor a 5
    assert (second.looks.look, second.overall.n_items) == (2, 80)
    with pytest.raises(DataError, match="`range` was"):
        staged_gate(part(80, 120, [2, 3]), narrow, plan, GateSettings(range=(2, 5)))


def test_a_first_look_asks_for_the_range_and_writes_nothing(tmp_path):
    with pytest.raises(ArgumentError, match="needs `range`"):
        staged_gate(Contest.from_arrays(None, [4, 5, 5], [5, 4, 4]), RULE, LookPlan(str(tmp_path / "gate"), 2))
    assert list(tmp_path.iterdir()) == []


def test_missing_ratings_may_be_as_bad_as_the_scale_allows():
    rows = rated(200).filter(~((pl.col("item") == "q3") & (pl.col("source") == "new")))
    near, far = (howsure.gate(rows, margin=0.12, range=ends, **MODELS).missing for ends in ((4, 5), (-400, 5)))
    assert (near.candidate, far.candidate) == (1, 1)
    assert far.worst != "pass"
