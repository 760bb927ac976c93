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
from pathlib import Path

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


FIT = """
import json
from howsure.models.fitting.likelihood import solve, with_errors
from tests.models.fitting.test_recovery import problem_for

grid = (problem := problem_for("likert-amazon", 3, seed=11)[1]).grid()
fit = with_errors(grid, solve(grid, ("truncated-normal", "truncated-normal"), problem.rough()))
print(json.dumps([fit.free.tolist(), fit.standard_errors]))
"""


def test_an_undetermined_parameter_has_no_error_and_takes_none_from_others_on_any_processor():
    """With three responses per item nobody can see whether items differ a little in their spread, or not at all."""
    fits = []
    for kernel in ("", "Nehalem", "Haswell"):
        environment = {**os.environ, "OPENBLAS_CORETYPE": kernel, "PYTHONPATH": str(Path(__file__).parents[3])}
        if not kernel:
            del environment["OPENBLAS_CORETYPE"]
        shown = subprocess.run([sys.executable, "-c", FIT], env=environment, capture_output=True, text=True, check=True)
        fits.append(json.loads(shown.stdout))
    for free, (of_means, of_spreads) in fits:
        assert free == pytest.approx(fits[0][0], abs=1e-4)
        assert [*of_means, of_spreads[0]] == pytest.approx([*fits[0][1][0], fits[0][1][1][0]], rel=1e-3)
        assert np.isnan(of_spreads[1])


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
