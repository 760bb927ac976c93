"""Whether compiled loops are worth loading: small jobs end before the compiler's library is there.

Loops that ask here have a twin in NumPy (modules `_plain`) with the same bits, so that no answer depends on it.
"""

import sys

WORTH = 1 << 26
"""Numbers that go through NumPy in about the time that loading the compiler takes."""

_done = 0


def pays(n_numbers: int) -> bool:
    """Return whether to take compiled loops: they are there, or NumPy would soon have taken as long as loading them."""
    global _done  # noqa: PLW0603 (what this process did so far is of the process)
    if "numba" in sys.modules:
        return True
    _done += n_numbers
    return _done > WORTH
