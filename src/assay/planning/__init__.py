"""How many items, how many responses: what designs may expect, and which to take.

designs (and costs) · scores, pools, sums, exact (the exact engine) · montecarlo · pvalues, power · effects (a named
difference to ε) · detectable · answering, pilot, planner · results, words · raters, rater_designs, rater_study,
rater_noise, rater_search, rater_words (designs with raters, by variance components)
"""

from assay.planning.answering import Answerer, ask
from assay.planning.designs import Costs, Design
from assay.planning.effects import Effect
from assay.planning.engines.simulated_power import TESTS
from assay.planning.pilot import plan_from_pilot
from assay.planning.planner import plan
from assay.planning.rater_designs import RaterCell, RaterCosts, RaterDesign
from assay.planning.raters import plan_raters
from assay.planning.results import Cell, Plan

__all__ = [
    "TESTS",
    "Answerer",
    "Cell",
    "Costs",
    "Design",
    "Effect",
    "Plan",
    "RaterCell",
    "RaterCosts",
    "RaterDesign",
    "ask",
    "plan",
    "plan_from_pilot",
    "plan_raters",
]
