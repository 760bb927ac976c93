"""Run the missing grid points of a study on any executor, and write each one down as it finishes.

The module is not called `run`, so that `howsure.sweeps.run` is the function. Without an executor, threads of this
process share the parts of all grid points, so that none waits at the end of one while another still computes.
"""

import itertools
import math
import os
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING

from howsure import _check, _random
from howsure.errors import ArgumentError, DataError, HowsureError
from howsure.sweeps.grid import Grid
from howsure.sweeps.results import DONE, FAILED, MISSING, CellRow, Counts, Sweep
from howsure.sweeps.store import Recorder, Store, recording
from howsure.sweeps.tasks import Computing, Task, compute, failed

if TYPE_CHECKING:
    pass


Batches = Generator[list[CellRow], None, None]

LISTENING = 0.1
"""Seconds for which a driver waits at a time. A wait without an end would ignore Ctrl-C: Polars, once imported, has
its own handler before Python's, and the system then goes on waiting after the signal."""


GRACE = 5.0
"""Seconds in which an executor that broke may still hand over what it had finished."""

EXECUTOR_LOST = (BrokenExecutor, CancelledError, ImportError, HowsureError)
"""Errors that all grid points share: the executor is lost, or workers cannot load the task or have another version.

They stop the study and fail no grid point."""


def run(
    task: Task,
    grid: Grid,
    *,
    store: Store | str | os.PathLike[str] | None = None,
    executor: Executor | None = None,
    rng: _random.Rng = None,
    retry: bool = False,
    progress: Callable[[Counts], object] | None = None,
    n_pending: int = 1000,
) -> Sweep:
    """Compute every cell of the grid that the store does not have yet.

    Each cell draws from its own stream, which follows from the study's seed and the cell's identity (task, version and
    parameters). Executor, order and interruptions therefore change nothing. A cell that fails is a row with its
    traceback; the others go on. Ctrl-C stops at once (threads that share cells end their part first) and keeps every
    finished cell; the same call goes on from there.

    Parameters
    ----------
    task : Task
        What to compute in each cell.
    grid : Grid
        The cells.
    store : Store or path, optional
        Where finished cells are kept, and found again by a later run.
    executor : concurrent.futures.Executor, optional
        Threads, processes, `dask.distributed.Client.get_executor()`, …; without one, cells are computed here, one
        after the other. The executor stays open.
    rng : int, SeedSequence, Generator or None
        The study's seed. None takes the store's, and fresh entropy where there is none yet; it is recorded.
    retry : bool
        Compute cells again that failed in an earlier run, or whose stored result is damaged.
    progress : callable, optional
        Told the counts at the start and after each batch of finished cells; where a cell has parts that are computed
        here, after each.
    n_pending : int
        How many cells are submitted at a time. More than twice the number of workers keeps all of them busy.

    Returns
    -------
    Sweep

    Examples
    --------
    >>> from howsure.sweeps import Grid, run, task
    >>> @task(version=1)
    ... def flip(cell, rng):
    ...     return {"heads": rng.binomial(cell["n"], 0.5)}
    >>> sweep = run(flip, Grid.product({"n": [10, 1000]}), rng=1)
    >>> print(sweep.counts)
    2 grid points: 2 done, 0 failed, 0 missing
    >>> sweep.to_frame().columns
    ['n', 'heads', 'state', 'stage', 'error']
    """
    if not isinstance(task, Task):
        raise ArgumentError(f"`task` must be a task, made with @howsure.sweeps.task(version=1); got {task!r}.")
    n_pending = _check.integer("n_pending", n_pending, at_least=1)
    with _recorder(store, rng) as recorder:
        planned = [CellRow(task.identity(cell), task.name, task.version, cell) for cell in grid]
        known = recorder.plan(planned, retry=retry)
        rows = {row.identity: known[row.identity] for row in planned}
        todo = [row for row in rows.values() if row.state == MISSING or (retry and row.state == FAILED)]
        finished = Counter(row.state for row in rows.values()) - Counter(row.state for row in todo)

        def tell(begun: float = 0.0) -> None:
            if progress is not None:
                progress(Counts(finished[DONE], finished[FAILED], len(rows) - finished.total(), begun))

        tell()
        batches = (
            compute_here(task, todo, recorder.seed, lambda begun: tell(begun) if begun else None)
            if executor is None
            else _pooled(task, todo, recorder.seed, executor, n_pending)
        )
        with closing(batches):  # whatever ends the run, cells that wait are taken back
            for batch in batches:
                recorder.record(batch)
                rows.update((row.identity, row) for row in batch)
                finished.update(row.state for row in batch)
                tell()
    return Sweep(task.name, task.version, recorder.seed, tuple(rows.values()))


@dataclass(frozen=True, slots=True)
class _Unrecorded:
    """Stands in for a store where there is none."""

    seed: int

    def plan(self, rows: Iterable[CellRow], *, retry: bool) -> dict[str, CellRow]:
        return {row.identity: row for row in rows}

    def record(self, rows: Iterable[CellRow]) -> None:
        pass


def _recorder(
    store: Store | str | os.PathLike[str] | None, rng: _random.Rng
) -> AbstractContextManager[Recorder | _Unrecorded]:
    if store is None:
        return nullcontext(_Unrecorded(_random.entropy_of(_random.seed_of(rng))))
    return recording(store if isinstance(store, Store) else Store(store), rng)


