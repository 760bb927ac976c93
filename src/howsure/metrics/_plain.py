"""What `_kernels` of the same names do, in NumPy: the same bits, without compiled code and without copies of rows.

The last axis is labels; sums go from the first label to the last.
"""

import numpy as np

from howsure.data.scales import FloatArray
from howsure.metrics.base import ROUNDING

MOST_LABELS = 32
"""With more labels than this a loop over them takes too long."""


def row_sums(rows: FloatArray) -> FloatArray:
    """Sum of each row, from its first value to its last."""
    total = np.zeros(rows.shape[:-1])
    for label in range(rows.shape[-1]):
        total += rows[..., label]
    return total


def total_variation(gold: FloatArray, model: FloatArray) -> FloatArray:
    """½ Σ |share − share| of each pair of rows of counts."""
    n, m = row_sums(gold), row_sums(model)
    ours, theirs = _by_label(gold), _by_label(model)
    apart = np.zeros(np.broadcast_shapes(n.shape, m.shape))
    for of_gold, of_model in zip(ours, theirs, strict=True):
        difference = of_gold - of_model
        apart += np.abs(difference, out=difference)
    unequal = n != m
    if unequal.any():
        of_shares = np.zeros_like(apart)
        for of_gold, of_model in zip(ours, theirs, strict=True):
            of_shares += n * np.abs(of_gold / n - of_model / m)
        apart = np.where(unequal, of_shares, apart)
    return np.asarray(apart / (2 * n))


def divergence(gold: FloatArray, model: FloatArray) -> FloatArray:
    """Σ share · (its log − the model's) of each pair of rows; a row has the shares and then their logarithms."""
    n_labels = gold.shape[-1] // 2
    ours, theirs = _by_label(gold), _by_label(model)
    total = np.zeros(np.broadcast_shapes(gold.shape[:-1], model.shape[:-1]))
    for share, own, other in zip(ours[:n_labels], ours[n_labels:], theirs[n_labels:], strict=True):
        total += share * (own - other)
    return total


def shared_votes(gold: FloatArray, model: FloatArray) -> FloatArray:
    """Chance that the largest counts of two rows are the same label's, ties broken at random on both sides."""
    of_gold, of_model = (
        side >= np.maximum(side.max(axis=0), 0.0) * (1 - ROUNDING) for side in (_by_label(gold), _by_label(model))
    )
    tied, tied_model = (side.sum(axis=0) for side in (of_gold, of_model))
    both = np.zeros(np.broadcast_shapes(tied.shape, tied_model.shape))
    for one, other in zip(of_gold, of_model, strict=True):
        both += one & other
    return np.asarray(both / (tied * tied_model))


def _by_label(rows: FloatArray) -> FloatArray:
    """Return the rows with the labels first: what is done label by label then goes straight through memory."""
    return np.ascontiguousarray(np.moveaxis(rows, -1, 0))
