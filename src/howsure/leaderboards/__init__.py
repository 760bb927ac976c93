"""Leaderboards: ranks of many models with their uncertainty.

request (what is asked) · units (units × models: what scores are made of) · pairs (all pairs tested together) ·
random_raters (for raters like these) · ranks (ranks and groups) · result and document (the result and its words) ·
comparing (`compare_all`) · strengths, flipped_votes and votes (`compare_votes`) · plan (how many items or responses)
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
