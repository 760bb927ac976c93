"""An estimate knows which p-value decides, its opposite, and how it is written."""

import json
import math
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure import _json
from howsure.documents import Document
from howsure.inference import ConfidenceInterval, Estimate
from howsure.inference.estimate import alpha_of
from howsure.records import Record, schema_of
from tests.reports.results import made

ENDS = ConfidenceInterval(0.1, 0.3, "t", 0.9)


@pytest.mark.parametrize(
    ("pvalue", "adjusted", "significant"),
    [(0.1, math.nan, True), (0.1000001, math.nan, False), (0.01, 0.2, False), (0.5, 0.01, True), (math.nan, 0.1, True)],
)
def test_the_adjusted_p_decides_where_there_is_one(pvalue, adjusted, significant):
    found = Estimate(0.2, ENDS, pvalue=pvalue, pvalue_adjusted=adjusted)
    assert found.is_significant is significant


def test_an_undefined_p_is_not_significant():
    assert not Estimate(0.2, ENDS).is_significant


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95, 0.99, 0.999])
def test_p_equal_to_alpha_is_significant_at_every_level(level):
    assert round(1 - level, 6) <= alpha_of(level) < round(1 - level, 6) + 1e-11


@given(st.floats(-10, 10), st.floats(-10, 10), st.floats(0, 5))
def test_the_opposite_of_the_opposite_is_the_estimate(value, low, width):
    found = Estimate(value, ConfidenceInterval(low, low + width, "t", 0.95), 0.1, 0.03, 0.04)
    turned = found.turned()
    assert turned.turned() == found
    assert turned.is_significant == found.is_significant
    assert turned.confidence_interval.excludes_zero == found.confidence_interval.excludes_zero
    assert found.unsigned().value == abs(value)
    assert value == 0 or found.unsigned() == turned.unsigned()


def test_one_sided_and_undefined_intervals_turn():
    one = ConfidenceInterval(-math.inf, -0.2, "t", 0.95)
    assert (one.turned().low, one.turned().high, one.excludes_zero) == (0.2, math.inf, True)
    undefined = ConfidenceInterval(math.nan, math.nan, "t", 0.95)
    assert math.isnan(undefined.turned().low)
    assert not undefined.excludes_zero
    assert math.copysign(1, Estimate(-0.0, one).unsigned().value) == 1


@dataclass(frozen=True)
class Row:
    derived = ("pvalue_adjusted",)

    bias: Estimate

    @property
    def pvalue_adjusted(self) -> float:
        return self.bias.pvalue_adjusted


@dataclass(frozen=True)
class Biases(Record):
    rows: tuple[Row, ...]

    def document(self) -> Document:
        return Document("Biases", ())


def test_json_calls_the_value_an_advantage_and_reads_it_back():
    found = Biases((Row(Estimate(0.2, replace(ENDS, high=math.inf), 0.05, 0.01, 0.02)),))
    content = json.loads(_json.dumps(found.to_dict()))
    [row] = content["rows"]
    assert row["pvalue_adjusted"] == 0.02
    assert (row["bias"]["advantage"], "value" in row["bias"]) == (0.2, False)
    assert Biases.from_dict(content) == found
    schema = schema_of(Row)["properties"]
    assert "pvalue_adjusted" in schema
    assert schema["bias"]["required"] == ["advantage", "confidence_interval"]


@pytest.mark.parametrize(
    ("kind", "of"),
    [
        ("Comparison", lambda found: [found]),
        ("Leaderboard", lambda found: found.pairs),
        ("GateResult", lambda found: [found.overall, *found.slices]),
        ("ModelScores", lambda found: found.models),
        ("SystemsComparison", lambda found: found.pairs),
    ],
)
def test_results_hold_an_estimate(kind, of):
    for one in of(made(kind)):
        assert isinstance(one.as_estimate, Estimate)
        assert one.as_estimate.confidence_interval == one.confidence_interval
