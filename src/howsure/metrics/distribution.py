"""Distances between distributions of responses: total variation, divergences, earth mover's distance, cosine.

Brier score, log loss and calibration error compare a model's probabilities of the labels with those of the humans. A
source's probability of a label is its share of the source's responses to the item (or what the source said, where it
answered with probabilities). All three are smallest for a model that has the humans' distribution.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from howsure import _check
from howsure.data.scales import FloatArray, Kind, Scale
from howsure.data.summaries import Needs
from howsure.metrics import _plain
from howsure.metrics.base import ROUNDING, Ignored, ItemMetric, Metric

LABELS: tuple[Kind, ...] = ("nominal", "ordinal")
INSIDE_LOG = 1e-12
"""Added to each share inside a logarithm, as the published tables do (FOREST)."""


def shares(counts: FloatArray) -> FloatArray:
    """Turn counts of levels into shares of the item's responses."""
    return np.asarray(counts / label_sums(counts)[..., np.newaxis])


def label_sums(values: FloatArray) -> FloatArray:
    """Sum over the last axis, label after label: so zeros in between change no bit, as they would in NumPy's sums."""
    if _is_plain(values.shape):
        return _plain.row_sums(values)
    from howsure.metrics import _kernels

    shape = values.shape[:-1]
    return np.asarray(_kernels.row_sums(rows_of(values.astype(np.float64, copy=False), shape))).reshape(shape)


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
        """Return ½ Σ |P_model − P_gold| for each item."""
        return by_rows("total_variation", gold, model)


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

    def item_scores(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return Σ P_gold log(P_gold / P_model) for each item."""
        return by_rows("divergence", _with_logs(gold), _with_logs(model))


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
        return by_rows("wasserstein", gold, model)


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
        return by_rows("wasserstein", flat_gold, flat_model)


@dataclass(frozen=True)
class OfProducts(Metric):
    """A cosine distance: a function of sums over items, so that a draw needs only these sums."""

    regular: ClassVar[bool] = True
    ignores: ClassVar[Ignored] = "scale"
    by_sums: ClassVar[bool] = True

    def item_sums(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return what each item adds, for A and then for B: to products, and to gold's and the model's squares."""
        columns = []
        for side in (a, b):
            k = min(gold[0].size, side[0].size)
            x, y = (each.reshape(len(each), -1)[:, :k] for each in (gold, side))
            absent = np.isnan(x * y)
            columns += [np.where(absent, 0.0, part).sum(axis=1) for part in (x * y, x * x, y * y)]
        return np.stack(columns, axis=1)

    def advantage_of_sums(self, sums: FloatArray) -> FloatArray:
        """Return how much closer A is, from sums of `item_sums`."""
        products, of_gold, of_model = np.moveaxis(sums.reshape(*sums.shape[:-1], 2, 3), -1, 0)
        lengths = np.sqrt(of_gold * of_model)
        with np.errstate(invalid="ignore", divide="ignore"):
            of_a, of_b = np.moveaxis(np.where(lengths > 0, products / lengths, np.nan), -1, 0)
        return np.asarray(of_a - of_b)


@dataclass(frozen=True)
class Cosine(OfProducts):
    """Cosine distance between the vectors of item means."""

    name: ClassVar[str] = "cosine"
    title: ClassVar[str] = "cosine distance"
    formula: ClassVar[str] = "1 − the cosine of the angle between the item means of model and gold"

    def score(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return 1 − gold·model / (|gold| |model|); undefined (NaN) where one vector is zero."""
        return _cosines(gold, model, model)[0]

    def scores(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the scores of A and of B, from one pass."""
        return _cosines(gold, a, b)


@dataclass(frozen=True)
class CosineResponses(OfProducts):
    """Cosine distance between the vectors of all responses, paired by position; unpaired positions are omitted."""

    name: ClassVar[str] = "cosine-responses"
    title: ClassVar[str] = "cosine distance of all responses"
    formula: ClassVar[str] = "1 − the cosine of the angle between all responses of model and gold, paired by position"
    per_response: ClassVar[bool] = True
    needs: ClassVar[Needs] = "values"

    def score(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return the cosine distance of the flattened responses."""
        k = min(gold.shape[-1], model.shape[-1])
        model = _flat(model[..., :k])
        return _cosines(_flat(gold[..., :k]), model, model)[0]

    def scores(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the scores of A and of B; from one pass where both have the same number of positions."""
        k, of_b = (min(gold.shape[-1], side.shape[-1]) for side in (a, b))
        if k != of_b:
            return self.score(gold, a), self.score(gold, b)
        return _cosines(*(_flat(side[..., :k]) for side in (gold, a, b)))


def _with_logs(counts: FloatArray) -> FloatArray:
    """Return the shares of the labels, and then their logarithms."""
    share = shares(counts)
    return np.concatenate([share, np.log(share + INSIDE_LOG)], axis=-1)


def _entropy(share: FloatArray) -> FloatArray:
    return -label_sums(share * np.log(np.where(share > 0, share, 1.0)))


def _flat(values: FloatArray) -> FloatArray:
    return values.reshape(*values.shape[:-2], -1)


def _cosines(gold: FloatArray, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the cosine distances of A and of B from gold, along the last axis."""
    from howsure.metrics import _kernels

    shape = np.broadcast_shapes(gold.shape[:-1], a.shape[:-1], b.shape[:-1])
    of_a, of_b = _kernels.cosines(*(rows_of(side, shape) for side in (gold, a, b)))
    return 1 - of_a.reshape(shape), 1 - of_b.reshape(shape)


def by_rows(kernel: str, gold: FloatArray, model: FloatArray) -> FloatArray:
    """Call a kernel for each pair of rows along the last axis."""
    shape = np.broadcast_shapes(gold.shape[:-1], model.shape[:-1])
    if gold.shape[-1] == model.shape[-1] and hasattr(_plain, kernel) and _is_plain((*shape, gold.shape[-1])):
        return np.asarray(getattr(_plain, kernel)(gold, model))
    from howsure.metrics import _kernels

    loop = getattr(_kernels, kernel)
    crossed = len(shape) == 3 and gold.shape[1] == model.shape[0] == 1 and gold.shape[2] == model.shape[2]
    if not crossed or kernel == "areas":
        return np.asarray(loop(rows_of(gold, shape), rows_of(model, shape))).reshape(shape)
    # Sets of rows that are paired crosswise: no pair is copied.
    models = rows_of(model, model.shape[:-1])
    return np.stack([loop(rows_of(each, each.shape[:-1]), models).reshape(shape[1:]) for each in gold])


def rows_of(side: npt.NDArray[Any], shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """Return a side as rows for a kernel, contiguous and read-only: every other layout is compiled by itself."""
    every = side if side.shape[:-1] == shape else np.broadcast_to(side, (*shape, side.shape[-1]))
    whole = np.ascontiguousarray(every).reshape(-1, side.shape[-1])
    whole.flags.writeable = False
    return whole


def _is_plain(shape: tuple[int, ...]) -> bool:
    """Return whether rows of this shape are left to NumPy's twin of a kernel, which has the same bits."""
    return shape[-1] <= _plain.MOST_LABELS


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
