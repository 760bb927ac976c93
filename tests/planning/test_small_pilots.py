"""Plans from small pilots: they ask what matters, plan cautiously, say what is true, and never end in a traceback."""

import math
from dataclasses import replace

import numpy as np
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.stats import binom

from howsure import Contest
from howsure.errors import ArgumentError, DataError, HowsureError
from howsure.metrics import resolve
from howsure.models import EmpiricalModel
from howsure.planning import Design, Effect, plan
from howsure.planning.engines.decisions import Test
from howsure.planning.engines.exchange import exchanges, largest_difference, with_difference
from howsure.planning.engines.pilot import PilotEngine
from howsure.planning.request import PlanRequest, Scenario

pytestmark = pytest.mark.filterwarnings("ignore::howsure.errors.HowsureWarning")


def nine_for_a(n=60, differ=9):
    """Sixty items, of which nine differ, all for A: the pilot's difference is .15."""
    gold = np.array(list("xyz") * (n // 3))
    a, b = gold.copy(), gold.copy()
    b[:differ] = np.where(gold[:differ] == "x", "y", "x")
    a[40:50] = b[40:50] = np.where(gold[40:50] == "x", "y", "x")
    return Contest.from_arrays(gold, a, b)


def test_without_a_difference_the_plan_asks_for_it_and_takes_the_lower_limit():
    found = plan(nine_for_a(), metrics="accuracy", n_responses=[1], rng=0)
    d = np.r_[np.ones(9), np.zeros(51)]
    limit = d.mean() - 0.8479 * d.std(ddof=1) / math.sqrt(60)  # Student's 80% quantile with 59 degrees of freedom
    cautious, own, half = found.pilot.suppositions
    assert cautious.difference == pytest.approx(limit, abs=1e-4)
    assert (own.difference, half.difference) == (pytest.approx(0.15), pytest.approx(0.075))
    assert found.recommended.advantage == pytest.approx(limit, abs=1e-4)
    assert found.recommended.n_items == cautious.n_items
    assert own.n_items < cautious.n_items < half.n_items
    assert own.power > cautious.power > half.power
    assert found.sentences[0] == (
        "What is the smallest difference that matters? Specify it with `difference`. Until then the plan is for 0.111, "
        "the lower 80% limit of the pilot's 0.150 in accuracy."
    )
    recommended = f"{cautious.n_items} items with 1 response each give 80% power for a true difference of 0.111"
    assert found.sentences[1].startswith(recommended)


def test_a_pilot_without_a_significant_difference_recommends_nothing():
    rng = np.random.default_rng(1)
    gold = rng.normal(size=60)
    pilot = Contest.from_arrays(gold, gold + rng.normal(size=60), gold + rng.normal(size=60) * 1.1)
    found = plan(pilot, metrics="mae", rng=0)
    assert found.pilot.difference == "none"
    assert found.recommended is None
    assert found.sentences[0].startswith("The pilot shows no clear difference")
    assert "Specify the smallest difference that matters with `difference`." in found.sentences[0]
    assert not any("give 80% power for" in sentence for sentence in found.sentences)
    assert {one.what for one in found.pilot.suppositions} >= {"the pilot's own", "half of it"}


@pytest.mark.parametrize("difference", [0.033, 0.05, 0.1])
def test_a_smaller_difference_keeps_how_often_a_and_b_differ(difference):
    """All nine items that differ favour A: weighting them gave an error of .0069 at 300 items, and refused .033."""
    [cell] = plan(nine_for_a(), metrics="accuracy", effect=Effect(resolve("accuracy"), difference), n_items=300,
                  n_responses=[1], rng=0).cells  # fmt: skip
    assert cell.advantage == pytest.approx(difference)
    assert cell.standard_error == pytest.approx(math.sqrt((10 / 61 - difference**2) / 300), rel=0.02)


def test_what_cannot_be_shown_is_told_with_the_largest_that_can():
    with pytest.raises(ArgumentError, match=r"differ on 15% of its items, and if one model won .* about 0.16"):
        plan(nine_for_a(), metrics="accuracy", effect=Effect(resolve("accuracy"), 0.3), n_items=100, rng=0)


def test_the_difference_is_repeated_as_it_was_given():
    for effect, words in (
        (Effect.accuracy_points(5), "for a difference of 5 percentage points in accuracy"),
        (Effect(resolve("accuracy"), 0.05), "for a difference of 0.05 in accuracy"),
    ):
        found = plan(nine_for_a(), metrics="accuracy", effect=effect, n_responses=[1], rng=0)
        assert words in found.sentences[0]
    found = plan("normal", metrics="mae", effect=Effect(resolve("mae"), 0.02), n_responses=[3], target_power=0.8, rng=0)
    assert "for a difference of 0.02 in mae" in found.sentences[0]


def test_more_responses_of_a_source_that_has_one_change_nothing():
    """A source with one response is taken to answer the same again: expected p, too, was another one."""
    cells = plan(nine_for_a(), metrics="accuracy", n_items=100, n_responses=[1, 2, 5], rng=0).cells
    for name in ("advantage", "ci_width", "expected_pvalue", "power"):
        assert len({getattr(cell, name) for cell in cells}) == 1


def test_expected_p_changes_smoothly_beyond_the_pilot():
    """Three responses of gold and one of A and B: the null beyond has the variance of that at three, carried on."""
    rng = np.random.default_rng(3)
    true = rng.normal(size=(80, 1))
    gold = true + rng.normal(size=(80, 3))
    pilot = Contest.from_arrays(gold, true[:, 0] + 0.5 * rng.normal(size=80), true[:, 0] + rng.normal(size=80))
    cells = plan(pilot, metrics="mae", n_items=80, n_responses=[2, 3, 4, 5], rng=0).cells
    logs = np.log([cell.expected_pvalue for cell in cells])
    assert np.all(np.diff(logs) < 0)  # more responses never look worse
    assert np.all(np.diff(logs, 2) > 0)  # and each one more brings less


@given(
    advantages=arrays.arrays(
        np.float64, st.integers(2, 30), elements=st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0])
    ),
    share=st.floats(-1.0, 1.0),
)
def test_exchanges_give_the_difference_and_keep_the_squares(advantages, share):
    n = advantages.size
    weights, sizes = np.full(n, 1 / n), np.ones(n)
    largest = largest_difference(weights, advantages, sizes)
    assert largest >= np.abs(advantages).mean() - 1e-12
    difference = share * largest
    found = with_difference(weights, advantages, sizes, difference)
    assert found.weights.sum() == pytest.approx(1)
    assert np.all((found.exchanged >= -1e-12) & (found.exchanged <= 1 + 1e-12))
    assert float(found.mean(advantages, sizes)) == pytest.approx(difference, abs=1e-9)
    plain = exchanges(weights, advantages, difference)
    if np.count_nonzero(advantages) >= 10:
        assert found.exchanged == pytest.approx(plain)


