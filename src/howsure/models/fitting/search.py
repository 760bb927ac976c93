"""Find the parameters of the first-stage families that make the observed responses most likely."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace

import numpy as np

from howsure.models.families import (
    Beta,
    Family,
    FoldedNormal,
    Normal,
    Triangular,
    TruncatedMixture,
    TruncatedNormal,
    Uniform,
)
from howsure.models.fitting.quadrature import Axis, LikelihoodGrid
from howsure.scales import FloatArray

Bounds = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Form:
    """How a family is searched: free numbers without order constraints, each between two bounds.

    Attributes
    ----------
    build : callable
        Makes the family from the free numbers.
    bounds : tuple
    starts : callable
        From the mean and standard deviation of rough item values to free numbers to start from.
    regular : bool
        Whether curvature at the maximum gives standard errors; where the support depends on the parameters it does not.
    """

    build: Callable[..., Family]
    bounds: Bounds
    starts: Callable[[float, float], tuple[tuple[float, ...], ...]]
    regular: bool = True


LOG_SD = (np.log(0.003), np.log(3.0))
CENTRE = (-2.0, 3.0)
A_PART = 250
"""Kinds of items on which starting points are tried where there are at least twice as many."""


def _beta_start(mean: float, sd: float) -> tuple[tuple[float, ...], ...]:
    mean = float(np.clip(mean, 0.02, 0.98))
    concentration = float(np.clip(mean * (1 - mean) / max(sd, 0.02) ** 2 - 1, 0.3, 200))
    return ((np.log(mean * concentration), np.log((1 - mean) * concentration)),)


def _triangle(high: float, width: float, peak: float) -> Family:
    low = high - width
    return Triangular(low, low + peak * width, high)


FORMS: dict[str, Form] = {
    "truncated-normal": Form(
        lambda mean, log_sd: TruncatedNormal(mean, float(np.exp(log_sd))),
        (CENTRE, LOG_SD),
        lambda mean, sd: ((mean, np.log(max(sd, 0.02))), (-0.3, np.log(0.4))),
    ),
    "normal": Form(
        lambda mean, log_sd: Normal(mean, float(np.exp(log_sd))),
        (CENTRE, LOG_SD),
        lambda mean, sd: ((mean, np.log(max(sd, 0.02))),),
    ),
    "beta": Form(
        lambda log_a, log_b: Beta(float(np.exp(log_a)), float(np.exp(log_b))), ((-4.0, 8.0), (-4.0, 8.0)), _beta_start
    ),
    "folded-normal": Form(
        lambda log_sd: FoldedNormal(float(np.exp(log_sd))), (LOG_SD,), lambda mean, sd: ((np.log(np.hypot(mean, sd)),),)
    ),
    "triangular": Form(
        _triangle,
        ((0.01, 1.0), (0.01, 2.0), (0.001, 0.999)),
        lambda mean, sd: ((mean + 2.2 * sd, 4.4 * sd + 0.02, 0.5),),
        regular=False,
    ),
    "uniform": Form(
        lambda low, width: Uniform(low, low + width),
        ((0.0, 0.98), (0.01, 1.0)),
        lambda mean, sd: ((max(mean - 1.7 * sd, 0.0), 3.4 * sd + 0.02),),
        regular=False,
    ),
    "mixture": Form(
        lambda logit, m1, s1, m2, s2: TruncatedMixture(
            float(1 / (1 + np.exp(-logit))), m1, float(np.exp(s1)), m2, float(np.exp(s2))
        ),
        ((-4.0, 4.0), CENTRE, LOG_SD, CENTRE, LOG_SD),
        lambda mean, sd: ((0.0, mean - sd, np.log(max(sd / 2, 0.02)), mean + sd, np.log(max(sd / 2, 0.02))),),
    ),
}


@dataclass(frozen=True, slots=True)
class Solution:
    """The most likely pair of families.

    Attributes
    ----------
    mean, sd : Family
    log_likelihood : float
    standard_errors : tuple of tuple of float
        Of the parameters of `mean` and of `sd`, in the families' own order; NaN where the data leave one undetermined.
    free : array
        The numbers of both families as they were searched.
    """

    mean: Family
    sd: Family
    log_likelihood: float
    standard_errors: tuple[tuple[float, ...], tuple[float, ...]]
    free: FloatArray

    @property
    def n_parameters(self) -> int:
        """How many numbers were searched."""
        return self.free.size


def solve(
    grid: LikelihoodGrid, kinds: tuple[str, str], rough: tuple[FloatArray, FloatArray], near: Solution | None = None
) -> Solution:
    """Maximise the likelihood over both families' parameters, from a few starting points.

    `rough` are the items' sample means and standard deviations, to start from. Of many kinds of items the solution for
    other items like these (`near`) is the start, or else a part says which start leads furthest, unless the likelihood
    has kinks, which lie elsewhere for other items.
    """
    forms = FORMS[kinds[0]], FORMS[kinds[1]]
    starts, tol = _starts(forms, rough), None
    every = len(grid.repeats) // A_PART
    if every > 1 and near is not None:
        starts, tol = [near.free], 1e-12
    elif every > 1 and all(form.regular for form in forms):
        part = grid.take(np.arange(0, len(grid.repeats), every))
        starts = [max(starts, key=lambda start: _climb(part, forms, start, tol=1e-6)[1])]
    theta, value = max((_climb(grid, forms, start, tol) for start in starts), key=lambda top: top[1])
    cut = len(forms[0].bounds)
    families = forms[0].build(*theta[:cut]), forms[1].build(*theta[cut:])
    return Solution(*families, value, _unknown(families), theta)


def with_errors(grid: LikelihoodGrid, found: Solution) -> Solution:
    """Return the solution for these items with the standard errors of its parameters."""
    forms = FORMS[found.mean.kind], FORMS[found.sd.kind]
    return replace(found, standard_errors=_standard_errors(grid, forms, found.free))


def _starts(forms: tuple[Form, Form], rough: tuple[FloatArray, FloatArray]) -> list[FloatArray]:
    moments = [(float(side.mean()), float(side.std())) for side in rough]
    sides = [form.starts(*moment) for form, moment in zip(forms, moments, strict=True)]
    n_starts = max(map(len, sides))
    return [np.array([*sides[0][i % len(sides[0])], *sides[1][i % len(sides[1])]]) for i in range(n_starts)]


def _climb(
    grid: LikelihoodGrid, forms: tuple[Form, Form], start: FloatArray, tol: float | None = None
) -> tuple[FloatArray, float]:
    """Return the free numbers of the highest likelihood to which the start leads, and its logarithm."""
    from scipy.optimize import minimize

    bounds = (*forms[0].bounds, *forms[1].bounds)

    def objective(theta: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = _value_and_gradient(grid, forms, theta)
        return (-value, -gradient) if np.isfinite(value) else (1e12, np.zeros_like(theta))

    inside = np.clip(start, *np.transpose(bounds))
    end = minimize(objective, inside, jac=True, method="L-BFGS-B", bounds=bounds, tol=tol, options={"maxiter": 300})
    return np.asarray(end.x), -float(end.fun)


def _value_and_gradient(grid: LikelihoodGrid, forms: tuple[Form, Form], theta: FloatArray) -> tuple[float, FloatArray]:
    parts = np.split(theta, [len(forms[0].bounds)])
    value, by_means, by_spreads = grid.slopes(forms[0].build(*parts[0]), forms[1].build(*parts[1]))
    gradient = [
        _weight_changes(form, part, axis) @ slope
        for form, part, axis, slope in zip(
            forms, parts, (grid.means, grid.spreads), (by_means, by_spreads), strict=True
        )
    ]
    return value, np.concatenate(gradient)


def _weight_changes(form: Form, part: FloatArray, axis: Axis) -> FloatArray:
    """Return the derivative of the cells' weights by each free number, from differences: the weights are cheap."""
    free = part.tolist()
    steps = [1e-5 * max(1.0, abs(number)) for number in free]
    above = [min(number + step, high) for number, step, (_, high) in zip(free, steps, form.bounds, strict=True)]
    below = [max(number - step, low) for number, step, (low, _) in zip(free, steps, form.bounds, strict=True)]
    moved = (form.build(*free[:i], side[i], *free[i + 1 :]) for side in (above, below) for i in range(len(free)))
    weights = axis.weights(*moved)
    return (weights[: len(free)] - weights[len(free) :]) / np.subtract(above, below)[:, np.newaxis]


