"""Expected scores of items, summed up over pairs of outcomes, against plain sums and against drawn scores."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import betaincinv
from scipy.stats import binom, chi2, kstest

from howsure._random import generator, seed_of
from howsure.metrics import resolve
from howsure.metrics.distribution import ByLevel, shares
from howsure.models import preset
from howsure.planning.engines._kernels import draw_counts
from howsure.planning.engines.expected_scores import _pairs, binomial, has_expectations, mean_advantages, n_expected
from howsure.planning.engines.item_scores import Outcomes, Setting, are_sums, draw_blocks, evenly, log_factorials
from howsure.planning.engines.score_pools import _Histogram
from howsure.scales import Scale


@pytest.mark.parametrize("k", [1, 2, 7, 30, 160])
def test_probabilities_of_counts_are_binomial(k):
    share = np.concatenate([np.random.default_rng(0).random(20), [0.0, 1.0, 1e-9]])
    exact = binom.pmf(np.arange(k + 1)[:, np.newaxis], k, share)
    np.testing.assert_allclose(binomial(share, k), exact, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize(("name", "kind"), [("toxicity", "two levels"), ("dices", "by level")])
def test_pairs_of_counts_are_sums_over_items_and_levels(name, kind):
    rng = np.random.default_rng(0)
    model = preset(f"categorical-{name}")
    n_levels = len(model.scale.levels)
    setting = Setting(model, (30, 4, 30), 0.3)
    gold, b = (rng.dirichlet(np.full(n_levels, 0.3), n_expected(setting, kind)) for _ in range(2))
    gold[0], b[0] = np.eye(n_levels)[:2]
    found = _pairs(setting, kind, [gold, gold, b])
    levels = range(1 if kind == "two levels" else n_levels)
    for each, side, k in zip(found, (gold, b), (4, 30), strict=True):
        plain = sum(
            np.outer(binom.pmf(np.arange(31), 30, g[level]), binom.pmf(np.arange(k + 1), k, m[level]))
            for g, m in zip(gold, side, strict=True)
            for level in levels
        )
        np.testing.assert_allclose(each, plain / len(gold), atol=1e-12)


@pytest.mark.parametrize("k", [3, 30, 400])
def test_drawn_counts_are_multinomial(k):
    share = np.array([0.01, 0.2, 0.0, 0.69, 0.1])
    n = 20_000
    seeds = np.array([5, 6], dtype=np.uint64)
    drawn = draw_counts(np.tile(share, (2, n // 2, 1)), k, 2, seeds, log_factorials(k)).reshape(-1, share.size)
    assert (drawn.sum(axis=1) == k).all()
    assert (drawn[:, 2] == 0).all()
    for level in (0, 1, 3, 4):
        expected = binom.pmf(np.arange(k + 1), k, share[level]) * 2 * n
        likely = expected > 10
        found = np.bincount(drawn[:, level].astype(int), minlength=k + 1)
        distance = (np.square(found - expected)[likely] / expected[likely]).sum()
        # Four levels of three sizes: all together fail by chance once in a thousand runs.
        assert distance < chi2.ppf(1 - 0.001 / 12, likely.sum())
    together = np.cov(drawn[:, 1], drawn[:, 3])[0, 1]
    spread = math.sqrt(np.prod([k * p * (1 - p) for p in share[[1, 3]]]) / (2 * n))
    assert together == pytest.approx(-k * share[1] * share[3], abs=4 * spread)


@pytest.mark.parametrize(
    ("name", "metric", "sizes"),
    [
        ("categorical-toxicity", "accuracy", (30, 30, 30)),
        ("categorical-toxicity", "kl", (9, 7, 8)),
        ("categorical-jobsq1", "kl", (6, 6, 6)),
        ("categorical-dices", "tv", (40, 40, 20)),
        ("categorical-dices", "accuracy", (5, 3, 4)),
        ("likert-toxicity", "mae", (3, 2, 3)),
        ("likert-amazon", "mae", (15, 2, 7)),
    ],
)
@pytest.mark.parametrize("null", [False, True])
def test_expected_scores_have_the_mean_of_drawn_scores(name, metric, sizes, null):
    model = preset(name)
    bound = resolve(metric).on(model.scale)
    setting = Setting(model, sizes, 0.3, null=null)
    assert has_expectations(setting, bound)
    expected = np.array([mean for [mean] in mean_advantages(setting, [bound], range(40), seed_of(0))])
    drawn = np.array([block.moments[0] for [block] in draw_blocks(setting, [bound], range(40), seed_of(1))])
    error = math.sqrt((expected.var(ddof=1) + drawn.var(ddof=1)) / 40)
    # Fourteen checks, Student's t with about 40 degrees of freedom.
    assert abs(expected.mean() - drawn.mean()) < 4.2 * error


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


def test_wins_and_many_responses_are_drawn():
    model = preset("categorical-dices")
    assert not has_expectations(Setting(model, (5, 5, 5), 0.3), resolve("wins").on(model.scale))
    assert not has_expectations(Setting(model, (500, 500, 500), 0.3), resolve("tv").on(model.scale))
    clipped = replace(preset("normal"), clip=True)
    assert not has_expectations(Setting(clipped, (5, 5, 5), 0.3), resolve("mae"))


@pytest.mark.parametrize("metric", ["mae", "mse"])
def test_errors_of_normal_responses_have_a_closed_form(metric):
    model = replace(preset("normal"), low=-2.0, high=5.0)
    setting, bound = Setting(model, (5, 2, 3), (0.1, 0.4)), resolve(metric)
    expected = np.array([mean for [mean] in mean_advantages(setting, [bound], range(20), seed_of(0))])
    drawn = np.array([block.moments[0] for [block] in draw_blocks(setting, [bound], range(200), seed_of(1))])
    error = math.hypot(expected.std(ddof=1) / math.sqrt(20), drawn.std(ddof=1) / math.sqrt(200))
    assert abs(expected.mean() - drawn.mean()) < 4 * error
    assert expected.std() < drawn.std() / 2


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


def test_means_of_evenly_spread_labels_are_steadier():
    setting = Setting(preset("categorical-toxicity"), (100, 100, 100), 0.2)
    metric = resolve("tv").on(setting.model.scale)
    even = np.array(mean_advantages(setting, [metric], range(60), seed_of(0)))
    drawn = setting.model.draw(
        60, n_expected(setting, "two levels"), n_responses=100, epsilon=0.2, needs="counts", rng=0
    )
    plain = metric.advantage(*drawn)
    assert abs(even.mean() - plain.mean()) < 3.3 * math.hypot(even.std(), plain.std()) / 60**0.5
    assert even.std() < plain.std() / 2


def test_a_pool_takes_the_mean_of_expected_scores():
    model = preset("categorical-toxicity")
    metric = resolve("tv").on(model.scale)
    histogram = _Histogram(0.1)
    for [block] in draw_blocks(Setting(model, (20, 20, 20), 0.3), [metric], range(4), seed_of(0)):
        histogram.add(block)
    own = histogram.pool([], symmetric=False)
    moved = histogram.pool([own.mean + 0.01, own.mean + 0.012], symmetric=False)
    assert moved.mean == pytest.approx(own.mean + 0.011)
    assert moved.step * moved.grid.mean == pytest.approx(moved.mean)
    assert moved.standard_error == pytest.approx(0.001)
    assert moved.sd == own.sd
