"""Responses drawn anew: as many to each item as it has, one, or a given number; or mixed between A and B.

Responses of an item stand on the first axis here, (responses, rows, items), so that every step is a call on whole rows.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from howsure.data.responses import Responses
from howsure.data.scales import BoolArray, FloatArray, IntArray, Scale
from howsure.data.summaries import Needs, summarise
from howsure.errors import ArgumentError
from howsure.resampling.schemes import Exchange, Scheme
from howsure.resampling.stacks import Stack
from howsure.resampling.units import draw_signs, widen

MIXED: tuple[Exchange, ...] = ("pooled-responses", "permuted-responses")
"""The exchanges that mix both models' responses to an item."""


class ResponsesDrawn:
    """Items, with responses drawn with replacement, or with those of A and B mixed as if they were equal."""

    def __init__(self, stack: Stack, metrics: Sequence[Any], scheme: Scheme, exchange: Exchange | None) -> None:
        contest = stack.whole
        if exchange in MIXED and (contest.a.weights is not None or contest.b.weights is not None):
            raise ArgumentError(
                f"the null {exchange!r} mixes single responses, but a model answers with a share for each label. "
                "Use `null='sign-flip'`."
            )
        self.stack, self.metrics, self.scheme, self.exchange = stack, metrics, scheme, exchange
        pooled = pool(contest.a, contest.b) if exchange in MIXED else None
        a, b = (pooled or contest.a), (pooled or contest.b)
        sides = [(contest.gold, contest.gold), (a, contest.a), (b, contest.b)]
        self.sources = [
            None if own is None or drawn is None else Source(drawn, contest.scale, _n_drawn(own, scheme))
            for drawn, own in sides
        ]
        self.width = contest.n_items * max(int(source.n_drawn.max()) for source in self.sources if source is not None)

    def advantages(self, rng: np.random.Generator, n_draws: int) -> tuple[FloatArray, FloatArray]:
        """Return advantages and (undefined) standard errors, (metrics, data sets, draws)."""
        drawn = self.summaries(rng, n_draws)
        shape = len(self.stack), n_draws
        n = self.stack.n_items
        swaps = draw_signs(rng, shape, n).reshape(-1, n) < 0 if self.exchange == "sign-flip" else None
        rows = []
        for metric in self.metrics:
            gold, a, b = drawn[metric.needs]
            if swaps is not None:
                a, b = metric.swappable(gold, a, b)
                a, b = exchanged(a, b, swaps)
            rows.append(np.asarray(metric.advantage(gold, a, b)).reshape(shape))
        advantages = np.stack(rows)
        return advantages, np.full(advantages.shape, np.nan)

    def scores(self, rng: np.random.Generator, n_draws: int) -> FloatArray:
        """Return the scores of A and of B by each metric: (metrics, 2, data sets, draws)."""
        drawn = self.summaries(rng, n_draws)
        shape = 2, len(self.stack), n_draws
        return np.stack([np.array(metric.scores(*drawn[metric.needs])).reshape(shape) for metric in self.metrics])

    def summaries(self, rng: np.random.Generator, n_draws: int) -> dict[Needs, tuple[Any, FloatArray, FloatArray]]:
        """Draw items and responses; return the summaries of gold, A and B that metrics need: (rows, items, …)."""
        n_data_sets, n = len(self.stack), self.stack.n_items
        shape = n_data_sets * n_draws, n
        items = np.broadcast_to(np.arange(n), shape)
        if self.scheme.items == "bootstrap":
            items = rng.integers(0, n, shape)
        items = items + n * np.repeat(np.arange(n_data_sets), n_draws)[:, np.newaxis]
        gold, a, b = self.sources
        assert a is not None, "only gold may be absent"
        assert b is not None, "only gold may be absent"
        of_gold: FloatArray | None
        of_a: FloatArray | None
        of_b: FloatArray | None
        if self.exchange == "permuted-responses":
            of_gold = None if gold is None else gold.drawn(rng, items)
            of_a, of_b = a.dealt(rng, items, self.stack.whole.a.sizes)
        else:
            of_gold, of_a, of_b = (None if side is None else side.drawn(rng, items) for side in (gold, a, b))
        return {
            needs: tuple(  # type: ignore[misc]
                None if side is None else side.summary(values, items, needs)
                for side, values in zip((gold, a, b), (of_gold, of_a, of_b), strict=True)
            )
            for needs in {metric.needs for metric in self.metrics}
        }


