"""How many rows or resamples of score lists come at once, and on how many threads, changes nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.paired import PairedScores, _kernels, difference_rows, power_curve, significance_test
from howsure.paired.catalogue import TESTS
from howsure.paired.difference_rows import Hypothesis, Resamples, Sample
from howsure.paired.ranks import _rank_sum_distribution

SEED = np.random.SeedSequence(7)


@given(st.lists(st.integers(0, 30), min_size=1, max_size=40))
def test_sums_of_coins_are_those_of_the_plain_loop(ranks):
    out = np.full(sum(ranks) + 1, np.nan)
    _kernels.sums_of_coins(np.array(ranks), out)
    expected = np.zeros(sum(ranks) + 1)
    expected[0] = 1.0
    for rank in ranks:
        moved = np.zeros_like(expected)
        moved[rank:] = expected[: expected.size - rank]
        expected = (expected + moved) / 2
    assert out.tobytes() == expected.tobytes()
    np.testing.assert_array_equal(_rank_sum_distribution(tuple(ranks)), np.minimum(1.0, np.cumsum(expected)))


@pytest.mark.parametrize("n", [9, 20, 61])
@pytest.mark.parametrize("name", TESTS)
def test_rows_are_tested_as_each_alone(name, n):
    rng = np.random.default_rng(n)
    rows = np.round(rng.normal(0.3, 1, size=(12, n)), 1)
    rows[3] = 0.0
    rows[4] = np.abs(rows[4])
    draws = Resamples(SEED, 150)

    def pvalues(rows):
        with np.errstate(all="ignore"):
            return TESTS[name].run(Sample.independent(rows), Hypothesis(interval=False), draws).pvalue

    together, alone = pvalues(rows), [pvalues(row[np.newaxis]) for row in rows]
    np.testing.assert_array_equal(together, np.concatenate(alone))


@pytest.mark.parametrize("name", ["bootstrap", "permutation", "wilcoxon", "permutation-median"])
def test_compiled_loops_and_threads_change_no_bit(name, monkeypatch):
    rng = np.random.default_rng(1)
    scores = PairedScores.from_arrays(np.round(rng.normal(0.2, 1, 40), 1), np.zeros(40))
    found = []
    for compiled, workers in ((False, 1), (True, 1), (True, 3)):
        monkeypatch.setattr("howsure.paired.ranks.pays", lambda _, compiled=compiled: compiled)
        _rank_sum_distribution.cache_clear()
        test = significance_test(scores, test=name, n_resamples=5000, rng=1, workers=workers)
        curve = power_curve(
            scores, test=name, sizes=[10, 41], n_simulations=300, n_resamples=99, rng=1, workers=workers
        )
        found.append((test.to_dict(), curve.to_dict()))
    assert found[0] == found[1] == found[2]


def test_smaller_parts_give_the_same_draws(monkeypatch):
    one = Resamples(SEED, 1000).counts(lambda weights: weights.T, 30, "x")
    monkeypatch.setattr(difference_rows, "AT_ONCE", 64 * 30)
    assert one.tobytes() == Resamples(SEED, 1000).counts(lambda weights: weights.T, 30, "x").tobytes()
    assert one.shape == (30, 1000)
    assert (one.sum(axis=0) == 30).all()
