"""What `_kernels` do, in NumPy: the same bits, without compiled code."""

from typing import TYPE_CHECKING

import numpy as np

from howsure.data.scales import FloatArray, IntArray

if TYPE_CHECKING:
    from howsure.models._kernels import Thresholds, Words

ONE = 2.0**31
_MASK, _HIGH = np.uint64(0x7FFFFFFF), np.uint64(33)


def thresholds(mean: FloatArray, sd: FloatArray, cuts: FloatArray, table: FloatArray, steps: float) -> "Thresholds":
    """Return P(N(mean, sd) < cut) · 2³¹ for each item and cut."""
    half = table.shape[0] / 2
    mean, sd = mean[:, np.newaxis], sd[:, np.newaxis]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        z = (cuts - mean) * (steps / sd) + half
    certain = sd == 0
    cell = np.clip(np.where(certain, 0.0, z), 0, table.shape[0] - 1).astype(np.int64)
    t = z - cell
    c0, c1, c2, c3 = np.moveaxis(table[cell], -1, 0)
    with np.errstate(invalid="ignore", over="ignore"):
        share = c0 + t * (c1 + t * (c2 + t * c3))
    share = np.where(z <= 0, 0.0, np.where(z >= 2 * half, 1.0, share))
    # Without spread every response is the mean; a mean on a cut belongs to the upper bin.
    share = np.where(certain, cuts > mean, share)
    return np.asarray(share * ONE + 0.5).astype(np.uint32)


def mixed(first: "Thresholds", second: "Thresholds") -> "Thresholds":
    """Return the thresholds of responses that come from either by a fair coin."""
    return ((first.astype(np.uint64) + second) // np.uint64(2)).astype(np.uint32)


def means(below: "Thresholds", words: "Words", k: int, lowest: float, step: float) -> FloatArray:
    """Draw k responses per item and return their mean, `step` being a k-th of that between levels."""
    return np.asarray(lowest + step * _levels(below, words, k).sum(axis=0))


def counts(below: "Thresholds", words: "Words", k: int) -> FloatArray:
    """Draw k responses per item and count each level."""
    levels = _levels(below, words, k)
    return np.stack([(levels == level).sum(axis=0) for level in range(below.shape[1] + 1)], axis=-1).astype(np.float64)


def _levels(below: "Thresholds", words: "Words", k: int) -> IntArray:
    """Return the number of the level of each response: (responses, items)."""
    halves = np.stack([words.T & _MASK, words.T >> _HIGH], axis=1).astype(np.uint32)
    drawn = halves.reshape(-1, len(words))[:k]
    levels = np.zeros(drawn.shape, dtype=np.int64)
    for cut in np.ascontiguousarray(below.T):
        levels += drawn >= cut
    return levels