@given(advantages=arrays.arrays(np.float64, 20, elements=st.floats(-3, 3, width=16)), share=st.floats(0.05, 1.0))
def test_exchanging_the_models_changes_the_sign_alone(advantages, share):
    weights, sizes = np.full(20, 0.05), np.ones(20)
    difference = share * largest_difference(weights, advantages, sizes)
    one = with_difference(weights, advantages, sizes, difference)
    other = with_difference(weights, -advantages, sizes, difference)
    for found, sign in ((one, 1), (other, -1)):
        assert float(found.mean(sign * advantages, sizes)) == pytest.approx(difference, abs=1e-9)


def test_power_for_a_smaller_difference_is_that_of_studies_with_exchanged_models():
    """Studies are drawn by hand: items with replacement, and models exchanged on the share that halves the mean."""
    rng = np.random.default_rng(5)
    gold = rng.normal(size=60)
    pilot = Contest.from_arrays(gold, gold + 0.6 * rng.normal(size=60), gold + rng.normal(size=60))
    request = PlanRequest(metrics="mae", rng=0)
    engine = PilotEngine(pilot, Scenario.of(EmpiricalModel.of(pilot), request))
    d = engine.observed(resolve("mae").on(pilot.scale))
    effect = Effect(resolve("mae"), d.mean() / 2)
    [cell] = plan(pilot, metrics="mae", effect=effect, n_items=100, n_responses=[1], rng=0).cells
    count = 4000
    rows = d[rng.integers(0, 60, (count, 100))] * np.where(rng.random((count, 100)) < 0.25, -1, 1)
    rejected = int(Test().decide(rows).sum())
    low, high = binom.ppf([0.0005, 0.9995], count, cell.power)
    assert low - count * 3 * cell.power_error <= rejected <= high + count * 3 * cell.power_error


