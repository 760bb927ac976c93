"""From the user's `rng` to streams of random numbers that do not depend on who draws them.

A seed is a `SeedSequence`. Every purpose ("bootstrap", "swap", …) and every block of draws has its own child, found
by name and number and not by the order of calls. Draws come in blocks of a fixed size with a generator each; so one
thread, eight threads, processes or a cluster produce the same bits.
"""

import hashlib
import os
import struct
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from howsure import _check
from howsure.errors import ArgumentError

Rng = int | np.random.SeedSequence | np.random.Generator | None
T = TypeVar("T")

BLOCK = 64

WORTH_A_THREAD = 2**17
"""Fewer random numbers than this are drawn sooner than a thread starts."""


def seed_of(rng: Rng) -> np.random.SeedSequence:
    """Turn what a user may pass as `rng` into a seed; `None` draws fresh entropy, which the seed then records."""
    if rng is None:
        return np.random.SeedSequence()
    if isinstance(rng, np.random.SeedSequence):
        return rng
    if isinstance(rng, np.random.Generator):
        return np.random.SeedSequence(int(rng.integers(2**63)))
    if isinstance(rng, int | np.integer) and not isinstance(rng, bool):
        return np.random.SeedSequence(_check.integer("rng", rng, at_least=0))
    raise ArgumentError(f"`rng` must be a non-negative integer, SeedSequence, Generator or None; got {rng!r}.")


def entropy_of(seed: np.random.SeedSequence) -> int:
    """Return the number that, passed as `rng`, gives this seed again."""
    if isinstance(seed.entropy, int) and not seed.spawn_key:
        return seed.entropy
    return int.from_bytes(seed.generate_state(4, np.uint32).tobytes(), "little")


def replayable(rng: Rng) -> np.random.SeedSequence:
    """Return a seed that its own `entropy_of` reproduces: what a result records is what it drew from."""
    return np.random.SeedSequence(entropy_of(seed_of(rng)))


def child(seed: np.random.SeedSequence, *names: str | int) -> np.random.SeedSequence:
    """Return the child stream of `seed` that these names identify."""
    digest = hashlib.sha256("\x1f".join(map(str, names)).encode()).digest()
    return np.random.SeedSequence(entropy=seed.entropy, spawn_key=(*seed.spawn_key, *struct.unpack("<4I", digest[:16])))


def generator(seed: np.random.SeedSequence, *names: str | int) -> np.random.Generator:
    """Return a fresh generator for the child stream that these names identify."""
    return np.random.Generator(np.random.SFC64(child(seed, *names)))


def blocks(n_draws: int, size: int = BLOCK, *, workers: int = 1, unit: int = 0) -> Iterator[tuple[int, int, int]]:
    """Cut `n_draws` into (number, start, stop) of fixed size, the last one shorter.

    Where blocks may be of any multiple of a `unit`, the last ones get smaller, so that `workers` end together.
    """
    number = start = 0
    while start < n_draws:
        step = size
        if unit and workers > 1:
            least = max(1, size // (4 * unit))  # a call for few draws costs nearly what one for many does
            step = min(size, max(least, (n_draws - start) // (workers * unit)) * unit)
        yield number, start, min(start + step, n_draws)
        number, start = number + 1, start + step


MOST_WORKERS = 1024
"""More threads or processes than any machine starts by one command."""


def n_workers(workers: int | None) -> int:
    """Return how many threads to use: as asked, or one per core this process may run on."""
    if workers is not None:
        return _check.integer("workers", workers, at_least=1, at_most=MOST_WORKERS)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_blocks(
    function: Callable[[int, int, int], T],
    n_draws: int,
    *,
    workers: int,
    progress: Callable[[int], object] | None = None,
    size: int = BLOCK,
    unit: int = 0,
    width: int = WORTH_A_THREAD,
) -> list[T]:
    """Call `function(number, start, stop)` for every block, on threads, and return the results in order.

    `progress` is told the number of draws that each finished block adds. `width` is about how many random numbers a
    draw takes; `size` and `unit` are those of `blocks`.

    Blocks take one to four milliseconds, and towards the end they become smaller, so that threads finish together: most
    of what a second thread lost was a last block that only one of them had. The calling thread is one of the threads,
    and work of less than one block starts none. A thread that waits for the interpreter takes longer to wake than a
    short call takes, so chains of short calls gain nothing from a second thread.
    """
    if n_draws * width < WORTH_A_THREAD:
        workers = 1
    results: dict[int, T] = {}
    todo = deque(blocks(n_draws, size, workers=workers, unit=unit))

    def work() -> None:
        while todo:
            try:
                number, start, stop = todo.popleft()
            except IndexError:  # another thread took the last
                return
            try:
                results[number] = function(number, start, stop)
                if progress is not None:
                    progress(stop - start)
            except BaseException:
                todo.clear()
                raise

    # The calling thread works too: woken for every finished block, it would only take a core from those that work.
    n_others = min(workers, len(todo)) - 1
    if n_others < 1:
        work()
        return [results[number] for number in range(len(results))]
    pool = ThreadPoolExecutor(n_others)
    try:
        others = [pool.submit(work) for _ in range(n_others)]
        work()
        for other in others:
            other.result()
    except BaseException:  # Ctrl-C may come anywhere, and the others end with what they have
        todo.clear()
        raise
    finally:
        pool.shutdown()
    return [results[number] for number in range(len(results))]
