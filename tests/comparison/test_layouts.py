"""Every layout of the same responses gives the same bits."""

import numpy as np
import polars as pl
import pytest

from howsure import read, read_wide
from howsure.comparison import compare


def runs(n_items=23, n_runs=5):
    """Draw right and wrong answers of two models, several runs each, on items q0, q1, …, q22."""
    rng = np.random.default_rng(5)
    skill = rng.uniform(size=(n_items, 1))
    answers = {
        name: (rng.random((n_items, n_runs)) < skill + shift).astype(int)
        for name, shift in (("nano", 0), ("mini", 0.1))
    }
    return [f"q{number}" for number in range(n_items)], answers


def tidy(items, answers, names="run"):
    rows = [
        (items[i], model, k + 1, int(value))
        for model, grid in answers.items()
        for i, row in enumerate(grid)
        for k, value in enumerate(row)
    ]
    return pl.DataFrame(rows, schema=["item", "model", names, "score"], orient="row")


def wide(items, answers, pattern):
    columns = {
        pattern.format(model, k + 1): grid[:, k] for model, grid in answers.items() for k in range(grid.shape[1])
    }
    return pl.DataFrame({"item": items} | columns)


def numbers(table):
    contest = table.contest(a="mini", b="nano")
    found = compare(contest, metric="rating", n_resamples=499, rng=0)
    ends = found.confidence_interval
    return contest.digest, found.advantage, found.pvalue, ends.low, ends.high, found.null


def layouts():
    items, answers = runs()
    stars = {"nano": "nano_*", "mini": "mini_*"}
    rows = tidy(items, answers)
    yield "tidy", read(rows)
    yield "rows in another order", read(rows.sample(fraction=1, shuffle=True, seed=1))
    yield "columns nano_run1", read_wide(wide(items, answers, "{}_run{}"), columns=stars)
    yield "columns nano_1", read_wide(wide(items, answers, "{}_{}"), columns=stars)
    yield (
        "columns in another order",
        read_wide(
            wide(items, dict(reversed(answers.items())), "{}_{}").sample(fraction=1, shuffle=True, seed=2),
            columns=stars,
        ),
    )


def test_runs_of_a_model_are_never_raters_whatever_the_layout():
    found = {name: (numbers(table), table) for name, table in layouts()}
    assert len({bits for bits, _ in found.values()}) == 1, found
    for _, table in found.values():
        assert table.raters == ()
        notes = compare(table.contest(a="mini", b="nano"), metric="rating", n_resamples=99, rng=0).notes
        assert not any("rater" in note.replace("`rater` or `repeat`", "") for note in notes)


@pytest.mark.parametrize("metric", ["rating", "superiority"])
def test_raters_are_raters_whatever_the_layout(metric):
    items, answers = runs()
    rows = tidy(items, answers, "rater").with_columns(pl.format("rater{}", "rater").alias("rater"))
    columns = {"nano": "nano_*", "mini": "mini_*"}
    tables = [
        read(rows),
        read(rows.sample(fraction=1, shuffle=True, seed=3)),
        read_wide(wide(items, answers, "{}_rater{}"), columns=columns),
    ]
    found = []
    for table in tables:
        result = compare(table.contest(a="mini", b="nano"), metric=metric, n_resamples=299, rng=0)
        found.append((result.advantage, result.pvalue, result.confidence_interval.low, result.null))
    assert found[0][-1] == "random-effects"
    assert len(set(found)) == 1
