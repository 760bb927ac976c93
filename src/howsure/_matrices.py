"""Matrix products on one thread: how many threads share a large product changes its last digits.

NumPy leaves products to a library (OpenBLAS, MKL) with threads of its own, as many as the machine has cores. It cuts
large sums between them, so the same study would end in other digits on another machine, or in a process of Dask, which
allows one thread. Draws have threads already, and those of the library mostly wait busily beside them.
"""

from collections.abc import Callable, Iterable
from functools import cache, wraps
from threading import Lock
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class _Calls:
    """The calls under way in this process: the first takes the library's threads, the last gives them back."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._number = 0
        self._before: list[int] = []

    def __enter__(self) -> None:
        with self._lock:
            if self._number == 0:
                self._before = [library.get_num_threads() for library in _libraries()]
                _allow(1 for _ in self._before)
            self._number += 1  # last: a call that is interrupted before has not begun

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._number -= 1
            if self._number == 0:
                _allow(self._before)


_calls = _Calls()


def on_one_thread(function: Callable[P, T]) -> Callable[P, T]:
    """Let NumPy use one thread for matrices while this function runs.

    Examples
    --------
    >>> @on_one_thread
    ... def total(x):
    ...     return float(x @ x)
    >>> import numpy as np
    >>> total(np.ones(100_000))
    100000.0
    """

    @wraps(function)
    def alone(*arguments: P.args, **options: P.kwargs) -> T:
        with _calls:
            return function(*arguments, **options)

    return alone


def _allow(numbers: Iterable[int]) -> None:
    for library, number in zip(_libraries(), numbers, strict=True):
        # The number is the process's, but threadpoolctl lets only the first thread change it that ever did.
        free = getattr(library, "clear_controlling_thread", lambda force: None)
        free(force=True)
        library.set_num_threads(number)
        free(force=True)


@cache
def _libraries() -> list[Any]:
    from threadpoolctl import ThreadpoolController

    return list(ThreadpoolController().select(user_api="blas").lib_controllers)
