import numpy as np
import pytest

from howsure.errors import ArgumentError, DataError
from howsure.paired import PairedScores, to_units, unit_sizes


@pytest.fixture(scope="module")
def scores():
    rng = np.random.default_rng(2)
    return PairedScores.from_arrays(rng.normal(size=103), rng.normal(size=103))


def test_units_are_means_or_medians_of_consecutive_lines(scores):
    for statistic, function in (("mean", np.mean), ("median", np.median)):
        units = to_units(scores, size=10, statistic=statistic)
        assert units.a.tolist() == pytest.approx([function(scores.a[i : i + 10]) for i in range(0, 100, 10)])
        assert units.b.tolist() == pytest.approx([function(scores.b[i : i + 10]) for i in range(0, 100, 10)])
        assert units.notes == ("3 of 103 segments are dropped: the last unit would have fewer than 10.",)


def test_size_one_changes_nothing(scores):
    assert to_units(scores, size=1) is scores


def test_shuffle_keeps_pairs_and_follows_its_seed(scores):
    paired = PairedScores.from_arrays(scores.a, scores.a + 1)
    units = to_units(paired, size=2, shuffle=0)
    assert (units.b - units.a).tolist() == pytest.approx([1.0] * 51)
    assert units.a.tolist() == to_units(paired, size=2, shuffle=0).a.tolist()
    assert units.a.tolist() != to_units(paired, size=2, shuffle=1).a.tolist()
    assert units.a.tolist() != to_units(paired, size=2).a.tolist()


def test_too_large_a_unit(scores):
    with pytest.raises(DataError, match="103 segments are too few for two units of 60 segments"):
        to_units(scores, size=60)


def test_units_and_clusters_exclude_each_other():
    scores = PairedScores.from_arrays([1, 2, 3, 4], [0, 0, 0, 0], clusters=[1, 1, 2, 2])
    with pytest.raises(ArgumentError, match="give one of them"):
        to_units(scores, size=2)


def test_standard_deviation_by_unit_size(scores):
    found = unit_sizes(scores, tolerance=0.05)
    assert found.sizes == tuple(range(1, 21))
    for size, deviation in zip(found.sizes, found.standard_deviations, strict=True):
        assert deviation == pytest.approx(to_units(scores, size=size).differences.std(ddof=1))
    changes = np.abs(np.diff(found.standard_deviations))
    assert found.stable == tuple((np.flatnonzero(changes <= 0.05) + 2)[:10].tolist())
    assert unit_sizes(scores, tolerance=0).stable == ()
