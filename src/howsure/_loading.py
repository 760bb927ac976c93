"""Whether compiled loops are worth loading: small jobs end before the compiler's library is there.

Loops that ask here have a twin in NumPy (modules `_plain`) with the same bits, so that no answer depends on it. The
size of the job alone decides, never what this process did before: otherwise a small call would wait for the compiler
because of an earlier one.
"""

WORTH = 1 << 26
"""Numbers that go through NumPy in about the time that loading the compiler takes."""


def pays(n_numbers: int) -> bool:
    """Return whether a job with so many numbers is faster with compiled loops, loading them included."""
    return n_numbers > WORTH
