"""The two engines must agree wherever both apply: N from 1 to 10,000, all kinds of models and scores."""

import math

import numpy as np
import pytest
from scipy import stats

from howsure._random import seed_of
from howsure.comparison import compare
from howsure.metrics import resolve
from howsure.models import preset
from howsure.planning import Design
from howsure.planning.engines.exact import ExactEngine, student_width
from howsure.planning.engines.item_scores import Setting
from howsure.planning.engines.model import ModelEngine
from howsure.planning.engines.monte_carlo import MonteCarloEngine
from howsure.planning.request import PlanRequest, Scenario

MATRIX = [
    ("normal", ("mae", "wins", "mse"), (5, 5, 5), 0.1, (1, 10, 100, 1000)),
    ("normal", ("mae", "wins"), (5, 2, 1), 0.2, (1, 30, 300)),
    ("likert-toxicity", ("mae", "wins", "emd"), (5, 5, 5), 0.1, (1, 2, 200, 2000)),
    ("categorical-d3code", ("accuracy", "tv", "wins", "kl"), (3, 3, 3), 0.3, (1, 5, 500)),
    ("categorical-dices", ("accuracy", "tv", "wins", "js"), (20, 20, 20), 0.3, (1, 3, 30)),
    ("categorical-toxicity", ("accuracy", "tv"), (1, 1, 1), 0.1, (10, 10_000)),
]
N_CHECKS = sum(len(metrics) * len(sizes) for _, metrics, _, _, sizes in MATRIX)


