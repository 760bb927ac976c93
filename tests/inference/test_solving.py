import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.inference.solving import edge, fewest, outward, root


@pytest.mark.parametrize(
    ("function", "low", "high", "expected"),
    [
        (lambda x: x**3 - 8, 0.0, 5.0, 2.0),
        (lambda x: 8 - x**3, -1.0, 5.0, 2.0),
        (lambda x: math.exp(x) - 1e-6, -40.0, 10.0, math.log(1e-6)),
        (lambda x: math.tanh(50 * (x - 0.3)), -7.0, 1.0, 0.3),
        (lambda x: (x - 1) ** 9, -3.0, 4.0, 1.0),
        (lambda x: math.copysign(abs(x - 0.1) ** 0.1, x - 0.1), -1.0, 2.0, 0.1),
        (lambda x: 1e-300 * (x - 0.7), 0.0, 1.0, 0.7),
    ],
)
def test_roots_are_found_in_few_steps(function, low, high, expected):
    calls = []
    found = root(lambda x: calls.append(x) or function(x), low, high)
    assert function(found) >= 0
    assert found == pytest.approx(expected, abs=1e-11)
    assert len(calls) < 80  # halving takes about 45, and no method is better on every function


@given(st.floats(-1e6, 1e6), st.floats(1e-9, 1e6), st.floats(1e-9, 1e6), st.sampled_from([1e-12, 1e-6]))
def test_a_step_is_bracketed_on_the_side_where_the_target_is_reached(at, below, above, tolerance):
    def step(x):
        return above if x >= at else -below

    found = root(step, at - 1.5, at + 2.0, tolerance=tolerance)
    assert at <= found <= at + 2 * (tolerance + 1e-12 * abs(at)) + 1e-15 + math.ulp(at)


def test_infinite_values_are_signs_and_undefined_ones_have_no_root():
    assert root(lambda x: math.inf if x > 0.25 else -math.inf, 0.0, 1.0) == pytest.approx(0.25)
    assert math.isnan(root(lambda x: 1.0 + x, 0.0, 1.0))
    assert math.isnan(root(lambda x: x - 0.5 if x in {0.0, 1.0} else math.nan, 0.0, 1.0))
    assert root(lambda x: x, 0.0, 1.0) == 0.0


def test_edges_of_arrays_are_those_of_their_elements():
    targets = np.array([0.1, 2.5, 3.0])
    found = edge(lambda x: np.square(x) >= targets, np.zeros(3), np.full(3, 2.0), halvings=40)
    np.testing.assert_allclose(found, np.sqrt(targets), rtol=1e-11)


def test_doubling_ends_at_the_most():
    assert outward(lambda x: x >= 7, 1.0, most=7.5) == 7.5
    assert math.isnan(outward(lambda x: False, 1.0))
    assert math.isnan(outward(lambda x: False, 0.0))


@given(st.integers(2, 5000), st.integers(2, 5000), st.integers(1, 6000), st.sampled_from([1.15, 2.0]))
def test_the_fewest_is_found_from_any_guess(needed, most, guess, step):
    asked = []
    found = fewest(lambda n: asked.append(n) or n >= needed, most=most, guess=guess, step=step)
    assert found == (needed if needed <= most else None)
    assert all(2 <= n <= most for n in asked)
    rough = fewest(lambda n: n >= needed, most=most, guess=guess, step=step, precision=0.01)
    assert rough is None if needed > most else needed <= rough <= max(needed + 1, 1.01 * needed + 1)
