"""Both answers about raters: for these, and for raters like these."""

import json
import math

import numpy as np
import pytest
from scipy.stats import binom

from howsure import Comparison, _json
from howsure.comparison import compare, compare_each
from howsure.data.contests import Contest
from howsure.data.responses import Responses
from howsure.data.scales import Scale
from howsure.documents import numbers
from howsure.raters.choice import LOAD
from tests.comparison.test_raters import against_gold, opposite, ratings

pytestmark = pytest.mark.filterwarnings("ignore::howsure.errors.HowsureWarning")


def labels(gold, a, b, **options):
    """Return a contest of labels 0 and 1; gold's columns are raters."""
    n, r = gold.shape
    source = Responses.from_grid(gold.astype(float), np.tile(np.arange(r), (n, 1)))
    models = [Responses.from_grid(np.asarray(side, dtype=float)[:, np.newaxis]) for side in (a, b)]
    return Contest(source, *models, Scale.of([0.0, 1.0], kind="nominal"), np.arange(n).astype(str), **options)


def test_every_result_with_raters_has_both_answers_and_says_which_question_is_whose():
    contest = ratings(np.random.default_rng(1), n=40, of_raters=0.5, shift=0.5)
    broad, narrow = (compare(contest, metric="rating", raters=raters, rng=0) for raters in (None, "fixed"))
    assert broad.rater_answers == narrow.rater_answers
    answers = broad.rater_answers
    assert (answers.like.pvalue, answers.like.confidence_interval) == (broad.pvalue, broad.confidence_interval)
    assert (answers.these.pvalue, answers.these.confidence_interval) == (narrow.pvalue, narrow.confidence_interval)
    assert answers.these.pvalue < answers.like.pvalue
    for result in (broad, narrow):
        assert "\n".join(answers.lines(result)) in str(result)
    assert "for these 5 raters: mean rating" in narrow.verdict
    assert "for these" not in broad.verdict


def test_both_answers_are_written_read_back_and_moved_to_another_level():
    result = compare(against_gold(np.random.default_rng(2)), metric="mae", rng=0)
    again = Comparison.from_dict(json.loads(_json.dumps(result.to_dict())))
    assert again.rater_answers == result.rater_answers
    wide = result.at(confidence_level=0.99)
    for name in ("these", "like"):
        before, after = (getattr(found.rater_answers, name) for found in (result, wide))
        assert after.confidence_interval.confidence_level == 0.99
        assert after.confidence_interval.width > before.confidence_interval.width
        assert after.pvalue == before.pvalue
    assert wide.rater_answers.like.confidence_interval == wide.confidence_interval
    assert result.to_frame()["these_raters_pvalue"][0] == result.rater_answers.these.pvalue


@pytest.mark.parametrize("asked", [{"responses": "first"}, {"null": "shifted-bootstrap"}])
def test_without_a_counterpart_there_is_one_answer(asked):
    contest = ratings(np.random.default_rng(3))
    assert compare(contest, metric="rating", n_resamples=99, rng=0, **asked).rater_answers is None


def test_results_without_raters_have_no_words_about_them():
    contest = Contest.from_arrays([1.0, 2, 3], [1.0, 2, 2], [2.0, 2, 2], scale="continuous")
    result = compare(contest, metric="mae", rng=0)
    assert result.rater_answers is None
    assert "rater" not in str(result).replace(result.signature, "")


@pytest.mark.parametrize("noise", [0.0, 1e-9])
def test_ten_items_allow_no_p_value_below_theirs_however_much_raters_agree(noise):
    truth = np.arange(10) % 2
    by_category = labels(np.tile(truth[:, np.newaxis], 5), truth, 1 - truth)
    result = compare(by_category, metric="accuracy", rng=0)
    assert result.advantage == 1
    assert result.pvalue == 2 / 2**10
    assert result.confidence_interval.low < 0.8
    assert result.confidence_interval.high == 1
    grid = np.ones((10, 4)) + noise * np.random.default_rng(4).normal(size=(10, 4))
    ids = np.tile(np.arange(4), (10, 1))
    sides = [Responses.from_grid(side, ids) for side in (grid, np.zeros((10, 4)))]
    rated = Contest(None, *sides, Scale("continuous"), np.arange(10).astype(str), ("", "A", "B"))
    assert compare(rated, metric="rating", rng=0).pvalue == pytest.approx(2 / 2**10)
    assert compare(rated, metric="rating", alternative="greater", rng=0).pvalue == pytest.approx(1 / 2**10)


@pytest.mark.parametrize("metric", ["accuracy", "wins"])
def test_the_broader_answer_is_never_surer_and_stays_in_the_range(metric):
    for number in range(25):
        rng = np.random.default_rng([5, number])
        gold = (rng.random((8, 3)) < 0.7).astype(int)
        contest = labels(gold, np.ones(8), rng.integers(0, 2, 8))
        answers = compare(contest, metric=metric, rng=0).rater_answers
        if math.isnan(answers.these.pvalue):
            continue
        assert answers.like.pvalue >= answers.these.pvalue
        ends, inner = answers.like.confidence_interval, answers.these.confidence_interval
        assert ends.low <= inner.low
        assert ends.high >= inner.high
        assert -1 <= ends.low <= ends.high <= 1


