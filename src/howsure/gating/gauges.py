"""How far data lie from an edge: the ends of an interval, and how many normal standard errors lie between.

A gate asks on which side of an edge (−margin, +margin) the true difference lies. A gauge answers for one data set:
`above(edge)` is the evidence that the truth is larger, `below(edge)` that it is smaller, both as normal quantiles, so
that 1.645 stands for p = .05 and looks can be added up. Test and interval are the same thing seen from two sides.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING, Protocol

import numpy as np

from howsure.comparison.margins import smallest_alpha
from howsure.data.scales import FloatArray
from howsure.inference.combined_error import CombinedError
from howsure.inference.estimate import ConfidenceInterval
from howsure.inference.solving import outward, root
from howsure.intervals import INTERVALS
from howsure.intervals.direct import are_signs, score_statistic, won_and_lost

if TYPE_CHECKING:
    from howsure.comparison.results import Comparison

NORMAL = NormalDist()
FARTHEST = 38.0
"""Normal quantiles beyond this have no p-value that a float can hold."""


def z_of(pvalue: float) -> float:
    """Return the normal quantile of a one-sided p-value; NaN stays NaN."""
    if math.isnan(pvalue):
        return math.nan
    return FARTHEST if pvalue <= 0 else -FARTHEST if pvalue >= 1 else -NORMAL.inv_cdf(pvalue)


def p_of(z: float) -> float:
    """Return the one-sided p-value of a normal quantile."""
    return math.nan if math.isnan(z) else 0.5 * math.erfc(z / math.sqrt(2))


class Gauge(Protocol):
    """What a gate knows of one data set.

    Attributes
    ----------
    method : str
        Which interval it is.
    estimate : float
        How much better the candidate is, in units of the metric.
    error : float
        Its standard error.
    n : int
        How many items, or clusters, it rests on.
    """

    @property
    def method(self) -> str: ...  # noqa: D102
    @property
    def estimate(self) -> float: ...  # noqa: D102
    @property
    def error(self) -> float: ...  # noqa: D102
    @property
    def n(self) -> int: ...  # noqa: D102

    def above(self, edge: float) -> float:
        """Return the evidence that the true difference is larger than `edge`, as a normal quantile."""

    def below(self, edge: float) -> float:
        """Return the evidence that it is smaller."""

    def interval(self, confidence_level: float) -> ConfidenceInterval:
        """Return the two-sided interval whose ends are the edges that the tests do not reject."""


@dataclass(frozen=True)
class ScoreGauge:
    """Right or wrong answers, one run each: Tango's score test of two paired proportions, with a continuity correction.

    Student's t passes a model at the edge in 55% of gates where 2% of 30 items differ (docs/evidence/gate.md). Tango's
    test alone still passes up to 6.8%, because the difference moves in steps of one item. Half a step is therefore
    subtracted from the distance to the edge (Yates 1934; for paired answers Edwards 1948), and where no item differs,
    the binomial probability decides. Evidence in the direction in which the differing items point, as for a loss or for
    superiority, must be Student's, too.
    """

    won: int
    lost: int
    n: int
    size: float = 1.0
    method: str = "score"

    @property
    def estimate(self) -> float:
        """Share of items won minus share lost."""
        return self.size * (self.won - self.lost) / self.n

    @property
    def error(self) -> float:
        """The standard error by the items that differ."""
        mean = (self.won - self.lost) / self.n
        return self.size * math.sqrt(max((self.won + self.lost) / self.n - mean**2, 0.0) / self.n)

    def above(self, edge: float) -> float:
        """Return Tango's statistic at the edge, or Student's where that says less and most differing items are won."""
        found = corrected_score(self.won, self.lost, self.n, edge / self.size)
        return min(found, self._student(self.estimate - edge)) if found > 0 and self.won > self.lost else found

    def below(self, edge: float) -> float:
        """Return the same for the other side."""
        found = corrected_score(self.lost, self.won, self.n, -edge / self.size)
        return min(found, self._student(edge - self.estimate)) if found > 0 and self.lost > self.won else found

    def _student(self, distance: float) -> float:
        from scipy.special import stdtr

        error = self.error * math.sqrt(self.n / (self.n - 1))
        return z_of(float(stdtr(self.n - 1, -distance / error))) if error > 0 else FARTHEST

    def interval(self, confidence_level: float) -> ConfidenceInterval:
        """Return the edges that the tests do not reject."""
        return ConfidenceInterval(*_ends_of(self, self.size, confidence_level), self.method, confidence_level)


@lru_cache(maxsize=2**14)
def corrected_score(won: int, lost: int, n: int, edge: float) -> float:
    """Return the evidence of Tango's test that the difference is above an edge, half an item nearer to the edge."""
    distance = (won - lost) / n - edge
    if not won and not lost and 0 < distance <= 1:
        return max(0.0, z_of((1 - distance) ** n))
    found = max(-FARTHEST, min(FARTHEST, score_statistic(won, lost, n, edge)))
    return found * max(0.0, 1 - 0.5 / (n * distance)) if distance > 0 else found


