"""The noise of a pilot's few responses taken out of its items: by a fitted model, or for gold, A and B together.

`SmoothedModel` bends a fitted model towards the items that were seen: nearer to the data than its family, smoother than
resampling. A Dirichlet distribution has one number for how much items differ, whatever the label; in real tables some
labels differ much between items and others hardly. Resampling real items knows that, but takes the noise of a few
responses for differences between items. Between the two lies the likelihood of the responses itself: many items are
drawn from the fitted model and weighted, and EM steps move the weights from the fitted model (no step) towards the
distribution of items that makes the data most likely (very many steps). One step gives the mean of the items'
posteriors ("smoothing by roughening", Shen & Louis 1999).

`DeconvolvedModel` estimates the joint distribution of what gold, A and B would answer to an item with very many
responses: a plan for more responses than the pilot had would be wrong if the pilot's noise counted as differences.

* On a scale with levels, many triples of shares are drawn around each item's counts, and the same EM steps weigh them
  so that the pilot's counts become most likely (nonparametric maximum likelihood on random points, stopped early).
  Triples come from single items, so what A, B and gold have in common stays.
* On a continuous scale, the vector of item means (gold, A, B) is pulled towards its centre by the linear map that gives
  it the covariance of the true means, and each item's own deviations around its mean are widened to be unbiased.

A source with one response to every item says nothing about its noise: it is taken to answer the same again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from howsure import _check
from howsure._random import generator, seed_of
from howsure.data.contests import Contest
from howsure.data.responses import Responses
from howsure.data.scales import FloatArray, IntArray, Scale
from howsure.data.summaries import counts, grid, means
from howsure.errors import ArgumentError
from howsure.models.answers import Answers, LevelAnswers, LikertAnswers, PoolAnswers, ShareAnswers
from howsure.models.base import Epsilon, ResponseModel
from howsure.models.empirical import written

STEPS = 32
"""EM steps, unless others are asked for. On dices350, 16 and 64 do as well (docs/evidence/plans.md)."""

MOST_STEPS = 10_000
"""Long before, the weights have stopped moving."""

POINTS = 4096
"""Points that are weighted: items drawn from the fitted model, or triples of shares drawn around a pilot's items."""

FEWEST = 8
"""Triples drawn around each item, at least."""


