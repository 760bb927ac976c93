"""Segments that are copies of others: a file appended to itself makes a p-value small without new evidence."""

import math
from functools import reduce

import numpy as np
import numpy.typing as npt

from howsure.scales import FloatArray, IntArray

FEWEST = 10
"""Fewer different segments than this repeat by chance: right-or-wrong scores have only four."""
WINDOW = 10
"""As many consecutive segments as this that stood in the same order before are a copied block."""
MULTIPLIER = 0x9E3779B97F4A7C15


def copied_segments(a: FloatArray, b: FloatArray) -> tuple[str, ...]:
    """Return a note if the segments look copied: all of them equally often, or a block that stood there before.

    Single segments may agree by chance, and coarse scores do so all the time. That every one of ten or more different
    segments occurs a multiple of k times, or that ten segments in a row repeat ten earlier ones (at least half of them
    different), does not happen by chance.

    Examples
    --------
    >>> a, b = np.random.default_rng(1).normal(size=(2, 50))
    >>> copied_segments(a, b)
    ()
    >>> copied_segments(np.tile(a, 3), np.tile(b, 3))[0][:53]
    'The scores look like 3 copies of the same 50 segments'
    """
    _, ids, counts = np.unique(a + 1j * b, return_inverse=True, return_counts=True)
    times = reduce(math.gcd, counts.tolist())
    if times > 1 and counts.size >= FEWEST:
        return (
            f"The scores look like {times} copies of the same {a.size // times:,} segments. Copies make p-values too "
            "small and intervals too narrow. Remove the copies.",
        )
    n_copied = _segments_in_repeated_blocks(ids)
    if not n_copied:
        return ()
    return (
        f"{n_copied:,} of {a.size:,} segments repeat earlier ones in the same order. Copies make p-values too small "
        "and intervals too narrow. Remove them.",
    )


def _segments_in_repeated_blocks(ids: IntArray) -> int:
    """Count the segments that belong to a window which occurred before."""
    if ids.size < 2 * WINDOW:
        return 0
    marks = _random_words(ids)
    hashes = np.zeros(ids.size - WINDOW + 1, dtype=np.uint64)
    for place in range(WINDOW):
        hashes = hashes * np.uint64(MULTIPLIER) + marks[place : place + hashes.size]
    _, first, group = np.unique(hashes, return_index=True, return_inverse=True)
    again = np.flatnonzero(np.arange(hashes.size) != first[group])
    windows = np.sort(np.lib.stride_tricks.sliding_window_view(ids, WINDOW)[again], axis=1)
    again = again[np.count_nonzero(np.diff(windows, axis=1), axis=1) + 1 >= WINDOW // 2]
    copied = np.zeros(ids.size, dtype=bool)
    copied[(again[:, np.newaxis] + np.arange(WINDOW)).ravel()] = True
    return int(copied.sum())


def _random_words(ids: IntArray) -> npt.NDArray[np.uint64]:
    """Give every number a word of 64 bits, so that sums of words tell rows of numbers apart."""
    words = np.random.default_rng(0).integers(2**63, size=int(ids.max()) + 1, dtype=np.uint64)
    marks: npt.NDArray[np.uint64] = words[ids]
    return marks
