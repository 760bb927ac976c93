"""Ranks and areas of weighted entries; compiled on first use.

A draw gives every entry a weight: how often its item was drawn, or whether a swap chose it. Entries were put in order
once; a rank is then a running sum of weights, and no draw sorts. Eight draws lie side by side, a row of eight lanes for
each entry: what is fetched out of order, a row, serves all of them. Rows are fetched into a block that stays near the
processor; the loops over a block are flat, running sums reach back eight places, and so compilers make vectors of them.
Ranks are doubled, so that all are whole numbers; indices are unsigned: negative ones cost a branch each. Plain twins
are in the tests.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from assay._compiled import njit
from assay.scales import FloatArray

Weights = npt.NDArray[np.int16]
Marks = npt.NDArray[np.bool_]
Entries = npt.NDArray[np.int32]
Rows = npt.NDArray[np.uint32]

LANES = 8
"""So many draws lie side by side."""

WEIGHT_BITS = 6
"""A row holds rank and weight of each draw in one word: the weight in so many of its lowest bits.

That one item is drawn 64 times or more has a probability below 1e-89, however many there are."""

_BLOCK = 256
_BITS, _WEIGHT = np.uint32(WEIGHT_BITS), np.uint32(2**WEIGHT_BITS - 1)
_ONE, _TWO, _THREE, _FOUR = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)


@njit(cache=True, nogil=True)
def side_by_side(weights: Weights, out: npt.NDArray[Any]) -> None:
    """Write up to eight draws, (draws, entries), as rows of eight, (entries, 8); lanes without a draw are zero."""
    n_draws, n = weights.shape
    if n_draws == LANES:
        for i in range(n):
            for d in range(LANES):
                out[i, d] = weights[d, i]
        return
    out[:] = 0
    for i in range(n):
        for d in range(n_draws):
            out[i, d] = weights[d, i]


@njit(cache=True, nogil=True)
def cubes_of(rows: Rows) -> FloatArray:
    """Return the sum of each draw's cubed weights."""
    out, weights = np.zeros(LANES), rows.reshape(-1)
    sums = np.zeros(LANES * (_BLOCK + 1), dtype=np.uint32)
    for begin in range(0, weights.size, LANES * _BLOCK):
        part = weights[begin : begin + LANES * _BLOCK]
        for j in range(part.size):
            sums[j + LANES] = sums[j] + np.uint32(part[j] * np.uint32(part[j] * part[j]))
        for d in range(LANES):
            out[d] += float(sums[part.size + d])
    return out


