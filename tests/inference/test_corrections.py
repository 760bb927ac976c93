import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from howsure.errors import ArgumentError
from howsure.inference import adjust
from tests.reference import inference as reference

METHODS = ["holm", "benjamini-hochberg"]
pvalues_of = st.lists(st.floats(0, 1), min_size=1, max_size=20)


@pytest.mark.parametrize("method", METHODS)
def test_known_answers(method):
    assert adjust([0.01, 0.04, 0.03, 0.005], method=method).tolist() == pytest.approx(reference.ADJUSTED[method])


@given(pvalues_of)
def test_benjamini_hochberg_agrees_with_scipy(pvalues):
    assert adjust(pvalues, method="benjamini-hochberg") == pytest.approx(stats.false_discovery_control(pvalues))


@given(pvalues_of)
def test_holm_by_its_definition(pvalues):
    # The i-th smallest is multiplied by the number not smaller, and none may fall below one before it.
    order = np.argsort(pvalues)
    m = len(pvalues)
    stepwise = np.maximum.accumulate([min(1, (m - rank) * pvalues[i]) for rank, i in enumerate(order)])
    assert adjust(pvalues)[order] == pytest.approx(stepwise)


@given(pvalues_of, st.sampled_from(METHODS), st.integers(0, 5))
def test_undefined_stays_and_is_not_counted(pvalues, method, n_undefined):
    with_gaps = [math.nan] * n_undefined + pvalues
    adjusted = adjust(with_gaps, method=method)
    assert np.isnan(adjusted[:n_undefined]).all()
    assert adjusted[n_undefined:].tolist() == adjust(pvalues, method=method).tolist()


@given(pvalues_of, st.sampled_from(METHODS), st.randoms())
def test_larger_or_equal_and_order_free(pvalues, method, random):
    adjusted = adjust(pvalues, method=method)
    # Adjusting multiplies and divides, so "not smaller" holds up to a rounding.
    assert (adjusted >= np.array(pvalues) * (1 - 1e-12)).all()
    order = list(range(len(pvalues)))
    random.shuffle(order)
    assert adjust(np.array(pvalues)[order], method=method) == pytest.approx(adjusted[order])


def test_none_single_and_empty():
    assert adjust([0.2, math.nan, 0.01], method="none").tolist() == pytest.approx([0.2, math.nan, 0.01], nan_ok=True)
    assert adjust([0.2, math.nan]).tolist() == pytest.approx([0.2, math.nan], nan_ok=True)
    assert adjust([]).size == 0


def test_read_only_and_input_unchanged():
    pvalues = np.array([0.01, 0.02])
    adjusted = adjust(pvalues)
    assert pvalues.tolist() == [0.01, 0.02]
    with pytest.raises(ValueError, match="read-only"):
        adjusted[0] = 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: adjust([0.1], method="bonferroni"), "`method` must be one of holm, benjamini-hochberg, none"),
        (lambda: adjust([0.1, 5.0]), "`pvalues` must lie between 0 and 1; got 5"),
        (lambda: adjust([[0.1]]), r"`pvalues` must be a list of numbers; got an array of shape \(1, 1\)"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ArgumentError, match=message):
        call()
