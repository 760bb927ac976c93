"""Several advantages judged together: known answers, laws, and the level under true nulls."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.errors import ArgumentError
from howsure.inference import adjust, binomial_region
from howsure.inference.pvalues import tail_pvalue
from howsure.inference.simultaneous import (
    adjust_pairs,
    adjust_stepdown,
    groups_alike,
    joint_level,
    rank_sets,
    tail_pairs,
)
from howsure.leaderboards.pairs import column_ratios, pair_maxima
from howsure.leaderboards.units import BoardUnits


def stepdown_by_definition(observed, null, exact):
    """Westfall and Young's algorithm as it is written."""
    order = np.argsort(-observed, kind="stable")
    extra = 0 if exact else 1
    adjusted, last = np.empty(observed.size), 0.0
    for place, question in enumerate(order):
        largest = null[:, order[place:]].max(axis=1)
        share = (np.count_nonzero(largest >= observed[question] - 1e-12) + extra) / (null.shape[0] + extra)
        last = adjusted[question] = max(last, share)
    return adjusted


@given(st.integers(0, 10**6), st.integers(1, 7), st.booleans())
def test_stepdown_is_westfall_and_youngs_algorithm(seed, n_questions, exact):
    rng = np.random.default_rng(seed)
    null = np.abs(rng.normal(size=(700, n_questions)) + rng.normal(size=(700, 1)))
    observed = np.abs(rng.normal(size=n_questions)) * 2
    found = adjust_stepdown(observed, null, exact=exact)
    assert np.allclose(found, stepdown_by_definition(observed, null, exact))


@given(st.integers(0, 10**6))
def test_stepdown_follows_its_questions(seed):
    rng = np.random.default_rng(seed)
    null, observed = np.abs(rng.normal(size=(300, 5))), np.abs(rng.normal(size=5)) * 2
    order = rng.permutation(5)
    assert (adjust_stepdown(observed, null)[order] == adjust_stepdown(observed[order], null[:, order])).all()


def test_only_the_order_of_the_statistics_matters():
    rng = np.random.default_rng(7)
    null, observed = np.abs(rng.normal(size=(300, 3))), np.array([2.0, 1.0, 1.5])
    assert (adjust_stepdown(observed - 9, null - 9) == adjust_stepdown(observed, null)).all()


def test_one_question_needs_no_adjustment_and_copies_cost_nothing():
    null = np.abs(np.random.default_rng(1).normal(size=(999, 1)))
    alone = adjust_stepdown([2.0], null)
    assert alone[0] == tail_pvalue(2.0, null[:, 0], alternative="greater").pvalue
    assert (adjust_stepdown([2.0, 2.0, 2.0], np.repeat(null, 3, axis=1)) == alone[0]).all()


def test_stepdown_is_never_beyond_holm():
    rng = np.random.default_rng(2)
    one = np.abs(rng.normal(size=20_000))
    null = np.stack([rng.permutation(one) for _ in range(6)], axis=1)
    observed = np.array([3.5, 2.9, 2.4, 1.8, 1.1, 0.2])
    pvalues = [(np.count_nonzero(null[:, i] >= observed[i]) + 1) / 20_001 for i in range(6)]
    assert (adjust_stepdown(observed, null) <= adjust(pvalues) + 1e-12).all()


def test_an_undefined_statistic_stays_undefined_and_costs_nothing():
    null = np.abs(np.random.default_rng(3).normal(size=(500, 3)))
    found = adjust_stepdown([2.0, np.nan, 1.0], null)
    assert np.isnan(found[1])
    assert (found[[0, 2]] == adjust_stepdown([2.0, 1.0], null[:, [0, 2]])).all()


def test_draws_of_another_shape_are_refused():
    with pytest.raises(ArgumentError, match=r"draws × 2"):
        adjust_stepdown([1.0, 2.0], np.ones((5, 3)))


