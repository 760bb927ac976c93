"""Numbered resamples: every resample once, looked up as drawn, and the same for every kind of summary."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure import Contest
from howsure.data.responses import Responses
from howsure.data.scales import Scale
from howsure.resampling import Scheme, _kernels
from howsure.resampling.numbered import MOST_DRAWN, Numbered
from howsure.resampling.sampler import A, Sampler
from tests.resampling import twins

ROWS = st.lists(st.lists(st.integers(0, 4).map(float), min_size=1, max_size=5), min_size=1, max_size=6)


def numbered(rows, n_out, n_levels=5):
    offsets = np.cumsum([0, *map(len, rows)])
    return Numbered.of(Responses(np.concatenate(rows), offsets), np.asarray(n_out), n_levels)


@given(ROWS, st.integers(0, 4))
def test_every_resample_of_every_item_is_listed_once(rows, n_out):
    sizes = [n_out or len(row) for row in rows]
    found = numbered(rows, sizes)
    for i, (row, k) in enumerate(zip(rows, sizes, strict=True)):
        mine = slice(found.first[i], found.first[i] + found.n_resamples[i])
        listed = [tuple(drawn[:k]) for drawn in found.positions[mine].tolist()]
        assert sorted(listed) == sorted(itertools.product(range(len(row)), repeat=k))
        alike = {}
        for drawn, number in zip(listed, found.distinct[mine].tolist(), strict=True):
            assert alike.setdefault(number, Counter(drawn)) == Counter(drawn)
        ascending = found.in_order()[mine, :k]
        assert (ascending == np.sort(found.positions[mine, :k], axis=1)).all()


@given(ROWS, st.integers(0, 4))
def test_tables_hold_the_counts_of_every_resample(rows, n_out):
    sizes = [n_out or len(row) for row in rows]
    found = numbered(rows, sizes)
    counts = found.counts(7 * found.responses.values.astype(np.int64), 29)
    assert counts.shape == (4, found.n_rows)  # words of eight levels
    for i, (row, k) in enumerate(zip(rows, sizes, strict=True)):
        for at in range(found.first[i], found.first[i] + found.n_resamples[i]):
            drawn = np.array(row)[found.positions[at, :k]]
            where = found.rows[i] + found.distinct[at]
            unpacked = [int(counts[level // 8, where]) >> (8 * (level % 8)) & 255 for level in range(32)]
            assert unpacked == np.bincount(7 * drawn.astype(int), minlength=32).tolist()


def test_too_many_resamples_are_not_numbered():
    assert numbered([[0.0] * 64], [2]) is not None  # 64² = 4,096
    assert numbered([[0.0] * 65], [2]) is None
    assert numbered([[0.0]], [MOST_DRAWN]) is not None
    assert numbered([[0.0]], [MOST_DRAWN + 1]) is None
    assert numbered([[0.0] * 5, [0.0] * 6], [5, 6]) is None  # 6⁶ = 46,656: one such item is enough
    assert numbered([[0.0] * 5] * 1000, [5] * 1000, n_levels=5) is not None
    assert numbered([[0.0] * 5] * 1000, [5] * 1000, n_levels=300) is None  # its counts would fill 38 MB


@pytest.mark.parametrize("items", ["all", "bootstrap"])
@pytest.mark.parametrize("needs", ["means", "counts", "sorted", "values"])
def test_a_draw_is_the_resample_with_the_drawn_number(likert, needs, items):
    scheme = Scheme(items, "bootstrap")
    sampler = Sampler(likert, needs, scheme, None)
    seeds = _kernels.seed_draws(np.uint64(7), 5, 0, 3)
    ((_, _, a, _),) = list(sampler.batches(seeds))
    rows = [likert.a.values[s:e].tolist() for s, e in itertools.pairwise(likert.a.offsets)]
    if needs == "sorted":
        rows = [sorted(row) for row in rows]
    for d in range(3):
        order = twins.items(len(rows), seeds[0, d]) if items == "bootstrap" else range(len(rows))
        for i, item in enumerate(order):
            n = len(rows[item])
            number = (twins.word(int(seeds[A, d]), i) % 2**32) * n**n // 2**32
            digits = [number // n ** (n - 1 - j) % n for j in range(n)]
            drawn = [rows[item][j] for j in digits]
            expected = twins.summary([drawn], needs, list(likert.scale.levels), a.shape[-1])[0]
            np.testing.assert_allclose(np.atleast_1d(a[d, i]), expected, rtol=1e-14)


def test_means_and_counts_and_values_see_the_same_resamples():
    rng = np.random.default_rng(0)
    contest = Contest.from_arrays(*(rng.integers(0, 5, (30, 4)).astype(float) for _ in range(3)), scale="ordinal")
    seeds = _kernels.seed_draws(np.uint64(3), 5, 0, 20)
    seen = {}
    for needs in ("means", "counts", "values"):
        ((_, *seen[needs]),) = list(Sampler(contest, needs, Scheme("bootstrap", "bootstrap"), None).batches(seeds))
    for means, counts, values in zip(*seen.values(), strict=True):
        np.testing.assert_allclose(means, values.mean(axis=-1), rtol=1e-14)
        np.testing.assert_allclose(means, counts @ np.array(contest.scale.levels) / 4, rtol=1e-14)


@pytest.mark.parametrize("null", [None, "pooled-responses"])
@pytest.mark.parametrize("items", ["all", "bootstrap"])
def test_drawn_responses_bring_the_means_that_are_drawn_alone(items, null):
    """Bit for bit, batch after batch, looked up and drawn, also where items have different numbers of responses."""
    rng = np.random.default_rng(1)
    grids = rng.random((3, 9000, 5))
    grids[:, ::2, 4] = np.nan
    contest, scheme = Contest.from_arrays(*grids), Scheme(items, "bootstrap")
    seeds = _kernels.seed_draws(np.uint64(3), 5, 0, 11)
    both, alone = Sampler(contest, "values", scheme, null, with_means=True), Sampler(contest, "means", scheme, null)
    assert (both.sources[1].numbered is None) == (null is not None)
    drawn = [[side.copy() for side in sides] for _, *sides in alone.batches(seeds)]
    expected = [np.concatenate(batches) for batches in zip(*drawn, strict=True)]
    n_batches = 0
    for batch, *sides in both.batches(seeds):
        n_batches += 1
        for values, means, side in zip(sides, both.means(batch), expected, strict=True):
            np.testing.assert_array_equal(means, side[batch])
            np.testing.assert_allclose(means, np.nanmean(values, axis=-1), rtol=1e-14)
    assert n_batches > 4


# Packed counts


def labelled(rows_of_sources, n_levels):
    """Return a contest of ragged rows of codes, on a scale with so many labels."""
    sides = [Responses(np.concatenate(rows), np.cumsum([0, *map(len, rows)])) for rows in rows_of_sources]
    scale = Scale.of([f"label {code:02d}" for code in range(n_levels)], kind="nominal")
    return Contest(sides[0], sides[1], sides[2], scale, np.arange(len(rows_of_sources[0])).astype(str))


@st.composite
def labelled_contests(draw):
    n_levels, n_items = draw(st.sampled_from([2, 5, 8, 9, 17])), draw(st.integers(1, 5))
    code = st.integers(0, n_levels - 1).map(float)
    most = draw(st.tuples(*[st.sampled_from([1, 3, 5, 6])] * 3))  # six of six are not numbered
    rows = [draw(st.lists(st.lists(code, min_size=1, max_size=k), min_size=n_items, max_size=n_items)) for k in most]
    return labelled(rows, n_levels)
