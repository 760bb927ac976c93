"""What is computed at each grid point: a module-level function with a version number, known by its address."""

import importlib
import math
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NoReturn

import numpy as np

from howsure import _check, _json, _matrices, _random
from howsure.errors import ArgumentError, DataError
from howsure.sweeps.grid import RESERVED, Cell
from howsure.sweeps.results import DONE, FAILED, CellRow, dump_values, load_values

PLAIN = (float, int, bool)


@dataclass(frozen=True, slots=True)
class Parts:
    """A cell in parts, one or more, which threads may compute in any order, and what makes its values of the results.

    A part that fails ends its cell; after Ctrl-C each thread ends the part that it is computing. Parts must not change
    the filter of Python's warnings, which belongs to all threads.

    Examples
    --------
    >>> Parts([lambda: 1, lambda: 2], lambda found: {"sum": sum(found)}).values()
    {'sum': 3}
    """

    calls: Sequence[Callable[[], Any]]
    join: Callable[[Sequence[Any]], Mapping[str, Any]]

    def values(self) -> Mapping[str, Any]:
        """Compute all parts here, one after the other."""
        return self.join([call() for call in self.calls])


Function = Callable[..., Mapping[str, Any] | Parts]
"""Maps a cell and a generator to named numbers, or to the parts that give them."""


@dataclass(frozen=True, slots=True)
class Task:
    """A cell function, its address and its version.

    Workers receive the address and the version, never code: they import the module themselves. So a task works the
    same way inline, on threads, processes and a cluster, and a worker that has another version says so.

    Attributes
    ----------
    name : str
        The address, `package.module:function`.
    version : int
        Part of every cell's identity. Raise it when the function's results change: stored results of the old version
        stay, and every cell is computed anew.
    function : callable, optional
        Maps a cell and a generator to a mapping of numbers; found by its address where it is left out.
    threaded : bool
        Whether the function also takes the number of `threads`, and returns `Parts` for them.
    threads : int
        How many threads share the parts of cells that are computed here.
    """

    name: str
    version: int
    function: Function | None = field(default=None, compare=False, repr=False)
    threaded: bool = field(default=False, compare=False, repr=False)
    threads: int = field(default=1, compare=False, repr=False)

    @classmethod
    def load(cls, name: str) -> "Task":
        """Return the task at an address, `package.module:function`."""
        found = _find(name)
        if not isinstance(found, cls):
            raise ArgumentError(f"`{name}` is not a task; write @howsure.sweeps.task(version=1) above the function.")
        return found

    def identity(self, cell: Cell) -> str:
        """Return the digest that identifies this cell of this version of this task."""
        return _json.digest({"task": self.name, "version": self.version, "parameters": cell})

    @_matrices.on_one_thread
    def __call__(self, cell: Cell, rng: np.random.Generator) -> Mapping[str, Any]:
        """Compute one cell."""
        return self.parts(cell, rng).values()

    def parts(self, cell: Cell, rng: np.random.Generator) -> Parts:
        """Return the parts of a cell; where the function knows none, the cell is one."""
        task = self.resolve()
        assert task.function is not None
        if not task.threaded:
            return Parts([partial(task.function, cell, rng)], lambda found: found[0])
        parts = task.function(cell, rng)
        if not (isinstance(parts, Parts) and parts.calls):
            raise TypeError(f"a task that takes threads returns one or more `Parts`; got {parts!r}")
        return parts

    def on(self, threads: int) -> "Task":
        """Return the task whose cells are computed on so many threads here, and on one by other processes."""
        task = self.resolve()
        if not task.threaded:
            return task
        assert task.function is not None
        return replace(task, function=partial(task.function, threads=threads), threads=threads)

    def resolve(self) -> "Task":
        """Return the task with its function; on a worker, import it and check that it has the version asked for."""
        if self.function is not None:
            return self
        found = Task.load(self.name)
        if found.version != self.version or found.function is None:
            raise ArgumentError(
                f"This worker has version {found.version} of `{self.name}`; the study asks for version {self.version}."
            )
        return found

    def __reduce__(self) -> tuple[type["Task"], tuple[str, int]]:
        return Task, (self.name, self.version)


def task(*, version: int, threaded: bool = False) -> Callable[[Function], Task]:
    """Turn a module-level function `(cell, rng) -> mapping of numbers` into a task.

    Parameters
    ----------
    version : int
        Raise it when the function's results change.
    threaded : bool
        Whether the function takes `threads`, too, and returns a cell in `Parts` that so many can share.

    Examples
    --------
    >>> @task(version=1)
    ... def flip(cell, rng):
    ...     return {"heads": rng.binomial(cell["n"], cell["p"])}
    >>> flip.version
    1
    """
    number = _check.integer("version", version, at_least=1)

    def wrap(function: Function) -> Task:
        name = getattr(function, "__qualname__", repr(function))
        if "<" in name:
            raise ArgumentError(f"`{name}` must be a function at the top level of a module, where workers can find it.")
        return Task(f"{function.__module__}:{name}", number, function, threaded)

    return wrap


