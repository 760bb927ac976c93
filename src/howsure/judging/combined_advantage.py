"""The human advantage of A over B from a judge on all items and people on some: arrays in, numbers out.

People label n of N items, a judge scores all of them. With h the human and f the judge's advantage of an item,

    z = h − λ (f − mean of f over all N items),        estimate = weighted mean of z over the labelled items,

where λ = Cov(h, f) / Var(f), for each item from the other labelled items. This is the regression estimator of two-phase
sampling (Cochran 1977, ch. 12), and PPI++ (Angelopoulos, Duchi and Zrnic 2023) in other letters: λ of PPI++ is
λ (1 − n/N). Its variance has two parts, as that of every advantage with raters (`raters/components.py`): raters with
the noise of single labels, and items beyond that noise,

    items = S²z / n + (S²h − S²z) / N − noise.

The judge shortens the second part only. Raters who disagree leave the first, whatever the judge does.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from howsure.data.scales import FloatArray, IntArray
from howsure.errors import ArgumentError
from howsure.inference.combined_error import CombinedError
from howsure.raters.components import components_of
from howsure.resampling import CellTable

ROUNDING = 1e-12
"""A judge whose scores vary by less than this share of their size is constant."""

FEW_RESIDUALS = 10
"""With fewer items on which people and judge differ, intervals of wins are too short (docs/evidence/judge.md)."""


@dataclass(frozen=True, slots=True)
class LabelDesign:
    """How the labelled items were drawn.

    Attributes
    ----------
    weights : array of float
        The weight of each labelled item; they sum to one.
    strata : array of int
        The stratum of each labelled item.
    unequal : bool
        Whether items of a stratum had unequal chances.
    """

    weights: FloatArray
    strata: IntArray
    unequal: bool = False

    @classmethod
    def simple(cls, n: int) -> "LabelDesign":
        """Return the design of a simple random sample."""
        return cls(np.full(n, 1 / n), np.zeros(n, dtype=np.int64))

    @classmethod
    def drawn(
        cls, probabilities: FloatArray, strata: IntArray | None = None, shares: FloatArray | None = None
    ) -> "LabelDesign":
        """Return the design of items drawn with known chances, in strata that make up these shares of all items.

        Weights are inverse to the chances (Hájek), and the items of a stratum together have its share.
        """
        p = np.asarray(probabilities, dtype=np.float64)
        codes = np.zeros(p.size, dtype=np.int64) if strata is None else np.asarray(strata, dtype=np.int64)
        inverse = 1 / p
        within = np.bincount(codes, inverse)
        of_strata = within / within.sum() if shares is None else np.asarray(shares, dtype=np.float64)
        weights = inverse * (of_strata / within)[codes]
        first = np.zeros(within.size)
        first[codes] = p
        return cls(weights / weights.sum(), codes, bool((np.abs(p - first[codes]) > 1e-9 * p).any()))

    @property
    def n_effective(self) -> float:
        """How many items with equal weights would be as precise: 1 / Σ w² where weights sum to 1 (Kish 1965)."""
        return float(1 / np.square(self.weights).sum())

    @property
    def n_strata(self) -> int:
        """The number of strata that have a labelled item."""
        return int(np.unique(self.strata).size)


@dataclass(frozen=True, slots=True)
class Labelled:
    """What people say about the labelled items, and the judge about all.

    Attributes
    ----------
    human : array of float
        The advantage of A on each labelled item.
    judge : array of float
        The judge's advantage of A on all items.
    where : array of int
        The place of each labelled item among all.
    design : LabelDesign
    cells : CellTable or None
        The labelled items × raters table whose item means are `human`; None where raters are held fixed.
    span : float
        The largest advantage of a single item where it counts wins and losses; infinite for other metrics.
    saturation : float
        By what factor raters would move the advantage more if it were zero (`raters/advantage_error.py`).
    """

    human: FloatArray
    judge: FloatArray
    where: IntArray
    design: LabelDesign
    cells: CellTable | None = None
    span: float = math.inf
    saturation: float = 1.0

    @property
    def n(self) -> int:
        """The number of labelled items."""
        return self.human.size

    @property
    def n_all(self) -> int:
        """The number of items that the judge scored."""
        return self.judge.size


@dataclass(frozen=True, slots=True)
class VarianceParts:
    """What the variance of a combined advantage is made of, to forecast other designs.

    Attributes
    ----------
    raters : float
        The variance of raters, not below zero; 0 where they are held fixed.
    residual : float
        The variance of single labels around item and rater; 0 where raters are held fixed.
    items : float
        The variance of the items' human advantages, beyond that noise.
    left : float
        What the judge leaves of it.
    n, n_all, n_raters : int
    per_item : float
        Raters of a labelled item.
    """

    raters: float
    residual: float
    items: float
    left: float
    n: int
    n_all: int
    n_raters: int
    per_item: float

    def error(
        self,
        *,
        n: int | None = None,
        n_all: int | None = None,
        n_raters: int | None = None,
        left: float | None = None,
        per_item: float | None = None,
    ) -> CombinedError:
        """Return the error with other numbers of labelled items, of all items or of raters, or with another judge.

        The raters of an item grow with the raters unless `per_item` says how many they are. A perfect judge leaves 0,
        no judge `items`.
        """
        n = self.n if n is None else n
        n_all = max(n, self.n_all if n_all is None else n_all)
        left = self.left if left is None else left
        of_items = left / n + (self.items - left) / n_all
        df = max(1.0, n - (2.0 if left < self.items else 1.0))
        if self.n_raters < 2:
            return CombinedError((of_items,), (df,))
        raters = self.n_raters if n_raters is None else n_raters
        per_item = self.per_item * raters / self.n_raters if per_item is None else per_item
        return CombinedError((self.raters / raters + self.residual / (n * per_item), of_items), (raters - 1.0, df))

    def worth(self) -> float:
        """Return how many labelled items without a judge would be as precise as these with it, by the same raters."""
        noise = self.residual / self.per_item
        without = self.items + noise
        with_judge = self.left + noise + (self.items - self.left) * self.n / self.n_all
        return self.n * without / with_judge if with_judge > 0 else math.inf


@dataclass(frozen=True, slots=True)
class Combined:
    """An advantage from people and a judge.

    Attributes
    ----------
    estimate : float
    error : CombinedError
        Raters with the noise of single labels, and items beyond it; items alone where raters are held fixed.
    slopes : array of float
        λ of each labelled item.
    values : array of float
        z of each labelled item.
    parts : VarianceParts
    """

    estimate: float
    error: CombinedError
    slopes: FloatArray
    values: FloatArray
    parts: VarianceParts

    @property
    def slope(self) -> float:
        """The mean λ: how much of the judge's advantage is used."""
        return float(self.slopes.mean())


