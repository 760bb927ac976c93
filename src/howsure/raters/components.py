"""Items and raters as two random factors: variance components of a table, and the error of its mean.

A table has one value for each (item, rater) pair that exists. Its model is value = mean + item + rater + residual,
all three random. On a complete table components are the analysis-of-variance estimates. On an incomplete table they are
those of a mixed model (`mixed_model`), and with very many raters those of the method of moments, from
sums of squares within items, within raters and in total (Gao and Owen 2017, sec. 3). Where A's and B's outputs were
judged by different raters, no value per pair exists, and the raters' part comes from each rater's influence.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from howsure import _check
from howsure.data.scales import FloatArray, IntArray
from howsure.errors import ArgumentError
from howsure.inference.combined_error import CombinedError
from howsure.inference.estimate import ConfidenceInterval
from howsure.raters.mixed_model import CrossedFit, fit_crossed
from howsure.resampling import CellTable

LEAST = 0.1
"""A raters' part that is at most this share of the noise of single values in it is replaced by that noise."""


@dataclass(frozen=True, slots=True)
class TwoWay:
    """Variance components of an items × raters table, and the error of its weighted mean.

    Attributes
    ----------
    mean : float
        The weighted mean of the table.
    items, raters, residual : float
        The components. Negative estimates are kept, as analysis of variance gives them: they mean "near zero". NaN
        where the table cannot tell a component from the residual (one rater per item, one item per rater).
    n_items, n_raters, n_cells : int
    error : CombinedError
        Of the mean: raters (with the residual), and items beyond it.
    weights : array of float, optional
        Of the cells in the mean; they sum to one.
    """

    mean: float
    items: float
    raters: float
    residual: float
    n_items: int
    n_raters: int
    n_cells: int
    error: CombinedError
    weights: FloatArray | None = field(default=None, repr=False, compare=False)

    def intervals(
        self, *, confidence_level: float = 0.95, within: Sequence[tuple[float, float]] = ()
    ) -> dict[str, ConfidenceInterval]:
        """Return an interval for each component (Ting et al. 1990 for differences of mean squares).

        Exact for the residual of a complete table of normal values, close to nominal for the others; an incomplete
        table counts its mean number of values per item and per rater. `within` are variances, each with its degrees of
        freedom, that are part of `items` and are subtracted: the interval is that of what remains. A table without
        raters has an interval of items only.
        """
        level = _check.fraction("confidence_level", confidence_level)
        n, r = self.n_items, self.n_raters
        if not r:
            return {"items": _interval_beyond((self.items, n - 1), list(within), 1.0, level)}
        df = max(self.n_cells - n - r + 1, 1)
        per_item, per_rater = self.n_cells / n, self.n_cells / r
        noise = (self.residual, float(df))
        off = [noise, *((per_item * part, df_part) for part, df_part in within)]
        return {
            "items": _interval_beyond((per_item * self.items + self.residual, n - 1), off, per_item, level),
            "raters": _interval_beyond((per_rater * self.raters + self.residual, r - 1), [noise], per_rater, level),
            "residual": _interval_beyond(noise, [], 1.0, level),
        }


@dataclass(frozen=True, slots=True)
class OneWay:
    """Variance components of values in groups: value = mean + group + rest, both random.

    Attributes
    ----------
    groups, within : float
        The components; a negative estimate of groups is kept and means "near zero". NaN where every group has one
        value (they cannot be told apart).
    n, n_groups : int
    per_group : float
        The size of the group that a value is in, on average over values.
    between : float
        The mean square between groups.
    effective : float
        How often a group's component is in that mean square: the size of groups where all are equal.
    """

    groups: float
    within: float
    n: int
    n_groups: int
    per_group: float
    between: float
    effective: float

    def intervals(
        self, *, confidence_level: float = 0.95, within: Sequence[tuple[float, float]] = ()
    ) -> dict[str, ConfidenceInterval]:
        """Return an interval for "clusters" and "items", what groups share and what remains within them.

        `within` are variances, each with its degrees of freedom, that are part of single values and are subtracted.
        """
        level = _check.fraction("confidence_level", confidence_level)
        rest, df = self.within, float(self.n - self.n_groups)
        return {
            "clusters": _difference_interval((self.between, self.n_groups - 1), (rest, df), self.effective, level),
            "items": _interval_beyond((rest, df), list(within), 1.0, level),
        }


