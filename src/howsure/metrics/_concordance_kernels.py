"""Pairs of weighted entries that stand in a given order, as AUC and Kendall's τ count them; compiled on first use.

Weights, entries and lanes are as in `_weighted_kernels`. Sums of few weights are kept in 16 bits, the narrowest numbers
that hold them. Plain twins are in the tests.
"""

import numpy as np

from howsure._compiled import njit
from howsure.metrics._weighted_kernels import BLOCK, SUMMED, Entries, Marks, Weights, largest, side_by_side
from howsure.scales import FloatArray, IntArray

LANES = 32
"""This many draws lie side by side, which have a byte each in a row."""

SAFE = 511
"""Pairs between entries whose weights have this sum are fewer than 2¹⁶, however they are divided."""

NEAR = 9
"""This many levels of merge sort are counted block by block, while the rows of a block are near the processor."""

_ONE, _SECOND, _THIRD = np.uint64(1), np.uint64(LANES), np.uint64(2 * LANES)


@njit(cache=True, nogil=True)
def safe_run(rows: Weights) -> int:
    """Return how many entries have at most the weight `SAFE`, whichever they are: a power of two."""
    most, run = largest(rows), BLOCK
    while run * most > SAFE:
        run //= 2
    return run


@njit(cache=True, nogil=True)
def count_pairs(
    entries: Entries, kinds: Entries, bit: int | np.int64, width: int, run: int, rows: Weights, out: FloatArray
) -> int:
    """Add, for each draw, the pairs of an entry of the first kind and a later one of the second.

    An entry is of the second kind where this bit of `kinds` is set. Pairs are within blocks of `width` entries, a power
    of two. Returns bits of the rows that were touched, which say nothing.
    """
    n, lanes = entries.size, rows.shape[1]
    before, touched, shift = np.zeros(lanes, dtype=np.uint32), np.uint8(0), np.uint64(bit)
    sums = np.zeros(3 * LANES, dtype=np.uint16)  # of first kind, of pairs, of second kind
    for begin in range(0, n, run):
        stop = min(begin + run, n)
        for k in range(begin, stop):
            touched |= rows[np.uint64(entries[k]), 0]
        if begin % width == 0:
            before[:] = 0
        for k in range(begin, stop):
            if k & (width - 1) == 0:
                sums[:LANES] = 0
            row = rows[np.uint64(entries[k])]
            mask = np.uint16(-np.int16((np.uint64(kinds[k]) >> shift) & _ONE))
            for d in range(np.uint64(lanes)):
                weight, first = np.uint16(row[d]), sums[d]
                second = np.uint16(weight & mask)
                sums[d + _SECOND] += np.uint16(second * first)
                sums[d + _THIRD] += second
                sums[d] = np.uint16(first + np.uint16(weight - second))
        for d in range(lanes):
            pairs = np.uint64(sums[LANES + d]) + np.uint64(before[d]) * np.uint64(sums[2 * LANES + d])
            out[d] += float(pairs)
            before[d] += np.uint32(sums[d])
        sums[:] = 0
    return int(touched)


@njit(cache=True, nogil=True)
def areas(
    positive: Entries, entries: Entries, is_positive: Weights, weights: Weights, rows: Weights, out: FloatArray
) -> None:
    """Write how often a positive entry stands above a negative one in each order, and both kinds' weights.

    `positive` is 1 in the order of `entries`, (orders, entries); `out` is (orders + 2, draws).
    """
    n_orders, n = entries.shape
    width = 1
    while width < n:
        width *= 2
    for low in range(0, out.shape[1], LANES):
        part = weights[low : low + LANES]
        side_by_side(part, rows)
        run = safe_run(rows)
        for i in range(n_orders):
            found = np.zeros(LANES)
            count_pairs(entries[i], positive[i], np.int64(0), width, run, rows, found)
            for d in range(LANES):
                out[i, low + d] = found[d]
        for d in range(len(part)):
            of_positive, of_all = 0, 0
            for i in range(n):
                of_positive += part[d, i] * is_positive[i]
                of_all += part[d, i]
            out[n_orders, low + d] = of_positive
            out[n_orders + 1, low + d] = of_all - of_positive


