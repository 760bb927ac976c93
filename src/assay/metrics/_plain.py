"""What `_kernels` of the same names do, in NumPy: the same bits, without compiled code and without copies of rows.

The last axis is labels; sums go from the first label to the last.
"""

import numpy as np

from assay.metrics.base import ROUNDING
from assay.scales import FloatArray

MOST_LABELS = 32
"""With more labels than this a loop over them takes too long."""


def row_sums(rows: FloatArray) -> FloatArray:
    """Sum of each row, from its first value to its last."""
    total = np.zeros(rows.shape[:-1])
    for label in range(rows.shape[-1]):
        total += rows[..., label]
    return total


def total_variation(gold: FloatArray, model: FloatArray) -> FloatArray:
    """Σ |share − share| of each pair of rows of counts."""
    n, m = row_sums(gold), row_sums(model)
    labels = range(gold.shape[-1])
    apart = np.zeros(np.broadcast_shapes(n.shape, m.shape))
    for label in labels:
        apart += np.abs(gold[..., label] - model[..., label])
    unequal = n != m
    if unequal.any():
        of_shares = np.zeros_like(apart)
        for label in labels:
            of_shares += n * np.abs(gold[..., label] / n - model[..., label] / m)
        apart = np.where(unequal, of_shares, apart)
    return np.asarray(apart / n)


def shared_votes(gold: FloatArray, model: FloatArray) -> FloatArray:
    """Chance that the largest counts of two rows are the same label's, ties broken at random on both sides."""
    of_gold, of_model = (
        side >= np.maximum(side.max(axis=-1, keepdims=True), 0.0) * (1 - ROUNDING) for side in (gold, model)
    )
    tied, tied_model = (side.sum(axis=-1) for side in (of_gold, of_model))
    both = np.zeros(np.broadcast_shapes(tied.shape, tied_model.shape))
    for label in range(gold.shape[-1]):
        both += of_gold[..., label] & of_model[..., label]
    return np.asarray(both / (tied * tied_model))
