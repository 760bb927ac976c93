"""From pilot data to a response model: dirichlet (labels) · quadrature, search (numbers) · goodness · fit."""

from howsure.models.fitting.fit import fit
from howsure.models.fitting.fits import Candidate, Feature, Fit, Parameter

__all__ = ["Candidate", "Feature", "Fit", "Parameter", "fit"]
