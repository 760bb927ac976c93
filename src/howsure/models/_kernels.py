"""The loops that draw ratings: each is a pure function of parameters and random words, with a NumPy twin in the tests.

A threshold is P(response below a cut) · 2³¹; a response is half a random word, 31 bits, and its level is the number of
thresholds that it reaches. So a response is misplaced with a probability of less than 1 in 500 million, and certain
events stay certain.
"""

import numpy as np
import numpy.typing as npt

from howsure._compiled import njit
from howsure.data.scales import FloatArray

Thresholds = npt.NDArray[np.uint32]
Words = npt.NDArray[np.uint64]

ONE = 2.0**31
_MASK, _HIGH = np.uint64(0x7FFFFFFF), np.uint64(33)


@njit(cache=True, nogil=True)
def thresholds(mean: FloatArray, sd: FloatArray, cuts: FloatArray, table: FloatArray, steps: float) -> Thresholds:
    """Return P(N(mean, sd) < cut) · 2³¹ for each item and cut.

    `table` has the cubic polynomials of the normal distribution function, `steps` to a unit, symmetric around 0.
    """
    out = np.empty((mean.size, cuts.size), dtype=np.uint32)
    half = table.shape[0] / 2
    for i in range(mean.size):
        inverse = steps / sd[i] if sd[i] > 0 else 0.0
        for j in range(cuts.size):
            if sd[i] == 0:
                # Without spread every response is the mean; a mean on a cut belongs to the upper bin.
                share = 1.0 if cuts[j] > mean[i] else 0.0
            else:
                z = (cuts[j] - mean[i]) * inverse + half
                if z <= 0:
                    share = 0.0
                elif z >= 2 * half:
                    share = 1.0
                else:
                    cell = int(z)
                    t = z - cell
                    share = table[cell, 0] + t * (table[cell, 1] + t * (table[cell, 2] + t * table[cell, 3]))
            out[i, j] = np.uint32(share * ONE + 0.5)
    return out


@njit(cache=True, nogil=True)
def mixed(first: Thresholds, second: Thresholds) -> Thresholds:
    """Return the thresholds of responses that come from either by a fair coin."""
    out = np.empty(first.shape, dtype=np.uint32)
    for i in range(first.shape[0]):
        for j in range(first.shape[1]):
            out[i, j] = (np.uint64(first[i, j]) + np.uint64(second[i, j])) // np.uint64(2)
    return out


@njit(cache=True, nogil=True)
def means(below: Thresholds, words: Words, k: int, lowest: float, step: float) -> FloatArray:
    """Draw k responses per item and return their mean, `step` being a k-th of that between levels."""
    out = np.empty(below.shape[0])
    for i in range(below.shape[0]):
        total = 0
        for w in range(words.shape[1]):
            low, high = np.uint32(words[i, w] & _MASK), np.uint32(words[i, w] >> _HIGH)
            if 2 * w + 1 < k:
                for j in range(below.shape[1]):
                    total += (low >= below[i, j]) + (high >= below[i, j])
            else:
                for j in range(below.shape[1]):
                    total += low >= below[i, j]
        out[i] = lowest + step * total
    return out


@njit(cache=True, nogil=True)
def counts(below: Thresholds, words: Words, k: int) -> FloatArray:
    """Draw k responses per item and count each level."""
    out = np.zeros((below.shape[0], below.shape[1] + 1))
    for i in range(below.shape[0]):
        for w in range(words.shape[1]):
            low, high = np.uint32(words[i, w] & _MASK), np.uint32(words[i, w] >> _HIGH)
            of_low, of_high = 0, 0
            for j in range(below.shape[1]):
                of_low += low >= below[i, j]
                of_high += high >= below[i, j]
            out[i, of_low] += 1
            if 2 * w + 1 < k:
                out[i, of_high] += 1
    return out
