"""Kendall's pairs of weighted entries, counted by a tree or as merge sort meets them; compiled on first use.

Weights, entries and lanes are as in `_weighted_kernels`. Plain twins are in the tests.
"""

import numpy as np

from assay._compiled import njit
from assay.metrics._weighted_kernels import LANES, Entries, Marks, Rows, Weights
from assay.scales import FloatArray

_BLOCK = 256
_ZERO = np.int64(0)
_ONE, _TWO = np.uint64(1), np.uint64(2)


@njit(cache=True, nogil=True)
def kendall(gold_ends: Marks, codes: Entries, n_codes: int, weights: Weights) -> FloatArray:
    """Kendall's τ-b for each draw of few entries: `codes` are the model's, from 1, in gold's order.

    A tree of weights (Fenwick 1994) says of each entry what came before it with a smaller code, and with a larger one.
    """
    n_draws, n = weights.shape
    out = np.empty(n_draws)
    tree = np.empty(n_codes + 1, dtype=np.int64)
    of_code = np.empty(n_codes + 1, dtype=np.int64)
    for d in range(n_draws):
        tree[:] = 0
        of_code[:] = 0
        before, balance, in_gold, in_model, start = _ZERO, _ZERO, 0.0, 0.0, 0
        for k in range(n):
            weight = np.int64(weights[d, k])
            if weight:
                code = codes[k]
                of_code[code] += weight
                upto, place = _ZERO, code - 1
                while place > 0:
                    upto += 2 * tree[place]
                    place -= place & -place
                equal, place, other = _ZERO, code, code - 1
                while place != other:
                    if place > other:
                        equal += tree[place]
                        place -= place & -place
                    else:
                        equal -= tree[other]
                        other -= other & -other
                balance += weight * (upto + equal - before)
            if gold_ends[k]:
                here = _ZERO
                for j in range(start, k + 1):
                    added = np.int64(weights[d, j])
                    if added:
                        here += added
                        place = codes[j]
                        while place <= n_codes:
                            tree[place] += added
                            place += place & -place
                in_gold += here * (here - 1) / 2
                before += here
                start = k + 1
        for code in range(1, n_codes + 1):
            in_model += of_code[code] * (of_code[code] - 1) / 2
        pairs = float(before) * (before - 1) / 2
        scale = np.sqrt(pairs - in_gold) * np.sqrt(pairs - in_model)
        out[d] = balance / scale if scale > 0 else np.nan
    return out


@njit(cache=True, nogil=True)
def tied_pairs(order: Entries, ends: Marks, weights: Weights) -> FloatArray:
    """Pairs of equal entries for each draw, an entry of weight w being w equal ones."""
    n_draws, n = weights.shape
    out = np.empty(n_draws)
    for d in range(n_draws):
        row = weights[d]
        here, pairs = 0, 0.0
        for k in range(n):
            here += row[np.uint64(order[k])]
            if ends[k]:
                pairs += here * (here - 1) / 2
                here = 0
        out[d] = pairs
    return out


@njit(cache=True, nogil=True)
def sums_of(weights: Weights) -> tuple[FloatArray, FloatArray]:
    """Return the sum of each draw's weights, and of their squares."""
    n_draws, n = weights.shape
    total, squares = np.empty(n_draws), np.empty(n_draws)
    for d in range(n_draws):
        here, square = _ZERO, _ZERO
        for i in range(n):
            here += weights[d, i]
            square += np.int32(weights[d, i]) * np.int32(weights[d, i])
        total[d], squares[d] = here, square
    return total, squares


