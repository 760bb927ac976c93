"""The edges of a histogram's bars: around each value where values lie on a grid, else in equal steps."""

import math

import numpy as np

from howsure.data.scales import FloatArray

MOST = 40
"""About this many bars fit into a picture."""
MOST_VALUES = 5000
"""More distinct values than this make no grid that a reader could see."""


def bin_edges(values: FloatArray, most: int = MOST) -> FloatArray:
    """Return the edges of at most `most` bars.

    Means of five answers that are 0 or 1 fall into six bars. On a finer grid all bars hold the same number of grid
    values, so that none is higher only because it holds one more. Without a grid the width is Freedman and Diaconis's.

    Examples
    --------
    >>> bin_edges(np.array([0.0, 0.2, 0.4, 1.0])).round(2).tolist()
    [-0.1, 0.1, 0.3, 0.5, 0.7, 0.9, 1.1]
    """
    values = values[np.isfinite(values)]
    known = np.unique(values)
    if known.size < 2:
        middle = float(known[0]) if known.size else 0.0
        return np.array([middle - 0.5, middle + 0.5])
    low, high = float(known[0]), float(known[-1])
    step = grid_step(known)
    if step:
        places = round((high - low) / step) + 1
        together = math.ceil(places / most)
        starts = np.arange(math.ceil(places / together) + 1, dtype=np.float64)
        return np.asarray(low - step / 2 + step * together * starts, dtype=np.float64)
    first, third = np.quantile(values, [0.25, 0.75])
    width = 2 * (third - first) / values.size ** (1 / 3)
    n_bins = most if width <= 0 else min(most, max(1, math.ceil((high - low) / width)))
    return np.linspace(low, high, n_bins + 1)


def grid_step(known: FloatArray) -> float:
    """Return the step of the grid on which sorted distinct values lie; 0 where there is none worth showing.

    Examples
    --------
    >>> grid_step(np.array([0.0, 0.2, 0.8])), grid_step(np.array([0.0, 0.31, 0.8]))
    (0.2, 0.0)
    """
    if not 2 <= known.size <= MOST_VALUES:
        return 0.0
    span = float(known[-1] - known[0])
    gaps = np.diff(known)
    gaps = gaps[gaps > 1e-9 * span]  # rounding makes no new value
    step = float(gaps.min())
    steps = gaps / step
    if np.abs(steps - np.rint(steps)).max() > 1e-3 or span / step > 20 * known.size:
        return 0.0
    return span / round(span / step)
