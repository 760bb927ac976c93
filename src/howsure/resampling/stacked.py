"""Draws from many data sets of the same sizes at once: the bits that `draw` gives for each with its own seed.

Simulated data sets are small, and a call of NumPy or of a compiled loop takes longer than the few draws that one of
them needs. A stack holds the items of all data sets, one after the other, so that a call draws for all of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from howsure import _random
from howsure.data.contests import Contest
from howsure.data.responses import Responses
from howsure.data.scales import FloatArray, Scale
from howsure.data.summaries import FEW_CELLS, Needs
from howsure.resampling.draws import Draws, columns_of, draw, from_sums, summaries_of
from howsure.resampling.responses_kept import kept_responses
from howsure.resampling.sampler import ITEMS, STREAMS, SWAPS
from howsure.resampling.schemes import Exchange, Scheme
from howsure.resampling.scored_draws import drawn_for, paths_of, samplers_of
from howsure.resampling.seeds import PART
from howsure.resampling.sums import by_signs


@dataclass(frozen=True)
class Stack:
    """Contests of the same sizes, and the seed of each.

    Attributes
    ----------
    whole : Contest
        The items of all contests, one after the other.
    seeds : Seeds
        One for each contest.
    """

    whole: Contest
    seeds: _random.Seeds

    @classmethod
    def of(cls, contests: Sequence[Contest], seeds: _random.Seeds) -> "Stack":
        """Put contests together that `can_stack` allows."""
        first = contests[0]

        def joined(role: str) -> Responses | None:
            sources = [getattr(contest, role) for contest in contests]
            if sources[0] is None:
                return None
            n = sources[0].values.size
            starts = n * np.arange(len(sources))[:, np.newaxis] + sources[0].offsets[:-1]
            offsets = np.append(starts.ravel(), n * len(sources))
            return Responses(np.concatenate([source.values for source in sources]), offsets)

        sides: Any = {role: joined(role) for role in ("gold", "a", "b")}
        items = np.arange(len(contests) * first.n_items).astype(str)
        return cls(Contest(**sides, scale=first.scale, items=items), seeds)

    @classmethod
    def alone(cls, contest: Contest, seed: np.random.SeedSequence) -> "Stack":
        """Take one contest, which may have raters and anything else that contests in a stack do not have."""
        return cls(contest, _random.Seeds([seed]))

    @classmethod
    def of_grids(cls, gold: FloatArray, a: FloatArray, b: FloatArray, *, scale: Scale, seeds: _random.Seeds) -> "Stack":
        """Put contests together whose responses are given as (contests, items, responses), none of them absent."""
        n_items = a.shape[0] * a.shape[1]

        def source(grid: FloatArray) -> Responses:
            return Responses(grid.reshape(-1), grid.shape[2] * np.arange(n_items + 1))

        return cls(Contest(source(gold), source(a), source(b), scale, np.arange(n_items).astype(str)), seeds)

    def __len__(self) -> int:
        return len(self.seeds)

    @property
    def n_items(self) -> int:
        """The items of each contest."""
        return self.whole.n_items // len(self)

    @cached_property
    def first(self) -> Contest:
        """The first of the contests."""
        return self._contest(0)

    @cached_property
    def contests(self) -> list[Contest]:
        """Each contest by itself."""
        return [self._contest(number) for number in range(len(self))]

    def _contest(self, number: int) -> Contest:
        n = self.n_items
        if len(self) == 1:
            return self.whole

        def part(source: Responses) -> Responses:
            low, high = source.offsets[[number * n, (number + 1) * n]]
            return Responses(source.values[low:high], source.offsets[: n + 1])

        return replace(
            self.whole.having({role: part(source) for role, source in self.whole.sources.items()}),
            items=self.whole.items[:n],
        )

    def keeping(self, scheme: Scheme) -> "Stack":
        """Return the stack with the responses that a scheme keeps."""
        return replace(self, whole=kept_responses(self.whole, scheme))

    def summaries(self, needs: Needs) -> list[Any]:
        """Return the summaries of gold (None if there is none), A and B: (contests, items, …)."""
        return [
            None if side is None else side.reshape(len(self), self.n_items, *side.shape[1:])
            for side in summaries_of(self.whole, needs)
        ]

    def item_advantages(self, metric: Any) -> FloatArray:
        """Return the item advantages of an additive metric: (contests, items)."""
        found = metric.item_advantages(*summaries_of(self.whole, metric.needs))
        return np.asarray(found).reshape(len(self), self.n_items)


def stackable(n_items: int, scale: Scale) -> bool:
    """Whether contests of so many items on a scale may be drawn from together."""
    return n_items <= PART and n_items * len(scale.levels) <= FEW_CELLS


def can_stack(contests: Sequence[Contest]) -> bool:
    """Whether contests can be drawn from together: equal numbers of responses, no raters, no shares of labels."""
    first = contests[0]

    def alike(role: str) -> bool:
        sources = [getattr(contest, role) for contest in contests]
        if sources[0] is None:
            return all(source is None for source in sources)
        return all(
            source is not None
            and source.raters is None
            and source.weights is None
            and np.array_equal(source.offsets, sources[0].offsets)
            for source in sources
        )

    return (
        stackable(first.n_items, first.scale)
        and all(contest.scale == first.scale for contest in contests)
        and all(map(alike, ("gold", "a", "b")))
    )


def draw_stacked(
    stack: Stack, metrics: Sequence[Any], *, scheme: Scheme, null: Exchange | None, n_resamples: int
) -> Draws:
    """Draw from each contest of a stack, as `draw` does with its seed: (metrics, contests, draws)."""
    from howsure.resampling import _kernels

    stack, n_items, n, swap = stack.keeping(scheme), stack.n_items, len(stack), null is not None
    linear, ordered, summed, general = paths_of(metrics, scheme, null)
    # Some metrics prepare the items of each contest by themselves: their order, or what they use of a model's answers.
    alone = [*ordered, *(i for i in [*summed, *general] if null == "sign-flip" and metrics[i].ignores)]
    summed, scored = ([i for i in those if i not in alone] for those in (summed, general))
    advantages = np.empty((len(metrics), n, n_resamples))
    errors = np.full_like(advantages, np.nan)
    seeds = _kernels.seed_draws_of_each(stack.seeds.keys(null or "draws"), STREAMS, n_resamples)
    if linear:
        found = _linear(stack, [metrics[i] for i in linear], seeds[SWAPS if swap else ITEMS], swap=swap)
        advantages[linear], errors[linear] = (np.swapaxes(side, 0, 1) for side in found)
    for i in summed:
        advantages[i] = _summed(stack, metrics[i], seeds[SWAPS if swap else ITEMS], swap=swap)
    starts = np.repeat(np.arange(0, n * n_items, n_items), n_resamples)
    rows = advantages.reshape(len(metrics), -1)
    for group, sampler in samplers_of(stack.whole, metrics, scored, scheme=scheme, null=null, n_data_sets=n):
        for i, batch, sides in drawn_for(metrics, group, sampler, seeds, starts):
            rows[i, batch] = metrics[i].advantage(*sides)
    if alone:
        own: Any = {"scheme": scheme, "null": null, "n_resamples": n_resamples}
        for j, contest in enumerate(stack.contests):
            advantages[alone, j] = draw(contest, [metrics[i] for i in alone], seed=stack.seeds[j], **own).advantages
    return Draws(advantages, errors)


def _linear(stack: Stack, metrics: Sequence[Any], seeds: Any, *, swap: bool) -> tuple[FloatArray, FloatArray]:
    """Return the means of drawn items, or of items with random signs, and their errors: (contests, metrics, draws)."""
    from howsure.resampling import _kernels

    columns = columns_of(stack.whole, metrics).reshape(len(stack), stack.n_items, len(metrics))
    # `draw` adds up the items of one metric in pairs, those of several metrics one after the other.
    one = len(metrics) == 1
    means = columns.mean(axis=1) if one else np.cumsum(columns, axis=1)[:, -1] / stack.n_items
    if swap:
        sums = _kernels.swap_sums_of_each(columns, seeds)
    else:
        sums = _kernels.bootstrap_sums_of_each(columns, means, seeds)
    return from_sums(stack.n_items, means[:, :, np.newaxis], sums, swap=swap)


def _summed(stack: Stack, metric: Any, seeds: Any, *, swap: bool) -> FloatArray:
    """Return the advantages of a metric of sums over items, as `SummedAdvantages` does for each contest."""
    from howsure.resampling import _kernels

    gold, a, b = summaries_of(stack.whole, metric.needs)
    shape = len(stack), stack.n_items, -1
    columns = metric.item_sums(gold, a, b).reshape(shape)
    if not swap:
        sums = _kernels.bootstrap_sums_of_each(np.ascontiguousarray(columns), np.empty((len(stack), 0)), seeds)
        return np.asarray(metric.advantage_of_sums(sums))
    sure, columns, least = by_signs(columns, metric.item_sums(gold, b, a).reshape(shape))
    sums = _kernels.swap_sums_of_each(np.ascontiguousarray(columns), seeds) + sure[:, np.newaxis]
    sums[np.abs(sums) < least[:, np.newaxis]] = 0.0
    return np.asarray(metric.advantage_of_sums(sums))
