"""From the user's `rng` to streams of random numbers that do not depend on who draws them.

A seed is a `SeedSequence`. Every purpose ("bootstrap", "swap", …) and every block of draws has its own child, found
by name and number and not by the order of calls. Draws come in blocks of a fixed size, or each has a word of its own;
so one thread, eight threads, processes or a cluster produce the same bits, and the first 999 of 9,999 draws are the 999
draws of a shorter run.
"""

import hashlib
import os
import struct
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt
from numpy.random.bit_generator import ISeedSequence

from howsure import _check
from howsure.errors import ArgumentError

Rng = int | np.random.SeedSequence | np.random.Generator | None
T = TypeVar("T")

BLOCK = 64

_START, _FACTOR = 0x43B0D7E5, 0x931E8875
"""By what a `SeedSequence` multiplies the words that it stirs."""

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
    key = struct.unpack("<4I", _digest(*names))
    return np.random.SeedSequence(entropy=seed.entropy, spawn_key=(*seed.spawn_key, *key))


def _digest(*names: str | int) -> bytes:
    """Return the four words by which a child is found."""
    return hashlib.sha256("\x1f".join(map(str, names)).encode()).digest()[:16]


def generator(seed: np.random.SeedSequence, *names: str | int) -> np.random.Generator:
    """Return a fresh generator for the child stream that these names identify."""
    return np.random.Generator(np.random.SFC64(child(seed, *names)))


class _Words(ISeedSequence):
    """What a seed would give, known already."""

    def __init__(self, words: npt.NDArray[np.uint64]) -> None:
        self.words = words

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> npt.NDArray[Any]:
        """Return the words, which are as many as an SFC64 asks for."""
        return self.words


def generators(
    seed: np.random.SeedSequence, *names: str | int, numbers: Sequence[int], then: Sequence[str | int] = ()
) -> list[np.random.Generator]:
    """Return `generator(seed, *names, number)` for each number, with the same bits, in less time.

    With further names, it is that of the child of each such child.
    """
    if not isinstance(seed.entropy, int) or len(numbers) < 4:
        parents = [child(seed, *names, number) for number in numbers]
        own = [child(parent, *then) for parent in parents] if then else parents
        return [np.random.Generator(np.random.SFC64(each)) for each in own]
    pools = _pools(seed, *names, numbers=numbers)
    if then:
        pools = _stirred(pools, _words(_digest(*then)), _n_stirred(seed) + 4)
    seeded: Any = map(_Words, _state(pools, 3))  # NumPy takes what its annotations do not name
    return [np.random.Generator(np.random.SFC64(own)) for own in seeded]


def states(streams: Sequence[np.random.Generator]) -> npt.NDArray[np.uint64]:
    """Return the four words of each SFC64, for loops that draw in its place."""
    known: Any = [stream.bit_generator.state for stream in streams]
    return np.array([state["state"]["state"] for state in known])


def fresh_states(seed: np.random.SeedSequence, *names: str | int, numbers: Sequence[int]) -> npt.NDArray[np.uint64]:
    """Return `states(generators(seed, *names, numbers=numbers))` without making generators, which would take longer.

    An SFC64 starts with three words of its seed and a counter, and throws its first twelve words away (Doty-Humphrey).
    """
    if not isinstance(seed.entropy, int):
        return states(generators(seed, *names, numbers=numbers))
    a, b, c = _state(_pools(seed, *names, numbers=numbers), 3).T
    for counter in range(1, 13):
        word = a + b + np.uint64(counter)
        a, b, c = (
            b ^ (b >> np.uint64(11)),
            c + (c << np.uint64(3)),
            ((c << np.uint64(24)) | (c >> np.uint64(40))) + word,
        )
    return np.stack([a, b, c, np.full_like(a, 13)], axis=1)


