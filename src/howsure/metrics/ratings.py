"""Metrics without gold: ratings of each model's own outputs, and runs that each passed (1) or failed (0)."""

import math
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np

from howsure import _check
from howsure.data.scales import OUTCOMES, SHARES, FloatArray, Kind, Scale
from howsure.data.summaries import Needs
from howsure.errors import ArgumentError
from howsure.metrics.base import Better, ItemMetric, RelativeMetric

TITLES = {OUTCOMES: "accuracy", SHARES: "win rate"}
"""What the mean of such values is called; a mean of any others is a mean rating."""


@dataclass(frozen=True)
class MeanRating(ItemMetric):
    """Mean over items of the mean rating that the model's output got.

    Attributes
    ----------
    direction : {"higher", "lower"}
        "lower" for penalties such as MQM.
    called : str
        Set by `on`: what the mean is called.
    """

    name: ClassVar[str] = "rating"
    formula: ClassVar[str] = "mean over items of the mean rating of the model's own output"
    linear: ClassVar[bool] = True
    per_response: ClassVar[bool] = True
    gold_free: ClassVar[bool] = True

    direction: Better = "higher"
    called: str = field(default="mean rating", repr=False)

    def __post_init__(self) -> None:
        _check.one_of("direction", self.direction, ("higher", "lower"))

    def on(self, scale: Scale) -> Self:
        """Call the mean of right and wrong answers an accuracy."""
        return replace(super().on(scale), called=TITLES.get(scale.reason, self.called))

    @property
    def title(self) -> str:  # type: ignore[override]
        """What the mean is called."""
        return self.called

    @property
    def better(self) -> Better:  # type: ignore[override]
        """The direction of the ratings."""
        return self.direction

    @property
    def bounds(self) -> tuple[float, float]:
        """Of shares of right answers or of wins, 0 to 1; a rating may be any number."""
        return (0.0, 1.0) if self.called in TITLES.values() else (-math.inf, math.inf)

    def item_scores(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return the item's mean rating; gold is not used."""
        return model


@dataclass(frozen=True)
class WinRate(ItemMetric):
    """Share of comparisons that the model wins, ties counted half: the mean of preferences (`howsure.preferences`)."""

    name: ClassVar[str] = "win-rate"
    title: ClassVar[str] = "win rate"
    formula: ClassVar[str] = "share of preferences that the model wins, ties half"
    better: ClassVar[Better] = "higher"
    kinds: ClassVar[tuple[Kind, ...]] = ("ordinal",)
    span: ClassVar[float] = 1.0
    linear: ClassVar[bool] = True
    per_response: ClassVar[bool] = True
    gold_free: ClassVar[bool] = True

    def on(self, scale: Scale) -> Self:
        """Refuse ratings that have not been turned into preferences."""
        if set(scale.levels) - {0.0, 0.5, 1.0} or not scale.levels:
            raise ArgumentError(
                "win-rate needs preferences: make them with howsure.preferences.preferences_between(contest)."
            )
        return self

    def item_scores(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return the share of the item's comparisons that the model wins; gold is not used."""
        return model


@dataclass(frozen=True)
class Superiority(RelativeMetric):
    """Mean over items of the probability that a rating of the model beats one of the other model, ties counted half.

    All pairs of ratings of an item are compared, whoever gave them: only the order counts, not the distance.

    Attributes
    ----------
    direction : {"higher", "lower"}
        "lower" for penalties such as MQM.
    """

    name: ClassVar[str] = "superiority"
    title: ClassVar[str] = "probability of superiority"
    formula: ClassVar[str] = (
        "probability that a rating of the model beats one of the other model on the same item, ties half"
    )
    better: ClassVar[Better] = "higher"
    needs: ClassVar[Needs] = "sorted"
    gold_free: ClassVar[bool] = True
    per_response: ClassVar[bool] = True
    span: ClassVar[float] = 1.0

    direction: Better = "higher"

    def __post_init__(self) -> None:
        _check.one_of("direction", self.direction, ("higher", "lower"))

    def item_advantages(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return P(A beats B) − P(B beats A) on each item."""
        first, second = a[..., :, np.newaxis], b[..., np.newaxis, :]
        n_pairs = (~np.isnan(a)).sum(axis=-1) * (~np.isnan(b)).sum(axis=-1)
        won = (first > second).sum(axis=(-2, -1)) - (first < second).sum(axis=(-2, -1))
        signed = won / n_pairs
        return np.asarray(-signed if self.direction == "lower" else signed)

    def scores(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the probability that A is the better one, and that B is."""
        ahead = self.advantage(gold, a, b)
        return (1 + ahead) / 2, (1 - ahead) / 2


@dataclass(frozen=True)
class _Passes(ItemMetric):
    """What pass@k and pass^k share: which of an item's runs passed.

    Attributes
    ----------
    k : int
        The number of runs; each item needs at least as many.
    column : int or None
        Set by `on`: where 1 stands among the levels; None where no run passed.
    """

    better: ClassVar[Better] = "higher"
    needs: ClassVar[Needs] = "counts"
    kinds: ClassVar[tuple[Kind, ...]] = ("ordinal",)
    gold_free: ClassVar[bool] = True
    per_response: ClassVar[bool] = True
    span: ClassVar[float] = 1.0
    sign: ClassVar[str]

    k: int
    column: int | None = None

    def __post_init__(self) -> None:
        _check.integer("k", self.k, at_least=1)

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name with its number of runs, such as pass@3."""
        return f"pass{self.sign}{self.k}"

    @property
    def title(self) -> str:  # type: ignore[override]
        """The name."""
        return self.name

    def on(self, scale: Scale) -> Self:
        """Refuse scores other than 0 and 1."""
        if scale.kind == "nominal" or not scale.levels or set(scale.levels) - {0.0, 1.0} or not scale.is_numeric:
            raise ArgumentError(
                f"metric {self.name!r} needs scores of 0 (failed) and 1 (passed), but the scale is {scale}. Write the "
                "scores as 0 and 1 (`scale='ordinal'`), or use a metric such as rating or accuracy."
            )
        return replace(self, column=scale.levels.index(1.0) if 1.0 in scale.levels else None)

    def notes(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> list[str]:
        """Say that items with fewer runs leave the metric undefined."""
        short = int(np.count_nonzero((a.sum(axis=-1) < self.k) | (b.sum(axis=-1) < self.k)))
        if not short:
            return []
        return [
            f"{self.name} is undefined: {short:,} of {len(a):,} items have fewer than {self.k} runs of A or of B. "
            "Leave them out, or use a smaller k."
        ]

    def _counts(self, model: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the number of runs of each item, and how many passed."""
        n = model.sum(axis=-1)
        return n, np.zeros_like(n) if self.column is None else model[..., self.column]


@dataclass(frozen=True)
class PassAtK(_Passes):
    """Mean over items of the probability that at least one of k runs passes: 1 − C(n − c, k) / C(n, k).

    Of an item's n ≥ k runs, c passed. All sets of k runs count equally, so the estimate is unbiased (Chen et al. 2021).
    """

    sign: ClassVar[str] = "@"
    formula: ClassVar[str] = (
        "mean over items of 1 − C(n − c, k) / C(n, k), from n runs of which c passed (Chen et al. 2021)"
    )

    def item_scores(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return the probability for each item; NaN where it has fewer than k runs. Gold is not looked at."""
        n, passed = self._counts(model)
        return 1 - _all_of(n, n - passed, self.k)


@dataclass(frozen=True)
class PassHatK(_Passes):
    """Mean over items of the probability that all of k runs pass: C(c, k) / C(n, k), unbiased from n ≥ k runs."""

    sign: ClassVar[str] = "^"
    formula: ClassVar[str] = "mean over items of C(c, k) / C(n, k), from n runs of which c passed (Yao et al. 2024)"

    def item_scores(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return the probability for each item; NaN where it has fewer than k runs. Gold is not looked at."""
        n, passed = self._counts(model)
        return _all_of(n, passed, self.k)


def _all_of(n: FloatArray, chosen: FloatArray, k: int) -> FloatArray:
    """Return C(chosen, k) / C(n, k), the probability that k of n all lie among the chosen; NaN where n < k."""
    share = np.where(n < k, np.nan, 1.0)
    for i in range(k):
        share = share * np.maximum(chosen - i, 0.0) / np.maximum(n - i, 1.0)
    return np.asarray(share)
