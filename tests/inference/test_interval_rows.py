"""Intervals and p-values of many rows are those of each row, also where a row is out of the ordinary."""

import numpy as np
import pytest

from howsure.inference import ALTERNATIVES, METHODS, interval, tail_pvalue
from howsure.inference.interval_rows import DrawnRows
from howsure.inference.pvalues import tail_pvalues

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


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("method", METHODS)
def test_intervals_of_rows_are_those_of_each(method, level):
    items, estimates, draws, errors = rows()
    left = (items.sum(axis=1, keepdims=True) - items) / (N_ITEMS - 1)
    left[8, 0] = np.nan
    of_data = items.std(axis=1, ddof=1) / N_ITEMS**0.5
    df = np.where(np.arange(len(items)) % 2, np.nan, N_ITEMS - 1.0)
    found = DrawnRows(draws, estimates, left, errors, of_data, df, 1.0, level).limits(method)
    for i, ends in enumerate(found):
        alone = interval(
            method,
            draws[i],
            estimate=float(estimates[i]),
            jackknife=left[i],
            standard_errors=errors[i],
            standard_error=float(of_data[i]),
            df=float(df[i]),
            span=1.0,
            confidence_level=level,
        )
        np.testing.assert_array_equal(ends, [alone.low, alone.high], err_msg=f"row {i}")
    assert np.isnan(found).any() or method == "score"
    assert not np.isnan(found).all()


@pytest.mark.parametrize("n_draws", [1, 2])
def test_few_draws_are_few_in_rows_too(n_draws):
    _, estimates, draws, errors = rows()
    few = DrawnRows(
        draws[:, :n_draws], estimates, draws[:, :0], errors[:, :n_draws], estimates, estimates, np.inf, 0.9
    ).limits("percentile")
    for i, ends in enumerate(few):
        alone = interval("percentile", draws[i, :n_draws], estimate=float(estimates[i]), confidence_level=0.9)
        np.testing.assert_array_equal(ends, [alone.low, alone.high], err_msg=f"row {i}")


@pytest.mark.parametrize("exact", [False, True])
def test_tails_of_rows_are_those_of_each(exact):
    _, estimates, draws, _ = rows()
    null = draws - 0.2
    found = tail_pvalues(estimates, null, exact=exact)
    for alternative, ours in zip(ALTERNATIVES, found, strict=True):
        alone = [
            tail_pvalue(*row, alternative=alternative, exact=exact).pvalue for row in zip(estimates, null, strict=True)
        ]
        np.testing.assert_array_equal(ours, alone)
    assert tail_pvalues(estimates, null, alternatives=["less"]).shape == (1, len(null))
