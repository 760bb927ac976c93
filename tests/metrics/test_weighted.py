"""Weighted entries: the same scores as entries that are written out as often as they weigh."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from assay import Contest, _random
from assay.metrics import resolve
from assay.metrics.labels import RocAuc
from assay.metrics.ranking import Kendall, Spearman
from assay.metrics.weighted import Area, PairCorrelation, RankCorrelation, merge_levels
from assay.resampling import Scheme, draw

entries = st.integers(2, 40).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 6), min_size=n, max_size=n),
        st.lists(st.integers(-3, 9), min_size=n, max_size=n),
        st.lists(st.lists(st.integers(0, 4), min_size=n, max_size=n), min_size=1, max_size=6),
    )
)


@settings(deadline=None)
@given(entries)
def test_weights_are_repetitions(drawn):
    gold, model, weights = (np.array(side) for side in drawn)
    gold, model, weights = gold.astype(float), model / 3, weights.astype(np.int16)
    positive = gold > 2
    ways = {
        "spearman": (RankCorrelation(gold, model), Spearman()),
        "kendall": (PairCorrelation(gold, model), Kendall()),
        "auc": (Area(positive, model), RocAuc(threshold=2.5)),
    }
    for weighted, metric in ways.values():
        found = weighted.scores(weights)
        for row, score in zip(weights, found, strict=True):
            if row.sum() < 2:
                continue
            expected = float(metric.score(np.repeat(gold, row), np.repeat(model, row)))
            assert score == pytest.approx(expected, abs=1e-9, nan_ok=True)


def test_unweighted_entries_are_scipys():
    rng = np.random.default_rng(0)
    gold, model = rng.normal(size=300), rng.integers(0, 20, 300) / 7
    ones = np.ones((1, 300), dtype=np.int16)
    assert RankCorrelation(gold, model).scores(ones)[0] == pytest.approx(stats.spearmanr(gold, model).statistic)
    assert PairCorrelation(gold, model).scores(ones)[0] == pytest.approx(stats.kendalltau(gold, model).statistic)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40))
def test_levels_are_those_of_merge_sort(values):
    values = np.array(values)
    for level, order in enumerate(merge_levels(values)):
        width = 2 << level
        expected = [
            sorted(range(low, min(low + width, values.size)), key=lambda place: values[place])
            for low in range(0, values.size, width)
        ]
        assert order.tolist() == [place for block in expected for place in block]


@dataclass(frozen=True)
class SlowSpearman(Spearman):
    by_weights: ClassVar[bool] = False


@dataclass(frozen=True)
class SlowKendall(Kendall):
    by_weights: ClassVar[bool] = False


@dataclass(frozen=True)
class SlowAuc(RocAuc):
    @property
    def by_weights(self):
        return False


PAIRS = {"spearman": SlowSpearman(), "kendall": SlowKendall(), "auc": SlowAuc(threshold=3.0)}


@pytest.mark.parametrize("null", [None, "swapped-items"])
@pytest.mark.parametrize("name", list(PAIRS))
@pytest.mark.parametrize("n_items", [25, 4500])
def test_draws_by_weights_are_the_draws_that_are_scored_anew(name, null, n_items):
    rng = np.random.default_rng(n_items)
    gold = rng.integers(1, 6, n_items).astype(float)
    a, b = (np.clip(gold[:, np.newaxis] + rng.integers(-2, 3, (n_items, 3)), 1, 5) for _ in range(2))
    contest = Contest.from_arrays(gold, a, b)
    fast = resolve(name)
    fast = (replace(fast, threshold=3.0) if name == "auc" else fast).on(contest.scale)
    how = {"scheme": Scheme("bootstrap" if null is None else "all"), "null": null, "n_resamples": 11}
    found, expected = (
        draw(contest, [metric], seed=_random.seed_of(5), **how).contrasts
        for metric in (fast, PAIRS[name].on(contest.scale))
    )
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    threads = draw(contest, [fast], seed=_random.seed_of(5), workers=3, **(how | {"n_resamples": 130})).contrasts
    np.testing.assert_array_equal(threads[:, :11], found)
