"""Dataframes come as Polars, pandas or Arrow, and pandas without Arrow."""

import sys

import polars as pl
import pytest

from howsure import _frames
from howsure.errors import ArgumentError
from tests.reports.results import MADE, made

FRAME = pl.DataFrame({
    "name": ["a", None], "n": [1, 2], "rank": [1, None], "share": [0.5, None], "best": [True, False],
    "level": pl.Series(["low", "high"], dtype=pl.Enum(["low", "high"])),
})  # fmt: skip


def test_pandas_needs_no_arrow(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    found = _frames.converted(FRAME, "pandas")
    assert found["n"].tolist() == [1, 2]
    assert found["n"].dtype.kind == "i"
    assert found["rank"].isna().tolist() == [False, True]
    assert found["level"].cat.ordered
    assert found["level"].max() == "high"
    with pytest.raises(ArgumentError, match="needs pyarrow"):
        _frames.converted(FRAME, "arrow")


def test_arrow():
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: dataframes were not turned into Arrow")
    assert _frames.converted(FRAME, "arrow").column_names == FRAME.columns


@pytest.mark.parametrize("kind", [kind for kind in MADE if kind in ("Comparison", "Leaderboard", "Plan", "Audit")])
def test_results_give_the_form_that_is_asked_for(kind):
    result = made(kind)
    asked = result.to_frame("pandas")
    assert list(asked.columns) == result.to_frame().columns
    assert len(asked) == result.to_frame("polars").height
    with pytest.raises(ArgumentError, match="`kind` must be"):
        result.to_frame("excel")


@pytest.mark.parametrize("kind", ["Comparison", "PowerPlan"])
def test_notebooks_may_choose_a_view(kind):
    views = made(kind)._repr_mimebundle_()
    assert set(views) == {"text/plain", "text/html", "text/markdown", "text/latex"}
    assert views["text/plain"] == str(made(kind))
    assert views["text/html"] == made(kind)._repr_html_()
    assert "documentclass" not in views["text/latex"]
    assert set(made(kind)._repr_mimebundle_(include=["text/plain"])) == {"text/plain"}
    assert "text/latex" not in made(kind)._repr_mimebundle_(exclude=["text/latex"])
