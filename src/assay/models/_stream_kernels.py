"""The loops that draw from several generators: those of NumPy's SFC64 (Doty-Humphrey), with the same bits.

`states` is of each generator, (generators, 4), and moves on with what it draws; `stops` is where its numbers end.
"""

import numpy as np
import numpy.typing as npt

from assay._compiled import njit
from assay.scales import FloatArray, IntArray

Words = npt.NDArray[np.uint64]

_ONE, _S3, _S11, _S24, _S40 = np.uint64(1), np.uint64(3), np.uint64(11), np.uint64(24), np.uint64(40)


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