def _pooled(task: Task, todo: Sequence[CellRow], seed: int, executor: Executor, n_pending: int) -> Batches:
    """Compute rows on an executor and yield them as they finish, those that finish together in one list."""
    waiting = iter(todo)
    pending: dict[Future[CellRow], CellRow] = {}
    finished: SimpleQueue[Future[CellRow]] = SimpleQueue()
    lost: BaseException | None = None
    try:
        while True:
            for row in itertools.islice(waiting, n_pending - len(pending) if lost is None else 0):
                try:
                    # A read-only mapping cannot travel to another process; a dictionary can.
                    future = executor.submit(compute, task, row.identity, dict(row.parameters), seed)
                except Exception as error:  # a broken pool, a closed executor, a lost cluster: each says it in its way
                    lost = error
                    break
                pending[future] = row
                future.add_done_callback(finished.put)
            if not pending:
                break
            # Once the executor is lost, take what had finished before, and do not wait for what never will.
            first = _first(finished, math.inf if lost is None else GRACE)
            if first is None:
                break
            futures = [first]
            futures += [finished.get() for _ in range(finished.qsize())]
            trouble = {future: _trouble(future) for future in futures}
            lost = next((error for error in trouble.values() if isinstance(error, EXECUTOR_LOST)), lost)
            yield [
                _row(task, pending.pop(future), future, error)
                for future, error in trouble.items()
                if not isinstance(error, EXECUTOR_LOST)
            ]
            for future in futures:
                pending.pop(future, None)
    finally:
        for future in pending:
            future.cancel()
    if lost is not None:
        what = f"The executor broke ({type(lost).__name__}: {lost})."
        if isinstance(lost, ImportError | HowsureError):
            what = f"A worker cannot load the task: {lost}"
        raise DataError(f"{what} Finished grid points are kept; run the sweep again to continue.") from lost


def _first(finished: SimpleQueue[Future[CellRow]], seconds: float) -> Future[CellRow] | None:
    """Return the first to finish, or None if none does within these seconds."""
    until = monotonic() + seconds
    while monotonic() < until:
        try:
            return finished.get(timeout=LISTENING)
        except Empty:
            continue
    return None


def _trouble(future: Future[CellRow]) -> BaseException | None:
    return CancelledError("grid points were cancelled") if future.cancelled() else future.exception()


def _row(task: Task, planned: CellRow, future: Future[CellRow], trouble: BaseException | None) -> CellRow:
    if trouble is None:
        return future.result()
    # `compute` catches what the task raises, so this is the worker's own trouble.
    return failed(task, planned.identity, planned.parameters, "worker", trouble)


def compute_here(
    task: Task, todo: Sequence[CellRow], seed: int, tell: Callable[[float], object]
) -> Generator[list[CellRow], None, None]:
    """Compute cells on the task's threads, of which this is one, and yield their rows as they finish.

    In between, `tell` is told how much is done of the cells that are under way, in cells.
    """
    queue = _Queue(task, todo, seed)
    n_others = task.threads - 1
    pool = ThreadPoolExecutor(max(1, n_others))  # starts no thread before it is given work
    others = {pool.submit(queue.work) for _ in range(n_others)}
    try:
        while queue.step():
            yield from queue.finished()
            tell(queue.begun)
        while others:
            ended, others = wait(others, LISTENING)
            yield from queue.finished()
            for other in ended:
                other.result()
    except KeyboardInterrupt:  # the others end with the part they have, and what they finished is kept
        queue.stop()
        pool.shutdown()
        yield from queue.finished()
        raise
    finally:
        queue.stop()
        pool.shutdown()


class _Queue:
    """The parts of cells in the order of the cells; a cell is begun when a thread has taken the last part before it."""

    def __init__(self, task: Task, todo: Sequence[CellRow], seed: int) -> None:
        begun = (Computing(task, row.identity, row.parameters, seed) for row in todo)
        self._parts: Iterator[tuple[Computing, int]] = ((cell, number) for cell in begun for number in range(len(cell)))
        self._lock = Lock()
        self._rows: deque[tuple[Computing, CellRow]] = deque()
        self._under_way: set[Computing] = set()

    @property
    def begun(self) -> float:
        """How much is done of the cells whose rows were not yet yielded, in cells."""
        with self._lock:
            return sum(cell.share for cell in self._under_way)

    def step(self) -> bool:
        """Compute the next part, if there is one."""
        with self._lock:
            part = next(self._parts, None)
            if part is None:
                return False
            cell, number = part
            self._under_way.add(cell)
        row = cell.compute(number)
        if row is not None:
            self._rows.append((cell, row))
        return True

    def work(self) -> None:
        """Compute parts until there are none."""
        try:
            while self.step():
                pass
        except BaseException:
            self.stop()
            raise

    def finished(self) -> Iterator[list[CellRow]]:
        """Yield the rows of the cells that have finished since, if any have."""
        with self._lock:
            ended = [self._rows.popleft() for _ in range(len(self._rows))]
            self._under_way.difference_update(cell for cell, _ in ended)
        if ended:
            yield [row for _, row in ended]

    def stop(self) -> None:
        """Have no further part computed."""
        with self._lock:
            self._parts = iter(())
