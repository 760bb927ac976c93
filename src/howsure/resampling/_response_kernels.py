"""The loops that draw responses: `n_out[item]` of each item, with replacement, and what is made of them, in `out`.

`items` is (draws, items), or empty when each item is kept once. Where resamples are few, `_numbered_kernels` look them
up instead.
"""

import numpy as np

from howsure._compiled import njit
from howsure.data.scales import FloatArray, IntArray
from howsure.resampling._kernels import _EIGHT, _ONE, _S32, _THREE, SeedArray, _below, _word

COUNTS, SORTED, VALUES = 0, 1, 2

_SEVEN, _S56 = np.uint64(7), np.uint64(56)
_ONES, _HIGH = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)


@njit(cache=True, nogil=True)
def _most_responses(offsets: IntArray) -> int:
    """Return how many responses the item with the most of them has."""
    most = np.int64(0)
    for i in range(offsets.size - 1):
        most = max(most, offsets[i + 1] - offsets[i])
    return int(most)


@njit(cache=True, nogil=True)
def draw_means(
    values: FloatArray, offsets: IntArray, n_out: IntArray, items: IntArray, seeds: SeedArray, out: FloatArray
) -> None:
    """Write the mean of the drawn responses: (draws, items)."""
    n_items = out.shape[1]
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
        for i in range(np.uint64(out.shape[1])):
            item = np.uint64(items[d, i]) if items.size else np.uint64(i)
            start = np.uint64(offsets[item])
            n = np.uint64(offsets[item + _ONE]) - start
            out[d, i] = values[start + _below(n, _word(seed, np.uint64(i)))]


@njit(cache=True, nogil=True)
def draw_counts(
    codes: IntArray, offsets: IntArray, n_out: IntArray, items: IntArray, seeds: SeedArray, out: FloatArray
) -> None:
    """Write how often each level was drawn: (draws, items, levels)."""
    n_items = out.shape[1]
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
    n_items = out.shape[1]
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
    n_items = out.shape[1]
    drawn = np.zeros(_most_responses(offsets), dtype=np.int64)
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


@njit(cache=True, nogil=True, inline="always")
def _shuffle(order: IntArray, start: int, size: int, seed: np.uint64, at: np.uint64) -> np.uint64:
    """Write the places of an item's responses in random order; return the number of the next word."""
    for j in range(size):
        order[j] = start + j
    for j in range(size - 1):
        other = np.uint64(j) + _below(np.uint64(size - j), _word(seed, at))
        at += _ONE
        own = order[j]
        order[j] = order[other]
        order[other] = own
    return at


@njit(cache=True, nogil=True)
def deal_means(
    values: FloatArray,
    offsets: IntArray,
    n_first: IntArray,
    items: IntArray,
    seeds: SeedArray,
    first: FloatArray,
    rest: FloatArray,
) -> None:
    """Shuffle each item's responses; write the mean of the first `n_first`, and that of the rest: (draws, items)."""
    shares = np.empty((2, values.size))  # what a response adds to either mean
    for i in range(offsets.size - 1):
        for j in range(offsets[i], offsets[i + 1]):
            shares[0, j] = values[j] / n_first[i]
            shares[1, j] = values[j] / (offsets[i + 1] - offsets[i] - n_first[i])
    order = np.empty(_most_responses(offsets), dtype=np.int64)
    for d in range(seeds.size):
        at = np.uint64(0)
        for i in range(first.shape[1]):
            item = np.uint64(items[d, i] if items.size else i)
            start = offsets[item]
            size, k = offsets[item + _ONE] - start, n_first[item]
            at = _shuffle(order, start, size, seeds[d], at)
            total = 0.0
            for j in range(k):
                total += shares[0, np.uint64(order[j])]
            first[d, i] = total
            total = 0.0
            for j in range(k, size):
                total += shares[1, np.uint64(order[j])]
            rest[d, i] = total


@njit(cache=True, nogil=True)
def deal_responses(
    values: FloatArray,
    codes: IntArray,
    offsets: IntArray,
    n_first: IntArray,
    items: IntArray,
    seeds: SeedArray,
    what: int,
    first: FloatArray,
    rest: FloatArray,
) -> None:
    """Shuffle each item's responses; write the first `n_first` and the rest, or their counts: (draws, items, width)."""
    first[: seeds.size] = 0.0 if what == COUNTS else np.nan
    rest[: seeds.size] = 0.0 if what == COUNTS else np.nan
    order = np.empty(_most_responses(offsets), dtype=np.int64)
    dealt = np.empty(order.size, dtype=np.bool_)
    for d in range(seeds.size):
        at = np.uint64(0)
        for i in range(first.shape[1]):
            item = items[d, i] if items.size else i
            start = offsets[item]
            size, k = offsets[item + 1] - start, n_first[item]
            at = _shuffle(order, start, size, seeds[d], at)
            if what == COUNTS:
                for j in range(k):
                    first[d, i, codes[order[j]]] += 1.0
                for j in range(k, size):
                    rest[d, i, codes[order[j]]] += 1.0
                continue
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
            for j in range(k):
                first[d, i, j] = values[order[j]]
            for j in range(k, size):
                rest[d, i, j - k] = values[order[j]]
