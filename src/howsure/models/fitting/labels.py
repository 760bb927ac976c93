"""Fit labels: the Dirichlet parameters α behind the counts of each item, by maximum likelihood or a posteriori."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import digamma, gammaln, polygamma

from howsure.data.responses import Responses
from howsure.data.scales import FloatArray, Scale
from howsure.data.summaries import counts
from howsure.models.fitting.fits import Fit, Parameter, criteria
from howsure.models.fitting.goodness import agreement, checked_items, compare_with_data, pool
from howsure.models.parametric import CategoricalModel

PRIOR_LOG_SUM = (np.log(10.0), 2.0)
"""Prior of ln Σα, mean and standard deviation; the shares α / Σα have no preference.

A weak one: two standard deviations reach from items that hardly ever disagree within (Σα = 0.2) to items that are all
alike (Σα = 550). It matters where the data cannot tell how alike items are, and then keeps Σα finite.
"""


@dataclass(frozen=True, slots=True)
class DirichletFit:
    """Estimates of α with standard errors, the log-likelihood, and the mean absolute bias (FOREST)."""

    alpha: FloatArray
    standard_errors: FloatArray
    log_likelihood: float
    mean_absolute_bias: float


def fit_dirichlet(counts: FloatArray, *, method: str = "map") -> DirichletFit:
    """Fit α to an (items, labels) array of counts by "map" or "ml".

    Examples
    --------
    >>> counts = np.array([[3.0, 1.0], [0.0, 4.0], [4.0, 0.0], [2.0, 2.0]])
    >>> fit_dirichlet(counts, method="ml").alpha.round(2).tolist()
    [0.76, 0.63]
    """
    from scipy.optimize import minimize

    prior = method == "map"
    shares = counts.sum(axis=0) / counts.sum()
    start = np.log(np.maximum(shares, 1e-3) * _moment_sum(counts))

    def objective(theta: FloatArray) -> tuple[float, FloatArray]:
        return _objective(theta, counts, prior)

    bounds = [(math.log(1e-4), math.log(1e6))] * shares.size
    result = minimize(objective, start, jac=True, method="L-BFGS-B", bounds=bounds, tol=1e-12)
    alpha = np.exp(result.x)
    errors = alpha * _log_errors(result.x, counts, prior)
    bias = float(np.mean(np.abs(shares - alpha / alpha.sum())))
    return DirichletFit(alpha, errors, log_likelihood(alpha, counts), bias)


def log_likelihood(alpha: FloatArray, counts: FloatArray) -> float:
    """Return the log-likelihood of the responses in their order: no multinomial coefficient."""
    sizes, total = counts.sum(axis=1), alpha.sum()
    of_items = (gammaln(counts + alpha) - gammaln(alpha)).sum() + (gammaln(total) - gammaln(sizes + total)).sum()
    return float(of_items)


def _objective(theta: FloatArray, counts: FloatArray, prior: bool) -> tuple[float, FloatArray]:
    """Return minus the log-likelihood (and log-prior), and its gradient, in θ = ln α."""
    alpha = np.exp(theta)
    sizes, total = counts.sum(axis=1), alpha.sum()
    value = log_likelihood(alpha, counts)
    slope = (digamma(counts + alpha) - digamma(alpha)).sum(axis=0) + (digamma(total) - digamma(sizes + total)).sum()
    gradient = alpha * slope
    if prior:
        mean, sd = PRIOR_LOG_SUM
        apart = (np.log(total) - mean) / sd
        value -= 0.5 * apart**2
        gradient = gradient - apart / sd * alpha / total
    return -value, -gradient


def _log_errors(theta: FloatArray, counts: FloatArray, prior: bool) -> FloatArray:
    """Return the standard errors of ln α, from the curvature at the maximum; NaN where it is flat."""
    alpha = np.exp(theta)
    sizes, total = counts.sum(axis=1), alpha.sum()
    diagonal = (polygamma(1, alpha) - polygamma(1, counts + alpha)).sum(axis=0)
    shared = (polygamma(1, sizes + total) - polygamma(1, total)).sum()
    slope = (digamma(counts + alpha) - digamma(alpha)).sum(axis=0) + (digamma(total) - digamma(sizes + total)).sum()
    information = np.outer(alpha, alpha) * (np.diag(diagonal) + shared) - np.diag(alpha * slope)
    if prior:
        mean, sd = PRIOR_LOG_SUM
        share = alpha / total
        apart = (np.log(total) - mean) / sd**2
        information = information + np.outer(share, share) / sd**2 + apart * (np.diag(share) - np.outer(share, share))
    try:
        variances = np.diag(np.linalg.inv(information))
    except np.linalg.LinAlgError:
        return np.full(alpha.size, np.nan)
    with np.errstate(invalid="ignore"):
        return np.where(variances > 0, np.sqrt(variances), np.nan)


def _moment_sum(counts: FloatArray) -> float:
    """Guess Σα from how much more items differ than single responses would make them."""
    sizes = counts.sum(axis=1)
    shares = counts.sum(axis=0) / counts.sum()
    spread = np.square(counts / sizes[:, np.newaxis] - shares).sum(axis=1).mean()
    most = 1 - np.square(shares).sum()
    inverse = float(np.mean(1 / sizes))
    # E spread = most (1 + Σα / K) / (1 + Σα), about
    ratio = spread / most if most > 0 else 1.0
    return float(np.clip((1 - ratio) / max(ratio - inverse, 1e-3), 0.1, 1000))


def fit_labels(name: str, responses: Responses, scale: Scale, *, method: str, generator: np.random.Generator) -> Fit:
    """Return the fitted model; its labels are those of the scale."""
    table = counts(responses, scale)
    found = fit_dirichlet(table, method=method)
    alpha = tuple(found.alpha.tolist())
    model = CategoricalModel(alpha, scale.labels if list(scale.labels) == sorted(scale.labels) else ())
    parameters = tuple(
        Parameter(f"α({label})", estimate, error)
        for label, estimate, error in zip(scale.labels, alpha, found.standard_errors.tolist(), strict=True)
    )
    commonest = int(np.argmax(table.sum(axis=0)))
    codes = Responses(scale.codes(responses.values).astype(np.float64), responses.offsets)
    checked = checked_items(len(table), generator)
    half = table[generator.permutation(checked)[: max(2, checked.size // 2)]]
    of_half = CategoricalModel(tuple(fit_dirichlet(half, method=method).alpha.tolist()), model.labels)
    goodness = compare_with_data(
        model,
        codes.take(checked),
        agreement(len(alpha), commonest),
        (f"shares of {scale.labels[commonest]!r}", "disagreement within items"),
        generator,
        of_half=of_half,
    )
    notes: tuple[str, ...] = ()
    if sum(alpha) > 300:
        notes = ("Items hardly differ more than single responses do: Σα is large and poorly determined.",)
    size, mean_size = responses.n_items, float(responses.sizes.mean())
    value = found.log_likelihood
    aic, bic = criteria(value, len(alpha), size)
    return Fit(
        model=model,
        source=name,
        n_items=size,
        n_responses=mean_size,
        method=method,
        parameters=parameters,
        log_likelihood=value,
        aic=aic,
        bic=bic,
        goodness=goodness,
        responses=pool(model, codes.take(checked), generator, tuple(map(str, scale.labels))),
        mean_absolute_bias=found.mean_absolute_bias,
        notes=notes,
    )
