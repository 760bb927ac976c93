"""Sign-flip tails of thousands of simulated data sets: exact where that is quick, else to about a thousandth of them.

`sign_flips` is exact for one data set and takes about a millisecond; a power curve has tens of thousands, for which
this takes a fiftieth of that. Few items are enumerated, advantages of one size give the sign test, and otherwise the
signs of the largest items are enumerated while the sum of the others follows Edgeworth's expansion. (The saddlepoint
formula of Lugannani and Rice failed where a few items dominate.) docs/how-to/plan.md has the errors.
"""

import math

import numpy as np

from howsure.data.scales import FloatArray
from howsure.inference.edgeworth import Tails, edgeworth_tail
from howsure.inference.sign_flips import grid_step

ENUMERATED = 12
"""Up to this many items all 2ᴺ exchanges are counted."""

DOUBT = (0.1, 8.0)
"""How far the log of a tail by expansion may be off: at least, and for each unit of the fourth cumulant."""

HELD_SUMS = 1 << 16
"""How many sums with signs are held at a time."""

FINE, SEEN = 1 << 10, 20_000
"""A grid with more steps than this between the smallest and the largest advantage changes no tail; it is looked for in
so many of the advantages."""


def simulated_sign_flips(rows: FloatArray, *, near: float | None = None) -> Tails:
    """Return P(Σ ±c ≤ Σ c) and P(Σ ±c ≥ Σ c) of each row of unit sums c.

    With `near`, only whether a tail lies above or below it matters: where the expansion alone leaves no doubt, nothing
    is enumerated.

    Examples
    --------
    >>> less, greater = simulated_sign_flips(np.array([[1.0, 2.0, 3.0, 4.0]]))
    >>> float(greater[0])  # one arrangement of 16
    0.0625
    """
    from scipy.special import bdtr

    sizes = np.abs(rows)
    largest = sizes.max(axis=1, keepdims=True)
    if rows.shape[1] <= ENUMERATED:
        return _enumerated(rows)
    if bool(np.all((sizes <= 1e-9 * largest) | (sizes >= (1 - 1e-9) * largest))):
        above = (rows > largest / 2).sum(axis=1)
        below = (rows < -largest / 2).sum(axis=1)
        differ = above + below
        return tuple(np.where(differ > 0, bdtr(side, differ, 0.5), 1.0) for side in (above, below))  # type: ignore[return-value]
    return _expanded(rows, near)


def _enumerated(rows: FloatArray) -> Tails:
    """Return the shares of all 2ⁿ exchanges."""
    n = rows.shape[1]
    sums = rows.sum(axis=1, keepdims=True)
    tie = 1e-10 * np.abs(rows).sum(axis=1, keepdims=True)
    patterns = 1.0 - 2.0 * ((np.arange(2**n) >> np.arange(n)[:, np.newaxis]) % 2)
    less, greater = np.empty(len(rows)), np.empty(len(rows))
    for start in range(0, len(rows), 256):
        part = slice(start, start + 256)
        draws = rows[part] @ patterns
        less[part] = (draws <= sums[part] + tie[part]).mean(axis=1)
        greater[part] = (draws >= sums[part] - tie[part]).mean(axis=1)
    return less, greater


def _expanded(rows: FloatArray, near: float | None) -> Tails:
    """Return the tails by Edgeworth's expansion; where that is too rough, the largest items are enumerated first."""
    sums = rows.sum(axis=1)
    squares = np.square(rows)
    variance = squares.sum(axis=1)
    varies = variance > 0
    safe = np.where(varies, variance, 1.0)
    x = np.abs(sums) / np.sqrt(safe)
    kurtosis = -2 * np.einsum("ij,ij->i", squares, squares) / safe**2  # the fourth cumulant of ±c is −2c⁴
    step = _step(rows)
    between = np.maximum(0.0, np.abs(sums) - step / 2) / np.sqrt(safe)  # on a grid: half a step before
    upper = edgeworth_tail(between, 0.0, kurtosis)
    low, high = (1e-5, 0.3) if near is None else _doubtful(near, kurtosis)
    close = np.flatnonzero(varies & (upper > low) & (upper < high))
    if close.size:
        upper[close] = _largest_enumerated(rows[close], np.abs(sums[close]) - step / 2)
    # The other tail holds the observed sum, too: the two overlap by one step of the grid.
    lower = np.minimum(1.0, 1 - upper + step * np.exp(-np.square(x) / 2) / np.sqrt(2 * math.pi * safe))
    upper, lower = np.where(varies, upper, 1.0), np.where(varies, lower, 1.0)
    return np.where(sums >= 0, lower, upper), np.where(sums >= 0, upper, lower)


def _doubtful(near: float, kurtosis: FloatArray) -> Tails:
    """Return the range of expanded tails for which the true tail may lie on either side of `near`.

    What the expansion leaves out grows with the fourth cumulant; docs/how-to/plan.md says how this was checked.
    """
    factor = np.exp(np.minimum(DOUBT[0] - DOUBT[1] * kurtosis, 5.0))
    return near / factor, near * factor


def _largest_enumerated(rows: FloatArray, bound: FloatArray) -> FloatArray:
    """Return P(Σ ±c ≥ bound): all signs of the largest terms, and an expansion for the sum of the others.

    A sum of random signs differs from the normal because of a few large terms, and these are enumerated.
    """
    n = rows.shape[1]
    n_listed = 12 if n <= 32 else 10 if n <= 64 else 8
    sizes = np.partition(np.abs(rows), n - n_listed, axis=1)
    rest = np.square(sizes[:, : n - n_listed])
    variance = rest.sum(axis=1)
    kurtosis = -2 * np.square(rest).sum(axis=1) / np.square(np.where(variance > 0, variance, 1.0))
    tie = 1e-10 * sizes.sum(axis=1)
    largest = np.ascontiguousarray(sizes[:, n - n_listed :])
    size = HELD_SUMS >> n_listed
    parts = [slice(row, row + size) for row in range(0, len(largest), size)]
    columns = (largest, variance, kurtosis, bound, tie)
    return np.concatenate([tails_with_rest(*(each[part] for each in columns)) for part in parts])


def tails_with_rest(
    largest: FloatArray, variance: FloatArray, kurtosis: FloatArray, bound: FloatArray, tie: FloatArray
) -> FloatArray:
    """Return P(sum ≥ bound) in each row: all signs of the largest terms, Edgeworth's expansion for the sum of the rest.

    The rest has this variance and this fourth cumulant over squared variance; without variance there is no rest.
    """
    sums = np.zeros((len(largest), 1))
    for sizes in largest.T[..., np.newaxis]:
        sums = np.concatenate([sums + sizes, sums - sizes], axis=1)
    left = bound[:, np.newaxis] - sums
    with np.errstate(invalid="ignore", divide="ignore"):
        x = np.clip(left / np.sqrt(variance)[:, np.newaxis], -9.0, 9.0)
    upper = edgeworth_tail(x, 0.0, kurtosis[:, np.newaxis])
    return np.asarray(np.where(variance > 0, upper.mean(axis=1), (left <= tie[:, np.newaxis]).mean(axis=1)))


def _step(rows: FloatArray) -> float:
    """Return how far apart neighbouring sums of ±c are: twice the grid of the terms, 0 where they have none."""
    sizes = np.unique(np.abs(rows[: max(1, SEEN // rows.shape[1])]))
    sizes = sizes[sizes > 0]
    if not 0 < sizes.size <= FINE:
        return 0.0
    step = grid_step(sizes, 1e-9 * float(sizes[-1]))
    return 2 * step if step * FINE > float(sizes[-1]) else 0.0
