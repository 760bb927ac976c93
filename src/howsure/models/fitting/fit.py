"""`fit`: from pilot data to a response model.

Labels get a Dirichlet distribution of shares. Numbers and ordered levels get a distribution of item means and one of
item standard deviations, fitted together by the likelihood of the observed responses: the spread of item means seen
in the data is partly noise of few responses, and only the likelihood of the responses themselves tells the two apart.
"""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from howsure import _check, _matrices
from howsure._random import Rng, entropy_of, generator, replayable
from howsure.data.response_tables import ResponseTable
from howsure.data.responses import Responses
from howsure.data.scales import Scale
from howsure.errors import ArgumentError, DataError, HowsureWarning
from howsure.models.empirical import EmpiricalModel
from howsure.models.fitting.fits import Fit
from howsure.models.fitting.labels import fit_labels
from howsure.models.fitting.number_fit import MEANS, SPREADS, continuous, fit_numbers, ordered_levels
from howsure.provenance import Provenance

LEAST_ITEMS, FEW_ITEMS = 3, 20
MODELS = ("auto", "categorical", "likert", "normal", "empirical")
CRITERIA = ("bic", "aic")
METHODS = ("map", "ml")
OPTIONS = {
    "categorical": ("method",),
    "likert": ("mean", "sd", "criterion"),
    "normal": ("mean", "sd", "criterion", "low", "high"),
    "empirical": (),
}
"""What each kind of model lets one choose."""


@_matrices.on_one_thread
def fit(
    table: ResponseTable | Any,
    *,
    source: str | None = None,
    response_model: str = "auto",
    mean: str | None = None,
    sd: str | None = None,
    criterion: str = "bic",
    method: str = "map",
    low: float | None = None,
    high: float | None = None,
    rng: Rng = 0,
) -> Fit:
    """Fit a response model to the responses of one source.

    Parameters
    ----------
    table : ResponseTable, dataframe (pandas, Polars, Arrow), (items, responses) array or path
    source : str, optional
        Whose responses, usually gold's; may be left out if the table has only one source.
    response_model : {"auto", "categorical", "likert", "normal", "empirical"}
        "auto" goes by the scale: nominal, ordinal, continuous.
    mean, sd : str, optional
        The family of item means and of standard deviations; chosen by `criterion` when left out.
    criterion : {"bic", "aic"}
    method : {"map", "ml"}
        For labels: with a weak prior on Σα, or without.
    low, high : float, optional
        The ends of a continuous scale; the smallest and largest response when left out.
    rng : int, SeedSequence, Generator or None
        For the items that are fitted (of very many), those held out, and the simulated data of the goodness of fit.

    Examples
    --------
    >>> from howsure.models import preset
    >>> pilot = preset("categorical-dices").table(350, 20, rng=1)
    >>> result = fit(pilot, source="gold")
    >>> [parameter.name for parameter in result.parameters]
    ['α(a)', 'α(b)', 'α(c)']
    """
    _check.one_of("response_model", response_model, MODELS)
    _check.one_of("criterion", criterion, CRITERIA)
    _check.one_of("method", method, METHODS)
    for option, family, known in (("mean", mean, MEANS), ("sd", sd, SPREADS)):
        if family is not None:
            _check.one_of(option, family, known)
    from howsure.io.reading import as_table  # Polars, which a model alone does not need

    table = as_table(table)
    name, responses, notes = _responses(table, source)
    kind = kind_of(response_model, table.scale)
    if kind == "empirical":
        return Fit(
            model=EmpiricalModel(responses, table.scale),
            source=name,
            n_items=responses.n_items,
            n_responses=float(responses.sizes.mean()),
            method="resampling",
            notes=notes,
            provenance=Provenance("fit", {"source": name, "model": kind}, None, table.digest),
        )
    notes = (*notes, *_few_items(name, responses), *_few_responses(name, responses))
    seed = replayable(rng)
    stream = generator(seed, "fit")
    if kind == "categorical":
        result = fit_labels(name, responses, table.scale, method=method, generator=stream)
    else:
        problem = ordered_levels(responses, table.scale) if kind == "likert" else continuous(responses, low, high)
        result = fit_numbers(name, responses, problem, mean=mean, sd=sd, criterion=criterion, generator=stream)
    asked = {"mean": mean, "sd": sd, "criterion": criterion, "method": method, "low": low, "high": high}
    settings = {"source": name, "model": kind} | {option: asked[option] for option in OPTIONS[kind]}
    provenance = Provenance("fit", settings, entropy_of(seed), table.digest)
    return replace(result, notes=(*notes, *result.notes), provenance=provenance)


def _responses(table: ResponseTable, source: str | None) -> tuple[str, Responses, tuple[str, ...]]:
    """Return the name and responses of the source, on the items that it answered."""
    if source is None:
        if len(table.sources) > 1:
            raise ArgumentError(f"`source` must name one of the sources: {', '.join(list(table.sources)[:10])}.")
        source = next(iter(table.sources))
    responses = table.single(source)
    answered = responses.sizes > 0
    if not answered.any():
        raise DataError(f"{source} has no responses.")
    if answered.all():
        return source, responses, ()
    note = f"{int((~answered).sum())} of {answered.size} items have no response from {source} and are left out."
    return source, responses.take(np.flatnonzero(answered)), (note,)


def kind_of(model: str, scale: Scale) -> str:
    """Return the kind of model that is fitted to such a scale."""
    if model == "auto":
        return {"nominal": "categorical", "ordinal": "likert", "continuous": "normal"}[scale.kind]
    if model in ("categorical", "likert") and not scale.levels:
        raise ArgumentError(f"model {model!r} needs levels, but the scale is {scale}. Say `scale='ordinal'` if it has.")
    if model in ("likert", "normal") and scale.kind == "nominal":
        raise ArgumentError(
            f"model {model!r} needs numbers, but the scale is {scale}. Use `response_model='categorical'`."
        )
    return model


def _few_items(name: str, responses: Responses) -> tuple[str, ...]:
    """Refuse data that say nothing about how items differ; warn where they say little."""
    n = responses.n_items
    if n < LEAST_ITEMS:
        raise DataError(
            f"a model of how items differ needs at least {LEAST_ITEMS} items; {name} has {n}. Use "
            "`response_model='empirical'`."
        )
    if not np.ptp(responses.values):
        raise DataError(
            f"all responses of {name} are equal, so there is nothing to fit. Use `response_model='empirical'`."
        )
    if n >= FEW_ITEMS:
        return ()
    return (f"{n} items say little about how items differ: parameters are rough, and hardly any model would misfit.",)


def _few_responses(name: str, responses: Responses) -> tuple[str, ...]:
    """Refuse data that say nothing about the spread within items; warn where they say little."""
    if int(responses.sizes.max()) < 2:
        raise DataError(
            f"every item has one response from {name}, so the spread within an item cannot be told from that between "
            "items. Collect at least 2 responses for some items, better 5; or use `response_model='empirical'`."
        )
    typical = float(np.median(responses.sizes))
    if typical >= 3:
        return ()
    note = f"Half of the items have {typical:g} or fewer responses: the spread within items is hardly determined."
    warnings.warn(note, HowsureWarning, stacklevel=3)
    return (note,)
