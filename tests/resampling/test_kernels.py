"""Kernels against plain twins, and their distributions against exact probabilities."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from howsure.data.responses import frozen
from howsure.resampling import _kernels, _plain, _response_kernels
from tests.resampling import twins

LEVELS = [0.0, 1.0, 2.5]
NEEDS = {
    "means": None,
    "counts": _response_kernels.COUNTS,
    "sorted": _response_kernels.SORTED,
    "values": _response_kernels.VALUES,
}
ROWS = st.lists(st.lists(st.sampled_from(LEVELS), min_size=1, max_size=6), min_size=1, max_size=7)
SEEDS = st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=3).map(lambda seeds: np.array(seeds, dtype=np.uint64))
MANY = np.random.default_rng(1).integers(2**64, size=24_000, dtype=np.uint64)
KEPT = np.empty((0, 0), dtype=np.int64)
SURE = 1e-4
"""A fair kernel falls below this p-value for one seed in ten thousand; the seed is fixed."""


def flat(rows):
    values = np.concatenate(rows)
    return frozen(values), np.searchsorted(LEVELS, values), frozen(np.cumsum([0, *map(len, rows)]))


def items_of(n_items, seeds):
    out = np.empty((seeds.size, n_items), dtype=np.int64)
    _kernels.draw_items(n_items, seeds, out)
    return out


def draw(rows, n_out, drawn, seeds, needs, levels=LEVELS):
    """Call the kernel that makes what `needs` asks for; the result is (draws, items, width)."""
    values, offsets = frozen(np.concatenate(rows)), frozen(np.cumsum([0, *map(len, rows)]))
    width = {"means": 1, "counts": len(levels)}.get(needs, int(n_out.max()))
    out = np.full((seeds.size, len(rows), width), -1.0)
    if needs == "means":
        _response_kernels.draw_means(values, offsets, n_out, drawn, seeds, out[..., 0])
    elif needs == "counts":
        _response_kernels.draw_counts(np.searchsorted(levels, values), offsets, n_out, drawn, seeds, out)
    else:
        kernel, more = (
            (_response_kernels.draw_sorted, [])
            if needs == "sorted"
            else (_response_kernels.draw_values, [np.empty((0, 0))])
        )
        kernel(values, offsets, n_out, drawn, seeds, out, *more)
    return out


def dealt(rows, n_first, drawn, seeds, needs, width):
    """Call the kernel that deals responses to A and to B; each result is (draws, items, width)."""
    values, codes, offsets = flat(rows)
    first, rest = (np.full((seeds.size, len(rows), each), -1.0) for each in width)
    if needs == "means":
        means = first[..., 0].copy(), rest[..., 0].copy()
        _response_kernels.deal_means(values, offsets, n_first, drawn, seeds, *means)
        return [side[..., np.newaxis] for side in means]
    _response_kernels.deal_responses(values, codes, offsets, n_first, drawn, seeds, NEEDS[needs], first, rest)
    return [first, rest]


def test_words_are_splitmix64():
    published = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]  # its first words at seed 0
    assert [twins.word(0, i) for i in range(3)] == published
    assert [int(_kernels._word(np.uint64(0), np.uint64(i))) for i in range(3)] == published


@given(st.integers(1, 150), SEEDS, st.integers(1, 3), st.integers(0, 2**64 - 1))
def test_small_jobs_have_the_same_bits_without_the_compiler(n_items, seeds, width, key):
    columns = np.random.default_rng(n_items).normal(size=(n_items, width))
    for centres in (np.empty(0), columns.mean(axis=0)):
        plain, compiled = (side.bootstrap_sums(columns, centres, seeds) for side in (_plain, _kernels))
        np.testing.assert_array_equal(plain, compiled)
    table = _plain.swap_table(columns)
    np.testing.assert_array_equal(table, _kernels.swap_table(columns))
    np.testing.assert_array_equal(_plain.swap_sums(table, seeds), _kernels.swap_sums(table, seeds))
    streams = (np.uint64(key), 5, 2, 3, 3 + n_items)
    np.testing.assert_array_equal(_plain.seed_stream(*streams), _kernels.seed_stream(*streams))


@pytest.mark.parametrize("n_draws", [255, 256, 257, 600])
def test_swaps_of_many_draws_have_the_bits_of_each(n_draws):
    table = _kernels.swap_table(np.random.default_rng(0).normal(size=(70, 3)))
    seeds = _kernels.seed_stream(np.uint64(1), 1, 0, 0, n_draws)
    np.testing.assert_array_equal(_kernels.swap_sums(table, seeds), _plain.swap_sums(table, seeds))


@given(st.integers(1, 150), SEEDS)
def test_items_and_swaps_twins(n_items, seeds):
    assert items_of(n_items, seeds).tolist() == [twins.items(n_items, seed) for seed in seeds]
    assert _kernels.draw_swaps(n_items, seeds).tolist() == [twins.swaps(n_items, seed) for seed in seeds]


@given(st.integers(1, 150), SEEDS, st.integers(1, 3))
def test_sums_add_up_the_same_draws(n_items, seeds, width):
    columns = np.random.default_rng(0).normal(size=(n_items, width))
    centres = columns.mean(axis=0)
    drawn, swapped = items_of(n_items, seeds), _kernels.draw_swaps(n_items, seeds)
    sums = np.array([columns[row].sum(axis=0) for row in drawn])
    signed = np.array([(columns * np.where(row, -1, 1)[:, np.newaxis]).sum(axis=0) for row in swapped])
    squares = np.array([np.square(columns[row] - centres).sum(axis=0) for row in drawn])
    found = _kernels.bootstrap_sums(columns, centres, seeds)
    np.testing.assert_allclose(found, np.concatenate([sums, squares], axis=1), atol=1e-11)
    np.testing.assert_allclose(_kernels.swap_sums(_kernels.swap_table(columns), seeds), signed, atol=1e-11)


@given(st.integers(1, 9), SEEDS)
def test_gather_twin(n_items, seeds):
    rows = np.random.default_rng(0).normal(size=(n_items, 2))
    drawn = items_of(n_items, seeds)
    out = np.empty((*drawn.shape, 2))
    _kernels.gather(rows, drawn, out)
    assert (out == rows[drawn]).all()


@given(st.integers(0, 2**64 - 1), st.integers(0, 50), st.integers(0, 9))
def test_seeds_are_the_words_of_the_key_and_need_no_block(key, start, n_draws):
    found = _kernels.seed_draws(np.uint64(key), 5, start, start + n_draws)
    assert found.T.tolist() == [[twins.word(key, 5 * d + s) for s in range(5)] for d in range(start, start + n_draws)]


@pytest.mark.parametrize("needs", list(NEEDS))
@given(rows=ROWS, seeds=SEEDS, n_out=st.integers(0, 7), resampled=st.booleans())
def test_drawn_responses_twin(needs, rows, seeds, n_out, resampled):
    sizes = np.array([len(row) for row in rows]) if n_out == 0 else np.full(len(rows), n_out)
    drawn = items_of(len(rows), seeds + np.uint64(1)) if resampled else KEPT
    kept = [sorted(row) for row in rows] if needs == "sorted" else rows
    found = draw(kept, sizes, drawn, seeds, needs)
    for d, seed in enumerate(seeds):
        order = drawn[d] if resampled else range(len(rows))
        expected = twins.summary(twins.responses(kept, sizes, order, seed), needs, LEVELS, int(sizes.max()))
        np.testing.assert_allclose(found[d], expected, rtol=1e-14)


@pytest.mark.parametrize("n_levels", [8, 9])
@pytest.mark.parametrize("size", [1, 8, 9])
@pytest.mark.parametrize("n_out", [127, 128, 255, 256])
@pytest.mark.parametrize("needs", list(NEEDS))
def test_the_twins_agree_where_the_kernels_change_their_way(needs, n_out, size, n_levels):
    levels = np.arange(float(n_levels)).tolist()
    rows = [sorted(levels[(3 * i + j) % n_levels] for j in range(size)) for i in range(3)] + [[levels[-1]]]
    counts = np.array([n_out, 1, 2, n_out])
    found = draw(rows, counts, KEPT, MANY[:2], needs, levels)
    for d in range(2):
        expected = twins.summary(twins.responses(rows, counts, range(4), MANY[d]), needs, levels, n_out)
        np.testing.assert_allclose(found[d], expected, rtol=1e-13)


@pytest.mark.parametrize("needs", list(NEEDS))
@given(rows=ROWS.filter(lambda rows: all(len(row) > 1 for row in rows)), seeds=SEEDS, resampled=st.booleans())
def test_permuted_responses_twin(needs, rows, seeds, resampled):
    n_first = np.array([1 + i % (len(row) - 1) for i, row in enumerate(rows)])
    n_rest = np.array([len(row) for row in rows]) - n_first
    drawn = items_of(len(rows), seeds + np.uint64(1)) if resampled else KEPT
    kept = [sorted(row) for row in rows] if needs == "sorted" else rows
    width = {"means": (1, 1), "counts": (3, 3)}.get(needs, (int(n_first.max()), int(n_rest.max())))
    found = dealt(kept, n_first, drawn, seeds, needs, width)
    for d, seed in enumerate(seeds):
        hands = twins.dealt(kept, n_first, drawn[d] if resampled else range(len(rows)), seed)
        for side in (0, 1):
            expected = twins.summary([hand[side] for hand in hands], needs, LEVELS, width[side])
            np.testing.assert_allclose(found[side][d], expected, rtol=1e-14)


# Distributions: exact probabilities of every outcome of a small case


def fits(outcomes, probabilities):
    """Whether outcomes (any hashable) are as frequent as their probabilities say, which must cover them all."""
    seen = dict.fromkeys(probabilities, 0)
    for outcome in outcomes:
        seen[outcome] += 1
    expected = [len(outcomes) * share for share in probabilities.values()]
    return stats.chisquare(list(seen.values()), expected).pvalue > SURE


def test_items_are_drawn_evenly_and_independently():
    drawn = items_of(3, MANY)
    assert fits([tuple(row) for row in drawn.tolist()], dict.fromkeys(itertools.product(range(3), repeat=3), 1 / 27))


def test_coins_are_fair_and_independent():
    drawn = _kernels.draw_swaps(130, MANY)[:, [0, 1, 63, 64, 129]]
    assert fits(
        [tuple(row) for row in drawn.tolist()], dict.fromkeys(itertools.product([False, True], repeat=5), 1 / 32)
    )


def test_many_items_are_drawn_evenly():
    counts = np.bincount(items_of(1000, MANY[:500]).ravel(), minlength=1000)
    assert stats.chisquare(counts).pvalue > SURE


@pytest.mark.parametrize("needs", ["counts", "sorted", "values", "means"])
def test_responses_are_drawn_as_a_multinomial(needs):
    rows = [[0.0], [0.0, 1.0, 1.0]]  # the second item: P(0) = 1/3, P(1) = 2/3, and three draws
    drawn = draw(rows, np.array([1, 3]), KEPT, MANY, needs)[:, 1]
    ones = drawn[:, 1] if needs == "counts" else np.round(3 * drawn[:, 0]) if needs == "means" else drawn.sum(axis=1)
    assert fits(ones.astype(int).tolist(), {k: stats.binom.pmf(k, 3, 2 / 3) for k in range(4)})


def test_every_deal_is_equally_likely():
    first, rest = dealt([[0.0, 1.0, 2.0, 3.0]], np.array([2]), KEPT, MANY, "values", (2, 2))
    deals = [tuple(row) for row in np.concatenate([first[:, 0], rest[:, 0]], axis=1).tolist()]
    assert fits(deals, dict.fromkeys(itertools.permutations(range(4)), 1 / math.factorial(4)))


def test_draws_of_neighbouring_items_are_independent():
    drawn = draw([[0.0, 1.0], [0.0, 1.0]], np.array([1, 1]), KEPT, MANY, "values")
    assert fits(
        [tuple(row) for row in drawn[:, :, 0].tolist()], dict.fromkeys(itertools.product([0, 1], repeat=2), 0.25)
    )


@pytest.mark.parametrize("items", [False, True])
def test_a_single_response_is_drawn_as_the_mean_of_one(items):
    rng = np.random.default_rng(2)
    rows = [rng.normal(size=k) for k in rng.integers(1, 9, 40)]
    values, offsets = frozen(np.concatenate(rows)), frozen(np.cumsum([0, *map(len, rows)]))
    seeds = rng.integers(2**64, size=30, dtype=np.uint64)
    drawn = items_of(40, seeds) if items else np.empty((30, 0), dtype=np.int64)
    found, expected = np.empty((2, 30, 40))
    _response_kernels.draw_singles(values, offsets, drawn, seeds, found)
    _response_kernels.draw_means(values, offsets, np.ones(40, dtype=np.int64), drawn, seeds, expected)
    np.testing.assert_array_equal(found, expected)
