import numpy as np
import pytest

import howsure
from howsure.comparison import compare
from howsure.data.contests import Contest
from howsure.data.response_tables import ResponseTable
from howsure.data.responses import Responses
from howsure.data.scales import Scale
from howsure.errors import ArgumentError, DataError
from howsure.preferences import preferences_between, preferences_from
from howsure.raters.components import two_way

RATERS = np.array([[0, 1, 2], [0, 1, 2], [0, 1, 2]])


def rated(a, b, raters=RATERS, scale=None):
    first, second = (Responses.from_grid(np.array(grid, dtype=float), raters) for grid in (a, b))
    items = np.arange(len(a)).astype(str)
    return Contest(None, first, second, scale or Scale("continuous"), items, ("", "A", "B"))


def test_each_rater_prefers_what_they_rated_higher():
    contest = rated([[4, 2, 1], [3, 3, 3], [5, 1, 2]], [[1, 2, 3], [5, 1, np.nan], [1, 1, 1]])
    found = preferences_between(contest)
    assert found.a.values.tolist() == [1, 0.5, 0, 0, 1, 1, 0.5, 1]
    assert (found.a.values + found.b.values).tolist() == [1] * 8
    assert found.a.raters.tolist() == [0, 1, 2, 0, 1, 0, 1, 2]
    assert "1 ratings without a counterpart" in found.notes[0]
    lower = preferences_between(contest, better="lower")
    assert lower.a.values.tolist() == found.b.values.tolist()


def test_only_the_order_of_ratings_counts():
    rng = np.random.default_rng(1)
    a, b = rng.integers(1, 6, (2, 3, 3))
    one, other = preferences_between(rated(a, b)), preferences_between(rated(np.exp(a), np.exp(b)))
    assert one.a.values.tolist() == other.a.values.tolist()


def test_the_win_rate_is_the_mean_preference_with_raters_as_a_random_factor():
    rng = np.random.default_rng(3)
    ids = np.tile(np.arange(5), (30, 1))
    contest = preferences_between(rated(rng.integers(1, 6, (30, 5)), rng.integers(0, 6, (30, 5)), ids))
    result = compare(contest, metric="win-rate", rng=0)
    assert result.a_score == pytest.approx(contest.a.values.mean())
    assert result.a_score + result.b_score == pytest.approx(1)
    table = two_way(2 * contest.a.values - 1, items=contest.a.items, raters=contest.a.raters)
    assert result.pvalue == pytest.approx(table.error.pvalue(result.advantage))


def test_superiority_compares_all_pairs_of_an_item():
    contest = rated([[4, 2, 1], [3, 3, 3], [5, 1, 2]], [[1, 2, 3], [5, 1, np.nan], [1, 1, 1]])
    result = compare(contest, metric="superiority", raters="fixed", rng=0)
    by_hand = []
    for a, b in (([4, 2, 1], [1, 2, 3]), ([3, 3, 3], [5, 1]), ([5, 1, 2], [1, 1, 1])):
        by_hand.append(np.mean([(x > y) + (x == y) / 2 for x in a for y in b]))
    assert result.a_score == pytest.approx(np.mean(by_hand))
    assert result.advantage == pytest.approx(2 * np.mean(by_hand) - 1)
    assert compare(contest.swapped(), metric="superiority", raters="fixed", rng=0).advantage == pytest.approx(
        -result.advantage
    )


def test_labels_become_preferences():
    scale = Scale.of([0, 1, 2])
    table = ResponseTable(
        np.array(["x", "y"]), {"human": Responses([1, 2, 0, 1], [0, 3, 4], [0, 1, 2, 0])}, scale, raters=("a", "b", "c")
    )
    found = preferences_from(table, "human", a=1, b=2, tie=0)
    assert found.a.values.tolist() == [1, 0, 0.5, 1]
    assert found.names == ("", "1", "2")
    with pytest.raises(DataError, match="answers '0', which is none of the labels 1, 2"):
        preferences_from(table, "human", a=1, b=2)
    with pytest.raises(ArgumentError, match="must be different"):
        preferences_from(table, "human", a=1, b=1)


def test_what_gives_no_preferences_is_refused():
    contest = rated([[1, 2, 3]] * 3, [[2, 2, 2]] * 3)
    bare = Contest(None, contest.a, Responses(contest.b.values, contest.b.offsets), contest.scale, contest.items)
    with pytest.raises(DataError, match="need rater ids"):
        preferences_between(bare)
    apart = Contest(None, contest.a, Responses.from_grid(np.ones((3, 3)), RATERS + 5), contest.scale, contest.items)
    with pytest.raises(DataError, match="no rater judged both"):
        preferences_between(apart)
    with pytest.raises(ArgumentError, match="no better one"):
        preferences_between(rated([[0, 1, 1]] * 3, [[1, 1, 0]] * 3, scale=Scale.of(["x", "y"])))
    with pytest.raises(ArgumentError, match="win-rate needs preferences"):
        compare(contest, metric="win-rate")


def test_pandalm_preferences(shared):
    table = howsure.read(shared / "pandalm.csv", sources={"human": "kind=human"})
    contest = preferences_from(table, "human", a=1, b=2, tie=0)
    result = compare(contest, metric="win-rate", n_resamples=99, rng=0)
    assert "The second is only a hint: 3 raters are too few to generalise reliably." in str(result)
    assert result.n_items == 999
