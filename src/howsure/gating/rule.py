"""What a gate claims, and when data decide it: pass, fail or inconclusive.

A claim is a region in which the true difference (candidate minus baseline, positive where the candidate is better) must
lie. The gate passes where the interval lies inside the region, fails where it lies outside, and is inconclusive where
it crosses an edge.
"""

import math
from dataclasses import dataclass
from typing import Literal

from howsure import _check
from howsure.errors import ArgumentError
from howsure.gating.gauges import NORMAL, Gauge

Verdict = Literal["pass", "fail", "inconclusive", "futile"]

EXIT_CODES: dict[Verdict, int] = {"pass": 0, "fail": 1, "inconclusive": 2, "futile": 2}
COULD_NOT_RUN = 3
"""The exit code of a gate that could not be run: bad input, bad options, a state file of another gate."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a gate must show.

    Attributes
    ----------
    name : str
        As options and results write it.
    lower, upper : int
        The edges of its region in margins; 0 where there is none.
    shown : str
        What may be said where the gate passes; {margin} stands for the margin.
    refuted : str
        What may be said where it fails.
    asked : str
        What is open where it is inconclusive, after "whether".
    """

    name: str
    lower: int
    upper: int
    shown: str
    refuted: str
    asked: str

    def region(self, margin: float) -> tuple[float, float]:
        """Return the edges of the region."""
        return self.lower * margin, self.upper * margin if self.upper else math.inf


CLAIMS = {
    claim.name: claim
    for claim in (
        Claim(
            "non-inferior",
            -1,
            0,
            "{candidate} is not worse than {baseline} by more than {margin}",
            "{candidate} is worse than {baseline} by more than {margin}",
            "{candidate} is worse than {baseline} by more than {margin}",
        ),
        Claim(
            "superior",
            1,
            0,
            "{candidate} is better than {baseline} by more than {margin}",
            "{candidate} is not better than {baseline} by as much as {margin}",
            "{candidate} is better than {baseline} by more than {margin}",
        ),
        Claim(
            "equivalent",
            -1,
            1,
            "{candidate} and {baseline} differ by less than {margin}",
            "{candidate} and {baseline} differ by more than {margin}",
            "{candidate} and {baseline} differ by more than {margin}",
        ),
    )
}
"""What a gate can claim."""


@dataclass(frozen=True, slots=True)
class GateRule:
    """What is claimed, by which margin, at which level.

    Attributes
    ----------
    claim : Claim
    margin : float
        In units of the metric.
    confidence_level : float
        One minus α: a model at the edge passes with probability α at most.

    Examples
    --------
    >>> from howsure.gating.gauges import ScoreGauge
    >>> rule = GateRule(CLAIMS["non-inferior"], 0.05)
    >>> rule.verdict(ScoreGauge(12, 10, 400)), rule.verdict(ScoreGauge(10, 50, 400)), rule.verdict(ScoreGauge(1, 3, 40))
    ('pass', 'fail', 'inconclusive')
    """

    claim: Claim
    margin: float
    confidence_level: float = 0.95

    def __post_init__(self) -> None:
        _check.real("margin", self.margin, at_least=0)
        _check.fraction("confidence_level", self.confidence_level)
        if self.confidence_level <= 0.5:
            raise ArgumentError(f"`confidence_level` must be above 0.5; got {self.confidence_level:g}.")
        if self.margin == 0 and self.claim.upper:
            raise ArgumentError("`equivalent` needs a margin above 0: no data show that two models are exactly equal.")

    @property
    def alpha(self) -> float:
        """The chance that a model at the edge passes, at most."""
        return 1 - self.confidence_level

    @property
    def critical(self) -> float:
        """The normal quantile from which one look decides."""
        return -NORMAL.inv_cdf(self.alpha)

    @property
    def region(self) -> tuple[float, float]:
        """Where the true difference must lie."""
        return self.claim.region(self.margin)

    @property
    def interval_level(self) -> float:
        """The level of the two-sided interval that decides: both of its ends are one-sided at α."""
        return 1 - 2 * self.alpha

    def passing(self, gauge: Gauge) -> float:
        """Return the evidence for the claim, as a normal quantile."""
        low, high = self.region
        return _least(gauge.above(low), gauge.below(high) if math.isfinite(high) else math.inf)

    def failing(self, gauge: Gauge) -> float:
        """Return the evidence against the claim."""
        low, high = self.region
        return _most(gauge.below(low), gauge.above(high) if math.isfinite(high) else -math.inf)

    def verdict(self, gauge: Gauge, critical: float | None = None) -> Verdict:
        """Return what the data decide; undefined evidence decides nothing."""
        return self.decided(self.passing(gauge), self.failing(gauge), critical)

    def decided(self, passing: float, failing: float, critical: float | None = None) -> Verdict:
        """Return what evidence for and against the claim decides."""
        needed = self.critical if critical is None else critical
        return "pass" if passing > needed else "fail" if failing > needed else "inconclusive"

    def shown(self, verdict: Verdict, candidate: str, baseline: str, margin: str) -> str:
        """Return what may be said."""
        said = {"pass": self.claim.shown, "fail": self.claim.refuted}.get(verdict, self.claim.asked)
        if self.margin == 0:
            said = said.replace(" by more than {margin}", "").replace(" by as much as {margin}", "")
        named = said.format(candidate=candidate, baseline=baseline, margin=margin)
        return named if verdict in ("pass", "fail") else f"the data do not decide whether {named}"


def _least(one: float, other: float) -> float:
    return math.nan if math.isnan(one + other) and not math.isinf(other) else min(one, other)


def _most(one: float, other: float) -> float:
    return math.nan if math.isnan(one) else max(one, other)
