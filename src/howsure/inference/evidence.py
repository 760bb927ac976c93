"""What p-values and intervals are made of: advantages, one row for each data set, with their resamples and errors.

One data set is one row. Rows have the same number of resamples and of items; a resample that is undefined is NaN and is
left out of its row.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from howsure.data.scales import BoolArray, FloatArray, IntArray
from howsure.inference.pvalues import tie_tolerances

if TYPE_CHECKING:
    from howsure.inference.combined_error import CombinedError
    from howsure.inference.sign_flips import SignFlips

NO_SPREAD = 1e-7
"""A resample's standard error below this share of the data's is zero: only rounding is left of equal squares."""


def _none() -> FloatArray:
    return np.empty((1, 0))


@dataclass(frozen=True, eq=False)
class Evidence:
    """Advantages with all that their p-values and intervals are made of; a row for each data set.

    Attributes
    ----------
    estimates : array, (rows,)
        The advantage of each data set.
    draws, standard_errors : array, (rows, resamples)
        The advantages of resampled data, and the standard error that each resample's own items give; NaN where it has
        none.
    errors, df : array, (rows,)
        The standard error of each advantage by its items, and its degrees of freedom.
    jackknife : array, (rows, units)
        The advantage without each item (or cluster); no columns where more than items is resampled.
    span : float
        The largest advantage that an item can have.
    null_draws : array, (rows, resamples)
        Advantages under the null; `exact` says whether these are all of them.
    flips : sequence of SignFlips or None
        The exact tails of exchanged items, where they are known.
    rater_error : CombinedError or None
        The error from items and raters, where raters are a random factor; there is one row then.
    unit_sums : array, (rows, clusters)
        The sum of the item advantages of each cluster, where items come in clusters and the metric has item scores.
    unit_sizes : array, (clusters,)
        The number of items of each cluster; empty where items stand alone.
    items : array, (rows, items)
        The advantage of each item, where the metric has item scores; else no columns.
    n_units : int
        How many items, or clusters, are exchanged and resampled.
    """

    estimates: FloatArray
    draws: FloatArray = field(default_factory=_none)
    standard_errors: FloatArray = field(default_factory=_none)
    errors: FloatArray = field(default_factory=lambda: np.full(1, math.nan))
    df: FloatArray = field(default_factory=lambda: np.full(1, math.nan))
    jackknife: FloatArray = field(default_factory=_none)
    span: float = math.inf
    null_draws: FloatArray = field(default_factory=_none)
    exact: bool = False
    flips: "Sequence[SignFlips | None] | None" = None
    rater_error: "CombinedError | None" = None
    unit_sums: FloatArray = field(default_factory=_none)
    unit_sizes: FloatArray = field(default_factory=lambda: np.empty(0))
    items: FloatArray = field(default_factory=_none)
    n_units: int = 0

    def __len__(self) -> int:
        return len(self.estimates)

    def row(self, i: int) -> "Evidence":
        """Return one of the data sets by itself."""
        if len(self) == 1:
            return self
        arrays: dict[str, Any] = {
            each.name: value[i : i + 1]
            for each in fields(self)
            if isinstance(value := getattr(self, each.name), np.ndarray) and len(value) == len(self)
        }
        return replace(self, **arrays, flips=None if self.flips is None else self.flips[i : i + 1])

    def without_draws(self) -> "Evidence":
        """Return the same without its resamples, which take most of its memory."""
        empty = np.empty((len(self), 0))
        return replace(self, draws=empty, standard_errors=empty, null_draws=empty)

    @property
    def units(self) -> FloatArray:
        """What each item or cluster adds: of a mean, leaving one out gives it back."""
        n = self.jackknife.shape[1]
        return np.asarray(n * self.estimates[:, np.newaxis] - (n - 1) * self.jackknife)

    @cached_property
    def drawn(self) -> "Ascending":
        """The resampled advantages in ascending order."""
        return Ascending.of(self.draws)

    @cached_property
    def ratios(self) -> "Ascending":
        """(resample − estimate) / standard error of the resample, ascending; undefined where it has no spread."""
        return Ascending.of(self.studentised(np.ones_like(self.errors)))

    @cached_property
    def distances(self) -> "Ascending":
        """The sizes of `ratios`, ascending."""
        return Ascending.of(np.abs(self.ratios.values))

    def studentised(self, errors: FloatArray | None = None) -> FloatArray:
        """Return what the advantage would be in each resample if the true one were zero and the error that of the data.

        That is (resample − estimate) / standard error of the resample · standard error; NaN where it has no spread.
        """
        own = self.errors[:, np.newaxis]
        moved = np.full(self.draws.shape, np.nan)
        with np.errstate(invalid="ignore"):
            varies = self.standard_errors > NO_SPREAD * own
            np.divide(self.draws - self.estimates[:, np.newaxis], self.standard_errors, out=moved, where=varies)
        if errors is None:
            return np.asarray(moved * own)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(moved * own / own)  # as `studentised` over the error: the same bits, NaN without one


@dataclass(frozen=True)
class Ascending:
    """Rows of numbers in ascending order, those that are undefined last.

    Attributes
    ----------
    values : array, (rows, numbers)
    n_defined : array of int, (rows,)
    """

    values: FloatArray
    n_defined: IntArray

    @classmethod
    def of(cls, rows: FloatArray) -> "Ascending":
        """Sort each row; NaN comes last."""
        values = np.sort(rows, axis=1)
        return cls(values, values.shape[1] - np.count_nonzero(np.isnan(values), axis=1))

    @cached_property
    def varies(self) -> BoolArray:
        """Whether a row has two different numbers or more."""
        if not self.values.shape[1]:
            return np.zeros(len(self.values), dtype=bool)
        last = np.take_along_axis(self.values, np.maximum(self.n_defined - 1, 0)[:, np.newaxis], axis=1)[:, 0]
        low = self.values[:, 0]
        with np.errstate(invalid="ignore"):
            apart = last - low > tie_tolerances(np.stack([low, last], axis=1))
        return np.asarray((self.n_defined > 1) & apart)

    def quantiles(self, shares: FloatArray | Sequence[float]) -> FloatArray:
        """Return quantiles of each row, (rows, shares), as `numpy.quantile` gives them; shares may differ by row."""
        shares = np.asarray(shares, dtype=np.float64)
        shape = len(self.values), shares.shape[-1]
        if not self.values.shape[1]:
            return np.full(shape, np.nan)
        n = self.n_defined[:, np.newaxis]
        places = np.broadcast_to((n - 1) * shares, shape)
        with np.errstate(invalid="ignore"):
            first = np.clip(np.floor(places), 0, np.maximum(n - 2, 0)).astype(np.int64)
            part = places - first
            before = np.take_along_axis(self.values, first, axis=1)
            after = np.take_along_axis(self.values, np.minimum(first + 1, np.maximum(n - 1, 0)), axis=1)
            found = np.where(part < 0.5, before + (after - before) * part, after - (after - before) * (1 - part))
        return np.asarray(found)


def quantiles(numbers: FloatArray, shares: Sequence[float]) -> tuple[float, ...]:
    """Return quantiles of numbers; NaN if there are none.

    Examples
    --------
    >>> quantiles(np.array([3.0, 1.0, 2.0]), [0.5, 0.75])
    (2.0, 2.5)
    """
    found: Any = Ascending.of(np.asarray(numbers, dtype=np.float64)[np.newaxis]).quantiles(shares)
    return tuple(found[0].tolist())
