"""Data sets of one size as rows: one comparison is a stack of one, simulated studies and slices are stacks of many.

Simulated data sets are small, and a call of NumPy takes longer than the few draws that one of them needs. A stack holds
the items of all data sets, one after the other, so that a call serves all: an audit takes a quarter of the time.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from howsure.data.contests import Contest
from howsure.data.responses import Responses
from howsure.data.scales import FloatArray, Scale
from howsure.data.summaries import FEW_CELLS, Needs, summarise
from howsure.resampling.responses_kept import kept_responses
from howsure.resampling.schemes import Scheme

MOST_ITEMS = 4096
"""Data sets with more items are compared one by one: a call of NumPy is short beside the work on so many."""


@dataclass(frozen=True)
class Stack:
    """Contests of the same sizes.

    Attributes
    ----------
    whole : Contest
        The items of all contests, one after the other.
    n_data_sets : int
    """

    whole: Contest
    n_data_sets: int = 1

    @classmethod
    def of(cls, contests: Sequence[Contest]) -> "Stack":
        """Put contests together that `can_stack` allows; one contest may have raters and anything else."""
        first = contests[0]
        if len(contests) == 1:
            return cls(first)

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
        return cls(Contest(**sides, scale=first.scale, items=items), len(contests))

    @classmethod
    def of_grids(cls, gold: FloatArray, a: FloatArray, b: FloatArray, *, scale: Scale) -> "Stack":
        """Put contests together whose responses are given as (contests, items, responses), none of them absent."""
        n_items = a.shape[0] * a.shape[1]

        def source(grid: FloatArray) -> Responses:
            return Responses(grid.reshape(-1), grid.shape[2] * np.arange(n_items + 1))

        return cls(Contest(source(gold), source(a), source(b), scale, np.arange(n_items).astype(str)), len(a))

    def __len__(self) -> int:
        return self.n_data_sets

    @property
    def n_items(self) -> int:
        """The items of each contest."""
        return self.whole.n_items // self.n_data_sets

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
        kept = kept_responses(self.whole, scheme)
        return self if kept is self.whole else Stack(kept, self.n_data_sets)

    def summaries(self, needs: Needs) -> list[Any]:
        """Return the summaries of gold (None if there is none), A and B: (contests, items, …)."""
        shape = len(self), self.n_items
        return [
            None if side is None else side.reshape(*shape, *side.shape[1:]) for side in summaries_of(self.whole, needs)
        ]

    def item_advantages(self, metric: Any) -> FloatArray:
        """Return the item advantages of an additive metric: (contests, items)."""
        advantages = metric.item_advantages(*summaries_of(self.whole, metric.needs))
        return np.asarray(advantages).reshape(len(self), self.n_items)


def summaries_of(contest: Contest, needs: Needs) -> tuple[Any, FloatArray, FloatArray]:
    """Return the summaries of gold (None if there is none), A and B on all their responses."""
    gold = None if contest.gold is None else summarise(contest.gold, needs, contest.scale)
    return gold, summarise(contest.a, needs, contest.scale), summarise(contest.b, needs, contest.scale)


def stackable(n_items: int, scale: Scale) -> bool:
    """Whether contests of so many items on a scale may be put together."""
    return n_items <= MOST_ITEMS and n_items * len(scale.levels) <= FEW_CELLS


def can_stack(contests: Sequence[Contest]) -> bool:
    """Whether contests can be put together: equal numbers of responses, no raters, no shares of labels."""
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
