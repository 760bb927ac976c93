"""Items that are spread evenly: a mean over them is far more precise than over as many independent items.

Every number that makes an item (its mean, its spread, how far B is moved) is one coordinate of a point. The points of
a block are those of a sequence that fills the cube evenly, moved by one random vector: each single item is distributed
as it should, blocks are independent of each other, and how far their means differ says how precise they are.
"""

import math
from typing import Any, cast

import numpy as np
from scipy.special import ndtri

from assay.scales import FloatArray

STEPS = tuple(math.sqrt(prime) % 1 for prime in (2, 3, 5, 7, 11, 13, 17, 19))
"""The step between neighbouring points, by coordinate (Richtmyer 1951); further coordinates are drawn at random."""


def evenly(stream: np.random.Generator) -> np.random.Generator:
    """Return a generator whose uniform, normal and triangular numbers are the coordinates of evenly spread points.

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
        if self._used == len(STEPS):
            return self._stream.random(shape)
        size = math.prod(shape)
        found = (self._stream.random() + STEPS[self._used] * np.arange(size)) % 1.0
        self._used += 1
        return np.asarray(found.reshape(shape), dtype=np.float64)

    def standard_normal(self, shape: tuple[int, ...]) -> FloatArray:
        """Return the next coordinate as a normal quantile."""
        return np.asarray(ndtri(np.clip(self.random(shape), 1e-16, None)))

    def triangular(self, left: float, mode: float, right: float, shape: tuple[int, ...]) -> FloatArray:
        """Return the next coordinate as a quantile of the triangle."""
        share, width = self.random(shape), right - left
        rising = left + np.sqrt(share * width * (mode - left))
        falling = right - np.sqrt((1 - share) * width * (right - mode))
        return np.where(share * width < mode - left, rising, falling)
