"""The published tables, and the runs that reproduce them: RATERS, LEADER, FOREST and RATINGS."""

from assay.replications.papers import PAPERS, replicate, work
from assay.replications.results import Replication, Row

__all__ = ["PAPERS", "Replication", "Row", "replicate", "work"]
