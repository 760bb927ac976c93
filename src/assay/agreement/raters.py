"""Each rater beside the others: how many responses, how often with the plurality, how far from the others' mean."""

from dataclasses import dataclass

import numpy as np

from assay.agreement.cells import Cells
from assay.scales import FloatArray


@dataclass(frozen=True, slots=True)
class RaterSummary:
    """One rater beside the others who judged the same items.

    Attributes
    ----------
    rater : str
    n_items : int
        Items that the rater judged.
    with_plurality : float
        Share of these on which the rater gave a label that no other label beats among the other raters; NaN when no
        other rater judged them.
    mean_shift : float
        Mean difference from the mean of the other raters of the item; NaN on a nominal scale.
    shift_error : float
        Its standard error over items.
    """

    rater: str
    n_items: int
    with_plurality: float
    mean_shift: float
    shift_error: float


def summarise_raters(cells: Cells, names: list[str], *, numeric: bool) -> tuple[RaterSummary, ...]:
    """Return one summary for each rater, in the order of `names`."""
    sizes = np.bincount(cells.items)
    accompanied = sizes[cells.items] > 1
    with_others = _with_plurality(cells)
    sums = np.bincount(cells.items, cells.values)
    with np.errstate(invalid="ignore", divide="ignore"):
        shift = cells.values - (sums[cells.items] - cells.values) / (sizes[cells.items] - 1)

    def by_rater(parts: FloatArray) -> FloatArray:
        return np.asarray(np.bincount(cells.raters[accompanied], parts[accompanied], minlength=len(names)), np.float64)

    with np.errstate(invalid="ignore", divide="ignore"):
        n = by_rater(np.ones(cells.values.size))
        agreed, mean = by_rater(with_others) / n, by_rater(shift) / n
        error = np.sqrt(by_rater(np.square(shift - mean[cells.raters])) / (n - 1) / n)
    if not numeric:
        mean, error = np.full((2, len(names)), np.nan)
    n_items = np.bincount(cells.raters, minlength=len(names))
    columns = (column.tolist() for column in (n_items, agreed, mean, error))
    return tuple(map(RaterSummary, names, *columns))


def _with_plurality(cells: Cells) -> FloatArray:
    """Return 1 for each response whose label is among the most frequent of the other raters of its item."""
    keys, inverse, counts = np.unique(
        cells.items * cells.levels.size + cells.codes, return_inverse=True, return_counts=True
    )
    own = counts[inverse] - 1
    item_of_key = keys // cells.levels.size
    most = np.zeros(cells.n_items, dtype=np.int64)
    np.maximum.at(most, item_of_key, counts)
    at_most = counts == most[item_of_key]
    n_most = np.bincount(item_of_key, at_most, minlength=cells.n_items)
    second = np.zeros(cells.n_items, dtype=np.int64)
    np.maximum.at(second, item_of_key, np.where(at_most, 0, counts))
    # Without the rater, the most frequent label of the others is what it was, unless it was the rater's own alone.
    alone = at_most[inverse] & (n_most[cells.items] == 1)
    others = np.where(alone, np.maximum(most[cells.items] - 1, second[cells.items]), most[cells.items])
    return np.asarray(own >= others, dtype=np.float64)
