from dataclasses import replace

import pytest

from howsure import plot, report
from howsure.errors import ArgumentError, DataError
from howsure.sweeps import CellRow, Grid, run, task

pytest.importorskip("altair")
from howsure.reports.accounts import account_of
from howsure.reports.sweep import chart


@task(version=1)
def power(cell, rng):
    return {"power": cell["n"] / 1000 * cell["p"] + cell.get("repetition", 0), "other": float("nan")}


@pytest.fixture(scope="module")
def study():
    axes = {"n": [10, 100, 1000], "p": [0.5, 0.25], "metric": ["mae", "wins"], "repetition": [0, 2]}
    return run(power, Grid.product(axes), rng=0)


def points(spec):
    return spec["datasets"][spec["data"]["name"]]


def layers(spec):
    return spec.get("spec", spec)["layer"]


def test_any_two_parameters_against_a_value_with_panels_by_a_third(study):
    spec = plot(study).to_dict()
    assert len(points(spec)) == 3 * 2 * 2
    point = next(p for p in points(spec) if (p["x"], p["colour"], p["panel"]) == (100, "0.5", "metric = mae"))
    assert (point["low"], point["mean"], point["high"], point["cells"]) == (0.05, pytest.approx(1.05), 2.05, 2)
    assert layers(spec)[0]["encoding"]["x"]["scale"]["type"] == "log"
    assert layers(spec)[0]["encoding"]["x"]["axis"]["values"] == [10, 100, 1000]
    assert layers(spec)[0]["encoding"]["color"]["scale"]["domain"] == ["0.25", "0.5"]  # numbers in their order
    assert spec["title"]["text"] == "power by n, p and metric"
    assert spec["title"]["subtitle"][0].startswith("Points are means over repetition; bars go from the least")
    assert "24 grid points." in spec["description"]


def test_what_is_named_is_drawn_so(study):
    spec = chart(study.rows, x="metric", y="power", colour="n", panel="p").to_dict()
    assert {point["x"] for point in points(spec)} == {"mae", "wins"}
    assert {point["panel"] for point in points(spec)} == {"p = 0.5", "p = 0.25"}
    assert layers(spec)[0]["encoding"]["x"]["type"] == "nominal"


def test_one_parameter_is_one_line_without_legend_or_panels():
    spec = chart(run(power, Grid.product({"n": [1, 2], "p": [0.5]}), rng=0)).to_dict()
    assert "color" not in layers(spec)[0]["encoding"]
    assert len(layers(spec)) == 2
    assert spec["title"]["text"] == "power by n"


def test_files_are_named_and_undefined_values_are_counted():
    rows = [
        CellRow(f"{n}", "t:t", 1, {"table": {"path": f"/data/{name}.csv", "sha256": "0"}}, "done", {"p": value})
        for n, (name, value) in enumerate([("a", 1.0), ("b", 2.0), ("c", float("nan"))])
    ]
    spec = chart(rows).to_dict()
    assert [point["x"] for point in points(spec)] == ["a.csv", "b.csv"]
    assert spec["title"]["subtitle"] == ["2 grid points; in 1 more it is undefined."]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"y": "powr"}, ArgumentError, "`y` must be one of power, other; got 'powr'. Did you mean 'power'"),
        ({"y": "other"}, DataError, "other is undefined at every grid point"),
        ({"x": "N"}, ArgumentError, "`x` must be one of n, p, metric, repetition"),
        ({"x": "n", "colour": "n"}, ArgumentError, "must be different parameters"),
    ],
)
def test_what_cannot_be_drawn_is_said(study, options, error, message):
    with pytest.raises(error, match=message):
        chart(study, **options)


def test_too_many_panels_and_nothing_done_are_said(study):
    with pytest.raises(DataError, match="no grid point is done yet"):
        chart([])
    many = [CellRow(f"{n}", "t:t", 1, {"n": 1, "k": n}, "done", {"p": 1.0}) for n in range(30)]
    with pytest.raises(ArgumentError, match="`panel` has 30 values; a chart can show 24"):
        chart(many, x="n", panel="k")


def test_a_study_has_a_document_and_a_report(study, tmp_path):
    said = str(study.document().blocks[0].text)
    assert said == "24 grid points: 24 done, 0 failed, 0 missing."
    assert "<table>" in study._repr_html_()
    report(study, tmp_path / "study.md")
    text = (tmp_path / "study.md").read_text(encoding="utf-8")
    for part in ("Numbers", "What was done", "What this does not show", "What to do next"):
        assert f"## {part}" in text
    assert (tmp_path / "study-picture.svg").exists()
    assert "All grid points are done." in text
    part = replace(study, rows=study.rows[:2] + tuple(replace(row, state="missing") for row in study.rows[2:4]))
    assert "compute the 2 missing grid points" in account_of(part).next[0]
