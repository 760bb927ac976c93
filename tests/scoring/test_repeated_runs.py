"""How far runs repeat themselves: variances, noise, flips, and how many runs are enough."""

import json
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import howsure
from howsure import Responses, _json, examples
from howsure.data.response_tables import ResponseTable
from howsure.data.scales import Scale
from howsure.documents import Sentence
from howsure.errors import ArgumentError, DataError
from howsure.scoring import Reliability, reliability_of
from tests.scoring.test_single_scores import LOGS, table

SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def numbers(grid):
    return table(grid, levels=range(11))


def only(found):
    (one,) = found.models
    return one


def test_consistency_is_shrout_and_fleiss():
    """ICC(1) of their table is .17."""
    one = only(reliability_of(numbers(SHROUT_FLEISS)))
    assert one.consistency_estimate == pytest.approx(0.17, abs=0.005)


def test_the_interval_of_consistency_is_the_jackknife_over_items():
    """Against leaving out items one by one, without the sums that the function uses."""
    grid = np.random.default_rng(4).integers(0, 11, (25, 3)).astype(float)
    one = only(reliability_of(numbers(grid)))

    def fisher(rows):
        within = rows.var(axis=1, ddof=1).mean()
        between = rows.mean(axis=1).var(ddof=1) - within / 3
        return math.atanh(between / (between + within))

    left_out = np.array([fisher(np.delete(grid, item, axis=0)) for item in range(25)])
    reach = stats.t.ppf(0.975, 24) * math.sqrt(24 / 25 * np.square(left_out - left_out.mean()).sum())
    assert one.consistency.low == pytest.approx(math.tanh(fisher(grid) - reach))
    assert one.consistency.high == pytest.approx(math.tanh(fisher(grid) + reach))
    assert one.consistency.method == "jackknife"


@pytest.mark.skipif(not LOGS.exists(), reason="the logs are not here")
def test_tau_bench_is_as_unstable_as_known():
    one = only(howsure.reliability(str(LOGS / "tau_bench")))
    assert one.sometimes == pytest.approx(11 / 25)
    assert one.always == pytest.approx(0.16)
    assert one.never == pytest.approx(0.40)
    assert one.score == pytest.approx(0.31)


@pytest.mark.skipif(not LOGS.exists(), reason="the logs are not here")
def test_terminal_bench_flips_as_known():
    found = howsure.reliability(str(LOGS / "terminal_bench"))
    assert [round(80 * one.sometimes) for one in found.models] == [13, 14]
    net = found.flips.beneficial - found.flips.harmful
    assert net == pytest.approx(0.525 - 0.58125)


def test_the_errors_follow_from_the_variances():
    rng = np.random.default_rng(0)
    grid = rng.integers(0, 11, (30, 3)).astype(float)
    one = only(reliability_of(numbers(grid)))
    within = grid.var(axis=1, ddof=1).mean()
    between = max(0.0, grid.mean(axis=1).var(ddof=1) - within / 3)
    assert one.within == pytest.approx(within)
    assert one.between == pytest.approx(between)
    assert one.run_sd == pytest.approx(math.sqrt(within / 30))
    variances = grid.var(axis=1, ddof=1)
    df = min(60, 2 * 30 * variances.mean() ** 2 / variances.var(ddof=1))
    assert one.noise_floor == pytest.approx(stats.t.ppf(0.975, df) * math.sqrt(2 * within / 30))
    assert one.standard_error(3, 60) == pytest.approx(math.sqrt((between + within / 3) / 60))


@given(st.lists(st.lists(st.integers(0, 10), min_size=3, max_size=3), min_size=3, max_size=8), st.randoms())
@settings(max_examples=40, deadline=None)
def test_the_order_of_runs_and_items_changes_nothing(grid, random):
    one = only(reliability_of(numbers(grid)))
    mixed = only(reliability_of(numbers([random.sample(row, 3) for row in random.sample(grid, len(grid))])))
    for name in ("score", "disagreement", "within", "between", "noise_floor"):
        assert getattr(mixed, name) == pytest.approx(getattr(one, name), abs=1e-9)
    apart = [(row[i] != row[j]) for row in grid for i, j in ((0, 1), (0, 2), (1, 2))]
    assert one.disagreement == pytest.approx(np.mean(apart))


def test_identical_runs_leave_the_error_of_items_as_it_is():
    column = np.arange(10.0)[:, np.newaxis]
    twice, often = (only(reliability_of(numbers(np.repeat(column, n, axis=1)))) for n in (2, 7))
    assert twice.standard_error(2) == often.standard_error(7) == pytest.approx(stats.sem(column[:, 0]))
    assert twice.enough_runs == 1


