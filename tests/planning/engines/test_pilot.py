"""Plans from a pilot's own items: unbiased at its design, continuous beyond it, and as sure as they say."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom, t

from howsure import Contest, Responses, Scale
from howsure.comparison import compare
from howsure.data.responses import cluster_codes
from howsure.data.summaries import grid
from howsure.documents.numbers import interval
from howsure.errors import ArgumentError, DataError
from howsure.examples import ratings
from howsure.metrics import resolve
from howsure.models import DeconvolvedModel, EmpiricalModel, preset
from howsure.models.simulation import derive
from howsure.nulls import SIGN_FLIP, Hypothesis, Units
from howsure.planning import Design, Effect, plan
from howsure.planning.engines import pilot as pilot_engine
from howsure.planning.engines.decisions import Test
from howsure.planning.engines.pilot import PilotEngine
from howsure.planning.engines.pool_power import sign_test_power
from howsure.planning.engines.score_pools import Pool
from howsure.planning.engines.score_sums import SumGrid
from howsure.planning.request import PlanRequest, Scenario
from howsure.resampling import cluster_sums

pytestmark = pytest.mark.filterwarnings("ignore::howsure.errors.HowsureWarning")


@pytest.fixture(scope="module")
def example():
    return ratings().contest(gold="human", a="model-2", b="model-1")


def engine_of(contest, metric="mae", **options):
    return PilotEngine(contest, Scenario.of(EmpiricalModel.of(contest), PlanRequest(metrics=metric, rng=0, **options)))


def simulated(name, n, k, epsilon, rng):
    return preset(name).table(n, k, epsilon=epsilon, rng=rng).contest(gold="gold", a="A", b="B")


def test_at_the_pilots_own_design_the_plan_is_what_compare_finds(example):
    found = compare(example, metric="mae", rng=0)
    own = Effect(resolve("mae"), found.advantage)
    [cell] = plan(example, metrics="mae", effect=own, n_items=200, n_responses=[5], rng=0).cells
    assert cell.design == Design(200, 5, 3, 3)
    assert cell.advantage == pytest.approx(found.advantage, abs=1e-12)
    assert cell.advantage_error == 0
    assert cell.ci_width == pytest.approx(found.confidence_interval.width, rel=0.03)


def test_the_advantage_grows_smoothly_with_gold_and_says_how_precise_it_is(example):
    """Subsamples below the pilot's five responses, the model without noise above: .198, .233, .248, .253, .256."""
    cells = plan(example, metrics="mae", n_items=200, n_responses=[1, 3, 4, 5, 6, 7, 10], test=None, rng=0).cells
    advantages = [cell.advantage for cell in cells]
    assert advantages == sorted(advantages)
    assert all(0 <= cell.advantage_error < 0.003 for cell in cells)
    steps = np.diff(advantages[2:5])
    assert steps[1] < 2 * steps[0]  # no jump where the engines meet
    errors = [cell.standard_error for cell in cells]
    assert errors == sorted(errors, reverse=True)


def of_all_pairs(contest, metric):
    """Return the advantage at 2 of 5 responses by every pair of gold's with every pair of A's and of B's."""
    bound, pairs = resolve(metric).on(contest.scale), list(itertools.combinations(range(5), 2))
    gold, a, b = (
        derive(np.stack([rows[:, pair] for pair in pairs]), "values", bound.needs, contest.scale)
        for rows in map(grid, (contest.gold, contest.a, contest.b))
    )
    ways = itertools.product(range(10), repeat=2)
    return np.mean([bound.item_advantages(gold[i], a[j], b[j]) for i, j in ways])


@pytest.mark.parametrize(("name", "metric"), [("normal", "mae"), ("categorical-dices", "tv")])
def test_subsamples_come_to_the_mean_of_all(name, metric):
    for number in range(3):
        contest = simulated(name, 50, 5, 0.3, number)
        found = engine_of(contest, metric).outlook(Design(50, 2, 2, 2), 0)
        assert abs(found.advantage - of_all_pairs(contest, metric)) < 4 * found.advantage_error


