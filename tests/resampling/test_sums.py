"""Sums over many items: the same draws by either way, their twins, and their distributions."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from howsure import Contest, _random
from howsure.metrics import resolve
from howsure.resampling import Scheme, _kernels, _split_kernels, draw, sums
from howsure.resampling.sums import ItemSums, draw_items, kinds_of
from tests.resampling import twins

SEEDS = np.random.default_rng(3).integers(2**64, size=20_000, dtype=np.uint64)
SURE = 1e-4


class PlainState:
    """Uniform numbers from a seed, as the kernels count them."""

    def __init__(self, seed):
        self.seed, self.at = seed, 0

    def uniform(self):
        self.at += 1
        return ((twins.word(self.seed, self.at - 1) >> 11) + 0.5) * 2.0**-53


def binomial(k, share, state):
    """Hörmann's rejection once more, with the log-gammas of Python."""
    mean, odds = k * share, share / (1 - share)
    if mean < 10:
        left, chance, count = state.uniform(), math.exp(k * math.log1p(-share)), 0
        while left > chance and count < k:
            left -= chance
            chance *= odds * (k - count) / (count + 1)
            count += 1
        return count
    spread = math.sqrt(mean * (1 - share))
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * share
    while True:
        u, v = state.uniform() - 0.5, state.uniform()
        us = 0.5 - abs(u)
        count = math.floor((2 * a / us + b) * u + mean + 0.5)
        if us >= 0.07 and v <= 0.92 - 4.2 / b:
            return count
        if not 0 <= count <= k:
            continue
        mode = int((k + 1) * share)
        gammas = [math.lgamma(x + 1) for x in (mode, k - mode, count, k - count)]
        ratio = gammas[0] + gammas[1] - gammas[2] - gammas[3] + (count - mode) * math.log(odds)
        if math.log(v * (2.83 + 5.1 / b) * spread / (a / us**2 + b)) <= ratio:
            return count


def split(sizes, seed):
    state, left, rest, counts = PlainState(twins.word(int(seed), 2**63)), sum(sizes), sum(sizes), []
    for size in sizes[:-1]:
        share = size / rest
        count = binomial(left, share, state) if share <= 0.5 else left - binomial(left, (rest - size) / rest, state)
        counts.append(count)
        left, rest = left - count, rest - size
    return [*counts, left]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 400), min_size=1, max_size=7), st.integers(0, 2**64 - 1))
def test_splits_twin(sizes, seed):
    logs = sums.log_factorials(sum(sizes))
    found = _split_kernels.draw_split(np.array(sizes), np.array([seed], dtype=np.uint64), logs)
    assert found[0].tolist() == split(sizes, seed)
    heads = _split_kernels.draw_heads(np.array(sizes), np.array([seed], dtype=np.uint64), logs)
    state = PlainState(twins.word(seed, 2**63))
    assert heads[0].tolist() == [binomial(size, 0.5, state) for size in sizes]


@pytest.mark.parametrize("n_items", [4097, 9000])
def test_items_of_parts_twin(n_items):
    seeds = SEEDS[:2]
    out = np.empty((2, n_items), dtype=np.int64)
    draw_items(n_items, seeds, out)
    sizes = sums.parts_of(n_items).tolist()
    for seed, row in zip(seeds.tolist(), out, strict=True):
        expected = []
        for part, (size, count) in enumerate(zip(sizes, split(sizes, seed), strict=True)):
            expected += [4096 * part + i for i in twins.indices(twins.word(seed, 2**63 + 1 + part), 0, size, count)]
        assert row.tolist() == expected


@pytest.mark.parametrize("n_items", [300, 4096, 4097, 10_000])
@pytest.mark.parametrize("width", [1, 2, 4])
def test_sums_are_those_of_the_items_drawn(n_items, width):
    columns = np.random.default_rng(n_items).normal(size=(n_items, width))
    out = np.empty((20, n_items), dtype=np.int64)
    draw_items(n_items, SEEDS[:20], out)
    found = ItemSums(columns, swap=False, n_draws=20, alone=False).of(SEEDS[:20])
    np.testing.assert_allclose(found, columns[out].sum(axis=1), rtol=1e-9, atol=1e-9)
    with_squares = ItemSums(columns, swap=False, n_draws=20, alone=False, centres=columns.mean(axis=0)).of(SEEDS[:20])
    np.testing.assert_allclose(with_squares[:, :width], found, rtol=1e-9, atol=1e-9)
    squares = np.square(columns - columns.mean(axis=0))[out].sum(axis=1)
    np.testing.assert_allclose(with_squares[:, width:], squares, rtol=1e-9)


