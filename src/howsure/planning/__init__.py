"""How many items, how many responses, how many raters: what designs may expect, and which to take.

request (what is asked) · planner (`plan`, and plans from a response model) · pilots, gold_pilots, rater_pilots,
rater_shapes (plans from pilot data) · suppositions (what it takes if the true difference is another one) · designs (and
their costs) · groups (designs computed together, here or in a study) · engines/ (what a design may expect: exact,
simulated, pilot, raters) · choices (targets, limits, search, recommendation) · follow_ups · result,
document (the plan and its words)
"""

from howsure.planning.designs import Costs, Design
from howsure.planning.engines.decisions import TESTS
from howsure.planning.planner import plan
from howsure.planning.request import ENGINES, LAYOUTS, Effect, PlanRequest
from howsure.planning.result import Answer, Cell, FollowUp, Pilot, Plan

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
    "PlanRequest",
    "plan",
]
