"""Another difference than the pilot's: A and B are exchanged on a share of its items.

An exchange keeps how often A and B differ and by how much (Σd²), which a study's error depends on; weighting items
anew would not: where all nine items that differ favour A, weights can only make ties of them, and the error came out
at a third of the truth. Items come alone or in clusters, which are exchanged as a whole; an item alone is a cluster of
one.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from howsure.data.contests import Contest
from howsure.data.responses import cluster_codes
from howsure.data.scales import FloatArray
from howsure.intervals import FEW_TELLING

TIE = 1e-12
"""Advantages smaller than this share of the largest are ties."""


@dataclass(frozen=True, slots=True, eq=False)
class PilotUnits:
    """What a study draws and its test exchanges: items, or clusters of items.

    Attributes
    ----------
    codes : array of int
        The unit of each item.
    sizes : array of float
        The items of each unit.
    """

    codes: npt.NDArray[np.int64]
    sizes: FloatArray

    @classmethod
    def of(cls, contest: Contest, cluster: str | None) -> "PilotUnits":
        """Take the clusters of a column, or every item alone."""
        if cluster is None:
            return cls(np.arange(contest.n_items), np.ones(contest.n_items))
        _, codes = cluster_codes(contest.groups, cluster)
        return cls(codes, np.bincount(codes).astype(np.float64))

    @property
    def n(self) -> int:
        """How many there are."""
        return self.sizes.size

    @property
    def alone(self) -> bool:
        """Whether every unit is one item."""
        return self.n == self.codes.size

    @property
    def per_unit(self) -> float:
        """Items of a unit, on average."""
        return float(self.sizes.mean())

    def sums(self, values: FloatArray) -> FloatArray:
        """Return sums over the items of each unit, along the last axis."""
        if self.alone:
            return values
        order = np.argsort(self.codes, kind="stable")
        starts = np.concatenate([[0], np.cumsum(self.sizes)[:-1]]).astype(np.int64)
        return np.asarray(np.add.reduceat(values[..., order], starts, axis=-1))

    def means(self, values: FloatArray) -> FloatArray:
        """Return means over the items of each unit, along the last axis."""
        return values if self.alone else np.asarray(self.sums(values) / self.sizes)


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """The units that studies draw from, by row: those of the pilot, or of a bootstrap sample of it.

    Attributes
    ----------
    weights : array of float
        How often each unit is drawn; rows sum to 1.
    exchanged : array of float
        On which share of its copies A and B are exchanged.
    """

    weights: FloatArray
    exchanged: FloatArray

    @classmethod
    def own(cls, weights: FloatArray) -> "Population":
        """Return units as they are."""
        return cls(weights, np.zeros_like(weights))

    @property
    def signs(self) -> FloatArray:
        """What an exchange leaves of each unit's advantage on average."""
        return np.asarray(1 - 2 * self.exchanged)

    def mean(self, advantages: FloatArray, sizes: FloatArray) -> FloatArray:
        """Return the mean advantage over items, by row."""
        heavy = self.weights * sizes
        return np.asarray((heavy * self.signs) @ advantages / heavy.sum(axis=-1))


def with_difference(weights: FloatArray, advantages: FloatArray, sizes: FloatArray, difference: float) -> Population:
    """Return rows of weights with the exchanges that give a mean advantage, or come nearest to it.

    Up to the own mean a share of all units is exchanged; beyond, a share of those on which the better model loses.
    Where fewer than ten units differ, the largest is added once for either side at half a weight: that a pilot of 60
    shows no item for B does not mean that there is none.
    """
    few = np.count_nonzero(np.abs(advantages) > TIE * np.abs(advantages).max(initial=0.0)) < FEW_TELLING
    if not few or not advantages.any():
        return Population(weights, exchanges(weights * sizes, advantages, difference))
    largest = int(np.argmax(np.abs(advantages)))
    n = weights.shape[-1]
    more = np.concatenate([weights * n, np.full((*weights.shape[:-1], 2), 0.5)], axis=-1) / (n + 1)
    both = np.append(advantages, [advantages[largest], -advantages[largest]])
    found = exchanges(more * np.append(sizes, [sizes[largest]] * 2), both, difference)
    found[..., -1] = 1 - found[..., -1]  # the one for the other side is the largest itself, exchanged
    kept, share = more[..., :-2].copy(), found[..., :-2].copy()
    copies = [largest, -2, -1]
    parts, shares = more[..., copies], found[..., copies]
    kept[..., largest] = parts.sum(axis=-1)
    share[..., largest] = (parts * shares).sum(axis=-1) / kept[..., largest]
    return Population(kept, share)


def exchanges(weights: FloatArray, advantages: FloatArray, difference: float) -> FloatArray:
    """Return the share on which each unit is exchanged so that the weighted mean advantage is the difference.

    Examples
    --------
    >>> exchanges(np.full((1, 4), 0.25), np.array([3.0, 1.0, 0.0, 0.0]), 0.5).tolist()  # half of the own mean of 1
    [[0.25, 0.25, 0.25, 0.25]]
    >>> exchanges(np.full((1, 2), 0.5), np.array([3.0, -1.0]), 1.5).tolist()  # beyond it: half of the one B wins
    [[0.0, 0.5]]
    """
    total = weights.sum(axis=-1)
    own = weights @ advantages / total
    inside = (abs(difference) <= np.abs(own)) & (own != 0)
    share = np.where(inside, (1 - difference / np.where(inside, own, 1.0)) / 2, 0.0)[..., np.newaxis]
    # Beyond: all units change sides if the pilot favours the other model, and then some of those that lose.
    turned = (own * difference < 0)[..., np.newaxis]
    loses = np.where(turned, -1.0, 1.0) * advantages * np.sign(difference) < 0
    lost = (weights * loses) @ np.abs(advantages) / total
    part = np.clip((abs(difference) - np.abs(own)) / (2 * np.where(lost > 0, lost, np.inf)), 0.0, 1.0)[..., np.newaxis]
    beyond = np.where(loses, np.where(turned, 1 - part, part), np.where(turned, 1.0, 0.0))
    return np.asarray(np.where(inside[..., np.newaxis], share, beyond))


def largest_difference(weights: FloatArray, advantages: FloatArray, sizes: FloatArray) -> float:
    """Return the largest mean advantage that exchanges give: the model that wins an item wins all such items."""
    found = with_difference(weights, advantages, sizes, 2 * float(np.abs(advantages).max(initial=0.0)))
    return float(found.mean(advantages, sizes))