@dataclass(frozen=True)
class GuardedStudentGauge:
    """Means of item differences of any size: Student's t, longer where rare large differences may decide.

    Three guards keep rare large losses from passing where the scale has an end (docs/evidence/gate.md). The standard
    error is at least that under the edge in question: the variance of the distribution closest to the data among those
    whose mean is the edge, which may hold the largest possible loss although no item shows it (`variance_at`). The
    probability that no item shows such a loss must be small, too: (1 − q)ⁿ, where a share q of such losses moves the
    mean to the edge. And where differences move in steps, half a step is subtracted from the distance (Yates 1934).

    Where the scale has no end, nobody can know how large an unseen loss may be. Then only the quantile of t grows, by
    the terms of skewness of its Edgeworth expansion (Hall 1988).

    Attributes
    ----------
    mean, sd, skewness : float
        Of the item differences.
    n : int
    span : float
        The largest difference that an item can have; infinite where there is no limit.
    step : float
        All differences are a multiple of it apart; 0 where there is no such number.
    values, shares : array of float
        The distinct differences, and the share of items that has each of them.
    """

    mean: float
    sd: float
    skewness: float
    n: int
    span: float
    method: str = "t"
    step: float = 0.0
    values: FloatArray = field(default_factory=lambda: np.empty(0), compare=False, repr=False)
    shares: FloatArray = field(default_factory=lambda: np.empty(0), compare=False, repr=False)

    @classmethod
    def of(cls, differences: FloatArray, span: float) -> "GuardedStudentGauge":
        """Take the moments of item differences."""
        n, mean = differences.size, float(differences.mean())
        centred = differences - mean
        spread = float(np.square(centred).mean())
        # What rounding leaves of equal differences is no spread.
        if spread <= (1e-12 * float(np.abs(differences).max(initial=0.0))) ** 2:
            return cls(mean, 0.0, 0.0, n, span)
        skewness = float((centred**3).mean()) / spread**1.5
        values, counts = np.unique(differences, return_counts=True)
        step = step_between(values)
        return cls(
            mean, math.sqrt(spread * n / (n - 1)), skewness, n, span, step=step, values=values, shares=counts / n
        )

    @property
    def estimate(self) -> float:
        """The mean."""
        return self.mean

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return self.sd / math.sqrt(self.n)

    def above(self, edge: float) -> float:
        """Return the smallest evidence that the guards leave."""
        return self._beyond(self.mean - edge, self.span + edge, -self.skewness, self.values - edge)

    def below(self, edge: float) -> float:
        """Return the same for the other side."""
        return self._beyond(edge - self.mean, self.span - edge, self.skewness, edge - self.values)

    def _beyond(self, distance: float, room: float, adverse: float, distances: FloatArray) -> float:
        """Return the evidence that the truth is on the mean's side of an edge at this distance from the mean.

        `room` is how far beyond the edge an item can lie; `adverse` is the skewness towards the edge; `distances` are
        those of the distinct differences from the edge.
        """
        from scipy.special import stdtr

        if self.n < 2 or math.isnan(distance):
            return math.nan
        if distance <= 0:
            behind = -FARTHEST if not self.error else z_of(float(stdtr(self.n - 1, -distance / self.error)))
            return 0.0 if distance == 0 else behind
        if math.isinf(self.span):
            if not self.error:
                return math.nan
            t = distance / self.error
            plain = z_of(float(stdtr(self.n - 1, -t)))
            return _smaller_by_skewness(plain, t, adverse, self.n) if adverse > 0 else plain
        if room <= 0:
            return -FARTHEST
        unseen = max(0.0, z_of(max(0.0, 1 - distance / (room + distance)) ** self.n))
        if not self.error:
            return unseen
        variance = self.sd**2
        if distances.size:
            variance = max(variance, variance_at(distances, self.shares, room))
        t = max(0.0, distance - self.step / (2 * self.n)) / math.sqrt(variance / self.n)
        return min(z_of(float(stdtr(self.n - 1, -t))), unseen)

    def interval(self, confidence_level: float) -> ConfidenceInterval:
        """Return the edges that the guarded tests do not reject."""
        from scipy.special import stdtrit

        if self.n < 2 or (not self.error and math.isinf(self.span)):
            why = "The interval is undefined: there is one item, or all items differ by the same."
            return ConfidenceInterval(math.nan, math.nan, self.method, confidence_level, (why,))
        if math.isfinite(self.span):
            return ConfidenceInterval(*_ends_of(self, self.span, confidence_level), self.method, confidence_level)
        tail = (1 - confidence_level) / 2
        z, t = -NORMAL.inv_cdf(tail), -float(stdtrit(self.n - 1, tail))
        ends = [
            self.mean + side * (t + skewness_term(side * self.skewness, z, self.n)) * self.error for side in (-1, 1)
        ]
        return ConfidenceInterval(ends[0], ends[1], self.method, confidence_level)

    def widened(self, confidence_level: float) -> bool:
        """Whether a guard moved an end by a tenth of the interval's arm or more: rare large differences decide."""
        from scipy.special import stdtrit

        arm = -float(stdtrit(max(self.n - 1, 1), (1 - confidence_level) / 2)) * self.error
        found = self.interval(confidence_level)
        longer = max(self.mean - found.low, found.high - self.mean) - self.step / (2 * self.n)
        return not math.isnan(found.low) and longer > 1.1 * arm


