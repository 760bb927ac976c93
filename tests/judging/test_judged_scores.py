"""`score` with a judge: the same estimator on one model's scores."""

import re
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import howsure
from howsure import ArgumentError, examples
from howsure.inference import binomial_region
from howsure.judging import JudgedScores
from tests.judging.test_judged_comparison import MODELS, labelled, rated, table


def test_scores_differ_by_about_the_advantage():
    data = examples.judged()
    found = howsure.score(data, judge="gpt-judge")
    assert isinstance(found, JudgedScores)
    one, two = found.models
    both = howsure.compare(data, judge="gpt-judge", **MODELS)
    assert two.humans.value - one.humans.value == pytest.approx(both.humans.value)
    assert two.judge_alone.value - one.judge_alone.value == pytest.approx(both.judge_alone.value)
    assert two.bias.value == pytest.approx(two.judge_alone.value - two.combined.value)
    assert (two.n_labelled, two.n_all, two.n_raters) == (80, 400, 6)
    assert two.sentence.endswith("0.37 too high, significantly.")


@pytest.mark.parametrize("seed", range(10))
def test_the_scores_of_people_and_judge_subtract_to_what_the_judge_is_off(seed):
    for one in howsure.score(examples.judged(n_items=60, rng=seed), judge="gpt-judge").models:
        said = re.search(r"rating ([\d.]+) .* says ([\d.]+)(?:, ([\d.]+) too|\.$)", one.sentence)
        assert said is not None
        people, judge, off = (Fraction(number or 0) for number in said.groups())
        assert abs(people - judge) == off


def test_people_alone_have_the_score_of_the_labelled_items():
    rows = table(labelled())
    found = howsure.score(rows, gold="human", judge="gpt-judge", model="model-2")
    people = howsure.score(rows, gold="human", model="model-2").models[0]
    assert found.models[0].humans.value == pytest.approx(people.score)
    low, high = found.models[0].combined.confidence_interval.low, found.models[0].combined.confidence_interval.high
    assert 0 <= low < found.models[0].combined.value < high <= 1


def test_the_interval_covers_the_truth():
    """Qualities have the mean 3, raters an opinion each: the truth of the mean rating is 3."""
    n, hits = 150, 0
    for seed in range(n):
        rng = np.random.default_rng(seed)
        quality = 3 + rng.normal(size=150)
        grid = quality[:40, np.newaxis] + 0.5 * rng.normal(size=5) + 0.5 * rng.normal(size=(40, 5))
        rows = [(f"q{i}", "m", f"r{r}", grid[i, r]) for i in range(40) for r in range(5)]
        rows += [(f"q{i}", "m", "j", 0.3 + quality[i] + 0.5 * rng.normal()) for i in range(150)]
        one = howsure.score(table(rows), judge="j", raters="random").models[0].combined.confidence_interval
        hits += one.low <= 3 <= one.high
    assert hits >= binomial_region(n, 0.95).low


def test_wrong_options_get_one_clear_line():
    rows = table(rated())
    for options, said in (
        ({"judge": "gpt-judge", "cluster": "item"}, "`cluster` does not go with `judge`"),
        ({"judge": "gpt-judge", "metric": ["rating", "mae"]}, "`judge` goes with one metric"),
    ):
        with pytest.raises(ArgumentError, match=said):
            howsure.score(rows, **options)


def test_a_judge_that_is_constant_is_told():
    rows = table(rated()).with_columns(
        value=pl.when(pl.col("rater") == "gpt-judge").then(4.0).otherwise(pl.col("value"))
    )
    found = howsure.score(rows, judge="gpt-judge")
    assert any("gives the same score to every item" in note for note in found.notes)
    assert found.models[0].combined.value == pytest.approx(found.models[0].humans.value)


def test_a_leaderboard_ranks_and_compares_every_pair():
    rows = rated()
    third = [
        (item, "model-3", rater, value - 1 - int(item[1:]) % 3)
        for item, source, rater, value in rows
        if source == "model-1"
    ]
    found = howsure.leaderboard(table(rows + third), judge="gpt-judge")
    assert [one.name for one in found.models][-1] == "model-3"
    assert len(found.pairs) == 3
    for pair in found.pairs:
        alone = howsure.compare(table(rows + third), judge="gpt-judge", a=pair.better, b=pair.worse)
        assert pair.advantage.value == pytest.approx(alone.advantage)
        assert pair.advantage.pvalue == pytest.approx(alone.pvalue)
        assert pair.pvalue_adjusted >= pair.advantage.pvalue
    assert "model-3" not in found.may_be_best
    assert "may be the best by people's judgement. 2 of 3 pairs differ significantly (Holm)." in str(found)
    assert "each interval holds by itself" in str(found)
    with pytest.raises(ArgumentError, match="`baseline` does not go with `judge`"):
        howsure.leaderboard(table(rows + third), judge="gpt-judge", baseline="model-1")
    with pytest.raises(ArgumentError, match="at least two models"):
        howsure.leaderboard(table(rows), judge="gpt-judge", model="model-1")
