import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom, multinomial

from howsure._random import seed_of
from howsure.comparison import compare
from howsure.errors import ArgumentError, HowsureWarning
from howsure.metrics import resolve
from howsure.models import preset
from howsure.planning.engines.decisions import TESTS, Test
from howsure.planning.engines.exact import ExactEngine
from howsure.planning.engines.item_scores import Setting
from howsure.planning.engines.monte_carlo import (
    rejected_by_exchange,
    simulated_power,
)
from howsure.planning.engines.pool_power import power_from_pool
from howsure.planning.engines.score_pools import Pool
from howsure.planning.engines.score_sums import SumGrid
from howsure.resampling.units import RowScorer, SumScorer, draw_signs, scorer_of_sides

N_ITEMS, K, EPSILON = 40, 4, 0.2
N_STUDIES = 150


@pytest.mark.parametrize("name", ["sign-flip", "shifted-bootstrap", "pooled-responses", "permuted-responses"])
def test_power_is_how_often_compare_rejects(name):
    """The independent path: whole data sets, compared one by one with drawn resamples."""
    model = preset("likert-toxicity")
    metric = resolve("mae").on(model.scale)
    rejected = 0
    for number in range(N_STUDIES):
        table = model.table(N_ITEMS, K, epsilon=EPSILON, rng=number)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HowsureWarning)
            found = compare(
                table.contest(gold="gold", a="A", b="B"), metric="mae", null=name, n_resamples=399, rng=number,
                responses="bootstrap" if name == "pooled-responses" else "all", interval="percentile", workers=1,
            )  # fmt: skip
        rejected += found.pvalue <= 0.05
    planned = simulated_power(Setting(model, (K, K, K), EPSILON), metric, N_ITEMS, Test(name), seed=seed_of(1), n=4000)
    low, high = (
        binom.ppf(tail, N_STUDIES, np.clip(planned.power + side * 4 * planned.error, 0, 1))
        for tail, side in ((0.001, -1), (0.999, 1))
    )
    assert low <= rejected <= high


@pytest.mark.parametrize("name", ["sign-flip", "shifted-bootstrap", "item-bootstrap", "paired-t", "wilcoxon"])
@pytest.mark.parametrize(("metric", "n_items"), [("mae", 15), ("mae", 120), ("wins", 60)])
def test_pools_and_fresh_data_sets_give_the_same_power(name, metric, n_items):
    model = preset("normal")
    bound = resolve(metric)
    engine = ExactEngine(model, [bound], (3, 3, 3), epsilon=0.25, seed=seed_of(0))
    engine.sharpen_power([n_items], 0.005)
    drawn = power_from_pool(engine.pools[0], n_items, Test(name), seed=seed_of(0), n=2500)
    fresh = simulated_power(Setting(model, (3, 3, 3), 0.25), bound, n_items, Test(name), seed=seed_of(1), n=2000)
    assert abs(drawn.power - fresh.power) < 4 * np.hypot(drawn.error, fresh.error)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("name", ["sign-flip", "wilcoxon"])
def test_known_sums_spare_data_sets_and_leave_the_power_as_it_is(name, alternative):
    """Brute force: as many data sets as it takes, and no known sums."""
    engine = ExactEngine(preset("normal"), [resolve("mae")], (3, 3, 3), epsilon=0.2, seed=seed_of(0))
    [pool], test, n_items = engine.pools, Test(name, alternative=alternative), 60
    scores = np.random.default_rng(3).choice(pool.grid.points, (6000, n_items), p=pool.grid.shares) * pool.step
    brute = test.decide(scores).mean()
    spared = Test.decide
    counted = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Test, "decide", lambda self, rows: (counted.append(len(rows)), spared(self, rows))[1])
        found = power_from_pool(replace(pool, standard_error=0.0), n_items, test, seed=seed_of(1))
    error = math.sqrt(brute * (1 - brute) / 6000)
    assert abs(found.power - brute) < 4 * math.hypot(found.error, error, 1e-4)
    assert found.error < 0.008
    assert sum(counted) < 3000


def test_advantages_of_one_size_need_no_data_sets():
    shares = np.array([0.2, 0.3, 0.5])
    pool = Pool(0.25, SumGrid(-1, shares), 0.0, 0.075, 0.0, 0.2, 0.0, 1, 1.0)
    for test in (Test(), Test(alternative="greater"), Test(alpha=0.01, alternative="less")):
        for n_items in (6, 40):
            wins, losses = np.meshgrid(np.arange(n_items + 1), np.arange(n_items + 1))
            possible = wins + losses <= n_items
            wins, losses = wins[possible], losses[possible]
            ties = n_items - wins - losses
            chance = multinomial.pmf(np.stack([losses, ties, wins], axis=1), n_items, shares)
            data = np.array([[-1.0] * b + [0.0] * t + [1.0] * a for a, b, t in zip(wins, losses, ties, strict=True)])
            exact = chance @ test.decide(data)
            found = power_from_pool(pool, n_items, test, seed=seed_of(0))
            assert found.power == pytest.approx(exact, abs=1e-9)
            assert found.error == 0.0


