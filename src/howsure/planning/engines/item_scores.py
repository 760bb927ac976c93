"""How the advantage of one item is spread, for one response model, metric and number of responses.

Items are independent, so this one distribution is all that an additive metric's study needs, whatever its number of
items. Where possible, only the items are random: with few levels and few responses, every outcome of the responses is
weighted by its probability given the item; otherwise each item gets several independent sets of responses, combined as
a Latin square, so that r draws of each source give r² scores.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.fft import next_fast_len

from howsure._random import generator
from howsure.data.scales import FloatArray, Scale
from howsure.data.summaries import Needs
from howsure.metrics import AdditiveMetric, ItemMetric
from howsure.metrics.wins import Wins
from howsure.models import ResponseModel
from howsure.models.answers import FEW_RESPONSES, Answers, LevelAnswers, ShareAnswers
from howsure.models.base import Epsilon
from howsure.models.simulation import derive
from howsure.planning.engines.even_points import evenly
from howsure.planning.engines.score_sums import power

ITEMS = 256
"""Items of a block: how far the means of blocks differ says how precise they are."""

MANY = 64
"""From this many responses on, their noise is small beside the differences between items."""

OUTCOMES = 1 << 16
"""Largest number of outcomes of an item (of gold, A and B together) for which all are weighted."""

BLOCKS = 16
"""Blocks of a chunk, which are drawn and scored at once and have one random stream."""

Sizes = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Outcomes:
    """All outcomes of k responses of one source on a scale with levels, and how likely each is given the item.

    An outcome is the number of responses on each level. Where only the mean of the responses matters and the levels are
    at equal distances, the sum of the levels' positions is enough, and there are far fewer sums than counts.

    Examples
    --------
    >>> scale = Scale.of([1, 2, 3])
    >>> Outcomes(scale, 4).size, Outcomes(scale, 4, summed=True).size
    (15, 9)
    """

    scale: Scale
    k: int
    summed: bool = False

    @property
    def size(self) -> int:
        """How many there are; more than `len` could return."""
        last = len(self.scale.levels) - 1
        return self.k * last + 1 if self.summed else math.comb(self.k + last, last)

    def probabilities(self, shares: FloatArray) -> FloatArray:
        """Return the probability of each outcome for each item, from the shares of the levels: (items, outcomes)."""
        if self.summed:
            return sum_probabilities(shares, self.k)
        return outcome_probabilities(shares, compositions(self.k, len(self.scale.levels)))

    def summary(self, needs: Needs) -> FloatArray:
        """Return what a metric needs of each outcome."""
        if not self.summed:
            return derive(compositions(self.k, len(self.scale.levels)), "counts", needs, self.scale)
        assert needs == "means", "sums say no more than means"
        first, last = self.scale.levels[0], self.scale.levels[-1]
        return np.asarray(first + (last - first) * np.arange(self.size) / (self.size - 1))


@lru_cache(maxsize=256)
def are_sums(scale: Scale, needs: tuple[Needs, ...]) -> bool:
    """Whether the sum of an item's responses is all that counts: means, on three or more levels at equal distances."""
    if scale.kind != "ordinal" or len(scale.levels) < 3 or set(needs) != {"means"}:
        return False
    steps = np.diff(scale.levels)
    return bool(np.abs(steps - steps[0]).max() <= 1e-9 * abs(steps[0]))


@lru_cache(maxsize=64)
def compositions(k: int, n_levels: int) -> FloatArray:
    """Return every way in which k responses can fall on the levels: (ways, levels)."""
    bars = itertools.combinations(range(k + n_levels - 1), n_levels - 1)
    edges = np.array(list(bars), dtype=np.int64).reshape(-1, n_levels - 1)
    padded = np.hstack([np.full((len(edges), 1), -1), edges, np.full((len(edges), 1), k + n_levels - 1)])
    return (np.diff(padded, axis=1) - 1).astype(np.float64)


def outcome_probabilities(shares: FloatArray, outcomes: FloatArray) -> FloatArray:
    """Return the multinomial probability of each outcome for each item: (items, outcomes)."""
    from scipy.special import gammaln

    k = outcomes[0].sum()
    ways = gammaln(k + 1) - gammaln(outcomes + 1).sum(axis=1)
    logs = np.log(np.maximum(shares, 1e-300))
    return np.asarray(np.exp(logs @ outcomes.T + ways))


def sum_probabilities(shares: FloatArray, k: int) -> FloatArray:
    """Return the probability of each sum of k places 0, 1, …, L − 1 for each item: the k-fold convolution.

    Examples
    --------
    >>> sum_probabilities(np.array([[0.5, 0.0, 0.5]]), 2).round(12).tolist()
    [[0.25, 0.0, 0.5, 0.0, 0.25]]
    """
    n_sums = k * (shares.shape[-1] - 1) + 1
    size = next_fast_len(n_sums, real=True)
    found = np.fft.irfft(power(np.fft.rfft(shares, size, axis=-1), k), size, axis=-1)[..., :n_sums]
    return np.maximum(found, 0.0)


