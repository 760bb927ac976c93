"""Means of many items need no resamples: where the formula is taken, what it covers, and what stays available."""

import numpy as np
import pytest

from howsure import ArgumentError, Contest
from howsure.comparison import compare, compare_each
from howsure.inference import binomial_region
from howsure.inference.evidence import Evidence
from howsure.intervals import INTERVALS
from howsure.intervals.direct import enough


def contest(n, *, seed=0, shift=0.0):
    gold, a, b = np.random.default_rng(seed).normal(size=(3, n))
    return Contest.from_arrays(gold, gold + a, gold + 1.1 * b + shift)


def test_nothing_is_resampled_from_500_items_on():
    few, many = compare(contest(499), metric="mae", rng=0), compare(contest(500), metric="mae", rng=0)
    assert (few.confidence_interval.method, few.draws.size) == ("symmetric", 9999)
    assert (many.confidence_interval.method, many.draws.size, many.null_draws.size) == ("edgeworth", 0, 0)
    assert many.exact
    assert compare(contest(500), metric="mae", rng=1).to_dict() | {"provenance": 0, "seed": 0, "signature": 0} == (
        many.to_dict() | {"provenance": 0, "seed": 0, "signature": 0}
    )  # there is nothing left for a seed to change
    one_sided = [compare(contest(n), metric="mae", alternative="greater", rng=0) for n in (500, 1000)]
    assert [found.confidence_interval.method for found in one_sided] == ["symmetric", "edgeworth"]


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_the_formula_is_close_to_the_resamples(alternative):
    how = {"metric": "mae", "alternative": alternative, "rng": 0}
    plain, drawn = compare(contest(1000), **how), compare(contest(1000), n_resamples=9999, **how)
    assert drawn.confidence_interval.method == "symmetric"
    assert plain.confidence_interval.low == pytest.approx(
        drawn.confidence_interval.low, abs=0.05 * drawn.standard_error
    )


def test_what_needs_resamples_still_has_them():
    data = contest(600)
    assert compare(data, metric="mae", interval="percentile", rng=0).draws.size
    assert compare(data, metric="rmse", interval="bca", rng=0).draws.size
    assert compare(data, metric="mae", null="studentised", rng=0).draws.size
    assert all(entry.draws.size for entry in compare_each(data, metrics=["mae", "mse"], rng=0))
    plain = compare(data, metric="mae", rng=0)
    assert plain.at(interval="t", confidence_level=0.9).confidence_interval.method == "t"
    assert plain.at(confidence_level=0.9).confidence_interval.width < plain.confidence_interval.width
    with pytest.raises(ArgumentError, match="No resamples were kept, which a percentile interval needs"):
        plain.at(interval="percentile")


def test_very_skewed_advantages_are_resampled():
    rng = np.random.default_rng(1)
    assert enough(rng.normal(size=600), 0.95, "two-sided")
    assert not enough(rng.gamma(0.5, size=600) * (rng.random(600) < 0.02), 0.95, "two-sided")
    assert not enough(np.zeros(600), 0.95, "two-sided")
    assert not enough(np.full(600, np.nan), 0.95, "two-sided")


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("kind", ["normal", "exponential"])
def test_it_covers(kind, alternative):
    rng, n, n_studies = np.random.default_rng(3), 1000, 4000
    rows = rng.normal(1, 1, (n_studies, n)) if kind == "normal" else rng.exponential(1, (n_studies, n))
    known = Evidence(
        rows.mean(axis=1),
        errors=rows.std(axis=1, ddof=1) / n**0.5,
        jackknife=(rows.sum(axis=1, keepdims=True) - rows) / (n - 1),
    )
    low, high, _ = INTERVALS["edgeworth"].ends(known, 0.95, alternative)
    inside = ((low <= 1) | (alternative == "less")) & ((high >= 1) | (alternative == "greater"))
    assert int(inside.sum()) in binomial_region(n_studies, 0.95, confidence_level=0.999)


def test_slices_of_many_items_hold_together_without_resamples():
    data = contest(1200)
    sliced = Contest(
        data.gold, data.a, data.b, data.scale, data.items, groups={"half": np.repeat([0, 1], 600).astype(str)}
    )
    found = compare_each(sliced, metrics=["mae"], by="half", rng=0)
    alone = compare_each(sliced, metrics=["mae"], by="half", correction="none", rng=0)
    for entry, single in zip(found, alone, strict=True):
        assert not entry.draws.size
        needed = single.at(confidence_level=0.95**0.5).confidence_interval
        assert (entry.confidence_interval.low, entry.n_together) == (pytest.approx(needed.low), 2)