def slopes_of(data: Labelled) -> FloatArray:
    """Return λ of each labelled item, from the other labelled items of all strata; 0 where the judge says nothing.

    Examples
    --------
    >>> data = Labelled(np.array([1.0, 2, 3, 5]), np.array([1.0, 2, 3, 4, 7]), np.arange(4), LabelDesign.simple(4))
    >>> slopes_of(data).round(3)
    array([1.5  , 1.286, 1.357, 1.   ])
    """
    n, scores = data.n, data.judge[data.where]
    if n == data.n_all or n < 3:  # where all items are labelled, the judge's mean adds nothing to theirs
        return np.zeros(n)
    w, strata = data.design.weights, data.design.strata
    h, f = (values - _stratum_means(values, w, strata) for values in (data.human, scores))
    # With unequal chances λ is that of the least design variance, in which weights count twice.
    q = n * w * w if data.design.unequal else w
    factor = n / (n - 1)
    products, squares = q * h * f, q * f * f
    others = squares.sum() - factor * squares
    least = ROUNDING * max(1.0, float(np.square(scores).mean()))
    with np.errstate(divide="ignore", invalid="ignore"):
        found = (products.sum() - factor * products) / others
    return np.asarray(np.where(others > least, found, 0.0))


def _stratum_means(values: FloatArray, weights: FloatArray, strata: IntArray) -> FloatArray:
    """Return the weighted mean of each item's stratum."""
    sums, totals = np.bincount(strata, weights * values), np.bincount(strata, weights)
    with np.errstate(invalid="ignore"):
        return (sums / totals)[strata]