@pytest.mark.parametrize("metric", ["accuracy", "tv", "spearman", "mae", "rmse"])
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_tiny_pilots_end_in_a_plan_or_in_one_clear_line(metric, data):
    n = data.draw(st.integers(1, 6))
    column = st.lists(st.integers(1, 3), min_size=n, max_size=n)
    sides = [np.array(data.draw(column)) for _ in range(3)]
    kind = "nominal" if metric in ("accuracy", "tv") else "ordinal"
    values = [side.astype(str) if kind == "nominal" else side for side in sides]
    try:
        pilot = Contest.from_arrays(*values, scale=kind)
        said = str(plan(pilot, metrics=metric, n_responses=[1], n_items=[20], rng=0))
    except HowsureError as error:
        said = str(error)
        told_in_one_line = "\n" not in said and said.endswith(".")
    else:
        told_in_one_line = True
    assert said
    assert told_in_one_line


def test_pilots_that_show_nothing_say_so():
    with pytest.raises(DataError, match="two or more items"):
        plan(Contest.from_arrays(["x"], ["x"], ["y"], scale="nominal"), metrics="accuracy", rng=0)
    with pytest.raises(DataError, match="A and B score the same on all 5 items"):
        plan(Contest.from_arrays(list("xyxyx"), list("xyxyy"), list("xyxyy")), metrics="accuracy", rng=0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_items": 99999999999999999999}, "`n_items` must be a whole number of at most 10,000,000"),
        ({"max_items": 10**12}, "`max_items` must be a whole number of at most"),
        ({"n_items": 50, "n_responses": [10**9]}, "`n_responses` must be a whole number of at most"),
        ({"n_items": 50, "workers": 2**31}, "`workers` must be a whole number of at most 1,024"),
    ],
)
def test_numbers_beyond_any_machine_are_refused(options, message):
    with pytest.raises(ArgumentError, match=message):
        plan("normal", metrics="mae", epsilon=0.2, rng=0, **options)


def test_the_test_is_the_one_that_compare_would_run():
    """Six raters judged all items: compare treats them as a random factor; four it holds fixed."""
    rng = np.random.default_rng(7)
    true = rng.normal(size=(40, 1))
    for n_raters, test in ((6, "random-effects"), (4, "sign-flip")):
        gold = true + 0.5 * rng.normal(size=(1, n_raters)) + rng.normal(size=(40, n_raters))
        pilot = Contest.from_arrays(gold, true[:, 0] + 0.2 * rng.normal(size=40), true[:, 0] + rng.normal(size=40))
        who = np.tile(np.arange(n_raters), 40)
        rated = replace(pilot, gold=replace(pilot.gold, raters=who), raters=tuple(map(str, range(n_raters))))
        found = plan(rated, metrics="mae", effect=Effect(resolve("mae"), 0.2), n_items=50, rng=0)
        assert found.tests == (test,)
        fixed = plan(rated, metrics="mae", effect=Effect(resolve("mae"), 0.2), n_items=50, raters="fixed", rng=0)
        assert fixed.tests == ("sign-flip",)
        assert any(note.startswith("Raters judged several items each, and this plan holds them fixed")
                   for note in fixed.notes)  # fmt: skip