def test_enough_runs_are_the_fewest_within_five_percent():
    grid = np.random.default_rng(3).binomial(1, np.linspace(0.05, 0.95, 60)[:, np.newaxis], (60, 4))
    one = only(reliability_of(table(grid)))
    runs = one.enough_runs
    assert one.standard_error(runs) <= 1.05 * one.standard_error() < one.standard_error(runs - 1)


REPLICATIONS = 2000


def test_single_runs_differ_by_more_than_the_noise_floor_in_five_of_a_hundred_cases():
    """The floor is made of four runs, and held against two others on the same items."""
    rng = np.random.default_rng(11)
    hard = rng.beta(1, 1, 200)[:, np.newaxis]
    beyond = 0
    for _ in range(REPLICATIONS):
        grid = rng.binomial(1, hard, (200, 6)).astype(float)
        floor = only(reliability_of(table(grid[:, :4]))).noise_floor
        beyond += abs(float(grid[:, 4].mean() - grid[:, 5].mean())) > floor
    # Differences are multiples of 1 in 200, so that the share may be two points below 5%.
    assert stats.binom.ppf(0.0005, REPLICATIONS, 0.03) <= beyond <= stats.binom.ppf(0.9995, REPLICATIONS, 0.05)


def test_consistency_covers_and_the_noise_floor_holds_where_one_item_in_ten_is_hard():
    """F limits covered 62% of these, and 8.7% of two new runs differed by more than the floor (50 items, 3 runs)."""
    rng = np.random.default_rng(12)
    chances = np.array([0.97, 0.05])
    mean = 0.9 * 0.97 + 0.1 * 0.05
    true = 0.9 * 0.1 * (0.97 - 0.05) ** 2 / (mean * (1 - mean))
    covered = beyond = 0
    for _ in range(REPLICATIONS):
        chance = chances[(rng.random(50) < 0.1).astype(int)][:, np.newaxis]
        grid = (rng.random((50, 5)) < chance).astype(float)
        one = only(reliability_of(table(grid[:, :3])))
        covered += true in one.consistency
        beyond += abs(float(grid[:, 3].mean() - grid[:, 4].mean())) > one.noise_floor + 1e-12
    assert covered >= stats.binom.ppf(0.0005, REPLICATIONS, 0.95)
    assert beyond <= stats.binom.ppf(0.9995, REPLICATIONS, 0.05)


RARE = {
    "Beta(9, 1), 20 × 3": (20, 3, lambda rng, n: rng.beta(9, 1, n), 1 / 11),
    "Beta(9, 1), 50 × 5": (50, 5, lambda rng, n: rng.beta(9, 1, n), 1 / 11),
    "one in 20 is hard": (40, 3, lambda rng, n: np.where(rng.random(n) < 0.95, 0.97, 0.05), 0.5733),
    "one in ten fails": (30, 3, lambda rng, n: np.where(rng.random(n) < 0.9, 0.99, 0.05), 0.8540),
    "half pass, half fail": (30, 3, lambda rng, n: np.where(rng.random(n) < 0.5, 0.998, 0.002), 0.9920),
    "all alike": (50, 3, lambda rng, n: np.full(n, 0.9), 0.0),
}


@pytest.mark.parametrize("name", RARE)
def test_consistency_of_passes_covers_where_few_items_are_hard_or_unstable(name):
    """The jackknife covered 61%, 87%, 84%, 69%, 15% and 75%."""
    n, k, chances, true = RARE[name]
    rng = np.random.default_rng(15)
    covered = 0
    for _ in range(REPLICATIONS):
        grid = rng.binomial(1, chances(rng, n)[:, np.newaxis], (n, k)).astype(float)
        if 0 < grid.mean() < 1:
            covered += true in only(reliability_of(table(grid))).consistency
        else:  # all runs alike: nothing can be known
            covered += 1
    assert covered >= stats.binom.ppf(0.0005, REPLICATIONS, 0.95)


@given(st.integers(0, 2**31), st.integers(3, 40), st.integers(2, 6))
@settings(max_examples=40, deadline=None)
def test_the_interval_of_passes_follows_laws(seed, n, k):
    rng = np.random.default_rng(seed)
    grid = (rng.random((n, k)) < rng.beta(0.7, 0.4, (n, 1))).astype(float)
    if not 0 < grid.mean() < 1:
        return
    one = only(reliability_of(table(grid)))
    ends = one.consistency
    least = -1 / (k - 1) - 1e-12
    assert least <= ends.low <= one.consistency_estimate + 1e-12 <= ends.high + 2e-12 <= 1 + 1e-9
    for other in (1 - grid, rng.permutation(grid), rng.permuted(grid, axis=1)):
        again = only(reliability_of(table(other))).consistency
        assert (again.low, again.high) == pytest.approx((ends.low, ends.high))


