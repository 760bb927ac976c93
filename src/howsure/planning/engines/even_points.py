"""Items that are spread evenly: a mean over them is far more precise than over as many independent items.

Every number that makes an item (its mean, its spread, how far B is moved) is one coordinate of a point. The points of
a block are those of a sequence that fills the cube evenly, moved by one random vector: each single item is distributed
as it should, blocks are independent of each other, and how far their means differ says how precise they are.
"""

import math
from functools import lru_cache
from typing import Any, cast

import numpy as np
from scipy.special import betaincinv, betaln, expit, log_expit, logit, ndtri

from howsure.data.scales import FloatArray

PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89)
STEPS = tuple(math.sqrt(prime) % 1 for prime in PRIMES)
"""The step between neighbouring points, by coordinate (Richtmyer 1951); further coordinates are drawn at random."""


def evenly(stream: np.random.Generator) -> np.random.Generator:
    """Return a generator whose uniform, normal and triangular numbers and shares are coordinates of even points.

    The leading axis of a shape is blocks of points; each block is moved by a vector of its own.

    Examples
    --------
    >>> numbers = evenly(np.random.default_rng(0)).random((1, 1000))
    >>> abs(float(numbers.mean()) - 0.5) < 0.001  # of independent ones, ten times as far off
    True
    """
    return cast(np.random.Generator, _Evenly(stream))


class _Evenly:
    """A generator that hands out one coordinate after another, and everything else from a stream."""

    def __init__(self, stream: np.random.Generator) -> None:
        self._stream = stream
        self._used = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def random(self, shape: tuple[int, ...]) -> FloatArray:
        """Return the next coordinate of each point."""
        return self._coordinates(1, shape).reshape(shape)

    def _coordinates(self, n: int, shape: tuple[int, ...]) -> FloatArray:
        """Return the next coordinates of the points of each block: (coordinates, blocks, points)."""
        n_blocks, size = shape[0], math.prod(shape[1:])
        steps = np.array(STEPS[self._used : self._used + n])
        self._used += steps.size
        moved = self._stream.random((n_blocks, steps.size)).T[..., np.newaxis]
        found = moved + np.outer(steps, np.arange(size))[:, np.newaxis]
        found -= np.floor(found)
        if steps.size < n:
            more = self._stream.random((n_blocks, n - steps.size, size))
            found = np.concatenate([found, np.moveaxis(more, 1, 0)])
        return found

    def standard_normal(self, shape: tuple[int, ...]) -> FloatArray:
        """Return the next coordinate as a normal quantile."""
        return np.asarray(ndtri(np.clip(self.random(shape), 1e-16, None)))

    def triangular(self, left: float, mode: float, right: float, shape: tuple[int, ...]) -> FloatArray:
        """Return the next coordinate as a quantile of the triangle."""
        share, width = self.random(shape), right - left
        rising = left + np.sqrt(share * width * (mode - left))
        falling = right - np.sqrt((1 - share) * width * (right - mode))
        return np.where(share * width < mode - left, rising, falling)

    def dirichlet(self, alpha: FloatArray, shape: tuple[int, ...]) -> FloatArray:
        """Return shares: the next coordinates say how much each label takes of what those before it left."""
        coordinates = self._coordinates(len(alpha) - 1, shape)
        taken = _beta_quantiles(tuple(alpha.tolist()), coordinates.reshape(len(coordinates), -1))
        found = np.ones((len(alpha), taken.shape[1]))
        np.cumprod(1 - taken, axis=0, out=found[1:])
        found[:-1] *= taken
        return found.T.reshape(*shape, len(alpha))


REACH, KNOTS = 37.0, 513
"""Log odds within which shares of a beta distribution are tabulated (beyond lies 1e-16), and at how many points."""


def _beta_quantiles(alpha: tuple[float, ...], shares: FloatArray) -> FloatArray:
    """Return the quantiles of each label's share of what is left, from cubics between tabulated log odds."""
    place = (np.clip(logit(shares), -REACH, REACH) + REACH) * ((KNOTS - 1) / (2 * REACH))
    knot = np.minimum(place.astype(np.int64), KNOTS - 2)
    t = place - knot
    knot += KNOTS * np.arange(len(knot))[:, np.newaxis]
    constant, linear, square, cube = (column[knot] for column in _beta_table(alpha))
    return np.asarray(expit(constant + t * (linear + t * (square + t * cube))))


@lru_cache(maxsize=256)
def _beta_table(alpha: tuple[float, ...]) -> FloatArray:
    """Return the cubics that meet the log odds of quantiles and their slopes; far out they are straight lines."""
    odds = np.linspace(-REACH, REACH, KNOTS)
    a, b = (np.array(each)[:, np.newaxis] for each in (alpha[:-1], np.cumsum(alpha[:0:-1])[::-1]))
    # No share is smaller than the smallest number whose logarithm is known.
    quantiles = betaincinv(a, b, expit(odds)), betaincinv(b, a, expit(-odds))
    low, high = (np.log(np.maximum(each, 1e-300)) for each in quantiles)
    value = low - high
    slope = np.exp(log_expit(odds) + log_expit(-odds) + betaln(a, b) - a * low - b * high) * (odds[1] - odds[0])
    rise, left, right = np.diff(value), slope[:, :-1], slope[:, 1:]
    table = np.zeros((4, *value.shape))
    table[..., :-1] = value[:, :-1], left, 3 * rise - 2 * left - right, left + right - 2 * rise
    return table.reshape(4, -1)
