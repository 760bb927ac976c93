"""From `rng` to streams: what is recorded replays, names identify streams, blocks do not depend on who draws them."""

import threading
import time
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure import ArgumentError, _random


def state(seed):
    return seed.generate_state(8).tolist()


@pytest.mark.parametrize(
    "rng",
    [0, 17, 2**80, np.int64(5), None, np.random.SeedSequence(3), np.random.SeedSequence([1, 2, 3]),
     np.random.SeedSequence(3).spawn(2)[1]],
)  # fmt: skip
def test_what_is_recorded_gives_the_same_draws(rng):
    seed = _random.replayable(rng)
    recorded = _random.entropy_of(seed)
    assert type(recorded) is int
    assert state(_random.replayable(recorded)) == state(seed)


def test_a_generator_gives_a_new_seed_at_each_call_and_the_same_in_the_same_state():
    first, second = (np.random.default_rng(4) for _ in range(2))
    one, two = _random.replayable(first), _random.replayable(first)
    assert state(one) != state(two)
    assert state(_random.replayable(second)) == state(one)


def test_an_integer_seed_is_recorded_as_it_is_and_zero_is_a_seed():
    assert _random.entropy_of(_random.replayable(0)) == 0
    assert _random.entropy_of(_random.replayable(12)) == 12
    assert state(_random.replayable(0)) != state(_random.replayable(None))


def test_none_is_fresh_every_time():
    assert state(_random.replayable(None)) != state(_random.replayable(None))


@pytest.mark.parametrize("rng", [-1, True, 0.5, "0", np.random.RandomState(0)])
def test_what_is_no_seed_is_refused(rng):
    with pytest.raises(ArgumentError, match="`rng` must be"):
        _random.seed_of(rng)


@given(st.integers(0, 2**70), st.text(max_size=5), st.integers(0, 1000))
def test_a_child_is_found_by_its_names_and_not_by_calls(entropy, name, number):
    seed = _random.seed_of(entropy)
    first = _random.generator(seed, name, number).integers(2**64, size=3, dtype=np.uint64)
    seed.spawn(3)
    again = _random.generator(_random.seed_of(entropy), name, number).integers(2**64, size=3, dtype=np.uint64)
    other = _random.generator(seed, name, number + 1).integers(2**64, size=3, dtype=np.uint64)
    assert (first == again).all()
    assert (first != other).any()


def test_children_of_children_and_of_spawned_seeds_differ():
    seed = _random.seed_of(1)
    streams = [
        seed, _random.child(seed, "a"), _random.child(seed, "b"), _random.child(seed, "a", "b"),
        _random.child(_random.child(seed, "a"), "b"), _random.child(seed.spawn(1)[0], "a"),
    ]  # fmt: skip
    assert len({tuple(state(stream)) for stream in streams}) == len(streams)


@given(st.integers(0, 1000))
def test_blocks_cover_every_draw_once(n_draws):
    blocks = list(_random.blocks(n_draws))
    assert [number for number, _, _ in blocks] == list(range(len(blocks)))
    assert [draw for _, start, stop in blocks for draw in range(start, stop)] == list(range(n_draws))
    assert all(start % _random.BLOCK == 0 and stop - start <= _random.BLOCK for _, start, stop in blocks)


@given(st.integers(0, 3000), st.integers(1, 9), st.integers(1, 6), st.integers(1, 4))
def test_the_last_blocks_get_smaller_so_that_threads_end_together(n_draws, unit, n_units, workers):
    blocks = list(_random.blocks(n_draws, n_units * unit, workers=workers, unit=unit))
    assert [number for number, _, _ in blocks] == list(range(len(blocks)))
    assert [draw for _, start, stop in blocks for draw in range(start, stop)] == list(range(n_draws))
    assert all(start % unit == 0 and stop - start <= n_units * unit for _, start, stop in blocks)
    if workers == 1:
        assert blocks == list(_random.blocks(n_draws, n_units * unit))
    else:  # none is longer than each thread's share of what is left, unless that is less than a quarter of a block
        least = max(1, n_units // 4) * unit
        assert all(stop - start <= max(least, (n_draws - start) / workers) for _, start, stop in blocks)
        assert all(stop - start >= least for _, start, stop in blocks[:-1])


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_map_blocks_keeps_the_order_and_reports_every_draw(workers):
    told = []
    found = _random.map_blocks(lambda *block: block, 200, workers=workers, progress=told.append)
    assert found == list(_random.blocks(200))
    assert sum(told) == 200


def test_map_blocks_passes_errors_on():
    def fails(number, start, stop):
        raise ZeroDivisionError

    for workers in (1, 2):
        with pytest.raises(ZeroDivisionError):
            _random.map_blocks(fails, 200, workers=workers)


@pytest.mark.parametrize("workers", [2, 3])
def test_the_calling_thread_is_one_of_the_workers_and_hears_of_the_errors_of_the_others(workers):
    together, caller = threading.Barrier(workers), threading.get_ident()

    def block(number, start, stop, fails=False):
        if number < workers:
            together.wait(timeout=60)  # until every thread has a block
        if fails and threading.get_ident() != caller:
            raise ZeroDivisionError
        return threading.get_ident()

    threads = set(_random.map_blocks(block, 2000, workers=workers))
    assert caller in threads
    assert len(threads) == workers
    with pytest.raises(ZeroDivisionError):
        _random.map_blocks(partial(block, fails=True), 2000, workers=workers)


def test_one_worker_runs_in_the_calling_thread():
    found = _random.map_blocks(lambda *_: threading.get_ident(), 200, workers=1)
    assert set(found) == {threading.get_ident()}


def test_n_workers():
    assert _random.n_workers(3) == 3
    assert _random.n_workers(None) >= 1
    with pytest.raises(ArgumentError, match="`workers` must be a whole number of at least 1; got 0"):
        _random.n_workers(0)


def test_an_interrupt_ends_all_threads_soon_wherever_it_comes(monkeypatch):
    """Also between two blocks, where no block of the calling thread is interrupted."""
    done, submit = [], _random.ThreadPoolExecutor.submit

    def interrupted(pool, function):
        if done:
            raise KeyboardInterrupt
        future = submit(pool, function)
        while not done:
            time.sleep(0.001)
        return future

    def block(number, start, stop):
        done.append(number)
        time.sleep(0.01)

    monkeypatch.setattr(_random.ThreadPoolExecutor, "submit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        _random.map_blocks(block, 400, workers=3, size=1)
    assert len(done) < 100