def variance_at(distances: FloatArray, shares: FloatArray, room: float) -> float:
    """Return the variance of the distribution closest to the data among those whose mean is the edge.

    It is the distribution of largest empirical likelihood (Owen 2001, section 2.9) on the differences seen and the
    largest loss that the scale allows, seen or not. Where all differences are −c, 0 or c = `room` it is that of Tango's
    score test (1998, eq. 11). The multiplier is also the bet against the edge that grows fastest on these data
    (Waudby-Smith and Ramdas 2024, section 4.2), which needs a known limit for the same reason.

    Parameters
    ----------
    distances : array of float
        The distinct differences minus the edge, with a mean above zero.
    shares : array of float
        The share of items that has each of them.
    room : float
        How far below the edge the largest loss lies.

    Examples
    --------
    No loss in sight: as if a tenth of the items lost everything.

    >>> round(variance_at(np.array([0.1]), np.array([1.0]), 0.9), 4)
    0.09
    """
    worst = max(room, -float(distances.min()))  # a judge's correction can move a difference beyond the scale

    def mean(multiplier: float) -> float:
        return float((shares * distances / (1 + multiplier * distances)).sum())

    largest = (1 - 1e-9) / worst
    if mean(largest) >= 0:
        multiplier = largest
    else:
        multiplier = root(mean, 0.0, largest, tolerance=1e-12 / worst) if mean(0.0) > 0 else 0.0
    weights = shares / (1 + multiplier * distances)
    unseen = max(0.0, 1 - float(weights.sum()))
    return float((weights * np.square(distances)).sum()) + unseen * worst**2


def step_between(values: FloatArray) -> float:
    """Return the largest number of which all gaps between sorted values are multiples; 0 where there is none.

    Examples
    --------
    >>> step_between(np.array([-3.0, 0.0, 2.0])), step_between(np.array([-0.4, 0.0])), step_between(np.sqrt([0, 1, 2]))
    (1.0, 0.4, 0.0)
    """
    gaps = np.diff(values)
    tiny = 1e-6 * float(np.abs(values).max(initial=0.0))  # far above rounding; such a step would correct nothing
    step = 0.0
    for gap in gaps[gaps > tiny].tolist():
        rest = gap
        while rest > tiny:  # Euclid's algorithm
            step, rest = rest, (step % rest if step else 0.0)
            if 0 < step - rest <= tiny:  # the remainder of a multiple, just below the divisor
                break
        if step <= 100 * tiny:
            return 0.0
    return step


