"""Loops on words whose eight bytes are counts; compiled on first use. Each has a plain twin in the tests."""

import numpy as np

from assay._compiled import njit
from assay.metrics._kernels import bins_of
from assay.scales import FloatArray, IntArray
from assay.summaries import WordArray

_ONE, _THREE, _SEVEN, _EIGHT, _S56 = np.uint64(1), np.uint64(3), np.uint64(7), np.uint64(8), np.uint64(56)
_AT_A_TIME = 256
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
    """Σ |share − share| of two words of counts."""
    n, m = float(_added(left)), float(_added(right))
    if n == m:
        return 2.0 * _excess(left, right) / n
    apart = 0.0
    while left | right:
        apart += n * abs(np.int64(left & _BYTE) / n - np.int64(right & _BYTE) / m)
        left >>= _EIGHT
        right >>= _EIGHT
    return apart / n


@njit(cache=True, nogil=True)
def packed_variation_contrasts(gold: WordArray, a: WordArray, b: WordArray) -> FloatArray:
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
                # What exceeds in one label lacks in another, so that Σ |count − count| is twice the excess.
                total += 2.0 * (_excess(b[d, i], gold[d, i]) - _excess(a[d, i], gold[d, i])) / n
            else:
                total += _packed_variation(gold[d, i], b[d, i]) - _packed_variation(gold[d, i], a[d, i])
        out[d] = total / n_items
    return out


# Two sets of counts differ by Σ |tail − tail| over t = 1, 2, …, where the t-th tail is the number of bins with t or
# more: the area between the two survival functions. A response that makes a bin's count t adds one to the t-th tail, so
# that nothing is sorted. With up to eight responses, counts and tails are the eight bytes of a word.


@njit(cache=True, nogil=True)
def histogram_tails(rows: FloatArray, bins: int) -> WordArray:
    """Return the tails of each row's counts in up to eight equal bins on [0, 1]; rows have up to eight values."""
    n_rows, width = rows.shape
    out = np.empty(n_rows, dtype=np.uint64)
    places = np.empty(_AT_A_TIME * width, dtype=np.int32)
    for start in range(0, n_rows, _AT_A_TIME):
        n = min(_AT_A_TIME, n_rows - start)
        bins_of(rows[start : start + n].ravel(), bins, places)
        for r in range(n):
            counts = np.uint64(0)
            tails = np.uint64(0)
            for c in range(width):
                # Without a branch: values lie inside or outside at random, which no processor foresees.
                place = places[r * width + c]
                one = np.uint64(place < bins)
                shift = np.uint64(place & 7) << _THREE
                tails += one << (((counts >> shift) & _BYTE) << _THREE)
                counts += one << shift
            out[start + r] = tails
    return out


@njit(cache=True, nogil=True)
def largest_sum(rows: FloatArray) -> float:
    """Return the largest sum of a row."""
    largest = 0.0
    for r in range(rows.shape[0]):
        total = 0.0
        for c in range(rows.shape[1]):
            total += rows[r, c]
        largest = max(largest, total)
    return largest


@njit(cache=True, nogil=True)
def level_histogram_tails(rows: FloatArray, bin_of: IntArray) -> WordArray:
    """Return the same of rows that count levels, given the bin (below eight) into which each falls, −1 for none."""
    out = np.empty(rows.shape[0], dtype=np.uint64)
    for r in range(rows.shape[0]):
        counts = np.uint64(0)
        tails = np.uint64(0)
        for level in range(bin_of.size):
            if bin_of[level] >= 0:
                counts += np.uint64(rows[r, level]) << (np.uint64(bin_of[level]) << _THREE)
        while counts:
            # A bin with t responses adds one to each of the first t tails: the lowest t bytes.
            if counts & _BYTE:
                tails += _ONES >> ((_EIGHT - (counts & _BYTE)) << _THREE)
            counts >>= _EIGHT
        out[r] = tails
    return out


@njit(cache=True, nogil=True)
def tail_distances(left: WordArray, right: WordArray, bins: int) -> FloatArray:
    """Σ |tail − tail| / bins of pairs of words."""
    out = np.empty(left.size)
    for r in range(left.size):
        out[r] = (_excess(left[r], right[r]) + _excess(right[r], left[r])) / bins
    return out
