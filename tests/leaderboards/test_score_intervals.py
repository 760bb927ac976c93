"""One score has one interval: the same in `score` and on leaderboards, within the range of the score, and it covers."""

import math
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import comb

import howsure
from howsure import Responses, ResponseTable, Scale, examples
from howsure.comparison import compare
from howsure.errors import ArgumentError
from howsure.inference import binomial_region, wilson
from howsure.inference.proportions import effective_wilson
from howsure.leaderboards import compare_all, compare_all_by
from howsure.leaderboards.score_intervals import difference_limits, mean_interval
from howsure.scoring import score_models


def table_of(levels=(0.0, 1.0), groups=None, **grids):
    """Return a table of models with these runs of each item."""
    sources = {name: Responses.from_grid(np.asarray(grid, dtype=float)) for name, grid in grids.items()}
    n = len(next(iter(grids.values())))
    names = np.array([f"i{number:03}" for number in range(n)])
    return ResponseTable(names, sources, Scale.of(list(levels), kind="ordinal"), groups=groups or {})


def passes(wrong, n=23, n_runs=1):
    grid = np.ones((n, n_runs))
    grid[:wrong] = 0
    return grid


def ends_of(scored):
    return {one.name: (one.confidence_interval.low, one.confidence_interval.high) for one in scored.models}


def test_twenty_two_of_twenty_three_right_is_not_above_one():
    """The leaderboard said 0.904 to 1.009, and nothing of 23 of 23."""
    board = compare_all(table_of(a=passes(1), b=passes(4), c=passes(0)), rng=0, n_resamples=199)
    ends = ends_of(board)
    for name, right in (("a", 22), ("b", 19), ("c", 23)):
        known = wilson(right, 23)
        assert ends[name] == (pytest.approx(known.low), pytest.approx(known.high))
    assert ends["c"][1] == 1
    for pair in board.pairs:
        ends = pair.confidence_interval
        assert -1 <= ends.low <= pair.advantage <= ends.high <= 1


@pytest.mark.parametrize("n_runs", [1, 5])
@pytest.mark.parametrize("cluster", [None, "document"])
def test_score_and_leaderboard_give_a_model_the_same_interval(n_runs, cluster):
    rng = np.random.default_rng(3)
    ease = rng.beta(4, 0.6, (40, 1))
    groups = {"document": np.repeat([f"d{number}" for number in range(8)], 5), "half": np.repeat(["x", "y"], 20)}
    table = table_of(groups=groups, **{name: rng.binomial(1, ease, (40, n_runs)) for name in "abc"})
    board = compare_all(table, rng=0, n_resamples=199, cluster=cluster)
    assert ends_of(board) == ends_of(score_models(table, cluster=cluster))
    assert all(0 <= low <= high <= 1 for low, high in ends_of(board).values())
    slices = compare_all_by(table, "half", rng=0, n_resamples=199, cluster=cluster).leaderboards
    for number, one in enumerate(slices):
        part = table.take(np.arange(20) + 20 * number)
        assert ends_of(one) == ends_of(score_models(part, cluster=cluster, confidence_level=one.confidence_level))


@pytest.mark.parametrize("metric", ["mae", "spearman", "accuracy"])
def test_so_they_do_with_gold_and_other_metrics(metric):
    table = examples.ratings(60)
    board = compare_all(table, gold="human", metric=metric, rng=0, n_resamples=199)
    assert ends_of(board) == ends_of(score_models(table, gold="human", metrics=[metric]))


