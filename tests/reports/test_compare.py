"""The picture of a comparison: what stands in its specification, whoever wins and whatever is missing."""

import json
from dataclasses import replace

import numpy as np
import pytest

from assay import Contest, compare, compare_each
from assay.reports import plot


def texts(spec):
    """Return every string of a specification."""
    if isinstance(spec, dict):
        return [text for value in spec.values() for text in texts(value)]
    if isinstance(spec, list):
        return [text for value in spec for text in texts(value)]
    return [spec] if isinstance(spec, str) else []


def contest(n_items=50, seed=0, **options):
    rng = np.random.default_rng(seed)
    gold = rng.normal(size=n_items)
    a, b = gold + 0.5 * rng.normal(size=n_items), gold + rng.normal(size=n_items)
    return Contest.from_arrays(gold, a, b, names=("human", "new", "old"), **options)


def test_items_contrast_draws_and_winners_are_drawn():
    result = compare(contest(), metric="mae", rng=0, n_resamples=499, margin=0.1)
    spec = plot(result).to_dict()
    said = texts(spec)
    better = int((result.item_scores.contrasts > 0).sum())
    assert any(f"new is better on {better} items, old on {50 - better}; 0 ties" in text for text in said)
    assert "tail of the null" in said
    assert any("lower is better" in text for text in said)
    json.dumps(spec, allow_nan=False)


def test_five_thousand_items_are_thinned():
    spec = plot(compare(contest(5000), metric="mae", rng=0, n_resamples=99)).to_dict()
    assert any("5,000 items (400 shown)" in text for text in texts(spec))
    assert len(json.dumps(spec)) < 600_000


@pytest.mark.filterwarnings("ignore::assay.AssayWarning")
@pytest.mark.parametrize("metric", ["spearman", "wins", "mae"])
def test_metrics_without_item_scores_and_undefined_results_are_drawn(metric):
    few = Contest.from_arrays([1.0, 1.0], [1.0, 2.0], [2.0, 1.0])
    json.dumps(plot(compare(few, metric=metric, rng=0, n_resamples=19)).to_dict(), allow_nan=False)
    json.dumps(plot(compare(contest(), metric=metric, rng=0, n_resamples=99)).to_dict(), allow_nan=False)


def test_several_comparisons_are_a_forest():
    topics = {"topic": np.array(["x", "y"] * 25)}
    found = compare_each(contest(groups=topics), metrics=["mae", "wins"], by="topic", rng=0, n_resamples=199)
    spec = plot(found).to_dict()
    rows = [text for text in dict.fromkeys(texts(spec)) if text.startswith("topic = ")]
    assert rows == [f"topic = {topic}, {metric}" for topic in "xy" for metric in ("mae", "wins")]


def test_hostile_names_stay_text():
    result = compare(contest(), metric="mae", rng=0, n_resamples=99)
    hostile = replace(result, names=("g", "</script><script>alert(1)</script>", "b"))
    assert "</script>" in json.dumps(plot(hostile).to_dict())  # as data; pages escape it
