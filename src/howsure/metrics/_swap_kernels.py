"""Ranks of two models whose items are swapped, correlated with gold or added up; compiled on first use.

A swap gives each item one of two answers, so gold's ranks never change, and of two answers that are next to each other
one counts for A or for B. One pass over all answers in order gives the ranks of both. Draws lie side by side, as in
`_weighted_kernels`; all sums are whole numbers. One call does all draws of all data sets, so that threads seldom meet
in Python. Plain twins are in the tests.
"""

import math

import numpy as np
import numpy.typing as npt

from howsure._compiled import njit
from howsure.metrics._rank_kernels import last_of_equals, settle, words_in_order
from howsure.metrics._weighted_kernels import LANES, Entries, Marks, Weights
from howsure.metrics.swapped import WORD
from howsure.scales import FloatArray, IntArray

Words = npt.NDArray[np.uint64]
DoubledRanks = npt.NDArray[np.uint32]

_ONE, _TWO = np.uint32(1), np.uint32(2)
_BIT, _NOTHING = np.uint64(1), np.uint64(0)


@njit(cache=True, nogil=True)
def words_of_rows(rows: FloatArray, places: int) -> IntArray:
    """Return the words that stand in the order of each row's values; see `words_in_order`."""
    out = np.empty(rows.shape, dtype=np.int64)
    for r in range(len(rows)):
        out[r] = words_in_order(rows[r], places)
    return out


@njit(cache=True, nogil=True)
def settle_rows(rows: FloatArray, words: IntArray, rounding: float, entries: Entries, ends: Marks) -> Marks:
    """Write the entries of each row in order and which of them are the last of equal ones, given its sorted words.

    The lowest bits of a word are the place of its value. Return which rows took too many moves: what is written of them
    is void.
    """
    failed = np.zeros(len(rows), dtype=np.bool_)
    for r in range(len(rows)):
        if settle(rows[r], words[r]):
            largest = 0.0
            for i in range(rows.shape[1]):
                largest = max(largest, abs(rows[r, i]))
            ends[r] = last_of_equals(rows[r], words[r], rounding * largest)
            for i in range(rows.shape[1]):
                entries[r, i] = words[r, i]
        else:
            failed[r] = True
    return failed


@njit(cache=True, nogil=True)
def rank_rows(entries: Entries, ends: Marks, ranks: DoubledRanks) -> FloatArray:
    """Write the doubled ranks of the entries of each row; return the sum of the cubed sizes of its ties."""
    n_rows, n = entries.shape
    cubes = np.zeros(n_rows)
    for r in range(n_rows):
        start = 0
        for i in range(n):
            if ends[r, i]:
                for k in range(start, i + 1):
                    ranks[r, np.uint64(entries[r, k])] = start + i + 2
                cubes[r] += float(i + 1 - start) ** 3
                start = i + 1
    return cubes


