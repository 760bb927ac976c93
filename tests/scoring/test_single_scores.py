"""One model by itself: its score, its interval, and pass@k and pass^k."""

import json
import math
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import howsure
from howsure import Responses, _json, examples
from howsure.data.response_tables import ResponseTable
from howsure.data.scales import OUTCOMES, Scale
from howsure.documents import Table
from howsure.errors import ArgumentError, DataError
from howsure.leaderboards.score_intervals import mean_interval
from howsure.scoring import ModelScores, score_models

LOGS = Path(__file__).parents[3] / "shared" / "data" / "logs" / "new"
ANYTHING = (-math.inf, math.inf)


def table(grid, *, levels=(0.0, 1.0), kind="ordinal", **more):
    """Return a table of one model, "m", with these runs of each item."""
    grid = np.asarray(grid, dtype=float)
    names = np.array([f"i{number}" for number in range(len(grid))])
    sources = {"m": Responses.from_grid(grid), **{name: Responses.from_grid(np.asarray(g)) for name, g in more.items()}}
    return ResponseTable(names, sources, Scale.of(list(levels), kind=kind))


@pytest.mark.skipif(not LOGS.exists(), reason="the logs are not here")
def test_tau_bench_scores_as_its_own_numbers_say():
    one = howsure.score(str(LOGS / "tau_bench")).models[0]
    assert (one.n_items, one.n_responses) == (25, 100)
    assert one.score == pytest.approx(0.31)
    assert one.passes[0].any_of_k == one.passes[0].all_of_k == pytest.approx(0.31)
    assert one.passes[3].any_of_k == pytest.approx(0.60)
    assert one.passes[3].all_of_k == pytest.approx(0.16)


@pytest.mark.skipif(not LOGS.exists(), reason="the logs are not here")
def test_terminal_bench_scores_as_its_own_numbers_say():
    opus, gpt = howsure.score(str(LOGS / "terminal_bench")).models
    assert (gpt.score, opus.score) == (pytest.approx(0.525), pytest.approx(0.58125))
    assert opus.n_items == gpt.n_items == 80


@given(st.lists(st.lists(st.integers(0, 1), min_size=4, max_size=4), min_size=2, max_size=8), st.randoms())
@settings(max_examples=40, deadline=None)
def test_passes_are_shares_of_subsets_and_order_changes_nothing(grid, random):
    one = score_models(table(grid)).models[0]
    for passes in one.passes:
        chosen = [[row[i] for i in some] for row in grid for some in combinations(range(4), passes.k)]
        assert passes.any_of_k == pytest.approx(np.mean([max(some) for some in chosen]))
        assert passes.all_of_k == pytest.approx(np.mean([min(some) for some in chosen]))
    mixed = [random.sample(row, 4) for row in random.sample(grid, len(grid))]
    again = score_models(table(mixed)).models[0]
    assert again.score == pytest.approx(one.score)
    assert again.confidence_interval.low == pytest.approx(one.confidence_interval.low, nan_ok=True)


def test_identical_runs_do_not_narrow_the_interval():
    column = np.random.default_rng(0).integers(0, 2, (40, 1))
    once, often = (score_models(table(np.repeat(column, n, axis=1))).models[0] for n in (1, 5))
    assert once.confidence_interval == often.confidence_interval


def test_the_interval_is_wilsons_where_items_are_right_or_wrong_and_students_elsewhere():
    right = np.array([1.0] * 30 + [0.0] * 10)
    known = stats.binomtest(30, 40).proportion_ci(method="wilson")
    found = mean_interval(right, 0.75, None, 0.95, (0.0, 1.0))
    assert (found.low, found.high) == (pytest.approx(known.low), pytest.approx(known.high))
    values = np.random.default_rng(1).normal(size=30)
    known = stats.t.interval(0.9, 29, values.mean(), stats.sem(values))
    found = mean_interval(values, values.mean(), None, 0.9, ANYTHING)
    assert (found.low, found.high) == (pytest.approx(known[0]), pytest.approx(known[1]))


REPLICATIONS = 2000


@pytest.mark.parametrize("n_runs", [1, 4])
@pytest.mark.parametrize("clusters", [None, 12])
def test_the_interval_covers_the_true_accuracy(n_runs, clusters):
    """Items are as hard as Beta(2, 1) says, those of a cluster equally; the region has 99.9% if coverage is 94% to 97%.

    The interval of a share is discrete, and Student's is of values that are not normal: both are allowed one point.
    """
    rng = np.random.default_rng(7)
    n_items = 60
    codes = None if clusters is None else np.arange(n_items) % clusters
    covered = 0
    for _ in range(REPLICATIONS):
        hard = rng.beta(2, 1, n_items) if codes is None else rng.beta(2, 1, clusters)[codes]
        items = rng.binomial(n_runs, hard) / n_runs
        covered += 2 / 3 in mean_interval(items, items.mean(), codes, 0.95, (0.0, 1.0))
    assert stats.binom.ppf(0.0005, REPLICATIONS, 0.94) <= covered <= stats.binom.ppf(0.9995, REPLICATIONS, 0.97)