@pytest.mark.parametrize(("name", "metric", "epsilon"), [("normal", "mae", 0.3), ("categorical-dices", "tv", 0.4)])
def test_subsamples_are_unbiased(name, metric, epsilon, monkeypatch):
    """The advantage at 2 responses, planned from pilots with 5, is on average that of the model."""
    monkeypatch.setattr(pilot_engine, "SETS", 64)  # pilots differ by far more
    true = plan(name, metrics=metric, epsilon=epsilon, n_items=50, n_responses=[(2, 2, 2)], test=None, rng=0).cells[0]
    count, found = 40, []
    for number in range(count):
        engine = engine_of(simulated(name, 50, 5, epsilon, number), metric)
        found.append(engine.outlook(Design(50, 2, 2, 2), 0).advantage)
    error = np.hypot(np.std(found) / np.sqrt(count), true.advantage_error)
    assert abs(np.mean(found) - true.advantage) < 3.3 * error


@pytest.mark.parametrize(("name", "metric", "epsilon"), [("normal", "mae", 0.3), ("categorical-dices", "tv", 0.4)])
def test_beyond_the_pilot_the_noise_is_taken_out(name, metric, epsilon, monkeypatch):
    """At 20 responses, planned from pilots with 4: nearer to the truth than resampling the pilot's responses is."""
    monkeypatch.setattr(pilot_engine, "DRAWN", pilot_engine.DRAWN // 4)  # pilots differ by far more
    many = {"metrics": metric, "n_items": 100, "n_responses": [(20, 20, 20)], "test": None, "rng": 0}
    true = plan(name, epsilon=epsilon, **many).cells[0]
    ours, resampled = [], []
    for number in range(12):
        contest = simulated(name, 60, 4, epsilon, number)
        ours.append(engine_of(contest, metric).outlook(Design(100, 20, 20, 20), 0))
        if number < 4:  # 90% off needs few
            again = plan(EmpiricalModel.of(contest), precision=0.05, **many)
            resampled.append(again.cells[0])
    advantages, errors = (np.array([getattr(one, name) for one in ours]) for name in ("advantage", "standard_error"))
    assert abs(advantages.mean() - true.advantage) < 0.1 * true.advantage + 3.3 * advantages.std() / math.sqrt(
        len(ours)
    )
    # Five times the pilot's responses are far: labels are planned 19% too wide there; resampling is 90% off.
    before = np.mean([one.standard_error for one in resampled])
    assert abs(errors.mean() / true.standard_error - 1) < min(0.25, abs(before / true.standard_error - 1) / 2)


def test_the_interval_of_the_number_of_items_covers():
    """Pilots of 50 × 5: .935, .95 and .93 of 200 each in three studies; here fewer, with the region computed."""
    true = plan("normal", metrics="mae", epsilon=0.2, n_responses=[5], target_power=0.8, precision=0.01, rng=0)
    count, inside, numbers = 40, 0, []
    for number in range(count):
        engine = engine_of(simulated("normal", 50, 5, 0.2, 1000 + number))
        pool = engine.scores((5, 5, 5), 0).pair.pool
        items = max(2, round((2.8016 * pool.sd / pool.mean) ** 2 + 1.2)) if pool.mean > 0 else 10**6
        ends = engine.needed_interval(Design(items, 5, 5, 5))
        inside += true.recommended.n_items in ends
        numbers.append(items)
    assert inside >= binom.ppf(0.001, count, 0.95)
    assert 0.6 < np.median(numbers) / true.recommended.n_items < 1.5


def test_a_given_advantage_moves_the_items_and_keeps_how_often_a_and_b_agree():
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 2, 100)
    right = {name: np.where(rng.random(100) < share, gold, 1 - gold) for name, share in (("a", 0.8), ("b", 0.78))}
    pilot = Contest.from_arrays(*(side.astype(str) for side in (gold, right["a"], right["b"])))
    engine = engine_of(pilot, "accuracy", effect=Effect.accuracy_points(5))
    pool = engine.scores((1, 1, 1), 0).pair.pool
    observed = engine.observed(resolve("accuracy").on(pilot.scale))
    assert pool.mean == pytest.approx(0.05)
    assert engine.population.weights[observed == 0].sum() == pytest.approx((observed == 0).mean())
    # A and B differ by less in the pilot, and what is missing is lost by a worse model, which differs more often.
    more = engine.scores((1, 1, 1), 0).stretch
    assert 1 < more < 1.2
    assert pool.sd**2 == pytest.approx(more * (np.mean(observed != 0) - 0.05**2) * 100 / 99, rel=0.01)
    smaller = engine_of(pilot, "accuracy", effect=Effect(resolve("accuracy"), observed.mean() / 2))
    assert smaller.scores((1, 1, 1), 0).stretch == 1
    # The normal formula on the moved advantages, with nothing of a model of gold.
    [cell] = plan(pilot, metrics="accuracy", effect=Effect.accuracy_points(5), n_responses=[1], target_power=0.8,
                  rng=0).cells  # fmt: skip
    assert cell.n_items == pytest.approx((2.8 * pool.sd / 0.05) ** 2, rel=0.1)
    assert cell.engine == "pilot"


