"""Draws from data in hand: schemes (what a draw resamples), nulls (what it looks like if A and B were alike)."""

from assay.resampling.draws import Draws, draw, enumerate_swaps, first_responses, jackknife, pool, summaries_of
from assay.resampling.nulls import NULLS, RULES, NullName, judge
from assay.resampling.schemes import Scheme

__all__ = [
    "NULLS",
    "RULES",
    "Draws",
    "NullName",
    "Scheme",
    "draw",
    "enumerate_swaps",
    "first_responses",
    "jackknife",
    "judge",
    "pool",
    "summaries_of",
]
