"""The published tables, and the runs that reproduce them: RATERS, LEADER, FOREST and RATINGS."""

from assay.replications.papers import PAPERS, conclude, measure, plan, replicate
from assay.replications.published import Replication, Row

__all__ = ["PAPERS", "Replication", "Row", "conclude", "measure", "plan", "replicate"]
