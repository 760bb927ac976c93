"""Ranks of weighted entries; compiled on first use.

A draw gives every entry a weight: how often its item was drawn, or whether a swap chose it. Entries were put in order
once; a rank is then a running sum of weights, and no draw sorts. Sixteen draws lie side by side, a row of sixteen lanes
for each entry: what is fetched out of order, a row, serves all of them. The rows of a block are touched before they are
needed, so that the processor waits for many at a time. The loop over a row has a bound that the compiler does not
know: it then makes vectors of it, where it would write out sixteen steps. Ranks are doubled, so that all are whole
numbers; indices are unsigned: negative ones cost a branch each. Plain twins are in the tests.
"""

import numpy as np
import numpy.typing as npt

from assay._compiled import njit
from assay.scales import FloatArray

Weights = npt.NDArray[np.uint8]
Marks = npt.NDArray[np.bool_]
Entries = npt.NDArray[np.int32]
Ranked = npt.NDArray[np.uint32]

LANES = 16
"""This many draws lie side by side: their ranks are one line of the processor's cache."""

WEIGHT_BITS = 6
"""A row of ranks holds rank and weight of each draw in one word: the weight in so many of its lowest bits.

That one item is drawn 64 times or more has a probability below 1e-89, however many there are."""

BLOCK = 64
"""This many rows are touched before the first is used."""

_SUMMED = 256
"""This many weights are looked at together; the sum of their cubes fits into 32 bits."""

_BITS, _WEIGHT = np.uint32(WEIGHT_BITS), np.uint32(2**WEIGHT_BITS - 1)
_ONE, _TWO = np.uint32(1), np.uint32(2)
_EVEN, _PAIR = np.uint64(0x00FF00FF00FF00FF), np.uint64(0xFFFF)
_EIGHT, _S16 = np.uint64(8), np.uint64(16)
_SECOND, _THIRD = np.uint64(LANES), np.uint64(2 * LANES)


@njit(cache=True, nogil=True)
def last_of_equals(values: FloatArray, entries: npt.NDArray[np.int64], tie: float) -> Marks:
    """Mark, of entries in order, those after which comes one that is farther away than a tie, and the last of all."""
    ends = np.ones(entries.size, dtype=np.bool_)
    for i in range(entries.size - 1):
        ends[i] = abs(values[np.uint64(entries[i + 1])] - values[np.uint64(entries[i])]) > tie
    return ends


