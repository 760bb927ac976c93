"""What follows from the draws of one advantage: a p-value of any alternative, an interval of any kind and level."""

import numpy as np

from howsure import inference
from howsure.comparison.default_interval import limits_of
from howsure.inference import ConfidenceInterval, PValue, SignFlips
from howsure.raters.combined_error import CombinedError
from howsure.scales import FloatArray


class DrawnAnswer:
    """An advantage with all that its p-value and its interval are made of; `Comparison` says what each field is."""

    __slots__ = ()

    null: str
    advantage: float
    draws: FloatArray
    null_draws: FloatArray
    standard_errors: FloatArray
    item_error: float
    jackknife: FloatArray
    df: float
    span: float
    error: CombinedError | None
    flips: SignFlips | None
    exact: bool

    def tail(self, alternative: str) -> PValue:
        """Return the p-value of an alternative from the same draws."""
        return tested(
            self.null,
            self.advantage,
            self.null_draws,
            error=self.error,
            flips=self.flips,
            alternative=alternative,
            exact=self.exact,
        )

    def limits(self, method: str, confidence_level: float, alternative: str) -> ConfidenceInterval:
        """Return another interval of the advantage from the same draws."""
        return limits_of(
            method,
            self.draws,
            estimate=self.advantage,
            error=self.error,
            jackknife=self.jackknife,
            standard_errors=self.standard_errors,
            standard_error=self.item_error,
            df=self.df,
            span=self.span,
            confidence_level=confidence_level,
            alternative=alternative,
        )


def tested(
    null: str | None,
    advantage: float,
    null_draws: FloatArray,
    *,
    error: CombinedError | None,
    flips: SignFlips | None,
    alternative: str,
    exact: bool,
) -> PValue:
    """Return the p-value that a null gives: from all swaps, from its draws, or from the error of items and raters."""
    if null == "random-effects" and error is not None:
        return error.test(advantage, alternative=alternative)
    if flips is not None:
        return flips.pvalue(alternative)
    if null == "bootstrap-sign":  # its draws are the resampled advantages themselves
        return inference.tail_pvalue(0.0, -null_draws, alternative=alternative)
    if null == "studentised" and alternative == "two-sided":  # of t, either sign counts: advantages may be skewed
        return inference.tail_pvalue(abs(advantage), np.abs(null_draws), alternative="greater")
    return inference.tail_pvalue(advantage, null_draws, alternative=alternative, exact=exact)
