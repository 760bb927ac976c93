"""Unequal numbers of runs: known answers, laws, and that equally good models are called equal."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure import Contest
from howsure.comparison import compare, compare_each
from howsure.data.responses import Responses
from howsure.data.scales import Scale
from howsure.inference import binomial_region
from howsure.metrics import BUILTIN
from howsure.metrics.equal_runs import EqualRuns, fair, subsets
from howsure.resampling import summaries_of

NUMBERS = Scale("continuous")


def drawn(rng, n, of_a, of_b, better=0.0):
    gold = rng.normal(size=(n, 1))
    return Contest.from_arrays(
        gold, gold + (0.6 - better) * rng.normal(size=(n, of_a)), gold + 0.6 * rng.normal(size=(n, of_b))
    )


@pytest.mark.parametrize(("n", "k"), [(5, 3), (7, 1), (6, 5)])
def test_squared_errors_have_a_closed_form(n, k):
    # The mean over subsets of k of n of (mean − gold)² is (mean − gold)² + s² (1/k − 1/n).
    rng = np.random.default_rng(n)
    gold, many, few = rng.normal(size=(20, 1)), rng.normal(size=(20, n)), rng.normal(size=(20, k))
    found, other = EqualRuns(BUILTIN["mse"], NUMBERS).scores_by_item(gold, many, few)
    expected = np.square(many.mean(axis=1) - gold[:, 0]) + many.var(axis=1, ddof=1) * (1 / k - 1 / n)
    np.testing.assert_allclose(found, expected)
    np.testing.assert_allclose(other, np.square(few.mean(axis=1) - gold[:, 0]))


@pytest.mark.parametrize("name", ["mae", "mse", "accuracy", "tv", "wins"])
def test_equally_many_runs_change_nothing(name):
    rng = np.random.default_rng(1)
    contest = Contest.from_arrays(*rng.integers(0, 3, (3, 30, 4)).astype(float), scale="ordinal")
    metric = BUILTIN[name].on(contest.scale)
    plain = metric.item_advantages(*summaries_of(contest, metric.needs))
    wrapped = EqualRuns(metric, contest.scale)
    np.testing.assert_allclose(wrapped.item_advantages(*summaries_of(contest, "values")), plain)
    np.testing.assert_allclose(
        wrapped.scores(*summaries_of(contest, "values")), metric.scores(*summaries_of(contest, metric.needs))
    )


@given(st.integers(0, 2**32), st.sampled_from(["mae", "mse", "wins"]))
def test_neither_the_order_of_runs_nor_that_of_items_matters(seed, name):
    rng = np.random.default_rng(seed)
    gold, a, b = rng.normal(size=(6, 2)), rng.normal(size=(6, 5)), rng.normal(size=(6, 3))
    metric = EqualRuns(BUILTIN[name].on(NUMBERS), NUMBERS)
    found = metric.item_advantages(gold, a, b)
    np.testing.assert_allclose(metric.item_advantages(gold, rng.permuted(a, axis=1), b), found, atol=1e-12)
    order = rng.permutation(6)
    np.testing.assert_allclose(metric.item_advantages(gold[order], a[order], b[order]), found[order])
    np.testing.assert_allclose(metric.item_advantages(gold, b, a), -found)
    stacked = metric.item_advantages(*(np.stack([side, side[order]]) for side in (gold, a, b)))
    np.testing.assert_allclose(stacked, np.stack([found, found[order]]))


def test_of_many_subsets_a_fixed_sample_is_taken():
    assert len(subsets(20, 10)) == 64
    np.testing.assert_array_equal(subsets(20, 10), subsets(20, 10))
    assert all(len(set(row)) == 10 for row in subsets(20, 10).tolist())


def test_a_majority_vote_gives_way_to_single_runs_where_models_typically_have_unequally_many():
    rng = np.random.default_rng(2)
    gold, a, b = (rng.choice(["x", "y", "z"], (40, k)) for k in (1, 5, 3))
    found = compare(Contest.from_arrays(gold, a, b), metric="accuracy", rng=0)
    assert found.metric == "accuracy-responses"
    assert found.title == "accuracy"
    assert found.a_score == pytest.approx((a == gold).mean())
    assert any(note.startswith("A has 5 runs per item, B 3: each run counts by itself.") for note in found.notes)
    ragged = Responses(np.zeros(12), np.array([0, 3, 6, 9, 12])), Responses(np.zeros(11), np.array([0, 3, 6, 8, 11]))
    contest = Contest(
        Responses(np.zeros(4), np.arange(5)), *ragged, Scale("nominal", (0.0, 1.0), ("x", "y")), np.arange(4)
    )
    assert fair(BUILTIN["accuracy"], contest).name == "accuracy"  # a run that failed here and there


def test_metrics_with_and_without_item_scores_keep_their_order():
    contest = drawn(np.random.default_rng(3), 40, 5, 2)
    found = compare_each(contest, metrics=["spearman", "mae", "rmse", "mse"], rng=0)
    assert [entry.metric for entry in found] == ["spearman", "mae", "rmse", "mse"]
    both = "A has 5 runs per item, B 2: both are scored as if they had 2."
    first = "A has 5 runs per item, B 2: as many runs of A as of B are compared, chosen at random."
    assert [any(note.startswith(both) for note in entry.notes) for entry in found] == [False, True, False, True]
    assert [first in entry.notes for entry in found] == [True, False, True, False]
    assert [entry.n_responses["a"] for entry in found] == [2, 5, 2, 5]


def test_equally_good_models_are_equal_whatever_their_numbers_of_runs():
    # Means of 5 runs against single runs: 18 to 64% of true nulls are rejected without equal numbers.
    rng, n_data_sets = np.random.default_rng(4), 1000
    names = ["mae", "mse", "wins", "spearman"]
    rejected = np.zeros(len(names))
    for number in range(n_data_sets):
        found = compare_each(
            drawn(rng, 40, 5, 1), metrics=names, correction="none", n_resamples=199, rng=number, workers=1
        )
        rejected += [entry.pvalue <= 0.05 for entry in found]
    region = binomial_region(n_data_sets, 0.05, confidence_level=0.99)
    assert all(count <= region.high for count in rejected), rejected
    assert all(count >= region.low for count in rejected[:2]), rejected


def test_equally_good_labellers_are_equal_whatever_their_numbers_of_runs():
    rng, n_data_sets, names = np.random.default_rng(5), 1000, ["accuracy", "tv"]
    rejected = np.zeros(2)
    for number in range(n_data_sets):
        shares = rng.dirichlet([0.8, 0.6, 0.5], 40).cumsum(axis=1)
        gold, a, b = ((rng.random((40, k, 1)) > shares[:, np.newaxis]).sum(axis=2) for k in (1, 5, 3))
        contest = Contest.from_arrays(gold.astype(float), a.astype(float), b.astype(float), scale="nominal")
        found = compare_each(contest, metrics=names, correction="none", n_resamples=199, rng=number, workers=1)
        rejected += [entry.pvalue <= 0.05 for entry in found]
    region = binomial_region(n_data_sets, 0.05, confidence_level=0.99)
    assert all(region.low <= count <= region.high for count in rejected), rejected


def test_more_runs_still_find_a_better_model():
    rng = np.random.default_rng(6)
    found = sum(
        compare(drawn(rng, 60, 5, 2, better=0.25), metric="mae", rng=0, n_resamples=199).pvalue <= 0.05
        for _ in range(50)
    )
    assert found > 40
