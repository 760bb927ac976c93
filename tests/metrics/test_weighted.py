"""Weighted entries: the same scores as entries that are written out as often as they weigh."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from howsure import Contest, _random
from howsure.metrics import _weighted_kernels as kernels
from howsure.metrics import resolve
from howsure.metrics.distribution import Cosine, CosineResponses
from howsure.metrics.error import RootMeanSquaredError
from howsure.metrics.labels import RocAuc
from howsure.metrics.ranking import Kendall, Spearman
from howsure.metrics.weighted import (
    Area,
    Order,
    PairCorrelation,
    RankCorrelation,
    Repeated,
    in_order,
    merge_levels,
)
from howsure.papers.legacy import EarthMoverMeansHistogramLegacy, EarthMoverResponsesHistogramLegacy
from howsure.resampling import Scheme, draw
from howsure.resampling.weights import WeightedAdvantages

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
    gold, model, weights = gold.astype(float), model / 3, weights.astype(np.uint8)
    positive = gold > 2
    ways = {
        "spearman": (RankCorrelation(gold, model), Spearman()),
        "kendall": (PairCorrelation(gold, model), Kendall()),
        "auc": (Area(positive, model), RocAuc(threshold=2.5)),
    }
    for weighted, metric in ways.values():
        [found] = weighted.scores(weights)
        for row, score in zip(weights, found, strict=True):
            if row.sum() < 2:
                continue
            expected = float(metric.score(np.repeat(gold, row), np.repeat(model, row)))
            assert score == pytest.approx(expected, abs=1e-9, nan_ok=True)


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 90), st.sampled_from([0, 1, 9]))
def test_swapped_items_are_entries_of_which_each_model_gets_one(seed, n, digits):
    rng = np.random.default_rng(seed)
    gold, a, b = np.round(rng.normal(size=(3, n)), digits)
    coins = rng.integers(0, 2, size=(7, n), dtype=np.uint8)
    for metric in (Spearman(), RocAuc(threshold=0.45)):
        found = WeightedAdvantages(metric, gold, a, b, swap=True).scored(coins)
        for own, advantage in zip(coins.astype(bool), found, strict=True):
            expected = float(metric.advantage(gold, np.where(own, b, a), np.where(own, a, b)))
            assert advantage == pytest.approx(expected, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("heavy", [False, True])
@pytest.mark.parametrize("tied", ["nothing", "gold", "model", "both", "some"])
def test_blocks_of_lanes_are_the_plain_way(tied, heavy):
    """More entries than a block and more draws than lanes, with and without ties: whole numbers, so the same bits.

    Heavy weights leave little room in narrow numbers; what is added up in them is then shorter.
    """
    rng = np.random.default_rng(3)
    gold, a, b = rng.normal(size=(3, 1100))
    gold = gold.round(1) if tied in ("gold", "both") else gold
    a, b = (side.round(2) if tied in ("model", "both") else side for side in (gold + a, gold - b))
    if tied == "some":  # groups of every size, and entries without equals between them
        for side in (gold, a, b):
            side[side > 1] = side[side > 1].round(1)
    weights = rng.poisson(1.0, (37, gold.size)).astype(np.uint8)
    if heavy:
        weights[:, rng.random(gold.size) < 0.3] = 63
    for metric in (Spearman(), Kendall(), RocAuc(threshold=0.5)):
        found = metric.weighted(gold, a, b).scores(weights)
        some = np.r_[0:37:3, 31:35]  # of every row of lanes, and both sides of their end: the plain way takes its time
        np.testing.assert_allclose(found[:, some], Repeated(metric, gold, a, b).scores(weights[some]), rtol=1e-12)
        np.testing.assert_array_equal(found[1:, 32:], metric.weighted(gold, b).scores(weights[32:]))


def wide_only(*sides):
    """Return a correlation whose ranks have 32 bits from the start."""
    wide = RankCorrelation(*sides)
    wide.rooms = wide.rooms[-1:]
    return wide


def ranks_of(order, weights):
    """Return the doubled ranks of entries in this order, (entries, draws): the plain twin of `rank`."""
    placed = weights[:, order.entries].astype(np.int64)
    groups = np.concatenate([[0], np.cumsum(order.ends[:-1])])
    sums = np.stack([np.bincount(groups, row) for row in placed]).astype(np.int64)
    return (2 * (np.cumsum(sums, axis=1) - sums) + sums + 1)[:, groups].T


@given(st.lists(st.floats(allow_nan=False) | st.integers(0, 30).map(lambda k: 1 + k * 2.0**-52), max_size=200))
def test_places_are_in_the_order_of_values(values):
    """Numbers that differ in their last digits only stand in no order within the words that are sorted."""
    values = np.array(values, dtype=float)
    places = in_order(values)
    np.testing.assert_array_equal(np.sort(places), np.arange(values.size))
    np.testing.assert_array_equal(values[places], np.sort(values))


def test_many_values_that_differ_in_their_last_digits_are_in_order():
    values = 1 + np.random.default_rng(0).permutation(3_000) * 2.0**-52
    np.testing.assert_array_equal(values[in_order(values)], np.sort(values))


@pytest.mark.parametrize("kind", [np.uint16, np.uint32])
@pytest.mark.parametrize("tied", [False, True])
def test_words_hold_ranks_and_weights(kind, tied):
    rng = np.random.default_rng(5)
    gold, model = rng.normal(size=(2, 1100))
    if tied:
        gold, model = np.where(gold > 1, gold.round(1), gold), model.round(2)
    lanes = 64 // np.dtype(kind).itemsize
    weights = rng.poisson(1.0, (lanes, gold.size)).astype(np.uint8)
    order, out = Order.of(gold), np.zeros((gold.size, lanes), dtype=kind)
    entries, slope = order.entries.astype(np.int32), np.uint64(kernels.expected_slope(weights[0]))
    rows = np.ascontiguousarray(weights.T)
    fits, totals, cubes, excess = kernels.rank(entries, order.ends, rows, lanes, slope, out)
    bits, ranks = int(kernels.weight_bits(out)), ranks_of(order, weights)
    bases = np.array([kernels.base_of(np.uint64(k), slope, out) for k in range(gold.size)]).astype(np.int32)
    assert fits
    np.testing.assert_array_equal(out & (2**bits - 1), rows[entries])
    np.testing.assert_array_equal((out >> bits) + bases[:, np.newaxis], ranks)
    np.testing.assert_array_equal(totals[:lanes], weights.sum(axis=1))
    np.testing.assert_array_equal(cubes[:lanes], (weights.astype(float) ** 3).sum(axis=1))
    assert (excess[:lanes] > 0).all() == tied
    other = Order.of(model)[order.entries]
    places = other.entries
    shared = (rows[entries][places].astype(np.int64) * ranks[places] * ranks_of(Order.of(model), weights)).sum(axis=0)
    for run in (0, 2, 20):  # 0: as with ranks so large that no two products fit into 32 bits
        fits, found, _ = kernels.share(places, other.ends, out, lanes, slope, run, np.uint32(10_000))
        assert fits
        np.testing.assert_array_equal(found[:lanes], shared)
        if run and not tied:
            starts = [
                block + start for block in range(0, gold.size, kernels.BLOCK) for start in range(0, kernels.BLOCK, run)
            ]
            heaviest = np.add.reduceat(rows[entries][places], [at for at in starts if at < gold.size], dtype=int).max()
            for most in (heaviest, heaviest - 1):
                fits, _, _ = kernels.share(places, other.ends, out, lanes, slope, run, np.uint32(most))
                assert fits == (most == heaviest)


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("n_draws", [1, 8, 31, 32, 37, 64])
def test_ranks_of_16_bits_give_the_bits_of_32(tied, n_draws):
    rng = np.random.default_rng(n_draws)
    gold, a, b = rng.normal(size=(3, 1500))
    if tied:
        gold, a, b = (np.where(side > 1, side.round(1), side) for side in (gold, a, b))
    weights = rng.poisson(1.0, (n_draws, gold.size)).astype(np.uint8)
    narrow = RankCorrelation(gold, a, b)
    np.testing.assert_array_equal(narrow.scores(weights), wide_only(gold, a, b).scores(weights))
    assert len(narrow.rooms) == 2


def border(kind, at):
    """Return weights that are `at` one of the borders of what 16 bits can hold: zeros first, or last, or heavy ones."""
    weights = np.ones((3, 3000), dtype=np.uint8)
    if kind == "zeros first":
        weights[1, :at], weights[1, 2000 : 2000 + at] = 0, 2
    elif kind == "zeros last":
        weights[1, :at], weights[1, 2000 : 2000 + at] = 2, 0
    elif kind == "a heavy block":
        weights[1, 640 : 640 + 64] = np.diff(np.arange(65) * at // 64)
    else:
        weights[1, 7] = at
    return weights


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize(
    ("kind", "around"),
    [("zeros first", 960), ("zeros last", 960), ("a heavy block", 255), ("a heavy entry", 15)],
)
def test_what_16_bits_cannot_hold_is_ranked_in_32(kind, around, tied):
    rng = np.random.default_rng(6)
    gold, model = np.arange(3000.0), rng.normal(size=3000)
    if tied:
        gold[:64], gold[1990:2005] = 0, 1990  # so that blocks start where they do without ties
    held = []
    for at in range(around - 3, around + 70 if "zeros" in kind else around + 3):
        weights, tried = border(kind, at), RankCorrelation(gold, model)
        np.testing.assert_array_equal(tried.scores(weights), wide_only(gold, model).scores(weights))
        np.testing.assert_allclose(tried.scores(weights), Repeated(Spearman(), gold, model).scores(weights), rtol=1e-12)
        held.append(len(tried.rooms) == 2)
    assert held == sorted(held, reverse=True)
    assert held[0]
    assert not held[-1]


def test_clusters_drawn_together_and_long_ties_are_ranked_in_32_bits():
    rng = np.random.default_rng(7)
    gold, model = rng.normal(size=(2, 12_000))
    weights = np.repeat(rng.poisson(1.0, (5, 8)), 1500, axis=1).astype(np.uint8)
    by_cluster = np.sort(gold)
    for side, drawn in ((by_cluster, weights), (gold.round(), rng.poisson(1.0, (5, gold.size)).astype(np.uint8))):
        tried = RankCorrelation(side, model)
        assert len(tried.rooms) == (2 if side is by_cluster else 1)  # long ties are known before the first draw
        np.testing.assert_allclose(tried.scores(drawn), Repeated(Spearman(), side, model).scores(drawn), rtol=1e-12)
        assert len(tried.rooms) == 1


@pytest.mark.parametrize("heavy", [63, 64, 255])
def test_weights_that_no_word_can_hold_count_as_often_as_they_weigh(heavy):
    rng = np.random.default_rng(8)
    gold, model = rng.normal(size=100).round(1), rng.normal(size=100).round(1)
    weights = rng.poisson(1.0, (40, gold.size)).astype(np.uint8)
    weights[35, 7:9] = heavy
    ways = {Spearman: stats.spearmanr, Kendall: stats.kendalltau}
    for metric, known in ways.items():
        [found] = metric().weighted(gold, model).scores(weights)
        expected = [known(np.repeat(gold, row), np.repeat(model, row)).statistic for row in weights]
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    [found] = RocAuc(threshold=0.25).weighted(gold, model).scores(weights)
    for row, area in zip(weights, found, strict=True):
        drawn, positive = np.repeat(model, row), np.repeat(gold, row) > 0.25
        pairs = positive.sum() * (~positive).sum()
        assert area == pytest.approx(stats.mannwhitneyu(drawn[positive], drawn[~positive]).statistic / pairs, rel=1e-12)


def test_sums_that_leave_32_bits_are_carried():
    """Sums of products of ranks are carried from 32 to 64 bits and rounded beyond 53; correlations do not show it."""
    rng = np.random.default_rng(4)
    gold, model = rng.normal(size=(2, 30_000))
    weights = rng.poisson(1.0, (2, gold.size)).astype(np.uint8)
    weights[1, :20_000] = 40  # 800,000 entries in all
    [found] = RankCorrelation(gold, model).scores(weights)
    for row, score in zip(weights, found, strict=True):
        ranks = [stats.rankdata(np.repeat(side, row)) for side in (gold, model)]
        assert score == pytest.approx(np.corrcoef(*ranks)[0, 1], rel=1e-9)


def test_unweighted_entries_are_scipys():
    rng = np.random.default_rng(0)
    gold, model = rng.normal(size=300), rng.integers(0, 20, 300) / 7
    ones = np.ones((1, 300), dtype=np.uint8)
    assert RankCorrelation(gold, model).scores(ones)[0, 0] == pytest.approx(stats.spearmanr(gold, model).statistic)
    assert PairCorrelation(gold, model).scores(ones)[0, 0] == pytest.approx(stats.kendalltau(gold, model).statistic)


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


def anew(metric):
    """Return the same metric, but scored anew for every draw."""
    kind = type(metric)
    slow = type(f"Slow{kind.__name__}", (kind,), {"by_sums": False, "__module__": __name__})
    return slow(threshold=metric.threshold, positive=metric.positive)


@pytest.mark.parametrize("null", [None, "sign-flip"])
@pytest.mark.parametrize("name", ["precision", "recall", "f1"])
@pytest.mark.parametrize("scale", ["ordinal", "nominal"])
@pytest.mark.parametrize("n_items", [25, 4500])
def test_draws_by_sums_are_the_draws_that_are_scored_anew(name, null, scale, n_items):
    rng = np.random.default_rng(n_items)
    gold = rng.integers(1, 4, (n_items, 2)).astype(float)
    a, b = (np.where(rng.random((n_items, 3)) < 0.5, gold[:, :1], rng.integers(1, 4, (n_items, 3))) for _ in range(2))
    contest = Contest.from_arrays(gold, a, b, scale=scale)
    metric = replace(resolve(name), threshold=None if scale == "nominal" else 2.0)
    how = {"scheme": Scheme("bootstrap" if null is None else "all"), "null": null, "n_resamples": 11}
    # A second metric keeps the items drawn; alone, many items of few kinds would be counted.
    found = draw(contest, [metric.on(contest.scale)] * 2, seed=_random.seed_of(5), **how).advantages
    expected = draw(contest, [anew(metric).on(contest.scale)] * 2, seed=_random.seed_of(5), **how).advantages
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_many_items_of_few_kinds_are_counted_for_f1():
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 2, 20_000).astype(float)
    a, b = (np.where(rng.random(20_000) < share, gold, 1 - gold) for share in (0.8, 0.79))
    contest = Contest.from_arrays(gold, a, b, scale="ordinal")
    metric = resolve("f1").on(contest.scale)
    for null in (None, "sign-flip"):
        how = {"scheme": Scheme("bootstrap" if null is None else "all"), "null": null, "n_resamples": 400}
        counted = draw(contest, [metric], seed=_random.seed_of(1), **how).advantages[0]
        drawn = draw(contest, [metric, metric], seed=_random.seed_of(2), **how).advantages[0]
        assert stats.ks_2samp(counted, drawn).pvalue > 1e-4
        assert not np.array_equal(counted, drawn)


PAIRS = {"spearman": SlowSpearman(), "kendall": SlowKendall(), "auc": SlowAuc(threshold=3.0)}


@pytest.mark.parametrize("null", [None, "sign-flip"])
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
        draw(contest, [metric], seed=_random.seed_of(5), **how).advantages
        for metric in (fast, PAIRS[name].on(contest.scale))
    )
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    threads = draw(contest, [fast], seed=_random.seed_of(5), workers=3, **(how | {"n_resamples": 130})).advantages
    np.testing.assert_array_equal(threads[:, :11], found)


@dataclass(frozen=True)
class SlowRootMeanSquaredError(RootMeanSquaredError):
    by_sums: ClassVar[bool] = False


@dataclass(frozen=True)
class SlowCosine(Cosine):
    by_sums: ClassVar[bool] = False


@dataclass(frozen=True)
class SlowCosineResponses(CosineResponses):
    by_sums: ClassVar[bool] = False


@dataclass(frozen=True)
class SlowMeansHistogram(EarthMoverMeansHistogramLegacy):
    by_weights: ClassVar[bool] = False


@dataclass(frozen=True)
class SlowResponsesHistogram(EarthMoverResponsesHistogramLegacy):
    by_weights: ClassVar[bool] = False


OF_RESPONSES = [
    (RootMeanSquaredError(), SlowRootMeanSquaredError()),
    (Cosine(), SlowCosine()),
    (CosineResponses(), SlowCosineResponses()),
    (EarthMoverMeansHistogramLegacy(7), SlowMeansHistogram(7)),
    (EarthMoverResponsesHistogramLegacy(), SlowResponsesHistogram()),
]


@pytest.mark.parametrize("null", [None, "sign-flip"])
@pytest.mark.parametrize(("fast", "slow"), OF_RESPONSES, ids=[fast.name for fast, _ in OF_RESPONSES])
@pytest.mark.parametrize("n_items", [25, 4500])
def test_draws_of_all_responses_are_the_draws_that_are_scored_anew(fast, slow, null, n_items):
    """Also where a model has fewer responses than the other, and where responses lie outside of all bins."""
    rng = np.random.default_rng(n_items)
    gold, a, b = rng.normal(0.5, 0.3, (n_items, 4)), rng.normal(0.5, 0.3, (n_items, 4)), rng.random((n_items, 3))
    a[:, 3] = np.where(rng.random(n_items) < 0.5, a[:, 3], np.nan)
    contest = Contest.from_arrays(gold, a, b)
    how = {"scheme": Scheme("bootstrap" if null is None else "all"), "null": null, "n_resamples": 19}
    found, expected = (
        draw(contest, [metric, metric], seed=_random.seed_of(5), **how).advantages for metric in (fast, slow)
    )
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_a_model_of_zeros_has_no_cosine_whatever_is_swapped():
    """Half of what an item adds and half of its difference cancel on paper; sums of them leave rounding."""
    rng = np.random.default_rng(1)
    gold, a = rng.random((2, 9))
    b = np.zeros(9)
    metric, every = Cosine(), np.arange(2**9)[:, np.newaxis] >> np.arange(9) & 1
    found = draw(
        Contest.from_arrays(gold, a, b), [metric], scheme=Scheme("all"), null="sign-flip", n_resamples=5000,
        seed=_random.seed_of(0),
    ).advantages[0]  # fmt: skip
    unit = a / np.sqrt(np.mean(a**2))
    scored = metric.advantage(gold, np.where(every, 0, unit), np.where(every, unit, 0))
    expected = np.isnan(scored).mean()
    assert expected == 2 / 2**9
    low, high = stats.binom.interval(1 - 1e-4, found.size, expected)
    assert low <= np.isnan(found).sum() <= high
    defined = np.abs(found[~np.isnan(found)][:, np.newaxis] - scored[~np.isnan(scored)]).min(axis=1)
    assert defined.max() < 1e-12


def test_heavy_weights_of_full_bins_are_added_up():
    """More entries in a bin than sums of sixteen bits can hold, and more draws than a row has."""
    rng = np.random.default_rng(8)
    gold, model = rng.random((2, 700)) / 60  # all in the first bin
    model[:300] += 0.5
    weights = rng.integers(200, 256, (21, 700)).astype(np.uint8)
    metric = EarthMoverMeansHistogramLegacy()
    expected = [metric.score(np.repeat(gold, row), np.repeat(model, row)) for row in weights]
    np.testing.assert_array_equal(metric.weighted(gold, model).scores(weights), [expected])
