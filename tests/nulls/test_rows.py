"""How many rows or resamples of score lists come at once, and on how many threads, changes nothing."""

import numpy as np
import pytest

from howsure.nulls import SCORE_TESTS, Hypothesis, Resamples, Units
from howsure.paired import PairedScores, power_curve, significance_test

SEED = np.random.SeedSequence(7)


@pytest.mark.parametrize("n", [9, 20, 61])
@pytest.mark.parametrize("name", SCORE_TESTS)
def test_rows_are_tested_as_each_alone(name, n):
    rng = np.random.default_rng(n)
    rows = np.round(rng.normal(0.3, 1, size=(12, n)), 1)
    rows[3] = 0.0
    rows[4] = np.abs(rows[4])
    draws = Resamples(SEED, 150)

    def pvalues(rows):
        with np.errstate(all="ignore"):
            return SCORE_TESTS[name].run(Units.independent(rows), Hypothesis(interval=False), draws).pvalue

    together, alone = pvalues(rows), [pvalues(row[np.newaxis]) for row in rows]
    np.testing.assert_array_equal(together, np.concatenate(alone))


@pytest.mark.parametrize("name", ["bootstrap", "permutation", "wilcoxon", "permutation-median"])
def test_threads_change_no_bit(name):
    rng = np.random.default_rng(1)
    scores = PairedScores.from_arrays(np.round(rng.normal(0.2, 1, 40), 1), np.zeros(40))
    found = []
    for workers in (1, 3):
        test = significance_test(scores, test=name, n_resamples=5000, rng=1, workers=workers)
        how = {"sizes": [10, 41], "n_simulations": 300, "n_resamples": 99, "rng": 1, "workers": workers}
        found.append((test.to_dict(), power_curve(scores, test=name, **how).to_dict()))
    assert found[0] == found[1]


def test_samples_do_not_depend_on_the_order_of_items():
    rng = np.random.default_rng(2)
    rows, clusters = rng.normal(size=(3, 20)), rng.integers(0, 6, 20)
    order = rng.permutation(20)
    for groups in (None, clusters):
        one, other = Units.of(rows, groups), Units.of(rows[:, order], None if groups is None else groups[order])
        np.testing.assert_allclose(one.sums, other.sums, rtol=0, atol=1e-15)
        np.testing.assert_array_equal(one.sizes, other.sizes)
        alone = Units.of(rows[[1]], groups)
        np.testing.assert_array_equal(alone.sums, one.sums[[1]])


@pytest.mark.parametrize("test", SCORE_TESTS.values(), ids=SCORE_TESTS)
def test_what_a_test_cannot_reject_it_does_not_reject(test):
    clear = Units.of(np.linspace(1, 2, 6)[np.newaxis])
    for tail in (0.5**6, 0.4**6):
        found = test.run(clear, Hypothesis("greater"), Resamples(SEED, 9999)).pvalue[0]
        assert test.can_reject(6, tail) or found > tail


@pytest.mark.parametrize("test", [test for test in SCORE_TESTS.values() if not test.resamples], ids=repr)
def test_tests_that_draw_nothing_need_no_resamples(test):
    sample = Units.of(np.linspace(-1, 2, 9)[np.newaxis])
    alone, given = (test.run(sample, Hypothesis(), *draws) for draws in ((), (Resamples(SEED),)))
    assert alone.pvalue == given.pvalue
    assert alone.n_draws == 0
