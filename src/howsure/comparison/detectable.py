"""The smallest true advantage that a study like this one would find 8 times in 10."""

import math
from statistics import NormalDist

import numpy as np

from howsure.inference.combined_error import CombinedError
from howsure.inference.evidence import Evidence
from howsure.inference.solving import POWER, root
from howsure.nulls import Null

STEPS = 32
"""The number of equally likely ranges of an estimated variance."""


def detectable(
    standard_error: float, evidence: Evidence, null: Null, confidence_level: float, alternative: str
) -> float:
    """Return the smallest advantage that a study with this error finds with a power of 0.8.

    It is infinite where there are too few items (or clusters) for any p-value to be small enough.
    """
    sides = 2 if alternative == "two-sided" else 1
    tail = (1 - confidence_level) / sides
    if evidence.rater_error is not None:
        return of_parts(evidence.rater_error, tail)
    df = float(evidence.df[0])
    if not null.can_reject(evidence.n_units, tail):
        return math.inf
    # By Johnson and Welch's approximation: loading SciPy would take as long as a small comparison.
    critical = student(tail, df)
    return standard_error * (
        critical * (1 - 1 / (4 * df)) + NormalDist().inv_cdf(POWER) * math.sqrt(1 + critical**2 / (2 * df))
    )


def of_parts(error: CombinedError, tail: float) -> float:
    """Return the smallest true advantage that is found, where each study estimates the parts of its error itself.

    With few degrees of freedom, its interval is then sometimes much wider and sometimes much narrower than this one.
    The estimates of each part are taken at the middles of `STEPS` equally likely ranges.

    Examples
    --------
    >>> from scipy.special import nctdtr
    >>> found = of_parts(CombinedError((0.25,), (7.0,)), 0.025)
    >>> round(float(1 - nctdtr(7.0, found / 0.5, 2.364624)), 2)
    0.8
    """
    from scipy.special import chdtri, ndtr, stdtrit

    spread = error.standard_error
    if not spread > 0:
        return math.nan
    shares = (np.arange(STEPS) + 0.5) / STEPS
    squares = np.zeros(1)
    for part, df in zip(error.variances, error.dfs, strict=True):
        drawn = part * float(stdtrit(df, tail)) ** 2 * chdtri(df, shares) / df
        squares = (squares[:, np.newaxis] + drawn).ravel()
    reached = np.sqrt(squares)
    most = float(reached.max()) + 10 * spread
    return root(lambda advantage: float(ndtr((advantage - reached) / spread).mean()) - POWER, 0.0, most, relative=1e-6)


def student(tail: float, df: float) -> float:
    """Return the point that Student's t exceeds with this probability, by Cornish and Fisher's series.

    Examples
    --------
    >>> round(student(0.025, 10), 3), round(student(0.05, 4), 2)
    (2.228, 2.13)
    """
    z = NormalDist().inv_cdf(1 - tail)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / df**power for power, term in enumerate(terms, 1))