@given(st.integers(0, 10**6), st.integers(2, 6))
def test_pairs_are_differences_of_sums(seed, m):
    rng = np.random.default_rng(seed)
    sums = np.round(rng.normal(size=(m, 600)), 1)  # ties
    first, second = np.triu_indices(m, 1)
    observed = np.round(rng.normal(size=first.size), 1)
    draws = sums[first] - sums[second]
    expected = [tail_pvalue(o, row).pvalue for o, row in zip(observed, draws, strict=True)]
    assert np.allclose(tail_pairs(observed, sums, first=first, second=second), expected)
    scale = rng.uniform(0.5, 2, first.size)
    found = adjust_pairs(np.abs(observed) * scale, sums, first=first, second=second, scale=scale)
    assert np.allclose(found, stepdown_by_definition(np.abs(observed) * scale, np.abs(draws.T) * scale, False))


def twin_of_pair_maxima(rests, shares, starts, weights):
    """Every draw taken out and counted by hand: strata, clusters of different size, ratio of sums."""
    m, stops = rests.shape[1], [*starts[1:], rests.shape[0]]
    out = np.full((weights.shape[0], m), np.nan)
    for d, w in enumerate(weights):
        moved, covariance = np.zeros(m), np.zeros((m, m))
        for start, stop in zip(starts, stops, strict=True):
            y, z, n = rests[start:stop], shares[start:stop], stop - start
            taken = np.repeat(np.arange(n), w[start:stop])
            factor = z.sum() / z[taken].sum()
            mean = y[taken].sum(axis=0) * factor
            rest = (y[taken] - np.outer(z[taken], y[taken].sum(axis=0) / z[taken].sum())) * factor
            moved += mean
            covariance += n / (n - 1) * rest.T @ rest
        for j, k in itertools.permutations(range(m), 2):
            error = np.sqrt(covariance[j, j] + covariance[k, k] - 2 * covariance[j, k])
            out[d, j] = np.fmax(out[d, j], abs(moved[j] - moved[k]) / error)
    return out


@pytest.mark.parametrize("strata", [[0], [0, 9, 14]])
@pytest.mark.parametrize("equal", [True, False])
@pytest.mark.parametrize("m", [4, 8, 17])
def test_studentised_maxima_are_those_of_the_drawn_units(strata, equal, m):
    rng = np.random.default_rng(4)
    n, starts = 23, np.array(strata)
    shares = np.full(n, 1 / n) if equal else rng.uniform(0.5, 2, n) / n
    rests = rng.normal(size=(n, m))
    weights = np.concatenate(
        [rng.multinomial(stop - start, np.full(stop - start, 1 / (stop - start)), size=40)
         for start, stop in zip(starts, [*starts[1:], n], strict=True)], axis=1, dtype=np.uint8, casting="unsafe",
    )  # fmt: skip
    names = tuple("abcdefghijklmnopqrstuvwxyz"[:m])
    units = BoardUnits(names, rests, shares, starts, rests.sum(axis=0))
    least = np.zeros((m, m))
    found = pair_maxima(rests, units, weights, least)
    assert np.allclose(found, twin_of_pair_maxima(rests, shares, starts, weights))
    against_last = rests[:, :-1] - rests[:, [-1]]
    moves, ratios = column_ratios(against_last, units, weights, np.zeros(m - 1))
    assert np.allclose(np.abs(ratios).max(axis=1), found[:, -1])
    assert np.allclose(moves[:, 0] / ratios[:, 0], np.abs(moves[:, 0] / ratios[:, 0]))
    least[0, 1:] = least[1:, 0] = np.inf
    assert np.isnan(pair_maxima(rests, units, weights, least)[:, 0]).all()


