"""Metrics of order on weighted entries, which makes their draws as cheap as a few passes over the items.

A draw that keeps all responses is a weight for each item; a draw that swaps items chooses one of two entries of each.
Both are weights of entries whose order is known, so that nothing is sorted again.
"""

import math
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from howsure.data.scales import FloatArray, IntArray
from howsure.metrics.base import ROUNDING

Weights = npt.NDArray[np.uint8]

LINE = 64
"""Bytes that a processor fetches at a time."""


@dataclass(frozen=True, slots=True)
class Order:
    """The entries from the smallest value to the largest; `ends` marks the last of those that are equal."""

    entries: npt.NDArray[Any]
    ends: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, values: FloatArray, *, within: IntArray | None = None) -> "Order":
        """Put values in order; within equal values of `within` where that is given."""
        from howsure.metrics._rank_kernels import last_of_equals

        entries = in_order(values) if within is None else np.lexsort((values, within))
        ends = last_of_equals(values, entries, ROUNDING * float(np.abs(values).max(initial=0.0)))
        if within is not None:
            ends[:-1] |= np.diff(within[entries]) != 0
        return cls(entries, ends)

    def groups(self) -> IntArray:
        """Return the number of each entry's group of equal values."""
        out = np.empty_like(self.entries)
        out[self.entries] = np.concatenate([[0], np.cumsum(self.ends[:-1])])
        return out

    def longest(self) -> int:
        """Return the size of the largest group of equal values."""
        return int(np.diff(np.flatnonzero(self.ends), prepend=-1).max(initial=0))

    def __getitem__(self, entries: IntArray) -> "Order":
        """Return the same order after entries are renumbered: entry `entries[i]` becomes entry i."""
        places = np.empty(entries.size, dtype=np.int32)
        places[entries] = np.arange(entries.size, dtype=np.int32)
        return Order(places[self.entries], self.ends)


def in_order(values: FloatArray) -> IntArray:
    """Return the places of values from the smallest to the largest, of equal ones in any order.

    Examples
    --------
    >>> in_order(np.array([0.3, -2.0, -0.1, 5.0]))
    array([1, 2, 0, 3])
    """
    from howsure.metrics._rank_kernels import settle, words_in_order

    values = np.ascontiguousarray(values, dtype=float)
    places = (1 << int(values.size).bit_length()) - 1
    entries = words_in_order(values, places)
    entries.sort()
    entries &= places
    return entries if settle(values, entries) else np.argsort(values)


class Weighted(Protocol):
    """Scores weights of entries, for one or several models, `lanes` draws at a time."""

    lanes: int

    def scores(self, weights: Weights) -> FloatArray:
        """Return the score of each model for each draw of (draws, entries): (models, draws)."""


class ArrayPool:
    """Arrays that are used again, since fresh memory costs more than what is done with it. Threads may share them."""

    def __init__(self, n_entries: int, lanes: int, kind: npt.DTypeLike = np.uint8) -> None:
        self.shape, self.kind = (n_entries, lanes), np.dtype(kind)
        self._spare: deque[npt.NDArray[Any]] = deque()

    @contextmanager
    def borrowed(self) -> Iterator[npt.NDArray[Any]]:
        """Lend an array, which holds whatever was last written to it."""
        try:
            array = self._spare.pop()
        except IndexError:
            size = math.prod(self.shape) * self.kind.itemsize
            raw = np.empty(size + LINE, dtype=np.uint8)
            start = -raw.ctypes.data % LINE  # so that no row lies on two lines
            array = raw[start : start + size].view(self.kind).reshape(self.shape)
        yield array
        self._spare.append(array)


class Repeated:
    """Any metric: each entry is repeated as often as it weighs. The plain way, and the one for very many entries."""

    lanes = 1

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
"""Rank and weight of up to this many entries fit into one word."""


FAR = 2**11
"""Sixteen bits do not hold doubled ranks so far from where they are expected: of long ties, or of very many entries."""


class RankCorrelation:
    """Spearman's correlation of gold and each model; gold is ranked once for all of them."""

    lanes = 32

    def __init__(self, gold: FloatArray, *models: FloatArray) -> None:
        self.sides, order = (gold, *models), Order.of(gold)
        self.gold = order.entries.astype(np.int32), order.ends
        self.models = _stacked([Order.of(model)[order.entries] for model in models])
        # Ranks have 16 bits and, once a draw's do not fit, 32; a row of them is one line either way.
        self.rooms = [
            (ArrayPool(gold.size, lanes), ArrayPool(gold.size, lanes, kind))
            for lanes, kind in ((32, np.uint16), (16, np.uint32))
        ]
        if max(order.longest(), 2 * math.sqrt(gold.size)) >= FAR:
            del self.rooms[0]

    def scores(self, weights: Weights) -> FloatArray:
        """Return one correlation for each model and draw of (draws, entries)."""
        from howsure.metrics._weighted_kernels import correlate

        parts = np.empty((len(self.models[0]), 4, _whole(len(weights), 8)))  # the processor's vectors hold so many
        for weights_pool, ranks_pool in self.rooms:
            with weights_pool.borrowed() as rows, ranks_pool.borrowed() as ranked:
                if correlate(self.gold, self.models, weights, rows, ranked, parts):
                    break
            self.rooms = self.rooms[-1:]
        else:  # an entry weighs 64 or more, or all of them more than 2²⁵: nobody draws that, but one may ask for it
            from howsure.metrics.ranking import Spearman

            return Repeated(Spearman(), *self.sides).scores(weights)
        return _correlations(*np.moveaxis(parts[..., : len(weights)], 1, 0))


