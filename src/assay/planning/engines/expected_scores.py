"""The expected contrast of single items: their scores with the noise of the responses averaged out exactly.

The mean contrast is what a plan hinges on, and with few responses per item most of the spread of a score is noise of
the responses. A metric's contrast is the score of B minus that of A, each a function of two sets of responses, so its
expectation given the item needs pairs of outcomes only, not the triples of gold, A and B. Four kinds of pairs can be
summed up: of counts where the scale has two levels, of counts of each level where the score is a sum over levels
(`ByLevel`), and of whole outcomes, or of sums where these say all, where there are few. Errors of normal responses have
a closed form.
"""

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from scipy.special import ndtr

from assay._random import generator
from assay.metrics import AdditiveMetric, ItemMetric
from assay.metrics.distribution import ByLevel
from assay.models import NormalModel
from assay.models.answers import Answers, NormalAnswers
from assay.planning.engines.item_scores import Setting, level_shares
from assay.planning.engines.lattices import evenly
from assay.planning.engines.outcomes import Outcomes, are_sums, log_factorials
from assay.scales import FloatArray, Scale

MOST_RESPONSES = 160
"""With more responses their noise is small, and drawing a few sets of them is cheaper than summing up all pairs."""

MOST_SUMMED = 25
"""The same for sums of responses."""

MOST_OUTCOMES = 512
"""Outcomes of one source up to which pairs of whole outcomes are summed up."""


def has_expectations(setting: Setting, metric: AdditiveMetric) -> bool:
    """Return whether the expected contrast of an item can be had for this metric."""
    return kind_of(setting, metric) is not None


def effort(setting: Setting, metric: AdditiveMetric) -> float:
    """Return about how many items can be drawn and scored in the time that the expectation of one takes."""
    most, kind = max(setting.n_responses), kind_of(setting, metric)
    if kind == "outcomes":
        return Outcomes(setting.model.scale, most).size / 16
    if kind == "normal":
        return 0.5
    return 0.5 + most / 20 if kind == "sums" else 1 + most / 25


def mean_contrasts(
    setting: Setting, metrics: Sequence[AdditiveMetric], number: int, seed: np.random.SeedSequence
) -> list[float]:
    """Draw block `number` of items and return the mean of their expected contrasts, by each metric."""
    stream = generator(seed, "item expectations", *setting.name, number)
    # As many items whichever metrics are asked for, so that the answer of one does not depend on the others.
    shape = (1, max(n_expected(setting, each) for each in ("sums", "")))
    sources = setting.model.sources(shape, evenly(stream), epsilon=setting.epsilon, perturbation=setting.perturbation)
    if not setting.model.scale.levels:
        return [_normal_contrast(metric, sources, setting.n_responses) for metric in metrics]
    gold, a, b = (level_shares(source) for source in sources)
    if setting.null:
        a = b = (a + b) / 2
    found = []
    for metric in metrics:
        n = n_expected(setting, kind_of(setting, metric))
        parts = [gold[:n], a[:n], b[:n]]
        if a is gold:
            parts[1] = parts[0]
        found.append(_mean_contrast(setting, metric, *parts))
    return found


