"""Each rater beside the others: how many responses, how often with the plurality, how far from the others' mean."""

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from howsure.data.scales import FloatArray
from howsure.raters.agreement_coefficients import Cells

ALPHA = 0.05
"""How often some rater is named where none differs from the others more than chance lets them."""
LEAST = 5
"""Fewer raters say too little about what is usual among them."""


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
    distance : float
        How far the rater is from the others, in standard errors: in agreement (below them) or in the mean shift,
        whichever is more; NaN with fewer than three raters.
    stands_out : {"", "agrees less", "rates higher", "rates lower"}
        Whether that is more than chance explains, with a level of 5% for all raters of the source together.
    """

    rater: str
    n_items: int
    with_plurality: float
    mean_shift: float
    shift_error: float
    distance: float = math.nan
    stands_out: str = ""


def summarise_raters(cells: Cells, names: list[str], *, numeric: bool) -> tuple[RaterSummary, ...]:
    """Return one summary for each rater, in the order of `names`."""
    sizes = cells.sum_by_item()

    def by_rater(some: Cells, parts: FloatArray) -> FloatArray:
        accompanied = sizes[some.items] > 1
        return np.asarray(np.bincount(some.raters[accompanied], parts[accompanied], minlength=len(names)), np.float64)

    with np.errstate(invalid="ignore", divide="ignore"):
        n = np.rint(by_rater(cells, cells.shares))
        agreed = by_rater(cells, cells.shares * _with_plurality(cells)) / n
        mean, error = np.full((2, len(names)), np.nan)
        if numeric:
            means = cells.means()
            shift = means.values - (means.sum_by_item(means.values)[means.items] - means.values) / (
                sizes[means.items] - 1
            )
            mean = by_rater(means, shift) / n
            error = np.sqrt(by_rater(means, np.square(shift - mean[means.raters])) / (n - 1) / n)
    n_items = np.rint(np.bincount(cells.raters, cells.shares, minlength=len(names))).astype(np.int64)
    columns = (column.tolist() for column in (n_items, agreed, mean, error))
    return _beside_the_others(list(map(RaterSummary, names, *columns)))


def _beside_the_others(raters: list[RaterSummary]) -> tuple[RaterSummary, ...]:
    """Return the summaries with how far each is from the others, and who stands out.

    Shares of agreement are compared on the scale of arcsin √share, where their error depends on the number of items
    alone. Where there are mean shifts, each of the two looks gets half of the level.
    """
    shares = np.arcsin(np.sqrt(np.clip([entry.with_plurality for entry in raters], 0.0, 1.0)))
    loads = 0.5 / np.sqrt([max(1, entry.n_items) for entry in raters])
    shifts = np.array([entry.mean_shift for entry in raters])
    errors = np.array([entry.shift_error for entry in raters])
    looks = 1 if np.isnan(shifts).all() else 2
    apart, moved = -distances(shares, loads), distances(shifts, errors)
    less = _outlying(shares, loads, lower_only=True, looks=looks)
    shifted = _outlying(shifts, errors, looks=looks)
    found = []
    for entry, low, shift, fewer, other in zip(raters, apart, moved, less, shifted, strict=True):
        known = [far for far in (max(0.0, float(low)), abs(float(shift))) if not math.isnan(far)]
        words = ["agrees less"] if fewer else []
        words += ["rates higher" if shift > 0 else "rates lower"] if other else []
        found.append(replace(entry, distance=max(known, default=math.nan), stands_out=", ".join(words)))
    return tuple(found)


def _with_plurality(cells: Cells) -> FloatArray:
    """Return 1 for each entry whose label is among the most frequent of the other raters of its item."""
    width = cells.levels.size
    keys, inverse = np.unique(cells.items * width + cells.codes, return_inverse=True)
    counts = np.round(np.bincount(inverse, cells.shares), 9)
    own = np.round(counts[inverse] - cells.shares, 9)
    item_of_key = keys // width
    most, second = np.zeros((2, cells.n_items))
    np.maximum.at(most, item_of_key, counts)
    at_most = counts == most[item_of_key]
    n_most = np.bincount(item_of_key, at_most, minlength=cells.n_items)
    np.maximum.at(second, item_of_key, np.where(at_most, 0, counts))
    # Without the rater, the most frequent label of the others is what it was, unless it was the rater's own alone.
    alone = at_most[inverse] & (n_most[cells.items] == 1)
    others = np.where(alone, np.maximum(most[cells.items] - 1, second[cells.items]), most[cells.items])
    for entry in np.flatnonzero(cells.shares < 1).tolist():
        others[entry] = _most_of_others(cells, entry)
    return np.asarray(own >= others, dtype=np.float64)


def _most_of_others(cells: Cells, entry: int) -> float:
    """Return how often the other raters of the item gave their most frequent label."""
    first, last = np.searchsorted(cells.items, cells.items[entry] + np.arange(2))
    here = slice(first, last)
    shares = np.where(cells.raters[here] == cells.raters[entry], 0.0, cells.shares[here])
    return round(float(np.bincount(cells.codes[here] - cells.codes[here].min(), shares).max()), 9)


def distances(values: npt.ArrayLike, errors: npt.ArrayLike) -> FloatArray:
    """Return how far each value is from the mean of the others, in standard errors; NaN with fewer than three.

    The spread of the others tells how much raters differ; a value whose own error is larger than theirs may be further
    away. With equal errors and normal values this is Student's t with (number − 2) degrees of freedom.

    Examples
    --------
    >>> distances([1.0, 1.2, 0.9, 1.1, 5.0], [0.0] * 5).round(1).tolist()
    [-0.5, -0.4, -0.5, -0.4, 27.4]
    """
    x, error = np.asarray(values, dtype=np.float64), np.nan_to_num(np.asarray(errors, dtype=np.float64))
    known = ~np.isnan(x)
    n = int(known.sum())
    found = np.full(x.shape, np.nan)
    if n < 3:
        return found
    y, own = x[known], np.square(error[known])
    rest = n - 1
    means = (y.sum() - y) / rest
    centred = y - y.mean()
    # The sum of squares of the others around their own mean: that of all, less what the one left out adds.
    squares = np.maximum(0.0, np.square(centred).sum() - np.square(centred) * n / rest)
    spread = squares / (rest - 1)
    usual = (own.sum() - own) / rest
    variance = np.maximum(spread - usual, 0.0) + own + spread / rest
    with np.errstate(divide="ignore", invalid="ignore"):
        found[known] = np.where(variance > 0, (y - means) / np.sqrt(variance), np.where(y == means, 0.0, np.inf))
    return found


def _outlying(
    values: npt.ArrayLike, errors: npt.ArrayLike, *, lower_only: bool = False, looks: int = 1
) -> npt.NDArray[np.bool_]:
    """Return which values stand out, at the level `ALPHA` for all of them and all `looks` together.

    The farthest is judged first, then the farthest of the rest.
    """
    from scipy.special import stdtr

    x = np.array(values, dtype=np.float64)
    found = np.zeros(x.shape, dtype=bool)
    while True:
        far = distances(x, errors)
        n = int((~np.isnan(far)).sum())
        if n < LEAST:
            return found
        size = np.where(np.isnan(far), -math.inf, -far if lower_only else np.abs(far))
        most = int(np.argmax(size))
        tail = float(stdtr(n - 2, -size[most])) * (1 if lower_only else 2)
        if tail * n * looks > ALPHA:
            return found
        found[most], x[most] = True, math.nan
