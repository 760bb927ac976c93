"""The mean advantage where its expectation given the item has no short sum: the parts without one are drawn.

The mean of a plan's scores needs far more items than their shape. Two kinds of metrics get it at a lower price than by
drawing more scores:

votes    accuracy is a sum over labels of the chance that gold votes for it times the chance that the model does. Each
         chance is summed up over the two likeliest labels, given what is drawn for the others.
coupled  wins have no score of a model alone. From the advantage of A and B that of A and a second A is subtracted,
whose
         mean is zero. The second A and B answer from the same random numbers, so that their errors nearly cancel.
"""

from collections.abc import Sequence

import numpy as np

from howsure._random import generator
from howsure.metrics import AdditiveMetric, ItemMetric
from howsure.metrics.labels import Accuracy
from howsure.metrics.wins import Wins
from howsure.models.levels import FEW_RESPONSES, ShareAnswers
from howsure.models.simulation import derive
from howsure.models.streams import Streams
from howsure.planning.engines.item_scores import ITEMS, Setting, distinct_shares
from howsure.planning.engines.lattices import evenly
from howsure.planning.engines.outcomes import log_factorials
from howsure.scales import FloatArray

HOPELESS = 1e-10
"""A label that has the most responses with a smaller chance than this has it never."""

EFFORT = {"votes": 1.5, "coupled": 3.0}
"""About how many items can be drawn and scored in the time that the mean advantage of one takes, by kind."""

SETS = 8
"""Sets of responses of each source; every set of gold meets every set of A."""


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
