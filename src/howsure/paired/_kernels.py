"""The loops of resampled score lists: NumPy's numbers from its SFC64 generators (Doty-Humphrey), without Python's lock.

`states` is of each generator, (generators, 4); `stops` is where its draws end. What they draw is what
`Generator.integers` and `Generator.bytes` give, which halve each word of 64 bits: its low half comes first.
"""

import numpy as np
import numpy.typing as npt

from howsure._compiled import njit
from howsure.scales import FloatArray, IntArray

Words = npt.NDArray[np.uint64]

_ONE, _S3, _S8, _S11, _S24, _S32, _S40 = (np.uint64(n) for n in (1, 3, 8, 11, 24, 32, 40))
_HALF, _BYTE = np.uint64(0xFFFFFFFF), np.uint64(0xFF)


@njit(cache=True, nogil=True)
def _next(state: Words) -> np.uint64:
    """Return 64 random bits, and move the state on."""
    word = state[0] + state[1] + state[3]
    state[3] += _ONE
    state[0] = state[1] ^ (state[1] >> _S11)
    state[1] = state[2] + (state[2] << _S3)
    state[2] = ((state[2] << _S24) | (state[2] >> _S40)) + word
    return np.uint64(word)


@njit(cache=True, nogil=True)
def counts(states: Words, stops: IntArray, out: FloatArray) -> None:
    """Write how often each of n pieces is among n that are drawn with replacement: (draws, n).

    A half word times n falls on one of n pieces; the few that would make some likelier are drawn again (Lemire 2019).
    """
    n = np.uint64(out.shape[1])
    uneven = ((_HALF + _ONE) - n) % n
    out[:] = 1.0 if out.shape[1] == 1 else 0.0
    start = 0
    for g in range(stops.size if out.shape[1] > 1 else 0):
        state = states[g].copy()
        rest, kept = np.uint64(0), False
        for d in range(start, stops[g]):
            for _ in range(out.shape[1]):
                product = np.uint64(0)
                while True:
                    if kept:
                        half = rest
                    else:
                        word = _next(state)
                        half, rest = word & _HALF, word >> _S32
                    kept = not kept
                    product = half * n
                    if (product & _HALF) >= uneven:
                        break
                out[d, product >> _S32] += 1.0
        start = stops[g]


@njit(cache=True, nogil=True)
def coins(states: Words, stops: IntArray, out: FloatArray) -> None:
    """Write fair coins, (draws, n): the bits of bytes from the highest on, and a fresh byte for each draw."""
    n = out.shape[1]
    bits = np.empty((256, 8))
    for byte in range(256):
        for i in range(8):
            bits[byte, i] = (byte >> (7 - i)) & 1
    start = 0
    for g in range(stops.size):
        state = states[g].copy()
        word, n_left = np.uint64(0), 0
        for d in range(start, stops[g]):
            for first in range(0, n, 8):
                if n_left == 0:
                    word, n_left = _next(state), 8
                own = bits[word & _BYTE]
                word, n_left = word >> _S8, n_left - 1
                if n - first >= 8:
                    for i in range(8):
                        out[d, first + i] = own[i]
                else:
                    for i in range(n - first):
                        out[d, first + i] = own[i]
        start = stops[g]


@njit(cache=True, nogil=True)
def sums_of_coins(ranks: IntArray, out: FloatArray) -> None:
    """Write the probability of each sum of ranks, from 0 on, where each is added by a fair coin."""
    out[:] = 0.0
    out[0] = 1.0
    largest = 0
    for rank in ranks:
        for total in range(largest + rank, rank - 1, -1):
            out[total] = (out[total] + out[total - rank]) / 2
        for total in range(min(rank, largest + 1)):
            out[total] /= 2
        largest += rank
