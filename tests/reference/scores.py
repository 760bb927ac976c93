"""Known answers for `howsure.paired`, each with its source (ORACLES.md); not those of `howsure.inference`."""

from tests.reference.inference import DEPRESSION_FIRST, DEPRESSION_SECOND, DEPRESSION_SIGN_FLIP_PVALUE

DEPRESSION = {
    "a": DEPRESSION_FIRST,
    "b": DEPRESSION_SECOND,
    "wilcoxon": {"statistic": 40, "greater": 0.01953125, "two-sided": 0.0390625},
    "hodges_lehmann": 0.46,
    "hodges_lehmann_interval": (0.010, 0.786),
    "sign": 0.1796875,
    "t": {"statistic": 3.03538, "two-sided": 0.0161766},
    "permutation": DEPRESSION_SIGN_FLIP_PVALUE,
}
"""Hollander and Wolfe (1973), the example of R's wilcox.test; the rest recomputed with SciPy 1.17."""

SLEEP = {
    "a": [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0],
    "b": [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4],
    "statistic": -4.0621,
    "pvalue": 0.00283289,
    "interval": (-2.459886, -0.700114),
    "cohen_d": -1.284558,
}
"""Student (1908); R, t.test(extra ~ group, data = sleep, paired = TRUE)."""

APPROVAL = {
    "both": 794,
    "only_a": 150,
    "only_b": 86,
    "neither": 570,
    "statistic": 17.3559,
    "statistic_corrected": 16.8178,
    "pvalue": 3.71594e-5,
}
"""Agresti's approval ratings: R's mcnemar.test example; exact p recomputed with SciPy 1.17."""

DEMSAR = {
    "mean_ranks": [3.143, 2.000, 2.893, 1.964],
    "n": 14,
    "statistic": 9.28,
    "f_statistic": 3.69,
    "critical_difference": 1.25,
}
"""Demšar (2006), Statistical comparisons of classifiers over multiple data sets, alpha = 0.05."""

PAIRED_N = {
    0.8: {0.1: 786.81, 0.2: 198.15, 0.3: 89.15, 0.5: 33.37, 0.8: 14.30, 1.0: 9.94},
    0.9: {0.1: 1052.66, 0.2: 264.61, 0.3: 118.69, 0.5: 44.00, 0.8: 18.45, 1.0: 12.59},
}
"""Lines for power .8 and .9 by effect, two-sided at .05: exact noncentral t (statsmodels 0.15)."""

TWO_SAMPLE = {"power": 0.868953, "n": 22.02109, "n_one_sided": 17.84712}
"""R, power.t.test(n = 20, delta = 1, sd = 1), and power = .9."""

ONE_SAMPLE_POWER = 0.35966
"""G*Power tutorial: d = 1/3, n = 25."""

NLPSTATTEST_SCREEN = 199
"""MANUAL, figure 1: power .8, delta .2, sigma 1."""

NLPSTATTEST_SAMPLES = {
    "data-h0-equal-beta": {"t": 0.36451, "wilcoxon": 0.32543, "sign": 0.48412, "hodges-lehmann": 0.01734},
    "data-h1-less-normal": {"hodges-lehmann": -1.15278, "cohen-d": -0.81971},
    "data-file.txt": {"t": 0.100227, "wilcoxon": 0.026352},
}
"""Right answers for sample files of NLPStatTest (ORACLES.md): p-values and effect sizes.

Wilcoxon is the normal approximation without continuity correction; exact is .32776, with the correction .32628.
"""

NLPSTATTEST_EXPECTED = {
    "data-h0-equal-normal": ("t", None),
    "data-h0-equal-beta": ("t", None),
    "data-h1-greater-normal": ("t", "higher"),
    "data-h1-greater-beta": ("sign", "higher"),
    "data-h1-less-normal": ("t", "lower"),
    "data-h1-less-beta": ("sign", "lower"),
}
"""What the manual's appendix G promises of its sample files: the recommended test, and the direction that is found."""
