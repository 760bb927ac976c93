"""Agreement of raters, as a function of how often each item counts.

All coefficients are built from pairs of responses by different raters to the same item, and nearly all that they need
is a sum over items. Each function here sums up the cells by item once; what it returns takes the weights of items in
many draws (items × draws) and costs little more than a matrix product.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.agreement.cells import Cells
from assay.scales import FloatArray

if TYPE_CHECKING:
    from scipy.sparse import csc_array, csr_array

Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")

DENSE = 1000, 10_000_000
"""Up to so many distinct values, and items × most raters of an item, evalica computes α: it wants both dense."""

ZERO = 1e-12
"""A difference of two sums smaller than this share of them is rounding, and 0."""

Weighed = Callable[[FloatArray], dict[str, FloatArray]]
"""Coefficients by name, one for each draw, from item weights (items × draws)."""


def categorical(cells: Cells) -> Weighed:
    """Return the observed agreement, Fleiss' κ (Fleiss 1971) and Gwet's AC1 (Gwet 2008), each pair of raters alike."""
    labels, sizes = cells.labels(), cells.sum_by_item()
    paired = sizes > 1
    agreed = np.where(paired, _divided(labels.power(2).sum(axis=1) - sizes, sizes * (sizes - 1)), 0.0)
    sums = _over_items(paired.astype(np.float64), agreed)
    share = np.where(paired, _divided(1.0, sizes), 0.0)
    width = cells.levels.size

    def weighed(weights: FloatArray) -> dict[str, FloatArray]:
        n, agreed = sums @ weights
        observed, shares = _divided(agreed, n), _divided(_sum_labels(labels, share, weights), n)
        by_chance = np.square(shares).sum(axis=0)
        by_guess = _divided((shares * (1 - shares)).sum(axis=0), float(width - 1))
        return {
            "agreement": observed,
            "fleiss_kappa": _divided(observed - by_chance, _less(1.0, by_chance)),
            "gwet_ac1": _divided(observed - by_guess, _less(1.0, by_guess)),
        }

    return weighed


def alpha(cells: Cells, *, level: Level) -> Weighed:
    """Return Krippendorff's α (Krippendorff 2011)."""
    apart = _apart_by_interval(cells) if level == "interval" else _apart_by_label(cells, level)

    def weighed(weights: FloatArray) -> dict[str, FloatArray]:
        total, observed, expected = apart(weights)
        # Fewer than two values have nothing to differ from.
        found = 1 - _divided(observed * (total - 1), np.where(total > 1, expected, 0.0))
        return {"krippendorff_alpha": found}

    return weighed


def krippendorff_alpha(cells: Cells, *, level: Level) -> float:
    """Return Krippendorff's α of the responses as they are, by evalica; NaN where it is undefined.

    evalica says 1 where all responses are equal and refuses items without pairs. Large tables, which it would make
    dense, get our own α: the two agree to rounding.
    """
    ours = float(alpha(cells, level=level)(np.ones((cells.n_items, 1)))["krippendorff_alpha"][0])
    sizes = np.bincount(cells.items)
    if np.isnan(ours) or cells.levels.size > DENSE[0] or sizes.size * sizes.max() > DENSE[1]:
        return ours
    import evalica
    import pandas

    # Who said what does not matter to α, so a row is the first, second, … response to each item.
    grid = np.full((sizes.max(), sizes.size), np.nan)
    grid[np.arange(cells.items.size) - (np.cumsum(sizes) - sizes)[cells.items], cells.items] = cells.values
    return float(evalica.alpha(pandas.DataFrame(grid), distance=level).alpha)


def intraclass(cells: Cells) -> Weighed:
    """Return the six intraclass correlations of Shrout and Fleiss (1979), for any pattern of missing cells.

    The variance components come from half the mean squared difference between two cells of the same item, of the same
    rater, and of neither: on a complete table these are the analysis-of-variance estimates. The averaged forms are for
    as many raters as an item has (harmonic mean).
    """
    sizes, first, second, spread = _moments(cells)
    present = (sizes > 0).astype(np.float64)
    sums = _over_items(first, second, present, present / np.maximum(sizes, 1))
    of_pairs = _over_items(spread, np.square(sizes), sizes)
    centred = _centred(cells)
    of_raters = cells.by_rater(np.ones(centred.size), centred, np.square(centred))

    def weighed(weights: FloatArray) -> dict[str, FloatArray]:
        one, two, n_items, shared = sums @ weights
        in_item, n_in_item, size = of_pairs @ weights
        same_item, n_same_item, n_same = of_pairs @ np.square(weights)
        rater_sizes, rater_one, rater_two = (part @ weights for part in of_raters)
        in_rater = _less(rater_sizes * rater_two, np.square(rater_one)).sum(axis=0)
        n_in_rater = np.square(rater_sizes).sum(axis=0)
        everything = _less(size * two, np.square(one))
        n_others = np.square(size) - n_same_item
        within = _divided(in_item, n_in_item - size)
        across = _divided(in_rater, n_in_rater - n_same)
        apart = _divided(_less(everything, same_item + in_rater), n_others - n_in_rater + n_same)
        between = _divided(_less(everything, same_item), n_others)
        k = _divided(n_items, shared)
        # Raters of one item each cannot be told from the rest, and their correlations are undefined.
        alone, items = _less(between, within), np.where(np.isnan(across), np.nan, _less(apart, within))
        return {
            "icc_1": _divided(alone, between),
            "icc_2": _divided(items, apart),
            "icc_3": _divided(items, across),
            "icc_1k": _divided(alone, _less(alone, -within / k)),
            "icc_2k": _divided(items, _less(items, -within / k)),
            "icc_3k": _divided(items, _less(items, _less(items, across) / k)),
        }

    return weighed


