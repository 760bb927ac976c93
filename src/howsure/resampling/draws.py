"""The one loop that resamples: a scheme draws, every metric scores what it drew.

What a scheme draws is one of three things, each with a class that turns random numbers into advantages:

* `UnitsDrawn`: items, or whole clusters of them, with all their responses; or A and B exchanged on each;
* `ResponsesDrawn` (`responses`): the responses of each item, too, or responses mixed between A and B;
* `RatersDrawn` (`raters`): raters with all their ratings, and items.

Draws come in batches of a fixed size, and each batch has its own generator, found by its number: the same call gives
the same bits on one thread and on many. All metrics see the same resamples.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from howsure import _random
from howsure.data.scales import FloatArray, IntArray
from howsure.errors import ArgumentError
from howsure.resampling.schemes import Exchange, Scheme
from howsure.resampling.stacks import Stack
from howsure.resampling.units import MeanScorer, Scorer, draw_counts, draw_signs, every_sign, few_kinds, scorer_of

Progress = Callable[[int], object]

CELLS = 2**18
"""Random numbers of a batch: two megabytes stay in the processor's cache. How many draws a batch has follows from the
data alone, so that a metric sees the same resamples whichever others are asked for."""

ALONE = 2**14
"""A function in Python is called for each draw; unless a draw has this many items, threads only wait for each other."""

EACH, N_GROUPS = 1000, 200
"""Up to so many items each is left out of the jackknife; more are left out in this many groups."""


@dataclass(frozen=True, slots=True)
class Draws:
    """Resampled advantages.

    Attributes
    ----------
    advantages : array, (metrics, data sets, draws)
    standard_errors : array, (metrics, data sets, draws)
        Of the advantage in each draw, for means of item scores; else NaN.
    exact : bool
        Whether the draws are all equally likely outcomes rather than a sample of them.
    """

    advantages: FloatArray
    standard_errors: FloatArray
    exact: bool = False

    def shifted(self) -> "Draws":
        """Return the draws moved so that the mean of each data set's is zero; undefined draws do not count."""
        is_defined = ~np.isnan(self.advantages)
        n_defined = np.maximum(is_defined.sum(axis=-1, keepdims=True), 1)
        means = np.where(is_defined, self.advantages, 0.0).sum(axis=-1, keepdims=True) / n_defined
        return Draws(self.advantages - means, self.standard_errors)


class Drawing(Protocol):
    """What turns random numbers into advantages."""

    width: int
    """How many random numbers a draw takes."""

    def advantages(self, rng: np.random.Generator, n_draws: int) -> tuple[FloatArray, FloatArray]:
        """Return advantages and their standard errors, (metrics, data sets, draws)."""


