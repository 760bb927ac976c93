"""Thousands of slices at once: each gets what it gets alone."""

import math
import warnings
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from scipy.stats import t as student_t

from howsure import Contest
from howsure.comparison import compare, compare_each, comparing
from howsure.comparison.together import without_draws
from howsure.errors import ArgumentError
from howsure.inference import adjust
from howsure.metrics import ItemMetric


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch):
    """So that a test needs fewer slices."""
    monkeypatch.setattr(comparing, "MANY", 10)


@pytest.fixture
def fewer_draws(monkeypatch):
    """Where no number is asked for, so that p-values are exact; of up to 9 items all swaps are then listed."""
    monkeypatch.setattr("howsure.comparison.procedure.DRAWS", 999)


SIZES = (*range(1, 15), 3, 3, 8, 8, 8, 15, 21, 26, 33, 39, 45, 60, 100)
"""Every size up to beyond those whose signs are all enumerated, some of them several times, and larger ones."""


def sliced(kind):
    rng = np.random.default_rng(0)
    sizes, n_slices = rng.permutation(SIZES), len(SIZES)
    n = int(sizes.sum())
    gold, a, b = rng.normal(size=(3, n))
    if kind == "ties":
        gold, a, b = 1000 + rng.integers(0, 4, (3, n)) / 10
    elif kind == "equal":
        a, b = gold, gold + np.repeat(rng.integers(-1, 2, n_slices) / 10, sizes)
    elif kind == "sparse":
        b = np.where(rng.random(n) < 0.4, b, a)
    elif kind == "skewed":
        b = gold + np.abs(a - gold) + rng.lognormal(sigma=0.8, size=n)
    elif kind == "labels":
        gold, a, b = (np.array(list("abc"))[rng.integers(0, 3, (n, k))] for k in (2, 2, 1))
    return Contest.from_arrays(gold, a, b, groups={"task": np.repeat(np.arange(n_slices), sizes)})


@dataclass(frozen=True)
class OftenUndefined(ItemMetric):
    name: ClassVar[str] = "often-undefined"
    title: ClassVar[str] = "error where gold is small"

    def item_scores(self, gold, model):
        return np.where(gold < 2, np.abs(gold - model), np.nan)


def bits(value):
    """Return what must not differ."""
    if is_dataclass(value):
        return [bits(getattr(value, field.name)) for field in fields(value)]
    return (value.shape, value.tobytes()) if isinstance(value, np.ndarray) else repr(value)


@pytest.mark.parametrize(
    ("kind", "metrics", "how"),
    [
        ("numbers", ["mae", "mse"], {}),
        ("numbers", ["mae"], {"alternative": "greater", "confidence_level": 0.8}),
        ("numbers", [OftenUndefined()], {}),
        ("numbers", ["mae"], {"margin": 0.1, "n_resamples": 99}),
        ("ties", ["mae"], {"alternative": "less"}),
        ("equal", ["mae"], {}),
        ("sparse", ["mae", "mse"], {"alternative": "less"}),
        ("skewed", ["mae"], {}),
        ("skewed", ["mae"], {"alternative": "greater"}),
        ("labels", ["accuracy", "tv"], {"alternative": "greater"}),
        ("labels", ["accuracy"], {}),
    ],
)
@pytest.mark.usefixtures("fewer_draws")
def test_each_of_many_slices_is_compared_as_if_alone(kind, metrics, how):
    contest = sliced(kind)
    how = {"metrics": metrics, "rng": 3} | how
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parts = [
            (value, alone)
            for value, part in contest.slices("task")
            for alone in compare_each(part, correction="none", **how)
        ]
        found = compare_each(contest, by="task", correction="none", **how)
    for (value, alone), entry in zip(parts, found, strict=True):
        for field in fields(alone):
            one, other = getattr(entry, field.name), getattr(alone, field.name)
            if field.name == "confidence_interval":
                n_draws = how.get("n_resamples", 999)
                near(other, one, n_draws=n_draws)
            elif field.name not in DRAWN and (entry.exact or field.name not in ("pvalue", "pvalue_se")):
                assert bits(one) == bits(other), (value, field.name)


