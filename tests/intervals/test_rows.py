"""Intervals and p-values of many rows are those of each row, also where a row is out of the ordinary."""

import math

import numpy as np
import pytest

from howsure.inference import ALTERNATIVES, tail_pvalue
from howsure.inference.evidence import Ascending, Evidence
from howsure.inference.pvalues import tail_pvalues
from howsure.intervals import INTERVALS

N_ITEMS, N_DRAWS = 23, 59


def rows():
    """Return items, estimates, and draws with their standard errors: ordinary rows, then all that may go wrong."""
    rng = np.random.default_rng(8)
    items = np.concatenate(
        [
            rng.normal(0.2, 1, (6, N_ITEMS)),
            rng.exponential(size=(3, N_ITEMS)),
            rng.integers(-1, 2, (3, N_ITEMS)).astype(float),
            np.zeros((1, N_ITEMS)),  # nothing differs
            np.full((1, N_ITEMS), 0.5),  # everything differs alike
            np.eye(N_ITEMS)[:2],  # one item differs
            rng.normal(0, 1e-300, (1, N_ITEMS)),
        ]
    )
    drawn = rng.choice(N_ITEMS, (N_DRAWS, N_ITEMS))
    draws, errors = items[:, drawn].mean(axis=2), items[:, drawn].std(axis=2, ddof=1) / N_ITEMS**0.5
    estimates = items.mean(axis=1)
    draws[0, 3] = np.nan
    draws[1, 5] = np.inf
    draws[2] = np.nan
    draws[3] = estimates[3] + 1  # all on one side, all equal
    draws[4] = np.abs(draws[4]) + estimates[4]  # all on one side
    estimates[5] = np.nan
    errors[6, ::2] = 0.0
    draws[7, : N_DRAWS // 2] = estimates[7]  # ties with the estimate
    return items, estimates, draws, errors


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("method", INTERVALS)
def test_a_row_does_not_depend_on_the_rows_beside_it(method, level, alternative):
    items, estimates, draws, errors = rows()
    left = (items.sum(axis=1, keepdims=True) - items) / (N_ITEMS - 1)
    left[8, 0] = np.nan
    known = Evidence(
        estimates,
        draws=draws,
        standard_errors=errors,
        errors=items.std(axis=1, ddof=1) / N_ITEMS**0.5,
        df=np.where(np.arange(len(items)) % 2, np.nan, N_ITEMS - 1.0),
        jackknife=left,
        span=1.0,
    )
    kind = INTERVALS[method]
    low, high, notes = kind.ends(known, level, alternative)
    for i in range(len(items)):
        alone = kind.limits(known.row(i), level, alternative)
        asked = {"two-sided": ("low", "high"), "greater": ("low",), "less": ("high",)}[alternative]
        ends = {"low": low[i], "high": high[i]}
        np.testing.assert_array_equal([ends[end] for end in asked], [getattr(alone, end) for end in asked])
        assert alone.notes == notes[i]
        assert bool(notes[i]) >= math.isnan(alone.low)  # what is undefined says why
    assert np.isnan(low).any()
    assert not np.isnan(low).all()


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_tails_of_rows_are_those_of_each(alternative, exact):
    _, estimates, draws, _ = rows()
    null = draws - 0.2
    found = tail_pvalues(estimates, null, alternative=alternative, exact=exact)
    for i, row in enumerate(zip(estimates, null, strict=True)):
        assert repr(found[i]) == repr(tail_pvalue(*row, alternative=alternative, exact=exact))


def test_quantiles_are_numpys():
    _, _, draws, _ = rows()
    shares = [0.025, 0.5, 0.9]
    found = Ascending.of(draws).quantiles(shares)
    for own, row in zip(found, draws, strict=True):
        defined = row[~np.isnan(row)]
        expected = np.quantile(defined, shares) if defined.size else np.full(3, np.nan)
        np.testing.assert_allclose(own, expected, rtol=1e-12)
