"""What may be said: the finding of a test in sentences that can be pasted into a paper.

The direction is that of the test which rejected. Where the estimate or the means do not show it, the sentence says so.
"""

import math
from typing import TYPE_CHECKING

from howsure.documents.numbers import error_of, number, rough
from howsure.documents.numbers import interval as ends_of
from howsure.inference.intervals import ConfidenceInterval
from howsure.paired.catalogue import MEAN, TESTS

if TYPE_CHECKING:
    from howsure.paired.significance import SignificanceTest

SIDES = {1: "higher", -1: "lower"}
CLAIMS = {"two-sided": "other than", "greater": "greater than", "less": "less than"}


def sentence(found: "SignificanceTest") -> str:
    """Return the finding: who scores higher, or what could have been found."""
    a, b = found.names
    if not found.reject:
        return f"{_nothing_found(found)} ({numbers(found)}). {could_have_found(found)}"
    if found.delta:
        side = "greater" if found.side > 0 else "less"
        claim = f"The {found.estimand} {a} − {b} is {side} than {found.delta:g}"
    else:
        claim = f"{a} scores {SIDES[found.side]} than {b}"
    return " ".join([f"{claim} ({numbers(found)}).", *_contradictions(found)])


def numbers(found: "SignificanceTest") -> str:
    """Return estimate, interval, p-value, test and size."""
    units = "" if found.unit_size == 1 else f" units of {found.unit_size} lines"
    if found.n_clusters is not None:
        units = f" in {found.n_clusters:,} clusters"
    return (
        f"{found.estimand} {within(found.estimate, found.confidence_interval)}, {found.p_text}, "
        f"{TESTS[found.test].label}, n = {found.n:,}{units}"
    )


def within(estimate: float, interval: ConfidenceInterval) -> str:
    """Return an estimate and its interval in words, with the digits that are known."""
    error = error_of(interval, estimate)
    return f"{number(estimate, error)}, {bounds(interval, error)}"


def level_of(interval: ConfidenceInterval) -> str:
    """Return what an interval is called: "95% interval"."""
    return f"{100 * interval.confidence_level:g}% interval"


def bounds(interval: ConfidenceInterval, error: float = math.nan) -> str:
    """Return an interval in words; a side without a bound is not shown as infinite."""
    level = level_of(interval)
    if math.isinf(interval.low) and math.isinf(interval.high):
        return f"{level} without bounds"
    if math.isinf(interval.high):
        return f"{level} {number(interval.low, error)} or more"
    if math.isinf(interval.low):
        return f"{level} {number(interval.high, error)} or less"
    return f"{level} {ends_of(interval.low, interval.high, error)}"


def could_have_found(found: "SignificanceTest") -> str:
    """Return the smallest difference that a study like this one finds 8 times in 10."""
    if math.isnan(found.detectable):
        pieces = f"{found.n:,} lines" if found.n_clusters is None else f"{found.n_clusters:,} clusters"
        return f"With {pieces} this test cannot find any difference at α = {found.alpha:g}, however large."
    from_zero = f" from {found.delta:g}" if found.delta else ""
    what = found.detectable_estimand
    other = "" if what == found.estimand else " by a t test"
    return (
        f"A study like this finds a true {what} of about {rough(found.detectable)}{from_zero} 8 times in 10{other}; it "
        "often misses smaller ones."
    )


def _nothing_found(found: "SignificanceTest") -> str:
    a, b = found.names
    if found.delta:
        return f"No clear sign that the {found.estimand} {a} − {b} is {CLAIMS[found.alternative]} {found.delta:g}"
    if found.alternative == "two-sided":
        return f"No clear difference between {a} and {b}"
    return f"No clear sign that {a} scores {'higher' if found.alternative == 'greater' else 'lower'} than {b}"


def _contradictions(found: "SignificanceTest") -> list[str]:
    """Return what the reader must know if the estimate or the means do not show the direction of the test."""
    a, b = found.names
    test, said = TESTS[found.test], []
    if (found.estimate - found.delta) * found.side <= 0:
        shows = "is exactly" if found.estimate == found.delta else "lies on the other side of"
        said.append(
            f"The {found.estimand} {shows} {found.delta:g} and does not show the direction; the test compares "
            f"{test.compares}."
        )
    mean_a, mean_b = found.means
    gap = (mean_a - mean_b - found.delta) * found.side
    if gap <= 0 and test.estimand != MEAN:
        advantage = "The means say the opposite" if gap < 0 else "The means do not differ"
        if found.delta:
            advantage = f"The mean difference is not {'greater' if found.side > 0 else 'less'} than {found.delta:g}"
        said.append(
            f"{advantage}: {a} {mean_a:.4g}, {b} {mean_b:.4g}. Do not report this result as one about average scores."
        )
    elif said and test.estimand != MEAN:
        said.append(f"The means agree with it: {a} {mean_a:.4g}, {b} {mean_b:.4g}.")
    return said
