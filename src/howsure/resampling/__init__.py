"""Resamples of the data: schemes (what a resample varies), and exchanges of A and B."""

from howsure.resampling.clusters import cluster_df, cluster_sums, enumerate_cluster_swaps, ratio_error
from howsure.resampling.draws import (
    Draws,
    draw,
    mean_scores,
    summaries_of,
)
from howsure.resampling.exhaustive import enumerate_swaps, jackknife
from howsure.resampling.pseudo_responses import CellTable, cell_table
from howsure.resampling.responses_kept import first_responses, kept_responses
from howsure.resampling.sampler import pool
from howsure.resampling.schemes import Scheme
from howsure.resampling.stacked import Stack, can_stack, draw_stacked, stackable

__all__ = [
    "CellTable",
    "Draws",
    "Scheme",
    "Stack",
    "can_stack",
    "cell_table",
    "cluster_df",
    "cluster_sums",
    "draw",
    "draw_stacked",
    "enumerate_cluster_swaps",
    "enumerate_swaps",
    "first_responses",
    "jackknife",
    "kept_responses",
    "mean_scores",
    "pool",
    "ratio_error",
    "stackable",
    "summaries_of",
]
