"""What a study must reach, and the fewest items that reach it."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from howsure import _check
from howsure.errors import ArgumentError
from howsure.planning.designs import Design
from howsure.planning.engines.base import Engine
from howsure.planning.engines.simulated_pvalues import Test


@dataclass(frozen=True, slots=True)
class Target:
    """A number that a design must reach.

    Attributes
    ----------
    kind : {"power", "p", "width"}
        The power of the test, the expected p-value, or the width of the interval.
    value : float

    Examples
    --------
    >>> print(Target("power", 0.8), Target("power", 0.8).reached(0.79))
    power 0.8 False
    """

    kind: str
    value: float

    @classmethod
    def of(cls, *, power: float | None, pvalue: float | None, width: float | None) -> "Target | None":
        """Return the one target that was given; None if none was."""
        given = {"target_power": power, "target_p": pvalue, "target_width": width}
        named = [name for name, value in given.items() if value is not None]
        if len(named) > 1:
            raise ArgumentError(f"give one target; got {' and '.join(named)}.")
        if power is not None:
            return cls("power", _check.fraction("target_power", power))
        if pvalue is not None:
            return cls("p", _check.fraction("target_p", pvalue))
        if width is None:
            return None
        if not _check.real("target_width", width) > 0:
            raise ArgumentError(f"`target_width` must be above 0; got {width:g}.")
        return cls("width", float(width))

    def reached(self, number: float) -> bool:
        """Whether this number reaches the target; NaN never does."""
        return number >= self.value if self.kind == "power" else number <= self.value

    def measure(self, engine: Engine, design: Design, test: Test) -> float:
        """Return what a design reaches, by the first metric."""
        if self.kind == "power":
            engine.prepare([design], for_power_only=True)
            return engine.power(design, 0, test).power
        engine.prepare([design])
        found = engine.outlook(design, 0)
        return found.expected_pvalue if self.kind == "p" else found.ci_width

    def short_of(self, number: float) -> float:
        """Return how far a number is from the target; smaller is nearer."""
        return math.inf if math.isnan(number) else abs(self.value - number)

    def __str__(self) -> str:
        word = {"power": "power", "p": "an expected p of", "width": "an interval width of"}[self.kind]
        return f"{word} {self.value:g}"


def fewest_items(value_of: Callable[[int], float], target: Target, *, guess: int, most: int) -> int | None:
    """Return the fewest items with which the target is reached; None if `most` are not enough.

    Power grows with the items, apart from simulation noise and the steps of exact tests, so the search brackets the
    target in growing steps from a guess, and halves the bracket down to 1% of it.
    """
    if most < 2:
        return None
    low, high, step = 1, max(2, min(guess, most)), 1.15
    while not target.reached(value_of(high)):
        if high == most:
            return None
        low, high, step = high, min(most, math.ceil(step * high)), step * 1.3
    step = 1.15
    while low == 1 and high > 2:
        below = max(2, math.floor(high / step))
        if not target.reached(value_of(below)):
            low = below
            break
        high, step = below, step * 1.3
    while high - low > max(1, high // 100):
        middle = (low + high) // 2
        low, high = (low, middle) if target.reached(value_of(middle)) else (middle, high)
    return high


def fewest_raters(value_of: Callable[[int], float], target: Target, most: int) -> int | None:
    """Return the fewest raters, from two, with which the target is reached; None if `most` are not enough."""
    low, high = 1, 2
    while not target.reached(value_of(high)):
        if high >= most:
            return None
        low, high = high, min(most, 2 * high)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if target.reached(value_of(middle)) else (middle, high)
    return high