@njit(cache=True, nogil=True)
def rank(
    entries: Entries, starts: Entries, stops: Entries, rows: Rows, out: Rows
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Rank the entries in this order; rows of `rows` hold their weights and the ranks of another side, if any.

    `out` takes weights and ranks in this order; where it is empty, the second result is the sum of weight × rank of the
    other side × rank, for each draw. The first is the sum of weights. Where entries are tied, `starts` and `stops` are
    the bounds of each one's group, and the third is the sum of the groups' cubed weights.
    """
    n, tied, kept = entries.size, starts.size > 0, out.size > 0
    size = n if tied else min(n, _BLOCK)
    words, taken = rows.reshape(-1).view(np.uint64), np.empty(4 * size, dtype=np.uint64)
    held, into = taken.view(np.uint32), out.reshape(-1)
    sums = np.zeros(LANES * (size + 1), dtype=np.uint32)
    low, high = sums[: LANES * size], sums[LANES:]
    if tied:
        low, high = np.empty_like(low), np.empty_like(high)
    ranks = np.empty(LANES * _BLOCK, dtype=np.uint32)
    products = np.zeros(LANES * (_BLOCK + 1), dtype=np.uint64)
    shared, cubes = np.zeros(LANES), np.zeros(LANES)
    for begin in range(0, n, size):
        m = min(size, n - begin)
        _fetch(words, entries[begin : begin + m], taken)
        for j in range(LANES * m):
            sums[j + LANES] = sums[j] + (held[j] & _WEIGHT)
        if tied:
            _fetch(sums.view(np.uint64), starts, low.view(np.uint64))
            _fetch(sums.view(np.uint64), stops, high.view(np.uint64))
        for first in range(0, m, _BLOCK):  # whole numbers within a block are exact in 64 bits
            at, width = LANES * first, LANES * min(_BLOCK, m - first)
            both, below, upto = held[at : at + width], low[at : at + width], high[at : at + width]
            for j in range(width):
                ranks[j] = below[j] + upto[j] + np.uint32(1)
            if kept:
                there = into[LANES * begin + at : LANES * begin + at + width]
                for j in range(width):
                    there[j] = np.uint32(ranks[j] << _BITS) | (both[j] & _WEIGHT)
            else:
                for j in range(width):
                    left = np.uint32((both[j] & _WEIGHT) * (both[j] >> _BITS))
                    products[j + LANES] = products[j] + np.uint64(left) * np.uint64(ranks[j])
                for d in range(LANES):
                    shared[d] += float(products[width + d])
        if tied:
            cubes = _cubes(stops, sums)
        sums[:LANES] = sums[LANES * m : LANES * (m + 1)]
    return sums[:LANES].astype(np.float64), shared, cubes


@njit(cache=True, nogil=True)
def rank_both(
    gold: tuple[Entries, Entries, Entries],
    model: tuple[Entries, Entries, Entries],
    weights: Weights,
    rows: Rows,
    ranked: Rows,
    out: FloatArray,
) -> None:
    """Write what `rank` and `cubes_of` say of all draws: total, groups of gold, copies, shared, groups of the model.

    For few entries: there, asking from Python for eight draws at a time would take longer than ranking them.
    """
    nothing = rows[:0]
    for low in range(0, out.shape[1], LANES):
        side_by_side(weights[low : low + LANES], rows)
        total, _, in_gold = rank(gold[0], gold[1], gold[2], rows, ranked)
        _, shared, in_model = rank(model[0], model[1], model[2], ranked, nothing)
        alone = cubes_of(rows)
        for d in range(LANES):
            out[0, low + d] = total[d]
            out[1, low + d] = in_gold[d]
            out[2, low + d] = alone[d]
            out[3, low + d] = shared[d]
            out[4, low + d] = in_model[d]


@njit(cache=True, nogil=True)
def _cubes(stops: Entries, sums: Rows) -> FloatArray:
    """Return, for each draw, the sum of the groups' cubed weights; `sums` are flat rows of running sums."""
    out, start = np.zeros(LANES), 0
    for k in range(stops.size):
        if stops[k] == k + 1:
            for d in range(LANES):
                out[d] += float(sums[LANES * (k + 1) + d] - sums[LANES * start + d]) ** 3
            start = k + 1
    return out


@njit(cache=True, nogil=True)
def _fetch(words: npt.NDArray[np.uint64], entries: Entries, out: npt.NDArray[np.uint64]) -> None:
    """Copy rows of four words."""
    for k in range(entries.size):
        there, here = _FOUR * np.uint64(entries[k]), _FOUR * np.uint64(k)
        out[here] = words[there]
        out[here + _ONE] = words[there + _ONE]
        out[here + _TWO] = words[there + _TWO]
        out[here + _THREE] = words[there + _THREE]


@njit(cache=True, nogil=True)
def area(
    positive: Marks, entries: Entries, starts: Entries, stops: Entries, rows: Weights
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return, for each draw, how often a positive entry stands above a negative one, twice, ties counting half.

    And the weights of the positive and of the negative entries. `positive` is in the model's order.
    """
    n, tied = entries.size, starts.size > 0
    size = n if tied else min(n, _BLOCK)
    words = rows.reshape(-1).view(np.uint64)
    chosen, others = np.empty(2 * size, dtype=np.uint64), np.empty(2 * size, dtype=np.uint64)
    right, wrong = chosen.view(np.uint16), others.view(np.uint16)
    sums = np.zeros(LANES * (size + 1), dtype=np.uint32)
    low, high = sums[: LANES * size], sums[LANES:]
    if tied:
        low, high = np.empty_like(low), np.empty_like(high)
    of_above = np.zeros(LANES * (_BLOCK + 1), dtype=np.uint64)
    of_right = np.zeros(LANES * (_BLOCK + 1), dtype=np.uint32)
    twice_above, positives = np.zeros(LANES), np.zeros(LANES)
    for begin in range(0, n, size):
        m = min(size, n - begin)
        for k in range(m):
            there, here = _TWO * np.uint64(entries[begin + k]), _TWO * np.uint64(k)
            mask = np.uint64(-np.int64(positive[begin + k]))
            word, next_word = words[there], words[there + _ONE]
            chosen[here], chosen[here + _ONE] = word & mask, next_word & mask
            others[here], others[here + _ONE] = word & ~mask, next_word & ~mask
        for j in range(LANES * m):
            sums[j + LANES] = sums[j] + wrong[j]
        if tied:
            _fetch(sums.view(np.uint64), starts, low.view(np.uint64))
            _fetch(sums.view(np.uint64), stops, high.view(np.uint64))
        for first in range(0, m, _BLOCK):
            at, width = LANES * first, LANES * min(_BLOCK, m - first)
            weights, below, upto = right[at : at + width], low[at : at + width], high[at : at + width]
            for j in range(width):
                ranks = np.uint32(below[j] + upto[j])
                of_above[j + LANES] = of_above[j] + np.uint64(np.uint32(weights[j])) * np.uint64(ranks)
            for j in range(width):
                of_right[j + LANES] = of_right[j] + weights[j]
            for d in range(LANES):
                twice_above[d] += float(of_above[width + d])
                positives[d] += float(of_right[width + d])
        sums[:LANES] = sums[LANES * m : LANES * (m + 1)]
    return twice_above, positives, sums[:LANES].astype(np.float64)


@njit(cache=True, nogil=True)
def areas(
    positive: Marks, order: tuple[Entries, Entries, Entries], weights: Weights, rows: Weights, out: FloatArray
) -> None:
    """Write what `area` says of all draws."""
    for low in range(0, out.shape[1], LANES):
        side_by_side(weights[low : low + LANES], rows)
        found = area(positive, order[0], order[1], order[2], rows)
        for d in range(LANES):
            out[0, low + d] = found[0][d]
            out[1, low + d] = found[1][d]
            out[2, low + d] = found[2][d]
