"""Ranks of two models whose items are swapped; compiled on first use.

A swap gives each item one of two answers, so gold's ranks never change, and of two answers that are next to each other
one counts for A or for B. One pass over all answers in order gives the ranks of both. Draws lie side by side, as in
`_weighted_kernels`; all sums are whole numbers. The plain twin is in the tests.
"""

import numpy as np
import numpy.typing as npt

from assay._compiled import njit
from assay.metrics._weighted_kernels import LANES, Entries, Marks, Weights, side_by_side
from assay.scales import FloatArray

_ONE, _TWO = np.uint32(1), np.uint32(2)


@njit(cache=True, nogil=True)
def shared_ranks(
    entries: Entries, ends: Marks, ranks: npt.NDArray[np.uint32], coins: Weights, rows: Weights, out: FloatArray
) -> None:
    """Write the cubed sizes of ties and the sum of products of doubled ranks with gold's, for A and for B.

    `entries` are the answers in order, first those of A by number of item, then those of B; `ends` marks the last of
    equal ones, `ranks` are gold's doubled ranks; a coin of 1 swaps an item. `out` is (A and B, cubes and products,
    draws), with room for whole rows of draws.
    """
    n = ranks.size
    before, here = np.empty(LANES, dtype=np.uint32), np.empty(LANES, dtype=np.uint32)
    every, own = np.empty(LANES, dtype=np.uint64), np.empty(LANES, dtype=np.uint64)
    cubes, of_a = np.empty((2, LANES)), np.empty(LANES, dtype=np.uint64)
    for low in range(0, out.shape[2], LANES):
        side_by_side(coins[low : low + LANES], rows)
        before[:], every[:], own[:], cubes[:] = 0, 0, 0, 0.0
        start, lanes = 0, rows.shape[1]
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
                    own[d] += product if chosen else np.uint64(0)
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
                        of_a[d] += rank if chosen else np.uint64(0)
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
        for d in range(lanes):
            out[0, 0, low + d], out[0, 1, low + d] = cubes[0, d] + n, float(own[d])
            out[1, 0, low + d], out[1, 1, low + d] = cubes[1, d] + n, float(every[d] - own[d])
