"""What a design may expect, computed in three ways.

exact (metrics with item scores, from a response model: item_scores, expected_scores → score_pools → score_sums) ·
monte_carlo (any metric, by simulated studies) · components (designs with raters, by variance components) ·
simulated_pvalues and simulated_power (how often a test rejects)
"""