@dataclass(frozen=True)
class Setting:
    """What fixes the distribution of an item's advantage: who answers, how often, and how far B is from gold."""

    model: ResponseModel
    n_responses: Sizes
    epsilon: Epsilon = 0.0
    perturbation: str | None = None
    null: bool = False

    @property
    def name(self) -> tuple[str | int, ...]:
        """The name of the setting's random streams, without B's distance: so nearby settings draw the same items."""
        return ("null" if self.null else "alternative", *self.n_responses)

    @property
    def is_symmetric(self) -> bool:
        """Whether A and B are exchangeable, so that scores and their negatives are equally likely."""
        return self.null and self.n_responses[1] == self.n_responses[2]


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Scores of one block of items: values, and the weight of each (as a share of the block) if they differ.

    Blocks of a setting either all have weights, and then the same values, or none has.
    """

    values: FloatArray
    weights: FloatArray | None
    n_items: int

    @property
    def moments(self) -> tuple[float, float]:
        """The mean of the scores, and of their squares."""
        if self.weights is None:
            return float(self.values.mean()), float(np.square(self.values).mean())
        weighted = self.values * self.weights
        return float(weighted.sum()), float(weighted @ self.values)


def draw_chunk(
    setting: Setting, metrics: Sequence[AdditiveMetric], number: int, seed: np.random.SeedSequence
) -> list[list[Block]]:
    """Draw the blocks of a chunk and return their scores by every metric (already on the model's scale)."""
    stream = generator(seed, "item scores", *setting.name, number)
    sources = setting.model.sources(
        (BLOCKS, ITEMS), evenly(stream), epsilon=setting.epsilon, perturbation=setting.perturbation
    )
    if _few_outcomes(setting, metrics):
        return _weighed(setting, metrics, sources)
    return _drawn(setting, metrics, sources, stream)


def _few_outcomes(setting: Setting, metrics: Sequence[AdditiveMetric]) -> bool:
    if not setting.model.scale.levels or any(metric.needs not in ("means", "counts") for metric in metrics):
        return False
    return math.prod(each.size for each in _outcomes(setting.model.scale, metrics, setting.n_responses)) <= OUTCOMES


def _outcomes(scale: Scale, metrics: Sequence[AdditiveMetric], sizes: Sizes) -> list[Outcomes]:
    summed = are_sums(scale, tuple(metric.needs for metric in metrics))
    return [Outcomes(scale, k, summed) for k in sizes]


def _weighed(
    setting: Setting, metrics: Sequence[AdditiveMetric], sources: tuple[Answers, Answers, Answers]
) -> list[list[Block]]:
    """Weigh every outcome of gold, A and B by its probability, averaged over the items: matrix products."""
    scale = setting.model.scale
    summed = are_sums(scale, tuple(metric.needs for metric in metrics))
    scores = _outcome_scores(scale, tuple(metrics), setting.n_responses)
    gold, a, b = once_each(
        lambda shares, k: Outcomes(scale, k, summed).probabilities(shares),
        distinct_shares(setting, sources),
        setting.n_responses,
    )
    weights = [_joint(*sides) for sides in zip(gold, a, b, strict=True)]
    return [[Block(values, of_block, ITEMS) for of_block in weights] for values in scores]


def _joint(gold: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the mean over the items of the products of all outcomes of gold, A and B."""
    both = gold[:, :, np.newaxis] * a[:, np.newaxis, :]
    return np.asarray(both.reshape(len(gold), -1).T @ b).ravel() / len(gold)


def distinct_shares(setting: Setting, sources: tuple[Answers, Answers, Answers]) -> list[FloatArray]:
    """Return the probabilities of the levels by gold, A and B: one array for sources that answer alike."""
    by_source = {id(source): level_shares(source) for source in sources}
    gold, a, b = (by_source[id(source)] for source in sources)
    if setting.null:
        a = b = (a + b) / 2
    return [gold, a, b]


def once_each(
    made: Callable[[FloatArray, int], FloatArray], shares: Sequence[FloatArray], sizes: Sizes
) -> list[FloatArray]:
    """Return what is made of each source's shares and number of responses; once for sources that answer alike."""
    known: dict[tuple[int, int], FloatArray] = {}
    for each, k in zip(shares, sizes, strict=True):
        if (id(each), k) not in known:
            known[id(each), k] = made(each, k)
    return [known[id(each), k] for each, k in zip(shares, sizes, strict=True)]


def level_shares(source: Answers) -> FloatArray:
    """Return the probability of each level: (blocks, items, levels)."""
    assert isinstance(source, LevelAnswers), "a scale with levels has answers with shares"
    return source.shares


@lru_cache(maxsize=16)
def _outcome_scores(scale: Scale, metrics: tuple[AdditiveMetric, ...], sizes: Sizes) -> tuple[FloatArray, ...]:
    """Return every metric's advantage for every outcome of gold, A and B, in the order of the joint weights."""
    outcomes = _outcomes(scale, metrics, sizes)
    scores = []
    for metric in metrics:
        gold, a, b = (outcome.summary(metric.needs) for outcome in outcomes)
        n_gold, n_a, n_b = (outcome.size for outcome in outcomes)
        rest = gold.shape[1:]
        shape = (n_gold, n_a, n_b, *rest)
        spread = (
            np.broadcast_to(gold.reshape(n_gold, 1, 1, *rest), shape),
            np.broadcast_to(a.reshape(1, n_a, 1, *rest), shape),
            np.broadcast_to(b.reshape(1, 1, n_b, *rest), shape),
        )
        flat = (np.ascontiguousarray(side).reshape(-1, *rest) for side in spread)
        scores.append(metric.item_advantages(*flat))
    return tuple(scores)


def _repeats(setting: Setting) -> int:
    return 4 if max(setting.n_responses) < MANY else 2


def _drawn(
    setting: Setting,
    metrics: Sequence[AdditiveMetric],
    sources: tuple[Answers, Answers, Answers],
    stream: np.random.Generator,
) -> list[list[Block]]:
    """Draw r sets of responses of each source and score the r² triples (i, j, i + j mod r).

    Each pair of a gold set with a set of A, of gold with B, and of A with B occurs once, which averages the noise of
    single sets and of their combinations faster than r separate triples would.
    """
    needs = _richest([metric.needs for metric in metrics], bool(setting.model.scale.levels))
    mixed = (None, sources[2], sources[1]) if setting.null else (None, None, None)
    drawn = [
        _sets(source, other, needs, (_repeats(setting), k), stream)
        for source, k, other in zip(sources, setting.n_responses, mixed, strict=True)
    ]
    ready = {
        need: tuple(derive(side, needs, need, setting.model.scale) for side in drawn)
        for need in {metric.needs for metric in metrics}
    }
    known: dict[AdditiveMetric, FloatArray] = {}
    by_metric = [_by_block(_combined(metric, ready[metric.needs], known)) for metric in metrics]
    return [[Block(values, None, ITEMS) for values in scores] for scores in by_metric]


def _by_block(scores: FloatArray) -> FloatArray:
    """Return scores of sets, sets and items, block after block, as one row for each block."""
    n_sets, _, n_items = scores.shape
    apart = scores.reshape(n_sets * n_sets, n_items // ITEMS, ITEMS)
    return np.ascontiguousarray(apart.transpose(1, 0, 2)).reshape(n_items // ITEMS, -1)


def _sets(
    source: Answers, other: Answers | None, needs: Needs, sizes: tuple[int, int], stream: np.random.Generator
) -> FloatArray:
    """Draw sets of k responses to the same items, from either source: (sets, items of all blocks, …)."""
    repeats, k = sizes
    if not isinstance(source, LevelAnswers):
        found = np.stack([source.summary(needs, k, stream, other) for _ in range(repeats)])
    else:
        shares = level_shares(source) if other is None else (level_shares(source) + level_shares(other)) / 2
        n_blocks, _, n_levels = shares.shape
        if k > FEW_RESPONSES and needs in ("means", "counts"):
            found = np.stack([stream.multinomial(k, shares) for _ in range(repeats)]).astype(np.float64)
            found = found if needs == "counts" else np.asarray(found @ source.levels / k)
        else:
            repeated = np.broadcast_to(shares[:, np.newaxis], (n_blocks, repeats, ITEMS, n_levels))
            answers = ShareAnswers(repeated.reshape(n_blocks, -1, n_levels), source.levels)
            drawn = answers.summary(needs, k, stream)
            found = np.moveaxis(drawn.reshape(n_blocks, repeats, ITEMS, *drawn.shape[2:]), 1, 0)
    return found.reshape(repeats, -1, *found.shape[3:])


def _combined(
    metric: AdditiveMetric, sides: tuple[FloatArray, ...], known: dict[AdditiveMetric, FloatArray]
) -> FloatArray:
    """Return the advantages of sets i of gold, j of A and i + j of B, (i, j, items); wins count their error."""
    if metric in known:
        return known[metric]
    gold, a, b = sides
    sets = np.arange(len(gold))
    turned = (sets[:, np.newaxis] + sets) % sets.size
    if isinstance(metric, Wins):
        found = metric.won(_combined(metric.item_error, sides, known), *sides)
    elif isinstance(metric, ItemMetric):
        # One call where it can be: what a metric makes of gold is made once.
        models = [np.concatenate([a, b])] if a.shape == b.shape else [a, b]
        scores = [metric.item_scores(gold[:, np.newaxis], model[np.newaxis]) for model in models]
        of_a, of_b = np.split(scores[0], 2, axis=1) if len(scores) == 1 else scores
        # Ratings of a model's own outputs do not use gold, and have one score for all its sets.
        of_b = of_b[sets[:, np.newaxis] if len(of_b) > 1 else 0, turned]
        found = of_b - of_a if metric.better == "lower" else of_a - of_b
    else:
        found = np.stack([metric.item_advantages(gold[i], a, b[turned[i]]) for i in sets])
    known[metric] = found
    return found


def _richest(needs: Sequence[Needs], has_levels: bool) -> Needs:
    distinct = set(needs)
    if len(distinct) == 1:
        return needs[0]
    return "counts" if distinct == {"means", "counts"} and has_levels else "values"