def test_the_interval_of_passes_is_that_of_weighted_items():
    """Against the influence of each item by finite differences, with the added items and ten or more unstable ones."""
    rng = np.random.default_rng(6)
    grid = (rng.random((40, 4)) < rng.beta(2, 1, (40, 1))).astype(float)
    shares = np.concatenate([grid.mean(axis=1), [0, 1, 0.5]])
    pairs = np.concatenate([grid.var(axis=1, ddof=1) * 2, [0, 0, 4 / 6]])  # two of four runs, of which two pass
    weights = np.concatenate([np.ones(40), [0.5, 0.5, 0.25]])

    def correlation(w):
        mean = w @ shares / w.sum()
        return 1 - (w @ pairs / w.sum()) / (2 * mean * (1 - mean))

    step = 1e-6
    influence = [
        (correlation(weights + step * one) - correlation(weights - step * one)) / (2 * step) for one in np.eye(43)
    ]
    total = weights.sum()
    variance = total / (total - 1) * float(weights @ np.square(influence))
    centre = correlation(weights)
    reach = stats.t.ppf(0.975, 39) * math.sqrt(variance) / (1 - centre**2)
    ends = only(reliability_of(table(grid))).consistency
    assert ends.low == pytest.approx(math.tanh(math.atanh(centre) - reach), rel=1e-6)
    assert ends.high == pytest.approx(math.tanh(math.atanh(centre) + reach), rel=1e-6)


def test_the_text_shows_the_interval_of_consistency_and_warns_before_the_numbers():
    rng = np.random.default_rng(3)
    grid = rng.normal(size=(60, 1)) + np.exp(0.8 * rng.normal(size=(60, 1))) * rng.normal(size=(60, 4))
    scale = Scale.of([0.5, 0.25, 1.75], kind="continuous")
    found = reliability_of(ResponseTable(np.arange(60).astype(str), {"m": Responses.from_grid(grid)}, scale))
    shown = str(found)
    assert re.search(r"the rest between runs of the same item: ICC 0\.\d+ \(95% CI 0\.\d+ to 0\.\d+\)\.", shown)
    assert shown.index("covers 90% to 93% instead of 95%") < shown.index("┏")


def test_a_note_says_where_the_interval_of_consistency_is_too_short():
    rng = np.random.default_rng(3)
    item, noise = rng.normal(size=(60, 1)), rng.normal(size=(60, 4))
    scale = Scale.of([0.5, 0.25, 1.75], kind="continuous")

    def notes(grid):
        made = ResponseTable(np.arange(60).astype(str), {"m": Responses.from_grid(grid)}, scale)
        return " ".join(reliability_of(made).notes)

    assert "covers 90% to 93% instead of 95%" in notes(item + np.exp(0.8 * rng.normal(size=(60, 1))) * noise)
    assert "covers" not in notes(item + noise)


def test_consistency_covers_in_normal_runs():
    rng = np.random.default_rng(5)
    scale = Scale.of([0.5, 0.25, 1.75], kind="continuous")
    covered = 0
    for _ in range(REPLICATIONS):
        grid = rng.normal(size=(20, 1)) + rng.normal(size=(20, 3))
        made = ResponseTable(np.arange(20).astype(str), {"m": Responses.from_grid(grid)}, scale)
        covered += 0.5 in only(reliability_of(made)).consistency
    low, high = stats.binom.ppf([0.0005, 0.9995], REPLICATIONS, 0.95)
    assert low <= covered <= high


def test_labels_of_two_categories_are_right_or_wrong_against_gold():
    """0 and 1 are numbers, too: a distance of 1 from gold is wrong, not right."""
    grid = [[1.0, 1.0], [0.0, 0.0], [1.0, 0.0]]
    found = reliability_of(table(grid, gold=[[1.0], [0.0], [0.0]]), gold="gold")
    one = only(found)
    assert found.right_or_wrong
    assert (one.always, one.sometimes, one.never) == (pytest.approx(2 / 3), pytest.approx(1 / 3), 0)
    assert one.score == pytest.approx(5 / 6)


