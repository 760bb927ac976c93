import math

import numpy as np
import pytest

from howsure._random import generator, seed_of
from howsure.data.contests import Contest
from howsure.errors import ArgumentError
from howsure.metrics import BUILTIN
from howsure.resampling import Scheme, cluster_sums, summaries_of
from howsure.resampling.responses import exchanged
from howsure.resampling.units import draw_counts, draw_signs
from tests.resampling.drawing import draw, every_exchange, jackknife


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
                value = float(metric.advantage(*summaries_of(contest.take(items), metric.needs)))
                possible[metric.name].add(round(value, 9))
    for i, name in enumerate(NAMES):
        defined = found.advantages[i][~np.isnan(found.advantages[i])]
        assert {round(value, 9) for value in defined.tolist()} <= possible[name]
        assert len(set(defined.tolist())) > 20


@pytest.mark.parametrize("name", ["mae", "rmse", "spearman", "kendall", "auc", "f1", "tv"])
@pytest.mark.parametrize("n_clusters", [20, 3700])
def test_a_draw_is_what_its_clusters_make_it(name, n_clusters):
    """Whichever way a metric is drawn: items are written out, or exchanged, with their clusters."""
    rng = np.random.default_rng(2)
    clusters = rng.permutation(np.append(np.arange(n_clusters), rng.integers(n_clusters, size=n_clusters // 2)))
    contest = Contest.from_arrays(*rng.integers(0, 2, (3, clusters.size, 3)).astype(float), scale="ordinal")
    metric = BUILTIN[name].on(contest.scale)
    gold, a, b = summaries_of(contest, metric.needs)
    how = {"n_resamples": 70, "seed": seed_of(5), "clusters": clusters}
    found = draw(contest, [metric], scheme=Scheme(), null=None, **how)
    np.testing.assert_array_equal(
        draw(contest, [metric], scheme=Scheme(), null=None, workers=3, **how).advantages, found.advantages
    )
    swapped = draw(contest, [metric], scheme=Scheme("all"), null="sign-flip", **how).advantages[0]
    looked_at = np.array([0, 33, 69])
    drawn = draw_counts(generator(seed_of(5), "resamples", 0), (70,), n_clusters).astype(int)  # one batch
    signs = draw_signs(generator(seed_of(5), "sign-flip", 0), (70,), n_clusters)
    assert (drawn.sum(axis=1) == n_clusters).all()
    seen_a, seen_b = metric.swappable(gold, a, b)
    for d in looked_at:
        items = np.repeat(np.arange(clusters.size), drawn[d, clusters])
        expected = float(metric.advantage(gold[items], a[items], b[items]))
        assert found.advantages[0, d] == pytest.approx(expected, abs=1e-12, nan_ok=True)
        if metric.additive:
            parts = cluster_sums(metric.item_advantages(gold, a, b), clusters)
            # Each resample of the bootstrap-t has the plain error: the shares that CR2 needs are those of the data.
            sums, sizes = (np.repeat(part, drawn[d]) for part in parts)
            rest = sums - sizes * sums.sum() / sizes.sum()
            error = math.sqrt(n_clusters / (n_clusters - 1) * (rest @ rest)) / sizes.sum()
            assert found.standard_errors[0, d] == pytest.approx(error)
        sides = exchanged(seen_a[np.newaxis], seen_b[np.newaxis], signs[d : d + 1, clusters] < 0)
        expected = float(metric.advantage(gold[np.newaxis], *sides)[0])
        assert swapped[d] == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_clusters_of_one_item_give_the_standard_error_of_items(contest):
    metric = BUILTIN["mae"]
    alone = np.arange(10)
    how = {"scheme": Scheme(), "null": None, "n_resamples": 300, "seed": seed_of(0)}
    one, other = draw(contest, [metric], clusters=alone, **how), draw(contest, [metric], **how)
    assert one.advantages.std() == pytest.approx(other.advantages.std(), rel=0.15)
    assert np.median(one.standard_errors) == pytest.approx(np.median(other.standard_errors), rel=0.1)
    np.testing.assert_allclose(jackknife(contest, metric, alone), jackknife(contest, metric))


def test_all_swaps_of_clusters_are_enumerated(contest):
    found = every_exchange(contest, bound(contest), clusters=CLUSTERS)
    assert found.exact
    assert found.advantages.shape == (3, 16)
    swapped = contest.swapped()
    for i, metric in enumerate(bound(contest)):
        for value, side in ((found.advantages[i, 0], contest), (found.advantages[i, -1], swapped)):
            assert value == pytest.approx(float(metric.advantage(*summaries_of(side, metric.needs))))
    drawn = draw(
        contest, bound(contest), scheme=Scheme(items="all"), null="sign-flip", n_resamples=99, seed=seed_of(0),
        clusters=CLUSTERS,
    )  # fmt: skip
    for i in range(3):
        assert {round(v, 9) for v in drawn.advantages[i]} == {round(v, 9) for v in found.advantages[i]}


def test_other_nulls_are_refused(contest):
    with pytest.raises(ArgumentError, match="clusters are drawn with"):
        draw(
            contest, bound(contest), scheme=Scheme(), null="permuted-responses", n_resamples=3, seed=seed_of(0),
            clusters=CLUSTERS,
        )  # fmt: skip
