"""A model's probabilities of the labels against those of the humans: Brier score, log loss, calibration error.

A source's probability of a label is its share of the source's responses to the item (or what the source said, where it
answered with probabilities). All three are smallest for a model that has the humans' distribution.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from howsure import _check
from howsure.metrics.base import ROUNDING, Metric
from howsure.metrics.distribution import LABELS, ByLevel, shares
from howsure.scales import FloatArray, Kind
from howsure.summaries import Needs

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
