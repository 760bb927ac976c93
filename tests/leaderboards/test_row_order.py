"""The order of the rows in a file has no influence on a leaderboard: not in the last digit of an interval."""

import numpy as np
import polars as pl
import pytest

from howsure.io import read
from howsure.leaderboards import compare_all, compare_all_by, compare_votes
from tests.leaderboards.tables import ratings

SCORES = ratings(n=30, m=4, k=1, seed=5)[:, :, 0].round(1)
N, M = SCORES.shape
MODELS = ["zeta", "alpha", "mid-10", "mid-9"]


def shuffled(frame):
    return frame.sample(fraction=1, shuffle=True, seed=3)


def same(boards, shown=str):
    one, other = boards
    assert shown(one.document()) == shown(other.document())
    assert one.to_dict() == other.to_dict()


@pytest.mark.parametrize("how", [{}, {"metric": "rating", "cluster": "topic"}, {"by": "topic"}], ids=str)
def test_of_a_tidy_table(how):
    rows = [
        {"item": f"q{i}", "topic": f"t{i % 7}", "model": MODELS[j], "score": SCORES[i, j]}
        for i in range(N)
        for j in range(M)
    ]
    same([compare_all(read(each, groups=["topic"]), n_resamples=299, rng=0, **how) for each in both(rows)])


def test_of_a_tidy_table_with_raters_and_gold():
    rng = np.random.default_rng(0)
    rows = [
        {"item": f"q{i}", "source": name, "rater": f"r{j if name == 'human' else 0}", "value": int(rng.integers(1, 6))}
        for i in range(N)
        for name in ("human", *MODELS)
        for j in range(3 if name == "human" else 1)
    ]
    same([compare_all(read(each), gold="human", n_resamples=299, rng=0) for each in both(rows)])


def test_of_a_wide_table():
    rows = [{"item": f"q{i}"} | dict(zip(MODELS, SCORES[i].tolist(), strict=True)) for i in range(N)]
    same([compare_all(read(each), metric="rating", n_resamples=299, rng=0) for each in both(rows)])


def test_of_slices():
    rows = [
        {"item": f"q{i}", "topic": f"t{i % 2}", "model": MODELS[j], "score": SCORES[i, j]}
        for i in range(N)
        for j in range(M)
    ]
    found = [compare_all_by(read(each, groups=["topic"]), "topic", n_resamples=299, rng=0) for each in both(rows)]
    same(found)


@pytest.mark.parametrize(
    "how", [{}, {"voter": "voter"}, {"voter": "voter", "item": "item"}, {"control": ("length",)}], ids=str
)
def test_of_votes(how):
    rng = np.random.default_rng(1)
    rows = []
    for k in range(150):
        a, b = rng.choice(4, size=2, replace=False).tolist()
        won = ["model_a", "model_b", "tie"][rng.integers(3)]
        about = {"voter": None if k % 10 == 0 else f"v{k % 8}", "item": f"q{k % 12}", "length": round(rng.normal(), 2)}
        rows.append({"model_a": MODELS[a], "model_b": MODELS[b], "winner": won} | about)
    same([compare_votes(each, n_resamples=299, rng=0, **how) for each in both(rows)])


def both(rows):
    frame = pl.DataFrame(rows)
    return frame, shuffled(frame)


def test_models_with_one_rater_each_may_come_first_or_last():
    """Whether the board speaks of raters was decided by the first model of the file."""
    raters = {"one": (2,), "other": (3,), "x": (0, 1, 4), "y": (1, 2, 5)}
    rows = [
        {"item": f"q{i}", "model": name, "rater": f"r{own[i * len(own) // 12]}", "score": SCORES[i, j]}
        for i in range(12)
        for j, (name, own) in enumerate(raters.items())
    ]
    boards = [compare_all(read(pl.DataFrame(each)), n_resamples=199, rng=0) for each in (rows, rows[::-1])]
    assert len(boards[0].scopes) == 2
    same(boards)
