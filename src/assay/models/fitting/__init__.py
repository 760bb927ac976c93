"""From pilot data to a response model: dirichlet (labels) · quadrature, search (numbers) · goodness · fit."""

from assay.models.fitting.fit import fit
from assay.models.fitting.fits import Candidate, Feature, Fit, Parameter

__all__ = ["Candidate", "Feature", "Fit", "Parameter", "fit"]
