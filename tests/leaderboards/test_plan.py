"""How many items a leaderboard requires: plans come true, and bad questions are errors."""

import json

import numpy as np
import pytest

from howsure import write
from howsure.errors import ArgumentError
from howsure.inference import binomial_region
from howsure.leaderboards import LeaderboardPlan, compare_all, plan_leaderboard

from .tables import ratings, table_of


def test_two_models_need_what_the_normal_formula_says():
    rng = np.random.default_rng(0)
    advantages = rng.normal(size=300)
    advantages = 0.1 + (advantages - advantages.mean()) / advantages.std(ddof=1)
    plan = plan_leaderboard(table_of(np.stack([advantages, np.zeros(300)], axis=1)), rng=0)
    expected = ((1.96 + 0.8416) / 0.1) ** 2
    assert plan.n_items == pytest.approx(expected, rel=0.06)
    assert plan.now == 300
    assert str(plan).startswith(
        f"{plan.n_items:,} items give 80% power for a difference between the first 2 models, if the measured scores "
        "are the true ones (these data have 300 items)."
    )


def test_more_items_separate_more_and_make_the_lead_surer():
    plan = plan_leaderboard(table_of(ratings(60, 5, step=0.3)), adjacent_ranks=2, rng=0)
    for more, fixed in (("n_items", "n_responses"), ("n_responses", "n_items")):
        alike = [one for one in plan.outlooks if getattr(one, fixed) == getattr(plan.outlooks[0], fixed)]
        chances = [(one.power, one.first_place_share) for one in sorted(alike, key=lambda one: getattr(one, more))]
        assert len(chances) > 2
        assert chances == sorted(chances)
    assert any(one.n_items == plan.n_items and one.power >= 0.8 for one in plan.outlooks)
    assert len(plan.models) == 3


def test_plans_come_true():
    """With the planned number of items the first two separate in 80% of 60 data sets."""
    rng = np.random.default_rng(3)
    quality = np.array([0.5, 0.0, -0.2])
    pilot = quality + rng.normal(size=(2000, 3))
    pilot += quality - pilot.mean(axis=0)
    n_items = plan_leaderboard(table_of(pilot), rng=0).n_items
    found = 0
    for seed in range(60):
        board = compare_all(table_of(quality + rng.normal(size=(n_items, 3))), rng=seed, n_resamples=199, workers=1)
        found += board.pair("m0", "m1").pvalue_adjusted <= 0.05
    region = binomial_region(60, 0.8)
    assert region.low <= found  # the stepdown may find a little more than the plan counts with


def test_responses_do_what_the_normal_formula_says():
    """Var(advantage) = (item part + 2 σ² / K) / N: the plan finds the K that makes the error small enough."""
    rng = np.random.default_rng(1)
    n, k, sigma = 400, 4, 1.0
    items = 0.3 * rng.normal(size=n)
    scores = np.stack([0.15 + items, np.zeros(n)], axis=1)[:, :, np.newaxis] + sigma * rng.normal(size=(n, 2, k))
    gaps = scores.mean(axis=2)[:, 0] - scores.mean(axis=2)[:, 1]
    scores[:, 0] += 0.15 - gaps.mean()
    plan = plan_leaderboard(table_of(scores), rng=0)
    noise = scores.var(axis=2, ddof=1).mean(axis=0).sum()
    of_items = gaps.var(ddof=1) - noise / k
    needed = noise / (n * (0.15 / (1.96 + 0.8416)) ** 2 - of_items)
    assert plan.responses_now == k
    assert abs(plan.n_responses - needed) <= 1
    assert (
        f"On the present items, {plan.n_responses:,} responses give the same power (per item and model; these data "
        "have 4)." in plan.verdict
    )
    now = plan.outlooks[0]
    again = plan_leaderboard(table_of(scores[:, :, :1]), rng=0)
    assert now.power > 0
    assert np.isnan(again.limit)
    assert any(
        "has one response per item, so we cannot estimate what more responses would change" in n for n in again.notes
    )


def test_where_items_differ_most_responses_do_not_help():
    rng = np.random.default_rng(2)
    scores = rng.normal(size=(40, 2, 1)) + np.array([0.2, 0])[:, np.newaxis] + 0.05 * rng.normal(size=(40, 2, 3))
    plan = plan_leaderboard(table_of(scores), rng=0)
    assert plan.n_responses is None
    assert plan.limit < 0.8
    assert (
        f"More responses alone are not enough: with infinitely many, the power is {100 * plan.limit:.3g}%"
        in plan.verdict
    )


def test_only_items_are_planned_where_responses_change_the_scores():
    plan = plan_leaderboard(table_of(ratings(m=3), gold=ratings(m=1, k=5)[:, 0]), gold="gold", metric="mae", rng=0)
    assert np.isnan(plan.limit)
    assert any(
        "Only the number of items is planned. With mae, an item's score is not the mean" in note for note in plan.notes
    )


def test_raters_who_judge_many_items_are_told_to_be_held_fixed():
    plan = plan_leaderboard(table_of(ratings(m=3), raters=np.tile(np.arange(3), (40, 1))), rng=0)
    assert any(note.startswith("Raters are fixed: the plan holds for these raters only.") for note in plan.notes)


def test_the_command_plans_a_board(tmp_path, howsure):
    write(table_of(ratings(m=3)), tmp_path / "t.csv")
    said = howsure(
        "leaderboard", tmp_path / "t.csv", "--plan", "2", "--target-power", "0.9", "--json", "--scale", "continuous"
    )
    found = LeaderboardPlan.from_dict(json.loads(said.stdout))
    assert (len(found.models), found.target_power) == (3, 0.9)
    for words, message in (
        (("--plan", "3"), "--plan must be below the number of models (3); got 3."),
        (("--plan", "1", "--top", "2"), "--top cannot be combined with --plan."),
        (("--plan", "1", "--winner", "value"), "--plan is not for votes"),
    ):
        said = howsure("leaderboard", tmp_path / "t.csv", "--scale", "continuous", *words)
        assert said.returncode == 2
        assert message in said.stderr


def test_equal_models_never_separate_and_too_many_ranks_are_an_error():
    scores = ratings(30, 2, 1)
    same = table_of(np.concatenate([scores[:, [1]], scores[:, [1]], scores[:, [0]]], axis=1))
    plan = plan_leaderboard(same, rng=0)
    assert plan.n_items is None
    assert plan.verdict == (
        "10,000,000 items do not give 80% power for a difference between the first 2 models: two of the scores are "
        "equal, or nearly."
    )
    with pytest.raises(ArgumentError, match="`adjacent_ranks` must be below the number of models"):
        plan_leaderboard(same, adjacent_ranks=3)


def test_ten_million_items_are_tried_before_the_plan_gives_up():
    """Doubling from 2 passes ten million; models that need nearly so many still get their number."""
    rng = np.random.default_rng(0)
    advantages = rng.normal(size=300)
    advantages = (1.96 + 0.8416) / 3000 + (advantages - advantages.mean()) / advantages.std(ddof=1)
    plan = plan_leaderboard(table_of(np.stack([advantages, np.zeros(300)], axis=1)), rng=0)
    assert plan.n_items == pytest.approx(9e6, rel=0.06)
    assert plan.n_items > 2**23


def test_one_response_does_and_two_do():
    plan = plan_leaderboard(table_of(ratings(200, 2, step=2.0)), rng=0)
    assert (
        "On the present items, 1 response gives the same power (per item and model; these data have 3)." in plan.verdict
    )
