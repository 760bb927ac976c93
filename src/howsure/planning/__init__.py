"""How many items, how many responses, how many raters: what designs may expect, and which to take.

planner (`plan`) · pilots, rater_pilots (a plan from pilot data) · designs (and costs) · differences (a named difference
to ε) · targets · choices (which design to take) · premises, groups (what is computed together) · rater_shapes ·
follow_ups · drafts (what engines found) · plans (the result) · sentences, document (what it says) · at_once (what
sliders ask) · engines/ (model, pilot, raters)
"""

from howsure.planning.designs import Costs, Design
from howsure.planning.differences import Effect
from howsure.planning.engines.simulated_pvalues import TESTS
from howsure.planning.planner import plan
from howsure.planning.plans import LAYOUTS, Answer, Cell, FollowUp, Pilot, Plan
from howsure.planning.premises import ENGINES

__all__ = [
    "ENGINES",
    "LAYOUTS",
    "TESTS",
    "Answer",
    "Cell",
    "Costs",
    "Design",
    "Effect",
    "FollowUp",
    "Pilot",
    "Plan",
    "plan",
]
