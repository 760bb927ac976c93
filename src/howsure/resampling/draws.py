"""From a contest to draws: arrays of advantages, one for each metric and draw.

Two paths give the same resamples from the same seeds. *Linear*: an additive metric with all responses kept needs its
item advantages once; a bootstrap draw is then a sum over drawn items and a swapped draw a sum with random signs.
*General*: draw the summary that the metric needs, then score it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure import _random
from howsure.data.contests import Contest
from howsure.data.scales import FloatArray, IntArray
from howsure.data.summaries import Needs, summarise
from howsure.errors import ArgumentError
from howsure.resampling.responses_kept import kept_responses
from howsure.resampling.sampler import ITEMS, STREAMS, SWAPS, Sampler
from howsure.resampling.schemes import Exchange, Scheme
from howsure.resampling.scored_draws import ScoresDraws, alike, brings_means, drawn_for, paths_of, samplers_of
from howsure.resampling.sums import ItemSums, SummedAdvantages
from howsure.resampling.weights import WeightedAdvantages

WORK = {"summaries": 2**18, "sums": 2**21, "signed sums": 2**23}
"""How many items a thread draws before it asks for more: one to four milliseconds of work, so that threads end at the
same time and seldom wait for Python."""

ALONE = 2**14
"""Where Python is called for each draw, threads only wait for each other unless a draw has at least so many items."""

Progress = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class Draws:
    """Resampled advantages.

    Attributes
    ----------
    advantages : array, (metrics, draws)
    standard_errors : array, (metrics, draws)
        Of each draw's advantage, where the linear path has them; NaN elsewhere.
    exact : bool
        Whether the draws are all equally likely outcomes rather than a sample of them.
    """

    advantages: FloatArray
    standard_errors: FloatArray
    exact: bool = False

    def of(self, place: int) -> "Draws":
        """Return the draws of one metric."""
        return Draws(self.advantages[place], self.standard_errors[place], self.exact)

    def shifted(self) -> "Draws":
        """Return the draws moved so that the mean of each metric's is zero."""
        defined = ~np.isnan(self.advantages)
        n_defined = np.maximum(defined.sum(axis=-1, keepdims=True), 1)
        means = np.where(defined, self.advantages, 0.0).sum(axis=-1, keepdims=True) / n_defined
        return Draws(self.advantages - means, self.standard_errors)


def summaries_of(contest: Contest, needs: Needs) -> tuple[Any, FloatArray, FloatArray]:
    """Return the summaries of gold (None if there is none), A and B on all their responses."""
    gold = None if contest.gold is None else summarise(contest.gold, needs, contest.scale)
    return gold, summarise(contest.a, needs, contest.scale), summarise(contest.b, needs, contest.scale)


def mean_scores(
    contest: Contest, metrics: Sequence[Any], *, scheme: Scheme, n_draws: int, seed: np.random.SeedSequence
) -> list[tuple[float, float]]:
    """Return the scores of A and of B on all items by each metric, averaged over draws of their responses."""
    from howsure.resampling import _kernels

    seeds = _kernels.seed_draws(np.uint64(_random.key(seed, "mean scores")), STREAMS, 0, n_draws)
    found = np.empty((len(metrics), 2, n_draws))
    for those in alike(metrics, [*range(len(metrics))], None, contest, scheme):
        needs, brought = metrics[those[0]].needs, brings_means(metrics, those)
        sampler = Sampler(contest, needs, replace(scheme, items="all"), None, with_means=brought)
        for i, batch, sides in drawn_for(metrics, those, sampler, seeds):
            found[i, 0, batch], found[i, 1, batch] = metrics[i].scores(*sides)
    return [(float(of_a.mean()), float(of_b.mean())) for of_a, of_b in found]


