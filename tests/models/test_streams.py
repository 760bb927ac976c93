import numpy as np
import pytest

from howsure._random import generator, seed_of
from howsure.models.base import Streams

N_ROWS = [3, 1, 2]
WHOLE = {"dtype": np.uint64, "endpoint": True}
DRAWS = {
    "uniform": lambda one, n: one.random((n, 4)),
    "triangle": lambda one, n: one.triangular(-0.05, 0.21, 0.45, (n, 5)),
    "words": lambda one, n: one.integers(0, 2**64 - 1, (7 * n, 3), **WHOLE),
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


@pytest.mark.parametrize("order", ORDERS)
def test_each_generator_draws_as_if_it_drew_alone(order):
    together, alone = Streams(generators(), N_ROWS), generators()
    for name in order:
        expected = np.concatenate([DRAWS[name](one, n) for one, n in zip(alone, N_ROWS, strict=True)])
        found = DRAWS[name](together, sum(N_ROWS))
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


def test_generators_may_be_of_other_kinds():
    found = Streams([np.random.default_rng(1), generator(seed_of(5), "test", 0)], [1, 2]).random((3, 2))
    np.testing.assert_array_equal(found[:1], np.random.default_rng(1).random((1, 2)))
    np.testing.assert_array_equal(found[1:], generators()[0].random((2, 2)))


def test_parameters_with_rows_go_to_the_generator_of_each():
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