def n_expected(setting: Setting, kind: str | None) -> int:
    """Return the number of items of a block: fewer where each costs more, so that a first look is cheap."""
    if kind == "sums" and are_sums(setting.model.scale, ("means",)):
        return 512
    levels, most = len(setting.model.scale.levels), max(setting.n_responses)
    if not levels:
        return 512
    n_outcomes = Outcomes(setting.model.scale, most).size
    if levels > 2 and n_outcomes <= MOST_OUTCOMES:
        return min(512, max(64, 13_000 // (levels * (3 + most) + 2 * n_outcomes)))
    return min(512, max(32, 13_000 // (levels * (3 + most))))


def _mean_contrast(setting: Setting, metric: AdditiveMetric, gold: FloatArray, a: FloatArray, b: FloatArray) -> float:
    kind = kind_of(setting, metric)
    assert kind is not None
    scale, sizes = setting.model.scale, setting.n_responses
    tables = _tables(scale, metric, sizes, kind)
    if kind in ("outcomes", "sums"):
        known: dict[tuple[int, int], FloatArray] = {}
        for shares, k in zip((gold, a, b), sizes, strict=True):
            if (id(shares), k) not in known:  # an ideal A answers as gold does
                known[id(shares), k] = Outcomes(scale, k, kind == "sums").probabilities(shares)
        of_gold = known[id(gold), sizes[0]]
        scores = [
            float((_product(of_gold, table) * known[id(model), k]).sum()) / len(gold)
            for model, table, k in zip((a, b), tables, sizes[1:], strict=True)
        ]
    else:
        scores = [
            _expected(kind, gold, model, table, (sizes[0], k))
            for model, table, k in zip((a, b), tables, sizes[1:], strict=True)
        ]
    return scores[1] - scores[0] if metric.better == "lower" else scores[0] - scores[1]


def _normal_contrast(
    metric: AdditiveMetric, sources: tuple[Answers, Answers, Answers], sizes: tuple[int, int, int]
) -> float:
    """Return the mean contrast of items with normal responses: of |X| or X², X the normal difference of two means."""
    scores = []
    gold = sources[0]
    assert isinstance(gold, NormalAnswers)
    for model, k in zip(sources[1:], sizes[1:], strict=True):
        assert isinstance(model, NormalAnswers)
        apart = model.mean - gold.mean
        variance = np.square(model.sd) / k + np.square(gold.sd) / sizes[0]
        if metric.error_power == 2:
            found = np.square(apart) + variance
        else:
            sd = np.sqrt(variance)
            with np.errstate(invalid="ignore", divide="ignore"):
                z = np.where(sd > 0, apart / sd, np.sign(apart) * 1e9)
            found = sd * math.sqrt(2 / math.pi) * np.exp(-np.square(z) / 2) + apart * (1 - 2 * ndtr(-z))
        unit = gold.high - gold.low
        scores.append(float(found.mean()) * unit**metric.error_power)
    return scores[1] - scores[0]


def _product(rows: FloatArray, table: FloatArray) -> FloatArray:
    """Return rows @ table, a few rows at a time: a product so small is slower on BLAS's threads than without."""
    parts = rows.reshape(-1, 16, rows.shape[1]) if len(rows) % 16 == 0 else rows
    return np.asarray(parts @ table).reshape(len(rows), -1)


def kind_of(setting: Setting, metric: AdditiveMetric) -> str | None:
    """Return which pairs of outcomes are summed up for this metric; None where none can be."""
    levels, most = len(setting.model.scale.levels), max(setting.n_responses)
    known = isinstance(metric, ItemMetric) and metric.needs in ("means", "counts")
    if isinstance(setting.model, NormalModel):
        return "normal" if metric.error_power and not setting.model.clip and not setting.null else None
    if levels < 2 or not known or most > MOST_RESPONSES:
        return None
    if levels == 2:
        return "two levels"
    if isinstance(metric, ByLevel):
        return "by level"
    if are_sums(setting.model.scale, (metric.needs,)):
        return "sums" if most <= MOST_SUMMED else None
    return "outcomes" if Outcomes(setting.model.scale, most).size <= MOST_OUTCOMES else None


@lru_cache(maxsize=64)
def _tables(scale: Scale, metric: AdditiveMetric, sizes: tuple[int, int, int], kind: str) -> tuple[FloatArray, ...]:
    """Return the scores of all pairs of outcomes: gold with A, and gold with B."""
    if kind == "by level":
        assert isinstance(metric, ByLevel)
        gold, a, b = (np.arange(k + 1) / k for k in sizes)
        return tuple(np.ascontiguousarray(metric.level_scores(gold[:, np.newaxis], model)) for model in (a, b))
    gold, a, b = (Outcomes(scale, k, kind == "sums").summary(metric.needs) for k in sizes)
    tables = []
    for model in (a, b):
        shape = (len(gold), len(model), *gold.shape[1:])
        sides = (np.broadcast_to(gold[:, np.newaxis], shape), np.broadcast_to(model[np.newaxis], shape))
        flat = (np.ascontiguousarray(side).reshape(-1, *gold.shape[1:]) for side in sides)
        assert isinstance(metric, ItemMetric), "`kind_of` is of metrics with item scores"
        tables.append(metric.item_scores(*flat).reshape(shape[:2]))
    return tuple(tables)


def _expected(kind: str, gold: FloatArray, model: FloatArray, table: FloatArray, sizes: tuple[int, int]) -> float:
    """Return the mean over the items of the expected score of the model, from counts of single levels."""
    from assay.planning.engines._kernels import expected_pairs

    # Of two levels, the count of the first says all; outcomes are in its order.
    ours, theirs = (
        np.ascontiguousarray((shares[:, 0] if kind == "two levels" else shares).ravel()) for shares in (gold, model)
    )
    return float(expected_pairs(ours, theirs, table, log_factorials(max(sizes))).sum()) / len(gold)
