"""The interval that inverts the sign-flip test: all sets counted, duality with p, coverage of large clusters."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure import Contest
from howsure.comparison import compare
from howsure.inference import binomial_region
from howsure.inference.evidence import Evidence
from howsure.inference.sign_flips import sign_flips
from howsure.intervals import INTERVALS
from howsure.intervals.inverted_test import lowest_kept
from howsure.resampling import cluster_df, ratio_error

KIND = INTERVALS["sign-flip"]


def evidence_of(sums, sizes):
    left = (sums.sum() - sums) / (sizes.sum() - sizes)
    return Evidence(
        np.array([sums.sum() / sizes.sum()]),
        errors=np.array([ratio_error(sums, sizes)]),
        df=np.array([cluster_df(sizes)]),
        jackknife=left[np.newaxis],
        unit_sums=sums[np.newaxis],
        unit_sizes=sizes,
    )


def means_of_sets(sums, sizes):
    n = sums.size
    sets = (np.arange(1, 2**n)[:, np.newaxis] >> np.arange(n)) % 2
    return np.sort((sets @ sums) / (sets @ sizes))


@pytest.mark.parametrize("n", [6, 7, 9, 13])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_the_ends_are_ordered_means_of_all_sets(n, level):
    rng = np.random.default_rng(n)
    sizes = rng.integers(1, 30, n).astype(float)
    sums = rng.normal(0.3 * sizes, np.sqrt(sizes) + sizes)
    means = means_of_sets(sums, sizes)
    k = math.floor((1 - level) / 2 * 2**n + 1e-9)
    low, high, notes = KIND.ends(evidence_of(sums, sizes), level, "two-sided")
    error = ratio_error(sums, sizes)
    assert low[0] == pytest.approx(means[k - 1], abs=1e-5 * error)
    assert high[0] == pytest.approx(means[-k], abs=1e-5 * error)
    assert notes == [()]


@given(st.lists(st.tuples(st.integers(-20, 20), st.integers(1, 9)), min_size=6, max_size=11), st.floats(-3, 3))
def test_an_advantage_is_outside_exactly_if_the_test_rejects_it(clusters, place):
    sums, sizes = np.array(clusters, dtype=float).T
    error = ratio_error(sums, sizes)
    if not error > 1e-9:
        return
    advantage = float(sums.sum() / sizes.sum()) + place * error
    low, high, _ = KIND.ends(evidence_of(sums, sizes), 0.95, "two-sided")
    if min(abs(low[0] - advantage), abs(high[0] - advantage)) < 1e-5 * error:  # known to a millionth of the error
        return
    found = sign_flips(sums - sizes * advantage)
    assert (min(found.less, found.greater) <= 0.025) == (not low[0] <= advantage <= high[0])


def test_too_few_clusters_for_the_level_have_students_interval():
    sums, sizes = np.array([3.0, 9.0, 4.0, 30.0, 2.0, 6.0]), np.array([5.0, 9.0, 6.0, 20.0, 4.0, 5.0])
    known = evidence_of(sums, sizes)
    far, student = KIND.ends(known, 0.99, "two-sided"), INTERVALS["t"].ends(known, 0.99, "two-sided")
    assert (far.low[0], far.high[0]) == pytest.approx((student.low[0], student.high[0]))
    assert far.notes == [("6 clusters have no sign-flip interval at 99%: it is Student's.",)]


def test_sums_almost_on_a_grid_have_an_interval_all_the_same():
    rng = np.random.default_rng(0)
    sizes = np.maximum(1, rng.zipf(1.6, 100).clip(max=200)).astype(float)
    sums = np.array([rng.choice([-1, 0, 1], int(n), p=[0.15, 0.65, 0.2]).sum() for n in sizes]).astype(float)
    error = ratio_error(sums, sizes)
    sets = rng.random((40_000, 100)) < 0.5
    means = np.sort((sets @ sums) / (sets @ sizes))
    share = np.searchsorted(means, lowest_kept(sums, sizes, 0.025, error)) / means.size
    assert round(share * means.size) in binomial_region(means.size, 0.025)


def test_the_error_of_clusters_is_that_of_bell_and_mccaffrey():
    rng = np.random.default_rng(5)
    sizes = np.array([40.0, 10.0, 5.0, 3.0, 1.0])
    items = rng.normal(size=59)
    cluster = np.repeat(np.arange(5), sizes.astype(int))
    # By matrices, from the definition: residuals times (1 − hat)^−½, and the χ² with the same two moments.
    design = np.ones((59, 1))
    rest = items - items.mean()
    total, parts = 0.0, []
    for g in range(5):
        inside = cluster == g
        hat = np.full((inside.sum(), inside.sum()), 1 / 59)
        values, vectors = np.linalg.eigh(np.eye(inside.sum()) - hat)
        root = vectors @ np.diag(values**-0.5) @ vectors.T
        total += float((design[inside].T @ root @ rest[inside])[0]) ** 2
        whole = (np.eye(59) - 1 / 59)[inside]
        parts.append(whole.T @ root @ design[inside][:, 0] / 59)
    between = np.stack(parts)
    products = between @ between.T
    assert ratio_error(np.bincount(cluster, items), sizes) == pytest.approx(math.sqrt(total) / 59)
    assert cluster_df(sizes) == pytest.approx(np.trace(products) ** 2 / np.square(products).sum())
    assert cluster_df(np.full(9, 4.0)) == pytest.approx(8)


def shares_of(n, kind):
    weights = {"equal": np.ones(n), "by rank": 1 / np.arange(1, n + 1), "one half": np.r_[n - 1, np.ones(n - 1)]}[kind]
    return np.maximum(1, np.round(180 * weights / weights.sum()))


@pytest.mark.parametrize("kind", ["equal", "by rank", "one half"])
def test_intervals_of_unequal_clusters_cover(kind):
    # A bootstrap of 12 clusters, one of which has half of the items, covers 88 to 91% (docs/evidence/levels.md).
    rng = np.random.default_rng(11)
    sizes, n_data_sets = shares_of(12, kind), 1000
    covered = 0
    for _ in range(n_data_sets):
        sums = sizes * rng.normal(0.3, 0.5, 12) + rng.normal(0, np.sqrt(sizes))
        low, high, _ = KIND.ends(evidence_of(sums, sizes), 0.95, "two-sided")
        covered += low[0] <= 0.3 <= high[0]
    assert covered in binomial_region(n_data_sets, 0.95)


def large_document(advantage, n=12, rng=None):
    sizes = shares_of(n, "one half").astype(int)
    document = np.repeat(np.arange(n), sizes)
    rng = rng or np.random.default_rng(3)
    a = advantage + rng.normal(0, 0.5, n)[document] + rng.normal(0, 1, document.size)
    names = np.array([f"doc{i}" for i in range(n)])
    return Contest.from_arrays(None, a, np.zeros(document.size), groups={"document": names[document]})


def test_p_interval_and_margin_never_disagree_and_the_large_document_is_named():
    rng = np.random.default_rng(4)
    for number in range(40):
        found = compare(large_document(0.5, rng=rng), metric="rating", cluster="document", rng=number, margin=0.2)
        assert (found.pvalue <= 0.05) == (0 not in found.confidence_interval)
        beyond = found.at(confidence_level=0.9).confidence_interval.low > 0.2
        assert (found.margin.superiority <= 0.05) == beyond
    assert "'doc0' holds 51% of the items: the interval rests on few values of 'document'." in found.notes
    few = compare(large_document(0.5, n=4), metric="rating", cluster="document", rng=0)
    assert (few.pvalue <= 0.05) == (0 not in few.confidence_interval)
    assert few.confidence_interval.method == "t"
    equal = compare(large_document(0.5, n=2), metric="rating", cluster="document", rng=0)
    assert not any("holds" in note for note in equal.notes)
