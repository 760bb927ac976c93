import pickle

import numpy as np
import pytest

from howsure.errors import ArgumentError
from howsure.sweeps import Grid, Task, run, task
from howsure.sweeps.tasks import compute
from tests.sweeps.tasks import counted, draw

ADDRESS = "tests.sweeps.tasks:draw"


def test_a_task_is_known_by_its_address_and_still_a_function():
    assert draw.name == ADDRESS
    assert Task.load(ADDRESS) is draw
    assert set(draw({}, np.random.default_rng(1))) == {"normal", "uniform", "count"}


def test_identity_is_a_digest_of_name_version_and_parameters():
    # The SHA-256 of {"parameters":{"a":1,"b":"x"},"task":"m:f","version":2}, computed with sha256sum.
    assert (
        Task("m:f", 2).identity({"b": "x", "a": 1})
        == "bbe6b21f5596bb6542645473dbb8cdbbb63d7e252d31b9d114b12fe2332855b3"
    )


@pytest.mark.parametrize("other", [Task("m:g", 1), Task("m:f", 2)])
def test_identity_changes_with_task_and_version(other):
    assert Task("m:f", 1).identity({"a": 1}) != other.identity({"a": 1})


def test_identity_does_not_depend_on_the_order_of_parameters():
    assert Task("m:f", 1).identity({"a": 1, "b": 2}) == Task("m:f", 1).identity({"b": 2, "a": 1})


def test_only_the_address_travels():
    travelled = pickle.loads(pickle.dumps(draw))
    assert travelled == draw
    assert travelled.function is None
    assert travelled.resolve() is draw


def test_a_worker_with_another_version_says_so():
    with pytest.raises(
        ArgumentError, match=r"has version 1 of `tests.sweeps.tasks:draw`; the study asks for version 2"
    ):
        Task(ADDRESS, 2).resolve()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("draw", "A task is named `package.module:function`; got 'draw'."),
        ("nowhere:draw", "There is no module `nowhere`"),
        ("tests.sweeps.nowhere:draw", "There is no module `tests.sweeps.nowhere`"),
        ("tests.sweeps.tasks:drow", "has no task `drow`. Did you mean 'draw'?"),
        ("tests.sweeps.tasks:draw.foo", "has no task `draw.foo`"),
        (
            "tests.sweeps.tasks:plain_function",
            "is not a task; write @howsure.sweeps.task(version=1) above the function",
        ),
    ],
)
def test_an_address_without_a_task_is_refused(name, words):
    with pytest.raises(ArgumentError) as caught:
        Task.load(name)
    assert words in str(caught.value)


def test_a_function_inside_a_function_is_refused():
    with pytest.raises(ArgumentError, match="must be a function at the top level of a module"):
        task(version=1)(lambda cell, rng: {})


@pytest.mark.parametrize("version", [0, 1.5, True])
def test_a_version_is_a_whole_number(version):
    with pytest.raises(ArgumentError, match="`version` must be a whole number"):
        task(version=version)


def test_a_task_that_takes_threads_gets_them_here_and_one_elsewhere():
    grid = Grid.product({"n": [1]})
    assert [row.values["threads"] for row in run(counted.on(3), grid, rng=1).rows] == [3]
    assert [row.values["threads"] for row in run(counted, grid, rng=1).rows] == [1]
    assert draw.on(3) is draw
    sent = pickle.loads(pickle.dumps(counted.on(3)))
    assert sent({}, None) == {"threads": 1}
    assert compute(sent, "", {}, 1).values == {"threads": 1}
    assert sent.identity({"n": 1}) == counted.on(3).identity({"n": 1}) == counted.identity({"n": 1})
