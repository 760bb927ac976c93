import json
import random
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from howsure import _json
from howsure.errors import ArgumentError, DataError
from howsure.sweeps import Counts, Grid, Store, Sweep, Task, run
from tests.sweeps.tasks import bits, draw, fragile, multiplying

GRID = Grid.product({"i": range(40), "letter": ["a", "b"]})
INLINE = run(draw, GRID, rng=11)


class Shuffled(Executor):
    """Finishes what it was given in a random order, and notes how much it was ever given at once."""

    def __init__(self, seed):
        self.order, self.waiting, self.most = random.Random(seed), [], 0

    def submit(self, function, /, *args, **kwargs):
        future = Future()
        add = future.add_done_callback

        def add_done_callback(callback):
            add(callback)
            self.waiting.append((future, function, args))
            self.most = max(self.most, len(self.waiting))
            if len(self.waiting) == 7:
                self.finish()

        future.add_done_callback = add_done_callback
        return future

    def finish(self):
        self.order.shuffle(self.waiting)
        while self.waiting:
            future, function, args = self.waiting.pop()
            future.set_result(function(*args))


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_completion_changes_nothing(seed):
    executor = Shuffled(seed)
    grid = Grid(GRID.cells[:77])
    assert bits(run(draw, grid, executor=executor, rng=11, n_pending=7).rows) == bits(INLINE.rows)[:77]
    assert executor.most == 7


def test_matrices_are_multiplied_on_one_thread_wherever_a_task_runs():
    """How many threads share a product changes its last digits, so that this process would differ from another."""
    with threadpool_limits(2, user_api="blas"):
        assert [row.values for row in run(multiplying, Grid.product({"n": [1, 2]}), rng=0).rows] == [{"threads": 1}] * 2


def test_threads_and_processes_give_the_same_table(tmp_path, monkeypatch):
    monkeypatch.setenv("CELL_SECONDS", "0.002")
    with ThreadPoolExecutor(8) as threads:
        assert bits(run(draw, GRID, executor=threads, rng=11).rows) == bits(INLINE.rows)
        assert bits(run(draw, GRID, executor=threads, rng=11, store=tmp_path / "t.db").rows) == bits(INLINE.rows)
    with ProcessPoolExecutor(2, get_context("spawn")) as processes:
        sweep = run(draw, GRID, executor=processes, rng=11, store=tmp_path / "p.db")
    assert bits(sweep.rows) == bits(INLINE.rows)
    assert bits(Store(tmp_path / "p.db").rows()) == bits(INLINE.rows)


def test_a_cell_does_not_depend_on_the_rest_of_the_grid():
    assert bits(run(draw, Grid(GRID.cells[5:6]), rng=11).rows) == bits(INLINE.rows)[5:6]


def test_cells_draw_from_streams_of_their_own():
    assert len({row.values["normal"] for row in INLINE.rows}) == len(GRID)


def test_the_study_s_seed_matters():
    assert bits(run(draw, GRID, rng=12).rows) != bits(INLINE.rows)


def test_a_run_without_a_seed_can_be_replayed():
    sweep = run(draw, GRID)
    assert bits(run(draw, GRID, rng=sweep.seed).rows) == bits(sweep.rows)
    assert sweep.seed != run(draw, GRID).seed


def test_zero_and_a_generator_are_seeds():
    assert run(draw, GRID, rng=0).seed == 0
    assert bits(run(draw, GRID, rng=np.random.default_rng(1)).rows) == bits(
        run(draw, GRID, rng=np.random.default_rng(1)).rows
    )


def test_progress_counts_every_cell():
    counts = []
    run(fragile, Grid.product({"kind": ["good", "raise", "other"]}), rng=1, progress=counts.append)
    assert counts == [Counts(0, 0, 3), Counts(1, 0, 2), Counts(1, 1, 1), Counts(2, 1, 0)]


