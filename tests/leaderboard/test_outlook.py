"""How many items a board needs: the answer comes true, and bad questions are told."""

import numpy as np
import pytest

from assay import compare_all, plan_board
from assay.errors import ArgumentError
from assay.inference import binomial_region

from .tables import ratings, table_of


def test_two_models_need_what_the_normal_formula_says():
    rng = np.random.default_rng(0)
    contrasts = rng.normal(size=300)
    contrasts = 0.1 + (contrasts - contrasts.mean()) / contrasts.std(ddof=1)
    plan = plan_board(table_of(np.stack([contrasts, np.zeros(300)], axis=1)), rng=0)
    expected = ((1.96 + 0.8416) / 0.1) ** 2
    assert plan.n_items == pytest.approx(expected, rel=0.06)
    assert plan.now == 300
    assert f"With {plan.n_items:,} items all neighbours among the first 2 models" in str(plan)


def test_more_items_separate_more_and_make_the_lead_surer():
    plan = plan_board(table_of(ratings(60, 5, step=0.3)), neighbours=2, rng=0)
    chances = [(one.separated, one.leads) for one in plan.outlooks]
    assert chances == sorted(chances)
    assert any(one.n_items == plan.n_items and one.separated >= 0.8 for one in plan.outlooks)
    assert len(plan.models) == 3


def test_plans_come_true():
    """With the planned number of items the first two separate in 80 % of 60 data sets."""
    rng = np.random.default_rng(3)
    quality = np.array([0.5, 0.0, -0.2])
    pilot = quality + rng.normal(size=(2000, 3))
    pilot += quality - pilot.mean(axis=0)
    n_items = plan_board(table_of(pilot), rng=0).n_items
    found = 0
    for seed in range(60):
        board = compare_all(table_of(quality + rng.normal(size=(n_items, 3))), rng=seed, n_resamples=199, workers=1)
        found += board.pair("m0", "m1").pvalue_adjusted <= 0.05
    region = binomial_region(60, 0.8)
    assert region.low <= found  # the stepdown finds a little more than the interval that the plan rests on


def test_equal_models_never_separate_and_too_many_neighbours_are_refused():
    scores = ratings(30, 2, 1)
    same = table_of(np.concatenate([scores[:, [1]], scores[:, [1]], scores[:, [0]]], axis=1))
    plan = plan_board(same, rng=0)
    assert plan.n_items is None
    assert plan.verdict.startswith("No number of items")
    with pytest.raises(ArgumentError, match="`neighbours` must be below the number of models"):
        plan_board(same, neighbours=3)
