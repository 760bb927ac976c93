"""Rank correlations of item means: whether the model orders the items as gold does."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from howsure.data.scales import FloatArray, IntArray
from howsure.metrics.base import ROUNDING, Better, Ignored, Metric


@dataclass(frozen=True)
class RankMetric(Metric):
    """What the rank correlations share."""

    regular: ClassVar[bool] = True
    better: ClassVar[Better] = "higher"
    ignores: ClassVar[Ignored] = "magnitude"

    @abstractmethod
    def of_ranks(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return the correlation of rows of ranks."""

    def notes(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> list[str]:
        """Say which sides give all items the same mean, so that they put them in no order."""
        sides = {"gold": gold, "A": a, "B": b}
        flat = [name for name, side in sides.items() if len(side) > 1 and ranks(side).min() == ranks(side).max()]
        if not flat:
            return []
        give = "gives" if len(flat) == 1 else "give"
        return [f"The {self.title} is undefined: {' and '.join(flat)} {give} all items the same mean answer."]

    def score(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return the correlation of the ranks."""
        return self.of_ranks(ranks(gold), ranks(model))

    def scores(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the scores of A and of B; gold is ranked once."""
        of_gold, of_a, of_b = map(ranks, (gold, a, b))
        return self.of_ranks(of_gold, of_a), self.of_ranks(of_gold, of_b)


@dataclass(frozen=True)
class Spearman(RankMetric):
    """Spearman's rank correlation of item means; undefined (NaN) where one side is constant."""

    name: ClassVar[str] = "spearman"
    title: ClassVar[str] = "Spearman correlation"
    formula: ClassVar[str] = "Spearman's rank correlation of the item means of model and gold"

    def of_ranks(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return the product-moment correlation of the ranks."""
        middle = (gold.shape[-1] + 1) / 2
        x, y = gold - middle, model - middle
        shared, of_gold, of_model = (np.einsum("...i,...i->...", *pair) for pair in ((x, y), (x, x), (y, y)))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(shared / np.sqrt(of_gold * of_model))


@dataclass(frozen=True)
class Kendall(RankMetric):
    """Kendall's τ-b of item means; undefined (NaN) where one side is constant."""

    name: ClassVar[str] = "kendall"
    title: ClassVar[str] = "Kendall correlation"
    formula: ClassVar[str] = "Kendall's τ-b of the item means of model and gold"

    def of_ranks(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return (concordant − discordant) / √((pairs − ties in gold)(pairs − ties in the model)) (Kendall 1945)."""
        gold, model = np.broadcast_arrays(gold, model)
        n = gold.shape[-1]
        pairs = n * (n - 1) / 2
        # Ranks are halves of whole numbers, so that one number orders by gold and, where gold is tied, by the model.
        both = gold * (2 * n + 2) + model
        order = np.argsort(both, axis=-1)
        in_gold, in_model, in_both = (_tied_pairs(np.sort(side, axis=-1)) for side in (gold, model, both))
        discordant = inversions(np.take_along_axis(model, order, axis=-1))
        concordant = pairs - in_gold - in_model + in_both - discordant
        scale = np.sqrt(pairs - in_gold) * np.sqrt(pairs - in_model)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(scale > 0, (concordant - discordant) / scale, np.nan)


def inversions(rows: FloatArray) -> FloatArray:
    """Return how many pairs of each row stand in the wrong order, counted as merge sort meets them (Knight 1966).

    Examples
    --------
    >>> inversions(np.array([[1.0, 2.0, 3.0], [3.0, 1.0, 2.0], [2.0, 2.0, 1.0]])).tolist()
    [0.0, 2.0, 2.0]
    """
    n, lead = rows.shape[-1], rows.shape[:-1]
    size = 1 << max(n - 1, 1).bit_length()
    padded = np.full((*lead, size), np.inf)
    padded[..., :n] = rows
    total, half = np.zeros(lead), 1
    while half < size:
        blocks = padded.reshape(*lead, size // (2 * half), 2 * half)
        is_second = np.argsort(blocks, axis=-1, kind="stable") >= half
        # A member of the second half is in the wrong order with all of the first half that come after it.
        n_before = np.cumsum(~is_second, axis=-1)
        total += np.einsum("...bk,...bk->...", is_second, half - n_before, dtype=np.float64)
        half *= 2
    return total


def ranks(values: FloatArray) -> FloatArray:
    """Return ranks along the last axis, from 1; tied values share the mean of their ranks.

    Neighbours that differ only by rounding (1e-12 of the row's largest value) are tied: means of the same responses
    in another order differ in their last bits.

    Examples
    --------
    >>> ranks(np.array([0.3, 0.1, 0.1 + 1e-15, 0.9])).tolist()
    [3.0, 1.5, 1.5, 4.0]
    """
    order = np.argsort(values, axis=-1)
    ordered = np.take_along_axis(values, order, axis=-1)
    first, last = tied_places(ordered, largest_tie(ordered))
    found = np.empty(values.shape)
    np.put_along_axis(found, order, (first + last) / 2 + 1, axis=-1)
    return found


def tied_places(ordered: FloatArray, tie: FloatArray | float) -> tuple[IntArray, IntArray]:
    """Return the first and the last place, from 0, of the values that are tied with each value of ascending rows.

    Neighbours are tied that differ by `tie` at most.
    """
    n = ordered.shape[-1]
    place, is_first = np.arange(n), np.ones(ordered.shape, dtype=bool)
    is_first[..., 1:] = np.diff(ordered, axis=-1) > tie
    first = np.maximum.accumulate(np.where(is_first, place, 0), axis=-1)
    is_last = np.roll(is_first, -1, axis=-1)  # the value after a last one is a first one, and so is the very first
    last = np.minimum.accumulate(np.where(is_last, place, n)[..., ::-1], axis=-1)[..., ::-1]
    return first, last


def largest_tie(ordered: FloatArray) -> FloatArray:
    """Return how far apart two values of ascending rows may be that are equal on paper."""
    return np.asarray(ROUNDING * np.maximum(np.abs(ordered[..., :1]), np.abs(ordered[..., -1:])))


def _tied_pairs(ordered: FloatArray) -> FloatArray:
    """Return how many pairs of each ascending row of ranks are tied."""
    first, last = tied_places(ordered, 0.25)
    return np.asarray((last - first).sum(axis=-1) / 2)  # each of t tied values counts the t − 1 others


def swapped_ranks(gold: FloatArray, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the ranks of A and of B as they are swapped between them: neither more nor fewer ties than in the answers.

    Ranks that several items share are joined with those of the other model (`joined_ties`): "yes" of A and "yes" of B
    have other ranks where one says it more often, and once swapped they would no longer be tied.

    The ranks of A and of B that coincide are moved apart. A's item of rank r and B's item of rank r are not tied in the
    answers, but would be once one of them is swapped, and swapped data would then differ less than the answers do. Gold
    says which of the two goes up: at every other shared rank the item that gold puts higher, else the lower one.

    No model's own order changes, and neither rule depends on which model is A.
    """
    gold, a, b = np.broadcast_arrays(gold, a, b)
    n = a.shape[-1]
    rows = np.arange(a.size // n)[:, np.newaxis]
    items, lone = [], np.ones((rows.size, 2 * n + 1), dtype=bool)
    for side in (a, b):
        halves = (2 * side).astype(np.int64).reshape(-1, n)
        item = np.full(lone.shape, -1)
        item[rows, halves] = np.arange(n)
        counts = np.bincount((rows * (2 * n + 1) + halves).ravel(), minlength=lone.size).reshape(lone.shape)
        lone &= counts == 1
        items.append(item)
    row, rank = np.nonzero(lone)
    of_a, of_b = (item[row, rank] for item in items)
    rows_of_gold = gold.reshape(-1, n)
    above = np.sign(rows_of_gold[row, of_a] - rows_of_gold[row, of_b]) * np.where(
        np.cumsum(lone, axis=-1)[row, rank] % 2, 1, -1
    )
    moved_a, moved_b = joined_ties(a.reshape(-1, n), b.reshape(-1, n))
    moved_a[row, of_a] += above / 4
    moved_b[row, of_b] -= above / 4
    return moved_a.reshape(a.shape), moved_b.reshape(b.shape)


def joined_ties(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return rows of ranks in which tied items of A and of B have one rank if each group has the other's in its middle.

    The middle of a group is the rank that its items share; it lies in the group of the other model that has the items
    below and above. Joined groups get the mean of their two ranks, which lies within both.
    """
    n = a.shape[-1]
    untied = n * (n + 1) * (2 * n + 1) / 6  # the sum of the squares of 1 … n, from which ties take
    tied = np.flatnonzero((np.square(a).sum(axis=-1) < untied) & (np.square(b).sum(axis=-1) < untied))
    found = a.copy(), b.copy()
    if tied.size:
        sides = a[tied], b[tied]
        ordered = [np.sort(side, axis=-1) for side in sides]
        for i, own in enumerate(sides):
            partner = _group_at(ordered[1 - i], own)
            mutual = _group_at(ordered[i], np.where(np.isnan(partner), 1.0, partner)) == own
            found[i][tied] = np.where(mutual & ~np.isnan(partner), (own + partner) / 2, own)
    return found


def _group_at(ordered: FloatArray, ranks: FloatArray) -> FloatArray:
    """Return the rank of the group in which each rank lies, of sorted ranks; NaN for one between two groups."""
    below, above = (
        np.take_along_axis(ordered, rounded(ranks).astype(np.int64) - 1, axis=-1) for rounded in (np.floor, np.ceil)
    )
    return np.where(below == above, below, np.nan)
