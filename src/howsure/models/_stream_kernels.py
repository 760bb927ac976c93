"""The loops that draw from several generators: those of NumPy's SFC64 (Doty-Humphrey), with the same bits.

`states` is of each generator, (generators, 4), and moves on with what it draws; `stops` is where its numbers end.
"""

import numpy as np
import numpy.typing as npt

from howsure._compiled import njit
from howsure.scales import FloatArray, IntArray

Words = npt.NDArray[np.uint64]

_ONE, _S3, _S11, _S24, _S40 = np.uint64(1), np.uint64(3), np.uint64(11), np.uint64(24), np.uint64(40)
_S32, _HALF, _LOW = np.uint64(32), np.uint64(2**32), np.uint64(2**32 - 1)


@njit(cache=True, nogil=True)
def words(states: Words, stops: IntArray, out: Words) -> None:
    """Draw 64 random bits each."""
    start = 0
    for g in range(stops.size):
        a, b, c, counter = states[g]
        for i in range(start, stops[g]):
            out[i] = a + b + counter
            counter += _ONE
            a, b, c = b ^ (b >> _S11), c + (c << _S3), ((c << _S24) | (c >> _S40)) + out[i]
        states[g, 0], states[g, 1], states[g, 2], states[g, 3] = a, b, c, counter
        start = stops[g]


@njit(cache=True, nogil=True)
def uniforms(states: Words, stops: IntArray, out: FloatArray) -> None:
    """Draw uniform numbers: 53 of the bits."""
    bits = out.view(np.uint64)
    words(states, stops, bits)
    for i in range(out.size):
        out[i] = (bits[i] >> _S11) * 2.0**-53


@njit(cache=True, nogil=True)
def triangulars(states: Words, stops: IntArray, out: FloatArray, left: float, mode: float, right: float) -> None:
    """Draw from the triangle by inverting its distribution function."""
    uniforms(states, stops, out)
    width = right - left
    peak, rise, fall = (mode - left) / width, (mode - left) * width, (right - mode) * width
    for i in range(out.size):
        root = np.sqrt(out[i] * rise if out[i] <= peak else (1.0 - out[i]) * fall)
        out[i] = left + root if out[i] <= peak else right - root


@njit(cache=True, nogil=True)
def counts(states: Words, halves: IntArray, stops: IntArray, units: IntArray, n_units: int, out: FloatArray) -> None:
    """Draw as many units as there are, in each column of `out`: how often the unit of each row was drawn.

    NumPy's integers take half a word each (Lemire 2019), the lower half first; `halves` is what is left, or −1.
    """
    n = np.uint64(n_units)
    least = _HALF % n
    found = np.empty((n_units, 8))
    start = 0
    for g in range(stops.size):
        a, b, c, counter = states[g]
        half = halves[g]
        for first in range(start, stops[g], 8):
            width = min(8, stops[g] - first)
            found[:] = 0.0
            for j in range(width if n_units > 1 else 0):
                for _ in range(n_units):
                    while True:
                        if half >= 0:
                            product, half = np.uint64(half) * n, np.int64(-1)
                        else:
                            word = a + b + counter
                            counter += _ONE
                            a, b, c = b ^ (b >> _S11), c + (c << _S3), ((c << _S24) | (c >> _S40)) + word
                            product, half = (word & _LOW) * n, np.int64(word >> _S32)
                        if product & _LOW >= least:
                            break
                    found[product >> _S32, j] += 1.0
            for i in range(units.size):
                for j in range(width):
                    out[i, first + j] = found[units[i], j] if n_units > 1 else 1.0
        states[g, 0], states[g, 1], states[g, 2], states[g, 3] = a, b, c, counter
        halves[g] = half
        start = stops[g]
