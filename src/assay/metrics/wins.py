"""Wins: on how many items, or single responses, A is closer to gold than B."""

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from assay.errors import ArgumentError
from assay.metrics.base import ROUNDING, AdditiveMetric, Better, is_batch
from assay.metrics.distribution import TotalVariation
from assay.metrics.error import MeanAbsoluteError
from assay.scales import FloatArray, Scale
from assay.summaries import Needs


@dataclass(frozen=True)
class Wins(AdditiveMetric):
    """Share of items where A's error is smaller than B's, minus the share where B's is smaller.

    Attributes
    ----------
    base : AdditiveMetric, optional
        The item error; absolute error of means, or total variation on a nominal scale, when left out.
    """

    name: ClassVar[str] = "wins"
    title: ClassVar[str] = "wins"
    better: ClassVar[Better] = "higher"
    relative: ClassVar[bool] = True
    kinds = ("nominal", "ordinal", "continuous")

    base: AdditiveMetric | None = None

    def __post_init__(self) -> None:
        if self.base is not None and not isinstance(self.base, AdditiveMetric):
            raise ArgumentError(f"`base` must be a metric with item scores; got {self.base!r}.")

    @property
    def needs(self) -> Needs:  # type: ignore[override]
        """The summary that the base error needs."""
        return self._error.needs

    @property
    def _error(self) -> AdditiveMetric:
        return self.base or MeanAbsoluteError()

    def on(self, scale: Scale) -> Self:
        """Choose the base error by the scale, unless it was given."""
        base = self.base or (TotalVariation() if scale.kind == "nominal" else MeanAbsoluteError())
        return replace(self, base=base.on(scale))

    def item_contrasts(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return 1 where A wins, −1 where B wins, 0 for ties."""
        return _signs(self._error.item_contrasts(gold, a, b), _largest(gold, a, b))

    def contrast(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return the share of items that A wins minus the share that B wins."""
        if type(self._error) is not MeanAbsoluteError or not is_batch(self.needs, gold, a, b):
            return super().contrast(gold, a, b)
        from assay.metrics import _kernels

        tie = ROUNDING * max(float(end) for side in (gold, a, b) for end in (side.max(), -side.min()))
        return np.asarray(_kernels.absolute_wins(gold, a, b, tie))

    def item_scores(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Wins are relative: one model alone has none."""
        raise ArgumentError("wins compare two models; a single model has no wins.")

    def scores(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the share of items that A wins and that B wins."""
        signs = self.item_contrasts(gold, a, b)
        return np.asarray((signs > 0).mean(axis=-1)), np.asarray((signs < 0).mean(axis=-1))


@dataclass(frozen=True)
class WinsResponses(AdditiveMetric):
    """Wins over single responses, paired by position in the item; positions that a source lacks are left out."""

    name: ClassVar[str] = "wins-responses"
    title: ClassVar[str] = "wins over single responses"
    better: ClassVar[Better] = "higher"
    relative: ClassVar[bool] = True
    needs: ClassVar[Needs] = "values"

    def item_contrasts(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return (wins of A − wins of B) / pairs for each item."""
        signs, pairs = _paired_signs(gold, a, b)
        return np.asarray(signs.sum(axis=-1) / pairs)

    def item_scores(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Wins are relative: one model alone has none."""
        raise ArgumentError("wins compare two models; a single model has no wins.")

    def scores(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the mean share of pairs that A wins and that B wins."""
        signs, pairs = _paired_signs(gold, a, b)
        won, lost = ((won.sum(axis=-1) / pairs).mean(axis=-1) for won in (signs > 0, signs < 0))
        return np.asarray(won), np.asarray(lost)


def _paired_signs(gold: FloatArray, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return who wins each pair of responses (0 where there is none), and the number of pairs of each item."""
    k = min(gold.shape[-1], a.shape[-1], b.shape[-1])
    gold, a, b = gold[..., :k], a[..., :k], b[..., :k]
    difference = np.abs(b - gold) - np.abs(a - gold)
    paired = ~np.isnan(difference)
    return _signs(np.where(paired, difference, 0.0), _largest(gold, a, b)), np.asarray(paired.sum(axis=-1))


def _signs(difference: FloatArray, largest: float) -> FloatArray:
    tie = ROUNDING * largest
    return (difference > tie).astype(np.float64) - (difference < -tie)


def _largest(*arrays: FloatArray) -> float:
    return max(float(np.nanmax(np.abs(array), initial=0.0)) for array in arrays)
