"""How many threads NumPy has for matrices changes no bit, and is again what it was after each call."""

import inspect
from threading import Event, Thread

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import howsure
import howsure.models
import howsure.paired
from howsure import _matrices, auditing, comparison, describing, leaderboards, models, paired, planning, raters
from howsure.papers import replicate
from howsure.sweeps import Task


def n_threads():
    return max(each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas")


@pytest.fixture
def two_threads():
    with threadpool_limits(2, user_api="blas"):
        assert n_threads() == 2
        yield


@_matrices.on_one_thread
def inside(then=n_threads):
    return then()


@pytest.mark.usefixtures("two_threads")
def test_one_thread_inside_and_as_many_as_before_outside():
    assert inside() == inside(inside) == 1
    assert n_threads() == 2
    assert inside(lambda: (inside(), n_threads())) == (1, 1)  # a call inside another one gives nothing back
    assert n_threads() == 2


@pytest.mark.usefixtures("two_threads")
def test_an_error_gives_the_threads_back():
    with pytest.raises(ZeroDivisionError):
        inside(lambda: 1 / 0)
    assert n_threads() == 2


@pytest.mark.usefixtures("two_threads")
def test_calls_that_overlap_keep_to_one_thread_until_the_last_ends():
    entered, leave, seen = [Event(), Event()], [Event(), Event()], []

    def call(number):
        def wait():
            entered[number].set()
            leave[number].wait(60)
            seen.append(n_threads())

        inside(wait)

    threads = [Thread(target=call, args=[number]) for number in range(2)]
    for number, thread in enumerate(threads):
        thread.start()
        assert entered[number].wait(60)
    for number, thread in enumerate(threads):  # the one that came first goes first
        leave[number].set()
        thread.join()
    assert seen == [1, 1]
    assert n_threads() == 2


def test_every_answer_is_computed_on_one_thread():
    places = (raters, describing, comparison, leaderboards, models, paired, planning)
    found = [getattr(place, name) for place in places for name in place.__all__]
    drawing = {each for each in found if inspect.isfunction(each) and "rng" in inspect.signature(each).parameters}
    assert {comparison.compare, models.fit, models.simulate_advantages, paired.analyse} <= drawing
    others = {
        auditing.audit,
        planning.plan,
        howsure.variance_components,
        comparison.missing_bounds,
        replicate,
        Task.__call__,
    }
    code = inside.__code__
    assert [each.__qualname__ for each in drawing | others if each.__code__ is not code] == []


def test_the_threads_of_matrix_products_change_no_bit():
    rng = np.random.default_rng(0)
    gold = rng.normal(size=(1500, 10))  # OpenBLAS shares sums of more than 10,000 products between its threads
    raters = np.tile(np.arange(10), (1500, 1))
    a, b = (howsure.Responses.from_grid(rng.normal(size=(1500, 1))) for _ in range(2))
    contest = howsure.Contest(
        howsure.Responses.from_grid(gold, raters), a, b, howsure.Scale("continuous"), np.arange(1500).astype(str)
    )

    def answers(n_threads):
        with threadpool_limits(n_threads, user_api="blas"):
            found = planning.plan(contest, metrics="mae", raters="random", n_items=[100], n_raters=[5], rng=0)
            return repr(howsure.variance_components(contest, metric="mae").to_dict()), repr(found.to_dict())

    assert answers(1) == answers(2)
