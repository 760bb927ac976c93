"""The tests of differences, against brute force."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from howsure import Contest, _random
from howsure.comparison import compare
from howsure.nulls import SCORE_TESTS, Hypothesis, Resamples, Units, ranks
from howsure.nulls.medians import BootstrapMedian
from howsure.resampling.draws import MeansDrawn

NAMES = ("t", "sign", "wilcoxon", "bootstrap", "bootstrap-median", "permutation", "permutation-median")
T, SIGN, WILCOXON, BOOTSTRAP, BOOTSTRAP_MEDIAN, PERMUTATION, PERMUTATION_MEDIAN = map(SCORE_TESTS.get, NAMES)
DRAWS = Resamples(_random.seed_of(1), 999)
decimals = st.lists(st.integers(-30, 30).map(lambda tenths: tenths / 10), min_size=2, max_size=9)
numbers = st.lists(st.floats(-1e3, 1e3, allow_subnormal=False), min_size=2, max_size=60)


def row(values):
    return Units.independent(np.array([values], dtype=float))


def walsh(values):
    first, second = np.triu_indices(len(values))
    return np.sort((np.asarray(values)[first] + np.asarray(values)[second]) / 2)


def flips(values):
    return np.array(list(itertools.product((1, -1), repeat=len(values)))) * np.abs(values)


@given(numbers, st.data())
def test_walsh_averages_are_selected_exactly(values, data):
    every = walsh(values)
    k = data.draw(st.integers(1, every.size))
    scale = max(1e-300, np.abs(values).max())
    assert abs(ranks.walsh_average(np.sort(values), k) - every[k - 1]) <= 1e-14 * scale


@pytest.mark.parametrize("n", [60, 301, 2000])
@pytest.mark.parametrize("kind", ["normal", "tied", "cauchy"])
def test_selection_beyond_the_size_that_is_written_down(n, kind):
    rng = np.random.default_rng(n)
    draw = {"normal": rng.normal, "tied": lambda size: rng.integers(-2, 3, size) / 4, "cauchy": rng.standard_cauchy}
    values = np.sort(draw[kind](size=n))
    every = walsh(values)
    for k in (1, every.size // 7, every.size // 2, every.size - 3):
        found = ranks.walsh_average(values, max(1, k))
        assert found == pytest.approx(every[max(1, k) - 1], abs=1e-13 * np.abs(values).max())
    assert ranks.hodges_lehmann(values) == pytest.approx(np.median(every), abs=1e-13 * np.abs(values).max())


@given(decimals)
def test_wilcoxon_is_the_permutation_distribution_of_the_ranks(values):
    moved = np.array([value for value in values if value != 0])
    outcome = {side: WILCOXON.run(row(values), Hypothesis(side), DRAWS) for side in ("greater", "less", "two-sided")}
    if not moved.size:
        assert all(found.pvalue[0] == 1 for found in outcome.values())
        return
    # Ranks of whole tenths: floats that are equal on paper must tie.
    order = stats.rankdata(np.rint(np.abs(moved) * 10))
    sums = np.array(
        [
            order[list(signs)].sum()
            for signs in (np.array(s, dtype=bool) for s in itertools.product((0, 1), repeat=moved.size))
        ]
    )
    observed = order[moved > 0].sum()
    greater, less = np.mean(sums >= observed), np.mean(sums <= observed)
    assert outcome["greater"].statistic[0] == observed
    assert outcome["greater"].pvalue[0] == pytest.approx(greater)
    assert outcome["less"].pvalue[0] == pytest.approx(less)
    assert outcome["two-sided"].pvalue[0] == pytest.approx(min(1, 2 * min(greater, less)))


@pytest.mark.parametrize("side", ["two-sided", "greater", "less"])
def test_wilcoxon_of_fifty_is_scipys(side):
    values = np.random.default_rng(3).normal(0.2, 1, 50)
    found = WILCOXON.run(row(values), Hypothesis(side))
    assert found.exact
    assert found.pvalue[0] == pytest.approx(stats.wilcoxon(values, alternative=side, method="exact").pvalue)


def test_wilcoxon_beyond_fifty_is_scipys():
    rng = np.random.default_rng(4)
    for values in (rng.normal(0.2, 1, 80), rng.integers(-3, 5, 200).astype(float)):
        for side in ("two-sided", "greater", "less"):
            expected = stats.wilcoxon(values, alternative=side, method="asymptotic", correction=False)
            assert WILCOXON.run(row(values), Hypothesis(side), DRAWS).pvalue[0] == pytest.approx(expected.pvalue)


@given(decimals)
def test_sign_test_is_binomial(values):
    positive, negative = sum(value > 0 for value in values), sum(value < 0 for value in values)
    for side in ("two-sided", "greater", "less"):
        expected = stats.binomtest(positive, positive + negative, alternative=side).pvalue if positive + negative else 1
        assert SIGN.run(row(values), Hypothesis(side), DRAWS).pvalue[0] == pytest.approx(expected)


@pytest.mark.parametrize("n", [5, 6, 20, 57, 100, 1000])
def test_median_interval_is_the_shortest_that_keeps_its_level(n):
    values = np.arange(1.0, n + 1)
    found = SIGN.run(row(values), Hypothesis(), DRAWS)
    k = int(stats.binom.ppf(0.025, n, 0.5))  # the usual textbook k; the interval may be one step wider, never shorter
    while stats.binom.cdf(k - 1, n, 0.5) > 0.025:
        k -= 1
    assert (found.low[0], found.high[0]) == ((k, n + 1 - k) if k else (-math.inf, math.inf))


@given(decimals)
def test_permutation_of_the_mean_is_the_enumeration(values):
    observed = np.mean(values)
    means_ = flips(values).mean(axis=1)
    greater, less = np.mean(means_ >= observed - 1e-12), np.mean(means_ <= observed + 1e-12)
    for side, expected in (("greater", greater), ("less", less), ("two-sided", min(1, 2 * min(greater, less)))):
        found = PERMUTATION.run(row(values), Hypothesis(side), DRAWS)
        assert found.exact
        assert found.pvalue[0] == pytest.approx(expected)


@given(decimals)
def test_permutation_of_the_median_is_the_enumeration(values):
    observed = np.median(values)
    medians_ = np.median(flips(values), axis=1)
    greater, less = np.mean(medians_ >= observed - 1e-12), np.mean(medians_ <= observed + 1e-12)
    for side, expected in (("greater", greater), ("less", less)):
        found = PERMUTATION_MEDIAN.run(row(values), Hypothesis(side), DRAWS)
        assert found.pvalue[0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("n", [101, 110])
def test_bootstrap_medians_have_the_distribution_of_resampled_medians(n):
    rng = np.random.default_rng(n)
    values, n_draws = np.sort(rng.normal(size=n)), 20_000
    resampled = np.median(values[rng.integers(0, n, (n_draws, n))], axis=1)
    for delta in np.quantile(resampled, [0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98]) + 1e-6:
        found = BOOTSTRAP_MEDIAN.run(row(values), Hypothesis("greater", delta), Resamples(DRAWS.seed, n_draws))
        expected = np.mean(resampled <= delta)
        error = math.sqrt(expected * (1 - expected) / n_draws)
        assert abs(found.pvalue[0] - expected) <= 4.5 * error + 1 / n_draws
        assert found.exact


def test_bootstrap_t_is_the_resampled_t():
    rng = np.random.default_rng(5)
    values = rng.exponential(size=12)
    generator = _random.generator(DRAWS.seed, "studentised", 0)
    chosen = generator.integers(0, 12, size=(64, 12))
    expected = [(values[c].mean() - values.mean()) / (values[c].std(ddof=1) / np.sqrt(12)) for c in chosen]
    observed = (values.mean() - 0.5) / (values.std(ddof=1) / np.sqrt(12))
    found = BOOTSTRAP.run(row(values), Hypothesis("greater", 0.5), Resamples(DRAWS.seed, 64))
    assert found.pvalue[0] == (1 + np.sum(np.array(expected) >= observed)) / 65
    found = BOOTSTRAP.run(row(values), Hypothesis("two-sided", 0.5), Resamples(DRAWS.seed, 64))
    assert found.pvalue[0] == (1 + np.sum(np.abs(expected) >= observed)) / 65


@pytest.mark.parametrize("test", [T, BOOTSTRAP, PERMUTATION])
def test_clusters_of_one_line_change_nothing(test):
    values = np.random.default_rng(6).normal(0.3, 1, (1, 25))
    lines = test.run(Units.independent(values), Hypothesis(), DRAWS)
    clusters = test.run(Units(values, np.ones(25)), Hypothesis(), DRAWS)
    assert lines.pvalue[0] == clusters.pvalue[0]
    expected = stats.ttest_1samp(values[0], 0)
    if test is T:
        assert lines.pvalue[0] == pytest.approx(expected.pvalue)
        assert [lines.low[0], lines.high[0]] == pytest.approx(list(expected.confidence_interval()))


@pytest.mark.parametrize("test", [T, BOOTSTRAP, PERMUTATION])
def test_duplicating_every_line_within_its_cluster_creates_no_significance(test):
    values = np.random.default_rng(7).normal(0.4, 1, (1, 25))
    once, twice = (test.run(Units(k * values, np.full(25, float(k))), Hypothesis(), DRAWS) for k in (1, 2))
    assert twice.pvalue[0] == pytest.approx(once.pvalue[0])
    assert twice.low[0] == pytest.approx(once.low[0])


def clustered_differences():
    rng = np.random.default_rng(8)
    groups = np.repeat(np.arange(12), rng.integers(1, 9, 12))
    return groups, rng.normal(size=12)[groups] + rng.normal(0.5, 1, groups.size)


def test_cluster_robust_error_of_resamples_is_that_of_statsmodels():
    import statsmodels.api as sm

    groups, values = clustered_differences()
    fit = sm.OLS(values, np.ones(values.size)).fit(cov_type="cluster", cov_kwds={"groups": groups}, use_t=True)
    sample = Units(np.bincount(groups, values)[np.newaxis], np.bincount(groups).astype(float))
    # statsmodels multiplies by (n - 1) / (n - k) = 1 for one regressor and by G / (G - 1), as we do.
    mean, error = (side[0, 0] for side in MeansDrawn(sample.sums, sample.sizes).scorer(np.ones((1, 1, sample.n))))
    assert mean / error == pytest.approx(fit.tvalues[0])


@pytest.mark.parametrize(("test", "null"), [(BOOTSTRAP, "studentised"), (PERMUTATION, "sign-flip")])
def test_the_answer_for_clusters_is_that_of_compare(test, null):
    """Two commands, one question, one p-value, up to the error of the draws."""
    groups, values = clustered_differences()
    values = values - 0.3
    sample = Units(np.bincount(groups, values)[np.newaxis], np.bincount(groups).astype(float))
    found = test.run(sample, Hypothesis(), Resamples(_random.seed_of(3), 20_000))
    contest = replace(Contest.from_arrays(None, values, np.zeros(values.size)), groups={"document": groups.astype(str)})
    result = compare(contest, metric="rating", cluster="document", null=null, n_resamples=20_000, rng=0)
    slack = 5 * math.sqrt(2 * result.pvalue / 20_000) if test.resamples else 1e-9
    assert abs(found.pvalue[0] - result.pvalue) < slack
    assert 0.01 < result.pvalue < 0.9


def test_students_t_of_clusters_is_that_of_compare():
    groups, values = clustered_differences()
    sample = Units(np.bincount(groups, values)[np.newaxis], np.bincount(groups).astype(float))
    found = T.run(sample, Hypothesis(), DRAWS)
    contest = replace(Contest.from_arrays(None, values, np.zeros(values.size)), groups={"document": groups.astype(str)})
    result = compare(contest, metric="rating", cluster="document", null="paired-t", interval="t", rng=0)
    assert found.pvalue[0] == pytest.approx(result.pvalue, rel=1e-9)
    assert found.low[0] == pytest.approx(result.confidence_interval.low)


@pytest.mark.parametrize("test", SCORE_TESTS.values(), ids=SCORE_TESTS)
def test_rows_do_not_see_each_other(test):
    rows = np.random.default_rng(9).normal(0.2, 1, (3, 40))
    together = test.run(Units.independent(rows), Hypothesis(delta=0.1), DRAWS)
    for number in range(3):
        alone = test.run(Units.independent(rows[[number]]), Hypothesis(delta=0.1), DRAWS)
        assert alone.pvalue[0] == together.pvalue[number]
        assert alone.low[0] == pytest.approx(together.low[number])


@pytest.mark.parametrize("test", SCORE_TESTS.values(), ids=SCORE_TESTS)
@pytest.mark.parametrize("n", [30, 31, 200])
def test_interval_and_pvalue_agree(test, n):
    values = np.random.default_rng(n).normal(0.3, 1, (1, n))
    sample = Units.independent(values)
    found = test.run(sample, Hypothesis(), DRAWS)
    width = found.high[0] - found.low[0]
    # Order statistics bound closed intervals, so look a little inside and a little outside.
    for inside, delta in (
        (True, found.low[0] + 1e-3 * width), (False, found.low[0] - 1e-3 * width),
        (True, found.high[0] - 1e-3 * width), (False, found.high[0] + 1e-3 * width),
    ):  # fmt: skip
        assert (test.run(sample, Hypothesis(delta=delta), DRAWS).pvalue[0] > 0.05) == inside


@pytest.mark.parametrize("test", SCORE_TESTS.values(), ids=SCORE_TESTS)
@pytest.mark.parametrize("n", [20, 21])
def test_level_on_normal_data(test, n):
    n_rows = 1000
    rows = np.random.default_rng(n).normal(size=(n_rows, n))
    hypothesis = Hypothesis(interval=False)
    blocks = range(0, n_rows, 100)
    parts = [
        test.run(Units.independent(rows[i : i + 100]), hypothesis, Resamples(_random.seed_of(i), 399)) for i in blocks
    ]
    rejected = sum(int((part.pvalue <= 0.05).sum()) for part in parts)
    # Signs and medians of few values stay below their level; the bounds hold the rates of docs/evidence/scores.md.
    least = 0.02 if test in (SIGN, BOOTSTRAP_MEDIAN, PERMUTATION_MEDIAN) else 0.04
    assert stats.binom.ppf(0.0005, n_rows, least) <= rejected <= stats.binom.ppf(0.9995, n_rows, 0.05)


@pytest.mark.parametrize("test", [T, SIGN, WILCOXON], ids=repr)
def test_coverage_on_normal_data(test):
    rows = np.random.default_rng(10).normal(size=(1000, 30))
    found = test.run(Units.independent(rows), Hypothesis(), DRAWS)
    missed = 1000 - int(((found.low <= 0) & (found.high >= 0)).sum())
    assert missed <= stats.binom.ppf(0.9995, 1000, 0.05)


@pytest.mark.parametrize("n", [100, 101, 150])
@pytest.mark.parametrize("test", [BOOTSTRAP_MEDIAN, PERMUTATION_MEDIAN])
def test_an_end_of_a_median_of_ratings_is_a_difference_of_ratings(test, n):
    """Halving leaves an end 1e-15 beside 0, which would say that 0 does not belong to the interval."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        differences = rng.integers(1, 6, n) - rng.integers(1, 6, n)
        found = test.run(Units.of(differences[np.newaxis].astype(float)), Hypothesis(), DRAWS)
        for end in (found.low[0], found.high[0]):
            assert 4 * end == round(4 * end)
        assert (found.low[0] <= 0 <= found.high[0]) == (found.pvalue[0] > 0.05)


@pytest.mark.parametrize("n", [2, 4, 7, 10, 21, 45, 75])
def test_a_bootstrap_of_few_segments_median_holds_its_level(n):
    # Of continuous differences only the number of positive ones counts, so that the level can be counted.
    from scipy.stats import binom

    test, known = BootstrapMedian(), Resamples(np.random.SeedSequence(0), 999)
    rows = np.stack([np.where(np.arange(n) < positive, 1.0, -1.0) * np.arange(1, n + 1) for positive in range(n + 1)])
    for alternative in ("two-sided", "greater", "less"):
        found = test.run(Units.of(rows), Hypothesis(alternative), known)
        assert (binom.pmf(np.arange(n + 1), n, 0.5) * (found.pvalue <= 0.05)).sum() <= 0.05
        outside = ~((found.low <= 0) & (found.high >= 0))
        np.testing.assert_array_equal(outside, found.pvalue <= 0.05)
    assert "Fewer than 100 segments" in test.caution_for(n)
    assert not test.caution_for(100)
