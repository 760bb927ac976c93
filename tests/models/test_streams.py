import numpy as np
import pytest

from howsure._random import generator, seed_of
from howsure.models import _stream_kernels, streams
from howsure.models.streams import WORD, Streams

N_ROWS = [3, 1, 2]
WHOLE = {"dtype": np.uint64, "endpoint": True}
DRAWS = {
    "uniform": lambda one, n: one.random((n, 4)),
    "triangle": lambda one, n: one.triangular(-0.05, 0.21, 0.45, (n, 5)),
    "words": lambda one, n: one.integers(0, WORD, (7 * n, 3), **WHOLE),
    "normal": lambda one, n: one.standard_normal((n, 2)),
    "coins": lambda one, n: one.integers(0, 2, (n, 3), dtype=np.int8),
    "digits": lambda one, n: one.integers(0, 10, (n, 2)),
    "shares": lambda one, n: one.dirichlet([1.0, 2.0], (n, 2)),
}
ORDERS = [
    ["uniform", "triangle", "words"],
    ["normal", "triangle", "words", "normal", "words"],
    ["coins", "words", "coins", "uniform", "digits", "shares", "triangle"],
]


def generators():
    return [generator(seed_of(5), "test", number) for number in range(len(N_ROWS))]


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("order", ORDERS)
def test_each_generator_draws_as_if_it_drew_alone(order, compiled, monkeypatch):
    monkeypatch.setattr(streams, "pays", lambda n_numbers: compiled)
    together, alone = Streams(generators(), N_ROWS), generators()
    for name in order:
        expected = np.concatenate([DRAWS[name](one, n) for one, n in zip(alone, N_ROWS, strict=True)])
        found = DRAWS[name](together, sum(N_ROWS))
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


def test_generators_of_other_kinds_are_called_one_by_one(monkeypatch):
    monkeypatch.setattr(streams, "pays", lambda n_numbers: True)
    found = Streams([np.random.default_rng(1), generator(seed_of(5), "test", 0)], [1, 2]).random((3, 2))
    np.testing.assert_array_equal(found[:1], np.random.default_rng(1).random((1, 2)))
    np.testing.assert_array_equal(found[1:], generators()[0].random((2, 2)))


def test_parameters_with_rows_go_to_the_generator_of_each(monkeypatch):
    monkeypatch.setattr(streams, "pays", lambda n_numbers: True)
    shares = np.random.default_rng(2).dirichlet(np.ones(3), 6)
    together = Streams(generators(), N_ROWS)
    together.random((6, 1))
    found = together.multinomial(9, shares)
    parts = np.split(shares, np.cumsum(N_ROWS)[:-1])
    expected = []
    for one, own in zip(generators(), parts, strict=True):
        one.random((len(own), 1))
        expected.append(one.multinomial(9, own))
    np.testing.assert_array_equal(found, np.concatenate(expected))


@pytest.mark.parametrize(("left", "mode", "right"), [(0.0, 0.0, 1.0), (-1.0, 1.0, 1.0), (-3.0, 0.2, 0.7)])
def test_triangles_have_numpys_bits(left, mode, right):
    one = generator(seed_of(3), "triangles")
    states = np.array([one.bit_generator.state["state"]["state"]])
    found = np.empty(20_000)
    _stream_kernels.triangulars(states, np.array([found.size]), found, left, mode, right)
    np.testing.assert_array_equal(found, one.triangular(left, mode, right, found.size))
    np.testing.assert_array_equal(states[0], one.bit_generator.state["state"]["state"])
