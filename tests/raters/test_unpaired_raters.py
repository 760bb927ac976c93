"""Random raters where other raters judged A's outputs than B's: the error of the advantage."""

import numpy as np
import pytest

from howsure import Contest, Responses, compare
from howsure.data.scales import Scale
from howsure.inference import binomial_region
from howsure.metrics import resolve
from howsure.raters.advantage_error import rater_error
from howsure.raters.components import two_way
from howsure.resampling import cell_table

RATING = resolve("rating")


def contest_of(of_a, of_b, grid_a, grid_b, document=None):
    groups = {} if document is None else {"document": document.astype(str)}
    a, b = Responses.from_grid(grid_a, of_a), Responses.from_grid(grid_b, of_b)
    return Contest(None, a, b, Scale("continuous"), np.arange(len(of_a)).astype(str), ("", "A", "B"), groups)


def study(rng, n_items, n_raters, per_output, *, shared=0.0, of_items=0.5, severity=0.5, taste=0.4, loads=None):
    """Return two equally good models; of a share of the items the same raters judge both outputs."""
    chance = np.ones(n_raters) if loads is None else loads
    keys = np.log(chance) + rng.gumbel(size=(2, n_items, n_raters))
    of_a, of_b = np.argsort(-keys, axis=2)[:, :, :per_output]
    of_b = np.where((np.arange(n_items) < shared * n_items)[:, np.newaxis], of_a, of_b)
    item, strictness = rng.normal(size=(n_items, 1)), severity * rng.normal(size=n_raters)
    grids = [
        item
        + of_items * rng.normal(size=(n_items, 1))
        + (strictness + taste * rng.normal(size=n_raters))[raters]
        + 0.7 * rng.normal(size=raters.shape)
        for raters in (of_a, of_b)
    ]
    return contest_of(of_a, of_b, *grids)


def error_of(contest, clusters=None):
    none = np.zeros(1)
    return rater_error(contest, RATING, both=none, raters=none, clusters=clusters).error


def advantage_of(contest):
    return float(contest.a.values.mean() - contest.b.values.mean())


DESIGNS = {
    "300 × 6": {"n_items": 300, "n_raters": 6, "per_output": 1},
    "60 × 5, two per output": {"n_items": 60, "n_raters": 5, "per_output": 2},
    "half of the cells shared": {"n_items": 60, "n_raters": 5, "per_output": 2, "shared": 0.5},
    "unequal loads": {"n_items": 150, "n_raters": 8, "per_output": 2, "loads": 1 / np.arange(1.0, 9)},
}


@pytest.mark.parametrize("name", DESIGNS)
def test_equal_models_are_called_different_in_five_of_a_hundred_studies(name):
    rng, n = np.random.default_rng(51), 400
    rejected = 0
    for _ in range(n):
        contest = study(rng, **DESIGNS[name])
        rejected += abs(advantage_of(contest)) > error_of(contest).half_width(0.025)
    assert rejected <= binomial_region(n, 0.05).high


def test_compare_holds_its_level_where_each_output_has_its_own_rater():
    rng, n = np.random.default_rng(52), 150
    pvalues = [compare(study(rng, 300, 6, 1), n_resamples=99).pvalue for _ in range(n)]
    assert sum(p <= 0.05 for p in pvalues) <= binomial_region(n, 0.05).high


@pytest.mark.parametrize("name", DESIGNS)
def test_the_estimated_variance_is_the_true_one(name):
    rng = np.random.default_rng(53)
    contests = [study(rng, **DESIGNS[name]) for _ in range(600)]
    estimated = np.mean([error_of(contest).variance for contest in contests])
    true = np.var([advantage_of(contest) for contest in contests])
    # The variance of 600 advantages is known to a factor of 1 ± 2 √(2/600); the estimate may be a little too large.
    assert 0.88 < estimated / true < 1.3


def test_one_rater_of_each_output_and_no_items_is_the_t_test_of_two_samples_of_raters():
    # Five raters judge all of A's outputs, five others all of B's; items differ by nothing. What is left is Welch's
    # test of the means of five and five raters.
    rng = np.random.default_rng(54)
    of_a, of_b = np.tile(np.arange(5), (40, 1)), np.tile(np.arange(5, 10), (40, 1))
    effects = rng.normal(size=10)
    grids = [effects[ids] + 1e-6 * rng.normal(size=ids.shape) for ids in (of_a, of_b)]
    error = error_of(contest_of(of_a, of_b, *grids))
    welch = effects[:5].var(ddof=1) / 5 + effects[5:].var(ddof=1) / 5
    assert error.variance == pytest.approx(welch, rel=1e-4)
    assert error.df == pytest.approx(8, rel=0.02)


def test_swapping_the_models_and_renaming_raters_and_items_changes_no_error():
    rng = np.random.default_rng(55)
    contest = study(rng, 30, 6, 2, shared=0.3)
    error = error_of(contest)
    swapped = Contest(None, contest.b, contest.a, contest.scale, contest.items, ("", "B", "A"))
    assert error_of(swapped).variance == pytest.approx(error.variance, rel=1e-9)

    new_name, new_place = rng.permutation(6), rng.permutation(30)
    sides = []
    for side in (contest.a, contest.b):
        grid, ids = np.empty((30, 2)), np.empty((30, 2), dtype=int)
        grid[new_place], ids[new_place] = side.values.reshape(30, 2), new_name[side.raters.reshape(30, 2)]
        sides.append((ids, grid))
    (of_a, a), (of_b, b) = sides
    assert error_of(contest_of(of_a, of_b, a, b)).variance == pytest.approx(error.variance, rel=1e-9)


def test_the_same_raters_for_both_models_have_the_two_way_table_as_before():
    rng = np.random.default_rng(56)
    contest = study(rng, 40, 6, 3, shared=1.0)
    table = cell_table(contest, RATING)
    assert table.sides is None
    expected = two_way(table.values, items=table.items, raters=table.raters, weights=table.weights, best=True)
    assert error_of(contest) == expected.error


def test_a_model_that_one_rater_judged_has_the_error_of_that_rater_too():
    rng = np.random.default_rng(57)
    of_a, of_b = np.arange(60)[:, np.newaxis] % 5, np.full((60, 1), 5)
    variances, advantages = [], []
    for _ in range(400):
        effects, item = rng.normal(size=6), rng.normal(size=(60, 1))
        grids = [item + effects[ids] + 0.7 * rng.normal(size=ids.shape) for ids in (of_a, of_b)]
        contest = contest_of(of_a, of_b, *grids)
        variances.append(error_of(contest).variance)
        advantages.append(advantage_of(contest))
    assert 0.85 < np.mean(variances) / np.var(advantages) < 1.2


def test_clusters_of_items_hold_their_level_with_unpaired_raters():
    rng, n = np.random.default_rng(58), 300
    documents, rejected = np.repeat(np.arange(20), 5), 0
    for _ in range(n):
        contest = study(rng, 100, 6, 1)
        moved = 0.5 * rng.normal(size=20)[documents, np.newaxis]
        grid = contest.a.values.reshape(100, 1) + moved
        ids_a, ids_b = (side.raters.reshape(100, 1) for side in (contest.a, contest.b))
        contest = contest_of(ids_a, ids_b, grid, contest.b.values.reshape(100, 1), documents)
        rejected += abs(advantage_of(contest)) > error_of(contest, documents).half_width(0.025)
    assert rejected <= binomial_region(n, 0.05).high
