"""The likelihood of each item's responses over a grid of item parameters.

The likelihood of an item's responses at a given mean and standard deviation does not depend on how items are spread.
It is computed once, for every cell of a grid; a first-stage family then only weighs the cells. Mixed over a grid, the
likelihood of an item is Σ_gh w_g v_h E[item, g, h], with w and v the probabilities that the families of means and of
standard deviations give to the cells.

The second half finds the parameters of the first-stage families that make the observed responses most likely.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np
from scipy.special import log_ndtr, ndtr

from howsure.data.scales import BoolArray, FloatArray, IntArray
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

MEAN_CELLS = 40
SPREAD_CELLS = 36
CACHED = 2**18
"""So many likelihoods lie in the processor's cache."""


@dataclass(frozen=True, slots=True)
class Axis:
    """Cells of one parameter: a node for each, an edge on either side; the ends hold the mass that families put there.

    Attributes
    ----------
    edges : array
        Where the cells meet, from 0 to 1.
    nodes : array
        Where each cell is evaluated: 0, the middle of each cell, 1.
    cuts : array
        Up to where each cell's probability is counted: the edges, the last one just below 1.
    """

    edges: FloatArray
    nodes: FloatArray
    cuts: FloatArray

    @classmethod
    def of(cls, edges: FloatArray) -> "Axis":
        """Make an axis of these cells."""
        nodes = np.concatenate([[0.0], (edges[1:] + edges[:-1]) / 2, [1.0]])
        return cls(edges, nodes, np.append(edges[:-1], 1 - 1e-12))

    def weights(self, *families: Family) -> FloatArray:
        """Return the probability that each family gives to each cell: (families, cells)."""
        below = np.array([family.cdf(self.cuts) for family in families])
        found = np.empty((len(families), self.nodes.size))
        found[:, 0] = below[:, 0]
        np.subtract(below[:, 1:], below[:, :-1], out=found[:, 1:-1])
        found[:, -1] = 1 - below[:, 0] - found[:, 1:-1].sum(axis=1)
        return np.maximum(found, 0.0, out=found)


