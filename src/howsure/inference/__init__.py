"""Arrays in, numbers out: p-values, exact sign flips, proportions, corrections and effect sizes."""

from howsure.inference.combined_errors import CombinedError
from howsure.inference.confidence import ConfidenceInterval
from howsure.inference.corrections import adjust
from howsure.inference.effect_sizes import cliffs_delta, cohen_dz, hedges_factor, hedges_g, win_rate
from howsure.inference.proportions import BinomialRegion, binomial_region, clopper_pearson, wilson
from howsure.inference.pvalues import ALTERNATIVES, PValue, expected_pvalue, tail_pvalue
from howsure.inference.sign_flips import SMALLEST, SignFlips, sign_flips, sign_flips_of_rows
from howsure.inference.variance_components import OneWay, TwoWay, effective_df, one_way, two_way

__all__ = [
    "ALTERNATIVES",
    "SMALLEST",
    "BinomialRegion",
    "CombinedError",
    "ConfidenceInterval",
    "OneWay",
    "PValue",
    "SignFlips",
    "TwoWay",
    "adjust",
    "binomial_region",
    "cliffs_delta",
    "clopper_pearson",
    "cohen_dz",
    "effective_df",
    "expected_pvalue",
    "hedges_factor",
    "hedges_g",
    "one_way",
    "sign_flips",
    "sign_flips_of_rows",
    "tail_pvalue",
    "two_way",
    "wilson",
    "win_rate",
]
