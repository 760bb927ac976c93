"""Which p-value can you trust? Every estimator measured on data like yours.

procedure (`audit`) · asked (its settings, checked) · estimators (what one data set can be given) · cell (many data sets
of one design) · audits (the result) · advice (what to use) · tables (the document) · leader (the paper's findings)
"""

from howsure.auditing.auditing import about_raters, audit, compute, conclude, plan
from howsure.auditing.audits import Audit, IntervalRow, SmallestRow, TestRow
from howsure.auditing.cell import measure, true_values
from howsure.auditing.leader_findings import LeaderAudit

__all__ = [
    "Audit",
    "IntervalRow",
    "LeaderAudit",
    "SmallestRow",
    "TestRow",
    "about_raters",
    "audit",
    "compute",
    "conclude",
    "measure",
    "plan",
    "true_values",
]
