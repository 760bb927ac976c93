"""The possible outcomes of one source's responses to an item, and how likely each is given the item.

An outcome is the number of responses on each level. Where only the mean of the responses matters and the levels are at
equal distances, the sum of the levels' positions is enough, and there are far fewer sums than counts.
"""

import itertools
import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from howsure.models.simulation import derive
from howsure.planning.engines.score_sums import fast_length, power
from howsure.scales import FloatArray, Scale
from howsure.summaries import Needs


@dataclass(frozen=True, slots=True)
class Outcomes:
    """All outcomes of k responses on a scale with levels.

    Examples
    --------
    >>> scale = Scale.of([1, 2, 3])
    >>> Outcomes(scale, 4).size, Outcomes(scale, 4, summed=True).size
    (15, 9)
    """

    scale: Scale
    k: int
    summed: bool = False

    @property
    def size(self) -> int:
        """How many there are; more than `len` could return."""
        last = len(self.scale.levels) - 1
        return self.k * last + 1 if self.summed else math.comb(self.k + last, last)

    def probabilities(self, shares: FloatArray) -> FloatArray:
        """Return the probability of each outcome for each item, from the shares of the levels: (items, outcomes)."""
        if self.summed:
            return sum_probabilities(shares, self.k)
        return outcome_probabilities(shares, compositions(self.k, len(self.scale.levels)))

    def summary(self, needs: Needs) -> FloatArray:
        """Return what a metric needs of each outcome."""
        if not self.summed:
            return derive(compositions(self.k, len(self.scale.levels)), "counts", needs, self.scale)
        assert needs == "means", "sums say no more than means"
        first, last = self.scale.levels[0], self.scale.levels[-1]
        return np.asarray(first + (last - first) * np.arange(self.size) / (self.size - 1))


@lru_cache(maxsize=256)
def are_sums(scale: Scale, needs: tuple[Needs, ...]) -> bool:
    """Whether the sum of an item's responses is all that counts: means, on three or more levels at equal distances."""
    if scale.kind != "ordinal" or len(scale.levels) < 3 or set(needs) != {"means"}:
        return False
    steps = np.diff(scale.levels)
    return bool(np.abs(steps - steps[0]).max() <= 1e-9 * abs(steps[0]))


@lru_cache(maxsize=64)
def compositions(k: int, n_levels: int) -> FloatArray:
    """Return every way in which k responses can fall on the levels: (ways, levels)."""
    bars = itertools.combinations(range(k + n_levels - 1), n_levels - 1)
    edges = np.array(list(bars), dtype=np.int64).reshape(-1, n_levels - 1)
    padded = np.hstack([np.full((len(edges), 1), -1), edges, np.full((len(edges), 1), k + n_levels - 1)])
    return (np.diff(padded, axis=1) - 1).astype(np.float64)


def outcome_probabilities(shares: FloatArray, outcomes: FloatArray) -> FloatArray:
    """Return the multinomial probability of each outcome for each item: (items, outcomes)."""
    from scipy.special import gammaln

    k = outcomes[0].sum()
    ways = gammaln(k + 1) - gammaln(outcomes + 1).sum(axis=1)
    logs = np.log(np.maximum(shares, 1e-300))
    return np.asarray(np.exp(logs @ outcomes.T + ways))


def sum_probabilities(shares: FloatArray, k: int) -> FloatArray:
    """Return the probability of each sum of k places 0, 1, …, L − 1 for each item: the k-fold convolution.

    Examples
    --------
    >>> sum_probabilities(np.array([[0.5, 0.0, 0.5]]), 2).round(12).tolist()
    [[0.25, 0.0, 0.5, 0.0, 0.25]]
    """
    n_sums = k * (shares.shape[-1] - 1) + 1
    size = fast_length(n_sums)
    found = np.fft.irfft(power(np.fft.rfft(shares, size, axis=-1), k), size, axis=-1)[..., :n_sums]
    return np.maximum(found, 0.0)


@lru_cache(maxsize=256)
def log_factorials(k: int) -> FloatArray:
    """Return log 0!, …, log k!."""
    from scipy.special import gammaln

    return np.asarray(gammaln(np.arange(k + 1) + 1.0))