def one_way(values: npt.ArrayLike, *, groups: npt.ArrayLike) -> OneWay:
    """Split the variance of values in groups: what groups share, and what is left within them (analysis of variance).

    Examples
    --------
    >>> found = one_way([1.0, 2.0, 5.0, 6.0, 9.0, 10.0], groups=[0, 0, 1, 1, 2, 2])
    >>> round(found.groups, 3), found.within
    (15.75, 0.5)
    """
    y = np.asarray(values, dtype=np.float64)
    _, codes = np.unique(groups, return_inverse=True)
    sizes = np.bincount(codes)
    n, k = y.size, sizes.size
    squares = float(np.square(sizes).sum())
    if k < 2 or n == k:
        return OneWay(math.nan, math.nan, n, k, squares / n, math.nan, math.nan)
    means = np.bincount(codes, y) / sizes
    within = _within(y, codes) / (n - k)
    between = float(sizes @ np.square(means - y.mean())) / (k - 1)
    effective = (n - squares / n) / (k - 1)
    return OneWay((between - within) / effective, within, n, k, squares / n, between, effective)


def two_way(
    values: npt.ArrayLike,
    *,
    items: npt.ArrayLike,
    raters: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    best: bool = False,
) -> TwoWay:
    """Analyse a table with two random factors, complete or not.

    Parameters
    ----------
    values : array of float
        One value for each cell.
    items, raters : array of int
        The row and the column of each cell; no cell may occur twice.
    weights : array of float, optional
        The weight of each cell in the mean; equal when left out.
    best : bool
        Take the weights that make the mean of an incomplete table most precise (generalised least squares) in place of
        `weights`, so that raters of many items do not dominate it. On a complete table all weights are equal.

    Examples
    --------
    >>> table = two_way([9, 6, 8, 7, 10, 6, 2, 1, 4, 1, 5, 2], items=[0, 1, 2, 3, 4, 5] * 2, raters=[0] * 6 + [1] * 6)
    >>> round(table.items, 3), round(table.raters, 3), round(table.residual, 3)
    (2.0, 13.233, 0.683)
    """
    y = np.asarray(values, dtype=np.float64)
    row, column = (np.unique(codes, return_inverse=True)[1] for codes in (items, raters))
    if not y.size == row.size == column.size or not y.size:
        sizes = f"{y.size}, {row.size} and {column.size}"
        raise ArgumentError(f"`values`, `items` and `raters` must be equally long; got {sizes}.")
    w = np.full(y.size, 1 / y.size) if weights is None else np.asarray(weights, dtype=np.float64)
    w = w / w.sum()
    a, b, e = _components(y, row, column)
    n_items, n_raters = int(row.max()) + 1, int(column.max()) + 1
    fit = None
    if y.size < n_items * n_raters and not math.isnan(a + b + e):
        fit = fit_crossed(y, row, column, (a, b, e))
    if fit is not None:
        (a, b, _), e = fit.components.tolist(), float(fit.truncated[2])
        w = fit.weights if best else w
    error = _error_of_mean(w, row, column, (a, b, e), fit)
    return TwoWay(float(w @ y), a, b, e, n_items, n_raters, y.size, error, w)


def components_of(table: CellTable, *, best: bool = False) -> TwoWay:
    """Return the components of a table of pseudo-responses; where some raters judged one model only, by influence."""
    if table.sides is None or table.influence is None:
        return two_way(table.values, items=table.items, raters=table.raters, weights=table.weights, best=best)
    return _by_influence(table, table.sides, table.influence)