@njit(cache=True, nogil=True)
def group_squares(entries: Entries, ends: Marks, rows: Weights) -> FloatArray:
    """Return the sum of the groups' squared weights, for each draw; `ends` marks the last of a group."""
    n, lanes = rows.shape
    here, out = np.zeros(lanes, dtype=np.uint32), np.zeros(lanes)
    for k in range(n):
        row = rows[np.uint64(entries[k])]
        for d in range(lanes):
            here[d] += np.uint32(row[d])
        if ends[k]:
            for d in range(lanes):
                out[d] += float(here[d]) ** 2
                here[d] = 0
    return out


@njit(cache=True, nogil=True)
def sums_and_squares(weights: Weights, out: FloatArray) -> None:
    """Write the sum of each draw's weights and of their squares: (2, lanes)."""
    out[:] = 0.0
    for d in range(len(weights)):
        for begin in range(0, weights.shape[1], SUMMED):
            part = weights[d, begin : begin + SUMMED]
            total, squares = np.uint32(0), np.uint32(0)
            for i in range(part.size):
                weight = np.uint32(part[i])
                total += weight
                squares += np.uint32(weight * weight)
            out[0, d] += float(total)
            out[1, d] += float(squares)


@njit(cache=True, nogil=True)
def concordance(
    sequence: Entries,
    levels: Entries,
    groups: tuple[Entries, Marks],
    tied: Marks,
    weights: Weights,
    rows: Weights,
    placed: Weights,
    out: FloatArray,
) -> None:
    """Write the sum of weights, squared weights, squared groups, and pairs in order: (3 + groups, draws).

    `sequence` are the entries in gold's order, `levels` their places in the model's order within blocks of 2, 4, 8 …
    places, as merge sort makes them: a place of a block's second half meets what has already come of its first half.
    `groups` are orders with equal entries; where not `tied`, the only equal ones are copies.
    """
    entries, ends = groups
    powers = np.empty((2, LANES))
    words, into = rows.view(np.uint64), placed.view(np.uint64)
    for low in range(0, out.shape[1], LANES):
        high = low + LANES
        side_by_side(weights[low:high], rows)
        sums_and_squares(weights[low:high], powers)
        for d in range(LANES):
            out[0, low + d], out[1, low + d] = powers[0, d], powers[1, d]
        for i in range(len(entries)):
            squares = group_squares(entries[i], ends[i], rows) if tied[i] else powers[1]
            for d in range(LANES):
                out[2 + i, low + d] = squares[d]
        for k in range(sequence.size):
            there = np.uint64(sequence[k])
            for j in range(words.shape[1]):
                into[k, j] = words[there, j]
        run, found = safe_run(rows), np.zeros(LANES)
        n_near = min(NEAR, len(levels))
        for begin in range(0, sequence.size, 1 << NEAR):
            for level in range(n_near):
                order = levels[level, begin : begin + (1 << NEAR)]
                count_pairs(order, order, level, 2 << level, run, placed, found)
        for level in range(n_near, len(levels)):
            count_pairs(levels[level], levels[level], level, 2 << level, run, placed, found)
        for d in range(LANES):
            out[2 + len(entries), low + d] = found[d]


@njit(cache=True, nogil=True)
def merge_orders(values: IntArray, n_levels: int) -> Entries:
    """Return the places in the order of their values within blocks of 2, 4, 8 … places, equal ones in their sequence.

    From the order of all of them down: the two halves of a block keep the order that they have in it. Values are whole
    numbers from 0 on.
    """
    n = np.uint64(values.size)
    levels = np.empty((n_levels, values.size), dtype=np.int32)
    starts = np.zeros(values.max() + 2, dtype=np.int64)
    for k in range(n):
        starts[values[k] + 1] += 1
    for value in range(1, starts.size):
        starts[value] += starts[value - 1]
    for k in range(n):
        levels[n_levels - 1, starts[values[k]]] = k
        starts[values[k]] += 1
    for level in range(n_levels - 1, 0, -1):
        order, into, bit, half = levels[level], levels[level - 1], np.uint64(level), _ONE << np.uint64(level)
        for begin in range(np.uint64(0), n, half + half):
            low, high = np.uint64(begin), np.uint64(begin) + half
            for k in range(begin, min(begin + half + half, n)):
                second = (np.uint64(order[k]) >> bit) & _ONE
                into[high if second else low] = order[k]
                high += second
                low += _ONE - second
    return levels
