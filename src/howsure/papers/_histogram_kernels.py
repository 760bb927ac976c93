"""Histograms of responses on [0, 1], as the published tables count them; compiled on first use.

Each loop has a plain twin in the tests.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from howsure._compiled import njit
from howsure.data.scales import FloatArray
from howsure.metrics._weighted_kernels import SUMMED, Entries, Weights, side_by_side
from howsure.metrics.base import ROUNDING

LANES = 16
"""This many draws lie side by side: two words hold their weights."""

_ONE, _TWO, _THREE, _FOUR = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
_EVEN, _PAIR = np.uint64(0x00FF00FF00FF00FF), np.uint64(0xFFFF)
_EIGHT, _S16 = np.uint64(8), np.uint64(16)


@njit(cache=True, nogil=True)
def histograms(rows: FloatArray, bins: int) -> npt.NDArray[np.int32]:
    """Count each row into equal bins on [0, 1], dropping what lies outside or is absent."""
    n_rows, n = rows.shape
    out = np.zeros((n_rows, bins), dtype=np.int32)
    places = np.empty(-(-n // 4) * 4, dtype=np.int32)
    places[n:] = bins
    # Four sets of counts, in turns: a count that was just written is not read at once. The last counts what is dropped.
    sets = np.empty((bins + 1, 4), dtype=np.int32)
    for r in range(n_rows):
        sets[:] = 0
        bins_of(rows[r], bins, places)
        for c in range(np.uint64(0), np.uint64(places.size), _FOUR):
            sets[np.uint32(places[c]), 0] += 1
            sets[np.uint32(places[c + _ONE]), 1] += 1
            sets[np.uint32(places[c + _TWO]), 2] += 1
            sets[np.uint32(places[c + _THREE]), 3] += 1
        for b in range(bins):
            out[r, b] = sets[b, 0] + sets[b, 1] + sets[b, 2] + sets[b, 3]
    return out


@njit(cache=True, nogil=True)
def bins_of(row: FloatArray, bins: int, out: npt.NDArray[np.int32]) -> None:
    """Write the bin of each value, and the number of bins for what lies outside: a loop without branches."""
    last = bins - 1.0
    for c in range(row.size):
        inside = (row[c] >= 0.0) & (row[c] <= 1.0)
        place = (row[c] if inside else 0.0) * bins + bins * ROUNDING
        place = place if place < last else last
        out[c] = np.int32(place if inside else np.float64(bins))


class Shapes(NamedTuple):
    """Counts of a few responses in a few bins, as one number each.

    `steps` is what a response in each bin adds to the number, and 0 for what is dropped; `table` says which counts are
    behind a number, in whatever order, and `apart` is Σ |sorted counts − sorted counts| of two of them.
    """

    steps: npt.NDArray[np.uint32]
    table: npt.NDArray[np.uint16]
    apart: npt.NDArray[np.int32]


@njit(cache=True, nogil=True)
def shapes_of(rows: FloatArray, shapes: Shapes, places: npt.NDArray[np.int32], out: npt.NDArray[np.uint16]) -> None:
    """Write which sorted counts each row has; `places` is room for the bin of each value."""
    n_rows, width = rows.shape
    steps, table = shapes.steps, shapes.table
    bins_of(rows.ravel(), steps.size - 1, places)
    at = np.uint64(0)
    for r in range(n_rows):
        number = np.uint32(0)
        for _ in range(width):
            number += steps[np.uint32(places[at])]
            at += np.uint64(1)
        out[r] = table[number]


@njit(cache=True, nogil=True)
def add_up(entries: Entries, stops: Entries, weights: Weights, rows: Weights, out: npt.NDArray[np.int32]) -> None:
    """Write the summed weights of each bin's entries, for each draw: (draws, bins), with room for whole rows of draws.

    The entries of the first bin come first, up to the first of the `stops`. Four words hold the sums of a row, sixteen
    bits each: those of 256 weights fit.
    """
    words = rows.view(np.uint64)
    out[:] = 0
    for low in range(0, len(out), LANES):
        side_by_side(weights[low : low + LANES], rows)
        start = 0
        for b in range(stops.size):
            for begin in range(start, stops[b], SUMMED):
                even, odd, even_b, odd_b = np.uint64(0), np.uint64(0), np.uint64(0), np.uint64(0)
                for k in range(begin, min(begin + SUMMED, stops[b])):
                    entry = np.uint64(entries[k])
                    first, second = words[entry, 0], words[entry, 1]
                    even += first & _EVEN
                    odd += (first >> _EIGHT) & _EVEN
                    even_b += second & _EVEN
                    odd_b += (second >> _EIGHT) & _EVEN
                for d in range(low, low + 8, 2):
                    out[d, b] += np.int32(even & _PAIR)
                    out[d + 1, b] += np.int32(odd & _PAIR)
                    out[d + 8, b] += np.int32(even_b & _PAIR)
                    out[d + 9, b] += np.int32(odd_b & _PAIR)
                    even, odd, even_b, odd_b = even >> _S16, odd >> _S16, even_b >> _S16, odd_b >> _S16
            start = stops[b]
