"""Simulated data do what their names and the table in docs/how-to/scores.md say."""

import re
from pathlib import Path

import numpy as np
import pytest

from howsure import examples
from howsure.errors import ArgumentError
from howsure.inference.proportions import binomial_region
from howsure.paired import analyse, describe, read_scores, recommend, significance_test, write_scores

PAGE = (Path(__file__).parents[1] / "docs" / "how-to" / "scores.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `([a-z0-9-]+)` \| (mean|median) \| ([a-z-]+) \| (.*?) \| ([0-9.]+) \|$", PAGE, re.M)


def test_the_page_lists_every_kind():
    assert [row[0] for row in ROWS] == list(examples.KINDS)


@pytest.mark.parametrize(("kind", "statistic", "test", "verdict", "power"), ROWS, ids=[row[0] for row in ROWS])
def test_each_kind_gives_what_the_page_says(kind, statistic, test, verdict, power):
    found = analyse(examples.scores(kind), n_simulations=1000, rng=0)
    assert (found.recommendation.statistic, found.test) == (statistic, test)
    assert found.sentence.startswith(f"{verdict}: ")
    assert f"{found.curve.power[-1]:.2f}" == power


@pytest.mark.parametrize("kind", ["h0-normal", "h0-beta", "documents"])
def test_without_a_difference_the_recommended_test_holds_its_level(kind):
    rejected = 0
    for seed in range(200):
        scores = examples.scores(kind, rng=seed)
        test = recommend(scores, describe(scores)).test
        rejected += significance_test(scores, test=test, n_resamples=199, rng=seed).reject
    assert rejected in binomial_region(200, 0.05, confidence_level=0.999)


def test_files_read_back(tmp_path):
    for kind in examples.KINDS:
        scores = examples.scores(kind)
        write_scores(scores, tmp_path / f"{kind}.txt")
        cluster = "cluster" if kind == "documents" else None
        again = read_scores(tmp_path / f"{kind}.txt", cluster=cluster)
        assert np.array_equal(again.differences, scores.differences)
        assert again.n_clusters == scores.n_clusters


def test_unknown_kinds():
    with pytest.raises(ArgumentError, match="Did you mean 'h0-normal'"):
        examples.scores("h0-norml")
