"""The two-way ("pigeonhole") bootstrap: items and raters are both drawn with replacement (Owen 2007).

A drawn item keeps the responses of the drawn raters, each as often as its rater was drawn. An item none of whose raters
was drawn has no responses in that draw and is left out of it.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from howsure import _random
from howsure.data.contests import Contest
from howsure.data.responses import Responses
from howsure.data.scales import FloatArray, IntArray, Scale
from howsure.data.summaries import Needs, summarise
from howsure.errors import DataError
from howsure.raters.design import rated
from howsure.resampling.draws import Draws, Progress, block_size
from howsure.resampling.sampler import CELLS
from howsure.resampling.scored_draws import ScoresDraws
from howsure.resampling.weights import draw_weights

if TYPE_CHECKING:
    from howsure.resampling._rater_kernels import Source

AT_ONCE = 3 * 2**16
"""About this many numbers are drawn at a time. Of fewer, threads wait for each other between NumPy's calls; of more,
memory is taken from the system again and again."""

SUMMED = 2**22
"""So many responses are added up at a time, which takes some milliseconds: threads then seldom meet in Python, and end
together."""

LEAST = 4
"""So many draws are weighed at once even of very many items: loops over draws cost more than they save below."""


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
    """Draw advantages: raters are drawn with replacement and, with `draw_items`, items (or whole clusters), too.

    Raters are drawn in every source that has two or more of them. All metrics see the same resamples. The bits depend
    on the seed and the data only, not on `workers`.
    """
    from howsure.resampling import _kernels, _rater_kernels

    roles = rated(contest)
    if not roles:
        raise DataError("`raters='random'` needs rater ids, and two or more raters; this contest has none.")
    known = np.unique(np.concatenate([contest.sources[role].raters for role in roles]))
    powers = [getattr(metric, "error_power", 0) for metric in metrics]
    samplers = {
        needs: [
            _Weighted(source, contest.scale, needs, known if role in roles else None)
            for role, source in contest.sources.items()
        ]
        for needs in dict.fromkeys(metric.needs for metric in metrics)
    }
    sources = [source.responses for source in samplers["means"]] if all(powers) else []
    n = contest.n_items
    units = np.arange(n) if clusters is None else np.array(clusters, dtype=np.int64)
    n_units = int(units.max()) + 1
    advantages = np.full((len(metrics), n_resamples), np.nan)
    key = np.uint64(_random.key(seed, "raters"))

    def block(_: int, start: int, stop: int) -> None:
        of_items, of_raters = _kernels.seed_draws(key, 2, start, stop)
        if draw_items:
            items = draw_weights(n_units, of_items, swap=False)
        else:
            items = np.ones((stop - start, n_units), dtype=np.uint8)
        drawn_raters = draw_weights(known.size, of_raters, swap=False)
        if sources:  # errors of means are added up as they are drawn; other metrics need the means of all items
            gold, a, b = sources
            for i, power in enumerate(powers):
                found = _rater_kernels.error_advantages(gold, a, b, power, items, units, drawn_raters)
                advantages[i, start:stop] = found
            return
        items = items if clusters is None else np.take(items, clusters, axis=1)
        raters = np.array(drawn_raters.T, np.float64, order="C")
        for needs, of_needs in samplers.items():
            parts = [source(raters) for source in of_needs]
            there = np.logical_and.reduce([each for _, each in parts if each is not None])
            drawn = items if there.all() else np.where(there, items, 0)
            summaries: list[Any] = [summary for summary, _ in parts]
            gold, a, b = summaries if contest.gold is not None else (None, *summaries)
            for i, metric in enumerate(metrics):
                if metric.needs == needs:
                    advantages[i, start:stop] = _score(metric, gold, a, b, drawn)

    widest = max(source.width for of_needs in samplers.values() for source in of_needs)
    size = max(LEAST, AT_ONCE // (n * widest))
    if sources:
        n_summed = sum(values.size for values, _, _ in sources)
        size = block_size(n_resamples, SUMMED // n_summed, workers, _rater_kernels.TILE)
    _random.map_blocks(block, n_resamples, workers=workers, progress=progress, size=size)
    return Draws(advantages, np.full_like(advantages, np.nan))


def _score(metric: Any, gold: Any, a: FloatArray, b: FloatArray, items: npt.NDArray[np.uint8]) -> FloatArray:
    """Return the advantage of each draw, on the items it holds, each as often as it was drawn."""
    from howsure.resampling import _rater_kernels

    n_drawn = items.sum(axis=1)
    scores: FloatArray = np.full(items.shape[0], np.nan)
    if metric.additive:
        total = _rater_kernels.weighted_sums(metric.item_advantages(gold, a, b), items)
        np.divide(total, n_drawn, out=scores, where=n_drawn > 0)
        return scores
    at_once = max(1, CELLS // items.shape[1])
    for size in np.unique(n_drawn[n_drawn > 0]):
        alike = np.flatnonzero(n_drawn == size)
        for draws in np.split(alike, range(at_once, alike.size, at_once)):
            scores[draws] = metric.advantage(*(_written_out(side, items, draws, size) for side in (gold, a, b)))
    return scores


def _written_out(side: Any, items: npt.NDArray[np.uint8], draws: IntArray, size: int) -> Any:
    """Return the summaries of the items that draws of so many items hold, each as often as it was drawn."""
    from howsure.resampling import _rater_kernels

    if side is None:
        return None
    out = np.empty((draws.size, size, *side.shape[2:]))
    rows = np.ascontiguousarray(side).reshape(*side.shape[:2], -1)
    _rater_kernels.written_out(rows, items, draws, out.reshape(draws.size, size, -1))
    return out


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

    @property
    def responses(self) -> "Source":
        """Responses, their raters and where those of each item begin, as `error_advantages` takes them."""
        values, raters, offsets = self.kept.view(), np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        if self.raters is not None:
            values, raters, offsets = self.values.view(), self.raters.view(), self.offsets.view()
        for array in (values, raters, offsets):
            array.setflags(write=False)  # alike, whatever they were: the loops are compiled once
        return values, raters, offsets

    def __call__(self, raters: FloatArray) -> tuple[FloatArray, Any]:
        """Return the summary of each item in each draw, and whether the item has any response there (None: always).

        `raters` is how often each rater was drawn: (raters, draws).
        """
        from howsure.resampling import _rater_kernels

        if self.raters is None:
            return np.broadcast_to(self.kept, (raters.shape[1], *self.kept.shape)), None
        if self.needs == "means":
            return _rater_kernels.weighted_means(self.values, self.raters, self.offsets, raters)
        if self.needs == "counts":
            return _rater_kernels.weighted_counts(self.codes, self.raters, self.offsets, raters, self.n_levels)
        sizes = _rater_kernels.weighted_sizes(self.raters, self.offsets, raters)
        width = max(1, int(sizes.max()))
        return _rater_kernels.repeated(self.values, self.raters, self.offsets, raters, width), sizes > 0
