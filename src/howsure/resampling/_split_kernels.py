"""The loops that draw many items: how many fall into each part of them, then which, part by part.

A part is small enough for the processor's cache, so that time grows no faster than the number of items. Items of few
different kinds are not drawn: how often each kind comes is one binomial count. Plain twins are in the tests.
"""

import math

import numpy as np
import numpy.typing as npt

from howsure._compiled import njit
from howsure.data.scales import FloatArray, IntArray
from howsure.resampling._kernels import SeedArray, _below, _word, add_drawn

_ONE, _S11, _S32 = np.uint64(1), np.uint64(11), np.uint64(32)
_COUNTS = np.uint64(2**63)
"""Words of a draw from this number on are seeds: of its counts, then of its parts."""


@njit(cache=True, nogil=True, inline="always")
def uniform(state: npt.NDArray[np.uint64]) -> float:
    """Return the next number in (0, 1); the state is a seed and the number of the next word."""
    word = _word(state[0], state[1])
    state[1] += _ONE
    return (float(word >> _S11) + 0.5) * 2.0**-53


@njit(cache=True, nogil=True)
def draw_binomial(k: int, share: float, log_factorials: FloatArray, state: npt.NDArray[np.uint64]) -> int:
    """Draw Binomial(k, share ≤ ½): few successes by inversion, else by Hörmann's transformed rejection (1993)."""
    mean, odds = k * share, share / (1.0 - share)
    if mean < 10.0:
        left, chance, count = uniform(state), math.exp(k * math.log1p(-share)), 0
        while left > chance and count < k:
            left -= chance
            chance *= odds * (k - count) / (count + 1)
            count += 1
        return count
    spread = math.sqrt(mean * (1.0 - share))
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * share
    surely = 0.92 - 4.2 / b
    while True:
        u, v = uniform(state) - 0.5, uniform(state)
        us = 0.5 - abs(u)
        count = math.floor((2.0 * a / us + b) * u + mean + 0.5)
        if us >= 0.07 and v <= surely:
            return count
        if count < 0 or count > k:
            continue
        mode = int((k + 1) * share)
        ratio = log_factorials[mode] + log_factorials[k - mode] - log_factorials[count] - log_factorials[k - count]
        ratio += (count - mode) * math.log(odds)
        if math.log(v * (2.83 + 5.1 / b) * spread / (a / (us * us) + b)) <= ratio:
            return count


@njit(cache=True, nogil=True)
def draw_split(sizes: IntArray, seeds: SeedArray, log_factorials: FloatArray) -> IntArray:
    """Draw as many as there are, with replacement, and count how many fall into each part of these sizes."""
    n_draws, n_parts = seeds.size, sizes.size
    out = np.zeros((n_draws, n_parts), dtype=np.int64)
    state = np.empty(2, dtype=np.uint64)
    for d in range(n_draws):
        state[0], state[1] = _word(seeds[d], _COUNTS), np.uint64(0)
        left = rest = sizes.sum()
        for p in range(n_parts - 1):
            share = sizes[p] / rest
            if share <= 0.5:
                count = draw_binomial(left, share, log_factorials, state)
            else:
                count = left - draw_binomial(left, (rest - sizes[p]) / rest, log_factorials, state)
            out[d, p] = count
            left -= count
            rest -= sizes[p]
        out[d, n_parts - 1] = left
    return out


@njit(cache=True, nogil=True)
def draw_heads(sizes: IntArray, seeds: SeedArray, log_factorials: FloatArray) -> IntArray:
    """Toss a fair coin for each member of every part of these sizes and count the heads."""
    n_draws, n_parts = seeds.size, sizes.size
    out = np.empty((n_draws, n_parts), dtype=np.int64)
    state = np.empty(2, dtype=np.uint64)
    for d in range(n_draws):
        state[0], state[1] = _word(seeds[d], _COUNTS), np.uint64(0)
        for p in range(n_parts):
            out[d, p] = draw_binomial(sizes[p], 0.5, log_factorials, state)
    return out


@njit(cache=True, nogil=True)
def weighted_sums(weights: IntArray, columns: FloatArray) -> FloatArray:
    """Sum the rows of `columns` with these weights (draws × rows), in their order."""
    n_draws, n_rows = weights.shape
    width = columns.shape[1]
    out = np.zeros((n_draws, width))
    for d in range(n_draws):
        for r in range(n_rows):
            for c in range(width):
                out[d, c] += weights[d, r] * columns[r, c]
    return out


@njit(cache=True, nogil=True)
def draw_items_of_parts(n_items: int, part: int, seeds: SeedArray, counts: IntArray, out: IntArray) -> None:
    """Draw the items of each part, `counts` of them (draws × parts), one part of `part` items after the other."""
    for d in range(seeds.size):
        at = 0
        for p in range(counts.shape[1]):
            start = np.uint64(p * part)
            n = np.uint64(min(part, n_items - p * part))
            seed = _word(seeds[d], _COUNTS + np.uint64(p + 1))
            for i in range(counts[d, p]):
                word = _word(seed, np.uint64(i // 2))
                out[d, at] = start + _below(n, word >> _S32 if i % 2 else word)
                at += 1


@njit(cache=True, nogil=True)
def _count_drawn(seed: np.uint64, k: int, out: npt.NDArray[np.uint8]) -> None:
    """Count how often each item is among k that are drawn with replacement."""
    n = np.uint64(out.size)
    out[:] = 0
    for i in range(k // 2):
        word = _word(seed, np.uint64(i))
        out[_below(n, word)] += 1
        out[_below(n, word >> _S32)] += 1
    if k % 2:
        out[_below(n, _word(seed, np.uint64(k // 2)))] += 1


@njit(cache=True, nogil=True)
def count_items(n_items: int, seeds: SeedArray, out: npt.NDArray[np.uint8]) -> None:
    """Count how often each item is drawn: the items of `_kernels.draw_items`, as (draws, items)."""
    for d in range(seeds.size):
        _count_drawn(seeds[d], n_items, out[d])


@njit(cache=True, nogil=True)
def count_items_of_parts(part: int, seeds: SeedArray, counts: IntArray, out: npt.NDArray[np.uint8]) -> None:
    """Count how often each item is drawn: the items of `draw_items_of_parts`, as (draws, items)."""
    for p in range(counts.shape[1]):
        for d in range(seeds.size):
            seed = _word(seeds[d], _COUNTS + np.uint64(p + 1))
            _count_drawn(seed, counts[d, p], out[d, p * part : (p + 1) * part])


@njit(cache=True, nogil=True)
def bootstrap_sums_of_parts(
    columns: FloatArray, centres: FloatArray, part: int, seeds: SeedArray, counts: IntArray
) -> FloatArray:
    """Sum the rows of `columns` over the items that `draw_items_of_parts` draws, for each seed; then the squares.

    A part is summed for all draws before the next one, while it is in the cache.
    """
    n_items, width = columns.shape
    out = np.zeros((seeds.size, width + centres.size))
    for p in range(counts.shape[1]):
        size = min(part, n_items - p * part)
        for d in range(seeds.size):
            seed = _word(seeds[d], _COUNTS + np.uint64(p + 1))
            add_drawn(columns, centres, p * part, size, seed, counts[d, p], out[d])
    return out
