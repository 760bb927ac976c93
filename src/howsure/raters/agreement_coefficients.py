"""Agreement of raters, as a function of how often each item counts.

All coefficients are built from pairs of responses by different raters to the same item, and nearly all that they need
is a sum over items. Each function here sums up the cells by item once; what it returns takes the weights of items in
many draws (items × draws) and costs little more than a matrix product. A draw's coefficients do not depend on the draws
beside it: sums run down the columns, and a product of dense matrices always has as many columns.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from howsure._random import BLOCK
from howsure.data.responses import cell_codes, cells_from_codes
from howsure.data.scales import FloatArray, IntArray

if TYPE_CHECKING:
    from scipy.sparse import csc_array, csr_array

MOST_HELD = 1000
"""The most distinct values whose distances from each other are held at a time."""

Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")

ZERO = 1e-12
"""A difference of two sums smaller than this share of them is rounding, and 0: so 0/0 is undefined and not noise."""

Weighting = Literal["nominal", "linear", "interval", "ratio"]
"""How far apart two labels are: 1 if they differ, their difference, its square, or its square relative to their sum."""

SUFFIXES: dict[Weighting, str] = {"nominal": "", "linear": "_linear", "interval": "_quadratic"}

WeightedCoefficients = Callable[[FloatArray], dict[str, FloatArray]]
"""Coefficients by name, one for each draw, from item weights (items × draws)."""


@dataclass(frozen=True, slots=True)
class Cells:
    """One entry for each value that a rater gave to an item, in ascending order of items, and of values within an item.

    A rater who answered an item several times is still one rater: the shares of their values sum to 1.

    Attributes
    ----------
    values : array of float
    items, raters : array of int
        Numbered from 0.
    shares : array of float
        How much of the rater's answer to the item each value is; 1 without repeats.
    levels : array of float
        The distinct values, ascending.
    codes : array of int
        The position of each value among the levels.
    n_items, n_raters : int
    """

    values: FloatArray
    items: IntArray
    raters: IntArray
    shares: FloatArray
    levels: FloatArray
    codes: IntArray
    n_items: int
    n_raters: int

    def of(self, raters: FloatArray) -> "Cells":
        """Return the cells of the raters whose entry is not 0; items, raters and levels keep their numbers."""
        return self if raters.all() else self._only(raters[self.raters] != 0)

    @property
    def repeated(self) -> bool:
        """Whether some rater gave different values to one item."""
        return bool((self.shares < 1).any())

    def divided(self) -> "tuple[Cells, IntArray]":
        """Return each repeated answer with different values as an item of its own, and the item it belongs to here."""
        only = self._only(self.shares < 1)
        answers, answer = np.unique(cell_codes(only.items, only.raters), return_inverse=True)
        order = np.lexsort((only.codes, answer))
        found = only._only(order)
        return replace(found, items=answer[order].astype(np.int64), n_items=answers.size), cells_from_codes(answers)[0]

    def means(self) -> "Cells":
        """Return the cells with one value for each item and rater, the mean."""
        if not self.repeated:
            return self
        keys, cell = np.unique(cell_codes(self.items, self.raters), return_inverse=True)
        means = np.bincount(cell, self.shares * self.values).astype(np.float64)
        return cells_from(means, *cells_from_codes(keys))

    def sum_by_item(self, parts: FloatArray | None = None) -> FloatArray:
        """Sum one number for each entry, by item; count the raters if there is none."""
        sums = np.bincount(self.items, self.shares if parts is None else parts, minlength=self.n_items)
        return np.asarray(np.rint(sums) if parts is None else sums, dtype=np.float64)

    def labels(self) -> "csr_array":
        """Return how often each item has each level: items × levels."""
        from scipy.sparse import csr_array

        key = self.items * self.levels.size + self.codes
        first = np.flatnonzero(np.diff(key, prepend=-1))
        counts = np.add.reduceat(self.shares, first) if first.size else np.zeros(0)
        pointers = np.searchsorted(self.items[first], np.arange(self.n_items + 1))
        return csr_array((counts, self.codes[first], pointers), shape=(self.n_items, self.levels.size))

    def by_rater(self, *parts: FloatArray) -> "list[csc_array]":
        """Return matrices (raters × items) of one number for each entry; times item weights, they give rater sums."""
        from scipy.sparse import csc_array

        shape = self.n_raters, self.n_items
        pointers = np.searchsorted(self.items, np.arange(self.n_items + 1)).astype(np.int32)
        raters = self.raters.astype(np.int32)
        return [csc_array((part, raters, pointers), shape=shape, copy=False) for part in parts]

    def _only(self, keep: "IntArray | np.typing.NDArray[np.bool_]") -> "Cells":
        names = ("values", "items", "raters", "shares", "codes")
        return replace(self, **{name: getattr(self, name)[keep] for name in names})


def cells_from(values: FloatArray, items: IntArray, raters: IntArray) -> Cells:
    """Return cells, numbered without gaps; each different value that a rater gave to an item is one entry."""
    item, rater = (np.unique(codes, return_inverse=True)[1] for codes in (items, raters))
    levels, code = np.unique(values, return_inverse=True)
    order = np.lexsort((rater, code, item))
    item, code, rater = item[order], code[order], rater[order]
    new = (np.diff(item, prepend=-1) != 0) | (np.diff(code, prepend=-1) != 0) | (np.diff(rater, prepend=-1) != 0)
    first = np.flatnonzero(new)
    counts = np.diff(first, append=item.size)
    item, code, rater = (part[first].astype(np.int64) for part in (item, code, rater))
    _, cell = np.unique(cell_codes(item, rater), return_inverse=True)
    shares = counts / np.bincount(cell, counts)[cell]
    return Cells(levels[code], item, rater, shares, levels, code, int(item.max()) + 1, int(rater.max()) + 1)


def categorical(cells: Cells, *, ordered: bool = False) -> WeightedCoefficients:
    """Return the observed agreement, Fleiss' κ (1971), Gwet's AC1 (2008) and, for two raters, Cohen's κ (1960).

    Ordered labels also have κ and AC2 with linear and quadratic weights, where labels that are near each other agree in
    part. Items with one rater count for how common each label is, not for the agreement (Gwet 2014).
    """
    weightings: tuple[Weighting, ...] = ("nominal", "linear", "interval") if ordered else ("nominal",)
    labels, sizes, levels = cells.labels(), cells.sum_by_item(), cells.levels
    by_level, paired, width = labels.T, sizes > 1, float(cells.levels.size)
    reach = np.array([_reach(weighting, levels) for weighting in weightings])[:, np.newaxis]
    apart = np.array([_item_distances(cells, labels, weighting) for weighting in weightings])
    apart = np.where(paired, _divide(apart, reach * sizes * (sizes - 1)), 0.0)
    sums = _over_items((sizes > 0).astype(np.float64), paired.astype(np.float64), *apart)
    share = np.where(sizes > 0, _divide(1.0, sizes), 0.0)
    of_two = [cells.of(np.arange(2) == rater).labels().T for rater in range(2)] if cells.n_raters == 2 else []

    def expected(one: FloatArray, other: FloatArray) -> FloatArray:
        return np.asarray([_expected(weighting, one, other, levels) for weighting in weightings] / reach)

    even = np.full((levels.size, 1), 1 / width)
    agreeing = width * (1 - expected(even, even))

    def at_weights(weights: FloatArray) -> dict[str, FloatArray]:
        n, n_paired, *apart = sums @ weights
        shares = _divide(_sum_levels(by_level, share, weights), n)
        observed = _divide(np.array(apart), n_paired)
        guessed = (shares * (1 - shares)).sum(axis=0)
        by_guess = _subtract(1.0, agreeing * _divide(guessed, width - 1))
        own = [np.asarray(part @ weights) for part in of_two]
        own = [_divide(part, part.sum(axis=0)) for part in own]
        fleiss, gwet = 1 - _divide(observed, expected(shares, shares)), 1 - _divide(observed, by_guess)
        cohen = 1 - _divide(observed, expected(*own)) if own else None
        found = {"agreement": 1 - observed[0]}
        for row, suffix in enumerate(SUFFIXES[weighting] for weighting in weightings):
            found[f"fleiss_kappa{suffix}"] = fleiss[row]
            if cohen is not None:
                found[f"cohen_kappa{suffix}"] = cohen[row]
            found[f"gwet_ac{2 if suffix else 1}{suffix}"] = gwet[row]
        return found

    return at_weights


def alpha(cells: Cells, *, level: Level) -> WeightedCoefficients:
    """Return Krippendorff's α (Krippendorff 2011)."""
    apart = _interval_distances(cells) if level == "interval" else _label_distances(cells, level)

    def at_weights(weights: FloatArray) -> dict[str, FloatArray]:
        total, observed, expected = apart(weights)
        # Fewer than two values have nothing to differ from.
        found = 1 - _divide(observed * (total - 1), np.where(total > 1, expected, 0.0))
        return {"krippendorff_alpha": found}

    return at_weights