@njit(cache=True, nogil=True)
def _toss(words: Words, rows: Weights, lanes: int) -> None:
    """Write the coins of draws, 64 to a word, as rows, (items, lanes); lanes without a draw repeat the last."""
    left, n_draws = np.empty(LANES, dtype=np.uint64), len(words)
    for begin in range(0, len(rows), WORD):
        for d in range(lanes):
            left[d] = words[min(d, n_draws - 1), begin // WORD]
        for i in range(begin, min(begin + WORD, len(rows))):
            row = rows[i]
            for d in range(np.uint64(lanes)):
                row[d] = np.uint8(left[d] & _BIT)
                left[d] >>= _BIT


@njit(cache=True, nogil=True)
def _correlation(n: float, in_gold: float, in_model: float, shared: float) -> float:
    """Return the correlation of doubled ranks: with which cubed ties, and the sum of their products."""
    centre, squares = n * ((n + 1) * (n + 1)), 2 * n * (n + 1) * (2 * n + 1)
    spread = ((squares - (in_gold - n)) / 3 - centre) * ((squares - (in_model - n)) / 3 - centre)
    return (shared - centre) / math.sqrt(spread) if spread > centre * centre * 1e-24 else np.nan


@njit(cache=True, nogil=True)
def _area(n: float, n_positive: float, shared: float) -> float:
    """Return the share of pairs in which a positive item stands above a negative one, from its doubled ranks' sum."""
    pairs = n_positive * (n - n_positive)
    return (shared - n_positive * (n_positive + 1)) / 2 / pairs if pairs > 0 else np.nan


@njit(cache=True, nogil=True)
def swapped_scores(
    answers: tuple[Entries, Marks],
    gold: tuple[DoubledRanks, FloatArray],
    correlate: bool,
    sets: IntArray,
    words: Words,
    rows: Weights,
    out: FloatArray,
) -> None:
    """Write the correlations with gold, of A and of B, for each draw of some data sets: (2, sets, draws).

    Without `correlate`, they are areas under the ROC curve: gold is then 1 or 0, and has a number of ones.

    `answers` are, for each data set, the answers in order, first those of A by number of item, then those of B, and
    marks of the last of equal ones; `gold` has its doubled ranks and cubed ties. The coins of a draw are `words`,
    (sets, draws, words); one of 1 swaps an item. `rows` is room for the coins of draws side by side.
    """
    n_draws = out.shape[2]
    for s in range(sets.size):
        number = sets[s]
        entries, ends = answers[0][number], answers[1][number]
        ranks, in_gold = gold[0][number], gold[1][number]
        for low in range(0, n_draws, LANES):
            stop = min(low + LANES, n_draws)
            lanes = min(LANES, (stop - low + 7) // 8 * 8)  # the processor's vectors hold so many
            _toss(words[s, low:stop], rows, lanes)
            cubes, products = _ranked(entries, ends, ranks, rows, lanes)
            for d in range(stop - low):
                for side in range(2):
                    n, shared = float(ranks.size), float(products[side, d])
                    if correlate:
                        out[side, s, low + d] = _correlation(n, in_gold, cubes[side, d], shared)
                    else:
                        out[side, s, low + d] = _area(n, in_gold, shared)


@njit(cache=True, nogil=True)
def _ranked(entries: Entries, ends: Marks, ranks: DoubledRanks, rows: Weights, lanes: int) -> tuple[FloatArray, Words]:
    """Return the cubed sizes of ties and the sum of products of doubled ranks with gold's, for A and for B."""
    n = ranks.size
    before, here = np.zeros(LANES, dtype=np.uint32), np.empty(LANES, dtype=np.uint32)
    every, own = np.zeros(LANES, dtype=np.uint64), np.zeros(LANES, dtype=np.uint64)
    cubes, of_a = np.zeros((2, LANES)), np.empty(LANES, dtype=np.uint64)
    start = 0
    while start < entries.size:
        stop = start + 1
        while not ends[stop - 1]:
            stop += 1
        if stop == start + 1:
            entry = entries[start]
            other = np.uint32(entry < n)  # what is A's unless it is swapped, counts for A where the coin is 0
            item = np.uint64(entry - n if entry >= n else entry)
            row, rank, place = rows[item], ranks[item], np.uint32(start)
            for d in range(np.uint64(lanes)):
                chosen = np.uint32(np.uint32(row[d]) ^ other)
                count = before[d] if chosen else np.uint32(place - before[d])
                product = np.uint64(rank) * np.uint64(np.uint32(_TWO * count + _TWO))
                every[d] += product
                own[d] += product if chosen else _NOTHING
                before[d] = np.uint32(before[d] + chosen)
        else:
            here[:], of_a[:], whole = 0, 0, np.uint64(0)
            for k in range(start, stop):
                entry = entries[k]
                other = np.uint32(entry < n)
                item = np.uint64(entry - n if entry >= n else entry)
                row, rank = rows[item], np.uint64(ranks[item])
                whole += rank
                for d in range(np.uint64(lanes)):
                    chosen = np.uint32(np.uint32(row[d]) ^ other)
                    here[d] = np.uint32(here[d] + chosen)
                    of_a[d] += rank if chosen else _NOTHING
            size = np.uint32(stop - start)
            for d in range(lanes):
                rest, behind = np.uint32(size - here[d]), np.uint32(np.uint32(start) - before[d])
                product = of_a[d] * np.uint64(np.uint32(_TWO * before[d] + here[d] + _ONE))
                own[d] += product
                every[d] += product + (whole - of_a[d]) * np.uint64(np.uint32(_TWO * behind + rest + _ONE))
                # Answers without equals add 1 each, which is added below.
                cubes[0, d] += float(here[d]) ** 3 - float(here[d])
                cubes[1, d] += float(rest) ** 3 - float(rest)
                before[d] = np.uint32(before[d] + here[d])
        start = stop
    products = np.empty((2, LANES), dtype=np.uint64)
    for d in range(lanes):
        products[0, d], products[1, d] = own[d], every[d] - own[d]
        cubes[0, d] += n
        cubes[1, d] += n
    return cubes, products
