"""Cells that are computed in this process: threads share the parts of all cells, so that none waits for another's."""

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Lock

from howsure.sweeps.cell_rows import CellRow, Computing
from howsure.sweeps.tasks import Task

LISTENING = 0.1
"""Seconds for which a driver waits at a time. A wait without an end would ignore Ctrl-C: Polars, once imported, has
its own handler before Python's, and the system then goes on waiting after the signal."""


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
