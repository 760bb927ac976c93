"""Designs with raters, by the variance components of a pilot's advantage: what `compare` finds with random raters.

Plans with raters rest on variance components and not on a response model. Components say what items, raters and repeats
each add, for every metric with item scores and without gold, and the test estimates exactly these. A design takes
milliseconds, and what the pilot leaves open follows from the same χ² distributions.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import ndtr, ndtri

from howsure import _check, _random
from howsure.data.contests import Contest
from howsure.data.scales import FloatArray
from howsure.documents import Aside
from howsure.errors import ArgumentError, DataError
from howsure.inference import ConfidenceInterval
from howsure.inference.solving import outward, root
from howsure.metrics import Metric
from howsure.planning.designs import Design
from howsure.planning.engines import rater_power
from howsure.planning.engines.base import CAUTION, DesignOutlook, OwnAdvantage, TestPower
from howsure.planning.engines.decisions import Test
from howsure.planning.engines.rater_power import Noise
from howsure.planning.request import NO_DIFFERENCE
from howsure.raters import AdvantageComponents
from howsure.raters.design import FEW_RATERS, RatingDesign, design_of, rated

MOST_RATERS = 1000
CLOSE = 1e-5
"""How well a smallest advantage is known: as a share of it, or its power as a quantile of the normal distribution."""

DRAWS = 4000
"""Draws of what the pilot leaves open."""


Point = tuple[float, float]


@dataclass(frozen=True, eq=False)
class RaterEngine:
    """What designs with raters may expect.

    Attributes
    ----------
    found : AdvantageComponents
    metric : Metric
    noise : Noise
    pilot : Design
    judged : RatingDesign
    advantage : float
        The difference to be found.
    level : float
        Of intervals.
    seed : SeedSequence
    runs : bool
        Whether the responses are known to be runs of the models, so that there is nothing to say about raters.
    """

    found: AdvantageComponents
    metric: Metric
    noise: Noise
    pilot: Design
    judged: RatingDesign
    advantage: float
    level: float
    seed: np.random.SeedSequence
    runs: bool = False

    @classmethod
    def of(
        cls,
        contest: Contest,
        found: AdvantageComponents,
        *,
        metric: Metric,
        advantage: float | None,
        level: float,
        seed: np.random.SeedSequence,
    ) -> "RaterEngine":
        """Look at the pilot, and refuse what cannot be planned from."""
        roles = rated(contest)
        judged = design_of(*(contest.sources[role] for role in (roles or contest.sources)))
        if not roles and contest.gold is not None:
            raise DataError(
                "the pilot's gold has no rater ids (or one rater): name their column (`rater`), or plan "
                "numbers of responses instead of raters."
            )
        if contest.n_items < 2:
            raise DataError("a pilot needs two or more items; this one has one.")
        per_cluster = 0.0 if found.n_items == contest.n_items else contest.n_items / found.n_items
        if per_cluster and roles and found.raters_per_item > 1.1 * judged.raters_per_item[1]:
            raise DataError(
                "raters judged parts of clusters, so what a rater adds to a whole cluster is unknown: plan without "
                "`cluster`, or from a pilot in which whole clusters are judged by the same raters."
            )
        noise = Noise.of(found)
        if not sum((noise.items, noise.raters, noise.residual, noise.repeats_a, noise.repeats_b)):
            raise DataError("the pilot shows no variance of the advantage at all, so there is nothing to plan from.")
        wanted = found.advantage if advantage is None else _check.real("difference", advantage)
        if advantage is not None and wanted == 0:
            raise ArgumentError(NO_DIFFERENCE)
        per_pair = 1
        if roles and contest.scale.reason != "preferences":
            per_pair = max(1, round(judged.n_responses / (found.raters_per_item * contest.n_items)))
        sizes = {role: max(1, round(count)) for role, count in contest.n_responses.items()}
        pilot = Design(
            contest.n_items,
            sizes.get("gold", 0),
            sizes["a"],
            sizes["b"],
            judged.n_raters if roles else 0,
            round(found.raters_per_item) if roles else 0,
            bool(roles) and judged.kind == "nested",
            per_pair,
            per_cluster,
        )
        runs = not roles and set(contest.names[1:]) <= set(contest.repeats)
        return cls(found, metric, noise, pilot, judged, wanted, level, seed, runs)

    def name(self, metric: int) -> str:
        """Return what computes this metric."""
        return "components"

    def test_name(self, design: Design, test: Test) -> str:
        """Return the test that `compare` runs on such a design."""
        return "random-effects" if self._at_random(design) else "sign-flip"

    def prepare(self, designs: Sequence[Design], *, for_power_only: bool = False) -> None:
        """Do nothing: nothing is simulated."""

    def outlook(self, design: Design, metric: int = 0) -> DesignOutlook:
        """Return what a design may expect."""
        parts = {name: float(part) for name, part in self.noise.at(self.advantage).variances(design).items()}
        total = sum(parts.values())
        error = math.sqrt(total)
        met = rater_power.expectation(self.noise, design, self.advantage, Test(), confidence_level=self.level)
        p = float(ndtr(-abs(self.advantage) / (error * math.sqrt(2))))
        shares = {called(name, design): part / total for name, part in parts.items()}
        return DesignOutlook(self.advantage, 0.0, p, 0.0, met.width, 0.0, error, shares)

    def power(self, design: Design, metric: int, test: Test) -> TestPower:
        """Return how often the test of `compare` rejects, and what the pilot leaves open about that.

        With raters, that is the median of the powers that the pilot leaves open, so that as many plans promise too much
        as too little. The pilot's own components promise too much more often: half of all χ² with four degrees of
        freedom lie below .84 of their mean, so most pilots of five raters underestimate how much raters differ.
        """
        found = rater_power.expectation(self.noise, design, self.advantage, test)
        drawn = self._powers(design, test, found.power)
        tail = (1 - self.level) / 2
        low, high = (float(end) for end in np.quantile(drawn, [tail, 1 - tail]))
        power, error = _median(drawn) if self._at_random(design) else (found.power, found.error)
        ends = ConfidenceInterval(min(low, power), max(high, power), "generalised pivots", self.level)
        return TestPower(power, error, ends)

    def _at_random(self, design: Design) -> bool:
        """Whether raters are a random factor of the test."""
        return bool(design.n_raters) and not design.nested

    def _powers(self, design: Design, test: Test, power: float) -> FloatArray:
        """Return the power at each draw of what the pilot leaves open, sorted; `power` is that of its own components.

        The error of the rough power there is assumed to be its error everywhere.
        """
        own = rater_power.powers(self.noise, design, np.array([self.advantage]), test)
        exact, rough = ndtri(np.clip([power, own[0]], 0.002, 0.998))
        noise, advantages = self._open
        drawn = rater_power.powers(noise, design, advantages * np.sign(self.advantage), test)
        return np.sort(ndtr(ndtri(np.clip(drawn, 1e-9, 1 - 1e-9)) + exact - rough))

    def guess(self, design: Design, test: Test, target: float, *, metric: int = 0) -> int:
        """Return about how many items it takes."""
        return rater_power.guess(self.noise, design, abs(self.advantage), test, target)

    def detectable(self, design: Design, metric: int, test: Test, target: float) -> tuple[float, float]:
        """Return the smallest advantage that is found with this power."""
        test = _towards_a(test)

        def excess(advantage: float) -> float:
            """On the scale on which it grows about linearly with the advantage."""
            if advantage == 0:
                return min(-CLOSE, float(ndtri(test.alpha) - ndtri(target)))
            power = replace(self, advantage=advantage).power(design, metric, test).power
            return float(ndtri(min(max(power, 1e-9), 1 - 1e-9)) - ndtri(target))

        error = math.sqrt(float(self.noise.total(design)))
        start = error * float(ndtri(1 - test.tail) + max(0.0, ndtri(target)))
        end = outward(lambda advantage: excess(advantage) >= 0, start, most=1e6 * error)
        return root(excess, 0.0, end, tolerance=0.0, relative=CLOSE), math.nan

    @cached_property
    def _open(self) -> tuple[Noise, FloatArray]:
        """Draws of the noise and of the advantage that the pilot leaves open."""
        noise, advantages = rater_power.draws(self.found, DRAWS, _random.generator(self.seed, "pilot"))
        if self.advantage == self.found.advantage:  # the difference is the pilot's, and as uncertain as the rest
            return noise, np.maximum(0.0, advantages)
        return noise, np.full(DRAWS, abs(self.advantage))

    def needed_interval(
        self, chosen: Design, test: Test, target: float, *, max_items: int, of: str
    ) -> ConfidenceInterval:
        """Return a 95% interval of the number of items (or raters) that the pilot leaves open."""
        noise, own = self._open
        per = (chosen.per_cluster or 1.0) if of == "items" else 1.0
        most = int(max_items / per) if of == "items" else MOST_RATERS
        found = rater_power.fewest(noise, chosen, own, _towards_a(test), target=target, most=most, of=of)
        low, high = per * np.quantile(found, [0.025, 0.975], method="inverted_cdf")
        return ConfidenceInterval(float(low), float(high), "generalised pivots", 0.95)

    def own_advantage(self, alpha: float) -> OwnAdvantage:
        """Return what the pilot itself shows, for raters like its own; the p-value is 0 or 1, on its side of alpha."""
        mean = self.found.advantage

        def reach(level: float) -> float:
            met = rater_power.expectation(self.noise, self.pilot, mean, Test(), confidence_level=level)
            return met.width / 2

        ends = ConfidenceInterval(mean - reach(self.level), mean + reach(self.level), "t", self.level)
        # The reach of a two-sided 60% interval is that of the one-sided 80% limit.
        least = abs(mean) - reach(2 * CAUTION - 1)
        return OwnAdvantage(mean, ends, 0.0 if abs(mean) > reach(1 - alpha) else 1.0, least)

    def caveats(self, designs: Sequence[Design], detectable: Sequence[float]) -> list[str]:
        """Return what the reader must know."""
        notes = []
        if self.pilot.n_raters and self.pilot.n_raters < FEW_RATERS and not self.pilot.nested:
            notes.append(
                f"The pilot has {self.pilot.n_raters} raters, too few to estimate reliably how much raters differ."
            )
        if any(design.raters_per_item < design.n_raters and not design.nested for design in designs):
            notes.append(
                Aside("Where raters judge only part of the items, we assume that they are assigned at random.")
            )
        if not self.pilot.n_raters and not self.runs:
            notes.append(
                "The pilot has no rater ids, so every rating counts as another rater's. If the same raters judged many "
                "items, power is overestimated."
            )
        if self._with_fewer_runs(designs):
            notes.append(
                f"With fewer runs per item than the pilot, power of {self.metric.name} is overestimated: 65 to 68% "
                "instead of 80% with 3 runs instead of 5."
            )
        return [*notes, *self._doubts(designs, detectable)]

    def _with_fewer_runs(self, designs: Sequence[Design]) -> bool:
        """Whether a metric of several runs at once (pass@3) is planned with fewer runs than the pilot's."""
        several = int(getattr(self.metric, "k", 1)) > 1
        return several and any(min(design.a, design.b) < min(self.pilot.a, self.pilot.b) for design in designs)

    def _doubts(self, designs: Sequence[Design], detectable: Sequence[float]) -> list[str]:
        """Return where plans against gold did not come true, and which advantages are impossible."""
        notes = []
        crossed = [design for design in designs if design.n_raters and not design.nested]
        if self.pilot.gold and not self.metric.linear:
            if self.metric.needs == "counts" and crossed:
                notes.append(
                    f"Differences in {self.metric.name} change with the number of gold raters, and such plans "
                    "were often wrong. Treat power as a rough guess, and stay near the pilot's number of raters."
                )
            elif not self.metric.counts_items and any(design.n_raters < FEW_RATERS for design in crossed):
                notes.append(
                    f"With fewer than {FEW_RATERS} gold raters, power for differences in {self.metric.name} may "
                    "be lower than planned."
                )
            if self.metric.counts_items and any(design.n_items > 2 * self.pilot.n_items for design in crossed):
                notes.append(
                    f"With many more items than the pilot's {self.pilot.n_items:,}, power for {self.metric.name} "
                    "can be lower than planned: a small pilot hides part of the rater variance."
                )
        if np.nanmax([abs(self.advantage), *detectable]) > self.found.largest * (1 + 1e-9):
            notes.append(
                f"A and B of the pilot are {self.found.largest:.4g} apart in {self.metric.name}. No larger "
                "difference is possible, whatever gold is."
            )
        return notes


def called(component: str, design: Design) -> str:
    """Return the name of a component: the one of items is that of clusters where clusters are drawn."""
    return "clusters" if component == "items" and design.per_cluster else component


def _median(drawn: FloatArray) -> tuple[float, float]:
    """Return the median of sorted draws, and its numerical error: half the distance between the ranks around it."""
    middle, reach = drawn.size // 2, math.sqrt(drawn.size) / 2
    low, high = drawn[math.floor(middle - reach)], drawn[math.ceil(middle + reach)]
    return float(np.median(drawn)), float(high - low) / 2


def _towards_a(test: Test) -> Test:
    """Return the test for advantages without a sign."""
    return replace(test, alternative="greater" if test.alternative != "two-sided" else "two-sided")
