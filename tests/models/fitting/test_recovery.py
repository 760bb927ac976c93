"""Data simulated from each preset are fitted back within sampling error, at K = 3, 5 and 20.

With two levels, or few responses, single parameters are not determined (many pairs of mean and standard deviation give
the same responses), so the question is put to the likelihood: the truth must lie in the fitted model's likelihood
region. Twice the log-likelihood ratio is about χ² with as many degrees of freedom as parameters, or fewer.
"""

import dataclasses
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from howsure.models import PRESETS, preset
from howsure.models.families import TruncatedNormal
from howsure.models.fitting import likelihood
from howsure.models.fitting.labels import fit_dirichlet, log_likelihood
from howsure.models.fitting.likelihood import kinds_of, normal_grid, solve, with_errors
from howsure.models.fitting.number_fit import Problem, continuous, ordered_levels
from howsure.models.parametric import LikertModel

N_ITEMS = 600
LATENT = [name for name in PRESETS if not name.startswith("categorical")]
LABELS = [name for name in PRESETS if name.startswith("categorical")]


def problem_for(name, n_responses, seed=3):
    model = preset(name)
    gold = model.table(N_ITEMS, (n_responses, 1, 1), rng=seed).source("gold")
    if isinstance(model, LikertModel):
        return model, ordered_levels(gold, model.scale)
    # On the preset's own unit scale, whatever the smallest and largest response are.
    template = continuous(gold, None, None).template
    return model, Problem(gold, dataclasses.replace(template, low=0.0, high=1.0, clip=False))


@pytest.mark.parametrize("n_responses", [3, 5, 20])
@pytest.mark.parametrize("name", LATENT)
def test_the_truth_is_in_the_likelihood_region(name, n_responses):
    model, problem = problem_for(name, n_responses)
    grid = problem.grid()
    found = solve(grid, (model.mean.kind, model.sd.kind), problem.rough())
    ratio = 2 * (found.log_likelihood - grid.log_likelihood(model.mean, model.sd))
    assert ratio < stats.chi2.ppf(1 - 1e-4, found.n_parameters)


@pytest.mark.parametrize("n_responses", [3, 5, 20])
def test_parameters_and_their_errors_come_back_where_they_are_determined(n_responses):
    model, problem = problem_for("likert-amazon", n_responses, seed=11)
    grid = problem.grid()
    found = with_errors(grid, solve(grid, ("truncated-normal", "truncated-normal"), problem.rough()))
    true = (model.mean.mean, model.sd.mean)
    for estimate, error, value in zip(
        (found.mean.mean, found.sd.mean), (found.standard_errors[0][0], found.standard_errors[1][0]), true, strict=True
    ):
        assert abs(estimate - value) < 4 * error
        assert error < 0.05


FITS = """
import json
import howsure
from howsure import examples
from howsure.models import NormalModel, fit, make_family, preset

waves = NormalModel(make_family("beta", [0.5, 0.7]), make_family("folded-normal", [0.1]), 0.0, 1.0, clip=True)
fits = [fit(examples.ratings(60, rng=5), source="human", mean="mixture", sd="beta")]
for model, n_items, n_responses, seed, families in (
    ("likert-amazon", 600, 3, 11, ("truncated-normal", "truncated-normal")),
    ("likert-amazon", 150, 5, 2, (None, None)),
    ("likert-multidomain", 100, 10, 4, ("mixture", "beta")),
    ("likert-hs-brexit", 100, 10, 4, ("truncated-normal", "truncated-normal")),
    ("likert-convabuse", 60, 3, 1, ("mixture", "beta")),
    ("likert-armis", 100, 10, 4, ("mixture", "beta")),
    (waves, 100, 10, 4, ("mixture", "beta")),
):
    model = preset(model) if isinstance(model, str) else model
    table = model.table(n_items, (n_responses, 1, 1), rng=seed)
    fits.append(fit(table, source="gold", mean=families[0], sd=families[1]))
shown = []
for one in fits:
    estimates, errors = zip(*((each.estimate, each.standard_error) for each in one.parameters))
    pvalues = [feature.pvalue for feature in one.goodness]
    shown.append([one.model.mean.kind, one.model.sd.kind, estimates, errors, pvalues])
print(json.dumps(shown))
"""


def fits_on(kernel):
    """Fit as on another kind of processor: with OpenBLAS's loops for it, and without what NumPy selects at run time."""
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_CORETYPE"}
    if kernel:
        environment["OPENBLAS_CORETYPE"] = kernel
    if kernel == "Nehalem":
        from numpy._core._multiarray_umath import __cpu_dispatch__ as selected

        environment["NPY_DISABLE_CPU_FEATURES"] = " ".join(selected)
    program = [sys.executable, "-W", "ignore", "-c", FITS]
    return json.loads(subprocess.run(program, env=environment, capture_output=True, text=True, check=True).stdout)


def test_families_estimates_and_errors_are_the_same_on_every_processor():
    """These fits have flat or curved ridges, families narrower than a cell of the grid, or parameters that trade off.

    Sums of other processors differ in their last digits, and a search ends elsewhere on such a ridge.
    """
    fits, *others = (fits_on(kernel) for kernel in ("", "Nehalem", "Haswell"))
    for other in others:
        for one, same in zip(fits, other, strict=True):
            assert same[:2] == one[:2]
            estimates, errors = np.array(one[2]), np.array(one[3])
            is_open = np.isnan(errors)
            np.testing.assert_array_equal(np.isnan(same[3]), is_open)
            np.testing.assert_allclose(np.array(same[3])[~is_open], errors[~is_open], rtol=1e-2)
            apart = np.abs(same[2] - estimates)
            assert (apart[~is_open] < 1e-3 * errors[~is_open]).all()
            assert (apart[is_open] < 1e-2 * np.abs(estimates[is_open])).all()
            assert same[4] == one[4]
    # With three responses per item nobody can see whether items differ a little in their spread, or not at all: that
    # parameter has no error, and the others have theirs.
    assert np.isnan(fits[1][3]).tolist() == [False, False, False, True]


