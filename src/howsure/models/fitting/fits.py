"""What a fit gives: the model, its parameters with standard errors, the alternatives, and how well it fits."""

import math
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from howsure._frames import in_any_form
from howsure.documents import Document
from howsure.models.base import ResponseModel
from howsure.models.model_files import save
from howsure.provenance import Provenance
from howsure.records import Record
from howsure.scales import FloatArray

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

    def save(self, path: str | Path) -> None:
        """Write the model file that `simulate`, `plan` and `audit` accept."""
        save(self.model, path, fit=self.to_dict())

    @in_any_form
    def to_frame(self) -> "pl.DataFrame":
        """Return the parameters as a dataframe."""
        import polars as pl

        return pl.DataFrame([asdict(parameter) for parameter in self.parameters])

    def document(self) -> Document:
        """Return the model, how well it fits, its parameters, and what else was tried."""
        from howsure.models.fitting import document

        return document.document(self)


def criteria(log_likelihood: float, n_parameters: int, n_items: int) -> tuple[float, float]:
    """Return AIC and BIC; items are the independent units."""
    return 2 * n_parameters - 2 * log_likelihood, n_parameters * math.log(n_items) - 2 * log_likelihood
