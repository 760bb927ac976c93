"""A board gives every pair what `compare` gives it, and what holds for all pairs together."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import howsure
from howsure import Contest, Leaderboard, Responses, ResponseTable, Scale
from howsure.comparison import compare
from howsure.data.summaries import summarise
from howsure.errors import ArgumentError, DataError
from howsure.inference import adjust, binomial_region
from howsure.leaderboards import compare_all
from howsure.leaderboards.units import LeaderboardData, sheet_of
from howsure.metrics.builtin import resolve
from howsure.metrics.ratings import MeanRating
from howsure.reports.accounts import account_of

from .tables import ratings, right_or_wrong, table_of


def pairs_of(board):
    return [(pair.a, pair.b, pair) for pair in board.pairs]


def nominal(n=60, m=4):
    rng = np.random.default_rng(3)
    truth = rng.integers(3, size=(n, 1))
    gold = np.where(rng.random((n, 3)) < 0.8, truth, rng.integers(3, size=(n, 3)))
    scale = Scale("nominal", (0.0, 1.0, 2.0), ("x", "y", "z"))
    sources = {"gold": Responses.from_grid(gold.astype(float))}
    for j in range(m):
        own = np.where(rng.random((n, 2)) < 0.5 + 0.1 * j, truth, rng.integers(3, size=(n, 2)))
        sources[f"m{j}"] = Responses.from_grid(own.astype(float))
    return ResponseTable(np.arange(n).astype(str), sources, scale)


CASES = {
    "ratings with repeats": (table_of(ratings()), {}),
    "few items, all arrangements": (table_of(ratings(9)), {}),
    "against gold": (table_of(ratings(), gold=ratings(m=1, k=5)[:, 0]), {"gold": "gold"}),
    "labels": (nominal(), {"gold": "gold"}),
    "no item scores": (table_of(ratings(25, 3), gold=ratings(25, 1)[:, 0]), {"gold": "gold", "metric": "rmse"}),
    "ranks in clusters": (
        table_of(ratings(42, 3), gold=ratings(42, 1)[:, 0], groups={"document": np.arange(42) // 3}),
        {"gold": "gold", "metric": "spearman", "cluster": "document"},
    ),
    "clusters": (table_of(ratings(), groups={"document": np.arange(40) // 3}), {"cluster": "document"}),
}


@pytest.mark.parametrize("n_resamples", [999, None])
@pytest.mark.parametrize("name", CASES)
def test_every_pair_has_the_advantage_and_the_p_of_compare(name, n_resamples):
    table, how = CASES[name]
    board = compare_all(table, rng=5, n_resamples=n_resamples, **how)
    how = {key: value for key, value in how.items() if key != "gold"}
    for a, b, pair in pairs_of(board):
        alone = compare(table.contest(a=a, b=b, gold=board.gold or None), rng=5, n_resamples=n_resamples, **how)
        assert pair.advantage == pytest.approx(alone.advantage, abs=1e-12)
        if name == "clusters" and n_resamples:  # the same swaps, other coins
            assert abs(pair.pvalue - alone.pvalue) <= 4 * np.hypot(alone.pvalue_se, alone.pvalue_se) + 1e-3
        else:
            assert pair.pvalue == pytest.approx(alone.pvalue, abs=1e-12)
        assert board.model(a).score == pytest.approx(alone.a_score)
        assert pair.pvalue <= pair.pvalue_adjusted
        assert pair.advantage >= 0


@pytest.mark.parametrize("with_gold", [False, True])
def test_with_crossed_raters_every_pair_is_judged_as_compare_judges_it(with_gold):
    rng = np.random.default_rng(1)
    grid = rng.normal(size=(20, 3, 5)) + rng.normal(size=(1, 3, 5)) * 0.4 + np.array([0, 0.5, 2])[:, np.newaxis]
    raters = np.tile(np.arange(5), (20, 1))
    if with_gold:
        gold = Responses.from_grid(rng.normal(size=(20, 5)), raters)
        sources = {"gold": gold} | {f"m{j}": Responses.from_grid(grid[:, j, :1]) for j in range(3)}
        table = ResponseTable(np.arange(20).astype(str), sources, Scale("continuous"), {}, tuple("abcde"))
    else:
        table = table_of(grid, raters=raters)
    how = {"n_resamples": 499, "rng": 2}
    board = compare_all(table, gold="gold" if with_gold else None, **how)
    assert board.null == "random-effects"
    for a, b, pair in pairs_of(board):
        alone = compare(table.contest(a=a, b=b, gold=board.gold or None), **how)
        assert pair.advantage == pytest.approx(alone.advantage)
        assert pair.pvalue == pytest.approx(alone.pvalue)
        assert pair.pvalue <= pair.pvalue_adjusted <= min(1, 3 * pair.pvalue) + 1e-12
        assert pair.confidence_interval.low < alone.confidence_interval.low
    these, like = board.scopes
    assert (these.name, like.name) == ("For these 5 raters", "For raters like these")
    assert like.confidence_set == board.confidence_set
    assert (like.rank_low, like.rank_high) == tuple(
        tuple(getattr(row, end) for row in board.models) for end in ("rank_low", "rank_high")
    )
    assert these.n_significant >= like.n_significant == board.n_significant
    said = str(board).splitlines()
    assert f"For these 5 raters:     {_best(these)}; {these.n_significant} of 3 pairs differ." in said
    assert f"For raters like these:  {_best(like)}; {like.n_significant} of 3 pairs differ." in said
    assert "Report the second line unless exactly these raters are the standard." in said
    assert "would separate" not in str(board)  # items alone may never be enough
    if like.n_significant < 3:
        assert account_of(board).next[0].startswith("More raters, and more items, are required to separate m")


def _best(scope):
    best = scope.confidence_set
    return f"only {best[0]} may be the best" if len(best) == 1 else f"{len(best)} of 3 models may be the best"


def test_with_fewer_than_five_raters_these_lead_and_others_are_a_hint():
    rng = np.random.default_rng(1)
    grid = rng.normal(size=(20, 3, 4)) + rng.normal(size=(1, 3, 4)) * 0.4 + np.array([0, 0.5, 2])[:, np.newaxis]
    table = table_of(grid, raters=np.tile(np.arange(4), (20, 1)))
    board = compare_all(table, rng=2, n_resamples=499)
    fixed = compare_all(table, rng=2, n_resamples=499, raters="fixed")
    random = compare_all(table, rng=2, n_resamples=499, raters="random")
    assert board.null == "sign-flip"
    assert [pair.pvalue for pair in board.pairs] == [pair.pvalue for pair in fixed.pairs]
    assert board.scopes == fixed.scopes == random.scopes
    assert random.scopes[1].confidence_set == random.confidence_set
    assert any("would separate" in line for line in account_of(board).next) == ("would separate" in str(board))
    hint = "Report the first line. The second is only a hint: 4 raters are too few to generalise reliably. Add raters."
    assert hint in str(board).splitlines()


@settings(max_examples=10)
@given(st.integers(0, 10**6), st.sampled_from(["spearman", "rmse", "kendall"]))
def test_swaps_adjust_the_pvalues_that_they_give(seed, metric):
    """Without item scores: adjusted p-values keep the order of the p-values and are never above Holm's."""
    rng = np.random.default_rng(seed)
    gold = rng.normal(size=(12, 1))
    scores = gold + rng.normal(size=(12, 4)) * np.array([0.3, 0.6, 0.9, 0.9])
    board = compare_all(table_of(scores, gold=gold), gold="gold", metric=metric, rng=seed, n_resamples=199)
    pvalues, adjusted = np.array([(pair.pvalue, pair.pvalue_adjusted) for pair in board.pairs]).T
    order = np.argsort(pvalues, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()
    assert (adjusted >= pvalues).all()
    assert (adjusted <= adjust(pvalues, method="holm") + 1e-12).all()


def test_swaps_keep_the_familywise_level():
    """Six equal models by Spearman's correlation with gold."""
    n_sets, wrong = 120, 0
    for seed in range(n_sets):
        rng = np.random.default_rng(seed)
        mu = rng.normal(size=(40, 1))
        table = table_of(mu + 0.6 * rng.normal(size=(40, 6)), gold=mu + 0.4 * rng.normal(size=(40, 1)))
        board = compare_all(table, gold="gold", metric="spearman", rng=seed, n_resamples=199, workers=1)
        wrong += board.n_significant > 0
    assert wrong <= binomial_region(n_sets, 0.05).high


def test_too_few_resamples_are_said():
    rng = np.random.default_rng(0)
    gold = rng.normal(size=(30, 1))
    table = table_of(gold + rng.normal(size=(30, 5)) * np.linspace(0.1, 2, 5), gold=gold)
    how = {"gold": "gold", "metric": "spearman", "rng": 0}
    holm = compare_all(table, n_resamples=99, correction="holm", **how)
    assert not holm.n_significant
    said = "With 99 resamples no adjusted p-value can be below 0.2, so nothing can be significant. Use at least 399 "
    assert any(note.startswith(said) for note in holm.notes)
    enough = compare_all(table, n_resamples=399, correction="holm", **how)
    assert enough.n_significant
    assert not any("resamples no" in note for note in enough.notes)
    assert any("Use at least 39 resamples" in note for note in compare_all(table, n_resamples=38, **how).notes)


def test_with_two_models_the_interval_is_that_of_compare():
    table = table_of(ratings(m=2))
    [pair] = compare_all(table, rng=0).pairs
    alone = compare(table.contest(a=pair.a, b=pair.b), rng=0).confidence_interval
    assert alone.method == "symmetric"
    assert pair.confidence_interval.low == pytest.approx(alone.low)
    assert pair.confidence_interval.high == pytest.approx(alone.high)


@settings(max_examples=10)
@given(st.integers(0, 10**6))
def test_order_names_units_and_direction_of_the_models_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    scores = ratings(20, 4, seed=seed)
    board = compare_all(table_of(scores), rng=1, n_resamples=299)
    order = rng.permutation(4)
    moved = compare_all(table_of(scores[:, order], names=[f"m{j}" for j in order]), rng=1, n_resamples=299)
    scaled = compare_all(table_of(10 - 3 * scores), metric=MeanRating("lower"), rng=1, n_resamples=299)
    for row in board.models:
        same, other = moved.model(row.name), scaled.model(row.name)
        assert (row.rank, row.rank_low, row.rank_high) == (same.rank, same.rank_low, same.rank_high)
        assert (row.rank, row.rank_low, row.rank_high) == (other.rank, other.rank_low, other.rank_high)
        assert other.score == pytest.approx(10 - 3 * row.score)
    for a, b, pair in pairs_of(board):
        assert moved.pair(a, b).pvalue_adjusted == pytest.approx(pair.pvalue_adjusted)
        assert scaled.pair(a, b).advantage == pytest.approx(3 * pair.advantage)
        assert scaled.pair(a, b).confidence_interval.low == pytest.approx(3 * pair.confidence_interval.low)
        assert scaled.pair(a, b).pvalue_adjusted == pytest.approx(pair.pvalue_adjusted)
    assert [set(group) for group in board.groups] == [set(group) for group in moved.groups]


def test_duplicated_responses_change_nothing():
    scores = ratings()
    once = compare_all(table_of(scores), rng=1, n_resamples=299)
    twice = compare_all(table_of(np.concatenate([scores, scores], axis=2)), rng=1, n_resamples=299)
    assert [p.pvalue_adjusted for p in once.pairs] == [p.pvalue_adjusted for p in twice.pairs]


@pytest.mark.parametrize("metric", ["mae", "rmse", "spearman"])
def test_threads_do_not_matter(metric):
    """The 21 pairs of rmse and spearman are shared by threads: evenly by three, with one left by two or four."""
    table = table_of(ratings(m=7), gold=ratings(m=1)[:, 0])
    one, *others = (
        compare_all(table, gold="gold", metric=metric, rng=4, n_resamples=700, workers=w).to_dict()
        for w in (1, 2, 3, 4)
    )
    assert others == [one] * 3


@pytest.mark.parametrize("n", [40, 200, 461])
@pytest.mark.parametrize("name", ["spearman", "kendall", "rmse", "cosine", "max-error"])
def test_pseudo_values_are_those_of_items_left_out_one_after_another(name, n):
    table = table_of(ratings(n, 2), gold=ratings(n, 1)[:, 0])
    metric = resolve(name)
    found, _ = sheet_of(LeaderboardData(table, ("m0", "m1"), metric, "gold"), np.arange(n), workers=2)
    sign = 1 if metric.better == "higher" else -1
    groups = np.arange(n) % min(n, 200)
    n_groups = groups.max() + 1
    gold, *models = (summarise(table.source(source), metric.needs, table.scale) for source in ("gold", "m0", "m1"))
    for model, items in zip(models, found.items.T, strict=True):
        left = np.array([float(metric.score(gold[groups != g], model[groups != g])) for g in range(n_groups)])
        pseudo = n_groups * metric.score(gold, model) - (n_groups - 1) * left
        spread = np.sqrt((n - 1) / (n_groups - 1))
        expected = pseudo.mean() + spread * (pseudo - pseudo.mean())[groups]
        assert (sign * items == expected).all()


def test_ranks_pairs_and_groups_tell_one_story():
    board = compare_all(table_of(ratings(60, 6, step=0.35)), rng=0, n_resamples=1999)
    names = [row.name for row in board.models]
    assert names == ["m5", "m4", "m3", "m2", "m1", "m0"]
    for row in board.models:
        above = sum(p.pvalue_adjusted <= 0.05 for p in board.pairs if p.b == row.name)
        below = sum(p.pvalue_adjusted <= 0.05 for p in board.pairs if p.a == row.name)
        assert (row.rank_low, row.rank_high) == (1 + above, 6 - below)
        assert row.rank_low <= row.rank <= row.rank_high
        assert row.in_confidence_set == (above == 0)
        assert row.rank_low <= row.rank_low_marginal or row.rank_high >= row.rank_high_marginal
    for group in board.groups:
        told = [board.pair(a, b).pvalue_adjusted <= 0.05 for a in group for b in group if a < b]
        assert not any(told)
    assert {name for group in board.groups for name in group} == set(names)
    assert sum(row.first_place_share for row in board.models) == pytest.approx(1)


def test_models_that_answer_alike_share_a_rank_and_say_so():
    scores = ratings(m=3)
    table = table_of(np.concatenate([scores, scores[:, [2]]], axis=1))
    board = compare_all(table, rng=0, n_resamples=499)
    assert {row.name: row.rank for row in board.models} == {"m2": 1, "m3": 1, "m1": 3, "m0": 4}
    pair = board.pair("m2", "m3")
    assert (pair.advantage, pair.pvalue, pair.pvalue_adjusted) == (0, 1, 1)
    assert np.isnan(pair.confidence_interval.low)
    assert "These have the same score on every item and share a rank: m2 and m3." in board.notes
    assert board.confidence_set[:2] == ("m2", "m3")


def test_all_models_alike_are_one_group():
    board = compare_all(table_of(np.repeat(ratings(m=1), 4, axis=1)), rng=0, n_resamples=99)
    assert [row.rank for row in board.models] == [1, 1, 1, 1]
    assert len(board.groups) == 1
    assert board.notes[-1].startswith("All models have the same score on every item")
    assert "Any of the 4 models may be the best." in board.verdict


def test_a_baseline_costs_less_than_all_pairs():
    table = table_of(ratings(60, 6, step=0.25))
    every, few = (compare_all(table, rng=0, n_resamples=1999, baseline=name) for name in (None, "m0"))
    assert len(few.pairs) == 5
    for pair in few.pairs:
        whole = every.pair(pair.a, pair.b)
        assert pair.pvalue == whole.pvalue
        assert pair.pvalue_adjusted <= whole.pvalue_adjusted
        assert pair.confidence_interval.low >= whole.confidence_interval.low
    assert "better than m0" in few.verdict


def test_corrections_other_than_the_joint_one():
    table = table_of(ratings(m=4))
    names = ("none", "holm", "benjamini-hochberg")
    boards = {name: compare_all(table, rng=0, n_resamples=999, correction=name) for name in names}
    pvalues = [pair.pvalue for pair in boards["none"].pairs]
    assert [pair.pvalue_adjusted for pair in boards["none"].pairs] == pvalues
    for name in ("holm", "benjamini-hochberg"):
        expected = howsure.inference.adjust(pvalues, method=name)
        assert [pair.pvalue_adjusted for pair in boards[name].pairs] == pytest.approx(list(expected))
    assert any("not adjusted" in note for note in boards["none"].notes)


def test_what_to_do_next_speaks_of_the_baseline_where_there_is_one():
    table = table_of(ratings(60, 4, step=0.1))
    board = compare_all(table, rng=0, n_resamples=499, baseline="m1")
    [said] = account_of(board).next
    assert re.match(r"About [\d,]+ items would separate m\d and m1 \(80% power, .*; these data have 60\)\.", said)
    assert "m1" in said.split(",")[0]
    clear = compare_all(table_of(ratings(60, 3, step=3.0)), rng=0, n_resamples=499, baseline="m1")
    assert account_of(clear).next == ("All models differ significantly from m1: no more data are required for that.",)


def test_the_json_has_the_agreed_names_and_reads_back():
    board = compare_all(table_of(right_or_wrong()), rng=0, n_resamples=499)
    content = board.to_dict()
    assert {"models", "pairs", "groups", "notes", "signature"} <= set(content)
    row, pair = content["models"][0], content["pairs"][0]
    wanted = {"name", "score", "confidence_interval", "rank", "rank_low", "rank_high", "in_confidence_set", "n_items"}
    assert wanted <= set(row)
    assert set(row["confidence_interval"]) == {"low", "high", "method", "confidence_level", "notes"}
    assert set(pair) == {
        *("a", "b", "advantage", "confidence_interval", "pvalue", "pvalue_adjusted", "standard_error"),
    }
    assert Leaderboard.from_dict(content).to_dict() == content
    frame = board.to_frame()
    assert frame.columns[:2] == ["rank", "model"]
    assert {"rank_low", "rank_high", "in_confidence_set"} <= set(frame.columns)
    assert board.pairs_to_frame().height == 10


def test_a_pair_that_few_items_tell_apart_gets_students_interval():
    scores = ratings(40, 3, 1)
    close = scores[:, [0]] + 0.0
    close[:4] += np.array([0.5, 0.4, 0.7, -0.1]).reshape(4, 1, 1)
    board = compare_all(table_of(np.concatenate([scores, close], axis=1)), rng=0)
    pair = board.pair("m3", "m0")
    ends = pair.confidence_interval
    error = np.std((close - scores[:, [0]]).ravel(), ddof=1) / np.sqrt(40)
    from scipy.stats import t

    assert (ends.high - ends.low) / 2 == pytest.approx(t.isf(0.025 / 6, 3) * error)


BAD = {
    "one model": (lambda: compare_all(table_of(ratings(m=1))), DataError, "at least two models; got m0"),
    "unknown baseline": (
        lambda: compare_all(table_of(ratings()), baseline="m9"),
        ArgumentError,
        "`baseline` must be one of the models; got 'm9'",
    ),
    "unknown gold": (lambda: compare_all(table_of(ratings()), gold="human"), DataError, "no source is called 'human'"),
    "unknown column": (lambda: compare_all(table_of(ratings()), by="task"), ArgumentError, "`by` must name a column"),
    "twice": (lambda: compare_all(table_of(ratings()), models=["m0", "m0"]), ArgumentError, "'m0' is named twice"),
    "gold as model": (
        lambda: compare_all(table_of(ratings()), gold="m0", models=["m0", "m1"]),
        ArgumentError,
        "'m0' is gold",
    ),
    "wins": (
        lambda: compare_all(table_of(ratings(), gold=ratings(m=1)[:, 0]), gold="gold", metric="wins"),
        ArgumentError,
        "exists only between two models",
    ),
    "gold needed": (lambda: compare_all(table_of(ratings()), metric="mae"), ArgumentError, "needs gold"),
    "two thousand models": (
        lambda: compare_all(table_of(ratings(5, 2000, 1)), rng=0),
        ArgumentError,
        "1,999,000 pairs.*baseline",
    ),
    "one item": (lambda: compare_all(table_of(ratings(1))), DataError, "at least two items"),
    "weights": (lambda: compare_all(table_of(ratings()), weights={"x": 1}), ArgumentError, "weights of tasks"),
    "correction": (lambda: compare_all(table_of(ratings()), correction="holme"), ArgumentError, "Did you mean 'holm'"),
    "level": (lambda: compare_all(table_of(ratings()), confidence_level=95), ArgumentError, "Did you mean 0.95"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_gets_one_clear_line(name):
    act, error, message = BAD[name]
    with pytest.raises(error, match=message) as caught:
        act()
    assert "\n" not in str(caught.value)


def test_a_model_without_common_items_is_named():
    scores = ratings(20, 3, 1)
    scores[:10, 2] = np.nan
    scores[10:, :2] = np.nan
    with pytest.raises(DataError, match="no item has a response from every model"):
        compare_all(table_of(scores))
    scores = ratings(20, 3, 1)
    scores[:, 2] = np.nan
    with pytest.raises(DataError, match="'m2' has no item in common"):
        compare_all(table_of(scores))


def test_an_undefined_score_is_called_undefined():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(20, 4))
    gold = scores[:, 0] + rng.normal(size=20)
    task = np.repeat(["a", "b"], 10)
    asked = {"gold": "gold", "metric": "spearman", "rng": 0, "n_resamples": 99}

    def judged(scores, gold):
        return table_of(np.column_stack([scores, gold]), groups={"task": task}, names=["m0", "m1", "m2", "m3", "gold"])

    flat = scores.copy()
    flat[:10, 1] = 2.0
    with pytest.raises(DataError, match=r"of model 'm1' is undefined on task 'a', .* Leave the model or the task out"):
        compare_all(judged(flat, gold), by="task", **asked)
    flat[:, 1] = 2.0
    with pytest.raises(
        DataError, match="Spearman correlation of model 'm1' is undefined, for example because all answers are the same"
    ):
        compare_all(judged(flat, gold), **asked)
    with pytest.raises(
        DataError, match="undefined for every model, for example because all gold labels or all answers are the same"
    ):
        compare_all(judged(scores, np.ones(20)), **asked)
    with pytest.raises(DataError, match="undefined for every model"):
        compare_all(judged(scores, np.ones(20)), by="task", **asked)
    with pytest.raises(DataError, match="undefined for every model"):  # gold is not to blame
        compare_all(judged(np.ones((20, 4)), gold), **asked)
    board = compare_all(judged(scores, np.where(task == "a", 1.0, gold)), by="task", **asked)
    assert any(
        "1 of 2 tasks are left out, because the Spearman corr" in note and ": a." in note for note in board.notes
    )
    assert {cell.task for cell in board.tasks} == {"b"}
    assert not any(np.isnan(row.score) for row in board.models)


def test_items_that_some_model_lacks_are_left_out_with_a_note():
    scores = ratings(20, 3, 1)
    scores[:5, 1] = np.nan
    board = compare_all(table_of(scores), rng=0, n_resamples=99)
    assert {row.n_items for row in board.models} == {15}
    assert any("5 of 20 items are left out" in note and "m1 lacks most (5)" in note for note in board.notes)
    scores[1:5, 1] = 1
    board = compare_all(table_of(scores), rng=0, n_resamples=99)
    assert any("1 of 20 items is left out" in note for note in board.notes)


def test_fewer_items_than_models_is_said():
    board = compare_all(table_of(ratings(6, 9, 1)), rng=0, n_resamples=99)
    assert any("fewer items (6) than models (9)" in note for note in board.notes)


def test_two_thousand_models_against_a_baseline():
    board = compare_all(table_of(ratings(30, 2000, 1, step=0.001)), baseline="m0", rng=0, n_resamples=99)
    assert len(board.pairs) == 1999
    assert board.groups == ()


def test_many_models_take_fewer_resamples_for_their_intervals_and_say_so(monkeypatch):
    from howsure.leaderboards import pairs

    monkeypatch.setattr(pairs, "WORK", 1.0)
    monkeypatch.setattr(pairs, "LEAST", 200)
    board = compare_all(table_of(ratings()), rng=0, n_resamples=999)
    assert any("200 of the 999 resamples" in note for note in board.notes)


def test_ranks_hold_together_where_models_are_truly_equal():
    """7 of 10 models are equal, 120 data sets: all true ranks are covered, and no equal pair significant, in 95%."""
    rng = np.random.default_rng(9)
    quality = np.array([0.0] * 7 + [0.6, 1.2, 1.8])
    true_ranks = (quality[np.newaxis] > quality[:, np.newaxis]).sum(axis=1) + 1
    n_sets, missed, wrong = 120, 0, 0
    for number in range(n_sets):
        scores = quality + rng.normal(size=(60, 10)) + rng.normal(size=(60, 1))
        board = compare_all(table_of(scores), rng=number, n_resamples=199, workers=1)
        sets = [(board.model(f"m{j}").rank_low, board.model(f"m{j}").rank_high) for j in range(10)]
        missed += not all(least <= rank <= most for rank, (least, most) in zip(true_ranks, sets, strict=True))
        wrong += any(p.pvalue_adjusted <= 0.05 for a, b, p in pairs_of(board) if a < "m7" and b < "m7")
    region = binomial_region(n_sets, 0.05)
    assert missed <= region.high
    assert wrong <= region.high


def test_a_contest_is_untouched():
    table = table_of(ratings())
    before = {name: source.values.copy() for name, source in table.sources.items()}
    compare_all(table, rng=0, n_resamples=99)
    assert all((table.sources[name].values == values).all() for name, values in before.items())
    assert isinstance(table.contest(a="m0", b="m1"), Contest)


def ratings_by(raters, n=12, seed=4):
    """Ratings, one for each item and model, by the raters named for each model (spread over its items)."""
    rng = np.random.default_rng(seed)
    sources = {}
    for name, own in raters.items():
        who = np.array([own[i * len(own) // n] for i in range(n)])[:, np.newaxis]
        sources[name] = Responses.from_grid(rng.normal(size=(n, 1)), who)
    return ResponseTable(
        np.arange(n).astype(str), sources, Scale("continuous"), {}, ("ann", "bob", "cay", "dan", "eve", "fay")
    )


def test_models_with_one_rater_each_stay_on_a_board_that_speaks_of_raters():
    table = ratings_by({"x": (0, 1, 4), "y": (1, 2, 5), "one": (2,), "other": (3,)})
    board = compare_all(table, rng=0, n_resamples=199)
    assert [scope.name for scope in board.scopes] == ["For these 6 raters", "For raters like these"]
    [said] = [note for note in board.notes if "one rater each" in note]
    assert said.startswith(
        "one and other were judged by one rater each. The comparison of two of these models holds for"
    )
    alone = compare(table.contest(a="one", b="other"), rng=0, n_resamples=199)
    assert board.pair("one", "other").pvalue == pytest.approx(alone.pvalue)
    assert (
        "One rater judged one and another judged other: we cannot separate a difference between the two raters"
        in str(alone)
    )
    with pytest.raises(DataError, match="one and other were judged by one rater each"):
        compare_all(table, rng=0, raters="random")
    assert "The result holds for these 6 raters only." in compare_all(table, rng=0, raters="fixed").notes


def test_penalties_are_ranked_from_the_lowest_also_in_the_library():
    table = table_of(ratings(m=3, step=2.0))
    lower = ResponseTable(table.items, table.sources, table.scale, better="lower")
    assert [row.name for row in compare_all(lower, rng=0, n_resamples=99).models] == ["m0", "m1", "m2"]


def test_all_models_without_rater_ids_are_named_unless_they_are_known_to_repeat():
    table = table_of(ratings(20, 6))
    [said] = [note for note in compare_all(table, rng=0, n_resamples=99).notes if "rater ids" in note]
    assert said.startswith("The responses of m0, m1, m2 and 3 more have no rater ids, so they count as repeats.")
    known = ResponseTable(table.items, table.sources, table.scale, repeats=tuple(table.sources))
    assert not [note for note in compare_all(known, rng=0, n_resamples=99).notes if "rater" in note]


def test_few_items_give_students_interval_of_a_score():
    scores = ratings(4, 2, 1)
    row = compare_all(table_of(scores), rng=0, n_resamples=199).model("m0")
    own = scores[:, 0, 0]
    from scipy.stats import t

    arm = t.isf(0.025, 3) * own.std(ddof=1) / 2
    assert row.confidence_interval.low == pytest.approx(own.mean() - arm)
    assert row.confidence_interval.high == pytest.approx(own.mean() + arm)


def unequal_runs(rng, n_items=60, runs=(5, 1, 3)):
    gold = rng.normal(size=n_items)
    sources = {"gold": Responses(gold, np.arange(n_items + 1))}
    for i, k in enumerate(runs):
        values = gold[:, np.newaxis] + 0.6 * rng.normal(size=(n_items, k))
        sources[f"model-{i}"] = Responses(values.ravel(), np.arange(0, n_items * k + 1, k))
    return ResponseTable(sources=sources, items=np.arange(n_items).astype(str), scale=Scale("continuous"))


def test_models_with_more_runs_do_not_lead_for_that():
    # Of equally good models with 5, 1 and 3 runs, the first differed significantly from the second nearly always.
    rng, n_data_sets, found = np.random.default_rng(11), 300, 0
    for number in range(n_data_sets):
        board = compare_all(unequal_runs(rng), gold="gold", metric="mae", n_resamples=199, rng=number)
        found += any(pair.pvalue_adjusted <= 0.05 for pair in board.pairs)
    assert found in binomial_region(n_data_sets, 0.05, confidence_level=0.99)
    assert any(note.startswith("Models have 1 to 5 runs per item: 1 of each are scored") for note in board.notes)
