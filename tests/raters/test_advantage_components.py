import json
import math

import numpy as np
import pytest
from scipy.stats import binom

from howsure import _json
from howsure.data.contests import Contest
from howsure.data.responses import Responses
from howsure.data.scales import Scale
from howsure.errors import ArgumentError, DataError
from howsure.metrics.ratings import MeanRating
from howsure.raters import AdvantageComponents, variance_components
from howsure.raters.components import two_way


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
    assert "not a mean of responses" in measured.notes[0]


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


def clustered(rng, n_clusters=20, size=4, r=5, between=1.0):
    n = n_clusters * size
    ids = np.tile(np.arange(r), (n, 1))
    shared = between * np.repeat(rng.normal(size=(n_clusters, 1)), size, axis=0)
    a = shared + rng.normal(size=(n, 1)) + 0.3 * rng.normal(size=r) + rng.normal(size=(n, r))
    sides = [Responses.from_grid(side, ids) for side in (a, np.zeros((n, r)))]
    groups = {"document": np.repeat(np.arange(n_clusters), size).astype(str), "each": names(n)}
    return Contest(None, *sides, Scale("continuous"), names(n), ("", "A", "B"), groups)


def test_clusters_are_a_component_of_their_own():
    """Of 200 tables the mean estimates are the truth (clusters 1, items 1), and intervals cover at their level."""
    rng = np.random.default_rng(10)
    estimates, covered = [], {"clusters": 0, "items": 0}
    for _ in range(200):
        found = variance_components(clustered(rng), metric="rating", cluster="document")
        estimates.append([found.components[name] for name in covered])
        for name in covered:
            ends = found.intervals[name]
            assert ends.low <= max(0.0, found.components[name]) <= ends.high
            covered[name] += 1.0 in ends
    spread = np.std(estimates, axis=0) / math.sqrt(200)
    assert (np.abs(np.mean(estimates, axis=0) - 1.0) < 4 * spread).all()
    assert all(count >= binom.ppf(0.001, 200, 0.95) for count in covered.values())


def test_more_clusters_help_where_more_items_of_each_do_not():
    found = variance_components(clustered(np.random.default_rng(11), between=3.0), metric="rating", cluster="document")
    study = {entry["change"]: entry["standard_error"] for entry in found.decision_study}
    assert study["twice the clusters"] < 0.8 * study["present design"]
    assert study["ten times the items of each cluster"] > study["twice the clusters"]
    parts = found.variances(n_items=160, n_clusters=40)
    assert parts["clusters"] == pytest.approx(found.components["clusters"] / 40)
    assert parts["items"] == pytest.approx(found.components["items"] / 160)


def test_items_that_are_clusters_of_their_own_are_items():
    contest = clustered(np.random.default_rng(12))
    alone, each = (variance_components(contest, metric="rating", cluster=cluster) for cluster in (None, "each"))
    assert each.components == alone.components
    assert "Every item is a cluster of its own (each)" in each.notes[-1]


def test_a_single_item_has_no_components():
    contest, _ = rated(np.random.default_rng(13), n=1)
    with pytest.raises(DataError, match="at least 2 items"):
        variance_components(contest, metric="rating")


def test_components_read_back_and_say_what_to_do():
    contest = clustered(np.random.default_rng(14), between=3.0)
    found = variance_components(contest, metric="rating", cluster="document")
    again = AdvantageComponents.from_dict(json.loads(_json.dumps(found.to_dict())))
    assert again == found
    assert "twice the clusters would reduce it to" in str(found)
    assert str(again) == str(found)
