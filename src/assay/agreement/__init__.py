"""How far raters agree, and what a table of ratings can tell: `measure_agreement` and `describe`."""

from assay.agreement.description import SourceDescription, TableDescription, describe
from assay.agreement.report import Agreement, Coefficient, measure_agreement

__all__ = ["Agreement", "Coefficient", "SourceDescription", "TableDescription", "describe", "measure_agreement"]
