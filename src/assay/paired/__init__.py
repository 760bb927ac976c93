"""Two lists of scores: describe, choose a test, test, measure the effect, plan the next study."""

from assay.paired.catalogue import TESTS
from assay.paired.curves import PowerCurve, power_curve
from assay.paired.description import Description, describe
from assay.paired.effects import EFFECTS, EffectSize, effect_sizes
from assay.paired.equivalence import Equivalence, equivalence_test
from assay.paired.files import read_scores, read_table, write_scores
from assay.paired.flips import Flips, count_flips
from assay.paired.glossary import GLOSSARY, Glossary, glossary
from assay.paired.power import PowerPlan, plan_power, proportions_power, sign_power, t_power
from assay.paired.recommendation import Recommendation, recommend
from assay.paired.scores import PairedScores, ScoreTable
from assay.paired.significance import SignificanceTest, significance_test
from assay.paired.systems import Friedman, SystemsComparison, compare_systems, friedman
from assay.paired.units import UnitSizes, to_units, unit_sizes
from assay.paired.workflow import Effects, Finding, Overview, PairedAnalysis, analyse, find, overview

__all__ = [
    "EFFECTS",
    "GLOSSARY",
    "TESTS",
    "Description",
    "EffectSize",
    "Effects",
    "Equivalence",
    "Finding",
    "Flips",
    "Friedman",
    "Glossary",
    "Overview",
    "PairedAnalysis",
    "PairedScores",
    "PowerCurve",
    "PowerPlan",
    "Recommendation",
    "ScoreTable",
    "SignificanceTest",
    "SystemsComparison",
    "UnitSizes",
    "analyse",
    "compare_systems",
    "count_flips",
    "describe",
    "effect_sizes",
    "equivalence_test",
    "find",
    "friedman",
    "glossary",
    "overview",
    "plan_power",
    "power_curve",
    "proportions_power",
    "read_scores",
    "read_table",
    "recommend",
    "sign_power",
    "significance_test",
    "t_power",
    "to_units",
    "unit_sizes",
    "write_scores",
]
