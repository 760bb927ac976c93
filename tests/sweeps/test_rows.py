import json
import math
import struct

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure import _json
from howsure.sweeps import CellRow, Counts, Grid, Sweep, run
from howsure.sweeps.results import dump_values, frame, load_values
from tests.sweeps.tasks import bits, fragile

numbers = st.one_of(st.floats(), st.integers(-(2**70), 2**70), st.booleans())


@given(st.dictionaries(st.text(), numbers))
def test_values_survive_bit_for_bit(values):
    again = load_values(dump_values(values))
    assert list(again) == list(values)
    for a, b in zip(values.values(), again.values(), strict=True):
        assert type(a) is type(b)
        if isinstance(a, float) and math.isnan(a):
            # Hardware may mark a NaN's sign; a study's NaN is always the same one.
            assert struct.pack("<d", b) == struct.pack("<d", math.nan)
        else:
            assert a == b
            assert math.copysign(1, a) == math.copysign(1, b)


@pytest.mark.parametrize("store", [None, "study.db"])
def test_nan_and_infinity_are_results(tmp_path, store):
    sweep = run(fragile, Grid([{"kind": "nan"}]), store=store and tmp_path / store, rng=1)
    wanted = {"x": math.nan, "y": math.inf, "z": -math.inf, "zero": -0.0, "tiny": 5e-324, "third": 1 / 3}
    found = sweep.rows[0]
    assert bits([found]) == [(found.identity, "done", bits([_row(wanted)])[0][2], "", "")]
    if store:
        again = run(fragile, Grid([{"kind": "nan"}]), store=tmp_path / store)
        assert bits(again.rows) == bits(sweep.rows)


@pytest.mark.parametrize(
    ("kind", "stage", "error"),
    [
        ("raise", "call", "ZeroDivisionError: a number was divided by zero"),
        ("exit", "call", "SystemExit: 4"),
        ("text", "values", "TypeError: a task's values are numbers (NaN where undefined); `x` is 'three'"),
        ("none", "values", "TypeError: a task's values are numbers (NaN where undefined); `x` is None"),
        ("list", "values", "TypeError: a task returns a mapping of names to numbers; got list"),
        ("parameter", "values", "ValueError: a task's values need names that no parameter or column has; got 'kind'"),
        ("column", "values", "ValueError: a task's values need names that no parameter or column has; got 'state'"),
    ],
)
def test_a_cell_that_fails_is_a_row_and_the_others_go_on(kind, stage, error):
    sweep = run(fragile, Grid.product({"kind": ["before", kind, "behind"]}), rng=1)
    assert [row.state for row in sweep.rows] == ["done", "failed", "done"]
    assert (sweep.rows[1].stage, sweep.rows[1].error) == (stage, error)
    assert sweep.rows[1].traceback.startswith("Traceback")


def test_a_traceback_begins_in_the_task():
    sweep = run(fragile, Grid([{"kind": "raise"}]), rng=1)
    assert "tasks.py" in sweep.rows[0].traceback.splitlines()[1]


def test_a_frame_keeps_nan_apart_from_absent():
    rows = [_row({"x": math.nan, "n": 3}), _row({}), _row({"x": 1, "y": 2.5})]
    table = frame(rows, task=True)
    assert table.columns == ["task", "version", "i", "x", "n", "y", "state", "stage", "error"]
    assert table["x"].is_nan().to_list() == [True, None, False]
    assert table["n"].to_list() == [3, None, None]
    assert table.schema["stage"] == pl.String
    assert frame([], task=False).columns == ["state", "stage", "error"]


def test_parameters_without_a_common_type_are_text_in_a_frame():
    table = frame([CellRow("id", "m:f", 1, {"v": v, "w": w}) for v, w in ((1, 1), ([1, 2], 0.5))], task=False)
    assert table["v"].to_list() == ["1", "[1, 2]"]
    assert table["w"].to_list() == [1.0, 0.5]


def test_parameters_that_a_common_type_would_merge_or_change_stay_apart():
    """1 and 1.0 are different cells; a mapping has the keys that it has; a number has all its digits."""
    entries = {"n": [1, 1.0, 2], "m": [{"a": 1}, {"b": 2}, None], "big": [10**400, 5, 10**30], "b": [True, 1, None]}
    rows = [CellRow("id", "m:f", 1, {name: values[i] for name, values in entries.items()}) for i in range(3)]
    table = frame(rows, task=False)
    assert table["n"].to_list() == ["1", "1.0", "2"]
    assert table["m"].to_list() == ['{"a": 1}', '{"b": 2}', None]
    assert table["big"].to_list() == [str(10**400), "5", str(10**30)]
    assert table["b"].to_list() == ["true", "1", None]


def test_lists_are_lists_in_a_frame_unless_they_may_not_be():
    rows = [CellRow("id", "m:f", 1, {"v": v}) for v in ([1, 2], [3])]
    assert frame(rows, task=False)["v"].to_list() == [[1, 2], [3]]
    assert frame(rows, task=False, nested=False)["v"].to_list() == ["[1, 2]", "[3]"]


def test_numpy_s_numbers_are_plain_ones_in_a_row():
    row = run(fragile, Grid([{"kind": "other"}]), rng=np.random.default_rng(1)).rows[0]
    assert type(row.values["x"]) is float


def test_numbers_keep_their_kind_in_the_json_of_a_sweep():
    values = {"a": math.nan, "b": -math.inf, "c": 3, "d": 3.0, "e": True}
    written = _json.dumps(Sweep("m:f", 1, 0, (_row(values),)).to_dict())
    back = Sweep.from_dict(json.loads(written)).rows[0].values
    assert repr(back) == repr(values)


def test_counts_read_as_a_sentence():
    assert str(Counts(done=1200, failed=1, missing=2)) == "1,203 grid points: 1,200 done, 1 failed, 2 missing"
    assert str(Counts(done=1)) == "1 grid point: 1 done, 0 failed, 0 missing"


def _row(values):
    return CellRow("id", "m:f", 1, {"i": 1}, "done", values)
