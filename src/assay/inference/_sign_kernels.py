"""How many sets of terms fit into a room, compiled: the p-value of swapped items for many rows of contrasts."""

import numpy as np

from assay._compiled import njit
from assay.scales import FloatArray, IntArray


@njit(cache=True, nogil=True)
def count_sets(sizes: FloatArray, room: FloatArray, slack: FloatArray) -> IntArray:
    """Return how many sets of the terms of each row add up to at most `room`, and to less: (2, rows).

    Sums within `slack` of the room equal it. All sets of each half of the terms are listed in ascending order, and
    those of one half are matched with those of the other that leave room for them.
    """
    n_rows, n = sizes.shape
    out = np.zeros((2, n_rows), dtype=np.int64)
    first, second = np.empty(2 ** (n // 2)), np.empty(2 ** (n - n // 2))
    spare = np.empty(second.size + 1)
    for row in range(n_rows):
        _list_sets(sizes[row, 0 : 2 * (n // 2) : 2], first, spare)
        _list_sets(np.append(sizes[row, 1::2], sizes[row, 2 * (n // 2) :]), second, spare)
        for which in range(2):
            most = room[row] + slack[row] if which == 0 else room[row] - slack[row]
            fitting, count = second.size, 0
            for taken in first:
                left = most - taken
                while fitting and (second[fitting - 1] > left or (which == 1 and second[fitting - 1] == left)):
                    fitting -= 1
                count += fitting
            out[which, row] = count
    return out


@njit(cache=True, nogil=True)
def _list_sets(sizes: FloatArray, out: FloatArray, spare: FloatArray) -> None:
    """Write the sums of all sets of terms in ascending order: those without a term are merged with those with it."""
    out[0] = 0.0
    n = 1
    for size in sizes:
        spare[:n] = out[:n]
        spare[n] = np.inf
        without, having = 0, 0
        for k in range(2 * n):  # without a branch: no processor foresees which is next
            one, other = spare[without], spare[having] + size
            out[k] = min(one, other)
            smaller = int(one <= other)
            without += smaller
            having += 1 - smaller
        n *= 2
