"""Resampled advantages around the observed one, each over its own standard error."""

from dataclasses import replace

import numpy as np

from howsure.data.scales import FloatArray
from howsure.inference.evidence import Evidence
from howsure.inference.pvalues import PValues, tail_pvalues
from howsure.intervals.bootstrap_t import FEW_TELLING
from howsure.intervals.direct import telling
from howsure.nulls.null import Null, Resampler, Rule, holds_raters
from howsure.resampling.draws import Draws


class StudentisedBootstrap(Null):
    """The bootstrap-t test of the mean item advantage, for advantages that need not be symmetric."""

    name = "studentised"
    says = "resampled advantages around the observed one, each over its own standard error, times the data's"
    account = (
        "the p-value compares the observed advantage over its standard error with resampled advantages around it, each "
        "over its own standard error (Hall 1988)"
    )
    item_scores = True
    rules = (
        holds_raters("studentised"),
        Rule(
            verdict="refuse",
            reason="each resample needs a standard error over items; with studentised use `items='bootstrap'` and keep "
            "the responses (all, equal or first).",
            responses=("one", "bootstrap"),
        ),
    )

    def null_draws(self, data: Resampler, draws: Draws) -> Draws:
        """Return the resamples themselves: they are moved once the errors are known."""
        return draws

    def moved(self, evidence: Evidence) -> FloatArray:
        """Return what the advantage would be in each resample if the true one were zero."""
        return evidence.studentised()

    def pvalues(self, evidence: Evidence, alternative: str) -> PValues:
        """Return the share of resamples; of t, either sign counts where both sides do: advantages may be skewed."""
        if alternative != "two-sided":
            return super().pvalues(evidence, alternative)
        return tail_pvalues(np.abs(evidence.estimates), np.abs(evidence.null_draws), alternative="greater")

    def of(self, evidence: Evidence, alternative: str) -> PValues:
        """Return the p-value of evidence that was gathered for another null."""
        return self.pvalues(replace(evidence, null_draws=self.moved(evidence)), alternative)

    def cautions(self, evidence: Evidence, metric: str, alternative: str) -> list[str]:
        """Say that there is too little to resample where few items tell A and B apart."""
        items = evidence.items[0]
        differ = telling(items)
        if not items.size or differ >= FEW_TELLING:
            return []
        return [
            f"A and B differ by {metric} on only {differ} of {items.size:,} items: the studentised test has too "
            "little to resample and may reject far too often. Use `null='sign-flip'`."
        ]
