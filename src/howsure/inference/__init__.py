"""Arrays in, numbers out: p-values, intervals, proportions, corrections and effect sizes."""

from howsure.inference.bootstrap_t import FEW_TELLING, studentised, studentised_draws, symmetric
from howsure.inference.corrections import adjust
from howsure.inference.direct import are_signs, score, student, telling
from howsure.inference.effect_sizes import cliffs_delta, cohen_dz, hedges_factor, hedges_g, win_rate
from howsure.inference.interval_methods import METHODS, interval
from howsure.inference.intervals import ConfidenceInterval, acceleration, basic, bca, percentile
from howsure.inference.proportions import BinomialRegion, binomial_region, clopper_pearson, wilson
from howsure.inference.pvalues import ALTERNATIVES, PValue, expected_pvalue, tail_pvalue
from howsure.inference.sign_flips import SMALLEST, SignFlips, sign_flips, sign_flips_of_rows

__all__ = [
    "ALTERNATIVES",
    "FEW_TELLING",
    "METHODS",
    "SMALLEST",
    "BinomialRegion",
    "ConfidenceInterval",
    "PValue",
    "SignFlips",
    "acceleration",
    "adjust",
    "are_signs",
    "basic",
    "bca",
    "binomial_region",
    "cliffs_delta",
    "clopper_pearson",
    "cohen_dz",
    "expected_pvalue",
    "hedges_factor",
    "hedges_g",
    "interval",
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
    "wilson",
    "win_rate",
]
