import math

import numpy as np
import pytest
from scipy.stats import binom

from howsure._random import seed_of
from howsure.metrics import resolve
from howsure.models import preset
from howsure.planning.engines._kernels import expected_votes
from howsure.planning.engines.exact import ExactEngine
from howsure.planning.engines.expected_scores import HOPELESS, drawn_advantages, drawn_kind
from howsure.planning.engines.item_scores import (
    Setting,
    compositions,
    draw_blocks,
    log_factorials,
    outcome_probabilities,
)


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
