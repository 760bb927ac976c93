"""Scales: what is inferred and why, what is written and read back, what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure import ArgumentError, DataError, Scale

NUMBERS = st.lists(st.floats(-1e6, 1e6, allow_nan=False), min_size=1, max_size=40)


@pytest.mark.parametrize(
    ("values", "kind", "reason"),
    [
        ([1, 2, 5, 2], "ordinal", "3 distinct whole numbers"),
        ([7], "ordinal", "1 distinct whole number"),
        (list(range(12)), "ordinal", "12 distinct whole numbers"),
        (list(range(13)), "continuous", "13 distinct whole numbers"),
        ([0.5, 1.5], "continuous", "2 distinct numbers"),
        ([0.5, 1.5] * 5, "ordinal", "2 distinct numbers"),
        (["1", "3", "2"], "ordinal", "3 distinct whole numbers"),
        (["yes", "no"], "nominal", "text labels such as 'no'"),
        ([True, False], "nominal", "text labels such as 'False'"),
        (["1", "two"], "nominal", "text labels such as '1'"),
    ],
)
def test_the_inferred_kind_and_its_reason(values, kind, reason):
    scale = Scale.of(values)
    assert (scale.kind, scale.reason) == (kind, reason)
    assert reason in str(scale)


def test_the_user_decides():
    assert Scale.of([1, 2], kind="continuous").levels == ()
    assert Scale.of([0.123, 4.5], kind="ordinal").levels == (0.123, 4.5)
    assert Scale.of([3, 1, 3], kind="nominal").labels == ("1", "3")
    assert Scale.of(["b", "a"], kind="nominal").levels == (0.0, 1.0)
    assert Scale.of([1, 2], kind="ordinal").reason == "as asked"


def test_given_order_is_the_order():
    scale = Scale.of(["low", "high"], order=["low", "middle", "high"])
    assert scale.kind == "ordinal"
    assert scale.encode(["high", "low"]).tolist() == [2.0, 0.0]
    assert scale.decode(np.array([2.0, 0.0])) == ["high", "low"]


@pytest.mark.parametrize("values", [[1, 3, 2], [1.0, 3.0, 2.0], ["1", "3", "2"], np.array([1, 3, 2])])
def test_numbers_may_be_ordered_labels(values):
    scale = Scale.of(values, order=[3, 2, 1])
    assert scale.labels == ("3", "2", "1")
    assert scale.encode(values).tolist() == [2.0, 0.0, 1.0]


@given(NUMBERS, st.sampled_from(["ordinal", "nominal", "continuous", None]))
def test_encoding_and_decoding_give_the_numbers_back(numbers, kind):
    scale = Scale.of(numbers, kind=kind)
    assert scale.decode(scale.encode(numbers)) == numbers
    if scale.levels:
        assert np.array(scale.levels)[scale.codes(scale.encode(numbers))].tolist() == numbers
        assert list(scale.levels) == sorted(set(numbers))


@given(st.lists(st.text(min_size=1), min_size=1))
def test_encoding_and_decoding_give_the_labels_back(labels):
    scale = Scale.of(labels, kind="nominal")
    assert [str(value) for value in scale.decode(scale.encode(labels))] == [
        label if not scale.is_numeric else str(float(label)) for label in labels
    ]


@pytest.mark.parametrize(
    ("error", "values", "options", "message"),
    [
        (DataError, ["1", "x"], {"kind": "continuous"},
         "value 'x' is not a number, so the scale cannot be continuous."),
        (
            DataError, ["low", "high"], {"kind": "ordinal"},
            "value 'low' is not a number, so the scale cannot be ordinal. "
            "Give the order of the labels, for example order=['low', 'high'].",
        ),
        (DataError, ["a", "c"], {"order": ["a", "b"]}, "value 'c' is not one of the labels a, b."),
        (DataError, [], {}, "there is no value from which to tell the scale."),
        (DataError, [1.0, np.nan], {}, "value nan is not finite; leave missing values out."),
        (DataError, [np.inf, 1.0], {}, "value inf is not finite; leave missing values out."),
        (ArgumentError, [1], {"kind": "likert"}, "`scale` must be one of nominal, ordinal, continuous; got 'likert'."),
        (ArgumentError, ["a"], {"order": ["a"]}, "`order` must name at least two different labels; got ['a']."),
        (ArgumentError, ["a"], {"order": ["a", "a"]},
         "`order` must name at least two different labels; got ['a', 'a']."),
        (
            ArgumentError, ["a"], {"order": ["a", "b"], "kind": "nominal"},
            "`order` is for ordinal scales; got scale='nominal' as well. Leave one of them out.",
        ),
    ],
)  # fmt: skip
def test_what_is_refused(error, values, options, message):
    with pytest.raises(error) as caught:
        Scale.of(values, **options)
    assert str(caught.value) == message


def test_a_stranger_is_named():
    scale = Scale.of([1, 2, 3])
    with pytest.raises(DataError, match=r"value 4 is not one of the levels 1, 2, 3\."):
        scale.encode([1, 4])
    with pytest.raises(DataError, match=r"value 'x' is not a number, but the scale is ordinal\."):
        scale.encode(["1", "x"])


def test_scales_are_equal_whatever_the_reason():
    assert Scale.of([1, 2, 2]) == Scale.of([1, 2], kind="ordinal")
    assert Scale.of([1, 2]) != Scale.of([1, 2], kind="nominal")
