"""Intervals of pairs exclude 0 exactly where the adjusted p-value rejects; of two models they are `compare`'s."""

import numpy as np
import polars
import pytest

from howsure import Responses, ResponseTable, Scale
from howsure.comparison import compare
from howsure.inference.corrections import JOINT_CORRECTIONS
from howsure.leaderboards import compare_all, compare_votes
from tests.leaderboards.tables import ratings, table_of

LEVELS = (0.8, 0.95)


def passes(rng, n, m):
    """Return right and wrong answers; models often agree."""
    return (rng.random((n, 1)) * 0.7 + rng.random((n, m)) * 0.5 < np.linspace(0.7, 0.9, m)).astype(float)


def skewed(rng, n, m):
    return rng.lognormal(0.2 * np.arange(m), 1.0, (n, m))


def rated(rng, n, m):
    return np.clip(np.round(rng.normal(size=(n, 1)) + rng.normal(size=(n, m)) + 0.3 * np.arange(m)), -2, 2) + 3


SCALES = {
    passes: Scale.of([0.0, 1.0], kind="ordinal"),
    skewed: Scale("continuous"),
    rated: Scale.of([1.0, 2, 3, 4, 5]),
}


def table_from(make, rng, n, m, **columns):
    table = table_of(make(rng, n, m), **columns)
    return ResponseTable(table.items, table.sources, SCALES[make], table.groups, table.raters).in_order()


def contradictions(board):
    """Return the pairs whose interval contradicts the adjusted p-value about 0."""
    found = []
    for pair in board.pairs:
        ends = pair.confidence_interval
        if not np.isnan(ends.low) and pair.as_estimate.is_significant == (ends.low <= 0 <= ends.high):
            found.append(pair)
    return found


@pytest.mark.parametrize("make", SCALES)
@pytest.mark.parametrize("settings", [{}, {"baseline": "m0"}, {"correction": "holm"}, {"correction": "none"}])
def test_no_interval_contradicts_the_adjusted_p_value(make, settings):
    significant = 0
    for seed in range(15):
        rng = np.random.default_rng([seed, 5])
        table = table_from(make, rng, int(rng.integers(12, 60)), 4)
        board = compare_all(table, rng=seed, n_resamples=499, confidence_level=LEVELS[seed % 2], **settings)
        assert not contradictions(board), (seed, contradictions(board))
        significant += board.n_significant
    assert significant


@pytest.mark.parametrize("correction", JOINT_CORRECTIONS)
def test_ranks_of_one_model_alone_are_never_wider_than_the_joint_ranks(correction):
    for seed in range(10):
        table = table_of(ratings(25, 4, 1, seed=seed))
        board = compare_all(table, rng=0, n_resamples=499, correction=correction)
        assert all(row.rank_low <= row.rank_low_marginal for row in board.models)
        assert all(row.rank_high_marginal <= row.rank_high for row in board.models)


def test_one_value_of_999_gives_no_impossible_difference():
    """Ratings 1 to 3 with one code for a missing answer: the interval was −13,400 to 13,500 beside p = .0085."""
    rng = np.random.default_rng(3)
    for m in (2, 3):
        scores = rng.integers(1, 3, (20, m)).astype(float)
        scores[:, 0] += rng.random(20) < 0.7
        scores[7, 0] = 999
        table = table_of(scores)
        table = ResponseTable(table.items, table.sources, Scale.of(np.unique(scores), kind="ordinal"), {}, ())
        board = compare_all(table, rng=0)
        ends = [pair.confidence_interval for pair in board.pairs]
        assert all(-998 <= one.low <= one.high <= 998 for one in ends)
        assert not contradictions(board)


def test_26_of_30_against_22_of_30_are_what_compare_says():
    """A difference that only four items make: its interval was 0.005 to 0.297 beside p = .12."""
    a, b = (np.arange(30) < right for right in (26, 22))
    table = table_of(np.stack([a, b], axis=1))
    table = ResponseTable(table.items, table.sources, SCALES[passes], {}, ())
    [pair] = compare_all(table, rng=0).pairs
    alone = compare(table, a="m0", b="m1", rng=0)
    assert (pair.confidence_interval.low, pair.confidence_interval.high) == (0.0, alone.confidence_interval.high)
    assert (pair.pvalue, pair.pvalue_adjusted) == (alone.pvalue, alone.pvalue) == (0.125, 0.125)


