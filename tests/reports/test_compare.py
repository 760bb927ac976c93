"""The picture of a comparison: what stands in its specification, whoever wins and whatever is missing."""

import json
import re

import numpy as np
import pytest

from howsure import Contest
from howsure.comparison import compare, compare_each
from howsure.documents.numbers import pvalue
from howsure.reports import plot
from howsure.reports.compare import _edges
from tests.reports.results import charted, rows_of


def texts(spec):
    """Return every string of a specification."""
    if isinstance(spec, dict):
        return [text for value in spec.values() for text in texts(value)]
    if isinstance(spec, list | tuple):
        return [text for value in spec for text in texts(value)]
    return [spec] if isinstance(spec, str) else []


def contest(n_items=50, seed=0, names=("human", "new", "old"), **options):
    rng = np.random.default_rng(seed)
    gold = rng.normal(size=n_items)
    a, b = gold + 0.5 * rng.normal(size=n_items), gold + rng.normal(size=n_items)
    return Contest.from_arrays(gold, a, b, names=names, **options)


def test_items_advantage_draws_and_winners_are_drawn():
    result = compare(contest(), metric="mae", rng=0, n_resamples=499, margin=0.1)
    spec = plot(result).to_dict()
    said = texts(spec)
    better = int((result.item_scores.advantages > 0).sum())
    assert any(f"new is better on {better} items, old on {50 - better}; 0 ties" in text for text in said)
    assert "if A and B were alike" in said
    open_one = plot(compare(contest(20, seed=4), metric="mae", rng=0, n_resamples=499)).to_dict()
    assert "at least as far from 0" in texts(open_one)
    assert any("lower is better" in text for text in said)
    assert spec["title"]["text"] == ["new against old"]
    assert spec["title"]["subtitle"][0].startswith("new is better: mean absolute error, lower by 0.")
    json.dumps(spec, allow_nan=False)


def test_five_thousand_items_are_thinned():
    spec = plot(compare(contest(5000), metric="mae", rng=0, n_resamples=99)).to_dict()
    assert any("5,000 items (400 shown)" in text for text in texts(spec))
    assert len(json.dumps(spec)) < 600_000


@pytest.mark.filterwarnings("ignore::howsure.HowsureWarning")
@pytest.mark.parametrize("metric", ["spearman", "wins", "mae"])
def test_metrics_without_item_scores_and_undefined_results_are_drawn(metric):
    few = Contest.from_arrays([1.0, 1.0], [1.0, 2.0], [2.0, 1.0])
    json.dumps(plot(compare(few, metric=metric, rng=0, n_resamples=19)).to_dict(), allow_nan=False)
    json.dumps(plot(compare(contest(), metric=metric, rng=0, n_resamples=99)).to_dict(), allow_nan=False)


def test_several_comparisons_are_a_forest():
    topics = {"topic": np.array(["x", "y"] * 25)}
    found = compare_each(contest(groups=topics), metrics=["mae", "wins"], by="topic", rng=0, n_resamples=199)
    spec = plot(found).to_dict()
    panels = spec["vconcat"]  # one for each metric, because each has its own unit
    assert [panel["layer"][1]["encoding"]["x"]["title"].split(",")[0] for panel in panels] == [
        "advantage of mean absolute error", "advantage of wins",
    ]  # fmt: skip
    for panel in panels:
        assert panel["layer"][1]["encoding"]["y"]["sort"] == ["topic = x", "topic = y"]
    assert spec["title"]["text"] == ["new against old by 2 metrics"]
    assert spec["title"]["subtitle"] == ["Colours and p follow p-values that are adjusted for 4 comparisons."]
    told = [row["told"] for row in rows_of(spec) if "told" in row]
    assert {line.rpartition(" p = ")[2] for line in told} == {
        pvalue(entry.pvalue_adjusted, entry.pvalue_se) for entry in found
    }