def test_the_parts_of_many_items_come_as_a_multinomial():
    sizes = np.array([300, 40, 3, 500])
    counts = _split_kernels.draw_split(sizes, SEEDS, sums.log_factorials(843))
    assert (counts.sum(axis=1) == 843).all()
    for part, size in enumerate(sizes):
        expected = counts.shape[0] * stats.binom.pmf(np.arange(844), 843, size / 843)
        seen, common = np.bincount(counts[:, part], minlength=844), expected > 10
        observed, hoped = (np.append(side[common], side[~common].sum()) for side in (seen, expected))
        assert stats.chisquare(observed, hoped, sum_check=False).pvalue > SURE
    shares = sizes / 843
    expected = 843 * (np.diag(shares) - np.outer(shares, shares))
    spread = np.sqrt(np.outer(np.diag(expected), np.diag(expected)) / SEEDS.size)
    assert (np.abs(np.cov(counts.T) - expected) < 5 * spread).all()


def test_kinds_are_counted_as_their_items_would_be_drawn():
    """The mean and spread of sums over kinds are those of sums over items; swapped kinds are symmetric."""
    rng = np.random.default_rng(0)
    advantages = rng.choice([-1.0, 0.0, 0.5, 1.0], 5000, p=[0.2, 0.5, 0.1, 0.2])
    columns = np.stack([advantages, np.square(advantages - advantages.mean())], axis=1)
    counted = ItemSums(columns, swap=False, n_draws=2000, alone=True)
    drawn = ItemSums(columns, swap=False, n_draws=2000, alone=False)
    assert (counted.sizes.size, drawn.sizes.size) == (4, 0)
    for column in range(2):
        assert stats.ks_2samp(counted.of(SEEDS[:2000])[:, column], drawn.of(SEEDS[2000:4000])[:, column]).pvalue > SURE
    signed = ItemSums(columns[:, :1], swap=True, n_draws=2000, alone=True)
    tossed = ItemSums(columns[:, :1], swap=True, n_draws=2000, alone=False)
    assert stats.ks_2samp(signed.of(SEEDS)[:, 0], tossed.of(SEEDS[2000:4000])[:, 0]).pvalue > SURE
    assert stats.ks_2samp(signed.of(SEEDS)[:, 0], -signed.of(SEEDS[2000:])[:, 0]).pvalue > SURE


def test_many_kinds_are_drawn():
    assert kinds_of(np.arange(5000.0)[:, np.newaxis])[0].size == 0
    sizes, rows = kinds_of(np.array([[1.0, 2.0], [0.0, 2.0], [1.0, 2.0], [1.0, 3.0]]))
    assert dict(zip(map(tuple, rows.tolist()), sizes.tolist(), strict=True)) == {(0, 2): 1, (1, 2): 2, (1, 3): 1}


@pytest.fixture(scope="module")
def many():
    rng = np.random.default_rng(0)
    gold = rng.normal(size=6000)
    return Contest.from_arrays(gold, gold + 0.1 * rng.normal(size=6000), gold + 0.1 * rng.normal(size=6000))


@pytest.mark.parametrize("null", [None, "sign-flip"])
@pytest.mark.parametrize("name", ["mae", "wins"])
def test_threads_and_lengths_change_no_bit_of_many_items(many, name, null):
    metric = resolve(name).on(many.scale)
    scheme = Scheme("bootstrap" if null is None else "all")

    def drawn(n, workers):
        seed = _random.seed_of(7)
        return draw(many, [metric], scheme=scheme, null=null, n_resamples=n, seed=seed, workers=workers).advantages

    whole = drawn(300, 1)
    np.testing.assert_array_equal(drawn(300, 3), whole)
    np.testing.assert_array_equal(drawn(130, 2), whole[:, :130])


def test_linear_and_general_metrics_share_the_draws_of_many_items(many):
    """RMSE has no item advantages; its square is a mean of them."""
    squared, rooted = (resolve(name).on(many.scale) for name in ("mse", "rmse"))
    seed = _random.seed_of(0)
    both = draw(many, [squared, rooted], scheme=Scheme(), null=None, n_resamples=20, seed=seed).advantages
    items = np.empty((20, 6000), dtype=np.int64)
    draw_items(6000, _kernels.seed_stream(np.uint64(_random.key(seed, "draws")), 5, 0, 0, 20), items)
    gold, a, b = (side.values[items] for side in (many.gold, many.a, many.b))
    errors = [np.square(side - gold).mean(axis=1) for side in (a, b)]
    np.testing.assert_allclose(both[0], errors[1] - errors[0], rtol=1e-9)
    np.testing.assert_allclose(both[1], np.sqrt(errors[1]) - np.sqrt(errors[0]), rtol=1e-9)
