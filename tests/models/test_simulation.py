import numpy as np
import pytest
from scipy import stats

from howsure import _random
from howsure.metrics import resolve
from howsure.models import NormalModel, preset, simulate_advantages
from howsure.models.simulation import draw_each

METRICS = {
    "normal": ["mae", "wins", "emd"],
    "likert-toxicity": ["mae", "emd", "spearman"],
    "categorical-dices": ["tv", "accuracy"],
}


def on(name):
    model = preset(name)
    return model, [resolve(metric).on(model.scale) for metric in METRICS[name]]


@pytest.mark.parametrize("name", METRICS)
def test_threads_and_longer_runs_change_no_bit(name):
    model, metrics = on(name)
    options = {"n_items": 40, "n_responses": 3, "epsilon": 0.2, "rng": 5}
    one = simulate_advantages(model, metrics, n_simulations=200, workers=1, **options)
    three = simulate_advantages(model, metrics, n_simulations=200, workers=3, **options)
    longer = simulate_advantages(model, metrics, n_simulations=256, workers=2, **options)
    np.testing.assert_array_equal(one, three)
    np.testing.assert_array_equal(one[:, :192], longer[:, :192])
    assert one.shape == (len(metrics), 200)


@pytest.mark.parametrize("perturbation", [None, "split", "guessing", "noise"])
@pytest.mark.parametrize("n_responses", [3, 40])
@pytest.mark.parametrize("name", METRICS)
def test_blocks_simulated_together_are_those_simulated_alone(name, n_responses, perturbation, monkeypatch):
    model, metrics = on(name)
    how = {"n_items": 11, "n_responses": n_responses, "epsilon": 0.2, "perturbation": perturbation}
    how |= {"n_simulations": 200, "rng": 3, "workers": 1}
    cases = [{"null": null, "resample_simulated": drawn} for null in (False, True) for drawn in (False, True)]
    together = [simulate_advantages(model, metrics, **how, **case) for case in cases]
    monkeypatch.setattr("howsure.models.simulation.TOGETHER", 1)
    monkeypatch.setattr("howsure.models.simulation.Streams", None)  # so that a block is surely drawn alone
    for case, found in zip(cases, together, strict=True):
        np.testing.assert_array_equal(simulate_advantages(model, metrics, **how, **case), found)


@pytest.mark.parametrize("name", METRICS)
def test_the_null_is_symmetric(name):
    model, metrics = on(name)
    draws = simulate_advantages(model, metrics, n_items=25, epsilon=0.3, null=True, n_simulations=2000, rng=1)
    for row in draws:
        decided = row[row != 0]
        low, high = stats.binom.ppf([5e-6, 1 - 5e-6], decided.size, 0.5)
        assert low <= (decided > 0).sum() <= high


@pytest.mark.parametrize("name", METRICS)
def test_all_metrics_together_or_alone_have_the_same_distribution(name):
    model, metrics = on(name)
    options = {"n_items": 25, "epsilon": 0.2, "n_simulations": 1000}
    together = simulate_advantages(model, metrics, rng=1, **options)
    for metric, row in zip(metrics, together, strict=True):
        alone = simulate_advantages(model, [metric], rng=2, **options)[0]
        assert stats.ks_2samp(row, alone).pvalue > 1e-5


def test_the_bootstrap_inside_every_data_set_doubles_the_variance_between_items():
    model, metrics = preset("normal"), [resolve("mae")]
    options = {"n_items": 50, "n_responses": 20, "epsilon": 0.3, "n_simulations": 4000, "rng": 3}
    plain = simulate_advantages(model, metrics, **options)[0]
    doubled = simulate_advantages(model, metrics, resample_simulated=True, **options)[0]
    ratio = doubled.var() / plain.var()
    # A bootstrap mean of n items adds (n − 1) / n of the variance; the ratio of two such variances is F.
    low, high = stats.f.ppf([1e-6, 1 - 1e-6], 3999, 3999) * (2 - 1 / 50)
    assert low < ratio < high
    assert ratio > stats.f.ppf(1 - 1e-6, 3999, 3999)


class Own(NormalModel):
    """A model of the user's, whose data sets are drawn one by one."""


@pytest.mark.parametrize("n_responses", [1, 3, (2, 1, 4)])
@pytest.mark.parametrize("perturbation", [None, "split", "noise"])
@pytest.mark.parametrize("name", [*METRICS, "own"])
def test_data_sets_drawn_together_are_the_tables_of_each(name, perturbation, n_responses):
    model = Own(preset("normal").mean, preset("normal").sd) if name == "own" else preset(name)
    perturbation = None if perturbation == "noise" and name == "categorical-dices" else perturbation
    design = {"n_responses": n_responses, "epsilon": (0.1, 0.3), "perturbation": perturbation}
    seed, numbers = _random.seed_of(2), range(3, 9)
    grids = draw_each(model, seed, "data set", numbers=numbers, n_items=17, **design)
    for i, number in enumerate(numbers):
        table = model.table(17, rng=_random.child(seed, "data set", number), **design)
        for grid, source in zip(grids, table.sources.values(), strict=True):
            np.testing.assert_array_equal(grid[i].ravel(), source.values)
