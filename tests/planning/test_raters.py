import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, nct, t

import howsure
from howsure import Contest, Responses, Scale, _json
from howsure.comparison import compare
from howsure.data.summaries import means
from howsure.errors import ArgumentError, DataError
from howsure.metrics import resolve
from howsure.planning import Costs, Design, Effect, Plan, plan
from howsure.planning.engines import rater_engine
from howsure.planning.engines.decisions import Test
from howsure.planning.engines.rater_engine import RaterEngine
from howsure.planning.engines.rater_power import Noise, _powers, draws, expectation, fewest, rater_df
from howsure.raters import variance_components
from howsure.raters.advantage_error import PEAK, rater_error, saturation


def plan_raters(contest, *, metric="rating", advantage=None, n_repeats=None, **options):
    effect = None if advantage is None else Effect(resolve(metric), advantage)
    return plan(contest, metrics=metric, effect=effect, n_responses=n_repeats, raters="random", **options)


pytestmark = pytest.mark.filterwarnings("ignore::howsure.errors.HowsureWarning")


@pytest.fixture
def fewer_draws(monkeypatch):
    """A quarter of the draws of what a pilot leaves open: pilots differ by far more than these quantiles."""
    monkeypatch.setattr(rater_engine, "DRAWS", rater_engine.DRAWS // 4)


def ratings(rng, n=40, r=6, *, of_items=0.5, of_raters=0.3, shift=0.0, per_item=None, nested=False):
    """Draw gold-free ratings whose advantage has components 2·of_items², 2·of_raters² and 2."""
    n_raters = n * r if nested else r
    ids = np.arange(n * r).reshape(n, r) if nested else np.tile(np.arange(r), (n, 1))
    sides = [
        value + of_items * rng.normal(size=(n, 1)) + (of_raters * rng.normal(size=n_raters))[ids]
        + rng.normal(size=(n, r))
        for value in (shift, 0.0)
    ]  # fmt: skip
    if per_item:
        gone = np.argsort(rng.random((n, r)), axis=1) >= per_item
        for side in sides:
            side[gone] = np.nan
    a, b = (Responses.from_grid(side, ids) for side in sides)
    return Contest(None, a, b, Scale("continuous"), np.arange(n).astype(str), ("", "A", "B"))


def against_gold(rng, n=60, r=5, k=3):
    means = rng.random((n, 1))
    gold = Responses.from_grid(
        means + 0.15 * rng.normal(size=r) + 0.2 * rng.normal(size=(n, r)), np.tile(np.arange(r), (n, 1))
    )
    a, b = (Responses.from_grid(means + bias + 0.2 * rng.normal(size=(n, k))) for bias in (0.05, 0.25))
    return Contest(gold, a, b, Scale("continuous"), np.arange(n).astype(str))


def of_compare(contest, **options):
    """Return the p-value of compare, and the width of its interval for raters like these alone."""
    found = compare(contest, metric="rating", raters="random", n_resamples=499, rng=0, workers=1, **options)
    return found.pvalue, found.rater_error.interval(found.advantage).width


def of_raters(contest, *, clusters=None):
    """Return the same without the answer for these raters, which compare gives beside, and without draws."""
    bound, none = resolve("rating"), np.empty(0)
    found = rater_error(contest, bound, both=none, raters=none, clusters=clusters)
    plain = float(bound.advantage(None, means(contest.a), means(contest.b)))
    advantage = plain if found.advantage is None else found.advantage
    return found.error.pvalue(advantage), found.error.interval(advantage).width


@pytest.mark.parametrize(
    ("n", "r", "per_item", "nested", "shift"),
    [
        (50, 3, None, False, 1.0),
        (30, 8, None, False, 0.6),
        (60, 10, 3, False, 0.5),
        (150, 15, 1, False, 0.5),
        (40, 3, None, True, 0.6),
    ],
)
def test_power_and_width_are_those_of_compare(n, r, per_item, nested, shift):
    """The independent path: whole data sets, tested one by one."""
    count = 150 if nested else 250
    rejected, widths = 0, []
    for number in range(count):
        rng = np.random.default_rng([number, n, r])
        contest = ratings(rng, n, r, shift=shift, per_item=per_item, nested=nested)
        if nested:
            found = compare(contest, metric="rating", n_resamples=499, rng=number, workers=1)
            pvalue, width = found.pvalue, found.confidence_interval.width
        else:
            pvalue, width = of_raters(contest)
            assert number >= 5 or of_compare(contest) == pytest.approx((pvalue, width))
        rejected += pvalue <= 0.05
        widths.append(width)
    per = per_item or r
    design = Design(n, 0, per, per, n * r if nested else r, per, nested, 2)
    planned = expectation(Noise(0.5, 0.18, 2.0), design, shift, Test())
    low, high = binom.ppf([0.001, 0.999], count, planned.power)
    assert low <= rejected <= high
    # One rater per item is planned a little too wide: the lot of the loads is approximated.
    slack = 0.04 if per == 1 else 0.01
    assert abs(np.mean(widths) - planned.width) < 3.3 * np.std(widths) / math.sqrt(count) + slack * planned.width


def test_with_any_number_of_items_power_is_the_noncentral_t_of_raters():
    noise, design = Noise(0.5, 0.18, 2.0), Design(2, 0, 5, 5, 5, 5)
    reach, shift = t.ppf(0.975, 4), 0.6 / math.sqrt(0.18 / 5)
    exact = nct.sf(reach, 4, shift) + nct.cdf(-reach, 4, shift)
    assert expectation(noise, design.with_items(10**8), 0.6, Test()).power == pytest.approx(exact, abs=0.005)
    alone = expectation(noise, Design(30, 0, 1, 1, 30, 1, True), 1.0, Test())
    shift = 1.0 / math.sqrt(2.68 / 30)
    assert alone.power == pytest.approx(nct.sf(t.ppf(0.975, 29), 29, shift), abs=0.005)


def test_cells_hold_what_the_components_say():
    contest = ratings(np.random.default_rng(1))
    found = plan_raters(contest, advantage=0.5, n_items=[40, 100], n_raters=[6, 12], rng=0)
    parts = variance_components(contest, metric="rating")
    assert [(cell.n_items, cell.n_raters) for cell in found.cells] == [(40, 6), (100, 6), (40, 12), (100, 12)]
    for cell in found.cells:
        assert cell.standard_error == pytest.approx(parts.standard_error(n_items=cell.n_items, n_raters=cell.n_raters))
        assert sum(cell.shares.values()) == pytest.approx(1)
        assert cell.cost == 2 * cell.n_items * cell.n_raters
    assert found.recommended is None
    assert found.cells[0].test == "random-effects"
    powers = [cell.power for cell in found.cells]
    assert powers[0] < powers[1] < powers[3]
    assert powers[0] < powers[2] < powers[3]
    again = Plan.from_dict(json.loads(_json.dumps(found.to_dict())))
    assert again.cells == found.cells
    assert found.to_frame()["n_raters"].to_list() == [6, 6, 12, 12]


def test_the_cheapest_design_reaches_the_target_and_little_less_does_not():
    contest = ratings(np.random.default_rng(2))
    costs = Costs.per_hour(30, responses_per_hour=60, item=1, rater=20)
    found = plan_raters(contest, advantage=0.6, n_raters=[8, 16, 30], target_power=0.8, costs=costs, rng=0)
    best = found.recommended
    reached = [cell for cell in found.cells if not cell.reason]
    assert best.cost == min(cell.cost for cell in reached)
    assert best.cost == pytest.approx(best.n_items * (1 + best.n_raters * 2 * 0.5) + 20 * best.n_raters)
    for cell in reached:
        less = plan_raters(contest, advantage=0.6, n_raters=cell.n_raters, n_items=int(0.97 * cell.n_items) - 1, rng=0)
        assert less.cells[0].power < 0.8 <= cell.power
    assert found.pilot.needed.low < best.n_items < found.pilot.needed.high


@pytest.mark.usefixtures("fewer_draws")
def test_raters_are_looked_for_where_items_are_given():
    contest = ratings(np.random.default_rng(2))
    found = plan_raters(contest, advantage=0.6, n_items=100, target_power=0.8, rng=0)
    [cell] = found.cells
    fewer = plan_raters(contest, advantage=0.6, n_items=100, n_raters=cell.n_raters - 1, rng=0)
    assert fewer.cells[0].power < 0.8 <= cell.power
    assert cell.n_raters in found.pilot.needed
    assert found.pilot.searched == "raters"


def test_a_budget_is_spent_on_the_best_split():
    contest = ratings(np.random.default_rng(3), of_raters=0.6)
    found = plan_raters(contest, advantage=0.6, n_raters=[3, 10, 30], budget=900, rng=0)
    assert [cell.n_items for cell in found.cells] == [150, 45, 15]
    assert found.recommended.power == max(cell.power for cell in found.cells)
    assert found.recommended.design.n_raters > 3
    nested = plan_raters(contest, advantage=0.6, nested=True, raters_per_item=[1, 3], budget=900, rng=0)
    assert [(cell.n_items, cell.n_raters) for cell in nested.cells] == [(450, 450), (150, 450)]
    assert nested.cells[0].test == "sign-flip"


@pytest.mark.usefixtures("fewer_draws")
def test_few_raters_cannot_be_made_up_for_by_items():
    contest = ratings(np.random.default_rng(4), of_raters=0.8, r=10)
    found = plan_raters(contest, advantage=0.5, n_raters=3, rng=0)
    assert found.recommended is None
    assert "The nearest is 100,000 items with 3 raters, with power" in found.sentences[0]
    [note] = [note for note in found.notes if "however many items" in note]
    enough = int(note.partition("at least ")[2].split()[0])
    found = plan_raters(contest, advantage=0.5, n_raters=[3, enough], rng=0)
    assert [cell.n_raters for cell in found.cells if not cell.reason] == [enough]
    assert any("With 3 raters, no number of items gives 80% power" in line for line in found.sentences)
    found = plan_raters(contest, advantage=0.5, n_raters=[2, 3, enough], rng=0)
    [limit] = [line for line in found.sentences if "no number of items" in line]
    assert limit.startswith("With up to 3 raters, no number of items gives 80% power")


def test_swapping_the_models_flips_the_advantage_and_keeps_the_plan():
    contest = ratings(np.random.default_rng(5), shift=0.7)
    one, other = (plan_raters(pilot, n_raters=[10], n_items=[50], rng=0) for pilot in (contest, contest.swapped()))
    assert other.cells[0].advantage == pytest.approx(-one.cells[0].advantage)
    assert other.cells[0].power == pytest.approx(one.cells[0].power)
    assert one.sentences[0].startswith("What is the smallest difference that matters?")


def test_the_smallest_advantage_is_found_with_the_target_power():
    contest = ratings(np.random.default_rng(6))
    [cell] = plan_raters(contest, advantage=1.0, n_items=50, n_raters=8, detectable=True, rng=0).cells
    again = plan_raters(contest, advantage=cell.detectable, n_items=50, n_raters=8, rng=0)
    assert again.cells[0].power == pytest.approx(0.8, abs=1e-3)


def labelled(rng, n=80, r=5):
    """Return the same models as labels of five levels."""
    contest = against_gold(rng, n, r, k=1)
    sides = [np.clip(np.floor(5 * source.values), 0, 4) for source in (contest.gold, contest.a, contest.b)]
    gold, a, b = (
        Responses(values, source.offsets, source.raters)
        for values, source in zip(sides, (contest.gold, contest.a, contest.b), strict=True)
    )
    return Contest(gold, a, b, Scale.of(np.arange(5.0), kind="ordinal"), contest.items)


@pytest.mark.parametrize(("metric", "kind"), [("mae", against_gold), ("wins", against_gold), ("accuracy", labelled)])
def test_the_error_of_the_pilots_own_design_is_that_of_compare(metric, kind):
    """Same variances, same factor of raters near the largest advantage, same degrees of freedom."""
    contest = kind(np.random.default_rng(23), **({"k": 1} if kind is against_gold else {}))
    error = compare(contest, metric=metric, n_resamples=199, rng=3, workers=1).rater_error
    n, r = contest.n_items, 5
    [cell] = plan_raters(contest, metric=metric, n_items=n, n_raters=r, rng=3, workers=1).cells
    found = variance_components(contest, metric=metric)
    assert cell.standard_error == pytest.approx(error.standard_error)
    assert error.dfs == pytest.approx((rater_df(n, r, r), n - 1))
    measured = found.variances()
    moved = min(measured["residual"], measured["items"] / 2)
    assert error.variances[1] == pytest.approx(measured["items"] + moved)
    factor = (error.variances[0] - measured["residual"] + moved) / measured["raters"]
    assert 1 < factor == pytest.approx(float(saturation(abs(found.advantage) / found.largest)) ** 2)


@given(
    parts=st.tuples(*[st.floats(0.01, 10)] * 3),
    end=st.floats(0.3, 10),
    share=st.floats(0, 1),
    n=st.integers(5, 1000),
    r=st.integers(2, 30),
    sides=st.sampled_from([{}, {"curved": True}, {"sides": 5.0, "curved": True}]),
)
@settings(max_examples=40, deadline=None)
def test_power_grows_with_raters_and_where_it_counts_with_the_advantage(parts, end, share, n, r, sides):
    """Near the largest advantage what raters add depends on it: a root search still finds one root."""
    noise, design = Noise(*parts, largest=end, share=share, **sides), Design(n, r, 1, 1, r, r)
    slack = 1e-3  # of the integral
    more = [expectation(noise, replace(design, n_raters=k, raters_per_item=k), end / 2, Test()) for k in (r, r + 1)]
    if more[0].power >= 0.3:  # below, the level of the test counts, which is not the same with three raters and four
        assert more[1].power >= more[0].power - slack
    powers = np.array([expectation(noise, design, part * end, Test()).power for part in np.linspace(0.01, 1.2, 25)])
    most = np.maximum.accumulate(powers)
    assert (powers >= most - slack)[most >= 0.3].all()


def test_without_an_end_or_without_a_difference_the_error_is_as_measured():
    linear = Noise.of(variance_components(ratings(np.random.default_rng(14), shift=1.0), metric="rating"))
    assert linear.largest == math.inf
    assert linear.at(3.0).scale == 1
    contest = against_gold(np.random.default_rng(14))
    noise = Noise.of(variance_components(contest, metric="mae"))
    assert 0 < noise.share < 1 < noise.at(noise.share * noise.largest).scale
    assert replace(noise, share=0.0).at(0.0).scale == 1
    # Raters that were seen near the end move an advantage of zero more.
    assert noise.at(0.0).scale == pytest.approx(1 / (1 - min(noise.share, PEAK) ** 2) ** 2)
    assert noise.at(0.0).spread_scale == pytest.approx(noise.at(0.0).scale)
    assert noise.at(np.array([-0.1, 0.1])).scale == pytest.approx(float(noise.at(0.1).scale))


def test_the_smallest_advantage_near_the_end_is_found_with_the_target_power():
    contest = against_gold(np.random.default_rng(15), k=1)
    asked = {"metric": "mae", "n_items": 60, "n_raters": 5, "rng": 0}
    for alternative in ("two-sided", "less"):
        [cell] = plan_raters(contest, advantage=-0.1, detectable=True, alternative=alternative, **asked).cells
        again = plan_raters(contest, advantage=-cell.detectable, alternative=alternative, **asked)
        assert again.cells[0].power == pytest.approx(0.8, abs=1e-3)
    one, other = (plan_raters(pilot, advantage=0.1, **asked) for pilot in (contest, contest.swapped()))
    assert other.cells[0].power == pytest.approx(one.cells[0].power)


def test_the_plan_says_where_plans_did_not_come_true():
    asked = {"n_items": 60, "rng": 0}
    said = ["fewer than 5 gold raters", "change with the number of gold raters", "hides part of the rater", "apart in"]

    def told(contest, **more):
        notes = " ".join(plan_raters(contest, **asked | more).notes)
        return [number for number, part in enumerate(said) if part in notes]

    contest, labels = against_gold(np.random.default_rng(16)), labelled(np.random.default_rng(16))
    assert told(contest, metric="mae", advantage=0.1, n_raters=[3, 10]) == [0]
    assert told(contest, metric="mae", advantage=0.1, n_raters=[5, 10]) == []
    assert told(contest, metric="mae", advantage=0.1, nested=True, raters_per_item=3) == []
    assert told(labels, metric="tv", advantage=0.1, n_raters=[3, 20]) == [1]
    assert told(labels, metric="accuracy", advantage=0.1, n_raters=[3]) == [1]
    assert told(contest, metric="wins", advantage=0.1, n_raters=[3], n_items=[120]) == []
    assert told(contest, metric="wins", advantage=0.1, n_raters=[3], n_items=[121]) == [2]
    assert told(contest, metric="wins", advantage=1.2, n_raters=[5]) == [3]
    assert told(ratings(np.random.default_rng(16)), advantage=0.5, n_raters=[3], n_items=200) == []


def test_wins_with_three_raters_are_planned_as_rare_as_they_are():
    """Items that change sides keep the variance of raters from being small by chance, and power from coming of it."""

    def gold(rng, n, r):
        means = rng.random(n)
        sides = [(means + 0.15 * sd * rng.normal(size=n))[:, np.newaxis] for sd in (1.0, 1.8)]
        judged = means[:, np.newaxis] + 0.15 * rng.normal(size=r) + 0.25 * rng.normal(size=(n, r))
        sources = [Responses.from_grid(judged, np.tile(np.arange(r), (n, 1))), *map(Responses.from_grid, sides)]
        return Contest(*sources, Scale("continuous"), np.arange(n).astype(str))

    count, rejected, planned = 150, 0, []
    for number in range(count):
        contest = gold(np.random.default_rng([number, 17]), 100, 3)
        how = {"metric": "wins", "raters": "random", "n_resamples": 199, "workers": 1}
        rejected += compare(contest, rng=number, **how).pvalue <= 0.05
    for number in range(15):
        pilot = gold(np.random.default_rng([number, 18]), 100, 5)
        asked = {"metric": "wins", "advantage": 0.27, "n_items": 100, "n_raters": 3}
        found = plan_raters(pilot, **asked, rng=number, workers=1)
        planned.append(found.cells[0].power)
    low, high = binom.ppf([0.001, 0.999], count, np.median(planned))
    assert low <= rejected <= high


def test_items_that_change_sides_shrink_with_items_and_the_root_of_raters():
    contest = against_gold(np.random.default_rng(20), k=1)
    found = variance_components(contest, metric="wins")
    now, items, raters = (found.variances(**more)["residual"] for more in ({}, {"n_items": 240}, {"n_raters": 20}))
    assert 0 < now == pytest.approx(found.components["residual"] / 300)
    assert (items, raters) == pytest.approx((now / 4, now / 2))
    mae = variance_components(contest, metric="mae")
    assert mae.variances(n_raters=20)["residual"] == pytest.approx(mae.variances()["residual"] / 4)
    noise, design = Noise.of(found), Design(60, 5, 1, 1, 5, 5)
    # The advantage itself varies as items differ in all, with what more items leave as it is.
    gold, a, b = map(means, (contest.gold, contest.a, contest.b))
    won = np.sign(np.abs(gold - b) - np.abs(gold - a))
    assert noise.spread(design) == pytest.approx(won.var(ddof=1) / 60 + noise.raters / 5)
    crowd = replace(design, n_raters=300, nested=True)
    assert noise.variances(crowd)["residual"] == pytest.approx(now)
    assert noise.spread(crowd) == noise.total(crowd)


def test_repeats_of_the_models_are_planned_against_gold():
    contest = against_gold(np.random.default_rng(7))
    found = plan_raters(
        contest, metric="mae", n_items=[60], n_raters=[5], n_repeats=[1, 3, 30], costs=Costs(run=0.1), rng=0
    )
    errors = [cell.standard_error for cell in found.cells]
    assert errors[0] > errors[1] > errors[2]
    assert [cell.n_responses for cell in found.cells] == [{"gold": 5, "a": k, "b": k} for k in (1, 3, 30)]
    assert [cell.cost for cell in found.cells] == pytest.approx([60 * (5 + 0.2 * k) for k in (1, 3, 30)])
    assert found.cells[0].shares["repeats"] > 0.1 > found.cells[2].shares["repeats"]
    assert str(found.cells[1].design) == "60 items × 5 raters × 3 responses of each model"


def test_ratings_without_ids_are_planned_as_if_every_rater_gave_one():
    contest = ratings(np.random.default_rng(8), shift=0.5)
    bare = replace(
        contest, a=Responses(contest.a.values, contest.a.offsets), b=Responses(contest.b.values, contest.b.offsets)
    )
    found = plan_raters(bare, advantage=0.5, n_items=[40], n_repeats=[3, 6], rng=0)
    assert found.cells[0].standard_error > found.cells[1].standard_error
    assert found.cells[1].design.n_raters == 0
    assert any("The pilot has no rater ids" in note for note in found.notes)
    with pytest.raises(DataError, match="no rater ids"):
        plan_raters(bare, advantage=0.5, n_items=[40], n_raters=3)


def test_a_nested_pilot_speaks_of_nested_designs_only():
    contest = ratings(np.random.default_rng(9), r=3, nested=True)
    found = plan_raters(contest, advantage=0.5, raters_per_item=[1, 3], rng=0)
    assert all(cell.design.nested and cell.n_raters == cell.n_items * cell.raters_per_item for cell in found.cells)
    with pytest.raises(ArgumentError, match="judged one item each"):
        plan_raters(contest, advantage=0.5, n_raters=5)


@pytest.mark.parametrize(
    ("asked", "error", "message"),
    [
        ({"n_raters": 1}, ArgumentError, "`n_raters`"),
        ({"n_items": []}, ArgumentError, "at least one number"),
        ({"n_raters": 3, "raters_per_item": 5}, ArgumentError, "must not exceed the number of raters"),
        ({"advantage": 0}, ArgumentError, "difference of 0"),
        ({"nested": True, "n_raters": 5}, ArgumentError, "raters_per_item"),
        ({"n_repeats": 3}, ArgumentError, "no repeats to plan"),
        ({"budget": 3}, ArgumentError, "does not pay for two items"),
        ({"target_power": 80}, ArgumentError, "target_power"),
        ({"metric": "mae"}, ArgumentError, "needs gold"),
        ({"budget": 10, "n_items": 100}, ArgumentError, "no design fits 10"),
    ],
)
def test_what_cannot_be_planned_is_refused_in_one_line(asked, error, message):
    with pytest.raises(error, match=message) as told:
        plan_raters(ratings(np.random.default_rng(10)), **asked)
    assert "\n" not in str(told.value)


def test_gold_needs_rater_ids_and_repeats_need_repeats():
    contest = against_gold(np.random.default_rng(11), k=1)
    with pytest.raises(DataError, match="one response of A or B per item"):
        plan_raters(contest, metric="mae", n_items=60, n_repeats=3)
    bare = replace(contest, gold=Responses(contest.gold.values, contest.gold.offsets))
    with pytest.raises(DataError, match="no rater ids"):
        plan_raters(bare, metric="mae", n_items=60)


def test_draws_of_the_components_cover_them():
    """χ² turned around: the truth lies between the quantiles of the draws as often as they say."""
    noise = Noise(0.5, 0.18, 2.0)
    design = Design(2, 0, 8, 8, 8, 8)
    true = fewest(noise, design, np.array([0.6]), Test(), target=0.8, most=10**6, of="items")[0]
    options = {"target": 0.8, "most": 10**6, "of": "items"}
    count, inside = 150, {"items": 0, "raters": 0, "residual": 0, "fewest": 0}
    for number in range(count):
        pilot = variance_components(ratings(np.random.default_rng([number, 12]), 30, 5), metric="rating")
        drawn, _ = draws(pilot, 400, np.random.default_rng(number))
        for name in ("items", "raters", "residual"):
            low, high = np.quantile(getattr(drawn, name), [0.025, 0.975])
            inside[name] += low <= getattr(noise, name) <= high
        # Fewer items than the true number are enough where these give more than the target.
        advantages = np.full(400, 0.6)
        fewer = _powers(drawn, design, advantages, Test(), np.full(400, true), "items") >= 0.8
        if number < 3:
            assert np.array_equal(fewer, fewest(drawn, design, advantages, Test(), **options) <= true)
        inside["fewest"] += 0.025 <= fewer.mean() <= 0.975
    for name, covered in inside.items():
        assert covered >= binom.ppf(0.001, count, 0.95), name


def test_the_search_of_draws_is_that_of_designs():
    noise = Noise(0.5, 0.18, 2.0)
    for design in (Design(2, 0, 8, 8, 8, 8), Design(2, 0, 3, 3, 12, 3), Design(2, 0, 2, 2, 4, 2, True)):
        n = round(fewest(noise, design, np.array([0.7]), Test(), target=0.8, most=10**5, of="items")[0])
        n_raters = n * 2 if design.nested else design.n_raters
        found = expectation(noise, replace(design, n_items=n, n_raters=n_raters), 0.7, Test())
        assert found.power == pytest.approx(0.8, abs=0.015)


def test_convabuse_is_planned_from_with_its_eight_raters(shared):
    import polars as pl

    frame = pl.read_csv(shared / "lewidi23_ConvAbuse.csv")
    judged = pl.when(pl.col("source") == "Ann1").then(pl.lit("x")).when(pl.col("source") == "Ann2").then(pl.lit("y"))
    table = howsure.read(
        frame.with_columns(kind=judged.otherwise(pl.lit("others"))), item="item_id", rater="source", repeat="rep",
        sources={"others": "kind=others", "x": "kind=x", "y": "kind=y"},
    )  # fmt: skip
    contest = table.contest(gold="others", a="x", b="y")
    found = plan_raters(contest, metric="mae", advantage=0.1, n_raters=[6, 12], n_items=[200, 2000], rng=0)
    assert found.pilot.raters == "partially crossed"
    assert found.cells[0].design.raters_per_item < 6
    assert all(0 < cell.power < 1 and cell.standard_error > 0 for cell in found.cells)


@pytest.mark.parametrize("metric", ["accuracy", "tv"])
def test_dices_is_planned_from_with_few_of_its_raters(shared, metric):
    import polars as pl

    frame = pl.read_csv(shared / "dices350.csv")
    keep = [f"r{number:03d}" for number in range(10)]
    humans = frame.filter(pl.col("source").is_in(keep))
    models = frame.filter(pl.col("kind") == "model")
    unsafe = pl.when(models["value"].cast(pl.Float64) > 0.3).then(pl.lit("Yes")).otherwise(pl.lit("No"))
    table = howsure.read(
        pl.concat([humans, models.with_columns(value=unsafe)]),
        sources={"human": "kind=human", "vader": "source=vader_neg", "profanity": "source=alt-profanity-check"},
    )
    contest = table.contest(gold="human", a="vader", b="profanity")
    found = plan_raters(contest, metric=metric, advantage=0.1, n_raters=[5, 10, 40], target_power=0.8, rng=0)
    assert found.pilot.design.n_raters == 10
    assert found.recommended.power >= 0.8
    assert found.pilot.components


@pytest.mark.usefixtures("fewer_draws")
def test_the_interval_of_the_power_covers_the_true_power():
    """Pilots of 40 items × 6 raters with known components; what a design of another size really has."""
    noise = Noise(0.5, 0.18, 2.0)
    designs = [Design(120, 0, 6, 6, 6, 6, False, 2), Design(60, 0, 15, 15, 15, 15, False, 2)]
    true = [expectation(noise, design, 0.6, Test()).power for design in designs]
    count, inside = 60, [0, 0]
    for number in range(count):
        pilot = ratings(np.random.default_rng([number, 21]), 40, 6, shift=0.6)
        for place, design in enumerate(designs):
            asked = {"n_items": design.n_items, "n_raters": design.n_raters, "advantage": 0.6}
            [cell] = plan_raters(pilot, **asked, rng=number, workers=1).cells
            inside[place] += true[place] in cell.power_interval
    assert min(inside) >= binom.ppf(0.001, count, 0.95)


def test_a_pilot_whose_advantage_is_exactly_zero_has_no_difference_to_plan_for():
    given = np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0], [2.0, 4.0, 1.0], [5.0, 2.0, 2.0]])
    raters = np.tile(np.arange(3), (4, 1))
    a, b = (Responses.from_grid(side, raters) for side in (given, given[::-1]))
    pilot = Contest(None, a, b, Scale("continuous"), np.array(list("wxyz")), ("", "A", "B"))
    found = plan_raters(pilot, budget=300, n_raters=[3, 6])
    assert "so there is none to plan for" in str(found)
    assert all(cell.detectable > 0 for cell in found.cells)


