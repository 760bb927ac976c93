"""Several runs of a model on each item, each passed (1) or failed (0): pass@k and pass^k, without gold."""

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from howsure import _check
from howsure.errors import ArgumentError
from howsure.metrics.base import Better, ItemMetric
from howsure.scales import FloatArray, Kind, Scale
from howsure.summaries import Needs


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

    def item_scores(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Return the probability for each item; NaN where it has fewer than k runs. Gold is not looked at."""
        n, passed = self._counts(model)
        return 1 - _all_of(n, n - passed, self.k)


@dataclass(frozen=True)
class PassHatK(_Passes):
    """Mean over items of the probability that all of k runs pass: C(c, k) / C(n, k), unbiased from n ≥ k runs."""

    sign: ClassVar[str] = "^"

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
