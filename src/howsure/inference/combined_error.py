"""A standard error made of independent parts: its interval and its p-value."""

import math
import sys
from dataclasses import dataclass

from howsure import _check
from howsure.inference.estimate import ConfidenceInterval, conclude, tails_of
from howsure.inference.pvalues import ALTERNATIVES, PValue
from howsure.inference.solving import root


@dataclass(frozen=True, slots=True)
class CombinedError:
    """A standard error made of independent parts, each known with its own degrees of freedom.

    The half-width of an interval is √ Σ (tⱼ · standard errorⱼ)², where tⱼ is the quantile of Student's t with the
    part's own degrees of freedom; the p-value is the level whose interval just reaches zero. With one part this is the
    t test. With several it errs on the safe side where Welch–Satterthwaite, which trusts the estimated ratio of the
    parts, rejects true nulls too often with two or three raters (docs/evidence/raters.md).

    Attributes
    ----------
    variances : tuple of float
        The variance of each part.
    dfs : tuple of float
        The degrees of freedom with which each is known.
    n_resamples : int
        The number of draws by which the variances were measured; 0 when they were computed.

    Examples
    --------
    >>> error = CombinedError((0.04, 0.01), (4.0, 99.0))
    >>> round(error.standard_error, 4), round(error.df, 2), round(error.pvalue(0.6), 4)
    (0.2236, 6.23, 0.0475)
    """

    variances: tuple[float, ...]
    dfs: tuple[float, ...]
    n_resamples: int = 0

    @property
    def variance(self) -> float:
        """The variance of the whole."""
        return sum(self.variances)

    @property
    def standard_error(self) -> float:
        """The root of the variance."""
        return math.sqrt(self.variance)

    @property
    def df(self) -> float:
        """Satterthwaite's degrees of freedom of the whole."""
        spread = sum(part**2 / df for part, df in zip(self.variances, self.dfs, strict=True))
        return self.variance**2 / spread if spread > 0 else math.nan

    def half_width(self, tail: float) -> float:
        """Return how far an interval with probability `tail` beyond one end reaches from the estimate.

        An end beyond which more than half of the probability lies is on the other side of the estimate.
        """
        from scipy.special import stdtrit

        quantiles = (float(stdtrit(df, tail)) for df in self.dfs)
        reach = math.sqrt(sum(part * t * t for part, t in zip(self.variances, quantiles, strict=True)))
        return reach if tail <= 0.5 else -reach

    def pvalue(self, estimate: float, *, alternative: str = "two-sided") -> float:
        """Return the p-value of the null that the truth behind `estimate` is zero.

        Without a standard error it is NaN, unless nothing varies and the estimate is zero: then it is 1.
        """
        _check.one_of("alternative", alternative, ALTERNATIVES)
        if math.isnan(estimate) or not self.variance > 0:
            return 1.0 if estimate == 0 == self.variance else math.nan
        tail = self._tail(abs(estimate))
        if alternative == "two-sided":
            return min(1.0, 2 * tail)
        return tail if (estimate > 0) == (alternative == "greater") else 1 - tail

    def test(self, estimate: float, *, alternative: str = "two-sided") -> PValue:
        """Return the p-value with the Monte-Carlo error that it has when the variances were measured by draws."""
        pvalue = self.pvalue(estimate, alternative=alternative)
        notes = () if not math.isnan(pvalue) else ("The p-value is undefined: the standard error is 0 or undefined.",)
        spread = 0.0
        if self.n_resamples:
            # The variance of n draws is known to a factor of 1 ± √(2/n).
            factor = min(0.5, math.sqrt(2 / self.n_resamples))
            scaled = ([part * (1 + sign * factor) for part in self.variances] for sign in (1, -1))
            high, low = (CombinedError(tuple(parts), self.dfs).pvalue(estimate) for parts in scaled)
            spread = (high - low) / 2
        return PValue(pvalue, spread, self.n_resamples, notes=notes)

    def _tail(self, distance: float) -> float:
        """Return the tail whose half-width is `distance`: between the tails that its parts alone would give.

        The bracket is more than a short cut: SciPy's quantile of t is wrong far out (df 2.000000000000001, 1e-150).
        """
        from scipy.special import stdtr

        ratio = distance / self.standard_error
        alone = [float(stdtr(df, -ratio)) for part, df in zip(self.variances, self.dfs, strict=True) if part > 0]
        low, high = (math.log(max(end, sys.float_info.min)) for end in (min(alone), max(alone)))  # a p-value is never 0
        found = root(lambda tail: distance - self.half_width(math.exp(tail)), low, high)
        return math.exp(high if math.isnan(found) else found)  # the ends differ by rounding

    def interval(
        self, estimate: float, *, confidence_level: float = 0.95, alternative: str = "two-sided"
    ) -> ConfidenceInterval:
        """Return the interval around `estimate`; a one-sided one has its other end at infinity."""
        tail, _ = tails_of(confidence_level, alternative)
        if math.isnan(estimate) or not self.variance > 0:
            note = "The interval is undefined: the standard error is 0 or undefined."
            return conclude("t", (math.nan, math.nan), confidence_level, alternative, (note,))
        reach = self.half_width(tail)
        return conclude("t", (estimate - reach, estimate + reach), confidence_level, alternative, ())