def test_an_advantage_that_the_items_cannot_have_is_refused():
    pilot = Contest.from_arrays(list("aabbab"), list("aabbab"), list("aabbba"))
    with pytest.raises(ArgumentError, match=r"differ on 33% of its items, and if one model won all of these"):
        plan(pilot, metrics="accuracy", effect=Effect.accuracy_points(80), n_items=100, rng=0)


def test_without_a_difference_there_is_nothing_to_plan_for():
    pilot = simulated("normal", 40, 3, 0.0, 5)
    found = plan(pilot, budget=600, rng=0)
    assert found.recommended is None
    assert found.pilot.difference == "none"
    assert "so there is none to plan for" in found.sentences[0]
    assert all(cell.detectable > 0 for cell in found.cells if not cell.reason)
    [own] = [cell for cell in found.cells if cell.design.gold == 3]
    again = plan(pilot, effect=Effect(resolve("mae"), own.detectable), n_items=own.n_items, n_responses=[3], rng=1)
    assert again.cells[0].power == pytest.approx(0.8, abs=0.05)


def test_where_there_is_no_difference_it_is_zero_and_nothing_is_said_of_its_size():
    """Items of +1 and −1 in equal number: their mean must not come out as −1.4e-17."""
    values = np.random.default_rng(1).permuted(np.repeat([0.0, 1.0], 25))
    sides = (Responses.from_grid(side[:, np.newaxis]) for side in (np.zeros(50), values, 1 - values))
    pilot = Contest(*sides, Scale("continuous"), np.arange(50).astype(str))
    found = plan(pilot, metrics="mae", n_items=[60], n_responses=[1, 3], rng=0)
    assert [cell.advantage for cell in found.cells] == [0.0, 0.0]
    assert not any("tend to be too large" in note for note in found.notes)


def test_intervals_are_called_by_the_level_that_was_asked_for():
    found = plan(simulated("normal", 40, 3, 0.0, 5), budget=600, n_responses=[3], confidence_level=0.8, rng=0)
    ends = found.pilot.advantage_interval
    assert f", 80% CI {interval(ends.low, ends.high)})" in found.sentences[0]
    assert "80% interval" in str(found)
    assert "95%" not in str(found)


def documents(rng, n_documents=20, *, unequal=False):
    """B is off by half a point in some documents: their items are not independent."""
    sizes = rng.integers(1, 10, n_documents) if unequal else np.full(n_documents, 5)
    document = np.repeat(np.arange(n_documents), sizes)
    gold = rng.normal(size=document.size)
    off = np.where(rng.random(n_documents) < 0.5, rng.choice([-0.5, 0.5], n_documents), 0.0)
    a, b = gold + 0.5 * rng.normal(size=gold.size), gold + 0.6 * rng.normal(size=gold.size) + off[document]
    return Contest.from_arrays(gold, a, b, groups={"document": document.astype(str)})


