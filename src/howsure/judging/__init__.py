"""A cheap judge and a few people: what both say together, how good the judge is, and which items to label.

judged_contests (the same A and B, seen by people and by the judge) · **combined_advantage** (the estimator and its
error with raters) · judged_comparison (`compare --judge`) · judged_scores (`score --judge`) · labels_to_draw
(`sample`, and chances of items to be labelled) · label_budget (labels and judge calls at least cost) · judge_report
(`judge`: is this judge good enough?) · alternative_annotators (a published test of that).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
