"""The two-way ("pigeonhole") bootstrap: items and raters are both drawn with replacement (Owen 2007).

A drawn item keeps the responses of the drawn raters, each as often as its rater was drawn. An item none of whose raters
was drawn has no responses in that draw and is left out of it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from howsure.data.contests import Contest
from howsure.data.responses import Responses
from howsure.data.scales import BoolArray, FloatArray, IntArray, Scale
from howsure.data.summaries import Needs, grid, summarise
from howsure.errors import DataError
from howsure.raters.design import rated
from howsure.resampling.units import draw_counts, item_numbers, widen


class RatersDrawn:
    """Raters drawn with replacement in every source that has two or more, and with `draws_items` items or clusters."""

    def __init__(
        self, contest: Contest, metrics: Sequence[Any], clusters: IntArray | None, *, draws_items: bool
    ) -> None:
        roles = rated(contest)
        if not roles:
            raise DataError("`raters='random'` needs rater ids, and two or more raters; this contest has none.")
        self.metrics, self.draws_items = metrics, draws_items
        self.units = np.arange(contest.n_items) if clusters is None else clusters
        self.n_units = int(self.units.max()) + 1
        names = np.unique(np.concatenate([contest.sources[role].raters for role in roles]))
        self.n_raters = names.size
        roles_of = {"gold": contest.gold, "a": contest.a, "b": contest.b}
        self.sources = [
            None if source is None else RatedSource(source, contest.scale, names if role in roles else None)
            for role, source in roles_of.items()
        ]
        self.width = max(source.responses.values.size for source in self.sources if source is not None)

    def advantages(self, rng: np.random.Generator, n_draws: int) -> tuple[FloatArray, FloatArray]:
        """Return advantages and (undefined) standard errors, (metrics, 1, draws)."""
        counts = draw_counts(rng, (n_draws,), self.n_units) if self.draws_items else np.ones((n_draws, self.n_units))
        raters = draw_counts(rng, (n_draws,), self.n_raters)
        counts = counts[:, self.units]
        advantages = np.empty((len(self.metrics), 1, n_draws))
        for needs in {metric.needs for metric in self.metrics}:
            sides = [None if source is None else source.summary(needs, raters) for source in self.sources]
            drawn = counts
            for side in sides:
                drawn = drawn if side is None or side[1] is None else np.where(side[1], drawn, 0.0)
            gold, a, b = (None if side is None else side[0] for side in sides)
            assert a is not None, "only gold may be absent"
            assert b is not None, "only gold may be absent"
            for i, metric in enumerate(self.metrics):
                if metric.needs == needs:
                    advantages[i, 0] = _scored(metric, gold, a, b, drawn)
        return advantages, np.full(advantages.shape, np.nan)


class RatedSource:
    """One source: its summaries where each response counts as often as its rater is drawn.

    Without `names`, the numbers of the raters that are drawn, its raters stay as they are.
    """

    def __init__(self, responses: Responses, scale: Scale, names: IntArray | None) -> None:
        self.responses, self.scale = responses, scale
        self.raters = None
        if names is not None:
            assert responses.raters is not None, "the raters of this source are drawn"
            self.raters = np.searchsorted(names, responses.raters)

    def summary(self, needs: Needs, raters: FloatArray) -> tuple[FloatArray, BoolArray | None]:
        """Return the summary of each item in each draw, and whether any of its raters is drawn (None: always).

        `raters` is how often each rater is drawn: (draws, raters).
        """
        responses, starts = self.responses, self.responses.offsets[:-1]
        if self.raters is None:
            kept = summarise(responses, needs, self.scale)
            return np.broadcast_to(kept, (len(raters), *kept.shape)), None
        weights = raters[:, self.raters]
        n_drawn = np.add.reduceat(weights, starts, axis=1)
        is_drawn = n_drawn > 0
        weights[:, starts] += ~is_drawn  # an item without responses keeps its first one, and counts zero times
        n_drawn = np.maximum(n_drawn, 1.0)
        if needs == "means":
            return np.add.reduceat(weights * responses.values, starts, axis=1) / n_drawn, is_drawn
        if needs == "counts":
            by_level = [
                np.add.reduceat(weights * (responses.values == level), starts, axis=1) for level in self.scale.levels
            ]
            return np.stack(by_level, axis=-1), is_drawn
        rows = []
        for of_draw, sizes in zip(weights.astype(np.int64), n_drawn.astype(np.int64), strict=True):
            offsets = np.concatenate([[0], np.cumsum(sizes)])
            rows.append(grid(Responses(np.repeat(responses.values, of_draw), offsets)))
        width = max(row.shape[1] for row in rows)
        values = np.stack([widen(row, width) for row in rows])
        return np.sort(values, axis=-1) if needs == "sorted" else values, is_drawn


def _scored(metric: Any, gold: Any, a: FloatArray, b: FloatArray, counts: FloatArray) -> FloatArray:
    """Return the advantage of each draw on the items it has, each as often as it is drawn; NaN without any."""
    n_drawn = counts.sum(axis=1)
    advantages: FloatArray = np.full(len(counts), np.nan)
    if metric.additive:
        total = np.einsum("di,di->d", counts, metric.item_advantages(gold, a, b))
        np.divide(total, n_drawn, out=advantages, where=n_drawn > 0)
        return advantages
    for size in np.unique(n_drawn[n_drawn > 0]):
        alike = np.flatnonzero(n_drawn == size)
        items = item_numbers(counts[alike].astype(np.int64), int(size))
        at = alike[:, np.newaxis]
        advantages[alike] = metric.advantage(*(None if side is None else side[at, items] for side in (gold, a, b)))
    return advantages
