"""DICES-350 with labels hidden: intervals from a few raters, a few items and a judge contain the mean of all raters."""

import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import howsure
from howsure.inference import binomial_region

DATA = Path(os.environ.get("HOWSURE_SHARED", Path(__file__).parents[3] / "shared")) / "data" / "dices350.csv"
pytestmark = pytest.mark.skipif(not DATA.exists(), reason="shared data are not here")


@pytest.fixture(scope="module")
def dices():
    """Raters' labels, and those of an expert (A), a classifier (B) and a jury of 15 raters (the judge)."""
    rows = pl.read_csv(DATA, schema_overrides={"value": pl.String})
    people = rows.filter(pl.col("kind") == "human").pivot("source", index="item_id", values="value").sort("item_id")
    others = rows.filter(pl.col("kind") != "human").pivot("source", index="item_id", values="value").sort("item_id")
    labels = people.drop("item_id").to_numpy()
    expert = others["expert"].to_numpy()
    classifier = np.where(others["alt-profanity-check"].cast(pl.Float64).to_numpy() >= 0.05, "Yes", "No")
    return people["item_id"].to_numpy().astype(str), labels, expert, classifier


def table_of(dices, rng, n_raters, n):
    """Return a table with labels of some raters on some items, and the truth: all other raters on all items."""
    items, labels, expert, classifier = dices
    order = rng.permutation(labels.shape[1])
    jury, rest = order[:15], order[15:]
    kinds = np.unique(labels)
    vote = kinds[np.argmax([(labels[:, jury] == kind).sum(axis=1) for kind in kinds], axis=0)]
    chosen = rng.permutation(items.size)[:n]
    rows = [(items[i], "human", f"p{r}", labels[i, r]) for i in chosen for r in rest[:n_raters]]
    for name, answers in (("jury", vote), ("expert", expert), ("classifier", classifier)):
        rows += [(item, name, "", answer) for item, answer in zip(items, answers, strict=True)]
    agreement = ((labels[:, rest] == side[:, np.newaxis]).mean() for side in (expert, classifier))
    truth = float(np.subtract(*agreement))
    return pl.DataFrame(rows, orient="row", schema=["item", "source", "rater", "value"]), truth


def test_intervals_contain_what_all_raters_say(dices):
    n, hits, too_short = 60, 0, 0
    for seed in range(n):
        data, truth = table_of(dices, np.random.default_rng(seed), 5, 80)
        how = {"gold": "human", "judge": "jury", "a": "expert", "b": "classifier", "metric": "accuracy-responses"}
        found = howsure.compare(data, raters="random", **how)
        ends = found.confidence_interval
        hits += ends.low <= truth <= ends.high
        fixed = found.combined.rater_answers.these.confidence_interval
        too_short += not fixed.low <= truth <= fixed.high
    assert hits >= binomial_region(n, 0.95).low
    assert too_short > n - binomial_region(n, 0.95).low  # without the error of raters they would miss it


def test_an_expert_is_no_better_than_saying_no(dices):
    """Raters disagree so much that a judge who always says No agrees with them more than the expert does."""
    items, labels, expert, _ = dices
    rows = [(items[i], "human", f"p{r}", labels[i, r]) for i in range(items.size) for r in range(30)]
    rows += [(item, "expert", "", answer) for item, answer in zip(items, expert, strict=True)]
    data = pl.DataFrame(rows, orient="row", schema=["item", "source", "rater", "value"])
    found = howsure.judge(data, gold="human", judge="expert")
    assert found.verdict == "may not replace"
    assert found.agreements[2].name == "always No"
    assert found.agreements[2].agreement > found.agreements[1].agreement
