import math

import numpy as np
import pytest

from howsure.data.contests import Contest
from howsure.data.responses import Responses
from howsure.data.scales import Scale
from howsure.raters.design import design_of, overlap, rated


def responses(cells, n_items):
    """Make responses from (item, rater) pairs."""
    cells = sorted(cells)
    sizes = np.bincount([item for item, _ in cells], minlength=n_items)
    return Responses(np.zeros(len(cells)), np.concatenate([[0], np.cumsum(sizes)]), [rater for _, rater in cells])


CROSSED = [(i, r) for i in range(4) for r in range(3)]


@pytest.mark.parametrize(
    ("cells", "kind", "n_raters"),
    [
        (CROSSED, "crossed", 3),
        ([*CROSSED, (0, 1)], "crossed", 3),
        (CROSSED[:-1], "partially crossed", 3),
        ([(i, 10 * i + r) for i in range(4) for r in range(2)], "nested", 8),
        ([(i, 7) for i in range(4)], "crossed", 1),
    ],
)
def test_kinds(cells, kind, n_raters):
    found = design_of(responses(cells, 4))
    assert (found.kind, found.n_raters, found.n_items) == (kind, n_raters, 4)
    assert found.repeated == (len(set(cells)) < len(cells))
    assert kind in str(found)


def test_counts_are_fewest_median_and_most_over_all_sources():
    a, b = responses([(0, 0), (0, 1), (1, 0)], 3), responses([(0, 2), (1, 0), (2, 0)], 3)
    found = design_of(a, b)
    assert found.raters_per_item == (1, 1, 3)
    assert found.items_per_rater == (1, 1, 3)
    assert found.n_responses == 6


def test_without_ids_the_design_is_unknown():
    found = design_of(Responses([1, 2, 3], [0, 2, 3]))
    assert (found.kind, found.n_raters, found.raters_per_item) == ("unknown", 0, (1, 1, 2))
    assert found.to_dict()["kind"] == "unknown"


def test_overlap_is_the_share_of_raters_and_of_pairs_in_common():
    a, b = responses([(0, 0), (0, 1), (1, 0)], 2), responses([(0, 0), (0, 2), (1, 0)], 2)
    found = overlap(a, b)
    assert (found.raters, found.cells) == (pytest.approx(1 / 3), pytest.approx(2 / 4))
    assert math.isnan(overlap(a, Responses([1, 2], [0, 1, 2])).raters)


def test_a_source_of_one_rater_is_not_rated():
    a, b = responses([(0, 0), (1, 0)], 2), responses([(0, 1), (1, 2)], 2)
    contest = Contest(None, a, b, Scale("continuous"), np.array(["x", "y"]))
    assert rated(contest) == ["b"]