def draw(
    stack: Stack,
    metrics: Sequence[Any],
    *,
    scheme: Scheme,
    exchange: Exchange | None = None,
    n_resamples: int,
    seed: np.random.SeedSequence,
    clusters: IntArray | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> Draws:
    """Draw advantages under a scheme; `exchange` says how A and B are mixed as if they were equal.

    With `clusters`, the number of each item's cluster, whole clusters are drawn or exchanged instead of items.
    """
    drawing = drawing_of(stack.keeping(scheme), metrics, scheme=scheme, exchange=exchange, clusters=clusters)
    calls_python = not all(getattr(metric, "vectorized", True) for metric in metrics)
    if calls_python and stack.n_items < ALONE:
        workers = 1
    shape, purpose = (len(metrics), len(stack)), exchange or "resamples"
    return in_batches(
        drawing, shape, n_resamples=n_resamples, seed=seed, purpose=purpose, workers=workers, progress=progress
    )


def in_batches(
    drawing: Drawing,
    shape: tuple[int, int],
    *,
    n_resamples: int,
    seed: np.random.SeedSequence,
    purpose: str,
    workers: int = 1,
    progress: Progress | None = None,
) -> Draws:
    """Return what a drawing gives, (metrics, data sets) = `shape` in each draw: the loop that all resampling takes."""
    advantages, errors = np.empty((2, *shape, n_resamples))

    def batch(number: int, start: int, stop: int) -> None:
        rng = _random.generator(seed, purpose, number)
        advantages[..., start:stop], errors[..., start:stop] = drawing.advantages(rng, stop - start)

    size = max(1, CELLS // drawing.width)
    _random.map_blocks(batch, n_resamples, workers=workers, progress=progress, size=size, width=drawing.width)
    return Draws(advantages, errors)


def drawing_of(
    stack: Stack, metrics: Sequence[Any], *, scheme: Scheme, exchange: Exchange | None, clusters: IntArray | None
) -> Drawing:
    """Return what draws under a scheme; combinations that make no sense are refused."""
    from howsure.resampling.raters import RatersDrawn
    from howsure.resampling.responses import ResponsesDrawn

    draws_units = scheme.keeps_responses and exchange in (None, "sign-flip")
    if scheme.raters == "random":
        if exchange is not None:
            raise ArgumentError(
                f"`raters='random'` goes with the nulls random-effects and shifted-bootstrap; got {exchange!r}."
            )
        if not scheme.keeps_responses:
            raise ArgumentError(f"raters are drawn with all their responses; got {scheme}.")
        return RatersDrawn(stack.whole, metrics, clusters, draws_items=scheme.items == "bootstrap")
    if clusters is not None and not draws_units:
        raise ArgumentError(f"clusters are drawn with all their responses; got {scheme}.")
    if draws_units and (exchange is not None) != (scheme.items == "bootstrap"):
        return UnitsDrawn(stack, metrics, clusters, exchanges=exchange is not None)
    return ResponsesDrawn(stack, metrics, scheme, exchange)


class UnitsDrawn:
    """Items or clusters drawn with replacement, or A and B exchanged on each by a fair coin; responses stay.

    Where items are many and of few kinds (right or wrong, won or lost), how often each kind occurs is drawn instead of
    the items: 9,999 resamples of a million items took 100 seconds otherwise.
    """

    def __init__(self, stack: Stack, metrics: Sequence[Any], clusters: IntArray | None, *, exchanges: bool) -> None:
        self.n_data_sets, self.exchanges = len(stack), exchanges
        self.scorers = [scorer_of(metric, stack, clusters, exchanges=exchanges) for metric in metrics]
        self.n_units = stack.n_items if clusters is None else int(clusters.max()) + 1
        self.kinds = few_kinds(self.scorers) if len(stack) == 1 else None
        self.width = len(stack) * (self.n_units if self.kinds is None else self.kinds.size)

    def advantages(self, rng: np.random.Generator, n_draws: int) -> tuple[FloatArray, FloatArray]:
        """Return advantages and their standard errors, (metrics, data sets, draws)."""
        shape = self.n_data_sets, n_draws
        draw_weights = draw_signs if self.exchanges else draw_counts
        weights = draw_weights(rng, shape, self.n_units, kinds=self.kinds)
        return self.scored(weights)

    def scored(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the same from counts, or signs, of the units: (data sets, draws, units)."""
        parts = [scorer(weights) for scorer in self.scorers]
        advantages, errors = (np.stack(side) for side in zip(*parts, strict=True))
        return advantages, errors


class MeansDrawn:
    """Means of rows of units, drawn with replacement; all rows have the same units drawn.

    `sums` holds the sum of each unit, (rows, units), and `sizes` the number of items of each, alike in all rows if it
    has a single row.
    """

    def __init__(self, sums: FloatArray, sizes: FloatArray) -> None:
        self.scorer, self.width = MeanScorer(sums, sizes, exchanges=False), sums.shape[1]

    def advantages(self, rng: np.random.Generator, n_draws: int) -> tuple[FloatArray, FloatArray]:
        """Return means and their standard errors, (1, rows, draws)."""
        means, errors = self.scorer(draw_counts(rng, (1, n_draws), self.width))
        return means[np.newaxis], errors[np.newaxis]


def every_exchange(stack: Stack, metrics: Sequence[Any], scheme: Scheme, clusters: IntArray | None = None) -> Draws:
    """Return the advantages of all 2ⁿ ways to exchange A and B unit by unit; the first is the data as they are."""
    stack = stack.keeping(scheme)
    drawing = UnitsDrawn(stack, metrics, clusters, exchanges=True)
    n = drawing.n_units
    patterns = every_sign(n)
    size = max(1, CELLS // drawing.width)
    parts = [
        drawing.scored(
            np.broadcast_to(patterns[start : start + size], (len(stack), len(patterns[start : start + size]), n))
        )
        for start in range(0, 2**n, size)
    ]
    advantages, errors = (np.concatenate(side, axis=-1) for side in zip(*parts, strict=True))
    return Draws(advantages, errors, exact=True)


def jackknife(stack: Stack, metric: Any, clusters: IntArray | None = None) -> FloatArray:
    """Return the advantages that remain without each item (each of 200 groups of items above 1,000), or each cluster.

    There is a row for each data set; clusters belong to a single one.
    """
    n = stack.n_items
    groups = np.arange(n) % (n if n <= EACH else N_GROUPS) if clusters is None else clusters
    n_groups = int(groups.max()) + 1
    left_out = np.full((len(stack), n_groups), np.nan)
    if n_groups < 2:
        return left_out
    score: Scorer = scorer_of(metric, stack, None, exchanges=False)
    size = max(1, CELLS // (len(stack) * n))
    for start in range(0, n_groups, size):
        out = np.arange(start, min(start + size, n_groups))
        kept = (groups != out[:, np.newaxis]).astype(np.float64)
        left_out[:, out] = score(np.broadcast_to(kept, (len(stack), *kept.shape)))[0]
    return left_out


def mean_scores(
    stack: Stack, metrics: Sequence[Any], *, scheme: Scheme, n_resamples: int, seed: np.random.SeedSequence
) -> FloatArray:
    """Return the scores of A and of B on all items, averaged over draws of their responses: (metrics, 2, data sets)."""
    from howsure.resampling.responses import ResponsesDrawn

    drawing = ResponsesDrawn(stack.keeping(scheme), metrics, replace(scheme, items="all"), None)
    size = max(1, CELLS // drawing.width)
    parts = [
        drawing.scores(_random.generator(seed, "mean scores", number), stop - start)
        for number, start, stop in _random.blocks(n_resamples, size)
    ]
    return np.asarray(np.concatenate(parts, axis=-1).mean(axis=-1))
