"""Simulated data sets that are compared: at once where they have the same sizes, else one by one."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np

from howsure import _random, inference
from howsure.comparison import Comparison, Procedure
from howsure.comparison.advantage_evidence import AdvantageEvidence
from howsure.comparison.comparing import compare_shared, compare_stacked
from howsure.comparison.shared import Shared
from howsure.contests import Contest
from howsure.metrics import AdditiveMetric, Metric
from howsure.models import ResponseModel
from howsure.models.simulation import draw_each
from howsure.resampling import Stack, can_stack, stackable, summaries_of
from howsure.scales import FloatArray

Simulated = Stack | Sequence[tuple[Contest, np.random.SeedSequence]]
"""Data sets, each with the seed of its draws."""


class AnswerRows(Protocol):
    """What comparisons of data sets by one metric say; `howsure.comparison.advantage_rows.AdvantageRows` is such."""

    def tails(self, *alternatives: str) -> FloatArray:
        """Return the p-values of alternatives: (data sets, alternatives)."""

    def expected(self) -> FloatArray:
        """Return LEADER's p-values."""

    def bootstrap_signs(self) -> FloatArray:
        """Return LEADER's p-values where all null advantages are 0."""

    def limits(self, method: str) -> FloatArray:
        """Return the ends of two-sided intervals: (data sets, 2)."""


class DataSets(Protocol):
    """Data sets that are compared by several procedures, which share what they can."""

    def compared(self, how: Procedure, metrics: Sequence[Metric]) -> Sequence[AnswerRows]:
        """Return what each metric says by a procedure."""

    def item_advantages(self, metric: AdditiveMetric) -> Sequence[FloatArray]:
        """Return the item advantages of each data set."""


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


def data_sets(data: Simulated, *, at_once: bool, leaves_out: bool) -> DataSets:
    """Return data sets that are compared at once if asked for and possible; `leaves_out` is that of `Shared`."""
    if isinstance(data, Stack):
        return _AllAtOnce(data, Shared(leaves_out=leaves_out))
    contests, seeds = zip(*data, strict=True)
    if at_once and can_stack(contests):
        return _AllAtOnce(Stack.of(contests, _random.Seeds(seeds)), Shared(leaves_out=leaves_out))
    return _EachAlone(contests, seeds, [Shared(leaves_out=leaves_out) for _ in contests])


@dataclass(frozen=True, slots=True)
class _AllAtOnce:
    stack: Stack
    shared: Shared

    def compared(self, how: Procedure, metrics: Sequence[Metric]) -> Sequence[AnswerRows]:
        return self.shared.once(
            how, lambda: compare_stacked(self.stack, metrics=metrics, procedure=how, shared=self.shared)
        )

    def item_advantages(self, metric: AdditiveMetric) -> Sequence[FloatArray]:
        return [*self.stack.item_advantages(metric)]


@dataclass(frozen=True, slots=True)
class _EachAlone:
    contests: Sequence[Contest]
    seeds: Sequence[np.random.SeedSequence]
    shared: Sequence[Shared]

    def compared(self, how: Procedure, metrics: Sequence[Metric]) -> Sequence[AnswerRows]:
        answers = [
            shared.once(how, partial(compare_shared, contest, metrics=metrics, procedure=how, rng=seed, shared=shared))
            for contest, seed, shared in zip(self.contests, self.seeds, self.shared, strict=True)
        ]
        return [_RowsOfEach(of_metric, how.confidence_level) for of_metric in zip(*answers, strict=True)]

    def item_advantages(self, metric: AdditiveMetric) -> Sequence[FloatArray]:
        return [metric.item_advantages(*summaries_of(contest, metric.needs)) for contest in self.contests]


@dataclass(frozen=True, slots=True)
class _RowsOfEach:
    answers: Sequence[Comparison | AdvantageEvidence]
    confidence_level: float

    def tails(self, *alternatives: str) -> FloatArray:
        return np.array([[answer.tail(side).pvalue for side in alternatives] for answer in self.answers])

    def expected(self) -> FloatArray:
        return np.array([answer.expected_pvalue for answer in self.answers])

    def bootstrap_signs(self) -> FloatArray:
        null = np.zeros_like(self.answers[0].draws)
        return np.array([inference.expected_pvalue(null, answer.draws).pvalue for answer in self.answers])

    def limits(self, method: str) -> FloatArray:
        found = [answer.limits(method, self.confidence_level, "two-sided") for answer in self.answers]
        return np.array([(interval.low, interval.high) for interval in found])