def test_several_slices_have_both_answers_each():
    rng = np.random.default_rng(6)
    truth = rng.integers(0, 2, 24)
    groups = {"category": np.array(["x", "y"] * 12)}
    contest = labels(np.tile(truth[:, np.newaxis], 3), truth, 1 - truth, groups=groups)
    found = compare_each(contest, metrics=["accuracy"], by="category", rng=0)
    assert [entry.rater_answers.n_raters for entry in found] == [3, 3]
    assert [entry.pvalue for entry in found] == [2 / 2**12] * 2
    assert str(found).count("The second is only a hint: 3 raters are too few") == 2


def spread_out(load):
    """Return ratings of 60 items, two raters each, who judge `load` items on average over responses."""
    rng = np.random.default_rng(7)
    ids = np.arange(120).reshape(60, 2)
    shared = round(120 * (load - 1) / load)
    ids[: shared // 2, 0] = ids[shared // 2 : 2 * (shared // 2), 1]
    sides = [Responses.from_grid(rng.normal(size=(60, 2)), ids) for _ in range(2)]
    return Contest(None, *sides, Scale("continuous"), np.arange(60).astype(str), ("", "A", "B"))


def test_raters_are_a_random_factor_only_where_they_repeat():
    one = spread_out(1.04)
    result = compare(one, metric="rating", n_resamples=99, rng=0)
    assert result.null == "sign-flip"
    assert result.rater_answers is None
    assert any(
        f"items on average, fewer than {LOAD:g}, so raters are not a random factor" in note for note in result.notes
    )
    asked = compare(one, metric="rating", raters="random", n_resamples=99, rng=0)
    assert asked.null == "random-effects"


def busy(rng, n=40, r=12, shift=0.0):
    """Return ratings where one rater judges every item and the others share a second judgement of each."""
    ids = np.stack([np.zeros(n, dtype=int), 1 + np.arange(n) % (r - 1)], axis=1)
    likes = 0.6 * rng.normal(size=(2, r))
    sides = [
        Responses.from_grid(value + of_raters[ids] + rng.normal(size=(n, 2)), ids)
        for value, of_raters in zip((shift, 0.0), likes, strict=True)
    ]
    return Contest(None, *sides, Scale("continuous"), np.arange(n).astype(str), ("", "A", "B"))


def test_unequal_loads_are_weighed_and_the_plain_means_are_noted():
    contest = busy(np.random.default_rng(8))
    result = compare(contest, metric="rating", n_resamples=99, rng=0)
    plain = [float(side.values.mean()) for side in (contest.a, contest.b)]
    assert abs(result.advantage - (plain[0] - plain[1])) > 1e-3
    assert result.a_score - result.b_score == pytest.approx(result.advantage)
    means = " and ".join(map(numbers.number, plain))
    assert any(f"the plain means are {means}." in note for note in result.notes)
    assert result.confidence_interval.low < result.advantage < result.confidence_interval.high
    assert result.draws.mean() == pytest.approx(result.advantage, abs=5 * result.draws.std())
    swapped = compare(contest.swapped(), metric="rating", n_resamples=99, rng=0)
    assert swapped.advantage == pytest.approx(-result.advantage)
    assert swapped.pvalue == pytest.approx(result.pvalue)


def test_unequal_loads_hold_their_level():
    count, rejected = 300, 0
    for number in range(count):
        contest = busy(np.random.default_rng([9, number]))
        rejected += compare(contest, metric="rating", n_resamples=19, rng=0, workers=1).pvalue <= 0.05
    assert rejected <= binom.ppf(0.999, count, 0.05)


def judged(rng, n, right):
    """Return labels that three raters with leanings give, and models that are right with these probabilities."""
    truth = rng.integers(0, 2, n)
    lean = 0.5 * rng.normal(size=3)
    gold = rng.random((n, 3)) < 1 / (1 + np.exp(-((2 * truth[:, np.newaxis] - 1) * math.log(4) + lean)))
    return labels(gold, *(np.where(rng.random(n) < p, truth, 1 - truth) for p in right))


def test_gold_by_three_raters_keeps_its_level_and_finds_differences():
    """A third of differences were found that these raters tell apart in two thirds of the studies; now a half."""
    count = 200
    found = {"level": 0, "power": 0}
    for number in range(count):
        for name, contest in (
            ("level", opposite(np.random.default_rng([10, number]), r=3)),
            ("power", judged(np.random.default_rng([11, number]), 100, (0.85, 0.65))),
        ):
            metric = "mae" if name == "level" else "accuracy"
            how = {"metric": metric, "raters": "random", "n_resamples": 19, "workers": 1}
            found[name] += compare(contest, rng=0, **how).pvalue <= 0.05
    assert found["level"] <= binom.ppf(0.999, count, 0.06)
    assert found["power"] >= binom.ppf(0.001, count, 0.5)
