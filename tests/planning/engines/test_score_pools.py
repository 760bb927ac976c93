import itertools

import numpy as np
import pytest

from howsure._random import seed_of
from howsure.metrics import resolve
from howsure.models import preset
from howsure.planning.engines import item_scores as outcomes
from howsure.planning.engines.item_scores import Setting, draw_blocks
from howsure.planning.engines.score_pools import GrowingPools, grid_step
from howsure.planning.engines.score_sums import SumGrid, symmetrised


@pytest.mark.parametrize(
    ("values", "step"),
    [([0.4, -0.2, 0.0, 0.6], 0.2), ([1 / 3, -2 / 3, 1.0], 1 / 3), ([27.6, -27.6, 0.0], 27.6), ([0.0, 0.0], 1.0)],
)
def test_the_step_of_values_on_a_grid(values, step):
    assert grid_step(np.array(values)) == pytest.approx(step)


def test_values_on_no_grid_get_a_fine_one():
    values = np.random.default_rng(0).standard_normal(1000)
    assert grid_step(values) == pytest.approx(np.ptp(values) / 4096)


def test_weighed_outcomes_are_what_drawn_responses_come_to():
    """Two paths to the same distribution: all outcomes by their probability, or responses drawn."""
    model = preset("categorical-dices")
    metrics = [resolve(name).on(model.scale) for name in ("accuracy", "tv", "wins", "kl")]
    setting = Setting(model, (3, 3, 2), 0.3)
    weighed = GrowingPools(setting, metrics, seed_of(0))
    weighed.grow([40] * 4)
    gold, a, b = model.draw(1, 200_000, n_responses=(3, 3, 2), epsilon=0.3, needs="counts", rng=1)
    for metric, pool in zip(metrics, weighed.pools(), strict=True):
        drawn = metric.item_advantages(gold, a, b)[0]
        error = np.hypot(pool.standard_error, drawn.std() / np.sqrt(drawn.size))
        assert abs(pool.mean - drawn.mean()) < 4 * error
        assert pool.sd == pytest.approx(drawn.std(), rel=0.02)


def test_every_outcome_is_there_once():
    ways = outcomes.compositions(3, 3)
    known = {c for c in itertools.product(range(4), repeat=3) if sum(c) == 3}
    assert {tuple(way) for way in ways.astype(int).tolist()} == known
    assert len(ways) == len(known)
    shares = np.array([[0.2, 0.3, 0.5]])
    assert outcomes.outcome_probabilities(shares, ways).sum() == pytest.approx(1)


def test_drawn_scores_combine_each_set_with_each_other_once():
    model = preset("normal")
    [[block]] = draw_blocks(Setting(model, (5, 5, 5), 0.2), [resolve("mae")], [0], seed_of(0))
    assert block.weights is None
    assert block.values.size == 16 * block.n_items


@pytest.mark.parametrize("null", [False, True])
@pytest.mark.parametrize(
    ("name", "metrics", "sizes"),
    [
        ("categorical-jobsq1", ("accuracy", "kl", "wins"), (8, 8, 8)),
        ("categorical-dices", ("tv",), (40, 33, 70)),
        ("categorical-dices", ("tv", "wins"), (2, 3, 2)),
        ("likert-toxicity", ("mae", "emd"), (40, 40, 40)),
        ("normal", ("mae", "wins"), (5, 5, 3)),
    ],
)
def test_blocks_that_are_drawn_together_are_those_drawn_alone(name, metrics, sizes, null):
    model = preset(name)
    bound = [resolve(metric).on(model.scale) for metric in metrics]
    setting = Setting(model, sizes, 0.2, null=null)
    numbers = [3, 4, 9]
    together = draw_blocks(setting, bound, numbers, seed_of(5))
    alone = [draw_blocks(setting, bound, [number], seed_of(5))[0] for number in numbers]
    for blocks, same in zip(together, alone, strict=True):
        for block, twin in zip(blocks, same, strict=True):
            assert block.values.tobytes() == twin.values.tobytes()
            assert (block.weights is None) == (twin.weights is None)
            if block.weights is not None and twin.weights is not None:
                assert block.weights.tobytes() == twin.weights.tobytes()


def test_the_standard_error_of_a_pool_is_that_of_its_items():
    """Means of pools from other seeds differ by as much as the standard error says."""
    model = preset("likert-toxicity")
    metric = resolve("mae").on(model.scale)
    means, errors = [], []
    for seed in range(40):
        growing = GrowingPools(Setting(model, (5, 5, 5), 0.2), [metric], seed_of(seed))
        growing.grow([16])
        [pool] = growing.pools()
        means.append(pool.mean)
        errors.append(pool.standard_error)
    from scipy.stats import chi2

    ratio = np.var(means, ddof=1) / np.mean(np.square(errors))
    low, high = chi2.ppf([0.001, 0.999], 39) / 39
    assert low < ratio < high


def test_pools_do_not_depend_on_threads_or_on_how_they_grew():
    model = preset("normal")
    metrics = [resolve("mae"), resolve("wins")]
    at_once = GrowingPools(Setting(model, (2, 2, 2), 0.2), metrics, seed_of(3), workers=4)
    at_once.grow([40, 40])
    by_steps = GrowingPools(Setting(model, (2, 2, 2), 0.2), metrics, seed_of(3))
    by_steps.grow([5, 1])
    by_steps.grow([40, 40])
    for left, right in zip(at_once.pools(), by_steps.pools(), strict=True):
        assert left.mean == right.mean
        np.testing.assert_array_equal(left.grid.shares, right.grid.shares)


def test_null_scores_are_symmetric():
    model = preset("normal")
    growing = GrowingPools(Setting(model, (2, 2, 2), 0.2, null=True), [resolve("mae")], seed_of(0))
    growing.grow([4])
    [pool] = growing.pools()
    np.testing.assert_array_equal(pool.grid.shares, pool.grid.shares[::-1])
    assert pool.mean == 0
    assert symmetrised(SumGrid(-1, np.array([0.25, 0.75]))).shares.tolist() == [0.125, 0.75, 0.125]
