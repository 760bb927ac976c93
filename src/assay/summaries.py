"""What a metric needs to know of each item's responses: their mean, their counts, or the responses themselves.

A summary is an array with one entry (or row) for each item; batches of resampled or simulated data put the draws on
leading axes. Computed once, reused by every metric that needs it.

========  ==================  =========================================================================
needs     shape               content
========  ==================  =========================================================================
means     (…, items)          mean response
counts    (…, items, levels)  how often each level of the scale was given
sorted    (…, items, K)       the responses in ascending order; NaN fills rows that have fewer than K
values    (…, items, K)       the responses in the order of the table; NaN fills rows that have fewer
========  ==================  =========================================================================

Counts of up to eight levels may also be *packed*: (…, items) of words, in which the j-th lowest byte counts level j.
"""

from typing import Literal

import numpy as np
import numpy.typing as npt

from assay.errors import DataError
from assay.responses import Responses
from assay.scales import FloatArray, Scale

WordArray = npt.NDArray[np.uint64]
IN_A_WORD = 8
"""How many counts fit into a word."""

MOST_CELLS = 2**25
"""So many counts are kept for each source: a quarter of a gigabyte."""

Needs = Literal["means", "counts", "sorted", "values"]


def summarise(responses: Responses, needs: Needs, scale: Scale) -> FloatArray:
    """Return the summary that a metric `needs`."""
    if needs == "means":
        return means(responses)
    if needs == "counts":
        return counts(responses, scale)
    rows = grid(responses)
    return np.sort(rows, axis=-1) if needs == "sorted" else rows


def means(responses: Responses) -> FloatArray:
    """Return the mean response of each item."""
    weights = responses.weights
    if weights is not None:
        sums = np.add.reduceat(responses.values * weights, responses.offsets[:-1])
        return np.asarray(sums / np.add.reduceat(weights, responses.offsets[:-1]))
    if responses.values.size == responses.n_items == responses.sizes.sum(where=responses.sizes == 1):
        return responses.values.copy()
    sums = np.add.reduceat(responses.values, responses.offsets[:-1])
    return np.asarray(sums / responses.sizes)


def counts(responses: Responses, scale: Scale) -> FloatArray:
    """Return how often each level was given, item by level; the shares of a source that answers with probabilities."""
    width = len(scale.levels)
    if responses.n_items * width > MOST_CELLS:
        raise DataError(
            f"{responses.n_items:,} items × {width:,} labels are {responses.n_items * width:,} counts for each source; "
            f"at most {MOST_CELLS:,} are kept in memory. Merge rare labels, or take fewer items."
        )
    cells = responses.items * width + scale.codes(responses.values)
    table = np.bincount(cells, responses.weights, minlength=responses.n_items * width)
    return table.reshape(responses.n_items, width).astype(np.float64)


def grid(responses: Responses) -> FloatArray:
    """Return the responses as rows of equal length, filled up with NaN."""
    if responses.weights is not None:
        raise DataError("a source answers with a share for each label; this metric needs single responses.")
    sizes = responses.sizes
    rows = np.full((responses.n_items, int(sizes.max())), np.nan)
    rows[np.arange(rows.shape[1]) < sizes[:, np.newaxis]] = responses.values
    return rows