def _find(name: str) -> object:
    module_name, colon, attribute = name.partition(":")
    if not (colon and all(part.isidentifier() for part in (*module_name.split("."), *attribute.split(".")))):
        raise ArgumentError(f"A task is named `package.module:function`; got {name!r}.")
    try:
        found: object = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        # A module that exists and itself imports something absent must be told apart from a misspelt name.
        absent = error.name if isinstance(error, ModuleNotFoundError) else None
        if absent is not None and f"{module_name}.".startswith(f"{absent}."):
            raise ArgumentError(f"There is no module `{absent}` to take the task `{name}` from.") from None
        why = f"{type(error).__name__}: {error}"
        raise DataError(f"The module of the task `{name}` cannot be imported: {why}") from error
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise ArgumentError(f"Module `{module_name}` has no task `{attribute}`.{_check.nearest(part, dir(found))}")
        found = getattr(found, part)
    return found


class Computing:
    """A cell that is being computed, in parts that threads may share; what goes wrong in the task is a row as well."""

    def __init__(self, task: Task, identity: str, cell: Cell, entropy: int) -> None:
        task.resolve()  # what cannot be loaded is no trouble of this cell alone
        self._of = task, identity, cell
        self._start, self._lock, self._ended = time.perf_counter(), threading.Lock(), False
        try:
            self._parts = task.parts(dict(cell), _random.generator(np.random.SeedSequence(entropy), identity))
        except (Exception, SystemExit) as error:
            self._parts = Parts([partial(_raise, error)], dict)
        self._found: list[Any] = [None] * len(self)
        self._n_left = len(self)

    def __len__(self) -> int:
        return len(self._parts.calls)

    @property
    def share(self) -> float:
        """How much of the cell is done."""
        return 1 - self._n_left / len(self)

    @_matrices.on_one_thread
    def compute(self, number: int) -> CellRow | None:
        """Compute a part; return the cell's row if this ends it: it was the last, or it failed."""
        task, identity, cell = self._of
        stage = "call"
        if self._ended:
            return None
        try:
            self._found[number] = self._parts.calls[number]()
            with self._lock:
                self._n_left -= 1
                last = self._n_left == 0
            if not last:
                return None
            result = self._parts.join(self._found)
            seconds = time.perf_counter() - self._start
            stage = "values"
            values = _numbers(result, cell)
        except (Exception, SystemExit) as error:
            with self._lock:
                first, self._ended = not self._ended, True
            seconds = time.perf_counter() - self._start
            return failed(task, identity, cell, stage, error, seconds=seconds) if first else None
        return CellRow(identity, task.name, task.version, dict(cell), DONE, values, seconds=seconds)


def compute(task: Task, identity: str, cell: Cell, entropy: int) -> CellRow:
    """Compute one cell, wherever this runs."""
    computing = Computing(task, identity, cell, entropy)
    return next(row for number in range(len(computing)) if (row := computing.compute(number)) is not None)


def _raise(error: BaseException) -> NoReturn:
    raise error


def failed(
    task: Task, identity: str, cell: Cell, stage: str, error: BaseException, *, seconds: float = math.nan
) -> CellRow:
    """Return the row of a cell that has no values because of `error`."""
    where, ours = error.__traceback__, (__name__, _matrices.__name__) if stage == "call" else ()
    while where is not None and where.tb_frame.f_globals.get("__name__") in ours:
        where = where.tb_next  # these frames tell a reader nothing about the task
    text = "".join(traceback.format_exception(type(error), error, where)).encode(errors="backslashreplace").decode()
    return CellRow(identity, task.name, task.version, dict(cell), FAILED, {}, stage, text, seconds)


def _numbers(result: Any, cell: Cell) -> dict[str, float]:
    if not isinstance(result, Mapping):
        raise TypeError(f"a task returns a mapping of names to numbers; got {type(result).__name__}")
    for name, value in result.items():
        if not isinstance(name, str) or name in RESERVED or name in cell:
            raise ValueError(f"a task's values need names that no parameter or column has; got {name!r}")
        if type(value) not in PLAIN and not isinstance(value, np.bool_ | np.integer | np.floating | int | float):
            raise TypeError(f"a task's values are numbers (NaN where undefined); `{name}` is {value!r}")
    # Through the stored form and back: a run without a store then gives the same bits as one with it.
    text = dump_values(result)
    text.encode()
    return load_values(text)
