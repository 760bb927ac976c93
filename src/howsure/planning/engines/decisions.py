"""Which test will decide a study, and when it rejects: the tests whose power can be computed."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from howsure import _check
from howsure.data.scales import BoolArray, FloatArray
from howsure.nulls import NULLS, SIGN_FLIP, WELCH, Hypothesis, ItemTest, Resamples, Tails, Units, combined
from howsure.nulls.bootstrap import BootstrapSign, ShiftedBootstrap
from howsure.nulls.mixed_responses import PermutedResponses, PooledResponses

RESAMPLING = tuple(null.name for null in (SIGN_FLIP, PooledResponses, PermutedResponses, ShiftedBootstrap))
"""Nulls that metrics without item scores have, too."""

ITEM_BOOTSTRAP = "item-bootstrap"
ON_ADVANTAGES: Mapping[str, ItemTest | ShiftedBootstrap | BootstrapSign] = {
    **{null.name: null for null in NULLS.values() if isinstance(null, ItemTest) and not null.resamples},
    ShiftedBootstrap.name: ShiftedBootstrap(),
    ITEM_BOOTSTRAP: BootstrapSign(),
}
"""Tests that need no more than the advantage of each item."""

TESTS: dict[str, str] = {
    **{name: NULLS[name].says for name in RESAMPLING},
    **{name: null.says for name, null in ON_ADVANTAGES.items() if name not in RESAMPLING},
    ITEM_BOOTSTRAP: "items are resampled; p is the share of resamples on the other side of zero, doubled",
    WELCH: "Welch's t of the item scores of A and of B, without the pairing",
}
"""Tests whose power can be computed: the nulls of `compare`, and the baselines of RATINGS, figure 6."""

NO_RESAMPLES = Resamples(np.random.SeedSequence(0), 0)


@dataclass(frozen=True, slots=True)
class Test:
    """Which test, and when it rejects.

    Attributes
    ----------
    name : str
        One of `TESTS`.
    alpha : float
    alternative : {"two-sided", "greater", "less"}
    """

    __test__ = False  # not a test of ours, whatever pytest thinks

    name: str = SIGN_FLIP.name
    alpha: float = 0.05
    alternative: str = "two-sided"

    def __post_init__(self) -> None:
        from howsure.inference import ALTERNATIVES

        _check.one_of("test", self.name, TESTS)
        _check.fraction("alpha", self.alpha)
        _check.one_of("alternative", self.alternative, ALTERNATIVES)

    @property
    def sides(self) -> int:
        """The number of tails in which it rejects."""
        return 2 if self.alternative == "two-sided" else 1

    @property
    def tail(self) -> float:
        """The level of one tail."""
        return self.alpha / self.sides

    def normal_power(
        self, advantage: FloatArray | float, reach: FloatArray | float, error: FloatArray | float = 1.0
    ) -> FloatArray:
        """Return how often a normal advantage with this standard error lies beyond the reach of its interval."""
        above, below = ndtr((advantage - reach) / error), ndtr((-advantage - reach) / error)
        if self.alternative == "two-sided":
            return np.asarray(above + below)
        return np.asarray(above if self.alternative == "greater" else below)

    def can_reject(self, n_items: int) -> bool:
        """Whether this many items can give a p-value at or below the level: 2ᴺ exchanges may be too few."""
        return self.name not in NULLS or NULLS[self.name].can_reject(n_items, self.tail * (1 + 1e-9))

    def rejects(self, pvalues: FloatArray) -> BoolArray:
        """Return which p-values are significant."""
        return np.asarray(pvalues <= self.alpha * (1 + 1e-9))  # a p-value may be equal to the level on paper

    def rejects_tails(self, tails: Tails) -> BoolArray:
        """Return which data sets are significant by their tails P(draw ≤ data) and P(draw ≥ data)."""
        return self.rejects(combined(tails, self.alternative))

    def decide(self, advantages: FloatArray) -> BoolArray:
        """Return which data sets of item advantages are significant; p is only as precise as that takes."""
        hypothesis = Hypothesis(self.alternative, alpha=self.alpha)
        units = Units.independent(advantages)
        return self.rejects(ON_ADVANTAGES[self.name].simulated_pvalues(units, hypothesis, NO_RESAMPLES))
