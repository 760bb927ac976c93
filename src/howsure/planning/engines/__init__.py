"""What a design may expect, computed in different ways.

base (what every engine answers) · model (a response model: exact where the metric has item scores, else monte_carlo) ·
exact, from pools of simulated item scores: even_points → item_scores → score_pools → score_sums (any
number of items) and pool_power · pilot (a pilot's own item advantages) · rater_engine (designs with raters, by variance
components: rater_power) · decisions (the tests, and when they reject)
"""
