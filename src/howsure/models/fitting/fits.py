"""What a fit gives: the model, its parameters with standard errors, the alternatives, and how well it fits.

Its document shows goodness of fit and parameters, and as details the families that were tried.
"""

import math
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from howsure._frames import in_any_form
from howsure.data.scales import FloatArray
from howsure.documents import Block, Column, Document, Measured, Sentence, Table, details
from howsure.documents.numbers import as_error, in_words, minus, number, pvalue
from howsure.models.base import ResponseModel
from howsure.models.model_files import save
from howsure.provenance import Provenance
from howsure.records import Record

if TYPE_CHECKING:
    import polars as pl

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
"""Where real and simulated distributions are compared in numbers."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """An estimate and its standard error; NaN where the data leave it undetermined."""

    name: str
    estimate: float
    standard_error: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """One pair of families that was tried.

    Attributes
    ----------
    mean, sd : str
        The families of the items' means and standard deviations.
    log_likelihood, aic, bic : float
    n_parameters : int
    held_out : float
        Log-likelihood per response on a fifth of the items, fitted to the others; NaN if it was not among the best.
    """

    mean: str
    sd: str
    log_likelihood: float
    n_parameters: int
    aic: float
    bic: float
    held_out: float = math.nan


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Feature:
    """Simulated beside real: one feature of the items.

    Attributes
    ----------
    name : str
        What is compared: item means, item standard deviations, shares of a label, disagreement.
    distance : float
        Largest distance between the two cumulative distributions (Kolmogorov–Smirnov).
    pvalue : float
        How often data simulated from the fitted model are at least as far away; small means that the model misfits.
    real_quantiles, simulated_quantiles : tuple of float
        Of both distributions, at `QUANTILES`.
    real, simulated : array of float
        Sorted, for drawing one cumulative distribution over the other; not written.
    """

    name: str
    distance: float
    pvalue: float
    real_quantiles: tuple[float, ...]
    simulated_quantiles: tuple[float, ...]
    real: FloatArray = field(default_factory=lambda: np.empty(0), repr=False)
    simulated: FloatArray = field(default_factory=lambda: np.empty(0), repr=False)

    @classmethod
    def of(cls, name: str, real: FloatArray, simulated: FloatArray, *, distance: float, pvalue: float) -> "Feature":
        """Return the feature with the quantiles of both sides."""
        ours, theirs = (tuple(np.quantile(side, QUANTILES).tolist()) for side in (real, simulated))
        return cls(
            name=name,
            distance=distance,
            pvalue=pvalue,
            real_quantiles=ours,
            simulated_quantiles=theirs,
            real=real,
            simulated=simulated,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Pooled:
    """All responses of all items together, sorted: the data's, and those of data sets like it from the model.

    Labels are their positions on the scale, and `labels` names them; it is empty for numbers.
    """

    name: ClassVar[str] = "all responses"

    real: FloatArray
    simulated: FloatArray
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Fit(Record):
    """A response model fitted to one source of a table.

    Attributes
    ----------
    model : ResponseModel
    source : str
    n_items : int
        Items that the source answered. Of very many a random part is fitted, and `notes` say how many.
    n_responses : float
        Mean number of responses per item.
    method : str
        "map" or "ml" for labels, "ml" for numbers, "resampling" for real items.
    parameters : tuple of Parameter
    log_likelihood, aic, bic : float
        Of the items that were fitted.
    candidates : tuple of Candidate
        What else was tried, best first.
    goodness : tuple of Feature
        Simulated beside real.
    responses : Pooled or None
        All responses, for drawing; not written.
    mean_absolute_bias : float
        For labels: mean |share in the data − α / Σα| (FOREST).
    notes : tuple of str
    provenance : Provenance or None
        What was asked of which data; None for a fit that is a part of something else.
    """

    derived: ClassVar[tuple[str, ...]] = ("signature",)

    model: ResponseModel
    source: str
    n_items: int
    n_responses: float
    method: str
    parameters: tuple[Parameter, ...] = ()
    log_likelihood: float = math.nan
    aic: float = math.nan
    bic: float = math.nan
    candidates: tuple[Candidate, ...] = ()
    goodness: tuple[Feature, ...] = ()
    responses: Pooled | None = field(default=None, repr=False)
    mean_absolute_bias: float = math.nan
    notes: tuple[str, ...] = ()
    provenance: Provenance | None = None

    @property
    def described(self) -> str:
        """The model in words, its parameters with the digits that are known."""
        return self.model.described(self.errors)

    @property
    def errors(self) -> dict[str, float]:
        """The standard error of each parameter by its name."""
        return {one.name: one.standard_error for one in self.parameters}

    @property
    def signature(self) -> str:
        """Where the result comes from, in one line."""
        return "" if self.provenance is None else self.provenance.signature

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the model file that `simulate`, `plan` and `audit` accept."""
        save(self.model, path, fit=self.to_dict(), force=force)

    @in_any_form
    def to_frame(self) -> "pl.DataFrame":
        """Return the parameters as a dataframe."""
        import polars as pl

        return pl.DataFrame([asdict(parameter) for parameter in self.parameters])

    def document(self) -> Document:
        """Return the model, how well it fits, its parameters, and what else was tried."""
        return _document(self)


def criteria(log_likelihood: float, n_parameters: int, n_items: int) -> tuple[float, float]:
    """Return AIC and BIC; items are the independent units."""
    return 2 * n_parameters - 2 * log_likelihood, n_parameters * math.log(n_items) - 2 * log_likelihood


ALPHA = 0.05
SMALL = 0.05
"""A distance that fewer than 740 items cannot show: the quantile of Kolmogorov and Smirnov at 5% is 1.358 / √n."""
METHODS = {"ml": "maximum likelihood", "map": "maximum a posteriori"}


def _document(fit: Fit) -> Document:
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


def verdict(fit: Fit) -> str:
    """Return whether simulated data look like the real ones; two features share the significance level of 5%."""
    if not fit.goodness:
        return "No parameters are estimated: real items are resampled."
    words = {one.name: f"{one.name} p {in_words(pvalue(one.pvalue))}" for one in fit.goodness}
    poor = [one for one in fit.goodness if one.pvalue <= ALPHA / len(fit.goodness)]
    which = ", ".join(words[one.name] for one in poor)
    if poor and max(one.distance for one in poor) < SMALL:
        largest = max(one.distance for one in poor)
        return (
            f"Small misfit: so many items show that the model is not exact ({which}), but no share of items below a "
            f"value differs by more than {100 * largest:.2g} points."
        )
    if poor:
        return f"Poor fit: the model does not reproduce the data ({which}). Use its simulations with caution."
    return f"Goodness of fit: no evidence against the model ({', '.join(words.values())})."


def _goodness(fit: Fit) -> Table:
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


def _candidates(fit: Fit) -> Table:
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
