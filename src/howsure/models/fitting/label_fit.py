"""Fit labels: a Dirichlet distribution of the items' shares."""

import numpy as np

from howsure.models.categorical import CategoricalModel
from howsure.models.fitting.dirichlet import fit_dirichlet
from howsure.models.fitting.fits import Fit, Parameter, criteria
from howsure.models.fitting.goodness import agreement, checked_items, compare_with_data
from howsure.responses import Responses
from howsure.scales import Scale
from howsure.summaries import counts


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
        mean_absolute_bias=found.mean_absolute_bias,
        notes=notes,
    )
