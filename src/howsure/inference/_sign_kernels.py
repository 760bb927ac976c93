"""How many sets of terms fit into a room, compiled: the p-value of swapped items for many rows of advantages."""

import numpy as np

from howsure._compiled import njit
from howsure.data.scales import FloatArray, IntArray


@njit(cache=True, nogil=True)
def count_sets(sizes: FloatArray, room: FloatArray, slack: FloatArray) -> IntArray:
    """Return how many sets of the terms of each row add up to at most `room`, and to less: (2, rows).

    Sums within `slack` of the room equal it. All sets of each half of the terms are listed in ascending order, and
    those of one half are matched with those of the other that leave room for them.
    """
    n_rows, n = sizes.shape
    out = np.empty((2, n_rows), dtype=np.int64)
    first, second, spare = np.empty(1 << (n + 1) // 2), np.empty(1 << n // 2), np.empty((1 << (n + 1) // 2) + 1)
    for row in range(n_rows):
        _list_sets(sizes, row, int(np.int64(0)), first, spare)  # no literals: compiled once, not for each
        _list_sets(sizes, row, int(np.int64(1)), second, spare)
        for which in range(2):
            most = room[row] + slack[row] if which == 0 else room[row] - slack[row]
            fitting, count = second.size, 0
            for i in range(first.size):
                left = most - first[i]
                while fitting and (second[fitting - 1] > left or (which == 1 and second[fitting - 1] == left)):
                    fitting -= 1
                count += fitting
            out[which, row] = count
    return out


@njit(cache=True, nogil=True)
def _list_sets(sizes: FloatArray, row: int, start: int, out: FloatArray, spare: FloatArray) -> None:
    """Write the sums of all sets of every other term of a row, ascending: those with a term join those without it."""
    out[0] = 0.0
    n = 1
    for term in range(start, sizes.shape[1], 2):
        size = sizes[row, term]
        for k in range(n):
            spare[k] = out[k]
        spare[n] = np.inf
        without, having = 0, 0
        for k in range(2 * n):  # without a branch: no processor foresees which is next
            one, other = spare[without], spare[having] + size
            smaller = int(one <= other)
            out[k] = min(one, other)
            without += smaller
            having += 1 - smaller
        n *= 2
