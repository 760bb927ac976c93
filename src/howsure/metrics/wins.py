"""Wins: on how many items, or single responses, A is closer to gold than B."""

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from howsure.data.scales import FloatArray, Scale
from howsure.data.summaries import Needs
from howsure.errors import ArgumentError
from howsure.metrics.base import ROUNDING, AdditiveMetric, Better, RelativeMetric
from howsure.metrics.distribution import TotalVariation
from howsure.metrics.error import MeanAbsoluteError


@dataclass(frozen=True)
class Wins(RelativeMetric):
    """Share of items where A's error is smaller than B's, minus the share where B's is smaller.

    Attributes
    ----------
    base : AdditiveMetric, optional
        The item error; absolute error of means, or total variation on a nominal scale, when left out.
    bound : AdditiveMetric, optional
        Set by `on`: the item error, on the scale of the data.
    """

    formula: ClassVar[str] = (
        "share of items on which the model's error is the smaller one minus the share on which it is the larger one"
    )
    distance: ClassVar[bool] = True
    better: ClassVar[Better] = "higher"
    counts_items: ClassVar[bool] = True
    span: ClassVar[float] = 1.0
    kinds = ("nominal", "ordinal", "continuous")

    base: AdditiveMetric | None = None
    bound: AdditiveMetric | None = None

    def __post_init__(self) -> None:
        if self.base is not None and not isinstance(self.base, AdditiveMetric):
            raise ArgumentError(f"`base` must be a metric with item scores; got {self.base!r}.")

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name, with that of the base error where it was given: wins:tv."""
        return "wins" if self.base is None else f"wins:{self.base.name}"

    @property
    def title(self) -> str:  # type: ignore[override]
        """What it is called in a sentence."""
        return "wins" if self.base is None else f"wins by {self.base.title}"

    @property
    def gold_free(self) -> bool:  # type: ignore[override]
        """Whether the base error is."""
        return self.item_error.gold_free

    @property
    def label_blind(self) -> bool:  # type: ignore[override]
        """Whether the base error is."""
        return self.item_error.label_blind

    @property
    def needs(self) -> Needs:  # type: ignore[override]
        """The summary that the base error needs."""
        return self.item_error.needs

    @property
    def item_error(self) -> AdditiveMetric:
        """The error by which an item is won: as given, or as the scale suggests."""
        return self.bound or self.base or MeanAbsoluteError()

    def on(self, scale: Scale) -> Self:
        """Choose the base error by the scale, unless it was given."""
        base = self.base or (TotalVariation() if scale.kind == "nominal" else MeanAbsoluteError())
        return replace(self, bound=base.on(scale))

    def item_advantages(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return 1 where A wins, −1 where B wins, 0 for ties."""
        return self.won(self.item_error.item_advantages(gold, a, b), gold, a, b)

    def won(self, advantages: FloatArray, gold: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return the winners by the advantages of the base error."""
        sides = (side for side in (gold, a, b) if side is not None)
        return _signs(advantages, _largest(*sides))

    def scores(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the share of items that A wins and that B wins."""
        signs = self.item_advantages(gold, a, b)
        return np.asarray((signs > 0).mean(axis=-1)), np.asarray((signs < 0).mean(axis=-1))


@dataclass(frozen=True)
class WinsResponses(RelativeMetric):
    """Wins over single responses, paired by position in the item; unpaired positions are omitted."""

    name: ClassVar[str] = "wins-responses"
    title: ClassVar[str] = "wins over single responses"
    formula: ClassVar[str] = (
        "share of responses, paired by position, on which the model's error is the smaller one minus the share on "
        "which it is the larger one"
    )
    better: ClassVar[Better] = "higher"
    needs: ClassVar[Needs] = "values"
    per_response: ClassVar[bool] = True
    span: ClassVar[float] = 1.0

    def item_advantages(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return (wins of A − wins of B) / pairs for each item."""
        won, lost = _paired_wins(gold, a, b)
        return won - lost

    def scores(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the mean share of pairs that A wins and that B wins."""
        won, lost = _paired_wins(gold, a, b)
        return np.asarray(won.mean(axis=-1)), np.asarray(lost.mean(axis=-1))


def _paired_wins(gold: FloatArray, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the shares of an item's pairs of responses that A wins and that B wins."""
    k = min(gold.shape[-1], a.shape[-1], b.shape[-1])
    gold, a, b = (side[..., :k] for side in (gold, a, b))
    ahead = np.abs(b - gold) - np.abs(a - gold)
    tie = ROUNDING * _largest(gold, a, b)
    with np.errstate(invalid="ignore"):  # a row without a common position is NaN
        n_pairs = np.count_nonzero(~np.isnan(ahead), axis=-1)
        won, lost = (np.count_nonzero(side > tie, axis=-1) / n_pairs for side in (ahead, -ahead))
    return won, lost


def _signs(difference: FloatArray, largest: float) -> FloatArray:
    tie = ROUNDING * largest
    return (difference > tie).astype(np.float64) - (difference < -tie)


def _largest(*arrays: FloatArray) -> float:
    # fmax and fmin pass over NaN, and need no copy of sizes as |array| would.
    ends = [(np.fmax.reduce(array, axis=None), np.fmin.reduce(array, axis=None)) for array in arrays if array.size]
    return max((float(max(high, -low)) for high, low in ends if not np.isnan(high)), default=0.0)
