"""Histograms as the published tables count them."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from howsure.papers.legacy import _histograms


@given(st.lists(st.sampled_from([-0.1, 0.0, 0.2, 0.6, 0.999, 1.0, 1.1, math.nan]), max_size=9), st.integers(1, 8))
def test_histograms_count_values_inside_the_unit_interval(row, bins):
    inside = [value for value in row if 0 <= value <= 1]
    counts = np.bincount([min(math.floor(value * bins + 1e-9), bins - 1) for value in inside], minlength=bins)
    assert _histograms(np.array([row]).reshape(1, -1), bins)[0].tolist() == counts.tolist()
