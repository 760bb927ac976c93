"""Many labels take little memory: labels numbered by item give what a column for each gives, but for rounding."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from howsure import Contest, ResponseTable
from howsure.comparison import compare, missing_bounds
from howsure.data.scales import Scale
from howsure.data.summaries import narrowed
from howsure.errors import DataError
from howsure.leaderboards import compare_all
from howsure.metrics import BUILTIN, FunctionMetric, resolve
from howsure.resampling import summaries_of

BLIND = ("accuracy", "accuracy-responses", "tv", "js", "kl", "cross-entropy", "brier", "log-loss", "wins", "wins:js")


def many_labels(n_items=30, n_labels=40, sizes=(3, 2, 4), seed=0):
    """Return a contest of far more labels than an item has; some items lack responses."""
    dice = np.random.default_rng(seed)
    usual = dice.integers(n_labels, size=(n_items, 4))
    sides = []
    for k in sizes:
        side = np.take_along_axis(usual, dice.integers(4, size=(n_items, k)), axis=1).astype(float)
        side[:, 1:][dice.random((n_items, k - 1)) < 0.2] = np.nan
        sides.append(side)
    contest = Contest.from_arrays(*sides, scale="nominal")
    names = tuple(f"label {level:g}" for level in contest.scale.levels)
    return replace(contest, scale=Scale("nominal", contest.scale.levels, names))


@pytest.fixture
def always_lean(monkeypatch):
    monkeypatch.setattr("howsure.data.summaries.FEW_CELLS", 0)


def same(one, other):
    """Whether two records are equal but for rounding."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other or (isinstance(one, float) and one == pytest.approx(other, rel=1e-9, abs=1e-12, nan_ok=True))


def test_every_label_blind_metric_is_listed_here():
    scale = many_labels().scale
    blind = {name for name, metric in BUILTIN.items() if "nominal" in metric.kinds and metric.on(scale).label_blind}
    assert blind == {name for name in BLIND if ":" not in name}


@pytest.mark.parametrize("name", BLIND)
def test_item_advantages_are_the_same(name):
    contest = many_labels()
    lean = narrowed(contest)
    metric = resolve(name).on(contest.scale)
    assert len(lean.scale.levels) < 10 < len(contest.scale.levels)
    dense, narrow = (metric.item_advantages(*summaries_of(data, "counts")) for data in (contest, lean))
    np.testing.assert_allclose(narrow, dense, rtol=1e-12, atol=1e-14)


@pytest.mark.filterwarnings("ignore::howsure.errors.HowsureWarning")
@pytest.mark.parametrize(
    ("metrics", "settings"),
    [
        (("js", "tv"), {}),
        (("kl",), {"responses": "bootstrap"}),
        (("tv",), {"null": "permuted-responses"}),
        (("accuracy",), {"responses": "one", "null": "pooled-responses"}),
    ],
)
def test_a_comparison_is_the_same(metrics, settings, monkeypatch):
    contest = many_labels()
    how = {"n_resamples": 99, "rng": 0, "workers": 1, **settings}
    dense = [compare(contest, metric=metric, **how) for metric in metrics]
    monkeypatch.setattr("howsure.data.summaries.FEW_CELLS", 0)
    for metric, found in zip(metrics, dense, strict=True):
        assert same(found.to_dict(), compare(contest, metric=metric, **how).to_dict())


def test_a_board_is_the_same(monkeypatch):
    contest = many_labels()
    sources = {"gold": contest.gold, "a": contest.a, "b": contest.b}
    table = ResponseTable(contest.items, sources, contest.scale)
    dense = compare_all(table, gold="gold", metric="js", n_resamples=99, rng=0)
    monkeypatch.setattr("howsure.data.summaries.FEW_CELLS", 0)
    assert same(compare_all(table, gold="gold", metric="js", n_resamples=99, rng=0).to_dict(), dense.to_dict())


@pytest.mark.parametrize("metric", ["accuracy", "tv"])
def test_missing_answers_may_be_labels_that_nobody_gave(metric, monkeypatch):
    contest = many_labels(sizes=(3, 1, 1))
    lacking = np.arange(contest.n_items) % 3
    contest = replace(contest, a=replace(contest.a, missing=lacking), b=replace(contest.b, missing=lacking))
    dense = missing_bounds(contest, metric=metric, n_resamples=99, rng=0)
    monkeypatch.setattr("howsure.data.summaries.FEW_CELLS", 0)
    lean = missing_bounds(contest, metric=metric, n_resamples=99, rng=0)
    assert [found.advantage for found in lean] == [found.advantage for found in dense]
    assert [found.confidence_interval for found in lean] == [found.confidence_interval for found in dense]


def test_a_label_that_all_items_share_keeps_the_scale_as_it_is():
    contest = Contest.from_arrays(["x", "y"], ["y", "y"], ["x", "x"])
    assert narrowed(contest) is contest


@pytest.mark.usefixtures("always_lean")
def test_metrics_that_look_at_labels_keep_them():
    contest = many_labels()
    one = compare(contest, metric="f1", n_resamples=19, rng=0)
    assert np.isfinite(one.advantage)
    assert one.scale.startswith("nominal")


def test_more_counts_than_memory_has_room_for():
    contest = many_labels(n_items=2_000, n_labels=60_000)
    assert contest.n_items * len(contest.scale.levels) > 2**23
    tracemalloc.start()
    for metric in ("js", "accuracy"):
        compare(contest, metric=metric, n_resamples=99, rng=0)
    assert tracemalloc.get_traced_memory()[1] < 16 * 2**20
    tracemalloc.stop()


def test_what_does_not_fit_is_refused_with_what_would():
    contest = many_labels(n_items=9_000, n_labels=60_000, sizes=(1, 1, 1))
    with pytest.raises(DataError, match=r"at most 33,554,432 are kept .* not look at which label is which"):
        compare(contest, metric="f1", n_resamples=19, rng=0)


def test_a_function_of_labels_sees_only_the_labels_that_are_given():
    dice = np.random.default_rng(0)
    gold, model = (dice.integers(0, 2, size=(2_000, 250)).astype(float) for _ in range(2))
    gold[:, :248] = model[:, :248] = 0  # ties of two labels at most
    gold[:, 0] = model[:, 1] = 1

    def pairs(one, other, sample_weight):
        assert len(one) == len(other) == len(sample_weight)
        return float(sample_weight.sum())

    metric = replace(FunctionMetric(pairs, better="higher", labels=True), written=tuple(map(str, range(250))))
    tracemalloc.start()
    assert metric.score(gold, model) == pytest.approx(2_000)
    assert tracemalloc.get_traced_memory()[1] < 32 * 2**20
    tracemalloc.stop()