def _by_influence(table: CellTable, sides: FloatArray, influence: FloatArray) -> TwoWay:
    """Return the components of a table in which some raters judged an output of one model only.

    Two variances are taken and what is in both is counted once. That of raters: the influences of one rater add up over
    both models' outputs, and the sum of their squares is the cluster-robust variance of Liang and Zeger (1986, eq. 10)
    with raters as clusters. That of items: the usual variance of a weighted mean of items. The noise of single ratings
    is in both.
    """
    row, column = (np.unique(codes, return_inverse=True)[1] for codes in (table.items, table.raters))
    w, n_items, n_raters = table.weights, int(row.max()) + 1, int(column.max()) + 1
    mean = float(w @ table.values)
    judged = (1 << np.arange(len(sides))) @ (sides > 0)  # which sources the cell's rater judged on the item

    # Raters: each one's influence. The noise of a single rating is how much cells of one kind by one rater differ.
    per_rater = np.bincount(column, influence, minlength=n_raters)
    group, size = _same_kind(column, judged)
    residual = influence - w * (np.bincount(group, influence / w) / size)[group]
    free = float(np.square(sides).sum(axis=0) @ (1 - 1 / size[group]))
    noise = float(residual @ residual) / free if free > 0 else 0.0
    of_raters, df, factor = _raters_part(float(per_rater @ per_rater), noise, sides, column)

    # Items: their variance, and how much of it is the disagreement of an item's raters.
    sums, item_weights = np.bincount(row, w * (table.values - mean)), np.bincount(row, w)
    of_items = float((np.square(sums) / (1 - item_weights)).sum()) if n_items > 1 else 0.0
    group, size = _same_kind(row, judged)
    centre = np.bincount(group, w * table.values) / np.bincount(group, w)
    residual = w * (table.values - centre[group])
    disagreement = min(of_items, float(np.square(residual) @ (size / np.maximum(1, size - 1))[group]))

    # What is in both. An output's variance is part of its raters' influence as far as few raters judged it: `within` is
    # the share Σ (Σ p)² / Σ (Σ w)² of an item's weight that stays together in one rater, corrected for the means that
    # are subtracted. With one rater for each output the raters' variance contains all of the items'.
    squares, within = 0.0, 0.0
    for side in sides:
        of_item, of_rater = np.bincount(row, side), np.bincount(column, side)
        per_item = float(of_item @ of_item)
        squares += per_item
        within += float(side @ side - 2 * (of_item[row] * side) @ of_rater[column] + per_item * (of_rater @ of_rater))
    in_both = disagreement + min(1.0, factor * within / squares) * (of_items - disagreement)

    if of_raters <= LEAST * in_both:
        of_raters = in_both
    rater_weights = np.bincount(column, w)
    error = CombinedError((of_raters, of_items - in_both), (df, effective_df(np.square(item_weights))))
    return TwoWay(
        mean=mean,
        items=(of_items - in_both) / float(item_weights @ item_weights),
        raters=(of_raters - in_both) / float(rater_weights @ rater_weights),
        residual=in_both / float(w @ w),
        n_items=n_items,
        n_raters=n_raters,
        n_cells=w.size,
        error=error,
    )


def _same_kind(code: IntArray, judged: IntArray) -> tuple[IntArray, IntArray]:
    """Return the group of each cell (one item or rater, the same sources judged), and how many cells each group has."""
    _, group, size = np.unique(code * (judged.max() + 1) + judged, return_inverse=True, return_counts=True)
    return group, size


