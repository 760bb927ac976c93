"""Gauges: known answers, laws, and their error at the edge under a true null."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from howsure import Contest
from howsure.comparison import compare
from howsure.gating.gauges import ComparisonGauge, GuardedStudentGauge, ScoreGauge, gauge_of, p_of, variance_at, z_of
from howsure.gating.rule import CLAIMS, GateRule
from howsure.inference.proportions import binomial_region
from howsure.intervals.direct import score_statistic

NON_INFERIOR = CLAIMS["non-inferior"]
differences = st.lists(st.sampled_from([-1.0, -0.4, 0.0, 0.2, 1.0]), min_size=3, max_size=40).map(np.array)


@pytest.mark.parametrize("n", [30, 60, 100, 134, 200])
def test_pass_and_fail_by_enumeration_pass_in_five_percent_at_most(n):
    """The exact error at the edge: every number of won and lost items, with its multinomial probability."""
    won, lost = (each.ravel() for each in np.meshgrid(np.arange(n + 1), np.arange(n + 1)))
    possible = won + lost <= n
    won, lost = won[possible], lost[possible]
    for margin in (0.02, 0.05, 0.1):
        near = np.abs(won - lost) / n + margin < 0.5  # farther outcomes have no probability here
        passes = np.zeros(won.size, dtype=bool)
        passes[near] = [
            ScoreGauge(w, x, n).above(-margin) > 1.645
            for w, x in zip(won[near].tolist(), lost[near].tolist(), strict=True)
        ]
        passes[~near] = won[~near] > lost[~near]
        for share in (0.0, 0.01, 0.05, 0.2):
            chances = stats.multinomial.pmf(
                np.stack([won, lost, n - won - lost], axis=1), n, [share, share + margin, 1 - 2 * share - margin]
            )
            assert chances[passes].sum() <= 0.05


def test_signs_and_numbers_have_one_statistic():
    """Tango's variance at the edge is that of the closest distribution; only the quantile differs (normal and t)."""
    values = np.repeat([1.0, -1.0, 0.0], [5, 12, 183])
    variance = variance_at(np.array([-1.0, 0.0, 1.0]) + 0.1, np.array([12, 183, 5]) / 200, 0.9)
    distance = (5 - 12) / 200 + 0.1
    assert distance / math.sqrt(variance / 200) == pytest.approx(score_statistic(5, 12, 200, -0.1))
    assert stats.norm.sf(ScoreGauge(5, 12, 200).above(-0.1)) == pytest.approx(
        stats.t.sf(stats.t.isf(p_of(GuardedStudentGauge.of(values, 1.0).above(-0.1)), 199), 199), abs=0.001
    )


def test_even_differences_have_students_interval():
    values = np.random.default_rng(0).normal(0.1, 1, 200)
    values = np.concatenate([values, -values]) + 0.05  # without skewness
    gauge = GuardedStudentGauge.of(values, math.inf)
    found = gauge.interval(0.9)
    known = stats.t.interval(0.9, 399, values.mean(), stats.sem(values))
    assert (found.low, found.high) == pytest.approx(known, rel=1e-9)
    assert p_of(gauge.above(0.0)) == pytest.approx(stats.ttest_1samp(values, 0, alternative="greater").pvalue)


@given(differences, st.floats(-0.5, 0.5), st.floats(0.6, 0.99))
def test_test_and_interval_agree(values, edge, level):
    gauge = gauge_of(values, 1.0)
    ends, tail = gauge.interval(level), (1 - level) / 2
    assert ends.low <= gauge.estimate <= ends.high
    if abs(ends.low - edge) > 1e-6:
        assert (ends.low > edge) == (p_of(gauge.above(edge)) < tail)
    if abs(ends.high - edge) > 1e-6:
        assert (ends.high < edge) == (p_of(gauge.below(edge)) < tail)


@given(differences, st.floats(-0.5, 0.5))
def test_exchanging_the_models_exchanges_the_sides(values, edge):
    one, other = gauge_of(values, 1.0), gauge_of(-values, 1.0)
    assert one.above(edge) == pytest.approx(other.below(-edge), abs=1e-9)


@given(differences, st.floats(-0.5, 0.4), st.floats(0.001, 0.1))
def test_a_farther_edge_is_easier(values, edge, step):
    gauge = gauge_of(values, 1.0)
    assert gauge.above(edge - step) >= gauge.above(edge) - 1e-9


def test_equal_items_still_leave_an_interval():
    for values in (np.zeros(30), np.full(30, 0.2)):
        ends = gauge_of(values, 1.0).interval(0.9)
        assert ends.low < values[0] < ends.high
        assert gauge_of(values, 1.0).above(values[0] - 0.02) < 1.645


def test_without_a_limit_equal_items_decide_nothing():
    gauge = GuardedStudentGauge.of(np.full(30, 0.2), math.inf)
    assert math.isnan(gauge.above(0.0))
    assert math.isnan(gauge.interval(0.9).low)
    assert GateRule(NON_INFERIOR, 0.1).verdict(gauge) == "inconclusive"