def _standard_errors(
    grid: LikelihoodGrid, forms: tuple[Form, Form], theta: FloatArray
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return standard errors of the families' parameters, from the curvature of the log-likelihood (delta method)."""
    bounds, cut = (*forms[0].bounds, *forms[1].bounds), len(forms[0].bounds)
    p = theta.size
    hessian = np.empty((p, p))
    for i in range(p):
        step = 1e-3 * max(1.0, abs(theta[i]))
        above, below = theta.copy(), theta.copy()
        above[i], below[i] = min(theta[i] + step, bounds[i][1]), max(theta[i] - step, bounds[i][0])
        rise = _value_and_gradient(grid, forms, above)[1] - _value_and_gradient(grid, forms, below)[1]
        hessian[i] = rise / (above[i] - below[i])
    information = -(hessian + hessian.T) / 2
    on_bound = [theta[i] - low < 1e-6 or high - theta[i] < 1e-6 for i, (low, high) in enumerate(bounds)]
    families = forms[0].build(*theta[:cut]), forms[1].build(*theta[cut:])
    # A parameter on its bound has no curvature to speak of; the others' errors are given that it stays there.
    free = ~np.array(on_bound)
    covariance = np.full((p, p), np.nan)
    inner = information[np.ix_(free, free)]
    if not np.isfinite(inner).all() or np.linalg.eigvalsh(inner)[0] <= 1e-9 * np.abs(inner).max():
        return _unknown(families)
    covariance[np.ix_(free, free)] = np.linalg.inv(inner)
    found = []
    for form, family, start, stop in zip(forms, families, (0, cut), (cut, p), strict=True):
        jacobian = _parameter_changes(form, theta[start:stop])
        variances = np.diag(jacobian @ covariance[start:stop, start:stop] @ jacobian.T)
        regular = form.regular
        found.append(
            tuple(float(np.sqrt(v)) if regular and v > 0 else float("nan") for v in variances[: len(fields(family))])
        )
    return found[0], found[1]


def _parameter_changes(form: Form, part: FloatArray) -> FloatArray:
    """Return the derivative of the family's own parameters by the free numbers."""
    columns = []
    for i in range(part.size):
        above, below = part.copy(), part.copy()
        above[i] += 1e-6
        below[i] -= 1e-6
        columns.append((_numbers(form.build(*above)) - _numbers(form.build(*below))) / 2e-6)
    return np.stack(columns, axis=1)


def _numbers(family: Family) -> FloatArray:
    return np.array([getattr(family, field.name) for field in fields(family)], dtype=np.float64)


def _unknown(families: tuple[Family, Family]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    first, second = (tuple(float("nan") for _ in fields(family)) for family in families)
    return first, second