DRAWN = (
    "slice",
    "evidence",
    "pvalue_adjusted",
    "expected_pvalue",
    "expected_pvalue_se",
    "skewness_pvalue",
    "margin",
    "notes",
)
"""What differs by its draws, which slices of one size share, or follows from it."""


def near(one, other, *, n_draws):
    """Check that two intervals have one method, and ends that differ by no more than draws make them differ."""
    assert one.method == other.method
    if n_draws >= 999:
        for name in ("low", "high"):
            end = getattr(one, name)
            reach = abs(other.high - other.low) if math.isfinite(other.high - other.low) else abs(end) + 0.5
            assert getattr(other, name) == pytest.approx(end, abs=0.4 * reach, nan_ok=True)


@pytest.mark.usefixtures("fewer_draws")
def test_threads_do_not_matter():
    contest = sliced("numbers")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one, four = (compare_each(contest, metrics=["mae"], by="task", rng=0, workers=n) for n in (1, 4))
    assert [bits(entry) for entry in one] == [bits(entry) for entry in four]


@pytest.mark.usefixtures("fewer_draws")
def test_intervals_of_many_slices_hold_together_and_keep_no_draws():
    contest = sliced("numbers")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = compare_each(contest, metrics=["mae"], by="task", rng=0)
        single = compare_each(contest, metrics=["mae"], by="task", rng=0, correction="none")
    expected = adjust([entry.pvalue for entry in found], method="holm")
    assert [entry.pvalue_adjusted for entry in found] == pytest.approx(expected)
    entry, alone = next(pair for pair in zip(found, single, strict=True) if pair[0].n_items == 5)
    needed = alone.at(confidence_level=0.95 ** (1 / len(found))).confidence_interval
    assert entry.confidence_interval == replace(needed, confidence_level=0.95)
    assert entry.n_together == len(found)
    with pytest.raises(ArgumentError, match="No resamples were kept"):
        alone.at(interval="percentile")


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_beyond_all_draws_intervals_grow_as_students_do(alternative):
    """They stopped at the most extreme of 9,999 draws: one in 10,000 missed, however many slices there were."""
    contest = Contest.from_arrays(*np.random.default_rng(4).normal(size=(3, 200)))
    alone = compare(contest, metric="mse", rng=0, alternative=alternative)
    tail = 0.5 if alternative == "two-sided" else 1.0

    def reach(level):
        ends = without_draws(alone, level)[1]
        assert ends.confidence_level == level
        assert alternative == "two-sided" or ends.high == np.inf
        return alone.advantage - ends.low

    told = 1 - 20 / 9999  # so far draws tell it
    assert reach(told) == alone.advantage - alone.limits("symmetric", told, alternative).low
    growth = student_t.isf(tail * 1e-8, 199) / student_t.isf(tail * (1 - told), 199)
    assert reach(1 - 1e-8) == pytest.approx(growth * reach(told))
    assert reach(1 - 1e-8) > alone.advantage - alone.limits("symmetric", 1 - 1e-8, alternative).low


def test_students_intervals_of_few_items_that_differ_are_not_carried_on():
    """They were, as if all items told A and B apart, and were too short."""
    gold, a, b = np.random.default_rng(6).normal(size=(3, 14))
    alone = compare(Contest.from_arrays(gold, np.where(np.arange(14) < 6, a, b), b), metric="mae", rng=0)
    assert "Only 6 items or clusters differ between A and B" in alone.confidence_interval.notes[0]
    assert without_draws(alone, 1 - 1e-8)[1] == alone.limits("symmetric", 1 - 1e-8, "two-sided")


def test_intervals_beyond_all_draws_stay_within_what_an_advantage_can_be():
    rng = np.random.default_rng(5)
    gold, a, b = (np.array(list("abc"))[rng.integers(0, 3, (14, k))] for k in (7, 5, 4))
    alone = compare(Contest.from_arrays(gold, a, b), metric="tv", interval="symmetric", n_resamples=99, rng=0)
    ends = without_draws(alone, 1 - 1e-11)[1]
    assert (ends.low, ends.high) == (-1.0, 1.0)  # total variation is 1 at most
