"""Cells computed in this process, whose parts threads share."""

import threading

import pytest

from howsure.sweeps import Grid, Parts, Store, Task, run

GRID = Grid.product({"i": range(7)})


def parted(call, n_parts=3):
    """Return a task whose cells are so many calls with the cell, the part and a number drawn for it."""

    def parts(cell, rng, threads=1):
        numbers = rng.random(n_parts)
        calls = [lambda part=part: call(cell["i"], part, numbers[part]) for part in range(n_parts)]
        return Parts(calls, lambda found: {str(part): number for part, number in enumerate(found)})

    return Task("tests.sweeps.test_here:parted", 1, parts, threaded=True)


def test_threads_share_the_parts_of_all_cells_and_change_no_bit():
    done, lock = [], threading.Lock()

    def call(i, part, number):
        with lock:
            done.append((i, part))
        return number

    one, three = (run(parted(call).on(n), GRID, rng=1) for n in (1, 3))
    assert [row.values for row in one.rows] == [row.values for row in three.rows]
    assert sorted(done) == sorted(2 * [(i, part) for i in range(7) for part in range(3)])


def test_a_thread_with_nothing_left_of_one_cell_goes_on_with_the_next():
    met = threading.Barrier(2, timeout=30)  # broken, and the cell fails, if two cells are never under way together

    def call(i, part, number):
        met.wait()
        return number

    found = run(parted(call, n_parts=1).on(2), Grid.product({"i": range(4)}), rng=1)
    assert (found.counts.done, found.counts.failed) == (4, 0)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_cell_fails_once_with_the_traceback_of_its_part_and_the_others_go_on(threads):
    def call(i, part, number):
        if i == 4 and part:
            raise ZeroDivisionError(f"part {part}")
        return number

    found = run(parted(call).on(threads), GRID, rng=1)
    [row] = found.failures
    assert (row.parameters["i"], row.stage, row.error[:22]) == (4, "call", "ZeroDivisionError: par")
    assert "test_here.py" in row.traceback
    assert "howsure/sweeps" not in row.traceback
    assert found.counts.done == 6


@pytest.mark.parametrize("returned", [{"x": 1}, Parts([], dict)])
def test_a_task_that_takes_threads_must_return_parts(returned):
    found = run(Task("tests.sweeps.test_here:none", 1, lambda cell, rng: returned, threaded=True), GRID, rng=1)
    assert found.counts.failed == 7
    assert "one or more `Parts`" in found.rows[0].error


def test_what_other_threads_finish_before_an_interrupt_is_kept(tmp_path):
    main, begun, far = threading.main_thread(), threading.Event(), threading.Event()

    def call(i, part, number):
        if threading.current_thread() is main:
            begun.set()
            far.wait(30)
            raise KeyboardInterrupt
        begun.wait(30)
        if i == 5:
            far.set()
        return number

    path = tmp_path / "study.db"
    with pytest.raises(KeyboardInterrupt):
        run(parted(call).on(2), GRID, store=path, rng=1)
    kept = {row.parameters["i"] for row in Store(path).rows() if row.state == "done"}
    assert kept > {2, 3, 4}  # the main thread has a part of 0 or 1
    assert len(kept) < 7
    again = run(parted(lambda i, part, number: number), GRID, store=path, rng=1)
    assert [row.values for row in again.rows] == [
        row.values for row in run(parted(lambda i, part, number: number), GRID, rng=1).rows
    ]


@pytest.mark.parametrize("threads", [1, 2])
def test_progress_moves_with_each_part(threads):
    told = []
    run(parted(lambda i, part, number: number, n_parts=4).on(threads), GRID, rng=1, progress=told.append)
    shares = [counts.done + counts.begun for counts in told]
    assert (shares[0], shares[-1]) == (0, 7)
    assert shares == sorted(shares)
    if threads == 1:
        assert shares == [0, *(i / 4 for i in range(1, 29))]
    assert all(0 <= counts.begun <= counts.missing for counts in told)


def test_trouble_that_is_no_cell_s_own_ends_the_run():
    def call(i, part, number):
        if i == 2:
            raise MemoryWarning
        return number

    with pytest.raises(MemoryWarning):
        run(parted(call).on(3), GRID, rng=1)


class MemoryWarning(BaseException):
    """Not one that a task may raise for its cell."""
