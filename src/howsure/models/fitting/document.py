"""A fitted model as a document: how well it fits, its parameters, and what else was tried."""

import math
from typing import TYPE_CHECKING, Any

from howsure.documents import Block, Column, Document, Measured, Sentence, Table
from howsure.documents.numbers import as_error, number, pvalue
from howsure.models.fitting.fits import QUANTILES

if TYPE_CHECKING:
    from howsure.models.fitting.fits import Fit

ALPHA = 0.05


def document(fit: "Fit") -> Document:
    """Return what is said about a fitted model."""
    who = f"{fit.source}: {fit.n_items:,} items, {fit.n_responses:.3g} responses each; {fit.described}."
    blocks: list[Block] = [Sentence(who), Sentence(verdict(fit), "verdict")]
    if fit.parameters:
        rows = tuple(
            (one.name, Measured(one.estimate, one.standard_error), as_error(one.standard_error))
            for one in fit.parameters
        )
        columns = (Column("parameter"), Column("estimate", "number"), Column("standard error", "number"))
        blocks.append(Table(columns, rows, f"Parameters ({fit.method})"))
    if not math.isnan(fit.mean_absolute_bias):
        blocks.append(Sentence(f"Mean absolute bias of the shares {fit.mean_absolute_bias:.4f}."))
    if fit.goodness:
        blocks.append(_goodness(fit))
    if fit.candidates:
        blocks.append(_candidates(fit))
    return Document(f"A response model of {fit.source}", tuple(blocks), fit.notes, fit.signature)


def verdict(fit: "Fit") -> str:
    """Return whether simulated data look like the real ones; two features share the level of 5%."""
    if not fit.goodness:
        return "Nothing is estimated: real items are resampled."
    told = [f"{one.name} (p = {pvalue(one.pvalue)})" for one in fit.goodness]
    bad = [words for one, words in zip(fit.goodness, told, strict=True) if one.pvalue <= ALPHA / len(fit.goodness)]
    if bad:
        return f"The model does not reproduce {' and '.join(bad)}: be careful with what it simulates."
    return f"Nothing in {' and '.join(told)} contradicts the model."


def _goodness(fit: "Fit") -> Table:
    columns = (
        Column("feature of the items"),
        Column("side"),
        *(Column(f"{100 * at:g}%", "number") for at in QUANTILES),
        Column("largest distance", "number"),
    )
    rows: list[tuple[Any, ...]] = []
    for one in fit.goodness:
        rows += [
            (one.name, "real", *map(_three, one.real_quantiles), None),
            ("", "simulated", *map(_three, one.simulated_quantiles), _three(one.distance)),
        ]
    return Table(columns, tuple(rows), "Simulated beside real, quantile by quantile")


def _candidates(fit: "Fit") -> Table:
    columns = (
        Column("item means"),
        Column("item standard deviations"),
        Column("log-likelihood"),
        Column("AIC"),
        Column("BIC"),
        Column("held out, per response", "number"),
    )
    rows = tuple(
        (
            one.mean,
            one.sd,
            *(f"{value:,.1f}" for value in (one.log_likelihood, one.aic, one.bic)),
            None if math.isnan(one.held_out) else number(one.held_out),
        )
        for one in fit.candidates
    )
    return Table(columns, rows, "Families that were tried, best first")


def _three(value: float) -> float:
    return round(value, 3)
