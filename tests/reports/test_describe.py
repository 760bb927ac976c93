"""The pictures of a description show the table that they are made of."""

import json

import numpy as np
import pytest

from howsure.data.contests import Contest
from howsure.data.response_tables import ResponseTable
from howsure.data.responses import Responses
from howsure.data.scales import Scale
from howsure.describing import describe
from howsure.documents import html
from howsure.errors import ArgumentError
from howsure.reports import plot, write_chart
from howsure.reports.describe import figures
from howsure.reports.frame import framed

HOSTILE = '</script>"] | datum'


@pytest.fixture(scope="module")
def labelled():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, (40, 1))
    grid = np.where(rng.random((40, 7)) < 0.85, truth, rng.integers(0, 3, (40, 7))).astype(float)
    grid[:, 2] = rng.integers(0, 3, 40)
    grid[rng.random(grid.shape) < 0.25] = np.nan
    ids = np.tile(np.arange(7), (40, 1))
    scale = Scale("nominal", (0.0, 1.0, 2.0), ("no", "unsure", "yes"))
    raters = tuple(HOSTILE if number == 2 else f"rater-{number}" for number in range(7))
    table = ResponseTable(np.arange(40).astype(str), {"human": Responses.from_grid(grid, ids)}, scale, raters=raters)
    return describe(table, n_resamples=29, rng=0), grid


@pytest.fixture(scope="module")
def advantageed():
    rng = np.random.default_rng(2)
    gold = np.clip(rng.integers(0, 5, (30, 1)) + rng.integers(-1, 2, (30, 4)), 0, 4).astype(float)
    sides = [gold.mean(axis=1) + noise * rng.normal(size=30) for noise in (0.3, 0.9)]
    ids = np.tile(np.arange(4), (30, 1))
    a, b = (Responses.from_grid(side[:, np.newaxis]) for side in sides)
    scale, names, items = Scale("continuous"), ("human", "new", "old"), np.arange(30).astype(str)
    contest = Contest(Responses.from_grid(gold, ids), a, b, scale, items, names, raters=tuple("wxyz"))
    sources = dict(zip(names, contest.sources.values(), strict=True))
    table = ResponseTable(items, sources, scale, raters=contest.raters)
    return describe(table, contest=contest, metric="mae", n_resamples=29, rng=0)


def values_of(part):
    """Return the rows behind each layer of a chart."""
    spec = part.to_dict()
    kept = spec.get("datasets", {})
    layers = [layer.get("data", spec.get("data")) for layer in spec.get("layer", [spec])]
    return [data["values"] if "values" in data else kept[data["name"]] for data in layers if data]


def test_the_map_has_a_tile_for_each_answer_and_says_what_is_missing(labelled):
    found, grid = labelled
    parts = {name: (title, words, drawn) for name, title, words, drawn in figures(found)}
    assert list(parts) == ["map-human", "agreement", "raters-human", "items-human"]
    title, words, drawn = parts["map-human"]
    _, tiles = values_of(drawn)
    assert len(tiles) == int((~np.isnan(grid)).sum())
    assert {tile["value"] for tile in tiles} == {"no", "unsure", "yes"}
    missing = f"{100 * np.isnan(grid).mean():.0f}% of the cells are empty"
    assert missing in title
    assert missing in words
    assert "* stands out" in title
    top = [tile for tile in tiles if tile["rater"] == 0]
    assert len(top) == int((~np.isnan(grid[:, 2])).sum())  # who agrees least is on top


def test_coefficients_and_raters_are_those_of_the_result(labelled):
    found, _ = labelled
    agreement = found.sources[0].agreement
    parts = {name: drawn for name, _, _, drawn in figures(found)}
    rows = values_of(parts["agreement"])[2]
    assert [row["value"] for row in rows] == [entry.value for entry in agreement.coefficients]
    points = values_of(parts["raters-human"])[0]
    assert sorted(row["across"] for row in points) == sorted(entry.with_plurality for entry in agreement.raters)
    assert [row["rater"] for row in points if row["who"] == "stands out"] == [HOSTILE]
    [bars] = values_of(parts["items-human"])
    assert sum(bar["items"] for bar in bars) == 40


def test_the_shares_of_the_error_are_one_bar_and_strata_a_forest(advantageed):
    parts = {name: drawn for name, _, _, drawn in figures(advantageed)}
    assert list(parts)[-2:] == ["strata", "shares"]
    bar = values_of(parts["shares"])[0]
    known = advantageed.components.decision_study[0]["shares"]
    assert [row["share"] for row in bar] == pytest.approx([share for share in known.values() if share >= 0.005])
    assert bar[0]["from"] == 0
    rows = values_of(parts["strata"])[1]
    assert [row["value"] for row in rows] == [part.advantage for part in advantageed.strata]


def test_a_label_covers_neither_another_nor_a_point():
    from howsure.reports.describe import _place_labels

    rows = [{"up": up, "across": 0.5, "label": "x", "who": "stands out"} for up in (100.0, 98.0, 96.0, 0.0)]
    rows += [
        {"up": 0.0, "across": 0.47, "label": "left", "who": "like"},
        {"up": 50, "across": 1, "label": "", "who": ""},
    ]
    _place_labels(rows, 400)
    places = [(side, row["at"]) for row in rows for side in ("left", "right") if row[side]]
    assert len(places) == len(set(places)) == 5  # those who stand out are always named
    assert (rows[3]["right"], rows[4]["left"]) == ("x", "left")  # on the side where no point is
    assert not rows[5]["left"] + rows[5]["right"]


def test_few_values_have_a_bar_each_and_ticks_where_they_are():
    """Three raters agree by 0, 1 or 3 of 3 pairs: no bar, and no tick, stands for more than 100%."""
    from howsure.reports.describe import _histogram

    bars, ticks = _histogram(np.array([1 / 3] * 5 + [1.0] * 7))
    assert ticks == pytest.approx([1 / 3, 1.0])
    assert [bar["items"] for bar in bars] == [5, 7]
    many, none = _histogram(np.linspace(0, 1, 100))
    assert none == []
    assert sum(bar["items"] for bar in many) == 100


def test_it_is_written_and_reported_with_names_as_names(labelled, advantageed, tmp_path):
    write_chart(labelled[0], str(tmp_path / "d.json"))
    assert len(json.loads((tmp_path / "d.json").read_text(encoding="utf-8"))["vconcat"]) == 4
    assert json.loads(plot(advantageed).to_json())["vconcat"]
    page = html.page(framed(labelled[0], pictures=False))
    assert "compared with the mean and the spread of the others" in page
    assert '</script>"]' not in page


def test_a_table_without_raters_has_nothing_to_draw():
    table = ResponseTable(np.array(["x", "y"]), {"m": Responses([1.0, 2.0], [0, 1, 2])}, Scale("continuous"))
    with pytest.raises(ArgumentError, match="there is nothing to draw"):
        plot(describe(table, n_resamples=9, rng=0))