@pytest.mark.parametrize(("name", "metrics", "n_responses", "epsilon", "n_items"), MATRIX)
def test_both_engines_agree(name, metrics, n_responses, epsilon, n_items):
    model = preset(name)
    bound = [resolve(metric).on(model.scale) for metric in metrics]
    exact = ExactEngine(model, bound, n_responses, epsilon=epsilon, seed=seed_of(1))
    exact.sharpen(n_items, 0.003)
    # All checks together shall fail by chance once in 1,000 runs.
    from scipy.special import ndtri

    most = -float(ndtri(0.001 / N_CHECKS / 2))
    for n in n_items:
        setting = Setting(model, n_responses, epsilon)
        drawn = MonteCarloEngine(setting, bound, seed_of(n), n_simulations=max(100, min(6_000, 500_000 // n)))
        for left, right in zip(exact.outlooks(n), drawn.outlooks(n), strict=True):
            error = math.hypot(left.expected_pvalue_error, right.expected_pvalue_error)
            if right.expected_pvalue > 0.005:  # below, Monte Carlo only has a bound
                assert abs(left.expected_pvalue - right.expected_pvalue) < most * error
            else:
                assert left.expected_pvalue < 0.02
            error = math.hypot(left.advantage_error, right.advantage_error)
            assert abs(left.advantage - right.advantage) < most * error


@pytest.mark.parametrize(
    ("name", "metric", "k", "sizes"),
    # Simulated advantages do not say how many items tell A and B apart, which matters where these are few.
    [("normal", "mae", 5, (5, 50, 500)), ("likert-toxicity", "mae", 20, (50, 200))],
)
def test_interval_widths_agree(name, metric, k, sizes):
    model = preset(name)
    bound = [resolve(metric).on(model.scale)]
    exact = ExactEngine(model, bound, (k, k, k), epsilon=0.2, seed=seed_of(1))
    for n in sizes:
        drawn = MonteCarloEngine(Setting(model, (k, k, k), 0.2), bound, seed_of(n), n_simulations=4000)
        [left], [right] = exact.outlooks(n), drawn.outlooks(n)
        assert abs(left.ci_width - right.ci_width) < 4 * math.hypot(left.ci_width_error, right.ci_width_error)


@pytest.mark.filterwarnings("ignore::howsure.errors.HowsureWarning")
def test_widths_where_few_items_tell_a_and_b_apart_are_those_of_compare():
    model, n, n_studies = preset("categorical-dices"), 10, 200
    metric = resolve("accuracy").on(model.scale)
    [outlook] = ExactEngine(model, [metric], (5, 5, 5), epsilon=0.2, seed=seed_of(0)).outlooks(n)
    widths = []
    for seed in range(n_studies):
        table = model.table(n, (5, 5, 5), epsilon=0.2, rng=seed)
        contest = table.contest(gold="gold", a="A", b="B")
        widths.append(compare(contest, metric="accuracy", rng=0, n_resamples=1023).confidence_interval.width)
    region = stats.norm.ppf(0.9995) * np.std(widths) / math.sqrt(n_studies)
    assert abs(outlook.ci_width - np.mean(widths)) < region
    student = student_width(outlook.standard_error * math.sqrt(n), n, 0.95)
    assert np.mean(widths) - student > region  # so that the test would see it


@pytest.mark.parametrize(("n", "metric"), [(2, "mae"), (50, "mae"), (500, "wins")])
def test_the_reported_error_of_p_is_that_between_seeds(n, metric):
    model = preset("normal")
    found, errors = [], []
    for seed in range(30):
        engine = ExactEngine(model, [resolve(metric)], (3, 3, 3), epsilon=0.15, seed=seed_of(seed))
        [outlook] = engine.outlooks(n)
        found.append(outlook.expected_pvalue)
        errors.append(outlook.expected_pvalue_error)
    from scipy.stats import chi2

    ratio = np.var(found, ddof=1) / np.mean(np.square(errors))
    assert ratio < chi2.ppf(0.999, 29) / 29  # may be too large, never too small


def test_an_engine_stops_at_the_precision_asked_for_and_spends_nothing_where_p_is_plain():
    model = preset("normal")
    engine = ExactEngine(model, [resolve("wins")], (5, 5, 5), epsilon=0.1, seed=seed_of(0))
    before = engine.n_items
    engine.sharpen([1, 100_000], 0.0005)
    assert engine.n_items == before
    engine.sharpen([100], 0.001)
    assert engine.n_items[0] > before[0]
    assert engine.outlooks(100)[0].expected_pvalue_error <= 0.001


def test_identical_models_have_an_expected_p_of_one_half():
    engine = ExactEngine(preset("normal"), [resolve("mae")], (5, 5, 5), epsilon=0.0, seed=seed_of(0))
    engine.sharpen_power([100], 0.01)
    [outlook] = engine.outlooks(100)
    assert outlook.expected_pvalue_error < 0.02
    assert outlook.expected_pvalue == pytest.approx(0.5, abs=3.3 * outlook.expected_pvalue_error)


def test_resampling_simulated_data_widens_the_interval():
    widths = []
    for again in (False, True):
        asked = PlanRequest(metrics="mae", engine="monte-carlo", n_simulations=2000, resample_simulated=again, rng=0)
        engine = ModelEngine(Scenario.of("normal", asked).at(0.2))
        widths.append(engine.outlook(Design(100, 5, 5, 5), 0).ci_width)
    assert widths[1] / widths[0] == pytest.approx(math.sqrt(2), rel=0.1)


def test_many_labels_and_responses_have_more_outcomes_than_can_be_counted():
    setting = {"epsilon": 0.3, "seed": np.random.SeedSequence(0)}
    engine = ExactEngine(preset("categorical-jobsq3"), [resolve("accuracy")], (300, 300, 300), **setting)
    [outlook] = engine.outlooks(1)
    assert 0 < outlook.expected_pvalue < 0.5


def test_a_few_scores_beside_the_grid_cost_no_precision():
    """Ties of three labels are rare with 220 responses: in the first block nearly all scores are multiples of 1/2."""
    model = preset("categorical-jobsq3")
    engine = ExactEngine(
        model, [resolve("accuracy").on(model.scale)], n_responses=(220, 220, 220), epsilon=0.1, seed=seed_of(0)
    )
    engine.sharpen([113], 0.01)
    found = engine.outlook(0, 113)
    assert found.expected_pvalue_error <= 0.01
    # 6,000 simulated studies: 0.0661 ± 0.0022
    assert abs(found.expected_pvalue - 0.0661) <= 3 * math.hypot(0.0022, found.expected_pvalue_error)
