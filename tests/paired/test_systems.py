import numpy as np
import pytest
from scipy import stats

from howsure.errors import ArgumentError
from howsure.paired import ScoreTable, compare_systems, friedman, significance_test, to_units
from tests.reference.scores import DEMSAR


def test_demsar():
    found = friedman(DEMSAR["mean_ranks"], DEMSAR["n"])
    assert found.statistic == pytest.approx(DEMSAR["statistic"], abs=0.005)
    assert found.f_statistic == pytest.approx(DEMSAR["f_statistic"], abs=0.005)
    assert found.critical_difference == pytest.approx(DEMSAR["critical_difference"], abs=0.005)


@pytest.mark.parametrize("tied", [False, True])
def test_friedman_is_scipys(tied):
    values = np.random.default_rng(1).normal([0, 0.3, 0.5], 1, (40, 3))
    values = np.round(values) if tied else values
    found = compare_systems(ScoreTable(values, ("x", "y", "z")))
    assert found.friedman.statistic == pytest.approx(stats.friedmanchisquare(*values.T).statistic)
    assert found.mean_ranks == pytest.approx((4 - stats.rankdata(values, axis=1)).mean(axis=0))


def test_pairs_are_adjusted_by_holm():
    table = ScoreTable(np.random.default_rng(1).normal([0, 0.3, 0.5], 1, (40, 3)), ("x", "y", "z"))
    found = compare_systems(table)
    raw = [significance_test(pair).pvalue for pair in table.pairs()]
    assert [pair.pvalue for pair in found.pairs] == raw
    order = np.argsort(raw)
    stepped = np.minimum(1, np.maximum.accumulate(np.sort(raw) * [3, 2, 1]))
    assert np.array(found.adjusted_pvalues)[order] == pytest.approx(stepped)
    assert found.to_frame().height == 3


def test_all_lines_tied_say_nothing():
    found = compare_systems(ScoreTable(np.ones((5, 3)), ("x", "y", "z")), test="sign")
    assert found.friedman.pvalue == 1
    assert found.adjusted_pvalues == (1, 1, 1)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize(("delta", "size"), [(0.0, 1), (0.2, 3)])
def test_every_option_reaches_every_pair(alternative, delta, size):
    table = ScoreTable(np.random.default_rng(1).normal([0, 0.3, 0.5], 1, (60, 3)), ("x", "y", "z"))
    units = to_units(table, size=size, shuffle=4 if size > 1 else None)
    found = compare_systems(units, alternative=alternative, delta=delta)
    for pair, tested in zip(table.pairs(), found.pairs, strict=True):
        alone = to_units(pair, size=size, shuffle=4 if size > 1 else None)
        assert tested.pvalue == significance_test(alone, alternative=alternative, delta=delta).pvalue
        assert (tested.n, tested.unit_size) == (60 // size, size)


def test_the_verdicts_of_pairs_are_the_directions_of_their_tests():
    table = ScoreTable(np.random.default_rng(1).normal([0, 0.1, 2.0], 1, (60, 3)), ("x", "y", "z"))
    found = compare_systems(table)
    verdicts = [found.verdict(pair, reject) for pair, reject in zip(found.pairs, found.reject, strict=True)]
    assert verdicts == ["no clear difference", "z higher", "z higher"]
    assert "2 of 3 pairs differ" in str(found)


def test_a_wrong_correction_is_refused_before_the_work():
    with pytest.raises(ArgumentError, match="`correction` must be one of holm"):
        compare_systems(ScoreTable(np.eye(3), ("x", "y", "z")), correction="x")


def test_with_holm_the_intervals_hold_together():
    table = ScoreTable(np.random.default_rng(1).normal([0, 0.3, 0.5], 1, (40, 3)), ("x", "y", "z"))
    together, alone = compare_systems(table), compare_systems(table, correction="none")
    for interval, pair in zip(together.confidence_intervals, table.pairs(), strict=True):
        assert interval == significance_test(pair, alpha=0.05 / 3).confidence_interval
    for interval, pair in zip(alone.confidence_intervals, table.pairs(), strict=True):
        assert interval == significance_test(pair).confidence_interval
    assert any("not adjusted for the number of pairs" in note for note in alone.notes)
    assert any("are simultaneous" in note for note in together.notes)


@pytest.mark.parametrize(("shift", "disagree"), [(0.08, True), (0.4, False)])
def test_a_pair_whose_interval_and_verdict_disagree_is_explained(shift, disagree):
    # Holm's last step is at 0.05, each interval at 1 − 0.05 / 3.
    values = np.random.default_rng(7).normal([0, shift, 3], 1, (60, 3))
    found = compare_systems(ScoreTable(values, ("x", "y", "z")))
    assert found.reject == (True, True, True)
    assert (0 in found.confidence_intervals[0]) == disagree
    assert any("a pair can differ significantly although" in note for note in found.notes) == disagree


def test_a_test_that_fits_only_some_pairs_is_said_of_the_others():
    rng = np.random.default_rng(2)
    skewed, b, c = rng.exponential(1, 60) ** 2, rng.normal(0, 1e-3, 60), rng.normal(0, 1e-3, 60)
    found = compare_systems(ScoreTable(np.stack([skewed, b, c], axis=1), ("x", "y", "z")), test="wilcoxon", rng=1)
    [caution] = [note for note in found.notes if "does not suit" in note]
    assert caution.startswith("x − y, x − z: The Wilcoxon signed-rank test does not suit these scores.")
    assert "sign" in caution.partition("Better:")[2]