def gold_alone(rng, n_items=40, n_raters=6):
    """Ratings of 1 to 5 with raters who differ, as a table."""
    true, bias = rng.normal(3, 0.8, n_items), rng.normal(0, 0.7, n_raters)
    rows = [
        {"item": f"q{i}", "source": "human", "rater": f"r{j}",
         "value": int(np.clip(round(true[i] + bias[j] + 0.6 * rng.normal()), 1, 5))}
        for i in range(n_items) for j in range(n_raters)
    ]  # fmt: skip
    return polars.DataFrame(rows)


def test_gold_alone_is_modelled_as_asked_and_its_raters_are_told():
    table = gold_alone(np.random.default_rng(2))
    options = {"gold": "human", "metrics": "mae", "epsilon": 0.2, "n_items": 50, "n_responses": [5], "rng": 0}
    found = {kind: plan(table, response_model=kind, **options) for kind in ("auto", "smoothed", "fitted", "empirical")}
    advantages = {kind: one.cells[0].advantage for kind, one in found.items()}
    assert advantages["auto"] == advantages["fitted"]
    assert len(set(advantages.values())) == 3
    assert any(note.startswith("6 raters judged 40 items each") for note in found["auto"].notes)
    assert found["fitted"].pilot.goodness
    with pytest.raises(ArgumentError, match="gold alone shows none"):
        plan(table, gold="human", metrics="mae", n_items=50, rng=0)


def test_raters_are_planned_from_gold_alone():
    table = gold_alone(np.random.default_rng(2))
    options = {"gold": "human", "metrics": "mae", "epsilon": 0.3, "n_items": [40, 400], "rng": 0}
    found = plan(table, n_raters=[3, 20], **options)
    powers = {(cell.n_items, cell.n_raters): cell.power for cell in found.cells}
    assert found.tests == ("random-effects",)
    assert powers[400, 20] > powers[400, 3]
    assert powers[400, 20] >= powers[40, 20]
    assert found.cells[0].design == Design(40, 3, 6, 6, 3, 3)
    assert any("A and B are simulated on the pilot's 40 items" in note for note in found.notes)


def test_from_equal_models_the_plan_counts_in_that_a_worse_model_varies_more():
    """True power was .45 to .60 of the planned .80: the plan exchanged A and B, which keeps how far they differ."""
    powers = []
    for number in range(12):
        rng = np.random.default_rng([5, number])
        gold = rng.normal(size=60)
        a, b = (gold + 0.5 * rng.normal(size=60) for _ in range(2))
        pilot = Contest.from_arrays(gold, a, b)
        found = plan(pilot, metrics="mae", effect=Effect(resolve("mae"), 0.1995), n_responses=[1], rng=0)
        shape = (1000, found.recommended.n_items)
        worse = 0.5 * np.abs(rng.normal(size=shape)) * 1.5 - 0.5 * np.abs(rng.normal(size=shape))
        powers.append(float(Test().decide(worse).mean()))
    assert 0.73 < np.median(powers) < 0.87
    assert any(
        "The plan therefore multiplies the variance of the item differences by 1." in note for note in found.notes
    )


def test_a_difference_that_the_pilot_shows_needs_no_worse_model():
    rng = np.random.default_rng(5)
    gold = rng.normal(size=200)
    pilot = Contest.from_arrays(gold, gold + 0.3 * rng.normal(size=200), gold + rng.normal(size=200))
    found = plan(pilot, metrics="mae", effect=Effect(resolve("mae"), 0.2), n_responses=[1], rng=0)
    assert not any("multiplies the variance" in note for note in found.notes)


def test_a_width_needs_no_difference():
    """With an undecided pilot, `target_width` recommended nothing."""
    rng = np.random.default_rng(1)
    gold = rng.normal(size=60)
    pilot = Contest.from_arrays(gold, gold + rng.normal(size=60), gold + rng.normal(size=60) * 1.1)
    found = plan(pilot, metrics="mae", target_width=0.2, n_responses=[1], rng=0)
    assert found.pilot.difference == "own"
    assert found.recommended.ci_width <= 0.2
    words = f"{found.recommended.design.in_words} have a confidence interval no wider than 0.2 "
    assert found.sentences[0].startswith(words)
    assert not any("smallest difference that matters" in sentence for sentence in found.sentences)
