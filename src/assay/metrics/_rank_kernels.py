"""Loops that rank rows and compare their orders; compiled on first use. Each has a plain twin in the tests."""

import numpy as np

from assay._compiled import njit
from assay.metrics.base import ROUNDING
from assay.scales import FloatArray, IntArray


@njit(cache=True, nogil=True)
def ranks(rows: FloatArray, orders: IntArray) -> FloatArray:
    """Rank each row from 1, given the order of its values; ties share the mean rank."""
    n_rows, n = rows.shape
    out = np.empty_like(rows)
    for r in range(n_rows):
        order = orders[r]
        tie = ROUNDING * max(abs(rows[r, order[0]]), abs(rows[r, order[n - 1]]))
        start = 0
        while start < n:
            stop = start + 1
            while stop < n and rows[r, order[stop]] - rows[r, order[stop - 1]] <= tie:
                stop += 1
            for i in range(start, stop):
                out[r, order[i]] = (start + stop + 1) / 2
            start = stop
    return out


INDEX_BITS = 12
"""A value and its place fit into one word, if as many low bits of the value as the place needs are within a tie."""


@njit(cache=True, nogil=True)
def sort_keys(rows: FloatArray, bits: int) -> tuple[IntArray, bool]:
    """Return words that stand in the order of each row's values, with the place of each in the lowest bits.

    Also say whether all values are numbers.
    """
    n_rows, n = rows.shape
    out = np.empty((n_rows, n), dtype=np.int64)
    numbers = True
    above = np.int64(-1) << bits
    for r in range(n_rows):
        words = rows[r].view(np.int64)
        for i in range(n):
            numbers &= rows[r, i] == rows[r, i]
            # The words of negative numbers stand in descending order.
            word = words[i] ^ ((words[i] >> 63) & np.int64(0x7FFFFFFFFFFFFFFF))
            out[r, i] = (word & above) | i
    return out, numbers


@njit(cache=True, nogil=True)
def ranks_of_keys(rows: FloatArray, keys: IntArray, bits: int) -> FloatArray:
    """Rank each row as `ranks` does, given its sorted keys: values with the same key, but for the place, are tied."""
    n_rows, n = rows.shape
    out = np.empty_like(rows)
    place = ~(np.int64(-1) << bits)
    for r in range(n_rows):
        row, ordered = rows[r], keys[r]
        tie = ROUNDING * max(abs(row[ordered[0] & place]), abs(row[ordered[n - 1] & place]))
        start, i = 0, 0
        top = -np.inf
        while i < n and row[ordered[i] & place] - top > tie:  # as long as nothing is tied, ranks are places
            top = row[ordered[i] & place]
            out[r, ordered[i] & place] = i + 1
            i += 1
        if i == n:
            continue
        start, i = 0, 0
        top = -np.inf
        while i < n:
            low = high = row[ordered[i] & place]
            stop = i + 1
            while stop < n and ordered[stop] >> bits == ordered[i] >> bits:
                value = row[ordered[stop] & place]
                low, high = min(low, value), max(high, value)
                stop += 1
            if low - top > tie:
                for j in range(start, i):
                    out[r, ordered[j] & place] = (start + i + 1) / 2
                start = i
            top, i = high, stop
        for j in range(start, n):
            out[r, ordered[j] & place] = (start + n + 1) / 2
    return out


@njit(cache=True, nogil=True)
def kendall(gold: FloatArray, model: FloatArray) -> FloatArray:
    """Kendall's τ-b of each pair of rows of ranks, from 1 and in halves where they are shared.

    Items come in gold's order. A tree of counts (Fenwick 1994) says of each how many that came before have a smaller
    rank in the model, and how many a larger one.
    """
    n_rows, n = gold.shape
    out = np.empty(n_rows)
    starts = np.empty(2 * n + 2, dtype=np.int64)
    codes = np.empty(2 * n + 1, dtype=np.int64)
    order = np.empty(n, dtype=np.int64)
    tree = np.empty(n + 1, dtype=np.int64)
    for r in range(n_rows):
        starts[:] = 0
        codes[:] = 0
        for i in range(n):
            starts[int(2 * gold[r, i]) + 1] += 1
            codes[int(2 * model[r, i])] += 1
        tied_x, tied_y, n_codes = 0.0, 0.0, 0
        for value in range(2 * n + 1):
            tied_x += starts[value + 1] * (starts[value + 1] - 1) / 2
            tied_y += codes[value] * (codes[value] - 1) / 2
            starts[value + 1] += starts[value]
            if codes[value]:
                n_codes += 1
                codes[value] = n_codes
        for i in range(n):
            value = int(2 * gold[r, i])
            order[starts[value]] = i
            starts[value] += 1
        tree[: n_codes + 1] = 0
        balance, start = 0, 0
        while start < n:
            stop = start + 1
            while stop < n and gold[r, order[stop]] == gold[r, order[start]]:
                stop += 1
            for k in range(start, stop):
                code = codes[int(2 * model[r, order[k]])]
                balance += _counted(tree, code - 1) + _counted(tree, code) - start
            for k in range(start, stop):
                code = codes[int(2 * model[r, order[k]])]
                while code <= n_codes:
                    tree[code] += 1
                    code += code & -code
            start = stop
        pairs = n * (n - 1) / 2
        scale = np.sqrt(pairs - tied_x) * np.sqrt(pairs - tied_y)
        out[r] = balance / scale if scale > 0 else np.nan
    return out


@njit(cache=True, nogil=True)
def _counted(tree: IntArray, code: int) -> int:
    """Return how many of the codes up to this one are in the tree."""
    total = 0
    while code > 0:
        total += tree[code]
        code -= code & -code
    return total
