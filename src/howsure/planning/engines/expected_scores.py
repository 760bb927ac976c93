"""The expected advantage of single items: their scores with the noise of the responses averaged out exactly.

A plan depends above all on the mean advantage, and with few responses per item most of the spread of a score is noise
of the responses. A metric's advantage is the score of B minus that of A, each a function of two sets of responses, so
its expectation given the item needs only pairs of outcomes, not the triples of gold, A and B. Four kinds of pairs can
be summed up: of counts where the scale has two levels, of counts of each level where the score is a sum over levels
(`ByLevel`), of whole outcomes where there are few, and of sums where the mean is enough. Errors of normal responses
have a closed form.

Two more kinds have no short sum, but a mean at a lower price than by drawing more scores; part of it is drawn:

votes    accuracy is a sum over labels of the chance that gold votes for it times the chance that the model does. Each
         chance is summed up over the two likeliest labels, given what is drawn for the others.
coupled  wins have no score of a model alone. From the advantage of A and B that of A and a second A is subtracted,
         whose mean is zero. The second A and B answer from the same random numbers, so that their errors nearly cancel.
"""

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from scipy.special import ndtr

from howsure._random import generator
from howsure.data.scales import FloatArray, Scale
from howsure.metrics import AdditiveMetric, ItemMetric
from howsure.metrics.distribution import ByLevel
from howsure.metrics.labels import Accuracy
from howsure.metrics.wins import Wins
from howsure.models import NormalModel
from howsure.models.answers import FEW_RESPONSES, Answers, NormalAnswers, ShareAnswers
from howsure.models.base import Streams
from howsure.models.simulation import derive
from howsure.planning.engines.even_points import evenly
from howsure.planning.engines.item_scores import (
    ITEMS,
    Outcomes,
    Setting,
    are_sums,
    distinct_shares,
    log_factorials,
    once_each,
)

MOST_RESPONSES = 160
"""With more responses their noise is small, and drawing a few sets of them is cheaper than summing up all pairs."""

MOST_SUMMED = 25
"""The same for sums of responses."""

MOST_OUTCOMES = 512
"""Most outcomes of one source for which pairs of whole outcomes are summed up."""

HOPELESS = 1e-10
"""A label that has the most responses with a smaller chance than this has it never."""

EFFORT = {"votes": 1.5, "coupled": 3.0}
"""About how many items can be drawn and scored in the time that the mean advantage of one takes, by kind."""

SETS = 8
"""Sets of responses of each source; every set of gold meets every set of A."""


def has_expectations(setting: Setting, metric: AdditiveMetric) -> bool:
    """Return whether the expected advantage of an item can be computed for this metric."""
    return kind_of(setting, metric) is not None


def effort(setting: Setting, metric: AdditiveMetric) -> float:
    """Return about how many items can be drawn and scored in the time that the expectation of one takes."""
    most, kind = max(setting.n_responses), kind_of(setting, metric)
    if kind == "outcomes":
        return Outcomes(setting.model.scale, most).size / 16
    if kind == "normal":
        return 0.5
    return 0.5 + most / 20 if kind == "sums" else 1 + most / 25


def mean_advantages(
    setting: Setting, metrics: Sequence[AdditiveMetric], numbers: Sequence[int], seed: np.random.SeedSequence
) -> list[list[float]]:
    """Draw these blocks of items and return the mean of their expected advantages, of each by each metric."""
    streams = [generator(seed, "item expectations", *setting.name, number) for number in numbers]
    # The same number of items for all metrics, so that the answer of one does not depend on the others.
    shape = (len(numbers), max(n_expected(setting, each) for each in ("sums", "")))
    sources = setting.model.sources(
        shape, evenly(Streams(streams, [1] * len(numbers))), epsilon=setting.epsilon, perturbation=setting.perturbation
    )
    if not setting.model.scale.levels:
        of_metrics = [_normal_advantages(metric, sources, setting.n_responses) for metric in metrics]
        return [list(each) for each in zip(*of_metrics, strict=True)]
    shares = distinct_shares(setting, sources)
    return [_block_means(setting, metrics, shares, block) for block in range(len(numbers))]


def _block_means(
    setting: Setting, metrics: Sequence[AdditiveMetric], shares: Sequence[FloatArray], block: int
) -> list[float]:
    """Return the mean of the expected advantages of one block of items, by each metric."""
    by_source = {id(each): each[block] for each in shares}
    pairs: dict[str, list[FloatArray]] = {}
    found = []
    for metric in metrics:
        kind = kind_of(setting, metric)
        assert kind is not None
        if kind not in pairs:
            pairs[kind] = outcome_pairs(setting, kind, [by_source[id(each)] for each in shares])
        tables = _tables(setting.model.scale, metric, setting.n_responses, kind)
        of_a, of_b = (float(np.vdot(weights, table)) for weights, table in zip(pairs[kind], tables, strict=True))
        found.append(of_b - of_a if metric.better == "lower" else of_a - of_b)
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


def outcome_pairs(setting: Setting, kind: str, shares: list[FloatArray]) -> list[FloatArray]:
    """Return how likely each pair of outcomes is, of gold with A and of gold with B, on average over the items.

    With counts of single levels the pairs of all levels are added up.
    """
    n = n_expected(setting, kind)

    def outcomes(of_source: FloatArray, k: int) -> FloatArray:
        if kind in ("outcomes", "sums"):
            return Outcomes(setting.model.scale, k, kind == "sums").probabilities(of_source[:n])
        # Of two levels, the count of the first says all; outcomes are in its order.
        of_levels = of_source[:n, 0] if kind == "two levels" else of_source[:n]
        return binomial(of_levels.ravel(), k).T

    gold, *models = once_each(outcomes, shares, setting.n_responses)
    return [gold.T @ model / n for model in models]


