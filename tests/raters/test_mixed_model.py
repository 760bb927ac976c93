import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import binom

from howsure.raters.components import two_way
from howsure.raters.mixed_model import MOST_RATERS, CrossedTable, fit_crossed


def table(rng, judged, components=(0.5, 0.7, 1.2)):
    """Draw a table of item + rater + residual with these variances where `judged` is true."""
    items, raters = np.nonzero(judged)
    a, b, e = np.sqrt(components)
    n, r = judged.shape
    y = a * rng.normal(size=n)[items] + b * rng.normal(size=r)[raters] + e * rng.normal(size=items.size)
    return y, items, raters


def holes(rng, n=30, r=8):
    judged = rng.random((n, r)) < 0.4
    judged[:, 0] = judged[0] = True
    return judged


def covariance(items, raters):
    return [np.equal.outer(items, items) * 1.0, np.equal.outer(raters, raters) * 1.0, np.eye(items.size)]


def projector(guess, parts):
    whole = sum(part * matrix for part, matrix in zip(guess, parts, strict=True))
    inverse = np.linalg.inv(whole)
    ones = inverse.sum(axis=1)
    return whole, inverse, inverse - np.outer(ones, ones) / ones.sum()


@pytest.mark.parametrize("guess", [(0.3, 0.7, 1.2), (0.0, 0.7, 0.5), (0.4, 0.0, 2.0)])
def test_the_equations_are_those_of_whole_matrices(guess):
    rng = np.random.default_rng(1)
    y, items, raters = table(rng, holes(rng))
    y = y - y.mean()
    parts = covariance(items, raters)
    _, inverse, p = projector(guess, parts)
    small = CrossedTable(y, items, raters, 30, 8)
    found, squares = small.equations(np.array(guess))
    assert found == pytest.approx(np.array([[np.trace(p @ v @ p @ w) for w in parts] for v in parts]), rel=1e-9)
    assert squares == pytest.approx([y @ p @ v @ p @ y for v in parts], rel=1e-9)
    assert small.weights(np.array(guess)) == pytest.approx(inverse.sum(axis=1) / inverse.sum(), rel=1e-9)


def test_large_tables_are_written_sparsely_with_the_same_result(monkeypatch):
    rng = np.random.default_rng(2)
    y, items, raters = table(rng, holes(rng))
    dense = fit_crossed(y, items, raters, (1.0, 1.0, 1.0))
    monkeypatch.setattr("howsure.raters.mixed_model.DENSE", 0)
    sparse = fit_crossed(y, items, raters, (1.0, 1.0, 1.0))
    assert sparse.components == pytest.approx(dense.components, rel=1e-9)
    assert sparse.weights == pytest.approx(dense.weights, rel=1e-9)


def test_the_components_maximise_the_restricted_likelihood():
    rng = np.random.default_rng(3)
    y, items, raters = table(rng, holes(rng, 60, 12))
    parts = covariance(items, raters)

    def minus_twice(logs):
        whole, inverse, p = projector(np.exp(logs), parts)
        return np.linalg.slogdet(whole)[1] + np.log(inverse.sum()) + y @ p @ y

    best = np.exp(minimize(minus_twice, np.zeros(3), method="BFGS").x)
    assert fit_crossed(y, items, raters, (1.0, 1.0, 1.0)).components == pytest.approx(best, rel=1e-3)


def test_a_complete_table_is_analysis_of_variance():
    rng = np.random.default_rng(4)
    y, items, raters = table(rng, np.ones((9, 4), dtype=bool), (0.0, 0.0, 1.0))
    anova = two_way(y, items=items, raters=raters)
    fit = fit_crossed(y, items, raters, (1.0, 1.0, 1.0))
    assert fit.components == pytest.approx([anova.items, anova.raters, anova.residual], rel=1e-9)
    assert fit.weights == pytest.approx(np.full(36, 1 / 36), rel=1e-9)
    assert two_way(y, items=items, raters=raters, best=True) == anova


def test_more_raters_than_a_matrix_can_hold_are_left_to_moments():
    rng = np.random.default_rng(5)
    n = MOST_RATERS + 1
    y, items, raters = table(rng, np.eye(n, dtype=bool) | np.roll(np.eye(n, dtype=bool), 1, axis=1))
    assert fit_crossed(y, items, raters, (1.0, 1.0, 1.0)) is None
    assert two_way(y, items=items, raters=raters).residual > 0


def busy(n=40, r=12):
    """One rater judges every item, the others share a second judgement of each."""
    judged = np.zeros((n, r), dtype=bool)
    judged[:, 0] = True
    judged[np.arange(n), 1 + np.arange(n) % (r - 1)] = True
    return judged


def test_one_busy_rater_neither_decides_nor_widens_the_mean():
    """The mean that weighs raters is much narrower than the plain one, and holds its level."""
    rng = np.random.default_rng(6)
    rejected, widths, n_tables = 0, [], 400
    for _ in range(n_tables):
        y, items, raters = table(rng, busy(), (0.25, 0.72, 2.0))
        best, plain = (two_way(y, items=items, raters=raters, best=best) for best in (True, False))
        rejected += best.error.pvalue(best.mean) <= 0.05
        widths.append((best.error.half_width(0.025), plain.error.half_width(0.025)))
    assert rejected <= binom.ppf(0.999, n_tables, 0.05)
    narrow, wide = np.mean(widths, axis=0)
    assert narrow < 0.7 * wide
    assert 2 * narrow < 1.7  # a mixed model with Satterthwaite's degrees of freedom: 1.55