def combine(
    data: Labelled, *, slope: float | None = None, these_items: bool = False, guard_below: float = FEW_RESIDUALS
) -> Combined:
    """Return the human advantage from the labels and the judge.

    Parameters
    ----------
    data : Labelled
    slope : float, optional
        λ, in place of the estimated one: 0 ignores the judge.
    these_items : bool
        The question is about these N items only, and not about items like these.
    guard_below : float
        Where an item's advantage is a win or a loss, and fewer items than this have a residual, the error counts one
        more item, which nobody has seen and on which the judge is as wrong as it can be: a small sample may hold no
        item on which a good judge errs.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.normal(0.2, 1, 500)
    >>> human, judge = truth[:60] + rng.normal(0, 0.3, 60), truth + rng.normal(0, 0.3, 500)
    >>> data = Labelled(human, judge, np.arange(60), LabelDesign.simple(60))
    >>> round(combine(data).error.standard_error / combine(data, slope=0).error.standard_error, 2)
    0.53
    """
    if data.n < 2:
        raise ArgumentError(f"an interval needs at least two labelled items; got {data.n}.")
    slopes = slopes_of(data) if slope is None else np.full(data.n, float(slope))
    values = data.human - slopes * (data.judge[data.where] - data.judge.mean())
    w, strata = data.design.weights, data.design.strata
    estimate = float(w @ values)
    used = 1 if slope is None and slopes.any() else 0
    # A few large weights decide a variance that many items seem to estimate.
    n = data.design.n_effective if data.design.unequal else data.n
    df = max(1.0, n - data.design.n_strata - used)
    left = _within(values, w, strata)
    whole = _spread(data.human, w)
    variance = _design_variance(values, w, strata)
    table = None if data.cells is None else _table(data.cells, values, data.human, w)
    noise_of_item = 0.0 if table is None else table.residual * float((w * table.shares).sum())
    if these_items:
        variance -= max(0.0, left - noise_of_item) / data.n_all
    else:
        variance += (whole - left) / data.n_all
    unseen = 0.0
    if math.isfinite(data.span) and np.count_nonzero(np.abs(values - np.median(values)) > data.span / 4) < guard_below:
        unseen = data.span**2 * float(np.square(w).mean())
    if table is None:
        error = CombinedError((max(0.0, variance) + unseen,), (df,))
    else:
        of_items = max(0.0, variance - table.noise) + unseen
        error = CombinedError((table.of_raters(data.saturation), of_items), (table.df, df))
    size = max(float(np.abs(data.human).max()), float(np.abs(data.judge).max()))
    if error.variance <= (ROUNDING * size) ** 2:  # what rounding leaves of nothing
        error = CombinedError(tuple(0.0 for _ in error.variances), error.dfs)
    parts = VarianceParts(
        raters=0.0 if table is None else max(0.0, table.raters),
        residual=0.0 if table is None else table.residual,
        items=max(0.0, whole - noise_of_item),
        left=min(max(0.0, left - noise_of_item), max(0.0, whole - noise_of_item)),
        n=data.n,
        n_all=data.n_all,
        n_raters=1 if table is None else table.n_raters,
        per_item=1.0 if data.cells is None else data.cells.values.size / data.n,
    )
    return Combined(estimate, error, slopes, values, parts)


def bias_of(data: Labelled) -> Combined:
    """Return by how much the judge favours A: its mean advantage over all items minus the combined one, with its error.

    The same estimator of the judge's errors f − h: their λ is 1 − λ.
    """
    off = data.judge[data.where] - data.human
    cells = None if data.cells is None else data.cells.moved(data.judge[data.where], sign=-1.0)
    return combine(replace(data, human=off, cells=cells, saturation=1.0), guard_below=0)


@dataclass(frozen=True, slots=True)
class _RaterTable:
    """The raters' side of the error: their component, the noise of single labels, and both in the variance."""

    raters: float
    residual: float
    noise: float
    variance: float
    df: float
    n_raters: int
    shares: FloatArray

    def of_raters(self, saturation: float) -> float:
        """Return the part of raters, as it would be at an advantage of zero."""
        return self.variance + (saturation**2 - 1) * max(0.0, self.variance - self.noise)


def _table(cells: CellTable, values: FloatArray, human: FloatArray, weights: FloatArray) -> _RaterTable | None:
    """Analyse the table of labels with the judge's correction added to each item; None with a single rater."""
    n = human.size
    shares = cells.weights * n  # the share of each cell in its item
    table = cells.moved(values - human, item_weights=weights)
    own = table.weights
    found = components_of(table)
    if found.n_raters < 2:
        return None
    residual = max(0.0, 0.0 if math.isnan(found.residual) else found.residual)
    raters = 0.0 if math.isnan(found.raters) else found.raters
    noise = residual * float(np.square(own).sum())
    variance = found.error.variances[0]
    if cells.values.size == n:  # one rater per item: a component below zero would take away noise that is there
        variance = max(0.0, raters) * float(np.square(np.bincount(cells.raters, own)).sum()) + noise
    per_item: FloatArray = np.bincount(cells.items, np.square(shares), minlength=n).astype(np.float64)
    return _RaterTable(raters, residual, noise, variance, found.error.dfs[0], found.n_raters, per_item)


def _design_variance(values: FloatArray, weights: FloatArray, strata: IntArray) -> float:
    """Return the variance of the weighted mean over samples from the strata."""
    sizes = np.bincount(strata)
    factor = (sizes / np.maximum(sizes - 1, 1))[strata]
    off = values - _stratum_means(values, weights, strata)
    return float((np.square(weights * off) * factor).sum())


def _within(values: FloatArray, weights: FloatArray, strata: IntArray) -> float:
    """Return the variance of items within strata."""
    sizes = np.bincount(strata)
    factor = (sizes / np.maximum(sizes - 1, 1))[strata]
    off = values - _stratum_means(values, weights, strata)
    return float((weights * np.square(off) * factor).sum())


def _spread(values: FloatArray, weights: FloatArray) -> float:
    """Return the variance of all items, from a weighted sample of them."""
    n = values.size
    return float((weights * np.square(values - weights @ values)).sum()) * n / (n - 1)
