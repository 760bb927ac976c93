"""Draws as weights of entries, for metrics that score them: how often an item was drawn, or which side a swap chose."""

from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.data.scales import FloatArray, IntArray
from howsure.resampling.sampler import widen
from howsure.resampling.seeds import PART, SeedArray
from howsure.resampling.sums import log_factorials, parts_of

AT_ONCE = 2**18
"""About this many weights are drawn before they are scored, and at least those of draws scored side by side."""


class WeightedAdvantages:
    """Advantages of a metric whose `weighted` scores weights: of items drawn with replacement or, with `swap`, swapped.

    A swap chooses, for each item, which of two entries is A's; the other is B's. A and B are then what the metric's
    `swappable` returns. With `clusters` (the number of each item's), whole clusters are drawn or swapped.
    """

    def __init__(
        self,
        metric: Any,
        gold: FloatArray,
        a: FloatArray,
        b: FloatArray,
        *,
        swap: bool,
        clusters: IntArray | None = None,
    ) -> None:
        self.sign = -1.0 if metric.better == "lower" else 1.0
        self.swap, self.n_items, self.clusters = swap, a.shape[0], clusters
        self.weighted: Any
        if swap:
            if a.ndim > 1:
                a, b = (widen(side, max(a.shape[1], b.shape[1])) for side in (a, b))
            self.weighted = metric.weighted(np.concatenate([gold, gold]), np.concatenate([a, b]))
        else:
            self.weighted = metric.weighted(gold, a, b)

    def of(self, seeds: SeedArray) -> FloatArray:
        """Return one advantage for each seed."""
        out = np.empty(seeds.size)
        lanes = self.weighted.lanes
        n_draws = max(lanes, AT_ONCE // self.n_items // lanes * lanes)
        n_units = self.n_items if self.clusters is None else int(self.clusters.max()) + 1
        room = np.empty((min(n_draws, seeds.size), n_units), dtype=np.uint8)
        for start in range(0, seeds.size, n_draws):
            part = slice(start, start + n_draws)
            weights = draw_weights(n_units, seeds[part], swap=self.swap, room=room)
            out[part] = self.scored(weights if self.clusters is None else np.take(weights, self.clusters, axis=1))
        return out

    def scored(self, weights: npt.NDArray[np.uint8]) -> FloatArray:
        """Return one advantage for each row of weights of the items."""
        if self.swap:  # A and B are then scored as draws of their own
            of_a = np.concatenate([1 - weights, weights], axis=1)
            [both] = self.weighted.scores(np.concatenate([of_a, 1 - of_a]))
            first, second = both.reshape(2, -1)
        else:
            first, second = self.weighted.scores(weights)
        return np.asarray(self.sign * (first - second))


def draw_weights(
    n: int, seeds: SeedArray, *, swap: bool, room: npt.NDArray[np.uint8] | None = None
) -> npt.NDArray[np.uint8]:
    """Return how often each of n is drawn, or with `swap` a coin for each, as (draws, n); in `room` if given."""
    from howsure.resampling import _kernels
    from howsure.resampling import _split_kernels as split

    if swap:
        return _kernels.draw_swaps(n, seeds).astype(np.uint8)
    out = np.empty((seeds.size, n), dtype=np.uint8) if room is None else room[: seeds.size]
    if n <= PART:
        split.count_items(n, seeds, out)
    else:
        counts = split.draw_split(parts_of(n), seeds, log_factorials(n))
        split.count_items_of_parts(PART, seeds, counts, out)
    return out
