"""Thousands of slices at once: each gets what it gets alone."""

import warnings
from dataclasses import fields, replace

import numpy as np
import pytest

from assay import Contest, compare_each
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
