"""Loops that rank rows and compare their orders; compiled on first use. Each has a plain twin in the tests.

The second half counts pairs of weighted entries that stand in a given order, as AUC and Kendall's τ do. Weights,
entries and lanes are as in `_weighted_kernels`. Sums of few weights are kept in 16 bits, the narrowest that hold them.
"""

import numpy as np
import numpy.typing as npt

from howsure._compiled import njit
from howsure.data.scales import FloatArray, IntArray
from howsure.metrics._weighted_kernels import BLOCK, SUMMED, Entries, Marks, Weights, largest, side_by_side
from howsure.metrics.base import ROUNDING

Keys = npt.NDArray[np.int32]
Ranks = npt.NDArray[np.int32]


@njit(cache=True, nogil=True)
def words_in_order(values: FloatArray, places: int) -> IntArray:
    """Return words that stand in the order of values up to their last digits, of which the bits of `places` are taken.

    Those bits hold the place of each value. Whole numbers are sorted in half the time that it takes to sort places.
    """
    words, out = values.view(np.int64), np.empty(values.size, dtype=np.int64)
    for i in range(values.size):
        word = words[i] ^ ((words[i] >> 63) & 0x7FFFFFFFFFFFFFFF)  # of two negative numbers the larger word is smaller
        out[i] = (word & ~places) | i
    return out


@njit(cache=True, nogil=True)
def settle(values: FloatArray, entries: IntArray) -> bool:
    """Put entries that are nearly in the order of their values into it, unless that takes too many moves."""
    moves, last = MOST_MOVES * entries.size, -np.inf
    for i in range(entries.size):
        entry = entries[i]
        value = values[np.uint64(entry)]
        if value < last:
            j = i
            while j > 0 and values[np.uint64(entries[j - 1])] > value:
                entries[j] = entries[j - 1]
                j -= 1
            entries[j] = entry
            moves -= i - j
            if moves < 0:
                return False
        else:
            last = value
    return True


@njit(cache=True, nogil=True)
def last_of_equals(values: FloatArray, entries: IntArray, tie: float) -> npt.NDArray[np.bool_]:
    """Mark, of entries in order, those after which comes one that is farther away than a tie, and the last of all."""
    ends = np.ones(entries.size, dtype=np.bool_)
    for i in range(entries.size - 1):
        ends[i] = abs(values[np.uint64(entries[i + 1])] - values[np.uint64(entries[i])]) > tie
    return ends


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

MOST_MOVES = 16
"""Rows in which a value has to move by more places than this on average, once its cell is found, are sorted anew."""

FEW_CELLS = 256
"""Rows of fewer values than this that are not tied, as means of a few labels are, are counted instead of sorted."""


@njit(cache=True, nogil=True)
def count_ranks(rows: FloatArray, lows: FloatArray, highs: FloatArray, out: Ranks) -> bool:
    """Write twice the distance of each rank from the middle of its row's; say whether the values were few enough.

    The values of a cell must be tied, and those of different cells far apart.
    """
    n_rows, n = rows.shape
    cells = np.empty(n, dtype=np.int32)
    values, counts = np.empty(FEW_CELLS), np.empty(FEW_CELLS, dtype=np.int32)
    for r in range(n_rows):
        row, tie = rows[r], ROUNDING * max(abs(lows[r]), abs(highs[r]))
        if not _cells(row, lows[r], highs[r], int(np.int64(FEW_CELLS)), cells):
            return False
        counts[:] = 0
        for i in range(n):
            place = np.uint32(cells[i])
            values[place] = row[i]
            counts[place] += 1
        apart = np.int64(0)
        for i in range(n):
            apart += np.int64(abs(row[i] - values[np.uint32(cells[i])]) > tie / 2)
        if apart:
            return False
        start, below = np.int32(0), -np.inf
        for cell in range(FEW_CELLS):
            if counts[cell]:
                if not values[cell] - below > 2 * tie:
                    return False
                stop, below = start + counts[cell], values[cell]
                counts[cell] = start + stop - n
                start = stop
        for i in range(n):
            out[r, i] = counts[np.uint32(cells[i])]
    return True


@njit(cache=True, nogil=True)
def _cells(row: FloatArray, low: float, high: float, n_cells: int, out: Keys) -> bool:
    """Write the cell of each value among those that divide what lies between the lowest and the highest equally.

    Say whether that is a finite number. The edges are moved by an odd share, so that equal steps do not end on them.
    """
    if not np.isfinite(high - low):
        return False
    scale = (n_cells - 1.0) / (high - low) if high > low else 0.0
    scale = scale if scale < np.inf else 0.0
    for i in range(row.size):
        out[i] = np.int32((row[i] - low) * scale + 0.6180339887)
    return True


