"""Placements of many pairs of samples, compiled: what `expected_pvalue` counts in one."""

import numpy as np
import numpy.typing as npt

from howsure._compiled import njit
from howsure.scales import FloatArray, IntArray

SIDE_BY_SIDE = 128
"""The places of so many draws are looked for in step: none waits for another, and all stay in the processor's cache."""


@njit(cache=True, nogil=True)
def placements(null: FloatArray, draws: FloatArray, times: IntArray, slack: FloatArray) -> FloatArray:
    """Return the sums that `howsure.inference.pvalues.placed` takes, above and below: (2, 3, rows).

    Each row of `null` ascends; draws may have any order, and each counts as often as `times` says. (Loops in place of
    NumPy's functions are compiled in a fraction of the time.)
    """
    n_rows, n_null = null.shape
    n_draws = int(np.int64(0))  # a literal 0 would have what is called compiled twice
    for j in range(times.size):
        n_draws += times[j]
    out = np.empty((2, 3, n_rows))
    own = np.empty(n_null)
    numbers, counts, once = np.empty((3, n_null + 1), dtype=np.int64)
    for row in range(n_rows):
        middle = null[row, n_null // 2]
        if n_null % 2 == 0:
            middle = (null[row, n_null // 2 - 1] + middle) / 2
        turned = _middle_is_below(draws, row, times, n_draws, middle)
        for i in range(n_null):
            own[i] = -null[row, n_null - 1 - i] if turned else null[row, i]
        _count_places(own, draws, row, times, -1.0 if turned else 1.0, slack[row], counts)
        for i in range(n_null + 1):
            numbers[i] = n_null - i
        _sums(numbers, counts, n_null + 1, n_draws, out[0], row)
        upto = 0
        for i in range(n_null):  # a draw is at or below a null draw that is not below the draw
            upto += counts[i]
            numbers[i], once[i] = upto, 1
        _sums(numbers, once, n_null, n_null, out[1], row)
    return out


@njit(cache=True, nogil=True)
def _middle_is_below(draws: FloatArray, row: int, times: IntArray, n_draws: int, middle: float) -> bool:
    """Return whether the median of a row of draws is below a number."""
    n_below = 0
    for j in range(times.size):
        n_below += times[j] if draws[row, j] < middle else 0
    if n_draws % 2 or n_below != n_draws // 2:
        return n_below > n_draws // 2
    highest, lowest = -np.inf, np.inf
    for j in range(times.size):
        if draws[row, j] < middle:
            highest = max(highest, draws[row, j])
        else:
            lowest = min(lowest, draws[row, j])
    return (highest + lowest) / 2 < middle


@njit(cache=True, nogil=True)
def _count_places(
    null: FloatArray, draws: FloatArray, row: int, times: IntArray, sign: float, slack: float, counts: IntArray
) -> None:
    """Count the draws of a row, times `sign`, that have 0, 1, … null draws below them."""
    places: npt.NDArray[np.uint32] = np.empty(SIDE_BY_SIDE, dtype=np.uint32)
    values = np.empty(SIDE_BY_SIDE)
    nothing = np.uint32(0)
    for i in range(counts.size):
        counts[i] = 0
    for first in range(0, times.size, SIDE_BY_SIDE):
        n = min(SIDE_BY_SIDE, times.size - first)
        for j in range(n):
            places[j] = 0
            values[j] = sign * draws[row, first + j] - slack
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
def _sums(numbers: IntArray, times: IntArray, n: int, n_times: int, out: FloatArray, row: int) -> None:
    """Write the sum of numbers, and that of their distances from the whole part of its mean, and of the squares."""
    total = 0
    for j in range(n):
        total += numbers[j] * times[j]
    whole = total // n_times
    rest, squares = 0.0, 0.0
    for j in range(n):
        apart = float(numbers[j] - whole)
        rest += times[j] * apart
        squares += times[j] * apart * apart
    out[0, row], out[1, row], out[2, row] = total, rest, squares