@pytest.mark.parametrize("n_responses", [3, 5, 20])
@pytest.mark.parametrize("method", ["ml", "map"])
@pytest.mark.parametrize("name", LABELS)
def test_dirichlet_parameters_come_back(name, method, n_responses):
    model = preset(name)
    counts = model.draw(1, N_ITEMS, n_responses=n_responses, needs="counts", rng=5)[0][0]
    found = fit_dirichlet(counts, method=method)
    alpha = np.array(model.alpha)
    ratio = 2 * (found.log_likelihood - log_likelihood(alpha, counts))
    assert ratio < stats.chi2.ppf(1 - 1e-4, alpha.size)
    if alpha.sum() < 20:
        assert (np.abs(found.alpha - alpha) < 4 * found.standard_errors).all()


def test_the_map_prior_matters_only_where_the_data_say_little():
    plenty = preset("categorical-dices").draw(1, 500, n_responses=20, needs="counts", rng=1)[0][0]
    np.testing.assert_allclose(fit_dirichlet(plenty).alpha, fit_dirichlet(plenty, method="ml").alpha, rtol=0.02)
    alike = np.tile([[3.0, 2.0]], (50, 1))
    assert fit_dirichlet(alike).alpha.sum() < 1000 < fit_dirichlet(alike, method="ml").alpha.sum()


def test_dirichlet_gradient_and_errors_agree_with_differences():
    from scipy.optimize import approx_fprime

    from howsure.models.fitting.labels import _log_errors, _objective

    counts = preset("categorical-dices").draw(1, 60, n_responses=7, needs="counts", rng=2)[0][0]
    theta = np.log([4.0, 1.1, 2.0])
    for prior in (False, True):
        slope = approx_fprime(theta, lambda t, p=prior: _objective(t, counts, p)[0], 1e-7)
        np.testing.assert_allclose(_objective(theta, counts, prior)[1], slope, rtol=1e-4, atol=1e-3)
        bend = np.array(
            [approx_fprime(theta, lambda t, i=i, p=prior: _objective(t, counts, p)[1][i], 1e-6) for i in range(3)]
        )
        np.testing.assert_allclose(_log_errors(theta, counts, prior), np.sqrt(np.diag(np.linalg.inv(bend))), rtol=1e-3)


def test_a_part_of_a_known_grid_is_the_grid_of_the_part():
    gold = preset("normal").table(30, 4, rng=0).single("gold")
    problem = continuous(gold, None, None)
    items = np.array([7, 3, 21, 4])
    part = dataclasses.replace(problem, known=problem.grid()).take(items).grid()
    for name in ("likelihood", "log_scale", "repeats"):
        np.testing.assert_array_equal(getattr(part, name), getattr(problem.take(items).grid(), name))


def test_many_items_start_sooner_and_end_at_the_same_place(monkeypatch):
    _, problem = problem_for("normal", 5)
    grid, rough, kinds = problem.grid(), problem.rough(), ("beta", "truncated-normal")
    other = problem_for("normal", 5, seed=13)[1]
    near = solve(other.grid(), kinds, other.rough())
    quick = [solve(grid, kinds, rough), solve(grid, kinds, rough, near)]
    monkeypatch.setattr(likelihood, "A_PART", len(grid.repeats))
    plain = with_errors(grid, solve(grid, kinds, rough))
    for found in quick:
        for side in (0, 1):
            family, same = (dataclasses.astuple((one.mean, one.sd)[side]) for one in (found, plain))
            apart = np.subtract(family, same) / plain.standard_errors[side]
            assert (np.abs(apart) < 0.01).all()  # a hundredth of what the data leave open


def test_different_rows_are_found_as_numpy_finds_them():
    rng = np.random.default_rng(0)
    wide = rng.integers(0, 3, (50, 60)).astype(float)  # 3⁶⁰ rows have no whole number each
    for table in (rng.integers(0, 4, (500, 3)).astype(float), rng.random((20, 3)).round(1), wide):
        rows, times = np.unique(table, axis=0, return_counts=True)
        kinds, repeats = kinds_of(table)
        np.testing.assert_array_equal(kinds, rows)
        np.testing.assert_array_equal(repeats, times)


def test_slopes_are_those_of_the_plain_formula():
    rng = np.random.default_rng(1)
    grid = normal_grid(rng.uniform(0.2, 0.8, 900), np.full(300, 3), censored=False)
    mean, sd = TruncatedNormal(0.5, 0.2), TruncatedNormal(0.2, 0.1)
    value, by_means, by_spreads = grid.slopes(mean, sd)
    w, v = grid.means.weights(mean)[0], grid.spreads.weights(sd)[0]
    mixed = np.einsum("igh,g,h->i", grid.likelihood, w, v)
    np.testing.assert_allclose(value, (np.log(mixed) + grid.log_scale).sum(), rtol=1e-12)
    np.testing.assert_allclose(by_means, np.einsum("igh,i,h->g", grid.likelihood, 1 / mixed, v), rtol=1e-10)
    np.testing.assert_allclose(by_spreads, np.einsum("igh,i,g->h", grid.likelihood, 1 / mixed, w), rtol=1e-10)
