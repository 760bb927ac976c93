"""A fitted model as a document: goodness of fit, parameters, and as details the families that were tried."""

import math
from typing import TYPE_CHECKING, Any

from howsure.documents import Block, Column, Document, Measured, Sentence, Table, details
from howsure.documents.numbers import as_error, in_words, minus, number, pvalue
from howsure.models.fitting.fits import QUANTILES

if TYPE_CHECKING:
    from howsure.models.fitting.fits import Fit

ALPHA = 0.05
METHODS = {"ml": "maximum likelihood", "map": "maximum a posteriori"}


def document(fit: "Fit") -> Document:
    """Return the goodness of fit and the parameters of a model."""
    who = f"{fit.source}: {fit.n_items:,} items, {fit.n_responses:.3g} responses each; {fit.described}."
    blocks: list[Block] = [Sentence(verdict(fit), "verdict"), Sentence(who)]
    if fit.parameters:
        rows = tuple(
            (one.name, Measured(one.estimate, one.standard_error), as_error(one.standard_error))
            for one in fit.parameters
        )
        columns = (Column("parameter"), Column("estimate", "number"), Column("standard error", "number"))
        blocks.append(Table(columns, rows, f"Parameters ({METHODS.get(fit.method, fit.method)})"))
    if not math.isnan(fit.mean_absolute_bias):
        blocks += details([Sentence(f"Mean absolute bias of the shares: {fit.mean_absolute_bias:.4f}.")])
    if fit.goodness:
        blocks += details([_goodness(fit)])
    if fit.candidates:
        blocks += details([_candidates(fit)])
    return Document(f"A response model of {fit.source}", tuple(blocks), fit.notes, fit.signature)


def verdict(fit: "Fit") -> str:
    """Return whether simulated data look like the real ones; two features share the significance level of 5%."""
    if not fit.goodness:
        return "No parameters are estimated: real items are resampled."
    told = [f"{one.name} p {in_words(pvalue(one.pvalue))}" for one in fit.goodness]
    bad = [words for one, words in zip(fit.goodness, told, strict=True) if one.pvalue <= ALPHA / len(fit.goodness)]
    if bad:
        return f"Poor fit: the model does not reproduce the data ({', '.join(bad)}). Use its simulations with caution."
    return f"Goodness of fit: no evidence against the model ({', '.join(told)})."


def _goodness(fit: "Fit") -> Table:
    columns = (
        Column("feature of the items"),
        Column("data"),
        *(Column(f"{100 * at:g}%", "number") for at in QUANTILES),
        Column("largest distance", "number"),
    )
    rows: list[tuple[Any, ...]] = []
    for one in fit.goodness:
        rows += [
            (one.name, "real", *map(_three, one.real_quantiles), None),
            ("", "simulated", *map(_three, one.simulated_quantiles), _three(one.distance)),
        ]
    return Table(columns, tuple(rows), "Quantiles of real and simulated items")


def _candidates(fit: "Fit") -> Table:
    columns = (
        Column("item means"),
        Column("item SDs"),
        Column("log-likelihood"),
        Column("AIC"),
        Column("BIC"),
        Column("held out per response", "number"),
    )
    rows = tuple(
        (
            one.mean,
            one.sd,
            *(minus(f"{value:,.1f}") for value in (one.log_likelihood, one.aic, one.bic)),
            None if math.isnan(one.held_out) else number(one.held_out),
        )
        for one in fit.candidates
    )
    return Table(columns, rows, "Families by fit, best first")


def _three(value: float) -> float:
    return round(value, 3)
