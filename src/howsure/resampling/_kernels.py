"""The loops that draw. Each is a pure function of data and seeds, with a plain NumPy twin in the tests.

Every draw has a 64-bit seed; its i-th random word is SplitMix64 at counter i (Steele, Lea & Flood 2014), so a draw
does not depend on any other draw, thread or block. A word makes two indices, from its low and then its high 32 bits:
an index below n is the high part of bits × n. Each item starts on a fresh word.
"""

import numpy as np
import numpy.typing as npt

from howsure._compiled import njit
from howsure.data.scales import FloatArray, IntArray

SeedArray = npt.NDArray[np.uint64]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_LOW = np.uint64(0xFFFFFFFF)
_ONE, _THREE, _EIGHT, _BYTE = np.uint64(1), np.uint64(3), np.uint64(8), np.uint64(0xFF)
_S27, _S30, _S31, _S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
_ABREAST = 256  # draws


@njit(cache=True, nogil=True, inline="always")
def _word(seed: np.uint64, i: np.uint64) -> np.uint64:
    z = seed + (i + _ONE) * _STEP
    z = (z ^ (z >> _S30)) * _MIX1
    z = (z ^ (z >> _S27)) * _MIX2
    return z ^ (z >> _S31)


@njit(cache=True, nogil=True, inline="always")
def _below(n: np.uint64, word: np.uint64) -> np.uint64:
    """Return an index below n from the low half of a word (unsigned: NumPy's negative indices cost a branch each)."""
    return ((word & _LOW) * n) >> _S32


@njit(cache=True, nogil=True)
def seed_stream(key: np.uint64, n_streams: int, stream: int, start: int, stop: int) -> SeedArray:
    """Return the seeds of draws `start` to `stop` for one of the streams."""
    out = np.empty(stop - start, dtype=np.uint64)
    for d in range(out.size):
        out[d] = _word(key, np.uint64((start + d) * n_streams + stream))
    return out


@njit(cache=True, nogil=True)
def seed_draws(key: np.uint64, n_streams: int, start: int, stop: int) -> SeedArray:
    """Return the seeds of draws `start` to `stop`, one for each stream: (streams, draws)."""
    out = np.empty((n_streams, stop - start), dtype=np.uint64)
    for stream in range(n_streams):
        out[stream] = seed_stream(key, n_streams, stream, start, stop)
    return out


@njit(cache=True, nogil=True)
def seed_draws_of_each(keys: SeedArray, n_streams: int, n_draws: int) -> SeedArray:
    """Return the seeds of as many draws for each key, one after the other: (streams, keys · draws)."""
    out = np.empty((n_streams, keys.size * n_draws), dtype=np.uint64)
    for i in range(keys.size):
        out[:, i * n_draws : (i + 1) * n_draws] = seed_draws(keys[i], n_streams, int(np.int64(0)), n_draws)
    return out