def _apart_by_interval(cells: Cells) -> Callable[[FloatArray], tuple[FloatArray, FloatArray, FloatArray]]:
    """Return the number of pairable values, and how far they are apart within items and altogether, from moments."""
    sizes, first, second, spread = _moments(cells)
    paired = sizes > 1
    sums = _over_items(*(paired * part for part in (sizes, first, second, 2 * spread / np.maximum(sizes - 1, 1))))

    def weighed(weights: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        total, one, two, observed = sums @ weights
        return total, observed, 2 * _less(total * two, np.square(one))

    return weighed


def _apart_by_label(cells: Cells, level: Level) -> Callable[[FloatArray], tuple[FloatArray, FloatArray, FloatArray]]:
    """Return what `_apart_by_interval` does where the distance is one of labels, whose table may be large."""
    labels, sizes = cells.labels(), cells.sum_by_item()
    scale = np.where(sizes > 1, 1 / np.maximum(sizes - 1, 1), 0.0)
    levels, paired = cells.levels, (sizes > 1).astype(np.float64)
    scaled = _over_items(scale)
    if level == "nominal":
        sums = _over_items(scale * (np.square(sizes) - labels.power(2).sum(axis=1)))
    elif level == "ratio":
        sums = _over_items(scale * _ratio_apart(labels, levels))
        held = list(_ratio_distances(levels)) if levels.size <= DENSE[0] else None

    def weighed(weights: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        margins = _sum_labels(labels, paired, weights)
        total = margins.sum(axis=0)
        if level == "nominal":
            return total, (sums @ weights)[0], np.square(total) - np.square(margins).sum(axis=0)
        if level == "ratio":
            parts = held or _ratio_distances(levels)
            expected = sum((margins[rows] * (apart @ margins)).sum(axis=0) for rows, apart in parts)
            return total, (sums @ weights)[0], np.asarray(expected)
        # The distance is that of middle ranks, which are those of the draw: an interval distance of other values.
        ranks = np.cumsum(margins, axis=0) - margins / 2
        ranks -= _divided((margins * ranks).sum(axis=0), total)
        by_item = labels @ ranks
        np.square(by_item, out=by_item)
        by_item *= weights
        np.square(ranks, out=ranks)
        observed = 2 * _less((ranks * _sum_labels(labels, scale * sizes, weights)).sum(axis=0), (scaled @ by_item)[0])
        return total, observed, 2 * total * (margins * ranks).sum(axis=0)

    return weighed


def _moments(cells: Cells) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return for each item the number of cells, the sums of values and squares, half the squared differences."""
    centred, sizes = _centred(cells), cells.sum_by_item()
    first = cells.sum_by_item(centred)
    around = centred - (first / np.maximum(sizes, 1))[cells.items]
    return sizes, first, cells.sum_by_item(np.square(centred)), sizes * cells.sum_by_item(np.square(around))


def _centred(cells: Cells) -> FloatArray:
    return cells.values - cells.values.mean() if cells.values.size else cells.values


def _over_items(*parts: FloatArray) -> "csc_array":
    """Return numbers of each item as parts × items, whose product with item weights sums them over items.

    Sparse for want of a dense product without threads: those of BLAS wait busily on the cores that draws need.
    """
    from scipy.sparse import csc_array

    n, width = parts[0].size, len(parts)
    rows, pointers = np.tile(np.arange(width, dtype=np.int32), n), np.arange(n + 1, dtype=np.int32) * width
    return csc_array((np.stack(parts, axis=1).ravel(), rows, pointers), shape=(width, n))


def _sum_labels(labels: "csr_array", by_item: FloatArray, weights: FloatArray) -> FloatArray:
    """Sum how often each level occurs, items weighted twice over: levels × draws."""
    return np.asarray(labels.T @ (weights * by_item[:, np.newaxis]))


def _ratio_apart(labels: "csr_array", levels: FloatArray) -> FloatArray:
    """Sum the ratio distance over all pairs of responses to each item."""
    counts, values = labels.data, levels[labels.indices]
    item = np.repeat(np.arange(labels.shape[0]), np.diff(labels.indptr))
    end = labels.indptr[1:][item]
    found = np.zeros(labels.shape[0])
    one, step = np.arange(counts.size), 1
    while (one := one[one + step < end[one]]).size:
        other = one + step
        # Values ascend within an item, so the second of a pair is above 0.
        apart = np.square((values[other] - values[one]) / (values[other] + values[one]))
        found += np.bincount(item[one], 2 * counts[one] * counts[other] * apart, minlength=found.size)
        step += 1
    return found


def _ratio_distances(levels: FloatArray) -> Iterator[tuple[slice, FloatArray]]:
    """Yield the squared ratio distance between levels, some rows at a time."""
    rows = max(1, DENSE[0] ** 2 // levels.size)
    for start in range(0, levels.size, rows):
        some = levels[start : start + rows, np.newaxis]
        sums = some + levels
        yield (
            slice(start, start + rows),
            np.square(np.divide(some - levels, sums, out=np.zeros_like(sums), where=sums > 0)),
        )


def _divided(above: FloatArray | float, below: FloatArray | float) -> FloatArray:
    """Divide by what is above 0; the rest is undefined."""
    above, below = np.broadcast_arrays(above, below)
    return np.asarray(np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0))


def _less(above: FloatArray | float, below: FloatArray | float) -> FloatArray:
    """Subtract; what is left of sums that are equal but for rounding is 0."""
    difference = np.subtract(above, below)
    return np.asarray(np.where(np.abs(difference) <= ZERO * np.abs(above), 0.0, difference))
