"""What `_kernels` do for sums over items, in NumPy: the same bits, without compiled code.

Small jobs end before the compiler's library is loaded. Loops go over items and each step over all draws, so that every
sum is added up in the order of the compiled loop.
"""

import numpy as np

from howsure.data.scales import FloatArray
from howsure.resampling.seeds import HALF, LOW, SeedArray, word

_BYTE = np.uint64(0xFF)


def seed_stream(key: np.uint64, n_streams: int, stream: int, start: int, stop: int) -> SeedArray:
    """Return the seeds of draws `start` to `stop` for one of the streams."""
    numbers = np.arange(start, stop, dtype=np.uint64) * np.uint64(n_streams) + np.uint64(stream)
    return word(np.uint64(key), numbers)


def bootstrap_sums(columns: FloatArray, centres: FloatArray, seeds: SeedArray) -> FloatArray:
    """Sum the rows of `columns` over items drawn with replacement, for each seed; then squares about `centres`."""
    n_items = len(columns)
    n = np.uint64(n_items)
    sides = with_squares(columns, centres).T.copy()
    width = len(sides)
    out = np.zeros((width, seeds.size))
    for i in range(n_items // 2):
        words = word(seeds, np.uint64(i))
        first, second = ((words & LOW) * n) >> HALF, ((words >> HALF) * n) >> HALF
        for c in range(width):
            out[c] += sides[c, first] + sides[c, second]
    if n_items % 2:
        last = ((word(seeds, np.uint64(n_items // 2)) & LOW) * n) >> HALF
        for c in range(width):
            out[c] += sides[c, last]
    return np.ascontiguousarray(out.T)


def with_squares(columns: FloatArray, centres: FloatArray) -> FloatArray:
    """Return the columns, and squared distances of the first of them from the centres."""
    return np.concatenate([columns, np.square(columns[:, : centres.size] - centres)], axis=1)


def swap_table(columns: FloatArray) -> FloatArray:
    """Return the sum of every eight items under each of their 256 patterns of signs: (columns, eights, 256)."""
    n_items, width = columns.shape
    n_eights = (n_items + 7) // 8
    filled = np.zeros((8 * n_eights, width))
    filled[:n_items] = columns
    eights = filled.T.reshape(width, n_eights, 8)
    signs = 1.0 - 2.0 * ((np.arange(256) >> np.arange(8)[:, np.newaxis]) & 1)
    table = np.zeros((width, n_eights, 256))
    for i in range(8):
        table += eights[:, :, i, np.newaxis] * signs[i]
    return table


def swap_sums(table: FloatArray, seeds: SeedArray) -> FloatArray:
    """Sum the columns of a `swap_table` with the sign of a fair coin for each item, for each seed."""
    width, n_eights, _ = table.shape
    out = np.zeros((width, seeds.size))
    words = seeds
    for eight in range(n_eights):
        words = word(seeds, np.uint64(eight // 8)) if eight % 8 == 0 else words >> np.uint64(8)
        for c in range(width):
            out[c] += table[c, eight, words & _BYTE]
    return np.ascontiguousarray(out.T)