@pytest.mark.usefixtures("fewer_draws")
def test_as_many_plans_promise_too_much_as_too_little():
    """Three degrees of freedom see too little of raters in 61% of all pilots; the plan's power must not."""
    true_noise, design = Noise(0.5, 0.72, 2.0), Design(60, 0, 8, 8, 8, 8, False, 2)
    true = expectation(true_noise, design, 1.2, Test()).power
    count, above = 300, 0
    for number in range(count):
        pilot = ratings(np.random.default_rng([number, 11]), 30, 4, of_raters=0.6, shift=1.2)
        engine = RaterEngine.of(
            pilot,
            variance_components(pilot),
            metric=resolve("rating").on(pilot.scale),
            advantage=1.2,
            level=0.95,
            seed=np.random.SeedSequence(number),
        )
        above += engine.power(design, 0, Test("sign-flip")).power > true
    low, high = binom.ppf([0.001, 0.999], count, 0.5)
    assert low <= above <= high


def test_the_same_design_twice_is_one_row_and_nothing_is_said_of_a_difference_that_is_none():
    contest = ratings(np.random.default_rng(3))
    found = plan_raters(contest, n_raters=[5, 5], n_items=[20], rng=0)
    assert len(found.cells) == 1
    assert found.pilot.difference == "none"
    assert not any("tend to be too large" in note for note in found.notes)


