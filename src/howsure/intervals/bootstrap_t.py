"""Intervals from resamples with standard errors of their own: studentised, and symmetric."""

from typing import ClassVar

import numpy as np

from howsure.data.scales import BoolArray, IntArray
from howsure.inference.estimate import tails_of
from howsure.inference.evidence import Evidence
from howsure.intervals.direct import student_arms, won_and_lost
from howsure.intervals.interval import Ends, Interval, Notes, arms, asked_tails, usable, with_extremes

FEW_TELLING = 10
"""With fewer items than this that tell A and B apart, there are too few different resamples for an interval."""

NO_ERROR = "The interval is undefined: the standard error is 0 or undefined."


class Studentised(Interval):
    """The bootstrap-t interval: quantiles of (resample − estimate) / standard error of the resample."""

    name = "studentised"
    says = "takes the quantiles of resampled advantages over their own standard errors (Hall 1988)"
    needs = "item scores, resampled items and all responses"
    item_scores = True
    items_alone = True
    takes: ClassVar[tuple[str, ...]] = ("standard_errors", "standard_error")

    def ends(self, evidence: Evidence, level: float, alternative: str) -> Ends:
        """Return the estimate minus two quantiles of the ratios, times the standard error."""
        told, notes = ratios_told(evidence)
        found = np.where(told[:, np.newaxis], evidence.ratios.quantiles(tails_of(level, alternative)), np.nan)
        notes = with_extremes(evidence.ratios, told, asked_tails(level, alternative), notes)
        low, high = (evidence.estimates - evidence.errors * found[:, side] for side in (1, 0))
        return Ends(low, high, notes)


class Symmetric(Studentised):
    """The symmetric bootstrap-t interval: a quantile of |resample − estimate| / standard error of the resample.

    Both arms are equally long, as Student's are, but their length comes from the resamples, not from a normal
    distribution (Hall 1988). It covers better than the studentised interval, whose two quantiles are each less certain,
    and better than Student's where advantages are skewed (docs/evidence/intervals.md). If fewer than ten advantages
    differ from zero, there is too little to resample: the interval is Student's, with one degree of freedom less than
    their number, and a note says so. A one-sided bound has one arm, whose length is the studentised quantile of its own
    side: the quantile of |t| would cover 99.7% on one side of exponential advantages and 89% on the other.
    """

    name = "symmetric"
    says = (
        "takes one quantile of the size of resampled advantages over their own standard errors, the same for both "
        "ends (Hall 1988)"
    )
    sparse = True
    yields_to_test = True
    takes: ClassVar[tuple[str, ...]] = ("jackknife", "standard_errors", "standard_error")

    def ends(self, evidence: Evidence, level: float, alternative: str) -> Ends:
        """Return the estimate plus and minus a quantile of the size of the ratios, or Student's where items are few."""
        differ = self._telling(evidence)
        few = differ < FEW_TELLING
        if few.all():
            return self._student(evidence, differ, level, alternative)
        if alternative == "two-sided":
            told, notes = ratios_told(evidence)
            share = np.array([1 - 2 * tails_of(level, alternative)[0]])
            lengths = evidence.distances.quantiles(share)[:, 0] * evidence.errors
            found = arms(evidence, lengths, told, with_extremes(evidence.distances, told, share, notes))
        else:
            found = super().ends(evidence, level, alternative)
        if not few.any():
            return found
        plain = self._student(evidence, differ, level, alternative)
        low, high = (np.where(few, own, drawn) for own, drawn in zip(plain[:2], found[:2], strict=True))
        return Ends(low, high, [(plain if few[i] else found).notes[i] for i in range(len(few))])

    def needs_draws(self, evidence: Evidence) -> bool:
        """Whether enough items tell A and B apart to be resampled."""
        return int(self._telling(evidence)[0]) >= FEW_TELLING

    @staticmethod
    def _telling(evidence: Evidence) -> IntArray:
        found: IntArray = won_and_lost(evidence.units).sum(axis=0)
        return found

    @staticmethod
    def _student(evidence: Evidence, differ: IntArray, level: float, alternative: str) -> Ends:
        lengths, told = student_arms(evidence, differ.astype(np.float64) - 1, tails_of(level, alternative)[0])
        notes: Notes = [
            (f"Only {n} items or clusters differ between A and B, too few to resample: the interval is Student's.",)
            if fine
            else ("The t interval is undefined: the standard error is 0 or undefined.",)
            for n, fine in zip(differ.tolist(), told.tolist(), strict=True)
        ]
        return arms(evidence, lengths, told, notes)


def ratios_told(evidence: Evidence) -> tuple[BoolArray, Notes]:
    """Return of which rows ratios can be taken, and the notes on the others."""
    spread = evidence.errors > 0
    told, notes = usable(evidence.ratios, evidence.estimates, ["" if fine else NO_ERROR for fine in spread.tolist()])
    return told & spread, notes
