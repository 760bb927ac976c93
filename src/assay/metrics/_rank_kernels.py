"""Loops that rank rows and compare their orders; compiled on first use. Each has a plain twin in the tests."""

import numpy as np
import numpy.typing as npt

from assay._compiled import njit
from assay.metrics.base import ROUNDING
from assay.scales import FloatArray, IntArray

Keys = npt.NDArray[np.int32]


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
"""Places of so many bits leave room for the cell of a value in a word of 32 bits, which is sorted in half the time."""

MOST_SORTED = 64
"""Rows with more values than this in one cell are sorted as a whole."""


@njit(cache=True, nogil=True)
def sort_keys(rows: FloatArray, lows: FloatArray, highs: FloatArray, bits: int) -> tuple[Keys, bool]:
    """Return words that stand in the order of each row's values, up to cells: a value's cell, and its place below it.

    The cells divide what lies between the lowest and the highest value of the row equally. Also say whether that is a
    finite number; if not, the words are void.
    """
    n_rows, n = rows.shape
    out = np.empty((n_rows, n), dtype=np.int32)
    n_cells = float((1 << (31 - bits)) - 1)
    for r in range(n_rows):
        row, keys, low = rows[r], out[r], lows[r]
        if not np.isfinite(highs[r] - low):
            return out, False
        scale = n_cells / (highs[r] - low) if highs[r] > low else 0.0
        scale = scale if scale < np.inf else 0.0
        for i in range(n):
            keys[i] = (np.int32((row[i] - low) * scale) << bits) | np.int32(i)
    return out, True


@njit(cache=True, nogil=True)
def ranks_of_keys(rows: FloatArray, keys: Keys, bits: int) -> tuple[FloatArray, bool]:
    """Rank each row as `ranks` does, given its sorted keys; and say whether no cell was too full for that.

    A rank is the middle of where its ties start and end: one pass finds starts, the other ends. Nothing branches.
    """
    n_rows, n = rows.shape
    out = np.empty_like(rows)
    place = np.int32(~(np.int32(-1) << bits))
    starts = np.empty(n, dtype=np.int32)
    for r in range(n_rows):
        row, ordered, found = rows[r], keys[r], out[r]
        tie = ROUNDING * max(abs(row[ordered[0] & place]), abs(row[ordered[n - 1] & place]))
        if not _starts(row, ordered, place, tie, starts):
            if not _settled(row, ordered, place, tie):
                return out, False
            _starts(row, ordered, place, tie, starts)
        end = np.int32(n)
        for i in range(n - 1, -1, -1):
            start = starts[i]
            found[np.uint32(ordered[i] & place)] = (start + end + 1) * 0.5
            end = np.int32(i) if start == i else end
    return out, True


@njit(cache=True, nogil=True)
def _starts(row: FloatArray, ordered: Keys, place: np.int32, tie: float, out: Keys) -> bool:
    """Write where the ties of each value start; say whether the order was the values' own."""
    start, wrong = np.int32(0), np.int64(0)
    top, below = -np.inf, -np.inf  # the largest value so far, and that before the ties began
    for i in range(ordered.size):
        value = row[np.uint32(ordered[i] & place)]
        apart = value - top > tie
        below = top if apart else below
        start = np.int32(i) if apart else start
        wrong += np.int64(top - value > tie) + np.int64(value - below <= tie)
        top = max(top, value)
        out[i] = start
    return bool(wrong == 0)


@njit(cache=True, nogil=True)
def _settled(row: FloatArray, ordered: Keys, place: np.int32, tie: float) -> bool:
    """Put the values of each cell in order, unless all are tied: then the lowest first. Say whether there were few."""
    start, n = 0, ordered.size
    while start < n:
        stop, least = start + 1, start
        low = high = row[ordered[start] & place]
        while stop < n and (ordered[start] ^ ordered[stop]) <= place:
            value = row[ordered[stop] & place]
            if value < low:
                low, least = value, stop
            high = max(high, value)
            stop += 1
        ordered[start], ordered[least] = ordered[least], ordered[start]
        if high - low > tie:
            if stop - start > MOST_SORTED:
                return False
            for i in range(start + 1, stop):
                key, j = ordered[i], i
                while row[ordered[j - 1] & place] > row[key & place]:
                    ordered[j] = ordered[j - 1]
                    j -= 1
                ordered[j] = key
        start = stop
    return True


@njit(cache=True, nogil=True, fastmath={"reassoc"})
def rank_products(left: FloatArray, right: FloatArray) -> FloatArray:
    """Add up products of two rows of ranks about their middle, and their squares: whole quarters, in any order."""
    n_rows, n = left.shape
    out, middle = np.empty((3, n_rows)), (n + 1) / 2
    for r in range(n_rows):
        shared, of_left, of_right = 0.0, 0.0, 0.0
        for i in range(n):
            x, y = left[r, i] - middle, right[r, i] - middle
            shared += x * y
            of_left += x * x
            of_right += y * y
        out[0, r], out[1, r], out[2, r] = shared, of_left, of_right
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
