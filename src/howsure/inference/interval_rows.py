"""Two-sided intervals of many advantages at once: the ends that `interval` gives for each row of draws.

What is out of the ordinary (undefined draws, no spread, few items that tell A and B apart) goes through `interval`.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from howsure.inference.bootstrap_t import FEW_TELLING, NO_SPREAD
from howsure.inference.direct import won_and_lost
from howsure.inference.interval_methods import interval
from howsure.inference.intervals import tails_of
from howsure.inference.pvalues import tie_tolerances
from howsure.scales import FloatArray


@dataclass(frozen=True)
class DrawnRows:
    """Advantages, each with its draws and what else an interval needs; a row for each.

    Attributes
    ----------
    draws : array, (rows, draws)
    estimates : array, (rows,)
    jackknife : array, (rows, items)
        The estimates with one item left out; no columns where items are not all that is resampled.
    standard_errors : array, (rows, draws)
    errors : array, (rows,)
        The standard error of each estimate.
    df : array, (rows,)
    span : float
    confidence_level : float
    """

    draws: FloatArray
    estimates: FloatArray
    jackknife: FloatArray
    standard_errors: FloatArray
    errors: FloatArray
    df: FloatArray
    span: float
    confidence_level: float

    def limits(self, method: str) -> FloatArray:
        """Return the ends of each interval: (rows, 2)."""
        find: dict[str, Callable[[], tuple[FloatArray, FloatArray]]] = {
            "percentile": self._percentile,
            "basic": self._basic,
            "bca": self._bca,
            "studentised": self._studentised,
            "symmetric": self._symmetric,
            "t": self._student,
        }
        ends, told = np.empty((len(self.draws), 2)), np.zeros(len(self.draws), dtype=bool)
        if method in find:
            ends[:], told = find[method]()
        for i in np.flatnonzero(~told).tolist():
            found = interval(
                method,
                self.draws[i],
                estimate=float(self.estimates[i]),
                jackknife=self.jackknife[i],
                standard_errors=self.standard_errors[i],
                standard_error=float(self.errors[i]),
                df=float(self.df[i]),
                span=self.span,
                confidence_level=self.confidence_level,
            )
            ends[i] = found.low, found.high
        return ends

    @property
    def _tails(self) -> tuple[float, float]:
        return tails_of(self.confidence_level, "two-sided")

    @cached_property
    def _ascending(self) -> FloatArray:
        return np.sort(self.draws, axis=1)

    @cached_property
    def _usable(self) -> Any:
        return ~np.isnan(self.estimates) & _vary(self._ascending)

    def _percentile(self) -> tuple[FloatArray, Any]:
        return _quantiles(self._ascending, np.array(self._tails)), self._usable

    def _basic(self) -> tuple[FloatArray, Any]:
        ends, usable = self._percentile()
        return 2 * self.estimates[:, np.newaxis] - ends[:, ::-1], usable

    def _bca(self) -> tuple[FloatArray, Any]:
        from scipy.special import ndtr, ndtri

        middle = self.estimates[:, np.newaxis]
        tolerance = tie_tolerances(self.draws, self.estimates)[:, np.newaxis]
        below = np.count_nonzero(self.draws < middle - tolerance, axis=1)
        below += np.count_nonzero(self.draws <= middle + tolerance, axis=1)
        bias = ndtri(below / (2 * self.draws.shape[1]))[:, np.newaxis]
        rate = _accelerations(self.jackknife)[:, np.newaxis]
        with np.errstate(invalid="ignore", divide="ignore"):
            shifted = bias + ndtri(np.array(self._tails))
            adjusted = ndtr(bias + shifted / (1 - rate * shifted))
            told = self._usable & np.isfinite(adjusted).all(axis=1) & (rate * shifted < 1).all(axis=1)
        told &= np.isfinite(bias[:, 0])
        return _quantiles(self._ascending, np.where(told[:, np.newaxis], adjusted, 0.5)), told

    @cached_property
    def _ratios(self) -> tuple[FloatArray, Any]:
        """Return (draw − estimate) / standard error of the draw, ascending, and where all are defined and vary."""
        error = self.errors[:, np.newaxis]
        moved = np.full(self.draws.shape, np.nan)
        with np.errstate(invalid="ignore", divide="ignore"):
            told = self.standard_errors > NO_SPREAD * error
            np.divide(self.draws - self.estimates[:, np.newaxis], self.standard_errors, out=moved, where=told)
            moved = np.sort(moved * error / error, axis=1)
        return moved, ~np.isnan(self.estimates) & (self.errors > 0) & _vary(moved)

    def _studentised(self) -> tuple[FloatArray, Any]:
        ratios, usable = self._ratios
        lengths = _quantiles(ratios, np.array(self._tails))
        return self.estimates[:, np.newaxis] - self.errors[:, np.newaxis] * lengths[:, ::-1], usable

    def _symmetric(self) -> tuple[FloatArray, Any]:
        n = self.jackknife.shape[1]
        given = n * self.estimates[:, np.newaxis] - (n - 1) * self.jackknife
        ratios, usable = self._ratios
        share = np.array([1 - 2 * self._tails[0]])
        arms = _quantiles(np.sort(np.abs(ratios), axis=1), share) * self.errors[:, np.newaxis]
        enough = won_and_lost(given).sum(axis=0) >= FEW_TELLING
        return self.estimates[:, np.newaxis] + arms * np.array([-1.0, 1.0]), usable & enough

    def _student(self) -> tuple[FloatArray, Any]:
        from scipy.special import stdtrit

        df = np.where(np.isnan(self.df), self.jackknife.shape[1] - 1.0, self.df)
        with np.errstate(invalid="ignore"):
            told = (df > 0) & (self.errors > 0) & ~np.isnan(self.estimates)
            arms = -stdtrit(df, self._tails[0]) * self.errors
        return self.estimates[:, np.newaxis] + arms[:, np.newaxis] * np.array([-1.0, 1.0]), told


def _vary(ascending: FloatArray) -> Any:
    """Whether an interval can be made of each row: its draws are defined, two or more, and not all equal."""
    if ascending.shape[1] < 2:
        return np.zeros(len(ascending), dtype=bool)
    low, high = ascending[:, 0], ascending[:, -1]  # NaN comes last
    with np.errstate(invalid="ignore"):
        return np.isfinite(high - low) & (high - low > tie_tolerances(ascending))


def _quantiles(ascending: FloatArray, shares: FloatArray) -> FloatArray:
    """Return quantiles of each row, as `intervals.quantiles` does; the shares may differ from row to row."""
    n = ascending.shape[1]
    if n < 2:
        return np.full((len(ascending), shares.shape[-1]), np.nan)
    places = np.broadcast_to((n - 1) * shares, (len(ascending), shares.shape[-1]))
    first = np.minimum(np.floor(places).astype(np.int64), n - 2)
    part = places - first
    before, after = (np.take_along_axis(ascending, first + step, axis=1) for step in (0, 1))
    with np.errstate(invalid="ignore"):
        found = np.where(part < 0.5, before + (after - before) * part, after - (after - before) * (1 - part))
    return np.asarray(found)


def _accelerations(jackknife: FloatArray) -> FloatArray:
    """Return the BCa acceleration of each row, as `intervals.acceleration` does."""
    n_rows, n = jackknife.shape
    found = np.full(n_rows, np.nan)
    if n < 2:
        return found
    finite = np.isfinite(jackknife).all(axis=1)
    values = jackknife[finite]
    influence = (n - 1) * (values.mean(axis=1, keepdims=True) - values) / n
    cubes, squares = (influence**3).sum(axis=1), (influence**2).sum(axis=1)
    rounding = tie_tolerances(values)
    found[finite] = [
        cube / square**1.5 / 6 if math.sqrt(square) > slack else math.nan
        for cube, square, slack in zip(cubes.tolist(), squares.tolist(), rounding.tolist(), strict=True)
    ]
    return found
