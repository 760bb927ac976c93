"""The published tables and figures, and the runs that reproduce them: RATERS, LEADER, FOREST and RATINGS."""

from howsure.replications.figures import PaperFigure, Point
from howsure.replications.papers import PAPERS, conclude, measure, plan, replicate
from howsure.replications.published import PublishedNumber, Replication
from howsure.replications.searches import Found, Search

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
