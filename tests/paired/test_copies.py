import numpy as np
import pytest

from howsure.paired import PairedScores, analyse, count_flips, describe, effect_sizes, power_curve, significance_test
from howsure.paired.score_lists import copied_segments

rng = np.random.default_rng(6)
a, b = rng.normal(size=(2, 120)).round(3)


@pytest.mark.parametrize("times", [2, 3, 7])
def test_a_file_appended_to_itself_is_noticed(times):
    note = copied_segments(np.tile(a, times), np.tile(b, times))
    assert note[0].startswith(f"The scores look like {times} copies of the same 120 segments.")


def test_also_when_the_copies_are_shuffled():
    order = rng.permutation(240)
    assert copied_segments(np.tile(a, 2)[order], np.tile(b, 2)[order])[0].startswith("The scores look like 2 copies")


@pytest.mark.parametrize(("first", "last"), [(0, 120), (30, 70), (5, 15)])
def test_a_block_that_occurs_twice_is_noticed(first, last):
    rest = rng.normal(size=(2, 50))
    note = copied_segments(np.r_[a, rest[0], a[first:last]], np.r_[b, rest[1], b[first:last]])
    assert note[0].startswith(f"{last - first} of {170 + last - first} segments repeat earlier ones in the same order")


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("levels", [2, 3, 5, 11, 101, None])
def test_scores_that_agree_by_chance_are_left_alone(levels, seed):
    draw = np.random.default_rng(seed)
    columns = draw.normal(size=(2, 3000)) if levels is None else draw.integers(0, levels, size=(2, 3000)).astype(float)
    assert copied_segments(*columns) == ()
    assert copied_segments(*np.sort(columns, axis=1)) == ()


def test_every_result_carries_the_note():
    twice = PairedScores.from_arrays(np.tile(a, 2), np.tile(b, 2))
    results = [
        describe(twice),
        significance_test(twice),
        effect_sizes(twice)[0],
        power_curve(twice, n_simulations=10, rng=0),
        analyse(twice, n_simulations=10, rng=0),
    ]
    for result in results:
        assert any("2 copies of the same 120 segments" in note for note in result.notes)


def test_right_or_wrong_scores_may_repeat():
    answers = PairedScores.from_arrays(np.tile([1, 0, 1, 1], 50), np.tile([1, 1, 0, 1], 50))
    assert answers.notes == ()
    assert count_flips(answers).n == 200
