"""A pilot with raters, what it says about noise, and what any design may expect by it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import ndtr

from assay import _check
from assay.comparison import ContrastComponents
from assay.errors import ArgumentError, DataError
from assay.metrics import Metric
from assay.planning.engines import components as noises
from assay.planning.engines.components import Noise, Rule
from assay.planning.rater_designs import RaterCell, RaterCosts, RaterDesign
from assay.rating_design import RatingDesign, design_of, rated
from assay.responses import Contest

FEW = 5
"""Below this many raters, what a pilot says about raters and what a plan says about power are poor."""

MOST_RATERS = 1000
DRAWS = 1000
"""Draws of what the pilot leaves open."""


@dataclass(frozen=True, slots=True)
class Study:
    """The pilot, what it says about noise, and the question asked of every design."""

    found: ContrastComponents
    metric: Metric
    noise: Noise
    pilot: RaterDesign
    judged: RatingDesign
    contrast: float
    rule: Rule
    level: float
    costs: RaterCosts

    @classmethod
    def of(
        cls,
        contest: Contest,
        found: ContrastComponents,
        *,
        metric: Metric,
        contrast: float | None,
        rule: Rule,
        level: float,
        costs: RaterCosts,
    ) -> "Study":
        """Look at the pilot, and refuse what cannot be planned from."""
        roles = rated(contest)
        judged = design_of(*(contest.sources[role] for role in (roles or contest.sources)))
        if not roles and contest.gold is not None:
            raise DataError(
                "the pilot's gold has no rater ids (or one rater): name their column (rater=…, --rater), or plan "
                "numbers of responses instead of raters."
            )
        if contest.n_items < 2:
            raise DataError("a pilot needs two or more items; this one has one.")
        noise = Noise.of(found)
        if not sum((noise.items, noise.raters, noise.residual, noise.repeats_a, noise.repeats_b)):
            raise DataError("the pilot shows no variance of the contrast at all, so there is nothing to plan from.")
        wanted = found.contrast if contrast is None else _check.real("contrast", contrast)
        if wanted == 0:
            raise ArgumentError("a contrast of 0 is found by no study; give the difference to be found (--contrast).")
        per_pair = 1
        if roles and contest.scale.reason != "preferences":
            per_pair = max(1, round(judged.n_responses / (found.raters_per_item * contest.n_items)))
        sizes = {role: max(1, round(count)) for role, count in contest.n_responses.items()}
        pilot = RaterDesign(
            contest.n_items, sizes.get("gold", 0), sizes["a"], sizes["b"], judged.n_raters,
            round(found.raters_per_item) if roles else 0, judged.kind == "nested", per_pair,
        )  # fmt: skip
        return cls(found, metric, noise, pilot, judged, wanted, rule, level, costs)

    def test(self, cell: RaterCell) -> str:
        """Return the test that `compare` runs on such a design."""
        return "swapped-items" if cell.nested or not cell.n_raters else "random-effects"

    def design(self, n_items: int, shape: RaterDesign) -> RaterDesign:
        """Return the design of this shape with another number of items."""
        n_raters = n_items * shape.raters_per_item if shape.nested else shape.n_raters
        return replace(shape, n_items=n_items, n_raters=n_raters)

    def power(self, design: RaterDesign) -> float:
        """Return the power of a design."""
        return noises.expectation(self.noise, design, self.contrast, self.rule).power

    def cell(self, design: RaterDesign, *, detect: float | None) -> RaterCell:
        """Return what a design may expect."""
        parts = {name: float(part) for name, part in self.noise.at(self.contrast).variances(design).items()}
        total = sum(parts.values())
        error = math.sqrt(total)
        met = noises.expectation(self.noise, design, self.contrast, self.rule, confidence_level=self.level)
        return RaterCell(
            n_items=design.n_items,
            n_responses={"gold": design.gold, "a": design.a, "b": design.b},
            epsilon=None,
            metric=self.found.metric,
            contrast=self.contrast,
            contrast_error=0.0,
            expected_pvalue=float(ndtr(-abs(self.contrast) / (error * math.sqrt(2)))),
            expected_pvalue_error=0.0,
            ci_width=met.width,
            ci_width_error=0.0,
            power=met.power,
            power_error=met.error,
            cost=self.costs.of(design),
            engine="components",
            detectable=math.nan if detect is None else self._detectable(design, error, detect),
            n_raters=design.n_raters,
            raters_per_item=design.raters_per_item,
            nested=design.nested,
            per_pair=design.per_pair,
            standard_error=error,
            shares={name: part / total for name, part in parts.items()},
        )

    def _detectable(self, design: RaterDesign, error: float, target: float) -> float:
        low, high = 0.0, error
        rule = self._towards_a()
        while noises.expectation(self.noise, design, high, rule).power < target and high < 1e6 * error:
            low, high = high, 2 * high
        for _ in range(30):
            middle = (low + high) / 2
            enough = noises.expectation(self.noise, design, middle, rule).power >= target
            low, high = (low, middle) if enough else (middle, high)
        return high

    def _towards_a(self) -> Rule:
        """Return the rule for contrasts without a sign."""
        return replace(self.rule, alternative="greater" if self.rule.alternative != "two-sided" else "two-sided")

    def interval(
        self, chosen: RaterDesign, rng: np.random.Generator, target: float | None, *, max_items: int, of: str
    ) -> tuple[float, float]:
        """Return a 95 % interval of the number of items (or raters) that the pilot leaves open."""
        if target is None:
            return math.nan, math.nan
        noise, contrasts = noises.draws(self.found, DRAWS, rng)
        own = np.full(DRAWS, abs(self.contrast))
        if self.contrast == self.found.contrast:  # the difference is the pilot's, and as uncertain as the rest
            own = np.maximum(0.0, contrasts * np.sign(self.contrast))
        most = max_items if of == "items" else MOST_RATERS
        found = noises.fewest(noise, chosen, own, self._towards_a(), target=target, most=most, of=of)
        low, high = np.quantile(found, [0.025, 0.975], method="inverted_cdf")
        return float(low), float(high)

    def facts(self, *, given: bool) -> dict[str, Any]:
        """Return what the pilot is and says."""
        return {
            "n_items": self.pilot.n_items, "n_raters": self.pilot.n_raters,
            "raters_per_item": self.found.raters_per_item, "design": self.judged.kind,
            "n_responses": {"gold": self.pilot.gold, "a": self.pilot.a, "b": self.pilot.b},
            "model": "variance components", "difference": "given" if given else "as in the pilot",
            "components": dict(self.found.components),
            "intervals": {name: ends.to_dict() for name, ends in self.found.intervals.items()},
        }  # fmt: skip

    def caveats(self, cells: Sequence[RaterCell], *, given: bool) -> list[str]:
        """Return what the reader must know."""
        notes = []
        if self.pilot.n_raters and self.pilot.n_raters < FEW and not self.pilot.nested:
            notes.append(f"{self.pilot.n_raters} raters of the pilot say little about how much raters differ.")
        part = [cell for cell in cells if cell.raters_per_item < cell.n_raters and not cell.nested]
        if part:
            notes.append("where raters judge part of the items, each item's raters are taken to be drawn by lot.")
        if not self.pilot.n_raters:
            notes.append(
                "there are no rater ids: every rating is taken to come from another rater, and if the same raters "
                "judge many items, these plans promise too much."
            )
        if not given:
            notes.append("the difference is the pilot's own estimate, and such estimates tend to be too large.")
        return [*notes, *self._doubts(cells)]

    def _doubts(self, cells: Sequence[RaterCell]) -> list[str]:
        """Return where plans against gold did not come true (docs/raters.md), and which contrasts cannot be."""
        notes = []
        crossed = [cell for cell in cells if cell.n_raters and not cell.nested]
        if self.pilot.gold and not self.metric.linear:
            if self.metric.needs == "counts" and crossed:
                notes.append(
                    f"contrasts of {self.metric.name} change with the number of raters behind gold, and plans of them "
                    "came true poorly: take power for a rough guess, and stay near the pilot's number of raters."
                )
            elif not self.metric.counts_items and any(cell.n_raters < FEW for cell in crossed):
                notes.append(
                    f"with fewer than {FEW} raters behind gold `compare` may find contrasts of {self.metric.name} "
                    "less often than planned."
                )
            if self.metric.counts_items and any(cell.n_items > 2 * self.pilot.n_items for cell in crossed):
                notes.append(
                    f"how raters move {self.metric.name} is hidden by items that change sides: with many more items "
                    f"than the pilot's {self.pilot.n_items:,}, power can be lower than planned."
                )
        contrasts = [abs(self.contrast), *(cell.detectable for cell in cells)]
        if np.nanmax(contrasts) > self.found.largest * (1 + 1e-9):
            notes.append(
                f"A and B of the pilot are {self.found.largest:.4g} apart in {self.metric.name}: no gold makes a "
                "larger contrast of them."
            )
        return notes
