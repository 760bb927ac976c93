"""Draws of summaries that metrics score: which metrics are drawn so, which share their draws, and batches for each."""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol, get_args

import numpy as np

from howsure.data.contests import Contest
from howsure.data.scales import FloatArray, IntArray
from howsure.data.summaries import Needs
from howsure.resampling.sampler import Sampler
from howsure.resampling.schemes import Exchange, Scheme


class ScoresDraws(Protocol):
    """What this module needs of a metric; `howsure.metrics.Metric` has it."""

    @property
    def needs(self) -> Needs:
        """The summary it works on."""

    @property
    def additive(self) -> bool:
        """Whether it has item advantages."""

    @property
    def ignores(self) -> str:
        """What it ignores of a model's answers, if anything."""

    def swappable(self, gold: Any, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return what is swapped between A and B: what it uses of their answers."""

    def advantage(self, gold: Any, a: Any, b: Any) -> FloatArray:
        """Return how much better A is, for each draw."""


def paths_of(metrics: Sequence[ScoresDraws], scheme: Scheme, null: Exchange | None) -> tuple[list[int], ...]:
    """Return the metrics by how they are drawn: linear, by weights, by sums, and from summaries that are scored."""
    straight = scheme.keeps_responses and (null is None or (null == "sign-flip" and scheme.items == "all"))
    linear = [i for i, metric in enumerate(metrics) if metric.additive and straight]
    draws_weights = straight and (null is not None or scheme.items == "bootstrap")
    ordered, summed = (
        [i for i, metric in enumerate(metrics) if draws_weights and i not in linear and getattr(metric, way, False)]
        for way in ("by_weights", "by_sums")
    )
    return linear, ordered, summed, [i for i in range(len(metrics)) if i not in linear + ordered + summed]


def samplers_of(
    contest: Contest,
    metrics: Sequence[ScoresDraws],
    which: list[int],
    *,
    scheme: Scheme,
    null: Exchange | None,
    n_data_sets: int = 1,
) -> list[tuple[list[int], Sampler]]:
    """Return what draws for these metrics: a sampler for those that share their draws."""
    return [
        (
            those,
            Sampler(
                contest,
                metrics[those[0]].needs,
                scheme,
                null,
                with_means=brings_means(metrics, those),
                swappable=metrics[those[0]].swappable if metrics[those[0]].ignores else None,
                n_data_sets=n_data_sets,
            ),
        )
        for those in alike(metrics, which, null, contest, scheme)
    ]


def alike(
    metrics: Sequence[ScoresDraws], which: list[int], null: Exchange | None, contest: Contest, scheme: Scheme
) -> list[list[int]]:
    """Return the metrics in groups that share their draws: by what they need, alone if it swaps its own values.

    A single response is its own mean, and drawn responses soon have theirs: metrics of means then share the draws of
    metrics of responses. The first metric of a group says what is drawn.
    """
    own = [[i] for i in which if null == "sign-flip" and metrics[i].ignores]
    rest = [i for i in which if [i] not in own]
    by_needs = [[i for i in rest if metrics[i].needs == needs] for needs in get_args(Needs)]
    means, counts, ordered, values = by_needs
    if null in (None, "pooled-responses"):
        if means and _draws_one(contest, scheme):
            by_needs = [means + values, counts, ordered]
        elif values and not scheme.keeps_responses:
            by_needs = [values + means, counts, ordered]
    return [*(those for those in by_needs if those), *own]


def brings_means(metrics: Sequence[ScoresDraws], those: list[int]) -> bool:
    """Whether responses are drawn also for metrics of their means."""
    return metrics[those[0]].needs == "values" and metrics[those[-1]].needs == "means"


def _draws_one(contest: Contest, scheme: Scheme) -> bool:
    """Whether a draw has one response of each item and source."""
    return scheme.responses in ("one", "first") and all(each.weights is None for each in contest.sources.values())


def drawn_for(
    metrics: Sequence[ScoresDraws], those: list[int], sampler: Sampler, seeds: Any, starts: IntArray | None = None
) -> Iterator[tuple[int, slice, list[Any]]]:
    """Yield each batch for each metric as it needs it: single responses are drawn as means, others bring theirs.

    Means are narrow: those of all batches that were drawn together are scored at once. `starts` is that of a sampler.
    """
    for batch, *sides in sampler.batches(seeds, starts):
        together = slice((batch.stop - 1) // sampler.n_ahead * sampler.n_ahead, batch.stop)
        for i in those:
            if metrics[i].needs == sampler.needs:
                yield i, batch, sides
            elif metrics[i].needs == "means":
                if batch.stop % sampler.n_ahead == 0 or batch.stop == seeds.shape[1]:
                    yield i, together, sampler.means(together)
            else:
                yield i, batch, [None if side is None else side[..., np.newaxis] for side in sides]
