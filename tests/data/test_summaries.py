"""Summaries of each item against a loop over its responses."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from howsure.data.responses import Responses
from howsure.data.scales import Scale
from howsure.data.summaries import summarise

LEVELS = [1.0, 2.0, 4.0, 4.5]
RAGGED = st.lists(st.lists(st.sampled_from(LEVELS), min_size=1, max_size=5), min_size=1, max_size=8)


@given(RAGGED)
def test_every_summary_of_ragged_items(rows):
    offsets = np.cumsum([0, *map(len, rows)])
    responses = Responses(np.concatenate(rows), offsets)
    scale = Scale.of(LEVELS, kind="ordinal")
    width = max(map(len, rows))
    expected = {
        "means": [sum(row) / len(row) for row in rows],
        "counts": [[row.count(level) for level in LEVELS] for row in rows],
        "values": [[*row, *[np.nan] * (width - len(row))] for row in rows],
        "sorted": [[*sorted(row), *[np.nan] * (width - len(row))] for row in rows],
    }
    for needs, content in expected.items():
        np.testing.assert_allclose(summarise(responses, needs, scale), content, rtol=1e-15)