@dataclass(frozen=True, eq=False)
class SmoothedModel(ResponseModel):
    """Items of a fitted model, weighted by EM steps towards the responses that were seen.

    Attributes
    ----------
    fitted : ResponseModel
        A model on a scale with levels.
    seen : tuple of tuple of float
        The counts of the levels, one row for each real item.
    steps : int
        EM steps.

    Examples
    --------
    >>> from howsure.models import CategoricalModel
    >>> fitted = CategoricalModel((2.0, 2.0, 2.0))
    >>> model = SmoothedModel(fitted, ((5, 0, 0), (0, 5, 0)))
    >>> shares = model.items((1, 1000), np.random.default_rng(0)).shares[0]
    >>> bool(shares[:, 2].mean() < 0.1)  # a label that nobody gave
    True
    """

    kind: ClassVar[str] = "smoothed"

    fitted: ResponseModel
    seen: tuple[tuple[float, ...], ...]
    steps: int = STEPS

    def __post_init__(self) -> None:
        if not self.fitted.scale.levels:
            raise ArgumentError("only a model on a scale with categories can be smoothed towards counts.")
        if not self.seen or {len(row) for row in self.seen} != {len(self.fitted.scale.levels)}:
            raise ArgumentError("`seen` must have one row of counts for each item, a count for each category.")
        if not all(sum(row) > 0 and min(row) >= 0 for row in self.seen):
            raise ArgumentError("`seen` must have counts of 0 or more, and a response for each item.")
        if _check.integer("steps", self.steps, at_least=0) > MOST_STEPS:
            raise ArgumentError(f"`steps` must be at most {MOST_STEPS:,}; got {self.steps:,}. {STEPS} are enough.")

    @classmethod
    def of(cls, fitted: ResponseModel, gold: Responses) -> "SmoothedModel":
        """Make the model that bends a fitted one towards these responses."""
        return cls(fitted, tuple(tuple(row) for row in counts(gold, fitted.scale).tolist()))

    @property
    def own_perturbation(self) -> str:  # type: ignore[override]
        """That of the fitted model."""
        return self.fitted.own_perturbation

    @property
    def scale(self) -> Scale:
        """The scale of the fitted model."""
        return self.fitted.scale

    @cached_property
    def _points(self) -> tuple[LevelAnswers, FloatArray]:
        """Items of the fitted model, and the cumulated weights of each."""
        # The points belong to the model and not to a simulation: whoever draws, they are the same.
        points = self.fitted.items((1, POINTS), generator(seed_of(0), "smoothed items"))
        assert isinstance(points, LevelAnswers), "a scale with categories has responses with shares"
        rows, times = np.unique(np.array(self.seen), axis=0, return_counts=True)
        logs = rows @ np.log(np.maximum(points.shares[0], 1e-300)).T
        likelihood = np.exp(logs - logs.max(axis=1, keepdims=True))
        weights = np.full(POINTS, 1 / POINTS)
        for _ in range(self.steps):
            weights *= (times / (likelihood @ weights)) @ likelihood / times.sum()
        return points, np.cumsum(weights) / weights.sum()

    def items(self, shape: tuple[int, int], generator: np.random.Generator) -> Answers:
        """Draw items by their weights."""
        points, cumulated = self._points
        chosen = np.minimum(np.searchsorted(cumulated, generator.random(shape)), POINTS - 1)
        return _taken(points, chosen)

    def __str__(self) -> str:
        return self.described({})

    def described(self, errors: Mapping[str, float]) -> str:
        """Return the fitted model, and what bends it."""
        return f"{self.fitted.described(errors)}, smoothed towards {len(self.seen)} real items"


def _taken(points: LevelAnswers, chosen: IntArray) -> Answers:
    if isinstance(points, LikertAnswers):
        return replace(points, mean=points.mean[0][chosen], sd=points.sd[0][chosen])
    return ShareAnswers(points.shares[0][chosen], points.levels)


