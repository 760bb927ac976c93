"""What a design may expect, computed in different ways.

model (a response model: exact where the metric has item scores, by item_scores of items spread evenly (lattices) and
expected_scores → score_pools, with grid_shapes → score_sums and pool_power; else monte_carlo) · pilot (a pilot's own
item advantages) · rater_engine (designs with raters, by variance components: rater_power) · simulated_pvalues and
simulated_power (how often a test rejects) · base (what every engine answers)
"""