@pytest.mark.parametrize("name", sorted(set(TESTS) - {"pooled-responses", "permuted-responses", "item-bootstrap"}))
def test_without_a_difference_the_power_is_at_most_the_level(name):
    """Pooling, dealing and the flat bootstrap do not hold it here, which docs/evidence/plans.md says."""
    model = preset("normal")
    found = simulated_power(Setting(model, (5, 5, 5), 0.0), resolve("mae"), 50, Test(name), seed=seed_of(2), n=2000)
    assert found.power <= binom.ppf(0.999, 2000, 0.065 if name == "shifted-bootstrap" else 0.055) / 2000


def test_metrics_without_item_scores_are_compared_one_by_one():
    setting = Setting(preset("normal"), (3, 3, 3), 0.5)
    found = simulated_power(setting, resolve("rmse"), 20, Test(), seed=seed_of(0), n=30)
    assert found.power > 0.5
    with pytest.raises(ArgumentError, match="needs item scores"):
        simulated_power(setting, resolve("rmse"), 20, Test("wilcoxon"), seed=seed_of(0), n=2)


def test_welch_has_no_meaning_for_wins():
    with pytest.raises(ArgumentError, match="welch-t"):
        simulated_power(
            Setting(preset("normal"), (3, 3, 3), 0.5), resolve("wins"), 20, Test("welch-t"), seed=seed_of(0)
        )


@pytest.mark.parametrize(("name", "epsilon"), [("spearman", 0.25), ("rmse", 0.2)])
def test_the_power_of_metrics_without_item_scores_is_how_often_compare_rejects(name, epsilon):
    """Swaps stop when the decision is certain; `compare` draws them all."""
    model = preset("likert-toxicity")
    metric = resolve(name).on(model.scale)
    found = simulated_power(Setting(model, (K, K, K), epsilon), metric, N_ITEMS, Test(), seed=seed_of(0))
    rejected = 0
    for number in range(100):
        contest = model.table(N_ITEMS, K, epsilon=epsilon, rng=number).contest(gold="gold", a="A", b="B")
        how = {"null": "sign-flip", "interval": "percentile", "n_resamples": 199, "workers": 1}
        rejected += compare(contest, metric=metric, rng=number, **how).pvalue <= 0.05
    low, high = binom.ppf([0.0005, 0.9995], 100, [max(0, found.power - 2 * found.error), found.power + 2 * found.error])
    assert low <= rejected <= high


@pytest.mark.parametrize("name", ["spearman", "kendall", "auc", "cosine", "f1", "rmse"])
def test_exchanges_that_stop_early_decide_as_many_would(name):
    """By brute force each data set has its tail, and from that the chance that 199 swaps call it significant."""
    model, n, n_sets = preset("likert-toxicity"), 30, 80
    metric = resolve(name).on(model.scale)
    rng = np.random.default_rng(2)
    sides = model.draw(n_sets, n, n_responses=3, epsilon=0.5, needs=metric.needs, rng=rng)
    observed = metric.advantage(*sides)
    kept = np.flatnonzero(~np.isnan(observed))
    score = RowScorer(metric, [side[kept] for side in sides], None, exchanges=True)
    draws = np.nan_to_num(score(draw_signs(rng, (kept.size, 399), n))[0])
    here = observed[kept, np.newaxis]
    tails = [(draws >= here - 1e-12).mean(axis=1), (draws <= here + 1e-12).mean(axis=1)]
    chances = binom.cdf(4, 199, np.minimum(*tails))  # (4 + 1) / 200 is half of the level
    spread = np.sqrt(2 * (chances * (1 - chances)).sum())  # the tails are of draws, too
    found = rejected_by_exchange(metric, sides, observed, Test(), rng)
    assert abs(found - chances.sum()) < 4 * spread
    assert 8 < found < n_sets - 8


@pytest.mark.parametrize("name", ["f1", "rmse", "cosine-responses"])
@pytest.mark.parametrize("kind", ["likert-toxicity", "categorical-dices"])
def test_sums_with_random_signs_are_exchanged_data_sets(kind, name):
    model = preset(kind)
    metric = resolve(name if model.scale.is_numeric else "recall").on(model.scale)
    sides = model.draw(9, 60, n_responses=3, epsilon=0.5, needs=metric.needs, rng=np.random.default_rng(2))
    signs = draw_signs(np.random.default_rng(5), (9, 40), 60)
    summed, scored = (
        way(signs)[0]
        for way in (scorer_of_sides(metric, sides, exchanges=True), RowScorer(metric, sides, None, exchanges=True))
    )
    assert isinstance(scorer_of_sides(metric, sides, exchanges=True), SumScorer)
    np.testing.assert_allclose(summed, scored, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "test"), [("spearman", "sign-flip"), ("rmse", "sign-flip"), ("mae", "pooled-responses")]
)
def test_threads_share_the_data_sets_and_change_nothing(name, test):
    model = preset("likert-toxicity")
    setting, metric = Setting(model, (K, K, K), 0.2), resolve(name).on(model.scale)
    one, *others = (
        simulated_power(setting, metric, 40, Test(test), seed=seed_of(0), n=100, workers=w) for w in (1, 2, 3)
    )
    assert all(other == one for other in others)
    assert 0 < one.power < 1
