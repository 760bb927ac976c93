"""Random words in NumPy: SplitMix64 at a counter (Steele, Lea & Flood 2014), as the compiled kernels draw them."""

import numpy as np
import numpy.typing as npt

SeedArray = npt.NDArray[np.uint64]

PART = 4096
"""More items than this are drawn in parts of this many."""

LOW, HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
_STEP, _MIX1, _MIX2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, _ONE = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(1)


def word(seeds: SeedArray | np.uint64, numbers: SeedArray | np.uint64) -> SeedArray:
    """Return the words with these numbers of the streams with these seeds; either may be an array.

    Examples
    --------
    >>> [hex(int(found)) for found in word(np.uint64(0), np.arange(2, dtype=np.uint64))]
    ['0xe220a8397b1dcdaf', '0x6e789e6aa1b965f4']
    """
    with np.errstate(over="ignore"):
        z = np.atleast_1d(np.asarray(seeds + (numbers + _ONE) * _STEP, dtype=np.uint64))
        z = (z ^ (z >> _S30)) * _MIX1
        z = (z ^ (z >> _S27)) * _MIX2
    return z ^ (z >> _S31)