def in_documents(rng, n_documents, size=4, r=6):
    """Draw ratings in which whole documents differ: components 2·.5² of documents, 2·.3² of raters, 2 of ratings."""
    document = np.repeat(np.arange(n_documents), size)
    ids = np.tile(np.arange(r), (document.size, 1))
    sides = [
        value
        + 0.5 * rng.normal(size=(n_documents, 1))[document]
        + 0.3 * rng.normal(size=r)
        + rng.normal(size=ids.shape)
        for value in (0.6, 0.0)
    ]
    a, b = (Responses.from_grid(side, ids) for side in sides)
    groups = {"document": document.astype(str)}
    return Contest(None, a, b, Scale("continuous"), np.arange(document.size).astype(str), ("", "A", "B"), groups=groups)


def test_documents_are_planned_with_raters_as_compare_tests_them():
    """A large pilot knows the components; its plan for 15 documents × 6 raters is what compare finds there."""
    pilot = in_documents(np.random.default_rng(2), 150, r=80)
    options = {"advantage": 0.6, "n_items": [60], "n_raters": [6], "rng": 0}
    [cell] = plan_raters(pilot, cluster="document", **options).cells
    assert str(cell.design) == "60 items in 15 clusters × 6 raters"
    assert set(cell.shares) == {"clusters", "raters", "residual"}
    count, rejected, widths = 400, 0, []
    for number in range(count):
        contest = in_documents(np.random.default_rng([number, 4]), 15)
        pvalue, width = of_raters(contest, clusters=np.repeat(np.arange(15), 4))
        assert number >= 5 or of_compare(contest, cluster="document") == pytest.approx((pvalue, width))
        rejected += pvalue <= 0.05
        widths.append(width)
    low, high = binom.ppf([0.001, 0.999], count, cell.power)
    assert low <= rejected <= high
    assert np.mean(widths) == pytest.approx(cell.ci_width, rel=0.1)
    assert plan_raters(pilot, **options).cells[0].power > cell.power  # as if items were independent


