"""The two-way ("pigeonhole") bootstrap: items and raters are both drawn with replacement (Owen 2007).

A drawn item keeps the responses of the drawn raters, each as often as its rater was drawn. An item none of whose raters
was drawn has no responses in that draw and is left out of it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay import _random
from assay.contests import Contest
from assay.errors import DataError
from assay.rating_design import rated
from assay.resampling.draws import Draws, Progress, ScoresDraws
from assay.resampling.sampler import CELLS
from assay.responses import Responses
from assay.scales import FloatArray, IntArray, Scale
from assay.summaries import Needs, summarise


def draw_two_way(
    contest: Contest,
    metrics: Sequence[ScoresDraws],
    *,
    n_resamples: int,
    seed: np.random.SeedSequence,
    clusters: IntArray | None = None,
    draw_items: bool = True,
    workers: int = 1,
    progress: Progress | None = None,
) -> Draws:
    """Draw contrasts with raters, and items (or whole clusters of items) unless told otherwise, drawn with replacement.

    Raters are drawn in every source that has two or more of them. All metrics see the same resamples. The bits depend
    on the seed and the data only, not on `workers`.
    """
    from assay.resampling import _rater_kernels

    roles = rated(contest)
    if not roles:
        raise DataError("raters='bootstrap' needs rater ids, and two or more raters; this contest has none.")
    known = np.unique(np.concatenate([contest.sources[role].raters for role in roles]))
    samplers = {
        needs: [
            _Weighted(source, contest.scale, needs, known if role in roles else None)
            for role, source in contest.sources.items()
        ]
        for needs in dict.fromkeys(metric.needs for metric in metrics)
    }
    n = contest.n_items
    unit = np.arange(n) if clusters is None else clusters

    def block(number: int, start: int, stop: int) -> FloatArray:
        seeds = _random.generator(seed, "raters", number).integers(2**64, size=(stop - start, 2), dtype=np.uint64)
        contrasts = np.full((len(metrics), stop - start), np.nan)
        for needs, sources in samplers.items():
            size = max(1, CELLS // (n * max(source.width for source in sources)))
            for low in range(0, stop - start, size):
                batch = slice(low, low + size)
                drawn = [np.ascontiguousarray(seeds[batch, column]) for column in (0, 1)]
                items = np.ones((drawn[0].size, n), dtype=np.int64)
                if draw_items:
                    items = _rater_kernels.draw_weights(int(unit.max()) + 1, drawn[0])[:, unit]
                raters = _rater_kernels.draw_weights(known.size, drawn[1])
                parts = [source(items, raters) for source in sources]
                items = np.where(np.logical_and.reduce([there for _, there in parts]), items, 0)
                summaries: list[Any] = [summary for summary, _ in parts]
                gold, a, b = summaries if contest.gold is not None else (None, *summaries)
                for i, metric in enumerate(metrics):
                    if metric.needs == needs:
                        contrasts[i, batch] = _score(metric, gold, a, b, items)
        return contrasts

    parts = _random.map_blocks(block, n_resamples, workers=workers, progress=progress, width=contest.a.values.size)
    contrasts = np.concatenate(parts, axis=1)
    return Draws(contrasts, np.full_like(contrasts, np.nan))


def _score(metric: Any, gold: Any, a: FloatArray, b: FloatArray, items: IntArray) -> FloatArray:
    """Return the contrast of each draw, on the items it holds, each as often as it was drawn."""
    n_drawn = items.sum(axis=1)
    scores: FloatArray = np.full(items.shape[0], np.nan)
    if metric.additive:
        total: FloatArray = (items * metric.item_contrasts(gold, a, b)).sum(axis=1)
        np.divide(total, n_drawn, out=scores, where=n_drawn > 0)
        return scores
    for d in np.flatnonzero(n_drawn):
        chosen = np.repeat(np.arange(items.shape[1]), items[d])
        rows = [None if side is None else side[d, chosen] for side in (gold, a, b)]
        scores[d] = float(metric.contrast(*rows))
    return scores


class _Weighted:
    """One source: its summaries under rater weights, or as they are when its raters are not drawn."""

    def __init__(self, responses: Responses, scale: Scale, needs: Needs, known: IntArray | None) -> None:
        self.needs = needs
        self.offsets = responses.offsets
        self.values = responses.values
        self.kept = summarise(responses, needs, scale)
        self.width = 1 if self.kept.ndim == 1 else self.kept.shape[-1]
        self.raters: IntArray | None = None
        self.n_levels = len(scale.levels)
        if known is None:
            return
        assert responses.raters is not None
        order: Any = slice(None)
        if needs == "sorted":
            order = np.lexsort((responses.values, responses.items))
        self.values = np.ascontiguousarray(responses.values[order])
        self.raters = np.searchsorted(known, responses.raters[order])
        self.codes = scale.codes(self.values) if needs == "counts" else np.empty(0, dtype=np.int64)

    def __call__(self, items: IntArray, raters: IntArray) -> tuple[FloatArray, Any]:
        """Return the summary of each item in each draw, and whether the item has any response there."""
        from assay.resampling import _rater_kernels

        if self.raters is None:
            return np.broadcast_to(self.kept, (items.shape[0], *self.kept.shape)), np.ones(items.shape, dtype=bool)
        if self.needs == "means":
            return _rater_kernels.weighted_means(self.values, self.raters, self.offsets, items, raters)
        if self.needs == "counts":
            return _rater_kernels.weighted_counts(self.codes, self.raters, self.offsets, items, raters, self.n_levels)
        sizes = _rater_kernels.weighted_sizes(self.raters, self.offsets, raters)
        width = max(1, int(sizes.max()))
        return _rater_kernels.repeated(self.values, self.raters, self.offsets, raters, width), sizes > 0
