"""Items that were labelled with very unequal chances: what they are worth, and the note that says so."""

import numpy as np
import polars as pl
import pytest

import howsure
from howsure.inference import binomial_region
from howsure.judging.combined_advantage import LabelDesign, Labelled, combine
from tests.judging.test_judged_comparison import MODELS, rated, table


def drawn(rng, least, n_all=300):
    chances = least ** rng.random(n_all)
    truth = rng.normal(0.2, 1, n_all)
    judge = 0.7 * truth + rng.normal(0, 0.7, n_all)
    where = np.flatnonzero(rng.random(n_all) < chances)
    return Labelled(truth[where], judge, where, LabelDesign.drawn(chances[where]))


def test_degrees_of_freedom_are_those_of_the_effective_number():
    data = drawn(np.random.default_rng(0), 0.01)
    worth = data.design.weights.sum() ** 2 / np.square(data.design.weights).sum()
    assert data.design.n_effective == pytest.approx(worth)
    assert combine(data).error.dfs == (pytest.approx(max(1.0, worth - 2)),)
    equal = Labelled(data.human, data.judge, data.where, LabelDesign.simple(data.n))
    assert combine(equal).error.dfs == (data.n - 2,)


def test_weights_up_to_ten_cover():
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(1000):
        one = combine(drawn(rng, 0.1))
        ends = one.error.interval(one.estimate)
        covered += ends.low <= 0.2 <= ends.high
    assert covered in binomial_region(1000, 0.95, confidence_level=0.999)


def test_very_unequal_chances_are_noted():
    frame = table(rated())
    few, many = (
        howsure.compare(
            frame.with_columns(chance=pl.when(pl.col("item").str.ends_with("7")).then(least).otherwise(1.0)),
            judge="gpt-judge", sampled="chance", **MODELS,
        ).notes
        for least in (0.5, 0.01)
    )  # fmt: skip
    assert not any("are worth about" in note for note in few)
    assert any("are worth about" in note and "Label more of the items that had small chances" in note for note in many)