@pytest.mark.parametrize("unequal", [False, True])
def test_clusters_of_items_are_what_compare_makes_of_them(unequal):
    pilot = documents(np.random.default_rng(3), unequal=unequal)
    found = compare(pilot, metric="mae", cluster="document", interval="t", rng=0)
    own = {"effect": Effect(resolve("mae"), found.advantage), "n_items": pilot.n_items, "n_responses": [1]}
    [cell] = plan(pilot, metrics="mae", cluster="document", **own, rng=0).cells
    assert str(cell.design) == f"{pilot.n_items} items in 20 clusters × 1 response"
    assert cell.advantage == pytest.approx(found.advantage, abs=1e-12)
    # Where clusters are of unequal size, compare has fewer degrees of freedom (Bell–McCaffrey) than the plan.
    # A plan is for other clusters like these. The error of `compare` (CR2) also allows for the shares of these ones.
    sums, sizes = cluster_sums(found.item_scores.advantages, cluster_codes(pilot.groups, "document")[1])
    rest = sums - sizes * found.advantage
    plain = math.sqrt(20 / 19 * (rest @ rest)) / sizes.sum()
    assert cell.ci_width == pytest.approx(2 * t.ppf(0.975, 19) * plain, rel=0.03)


def test_the_power_with_clusters_is_that_of_exchanging_clusters(monkeypatch):
    """12 documents of 5 items each: as 60 independent items they would promise too much."""
    monkeypatch.setattr(pilot_engine, "RESAMPLES", 99)  # of the interval of the power, which plays no part here
    population = documents(np.random.default_rng(8), 400)
    advantage = float(compare(population, metric="mae", n_resamples=3, rng=0).advantage)
    effect = Effect(resolve("mae"), advantage)
    options = {"metrics": "mae", "effect": effect, "n_items": 60, "n_responses": [1], "rng": 0}
    planned, alone = (plan(population, cluster=each, **options).cells[0].power for each in ("document", None))
    count, every = 300, np.array(list(itertools.product([-1, 1], repeat=12))).T  # all ways to exchange them
    rejected = 0
    for number in range(count):
        study = documents(np.random.default_rng([number, 5]), 12)
        gold, a, b = (side.values for side in (study.gold, study.a, study.b))
        sums = (np.abs(gold - b) - np.abs(gold - a)).reshape(12, 5).sum(axis=1)
        tail = np.mean(abs(sums.sum()) <= np.abs(sums @ every) + 1e-9)
        if number < 5:
            found = compare(study, metric="mae", cluster="document", n_resamples=2**12, rng=0, workers=1)
            assert found.pvalue == pytest.approx(tail)
        rejected += tail <= 0.05
    low, high = binom.ppf([0.001, 0.999], count, planned)
    assert low <= rejected <= high
    assert alone > planned


def test_few_clusters_cannot_reject_and_say_little():
    pilot = documents(np.random.default_rng(3), 6)
    found = plan(pilot, metrics="mae", n_items=[25, 60], cluster="document", n_responses=[1], rng=0)
    assert [cell.reason for cell in found.cells] == ["test cannot reject", ""]
    assert any(note.startswith("with 5 clusters or fewer the smallest p-value") for note in found.notes)
    assert "6 clusters are too few to estimate reliably how much clusters differ." in found.notes
    with pytest.raises(DataError, match="the pilot has 5 clusters, too few"):
        plan(documents(np.random.default_rng(3), 5), metrics="mae", n_items=60, cluster="document", rng=0)


