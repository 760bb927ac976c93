"""What a design gives on average: advantage, expected p and width of the interval, from simulated data sets."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from howsure._random import child
from howsure.data.scales import FloatArray
from howsure.inference import expected_pvalue
from howsure.intervals import interval
from howsure.metrics import AdditiveMetric, Metric
from howsure.models import ResponseModel, simulate_advantages
from howsure.papers.published import PUBLISHED_SIMULATIONS, error_of_difference
from howsure.planning.engines.exact import PoolPair
from howsure.planning.engines.item_scores import BLOCKS
from howsure.planning.engines.item_scores import Setting as ItemSetting
from howsure.planning.engines.score_pools import GrowingPools

LEVEL = 0.95
"""Of the interval whose width FOREST prints."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One metric on one design.

    Attributes
    ----------
    p, p_error : float
        Expected p as the papers compute it, from `PUBLISHED_SIMULATIONS` data sets of each kind: with fewer the
        comparison of medians pulls p further below ½. More data sets are averaged in batches of that size.
    draws : array of float
        Advantages of the alternative data sets.
    p_is_bound : bool
        Whether p is below 1 / (b + 1), b the number of data sets; then that is its value, a bound.
    distance : float
        Between the means of draws and null draws, in standard deviations of their difference.
    """

    p: float
    p_error: float
    draws: FloatArray
    p_is_bound: bool = False
    distance: float = math.nan

    @classmethod
    def of(cls, null: FloatArray, draws: FloatArray) -> "Outcome":
        """Compare draws with null draws."""
        n_batches = max(1, draws.size // PUBLISHED_SIMULATIONS)
        batches = zip(np.array_split(null, n_batches), np.array_split(draws, n_batches), strict=True)
        whole = expected_pvalue(null, draws)
        spread = math.hypot(np.nanstd(null), np.nanstd(draws))
        distance = abs(np.nanmean(draws) - np.nanmean(null)) / spread if spread > 0 else math.inf
        if whole.is_bound:
            return cls(whole.pvalue, whole.standard_error, draws, True, float(distance))
        answers = [expected_pvalue(*batch) for batch in batches]
        # A batch on its own knows no more than its bound; all together they do.
        p = whole.pvalue if any(answer.is_bound for answer in answers) else np.mean([one.pvalue for one in answers])
        return cls(float(p), whole.standard_error, draws, False, float(distance))

    @property
    def effect(self) -> float:
        """Expected advantage."""
        return float(np.nanmean(self.draws))

    @property
    def effect_error(self) -> float:
        """Standard error of the expected advantage."""
        return float(np.nanstd(self.draws) / math.sqrt(self.draws.size))

    @property
    def ci_width(self) -> float:
        """Width of the 95% basic interval of the simulated advantages (FOREST, algorithm 3)."""
        return interval("basic", self.draws, estimate=self.effect, confidence_level=LEVEL).width

    @property
    def ci_width_error(self) -> float:
        """Standard error of that width."""
        return self.width_error(self.draws.size)

    def width_error(self, n_simulations: int) -> float:
        """Return the standard error of the width from so many data sets.

        A quantile of n draws has a rank within √(n q (1 − q)) of its own, whatever the draws look like; the draws at
        those ranks say how far it moves. KL jumps where a label is missing, so its width has twice the error that
        normal draws of the same spread would have.
        """
        tail = (1 - LEVEL) / 2
        ranks = tail + np.array([-1, 1]) * math.sqrt(tail * (1 - tail) / n_simulations)
        low, high = (np.nanquantile(self.draws, np.clip(side, 0, 1)) for side in (ranks, 1 - ranks))
        return math.hypot(float(low[1] - low[0]), float(high[0] - high[1])) / 2

    def numbers(self, *quantities: str) -> dict[str, float]:
        """Return these quantities by name, each with the error of its difference from the published number."""
        found = {}
        for name in quantities:
            found[name] = float(getattr(self, name))
            own = getattr(self, f"{name}_error")
            if name == "ci_width":
                found[f"{name}_error"] = math.hypot(own, self.width_error(PUBLISHED_SIMULATIONS))
            else:
                found[f"{name}_error"] = error_of_difference(own, self.draws.size)
        if "p" in quantities:
            found["p_is_bound"] = self.p_is_bound
        return found


class Digits(NamedTuple):
    """An expected p from the exact engine; a bound where it is below what the engine can tell."""

    p: float
    is_bound: bool


EXACT_BLOCKS = 2
"""Blocks of 256 items behind exact digits for each simulated data set: 1,000 give half a million items."""

SMALLEST, FAR = 1e-9, 6.5
"""Expected p below which the exact engine has no digits, and from which distance on there is no need to ask it."""


def exact_pvalues(
    model: ResponseModel,
    metrics: Sequence[AdditiveMetric],
    *,
    n_items: int,
    n_responses: int,
    epsilon: float,
    simulation: "SimulationSize",
) -> list[Digits]:
    """Return expected p of one design from pools of item scores, with digits that draws of data sets cannot give."""
    if not metrics:
        return []
    seed, n_blocks = child(simulation.seed, "exact"), max(32, EXACT_BLOCKS * simulation.n_simulations)
    sides = [ItemSetting(model, (n_responses,) * 3, epsilon, None, null) for null in (False, True)]
    scores = GrowingPools(sides[0], metrics, seed)
    null_scores = GrowingPools(sides[1], metrics, seed, steps=scores.steps)
    for pools in (scores, null_scores):
        pools.grow(-(-n_blocks // BLOCKS))
    found = []
    for number in range(len(metrics)):
        p = PoolPair(scores.pool(number), null_scores.pool(number), symmetric=True).expected(n_items).pvalue
        found.append(Digits(max(p, SMALLEST), p < SMALLEST))
    return found


@dataclass(frozen=True, slots=True)
class SimulationSize:
    """How many data sets of each kind a cell simulates, and from which seed; cells run in parallel, not their parts."""

    n_simulations: int
    seed: np.random.SeedSequence

    def times(self, factor: int) -> "SimulationSize":
        """Return a simulation of more data sets."""
        return replace(self, n_simulations=factor * self.n_simulations)

    def outcomes(
        self,
        model: ResponseModel,
        metrics: Sequence[Metric],
        *,
        n_items: int,
        n_responses: int,
        epsilon: float,
        resample_simulated: bool = False,
    ) -> list[Outcome]:
        """Simulate alternative and null data sets of one design."""
        seed = child(self.seed, *map(str, (n_items, n_responses, epsilon, resample_simulated)))
        draws, null = (
            simulate_advantages(
                model,
                metrics,
                n_items=n_items,
                n_responses=n_responses,
                epsilon=epsilon,
                null=null,
                n_simulations=self.n_simulations,
                resample_simulated=resample_simulated,
                rng=seed,
                workers=1,
            )
            for null in (False, True)
        )
        return [Outcome.of(*pair) for pair in zip(null, draws, strict=True)]
