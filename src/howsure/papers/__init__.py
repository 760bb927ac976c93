"""The published tables and figures, and the runs that reproduce them: RATERS, LEADER, FOREST and RATINGS."""

from howsure.papers.figures import PaperFigure, Point
from howsure.papers.published import PublishedNumber, Replication
from howsure.papers.replicating import PAPERS, conclude, measure, plan, replicate
from howsure.papers.searches import Found, Search

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
