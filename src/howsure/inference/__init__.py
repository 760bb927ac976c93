"""Arrays in, numbers out: p-values, intervals, proportions, corrections and effect sizes."""

from howsure.inference.bootstrap_t import FEW_TELLING, studentised, studentised_draws, symmetric
from howsure.inference.combined_errors import CombinedError
from howsure.inference.corrections import adjust
from howsure.inference.direct import are_signs, score, student, telling
from howsure.inference.effect_sizes import cliffs_delta, cohen_dz, hedges_factor, hedges_g, win_rate
from howsure.inference.interval_methods import METHODS, interval
from howsure.inference.intervals import ConfidenceInterval, acceleration, basic, bca, percentile
from howsure.inference.proportions import BinomialRegion, binomial_region, clopper_pearson, wilson
from howsure.inference.pvalues import ALTERNATIVES, PValue, expected_pvalue, tail_pvalue
from howsure.inference.sign_flips import SMALLEST, SignFlips, sign_flips, sign_flips_of_rows
from howsure.inference.variance_components import OneWay, TwoWay, effective_df, one_way, two_way

__all__ = [
    "ALTERNATIVES",
    "FEW_TELLING",
    "METHODS",
    "SMALLEST",
    "BinomialRegion",
    "CombinedError",
    "ConfidenceInterval",
    "OneWay",
    "PValue",
    "SignFlips",
    "TwoWay",
    "acceleration",
    "adjust",
    "are_signs",
    "basic",
    "bca",
    "binomial_region",
    "cliffs_delta",
    "clopper_pearson",
    "cohen_dz",
    "effective_df",
    "expected_pvalue",
    "hedges_factor",
    "hedges_g",
    "interval",
    "one_way",
    "percentile",
    "score",
    "sign_flips",
    "sign_flips_of_rows",
    "student",
    "studentised",
    "studentised_draws",
    "symmetric",
    "tail_pvalue",
    "telling",
    "two_way",
    "wilson",
    "win_rate",
]
