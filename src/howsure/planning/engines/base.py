"""What every engine answers: what a design may expect, how often a test finds the difference, what it would find."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from howsure.inference import ConfidenceInterval
from howsure.planning.designs import Design
from howsure.planning.engines.decisions import Test

CAUTION = 0.8
"""The confidence of the limit that is planned for where no difference is given (safeguard power, Perugini, Gallucci
and Costantini 2014): a pilot that is just significant overstates its difference."""


@dataclass(frozen=True, slots=True)
class DesignOutlook:
    """What a design may expect, with the numerical error of each number.

    Attributes
    ----------
    advantage, advantage_error : float
        Mean of the metric's advantage over studies.
    expected_pvalue, expected_pvalue_error : float
        P(advantage of null data ≥ advantage), the p-value that such a study gives on average.
    ci_width, ci_width_error : float
        Expected width of the interval of the advantage.
    standard_error : float
        Of the advantage.
    shares : mapping of str to float
        Which part of its square comes from where, if that is known.
    expected_pvalue_is_bound : bool
        Whether the p-value is only a bound: n simulated studies cannot show one below 1 / (n + 1).
    """

    advantage: float
    advantage_error: float
    expected_pvalue: float
    expected_pvalue_error: float
    ci_width: float
    ci_width_error: float
    standard_error: float = math.nan
    shares: Mapping[str, float] = field(default_factory=dict)
    expected_pvalue_is_bound: bool = False


@dataclass(frozen=True, slots=True)
class TestPower:
    """How often a test rejects, the numerical error of that, and what a pilot leaves open about it."""

    power: float
    error: float
    interval: ConfidenceInterval | None = None


@dataclass(frozen=True, slots=True)
class OwnAdvantage:
    """What a pilot shows of the difference between A and B.

    Attributes
    ----------
    advantage : float
    interval : ConfidenceInterval
    pvalue : float
    least : float
        The lower 80% limit of the difference, whichever model is better; not above 0 where the pilot leaves that open.
    """

    advantage: float
    interval: ConfidenceInterval
    pvalue: float
    least: float


class Engine(Protocol):
    """Answers for one design after another; what was computed for one serves the next. Metrics are numbered."""

    def prepare(self, designs: Sequence[Design], *, for_power_only: bool = False) -> None:
        """Make everything as precise as these designs need it."""

    def outlook(self, design: Design, metric: int) -> DesignOutlook:
        """Return what the design may expect."""

    def power(self, design: Design, metric: int, test: Test) -> TestPower:
        """Return how often the test rejects."""

    def guess(self, design: Design, test: Test, target: float, *, metric: int = 0) -> int:
        """Return about how many items reach a target power."""

    def detectable(self, design: Design, metric: int, test: Test, target: float) -> tuple[float, float]:
        """Return the smallest advantage that is found with this power, and the ε that makes it; NaN if none is."""

    def name(self, metric: int) -> str:
        """Return what computes this metric."""

    def test_name(self, design: Design, test: Test) -> str:
        """Return the name of the test that `compare` runs on such a design where this one is asked for."""
