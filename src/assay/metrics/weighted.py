"""Metrics of order on weighted entries: what makes their draws as cheap as a few passes over the items.

A draw that keeps all responses is a weight for each item; a draw that swaps items chooses one of two entries of each.
Both are weights of entries whose order is known, so that nothing is sorted or scored anew.
"""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from assay.metrics.base import ROUNDING
from assay.scales import FloatArray, IntArray

Weights = npt.NDArray[np.int16]
Bounds = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]

LANES = 8
"""So many draws are scored at a time, side by side."""

FEW_ENTRIES = 4096
"""Up to so many entries a tree of counts stays near the processor, and is faster than inversions level by level."""


@dataclass(frozen=True, slots=True)
class Order:
    """The entries from the smallest value to the largest; `ends` marks the last of those that are equal."""

    entries: npt.NDArray[Any]
    ends: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, values: FloatArray, *, within: IntArray | None = None) -> "Order":
        """Put values in order; within equal values of `within` where that is given."""
        entries = np.argsort(values) if within is None else np.lexsort((values, within))
        tie = ROUNDING * float(np.abs(values).max(initial=0.0))
        apart = np.abs(np.diff(values[entries])) > tie
        if within is not None:
            apart |= np.diff(within[entries]) != 0
        return cls(entries, np.append(apart, True))

    def groups(self) -> IntArray:
        """Return the number of each entry's group of equal values."""
        out = np.empty_like(self.entries)
        out[self.entries] = np.concatenate([[0], np.cumsum(self.ends[:-1])])
        return out

    def __getitem__(self, entries: IntArray) -> "Order":
        """Return the same order of entries that are renumbered: `entries` in their new sequence."""
        places = np.empty_like(entries)
        places[entries] = np.arange(entries.size)
        return Order(places[self.entries].astype(np.int32), self.ends)

    def bounds(self) -> "Bounds":
        """Return where the group of each entry starts and stops; nothing where no two are equal."""
        if self.ends.all():
            return np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int32)
        stops = np.flatnonzero(self.ends) + 1
        sizes = np.diff(stops, prepend=0)
        return np.repeat(stops - sizes, sizes).astype(np.int32), np.repeat(stops, sizes).astype(np.int32)


class Weighted(Protocol):
    """What scores weights of entries, with one model or with several."""

    def scores(self, weights: Weights) -> FloatArray:
        """Return the score of each model for each draw of (draws, entries): (models, draws)."""


class Room:
    """Arrays that are used again: fresh memory costs more than what is done with it. Threads may share a room."""

    def __init__(self, shape: tuple[int, ...], kind: npt.DTypeLike) -> None:
        self.shape, self.kind = shape, kind
        self._spare: deque[npt.NDArray[Any]] = deque()

    @contextmanager
    def lent(self) -> Iterator[npt.NDArray[Any]]:
        """Lend an array for a while; what is in it is left from others."""
        try:
            array = self._spare.pop()
        except IndexError:
            array = np.empty(self.shape, dtype=self.kind)
        yield array
        self._spare.append(array)


class Repeated:
    """Any metric: entries are written out as often as they weigh. The plain way, and the one for very many entries."""

    def __init__(self, metric: Any, gold: FloatArray, *models: FloatArray) -> None:
        self.metric, self.gold, self.models = metric, gold, models

    def scores(self, weights: Weights) -> FloatArray:
        """Score draw after draw."""
        return np.array(
            [
                [float(self.metric.score(np.repeat(self.gold, row), np.repeat(model, row))) for row in weights]
                for model in self.models
            ]
        )


MOST_ENTRIES = 2**24
"""Rank and weight of up to so many entries fit into one word."""


class RankCorrelation:
    """Spearman's correlation of gold and each model; gold is ranked once for all of them."""

    def __init__(self, gold: FloatArray, *models: FloatArray) -> None:
        order = Order.of(gold)
        self.room = Room((2, gold.size, LANES), np.uint32)
        self.gold = (order.entries.astype(np.int32), *order.bounds())
        self.models = [
            (renumbered.entries, *renumbered.bounds())
            for renumbered in (Order.of(model)[order.entries] for model in models)
        ]

    def scores(self, weights: Weights) -> FloatArray:
        """Return one correlation for each model and draw of (draws, entries)."""
        from assay.metrics._weighted_kernels import cubes_of, rank, rank_both, side_by_side

        parts = np.empty((len(self.models), 5, _whole(len(weights))))
        tied_gold, tied = self.gold[1].size > 0, [model[1].size > 0 for model in self.models]
        with self.room.lent() as (rows, ranked):
            if len(rows) <= FEW_ENTRIES:
                for part, model in zip(parts, self.models, strict=True):
                    rank_both(self.gold, model, weights, rows, ranked, part)
            else:
                for low in range(0, parts.shape[2], LANES):
                    lanes = slice(low, low + LANES)
                    side_by_side(weights[lanes], rows)
                    total, _, in_gold = rank(*self.gold, rows, ranked)
                    alone = cubes_of(rows)
                    for part, model in zip(parts, self.models, strict=True):
                        part[:, lanes] = total, in_gold, alone, *rank(*model, ranked, rows[:0])[1:]
        total, in_gold, alone = parts[0, :3]
        shared, in_models = parts[:, 3], parts[:, 4]
        centre, of_gold = total * np.square(total + 1), _squared_ranks(total, in_gold if tied_gold else alone)
        cubes = np.where(np.array(tied)[:, np.newaxis], in_models, alone)
        spread = (of_gold - centre) * (_squared_ranks(total, cubes) - centre)
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = np.where(spread > centre * centre * 1e-24, (shared - centre) / np.sqrt(spread), np.nan)
        return ratio[:, : len(weights)]