@dataclass(frozen=True, eq=False)
class DeconvolvedModel(ResponseModel):
    """What gold, A and B of a pilot would answer, without the noise of the pilot's own responses.

    Attributes
    ----------
    gold, a, b : Responses
        The pilot; gold is that of A where there is none (metrics without gold do not look at it).
    responses_scale : Scale
    weights : array of float, optional
        How much each item counts; all alike when left out.
    exchanged : array of float, optional
        On which share of its copies A and B exchange their answers; none when left out.

    Examples
    --------
    >>> contest = Contest.from_arrays([[1, 2], [3, 3]], [[1, 1], [3, 4]], [[5, 4], [1, 2]])
    >>> DeconvolvedModel.of(contest).table(10, 3, rng=0).n_items
    10
    """

    kind: ClassVar[str] = "deconvolved"
    own_perturbation: ClassVar[str] = "none"

    gold: Responses
    a: Responses
    b: Responses
    responses_scale: Scale
    weights: FloatArray | None = None
    exchanged: FloatArray | None = None

    @classmethod
    def of(
        cls, contest: Contest, weights: FloatArray | None = None, exchanged: FloatArray | None = None
    ) -> "DeconvolvedModel":
        """Make the model of a pilot."""
        gold = contest.a if contest.gold is None else contest.gold
        return cls(gold, contest.a, contest.b, contest.scale, weights, exchanged)

    @property
    def scale(self) -> Scale:
        """The scale of the pilot."""
        return self.responses_scale

    def items(self, shape: tuple[int, int], generator: np.random.Generator) -> Answers:
        """Draw items and return how gold answers them."""
        return self.sources(shape, generator)[0]

    def sources(
        self,
        shape: tuple[int, int],
        generator: np.random.Generator,
        *,
        epsilon: Epsilon = 0.0,
        perturbation: str | None = None,
    ) -> tuple[Answers, Answers, Answers]:
        """Draw items and return how gold, A and B answer them."""
        if perturbation is not None or epsilon not in (0, (0, 0)):
            raise ArgumentError("this model has real answers of A and B: leave `epsilon` and `perturbation` out.")
        return self._answers(generator.random(shape))

    def spread_items(self, n_items: int) -> tuple[Answers, Answers, Answers]:
        """Return how gold, A and B answer items that are spread evenly over the estimated distribution."""
        return self._answers((np.arange(n_items)[np.newaxis] + 0.5) / n_items)

    def _answers(self, uniform: FloatArray) -> tuple[Answers, Answers, Answers]:
        """Return the answers to the items at these quantiles of the weights."""
        sides, cumulated = self._drawn_from
        chosen = np.minimum(np.searchsorted(cumulated, uniform), cumulated.size - 1)
        levels = np.array(self.scale.levels)
        gold, a, b = (
            ShareAnswers(points[chosen], levels) if levels.size else PoolAnswers(points, sizes, chosen, -np.inf, np.inf)
            for points, sizes in sides
        )
        return gold, a, b

    @cached_property
    def _drawn_from(self) -> tuple[list[tuple[FloatArray, IntArray]], FloatArray]:
        """The points of each source with their numbers of responses, and the cumulated weights."""
        points, weights = self._points if self.scale.levels else self._pools
        sides = [(part, side.sizes) for part, side in zip(points, self._sides, strict=True)]
        if self.exchanged is not None and self.exchanged.any():
            # Every point twice: as it is, and with A and B exchanged.
            share = np.repeat(self.exchanged, weights.size // self.exchanged.size)
            weights = np.concatenate([weights * (1 - share), weights * share])
            gold, a, b = sides
            sides = [_both(gold, gold), _both(a, b), _both(b, a)]
        return sides, np.cumsum(weights) / weights.sum()

    @property
    def _sides(self) -> tuple[Responses, Responses, Responses]:
        return self.gold, self.a, self.b

    @property
    def _item_weights(self) -> FloatArray:
        n_items = self.a.n_items
        return np.full(n_items, 1 / n_items) if self.weights is None else self.weights / self.weights.sum()

    @cached_property
    def _points(self) -> tuple[list[FloatArray], FloatArray]:
        """Triples of shares, and their weights."""
        stream = generator(seed_of(0), "deconvolved items")
        tables = [counts(source, self.scale) for source in self._sides]
        n_items = len(tables[0])
        each = max(FEWEST, POINTS // n_items)
        points, logs = [], np.zeros((n_items, n_items * each))
        for table in tables:
            shares = self._around(table, each, stream)
            points.append(shares)
            logs += table @ np.log(np.maximum(shares, 1e-12)).T
        likelihood = np.exp(logs - logs.max(axis=1, keepdims=True))
        of_items = self._item_weights
        weights = np.repeat(of_items / each, each)
        for _ in range(STEPS):
            weights *= (of_items / (likelihood @ weights)) @ likelihood
        return points, weights

    def _around(self, table: FloatArray, each: int, stream: np.random.Generator) -> FloatArray:
        """Draw shares around each item's counts: from the posterior under a Dirichlet prior with the data's moments."""
        sizes = table.sum(axis=1, keepdims=True)
        if float(sizes.max()) < 2:
            return np.repeat(table / sizes, each, axis=0)
        prior = _prior(table, sizes, self._item_weights)
        rows = np.repeat(table, each, axis=0)
        drawn = stream.standard_gamma(rows + prior)
        return np.asarray(drawn / np.maximum(drawn.sum(axis=1, keepdims=True), 1e-300))

    @cached_property
    def _pools(self) -> tuple[list[FloatArray], FloatArray]:
        """Each item's responses moved to its deconvolved mean, and the weights of the items."""
        sources = self._sides
        observed = np.stack([means(source) for source in sources], axis=1)
        weights = self._item_weights
        centre = weights @ observed
        total = np.atleast_2d(np.cov(observed.T, aweights=weights))
        noise = np.array([_noise_of_mean(source, weights) for source in sources])
        moved = centre + (observed - centre) @ _shrinking(total, noise).T
        pools = []
        for column, source in enumerate(sources):
            rows, sizes = grid(source), source.sizes[:, np.newaxis]
            widened = (rows - observed[:, [column]]) * np.sqrt(sizes / np.maximum(sizes - 1, 1))
            pools.append(moved[:, [column]] + widened)
        return pools, weights

    def to_dict(self) -> dict[str, Any]:
        """Return values and sizes of every source."""
        held = written(self.scale, gold=self.gold, a=self.a, b=self.b)
        return {"kind": self.kind, **held, "weights": self.weights, "exchanged": self.exchanged}

    def __str__(self) -> str:
        return f"the pilot's {self.a.n_items:,} items without the noise of their responses; scale: {self.scale}"


def _both(first: tuple[FloatArray, IntArray], second: tuple[FloatArray, IntArray]) -> tuple[FloatArray, IntArray]:
    """Return the points of two sources one after the other; rows of fewer responses are filled up with NaN."""
    width = max(first[0].shape[1], second[0].shape[1])
    padded = [
        np.pad(points, ((0, 0), (0, width - points.shape[1])), constant_values=np.nan)
        for points in (first[0], second[0])
    ]
    return np.concatenate(padded), np.concatenate([first[1], second[1]])


def _prior(table: FloatArray, sizes: FloatArray, weights: FloatArray) -> FloatArray:
    """Return Dirichlet parameters with the moments of the data: mean shares, and how much items differ."""
    shares = table / sizes
    mean = weights @ shares
    several = (sizes > 1).ravel()
    within = np.zeros(len(table))
    pairs = (table * (table - 1)).sum(axis=1)[several] / (sizes * (sizes - 1)).ravel()[several]
    within[several] = 1 - pairs
    of_items = weights * several
    disagreement = float(of_items @ within) / max(float(of_items.sum()), 1e-300)
    at_random = 1 - float(mean @ mean)
    # Two responses to one item differ with probability (1 − Σp²) α/(α + 1), responses to different items with 1 − Σp².
    ratio = min(max(disagreement / at_random, 0.02), 0.98) if at_random > 0 else 0.5
    return np.asarray(np.maximum(mean, 0.5 / len(table)) * ratio / (1 - ratio))


def _noise_of_mean(source: Responses, weights: FloatArray) -> float:
    """Return the variance of an item's mean around its true mean, averaged over items; 0 where it is unknown."""
    several = source.sizes > 1
    if not several.any():
        return 0.0
    rows = grid(source)[several]
    variances = np.nanvar(rows, axis=1, ddof=1) / source.sizes[several]
    return float(np.average(variances, weights=weights[several]))


def _shrinking(total: FloatArray, noise: FloatArray) -> FloatArray:
    """Return the map that turns vectors with covariance `total` into vectors with covariance `total` less the noise."""
    values, vectors = np.linalg.eigh(total)
    root = vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
    inverse = (
        vectors * np.where(values > 1e-12 * values.max(), 1 / np.sqrt(np.maximum(values, 1e-300)), 0.0) @ vectors.T
    )
    # Of all maps that do it, the one nearest to none: (S^½ (S^-½ T S^-½)^½ S^-½).
    inner = inverse @ (total - np.diag(noise)) @ inverse
    shrunk, turned = np.linalg.eigh((inner + inner.T) / 2)
    middle = turned * np.sqrt(np.clip(shrunk, 0.0, 1.0)) @ turned.T
    return np.asarray(root @ middle @ inverse)
