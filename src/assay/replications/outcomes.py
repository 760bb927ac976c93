"""What a design gives on average: contrast, expected p and width of the interval, from simulated data sets."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay._random import child
from assay.inference import basic, expected_pvalue
from assay.metrics import Metric
from assay.models import ResponseModel, simulate_contrasts
from assay.replications.published import PUBLISHED_SIMULATIONS, error_of_difference
from assay.scales import FloatArray


@dataclass(frozen=True, slots=True)
class Outcome:
    """One metric on one design.

    Attributes
    ----------
    p, p_error : float
        Expected p as the papers compute it, from `PUBLISHED_SIMULATIONS` data sets of each kind: with fewer the
        comparison of medians pulls p further below ½. More data sets are averaged in batches of that size.
    draws : array of float
        Contrasts of the alternative data sets.
    """

    p: float
    p_error: float
    draws: FloatArray

    @classmethod
    def of(cls, null: FloatArray, draws: FloatArray) -> "Outcome":
        """Compare draws with null draws."""
        n_batches = max(1, draws.size // PUBLISHED_SIMULATIONS)
        batches = zip(np.array_split(null, n_batches), np.array_split(draws, n_batches), strict=True)
        p = float(np.mean([expected_pvalue(*batch).pvalue for batch in batches]))
        return cls(p, expected_pvalue(null, draws).standard_error, draws)

    @property
    def effect(self) -> float:
        """Expected contrast."""
        return float(np.nanmean(self.draws))

    @property
    def effect_error(self) -> float:
        """Standard error of the expected contrast."""
        return float(np.nanstd(self.draws) / math.sqrt(self.draws.size))

    @property
    def ci_width(self) -> float:
        """Width of the 95 % basic interval of the simulated contrasts (FOREST, algorithm 3)."""
        return basic(self.draws, self.effect).width

    @property
    def ci_width_error(self) -> float:
        """Standard error of that width: 3.73 σ/√b, for two sample quantiles of nearly normal draws."""
        return 3.73 * self.effect_error

    def numbers(self, *quantities: str) -> dict[str, float]:
        """Return these quantities by name, each with the error of its difference from the published number."""
        found = {}
        for name in quantities:
            found[name] = float(getattr(self, name))
            found[f"{name}_error"] = error_of_difference(getattr(self, f"{name}_error"), self.draws.size)
        return found


@dataclass(frozen=True, slots=True)
class Simulation:
    """How many data sets of each kind a cell simulates, and from which seed; cells run in parallel, not their parts."""

    n_simulations: int
    seed: np.random.SeedSequence

    def times(self, factor: int) -> "Simulation":
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
            simulate_contrasts(
                model, metrics, n_items=n_items, n_responses=n_responses, epsilon=epsilon, null=null,
                n_simulations=self.n_simulations, resample_simulated=resample_simulated, rng=seed, workers=1,
            )
            for null in (False, True)
        )  # fmt: skip
        return [Outcome.of(*pair) for pair in zip(null, draws, strict=True)]
