"""The expected contrast of single items: their scores with the noise of the responses averaged out exactly.

The mean contrast is what a plan hinges on, and with few responses per item most of the spread of a score is noise of
the responses. A metric's contrast is the score of B minus that of A, each a function of two sets of responses, so its
expectation given the item needs pairs of outcomes only, not the triples of gold, A and B. Three kinds of pairs can be
summed up: of counts where the scale has two levels, of counts of each level where the score is a sum over levels
(`ByLevel`), and of whole outcomes where there are few.
"""

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from assay._random import generator
from assay.metrics import AdditiveMetric, ItemMetric
from assay.metrics.distribution import ByLevel
from assay.models.simulation import derive
from assay.planning.engines.item_scores import (
    Setting,
    compositions,
    level_shares,
    log_factorials,
    outcome_probabilities,
)
from assay.scales import FloatArray, Scale

MOST_RESPONSES = 160
"""With more responses their noise is small, and drawing a few sets of them is cheaper than summing up all pairs."""

MOST_OUTCOMES = 512
"""Outcomes of one source up to which pairs of whole outcomes are summed up."""


def has_expectations(setting: Setting, metric: AdditiveMetric) -> bool:
    """Return whether the expected contrast of an item can be had for this metric."""
    return _kind(setting, metric) is not None


def effort(setting: Setting, metric: AdditiveMetric) -> float:
    """Return about how many items can be drawn and scored in the time that the expectation of one takes."""
    most, levels = max(setting.n_responses), len(setting.model.scale.levels)
    if _kind(setting, metric) == "outcomes":
        return math.comb(most + levels - 1, levels - 1) / 16
    return 1 + most / 25


def mean_contrasts(
    setting: Setting, metrics: Sequence[AdditiveMetric], number: int, seed: np.random.SeedSequence
) -> list[float]:
    """Draw block `number` of items and return the mean of their expected contrasts, by each metric."""
    stream = generator(seed, "item expectations", *setting.name, number)
    shape = (1, n_expected(setting))
    sources = setting.model.sources(shape, stream, epsilon=setting.epsilon, perturbation=setting.perturbation)
    gold, a, b = (level_shares(source) for source in sources)
    if setting.null:
        a = b = (a + b) / 2
    return [_mean_contrast(setting, metric, gold, a, b) for metric in metrics]


def n_expected(setting: Setting) -> int:
    """Return the number of items of a block: fewer where each costs more, so that a first look is cheap."""
    levels, most = len(setting.model.scale.levels), max(setting.n_responses)
    n_outcomes = math.comb(most + levels - 1, levels - 1)
    if levels > 2 and n_outcomes <= MOST_OUTCOMES:
        return min(512, max(64, 13_000 // (levels * (3 + most) + 2 * n_outcomes)))
    return min(512, max(32, 13_000 // (levels * (3 + most))))


def _mean_contrast(setting: Setting, metric: AdditiveMetric, gold: FloatArray, a: FloatArray, b: FloatArray) -> float:
    kind = _kind(setting, metric)
    assert kind is not None
    tables = _tables(setting.model.scale, metric, setting.n_responses, kind)
    of_a, of_b = (
        _expected(kind, gold, model, table, (setting.n_responses[0], k))
        for model, table, k in zip((a, b), tables, setting.n_responses[1:], strict=True)
    )
    return of_b - of_a if metric.better == "lower" else of_a - of_b


def _kind(setting: Setting, metric: AdditiveMetric) -> str | None:
    levels, most = len(setting.model.scale.levels), max(setting.n_responses)
    known = isinstance(metric, ItemMetric) and metric.needs in ("means", "counts")
    if levels < 2 or not known or most > MOST_RESPONSES:
        return None
    if levels == 2:
        return "two levels"
    if isinstance(metric, ByLevel):
        return "by level"
    return "outcomes" if math.comb(most + levels - 1, levels - 1) <= MOST_OUTCOMES else None


@lru_cache(maxsize=64)
def _tables(scale: Scale, metric: AdditiveMetric, sizes: tuple[int, int, int], kind: str) -> tuple[FloatArray, ...]:
    """Return the scores of all pairs of outcomes: gold with A, and gold with B."""
    if kind == "by level":
        assert isinstance(metric, ByLevel)
        gold, a, b = (np.arange(k + 1) / k for k in sizes)
        return tuple(np.ascontiguousarray(metric.level_scores(gold[:, np.newaxis], model)) for model in (a, b))
    levels = len(scale.levels)
    gold, a, b = (derive(compositions(k, levels), "counts", metric.needs, scale) for k in sizes)
    tables = []
    for model in (a, b):
        shape = (len(gold), len(model), *gold.shape[1:])
        sides = (np.broadcast_to(gold[:, np.newaxis], shape), np.broadcast_to(model[np.newaxis], shape))
        flat = (np.ascontiguousarray(side).reshape(-1, *gold.shape[1:]) for side in sides)
        assert isinstance(metric, ItemMetric), "`_kind` is of metrics with item scores"
        tables.append(metric.item_scores(*flat).reshape(shape[:2]))
    return tuple(tables)


def _expected(kind: str, gold: FloatArray, model: FloatArray, table: FloatArray, sizes: tuple[int, int]) -> float:
    """Return the mean over the items of the expected score of the model."""
    if kind == "outcomes":
        levels = gold.shape[-1]
        of_gold, of_model = (
            outcome_probabilities(shares, compositions(k, levels))
            for shares, k in zip((gold, model), sizes, strict=True)
        )
        return float(((of_gold @ table) * of_model).sum()) / len(gold)
    from assay.planning.engines._kernels import expected_pairs

    # Of two levels, the count of the first says all; outcomes are in its order.
    ours, theirs = (
        np.ascontiguousarray((shares[:, 0] if kind == "two levels" else shares).ravel()) for shares in (gold, model)
    )
    return float(expected_pairs(ours, theirs, table, log_factorials(max(sizes))).sum()) / len(gold)