def test_raters_of_parts_of_documents_are_refused_with_the_reason():
    rng = np.random.default_rng(4)
    contest = ratings(rng, 40, 6, per_item=2)
    contest = replace(contest, groups={"document": np.repeat(np.arange(10), 4).astype(str)})
    with pytest.raises(DataError, match="raters judged parts of clusters"):
        plan_raters(contest, advantage=0.5, cluster="document", n_items=[50], rng=0)
    with pytest.raises(ArgumentError, match="do not judge whole clusters"):
        plan_raters(in_documents(rng, 10), advantage=0.5, cluster="document", nested=True, n_items=[50], rng=0)


def test_ratings_without_raters_are_planned_in_documents_too():
    rng = np.random.default_rng(5)
    contest = in_documents(rng, 30)
    sides = {role: Responses(side.values, side.offsets) for role, side in contest.sources.items()}
    bare = replace(contest, a=sides["a"], b=sides["b"])
    alone, together = (
        plan(bare, metrics="rating", n_items=120, cluster=each, rng=0).cells[0] for each in (None, "document")
    )
    assert together.design.n_units == 30
    found = compare(bare, metric="rating", cluster="document", interval="t", n_resamples=99, rng=0)
    assert together.ci_width == pytest.approx(found.confidence_interval.width, rel=0.03)
    assert together.ci_width > 1.3 * alone.ci_width


