"""Figures and searches: few cells and few data sets; what is drawn is looked at by eye, what is said is tested here."""

import json
import math

import numpy as np
import pytest
from scipy import stats

from howsure import _json
from howsure.documents.text import render
from howsure.errors import ArgumentError
from howsure.models import preset
from howsure.papers import (
    Found,
    PaperFigure,
    PublishedNumber,
    Replication,
    Search,
    ratings,
    replicate,
    searches,
)
from howsure.papers.expected_outcomes import SimulationSize
from howsure.papers.figures import Point
from howsure.papers.replicating import PAPERS, plan, plot_of
from howsure.planning.engines.decisions import Test
from howsure.reports import plot
from tests.reports.results import rows_of

SMALL = SimulationSize(40, np.random.SeedSequence(1))


def measured(paper, figure, **cell):
    """Measure the cells of a figure that have these parameters."""
    settings = [one for one in plot_of(paper, figure).settings() if all(one[key] == cell[key] for key in cell)]
    return [(setting, plot_of(paper, figure).measure(setting, SMALL)) for setting in settings]


def drawn(paper, figure, **cell):
    return plot_of(paper, figure).figure(paper, figure, measured(paper, figure, **cell), 40, 0)


def test_every_figure_with_numbers_has_cells():
    known = {paper: sorted(module.FIGURES) for paper, module in PAPERS.items() if module.FIGURES}
    assert known == {"leader": [1, 2, 3, 4], "forest": [3, 4, 5, 6], "ratings": list(range(1, 12))}
    for paper, figures in known.items():
        assert all(len(plan(paper, figure=figure)) for figure in figures)
    # The figures that draw tables share their cells, and so a store.
    assert {*map(_json.dumps, plan("leader", figure=1))} == {*map(_json.dumps, plan("leader", table=2))}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"paper": "forest", "figure": 1},
            "is a diagram of how models are assessed, without numbers; choose one of 3, 4",
        ),
        ({"paper": "leader", "figure": 9}, "must be one of 1, 2, 3, 4; got 9"),
        ({"paper": "raters", "figure": 1}, "'raters' has no figures"),
        ({"paper": "leader", "search": True}, "there is no `search` behind the tables of 'leader'; choose forest or"),
        ({"paper": "forest", "search": True, "table": 3}, "`table` of a search of 'forest' must be one of 2; got 3"),
        ({"paper": "forest", "figure": 3, "table": 2}, "give `figure`, or `table` and `search`; not both"),
    ],
)
def test_what_cannot_be_recomputed_gets_one_clear_line(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        replicate(**arguments)


def test_a_figure_reads_back_becomes_rows_and_is_drawn():
    figure = replicate("leader", figure=3, n_simulations=2)
    again = PaperFigure.from_dict(json.loads(_json.dumps(figure.to_dict())))
    assert again == figure
    assert figure.to_frame().columns == ["panel", "series", "x", "y", "low", "high", "is_bound"]
    for panel in figure.panels:
        assert sum(point.y for point in figure.points if point.panel == panel) == pytest.approx(1, abs=0.01)
    assert "the data set, which is not part of this package" in " ".join(figure.notes)
    assert str(figure).startswith("Figure 3 of LEADER: item means of Toxicity")
    assert "item mean" in json.dumps(plot(figure).to_dict())


def of(points, **how):
    """Return a figure with these points."""
    own = {"title": "p against K", "x": "K", "y": "expected p", "series": "N × K", "mark": "line"} | how
    return PaperFigure(
        paper="ratings",
        figure=4,
        points=tuple(points),
        n_simulations=10,
        seed=0,
        **({"log_x": True, "log_y": False} | own),
    )


def layers_of(figure):
    return [panel["layer"] for panel in plot(figure).to_dict()["concat"]]


def test_panels_share_an_axis_where_they_can_and_ticks_are_round():
    points = [Point(panel, "a", k, p, p / 2, 2 * p) for panel in "xy" for k, p in ((1, 0.4), (7, 0.003))]
    spec = plot(of(points, log_y=True)).to_dict()
    assert spec["resolve"]["scale"]["y"] == "shared"
    band, line, *_ = spec["concat"][0]["layer"]
    assert band["mark"]["type"] == "area"
    assert line["encoding"]["y"]["axis"]["values"] == [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5]
    assert line["encoding"]["y"]["scale"]["domain"] == [
        0.0015,
        0.8,
    ]  # the lower end of an interval is no reason for 1e-5
    texts = [layer for layer in spec["concat"][0]["layer"] if layer["mark"]["type"] == "text"]
    assert [text["encoding"]["text"]["field"] for text in texts] == ["said"]
    small = [Point("z", "a", k, p / 100) for k, p in ((1, 0.4), (7, 0.003))]
    assert plot(of([*points, *small])).to_dict()["resolve"]["scale"]["y"] == "independent"


def test_many_series_have_bars_beside_each_other_not_bands_over_each_other():
    points = [Point("x", name, k, 0.3, 0.2, 0.4) for name in "abcde" for k in (1, 10)]
    figure = of(points)
    assert {layer["mark"]["type"] for layer in layers_of(figure)[0]} >= {"rule", "line", "point"}
    assert "area" not in json.dumps(plot(figure).to_dict())
    rows = [row for row in rows_of(plot(figure).to_dict()) if "place" in row]
    assert len({row["place"] for row in rows}) == 10
    assert all(abs(row["place"] / row["x"] - 1) < 0.06 for row in rows)


def test_zero_has_a_line_and_bars_have_ticks_that_differ():
    advantages = [Point("x", "a", x, y) for x, y in ((-0.1, 0.2), (0.05, 0.6), (0.2, 1.0))]
    first = layers_of(of(advantages, mark="step", log_x=False, y="share"))[0][0]
    assert first["encoding"] == {"x": {"field": "at", "type": "quantitative"}}
    bars = [Point("x", "a", round(0.025 * i, 3), 0.05) for i in range(20)]
    figure = of(bars, mark="bar", log_x=False, y="share")
    assert layers_of(figure)[0][0]["encoding"]["x"]["axis"] == {"grid": False}
    assert plot(figure).to_dict()["config"]["axisQuantitative"] == {"tickCount": 6}


def test_forest_figure_3_agrees_with_table_2():
    # D3code by total variation: the paper prints p = .020 at 1,000 = N × 140.
    figure = drawn("forest", 3, responses=140)
    [point] = [point for point in figure.points if point.panel == "total variation" and point.series == "1,000"]
    assert abs(point.y - 0.020) < 0.01 + (point.high - point.low) / 2
    assert plot(figure).to_dict()["concat"]


def test_forest_figure_5_shows_that_more_responses_leave_less_variance():
    figure = drawn("forest", 5)
    for series in ("machine A", "machine B"):
        values = [point.y for point in figure.points if point.series == series]
        assert values[0] > values[3] > values[-1]
        assert values[-1] < values[0] / 10


def test_shapes_of_figure_1_are_those_of_a_censored_normal():
    figure = replicate("ratings", figure=1, n_simulations=2)
    edges = np.array([-np.inf, 0.2, 0.4, 0.6, 0.8, np.inf])
    for mean, sd in ratings.SHAPES:
        panel = f"mean {mean:g}, standard deviation {sd:g}"
        shares = [point.y for point in figure.points if point.panel == panel]
        assert shares == pytest.approx(np.diff(stats.norm.cdf(edges, mean, sd)), abs=1e-4)


def test_bars_have_their_ticks_where_they_stand():
    figure = replicate("ratings", figure=1, n_simulations=2)
    places = sorted({point.x for point in figure.points})
    for panel in plot(figure).to_dict()["concat"]:
        x = panel["layer"][0]["encoding"]["x"]
        assert x["axis"]["values"] == places
        low, high = x["scale"]["domain"]
        assert low < places[0] - 0.09 < places[-1] + 0.09 < high


def test_the_flat_null_has_no_mean_and_the_flat_advantage_has_one():
    simulation = SimulationSize(150, np.random.SeedSequence(3))
    null, draws = ratings._flat(preset("likert-toxicity"), 50, 20, 0.3, simulation)
    assert abs(null.mean()) < 4 * null.std() / math.sqrt(null.size)
    assert draws.mean() > 6 * draws.std() / math.sqrt(draws.size)


def test_the_search_goes_down_as_long_as_p_is_small_and_up_until_it_is():
    p = {100: 0.3, 200: 0.08, 400: 0.04, 800: 0.01}
    budgets = tuple(p)
    assert [searches._smallest_budget(p.get, budgets, near) for near in (90, 380, 900, math.nan)] == [400] * 4
    assert searches._smallest_budget({1: 0.5, 2: 0.4}.get, (1, 2), math.nan) is None


def test_the_search_ends_near_the_printed_design():
    asked = {"search": True, "table": 3, "dataset": "MHS", "metric": "wins"}
    found = searches.conclude("ratings", [(asked, searches.measure("ratings", asked, SMALL))], 40, 0)
    [cell] = found.cells
    assert cell.budget in (200, 500)  # printed is 200 = 200 × 1, and 40 data sets leave an error
    assert cell.n_responses == 1
    assert 50 <= cell.cheapest_budget <= 150  # the question as stated needs about half
    assert "The search finds the printed budget N × K in" in str(found)
    assert Search.from_dict(json.loads(_json.dumps(found.to_dict()))).to_dict() == found.to_dict()
    assert plot(found).to_dict()["layer"]


def test_a_dash_that_stays_one_counts_as_the_same():
    nan = math.nan
    dash = Found(1, "HS-Brexit", "mae", 0.05, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan)
    assert dash.same_budget
    assert "In 1 of 1 rows with a dash it finds no design either." in str(Search("ratings", (dash,), 1000, 0))


def test_printed_designs_on_which_no_test_can_reject_are_counted():
    nan = math.nan
    one = Found(2, "JobsQ3", "tv", 0.3, 250.0, 240.0, 0.014, 250.0, 240.0, 0.017, 0.001, nan, nan, nan)
    many = Found(2, "Toxicity", "tv", 0.3, 2500.0, 1.0, 0.012, 2500.0, 1.0, 0.011, 0.001, nan, nan, nan)
    said = render(Search("forest", (one, many), 1000, 0).document(), width=200, verbose=True)
    assert "1 of 2 printed designs have fewer than 6 items (JobsQ3 by tv: 1 × 240)." in " ".join(said.split())
    assert "0.0170" in said  # the digits that its error of 0.001 leaves
    assert "fewer than" not in render(Search("forest", (many,), 1000, 0).document(), verbose=True)
    assert [Test().can_reject(n) for n in (searches.FEWEST - 1, searches.FEWEST)] == [False, True]


def test_the_chart_of_a_table_has_a_panel_for_each_quantity():
    rows = tuple(
        PublishedNumber({"table": 2, "metric": "mae"}, quantity, 0.04, value, 0.01)
        for quantity in ("p", "effect")
        for value in (0.05, 0.09)
    )
    chart = plot(Replication("forest", "as printed.", rows, 100, 0)).to_dict()
    assert [panel["title"]["text"] for panel in chart["concat"]] == ["p (2 numbers)", "effect (2 numbers)"]
    assert chart["title"]["text"] == "FOREST, table 2: published and recomputed"


def test_a_bound_is_a_triangle_without_a_bar_and_the_chart_says_what_it_means():
    points = [Point("x", "a", 1, 0.3, 0.2, 0.4), Point("x", "a", 10, 0.001, 0.0, 0.002, True)]
    spec = plot(of(points)).to_dict()
    assert spec["title"]["subtitle"] == "▼ Upper bound: no simulation was as extreme."
    marks = {
        layer["transform"][0]["filter"]: layer["mark"] for layer in layers_of(of(points))[0] if "transform" in layer
    }
    assert marks["datum.bound"]["shape"] == "triangle-down"
    assert "shape" not in marks["!datum.bound"]
    assert [(row["bound"], row["low"]) for row in rows_of(spec) if "bound" in row] == [(False, 0.2), (True, None)]
    assert "subtitle" not in plot(of(points[:1])).to_dict()["title"]


def test_a_bound_of_a_table_is_a_triangle_without_a_bar():
    cell = {"table": 2, "dataset": "x", "epsilon": 0.1}
    numbers = [PublishedNumber(cell, "p", 0.01, 0.02, 0.01, {}, is_bound) for is_bound in (False, True)]
    spec = plot(Replication("forest", "", tuple(numbers), 10, 0)).to_dict()
    assert spec["title"]["subtitle"][1].startswith("▼ Upper bound")
    drawn_rows = [row for row in rows_of(spec) if "bound" in row]
    assert [row["high"] - row["low"] for row in drawn_rows] == pytest.approx([0.04, 0.0])