@pytest.mark.parametrize("make", SCALES)
@pytest.mark.parametrize("metric", ["rating", "mae", "rmse", "spearman"])
@pytest.mark.parametrize("clustered", [False, True])
def test_two_models_are_compared_as_compare_does_it(make, metric, clustered):
    n_pairs = 0
    for seed in range(3):
        rng = np.random.default_rng([seed, 8])
        n = int(rng.integers(12, 50))
        gold = None if metric == "rating" else make(rng, n, 1)
        table = table_from(make, rng, n, 2, gold=gold, groups={"document": np.arange(n) // 2})
        name, cluster = None if gold is None else "gold", "document" if clustered else None
        settings = {"metric": metric, "gold": name, "cluster": cluster, "rng": seed, "n_resamples": 499}
        board = compare_all(table, **settings)
        [pair] = board.pairs
        alone = compare(table, a=pair.a, b=pair.b, raters="fixed", **settings)
        ends = alone.confidence_interval
        assert (pair.advantage, pair.pvalue) == pytest.approx((alone.advantage, alone.pvalue), abs=1e-12)
        assert (pair.confidence_interval.low, pair.confidence_interval.high) == pytest.approx((ends.low, ends.high))
        assert board.null == alone.null
        n_pairs += 1
    assert n_pairs


@pytest.mark.parametrize("uneven", [False, True])
def test_two_models_judged_by_raters_are_compared_as_compare_does_it(uneven):
    """Raters of unequal numbers of items are weighted in `compare`; the leaderboard had the plain difference."""
    rng = np.random.default_rng(1)
    n, n_raters = 40, 8
    load = np.where(np.arange(n_raters) < 2, 8.0 if uneven else 1.0, 1.0)
    who = np.array([rng.choice(n_raters, 3, replace=False, p=load / load.sum()) for _ in range(n)])
    item, rater = rng.normal(size=(n, 1)), rng.normal(0, 0.5, n_raters)
    sources = {}
    for j in range(2):
        values = item + rater[who] + rng.normal(0, 0.3, n_raters)[who] + rng.normal(size=(n, 3)) + 0.2 * j
        sources[f"m{j}"] = Responses.from_grid(np.clip(np.round(values), -2, 2) + 3, who)
    ids = tuple(f"r{number}" for number in range(n_raters))
    table = ResponseTable(np.array([f"i{i}" for i in range(n)]), sources, SCALES[rated], {}, ids)
    board = compare_all(table, rng=0, n_resamples=499)
    [pair] = board.pairs
    alone = compare(table, a=pair.a, b=pair.b, rng=0, n_resamples=499)
    assert (pair.advantage, pair.pvalue) == pytest.approx((alone.advantage, alone.pvalue))
    ends = alone.confidence_interval
    assert (pair.confidence_interval.low, pair.confidence_interval.high) == pytest.approx((ends.low, ends.high))
    assert (board.model(pair.a).score, board.model(pair.b).score) == pytest.approx((alone.a_score, alone.b_score))
    weighted = [note for note in alone.notes if note.startswith("Raters judged unequal")]
    assert weighted == [note for note in board.notes if note.startswith("Raters judged unequal")]
    assert weighted or not uneven


def test_votes_and_tasks_agree_with_their_tests():
    rng = np.random.default_rng(4)
    for seed in range(15):
        first, second = np.array([rng.choice(4, 2, replace=False) for _ in range(120)]).T
        wins = rng.random(120) < 1 / (1 + np.exp(0.5 * (second - first)))
        columns = {"model_a": first, "model_b": second, "winner": np.where(wins, "model_a", "model_b")}
        frame = polars.DataFrame(columns).with_columns(polars.col("model_a", "model_b").cast(polars.String))
        assert not contradictions(compare_votes(frame, rng=seed, n_resamples=499))
        groups = {"language": np.arange(36) % 6}
        for settings in ({}, {"task_effect": "random"}, {"task_effect": "random", "aggregate": "borda"}):
            table = table_from(skewed, rng, 36, 2 + seed % 3, groups=groups)
            assert not contradictions(compare_all(table, by="language", rng=seed, n_resamples=499, **settings))