def test_more_responses_take_out_noise_of_items_and_not_of_clusters():
    """Beyond the pilot's responses the variance shrinks, but by no more than noise of single items is part of it."""
    rng = np.random.default_rng(6)
    document = np.repeat(np.arange(30), 5)
    gold = rng.normal(size=(150, 1)) + rng.normal(size=(150, 2))
    off = np.where(rng.random(30) < 0.5, 1.5, 0.0)[document]
    a, b = gold.mean(axis=1) + 0.3 * rng.normal(size=150), gold.mean(axis=1) + off
    pilot = Contest.from_arrays(gold, a, b, groups={"document": document.astype(str)})
    options = {"metrics": "mae", "n_items": 150, "n_responses": [1, 2, 20], "rng": 0}
    apart, together = (plan(pilot, cluster=each, **options).cells for each in (None, "document"))
    assert [cell.design.n_units for cell in together] == [30, 30, 30]
    shrunk, alone = (cells[2].standard_error / cells[1].standard_error for cells in (together, apart))
    assert alone < shrunk < 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metrics": "mae", "cluster": "topic"}, "`cluster` must name a column"),
        ({"metrics": "spearman", "cluster": "document"}, "clusters of items need a metric with item scores"),
        ({"metrics": "mae", "cluster": "document", "test": "pooled-responses"}, "mixes responses"),
    ],
)
def test_clusters_that_cannot_be_planned_are_refused(options, message):
    with pytest.raises(ArgumentError, match=message):
        plan(documents(np.random.default_rng(3)), n_items=50, rng=0, **options)


def test_follow_ups_say_what_more_responses_bring(example):
    found = plan(example, metrics="mae", n_items=200, n_responses=[5], follow_up=[100, 1000], rng=0)
    assert [(way.n_more, way.change) for way in found.follow_ups] == [
        (100, "20 more items"),
        (100, "1 more response for 100 of the 200 items"),
        (1000, "200 more items"),
        (1000, "5 more responses for each item"),
    ]
    larger = plan(example, metrics="mae", n_items=400, n_responses=[5], rng=0).cells[0]
    assert found.follow_ups[2].cell.standard_error == pytest.approx(larger.standard_error)
    assert [way.best for way in found.follow_ups] == [True, False, True, False]


def test_one_response_per_item_is_said_to_leave_the_noise_open():
    pilot = simulated("normal", 60, 1, 0.6, 2)
    found = plan(pilot, n_items=100, n_responses=[1, 5], rng=0)
    assert any("The pilot has one gold response per item" in note for note in found.notes)
    assert not any("extrapolated by a model" in note for note in found.notes)  # none is known
    assert found.cells[0].advantage == pytest.approx(found.cells[1].advantage, abs=1e-9)


def test_the_power_of_a_pilot_is_that_of_its_own_items(example):
    """Whole studies drawn from the pilot's items, tested one by one."""
    engine = engine_of(example)
    advantages = engine.observed(resolve("mae").on(example.scale))
    planned = engine.power(Design(40, 5, 3, 3), 0, Test())
    rng = np.random.default_rng(0)
    rows = advantages[rng.integers(0, advantages.size, (2000, 40))]
    rejected = np.mean(SIGN_FLIP.run(Units.independent(rows), Hypothesis(interval=False)).pvalue <= 0.05)
    assert planned.power == pytest.approx(rejected, abs=4 * np.hypot(planned.error, 0.011))
    assert planned.power in planned.interval


def test_the_model_without_noise_keeps_means_and_takes_out_the_noise_of_few_responses():
    rng = np.random.default_rng(4)
    true = rng.normal(size=(400, 1))
    sides = [true + 0.1 * rng.normal(size=(400, 1)) + rng.normal(size=(400, 3)) for _ in range(3)]
    model = DeconvolvedModel.of(Contest.from_arrays(*sides, scale="continuous"))
    drawn = [side.summary("means", 200, rng)[0] for side in model.spread_items(4000)]
    spread = np.cov(drawn)
    assert np.diag(spread) == pytest.approx([1.015] * 3, rel=0.15)  # with three responses each it was 1.34
    assert spread[0, 1] / spread[0, 0] == pytest.approx(0.99, abs=0.06)


def test_wins_without_ties_whose_shares_exceed_one_by_rounding_have_a_power():
    """It ended in "math domain error"."""
    powers = [
        sign_test_power(Pool(1.0, SumGrid(-1, shares), 0.0, 0.4, 0.0, 0.92, 0.0, 1, 1.0), 50, Test())
        for shares in (np.array([0.3, 0.0, 0.7 + 1e-15]), np.array([0.3, 0.0, 0.7]))
    ]
    assert powers[0] == pytest.approx(powers[1])
