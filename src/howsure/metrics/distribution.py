"""Distances between distributions of responses: total variation, divergences, earth mover's distance, cosine.

Brier score, log loss and calibration error compare a model's probabilities of the labels with those of the humans. A
source's probability of a label is its share of the source's responses to the item (or what the source said, where it
answered with probabilities). All three are smallest for a model that has the humans' distribution.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from howsure import _check
from howsure.data.scales import FloatArray, Kind, Scale
from howsure.data.summaries import Needs
from howsure.metrics.base import ROUNDING, Ignored, ItemMetric, Metric, SummedMetric

LABELS: tuple[Kind, ...] = ("nominal", "ordinal")
INSIDE_LOG = 1e-12
"""Added to each share inside a logarithm, as the published tables do (FOREST)."""


def shares(counts: FloatArray) -> FloatArray:
    """Turn counts of levels into shares of the item's responses."""
    return np.asarray(counts / label_sums(counts)[..., np.newaxis])


def label_sums(values: FloatArray) -> FloatArray:
    """Sum over the last axis; `einsum` takes a quarter of the time of `sum` where that axis is short."""
    return np.asarray(np.einsum("...l->...", values))


@dataclass(frozen=True)
class ByLevel(ItemMetric):
    """A metric on counts whose item score is a sum over the labels: each depends on its two shares only.

    A label that nobody gave adds nothing: `level_scores` of two zeros is zero.
    """

    label_blind: ClassVar[bool] = True
    needs: ClassVar[Needs] = "counts"
    kinds: ClassVar[tuple[Kind, ...]] = LABELS

    @abstractmethod
    def level_scores(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return what a label adds to the score, given its share in gold and in the model."""

    def item_scores(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return the sum over the labels, for each item."""
        return label_sums(self.level_scores(shares(gold), shares(model)))


@dataclass(frozen=True)
class TotalVariation(ByLevel):
    """Mean over items of ½ Σ |share in the model − share in gold| over the labels: 0 is equal, 1 is disjoint."""

    name: ClassVar[str] = "tv"
    title: ClassVar[str] = "total variation"
    formula: ClassVar[str] = (
        "mean over items of ½ Σ |P − Q| over labels, where P and Q are the label shares of model and gold"
    )
    span: ClassVar[float] = 1.0
    distance: ClassVar[bool] = True

    def level_scores(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return ½ |P_model − P_gold| of a label."""
        return np.abs(model - gold) / 2

    def item_scores(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return ½ Σ |P_model − P_gold| for each item.

        Both sides are multiplied by both numbers of responses, so that counts stay whole numbers: distances that are
        equal on paper are equal to the last bit.
        """
        n, m = label_sums(gold)[..., np.newaxis], label_sums(model)[..., np.newaxis]
        apart = label_sums(np.abs(gold * m - model * n))
        return np.asarray(apart / (2 * n * m)[..., 0])


@dataclass(frozen=True)
class KullbackLeibler(ByLevel):
    """Mean over items of Σ P_gold log(P_gold / P_model), with 1e-12 added inside the logarithm.

    An item where the model never gives a label that gold gives scores about 27.6 times gold's share of it: with few
    responses the metric counts such items and little else.
    """

    name: ClassVar[str] = "kl"
    title: ClassVar[str] = "Kullback–Leibler divergence"
    formula: ClassVar[str] = (
        "mean over items of Σ Q · log(Q / P) over labels, where P and Q are the label shares of model and gold"
    )
    uneven: ClassVar[bool] = True

    def level_scores(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return P_gold log(P_gold / P_model) of a label."""
        return np.asarray(gold * (np.log(gold + INSIDE_LOG) - np.log(model + INSIDE_LOG)))


@dataclass(frozen=True)
class CrossEntropy(ByLevel):
    """Mean over items of −Σ P_gold log P_model, with 1e-12 added inside the logarithm."""

    name: ClassVar[str] = "cross-entropy"
    title: ClassVar[str] = "cross-entropy"
    formula: ClassVar[str] = (
        "mean over items of −Σ Q · log P over labels, where P and Q are the label shares of model and gold"
    )
    uneven: ClassVar[bool] = True

    def level_scores(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return −P_gold log P_model of a label."""
        return np.asarray(-(gold * np.log(model + INSIDE_LOG)))


@dataclass(frozen=True)
class JensenShannon(ItemMetric):
    """Mean over items of the Jensen–Shannon divergence (natural logarithm): 0 is equal, ln 2 is disjoint."""

    name: ClassVar[str] = "js"
    title: ClassVar[str] = "Jensen–Shannon divergence"
    formula: ClassVar[str] = "mean over items of the Jensen–Shannon divergence of the label shares of model and gold"
    span: ClassVar[float] = math.log(2)
    label_blind: ClassVar[bool] = True
    needs: ClassVar[Needs] = "counts"
    kinds: ClassVar[tuple[Kind, ...]] = LABELS

    def item_scores(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return the entropy of the mixture minus the mean entropy, for each item."""
        of_gold, of_model = shares(gold), shares(model)
        mixed = _entropy((of_gold + of_model) / 2)
        return np.maximum(mixed - (_entropy(of_gold) + _entropy(of_model)) / 2, 0.0)


@dataclass(frozen=True)
class EarthMover(ItemMetric):
    """Mean over items of the Wasserstein distance between the item's two sets of responses ("mean EMD").

    On an ordinal scale it works on the counts of the levels, on a continuous one on the sorted responses.
    """

    name: ClassVar[str] = "emd"
    title: ClassVar[str] = "mean earth mover's distance"
    formula: ClassVar[str] = (
        "mean over items of the Wasserstein distance between the model's and gold's responses to the item"
    )
    distance: ClassVar[bool] = True

    levels: tuple[float, ...] = ()

    @property
    def needs(self) -> Needs:  # type: ignore[override]
        """Counts where the scale has levels, else sorted responses."""
        return "counts" if self.levels else "sorted"

    def on(self, scale: Scale) -> Self:
        """Take the levels from the scale."""
        super().on(scale)
        return replace(self, levels=scale.levels)

    def item_scores(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return ∫ |F_model − F_gold| for each item."""
        if self.levels:
            gaps = np.diff(np.array(self.levels))
            apart = np.abs(np.cumsum(shares(model) - shares(gold), axis=-1)[..., :-1])
            return np.asarray(apart @ gaps)
        return wasserstein(gold, model)


@dataclass(frozen=True)
class EarthMoverMeans(Metric):
    """Wasserstein distance between the distributions of item means ("EMD aggregated")."""

    name: ClassVar[str] = "emd-means"
    title: ClassVar[str] = "earth mover's distance of item means"
    formula: ClassVar[str] = "Wasserstein distance between the distributions of the item means of model and gold"
    regular: ClassVar[bool] = True

    def score(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return the mean distance of the ordered item means."""
        return np.asarray(np.abs(np.sort(model, axis=-1) - np.sort(gold, axis=-1)).mean(axis=-1))


@dataclass(frozen=True)
class EarthMoverResponses(Metric):
    """Wasserstein distance between the distributions of all responses ("EMD vectorised"); items are ignored."""

    name: ClassVar[str] = "emd-responses"
    title: ClassVar[str] = "earth mover's distance of all responses"
    formula: ClassVar[str] = "Wasserstein distance between the distributions of all responses of model and gold"
    regular: ClassVar[bool] = True
    needs: ClassVar[Needs] = "values"

    def score(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return the distance between the pooled responses."""
        flat_gold, flat_model = (np.sort(_flat(values), axis=-1) for values in (gold, model))
        return wasserstein(flat_gold, flat_model)


@dataclass(frozen=True)
class OfProducts(SummedMetric):
    """A cosine distance, of vectors that are zero where a position is absent."""

    ignores: ClassVar[Ignored] = "scale"

    def item_sums(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return what each item adds, for A and then for B: to products, and to gold's and the model's squares."""
        columns = []
        for side in (a, b):
            x, y = self._positions(gold, side)
            columns += [np.einsum("...k,...k->...", *pair) for pair in ((x, y), (x, x), (y, y))]
        return np.stack(np.broadcast_arrays(*columns), axis=-1)

    def advantage_of_sums(self, sums: FloatArray) -> FloatArray:
        """Return how much closer A is, from sums of `item_sums`."""
        return np.asarray(_cosine(sums[..., :3]) - _cosine(sums[..., 3:]))

    def score(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return 1 − gold·model / (|gold| |model|); undefined (NaN) where one vector is zero."""
        return 1 - _cosine(self.item_sums(gold, model, model)[..., :3].sum(axis=-2))

    def _positions(self, gold: FloatArray, model: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the numbers of gold and of the model that are compared, (…, items, positions)."""
        return gold[..., np.newaxis], model[..., np.newaxis]


@dataclass(frozen=True)
class Cosine(OfProducts):
    """Cosine distance between the vectors of item means."""

    name: ClassVar[str] = "cosine"
    title: ClassVar[str] = "cosine distance"
    formula: ClassVar[str] = "1 − the cosine of the angle between the item means of model and gold"


@dataclass(frozen=True)
class CosineResponses(OfProducts):
    """Cosine distance between the vectors of all responses, paired by position; unpaired positions are omitted."""

    name: ClassVar[str] = "cosine-responses"
    title: ClassVar[str] = "cosine distance of all responses"
    formula: ClassVar[str] = "1 − the cosine of the angle between all responses of model and gold, paired by position"
    per_response: ClassVar[bool] = True
    needs: ClassVar[Needs] = "values"

    def _positions(self, gold: FloatArray, model: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the responses of the positions that both have; zero where one of them is absent."""
        k = min(gold.shape[-1], model.shape[-1])
        x, y = np.broadcast_arrays(gold[..., :k], model[..., :k])
        is_absent = np.isnan(x * y)
        return np.where(is_absent, 0.0, x), np.where(is_absent, 0.0, y)


def _cosine(sums: FloatArray) -> FloatArray:
    """Return cosines from sums of products, and of the squares of either side, on the last axis."""
    lengths = np.sqrt(sums[..., 1] * sums[..., 2])
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(lengths > 0, sums[..., 0] / lengths, np.nan)


def wasserstein(left: FloatArray, right: FloatArray) -> FloatArray:
    """Return the Wasserstein distance of each pair of ascending rows, which NaN may fill up: ∫ |F − G|.

    Examples
    --------
    >>> wasserstein(np.array([[1.0, 2.0, np.nan]]), np.array([[1.0, 4.0, 4.0]]))
    array([1.5])
    """
    if left.shape[-1] == right.shape[-1] and not (np.isnan(left).any() or np.isnan(right).any()):
        return np.asarray(np.abs(left - right).mean(axis=-1))
    shape = np.broadcast_shapes(left.shape[:-1], right.shape[:-1])
    left, right = (np.broadcast_to(side, (*shape, side.shape[-1])) for side in (left, right))
    steps = [~np.isnan(side) / np.count_nonzero(~np.isnan(side), axis=-1, keepdims=True) for side in (left, right)]
    values, steps_up = np.concatenate([left, right], axis=-1), np.concatenate([steps[0], -steps[1]], axis=-1)
    order = np.argsort(values, axis=-1)  # NaN comes last
    values, steps_up = (np.take_along_axis(part, order, axis=-1) for part in (values, steps_up))
    apart = np.abs(np.cumsum(steps_up, axis=-1))[..., :-1]  # |F − G| between two neighbouring values
    return np.asarray(np.nansum(apart * np.diff(values, axis=-1), axis=-1))


def _entropy(share: FloatArray) -> FloatArray:
    return -label_sums(share * np.log(np.where(share > 0, share, 1.0)))


def _flat(values: FloatArray) -> FloatArray:
    return values.reshape(*values.shape[:-2], -1)


LEAST = float(np.finfo(np.float64).eps)
"""A probability inside a logarithm is no smaller than this, as in scikit-learn."""


@dataclass(frozen=True)
class Brier(ByLevel):
    """Mean over items and gold's responses of Σ (P_model − 1 if it is the response, else P_model)² over the labels.

    0: the model is sure of the label that all humans give; 2: it is sure of a label that nobody gives. Where humans
    disagree, even their own distribution scores more than 0.
    """

    name: ClassVar[str] = "brier"
    title: ClassVar[str] = "Brier score"
    formula: ClassVar[str] = "mean over gold's responses of Σ (P − [label is the response])² over labels (Brier 1950)"
    span: ClassVar[float] = 2.0

    def level_scores(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return P_gold (1 − P_model)² + (1 − P_gold) P_model² of a label."""
        return np.asarray(gold * np.square(1 - model) + (1 - gold) * np.square(model))


@dataclass(frozen=True)
class LogLoss(ByLevel):
    """Mean over items and gold's responses of −log P_model(response), P_model no smaller than 2.2e-16.

    It is the cross-entropy, with the smallest probability that scikit-learn uses.
    """

    name: ClassVar[str] = "log-loss"
    title: ClassVar[str] = "log loss"
    formula: ClassVar[str] = "mean over gold's responses of −log P, where P is the model's share of the response"
    uneven: ClassVar[bool] = True

    def level_scores(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return −P_gold log P_model of a label."""
        return np.asarray(-(gold * np.log(np.clip(model, LEAST, 1 - LEAST))))


@dataclass(frozen=True)
class CalibrationError(Metric):
    """Expected calibration error: mean distance between predicted and observed label frequencies, in bins.

    All pairs of item and label are put into bins by the model's probability; the error is the mean over the pairs of
    |mean probability of the model − mean probability of the humans| in their bin.

    Attributes
    ----------
    bins : int
        How many equal bins there are from 0 to 1.
    """

    name: ClassVar[str] = "calibration"
    title: ClassVar[str] = "calibration error"
    formula: ClassVar[str] = "mean distance of the model's shares from gold's, in ten bins by the model's share"
    needs: ClassVar[Needs] = "counts"
    kinds: ClassVar[tuple[Kind, ...]] = LABELS
    regular: ClassVar[bool] = True
    smooth: ClassVar[bool] = False

    bins: int = 10

    def __post_init__(self) -> None:
        _check.integer("bins", self.bins, at_least=1)

    def score(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return Σ |Σ (P_model − P_gold) over a bin| / pairs, one for each draw."""
        of_gold, of_model = np.broadcast_arrays(shares(gold), shares(model))
        lead, n_pairs = of_gold.shape[:-2], of_gold.shape[-2] * of_gold.shape[-1]
        apart = (of_model - of_gold).reshape(-1, n_pairs)
        where = np.minimum(of_model * self.bins * (1 + ROUNDING), self.bins - 1).astype(np.int64).reshape(-1, n_pairs)
        rows = np.arange(len(apart))[:, np.newaxis] * self.bins
        sums = np.bincount((rows + where).ravel(), apart.ravel(), minlength=len(apart) * self.bins)
        return np.asarray(np.abs(sums.reshape(-1, self.bins)).sum(axis=-1) / n_pairs).reshape(lead)
