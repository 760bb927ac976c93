import numpy as np
import pytest
from scipy import stats

from howsure.metrics import resolve
from howsure.models import preset, simulate_advantages

METRICS = {
    "normal": ["mae", "wins", "emd"],
    "likert-toxicity": ["mae", "emd", "spearman"],
    "categorical-dices": ["tv", "accuracy"],
}


def on(name):
    model = preset(name)
    return model, [resolve(metric).on(model.scale) for metric in METRICS[name]]


@pytest.mark.parametrize("name", METRICS)
def test_threads_and_longer_runs_change_no_bit_of_a_whole_batch(name):
    model, metrics = on(name)
    options = {"n_items": 40, "n_responses": 3, "epsilon": 0.2, "rng": 5}
    one = simulate_advantages(model, metrics, n_simulations=1200, workers=1, **options)
    three = simulate_advantages(model, metrics, n_simulations=1200, workers=3, **options)
    longer = simulate_advantages(model, metrics, n_simulations=2000, workers=2, **options)
    np.testing.assert_array_equal(one, three)
    np.testing.assert_array_equal(one[:, :400], longer[:, :400])
    assert one.shape == (len(metrics), 1200)


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
