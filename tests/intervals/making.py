"""Intervals of one data set by the arguments that each kind takes."""

import numpy as np

from howsure.intervals import interval


def percentile(draws, **asked):
    return interval("percentile", draws, **asked)


def basic(draws, estimate, **asked):
    return interval("basic", draws, estimate=estimate, **asked)


def bca(draws, estimate, **asked):
    return interval("bca", draws, estimate=estimate, **asked)


def studentised(draws, estimate, **asked):
    return interval("studentised", draws, estimate=estimate, **asked)


def symmetric(draws, estimate, *, advantages, **asked):
    """The jackknife is that of units whose estimate this is: leaving one out gives it back."""
    items = np.asarray(advantages, dtype=float)
    left = (items.size * estimate - items) / (items.size - 1)
    return interval("symmetric", draws, estimate=estimate, jackknife=left, **asked)
