"""Slots are told from people: sorted and grouped labels are noted, people and few items are not."""

import numpy as np
import pytest

from howsure import Contest
from howsure.comparison import compare
from howsure.data.responses import Responses
from howsure.data.scales import Scale
from howsure.inference import binomial_region
from howsure.raters.slots import looks_like_slots, may_be_slots

LIKERT = Scale("ordinal", (1.0, 2.0, 3.0, 4.0, 5.0), tuple("12345"))


def source(grid):
    n_items, n = grid.shape
    return Responses(grid.ravel(), np.arange(0, n_items * n + 1, n), np.tile(np.arange(n), n_items))


def names(n):
    return [f"rater_{i + 1}" for i in range(n)]


def people(rng, n_items, n, *, bias=1.0):
    """Return ratings of people with biases of at most the noise's standard deviation, the most lenient first."""
    biases = np.sort(rng.normal(0, bias, n))[::-1]
    return np.clip(np.round(3 + rng.normal(0, 1, (n_items, 1)) + biases + rng.normal(0, 1, (n_items, n))), 1, 5)


@pytest.mark.parametrize("n", [3, 5, 12])
@pytest.mark.parametrize("turn", [1, -1])
def test_sorted_labels_are_slots(n, turn):
    grid = np.sort(people(np.random.default_rng(n), 120, n), axis=1)[:, ::turn]
    said = looks_like_slots(source(grid), names(n), LIKERT)
    assert "on all 120 items: these look like sorted slots, not people" in said
    assert ("rater_1 ≤ rater_2" if turn == 1 else "rater_1 ≥ rater_2") in said


def test_labels_that_are_listed_one_after_another_are_slots():
    rng = np.random.default_rng(1)
    rows = [np.concatenate([np.full((row == label).sum(), label) for label in rng.permutation(3)])
            for row in rng.integers(0, 3, (100, 10))]  # fmt: skip
    nominal = Scale("nominal", (0.0, 1.0, 2.0), ("x", "y", "z"))
    said = looks_like_slots(source(np.array(rows, dtype=float)), names(10), nominal)
    assert said == "rater_1 … rater_10 list an item's labels one after another: these look like slots, not people"


def test_people_are_seldom_taken_for_slots():
    # 95^59% = 5%: people who are out of order on one item in twenty are never taken for slots more often than that.
    rng, n_data_sets, found = np.random.default_rng(2), 400, 0
    for _ in range(n_data_sets):
        found += bool(looks_like_slots(source(people(rng, 80, 3)), names(3), LIKERT))
    assert found <= binomial_region(n_data_sets, 0.01).high


def test_few_items_or_two_raters_say_nothing():
    rng = np.random.default_rng(3)
    few = np.sort(rng.permuted(np.tile(np.arange(1.0, 6.0), (58, 1)), axis=1), axis=1)
    assert not looks_like_slots(source(few), names(5), LIKERT)
    assert looks_like_slots(source(np.vstack([few, few[:1]])), names(5), LIKERT)
    two = np.sort(people(rng, 200, 2), axis=1)
    assert not looks_like_slots(source(two), names(2), LIKERT)


def test_a_comparison_does_not_generalise_from_slots_unless_told_to():
    rng = np.random.default_rng(4)
    gold = np.sort(people(rng, 150, 6), axis=1)
    a, b = (np.clip(np.round(gold.mean(axis=1) + rng.normal(0, spread, 150)), 1, 5) for spread in (0.8, 1.2))
    contest = Contest(
        source(gold), *(Responses(side, np.arange(151)) for side in (a, b)), LIKERT, np.arange(150).astype(str),
        raters=tuple(names(6)),
    )  # fmt: skip
    found = compare(contest, rng=0)
    assert found.rater_answers is None
    assert found.null == "sign-flip"
    said = "rater_1 ≤ rater_2 ≤ … ≤ rater_6 on all 150 items: these look like sorted slots, not people."
    assert any(note.startswith(said) and "`raters='random'`" in note for note in found.notes)
    insisted = compare(contest, rng=0, raters="random")
    assert insisted.rater_answers is not None
    assert not any("slots" in note for note in insisted.notes)


def test_numbered_raters_who_judged_everything_may_be_slots():
    rng = np.random.default_rng(5)
    grid = source(people(rng, 40, 6))
    assert may_be_slots(grid, names(6))
    assert may_be_slots(grid, [f"label{i:02}" for i in range(6)])
    assert not may_be_slots(grid, ["anna", "ben", "cem", "dora", "eva", "finn"])
    assert not may_be_slots(grid, [f"rater_{i}" for i in (1, 2, 3, 4, 5, 17)])
