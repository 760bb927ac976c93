"""Which p-value can you trust? Every estimator measured on data like yours.

request (what is asked, as one record, and its grid points) · running (`audit`) · grid_point (many data sets of one
design) · estimators (what data sets can be given) · result (rows of rates and errors) · advice (what to use) · document
(its words) · leader_layout (the paper's tables and findings)
"""

from howsure.auditing.grid_point import measure
from howsure.auditing.leader_layout import LeaderAudit
from howsure.auditing.request import AuditRequest, grid_of
from howsure.auditing.result import Audit, IntervalRow, SmallestRow, TestRow
from howsure.auditing.running import about_raters, audit, compute, conclude

__all__ = [
    "Audit",
    "AuditRequest",
    "IntervalRow",
    "LeaderAudit",
    "SmallestRow",
    "TestRow",
    "about_raters",
    "audit",
    "compute",
    "conclude",
    "grid_of",
    "measure",
]
