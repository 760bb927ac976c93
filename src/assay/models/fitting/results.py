"""What a fit gives: the model, its parameters with standard errors, the alternatives, and how well it fits."""

import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.models.base import ResponseModel
from assay.models.files import save
from assay.scales import FloatArray

if TYPE_CHECKING:
    import polars as pl


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


@dataclass(frozen=True, slots=True, eq=False)
class Feature:
    """Simulated beside real: one feature of the items.

    Attributes
    ----------
    name : str
        What is compared: item means, item standard deviations, shares of a label, disagreement.
    real, simulated : array of float
        Sorted, for drawing one cumulative distribution over the other.
    distance : float
        Largest distance between the two cumulative distributions (Kolmogorov–Smirnov).
    pvalue : float
        How often data simulated from the fitted model are at least as far away; small means that the model misfits.
    """

    name: str
    real: FloatArray
    simulated: FloatArray
    distance: float
    pvalue: float

    def to_dict(self) -> dict[str, Any]:
        """Return name, distance, p and a few quantiles of both distributions."""
        at = (0.05, 0.25, 0.5, 0.75, 0.95)
        sides = {side: np.quantile(getattr(self, side), at).tolist() for side in ("real", "simulated")}
        return {"name": self.name, "distance": self.distance, "pvalue": self.pvalue, "quantiles": at, **sides}


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A response model fitted to one source of a table.

    Attributes
    ----------
    model : ResponseModel
    source : str
    n_items : int
    n_responses : float
        Mean number of responses per item.
    method : str
        "map" or "ml" for labels, "ml" for numbers, "resampling" for real items.
    parameters : tuple of Parameter
    log_likelihood, aic, bic : float
    candidates : tuple of Candidate
        What else was tried, best first.
    goodness : tuple of Feature
        Simulated beside real.
    mean_absolute_bias : float
        For labels: mean |share in the data − α / Σα| (FOREST).
    notes : tuple of str
    """

    model: ResponseModel
    source: str
    n_items: int
    n_responses: float
    method: str
    parameters: tuple[Parameter, ...]
    log_likelihood: float
    aic: float
    bic: float
    candidates: tuple[Candidate, ...] = ()
    goodness: tuple[Feature, ...] = ()
    mean_absolute_bias: float = math.nan
    notes: tuple[str, ...] = ()

    def save(self, path: str | Path) -> None:
        """Write the model file that `simulate`, `plan` and `audit` accept."""
        save(self.model, path, fit=self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Return everything that JSON can hold."""
        return {
            "model": self.model.to_dict(),
            "source": self.source,
            "n_items": self.n_items,
            "n_responses": self.n_responses,
            "method": self.method,
            "parameters": [asdict(parameter) for parameter in self.parameters],
            "log_likelihood": self.log_likelihood,
            "aic": self.aic,
            "bic": self.bic,
            "mean_absolute_bias": self.mean_absolute_bias,
            "candidates": [asdict(candidate) for candidate in self.candidates],
            "goodness": [comparison.to_dict() for comparison in self.goodness],
            "notes": list(self.notes),
        }

    def to_frame(self) -> "pl.DataFrame":
        """Return the parameters as a dataframe."""
        import polars as pl

        return pl.DataFrame([asdict(parameter) for parameter in self.parameters])

    def __str__(self) -> str:
        numbers = ", ".join(f"{p.name} {p.estimate:.4g}{_error(p.standard_error)}" for p in self.parameters)
        lines = [
            f"{self.source}: {self.n_items:,} items, {self.n_responses:.3g} responses each; {self.model}.",
            f"Parameters ({self.method}): {numbers}." if numbers else "Nothing is estimated: real items are resampled.",
        ]
        if self.goodness:
            parts = [f"{one.name} {one.distance:.3f} (p = {one.pvalue:.2g})" for one in self.goodness]
            lines.append(f"Largest distance of simulated from real: {', '.join(parts)}.")
        return "\n".join([*lines, *self.notes])


def _error(standard_error: float) -> str:
    return "" if math.isnan(standard_error) else f" ± {standard_error:.2g}"


def criteria(log_likelihood: float, n_parameters: int, n_items: int) -> tuple[float, float]:
    """Return AIC and BIC; items are the independent units."""
    return 2 * n_parameters - 2 * log_likelihood, n_parameters * math.log(n_items) - 2 * log_likelihood