def test_a_sentence_names_model_metric_score_interval_and_items():
    found = howsure.score(examples.ratings(), gold="human", model="model-2", metric="mae")
    assert found.models[0].sentence.startswith(
        "model-2: mean absolute error 0.438 (95% CI 0.384 to 0.491) on 200 items"
    )
    shown = str(found)
    assert "howsure compare" not in shown  # of one model there is nothing to compare
    assert "howsure compare" in str(howsure.score(examples.ratings(), gold="human", metric="mae"))


def test_many_models_fit_one_screen_and_the_rest_are_details():
    grid = np.random.default_rng(1).integers(0, 2, (30, 1))
    found = score_models(table(grid, **{f"m{number}": grid for number in range(40)}))
    assert "These are the first 20 of 41 scores. To rank models, use howsure leaderboard." in str(found)
    assert str(found).count("│ m") == 20
    assert [len(block.rows) for block in found.document().blocks if isinstance(block, Table)] == [20, 21]


def rated(n_raters, *, n_items=30, n_models=2, per_item=None, right=False, seed=2):
    """Return ratings of models by raters who differ, as a frame with documents of three items."""
    rng = np.random.default_rng(seed)
    item, rater = rng.normal(size=n_items), rng.normal(0, 0.5, n_raters)
    rows = []
    for i in range(n_items):
        for j in range(n_models):
            for r in rng.choice(n_raters, per_item or n_raters, replace=False):
                value = item[i] + rater[r] + rng.normal()
                score = int(value > -1) if right else int(np.clip(round(value), -2, 2)) + 3
                rows.append((f"i{i:02}", f"m{j}", f"r{r:02}", score, f"d{i // 3}"))
    return pl.DataFrame(rows, schema=["item", "model", "rater", "score", "document"], orient="row")


@pytest.mark.parametrize("raters", [None, "random", "fixed"])
@pytest.mark.parametrize(
    ("data", "settings"),
    [
        ({"n_raters": 6}, {}),
        ({"n_raters": 3, "n_models": 3}, {}),
        ({"n_raters": 12, "per_item": 3}, {}),
        ({"n_raters": 6, "right": True}, {}),
        ({"n_raters": 6}, {"cluster": "document"}),
        ({"n_raters": 12, "per_item": 4, "n_models": 3, "right": True}, {"cluster": "document"}),
    ],
)
def test_a_score_has_the_interval_that_it_has_on_a_leaderboard(data, settings, raters):
    """Six raters who judged all of 30 items: `score` said 3.485 to 3.737 where `leaderboard` said 3.26 to 3.96."""
    frame = rated(**data)
    found = howsure.score(frame, raters=raters, **settings)
    board = howsure.leaderboard(frame, raters=raters, n_resamples=199, **settings)
    for one in found.models:
        row = board.model(one.name)
        # Where raters judged unequal numbers of items, the scores of two models are weighted, and a note says so.
        if not any("plain means" in note for note in board.notes):
            assert one.score == pytest.approx(row.score)
            ends = one.confidence_interval
            assert (ends.low, ends.high) == pytest.approx((row.confidence_interval.low, row.confidence_interval.high))
    assert found.n_raters == data["n_raters"]


@pytest.mark.parametrize("metric", ["mae", "rmse", "spearman"])
def test_a_score_against_gold_by_raters_has_the_interval_that_it_has_on_a_leaderboard(metric):
    rng = np.random.default_rng(5)
    frame = rated(7, n_models=1, seed=6).with_columns(model=pl.lit("human"))
    answers = [(f"i{i:02}", name, None, int(rng.integers(1, 6)), f"d{i // 3}") for i in range(30) for name in "xyz"]
    frame = pl.concat([frame, pl.DataFrame(answers, schema=frame.schema, orient="row")])
    found = howsure.score(frame, gold="human", metric=metric)
    board = howsure.leaderboard(frame, gold="human", metric=metric, n_resamples=199)
    assert board.null == "random-effects"
    for one in found.models:
        ends, row = one.confidence_interval, board.model(one.name)
        assert one.score == pytest.approx(row.score)
        assert (ends.low, ends.high) == pytest.approx((row.confidence_interval.low, row.confidence_interval.high))
        assert one.for_raters_like_these == ends


@pytest.mark.parametrize(("n_raters", "leads"), [(3, "for_these_raters"), (6, "for_raters_like_these")])
def test_raters_have_two_answers_of_which_one_leads(n_raters, leads):
    one = howsure.score(rated(n_raters, n_models=1)).models[0]
    assert one.confidence_interval == getattr(one, leads)
    assert one.for_raters_like_these.low <= one.for_these_raters.low
    assert one.for_raters_like_these.high >= one.for_these_raters.high
    shown = str(howsure.score(rated(n_raters, n_models=1)))
    assert f"\nFor these {n_raters} raters:     " in shown
    assert "\nFor raters like these:  " in shown
    hint = "The one for raters like these is only a hint: 3 raters are too few to generalise reliably. Add raters."
    advice = "Report the interval for raters like these unless exactly these raters are the standard."
    assert (hint if n_raters == 3 else advice) in shown
    for raters, way in (("random", "for_raters_like_these"), ("fixed", "for_these_raters")):
        other = howsure.score(rated(n_raters, n_models=1), raters=raters).models[0]
        assert other.confidence_interval == getattr(other, way) == getattr(one, way)


