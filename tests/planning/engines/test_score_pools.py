import numpy as np
import pytest

from howsure._random import seed_of
from howsure.metrics import resolve
from howsure.models import preset
from howsure.planning.engines.item_scores import Setting
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
    weighed.grow(3)
    gold, a, b = model.draw(1, 200_000, n_responses=(3, 3, 2), epsilon=0.3, needs="counts", rng=1)
    for metric, pool in zip(metrics, weighed.pools(), strict=True):
        drawn = metric.item_advantages(gold, a, b)[0]
        error = np.hypot(pool.standard_error, drawn.std() / np.sqrt(drawn.size))
        assert abs(pool.mean - drawn.mean()) < 4 * error
        assert pool.sd == pytest.approx(drawn.std(), rel=0.02)


def test_the_standard_error_of_a_pool_is_that_of_its_items():
    """Means of pools from other seeds differ by as much as the standard error says."""
    model = preset("likert-toxicity")
    metric = resolve("mae").on(model.scale)
    means, errors = [], []
    for seed in range(40):
        growing = GrowingPools(Setting(model, (5, 5, 5), 0.2), [metric], seed_of(seed))
        growing.grow(1)
        [pool] = growing.pools()
        means.append(pool.mean)
        errors.append(pool.standard_error)
    from scipy.stats import chi2

    ratio = np.var(means, ddof=1) / np.mean(np.square(errors))
    low, high = chi2.ppf([0.001, 0.999], 39) / 39
    assert low < ratio < high


def test_pools_do_not_depend_on_how_they_grew():
    model = preset("normal")
    metrics = [resolve("mae"), resolve("wins")]
    at_once = GrowingPools(Setting(model, (2, 2, 2), 0.2), metrics, seed_of(3))
    at_once.grow(4)
    by_steps = GrowingPools(Setting(model, (2, 2, 2), 0.2), metrics, seed_of(3))
    for n_chunks in (2, 3, 4):
        by_steps.grow(n_chunks)
    for left, right in zip(at_once.pools(), by_steps.pools(), strict=True):
        assert left.mean == right.mean
        np.testing.assert_array_equal(left.grid.shares, right.grid.shares)


def test_null_scores_are_symmetric():
    model = preset("normal")
    growing = GrowingPools(Setting(model, (2, 2, 2), 0.2, null=True), [resolve("mae")], seed_of(0))
    growing.grow(1)
    [pool] = growing.pools()
    np.testing.assert_array_equal(pool.grid.shares, pool.grid.shares[::-1])
    assert pool.mean == 0
    assert symmetrised(SumGrid(-1, np.array([0.25, 0.75]))).shares.tolist() == [0.125, 0.75, 0.125]