def _whole(n_draws: int) -> int:
    """Return how many draws there are when the last lanes are filled up."""
    return -(-n_draws // LANES) * LANES


def _squared_ranks(total: FloatArray, cubes: FloatArray) -> FloatArray:
    """Return the sum of squared doubled ranks of so many entries whose ties have these cubed sizes in sum."""
    return np.asarray((2 * total * (total + 1) * (2 * total + 1) - (cubes - total)) / 3)


class Area:
    """The area under the ROC curve of each model; which entries are positive is known."""

    def __init__(self, positive: npt.NDArray[np.bool_], *models: FloatArray) -> None:
        self.room = Room((positive.size, LANES), np.int16)
        orders = [Order.of(model) for model in models]
        self.models = [(positive[each.entries], each.entries.astype(np.int32), *each.bounds()) for each in orders]

    def scores(self, weights: Weights) -> FloatArray:
        """Return one area for each model and draw of (draws, entries)."""
        from assay.metrics._weighted_kernels import areas

        parts = np.empty((len(self.models), 3, _whole(len(weights))))
        with self.room.lent() as rows:
            for part, (positive, entries, starts, stops) in zip(parts, self.models, strict=True):
                areas(positive, (entries, starts, stops), weights, rows, part)
        twice_above, positives, negatives = np.moveaxis(parts, 1, 0)
        pairs = positives * negatives
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(pairs > 0, twice_above / 2 / pairs, np.nan)[:, : len(weights)]


class PairCorrelation:
    """Kendall's τ-b of gold and each model: with few entries by a tree of counts, else by inversions (Knight 1966)."""

    def __init__(self, gold: FloatArray, *models: FloatArray) -> None:
        kind = TreeCounts if gold.size <= FEW_ENTRIES else Inversions
        self.models: list[TreeCounts | Inversions] = [kind(gold, model) for model in models]

    def scores(self, weights: Weights) -> FloatArray:
        """Return one correlation for each model and draw of (draws, entries)."""
        return np.array([model.scores(weights) for model in self.models])


class TreeCounts:
    """Pairs of few entries, counted by a tree."""

    def __init__(self, gold: FloatArray, model: FloatArray) -> None:
        order = Order.of(gold)
        self.entries, self.ends = order.entries, order.ends
        self.codes = (Order.of(model).groups()[self.entries] + 1).astype(np.int32)

    def scores(self, weights: Weights) -> FloatArray:
        """Return one correlation for each draw."""
        from assay.metrics._concordance_kernels import kendall

        in_order = np.take(weights, self.entries, axis=1)
        return np.asarray(kendall(self.ends, self.codes, int(self.codes.max(initial=0)), in_order))


class Inversions:
    """Pairs of many entries, counted as merge sort meets them."""

    def __init__(self, gold: FloatArray, model: FloatArray) -> None:
        self.room = Room((gold.size, LANES), np.int16)
        of_gold, of_model = Order.of(gold), Order.of(model)
        # By gold, and by the model where gold is equal: so ties are no inversions.
        of_both = of_gold if of_gold.ends.all() else Order.of(model, within=of_gold.groups())
        self.entries = of_both.entries.astype(np.int32)
        self.ties = [None if order.ends.all() else order for order in (of_gold, of_model, of_both)]
        self.levels = merge_levels(of_model.groups()[self.entries])

    def scores(self, weights: Weights) -> FloatArray:
        """Return one correlation for each draw."""
        from assay.metrics._concordance_kernels import pairs_in_order, sums_of, tied_pairs
        from assay.metrics._weighted_kernels import side_by_side

        total, alone = (np.asarray(each) for each in sums_of(weights))
        pairs = total * (total - 1) / 2
        # Without equal values, the only equal entries are copies of one.
        in_gold, in_model, in_both = (
            (alone - total) / 2 if order is None else tied_pairs(order.entries, order.ends, weights)
            for order in self.ties
        )
        in_order = np.empty(len(weights))
        with self.room.lent() as rows:
            for low in range(0, len(weights), LANES):
                part = weights[low : low + LANES]
                side_by_side(part, rows)
                found = pairs_in_order(self.levels, self.entries, rows, int(total.max(initial=0)))
                in_order[low : low + LANES] = found[: len(part)]
        wrong = (np.square(total) - alone) / 2 - in_order
        right = pairs - in_gold - in_model + in_both - wrong
        scale = np.sqrt(pairs - in_gold) * np.sqrt(pairs - in_model)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.where(scale > 0, (right - wrong) / scale, np.nan))


def merge_levels(values: IntArray) -> npt.NDArray[np.int32]:
    """Return the places in the order of their values within blocks of 2, 4, 8 … places, equal ones in their sequence.

    Examples
    --------
    >>> merge_levels(np.array([3, 1, 2, 0]))
    array([[1, 0, 3, 2],
           [3, 1, 2, 0]], dtype=int32)
    """
    from assay.metrics._concordance_kernels import merge_orders

    order = np.argsort(values, kind="stable").astype(np.int32)
    return np.asarray(merge_orders(order, max(1, int(order.size - 1).bit_length())))
