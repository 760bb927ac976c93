"""Expected scores of items, summed up over pairs of outcomes, against plain sums and against drawn scores."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import betaincinv
from scipy.stats import binom, chi2, kstest

from howsure._random import generator, seed_of
from howsure.data.scales import Scale
from howsure.metrics import resolve
from howsure.metrics.distribution import ByLevel, shares
from howsure.models import preset
from howsure.planning.engines._kernels import draw_counts, expected_votes
from howsure.planning.engines.even_points import evenly
from howsure.planning.engines.exact import ExactEngine
from howsure.planning.engines.expected_scores import (
    HOPELESS,
    binomial,
    drawn_advantages,
    drawn_kind,
    has_expectations,
    mean_advantages,
    n_expected,
    outcome_pairs,
)
from howsure.planning.engines.item_scores import (
    Outcomes,
    Setting,
    are_sums,
    compositions,
    draw_blocks,
    log_factorials,
    outcome_probabilities,
)
from howsure.planning.engines.score_pools import ScoreHistogram


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
    found = outcome_pairs(setting, kind, [gold, gold, b])
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
    histogram = ScoreHistogram(0.1)
    for [block] in draw_blocks(Setting(model, (20, 20, 20), 0.3), [metric], range(4), seed_of(0)):
        histogram.add(block)
    own = histogram.pool([], symmetric=False)
    moved = histogram.pool([own.mean + 0.01, own.mean + 0.012], symmetric=False)
    assert moved.mean == pytest.approx(own.mean + 0.011)
    assert moved.step * moved.grid.mean == pytest.approx(moved.mean)
    assert moved.standard_error == pytest.approx(0.001)
    assert moved.sd == own.sd


def enumerated(shares, k):
    """Plain twin: the votes of every outcome, by its probability."""
    outcomes = compositions(k, shares.shape[1])
    first = outcomes == outcomes.max(axis=1, keepdims=True)
    return outcome_probabilities(shares, outcomes) @ (first / first.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("k", [1, 4, 7])
def test_votes_of_two_labels_are_summed_up_exactly(k):
    shares = np.array([[0.5, 0.5], [0.3, 0.7], [1.0, 0.0], [1e-12, 1 - 1e-12]])
    found = expected_votes(shares, k, 3, np.uint64(0), log_factorials(k), 0.0)
    np.testing.assert_allclose(found, enumerated(shares, k), atol=1e-13)


@pytest.mark.parametrize(("k", "share"), [(400, 0.48), (401, 0.45), (500, 0.2)])
def test_votes_of_many_responses_are_binomial_tails(k, share):
    found = expected_votes(np.array([[share, 1 - share]]), k, 1, np.uint64(0), log_factorials(k), HOPELESS)
    expected = binom.sf(k / 2, k, share) + binom.pmf(k / 2, k, share) / 2
    assert found[0, 0] == pytest.approx(expected, abs=1e-9)
    assert found.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("k", [1, 3, 6])
def test_votes_of_many_labels_have_the_right_mean(k):
    shares = np.array([[0.1, 0.2, 0.4, 0.3], [0.25, 0.25, 0.25, 0.25], [0.05, 0.6, 0.25, 0.1]])
    n = 400
    drawn = np.array([expected_votes(shares, k, 2, np.uint64(word), log_factorials(k), 0.0) for word in range(n)])
    np.testing.assert_allclose(drawn.sum(axis=-1), 1, atol=1e-12)
    error = drawn.std(axis=0, ddof=1) / math.sqrt(n) + 1e-12
    # 36 numbers in all: one is this far off by chance in a thousand runs.
    assert (np.abs(drawn.mean(axis=0) - enumerated(shares, k)) < 4.3 * error).all()


def test_labels_without_hope_get_no_vote():
    shares = np.array([[0.7, 0.2, 0.05, 0.05], [0.4, 0.4, 0.1, 0.1], [0.34, 0.33, 0.33, 0.0]])
    votes = expected_votes(shares, 300, 50, np.uint64(1), log_factorials(300), HOPELESS)
    assert votes[0].tolist() == [1, 0, 0, 0]
    np.testing.assert_allclose(votes[1], [0.5, 0.5, 0, 0], atol=1e-12)
    assert votes[2, 3] == 0
    assert (votes[2, :3] > 0.1).all()


@pytest.mark.parametrize(
    ("name", "metric", "sizes", "epsilon"),
    [
        ("categorical-jobsq1", "accuracy", (20, 20, 20), 0.2),
        ("categorical-jobsq3", "accuracy", (70, 40, 70), 0.3),
        ("categorical-toxicity", "accuracy", (200, 200, 200), (0.1, 0.3)),
        ("categorical-jobsq1", "wins", (6, 6, 6), 0.2),
        ("categorical-dices", "wins:kl", (12, 9, 9), (0.1, 0.3)),
        ("likert-toxicity", "wins", (20, 20, 20), 0.2),
    ],
)
def test_drawn_means_are_those_of_drawn_scores_and_steadier(name, metric, sizes, epsilon):
    model = preset(name)
    bound = resolve(metric).on(model.scale)
    setting = Setting(model, sizes, epsilon)
    assert drawn_kind(setting, bound) is not None
    means = np.array([mean for [mean] in drawn_advantages(setting, [bound], range(40), seed_of(0))])
    drawn = np.array([block.moments[0] for [block] in draw_blocks(setting, [bound], range(120), seed_of(1))])
    error = math.hypot(means.std(ddof=1) / math.sqrt(40), drawn.std(ddof=1) / math.sqrt(120))
    assert abs(means.mean() - drawn.mean()) < 4 * error
    assert means.var() < drawn.var() / 1.5


def test_what_has_no_drawn_means():
    dices = preset("categorical-dices")
    wins = resolve("wins").on(dices.scale)
    assert drawn_kind(Setting(dices, (5, 4, 5), 0.3), wins) is None
    assert drawn_kind(Setting(dices, (40, 40, 40), 0.3), wins) is None
    assert drawn_kind(Setting(dices, (5, 5, 5), 0.3, null=True), wins) is None
    assert drawn_kind(Setting(preset("normal"), (5, 5, 5), 0.3), resolve("wins")) is None
    assert drawn_kind(Setting(dices, (5, 5, 5), 0.3), resolve("tv").on(dices.scale)) is None


def test_a_plan_begins_with_drawn_means_where_scores_would_have_to_grow_much():
    model = preset("categorical-jobsq1")
    metric = resolve("accuracy").on(model.scale)
    engine = ExactEngine(model, [metric], (20, 20, 20), epsilon=0.1, seed=seed_of(0))
    before, items = engine.outlook(0, 2500), engine.n_items[0]
    engine.sharpen([2500], 0.005)
    after = engine.outlook(0, 2500)
    assert 0.01 < after.expected_pvalue < 0.2
    assert after.expected_pvalue_error < 0.005 < before.expected_pvalue_error
    assert engine.n_items[0] == items  # not by more scores
    apart = after.expected_pvalue - before.expected_pvalue
    assert abs(apart) < 4 * math.hypot(after.expected_pvalue_error, before.expected_pvalue_error)
