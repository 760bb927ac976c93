"""Arrays in, numbers out: p-values, exact sign flips, proportions, corrections and effect sizes."""

from howsure.inference.corrections import adjust
from howsure.inference.effect_sizes import cliffs_delta, cohen_dz, hedges_factor, hedges_g, win_rate
from howsure.inference.estimate import ConfidenceInterval, Estimate
from howsure.inference.proportions import BinomialRegion, binomial_region, clopper_pearson, wilson
from howsure.inference.pvalues import ALTERNATIVES, PValue, expected_pvalue, tail_pvalue
from howsure.inference.sign_flips import SMALLEST, SignFlips, sign_flips, sign_flips_of_rows

__all__ = [
    "ALTERNATIVES",
    "SMALLEST",
    "BinomialRegion",
    "ConfidenceInterval",
    "Estimate",
    "PValue",
    "SignFlips",
    "adjust",
    "binomial_region",
    "cliffs_delta",
    "clopper_pearson",
    "cohen_dz",
    "expected_pvalue",
    "hedges_factor",
    "hedges_g",
    "sign_flips",
    "sign_flips_of_rows",
    "tail_pvalue",
    "wilson",
    "win_rate",
]