def krippendorff_alpha(cells: Cells, *, level: Level) -> float:
    """Return Krippendorff's α of the responses as they are; NaN where it is undefined."""
    return float(alpha(cells, level=level)(np.ones((cells.n_items, 1)))["krippendorff_alpha"][0])


def intraclass(cells: Cells) -> WeightedCoefficients:
    """Return the six intraclass correlations of Shrout and Fleiss (1979), for any pattern of missing cells.

    The variance components come from half the mean squared difference between two cells of the same item, of the same
    rater, and of neither: on a complete table these are the analysis-of-variance estimates. The averaged forms are for
    as many raters as an item has (harmonic mean). The repeats of a rater count as their mean.
    """
    cells = cells.means()
    sizes, first, second, spread = _moments(cells)
    present = (sizes > 0).astype(np.float64)
    pairs = spread, np.square(sizes), sizes
    sums = _over_items(first, second, present, present / np.maximum(sizes, 1), *pairs)
    of_pairs = _over_items(*pairs)
    centred = _centred(cells)
    of_raters = cells.by_rater(np.ones(centred.size), centred, np.square(centred))

    def at_weights(weights: FloatArray) -> dict[str, FloatArray]:
        one, two, n_items, shared, in_item, n_in_item, size = sums @ weights
        same_item, n_same_item, n_same = of_pairs @ np.square(weights)
        rater_sizes, rater_one, rater_two = (part @ weights for part in of_raters)
        in_rater = _subtract(rater_sizes * rater_two, np.square(rater_one)).sum(axis=0)
        n_in_rater = np.square(rater_sizes).sum(axis=0)
        everything = _subtract(size * two, np.square(one))
        n_others = np.square(size) - n_same_item
        squares = in_item, in_rater, *_subtract(everything, np.stack([same_item + in_rater, same_item])), n_items
        counts = n_in_item - size, n_in_rater - n_same, n_others - n_in_rater + n_same, n_others, shared
        within, across, apart, between, k = _divide(np.stack(squares), np.stack(counts))
        alone, items = _subtract(np.stack([between, apart]), within)
        # Raters of one item each cannot be told from the rest, and their correlations are undefined.
        items = np.where(np.isnan(across), np.nan, items)
        above = np.stack([alone, items, items])
        of_means = _subtract(above, np.stack([-within, -within, _subtract(items, across)]) / k)
        found = _divide(np.tile(above, (2, 1)), np.concatenate([[between, apart, across], of_means]))
        return dict(zip(("icc_1", "icc_2", "icc_3", "icc_1k", "icc_2k", "icc_3k"), found, strict=True))

    return at_weights