@dataclass(frozen=True, eq=False)
class LikelihoodGrid:
    """Likelihoods over the cells, for each distinct kind of item.

    Attributes
    ----------
    means, spreads : Axis
    likelihood : array, (kinds, means, spreads)
        Divided by each kind's largest value, so that nothing underflows.
    log_scale : array
        The logarithm of that value.
    repeats : array
        How many items are of each kind.
    """

    means: Axis
    spreads: Axis
    likelihood: FloatArray
    log_scale: FloatArray
    repeats: FloatArray

    def take(self, kinds: IntArray) -> "LikelihoodGrid":
        """Return the grid of these kinds only."""
        rows = self.likelihood[kinds], self.log_scale[kinds], self.repeats[kinds]
        return LikelihoodGrid(self.means, self.spreads, *(np.ascontiguousarray(each) for each in rows))

    @cached_property
    def _parts(self) -> list[tuple[IntArray, IntArray, FloatArray]]:
        """Kinds that are likely in the same cells, these cells, and their likelihoods there; elsewhere they are 0.

        A part is read once from memory and then lies in the cache.
        """
        flat = self.likelihood.reshape(len(self.repeats), -1)
        step = max(1, CACHED // flat.shape[1])
        found = []
        for kinds in np.split(flat.argmax(axis=1).argsort(kind="stable"), range(step, len(flat), step)):
            rows = flat[kinds]
            where = np.flatnonzero(rows.any(axis=0))
            found.append((kinds, where, np.ascontiguousarray(rows[:, where])))
        return found

    def log_likelihood(self, mean: Family, sd: Family) -> float:
        """Return the log-likelihood of all items."""
        return self.slopes(mean, sd)[0]

    def slopes(self, mean: Family, sd: Family) -> tuple[float, FloatArray, FloatArray]:
        """Return the log-likelihood and its derivative by each weight of means and of spreads."""
        of_means, of_spreads = self.means.weights(mean)[0], self.spreads.weights(sd)[0]
        cells = np.outer(of_means, of_spreads).ravel()
        mixed, by_cells = np.empty(len(self.repeats)), np.zeros(cells.size)
        for kinds, where, part in self._parts:
            mixed[kinds] = part @ cells[where]
            by_cells[where] += (self.repeats[kinds] / np.maximum(mixed[kinds], 1e-290)) @ part
        with np.errstate(divide="ignore", invalid="ignore"):
            value = float(self.repeats @ (np.log(mixed) + self.log_scale))
        by_pairs = by_cells.reshape(of_means.size, of_spreads.size)
        return value, by_pairs @ of_spreads, of_means @ by_pairs


def kinds_of(counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the different rows of an (items, levels) array of counts, in their order, and how often each occurs.

    Examples
    --------
    >>> kinds_of(np.array([[2.0, 1.0], [0.0, 3.0], [2.0, 1.0]]))
    (array([[0., 3.],
           [2., 1.]]), array([1., 2.]))
    """
    base = int(counts.max()) + 1
    if base ** counts.shape[1] > 2**62 or not np.array_equal(counts, np.floor(counts)):
        kinds, repeats = np.unique(counts, axis=0, return_counts=True)
        return kinds, repeats.astype(np.float64)
    # Each row is one whole number, its counts the digits: numbers are sorted much sooner than rows.
    numbers = counts.astype(np.int64) @ base ** np.arange(counts.shape[1] - 1, -1, -1)
    _, first, repeats = np.unique(numbers, return_index=True, return_counts=True)
    return counts[first], repeats.astype(np.float64)


def likert_grid(counts: FloatArray) -> LikelihoodGrid:
    """Return the grid for (items, levels) counts of levels that are equal bins of [0, 1]."""
    kinds, repeats = kinds_of(counts)
    # Spreads near 0 matter more than large ones, so their cells are finer there.
    means, spreads = Axis.of(np.linspace(0, 1, MEAN_CELLS + 1)), Axis.of(np.linspace(0, 1, SPREAD_CELLS + 1) ** 1.5)
    n_levels = counts.shape[1]
    cuts = np.arange(1, n_levels) / n_levels
    spread = np.maximum(spreads.nodes, 1e-6)[np.newaxis, :, np.newaxis]
    below = ndtr((cuts - means.nodes[:, np.newaxis, np.newaxis]) / spread)
    shares = np.diff(below, axis=-1, prepend=0.0, append=1.0)
    # A share of 0 and a count of 0 multiply to 0: no logarithm of a share falls below that of the smallest number.
    logs = np.log(np.maximum(shares, 1e-300))
    return LikelihoodGrid(means, spreads, *_scaled(np.tensordot(kinds, logs, axes=(1, 2))), repeats)


def normal_grid(values: FloatArray, sizes: IntArray, *, censored: bool) -> LikelihoodGrid:
    """Return the grid for normal responses on the unit scale, item after item.

    With `censored`, responses at 0 and at 1 may have been anything beyond. Without, the likelihood is averaged over
    each cell of means, since with many responses it is much narrower than a cell.
    """
    offsets = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    low, high = (np.add.reduceat(np.asarray(at, dtype=np.float64), offsets) for at in (values <= 0, values >= 1))
    if not censored:
        low, high = np.zeros_like(low), np.zeros_like(high)
    inside = np.ones_like(values) if not censored else np.asarray((values > 0) & (values < 1), dtype=np.float64)
    n = np.add.reduceat(inside, offsets)
    total = np.add.reduceat(inside * values, offsets)
    mean = total / np.maximum(n, 1)
    spread_sum = np.maximum(np.add.reduceat(inside * np.square(values - np.repeat(mean, sizes)), offsets), 0.0)

    means = Axis.of(np.linspace(0, 1, MEAN_CELLS + 1))
    spreads = Axis.of(np.concatenate([[0.0], np.geomspace(5e-4, 1, SPREAD_CELLS)]))
    # The more responses, the narrower the likelihood: average it over each cell of spreads too.
    n_inside = max(2, round(float(np.sqrt(sizes.max()))))
    nodes = means.nodes[np.newaxis, :, np.newaxis]
    likelihood, log_scale = np.empty((n.size, means.nodes.size, spreads.nodes.size)), np.empty(n.size)
    step = max(1, CACHED // (8 * likelihood[0].size))
    for start in range(0, n.size, step):  # few items at a time: all that is computed of them lies in the cache
        part = slice(start, start + step)
        n_, mean_, squares_, low_, high_ = (
            side[part, np.newaxis, np.newaxis] for side in (n, mean, spread_sum, low, high)
        )
        total_logs = np.full(likelihood[part].shape, -np.inf)
        for share in (np.arange(n_inside) + 0.5) / n_inside:
            inner = spreads.edges[:-1] + share * np.diff(spreads.edges)
            sd = np.concatenate([[1e-4], inner, [1.0]])[np.newaxis, np.newaxis, :]
            logs = -n_ * np.log(sd) - n_ / 2 * np.log(2 * np.pi) - squares_ / (2 * np.square(sd))
            logs = logs + _averaged(means, n_, mean_, sd)
            if censored:
                logs = logs + low_ * log_ndtr(-nodes / sd) + high_ * log_ndtr((nodes - 1) / sd)
            np.logaddexp(total_logs, logs, out=total_logs)
        likelihood[part], log_scale[part] = _scaled(total_logs - np.log(n_inside))
    return LikelihoodGrid(means, spreads, likelihood, log_scale, np.ones(n.size))


def _scaled(log_likelihood: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return likelihoods divided by each kind's largest one, and the logarithm of that."""
    largest = log_likelihood.max(axis=(1, 2))
    return np.exp(log_likelihood - largest[:, np.newaxis, np.newaxis]), largest


def _averaged(axis: Axis, n: FloatArray, mean: FloatArray, sd: FloatArray) -> FloatArray:
    """Return the logarithm of exp(−n (mean − μ)² / 2 sd²) averaged over each cell of μ, and at its two end nodes."""
    width = sd / np.sqrt(np.maximum(n, 1))
    edges = (axis.edges[np.newaxis, :, np.newaxis] - mean) / width
    # Beyond the mean, take the difference of upper tails, where that of Φ would round to 0. What still is 0 is so next
    # to the cell of the mean, too.
    tail = ndtr(-np.abs(edges))
    lower, upper = tail[:, :-1], np.where(edges[:, 1:] > 0, 1 - tail[:, 1:], tail[:, 1:])
    with np.errstate(divide="ignore"):
        mass = np.log(np.where(edges[:, :-1] > 0, lower - tail[:, 1:], upper - lower))
    cells = mass + 0.5 * np.log(2 * np.pi) + np.log(width) - np.log(np.diff(axis.edges))[np.newaxis, :, np.newaxis]
    ends = [-np.square((mean - node) / width) / 2 for node in (0.0, 1.0)]
    logs = np.concatenate([ends[0], cells, ends[1]], axis=1)
    logs = np.where(n > 0, logs, 0.0)
    return np.asarray(np.maximum(logs, -1e5))


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
FLAT = 0.02
"""Log-likelihoods that differ by less are equal: a 95% confidence limit of one parameter takes 1.92, half of χ²'s 3.84.
Sums of other processors differ by about 1e-5."""
PRIOR_SD = 5.0
"""Standard deviation of the normal prior of a free number, in standard deviations of a uniform distribution between its
bounds. It costs at most 0.06 of the log-likelihood, so it decides only where the likelihood is flat, and makes the
maximum one point on every processor (Chung et al. 2013, Psychometrika 78, penalise variances of zero for this reason).
"""
OPEN = 0.5
"""Errors above half of the standard deviation of a uniform distribution between the bounds: not determined."""
GAIN = 1e-6
"""A search that gains less than this log-likelihood by another start from its end is at its end."""
RESTARTS = 20
NEWTON_STEPS = 50
"""Five or six are usual; along curved ridges the steps are short."""
LONGEST = 0.1
"""Newton's steps are at most so many standard deviations of the prior long, since they follow the curvature of a point.
"""
CLOSE = 1e-8
"""Steps below so many standard deviations of the prior are rounding."""
ACROSS_KINKS = 0.02
"""A step, about a cell of the grid, over which the likelihood of triangular and uniform families has a curvature."""
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
    """Maximise the penalised likelihood over both families' parameters, from a few starting points.

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
    theta, _ = max((_climb(grid, forms, start, tol) for start in starts), key=lambda top: top[1])
    return _solution(grid, forms, theta)


def with_errors(grid: LikelihoodGrid, found: Solution) -> Solution:
    """Return the solution for these items, with more exact digits and the standard errors of its parameters."""
    forms = FORMS[found.mean.kind], FORMS[found.sd.kind]
    theta, information = _polished(grid, forms, found.free)
    return replace(_solution(grid, forms, theta), standard_errors=_standard_errors(forms, theta, information))


def _solution(grid: LikelihoodGrid, forms: tuple[Form, Form], theta: FloatArray) -> Solution:
    cut = len(forms[0].bounds)
    mean, sd = forms[0].build(*theta[:cut]), forms[1].build(*theta[cut:])
    unknown = [tuple(math.nan for _ in fields(family)) for family in (mean, sd)]
    return Solution(mean, sd, grid.log_likelihood(mean, sd), (unknown[0], unknown[1]), theta)


def _starts(forms: tuple[Form, Form], rough: tuple[FloatArray, FloatArray]) -> list[FloatArray]:
    moments = [(float(side.mean()), float(side.std())) for side in rough]
    sides = [form.starts(*moment) for form, moment in zip(forms, moments, strict=True)]
    n_starts = max(map(len, sides))
    return [np.array([*sides[0][i % len(sides[0])], *sides[1][i % len(sides[1])]]) for i in range(n_starts)]


def _climb(
    grid: LikelihoodGrid, forms: tuple[Form, Form], start: FloatArray, tol: float | None = None
) -> tuple[FloatArray, float]:
    """Return the free numbers of the highest penalised likelihood to which the start leads, and its logarithm.

    The search stops early where the likelihood rises slowly, so it starts again from where it stopped until that gains
    nothing.
    """
    from scipy.optimize import minimize

    bounds = (*forms[0].bounds, *forms[1].bounds)

    def objective(theta: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = _penalised(grid, forms, theta)
        return (-value, -gradient) if np.isfinite(value) else (1e12, np.zeros_like(theta))

    theta, value = np.clip(start, *np.transpose(bounds)), -np.inf
    for _ in range(RESTARTS):
        end = minimize(objective, theta, jac=True, method="L-BFGS-B", bounds=bounds, tol=tol, options={"maxiter": 300})
        gain, theta, value = -float(end.fun) - value, np.asarray(end.x), -float(end.fun)
        if gain < GAIN:
            break
    return theta, value


def _polished(grid: LikelihoodGrid, forms: tuple[Form, Form], theta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the maximum after Newton's steps, and minus the second derivatives of the log-likelihood there.

    `_climb` ends where the likelihood hardly rises: about a hundredth of a standard error from the top, in a direction
    that depends on the last digits of sums, which processors round in different ways. Newton's steps end on the top.
    Numbers at which the likelihood has kinks stay where they are.
    """
    bounds = _bounds(forms)
    low, high = bounds.T
    scale = 1 / np.sqrt(_prior(bounds)[1])
    smooth = np.repeat([form.regular for form in forms], [len(form.bounds) for form in forms])
    value, gradient = _penalised(grid, forms, theta)
    for _ in range(NEWTON_STEPS):
        free = smooth & _between(theta, bounds)
        if not free.any():
            break
        information = _information(grid, forms, theta)[np.ix_(free, free)] * np.outer(scale[free], scale[free])
        values, vectors = np.linalg.eigh(information + np.eye(len(information)))
        # On a saddle, absolute eigenvalues lead away from it (Dauphin et al. 2014, saddle-free Newton).
        step = np.zeros(theta.size)
        step[free] = scale[free] * (vectors @ (vectors.T @ (scale * gradient)[free] / np.abs(values)))
        step *= min(1.0, LONGEST / float(np.abs(step / scale).max()))
        there = np.clip(theta + step, low, high)
        while (top := _penalised(grid, forms, there))[0] < value + 0.1 * float(gradient @ (there - theta)):
            if np.abs((there - theta) / scale).max() < CLOSE:
                return theta, _information(grid, forms, theta)
            there = (there + theta) / 2
        theta, (value, gradient) = there, top
    return theta, _information(grid, forms, theta)


def _bounds(forms: tuple[Form, Form]) -> FloatArray:
    """Return the lowest and the highest value of each free number: (numbers, 2)."""
    return np.array((*forms[0].bounds, *forms[1].bounds))


def _between(theta: FloatArray, bounds: FloatArray) -> BoolArray:
    """Return which numbers lie between their bounds, not on them."""
    return np.asarray(np.minimum(theta - bounds[:, 0], bounds[:, 1] - theta) >= 1e-6)


def _prior(bounds: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the means and the precisions of the normal priors of the free numbers."""
    low, high = bounds.T
    return (low + high) / 2, 12 / np.square(PRIOR_SD * (high - low))


def _penalised(grid: LikelihoodGrid, forms: tuple[Form, Form], theta: FloatArray) -> tuple[float, FloatArray]:
    """Return the log-likelihood and the log-prior together, and their gradient."""
    value, gradient = _value_and_gradient(grid, forms, theta)
    centre, precision = _prior(_bounds(forms))
    apart = theta - centre
    return value - float(precision @ np.square(apart)) / 2, gradient - precision * apart


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
    forms: tuple[Form, Form], theta: FloatArray, information: FloatArray
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return standard errors of the families' parameters, from the curvature at the maximum (delta method).

    A parameter on its bound, or of which the responses say little more than the bounds do, has none. The prior keeps
    the variance of such a parameter finite, so that the others have theirs.
    """
    bounds, cut = _bounds(forms), len(forms[0].bounds)
    free = _between(theta, bounds)
    precision = _prior(bounds)[1][free]
    covariance = np.zeros((theta.size, theta.size))
    covariance[np.ix_(free, free)] = np.linalg.pinv(
        information[np.ix_(free, free)] + np.diag(precision), hermitian=True
    )
    variances = np.diag(covariance)
    # A variance is not positive where kinks make the curvature negative.
    undetermined = ~(free & (variances > 0) & (variances < np.square(OPEN * np.diff(bounds)[:, 0]) / 12))

    errors = []
    for form, part in zip(forms, (slice(cut), slice(cut, None)), strict=True):
        jacobian = _parameter_changes(form, theta[part])
        variances = np.diag(jacobian @ covariance[part, part] @ jacobian.T).copy()
        variances[(jacobian[:, undetermined[part]] != 0).any(axis=1)] = np.nan
        n_parameters = len(fields(form.build(*theta[part])))
        errors.append(tuple(float(np.sqrt(v)) if form.regular and v > 0 else np.nan for v in variances[:n_parameters]))
    return errors[0], errors[1]


def _information(grid: LikelihoodGrid, forms: tuple[Form, Form], theta: FloatArray) -> FloatArray:
    """Return minus the second derivatives of the log-likelihood, from differences of its first ones."""
    hessian = np.empty((theta.size, theta.size))
    steps = np.repeat([1e-3 if form.regular else ACROSS_KINKS for form in forms], [len(form.bounds) for form in forms])
    for i, (low, high) in enumerate(_bounds(forms)):
        step = steps[i] * max(1.0, abs(theta[i]))
        above, below = theta.copy(), theta.copy()
        above[i], below[i] = min(theta[i] + step, high), max(theta[i] - step, low)
        rise = _value_and_gradient(grid, forms, above)[1] - _value_and_gradient(grid, forms, below)[1]
        hessian[i] = rise / (above[i] - below[i])
    return -(hessian + hessian.T) / 2


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
