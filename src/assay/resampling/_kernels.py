"""The loops that draw. Each is a pure function of data and seeds, with a plain NumPy twin in the tests.

Every draw has a 64-bit seed; its i-th random word is SplitMix64 at counter i (Steele, Lea & Flood 2014), so a draw
does not depend on any other draw, thread or block. A word makes two indices, from its low and then its high 32 bits:
an index below n is the high part of bits × n. Each item starts on a fresh word.
"""

import numpy as np
import numpy.typing as npt

from assay._compiled import njit
from assay.scales import FloatArray, IntArray

SeedArray = npt.NDArray[np.uint64]

MEANS, COUNTS, SORTED, VALUES = 0, 1, 2, 3

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_LOW = np.uint64(0xFFFFFFFF)
_ONE, _THREE, _SEVEN, _EIGHT = np.uint64(1), np.uint64(3), np.uint64(7), np.uint64(8)
_S27, _S30, _S31, _S32, _S56 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32), np.uint64(56)
_ABREAST = 256  # draws
_BYTE, _ONES, _HIGH = np.uint64(0xFF), np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)


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
        add_drawn(columns, centres, 0, n_items, seeds[d], n_items, out[d])
    return out


@njit(cache=True, nogil=True)
def swap_table(columns: FloatArray) -> FloatArray:
    """Return the sum of every eight items under each of their 256 patterns of signs: (columns, eights, 256)."""
    n_items, width = columns.shape
    table = np.zeros((width, (n_items + 7) // 8, 256))
    for c in range(width):
        for i in range(n_items):
            for pattern in range(256):
                minus = (pattern >> (i % 8)) & 1
                table[c, i // 8, pattern] += -columns[i, c] if minus else columns[i, c]
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
def gather(rows: FloatArray, items: IntArray, out: FloatArray) -> None:
    """Write the rows of the drawn items: (draws, items, width)."""
    n_draws, n_items = items.shape
    for d in range(n_draws):
        for i in range(n_items):
            item = np.uint64(items[d, i])
            for c in range(rows.shape[1]):
                out[d, i, c] = rows[item, c]


# The kernels below draw `n_out[item]` responses of each item with replacement and write what they make of them to
# `out`. `items` is (draws, items), or empty when each item is kept once. Where resamples are few, `_numbered_kernels`
# look them up instead.


@njit(cache=True, nogil=True)
def draw_means(
    values: FloatArray, offsets: IntArray, n_out: IntArray, items: IntArray, seeds: SeedArray, out: FloatArray
) -> None:
    """Write the mean of the drawn responses: (draws, items)."""
    n_items = offsets.size - 1
    for d in range(seeds.size):
        seed = seeds[d]
        at = np.uint64(0)
        for i in range(n_items):
            item = np.uint64(items[d, i] if items.size else i)
            start = np.uint64(offsets[item])
            n = np.uint64(offsets[item + _ONE]) - start
            k = n_out[item]
            total = 0.0
            for _ in range(k // 2):
                word = _word(seed, at)
                at += _ONE
                total += values[start + _below(n, word)]
                total += values[start + _below(n, word >> _S32)]
            if k % 2:
                total += values[start + _below(n, _word(seed, at))]
                at += _ONE
            out[d, i] = total / k


@njit(cache=True, nogil=True)
def draw_singles(values: FloatArray, offsets: IntArray, items: IntArray, seeds: SeedArray, out: FloatArray) -> None:
    """Write one response of each item: what `draw_means` writes where it draws one."""
    for d in range(seeds.size):
        seed = seeds[d]
        for i in range(np.uint64(offsets.size - 1)):
            item = np.uint64(items[d, i]) if items.size else np.uint64(i)
            start = np.uint64(offsets[item])
            n = np.uint64(offsets[item + _ONE]) - start
            out[d, i] = values[start + _below(n, _word(seed, np.uint64(i)))]


@njit(cache=True, nogil=True)
def draw_counts(
    codes: IntArray, offsets: IntArray, n_out: IntArray, items: IntArray, seeds: SeedArray, out: FloatArray
) -> None:
    """Write how often each level was drawn: (draws, items, levels)."""
    n_items = offsets.size - 1
    out[: seeds.size] = 0.0
    for d in range(seeds.size):
        seed = seeds[d]
        at = np.uint64(0)
        for i in range(n_items):
            item = np.uint64(items[d, i] if items.size else i)
            start = np.uint64(offsets[item])
            n = np.uint64(offsets[item + _ONE]) - start
            k = n_out[item]
            for _ in range(k // 2):
                word = _word(seed, at)
                at += _ONE
                out[d, i, codes[start + _below(n, word)]] += 1.0
                out[d, i, codes[start + _below(n, word >> _S32)]] += 1.0
            if k % 2:
                out[d, i, codes[start + _below(n, _word(seed, at))]] += 1.0
                at += _ONE


@njit(cache=True, nogil=True)
def draw_values(
    values: FloatArray,
    offsets: IntArray,
    n_out: IntArray,
    items: IntArray,
    seeds: SeedArray,
    out: FloatArray,
    means: FloatArray,
) -> None:
    """Write the drawn responses in the order drawn, NaN after the last: (draws, items, width).

    Where `means` is not empty, write their means to it, as `draw_means` does: (draws, items).
    """
    n_items = offsets.size - 1
    for d in range(seeds.size):
        seed = seeds[d]
        at = np.uint64(0)
        for i in range(n_items):
            item = np.uint64(items[d, i] if items.size else i)
            start = np.uint64(offsets[item])
            n = np.uint64(offsets[item + _ONE]) - start
            k = n_out[item]
            total = 0.0
            for j in range(0, k - 1, 2):
                word = _word(seed, at)
                at += _ONE
                first, second = values[start + _below(n, word)], values[start + _below(n, word >> _S32)]
                out[d, i, j], out[d, i, j + 1] = first, second
                total += first
                total += second
            if k % 2:
                last = values[start + _below(n, _word(seed, at))]
                at += _ONE
                out[d, i, k - 1] = last
                total += last
            for j in range(k, out.shape[2]):
                out[d, i, j] = np.nan
            if means.size:
                means[d, i] = total / k


@njit(cache=True, nogil=True)
def draw_sorted(
    values: FloatArray, offsets: IntArray, n_out: IntArray, items: IntArray, seeds: SeedArray, out: FloatArray
) -> None:
    """Write the drawn responses in ascending order, NaN after the last: (draws, items, width).

    The values of each item must be in ascending order: counting how often each position was drawn then sorts. Counts of
    up to eight positions, each below 128, are kept as the eight bytes of one word: no memory is touched while drawing.
    """
    n_items = offsets.size - 1
    drawn = np.zeros(np.max(offsets[1:] - offsets[:-1]), dtype=np.int64)
    for d in range(seeds.size):
        seed = seeds[d]
        at = np.uint64(0)
        for i in range(n_items):
            item = np.uint64(items[d, i] if items.size else i)
            start = np.uint64(offsets[item])
            n = np.uint64(offsets[item + _ONE]) - start
            k = n_out[item]
            if n <= _EIGHT and k < 128:
                packed = np.uint64(0)
                for _ in range(k // 2):
                    word = _word(seed, at)
                    at += _ONE
                    packed += _ONE << (_below(n, word) << _THREE)
                    packed += _ONE << (_below(n, word >> _S32) << _THREE)
                if k % 2:
                    packed += _ONE << (_below(n, _word(seed, at)) << _THREE)
                    at += _ONE
                # The product holds the running counts, a byte each. The j-th smallest value stands after the positions
                # whose running count is at most j: those bytes keep their high bit when taken from j + 128.
                running = packed * _ONES
                for j in range(k):
                    passed = ((np.uint64(j) * _ONES) | _HIGH) - running
                    out[d, i, j] = values[start + ((((passed & _HIGH) >> _SEVEN) * _ONES) >> _S56)]
            else:
                for j in range(k):
                    word = _word(seed, at)
                    if j % 2:
                        word >>= _S32
                        at += _ONE
                    drawn[_below(n, word)] += 1
                at += np.uint64(k % 2)
                j = 0
                for position in range(n):
                    for _ in range(drawn[position]):
                        out[d, i, j] = values[start + position]
                        j += 1
                    drawn[position] = 0
            for j in range(k, out.shape[2]):
                out[d, i, j] = np.nan


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
    dealt = np.empty(order.size, dtype=np.bool_)
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
                other = j + np.int64(_below(np.uint64(size - j), _word(seed, at)))
                at += _ONE
                order[j], order[other] = order[other], order[j]
            if what == SORTED:
                for j in range(size):
                    dealt[order[j] - start] = j < k
                one, two = 0, k
                for j in range(size):
                    if dealt[j]:
                        order[one] = start + j
                        one += 1
                    else:
                        order[two] = start + j
                        two += 1
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
