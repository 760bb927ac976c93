"""The published tables and figures, and the runs that reproduce them: RATERS, LEADER, FOREST and RATINGS."""

from assay.replications.figures import PaperFigure, Point
from assay.replications.papers import PAPERS, conclude, measure, plan, replicate
from assay.replications.published import PublishedNumber, Replication
from assay.replications.searches import Found, Search

__all__ = [
    "PAPERS",
    "Found",
    "PaperFigure",
    "Point",
    "PublishedNumber",
    "Replication",
    "Search",
    "conclude",
    "measure",
    "plan",
    "replicate",
]
