"""Ranks of weighted entries; compiled on first use.

A draw gives every entry a weight: how often its item was drawn, or whether a swap chose it. Entries were put in order
once; a rank is then a running sum of weights, and no draw sorts. Draws lie side by side, a row of lanes for each entry:
what is fetched out of order, a row, serves all of them. The rows of a block are fetched before they are used, so that
the processor waits for many at a time.

A row of ranks fills one line of the processor's cache: 32 draws of sixteen bits or 16 draws of 32 bits. A word holds
the weight and by how much the doubled rank differs from the one expected at that place, which is not stored. Sixteen
bits nearly always do; ranks of equal entries in long groups, of clusters or of very many entries may need 32. The same
loops are compiled for both.

The loop over a row has a bound that the compiler does not know: it then makes vectors of it, where it would write out
each step. Each sum and product is cut to its narrow type, since Numba's are of 64 bits. Ranks are doubled, so that all
are whole numbers; indices are unsigned: negative ones cost a branch each. Plain twins are in the tests.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from howsure._compiled import njit
from howsure.data.scales import FloatArray

Weights = npt.NDArray[np.uint8]
Marks = npt.NDArray[np.bool_]
Entries = npt.NDArray[np.int32]
Sums = npt.NDArray[np.uint32]
Ranked = npt.NDArray[Any]
"""Weights and ranks, of 16 or 32 bits."""

ZeroRoom = tuple[Sums, npt.NDArray[np.uint64]]

LANES = 32
"""At most this many draws lie side by side."""

BLOCK = 64
"""This many rows are fetched before the first is used."""

SUMMED = 256
"""This many weights are looked at together: their sum fits into 16 bits, that of their squares into 32."""


_ONE, _TWO = np.uint32(1), np.uint32(2)
_NEXT = np.uint64(1)
_S8, _S16, _S32 = np.uint64(8), np.uint64(16), np.uint64(32)
_SECOND, _THIRD = np.uint64(LANES), np.uint64(2 * LANES)


@njit(cache=True, nogil=True)
def side_by_side(weights: Weights, rows: Weights) -> None:
    """Write draws, (draws, entries), as rows, (entries, lanes); lanes without a draw repeat the last."""
    n_draws, n = weights.shape
    pairs, fours = np.empty((4, SUMMED), dtype=np.uint16), np.empty((2, SUMMED), dtype=np.uint32)
    words = rows.view(np.uint64)
    for begin in range(0, n, SUMMED):
        m = min(SUMMED, n - begin)
        for first in range(0, rows.shape[1], 8):
            for j in range(4):  # two draws to a word of 16 bits, two of those to one of 32, two of those to one of 64
                low = weights[min(first + 2 * j, n_draws - 1), begin : begin + m]
                high, pair = weights[min(first + 2 * j + 1, n_draws - 1), begin : begin + m], pairs[j]
                for i in range(m):
                    pair[i] = np.uint16(low[i]) | np.uint16(np.uint16(high[i]) << _S8)
            for j in range(2):
                left, right, four = pairs[2 * j], pairs[2 * j + 1], fours[j]
                for i in range(m):
                    four[i] = np.uint32(left[i]) | np.uint32(np.uint32(right[i]) << _S16)
            for i in range(m):
                words[begin + i, first // 8] = np.uint64(fours[0, i]) | (np.uint64(fours[1, i]) << _S32)


@njit(cache=True, nogil=True)
def largest(rows: Weights) -> int:
    """Return the largest weight, or 1."""
    most, weights = np.uint8(1), rows.reshape(-1)
    for j in range(weights.size):
        most = max(most, weights[j])
    return int(most)


@njit(cache=True, nogil=True)
def weight_bits(ranked: Ranked) -> np.uint32:
    """Return how many of the lowest bits of a word are its weight: 4 of 16, 6 of 32."""
    return np.uint32(2 + np.iinfo(ranked.dtype).bits // 8)


@njit(cache=True, nogil=True)
def most_of(ranked: Ranked) -> np.uint32:
    """Return one more than the other bits of a word can hold."""
    return np.uint32(1 << (np.iinfo(ranked.dtype).bits - int(weight_bits(ranked))))


@njit(cache=True, nogil=True)
def base_of(place: np.uint64, slope: np.uint64, ranked: Ranked) -> np.uint32:
    """Return what to add to a word's difference to have the doubled rank, modulo 2³².

    The ranks expected grow by `slope` / 2¹⁶ from place to place, and lie in the middle of what a word can hold.
    """
    return np.uint32(np.uint32(np.uint64(place * slope) >> _S16) - np.uint32(most_of(ranked) >> _ONE))


@njit(cache=True, nogil=True)
def new_room() -> ZeroRoom:
    """Return room for sums of a block or a group; whoever uses it leaves zeros."""
    return np.zeros(3 * LANES, dtype=np.uint32), np.zeros(2 * LANES, dtype=np.uint64)


@njit(cache=True, nogil=True)
def expected_slope(weights: npt.NDArray[np.uint8]) -> np.uint64:
    """Return the slope of the ranks that are expected of weights with this sum, in whatever order they are."""
    total = 0
    for i in range(weights.size):
        total += weights[i]
    return np.uint64(total * 2**17 // max(1, weights.size))


@njit(cache=True, nogil=True)
def rank(
    entries: Entries, ends: Marks, rows: Weights, lanes: int, slope: np.uint64, out: Ranked
) -> tuple[bool, Sums, FloatArray, FloatArray]:
    """Write ranks and weights of the entries in this order; `ends` marks the last of those that are equal.

    Return whether the words can hold them and, for each draw, the sum of weights, of their cubes, and by how much the
    cubed weights of equal entries exceed the sum of their cubes.
    """
    n, start, fits = entries.size, int(np.int64(0)), True  # a literal 0 would have what is called compiled twice
    before, cubes, excess = np.zeros(LANES, dtype=np.uint32), np.zeros(LANES), np.zeros(LANES)
    room = new_room()
    while fits and start < n:
        stop = _singles(ends, start)
        while fits and start < stop:
            high = min(start + BLOCK, stop)
            fits = _rank_singles(entries, start, high, rows, lanes, slope, before, cubes, out)
            start = high
        if fits and stop < n:
            stop = _group(ends, start)
            fits = _rank_group(entries, start, stop, rows, lanes, slope, before, cubes, excess, out, room)
            start = stop
    return fits, before, cubes, excess


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
def _rank_singles(
    entries: Entries,
    low: int,
    high: int,
    rows: Weights,
    lanes: int,
    slope: np.uint64,
    before: Sums,
    cubes: FloatArray,
    out: Ranked,
) -> bool:
    """Rank the entries of a block, and return whether the words can hold that."""
    kind, touched, most, heaviest = out.dtype.type, np.uint8(0), np.uint32(0), np.uint32(0)
    for k in range(low, high):
        touched |= rows[np.uint64(entries[k]), 0]
    factor, first = kind(_ONE << weight_bits(out)), base_of(np.uint64(low), slope, out)
    sums, base = np.zeros(2 * LANES, dtype=out.dtype), first  # ranks as words hold them; sums of cubes
    for d in range(lanes):
        sums[d] = kind(np.uint32(_TWO * before[d] + _ONE) - first)
    for k in range(low, high):
        row, there, following = rows[np.uint64(entries[k])], out[k], base_of(np.uint64(k + 1), slope, out)
        step, base = kind(np.uint32(following - base)), following
        for d in range(np.uint64(lanes)):
            weight = kind(row[d])
            middle = kind(sums[d] + weight)
            there[d] = kind(kind(middle * factor) | weight)
            sums[d + _SECOND] += kind(kind(weight * weight) * weight)
            sums[d] = kind(kind(middle + weight) - step)
    span = np.uint32(base - first)
    for d in range(np.uint64(lanes)):  # ranks grow by twice the weights, and shrink by the span
        start = np.uint32(np.uint32(_TWO * before[d] + _ONE) - first)
        grown = np.uint32(kind(np.uint32(np.uint32(sums[d]) + span) - start))
        most |= np.uint32(start - span) | np.uint32(start + grown)  # below a power of two if all are
        heaviest |= grown
        before[d] += grown >> _ONE
        cubes[d] += float(sums[d + _SECOND])
    limit = most_of(out) >> weight_bits(out)  # the cubes of a block that weighs less fit
    return bool(most < most_of(out) and heaviest >> _ONE < limit and touched < factor)


@njit(cache=True, nogil=True)
def _rank_group(
    entries: Entries,
    low: int,
    high: int,
    rows: Weights,
    lanes: int,
    slope: np.uint64,
    before: Sums,
    cubes: FloatArray,
    excess: FloatArray,
    out: Ranked,
    room: ZeroRoom,
) -> bool:
    """Rank entries that are equal, and return whether the words can hold that."""
    kind, most, (ranks, cubed) = out.dtype.type, np.uint32(0), room
    for k in range(low, high):
        row = rows[np.uint64(entries[k])]
        for d in range(np.uint64(lanes)):
            weight = np.uint32(row[d])
            ranks[d] += weight
            cubed[d] += np.uint64(np.uint32(weight * np.uint32(weight * weight)))
    factor = kind(_ONE << weight_bits(out))
    first, last = base_of(np.uint64(low), slope, out), base_of(np.uint64(high - 1), slope, out)
    for d in range(np.uint64(lanes)):
        here = ranks[d]
        excess[d] += float(here) ** 3 - float(cubed[d])
        cubes[d] += float(cubed[d])
        cubed[d] = 0
        ranks[d] = np.uint32(_TWO * before[d] + here + _ONE)
        before[d] += here
        most |= np.uint32(ranks[d] - first) | np.uint32(ranks[d] - last)
    for k in range(low, high):
        row, there, base = rows[np.uint64(entries[k])], out[k], base_of(np.uint64(k), slope, out)
        for d in range(np.uint64(lanes)):
            there[d] = kind(kind(kind(np.uint32(ranks[d] - base)) * factor) | kind(row[d]))
    for d in range(lanes):
        ranks[d] = 0
    return bool(most < most_of(out))


@njit(cache=True, nogil=True)
def share(
    entries: Entries, ends: Marks, ranked: Ranked, lanes: int, slope: np.uint64, run: int, most: np.uint32
) -> tuple[bool, FloatArray, FloatArray]:
    """Return the sum of weight × rank in the other order × rank in this one, for each draw; then `rank`'s excess.

    Such sums of entries ranked among themselves fit into 32 bits where those weigh `most` at most. They are made of
    `run` entries, an even number; the first answer is whether none weighed more, without which the others are void.
    Where `run` is 0, each entry is a group, and all fit.
    """
    n, start, fits = entries.size, 0, True
    before, excess, out = np.zeros(LANES, dtype=np.uint32), np.zeros(LANES), np.zeros(LANES)
    near, room = np.empty((BLOCK, ranked.shape[1]), dtype=ranked.dtype), new_room()
    while start < n:
        stop = _singles(ends, start) if run else start
        if start < stop:
            fits &= _share_singles(entries[start:stop], ranked, lanes, slope, run, most, before, out, near, room)
        if stop < n:
            start, stop = stop, _group(ends, stop)
            _share_group(entries[start:stop], ranked, lanes, slope, before, out, excess, room)
        start = stop
    return fits, out, excess


@njit(cache=True, nogil=True)
def _fetch(entries: Entries, words: npt.NDArray[np.uint64], near: npt.NDArray[np.uint64]) -> None:
    """Write the rows of these entries, eight words each, one after another."""
    for k in range(np.uint64(entries.size)):
        entry = np.uint64(entries[k])
        first, second, third, fourth = words[entry, 0], words[entry, 1], words[entry, 2], words[entry, 3]
        fifth, sixth, seventh, eighth = words[entry, 4], words[entry, 5], words[entry, 6], words[entry, 7]
        near[k, 0], near[k, 1], near[k, 2], near[k, 3] = first, second, third, fourth
        near[k, 4], near[k, 5], near[k, 6], near[k, 7] = fifth, sixth, seventh, eighth


@njit(cache=True, nogil=True)
def _share_singles(
    entries: Entries,
    ranked: Ranked,
    lanes: int,
    slope: np.uint64,
    run: int,
    most: np.uint32,
    before: Sums,
    out: FloatArray,
    near: Ranked,
    room: ZeroRoom,
) -> bool:
    """Add what entries without equals share, two at a time: each sum is then fetched and stored half as often.

    Return whether no run weighed more than `most`.
    """
    n, bits, heaviest, (sums, products) = entries.size, weight_bits(ranked), np.uint32(0), room
    mask = np.uint32((_ONE << bits) - _ONE)
    for low in range(0, n, BLOCK):
        block = entries[low : min(low + BLOCK, n)]
        _fetch(block, ranked.view(np.uint64), near.view(np.uint64))
        if block.size % 2:
            for d in range(lanes):
                near[block.size, d] = 0  # weighs nothing
        for begin in range(0, block.size, run):
            for k in range(begin, min(begin + run, block.size), 2):
                row, next_row = near[np.uint64(k)], near[np.uint64(k) + _NEXT]
                base = base_of(np.uint64(block[k]), slope, ranked)
                next_base = base_of(np.uint64(block[min(k + 1, block.size - 1)]), slope, ranked)
                for d in range(np.uint64(lanes)):
                    word, next_word, here = np.uint32(row[d]), np.uint32(next_row[d]), sums[d]
                    weight, next_weight = np.uint32(word & mask), np.uint32(next_word & mask)
                    other = np.uint32(weight * np.uint32(base + np.uint32(word >> bits)))
                    next_other = np.uint32(next_weight * np.uint32(next_base + np.uint32(next_word >> bits)))
                    between = np.uint32(here + weight)
                    after = np.uint32(between + next_weight)
                    product = np.uint32(other * np.uint32(here + between))
                    sums[d + _SECOND] += np.uint32(product + np.uint32(next_other * np.uint32(between + after)))
                    sums[d + _THIRD] += np.uint32(other + next_other)
                    sums[d] = after
            for d in range(np.uint64(lanes)):
                others = np.uint64(sums[d + _THIRD]) * np.uint64(np.uint32(_TWO * before[d] + _ONE))
                products[d] += np.uint64(sums[d + _SECOND]) + others
                heaviest = max(heaviest, sums[d])
                before[d] += sums[d]
                sums[d] = sums[d + _SECOND] = sums[d + _THIRD] = 0
        for d in range(lanes):
            out[d] += float(products[d])
            products[d] = 0
    return bool(heaviest <= most)


@njit(cache=True, nogil=True)
def _share_group(
    entries: Entries,
    ranked: Ranked,
    lanes: int,
    slope: np.uint64,
    before: Sums,
    out: FloatArray,
    excess: FloatArray,
    room: ZeroRoom,
) -> None:
    bits, (sums, products) = weight_bits(ranked), room
    mask = np.uint32((_ONE << bits) - _ONE)
    for k in range(entries.size):
        row, base = ranked[np.uint64(entries[k])], base_of(np.uint64(entries[k]), slope, ranked)
        for d in range(np.uint64(lanes)):
            word = np.uint32(row[d])
            weight = np.uint32(word & mask)
            products[d] += np.uint64(np.uint32(weight * np.uint32(base + np.uint32(word >> bits))))
            products[d + _SECOND] += np.uint64(np.uint32(weight * np.uint32(weight * weight)))
            sums[d] += weight
    for d in range(np.uint64(lanes)):
        here = sums[d]
        out[d] += float(products[d]) * float(_TWO * before[d] + here + _ONE)
        excess[d] += float(here) ** 3 - float(products[d + _SECOND])
        before[d] += here
        sums[d] = products[d] = products[d + _SECOND] = 0


@njit(cache=True, nogil=True)
def correlate(
    gold: tuple[Entries, Marks],
    models: tuple[Entries, Marks],
    weights: Weights,
    rows: Weights,
    ranked: Ranked,
    out: FloatArray,
) -> bool:
    """Write, for each model, the sum of weights, cubed groups of gold and of the model, and shared ranks of each draw.

    `out` is (models, 4, draws), with room for whole rows of draws; a model's entries are numbered in gold's order.
    Return whether the words of `ranked` can hold weights and ranks; if not, `out` is not written.
    """
    entries, ends = models
    for low in range(0, out.shape[2], rows.shape[1]):
        drawn, lanes = weights[low : low + rows.shape[1]], min(rows.shape[1], out.shape[2] - low)
        side_by_side(drawn, rows)
        slope, heaviest, most = expected_slope(drawn[0]), largest(rows), np.uint32(0)
        fits, totals, cubes, in_gold = rank(gold[0], gold[1], rows, lanes, slope, ranked)
        if not fits or heaviest >> weight_bits(ranked):
            return False
        for d in range(lanes):
            most = max(most, totals[d])
        limit = int(np.sqrt(2.0**32 / (2.0 * most + 1)))
        certain = limit // heaviest // 2 * 2
        likely = max(certain, int(np.square(np.sqrt(limit + 16.0) - 4.0)) // 2 * 2)  # the limit is 8 deviations off
        for m in range(len(entries)):
            fits, shared, in_model = share(entries[m], ends[m], ranked, lanes, slope, likely, np.uint32(limit))
            if not fits:
                _, shared, in_model = share(entries[m], ends[m], ranked, lanes, slope, certain, np.uint32(limit))
            for d in range(lanes):  # numbers one by one: rows assigned to slices take seconds to compile
                out[m, 0, low + d] = totals[d]
                out[m, 1, low + d] = cubes[d] + in_gold[d]
                out[m, 2, low + d] = cubes[d] + in_model[d]
                out[m, 3, low + d] = shared[d]
    return True