def test_the_interval_of_two_models_with_one_run_is_that_of_compare():
    table = table_of(a=passes(1), b=passes(4))
    [pair] = compare_all(table, rng=0).pairs
    known = compare(table.contest(a="a", b="b", gold=None), rng=0)
    assert (pair.confidence_interval.low, pair.confidence_interval.high) == pytest.approx(
        (known.confidence_interval.low, known.confidence_interval.high)
    )


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_intervals_of_shares_hold_the_estimate_and_stay_within_the_range(data):
    n, k = data.draw(st.integers(2, 20)), data.draw(st.integers(1, 5))
    counts = data.draw(st.lists(st.tuples(*[st.integers(0, k)] * 3), min_size=n, max_size=n))
    items = np.array(counts) / k
    clusters = data.draw(st.none() | st.just(np.arange(n) // 2 % max(2, n // 2)))
    if clusters is not None and np.unique(clusters).size < 2:
        clusters = None
    for column in items.T:
        ends = mean_interval(column, float(column.mean()), clusters, 0.95, (0.0, 1.0))
        assert 0 <= ends.low <= column.mean() + 1e-12
        assert column.mean() - 1e-12 <= ends.high <= 1
    first, second = np.array(list(combinations(range(3), 2))).T
    differences = items.mean(axis=0)[first] - items.mean(axis=0)[second]
    low, high = difference_limits([(1.0, items, clusters)], first, second, differences, 0.99)
    assert ((low >= -1) & (low <= differences + 1e-12) & (differences - 1e-12 <= high) & (high <= 1)).all()
    turned_low, turned_high = difference_limits([(1.0, items, clusters)], second, first, -differences, 0.99)
    assert turned_low == pytest.approx(-high, abs=1e-9)
    assert turned_high == pytest.approx(-low, abs=1e-9)


@given(st.integers(2, 400), st.data())
def test_the_effective_number_of_items_that_are_right_or_wrong_is_their_number(n, data):
    right = data.draw(st.integers(0, n))
    share = right / n
    known = wilson(right, n)
    low, high = effective_wilson(np.array([share]), np.array([share * (1 - share) / (n - 1)]), n)
    assert (float(low[0]), float(high[0])) == (pytest.approx(known.low, abs=1e-9), pytest.approx(known.high, abs=1e-9))


N_SETS = 2000


def at_least(covered, share=0.95):
    """Whether a count is not below the region of this coverage (99.9%)."""
    return covered >= binomial_region(N_SETS, share, confidence_level=0.999).low


def test_it_covers_where_one_item_of_ten_is_hard():
    """15 items × 5 runs: Student's interval covered 88% (80% by this seed)."""
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(N_SETS):
        items = rng.binomial(5, np.where(rng.random(15) < 0.9, 0.99, 0.05)) / 5
        covered += 0.896 in mean_interval(items, float(items.mean()), None, 0.95, (0.0, 1.0))
    assert at_least(covered)


def test_it_covers_pass_at_three_of_five_runs():
    """25 items × 5 runs: Student's interval covered 91.6% and less."""
    rng = np.random.default_rng(2)
    of_count = 1 - comb(5 - np.arange(6), 3) / comb(5, 3)
    truth = 1 - np.prod((0.5 + np.arange(3)) / (2.5 + np.arange(3)))  # the mean of 1 − (1 − p)³ if p is Beta(2, 0.5)
    covered = 0
    for _ in range(N_SETS):
        items = of_count[rng.binomial(5, rng.beta(2, 0.5, 25))]
        covered += truth in mean_interval(items, float(items.mean()), None, 0.95, (0.0, 1.0))
    assert at_least(covered)


@pytest.mark.parametrize("n_runs", [1, 5])
def test_intervals_of_all_pairs_hold_together_where_nearly_all_items_are_right(n_runs):
    """23 items, p = .95 and less: the leaderboard's intervals held together in 65% of data sets."""
    rng = np.random.default_rng(4)
    first, second = np.array(list(combinations(range(4), 2))).T
    ease = np.array([0.98, 0.95, 0.9, 0.8])
    true, covered = ease[first] - ease[second], 0
    for _ in range(N_SETS):
        items = rng.binomial(n_runs, ease, (23, 4)) / n_runs
        differences = items.mean(axis=0)[first] - items.mean(axis=0)[second]
        low, high = difference_limits([(1.0, items, None)], first, second, differences, 1 - 0.05 / 6)
        covered += bool(((low <= true) & (true <= high)).all())
    assert at_least(covered)


def test_few_clusters_and_few_items_with_several_runs_are_noted():
    rng = np.random.default_rng(6)
    said = "are few: if scores are skewed, the interval is too short."
    items = rng.binomial(5, 0.5, 60) / 5
    assert mean_interval(items[:15], items[:15].mean(), None, 0.95, (0.0, 1.0)).notes == (f"15 items {said}",)
    assert mean_interval(items, items.mean(), np.arange(60) // 5, 0.95, (0.0, 1.0)).notes == (f"12 clusters {said}",)
    assert not mean_interval(items, items.mean(), None, 0.95, (0.0, 1.0)).notes
    assert not mean_interval(np.repeat([0.0, 1.0], 7), 0.5, None, 0.95, (0.0, 1.0)).notes


def test_shares_by_raters_like_these_stay_within_the_range():
    """Six raters judged every output: the leaderboard is for raters like these, and near 1."""
    rng = np.random.default_rng(0)
    rows = [
        (f"i{item}", model, f"r{rater}", int(rng.random() < share))
        for item in range(25)
        for model, share in (("a", 0.99), ("b", 0.93), ("c", 0.97))
        for rater in range(6)
    ]
    board = howsure.leaderboard(pl.DataFrame(rows, schema=["item", "model", "rater", "score"], orient="row"))
    assert board.null == "random-effects"
    for one in (*board.models, *board.pairs):
        ends = one.confidence_interval
        estimate, least = (one.score, 0) if hasattr(one, "score") else (one.advantage, -1)
        assert least <= ends.low <= estimate <= ends.high <= 1


def test_an_undefined_interval_has_a_reason_beside_the_name():
    rng = np.random.default_rng(0)
    levels = (1.0, 2.0, 3.0, 4.0, 5.0)
    table = table_of(levels, steady=np.full((30, 1), 3), other=rng.integers(1, 6, (30, 1)))
    board = compare_all(table, rng=0, n_resamples=199)
    assert math.isnan(board.model("steady").confidence_interval.low)
    assert (
        "steady: The interval is undefined: all items have the same score, so how much scores vary is unknown."
        in board.notes
    )


def test_ranks_of_tasks_need_tasks():
    said = "`aggregate='borda'` combines the ranks of several tasks: pass `by`, the column of tasks, and "
    with pytest.raises(ArgumentError, match=f"{said}`task_effect='random'`"):
        compare_all(table_of(a=passes(1), b=passes(4)), aggregate="borda", rng=0)


def test_tasks_are_weighed_and_stay_within_the_range():
    rng = np.random.default_rng(5)
    groups = {"task": np.repeat(["x", "y"], [10, 30])}
    table = table_of(groups=groups, a=passes(0, 40), b=rng.integers(0, 2, (40, 1)))
    board = compare_all(table, by="task", rng=0, n_resamples=199)
    ends = board.model("a").confidence_interval
    assert (ends.low, ends.high) == (pytest.approx(1 - 3.8415 / (30 + 3.8415), abs=1e-3), 1)  # 1/Σ W²/n = 30 items
    assert all(-1 <= pair.confidence_interval.low <= pair.confidence_interval.high <= 1 for pair in board.pairs)


def test_items_that_separate_two_models_follow_from_the_standard_error():
    """One of 23 items tells c from a. The interval of the pair is several times wider than ± 2 standard errors."""
    board = compare_all(table_of(a=passes(1), b=passes(4), c=passes(0)), rng=0, n_resamples=199)
    assert board.pair("c", "a").standard_error == pytest.approx(1 / 23)
    assert "About 190 items would separate c and a" in str(board)


def test_skewed_pairs_are_noted_on_a_leaderboard():
    rng = np.random.default_rng(3)
    base = rng.normal(size=(60, 1))
    rare = 6.0 * (np.arange(60) % 20 == 0)[:, np.newaxis]
    grids = {"a": base, "b": base + 0.1 * rng.normal(size=(60, 1)) - rare, "c": base + rng.normal(size=(60, 1))}
    sources = {name: Responses.from_grid(grid) for name, grid in grids.items()}
    board = compare_all(ResponseTable(np.arange(60).astype(str), sources, Scale("continuous")))
    assert any("Item differences are markedly skewed for 2 of 3 pairs" in note for note in board.notes)


def test_one_number_has_one_name_in_all_commands():
    rng = np.random.default_rng(4)
    table = table_of(levels=(1.0, 2.0, 3.0), a=rng.integers(1, 4, (30, 1)), b=rng.integers(1, 4, (30, 1)))
    answers = (score_models(table), compare(table, a="a", b="b", rng=0), compare_all(table))
    assert all("mean rating" in str(answer) for answer in answers)
    assert not any("mean score" in str(answer) for answer in answers)
