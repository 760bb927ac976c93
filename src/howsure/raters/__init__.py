"""Raters as a random factor: who judged what, what raters add to the error of a result, and how far they agree.

design (who judged what) · choice (whether raters are a random factor) · components (variance components of an items ×
raters table) · mixed_model (the same with missing cells) · advantage_error (the error of an
advantage from items and raters) · advantage_components (its parts, and what more raters would bring) · agreement, with
agreement_coefficients, agreement_intervals and rater_summaries.

`design` lies below readers, models and resampling, the others above them (`.importlinter`). What needs a comparison, a
plan or a leaderboard is with these: comparison/rater_answers.py, planning/rater_pilots.py,
planning/engines/rater_engine.py, leaderboards/random_raters.py.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
