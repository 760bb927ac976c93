"""Known answers for `howsure.inference`, each with where it comes from (ORACLES.md has them all)."""

MOUSE_TREATED = [94, 197, 16, 38, 99, 141, 23]
MOUSE_CONTROL = [52, 104, 146, 10, 51, 30, 40, 27, 46]
"""Efron and Tibshirani, An Introduction to the Bootstrap (1993), table 2.1."""
MOUSE_DIFFERENCE = 30.6349
MOUSE_ARRANGEMENTS = 11440
MOUSE_PVALUE_GREATER = 0.1409965
"""Exact permutation p-value, recomputed with SciPy 1.17."""

MOUSE_CONTROL_SCIPY = [10, 27, 31, 40, 46, 50, 52, 104, 146]
"""The control group as SciPy's test of the acceleration has it: 31 and 50 where the book has 30 and 51."""
MOUSE_ACCELERATION = 0.011008228344026734
"""SciPy, test_BCa_acceleration_against_reference; computed outside SciPy in its pull request 16455."""

BOOT_DATA = [10, 12, 12.5, 12.5, 13.9, 15, 21, 22, 23, 34, 50, 81, 89, 121, 134, 213]
BOOT_INTERVALS = {"basic": (23.77, 79.12), "percentile": (28.86, 84.21), "bca": (32.31, 91.43)}
"""R's `boot` with a million draws of the mean, quoted in SciPy's test_bootstrap_against_R."""

SLEEP_DIFFERENCES = [-1.2, -2.4, -1.3, -1.3, 0.0, -1.0, -1.8, -0.8, -4.6, -1.4]
SLEEP_COHEN_DZ = -1.284558
SLEEP_T_INTERVAL = (-2.459886, -0.700114)
"""Student (1908); R, t.test(extra ~ group, data = sleep, paired = TRUE)."""

DEPRESSION_FIRST = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
DEPRESSION_SECOND = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
DEPRESSION_SIGN_FLIP_PVALUE = 0.02734375
"""Hollander and Wolfe (1973), the example of R's wilcox.test; exact sign-flip test of the mean, two-sided."""

ADJUSTED = {"holm": [0.03, 0.06, 0.06, 0.02], "benjamini-hochberg": [0.02, 0.04, 0.04, 0.02]}
"""Of the p-values .01, .04, .03, .005; by hand, and R's p.adjust."""

WILSON = {(8, 10): (0.49016, 0.94332), (10, 10): (0.72247, 1.0), (19, 20): (0.76387, 0.99112)}
CLOPPER_PEARSON = {(8, 10): (0.44390, 0.97479)}
"""statsmodels 0.15, proportion_confint."""

HEDGES_FACTOR_9 = 0.9139
"""The exact Γ form with 9 degrees of freedom."""
