"""The estimator from people's labels and a judge: known answers, laws, coverage and level."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.inference import binomial_region
from howsure.judging.combined_advantage import LabelDesign, Labelled, bias_of, combine, slopes_of
from howsure.raters.components import two_way
from howsure.resampling import CellTable


def simulated(seed=0, n=40, n_all=200, n_raters=4, *, sd=0.3, noise=0.5, per_item=None, judge_noise=0.6, shift=0.2):
    """Return a data set of people and a judge, with raters."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(shift, 1, n_all)
    judge = 0.8 * truth + judge_noise * rng.normal(size=n_all) + 0.3
    where = np.sort(rng.permutation(n_all)[:n])
    grid = truth[where, np.newaxis] + sd * rng.normal(size=n_raters) + noise * rng.normal(size=(n, n_raters))
    kept = rng.random(grid.shape).argsort(axis=1).argsort(axis=1) < (per_item or n_raters)
    items, raters = np.nonzero(kept)
    human = np.where(kept, grid, 0).sum(axis=1) / kept.sum(axis=1)
    cells = CellTable(grid[kept], items, raters, np.full(items.size, 1 / items.size))
    return Labelled(human, judge, where, LabelDesign.simple(n), cells)


def ends(found):
    half = found.error.half_width(0.025)
    return found.estimate - half, found.estimate + half


@given(st.integers(0, 10_000), st.floats(-1.5, 1.5), st.integers(20, 80))
@settings(max_examples=30, deadline=None)
def test_with_one_label_per_item_it_is_ppi(seed, lam, n):
    """PPI++ writes the mean of labels plus λ times the difference of two means of predictions (Angelopoulos 2023)."""
    data = replace(simulated(seed, n), cells=None)
    n_all, f = data.n_all, data.judge
    other = np.delete(f, data.where)
    ppi = lam * other.mean() + (data.human - lam * f[data.where]).mean()
    ours = combine(data, slope=lam / (1 - n / n_all))
    assert ours.estimate == pytest.approx(ppi, abs=1e-8)


def test_it_agrees_with_ppi_python():
    ppi = pytest.importorskip("ppi_py")
    for seed in range(20):
        data = replace(simulated(seed, 80, 500), cells=None)
        other, lam = np.delete(data.judge, data.where), 0.4
        theirs = ppi.ppi_mean_pointestimate(data.human, data.judge[data.where], other, lam=lam)
        ours = combine(data, slope=lam / (1 - 80 / 500))
        assert ours.estimate == pytest.approx(float(np.ravel(theirs)[0]), abs=1e-8)
        low, high = ppi.ppi_mean_ci(data.human, data.judge[data.where], other, alpha=0.05, lam=lam)
        width = float(np.ravel(high - low)[0]) / 2
        assert 1.959964 * ours.error.standard_error == pytest.approx(width, rel=0.05)


def test_slopes_are_those_of_the_other_items():
    data = simulated(1, 25)
    own = data.judge[data.where]
    for i, found in enumerate(slopes_of(data)):
        h, f = np.delete(data.human, i), np.delete(own, i)
        assert found == pytest.approx(np.cov(h, f)[0, 1] / f.var(ddof=1), rel=1e-9)


def test_without_the_judge_it_is_the_crossed_analysis_of_the_labels():
    data = simulated(2)
    found, cells = combine(data, slope=0.0), data.cells
    table = two_way(cells.values, items=cells.items, raters=cells.raters)
    assert found.estimate == pytest.approx(table.mean)
    assert found.error.variances == pytest.approx(table.error.variances)
    assert found.error.dfs == pytest.approx(table.error.dfs)


@given(st.integers(0, 10_000), st.floats(-5, 5).filter(lambda x: abs(x) > 0.1), st.floats(-10, 10))
@settings(max_examples=30, deadline=None)
def test_the_judges_unit_does_not_matter(seed, factor, shift):
    data = simulated(seed)
    one, other = combine(data), combine(replace(data, judge=factor * data.judge + shift))
    assert other.estimate == pytest.approx(one.estimate, abs=1e-8)
    assert other.error.variances == pytest.approx(one.error.variances, abs=1e-10)
    assert other.slope * factor == pytest.approx(one.slope)


def test_a_and_b_may_be_exchanged():
    data = simulated(3)
    cells = replace(data.cells, values=-data.cells.values)
    turned = replace(data, human=-data.human, judge=-data.judge, cells=cells)
    assert combine(turned).estimate == pytest.approx(-combine(data).estimate)
    assert combine(turned).error.variances == pytest.approx(combine(data).error.variances)


@pytest.mark.parametrize("how", ["constant judge", "all labelled"])
def test_a_judge_that_says_nothing_changes_nothing(how):
    data = simulated(4)
    if how == "constant judge":
        data = replace(data, judge=np.full(data.n_all, 0.7))
    else:
        data = replace(data, judge=data.judge[data.where], where=np.arange(data.n))
    found, alone = combine(data), combine(data, slope=0.0)
    assert found.estimate == pytest.approx(alone.estimate)
    assert found.error.variances == pytest.approx(alone.error.variances)
    assert not found.slopes.any()
    assert found.parts.worth() == pytest.approx(data.n)