def test_the_joint_level_of_independent_questions_is_sidaks():
    draws = np.abs(np.random.default_rng(5).normal(size=(40_000, 5)))
    spread = np.sqrt(0.05 * 0.95 / 40_000)
    single = joint_level(draws)
    assert abs(single**5 - 0.95) < 4 * spread * 1.5
    assert joint_level(draws * [1, 10, 100, 1, 1]) == single  # units do not matter
    assert joint_level(draws[:, :1]) == pytest.approx(0.95, abs=1e-4)


def test_rank_sets_hold_the_ranks_of_a_known_order():
    above = np.triu(np.ones((5, 5), dtype=bool), 1)
    sets = rank_sets(above)
    assert sets.low.tolist() == sets.high.tolist() == [1, 2, 3, 4, 5]
    assert sets.may_be_first.tolist() == [True, False, False, False, False]
    nothing = rank_sets(np.zeros((5, 5), dtype=bool))
    assert (nothing.low == 1).all()
    assert (nothing.high == 5).all()


def groups_by_definition(apart):
    m = len(apart)
    fits = [
        set(group)
        for size in range(1, m + 1)
        for group in itertools.combinations(range(m), size)
        if not any(apart[j][k] for j, k in itertools.combinations(group, 2))
    ]
    return {frozenset(group) for group in fits if not any(group < other for other in fits)}


@given(st.integers(0, 10**6), st.integers(1, 7))
def test_groups_are_all_maximal_cliques(seed, m):
    rng = np.random.default_rng(seed)
    apart = np.triu(rng.random((m, m)) < 0.5, 1)
    apart |= apart.T
    found, complete = groups_alike(apart)
    assert complete
    assert {frozenset(group) for group in found} == groups_by_definition(apart)
    assert len(found) == len(set(found))


def test_two_thousand_models_that_nothing_tells_apart_are_one_group():
    found, complete = groups_alike(np.zeros((2000, 2000), dtype=bool))
    assert complete
    assert [len(group) for group in found] == [2000]


def test_too_many_groups_stop_the_search():
    apart = np.zeros((30, 30), dtype=bool)  # ten threesomes of strangers: 3¹⁰ maximal groups
    for start in range(0, 30, 3):
        apart[start : start + 3, start : start + 3] = ~np.eye(3, dtype=bool)
    found, complete = groups_alike(apart)
    assert not complete
    assert len(found) == 1000


def test_stepdown_holds_its_level_where_some_nulls_are_false():
    """Sign flips of 30 items, 6 models of which 4 are alike: a false finding in at most 5% of 1,000 data sets."""
    rng = np.random.default_rng(6)
    first, second = np.triu_indices(6, 1)
    null = (first < 4) & (second < 4)
    n_sets, wrong = 1000, 0
    for _ in range(n_sets):
        items = rng.normal(size=(30, 6)) + np.array([0, 0, 0, 0, 1.5, 3.0]) + rng.normal(size=(30, 1))
        signs = rng.choice([-1.0, 1.0], size=(499, 30))
        scale = 1 / np.sqrt(np.square(items[:, first] - items[:, second]).sum(axis=0))
        statistics = np.abs((items[:, first] - items[:, second]).sum(axis=0)) * scale
        found = adjust_pairs(statistics, (signs @ items).T, first=first, second=second, scale=scale)
        wrong += bool((found[null] <= 0.05).any())
    assert wrong <= binomial_region(n_sets, 0.05).high


def test_tails_of_ties_reach_equally_far():
    """The plain way: a draw's tail is the share of draws at least as large."""
    values = np.abs(np.random.default_rng(4).normal(size=(40, 3))).round(1)
    values[::7, 1], values[3, 2] = np.nan, np.inf
    with np.errstate(invalid="ignore"):
        shares = [(column[:, None] <= column).sum(axis=1) / (~np.isnan(column)).sum() for column in values.T]
    smallest = np.where(np.isnan(values.T), np.inf, shares).min(axis=0)
    assert joint_level(values) == min(1 - np.quantile(smallest, 0.05, method="lower"), 1 - 1 / 40)