def _interval_distances(cells: Cells) -> Callable[[FloatArray], tuple[FloatArray, FloatArray, FloatArray]]:
    """Return the number of pairable values, and how far they are apart within items and altogether, from moments."""
    sizes, first, second, spread = _moments(cells)
    paired = sizes > 1
    apart = _across_raters(cells, 2 * spread, "interval")
    sums = _over_items(*(paired * part for part in (sizes, first, second, apart / np.maximum(sizes - 1, 1))))

    def at_weights(weights: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        total, one, two, observed = sums @ weights
        return total, observed, 2 * _subtract(total * two, np.square(one))

    return at_weights


def _label_distances(cells: Cells, level: Level) -> Callable[[FloatArray], tuple[FloatArray, FloatArray, FloatArray]]:
    """Return what `_interval_distances` does for distances between labels, whose table may be large."""
    labels, sizes = cells.labels(), cells.sum_by_item()
    scale = np.where(sizes > 1, 1 / np.maximum(sizes - 1, 1), 0.0)
    levels, paired = cells.levels, (sizes > 1).astype(np.float64)
    if level == "ordinal":
        return _rank_distances(cells, labels, sizes, scale)
    by_level = labels.T
    sums = _over_items(scale * _item_distances(cells, labels, "nominal" if level == "nominal" else "ratio"))
    held = list(_ratio_distances(levels)) if level == "ratio" and levels.size <= MOST_HELD else None

    def at_weights(weights: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        margins = _sum_levels(by_level, paired, weights)
        total = margins.sum(axis=0)
        if level == "nominal":
            return total, (sums @ weights)[0], np.square(total) - np.square(margins).sum(axis=0)
        # How many columns a product has may change its last digits, so each has as many.
        columns = np.zeros((levels.size, -(-total.size // BLOCK) * BLOCK))
        columns[:, : total.size] = margins
        expected = np.zeros(columns.shape[1])
        for rows, apart in held or _ratio_distances(levels):
            for start in range(0, total.size, BLOCK):
                some = columns[:, start : start + BLOCK]
                expected[start : start + BLOCK] += (some[rows] * (apart @ some)).sum(axis=0)
        return total, (sums @ weights)[0], expected[: total.size]

    return at_weights


def _rank_distances(
    cells: Cells, labels: "csr_array", sizes: FloatArray, scale: FloatArray
) -> Callable[[FloatArray], tuple[FloatArray, FloatArray, FloatArray]]:
    """Return the same for squared differences of mid-ranks, which every draw has of its own."""
    by_level, paired, scaled = labels.T, (sizes > 1).astype(np.float64), _over_items(scale)
    repeated, item = cells.divided() if cells.repeated else (None, np.zeros(0, dtype=np.int64))
    answers = None if repeated is None else repeated.labels()

    def at_weights(weights: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        margins = _sum_levels(by_level, paired, weights)
        total = margins.sum(axis=0)
        ranks = np.cumsum(margins, axis=0) - margins / 2
        ranks -= _divide((margins * ranks).sum(axis=0), total)
        by_item = labels @ ranks
        np.square(by_item, out=by_item)
        by_item *= weights
        squares = np.square(ranks)
        observed = 2 * _subtract(
            (squares * _sum_levels(by_level, scale * sizes, weights)).sum(axis=0), (scaled @ by_item)[0]
        )
        if answers is not None:
            within = answers @ squares - np.square(answers @ ranks)
            observed -= 2 * (within * weights[item] * scale[item, np.newaxis]).sum(axis=0)
        return total, observed, 2 * total * (margins * squares).sum(axis=0)

    return at_weights


def _item_distances(cells: Cells, labels: "csr_array", weighting: Weighting) -> FloatArray:
    """Sum the distance over all ordered pairs of responses of different raters to each item."""
    return _across_raters(cells, _row_distances(labels, cells.levels, weighting), weighting)


def _across_raters(cells: Cells, apart: FloatArray, weighting: Weighting) -> FloatArray:
    """Subtract how far apart a rater's own repeats are."""
    if not cells.repeated:
        return apart
    repeated, item = cells.divided()
    own = _row_distances(repeated.labels(), cells.levels, weighting)
    return apart - np.bincount(item, own, minlength=cells.n_items)


def _row_distances(labels: "csr_array", levels: FloatArray, weighting: Weighting) -> FloatArray:
    """Sum the distance over all ordered pairs in each row of a table of counts."""
    if weighting == "ratio":
        return _ratio_row_distances(labels, levels)
    sizes: FloatArray = np.asarray(labels.sum(axis=1), dtype=np.float64)
    if weighting == "nominal":
        return np.asarray(np.square(sizes) - labels.power(2).sum(axis=1))
    row = np.repeat(np.arange(sizes.size), np.diff(labels.indptr))
    counts, values = labels.data, levels[labels.indices]

    def by_row(parts: FloatArray) -> FloatArray:
        return np.asarray(np.bincount(row, parts, minlength=sizes.size), np.float64)

    around = values - _divide(by_row(counts * values), sizes)[row]
    if weighting == "interval":
        return 2 * sizes * by_row(counts * np.square(around))
    # Values ascend in a row: a value is added once for each response below it, and subtracted for each above.
    below = np.cumsum(counts) - counts
    below -= (np.cumsum(sizes) - sizes)[row]
    return 2 * by_row(counts * around * (2 * below + counts - sizes[row]))


def _expected(weighting: Weighting, one: FloatArray, other: FloatArray, levels: FloatArray) -> FloatArray:
    """Return the mean distance of two labels drawn from two distributions (levels × draws)."""
    if weighting == "nominal":
        return _subtract(1.0, (one * other).sum(axis=0))
    if weighting == "linear":
        below, others = (np.cumsum(part, axis=0)[:-1] for part in (one, other))
        steps = np.diff(levels)[:, np.newaxis]
        return np.asarray((steps * (below * (1 - others) + others * (1 - below))).sum(axis=0))
    values = (levels - levels.mean())[:, np.newaxis]
    squares = (np.square(values) * (one + other)).sum(axis=0)
    return _subtract(squares, 2 * (values * one).sum(axis=0) * (values * other).sum(axis=0))


def _reach(weighting: Weighting, levels: FloatArray) -> float:
    """Return the largest distance of two levels; NaN for a single one."""
    widest = float(levels[-1] - levels[0])
    return {"nominal": 1.0, "linear": widest, "interval": widest * widest}[weighting] or math.nan


def _moments(cells: Cells) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return for each item the number of raters, the sums of values and squares, half the squared differences."""
    centred, sizes, shares = _centred(cells), cells.sum_by_item(), cells.shares
    first = cells.sum_by_item(shares * centred)
    around = centred - (first / np.maximum(sizes, 1))[cells.items]
    squares = (cells.sum_by_item(shares * np.square(part)) for part in (centred, around))
    second, spread = squares
    return sizes, first, second, sizes * spread


def _centred(cells: Cells) -> FloatArray:
    return cells.values - cells.values.mean() if cells.values.size else cells.values


def _over_items(*parts: FloatArray) -> "csc_array":
    """Return a matrix (parts × items); times item weights, it sums each part over items.

    It is sparse because dense products run on BLAS's threads, which keep busy the cores that draws need.
    """
    from scipy.sparse import csc_array

    n, width = parts[0].size, len(parts)
    rows, pointers = np.tile(np.arange(width, dtype=np.int32), n), np.arange(n + 1, dtype=np.int32) * width
    return csc_array((np.stack(parts, axis=1).ravel(), rows, pointers), shape=(width, n))


def _sum_levels(by_level: "csc_array", by_item: FloatArray, weights: FloatArray) -> FloatArray:
    """Sum how often each level occurs (levels × draws); items count by `by_item` times their weights."""
    return np.asarray(by_level @ (weights * by_item[:, np.newaxis]))


def _ratio_row_distances(labels: "csr_array", levels: FloatArray) -> FloatArray:
    """Sum the ratio distance over all ordered pairs in each row."""
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
    rows = max(1, MOST_HELD**2 // levels.size)
    for start in range(0, levels.size, rows):
        some = levels[start : start + rows, np.newaxis]
        sums = some + levels
        yield (
            slice(start, start + rows),
            np.square(np.divide(some - levels, sums, out=np.zeros_like(sums), where=sums > 0)),
        )


def _divide(above: FloatArray | float, below: FloatArray | float) -> FloatArray:
    """Divide by what is above 0; the rest is undefined."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(np.greater(below, 0), np.divide(above, below), np.nan))


def _subtract(above: FloatArray | float, below: FloatArray | float) -> FloatArray:
    """Subtract; what is left of sums that are equal but for rounding is 0."""
    difference = np.subtract(above, below)
    return np.asarray(np.where(np.abs(difference) <= ZERO * np.abs(above), 0.0, difference))
