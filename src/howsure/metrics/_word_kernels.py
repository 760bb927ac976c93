"""Loops on words whose eight bytes are counts; compiled on first use. Each has a plain twin in the tests."""

import numpy as np

from howsure._compiled import njit
from howsure.scales import FloatArray
from howsure.summaries import WordArray

_SEVEN, _EIGHT, _S56 = np.uint64(7), np.uint64(8), np.uint64(56)
_BYTE, _ONES, _HIGH = np.uint64(0xFF), np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)


@njit(cache=True, nogil=True, inline="always")
def _added(word: np.uint64) -> np.int64:
    """Return the sum of a word's bytes, if below 256: the product's highest byte."""
    return np.int64((word * _ONES) >> _S56)


@njit(cache=True, nogil=True, inline="always")
def _excess(left: np.uint64, right: np.uint64) -> np.int64:
    """Σ max(count − count, 0) of two words whose bytes are below 128."""
    # A byte of the difference keeps its high bit where left is no less than right, and there the rest is the excess.
    apart = (left | _HIGH) - right
    more = apart & _HIGH
    return _added(apart & (more - (more >> _SEVEN)))


@njit(cache=True, nogil=True)
def _packed_variation(left: np.uint64, right: np.uint64) -> float:
    """½ Σ |share − share| of two words of counts."""
    n, m = float(_added(left)), float(_added(right))
    if n == m:
        return _excess(left, right) / n
    apart = 0.0
    while left | right:
        apart += n * abs(np.int64(left & _BYTE) / n - np.int64(right & _BYTE) / m)
        left >>= _EIGHT
        right >>= _EIGHT
    return apart / (2.0 * n)


@njit(cache=True, nogil=True)
def packed_variation_advantages(gold: WordArray, a: WordArray, b: WordArray) -> FloatArray:
    """Mean over the items of how much closer A is than B, for each draw, given packed counts (draws × items).

    The counts of an item add up to less than 128.
    """
    n_draws, n_items = gold.shape
    out = np.empty(n_draws)
    for d in range(n_draws):
        total = 0.0
        for i in range(n_items):
            n = _added(gold[d, i])
            if _added(a[d, i]) == n and _added(b[d, i]) == n:
                # What exceeds in one label lacks in another, so that ½ Σ |count − count| is the excess.
                total += (_excess(b[d, i], gold[d, i]) - _excess(a[d, i], gold[d, i])) / n
            else:
                total += _packed_variation(gold[d, i], b[d, i]) - _packed_variation(gold[d, i], a[d, i])
        out[d] = total / n_items
    return out
