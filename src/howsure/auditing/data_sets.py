"""Simulated data sets that are compared: at once where they have the same sizes, else one by one."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from howsure import _random
from howsure.comparison import Procedure
from howsure.comparison.comparing import gather_rows
from howsure.comparison.gathering import Shared
from howsure.contests import Contest
from howsure.inference.evidence import Evidence
from howsure.metrics import AdditiveMetric, Metric
from howsure.models import ResponseModel
from howsure.models.simulation import draw_each
from howsure.resampling import Stack, can_stack, stackable
from howsure.scales import FloatArray

Simulated = Stack | Sequence[tuple[Contest, np.random.SeedSequence]]
"""Data sets, each with the seed of its draws."""


def simulated(
    model: ResponseModel, stream: np.random.SeedSequence, numbers: Sequence[int], *, n_items: int, **design: Any
) -> Simulated:
    """Simulate the data sets of these numbers, as `ResponseModel.table` does each from its own seed."""
    seeds = _random.Seeds.children(stream, "draws", numbers=numbers)
    if type(model).table is ResponseModel.table and stackable(n_items, model.scale):
        grids = draw_each(model, stream, "data set", numbers=numbers, n_items=n_items, **design)
        if not any(np.isnan(grid).any() for grid in grids):
            return Stack.of_grids(*grids, scale=model.scale, seeds=seeds)
    own = [_random.child(stream, "data set", number) for number in numbers]
    tables = [model.table(n_items, rng=seed, **design) for seed in own]
    contests = [table.contest(gold="gold", a="A", b="B").complete() for table in tables]
    return [(contest, seeds[i]) for i, contest in enumerate(contests)]


@dataclass(frozen=True, slots=True)
class DataSets:
    """Data sets that are compared by several procedures, which share what they can.

    They are one stack where they have the same sizes, else a stack each.
    """

    stacks: Sequence[Stack]
    shared: Sequence[Shared]

    @classmethod
    def of(cls, data: Simulated, *, at_once: bool, leaves_out: bool) -> "DataSets":
        """Take data sets together if asked for and possible; `leaves_out` is that of `Shared`."""
        if isinstance(data, Stack):
            stacks = [data]
        else:
            contests, seeds = zip(*data, strict=True)
            if at_once and can_stack(contests):
                stacks = [Stack.of(contests, _random.Seeds(seeds))]
            else:
                stacks = [Stack.alone(*one) for one in data]
        return cls(stacks, [Shared(leaves_out=leaves_out) for _ in stacks])

    def compared(self, how: Procedure, metrics: Sequence[Metric]) -> list[list[Evidence]]:
        """Return what comparisons by a procedure rest on: for each metric, the evidence of all stacks."""
        found = [
            shared.once(how, partial(gather_rows, stack, metrics=metrics, procedure=how, shared=shared))
            for stack, shared in zip(self.stacks, self.shared, strict=True)
        ]
        return [[one.evidence for one in of_metric] for of_metric in zip(*found, strict=True)]

    def item_advantages(self, metric: AdditiveMetric) -> list[FloatArray]:
        """Return the item advantages of each stack: (data sets, items)."""
        return [stack.item_advantages(metric) for stack in self.stacks]
