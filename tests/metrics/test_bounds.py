"""The range of a model's score: its interval on a leaderboard stays within it."""

import math

import numpy as np
import pytest

from howsure import Responses, ResponseTable, Scale
from howsure.leaderboards import compare_all
from howsure.metrics import BUILTIN, FunctionMetric


@pytest.mark.parametrize("name", list(BUILTIN))
def test_scores_lie_within_their_range(name):
    metric = BUILTIN[name]
    low, high = metric.bounds
    assert low < high
    rng = np.random.default_rng(0)
    scored = not (metric.relative or metric.gold_free) and "continuous" in metric.kinds and metric.needs == "means"
    if not scored or hasattr(metric, "threshold"):
        return
    for _ in range(20):
        score = float(metric.on(Scale("continuous")).score(*rng.normal(size=(2, 12))))
        assert math.isnan(score) or low - 1e-12 <= score <= high + 1e-12


def test_a_function_may_return_anything():
    assert FunctionMetric(lambda gold, model: -5.0, better="lower").bounds == (-math.inf, math.inf)


def test_the_interval_of_an_error_is_not_negative():
    values = {"gold": [1, 2, 5, 2], "A": [3, 2, 3, 2], "B": [1, 2, 5, 6]}
    sources = {name: Responses(np.array(side, dtype=float), np.arange(5)) for name, side in values.items()}
    table = ResponseTable(sources=sources, items=np.arange(4).astype(str), scale=Scale("continuous"))
    board = compare_all(table, gold="gold", metric="mae", rng=0)
    for model in board.models:
        assert model.confidence_interval.low == 0
        assert model.confidence_interval.high > model.score == 1
