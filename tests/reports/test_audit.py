"""The picture of an audit: every rate beside what was promised, best first, and the worst named."""

from dataclasses import replace

import pytest

pytest.importorskip("altair")
from howsure.auditing.result import SmallestRow
from howsure.reports import plot
from howsure.reports.audit import MOST_ROWS
from tests.reports.results import made


@pytest.fixture(scope="module")
def found():
    return made("Audit")


def data_of(spec, part):
    """Return the rows of a strip of panels, and the order of its tests."""
    names = spec["vconcat"][part]["spec"]["layer"][1]["encoding"]["y"]["sort"]
    data = spec["vconcat"][part]["data"]
    return data["values"] if "values" in data else spec["datasets"][data["name"]], names


def test_the_chart_shows_rates_beside_what_was_promised(found):
    spec = plot(found).to_dict()
    drawn, order = data_of(spec, 0)
    assert len(order) == MOST_ROWS < len({(row.scheme, row.null, row.pvalue) for row in found.tests})
    rates = {(100 * row.rate, 100 * row.rate_interval[0], 100 * row.rate_interval[1]) for row in found.tests}
    for point in drawn:
        assert (point["share"], point["low"], point["high"]) in rates
        assert point["nominal"] == (None if point["kind"].startswith("B worse") else 5)
    limits, names = data_of(spec, 1)
    assert sorted(point["share"] for point in limits) == sorted(100 * row.coverage for row in found.intervals)
    assert {point["nominal"] for point in limits} == {95}
    assert len(names) == len({(row.scheme, row.interval) for row in found.intervals})


def test_tests_that_miss_their_level_stand_last_and_the_worst_is_named(found):
    rows = tuple(
        replace(row, rejected=row.n_data_sets if row.null == "shifted-bootstrap" and row.is_null else 0)
        for row in found.tests
    )
    spec = plot(replace(found, tests=rows)).to_dict()
    _, order = data_of(spec, 0)
    assert all(name.startswith("shifted-bootstrap") for name in order[-3:])
    assert f"worst: {order[-1]}, type I error up to 100%" in spec["vconcat"][0]["title"]["text"]


def test_errors_are_drawn_against_epsilon(found):
    rows = tuple(
        SmallestRow(20, 2, epsilon, "B worse", by, f"{by} {n}", 4, 0.01 * n, 0.001, 0.1, 0.2)
        for epsilon in (0.05, 0.1, 0.2)
        for by in ("scheme", "metric")
        for n in range(8)
    )
    spec = plot(replace(found, smallest=rows)).to_dict()
    first = spec["vconcat"][0]["vconcat"]
    titles = ["error by sampling method (items/responses)", "error by metric"]
    assert [panel["title"]["text"] for panel in first] == titles
    look = first[0]["spec"]["layer"][0]["encoding"]
    styles = list(zip(look["color"]["scale"]["range"], map(tuple, look["strokeDash"]["scale"]["range"]), strict=True))
    assert len(set(styles)) == 8  # more lines than colours: the dashes differ then


def test_leaders_two_data_are_drawn_side_by_side(found):
    from howsure.auditing import LeaderAudit

    spec = plot(LeaderAudit((found, found))).to_dict()
    assert len(spec["hconcat"]) == 2
    assert all(side["title"]["text"] == found.model and len(side["vconcat"]) == 2 for side in spec["hconcat"])
