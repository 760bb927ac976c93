"""How long a hostile file may take, and how much memory."""

import os
import resource
import signal
from contextlib import contextmanager

SECONDS, MEMORY = 60, 3 << 30
"""No file may take longer, nor more memory beyond what the process has."""


@contextmanager
def bounded(memory=MEMORY):
    """Turn a file that takes too long, or too much memory, into an error (the bounds are those of Linux)."""
    if not os.path.exists("/proc/self/statm"):
        yield
        return

    def late(number, frame):
        raise TimeoutError(f"more than {SECONDS} s")

    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    limits, handler = resource.getrlimit(resource.RLIMIT_AS), signal.signal(signal.SIGALRM, late)
    resource.setrlimit(resource.RLIMIT_AS, (used + memory, limits[1]))
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, handler)
        resource.setrlimit(resource.RLIMIT_AS, limits)
