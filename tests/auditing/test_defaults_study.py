"""The study of the defaults resamples item advantages without a contest around them, and agrees with `compare`."""

import numpy as np
import pytest

from howsure import _random, models
from howsure.comparison import compare
from howsure.metrics import resolve
from howsure.resampling import _kernels, summaries_of
from howsure.resampling.sampler import ITEMS, STREAMS, SWAPS


@pytest.fixture(scope="module")
def study(program):
    return program("audit_defaults")


def seeds_of(rng, null, stream, n_draws):
    key = np.uint64(_random.key(_random.replayable(rng), null))
    return _kernels.seed_draws(key, STREAMS, 0, n_draws)[stream]


@pytest.mark.parametrize("metric", ["mae", "tv", "accuracy", "wins"])
def test_the_study_says_what_compare_says(study, metric):
    contest = models.preset("likert-toxicity").table(50, 3, epsilon=0.2, rng=1).contest(gold="gold", a="A", b="B")
    bound = resolve(metric).on(contest.scale)
    n_draws = study.N_DRAWS["scores"]
    result = compare(contest, metric=metric, n_resamples=n_draws, rng=5)
    seeds = np.stack([seeds_of(5, "sign-flip", SWAPS, n_draws), seeds_of(5, "draws", ITEMS, n_draws)])
    tally = Recorded([0.0])
    advantages = bound.item_advantages(*summaries_of(contest, bound.needs))
    study.by_scores(tally, [bound], advantages[:, np.newaxis], seeds, bootstrap=True)
    assert tally.pvalues["sign-flip"] == result.pvalue
    for method, ends in tally.ends.items():
        same = result.confidence_interval if method == "default" else result.at(interval=method).confidence_interval
        assert (ends.low, ends.high) == pytest.approx((same.low, same.high), nan_ok=True)


class Recorded:
    """A tally that keeps what it is told."""

    def __init__(self, goals):
        self.goals, self.pvalues, self.ends = goals, {}, {}

    def test(self, _, name, pvalue):
        self.pvalues[name] = pvalue

    def limits(self, _, name, ends):
        self.ends[name] = ends
