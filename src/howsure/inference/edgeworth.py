"""Tails of means of many items by Edgeworth's expansion, for thousands of simulated data sets at once.

A tail is off by about 1/n, which docs/how-to/plan.md measures against enumeration and brute force.
"""

import math

import numpy as np

from howsure.data.scales import FloatArray

Tails = tuple[FloatArray, FloatArray]
"""P(draw ≤ data) and P(draw ≥ data), by data set."""


def edgeworth_tail(x: FloatArray, skewness: FloatArray | float, kurtosis: FloatArray) -> FloatArray:
    """Return the upper tail at x of a standardised sum with these third and fourth cumulants (Hall 1992, eq. 2.17)."""
    from scipy.special import ndtr  # loading it takes 80 ms, which a comparison without it does not pay

    square = np.square(x)  # NumPy's power takes ten times as long
    terms = kurtosis / 24 * x * (square - 3)
    if np.any(skewness):
        terms = terms + skewness / 6 * (square - 1) + np.square(skewness) / 72 * x * (square * (square - 10) + 15)
    density = np.exp(-square / 2) / math.sqrt(2 * math.pi)
    return np.asarray(np.clip(ndtr(-x) + density * terms, 0.0, 1.0))


def symmetric_tails(observed: FloatArray, variance: FloatArray, kurtosis: FloatArray) -> Tails:
    """Return the tails at `observed` of a symmetric sum with this variance, and fourth cumulant over its square."""
    with np.errstate(invalid="ignore", divide="ignore"):
        z = np.where(variance > 0, observed / np.sqrt(variance), np.where(observed == 0, 0.0, np.sign(observed) * 1e9))
    upper = edgeworth_tail(np.abs(z), 0.0, kurtosis)
    greater = np.where(z >= 0, upper, 1 - upper)
    return 1 - greater, greater


def bootstrap_tails(rows: FloatArray, shift: FloatArray) -> Tails:
    """Return P(mean of drawn items − mean ≤ shift), and ≥, where the items of each row are drawn with replacement."""
    n = rows.shape[1]
    centred = rows - rows.mean(axis=1, keepdims=True)
    squares = np.square(centred)
    variance = squares.mean(axis=1)
    varies = variance > 0
    safe = np.where(varies, variance, 1.0)
    skewness = (squares * centred).mean(axis=1) / safe**1.5 / math.sqrt(n)
    kurtosis = (np.square(squares).mean(axis=1) / safe**2 - 3) / n
    upper = edgeworth_tail(shift / np.sqrt(safe / n), skewness, kurtosis)
    greater = np.where(varies, upper, (shift <= 0).astype(np.float64))
    return np.where(varies, 1 - upper, (shift >= 0).astype(np.float64)), greater
