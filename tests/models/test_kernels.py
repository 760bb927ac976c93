"""Each loop beside a plain NumPy twin."""

import numpy as np
import pytest
from scipy import stats

from howsure.models import _kernels, _plain
from howsure.models.answers import STEPS, ShareAnswers, normal_table

CUTS = np.array([0.2, 0.4, 0.6, 0.8])


def generator(seed):
    return np.random.Generator(np.random.SFC64(seed))


def words(n, k, seed):
    return generator(seed).integers(0, 2**64 - 1, (n, (k + 1) // 2), dtype=np.uint64, endpoint=True)


def responses(drawn, k):
    """Return the 31-bit numbers that k responses per item are made of."""
    halves = np.stack([drawn & np.uint64(2**31 - 1), drawn >> np.uint64(33)], axis=-1)
    return halves.reshape(len(drawn), -1)[:, :k]


def test_thresholds_are_the_normal_distribution_function():
    mean = np.concatenate([np.linspace(-0.5, 1.5, 4001), [0.4, 0.4, 0.2]])
    sd = np.concatenate([np.geomspace(1e-6, 3, 4001), [0.0, 1e-300, 0.0]])
    found = _kernels.thresholds(mean, sd, CUTS, normal_table(), float(STEPS))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        exact = stats.norm.cdf((CUTS - mean[:, np.newaxis]) / sd[:, np.newaxis])
    exact[sd == 0] = mean[sd == 0, np.newaxis] < CUTS
    np.testing.assert_allclose(found[:-2] / 2**31, exact[:-2], atol=2e-9)
    # Without spread a response is certain, and a mean on a cut belongs to the upper bin.
    assert found[[-3, -1]].tolist() == [[0, 0, 2**31, 2**31], [0, 2**31, 2**31, 2**31]]
    assert (np.diff(found.astype(np.int64), axis=-1) >= 0).all()


@pytest.mark.parametrize("k", [1, 2, 5, 32])
def test_means_and_counts_follow_their_words(k):
    below = np.sort(generator(1).integers(0, 2**31, (500, 4), endpoint=True).astype(np.uint32), axis=-1)
    below[0], below[1] = 0, 2**31
    drawn = words(500, k, 2)
    levels = (responses(drawn, k)[..., np.newaxis] >= below[:, np.newaxis]).sum(axis=-1)
    np.testing.assert_array_equal(_kernels.means(below, drawn, k, 0.3, 0.7), 0.3 + 0.7 * levels.sum(axis=-1))
    expected = np.stack([(levels == level).sum(axis=-1) for level in range(5)], axis=-1)
    np.testing.assert_array_equal(_kernels.counts(below, drawn, k), expected)
    assert (levels[0] == 4).all()
    assert (levels[1] == 0).all()


def test_a_fair_coin_between_two_sources_has_the_mean_of_their_shares():
    first, second = (np.full((3, 2), value, dtype=np.uint32) for value in (2**31, 5))
    assert (_kernels.mixed(first, second) == (2**31 + 5) // 2).all()
    assert (_kernels.mixed(first, first) == 2**31).all()


def test_a_label_without_probability_is_never_drawn():
    shares = np.array([0.3, 0.0, 0.7, 0.0])
    answers = ShareAnswers(np.tile(shares, (2, 5000, 1)), np.arange(4.0))
    counts = answers.summary("counts", 7, generator(3))
    assert (counts[..., [1, 3]] == 0).all()
    n = 2 * 5000 * 7
    low, high = stats.binom.ppf([5e-6, 1 - 5e-6], n, 0.3)
    assert low <= counts[..., 0].sum() <= high


@pytest.mark.parametrize("n_levels", [2, 5, 11])
def test_plain_loops_have_the_bits_of_compiled_ones(n_levels):
    draws, cuts = generator(4), np.arange(1, n_levels) / n_levels
    mean, sd = draws.random((2, 3000)) * 1.2 - 0.1
    mean[:20], sd = np.round(mean[:20], 1), np.abs(sd)
    sd[:10], sd[10:20] = 0.0, 1e-300
    told = (cuts, normal_table(), float(STEPS))
    below, other = (_kernels.thresholds(means, sd, *told) for means in (mean, mean[::-1].copy()))
    np.testing.assert_array_equal(_plain.thresholds(mean, sd, *told), below)
    np.testing.assert_array_equal(_plain.mixed(below, other), _kernels.mixed(below, other))
    for k in (1, 2, 7, 32):
        drawn = words(len(below), k, k)
        for name, levels in (("means", (-0.3, 0.1)), ("counts", ())):
            plain, compiled = (getattr(loops, name)(below, drawn, k, *levels) for loops in (_plain, _kernels))
            assert plain.dtype == compiled.dtype
            np.testing.assert_array_equal(plain, compiled)