@njit(cache=True, nogil=True)
def draw_items(n_items: int, seeds: SeedArray, out: IntArray) -> None:
    """Draw n items with replacement for each seed."""
    n = np.uint64(n_items)
    for d in range(seeds.size):
        seed = seeds[d]
        for i in range(0, n_items - 1, 2):
            word = _word(seed, np.uint64(i // 2))
            out[d, i] = _below(n, word)
            out[d, i + 1] = _below(n, word >> _S32)
        if n_items % 2:
            out[d, n_items - 1] = _below(n, _word(seed, np.uint64(n_items // 2)))


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
def exchange(
    a: npt.NDArray[np.int64],
    b: npt.NDArray[np.int64],
    swaps: npt.NDArray[np.bool_],
    first: npt.NDArray[np.int64],
    second: npt.NDArray[np.int64],
) -> None:
    """Write the words of A and of B, exchanged on the items where a coin says so: (draws, items, width).

    A and B have words for each draw, or one set for all draws. There is no branch: no processor can predict a coin.
    """
    n_draws, n_items = swaps.shape
    for d in range(n_draws):
        of_a, of_b = a[d if len(a) > 1 else 0], b[d if len(b) > 1 else 0]
        for i in range(n_items):
            mask = -np.int64(swaps[d, i])
            for c in range(of_a.shape[1]):
                apart = (of_a[i, c] ^ of_b[i, c]) & mask
                first[d, i, c] = of_a[i, c] ^ apart
                second[d, i, c] = of_b[i, c] ^ apart


@njit(cache=True, nogil=True)
def add_drawn(
    columns: FloatArray, centres: FloatArray, start: int, n_items: int, seed: np.uint64, k: int, out: FloatArray
) -> None:
    """Add to `out` the rows of k items that are drawn with replacement from the n from `start` on.

    After their sums come those of squared distances from `centres`, one for each of the first columns or for none:
    squares are soon computed, and half as many numbers are fetched.
    """
    width, n_squares = columns.shape[1], centres.size
    n, low = np.uint64(n_items), np.uint64(start)
    if width == 1 and n_squares == 1:  # one metric: a running sum in memory would take most of the time
        total, squares, centre = 0.0, 0.0, centres[0]
        for i in range(k // 2):
            word = _word(seed, np.uint64(i))
            x, y = columns[low + _below(n, word), 0], columns[low + _below(n, word >> _S32), 0]
            total += x + y
            x, y = x - centre, y - centre
            squares += x * x + y * y
        if k % 2:
            x = columns[low + _below(n, _word(seed, np.uint64(k // 2))), 0]
            total += x
            squares += (x - centre) * (x - centre)
        out[0] += total
        out[1] += squares
        return
    for i in range(k // 2):
        word = _word(seed, np.uint64(i))
        first, second = low + _below(n, word), low + _below(n, word >> _S32)
        for c in range(width):
            out[c] += columns[first, c] + columns[second, c]
        for c in range(n_squares):
            x, y = columns[first, c] - centres[c], columns[second, c] - centres[c]
            out[width + c] += x * x + y * y
    if k % 2:
        last = low + _below(n, _word(seed, np.uint64(k // 2)))
        for c in range(width):
            out[c] += columns[last, c]
        for c in range(n_squares):
            x = columns[last, c] - centres[c]
            out[width + c] += x * x


@njit(cache=True, nogil=True)
def bootstrap_sums(columns: FloatArray, centres: FloatArray, seeds: SeedArray) -> FloatArray:
    """Sum the rows of `columns` over items drawn with replacement, for each seed; then squares about `centres`."""
    n_items, width = columns.shape
    out = np.zeros((seeds.size, width + centres.size))
    for d in range(seeds.size):
        add_drawn(columns, centres, int(np.int64(0)), n_items, seeds[d], n_items, out[d])
    return out


@njit(cache=True, nogil=True)
def bootstrap_sums_of_each(columns: FloatArray, centres: FloatArray, seeds: SeedArray) -> FloatArray:
    """Return the `bootstrap_sums` of each data set, with as many of the seeds: (data sets, draws, sums)."""
    n_data_sets, _, width = columns.shape
    n_draws = seeds.size // n_data_sets
    out = np.empty((n_data_sets, n_draws, width + centres.shape[1]))
    for i in range(n_data_sets):
        out[i] = bootstrap_sums(columns[i], centres[i], seeds[i * n_draws : (i + 1) * n_draws])
    return out


@njit(cache=True, nogil=True)
def swap_table(columns: FloatArray) -> FloatArray:
    """Return the sum of every eight items under each of their 256 patterns of signs: (columns, eights, 256)."""
    n_items, width = columns.shape
    table = np.zeros((width, (n_items + 7) // 8, 256))
    for c in range(width):
        for eight in range(table.shape[1]):
            sums, n = table[c, eight], 1
            for i in range(8 * eight, 8 * eight + 8):  # each item doubles the patterns, without and with a minus
                value = columns[i, c] if i < n_items else 0.0
                for pattern in range(n):
                    sums[n + pattern] = sums[pattern] - value
                    sums[pattern] += value
                n *= 2
    return table


@njit(cache=True, nogil=True)
def swap_sums(table: FloatArray, seeds: SeedArray) -> FloatArray:
    """Sum the columns of a `swap_table` with the sign of a fair coin for each item, for each seed.

    The coins are those of `draw_swaps`; a byte of a word holds eight of them, and one look-up adds eight items.
    """
    width, n_eights, _ = table.shape
    out = np.empty((seeds.size, width))
    words = np.empty((min(seeds.size, _ABREAST), (n_eights + 7) // 8), dtype=np.uint64)
    for low in range(0, seeds.size, _ABREAST):  # a column's part of the table is read while it is in the cache
        n = min(_ABREAST, seeds.size - low)
        for d in range(n):
            for w in range(words.shape[1]):
                words[d, w] = _word(seeds[low + d], np.uint64(w))
        for c in range(width):
            for d in range(n):
                total = 0.0
                word = np.uint64(0)
                for eight in range(n_eights):
                    if eight % 8 == 0:
                        word = words[d, eight // 8]
                    total += table[c, eight, word & _BYTE]
                    word >>= _EIGHT
                out[low + d, c] = total
    return out


@njit(cache=True, nogil=True)
def swap_sums_of_each(columns: FloatArray, seeds: SeedArray) -> FloatArray:
    """Return the `swap_sums` of each data set, with as many of the seeds: (data sets, draws, sums)."""
    n_data_sets, _, width = columns.shape
    n_draws = seeds.size // n_data_sets
    out = np.empty((n_data_sets, n_draws, width))
    for i in range(n_data_sets):
        out[i] = swap_sums(swap_table(columns[i]), seeds[i * n_draws : (i + 1) * n_draws])
    return out


@njit(cache=True, nogil=True)
def gather(rows: FloatArray, items: IntArray, out: FloatArray) -> None:
    """Write the rows of the drawn items: (draws, items, width)."""
    n_draws, n_items = items.shape
    for d in range(n_draws):
        for i in range(n_items):
            item = np.uint64(items[d, i])
            for c in range(rows.shape[1]):
                out[d, i, c] = rows[item, c]
