"""Values too large to compute with are refused by name; those far outside a rating scale are named in a note."""

import numpy as np
import pytest

from howsure.comparison import compare
from howsure.data.contests import Contest
from howsure.errors import ArgumentError, DataError

GOLD = np.random.default_rng(0).integers(1, 6, (30, 3)).astype(float)


def contest(value, at=(4, 1)):
    a = GOLD.copy()
    a[at] = value
    return Contest.from_arrays(GOLD, a, GOLD[::-1])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("value", [1e155, -1e308, 1e101, 1e-200])
def test_a_value_that_cannot_be_squared_is_refused_with_its_place(value):
    with pytest.raises(DataError, match=r"A, item .*: .* is too large or too small to compute with .* Rescale"):
        compare(contest(value), metric="mae", rng=0, n_resamples=99)


@pytest.mark.parametrize("value", [1e6, 99.0, -999.0])
def test_a_value_far_outside_a_rating_scale_is_named(value):
    notes = " ".join(compare(contest(value), metric="mae", rng=0, n_resamples=99).notes)
    assert f"the value {value:g} lies far outside the others, of which nearly all are between 1 and 5" in notes


@pytest.mark.parametrize("value", [1.0, 5.0, 12.0])
def test_a_value_among_the_others_is_not(value):
    assert "far outside" not in " ".join(compare(contest(value), metric="mae", rng=0, n_resamples=99).notes)


def test_labels_have_no_outside():
    labels = Contest.from_arrays(["a", "b"] * 9, ["a", "a"] * 9, ["b", "b"] * 9)
    assert "far outside" not in " ".join(compare(labels, metric="accuracy", rng=0, n_resamples=99).notes)


def test_draws_that_no_memory_holds_are_refused():
    with pytest.raises(ArgumentError, match="`n_resamples` must be"):
        compare(contest(1.0), metric="mae", rng=0, n_resamples=10**9)