def _correlations(total: FloatArray, in_gold: FloatArray, in_model: FloatArray, shared: FloatArray) -> FloatArray:
    """Return correlations of ranks: of how many entries, with which cubed ties, and the sum of products of ranks."""
    centre = total * np.square(total + 1)
    spread = (_squared_ranks(total, in_gold) - centre) * (_squared_ranks(total, in_model) - centre)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(spread > centre * centre * 1e-24, (shared - centre) / np.sqrt(spread), np.nan)


def _stacked(orders: list[Order]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.bool_]]:
    """Return the entries and ends of orders, each (orders, entries)."""
    entries = np.stack([each.entries for each in orders], dtype=np.int32, casting="same_kind")
    return entries, np.stack([each.ends for each in orders])


def _whole(n_draws: int, lanes: int) -> int:
    """Return how many draws there are when the last lanes are filled up."""
    return -(-n_draws // lanes) * lanes


def _squared_ranks(total: FloatArray, cubes: FloatArray) -> FloatArray:
    """Return the sum of squared doubled ranks of `total` entries; `cubes` is the sum of the cubed sizes of ties."""
    return np.asarray((2 * total * (total + 1) * (2 * total + 1) - (cubes - total)) / 3)


class Area:
    """The area under the ROC curve of each model; which entries are positive is known."""

    lanes = 32

    def __init__(self, positive: npt.NDArray[np.bool_], *models: FloatArray) -> None:
        self.rows, self.positive = ArrayPool(positive.size, self.lanes), positive.astype(np.uint8)
        # Ties count half: the mean of two orders, one with the positive entries before equal ones, one with them after.
        pairs = [_both_ways(Order.of(model), positive) for model in models]
        self.entries = np.concatenate(pairs)
        stops = np.cumsum([len(each) for each in pairs])
        self.ways = np.stack([stops - [len(each) for each in pairs], stops - 1], axis=1)
        self.kinds = self.positive.astype(np.int32)[self.entries]

    def scores(self, weights: Weights) -> FloatArray:
        """Return one area for each model and draw of (draws, entries)."""
        from howsure.metrics._rank_kernels import areas

        parts = np.empty((len(self.entries) + 2, _whole(len(weights), self.lanes)))
        with self.rows.borrowed() as rows:
            areas(self.kinds, self.entries, self.positive, weights, rows, parts)
        *above, positives, negatives = parts[:, : len(weights)]
        twice = np.array(above)[self.ways]
        pairs = positives * negatives
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(pairs > 0, twice.sum(axis=1) / 2 / pairs, np.nan)


def _both_ways(order: Order, positive: npt.NDArray[np.bool_]) -> npt.NDArray[np.int32]:
    """Return the entries in order with the positive first among equal ones, and last; once where none are equal."""
    if order.ends.all():
        return order.entries.astype(np.int32)[np.newaxis]
    groups = 2 * order.groups()
    return np.stack([np.argsort(groups + kind, kind="stable") for kind in (~positive, positive)]).astype(np.int32)


class PairCorrelation:
    """Kendall's τ-b of gold and each model, by inversions (Knight 1966)."""

    lanes = 32

    def __init__(self, gold: FloatArray, *models: FloatArray) -> None:
        of_gold = Order.of(gold)
        self.models = [Inversions(of_gold, model) for model in models]

    def scores(self, weights: Weights) -> FloatArray:
        """Return one correlation for each model and draw of (draws, entries)."""
        return np.array([model.scores(weights) for model in self.models])


class Inversions:
    """Pairs of entries, counted as merge sort meets them."""

    def __init__(self, gold: Order, model: FloatArray) -> None:
        self.rows, self.placed = (ArrayPool(model.size, PairCorrelation.lanes) for _ in range(2))
        of_model = Order.of(model)
        # By gold, and by the model where gold is equal: so ties are not inversions.
        of_both = gold if gold.ends.all() else Order.of(model, within=gold.groups())
        self.sequence = of_both.entries.astype(np.int32)
        self.groups = _stacked([gold, of_model, of_both])
        self.tied = np.asarray(~self.groups[1].all(axis=1))
        self.levels = merge_levels(of_model.groups()[self.sequence])

    def scores(self, weights: Weights) -> FloatArray:
        """Return one correlation for each draw."""
        from howsure.metrics._rank_kernels import concordance

        parts = np.empty((6, _whole(len(weights), PairCorrelation.lanes)))
        with self.rows.borrowed() as rows, self.placed.borrowed() as placed:
            concordance(self.sequence, self.levels, self.groups, self.tied, weights, rows, placed, parts)
        total, alone, *groups, in_order = parts[:, : len(weights)]
        pairs = total * (total - 1) / 2
        in_gold, in_model, in_both = ((squares - total) / 2 for squares in groups)
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
    from howsure.metrics._rank_kernels import merge_orders

    return np.asarray(merge_orders(values, max(1, int(values.size - 1).bit_length())))