def test_one_catastrophe_more_never_helps():
    rng = np.random.default_rng(4)
    values = rng.choice([0.0, 0.05], 100)
    gauges = [gauge_of(np.concatenate([values, np.full(n, -1.0)]), 1.0) for n in range(6)]
    evidence = [gauge.above(-0.05) for gauge in gauges]
    assert evidence == sorted(evidence, reverse=True)


@pytest.mark.parametrize("p", [1e-12, 0.025, 0.5, 0.9])
def test_quantiles_and_pvalues_are_inverse(p):
    assert p_of(z_of(p)) == pytest.approx(p, rel=1e-6)


def test_raters_and_clusters_are_measured_as_compare_measures_them():
    rng = np.random.default_rng(3)
    a, b = rng.normal(0.1, 1, (40, 1)), rng.normal(0, 1, (40, 1))
    clustered = Contest.from_arrays(None, a, b, groups={"doc": np.arange(40) // 4})
    found = compare(clustered, cluster="doc", margin=0.3, rng=0)
    gauge = ComparisonGauge(found)
    assert p_of(gauge.above(-0.3)) == pytest.approx(found.margin.non_inferiority, abs=1e-6)
    assert gauge.n == 10


def edge_errors(draw, n, margin, n_sets, seed=0):
    """Return how many data sets at the edge pass, and fail."""
    rng = np.random.default_rng(seed)
    rule = GateRule(NON_INFERIOR, margin)
    verdicts = [rule.verdict(gauge_of(draw(rng, n), 1.0)) for _ in range(n_sets)]
    return verdicts.count("pass"), verdicts.count("fail")


def flips(won, lost):
    return lambda rng, n: rng.choice([1.0, -1.0, 0.0], n, p=[won, lost, 1 - won - lost])


def five_runs(rng, n):
    p = rng.beta(1.0, 0.7, n)
    q = np.clip(p - 0.05 * p * (1 - p) / 0.1525, 0, 1)  # the mean loss is 0.05
    return (rng.binomial(5, q) - rng.binomial(5, p)) / 5


def catastrophes(rng, n):
    return np.where(rng.random(n) < 0.1, -1.0, 0.05 / 0.9)


def ratings_that_fall(rng, n):
    """Ratings from 1 to 5: both models score 4 or 5, and 3% of the candidate's items fall to 1."""
    before = rng.choice([4.0, 5.0], n)
    after = np.where(rng.random(n) < 0.2, rng.choice([4.0, 5.0], n), before)
    return np.where(rng.random(n) < 0.03, 1.0, after) - before


@pytest.mark.parametrize("n", [30, 40, 60, 200])
def test_ratings_whose_rare_falls_may_be_missing_pass_in_five_percent_at_most(n):
    rng, rule = np.random.default_rng(n), GateRule(NON_INFERIOR, 0.03 * 3.5)
    passed = sum(rule.verdict(gauge_of(ratings_that_fall(rng, n), 4.0)) == "pass" for _ in range(SETS))
    assert passed <= binomial_region(SETS, 0.05).high


SETS = 1500


@pytest.mark.parametrize(
    ("draw", "margin", "n"),
    [
        (flips(0.0, 0.02), 0.02, 30),
        (flips(0.0, 0.02), 0.02, 100),
        (flips(0.01, 0.03), 0.02, 200),
        (flips(0.1, 0.15), 0.05, 100),
        (five_runs, 0.05, 50),
        (five_runs, 0.05, 200),
    ],
)
def test_a_model_at_the_edge_passes_and_fails_in_five_percent_at_most(draw, margin, n):
    passed, failed = edge_errors(draw, n, margin, SETS)
    most = binomial_region(SETS, 0.05, confidence_level=0.999).high
    assert passed <= most
    assert failed <= most


def test_rare_catastrophes_hardly_pass_where_student_lets_them():
    """Student's t passes 18% of these."""
    passed, _ = edge_errors(catastrophes, 30, 0.05, SETS)
    assert passed <= binomial_region(SETS, 0.05, confidence_level=0.999).high
    rng = np.random.default_rng(0)
    rows = np.stack([catastrophes(rng, 30) for _ in range(SETS)])
    with np.errstate(divide="ignore", invalid="ignore"):
        t = (rows.mean(1) + 0.05) / (rows.std(1, ddof=1) / math.sqrt(30))
    assert np.count_nonzero(t > stats.t.ppf(0.95, 29)) > binomial_region(SETS, 0.12, confidence_level=0.999).high


@pytest.mark.parametrize("n", [50, 100, 200])
@pytest.mark.parametrize("claim", ["superior", "equivalent"])
def test_other_claims_at_their_edge_pass_in_five_percent_at_most(claim, n):
    """Few items differ, and most of them point towards the edge: the score test alone passes 7% of these."""
    rng = np.random.default_rng(n)
    rule = GateRule(CLAIMS[claim], 0.02)
    draw = flips(0.03, 0.01)
    passed = sum(rule.verdict(gauge_of(draw(rng, n), 1.0)) == "pass" for _ in range(SETS))
    assert passed <= binomial_region(SETS, 0.05, confidence_level=0.999).high