def _raters_part(squares: float, noise: float, sides: FloatArray, column: IntArray) -> tuple[float, float, float]:
    """Return the raters' part of the variance, its degrees of freedom, and the factor that few raters need.

    `squares`, the sum of squared influences, is too small where raters are few or unequally busy. How much too small
    follows from a working model: what rater r says of source s on average, x, has the variance D = τ² + noise · q,
    where q is the sum of squared shares of single ratings in r's. With p the share of the rater in the weight of the
    source, influences are u = Σ ± p (x − Σ p x). Their sum of squares has the mean tr(G) and the variance 2 ‖G‖², where
    G = Σ C D Cᵀ, C = diag(p) − p pᵀ. τ² is where tr(G) equals `squares`. The part is `squares` · Σ p² D / tr(G), with
    tr(G)² / ‖G‖² degrees of freedom (Satterthwaite 1946; Bell and McCaffrey 2002 take noise alone). With equally busy
    raters the factor is R / (R − 1), and there are R − 1 degrees of freedom.
    """
    p = np.array([np.bincount(column, side) for side in sides])
    q = np.array([np.bincount(column, np.square(side)) for side in sides])
    of_noise = noise * np.divide(q, np.square(p), out=np.zeros_like(q), where=p > 0)
    of_raters = (p > 0).astype(np.float64)

    def moments(d: FloatArray) -> tuple[float, float, float]:
        """Return tr(G), ‖G‖² and Σ p² D; G is diagonal but for two vectors of each source, p and p² D."""
        diagonal = (np.square(p) * d).sum(axis=0)
        vectors, middle = np.concatenate([p, np.square(p) * d]).T, np.zeros((2 * len(p), 2 * len(p)))
        for s in range(len(p)):
            middle[s, s] = (np.square(p[s]) * d[s]).sum()
            middle[s, len(p) + s] = middle[len(p) + s, s] = -1.0
        product = middle @ (vectors.T @ vectors)
        off_diagonal = np.einsum("rs,rs->r", vectors @ middle, vectors)
        squared = float(diagonal @ diagonal + 2 * diagonal @ off_diagonal + np.trace(product @ product))
        return float(diagonal.sum() + np.trace(product)), squared, float(diagonal.sum())

    by_noise, by_raters = moments(of_noise)[0], moments(of_raters)[0]
    tau_squared = max(0.0, (squares - by_noise) / by_raters) if by_raters > 0 else 0.0
    trace, squared, variance = moments(tau_squared * of_raters + of_noise)
    if not (trace > 0 and squared > 0):
        return squares, max(1.0, p.shape[1] - 1.0), 1.0
    return squares * variance / trace, max(1.0, trace**2 / squared), variance / trace


def _components(y: FloatArray, row: IntArray, column: IntArray) -> tuple[float, float, float]:
    """Return the components of items, raters and residual from three sums of squares."""
    n = y.size
    per_item, per_rater = np.bincount(row), np.bincount(column)
    y = y - y.mean()
    within_items = n - per_item.size
    within_raters = n - per_rater.size
    total = float(y @ y)
    items_total = n - float(np.square(per_item).sum()) / n
    raters_total = n - float(np.square(per_rater).sum()) / n
    if within_items == 0 and within_raters == 0:
        return math.nan, math.nan, total / (n - 1) if n > 1 else math.nan
    if within_items == 0 or within_raters == 0:
        # One factor has a single value per level, so it is part of the residual: a one-way table of the other.
        by_rater = within_items == 0
        e = _within(y, column if by_rater else row) / (within_raters or within_items)
        of_total = raters_total if by_rater else items_total
        part = (total - e * (n - 1)) / of_total if of_total > 0 else math.nan
        return (math.nan, part, e) if by_rater else (part, math.nan, e)
    raters_and_residual = _within(y, row) / within_items
    items_and_residual = _within(y, column) / within_raters
    spare = items_total + raters_total - n + 1
    if spare <= 1e-9 * n:
        return math.nan, math.nan, total / (n - 1)
    e = (items_and_residual * items_total + raters_and_residual * raters_total - total) / spare
    return items_and_residual - e, raters_and_residual - e, e


def _within(y: FloatArray, code: IntArray) -> float:
    """Return the sum of squares around the mean of each code."""
    means = np.bincount(code, y) / np.bincount(code)
    return float(np.square(y - means[code]).sum())