def _ends_of(gauge: Gauge, span: float, confidence_level: float) -> tuple[float, float]:
    critical = -NORMAL.inv_cdf((1 - confidence_level) / 2)
    known = {"estimate": gauge.estimate, "error": gauge.error, "span": span, "critical": critical}
    return not_rejected(gauge.above, gauge.below, **known)


def not_rejected(
    above: Callable[[float], float],
    below: Callable[[float], float],
    *,
    estimate: float,
    error: float,
    span: float,
    critical: float,
) -> tuple[float, float]:
    """Return the edges that neither test rejects, between −span and span: no other difference is possible.

    Both ends are NaN where the evidence is undefined, and where there is no limit and no edge is ever rejected.

    Parameters
    ----------
    above, below : callable
        The evidence that the truth is above, or below, an edge; it must grow with the distance from the estimate.
    estimate, error : float
        Of the difference. Without a limit the search goes outward in multiples of the error.
    span : float
        The largest difference that an item can have; infinite where there is no limit.
    critical : float
        Evidence above this rejects an edge, as it decides the verdict.

    Examples
    --------
    >>> low, high = not_rejected(lambda e: 0.5 - e, lambda e: e - 0.5, estimate=0.5, error=1.0, span=1.0, critical=1.2)
    >>> round(low, 4), high
    (-0.7, 1.0)
    """
    ends = []
    for side, evidence in ((-1, above), (1, below)):
        limit = side * span * (1 - 1e-12)
        if math.isinf(span):
            where = lambda reach, side=side, of=evidence: not of(estimate + side * reach) <= critical  # noqa: E731
            limit = estimate + side * outward(where, error)
        at_limit = evidence(limit) if math.isfinite(limit) else math.nan
        start = math.nextafter(estimate, limit)
        if math.isnan(at_limit):
            return math.nan, math.nan
        if (limit - estimate) * side <= 0 or at_limit <= critical:
            ends.append(side * span)
        elif evidence(start) > critical:
            ends.append(estimate)
        else:
            tiny = 1e-12 * abs(limit - estimate)
            ends.append(root(lambda edge, of=evidence: of(edge) - critical, start, limit, tolerance=tiny))  # type: ignore[misc]
    return ends[0], ends[1]


def skewness_term(adverse: float, z: float, n: int) -> float:
    """Return what skewness towards an edge adds to the quantile of t: the terms in γ/√n and γ²/n (Hall 1988).

    Examples
    --------
    >>> round(skewness_term(3.0, 1.645, 200), 3), skewness_term(-3.0, 1.645, 200)
    (0.267, 0.0)
    """
    skewness = max(0.0, adverse)
    second = skewness**2 * z * max(0.0, z**4 + 2 * z**2 - 3) / (18 * n)
    return skewness * (2 * z**2 + 1) / (6 * math.sqrt(n)) + second


def _smaller_by_skewness(plain: float, t: float, adverse: float, n: int) -> float:
    """Return the quantile z at which the quantile of t and the term of skewness together reach t."""
    from scipy.special import stdtrit

    def spare(z: float) -> float:
        return t + float(stdtrit(n - 1, p_of(z))) - skewness_term(adverse, z, n)

    most = max(plain, 0.0)
    return most if spare(most) >= 0 else 0.0 if spare(0.0) < 0 else root(spare, 0.0, most)