class Seeds:
    """Many seeds that can be replayed, as arrays: what is asked of each is computed for all, with the same bits.

    Examples
    --------
    >>> seeds = Seeds.children(seed_of(1), "study", numbers=range(100))
    >>> alone = replayable(child(seed_of(1), "study", 42))
    >>> seeds[42].entropy == alone.entropy, int(seeds.keys("draws")[42]) == key(alone, "draws")
    (True, True)
    """

    def __init__(self, entropies: npt.NDArray[np.uint32]) -> None:
        self._entropies = entropies
        self._keys: dict[tuple[str | int, ...], npt.NDArray[np.uint64]] = {}
        pools = _hashed(entropies, _powers(_START, _FACTOR, 0, 5))
        for i in range(4):
            stirred = _hashed(pools[:, i : i + 1], _powers(_START, _FACTOR, 4 + 3 * i, 4))
            others = [j for j in range(4) if j != i]
            pools[:, others] = _mixed(pools[:, others], stirred)
        self._pools = pools

    @classmethod
    def of(cls, seeds: Sequence[np.random.SeedSequence]) -> "Seeds":
        """Take seeds that are `replayable`."""
        words = b"".join([entropy_of(seed).to_bytes(16, "little") for seed in seeds])
        return cls(np.frombuffer(words, dtype="<u4").reshape(-1, 4))

    @classmethod
    def children(cls, seed: np.random.SeedSequence, *names: str | int, numbers: Sequence[int]) -> "Seeds":
        """Return `replayable(child(seed, *names, number))` for each number."""
        if not isinstance(seed.entropy, int):
            return cls.of([replayable(child(seed, *names, number)) for number in numbers])
        return cls(_state(_pools(seed, *names, numbers=numbers), 2).view("<u4"))

    def __len__(self) -> int:
        return len(self._entropies)

    def __getitem__(self, number: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(int.from_bytes(self._entropies[number].tobytes(), "little"))

    def keys(self, *names: str | int) -> npt.NDArray[np.uint64]:
        """Return `key(seed, *names)` of each seed."""
        if names not in self._keys:
            self._keys[names] = _state(_stirred(self._pools, _words(_digest(*names)), 4), 1)[:, 0]
        return self._keys[names]


def _n_stirred(seed: np.random.SeedSequence) -> int:
    """Return how many words a seed has stirred into its pool."""
    return max(4, _n_words(cast(int, seed.entropy))) + sum(map(_n_words, seed.spawn_key))


def _pools(seed: np.random.SeedSequence, *names: str | int, numbers: Sequence[int]) -> npt.NDArray[np.uint32]:
    """Return the pool of the child of each number."""
    digests = _words(*(_digest(*names, number) for number in numbers))
    return _stirred(np.asarray(seed.pool), digests, _n_stirred(seed))


def _words(*digests: bytes) -> npt.NDArray[np.uint32]:
    return np.frombuffer(b"".join(digests), dtype="<u4").reshape(-1, 4)


def _stirred(pools: npt.NDArray[np.uint32], digests: npt.NDArray[np.uint32], n_words: int) -> npt.NDArray[np.uint32]:
    """Return the pools of children: those of seeds, into which the four words of the children's names are stirred.

    The names of a child are the last four words that its `SeedSequence` stirs into a pool of four words (O'Neill 2015).
    NumPy stirred in those before them, and arrays do the rest for all children together.
    """
    by = _powers(_START, _FACTOR, 4 * n_words, 17)
    for i in range(4):
        pools = _mixed(pools, _hashed(digests[:, i : i + 1], by[4 * i : 4 * i + 5]))
    return pools


def _mixed(pools: npt.NDArray[np.uint32], stirred: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    pools = np.uint32(0xCA01F9DD) * pools - np.uint32(0x4973F715) * stirred
    return pools ^ (pools >> np.uint32(16))


def _state(pools: npt.NDArray[np.uint32], n_words: int) -> npt.NDArray[np.uint64]:
    """Return the words that seeds with these pools give: (seeds, words)."""
    places = np.arange(2 * n_words) % 4
    by = _powers(0x8B51F9DD, 0x58F38DED, 0, 2 * n_words + 1)
    halves = _hashed(np.take(pools, places, axis=1), by).astype(np.uint64)
    return np.asarray(halves[:, ::2] | halves[:, 1::2] << np.uint64(32))


def _n_words(number: int) -> int:
    """Return how many words of 32 bits an integer has."""
    return max(1, -(-int(number).bit_length() // 32))


@cache
def _powers(start: int, factor: int, first: int, n: int) -> npt.NDArray[np.uint32]:
    """Return start · factorⁱ for n powers from the first on, modulo 2³²."""
    return np.array([start * pow(factor, first + i, 2**32) % 2**32 for i in range(n)], dtype=np.uint32)


def _hashed(words: npt.NDArray[np.uint32], by: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Return words, one for each of the constants but the last, changed by it and the next."""
    found = (words ^ by[:-1]) * by[1:]
    return found ^ (found >> np.uint32(16))


def key(seed: np.random.SeedSequence, *names: str | int) -> int:
    """Return the 64-bit key of the child stream that these names identify, for kernels that count their words."""
    return int(child(seed, *names).generate_state(1, np.uint64)[0])


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


def n_workers(workers: int | None) -> int:
    """Return how many threads to use: as asked, or one per core this process may run on."""
    if workers is not None:
        return _check.integer("workers", workers, at_least=1)
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
