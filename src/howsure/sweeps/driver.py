"""Run the missing cells of a study on any executor, and write each one down as it finishes."""

import itertools
import math
import os
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from time import monotonic
from typing import TYPE_CHECKING

from howsure import _check, _random
from howsure._frames import in_any_form
from howsure.documents import Document
from howsure.errors import ArgumentError, DataError, HowsureError
from howsure.records import Record
from howsure.sweeps.cell_rows import DONE, FAILED, MISSING, CellRow, Counts, compute, failed, frame
from howsure.sweeps.grid import Grid, show
from howsure.sweeps.here import LISTENING, compute_here
from howsure.sweeps.store import Recorder, Store, recording
from howsure.sweeps.tasks import Task

if TYPE_CHECKING:
    import polars as pl

Batches = Generator[list[CellRow], None, None]

GRACE = 5.0
"""Seconds in which an executor that broke may still hand over what it had finished."""

EXECUTOR_LOST = (BrokenExecutor, CancelledError, ImportError, HowsureError)
"""Errors of a cell that all cells share: the executor is lost, or workers cannot load the task."""


@dataclass(frozen=True, slots=True)
class Sweep(Record):
    """A study that was run.

    Attributes
    ----------
    task : str
        The task's address, `package.module:function`.
    version : int
        The task's version.
    seed : int
        The number that, passed as `rng`, gives the same results.
    rows : tuple of CellRow
        One per cell, in the grid's order.
    """

    task: str
    version: int
    seed: int
    rows: tuple[CellRow, ...]

    @property
    def counts(self) -> Counts:
        """The done, failed and missing cells."""
        return Counts.of(self.rows)

    @property
    def failures(self) -> tuple[CellRow, ...]:
        """The rows of the cells that failed."""
        return tuple(row for row in self.rows if row.state == FAILED)

    @in_any_form
    def to_frame(self) -> "pl.DataFrame":
        """Return a dataframe with one line per cell: parameters, values, state, stage and error."""
        return frame(self.rows, task=False)

    def document(self) -> Document:
        """Return the study as a document: how far it is, and a row for each cell."""
        from howsure.sweeps.document import document

        return document(self)

    def __str__(self) -> str:
        lines = [f"{self.task} (version {self.version}), seed {self.seed}", f"{self.counts}."]
        if self.failures:
            first = self.failures[0]
            lines.append(f"First failure, at {show(first.parameters)} ({first.stage}): {first.error}")
        return "\n".join(lines)


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