@dataclass(frozen=True)
class ComparisonGauge:
    """Raters as a random factor, clusters, and metrics without item scores: by the comparison's own interval."""

    comparison: "Comparison"

    @property
    def method(self) -> str:
        """The kind of interval that the comparison has."""
        return self.comparison.confidence_interval.method

    @property
    def estimate(self) -> float:
        """The advantage of the candidate."""
        return self.comparison.advantage

    @property
    def error(self) -> float:
        """Its standard error."""
        return self.comparison.standard_error

    @property
    def n(self) -> int:
        """The number of items, or of clusters."""
        known = self.comparison.evidence
        return self.comparison.n_items if known is None else known.n_units

    def above(self, edge: float) -> float:
        """Return the quantile of the p-value of the test that the interval inverts."""
        return self._tail(edge, "greater", lambda ends: ends.low > edge)

    def below(self, edge: float) -> float:
        """Return the same for the other side."""
        return self._tail(edge, "less", lambda ends: ends.high < edge)

    def _tail(self, edge: float, side: str, rejects: Callable[[ConfidenceInterval], bool]) -> float:
        known = self.comparison.evidence
        if known is None or math.isnan(self.comparison.confidence_interval.low):
            return math.nan
        tails = INTERVALS[self.method].tails(known, edge)
        if tails is not None:
            return z_of(tails[0] if side == "less" else tails[1])
        if known.rater_error is not None:
            return z_of(known.rater_error.pvalue(self.estimate - edge, alternative=side))
        return z_of(smallest_alpha(lambda level: rejects(self.comparison.limits(self.method, level, side))))

    def interval(self, confidence_level: float) -> ConfidenceInterval:
        """Return the comparison's interval at this level."""
        return self.comparison.limits(self.method, confidence_level, "two-sided")


@dataclass(frozen=True)
class JudgedGauge:
    """People's labels on some items and a judge on all: the interval of both, not shorter than the labels' guards.

    Attributes
    ----------
    estimate : float
        People's advantage, from both.
    parts : CombinedError
        Its error by raters and items.
    labels : GuardedStudentGauge
        What people say of each labelled item, corrected by the judge. A judge may miss rare large losses: without these
        guards up to 15% of models at the edge pass (docs/evidence/gate.md).
    """

    estimate: float
    parts: CombinedError
    labels: GuardedStudentGauge
    method: str = "t"

    @property
    def error(self) -> float:
        """The standard error by raters and items."""
        return self.parts.standard_error

    @property
    def n(self) -> int:
        """The number of labelled items."""
        return self.labels.n

    def above(self, edge: float) -> float:
        """Return the smaller evidence of the two."""
        return self._both(self.labels.above(edge), self.estimate - edge, "greater")

    def below(self, edge: float) -> float:
        """Return the same for the other side."""
        return self._both(self.labels.below(edge), self.estimate - edge, "less")

    def _both(self, guarded: float, distance: float, side: str) -> float:
        if self.parts.variance == 0:  # where nothing varies, only the guards speak
            return guarded
        return float(np.minimum(guarded, z_of(self.parts.pvalue(distance, alternative=side))))

    def interval(self, confidence_level: float) -> ConfidenceInterval:
        """Return the farther ends of the two intervals."""
        found = self.labels.interval(confidence_level)
        if self.parts.variance == 0:
            return found
        own = self.parts.interval(self.estimate, confidence_level=confidence_level)
        low, high = float(np.minimum(own.low, found.low)), float(np.maximum(own.high, found.high))
        return ConfidenceInterval(low, high, self.method, confidence_level, (*own.notes, *found.notes))

    def widened(self, confidence_level: float) -> bool:
        """Whether a guard made the longer arm longer by a tenth or more."""
        found, tail = self.interval(confidence_level), (1 - confidence_level) / 2
        arm = max(self.estimate - found.low, found.high - self.estimate)
        return not math.isnan(arm) and arm > 1.1 * self.parts.half_width(tail)


def gauge_of(differences: FloatArray, span: float) -> ScoreGauge | GuardedStudentGauge:
    """Return the gauge of item differences: the score test where all are −c, 0 or c, else Student's t.

    Examples
    --------
    >>> gauge_of(np.array([1.0, 0.0, -1.0, 0.0]), 1.0).method, gauge_of(np.array([0.2, 0.0, -1.0]), 1.0).method
    ('score', 't')
    """
    if differences.size > 1 and are_signs(differences, span=span):
        won, lost = won_and_lost(differences).tolist()
        size = float(np.abs(differences).max()) or span
        # Runs that all agree so far could still differ by less than everything: c is then the smaller guess.
        if size < span and math.isfinite(span):
            return GuardedStudentGauge.of(differences, span)
        return ScoreGauge(won, lost, differences.size, size)
    return GuardedStudentGauge.of(differences, span)