@njit(cache=True, nogil=True)
def pairs_in_order(levels: Entries, entries: Entries, rows: Weights, most: int) -> FloatArray:
    """Pairs of entries of which the first does not exceed the second, for each draw; `entries` is their sequence.

    `levels` are the orders by value within blocks of 2, 4, 8 … places, as merge sort makes them. A place of a block's
    second half meets what has already come of its first half; what came of earlier blocks is taken off in the end.
    `most` is the largest sum of a draw's weights.
    """
    n_levels, n = levels.shape
    weights, words = rows.reshape(-1).view(np.uint64), np.empty(2 * n, dtype=np.uint64)
    for k in range(n):
        there, here = _TWO * np.uint64(entries[k]), _TWO * np.uint64(k)
        words[here], words[here + _ONE] = weights[there], weights[there + _ONE]
    out = -_met_of_earlier_blocks(words.view(np.uint16).astype(np.uint32), n_levels)
    taken, firsts = np.empty(2 * _BLOCK, dtype=np.uint64), np.empty(2 * _BLOCK, dtype=np.uint64)
    every, first = taken.view(np.uint16), firsts.view(np.uint16)
    come, met = np.zeros((2, LANES * (_BLOCK + 1)), dtype=np.uint32)
    exact = max(1, min(_BLOCK, 2**26 // max(1, most)))  # so many products of a weight and a sum fit into 32 bits
    for level in range(n_levels):
        come[:LANES] = 0
        for begin in range(0, n, exact):
            m = min(exact, n - begin)
            for k in range(m):
                place = levels[level, begin + k]
                mask = np.uint64(np.int64((place >> level) & 1) - 1)  # all bits set in a first half, else none
                there, here = _TWO * np.uint64(place), _TWO * np.uint64(k)
                word, next_word = words[there], words[there + _ONE]
                taken[here], taken[here + _ONE] = word, next_word
                firsts[here], firsts[here + _ONE] = word & mask, next_word & mask
            for j in range(LANES * m):
                come[j + LANES] = come[j] + first[j]
            for j in range(LANES * m):
                second = np.uint32(np.uint32(every[j]) - np.uint32(first[j]))
                met[j + LANES] = np.uint32(met[j] + np.uint32(second * come[j]))
            for d in range(LANES):
                out[d] += float(met[LANES * m + d])
            come[:LANES] = come[LANES * m : LANES * (m + 1)]
    return out


@njit(cache=True, nogil=True)
def _met_of_earlier_blocks(sums: Rows, n_levels: int) -> FloatArray:
    """Sum what second halves meet of earlier blocks' first halves, at all levels; `sums` are flat rows by place."""
    out = np.zeros(LANES)
    n = sums.size // LANES
    words = sums.view(np.uint64)
    left, right = np.empty(4 * _BLOCK, dtype=np.uint64), np.empty(4 * _BLOCK, dtype=np.uint64)
    first, second = left.view(np.uint32), right.view(np.uint32)
    come = np.zeros(LANES * (_BLOCK + 1), dtype=np.uint32)
    met = np.zeros(LANES * (_BLOCK + 1), dtype=np.uint64)
    for _ in range(n_levels):
        come[:LANES] = 0
        for begin in range(0, n // 2, _BLOCK):
            m = min(_BLOCK, n // 2 - begin)
            for k in range(m):
                for j in range(4):
                    left[4 * k + j] = words[8 * (begin + k) + j]
                    right[4 * k + j] = words[8 * (begin + k) + 4 + j]
            for j in range(LANES * m):
                come[j + LANES] = come[j] + first[j]
            for j in range(LANES * m):
                met[j + LANES] = met[j] + np.uint64(second[j]) * np.uint64(come[j])
            halves = sums[LANES * begin : LANES * (begin + m)]
            for j in range(LANES * m):
                halves[j] = first[j] + second[j]
            for d in range(LANES):
                out[d] += float(met[LANES * m + d])
            come[:LANES] = come[LANES * m : LANES * (m + 1)]
        if n % 2:
            sums[LANES * (n // 2) : LANES * (n // 2 + 1)] = sums[LANES * (n - 1) : LANES * n]
        n = (n + 1) // 2
    return out


@njit(cache=True, nogil=True)
def merge_orders(order: Entries, n_levels: int) -> Entries:
    """Return the places in their order within blocks of 2, 4, 8 … places, from the order of all of them.

    From there down: the two halves of a block keep the order that they have in it.
    """
    levels = np.empty((n_levels, order.size), dtype=np.int32)
    levels[n_levels - 1] = order
    heads = np.empty(order.size, dtype=np.int64)
    for level in range(n_levels - 1, 0, -1):
        for half in range((order.size >> level) + 1):
            heads[half] = half << level
        for k in range(order.size):
            place = levels[level, k]
            half = place >> level
            levels[level - 1, heads[half]] = place
            heads[half] += 1
    return levels