@njit(cache=True, nogil=True)
def sort_keys(rows: FloatArray, lows: FloatArray, highs: FloatArray, bits: int) -> tuple[Keys, bool]:
    """Return words that stand in the order of each row's values, up to cells: a value's cell, and its place below it.

    Also say whether all cells are finite; if not, the words are void.
    """
    n_rows, n = rows.shape
    out = np.empty((n_rows, n), dtype=np.int32)
    for r in range(n_rows):
        keys = out[r]
        if not _cells(rows[r], lows[r], highs[r], 1 << (31 - bits), keys):
            return out, False
        for i in range(n):
            keys[i] = (keys[i] << bits) | np.int32(i)
    return out, True


@njit(cache=True, nogil=True)
def ranks_of_keys(rows: FloatArray, lows: FloatArray, highs: FloatArray, keys: Keys, bits: int, out: Ranks) -> bool:
    """Write what `count_ranks` does, given the sorted keys of each row; say whether no cell was too full for that."""
    n_rows, n = rows.shape
    place = np.int32(~(np.int32(-1) << bits))
    values, middles = np.empty(n), np.empty(n, dtype=np.int32)
    for r in range(n_rows):
        for i in range(n):
            values[i] = rows[r, np.uint32(keys[r, i] & place)]
        if not _middles(values, keys[r], ROUNDING * max(abs(lows[r]), abs(highs[r])), middles):
            return False
        for i in range(n):
            out[r, np.uint32(keys[r, i] & place)] = middles[i]
    return True


@njit(cache=True, nogil=True)
def _middles(values: FloatArray, ordered: Keys, tie: float, out: Ranks) -> bool:
    """Write the doubled ranks of values that come in the order of their keys; say whether few had to be moved."""
    n = values.size
    near = _near(values, tie)
    if near:
        if not _moved(values, ordered):
            return False
        near = _near(values, tie)
    if not near:
        for i in range(n):
            out[i] = 2 * i + 1 - n
        return True
    # One pass finds where ties start, the other where they end. Nothing branches: no processor can predict ties.
    start, stop = np.int32(0), np.int32(n)
    out[0] = start
    for i in range(1, n):
        start = np.int32(i) if values[i] - values[i - 1] > tie else start
        out[i] = start
    for i in range(n - 1, -1, -1):
        start = out[i]
        out[i] = start + stop - n
        stop = np.int32(i) if start == i else stop
    return True


@njit(cache=True, nogil=True)
def _near(values: FloatArray, tie: float) -> np.int64:
    """Count the values that are not above the one before them by more than a tie."""
    near = np.int64(0)
    for i in range(1, values.size):
        near += np.int64(values[i] - values[i - 1] <= tie)
    return near


@njit(cache=True, nogil=True)
def _moved(values: FloatArray, ordered: Keys) -> bool:
    """Put values and keys into the values' own order, unless that takes too many moves."""
    moves = MOST_MOVES * values.size
    for i in range(1, values.size):
        if values[i - 1] > values[i]:
            value, key, j = values[i], ordered[i], i
            while j > 0 and values[j - 1] > value:
                values[j], ordered[j] = values[j - 1], ordered[j - 1]
                j -= 1
            values[j], ordered[j] = value, key
            moves -= i - j
            if moves < 0:
                return False
    return True


@njit(cache=True, nogil=True, fastmath={"reassoc"})
def rank_products(left: Ranks, right: Ranks) -> FloatArray:
    """Add up products of two rows of ranks about their middle, and their squares: whole quarters, in any order."""
    n_rows, n = left.shape
    out = np.empty((3, n_rows))
    for r in range(n_rows):
        shared, of_left, of_right = 0.0, 0.0, 0.0
        for i in range(n):
            x, y = float(left[r, i]), float(right[r, i])
            shared += x * y
            of_left += x * x
            of_right += y * y
        out[0, r], out[1, r], out[2, r] = shared / 4, of_left / 4, of_right / 4
    return out


@njit(cache=True, nogil=True)
def kendall(gold: Ranks, model: Ranks) -> FloatArray:
    """Kendall's τ-b of each pair of rows of doubled ranks.

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
            starts[gold[r, i] + n + 1] += 1
            codes[model[r, i] + n] += 1
        tied_x, tied_y, n_codes = 0.0, 0.0, 0
        for value in range(2 * n + 1):
            tied_x += starts[value + 1] * (starts[value + 1] - 1) / 2
            tied_y += codes[value] * (codes[value] - 1) / 2
            starts[value + 1] += starts[value]
            if codes[value]:
                n_codes += 1
                codes[value] = n_codes
        for i in range(n):
            value = gold[r, i] + n
            order[starts[value]] = i
            starts[value] += 1
        tree[: n_codes + 1] = 0
        balance, start = 0, 0
        while start < n:
            stop = start + 1
            while stop < n and gold[r, order[stop]] == gold[r, order[start]]:
                stop += 1
            for k in range(start, stop):
                code = codes[model[r, order[k]] + n]
                balance += _counted(tree, code - 1) + _counted(tree, code) - start
            for k in range(start, stop):
                code = codes[model[r, order[k]] + n]
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