@njit(cache=True, nogil=True)
def side_by_side(weights: Weights, rows: Weights) -> None:
    """Write draws, (draws, entries), as rows, (entries, lanes); lanes without a draw are zero."""
    n_draws, n = weights.shape
    words, eight = rows.view(np.uint64), np.empty(_SUMMED, dtype=np.uint64)
    for first in range(0, rows.shape[1], 8):
        for begin in range(0, n, _SUMMED):
            m = min(_SUMMED, n - begin)
            eight[:] = 0
            for d in range(first, min(first + 8, n_draws)):
                part, shift = weights[d, begin : begin + m], np.uint64(8 * (d - first))
                for i in range(m):
                    eight[i] |= np.uint64(part[i]) << shift
            for i in range(m):
                words[begin + i, first // 8] = eight[i]


@njit(cache=True, nogil=True)
def power_sums(weights: Weights, out: FloatArray) -> None:
    """Write the sum of each draw's weights, of their squares and of their cubes: (3, lanes)."""
    out[:] = 0.0
    for d in range(len(weights)):
        for begin in range(0, weights.shape[1], _SUMMED):
            part = weights[d, begin : begin + _SUMMED]
            total, squares, cubes = np.uint32(0), np.uint32(0), np.uint32(0)
            for i in range(part.size):
                weight = np.uint32(part[i])
                square = np.uint32(weight * weight)
                total += weight
                squares += square
                cubes += np.uint32(square * weight)
            out[0, d] += float(total)
            out[1, d] += float(squares)
            out[2, d] += float(cubes)


@njit(cache=True, nogil=True)
def largest(rows: Weights) -> int:
    """Return the largest weight, or 1."""
    most, weights = np.uint8(1), rows.reshape(-1)
    for j in range(weights.size):
        most = max(most, weights[j])
    return int(most)


@njit(cache=True, nogil=True)
def add_up(entries: Entries, stops: Entries, weights: Weights, rows: Weights, out: npt.NDArray[np.int32]) -> None:
    """Write the summed weights of each bin's entries, for each draw: (draws, bins), with room for whole rows of draws.

    The entries of the first bin come first, up to the first of the `stops`. Four words hold the sums of a row, sixteen
    bits each: those of 256 weights fit.
    """
    words = rows.view(np.uint64)
    out[:] = 0
    for low in range(0, len(out), LANES):
        side_by_side(weights[low : low + LANES], rows)
        start = 0
        for b in range(stops.size):
            for begin in range(start, stops[b], _SUMMED):
                even, odd, even_b, odd_b = np.uint64(0), np.uint64(0), np.uint64(0), np.uint64(0)
                for k in range(begin, min(begin + _SUMMED, stops[b])):
                    entry = np.uint64(entries[k])
                    first, second = words[entry, 0], words[entry, 1]
                    even += first & _EVEN
                    odd += (first >> _EIGHT) & _EVEN
                    even_b += second & _EVEN
                    odd_b += (second >> _EIGHT) & _EVEN
                for d in range(low, low + 8, 2):
                    out[d, b] += np.int32(even & _PAIR)
                    out[d + 1, b] += np.int32(odd & _PAIR)
                    out[d + 8, b] += np.int32(even_b & _PAIR)
                    out[d + 9, b] += np.int32(odd_b & _PAIR)
                    even, odd, even_b, odd_b = even >> _S16, odd >> _S16, even_b >> _S16, odd_b >> _S16
            start = stops[b]


@njit(cache=True, nogil=True)
def rank(entries: Entries, ends: Marks, rows: Weights, out: Ranked) -> FloatArray:
    """Write ranks and weights of the entries in this order; `ends` marks the last of those that are equal.

    Return, for each draw, by how much the cubed weights of equal entries exceed the sum of their cubes.
    """
    n, start = entries.size, 0
    before, excess = np.zeros(LANES, dtype=np.uint32), np.zeros(LANES)
    while start < n:
        stop = _singles(ends, start)
        for low in range(start, stop, BLOCK):
            high = min(low + BLOCK, stop)
            _rank_singles(entries[low:high], rows, before, out[low:high])
        if stop < n:
            start, stop = stop, _group(ends, stop)
            _rank_group(entries[start:stop], rows, before, out[start:stop], excess)
        start = stop
    return excess


@njit(cache=True, nogil=True)
def _singles(ends: Marks, start: int) -> int:
    """Return where the entries from here on stop that have no equals."""
    stop = start
    while stop < ends.size and ends[stop]:
        stop += 1
    return stop


@njit(cache=True, nogil=True)
def _group(ends: Marks, start: int) -> int:
    """Return where the group of equal entries stops that starts here."""
    stop = start
    while not ends[stop]:
        stop += 1
    return stop + 1


@njit(cache=True, nogil=True)
def _rank_singles(entries: Entries, rows: Weights, before: Ranked, out: Ranked) -> int:
    """Rank the entries of a block; the result only makes sure that its rows are touched."""
    lanes, touched = rows.shape[1], np.uint8(0)
    for k in range(entries.size):
        touched |= rows[np.uint64(entries[k]), 0]
    for k in range(entries.size):
        row, there = rows[np.uint64(entries[k])], out[k]
        for d in range(lanes):
            weight, sums = np.uint32(row[d]), before[d]
            there[d] = np.uint32(np.uint32(_TWO * sums + weight + _ONE) << _BITS) | weight
            before[d] = sums + weight
    return int(touched)


@njit(cache=True, nogil=True)
def _rank_group(entries: Entries, rows: Weights, before: Ranked, out: Ranked, excess: FloatArray) -> None:
    lanes = rows.shape[1]
    here, cubes = np.zeros(lanes, dtype=np.uint32), np.zeros(lanes)
    for k in range(entries.size):
        row = rows[np.uint64(entries[k])]
        for d in range(lanes):
            weight = np.uint32(row[d])
            here[d] += weight
            cubes[d] += float(np.uint32(weight * np.uint32(weight * weight)))
    for k in range(entries.size):
        row, there = rows[np.uint64(entries[k])], out[k]
        for d in range(lanes):
            there[d] = np.uint32(np.uint32(_TWO * before[d] + here[d] + _ONE) << _BITS) | np.uint32(row[d])
    for d in range(lanes):
        excess[d] += float(here[d]) ** 3 - cubes[d]
        before[d] += here[d]


@njit(cache=True, nogil=True)
def share(entries: Entries, ends: Marks, ranked: Ranked, run: int) -> tuple[FloatArray, FloatArray]:
    """Return the sum of weight × rank in the other order × rank in this one, for each draw; then what `rank` returns.

    Such sums of `run` entries, ranked among themselves, fit into 32 bits.
    """
    n, start = entries.size, 0
    before, excess, out = np.zeros(LANES, dtype=np.uint32), np.zeros(LANES), np.zeros(LANES)
    while start < n:
        stop = _singles(ends, start)
        for low in range(start, stop, BLOCK):
            _share_singles(entries[low : min(low + BLOCK, stop)], ranked, run, before, out)
        if stop < n:
            start, stop = stop, _group(ends, stop)
            _share_group(entries[start:stop], ranked, before, out, excess)
        start = stop
    return out, excess


@njit(cache=True, nogil=True)
def _share_singles(entries: Entries, ranked: Ranked, run: int, before: Ranked, out: FloatArray) -> int:
    """Add what the entries of a block share; the result only makes sure that its rows are touched."""
    n, lanes, touched = entries.size, ranked.shape[1], np.uint32(0)
    products, sums = np.zeros(lanes, dtype=np.uint64), np.zeros(3 * LANES, dtype=np.uint32)
    for k in range(n):
        touched |= ranked[np.uint64(entries[k]), 0]
    for begin in range(0, n, run):
        for k in range(begin, min(begin + run, n)):
            row = ranked[np.uint64(entries[k])]
            for d in range(np.uint64(lanes)):
                weight, here = row[d] & _WEIGHT, sums[d]
                other = np.uint32(weight * (row[d] >> _BITS))
                sums[d + _SECOND] += np.uint32(other * np.uint32(_TWO * here + weight))
                sums[d + _THIRD] += other
                sums[d] = here + weight
        for d in range(lanes):
            others = np.uint64(sums[2 * LANES + d]) * np.uint64(np.uint32(_TWO * before[d] + _ONE))
            products[d] += np.uint64(sums[LANES + d]) + others
            before[d] += sums[d]
        sums[:] = 0
    for d in range(lanes):
        out[d] += float(products[d])
    return int(touched)


@njit(cache=True, nogil=True)
def _share_group(entries: Entries, ranked: Ranked, before: Ranked, out: FloatArray, excess: FloatArray) -> None:
    lanes = ranked.shape[1]
    here, others, cubes = np.zeros(lanes, dtype=np.uint32), np.zeros(lanes, dtype=np.uint64), np.zeros(lanes)
    for k in range(entries.size):
        row = ranked[np.uint64(entries[k])]
        for d in range(lanes):
            weight = row[d] & _WEIGHT
            others[d] += np.uint64(np.uint32(weight * (row[d] >> _BITS)))
            here[d] += weight
            cubes[d] += float(np.uint32(weight * np.uint32(weight * weight)))
    for d in range(lanes):
        out[d] += float(others[d]) * float(_TWO * before[d] + here[d] + _ONE)
        excess[d] += float(here[d]) ** 3 - cubes[d]
        before[d] += here[d]


@njit(cache=True, nogil=True)
def correlate(
    gold: tuple[Entries, Marks],
    models: tuple[Entries, Marks],
    weights: Weights,
    rows: Weights,
    ranked: Ranked,
    out: FloatArray,
) -> None:
    """Write, for each model, the sum of weights, cubed groups of gold and of the model, and shared ranks of each draw.

    `out` is (models, 4, draws), with room for whole rows of draws; a model's entries are numbered in gold's order.
    """
    entries, ends = models
    powers = np.empty((3, LANES))
    for low in range(0, out.shape[2], LANES):
        high = low + LANES
        side_by_side(weights[low:high], rows)
        power_sums(weights[low:high], powers)
        in_gold = rank(gold[0], gold[1], rows, ranked)
        run = max(1, int(np.sqrt(2.0**32 / (2 * powers[0].max() + 1))) // largest(rows))
        for m in range(len(entries)):
            shared, in_model = share(entries[m], ends[m], ranked, run)
            for d in range(LANES):  # numbers one by one: rows assigned to slices take seconds to compile
                out[m, 0, low + d] = powers[0, d]
                out[m, 1, low + d] = powers[2, d] + in_gold[d]
                out[m, 2, low + d] = powers[2, d] + in_model[d]
                out[m, 3, low + d] = shared[d]