def test_flips_name_the_items_harm_first():
    grid, other = [[1.0, 1.0], [0.0, 0.0], [1.0, 1.0]], [[0.0, 0.0], [1.0, 1.0], [1.0, 1.0]]
    found = reliability_of(table(grid, new=other))
    assert found.flips.items == (("i0", 1.0, 0.0), ("i1", 0.0, 1.0))
    assert (found.flips.harmful, found.flips.beneficial, found.flips.by_chance) == (
        pytest.approx(1 / 3),
        pytest.approx(1 / 3),
        0,
    )
    assert "From m to new: 33% of the items flip from right to wrong, 33% from wrong to right." in str(found)


def sentences(found):
    return [block.text for block in found.document().blocks if isinstance(block, Sentence)]


def test_sentences_say_what_is_unstable_what_is_noise_and_what_helps():
    said = sentences(reliability_of(table([[1, 1, 0, 1], [0, 0, 0, 0], [1, 1, 1, 1], [1, 0, 0, 0]])))
    unstable, consistency = said[0].split(". ")
    assert unstable == "m: 50% of the items are unstable, right in some runs and wrong in others"
    assert consistency.startswith("Consistency of single runs: ICC 0.5")
    assert said[1].startswith("Two single runs of m on these items differ by up to 0.")
    assert "runs per item are enough: further runs would reduce the standard error" in said[2]
    # "7 runs are enough" stood beside a plan that finds one run cheapest: this is for the given items, that is not.
    assert said[2].startswith("For these 4 items, ")
    assert said[2].endswith("Where items can be added, howsure plan says whether more items or more runs cost less.")
    assert all(len(part.split()) <= 25 for line in said for part in line.split(". "))


def test_runs_that_never_differ_need_no_others():
    said = sentences(reliability_of(table([[1, 1], [0, 0], [1, 1]])))
    assert said == ["m: the runs of an item never differ. One run per item is enough."]
    same = only(reliability_of(table([[1, 1], [1, 1]])))
    assert math.isnan(same.consistency_estimate)
    assert math.isnan(same.consistency.low)
    assert same.enough_runs == 1


def test_items_that_do_not_differ_are_worth_as_much_as_runs():
    one = only(reliability_of(table([[1, 0], [0, 1], [1, 0]])))
    assert one.between == 0
    assert one.enough_runs is None
    assert sentences(reliability_of(table([[1, 0], [0, 1], [1, 0]])))[-1].startswith("Items hardly differ")


def test_scores_against_numbers_are_distances_and_said_to_be():
    found = howsure.reliability(examples.ratings(30), gold="human")
    assert not found.right_or_wrong
    assert any("mean distance from the mean label of human" in note for note in found.notes)


def test_written_and_read_again_it_is_the_same():
    found = reliability_of(table([[1, 1, 0], [0, 0, 1], [1, 1, 1]], new=np.eye(3)))
    assert Reliability.from_dict(json.loads(_json.dumps(found.to_dict()))) == found
    assert found.to_frame()["name"].to_list() == ["m", "new"]


def labelled(grid):
    made = table(grid)
    return ResponseTable(made.items, made.sources, Scale.of([0.0, 1.0], kind="nominal"))


@pytest.mark.parametrize(
    ("data", "options", "error", "said"),
    [
        (table([[1.0], [0.0]]), {}, DataError, "m has one run. `howsure score` gives its score"),
        (table([[1.0, 0.0]]), {}, DataError, "needs at least two items; m has one"),
        (labelled([[1.0, 0.0], [0.0, 0.0]]), {}, ArgumentError, "name the right ones with `gold`"),
        (table([[1.0, 0.0], [1.0, 1.0]]), {"gold": "m"}, DataError, "the data hold gold only"),
        (table([[1.0, 0.0], [1.0, 1.0]]), {"gold": "m", "models": ["m"]}, ArgumentError, "cannot be a model too"),
        (table([[1.0, 0.0], [1.0, 1.0]]), {"gold": "x"}, DataError, "no source is called 'x'; the table has m"),
        (table([[1.0, 0.0], [1.0, 1.0]]), {"models": ["x"]}, DataError, "no source is called 'x'; the table has m"),
    ],
)
def test_what_has_no_answer_is_refused_in_one_line(data, options, error, said):
    with pytest.raises(error, match=said):
        reliability_of(data, **options)


def test_two_models_without_an_item_in_common_are_refused():
    nothing = [np.nan, np.nan]
    apart = table([[1.0, 0.0], [1.0, 0.0], nothing, nothing], new=[nothing, nothing, [1.0, 1.0], [0.0, 0.0]])
    with pytest.raises(DataError, match="m and new have no item in common"):
        reliability_of(apart)
