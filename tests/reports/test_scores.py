import json
import re

import numpy as np
import pytest

from howsure import reports
from howsure.paired import (
    PairedScores,
    ScoreTable,
    analyse,
    compare_systems,
    describe,
    find,
    measure,
    overview,
    plan_power,
    power_curve,
    unit_sizes,
)
from howsure.reports.frame import figures_of
from howsure.reports.scores import charts
from tests.reports.results import rows_of


@pytest.fixture(scope="module")
def scores():
    rng = np.random.default_rng(1)
    b = rng.beta(5, 5, 90)
    return PairedScores.from_arrays(b + rng.normal(0.03, 0.1, 90), b, names=("<new>", "</script><!--<script>"))


@pytest.fixture(scope="module")
def analysis(scores):
    return analyse(scores, n_simulations=30, rng=1, margin=0.1)


def test_the_page_stands_alone_and_escapes_names(analysis, tmp_path):
    reports.write_report(analysis, str(tmp_path / "report.html"))
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert not re.search(r'(src|href)="https?:', page)
    assert "&lt;new&gt; scores higher" in page
    assert "<script" not in page
    assert page.count("<figure>") == page.count("<img ") == len(charts(analysis)) == 4


def test_charts_hold_the_numbers_of_the_analysis(analysis):
    drawn = charts(analysis)
    bars = [row for row in rows_of(drawn["difference"][1].to_dict()) if "count" in row]
    assert sum(bar["count"] for bar in bars) == 90
    curve = [row for row in rows_of(drawn["power"][1].to_dict()) if "power" in row]
    assert [point["power"] for point in curve] == list(analysis.curve.power)


@pytest.mark.parametrize(
    ("step", "names"),
    [
        (describe, ["scores", "difference"]),
        (overview, ["scores", "difference", "units"]),
        (unit_sizes, ["units"]),
        (lambda scores: power_curve(scores, n_simulations=20, rng=0), ["power"]),
        (lambda scores: find(scores, alternative="greater", rng=0), ["estimates-0"]),
        (lambda scores: measure(scores, rng=0), ["estimates-0", "estimates-1", "estimates-2", "estimates-3"]),
        (lambda scores: compare_systems(ScoreTable(np.eye(3), ("x", "y", "z")), test="sign"), ["ranks", "estimates-0"]),
    ],
    ids=["describe", "overview", "unit sizes", "power", "test", "effect", "pairs"],
)
def test_each_step_has_its_charts(scores, step, names, tmp_path):
    result = step(scores)
    assert list(charts(result)) == names
    reports.write_chart(result, str(tmp_path / "chart.svg"))
    assert (tmp_path / "chart.svg").read_text(encoding="utf-8").startswith("<svg")
    assert [figure.name for figure in figures_of(result, result.document(), draw=False)] == names


@pytest.mark.parametrize("ending", ["md", "tex", "json"])
def test_other_formats(analysis, ending, tmp_path):
    reports.write_report(analysis, str(tmp_path / f"report.{ending}"))
    text = (tmp_path / f"report.{ending}").read_text(encoding="utf-8")
    if ending == "json":
        assert json.loads(text)["pvalue"] == analysis.pvalue
    else:
        for title in ("The scores", "Which test", "Effect size", "Power"):
            assert title in text
    pictures = [path.read_text(encoding="utf-8") for path in tmp_path.glob("*.svg")]
    assert len(pictures) == (4 if ending == "md" else 0)
    for picture in pictures:
        assert picture.startswith("<svg")
        assert "NaN" not in picture


def test_a_planned_study_stands_on_its_curve():
    plan = plan_power(effect=0.2, sd=1, target_power=0.8)
    rows = rows_of(reports.plot(plan).to_dict())
    assert {(row["n"], row["told"]) for row in rows if "told" in row} == {
        (plan.n_items, f"{plan.n_items:,} segments: 0.80")
    }
    curve = {row["n"]: row["power"] for row in rows if "power" in row and "told" not in row}
    assert curve[plan.n_items] == pytest.approx(plan.power)
    assert list(curve.values()) == sorted(curve.values())
