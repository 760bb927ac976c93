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

Counts of many labels are mostly zeros. Where a metric does not look at which label is which, the labels of each item
are numbered by themselves (`narrowed`): counts are then as wide as the item with the most different labels needs.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from howsure.data.contests import Contest
from howsure.data.response_tables import ResponseTable
from howsure.data.responses import Responses
from howsure.data.scales import FloatArray, Scale
from howsure.errors import DataError

WordArray = npt.NDArray[np.uint64]
IN_A_WORD = 8
"""How many counts fit into a word."""

MOST_CELLS = 2**25
"""The most counts that are kept for each source: a quarter of a gigabyte."""

FEW_CELLS = 2**20
"""Up to this many counts for each source, every label of the scale has its own column."""

Needs = Literal["means", "counts", "sorted", "values"]
Data = TypeVar("Data", Contest, ResponseTable)


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
            f"at most {MOST_CELLS:,} are kept in memory. Merge rare labels, use fewer items, or use metrics that do "
            "not look at which label is which (accuracy, tv, js, kl, brier)."
        )
    cells = responses.items * width + scale.codes(responses.values)
    table = np.bincount(cells, responses.weights, minlength=responses.n_items * width)
    return table.reshape(responses.n_items, width).astype(np.float64)


def grid(responses: Responses) -> FloatArray:
    """Return the responses as rows of equal length, filled up with NaN."""
    if responses.weights is not None:
        raise DataError("a source answers with a share for each label; this metric needs single responses.")
    sizes = responses.sizes
    shape = responses.n_items, int(sizes.max())
    if responses.values.size == shape[0] * shape[1]:
        return responses.values.reshape(shape).copy()
    rows = np.full(shape, np.nan)
    rows[np.arange(rows.shape[1]) < sizes[:, np.newaxis]] = responses.values
    return rows


def lean(data: Data, metrics: Iterable[Any], *, n_spare: int = 0) -> Data:
    """Return the data with the labels of each item numbered by themselves, where counts are many and metrics allow."""
    if data.n_items * len(data.scale.levels) <= FEW_CELLS or not all(metric.label_blind for metric in metrics):
        return data
    return narrowed(data, n_spare=n_spare)


def narrowed(data: Data, *, n_spare: int = 0) -> Data:
    """Return the data with the labels of each item numbered by themselves, in the order of the scale, from 0 on.

    The scale then has as many labels as the item with the most different ones (and `n_spare` more), but never more than
    it had. A metric that is blind to labels gives the same scores, bit for bit.

    Examples
    --------
    >>> contest = Contest.from_arrays(["x", "z"], ["y", "z"], ["x", "y"])
    >>> lean = narrowed(contest)
    >>> lean.scale.levels, lean.gold.values.tolist(), lean.a.values.tolist()
    ((0.0, 1.0), [0.0, 1.0], [1.0, 1.0])
    """
    sources, n_levels = data.sources, len(data.scale.levels)
    cells = [source.items * n_levels + data.scale.codes(source.values) for source in sources.values()]
    given, which = np.unique(np.concatenate(cells), return_inverse=True)
    items = given // n_levels
    numbers = np.arange(given.size) - np.searchsorted(items, items)
    width = int(numbers.max(initial=0)) + 1 + n_spare
    if width >= n_levels:
        return data
    parts = np.split(numbers[which].astype(np.float64), np.cumsum([of_source.size for of_source in cells])[:-1])
    renamed = {name: replace(sources[name], values=values) for name, values in zip(sources, parts, strict=True)}
    scale = Scale(
        "nominal", tuple(float(number) for number in range(width)), tuple(f"label {i + 1}" for i in range(width))
    )
    if isinstance(data, ResponseTable):
        return replace(data, scale=scale, sources=renamed)
    return replace(data.having(renamed), scale=scale)
