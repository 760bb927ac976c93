"""Placements of many pairs of samples, compiled: what `expected_pvalue` counts in one."""

import numpy as np
import numpy.typing as npt

from assay._compiled import njit
from assay.scales import FloatArray, IntArray

SIDE_BY_SIDE = 128
"""The places of so many draws are looked for in step: none waits for another, and all stay in the processor's cache."""


@njit(cache=True, nogil=True)
def placements(null: FloatArray, draws: FloatArray, times: IntArray, slack: FloatArray) -> FloatArray:
    """Return the sums that `assay.inference.pvalues.placed` takes, above and below: (2, 3, rows).

    Each row of `null` ascends; draws may have any order, and each counts as often as `times` says.
    """
    n_rows, n_null = null.shape
    n_draws = times.sum()
    out = np.empty((2, 3, n_rows))
    own, counts = np.empty(n_null), np.empty(n_null + 1, dtype=np.int64)
    above, once = n_null - np.arange(n_null + 1), np.ones(n_null, dtype=np.int64)
    for row in range(n_rows):
        middle = null[row, n_null // 2]
        if n_null % 2 == 0:
            middle = (null[row, n_null // 2 - 1] + middle) / 2
        turned = _middle_is_below(draws[row], times, n_draws, middle)
        sign = -1.0 if turned else 1.0
        for i in range(n_null):
            own[i] = -null[row, n_null - 1 - i] if turned else null[row, i]
        _count_places(own, draws[row], times, sign, slack[row], counts)
        out[0, :, row] = _sums(above, counts)
        # A draw is at or below a null draw that is not below the draw.
        out[1, :, row] = _sums(np.cumsum(counts)[:n_null], once)
    return out


@njit(cache=True, nogil=True)
def _middle_is_below(draws: FloatArray, times: IntArray, n_draws: int, middle: float) -> bool:
    """Return whether the median of draws is below a number."""
    n_below = 0
    for j in range(draws.size):
        n_below += times[j] if draws[j] < middle else 0
    if n_draws % 2 or n_below != n_draws // 2:
        return bool(n_below > n_draws // 2)
    highest, lowest = -np.inf, np.inf
    for draw in draws:
        if draw < middle:
            highest = max(highest, draw)
        else:
            lowest = min(lowest, draw)
    return bool((highest + lowest) / 2 < middle)


@njit(cache=True, nogil=True)
def _count_places(
    null: FloatArray, draws: FloatArray, times: IntArray, sign: float, slack: float, counts: IntArray
) -> None:
    """Count the draws, times `sign`, that have 0, 1, … null draws below them."""
    places: npt.NDArray[np.uint32] = np.empty(SIDE_BY_SIDE, dtype=np.uint32)
    values = np.empty(SIDE_BY_SIDE)
    nothing = np.uint32(0)
    counts[:] = 0
    for first in range(0, draws.size, SIDE_BY_SIDE):
        n = min(SIDE_BY_SIDE, draws.size - first)
        for j in range(n):
            places[j] = 0
            values[j] = sign * draws[first + j] - slack
        left = null.size
        while left > 1:
            half, last = np.uint32(left // 2), np.uint32(left // 2 - 1)
            for j in range(n):
                places[j] += half if null[places[j] + last] < values[j] else nothing
            left -= left // 2
        for j in range(n):
            places[j] += np.uint32(null[places[j]] < values[j])
        for j in range(n):
            counts[places[j]] += times[first + j]


@njit(cache=True, nogil=True)
def _sums(numbers: IntArray, times: IntArray) -> tuple[float, float, float]:
    """Return the sum of numbers, and that of their distances from the whole part of its mean, and of the squares."""
    total = (numbers * times).sum()
    whole = total // times.sum()
    rest, squares = 0.0, 0.0
    for j in range(numbers.size):
        apart = float(numbers[j] - whole)
        rest += times[j] * apart
        squares += times[j] * apart * apart
    return float(total), rest, squares
