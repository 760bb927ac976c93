"""The picture of a plan: what a target is about, what misses it, and where the pilot stands."""

from dataclasses import replace

import pytest

from howsure.documents import Sentence
from howsure.planning import plan
from howsure.planning.result import Pilot
from howsure.reports import plot
from tests.reports.results import rows_of


@pytest.fixture(scope="module")
def searched():
    """A plan that looks for the fewest items with a power of 0.8, for two numbers of responses."""
    sizes = [(1, 1, 1), (4, 4, 4)]
    return plan("normal", epsilon=0.5, metrics="mae", n_responses=sizes, target_power=0.8, precision=0.05, rng=0)


def titles(spec):
    return [panel["layer"][-1]["encoding"]["y"]["title"] for panel in spec["hconcat"]]


def test_designs_that_miss_the_target_have_no_number_of_items(searched):
    """They stood at the most items that were tried, as if so many were enough."""
    first, *rest = searched.cells
    large = replace(first, design=first.design.with_items(100_000), reason="misses target")
    failed = replace(searched, cells=(large, *rest), answers=())
    spec = plot(failed).to_dict()
    assert titles(spec) == ["items needed", "cost", "power"]
    names = [(panel.get("data") or panel["layer"][-1]["data"])["name"] for panel in spec["hconcat"]]
    assert [len(spec["datasets"][name]) for name in names] == [len(rest), len(rest), len(rest) + 1]
    assert "no dot for items and cost where 100,000 items miss it" in spec["title"]["subtitle"]


@pytest.mark.parametrize(("target", "title"), [("p", "expected p"), ("width", "interval width")])
def test_the_dashed_line_is_the_target_that_was_given(searched, target, title):
    """It stood at the level of the test, and the third panel was power whatever was asked for."""
    spec = plot(replace(searched, target=target, target_value=0.0125)).to_dict()
    assert titles(spec)[-1] == title
    assert [row["at"] for row in rows_of(spec) if "at" in row] == [0.0125]
    assert spec["title"]["subtitle"].endswith(f"thin dashed line: {title} 0.0125")


def test_every_metric_is_named_in_the_title(searched):
    other = replace(searched, answers=(), pilot=None, cells=(*searched.cells, replace(searched.cells[0], metric="mse")))
    assert plot(other).to_dict()["title"]["text"] == ["What each design may expect, by mae and mse"]


def test_the_axis_names_gold_where_only_its_responses_vary(searched):
    cells = tuple(replace(cell, design=replace(cell.design, a=3, b=3)) for cell in searched.cells)
    of_gold = replace(searched, cells=cells, answers=())
    for found, title in ((searched, "responses per item"), (of_gold, "gold responses per item")):
        panels = plot(found).to_dict()["hconcat"]
        assert {panel["layer"][-1]["encoding"]["x"]["title"] for panel in panels} == {title}


def test_what_to_collect_is_the_headline_not_what_the_pilot_has(searched):
    pilot = Pilot(design=searched.cells[0].design, model="", difference="given", advantage=0.1)
    for found in (searched, replace(searched, pilot=pilot)):
        said = [
            block.text for block in found.document().blocks if isinstance(block, Sentence) and block.role == "verdict"
        ]
        assert len(said) == 1
        assert " at the lowest cost (" in said[0]
    assert "; your pilot already has " in str(replace(searched, pilot=pilot))


def test_every_metric_has_panels_of_its_own_and_searched_designs_stand_beside_the_curves():
    found = plan(
        "categorical-dices", metrics=["tv", "accuracy"], epsilon=0.3, n_responses=[2, 10], target_p=0.05,
        budget=[300, 2000, 4000], precision=0.02, rng=0,
    )  # fmt: skip
    spec = plot(found).to_dict()
    assert [strip["title"]["text"] for strip in spec["vconcat"]] == ["tv", "accuracy"]
    drawn = spec["vconcat"][0]["hconcat"][1]["layer"]

    def points(mark):
        [layer] = [one for one in drawn if mark in (one["mark"].get("shape"), one["mark"]["type"])]
        return spec["datasets"][layer["data"]["name"]]

    assert all(point["searched"] for point in points("square"))
    assert not any(point["searched"] for point in points("line"))
    assert {point["budget"] for point in points("line")} == {"300", "2,000", "4,000"}
