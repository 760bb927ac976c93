"""Draws from many data sets at once have the bits of draws from each."""

import numpy as np
import pytest

from howsure import Contest, _random, models
from howsure.data.responses import Responses
from howsure.metrics import resolve
from howsure.resampling import Scheme, Stack, can_stack, draw, draw_stacked

METRICS = {
    "normal": ("mae", "rmse", "spearman", "wins", "emd", "max-error", "cosine"),
    "likert-toxicity": ("mae", "accuracy", "tv", "kendall", "emd-responses"),
    "categorical-dices": ("accuracy", "f1", "js"),
}
SCHEMES = (
    Scheme(),
    Scheme("all"),
    Scheme(responses="bootstrap"),
    Scheme("all", "bootstrap"),
    Scheme(responses="one"),
    Scheme(responses="first"),
    Scheme(responses="bootstrap", n_responses=3),
)
SEEDS = _random.Seeds.children(_random.seed_of(4), "draws", numbers=range(5))


def contests(model, n_items, n_responses):
    tables = [model.table(n_items, n_responses, epsilon=0.2, rng=seed) for seed in range(len(SEEDS))]
    return [table.contest(gold="gold", a="A", b="B") for table in tables]


@pytest.mark.parametrize("n_responses", [1, 2, 5, (3, 1, 4)])
@pytest.mark.parametrize("preset", METRICS)
def test_the_draws_of_each_are_those_of_each_alone(preset, n_responses):
    model = models.preset(preset)
    metrics = [resolve(name).on(model.scale) for name in METRICS[preset]]
    data = contests(model, 13, n_responses)
    stack = Stack.of(data, SEEDS)
    for scheme in SCHEMES:
        for null in (None, "sign-flip", "permuted-responses", "pooled-responses"):
            if scheme.keeps_responses and (scheme.items == "all") != (null == "sign-flip"):
                continue
            found = draw_stacked(stack, metrics, scheme=scheme, null=null, n_resamples=21)
            for j, contest in enumerate(data):
                alone = draw(contest, metrics, scheme=scheme, null=null, n_resamples=21, seed=SEEDS[j])
                np.testing.assert_array_equal(found.advantages[:, j], alone.advantages)
                np.testing.assert_array_equal(found.standard_errors[:, j], alone.standard_errors)


def test_draws_are_recentred_for_each_contest():
    stack, mae = Stack.of(contests(models.preset("normal"), 11, 2), SEEDS), [resolve("mae")]
    found = draw_stacked(stack, mae, scheme=Scheme(), null=None, n_resamples=30).shifted().advantages
    for j, contest in enumerate(stack.contests):
        alone = draw(contest, mae, scheme=Scheme(), null=None, n_resamples=30, seed=SEEDS[j])
        np.testing.assert_array_equal(found[:, j], alone.shifted().advantages)


def test_resamples_are_numbered_where_each_data_set_alone_would_be(monkeypatch):
    """The table of the resamples of all data sets may be larger than one of them may have."""
    from howsure.resampling import numbered

    data, tv = contests(models.preset("likert-toxicity"), 13, 3), [resolve("tv")]
    monkeypatch.setattr(numbered, "MOST_BYTES", 13 * 10 * 11)  # ten distinct resamples of each item, eleven levels
    numbered._arranged.cache_clear()
    found = draw_stacked(
        Stack.of(data, SEEDS), tv, scheme=Scheme(responses="bootstrap"), null=None, n_resamples=21
    ).advantages
    for j, contest in enumerate(data):
        alone = draw(contest, tv, scheme=Scheme(responses="bootstrap"), null=None, n_resamples=21, seed=SEEDS[j])
        np.testing.assert_array_equal(found[:, j], alone.advantages)
    numbered._arranged.cache_clear()


def test_a_stack_gives_its_contests_back():
    data = contests(models.preset("likert-toxicity"), 7, (3, 1, 4))
    stack = Stack.of(data, SEEDS)
    assert len(stack) == len(data)
    assert stack.n_items == 7
    for ours, theirs in zip(stack.contests, data, strict=True):
        assert ours.digest == theirs.digest
    assert stack.first.digest == data[0].digest
    firsts = stack.keeping(Scheme(responses="first"))
    assert [contest.a.n_responses for contest in firsts.contests] == [1] * len(data)


def test_a_stack_of_grids_is_that_of_contests():
    model = models.preset("normal")
    grids = model.draw(len(SEEDS), 7, n_responses=(3, 1, 4), needs="values", rng=1)
    stack = Stack.of_grids(*grids, scale=model.scale, seeds=SEEDS)
    for j, contest in enumerate(stack.contests):
        expected = Contest.from_arrays(*(grid[j] for grid in grids))
        for role, source in contest.sources.items():
            np.testing.assert_array_equal(source.values, expected.sources[role].values)
            np.testing.assert_array_equal(source.offsets, expected.sources[role].offsets)


def test_only_contests_of_the_same_sizes_are_stacked():
    model = models.preset("likert-toxicity")
    one, two = contests(model, 7, 2)[:2]
    assert can_stack([one, two])
    assert not can_stack([one, contests(model, 8, 2)[0]])
    assert not can_stack([one, contests(model, 7, (2, 2, 3))[0]])
    assert not can_stack([one, contests(models.preset("normal"), 7, 2)[0]])
    rated = Responses(one.gold.values, one.gold.offsets, np.tile([0, 1], 7))
    assert not can_stack([one.having({"gold": rated})])
    shares = Responses(one.a.values, one.a.offsets, weights=np.full(14, 0.5))
    assert not can_stack([one.having({"a": shares})])
    without = Contest(None, one.a, one.b, one.scale, one.items)
    assert can_stack([without, without])
    assert not can_stack([one, without])