class Source:
    """The responses of one source, and how many of each item are drawn (all where it answers with probabilities)."""

    def __init__(self, responses: Responses, scale: Scale, n_drawn: IntArray | None) -> None:
        self.responses, self.scale = responses, scale
        self.keeps = n_drawn is None
        self.n_drawn = responses.sizes if n_drawn is None else n_drawn

    def drawn(self, rng: np.random.Generator, items: IntArray) -> FloatArray | None:
        """Draw responses to items, (rows, items), with replacement: (responses, rows, items); None if all are kept."""
        if self.keeps:
            return None
        sizes, starts = self.responses.sizes[items], self.responses.offsets[items]
        values: FloatArray = np.empty((int(self.n_drawn.max()), *items.shape))
        for response in values:
            response[...] = self.responses.values[starts + (rng.random(items.shape) * sizes).astype(np.int64)]
        return _cut(values, self.n_drawn[items])

    def dealt(self, rng: np.random.Generator, items: IntArray, n_first: IntArray) -> tuple[FloatArray, FloatArray]:
        """Shuffle the responses to each item; return the first `n_first` and the rest (Fisher and Yates 1938)."""
        sizes, starts = self.responses.sizes[items], self.responses.offsets[items]
        most = int(self.responses.sizes.max())
        places = starts + np.minimum(np.arange(most)[:, np.newaxis, np.newaxis], sizes - 1)
        values = self.responses.values[places]
        for j in range(most - 1):  # response j changes places with one of those from j on
            left = np.maximum(sizes - j, 1)
            other = np.minimum(j + (rng.random(items.shape) * left).astype(np.int64), most - 1)[np.newaxis]
            chosen = np.take_along_axis(values, other, axis=0)
            np.put_along_axis(values, other, values[j : j + 1], axis=0)
            values[j] = chosen[0]
        first, places = n_first[items], np.arange(most)[:, np.newaxis, np.newaxis]
        rest = np.take_along_axis(values, np.minimum(places + first, most - 1), axis=0)
        return _cut(values, first), _cut(rest, sizes - first)

    def summary(self, values: FloatArray | None, items: IntArray, needs: Needs) -> FloatArray:
        """Return what a metric needs of drawn responses, or of all responses to the drawn items."""
        if values is None:
            return summarise(self.responses, needs, self.scale)[items]
        if needs == "means":
            return np.asarray(values.mean(axis=0) if not np.isnan(values).any() else np.nanmean(values, axis=0))
        if needs == "counts":
            return np.stack([(values == level).sum(axis=0) for level in self.scale.levels], axis=-1).astype(np.float64)
        rows = np.moveaxis(values, 0, -1)
        return np.sort(rows, axis=-1) if needs == "sorted" else rows


def _n_drawn(source: Responses, scheme: Scheme) -> IntArray | None:
    """Return how many responses of each item are drawn; None where they are kept."""
    if scheme.responses not in ("one", "bootstrap") or source.weights is not None:
        return None  # a distribution is one answer, which is kept whole
    if scheme.responses == "one":
        return np.ones(source.n_items, dtype=np.int64)
    if scheme.n_responses is not None:
        return np.full(source.n_items, scheme.n_responses, dtype=np.int64)
    return source.sizes


def _cut(values: FloatArray, sizes: IntArray) -> FloatArray:
    """Return the first responses of each item, as many as it has; NaN after them."""
    most = max(1, int(sizes.max()))
    values = values[:most]
    if (sizes < most).any():
        values[np.arange(most)[:, np.newaxis, np.newaxis] >= sizes] = np.nan
    return values


def exchanged(a: FloatArray, b: FloatArray, swaps: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Return A and B exchanged where a coin, (rows, items), says so."""
    if a.ndim > swaps.ndim:
        swaps = swaps[..., np.newaxis]
        width = max(a.shape[-1], b.shape[-1])
        a, b = widen(a, width), widen(b, width)
    return np.where(swaps, b, a), np.where(swaps, a, b)


def pool(a: Responses, b: Responses) -> Responses:
    """Return the responses of both sources together: for each item A's, then B's."""
    items = np.concatenate([a.items, b.items])
    order = np.argsort(items, kind="stable")
    raters = None if a.raters is None or b.raters is None else np.concatenate([a.raters, b.raters])[order]
    return Responses(np.concatenate([a.values, b.values])[order], a.offsets + b.offsets, raters)