def test_a_forest_of_very_many_slices_shows_those_of_the_table():
    rng = np.random.default_rng(0)
    topics = {"topic": np.repeat(np.arange(1001), 3)}
    many = Contest.from_arrays(*rng.normal(size=(3, 3003)), groups=topics)
    found = compare_each(many, metrics=["mae"], by="topic", rng=0, correction="none")
    spec = plot(found).to_dict()
    smallest = sorted(found, key=lambda entry: entry.pvalue)[:50]
    assert spec["layer"][1]["encoding"]["y"]["sort"] == [entry.slice for entry in smallest]
    assert "Shown are the 50 with the smallest p-values." in spec["title"]["subtitle"]


@pytest.fixture(scope="module")
def labelled():
    """Two models that are right or wrong about 40 items, and their chart."""
    rng = np.random.default_rng(3)
    gold = rng.integers(0, 2, 40).astype(str)
    a, b = (np.where(rng.random(40) < share, gold, "x") for share in (0.9, 0.6))
    given = Contest.from_arrays(gold, a, b, names=("human", "new", "old"))
    result = compare(given, metric="accuracy", rng=0, n_resamples=999)
    return result, plot(result).to_dict()


def test_right_or_wrong_items_are_counted_and_ties_are_visible(labelled):
    result, spec = labelled
    said = texts(spec)
    right = int(result.item_scores.a.sum())
    assert f"{right} items" in said
    assert "tie" in said
    assert not any(text.startswith("most for") for text in said)  # all wins are equally large


def test_bars_of_draws_respect_the_grid(labelled):
    """Draws of an accuracy of 40 items are multiples of 1/40; every bar holds as many of them."""
    _, spec = labelled
    bars = [row for row in rows_of(spec) if "share" in row and row.get("of") == "resampled"]
    widths = {round((row["high"] - row["low"]) * 40, 6) for row in bars if row["high"] > row["low"]}
    assert len(widths) == 1
    assert widths.pop().is_integer()
    assert sum(row["share"] for row in bars) == pytest.approx(1)


def test_hostile_names_stay_text():
    assert "</script>" in json.dumps(charted("Comparison"))  # as data; pages escape it


LONG = ("human", "meta-llama/Llama-3.1-405B-Instruct-2024-07-23", "meta-llama/Llama-3.1-70B-Instruct-2024-07-23")


def test_long_names_that_differ_in_their_middle_are_told_apart_everywhere():
    """Title, legend and who is better shortened each name by itself, and both to the same letters."""
    one = compare(contest(names=LONG), metric="mae", rng=0, n_resamples=99)
    said = [panel["title"]["text"] for panel in plot(one).to_dict()["vconcat"][1]["hconcat"]]
    a, b = re.search(r"(\S+) is better on .*, (\S+) on", said[-1]).groups()
    assert a != b
    topics = {"topic": np.array(["x", "y"] * 25)}
    several = plot(compare_each(contest(names=LONG, groups=topics), metrics=["mae"], by="topic", rng=0, n_resamples=99))
    names = {text for text in texts(several.to_dict()) if text.endswith("is better")}
    assert len(names) == 2


def test_distributions_that_lie_far_apart_have_narrow_bars_each():
    """With a width for both together, all draws under the null fell into two bars."""
    near, far = np.random.default_rng(0).normal(0, 1, 999), np.random.default_rng(1).normal(40, 1, 999)
    edges = _edges([near, far], 40.0)
    assert np.count_nonzero(np.histogram(near, edges)[0]) >= 10
    counts = np.random.default_rng(2).binomial(50, 0.5, 999) / 50  # on a grid, each bar holds as many of its values
    steps = np.diff(_edges([counts, counts - 0.5], 0.2)) * 50
    assert np.allclose(steps, np.rint(steps[0]))


def test_the_band_of_a_margin_is_named_and_ends_inside_the_picture():
    spec = plot(compare(contest(), metric="mae", rng=0, n_resamples=99, margin=1.0)).to_dict()
    panel = spec["vconcat"][0]["hconcat"][1]
    assert panel["title"]["text"][-1] == "band: margin 1"
    assert any("padding" in layer["encoding"]["y"].get("scale", {}) for layer in panel["layer"])
