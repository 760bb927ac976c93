"""The loops that number resamples (`numbered`): tabulate what each distinct one gives, and look up the one drawn.

`items` is (draws, items), or empty when each item is kept once. A draw takes one word for each item (`_kernels`).
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from howsure._compiled import njit
from howsure.data.scales import FloatArray, IntArray
from howsure.data.summaries import WordArray
from howsure.resampling._kernels import _BYTE, _EIGHT, _ONE, _THREE, SeedArray, _below, _word


class Numbers(NamedTuple):
    """How the resamples of each item are numbered: see `numbered.Numbered`, whose arrays these are."""

    n_resamples: IntArray
    first: IntArray
    distinct: npt.NDArray[np.uint16]
    rows: IntArray


@njit(cache=True, nogil=True)
def tabulate_counts(codes: IntArray, starts: IntArray, times: FloatArray, rows: IntArray, table: WordArray) -> None:
    """Write how often each level occurs in every distinct resample of some items: a byte each, eight to a word."""
    n_distinct, n = times.shape
    ones = np.empty(n, dtype=np.uint64)
    for w in range(table.shape[0]):
        for i in range(starts.size):
            for j in range(n):
                code = codes[starts[i] + j]
                ones[j] = _ONE << (np.uint64(code % 8) << _THREE) if code // 8 == w else 0
            for r in range(n_distinct):
                word = np.uint64(0)
                for j in range(n):
                    word += np.uint64(np.int64(times[r, j])) * ones[j]
                table[w, rows[i] + r] = word


@njit(cache=True, nogil=True, inline="always")
def _resample(numbers: Numbers, item: np.uint64, word: np.uint64) -> np.uint64:
    """Return the number of the resample of an item that a word stands for."""
    return np.uint64(numbers.first[item]) + _below(np.uint64(numbers.n_resamples[item]), word)


@njit(cache=True, nogil=True, inline="always")
def _row(numbers: Numbers, item: np.uint64, word: np.uint64) -> np.uint64:
    """Return the row of the resample in a table."""
    return np.uint64(numbers.rows[item]) + np.uint64(numbers.distinct[_resample(numbers, item, word)])


@njit(cache=True, nogil=True)
def look_up(table: WordArray, numbers: Numbers, items: IntArray, seeds: SeedArray, out: WordArray) -> None:
    """Write the word of counts of one resample of each item: (draws, items)."""
    for d in range(seeds.size):
        for i in range(out.shape[1]):
            item = np.uint64(items[d, i] if items.size else i)
            out[d, i] = table[_row(numbers, item, _word(seeds[d], np.uint64(i)))]


@njit(cache=True, nogil=True)
def unpack(words: WordArray, out: FloatArray) -> None:
    """Write the counts of up to eight levels that the bytes of each word hold: (draws, items, levels)."""
    for d in range(words.shape[0]):
        for i in range(words.shape[1]):
            word = words[d, i]
            for level in range(out.shape[2]):
                out[d, i, level] = np.int64(word & _BYTE)
                word >>= _EIGHT


@njit(cache=True, nogil=True)
def look_up_means(
    values: FloatArray,
    offsets: IntArray,
    n_out: IntArray,
    positions: npt.NDArray[np.uint16],
    numbers: Numbers,
    items: IntArray,
    seeds: SeedArray,
    out: FloatArray,
) -> None:
    """Write the mean of the responses that `look_up_values` writes, in two thirds of its time: (draws, items)."""
    for d in range(seeds.size):
        for i in range(out.shape[1]):
            item = np.uint64(items[d, i] if items.size else i)
            drawn = _resample(numbers, item, _word(seeds[d], np.uint64(i)))
            start, k = np.uint64(offsets[item]), n_out[item]
            total = 0.0
            for j in range(k):
                total += values[start + np.uint64(positions[drawn, j])]
            out[d, i] = total / k


@njit(cache=True, nogil=True)
def look_up_values(
    values: FloatArray,
    offsets: IntArray,
    n_out: IntArray,
    positions: npt.NDArray[np.uint16],
    numbers: Numbers,
    items: IntArray,
    seeds: SeedArray,
    out: FloatArray,
    means: FloatArray,
) -> None:
    """Write the responses of one resample of each item, NaN after the last: (draws, items, width).

    Where `means` is not empty, write their means to it: (draws, items).
    """
    for d in range(seeds.size):
        for i in range(out.shape[1]):
            item = np.uint64(items[d, i] if items.size else i)
            drawn = _resample(numbers, item, _word(seeds[d], np.uint64(i)))
            start, k = np.uint64(offsets[item]), n_out[item]
            total = 0.0
            for j in range(k):
                value = values[start + np.uint64(positions[drawn, j])]
                out[d, i, j] = value
                total += value
            for j in range(k, out.shape[2]):
                out[d, i, j] = np.nan
            if means.size:
                means[d, i] = total / k
