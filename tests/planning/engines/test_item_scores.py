"""Scores of items: outcomes by their probability, drawn responses, and items that are spread evenly."""

import itertools

import numpy as np
import pytest
from scipy.special import betaincinv
from scipy.stats import kstest

from howsure._random import generator, seed_of
from howsure.data.scales import Scale
from howsure.metrics import resolve
from howsure.metrics.distribution import ByLevel, shares
from howsure.models import preset
from howsure.planning.engines.even_points import evenly
from howsure.planning.engines.item_scores import (
    BLOCKS,
    Outcomes,
    Setting,
    are_sums,
    compositions,
    draw_chunk,
    outcome_probabilities,
)


@pytest.mark.parametrize("name", ["tv", "kl", "cross-entropy"])
def test_scores_are_sums_over_levels(name):
    metric = resolve(name)
    assert isinstance(metric, ByLevel)
    gold, model = np.random.default_rng(0).integers(0, 5, (2, 30, 4)) + 1.0
    by_level = metric.level_scores(shares(gold), shares(model))
    np.testing.assert_allclose(metric.item_scores(gold, model), by_level.sum(axis=-1), atol=1e-12)


def test_sums_of_responses_are_what_their_counts_come_to():
    """Two paths to the same expectation: sums of levels, or counts of each level."""
    scale = preset("likert-toxicity").scale
    shares_of_items = np.random.default_rng(0).dirichlet(np.ones(5), 40)
    counts, sums = Outcomes(scale, 6), Outcomes(scale, 6, summed=True)
    probabilities = counts.probabilities(shares_of_items)
    means = counts.summary("means")
    for mean, probability in zip(sums.summary("means"), sums.probabilities(shares_of_items).T, strict=True):
        np.testing.assert_allclose(probabilities[:, np.abs(means - mean) < 1e-9].sum(axis=1), probability, atol=1e-14)


def test_only_means_on_equal_steps_are_sums():
    assert are_sums(Scale.of([1, 2, 3, 4]), ("means", "means"))
    assert not are_sums(Scale.of([1, 2, 3, 4]), ("means", "counts"))
    assert not are_sums(Scale.of([1, 2, 4]), ("means",))
    assert not are_sums(Scale.of(["x", "y", "z"]), ("means",))


def test_every_outcome_is_there_once():
    ways = compositions(3, 3)
    known = {c for c in itertools.product(range(4), repeat=3) if sum(c) == 3}
    assert {tuple(way) for way in ways.astype(int).tolist()} == known
    assert len(ways) == len(known)
    shares = np.array([[0.2, 0.3, 0.5]])
    assert outcome_probabilities(shares, ways).sum() == pytest.approx(1)


def test_drawn_scores_combine_each_set_with_each_other_once():
    [blocks] = draw_chunk(Setting(preset("normal"), (5, 5, 5), 0.2), [resolve("mae")], 0, seed_of(0))
    assert len(blocks) == BLOCKS
    assert all(block.weights is None and block.values.size == 16 * block.n_items for block in blocks)


def test_evenly_spread_items_have_the_distribution_of_drawn_ones_and_steadier_means():
    shape = (1, 256)
    families = [preset("likert-toxicity").mean, preset("likert-toxicity").sd, preset("likert-armis").mean]
    for family in families:
        even, plain = (
            np.concatenate([family.draw(shape, make(generator(seed_of(0), number))) for number in range(60)])
            for make in (evenly, lambda stream: stream)
        )
        assert kstest(even.ravel(), plain.ravel()).pvalue > 0.001
        assert even.mean(axis=1).std() < plain.mean(axis=1).std() / 2
    even = evenly(generator(seed_of(0)))
    coordinates = [even.random(shape)[0] for _ in range(10)]
    assert np.abs(np.corrcoef(coordinates) - np.eye(10)).max() < 0.25
    assert even.integers(5) < 5


@pytest.mark.parametrize("alpha", [(5.22, 0.86, 2.75), (1 / 12,) * 12, (0.001, 2.0), (0.1,) * 40])
def test_evenly_spread_shares_are_broken_off_by_beta_quantiles(alpha):
    shape, stream = (1, 256), np.random.default_rng(5)
    even, same = evenly(np.random.default_rng(5)), evenly(stream)
    found = even.dirichlet(np.array(alpha), shape)
    left, expected = np.ones(shape), []
    for i in range(len(alpha) - 1):
        taken = betaincinv(alpha[i], sum(alpha[i + 1 :]), same.random(shape))
        expected.append(left * taken)
        left = left * (1 - taken)
    np.testing.assert_allclose(found, np.stack([*expected, left], axis=-1), atol=1e-4)  # of a response
    assert even.integers(1 << 40) == stream.integers(1 << 40)  # both have used the stream alike