def test_scored_responses_are_tried_in_several_numbers():
    """484 × 5 = 4,840 responses were "the lowest cost" of the only design that was tried; 904 × 1 = 1,808 do it."""
    rng = np.random.default_rng(1)
    item = rng.normal(size=(80, 1))
    a = item + 0.15 + 0.5 * rng.normal(size=(80, 1)) + 0.4 * rng.normal(size=(80, 5))
    pilot = Contest.from_arrays(None, a, item + 0.4 * rng.normal(size=(80, 5)))
    found = plan(pilot, effect=Effect(resolve("rating"), 0.1), rng=0)
    assert [cell.design.a for cell in found.cells] == [1, 2, 3, 5]
    assert found.recommended.cost == min(cell.cost for cell in found.cells if cell.power >= 0.8)
    assert found.recommended.cost < found.cells[-1].cost / 2
    assert "at the lowest cost" in found.sentences[0]
    [alone] = plan(pilot, effect=Effect(resolve("rating"), 0.1), n_responses=5, rng=0).cells
    assert alone == found.cells[-1]


def test_a_plan_that_rests_on_few_raters_says_that_it_is_too_optimistic():
    """Pilots of 60 × 6, planned for ten random raters: true power .69 for .80."""
    rng = np.random.default_rng(4)
    ids = np.tile(np.arange(6), (60, 1))
    a, b = (
        Responses.from_grid(
            shift + 0.5 * rng.normal(size=(60, 1)) + 0.3 * rng.normal(size=6) + rng.normal(size=(60, 6)), ids
        )
        for shift in (0.5, 0.0)
    )
    pilot = Contest(None, a, b, Scale("continuous"), np.arange(60).astype(str), ("", "A", "B"))
    options = {"effect": Effect(resolve("rating"), 0.5), "target_power": 0.8, "rng": 0}
    found = plan(pilot, n_raters=[10], **options)
    assert any("with only 6 raters how much they differ. Such plans are too optimistic" in note for note in found.notes)
    many = plan(pilot, n_raters=[100], **options)
    assert not any("too optimistic" in note for note in many.notes)