def draw(
    contest: Contest,
    metrics: Sequence[ScoresDraws],
    *,
    scheme: Scheme,
    null: Exchange | None,
    n_resamples: int,
    seed: np.random.SeedSequence,
    clusters: IntArray | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> Draws:
    """Draw advantages under a scheme; `null` says how A and B are exchanged, None that they are not.

    `clusters` gives the number of each item's cluster: whole clusters are then drawn, or swapped, instead of items. All
    metrics see the same resamples. The bits depend on the seed and the data only, not on `workers`.
    """
    contest = kept_responses(contest, scheme)
    if scheme.raters == "random" or clusters is not None:
        return _draw_units(
            contest,
            metrics,
            clusters,
            scheme=scheme,
            null=null,
            n_resamples=n_resamples,
            seed=seed,
            workers=workers,
            progress=progress,
        )
    linear, ordered, summed, general = paths_of(metrics, scheme, null)
    columns = columns_of(contest, [metrics[i] for i in linear])
    samplers = samplers_of(contest, metrics, general, scheme=scheme, null=null)
    observed = columns.mean(axis=0)[:, np.newaxis]
    key = _random.key(seed, "draws" if null is None else null)
    sums = None
    if linear and (null is not None or scheme.items == "bootstrap"):
        # Squares about the data's mean: about zero, a small spread would be lost in the rounding of large squares.
        centres = columns.mean(axis=0) if null is None else None
        alone = len(linear) == len(metrics)
        sums = ItemSums(columns, swap=null is not None, n_draws=n_resamples, alone=alone, centres=centres)
    alone = len(summed) == len(metrics) == 1
    of_sums = [
        (
            i,
            SummedAdvantages(
                metrics[i],
                *summaries_of(contest, metrics[i].needs),
                swap=null is not None,
                n_draws=n_resamples,
                alone=alone,
            ),
        )
        for i in summed
    ]
    weighted = [(i, _weighted(contest, metrics[i], swap=null is not None)) for i in ordered]
    advantages, errors = np.empty((2, len(metrics), n_resamples))

    def block(_: int, start: int, stop: int) -> None:
        errors[:, start:stop] = np.nan
        if linear:
            drawn = None if sums is None else sums.of(sums.seeds(key, STREAMS, start, stop))
            advantages[linear, start:stop], errors[linear, start:stop] = from_sums(
                contest.n_items, observed, drawn, swap=null is not None
            )
        for i, by_sums in of_sums:
            advantages[i, start:stop] = by_sums.of(by_sums.sums.seeds(key, STREAMS, start, stop))
        if weighted:
            from howsure.resampling import _kernels

            stream = ITEMS if null is None else SWAPS
            seeds = _kernels.seed_stream(np.uint64(key), STREAMS, stream, start, stop)
            for i, by_weights in weighted:
                advantages[i, start:stop] = by_weights.of(seeds)
        if samplers:
            from howsure.resampling import _kernels

            seeds = _kernels.seed_draws(np.uint64(key), STREAMS, start, stop)
        for those, sampler in samplers:
            for i, batch, sides in drawn_for(metrics, those, sampler, seeds):
                advantages[i, start:stop][batch] = metrics[i].advantage(*sides)

    work = WORK["summaries" if general or ordered else "sums" if null is None else "signed sums"]
    # Sums read all items again for each block; draws that are scored do so anyway, and small blocks end together.
    least = 8 if (general or ordered) and not linear else _random.BLOCK
    size = block_size(n_resamples, work // contest.n_items, workers, least)
    lanes = max([by_weights.weighted.lanes for _, by_weights in weighted], default=1)  # scored side by side
    size = -(-size // lanes) * lanes
    if not (general or ordered) and not any(each.compiled for each in [sums, *(by.sums for _, by in of_sums)] if each):
        size = n_resamples
    if contest.n_items < ALONE and not all(getattr(metrics[i], "vectorized", True) for i in general):
        workers = 1
    _random.map_blocks(block, n_resamples, workers=workers, progress=progress, size=size)
    return Draws(advantages, errors)


def _weighted(contest: Contest, metric: ScoresDraws, *, swap: bool) -> WeightedAdvantages:
    gold, a, b = summaries_of(contest, metric.needs)
    if swap:
        a, b = metric.swappable(gold, a, b)
    return WeightedAdvantages(metric, gold, a, b, swap=swap)


def block_size(n_resamples: int, most: int, workers: int, least: int = _random.BLOCK) -> int:
    """Return how many draws to do at a time: at most `most` (at least `least`), and equally many for each thread."""
    if n_resamples <= most:
        return n_resamples
    n_rounds = max(1, -(-n_resamples // (workers * max(most, least))))
    return max(least, -(-n_resamples // (workers * n_rounds)))


def _draw_units(
    contest: Contest,
    metrics: Sequence[ScoresDraws],
    clusters: IntArray | None,
    *,
    scheme: Scheme,
    null: Exchange | None,
    **how: Any,
) -> Draws:
    """Draw raters, clusters of items, or both; their modules import this one."""
    from howsure.resampling.clusters import draw_clusters
    from howsure.resampling.two_way import draw_two_way

    if not scheme.keeps_responses:
        raise ArgumentError(f"raters or clusters are drawn with all their responses; got {scheme}.")
    if scheme.raters == "fixed":
        assert clusters is not None
        if null not in (None, "sign-flip"):
            raise ArgumentError(f"clusters go with the nulls sign-flip and shifted-bootstrap; got {null!r}.")
        return draw_clusters(contest, metrics, clusters, swap=null is not None, **how)
    if null is not None:
        raise ArgumentError(
            f"`raters='random'` goes with the nulls random-effects and shifted-bootstrap; got {null!r}."
        )
    return draw_two_way(contest, metrics, clusters=clusters, draw_items=scheme.items == "bootstrap", **how)


def columns_of(contest: Contest, metrics: Sequence[Any]) -> FloatArray:
    """Return item advantages, items × metrics."""
    advantages = [metric.item_advantages(*summaries_of(contest, metric.needs)) for metric in metrics]
    return np.stack(advantages, axis=1) if advantages else np.empty((contest.n_items, 0))


def from_sums(n: int, observed: FloatArray, sums: FloatArray | None, *, swap: bool) -> tuple[FloatArray, FloatArray]:
    """Return means and their standard errors, metrics × draws, from sums over n items; without sums, the data's.

    Several data sets come on leading axes.
    """
    half = observed.shape[-2]
    if sums is None:
        return observed, np.full_like(observed, np.nan)
    moments = np.swapaxes(sums, -1, -2) / n
    if swap:
        return moments, np.full(moments.shape, np.nan)
    means, squares = moments[..., :half, :], moments[..., half:, :]
    spread = means - observed
    np.square(spread, out=spread)
    np.maximum(np.subtract(squares, spread, out=spread), 0.0, out=spread)
    with np.errstate(invalid="ignore", divide="ignore"):
        return means, np.sqrt(np.divide(spread, n - 1, out=spread), out=spread)
