import math

import numpy as np
import pytest

from assay.comparison import variance_components
from assay.errors import ArgumentError
from assay.inference import two_way
from assay.metrics.ratings import MeanRating
from assay.responses import Contest, Responses
from assay.scales import Scale


def names(n):
    return np.arange(n).astype(str)


def rated(rng, n=40, r=6):
    ids = np.tile(np.arange(r), (n, 1))
    grids = [rng.normal(size=(n, 1)) + 0.7 * rng.normal(size=r) + rng.normal(size=(n, r)) for _ in range(2)]
    a, b = (Responses.from_grid(grid, ids) for grid in grids)
    return Contest(None, a, b, Scale("continuous"), names(n), ("", "A", "B")), grids[0] - grids[1]


def test_paired_ratings_are_taken_apart_exactly():
    contest, differences = rated(np.random.default_rng(1))
    found = variance_components(contest, metric="rating")
    rows, columns = np.indices(differences.shape)
    table = two_way(differences.ravel(), items=rows.ravel(), raters=columns.ravel())
    assert found.components["raters"] == pytest.approx(table.raters)
    assert found.components["residual"] == pytest.approx(table.residual)
    assert found.standard_error() == pytest.approx(table.error.standard_error)
    assert found.intervals["raters"].low == pytest.approx(table.intervals()["raters"].low)
    assert "twice the raters" in str(found)
    assert found.to_dict()["n_raters"] == 6


def test_a_decision_study_is_the_formula():
    contest, _ = rated(np.random.default_rng(2))
    found = variance_components(contest)
    parts = {name: max(0.0, part) for name, part in found.components.items()}
    expected = parts["items"] / 80 + parts["raters"] / 12 + parts["residual"] / (80 * 3)
    assert found.standard_error(n_items=80, n_raters=12, raters_per_item=3) == pytest.approx(math.sqrt(expected))
    assert found.standard_error(n_raters=12) < found.standard_error()
    with pytest.raises(ArgumentError, match="must not exceed the number of raters, 6; got 7"):
        found.standard_error(raters_per_item=7)


def test_measured_components_are_those_of_the_table_where_both_apply():
    class Curved(MeanRating):
        linear = False

    contest, _ = rated(np.random.default_rng(3))
    exact, measured = (variance_components(contest, metric=m) for m in ("rating", Curved()))
    for name in ("items", "raters", "residual"):
        scale = exact.standard_error() ** 2 * {"items": 40, "raters": 6, "residual": 240}[name]
        assert measured.components[name] == pytest.approx(exact.components[name], abs=0.1 * scale)
    assert measured.standard_error() == pytest.approx(exact.standard_error(), rel=0.05)
    assert "curved" in measured.notes[0]


def test_repeats_of_the_models_are_a_component_of_their_own():
    """Against gold by squared error of A − B means: noise of a repeat is known by simulation of fresh repeats."""
    rng = np.random.default_rng(4)
    n, k = 400, 4
    gold = np.zeros((n, 1))
    spread = rng.normal(size=(2, n, 1))
    a, b = (Responses.from_grid(0.5 * part + rng.normal(size=(n, k))) for part in spread)
    contest = Contest(None, a, b, Scale("continuous"), names(n), ("", "A", "B"))
    found = variance_components(contest, metric="rating")
    assert found.components["repeats_a"] == pytest.approx(np.mean(a.values.reshape(n, k).var(axis=1, ddof=1)))
    for role in ("a", "b"):
        assert 1.0 in found.intervals[f"repeats_{role}"]
    assert found.components["items"] == pytest.approx(0.5, abs=0.2)
    more = found.standard_error(n_repeats=100)
    assert more**2 == pytest.approx((found.components["items"] + 2 / 100) / n, rel=0.1)
    assert found.n_raters == 0
    against = Contest(Responses.from_grid(gold), a, b, Scale("continuous"), names(n))
    assert variance_components(against, metric="mae").components["repeats_b"] > 0


def test_metrics_without_item_scores_are_refused():
    contest, _ = rated(np.random.default_rng(5))
    with pytest.raises(ArgumentError, match="item scores"):
        variance_components(contest, metric="spearman")
    with pytest.raises(ArgumentError, match="needs gold"):
        variance_components(contest, metric="mae")


@pytest.mark.parametrize("k", [2, 5])
def test_the_interval_of_items_belongs_to_its_estimate_where_repeats_are_taken_off(k):
    rng = np.random.default_rng(9)
    outside = 0
    for _ in range(30):
        gold = rng.normal(size=60)
        sides = [(gold + rng.normal(size=60))[:, np.newaxis] + 0.5 * rng.normal(size=(60, k)) for _ in range(2)]
        found = variance_components(Contest.from_arrays(gold, *sides, scale="continuous"), metric="mse")
        estimate, ends = found.components["items"], found.intervals["items"]
        assert ends.low <= max(0.0, estimate) <= ends.high
        outside += estimate > 0
    assert outside > 20
