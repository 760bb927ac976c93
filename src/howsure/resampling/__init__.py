"""Resamples of the data: schemes (what a resample varies), exchanges of A and B, and the one loop that draws them."""

from howsure.resampling.clusters import cluster_df, cluster_sums, ratio_error
from howsure.resampling.draws import Draws, draw, every_exchange, jackknife, mean_scores
from howsure.resampling.pseudo_responses import CellTable, cell_table
from howsure.resampling.responses_kept import first_responses, kept_responses
from howsure.resampling.schemes import Scheme
from howsure.resampling.stacks import Stack, can_stack, stackable, summaries_of

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
    "every_exchange",
    "first_responses",
    "jackknife",
    "kept_responses",
    "mean_scores",
    "ratio_error",
    "stackable",
    "summaries_of",
]
