"""The contract of an interval: rows of evidence in, two ends for each row out, with words for help and reports.

An interval that the evidence cannot give is NaN at both ends, and its notes say why. In particular, resamples that are
all equal say nothing about uncertainty, so they give no interval rather than one of width zero.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from howsure.data.scales import BoolArray, FloatArray
from howsure.inference.estimate import ConfidenceInterval, conclude, tails_of
from howsure.inference.evidence import Ascending, Evidence
from howsure.inference.pvalues import left_out

Notes = list[tuple[str, ...]]


class Ends(NamedTuple):
    """Both ends of each row's interval, before one of them is opened for a one-sided question, and its notes."""

    low: FloatArray
    high: FloatArray
    notes: Notes


class Interval(ABC):
    """A kind of confidence interval.

    Attributes
    ----------
    name : str
        On the command line, in Python and in results.
    says : str
        What it does, to complete "The interval …" in a report.
    needs : str
        What it needs beside resamples, in words; empty where that is nothing.
    item_scores : bool
        Whether it needs a metric with item scores.
    items_alone : bool
        Whether nothing but items may be resampled: all responses and raters are kept.
    random_raters : bool
        Whether it can be given where raters are a random factor.
    from_resamples : bool
        Whether its ends are quantiles of resamples, so that a very high level needs many of them.
    sparse : bool
        Whether it holds where A and B are equal on nearly all items.
    takes : tuple of str
        Which of `jackknife`, `standard_errors` and `standard_error` the function `interval` must be given.
    yields_to_test : bool
        Whether a comparison moves an end of it to where the exchange test puts it, if the two disagree about 0.
    leaves_out : bool
        Whether it needs the advantage without each item, which is costly for metrics without item scores.
    """

    name: ClassVar[str]
    says: ClassVar[str]
    needs: ClassVar[str] = ""
    item_scores: ClassVar[bool] = False
    items_alone: ClassVar[bool] = False
    random_raters: ClassVar[bool] = False
    from_resamples: ClassVar[bool] = True
    sparse: ClassVar[bool] = False
    takes: ClassVar[tuple[str, ...]] = ()
    yields_to_test: ClassVar[bool] = False
    leaves_out: ClassVar[bool] = False

    @abstractmethod
    def ends(self, evidence: Evidence, level: float, alternative: str) -> Ends:
        """Return both ends of each row's interval; for a one-sided question the end that it asks for."""

    def possible(self, *, item_scores: bool, items_alone: bool) -> bool:
        """Whether a metric with or without item scores has it, where items alone are resampled or more."""
        return (items_alone or not self.items_alone) and (item_scores or not self.item_scores)

    def fits(self, metric: Any) -> bool:
        """Whether the item advantages of a metric are what it needs, whatever the data."""
        return True

    def needs_draws(self, evidence: Evidence) -> bool:
        """Whether the ends of the first row come from resamples; some intervals do without where items are few."""
        return self.from_resamples

    def tails(self, evidence: Evidence, advantage: float) -> tuple[float, float] | None:
        """Return the one-sided p-values (less, greater) of an advantage of the first row; None where ends must tell.

        They are those of the test that the interval inverts, so that margins are tested without searching for them.
        """
        return None

    def limits(
        self, evidence: Evidence, confidence_level: float = 0.95, alternative: str = "two-sided"
    ) -> ConfidenceInterval:
        """Return the interval of the first row."""
        low, high, notes = self.ends(evidence, confidence_level, alternative)
        return conclude(self.name, (float(low[0]), float(high[0])), confidence_level, alternative, notes[0])


def nothing(n: int) -> Notes:
    """Return the notes of n rows that have none."""
    return [()] * n


def arms(evidence: Evidence, lengths: FloatArray, told: BoolArray, notes: Notes) -> Ends:
    """Return the estimates plus and minus the length of an arm; NaN where it cannot be told."""
    arm = np.where(told, lengths, np.nan)
    return Ends(evidence.estimates - arm, evidence.estimates + arm, notes)


def usable(sample: Ascending, estimates: FloatArray, extra: Sequence[str] = ()) -> tuple[BoolArray, Notes]:
    """Return of which rows an interval can be made, and the notes on rows that are out of the ordinary.

    `extra` says why a row has no sample at all, where it has none.
    """
    told = sample.varies & ~np.isnan(estimates)
    n_all = sample.values.shape[1]
    notes = nothing(len(estimates))
    for i in np.flatnonzero(~told | (sample.n_defined < n_all)).tolist():
        kept = int(sample.n_defined[i])
        said = left_out(n_all - kept, n_all)
        if extra and extra[i]:
            said = (extra[i],)
        elif math.isnan(estimates[i]):
            said = (*said, "The interval is undefined: the estimate is undefined.")
        elif kept < 2:
            said = (*said, f"The interval is undefined: it needs two resamples or more; got {kept}.")
        elif not told[i]:
            said = (*said, "The interval is undefined: all resamples are equal.")
        notes[i] = said
    return told, notes


def with_extremes(sample: Ascending, told: BoolArray, shares: FloatArray, notes: Notes) -> Notes:
    """Add a note where there are too few resamples for a quantile; `shares` may differ by row."""
    tails = np.minimum(shares, 1 - shares).min(axis=-1)
    short = told & (tails * (sample.n_defined + 1) < 1 - 1e-9)
    for i in np.flatnonzero(short).tolist():
        n = int(sample.n_defined[i])
        notes[i] = (*notes[i], f"An end of the interval is the most extreme of {n:,} resamples: use more resamples.")
    return notes


def asked_tails(level: float, alternative: str) -> FloatArray:
    """Return the shares of resamples below the ends that are asked for: both, or the one of a one-sided question."""
    low, high = tails_of(level, alternative)
    return np.array({"two-sided": [low, high], "greater": [low], "less": [high]}[alternative])
