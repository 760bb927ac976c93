"""Sample sizes of two-stage sampling for the mean metric (ORACLES.md, "Power and sample size").

n = (z.025 + z.2)² (ω² + σ²_A / K + σ²_B / K) / δ², ω² = 1/9, σ² = 1/6 each, δ = .03, power .8.
"""

MEAN_METRIC_N = {1: 3876.0, 2: 2422.5, 3: 1938.0, 5: 1550.4, 10: 1259.7}
OMEGA2, SIGMA2, DELTA = 1 / 9, 1 / 6, 0.03

PAIRED_T_N = {0.2: 198.15, 0.3: 89.15, 0.5: 33.37}
"""Items for power .8 of the paired t test at d_z, by the exact noncentral t (ORACLES.md)."""
