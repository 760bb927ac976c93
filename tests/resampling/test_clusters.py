import numpy as np
import pytest

from assay._random import seed_of
from assay.contests import Contest
from assay.errors import ArgumentError
from assay.metrics import BUILTIN
from assay.resampling import Scheme, cluster_jackknife, draw, enumerate_cluster_swaps, jackknife, summaries_of


@pytest.fixture
def contest():
    rng = np.random.default_rng(1)
    return Contest.from_arrays(*rng.normal(size=(3, 10, 2)))


CLUSTERS = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2, 3])
NAMES = ["mae", "spearman", "emd"]


def bound(contest, names=NAMES):
    return [BUILTIN[name].on(contest.scale) for name in names]


def test_every_drawn_cluster_comes_whole(contest):
    found = draw(
        contest, bound(contest), scheme=Scheme(), null=None, n_resamples=200, seed=seed_of(0), clusters=CLUSTERS
    )
    possible = {name: set() for name in NAMES}
    for counts in np.ndindex(5, 5, 5, 5):
        if sum(counts) == 4:
            items = np.repeat(np.arange(10), np.array(counts)[CLUSTERS])
            for metric in bound(contest):
                value = float(metric.contrast(*summaries_of(contest.take(items), metric.needs)))
                possible[metric.name].add(round(value, 9))
    for i, name in enumerate(NAMES):
        defined = found.contrasts[i][~np.isnan(found.contrasts[i])]
        assert {round(value, 9) for value in defined.tolist()} <= possible[name]
        assert len(set(defined.tolist())) > 20


def test_clusters_of_one_item_give_the_standard_error_of_items(contest):
    metric = BUILTIN["mae"]
    alone = np.arange(10)
    how = {"scheme": Scheme(), "null": None, "n_resamples": 300, "seed": seed_of(0)}
    one, other = draw(contest, [metric], clusters=alone, **how), draw(contest, [metric], **how)
    assert one.contrasts.std() == pytest.approx(other.contrasts.std(), rel=0.15)
    assert np.median(one.standard_errors) == pytest.approx(np.median(other.standard_errors), rel=0.1)
    np.testing.assert_allclose(cluster_jackknife(contest, metric, alone), jackknife(contest, metric))


def test_all_swaps_of_clusters_are_enumerated(contest):
    found = enumerate_cluster_swaps(contest, bound(contest), CLUSTERS)
    assert found.exact
    assert found.contrasts.shape == (3, 16)
    swapped = contest.swapped()
    for i, metric in enumerate(bound(contest)):
        for value, side in ((found.contrasts[i, 0], contest), (found.contrasts[i, -1], swapped)):
            assert value == pytest.approx(float(metric.contrast(*summaries_of(side, metric.needs))))
    drawn = draw(
        contest, bound(contest), scheme=Scheme(items="all"), null="swapped-items", n_resamples=99, seed=seed_of(0),
        clusters=CLUSTERS,
    )  # fmt: skip
    for i in range(3):
        assert {round(v, 9) for v in drawn.contrasts[i]} == {round(v, 9) for v in found.contrasts[i]}


def test_other_nulls_are_refused(contest):
    with pytest.raises(ArgumentError, match="clusters go with"):
        draw(
            contest, bound(contest), scheme=Scheme(), null="dealt-responses", n_resamples=3, seed=seed_of(0),
            clusters=CLUSTERS,
        )  # fmt: skip
