"""Thousands of slices at once: each gets what it gets alone."""

import warnings
from dataclasses import fields, replace

import numpy as np
import pytest
from scipy.stats import t as student_t

from assay import Contest, compare, compare_each
from assay.comparison.together import having, wide_level, without_draws
from assay.errors import ArgumentError
from assay.inference import adjust


def sliced(kind, n_slices=1001):
    rng = np.random.default_rng(0)
    sizes = np.where(np.arange(n_slices) < 60, rng.integers(1, 12, n_slices), 3)
    n = int(sizes.sum())
    if kind == "numbers":
        gold, a, b = rng.normal(size=(3, n))
    elif kind == "ties":
        gold, a, b = 1000 + rng.integers(0, 4, (3, n)) / 10
    else:
        gold, a, b = (np.array(list("abc"))[rng.integers(0, 3, (n, k))] for k in (2, 2, 1))
    return Contest.from_arrays(gold, a, b, groups={"task": np.repeat(np.arange(n_slices), sizes)})


@pytest.mark.parametrize("correction", ["none", "holm"])
@pytest.mark.parametrize(
    ("kind", "metrics", "alternative"),
    [("numbers", ["mae", "mse"], "two-sided"), ("ties", ["mae"], "less"), ("labels", ["accuracy", "tv"], "greater")],
)
def test_each_of_many_slices_is_compared_as_if_alone(kind, metrics, alternative, correction):
    contest = sliced(kind)
    how = {"metrics": metrics, "rng": 3, "alternative": alternative}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = compare_each(contest, by="task", correction=correction, **how)
        entries, level = iter(found), wide_level(0.95, correction, len(found))
        for value, part in list(contest.slices("task"))[:60]:
            for alone in compare_each(part, correction="none", **how):
                entry = next(entries)
                kept, wide = without_draws(alone, level)
                expected = having(kept, entry.pvalue_adjusted, wide, len(found))
                for field in fields(alone):
                    if field.name != "slice":
                        own, other = getattr(entry, field.name), getattr(expected, field.name)
                        assert repr(own) == repr(other), (value, field.name)


def test_intervals_of_many_slices_hold_together_and_keep_no_draws():
    contest = sliced("numbers")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = compare_each(contest, metrics=["mae"], by="task", rng=0)
        single = compare_each(contest, metrics=["mae"], by="task", rng=0, correction="none")
    expected = adjust([entry.pvalue for entry in found], method="holm")
    assert [entry.pvalue_adjusted for entry in found] == pytest.approx(expected)
    entry, alone = found[-1], single[-1]
    needed = alone.at(confidence_level=0.95 ** (1 / len(found))).confidence_interval
    assert entry.confidence_interval == replace(needed, confidence_level=0.95)
    assert entry.n_together == len(found)
    with pytest.raises(ArgumentError, match="with very many slices no draws are kept"):
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
        return alone.contrast - ends.low

    told = 1 - 20 / 9999  # so far draws tell it
    assert reach(told) == alone.contrast - alone.limits("symmetric", told, alternative).low
    growth = student_t.isf(tail * 1e-8, 199) / student_t.isf(tail * (1 - told), 199)
    assert reach(1 - 1e-8) == pytest.approx(growth * reach(told))
    assert reach(1 - 1e-8) > alone.contrast - alone.limits("symmetric", 1 - 1e-8, alternative).low


def test_intervals_beyond_all_draws_stay_within_what_a_contrast_can_be():
    rng = np.random.default_rng(5)
    gold, a, b = (np.array(list("abc"))[rng.integers(0, 3, (14, k))] for k in (7, 5, 4))
    alone = compare(Contest.from_arrays(gold, a, b), metric="tv", interval="symmetric", n_resamples=99, rng=0)
    ends = without_draws(alone, 1 - 1e-11)[1]
    assert (ends.low, ends.high) == (-2.0, 2.0)  # total variation is 2 at most