def _normal_advantages(
    metric: AdditiveMetric, sources: tuple[Answers, Answers, Answers], sizes: tuple[int, int, int]
) -> list[float]:
    """Return the mean advantage of each block with normal responses: of |X| or X², X the normal difference of means."""
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
        scores.append(found.mean(axis=1) * unit**metric.error_power)
    return [float(after - before) for before, after in zip(*scores, strict=True)]


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


def binomial(shares: FloatArray, k: int) -> FloatArray:
    """Return the probability of each count of k responses, for each share: (counts, shares).

    Examples
    --------
    >>> binomial(np.array([0.5, 0.0]), 2).tolist()
    [[0.25, 1.0], [0.5, 0.0], [0.25, 0.0]]
    """
    found = _powers(shares, k)
    found *= _powers(1 - shares, k)[::-1]
    found *= _ways(k)[:, np.newaxis]
    return found


def _powers(base: FloatArray, most: int) -> FloatArray:
    """Return the powers 0, 1, …, most: (powers, bases); the known powers times the highest one give the next."""
    found = np.empty((most + 1, base.size))
    found[0], found[1:2] = 1.0, base
    known = 1
    while known < most:
        more = min(known, most - known)
        np.multiply(found[1 : 1 + more], found[known], out=found[known + 1 : known + 1 + more])
        known += more
    return found


@lru_cache(maxsize=64)
def _ways(k: int) -> FloatArray:
    """Return in how many ways k responses can have each count."""
    return np.array([float(math.comb(k, count)) for count in range(k + 1)])


def drawn_kind(setting: Setting, metric: AdditiveMetric) -> str | None:
    """Return in which way the mean of this metric is drawn; None where neither fits."""
    if len(setting.model.scale.levels) < 2:
        return None
    if isinstance(metric, Accuracy):
        return "votes"
    few = max(setting.n_responses) <= FEW_RESPONSES and setting.n_responses[1] == setting.n_responses[2]
    scored = isinstance(metric, Wins) and isinstance(metric.item_error, ItemMetric)
    return "coupled" if scored and metric.needs in ("means", "counts") and few and not setting.null else None


def drawn_advantages(
    setting: Setting, metrics: Sequence[AdditiveMetric], numbers: Sequence[int], seed: np.random.SeedSequence
) -> list[list[float]]:
    """Draw these blocks of items and return their mean advantages, of each block by each metric."""
    streams = [generator(seed, "item means", *setting.name, number) for number in numbers]
    sources = setting.model.sources(
        (len(numbers), ITEMS),
        evenly(Streams(streams, [1] * len(numbers))),
        epsilon=setting.epsilon,
        perturbation=setting.perturbation,
    )
    found = []
    for stream, *shares in zip(streams, *distinct_shares(setting, sources), strict=True):
        votes, gold, a, b = stream.integers(0, 1 << 64, 4, dtype=np.uint64)
        of_block = []
        for metric in metrics:
            if isinstance(metric, Accuracy):
                of_block.append(_votes(shares, setting, (gold, votes, votes)))
            else:
                assert isinstance(metric, Wins), "`drawn_kind` is of accuracy and wins"
                of_block.append(_coupled(metric, shares, setting, (gold, a, b, b)))
        found.append(of_block)
    return found


def _votes(shares: Sequence[FloatArray], setting: Setting, seeds: Sequence[np.uint64]) -> float:
    """Return how much more often A's vote is gold's than B's."""
    from howsure.planning.engines._kernels import expected_votes

    gold, a, b = (
        expected_votes(np.ascontiguousarray(each), k, 2 if k > FEW_RESPONSES else 4, word, log_factorials(k), HOPELESS)
        for each, k, word in zip(shares, setting.n_responses, seeds, strict=True)
    )
    return float((gold * (a - b)).sum() / len(gold))


def _coupled(metric: Wins, shares: Sequence[FloatArray], setting: Setting, seeds: Sequence[np.uint64]) -> float:
    """Return how much more often A wins against B than against itself."""
    error, scale, k = metric.item_error, setting.model.scale, setting.n_responses
    assert isinstance(error, ItemMetric), "`drawn_kind` is of wins by an item's score"
    gold, a, b, again = (
        derive(_sets(each, of_each, word, np.array(scale.levels)), "counts", metric.needs, scale)
        for each, of_each, word in zip((*shares, shares[1]), (*k, k[1]), seeds, strict=True)
    )
    of_all = error.item_scores(gold[:, np.newaxis], np.concatenate([a, b, again])[np.newaxis])
    of_a, *others = np.split(of_all, 3, axis=1)
    sets = np.arange(SETS)
    turned = (sets[:, np.newaxis] + sets) % SETS
    sign = 1.0 if error.better == "lower" else -1.0
    won, even = (
        float(metric.won((of_other[sets[:, np.newaxis], turned] - of_a) * sign, gold, a, other).mean())
        for of_other, other in zip(others, (b, again), strict=True)
    )
    return won - even


def _sets(shares: FloatArray, k: int, word: np.uint64, levels: FloatArray) -> FloatArray:
    """Draw the counts of sets of k responses to each item, from the random numbers of a word: (sets, items, levels)."""
    stream = np.random.Generator(np.random.SFC64(int(word)))
    return ShareAnswers(np.broadcast_to(shares, (SETS, *shares.shape)), levels).summary("counts", k, stream)