def test_raters_without_a_sample_of_them_have_one_answer():
    frame = rated(6)
    with pytest.raises(DataError, match="needs rater ids"):
        howsure.score(frame.drop("rater"), raters="random")
    alone = howsure.score(frame.filter(pl.col("rater") == "r01"))
    assert (alone.n_raters, alone.models[0].for_raters_like_these) == (0, None)
    assert "All ratings come from one rater. The result holds for that rater only." in alone.notes
    everyone_once = frame.filter(pl.col("model") == "m0").with_row_index().with_columns(rater=pl.col("index").cast(str))
    assert howsure.score(everyone_once.drop("index")).n_raters == 0


def test_undefined_is_said_and_not_zero():
    one = score_models(table([[1.0]])).models[0]
    assert one.sentence == "m: mean rating 1 (95% CI undefined) on 1 item."
    constant = mean_interval(np.full(10, 3.0), 3.0, None, 0.95, ANYTHING)
    assert math.isnan(constant.low)
    assert constant.notes == (
        "The interval is undefined: all items have the same score, so how much scores vary is unknown.",
    )


def test_few_items_and_undefined_intervals_are_noted():
    few = score_models(table([[1, 4], [1, 1], [2, 5]], levels=(1, 2, 3, 4, 5)))
    assert few.notes[-1] == "m: 3 items are few: if scores are skewed, the interval is too short."
    constant = score_models(table([[2, 3], [2, 3]], levels=(1, 2, 3, 4, 5)))
    assert constant.notes[-1] == (
        "m: The interval is undefined: all items have the same score, so how much scores vary is unknown."
    )


def test_limits_stay_within_the_range_of_the_score():
    grid = np.r_[np.ones((20, 2)), [[1.0, 0.0]]]
    assert score_models(table(grid)).models[0].confidence_interval.high <= 1


def test_written_and_read_again_it_is_the_same():
    found = howsure.score(examples.ratings(), gold="human", metric="mae")
    assert ModelScores.from_dict(json.loads(_json.dumps(found.to_dict()))) == found
    assert found.to_frame()["model"].to_list() == ["model-1", "model-2"]


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"gold": "human", "models": ["human"]}, ArgumentError, "'human' is gold and cannot be a model too"),
        ({"gold": "nobody"}, DataError, "no source is called 'nobody'"),
        ({"models": ["nobody"]}, DataError, "no source is called 'nobody'"),
        ({"cluster": "nothing"}, ArgumentError, "`cluster` must be"),
        ({"gold": "human", "metrics": ["wins"]}, ArgumentError, "exists only between two models; use howsure compare"),
    ],
)
def test_what_cannot_be_scored_is_refused_in_one_line(options, error, said):
    with pytest.raises(error, match=said):
        score_models(examples.ratings(20), **options)


def test_a_model_without_an_item_in_common_with_gold_is_refused():
    lone = table([[1.0], [np.nan]], gold=[[np.nan], [1.0]])
    with pytest.raises(DataError, match="m answered no item that has a gold label"):
        score_models(lone, gold="gold")


def test_a_failed_sample_that_is_the_only_response_to_its_item_is_unscored():
    # 39 of 77 scored samples are right; three failed: 0.506 without them, 0.4875 if they count as wrong.
    right = np.r_[np.ones(39), np.zeros(38)]
    source = Responses(right, np.r_[np.arange(78), 77, 77, 77], missing=np.r_[np.zeros(77), 1, 1, 1])
    scale = Scale("ordinal", (0.0, 1.0), ("0", "1"), reason=OUTCOMES)
    eighty = ResponseTable(sources={"m": source}, items=np.arange(80).astype(str), scale=scale)
    found = score_models(eighty)
    [one] = found.models
    assert (one.score, one.n_items, one.n_unscored) == (pytest.approx(39 / 77), 77, 3)
    said = "m: 3 of 80 responses have no score and are left out. Counted as wrong, the accuracy is 0.487."
    assert said in found.notes
    single = replace(source, values=right[:2], offsets=np.array([0, 1, 2, 2]), missing=np.array([0, 0, 1]))
    few = ResponseTable(sources={"m": single}, items=np.arange(3).astype(str), scale=scale)
    said = "m: 1 of 3 responses has no score and is left out. Counted as wrong, the accuracy is 0.667."
    assert said in score_models(few).notes


def test_several_metrics_have_a_column_of_scores():
    document = score_models(examples.ratings(30), gold="human", metrics=["mae", "spearman"]).document()
    [shown] = [block for block in document.blocks if isinstance(block, Table)]
    assert [column.title for column in shown.columns][:3] == ["model", "metric", "score"]