def _error_of_mean(
    w: FloatArray, row: IntArray, column: IntArray, components: tuple[float, float, float], fit: CrossedFit | None
) -> CombinedError:
    """Return the error of Σ w·value: raters with the residual, and items beyond it (in the shape of Hillis 2007).

    A rater component estimated below zero is kept, since truncating it would make few raters look too certain; an item
    component below zero counts as zero. Where there is a `fit`, it tells the degrees of freedom of the raters' part.
    """
    a, b, e = (0.0 if math.isnan(part) else part for part in components)
    own = np.square(w)
    of_items, of_raters = np.square(np.bincount(row, w)), np.square(np.bincount(column, w))
    noise_items, noise_raters = e * np.bincount(row, own), e * np.bincount(column, own)
    raters = b * float(of_raters.sum()) + e * float(own.sum())
    noise = max(0.0, e * float(own.sum()))
    if raters <= LEAST * noise:  # unequal loads can cause this; the noise of single values is always there
        raters = noise
    items = max(0.0, a) * float(of_items.sum())
    df_items = effective_df(max(0.0, a) * of_items + noise_items)
    if of_raters.size == 1:  # one rater: the result holds for that rater only
        return CombinedError((items + noise,), (df_items,))
    if fit is None:
        df_raters = effective_df(max(0.0, b) * of_raters + noise_raters)
    else:
        share = np.array([0.0, float(of_raters.sum()), float(own.sum())])
        df_raters = 2 * float(share @ fit.truncated) ** 2 / float(share @ fit.covariance @ share)
        df_raters = min(max(1.0, df_raters), of_raters.size - 1.0)
    return CombinedError((raters, items), (df_raters, df_items))


def effective_df(parts: FloatArray) -> float:
    """Return how many levels really contribute to a variance, minus one: all of them when they contribute equally.

    Examples
    --------
    >>> effective_df(np.array([1.0, 1.0, 1.0, 1.0])), round(effective_df(np.array([8.0, 1.0, 1.0, 1.0])), 2)
    (3.0, 1.0)
    """
    squares = float(np.square(parts).sum())
    return max(1.0, float(parts.sum()) ** 2 / squares - 1) if squares > 0 else max(1.0, parts.size - 1.0)


def _interval_beyond(
    square: tuple[float, float], off: Sequence[tuple[float, float]], per: float, level: float
) -> ConfidenceInterval:
    """Return the interval of (mean square − Σ off) / per; each of them with its degrees of freedom."""
    if off:
        total = sum(part for part, _ in off)
        spread = sum(part**2 / df for part, df in off)
        return _difference_interval(square, (total, total**2 / spread if spread > 0 else off[0][1]), per, level)
    from scipy.special import chdtri

    value, df = square
    tail = (1 - level) / 2
    low, high = (df * value / float(chdtri(df, p)) if df >= 1 else math.nan for p in (tail, 1 - tail))
    return ConfidenceInterval(low, high, "mean squares", level)


def _difference_interval(
    first: tuple[float, float], second: tuple[float, float], per: float, level: float
) -> ConfidenceInterval:
    """Return the interval of (s1 − s2) / per for two (mean square, df) pairs (Ting et al. 1990), cut at zero."""
    from scipy.special import chdtri, fdtri

    (s1, df1), (s2, df2) = first, second
    if df1 < 1 or not s1 > 0 or math.isnan(s2):
        note = "The interval is undefined: the table cannot tell this component from the residual."
        return ConfidenceInterval(math.nan, math.nan, "mean squares", level, (note,))
    tail = (1 - level) / 2
    ends = []
    for sign, p in ((-1.0, 1 - tail), (1.0, tail)):
        f = float(fdtri(df1, df2, p))
        own = abs(1 - df1 / float(chdtri(df1, 1 - p)))
        other = abs(df2 / float(chdtri(df2, p)) - 1)
        cross = ((f - 1) ** 2 - own**2 * f**2 - other**2) / f
        spread = own**2 * s1**2 + other**2 * s2**2 + cross * s1 * s2
        ends.append(max(0.0, (s1 - s2 + sign * math.sqrt(max(0.0, spread))) / per))
    return ConfidenceInterval(ends[0], ends[1], "mean squares", level)
