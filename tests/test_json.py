"""Values to JSON: NaN and infinity survive, equal values share a digest."""

import json
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure import _json

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@dataclass
class Point:
    x: float
    where: Path


@given(JSON)
def test_what_json_knows_comes_back_as_it_was(value):
    assert json.loads(_json.dumps(value)) == value


@given(JSON, st.sampled_from([0, 1, 2]))
def test_an_indented_text_is_that_of_the_standard_library(value, indent):
    value = [value, {"x": {"y": value, 3: (1, math.nan)}}, np.arange(2), np.float64(-math.inf), np.bool_(True), True]
    expected = json.dumps(_json.plain(value), ensure_ascii=False, allow_nan=False, indent=indent)
    assert _json.dumps(value, indent=indent) == expected


@given(st.dictionaries(st.text(), JSON, max_size=4), st.lists(JSON, max_size=3), st.sampled_from([1, 2]))
def test_pieces_are_those_of_the_indented_text(content, entries, indent):
    whole = _json.dumps(content | {"many": entries, "after": 1}, indent=indent)
    assert "".join(_json.pieces(content | {"many": iter(entries), "after": 1}, indent=indent)) == whole
    assert "".join(_json.pieces(content, indent=indent)) == _json.dumps(content, indent=indent)


@given(st.dictionaries(st.text(), st.integers(), min_size=2))
def test_the_digest_does_not_see_the_order_of_keys(content):
    turned = dict(reversed(content.items()))
    assert _json.digest(content) == _json.digest(turned)
    assert len(_json.digest(content)) == 64


def test_every_type_has_its_plain_form():
    value = {
        "array": np.array([[1.5, np.nan]]), "count": np.int64(3), "yes": np.bool_(True), "real": np.float32(0.5),
        "point": Point(math.nan, Path("a/b")), "pair": (1, "x"), 4: None, "low": -math.inf,
    }  # fmt: skip
    assert json.loads(_json.dumps(value)) == {
        "array": [[1.5, None]], "count": 3, "yes": True, "real": 0.5,
        "point": {"x": None, "where": "a/b"}, "pair": [1, "x"], "4": None, "low": "-inf",
    }  # fmt: skip


def test_an_infinite_bound_is_read_back_by_float():
    assert float(_json.plain(math.inf)) == math.inf
    assert float(_json.plain(np.float64(-math.inf))) == -math.inf


def test_what_has_no_form_is_refused_by_name():
    with pytest.raises(TypeError, match="no JSON form for complex"):
        _json.dumps({"z": 1j})
    with pytest.raises(TypeError, match="no JSON form for type"):
        _json.dumps(Point)