def test_a_perfect_judge_of_fixed_raters_gives_the_mean_of_all_items():
    data = replace(simulated(5), cells=None)
    data = replace(data, human=2 * data.judge[data.where] + 1)
    found = combine(data)
    assert found.estimate == pytest.approx(2 * data.judge.mean() + 1)
    assert found.slope == pytest.approx(2)
    assert found.error.standard_error == pytest.approx(data.human.std(ddof=1) / math.sqrt(data.n_all))


@pytest.mark.parametrize("per_item", [None, 2])
def test_the_bias_is_the_judge_minus_the_combined(per_item):
    data = simulated(6, per_item=per_item)
    assert bias_of(data).estimate == pytest.approx(data.judge.mean() - combine(data).estimate)


def test_these_items_are_known_more_precisely_than_items_like_these():
    data = simulated(7, n=100)
    assert combine(data, these_items=True).error.variances[1] < combine(data).error.variances[1]
    whole = replace(data, cells=None, judge=data.judge[data.where], where=np.arange(data.n))
    assert combine(whole, these_items=True).error.variance == pytest.approx(0, abs=1e-12)


def test_equal_chances_in_one_stratum_are_a_simple_sample():
    data = simulated(8)
    drawn = replace(data, design=LabelDesign.drawn(np.full(data.n, 0.2), np.zeros(data.n, dtype=int)))
    assert combine(drawn).estimate == pytest.approx(combine(data).estimate)
    assert combine(drawn).error.variances == pytest.approx(combine(data).error.variances)


def test_the_forecast_of_the_design_at_hand_is_its_error():
    data = replace(simulated(9), cells=None)
    found = combine(data)
    assert found.parts.error().standard_error == pytest.approx(found.error.standard_error)
    crossed = combine(simulated(9, n=150, n_all=600, n_raters=8))
    assert crossed.parts.error().standard_error == pytest.approx(crossed.error.standard_error, rel=0.01)
    assert crossed.parts.error(left=0.0).half_width(0.025) < crossed.error.half_width(0.025)


def test_an_unseen_item_is_added_where_few_items_differ():
    quiet = Labelled(np.zeros(50), np.zeros(500), np.arange(50), LabelDesign.simple(50), span=1.0)
    assert combine(quiet).error.standard_error == pytest.approx(1 / 50)
    assert combine(replace(quiet, span=math.inf)).error.variance == 0
    wins = np.tile([1.0, 0.0, 0.0, -1.0, 0.0], 10)
    loud = replace(quiet, human=wins)  # ten wins and ten losses: nothing is added
    assert combine(loud).error.standard_error == pytest.approx(wins.std(ddof=1) / math.sqrt(50))
    few = replace(quiet, human=np.where(np.arange(50) < 9, 1.0, 0.0))
    added = combine(few).error.variance - combine(few, guard_below=0).error.variance
    assert added == pytest.approx(1 / 50**2)


SETTINGS = [
    {"n": 40, "n_raters": 3, "sd": 0.0},
    {"n": 40, "n_raters": 5, "sd": 0.5},
    {"n": 60, "n_raters": 10, "sd": 1.0},
    {"n": 60, "n_raters": 6, "sd": 0.5, "per_item": 2},
    {"n": 60, "n_raters": 5, "sd": 0.3, "judge_noise": 0.1},
]


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_intervals_cover_the_truth(setting):
    """The truth is .2 in each; intervals may be cautious, but not short."""
    n = 400
    hits = sum(low <= 0.2 <= high for low, high in (ends(combine(simulated(seed, **setting))) for seed in range(n)))
    assert hits >= binomial_region(n, 0.95).low


@pytest.mark.parametrize("setting", SETTINGS[1:4], ids=str)
def test_a_true_null_is_rejected_in_five_percent(setting):
    n = 400
    found = (combine(simulated(seed, shift=0.0, **setting)) for seed in range(n))
    wrong = sum(one.error.pvalue(one.estimate) <= 0.05 for one in found)
    assert wrong <= binomial_region(n, 0.05).high


def test_raters_that_are_taken_for_granted_cover_too_little():
    """What the error of raters is for: without it the same intervals are far too short."""
    n = 200
    blind = (replace(simulated(seed, n=60, n_raters=3, sd=1.0), cells=None) for seed in range(n))
    hits = sum(low <= 0.2 <= high for low, high in (ends(combine(data)) for data in blind))
    assert hits < 0.7 * n


def test_the_judge_does_no_harm_beyond_noise():
    """A judge of pure noise: the spread of estimates is that of the labels alone, within 5%."""
    found = []
    for seed in range(500):
        data = simulated(seed, n=40, sd=0.0)
        data = replace(data, judge=np.random.default_rng(seed + 10_000).normal(size=data.n_all))
        found.append((combine(data).estimate, combine(data, slope=0.0).estimate))
    ours, alone = np.std(found, axis=0)
    assert ours <= 1.05 * alone


def test_the_judge_helps_as_much_as_it_knows():
    found = []
    for seed in range(300):
        data = simulated(seed, n=60, n_all=600, sd=0.0, noise=0.2, judge_noise=0.3)
        found.append((combine(data).estimate, combine(data, slope=0.0).estimate))
    ours, alone = np.std(found, axis=0)
    assert ours < 0.6 * alone
