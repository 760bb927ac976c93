"""Tails of a sum of numbers with random signs by listing the sets of negative terms, where there are not too many."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from howsure.data.scales import FloatArray

LISTED = 2**18
"""At most this many sets of negative terms are listed for each half."""


@dataclass(frozen=True, slots=True)
class Tails:
    """P(sum ≥ x) with sums that equal x, P(sum > x) without them, and the relative error of the first."""

    at_least: float
    above: float
    relative_error: float = 0.0


def listed_tails(sizes: FloatArray, times: FloatArray, room: float, tolerance: float) -> Tails | None:
    """List the sets of terms that may be negative while the sum stays at x or above; None if there are too many.

    A negative term lowers the sum by twice its size; `room` is how far the sum may fall. Sets are listed for two halves
    of the terms, and each set of one half is matched with the sets of the other that leave room for it.
    """
    n_open = int(np.searchsorted(sizes, (room + tolerance) / 2, side="right"))
    # The smallest terms that fit into the room all together: every set of them would be listed.
    together = int(np.searchsorted(np.cumsum(2 * sizes * times), room, side="right"))
    if n_open > LISTED or float(np.log2(times[:together] + 1).sum()) > 2 * math.log2(LISTED):
        return None
    most = np.minimum(times[:n_open], np.floor((room + tolerance) / (2 * sizes[:n_open])))
    halves: tuple[list[int], list[int]] = ([], [])
    log_sizes = [0.0, 0.0]
    for term in np.argsort(-most, kind="stable").tolist():
        smaller = 0 if log_sizes[0] <= log_sizes[1] else 1
        halves[smaller].append(term)
        log_sizes[smaller] += math.log(most[term] + 1)
    if most.max(initial=0.0) >= LISTED or any(_crowded(sizes[half], most[half], room + tolerance) for half in halves):
        return None
    several = times[:n_open].max(initial=1.0) > 1  # else all sets are equally likely
    one, other = (_flips(sizes[half], times[half], room + tolerance, several=several) for half in halves)
    if one is None or other is None:
        return None
    (first, of_first), (second, of_second) = one, other
    shut = 0.5 ** float(times[n_open:].sum())
    if not several:
        shut *= 0.5**n_open
        first.sort()
        second.sort()
        at_least = np.searchsorted(second, room + tolerance - first, side="right").sum()
        above = np.searchsorted(second, room - tolerance - first, side="left").sum()
        return Tails(shut * float(at_least), shut * float(above))
    order, own = np.argsort(second), np.argsort(first)  # a search is several times as fast in order
    second, upto = second[order], np.concatenate([[0.0], np.cumsum(of_second[order])])
    places = np.empty((2, first.size), dtype=np.int64)
    places[0, own] = np.searchsorted(second, room + tolerance - first[own], side="right")
    places[1, own] = np.searchsorted(second, room - tolerance - first[own], side="left")
    at_least, above = (of_first @ upto[each] for each in places)
    return Tails(shut * float(at_least), shut * float(above))


def _crowded(sizes: FloatArray, most: FloatArray, room: float) -> bool:
    """Whether too many sets of only the smallest terms fit into the room: they are counted, by halves."""
    order = np.argsort(sizes)
    sizes, most = sizes[order], most[order]
    logs = np.cumsum(np.log2(most + 1))
    if not logs.size or logs[-1] <= math.log2(LISTED):
        return False
    few = int(np.searchsorted(logs, math.log2(LISTED) + 6)) + 1
    halves = [_flips(sizes[part:few:2], most[part:few:2], room, several=False) for part in (0, 1)]
    one, other = (None if half is None else np.sort(half[0]) for half in halves)
    return one is None or other is None or int(np.searchsorted(one, room - other, side="right").sum()) > LISTED


def _flips(sizes: FloatArray, times: FloatArray, room: float, *, several: bool) -> tuple[FloatArray, FloatArray] | None:
    """Return by how much each set of terms that fits into `room` lowers the sum; None if there are too many.

    With `several`, the probability of each set is returned, too.
    """
    taken, chances, most_taken = np.zeros(1), np.ones(1), 0.0
    for term in np.argsort(sizes).tolist():
        size, n = 2 * float(sizes[term]), int(times[term])
        most = int(min(n, room / size))
        if several:
            taken = np.add.outer(taken, size * np.arange(most + 1)).ravel()
            chances = np.multiply.outer(chances, _coins(n)[: most + 1]).ravel()
        else:  # in another order, which takes less time
            taken = np.add.outer(size * np.arange(most + 1), taken).ravel()
        most_taken += size * most
        if most_taken > room:
            kept = taken <= room
            taken, chances = taken[kept], chances[kept] if several else chances
        if taken.size > LISTED:
            return None
    return taken, chances


@lru_cache(maxsize=64)
def _coins(n: int) -> FloatArray:
    """Return the probabilities of 0 … n heads of n fair coins."""
    if n <= 50:  # exact: the counts are whole numbers below 2⁵³
        return np.array([math.comb(n, k) for k in range(n + 1)]) / 2.0**n
    k = np.arange(1, n + 1)
    logs = np.concatenate([[0.0], np.cumsum(np.log((n - k + 1) / k))])
    return np.asarray(np.exp(logs - n * math.log(2)))
