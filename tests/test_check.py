"""Each argument check: what it returns, and the one sentence it says."""

import math

import numpy as np
import pytest

from howsure import ArgumentError, _check


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3)])
def test_integer_returns_a_python_int(value):
    assert type(_check.integer("n", value, at_least=1)) is int


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (0, "`n` must be a whole number of at least 1; got 0."),
        (True, "`n` must be a whole number of at least 1; got True."),
        (2.0, "`n` must be a whole number; got 2.0."),
        ("3", "`n` must be a whole number; got '3'."),
        (None, "`n` must be a whole number; got None."),
    ],
)
def test_integer_refuses(value, message):
    with pytest.raises(ArgumentError) as caught:
        _check.integer("n", value, at_least=1)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (95, "`level` must lie strictly between 0 and 1; got 95. Did you mean 0.95?"),
        (99.5, "`level` must lie strictly between 0 and 1; got 99.5. Did you mean 0.995?"),
        (0, "`level` must lie strictly between 0 and 1; got 0."),
        (1, "`level` must lie strictly between 0 and 1; got 1."),
        (100, "`level` must lie strictly between 0 and 1; got 100."),
        (-0.1, "`level` must lie strictly between 0 and 1; got -0.1."),
        (math.nan, "`level` must be a finite number; got nan."),
        ("high", "`level` must be a number; got 'high'."),
    ],
)
def test_fraction_refuses_and_hints_at_percentages(value, message):
    with pytest.raises(ArgumentError) as caught:
        _check.fraction("level", value)
    assert str(caught.value) == message


def test_fraction_returns_a_python_float():
    assert type(_check.fraction("level", np.float32(0.5))) is float


def test_real_names_its_bounds():
    assert _check.real("x", 2) == 2.0
    with pytest.raises(ArgumentError, match=r"`x` must be at least 3; got 2\."):
        _check.real("x", 2, at_least=3)
    with pytest.raises(ArgumentError, match=r"`x` must be between 3 and 4; got 5\."):
        _check.real("x", 5, at_least=3, at_most=4)


def test_one_of_suggests_the_nearest():
    assert _check.one_of("metric", "mae", ["mae", "tv"]) == "mae"
    with pytest.raises(ArgumentError) as caught:
        _check.one_of("metric", "mea", ["mae", "tv"])
    assert str(caught.value) == "`metric` must be one of mae, tv; got 'mea'. Did you mean 'mae'?"
    with pytest.raises(ArgumentError, match=r"got 3\.$"):
        _check.one_of("metric", 3, ["mae", "tv"])


def test_an_argument_error_is_a_value_error():
    with pytest.raises(ValueError, match="`n`"):
        _check.integer("n", -1, at_least=0)


def test_a_word_within_an_option_is_meant_before_one_with_similar_letters():
    assert _check.nearest("power", ["where", "target_power"]) == " Did you mean 'target_power'?"
