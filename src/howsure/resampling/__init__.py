"""Draws from the data: schemes (what a draw resamples) and nulls (what a draw looks like if A and B are equal)."""

from howsure.resampling.clusters import cluster_sums, enumerate_cluster_swaps, ratio_error
from howsure.resampling.draws import (
    Draws,
    draw,
    draw_alike,
    draw_columns,
    mean_scores,
    summaries_of,
)
from howsure.resampling.exhaustive import enumerate_swaps, jackknife
from howsure.resampling.nulls import NULLS, RULES, NullName, judge
from howsure.resampling.pseudo_responses import CellTable, cell_table
from howsure.resampling.responses_kept import first_responses, kept_responses
from howsure.resampling.sampler import pool
from howsure.resampling.schemes import Scheme
from howsure.resampling.stacked import Stack, can_stack, draw_stacked, stackable

__all__ = [
    "NULLS",
    "RULES",
    "CellTable",
    "Draws",
    "NullName",
    "Scheme",
    "Stack",
    "can_stack",
    "cell_table",
    "cluster_sums",
    "draw",
    "draw_alike",
    "draw_columns",
    "draw_stacked",
    "enumerate_cluster_swaps",
    "enumerate_swaps",
    "first_responses",
    "jackknife",
    "judge",
    "kept_responses",
    "mean_scores",
    "pool",
    "ratio_error",
    "stackable",
    "summaries_of",
]
