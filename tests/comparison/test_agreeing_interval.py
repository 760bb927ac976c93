"""By default p is at most α exactly where the interval excludes 0."""

import numpy as np
import pytest

from howsure import Contest, Responses
from howsure.comparison import compare, compare_each
from howsure.data.scales import Scale
from howsure.intervals import INTERVALS


def right_and_wrong(rng, n, differ=0.15):
    swapped = rng.random(n) < differ
    a = np.where(swapped, rng.random(n) < 0.8, rng.random(n) < 0.7)
    return Contest.from_arrays(np.ones(n), a * 1.0, np.where(swapped, ~a, a) * 1.0, scale="nominal")


def numbers(rng, n):
    gold = rng.normal(size=n)
    return Contest.from_arrays(gold, gold + 0.7 * rng.normal(size=n), gold + rng.normal(size=n))


def ratings(rng, n, n_raters=None):
    shape = (n, 1 if n_raters is None else n_raters)
    sides = [np.clip(np.round(rng.normal(shift, 1, shape)), -2, 2) + 3 for shift in (0.5, 0.0)]
    ids = None if n_raters is None else np.tile(np.arange(n_raters), (n, 1))
    groups = {"document": (np.arange(n) // 3).astype(str)}
    a, b = (Responses.from_grid(side, ids) for side in sides)
    return Contest(None, a, b, Scale.of([1.0, 2, 3, 4, 5]), np.arange(n).astype(str), ("", "A", "B"), groups)


def agrees(result):
    ends = result.confidence_interval
    return (result.pvalue <= 1 - ends.confidence_level + 1e-12) == (0 not in ends)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize(
    ("metric", "make"),
    [
        ("accuracy", right_and_wrong),
        ("wins", numbers),
        ("mae", numbers),
        ("rating", ratings),
        ("rmse", numbers),
        ("spearman", numbers),
        ("kendall", numbers),
    ],
)
def test_p_is_at_most_alpha_exactly_where_the_interval_excludes_zero(metric, make, alternative):
    for seed in range(20):
        rng = np.random.default_rng([seed, 51])
        data = make(rng, int(rng.integers(8, 60)))
        result = compare(data, metric=metric, alternative=alternative, rng=seed)
        for level in (0.8, 0.9, 0.95, 0.99):
            assert agrees(result.at(confidence_level=level)), (seed, level)
        assert "borderline" not in str(result)


@pytest.mark.parametrize("settings", [{"cluster": "document"}, {"raters": "fixed"}, {"raters": "random"}])
def test_they_agree_with_clusters_and_raters(settings):
    for seed in range(15):
        rng = np.random.default_rng([seed, 52])
        result = compare(ratings(rng, 36, n_raters=3 + seed % 4), rng=seed, **settings)
        assert agrees(result)
        for answer in (result.rater_answers.these, result.rater_answers.like) if result.rater_answers else ():
            assert agrees(answer)


def test_many_items_that_differ_rarely_contradicted_each_other():
    # 4 : 0 of 60: Tango's interval excludes 0, and the exact p-value is .125.
    result = compare(Contest.from_arrays(np.ones(60), np.ones(60), np.r_[np.zeros(4), np.ones(56)], scale="nominal"))
    assert result.pvalue == 0.125
    assert INTERVALS["score"].limits(result.evidence).low > 0
    assert result.confidence_interval.low <= 0
    assert result.confidence_interval.high == INTERVALS["score"].limits(result.evidence).high


def test_an_interval_that_was_asked_for_stays_as_it_is():
    data = Contest.from_arrays(None, [1.5, 2.5, 3.0], [0.0, 1.0, 1.0])
    result = compare(data, interval="t", rng=0)
    assert result.confidence_interval.low > 0
    assert "The interval excludes 0" in str(result)


def test_slices_agree_where_nothing_is_adjusted():
    rng = np.random.default_rng(53)
    results = compare_each(ratings(rng, 90), by="document", correction="none", rng=0)
    assert all(agrees(result) for result in results)


def test_few_items_that_differ_have_few_degrees_of_freedom():
    rng = np.random.default_rng(54)
    gold = rng.normal(size=60)
    a = gold + rng.normal(size=60)
    b = np.where(np.arange(60) < 3, gold + 2 * rng.normal(size=60), a)
    result = compare(Contest.from_arrays(gold, a, b), metric="rmse", rng=0)
    assert result.evidence.df[0] == 2
    assert any("A and B differ on only 3 of 60 items" in note for note in result.notes)
    b = np.where(np.arange(60) < 30, gold + 2 * rng.normal(size=60), a)
    assert compare(Contest.from_arrays(gold, a, b), metric="rmse", rng=0).evidence.df[0] == 59
