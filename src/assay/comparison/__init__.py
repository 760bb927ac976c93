"""Is A really better than B on these data: from a contest to a verdict."""

from assay.comparison.comparing import compare, compare_each
from assay.comparison.components import ContrastComponents, variance_components
from assay.comparison.procedure import DRAWS, Procedure
from assay.comparison.results import Comparison, Comparisons, EffectSizes

__all__ = [
    "DRAWS",
    "Comparison",
    "Comparisons",
    "ContrastComponents",
    "EffectSizes",
    "Procedure",
    "compare",
    "compare_each",
    "variance_components",
]
