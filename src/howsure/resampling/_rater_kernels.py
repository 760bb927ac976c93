"""The loops of the two-way bootstrap: summaries in which a response counts as often as its rater was drawn.

Draws are innermost: `weights` is how often each rater was drawn, (raters, draws).
"""

import numpy as np
import numpy.typing as npt

from howsure._compiled import njit
from howsure.data.scales import FloatArray, IntArray

Counts = npt.NDArray[np.uint8]
Source = tuple[FloatArray, IntArray, IntArray]
"""Responses, their raters (none: one response per item, for all raters), and where those of each item begin."""

TILE = 64
"""This many draws are done at a time: what is written for them stays in the processor's first cache."""


@njit(cache=True, nogil=True)
def weighted_sums(advantages: FloatArray, items: npt.NDArray[np.uint8]) -> FloatArray:
    """Return the sum of each draw's advantages, (draws, items), each as often as its item was drawn."""
    n_draws, n = advantages.shape
    out = np.empty(n_draws)
    for d in range(n_draws):
        row, times = advantages[d], items[d]
        even, odd = 0.0, 0.0  # two sums, as one addition would wait for the other
        for i in range(0, n - 1, 2):
            even += times[i] * row[i]
            odd += times[i + 1] * row[i + 1]
        out[d] = even + odd + (times[n - 1] * row[n - 1] if n % 2 else 0.0)
    return out


@njit(cache=True, nogil=True)
def _add_up(source: Source, i: int, weights: FloatArray, means: FloatArray, there: FloatArray) -> None:
    """Write the mean of an item's responses in each draw of a tile; of no response (its first), `there` becomes 0."""
    values, raters, offsets = source
    if raters.size == 0:
        means[:] = values[i]
        return
    counts = np.zeros(TILE)
    means[:] = 0.0
    for j in range(offsets[i], offsets[i + 1]):
        row, value = weights[raters[j]], values[j]
        for d in range(TILE):
            means[d] += row[d] * value
            counts[d] += row[d]
    first = values[offsets[i]]
    for d in range(TILE):
        there[d] = there[d] if counts[d] > 0 else 0.0
        means[d] = means[d] / counts[d] if counts[d] > 0 else first


@njit(cache=True, nogil=True)
def error_advantages(
    gold: Source, a: Source, b: Source, power: int, items: Counts, units: IntArray, raters: Counts
) -> FloatArray:
    """Return the mean of |b − gold|ᵖ − |a − gold|ᵖ over the drawn items of each draw, p being 1 or 2.

    `items` is how often each unit was drawn, (draws, units), `units` the unit of each item, and `raters` how often each
    rater was drawn, (draws, raters). It is `weighted_means` and `weighted_sums` without what lies between.
    """
    n_draws, n_items = raters.shape[0], units.size
    out = np.empty(n_draws)
    weights = np.zeros((raters.shape[1], TILE))
    means = np.empty((3, TILE))
    there, sums, n_drawn = np.empty(TILE), np.empty((2, TILE)), np.empty(TILE)
    for first in range(0, n_draws, TILE):
        m = min(TILE, n_draws - first)
        for d in range(m):
            for r in range(raters.shape[1]):
                weights[r, d] = raters[first + d, r]
        sums[:] = 0.0
        n_drawn[:] = 0.0
        for i in range(n_items):
            there[:] = 0.0
            for d in range(m):
                there[d] = items[first + d, units[i]]
            _add_up(gold, i, weights, means[0], there)
            _add_up(a, i, weights, means[1], there)
            _add_up(b, i, weights, means[2], there)
            if i == n_items - 1 and i % 2 == 0:
                for d in range(TILE):  # one by one: rows that are added up take seconds to compile
                    sums[0, d] += sums[1, d]
            row = sums[i % 2]
            for d in range(TILE):
                of_a, of_b = abs(means[1, d] - means[0, d]), abs(means[2, d] - means[0, d])
                advantage = of_b - of_a if power == 1 else of_b * of_b - of_a * of_a
                row[d] += there[d] * advantage
                n_drawn[d] += there[d]
        if n_items % 2 == 0:
            for d in range(TILE):
                sums[0, d] += sums[1, d]
        for d in range(m):
            out[first + d] = sums[0, d] / n_drawn[d] if n_drawn[d] > 0 else np.nan
    return out


