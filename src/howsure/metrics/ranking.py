"""Rank correlations of item means: whether the model orders the items as gold does."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from howsure.data.scales import FloatArray
from howsure.metrics.base import Better, Ignored, Metric
from howsure.metrics.distribution import rows_of
from howsure.metrics.weighted import MOST_ENTRIES, PairCorrelation, RankCorrelation, Repeated, Weighted

Ranks = npt.NDArray[np.int32]


@dataclass(frozen=True)
class RankMetric(Metric):
    """What the rank correlations share."""

    regular: ClassVar[bool] = True
    better: ClassVar[Better] = "higher"
    ignores: ClassVar[Ignored] = "magnitude"
    by_weights: ClassVar[bool] = True
    of_weights: ClassVar[Callable[..., Weighted]]

    @abstractmethod
    def of_ranks(self, gold: Ranks, model: Ranks) -> FloatArray:
        """Return the correlation of rows of doubled ranks."""

    def weighted(self, gold: FloatArray, *models: FloatArray) -> Weighted:
        """Return an object that scores weights of the items: draws that keep all responses need no more."""
        return type(self).of_weights(gold, *models) if gold.size <= MOST_ENTRIES else Repeated(self, gold, *models)

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
        return self.of_ranks(doubled_ranks(gold), doubled_ranks(model))

    def scores(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the scores of A and of B; gold is ranked once."""
        of_gold, of_a, of_b = map(doubled_ranks, (gold, a, b))
        return self.of_ranks(of_gold, of_a), self.of_ranks(of_gold, of_b)


@dataclass(frozen=True)
class Spearman(RankMetric):
    """Spearman's rank correlation of item means; undefined (NaN) where one side is constant."""

    name: ClassVar[str] = "spearman"
    title: ClassVar[str] = "Spearman correlation"
    formula: ClassVar[str] = "Spearman's rank correlation of the item means of model and gold"
    of_weights: ClassVar[Callable[..., Weighted]] = RankCorrelation

    def of_ranks(self, gold: Ranks, model: Ranks) -> FloatArray:
        """Return the product-moment correlation of the ranks."""
        from howsure.metrics import _rank_kernels

        shape = np.broadcast_shapes(gold.shape[:-1], model.shape[:-1])
        products = _rank_kernels.rank_products(rows_of(gold, shape), rows_of(model, shape))
        shared, of_gold, of_model = products.reshape(3, *shape)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(shared / np.sqrt(of_gold * of_model))


@dataclass(frozen=True)
class Kendall(RankMetric):
    """Kendall's τ-b of item means; undefined (NaN) where one side is constant."""

    name: ClassVar[str] = "kendall"
    title: ClassVar[str] = "Kendall correlation"
    formula: ClassVar[str] = "Kendall's τ-b of the item means of model and gold"
    of_weights: ClassVar[Callable[..., Weighted]] = PairCorrelation

    def of_ranks(self, gold: Ranks, model: Ranks) -> FloatArray:
        """Return (concordant − discordant) / √((pairs − ties in gold)(pairs − ties in model))."""
        from howsure.metrics import _rank_kernels

        shape = np.broadcast_shapes(gold.shape[:-1], model.shape[:-1])
        return np.asarray(_rank_kernels.kendall(rows_of(gold, shape), rows_of(model, shape))).reshape(shape)


def ranks(values: FloatArray) -> FloatArray:
    """Return ranks along the last axis, from 1; tied values share the mean of their ranks.

    Neighbours that differ only by rounding (1e-12 of the row's largest value) are tied: means of the same responses
    in another order differ in their last bits.
    """
    return np.asarray((doubled_ranks(values) + (values.shape[-1] + 1)) * 0.5)


def doubled_ranks(values: FloatArray) -> Ranks:
    """Return twice the distance of each rank from the middle one: whole numbers."""
    from howsure.metrics import _rank_kernels

    rows = rows_of(values, values.shape[:-1])
    n = rows.shape[-1]
    bits = (n - 1).bit_length()
    if rows.size and bits <= _rank_kernels.INDEX_BITS:
        lows, highs, found = rows.min(axis=-1), rows.max(axis=-1), np.empty(rows.shape, dtype=np.int32)
        if _rank_kernels.count_ranks(rows, lows, highs, found):
            return found.reshape(values.shape)
        keys, finite = _rank_kernels.sort_keys(rows, lows, highs, bits)
        if finite:
            keys.sort(axis=-1)
            if _rank_kernels.ranks_of_keys(rows, lows, highs, keys, bits, found):
                return found.reshape(values.shape)
    # NumPy's sort uses the processor's vector instructions: an argsort five times as fast as a compiled one.
    sorted_anew = 2 * _rank_kernels.ranks(rows, np.argsort(rows, axis=-1)) - (n + 1)
    return np.asarray(sorted_anew, dtype=np.int32).reshape(values.shape)


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
    untied = n * (n + 1) * (2 * n + 1) / 6
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