def test_a_dying_process_is_one_line_and_finished_cells_are_kept(tmp_path):
    grid = Grid.product({"kind": [*"abcdefgh", "die", *"ijkl"]})
    store = tmp_path / "study.db"
    with (
        ProcessPoolExecutor(1, get_context("spawn")) as processes,
        pytest.raises(DataError, match=r"The executor broke .BrokenProcessPool.*Finished grid points are kept"),
    ):
        run(fragile, grid, store=store, executor=processes, rng=1, n_pending=2)
    (counts,) = Store(store).counts().values()
    assert counts.done >= 7
    assert counts.failed == 0
    # The cell that kills is skipped here; the rest of the study is what it would have been.
    rest = Grid(cell for cell in grid if cell["kind"] != "die")
    assert bits(run(fragile, rest, store=store).rows) == bits(run(fragile, rest, rng=1).rows)


def test_an_executor_that_was_shut_down_is_one_line(tmp_path):
    executor = ThreadPoolExecutor(1)
    executor.shutdown()
    with pytest.raises(DataError, match=r"The executor broke .RuntimeError: cannot schedule new futures"):
        run(draw, GRID, executor=executor)


def test_a_worker_without_the_task_stops_the_study_and_fails_no_cell(tmp_path):
    store = tmp_path / "study.db"
    with (
        ThreadPoolExecutor(1) as executor,
        pytest.raises(DataError, match="A worker cannot load the task: There is no"),
    ):
        run(Task("nowhere:draw", 1), GRID, executor=executor, store=store)
    assert list(Store(store).counts().values()) == [Counts(missing=len(GRID))]


def test_trouble_of_one_worker_is_a_failed_cell():
    class Unlucky(Executor):
        def submit(self, function, /, *args, **kwargs):
            future = Future()
            if args[2]["i"] == 3:
                future.set_exception(MemoryError("no memory on node 7"))
            else:
                future.set_result(function(*args))
            return future

    sweep = run(draw, GRID, executor=Unlucky(), rng=11)
    assert sweep.counts == Counts(done=78, failed=2)
    assert {(row.stage, row.error) for row in sweep.failures} == {("worker", "MemoryError: no memory on node 7")}


@pytest.mark.parametrize("trouble", [KeyboardInterrupt, MemoryError])
def test_whatever_ends_a_run_finished_cells_are_kept_and_waiting_ones_taken_back(tmp_path, trouble):
    store, begun = tmp_path / "study.db", []

    class Counting(ThreadPoolExecutor):
        def submit(self, function, /, *args):
            return super().submit(lambda: begun.append(args) or time.sleep(0.01) or function(*args))

    def stop(counts):
        if counts.done >= 3:
            raise trouble

    with Counting(1) as executor, pytest.raises(trouble):
        run(draw, GRID, store=store, executor=executor, rng=11, progress=stop)
    (counts,) = Store(store).counts().values()
    assert 3 <= counts.done <= len(begun) < len(GRID) / 2
    assert bits(run(draw, GRID, store=store).rows) == bits(INLINE.rows)


def test_a_sweep_says_what_happened():
    sweep = run(fragile, Grid.product({"kind": ["good", "raise"]}), rng=1)
    assert str(sweep).splitlines() == [
        "tests.sweeps.tasks:fragile (version 1), seed 1",
        "2 grid points: 1 done, 1 failed, 0 missing.",
        "First failure, at kind=raise (call): ZeroDivisionError: a number was divided by zero",
    ]
    assert [row["state"] for row in sweep.to_dict()["rows"]] == ["done", "failed"]
    assert bits(Sweep.from_dict(json.loads(_json.dumps(sweep.to_dict()))).rows) == bits(sweep.rows)
    assert sweep.to_frame()["state"].to_list() == ["done", "failed"]


def test_a_plain_function_is_refused():
    with pytest.raises(ArgumentError, match=r"`task` must be a task, made with @howsure.sweeps.task"):
        run(len, GRID)  # type: ignore[arg-type]


def test_at_least_one_cell_is_submitted_at_a_time():
    with pytest.raises(ArgumentError, match="`n_pending` must be a whole number of at least 1"):
        run(draw, GRID, n_pending=0)
