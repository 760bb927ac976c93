"""The loops that draw. Each is a pure function of data and seeds, with a plain NumPy twin in the tests.

Every draw has a 64-bit seed; its i-th random word is SplitMix64 at counter i (Steele, Lea & Flood 2014), so a draw
does not depend on any other draw, thread or block. An index below n is the high part of (32 random bits) × n.
"""

import numpy as np
import numpy.typing as npt
from numba import njit

from assay.scales import FloatArray, IntArray

SeedArray = npt.NDArray[np.uint64]

MEANS, COUNTS, SORTED, VALUES = 0, 1, 2, 3

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_LOW = np.uint64(0xFFFFFFFF)
_ONE, _S27, _S30, _S31, _S32 = np.uint64(1), np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


@njit(cache=True, nogil=True, inline="always")
def _word(seed: np.uint64, i: np.uint64) -> np.uint64:
    z = seed + (i + _ONE) * _STEP
    z = (z ^ (z >> _S30)) * _MIX1
    z = (z ^ (z >> _S27)) * _MIX2
    return z ^ (z >> _S31)


@njit(cache=True, nogil=True, inline="always")
def _half(seed: np.uint64, i: np.uint64) -> np.uint64:
    """Return the i-th 32 random bits of a draw."""
    return (_word(seed, i >> _ONE) >> (_S32 * (i & _ONE))) & _LOW


@njit(cache=True, nogil=True)
def draw_items(n_items: int, seeds: SeedArray) -> IntArray:
    """Draw n items with replacement for each seed."""
    n = np.uint64(n_items)
    out = np.empty((seeds.size, n_items), dtype=np.int64)
    for d in range(seeds.size):
        for i in range(n_items):
            out[d, i] = np.int64((_half(seeds[d], np.uint64(i)) * n) >> _S32)
    return out


@njit(cache=True, nogil=True)
def draw_swaps(n_items: int, seeds: SeedArray) -> npt.NDArray[np.bool_]:
    """Toss a fair coin for each item, for each seed."""
    out = np.empty((seeds.size, n_items), dtype=np.bool_)
    for d in range(seeds.size):
        word = np.uint64(0)
        for i in range(n_items):
            if i % 64 == 0:
                word = _word(seeds[d], np.uint64(i // 64))
            out[d, i] = (word & _ONE) == _ONE
            word = word >> _ONE
    return out


@njit(cache=True, nogil=True)
def bootstrap_sums(columns: FloatArray, seeds: SeedArray) -> FloatArray:
    """Sum the rows of `columns` (items × columns) over items drawn with replacement, for each seed."""
    n_items, width = columns.shape
    n = np.uint64(n_items)
    out = np.zeros((seeds.size, width))
    for d in range(seeds.size):
        seed = seeds[d]
        for i in range(n_items):
            item = (_half(seed, np.uint64(i)) * n) >> _S32
            for c in range(width):
                out[d, c] += columns[item, c]
    return out


@njit(cache=True, nogil=True)
def swap_sums(columns: FloatArray, seeds: SeedArray) -> FloatArray:
    """Sum the rows of `columns` with the sign of a fair coin for each item, for each seed."""
    n_items, width = columns.shape
    out = np.zeros((seeds.size, width))
    for d in range(seeds.size):
        word = np.uint64(0)
        for i in range(n_items):
            if i % 64 == 0:
                word = _word(seeds[d], np.uint64(i // 64))
            sign = 1.0 - 2.0 * np.float64(word & _ONE)
            word = word >> _ONE
            for c in range(width):
                out[d, c] += sign * columns[i, c]
    return out


@njit(cache=True, nogil=True)
def gather(rows: FloatArray, items: IntArray) -> FloatArray:
    """Return the rows of the drawn items: (draws, items, width)."""
    n_draws, n_items = items.shape
    width = rows.shape[1]
    out = np.empty((n_draws, n_items, width))
    for d in range(n_draws):
        for i in range(n_items):
            for c in range(width):
                out[d, i, c] = rows[items[d, i], c]
    return out


@njit(cache=True, nogil=True)
def draw_responses(
    values: FloatArray,
    codes: IntArray,
    offsets: IntArray,
    n_out: IntArray,
    items: IntArray,
    seeds: SeedArray,
    what: int,
    width: int,
) -> FloatArray:
    """Draw `n_out` responses of each item with replacement and return what is asked of them.

    `items` is (draws, items), or empty when each item is kept once. SORTED expects values in ascending order within
    each item: it counts how often each position was drawn and so needs no sorting.
    """
    n_items = offsets.size - 1
    out = np.zeros((seeds.size, n_items, width))
    if what in (VALUES, SORTED):
        out[:] = np.nan
    drawn = np.zeros(np.max(offsets[1:] - offsets[:-1]), dtype=np.int64)
    for d in range(seeds.size):
        seed = seeds[d]
        at = np.uint64(0)
        for i in range(n_items):
            item = items[d, i] if items.size else i
            start = offsets[item]
            size = offsets[item + 1] - start
            n = np.uint64(size)
            k = n_out[item]
            if what == MEANS:
                total = 0.0
                for _ in range(k):
                    total += values[start + np.int64((_half(seed, at) * n) >> _S32)]
                    at += _ONE
                out[d, i, 0] = total / k
            elif what == COUNTS:
                for _ in range(k):
                    out[d, i, codes[start + np.int64((_half(seed, at) * n) >> _S32)]] += 1.0
                    at += _ONE
            elif what == VALUES:
                for j in range(k):
                    out[d, i, j] = values[start + np.int64((_half(seed, at) * n) >> _S32)]
                    at += _ONE
            else:
                drawn[:size] = 0
                for _ in range(k):
                    drawn[np.int64((_half(seed, at) * n) >> _S32)] += 1
                    at += _ONE
                j = 0
                for position in range(size):
                    for _ in range(drawn[position]):
                        out[d, i, j] = values[start + position]
                        j += 1
    return out


@njit(cache=True, nogil=True)
def deal_responses(
    values: FloatArray,
    codes: IntArray,
    offsets: IntArray,
    n_first: IntArray,
    items: IntArray,
    seeds: SeedArray,
    what: int,
    width: tuple[int, int],
) -> tuple[FloatArray, FloatArray]:
    """Shuffle each item's responses and deal the first `n_first` to A, the rest to B; arguments as above."""
    n_items = offsets.size - 1
    first = np.zeros((seeds.size, n_items, width[0]))
    rest = np.zeros((seeds.size, n_items, width[1]))
    if what in (VALUES, SORTED):
        first[:] = np.nan
        rest[:] = np.nan
    order = np.empty(np.max(offsets[1:] - offsets[:-1]), dtype=np.int64)
    for d in range(seeds.size):
        seed = seeds[d]
        at = np.uint64(0)
        for i in range(n_items):
            item = items[d, i] if items.size else i
            start = offsets[item]
            size = offsets[item + 1] - start
            k = n_first[item]
            for j in range(size):
                order[j] = start + j
            for j in range(size - 1):
                other = j + np.int64((_half(seed, at) * np.uint64(size - j)) >> _S32)
                at += _ONE
                order[j], order[other] = order[other], order[j]
            if what == SORTED:
                order[:k].sort()
                order[k:size].sort()
            for j in range(size):
                side = first if j < k else rest
                column = j if j < k else j - k
                share = k if j < k else size - k
                if what == MEANS:
                    side[d, i, 0] += values[order[j]] / share
                elif what == COUNTS:
                    side[d, i, codes[order[j]]] += 1.0
                else:
                    side[d, i, column] = values[order[j]]
    return first, rest