@njit(cache=True, nogil=True)
def weighted_sizes(raters: IntArray, offsets: IntArray, weights: FloatArray) -> IntArray:
    """Return how many responses each item has, (draws, items), when each counts as often as its rater was drawn."""
    n_items, n_draws = offsets.size - 1, weights.shape[1]
    out = np.empty((n_draws, n_items), dtype=np.int64)
    totals = np.empty(n_draws)
    for i in range(n_items):
        totals[:] = 0.0
        for j in range(offsets[i], offsets[i + 1]):
            row = weights[raters[j]]
            for d in range(n_draws):
                totals[d] += row[d]
        for d in range(n_draws):
            out[d, i] = np.int64(totals[d])
    return out


@njit(cache=True, nogil=True)
def weighted_means(
    values: FloatArray, raters: IntArray, offsets: IntArray, weights: FloatArray
) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Return the weighted mean of each item, and whether any of its raters was drawn (if not: its first value)."""
    n_items, n_draws = offsets.size - 1, weights.shape[1]
    out = np.empty((n_draws, n_items))
    there = np.empty((n_draws, n_items), dtype=np.bool_)
    totals, counts = np.empty(TILE), np.empty(TILE)
    for first in range(0, n_draws, TILE):
        m = min(TILE, n_draws - first)
        for i in range(n_items):
            totals[:] = 0.0
            counts[:] = 0.0
            for j in range(offsets[i], offsets[i + 1]):
                row, value = weights[raters[j], first : first + m], values[j]
                for d in range(m):
                    totals[d] += row[d] * value
                    counts[d] += row[d]
            for d in range(m):
                there[first + d, i] = counts[d] > 0
                out[first + d, i] = totals[d] / counts[d] if counts[d] > 0 else values[offsets[i]]
    return out, there


@njit(cache=True, nogil=True)
def weighted_counts(
    codes: IntArray, raters: IntArray, offsets: IntArray, weights: FloatArray, n_levels: int
) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Return how often each item got each level, and whether any of its raters was drawn (if not: its first level)."""
    n_items, n_draws = offsets.size - 1, weights.shape[1]
    out = np.empty((n_draws, n_items, n_levels))
    there = np.zeros((n_draws, n_items), dtype=np.bool_)
    counts = np.empty((n_levels, n_draws))
    for i in range(n_items):
        counts[:] = 0.0
        for j in range(offsets[i], offsets[i + 1]):
            row, level = weights[raters[j]], counts[codes[j]]
            for d in range(n_draws):
                level[d] += row[d]
        for d in range(n_draws):
            for level in range(n_levels):
                out[d, i, level] = counts[level, d]
                there[d, i] |= counts[level, d] > 0
            if not there[d, i]:
                out[d, i, codes[offsets[i]]] = 1.0
    return out, there


@njit(cache=True, nogil=True)
def repeated(values: FloatArray, raters: IntArray, offsets: IntArray, weights: FloatArray, width: int) -> FloatArray:
    """Return each response as often as its rater was drawn, in the given order (the first, if none); NaN fills rows."""
    n_items, n_draws = offsets.size - 1, weights.shape[1]
    out = np.full((n_draws, n_items, width), np.nan)
    for d in range(n_draws):
        for i in range(n_items):
            at = 0
            for j in range(offsets[i], offsets[i + 1]):
                for _ in range(int(weights[raters[j], d])):
                    out[d, i, at] = values[j]
                    at += 1
            if at == 0:
                out[d, i, 0] = values[offsets[i]]
    return out


@njit(cache=True, nogil=True)
def written_out(rows: FloatArray, items: Counts, draws: IntArray, out: FloatArray) -> None:
    """Write the entries of some draws, (draws, items, width), each as often as its item was drawn."""
    for i in range(draws.size):
        d, at = draws[i], 0
        for item in range(items.shape[1]):
            for _ in range(items[d, item]):
                for c in range(rows.shape[2]):
                    out[i, at, c] = rows[d, item, c]
                at += 1
