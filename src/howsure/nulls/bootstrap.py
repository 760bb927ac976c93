"""Nulls made of resampled data: shifted to zero, over their own standard errors, or asked for their sign (LEADER)."""

from dataclasses import replace
from types import MappingProxyType

import numpy as np

from howsure.data.scales import FloatArray
from howsure.inference.edgeworth import bootstrap_tails
from howsure.inference.evidence import Evidence
from howsure.inference.pvalues import PValues, tail_pvalues
from howsure.intervals.bootstrap_t import FEW_TELLING
from howsure.intervals.direct import telling
from howsure.nulls.item_test import (
    Hypothesis,
    Resamples,
    Shape,
    TestedRows,
    Units,
    combined,
    extreme_draws,
    inappropriate,
    no_interval,
    non_preferred,
)
from howsure.nulls.null import Null, Resampler, Rule, holds_raters
from howsure.nulls.student import LONG_TAIL, MANY, NEGLIGIBLE, MeanTest, robust_error
from howsure.resampling.draws import Draws, MeansDrawn, in_batches


class ShiftedBootstrap(Null):
    """The resampled advantages, shifted so that their mean is zero."""

    name = "shifted-bootstrap"
    says = "the resampled advantages, shifted so that their mean is zero"
    account = (
        "the p-value is the share of resampled advantages, shifted so that their mean is 0, that are at least as far "
        "from 0 as the observed one"
    )
    random_raters = True
    rules = (
        Rule(
            verdict="warn",
            reason="with few raters the shifted two-way bootstrap rejects true nulls too often. Use random-effects.",
            raters="random",
        ),
    )

    def null_draws(self, data: Resampler, draws: Draws) -> Draws:
        """Return the resamples, shifted."""
        return draws.shifted()

    def simulated_pvalues(self, units: Units, hypothesis: Hypothesis, resamples: Resamples) -> FloatArray:
        """Return the share of shifted resamples beyond each data set's mean, by Edgeworth's expansion."""
        return combined(bootstrap_tails(units.sums, units.means), hypothesis.alternative)


class BootstrapSign(Null):
    """How often a resampled advantage changes sign: LEADER's estimator (bootstrap_items, all), the flat item bootstrap.

    LEADER pools both models' responses to an item; with all of them kept A and B are the same pool, and every null
    advantage is 0. What is left is the bootstrap probability of a change of sign.
    """

    name = "bootstrap-sign"
    says = "none: the share of resampled advantages on the other side of zero (LEADER's bootstrap_items, all)"
    account = (
        "there is no null distribution. The p-value is the share of resampled advantages on the other side of 0, twice "
        "the smaller one where both sides count (Wein et al. 2023 report one side)"
    )
    audited = ("expected",)
    rules = (
        holds_raters("bootstrap-sign"),
        *(
            Rule(
                verdict="refuse",
                reason="bootstrap-sign resamples items and keeps responses; use `items='bootstrap'` and "
                "`responses='all'` (or first).",
                items=items,
                responses=responses,
            )
            for items, responses in (("all", ()), (None, ("one", "bootstrap")))
        ),
        Rule(
            verdict="warn",
            reason="bootstrap-sign is LEADER's estimator (bootstrap_items, all): the share of resampled advantages on "
            "the other side of zero, doubled for two-sided questions. It has no null distribution. LEADER reports one "
            "side, which rejects for 10 to 12% of equally good models at .05.",
        ),
    )

    def null_draws(self, data: Resampler, draws: Draws) -> Draws:
        """Return the resamples themselves."""
        return draws

    def pvalues(self, evidence: Evidence, alternative: str) -> PValues:
        """Return the share of resamples on the other side of zero."""
        zeros = np.zeros(len(evidence))
        return tail_pvalues(zeros, -evidence.null_draws, alternative=alternative)

    def expected_draws(self, evidence: Evidence) -> FloatArray:
        """Return zeros: every null advantage is 0."""
        return np.zeros_like(evidence.draws)

    def simulated_pvalues(self, units: Units, hypothesis: Hypothesis, resamples: Resamples) -> FloatArray:
        """Return the share of each data set's resamples beyond zero, by Edgeworth's expansion."""
        return combined(bootstrap_tails(units.sums, -units.means)[::-1], hypothesis.alternative)


class StudentisedBootstrap(MeanTest):
    """Resampled means around the observed one, each over its own standard error, for differences of any shape.

    Two-sided, |t| is compared: its distribution is known to one order more than that of t (Hall 1988), and the interval
    that goes with it is symmetric.
    """

    name, score_name = "studentised", "bootstrap"
    label = "bootstrap test of the mean"
    statistic = "t"
    says = "resampled advantages around the observed one, each over its own standard error, times the data's"
    account = (
        "the p-value compares the observed advantage over its standard error with resampled advantages around it, each "
        "over its own standard error (Hall 1988)"
    )
    how = (
        "segments are resampled with replacement, and the t of each is compared with the observed one, two-sided by "
        "its size (Hall 1988)"
    )
    resamples = True
    needs_variation = True
    rules = (
        holds_raters("studentised"),
        Rule(
            verdict="refuse",
            reason="each resample needs a standard error over items; with studentised use `items='bootstrap'` and keep "
            "the responses (all, equal or first).",
            responses=("one", "bootstrap"),
        ),
    )
    suitability = MappingProxyType(
        {
            Shape.NORMAL: non_preferred(3, "valid for large samples, needs resampling, and no better than t here."),
            Shape.SYMMETRIC: non_preferred(
                2, "valid for large samples, but outliers cost it power and it needs resampling."
            ),
            Shape.SKEWED: inappropriate(3, LONG_TAIL),
            Shape.CLUSTERED: non_preferred(1, "it resamples whole clusters, and needs at least a few dozen."),
            Shape.RIGHT_OR_WRONG: non_preferred(4, "valid for many flips, and needs resampling."),
        }
    )

    def caution_for(self, n: int) -> str:
        """Say that few segments are few for a bootstrap; the error rate is that of docs/evidence/scores.md."""
        if n >= MANY:
            return ""
        return (
            f"Fewer than {MANY} segments are few for a bootstrap. One-sided, it rejected 6.5% of true null hypotheses "
            "on 20 skewed differences, instead of 5%."
        )

    def run(self, units: Units, hypothesis: Hypothesis, resamples: Resamples) -> TestedRows:
        """Test each row; p-value and interval read the same draws, so that they agree."""
        drawing = MeansDrawn(units.sums, units.sizes)
        mean, error, _ = robust_error(units)
        draws = in_batches(
            drawing,
            (1, len(mean)),
            n_resamples=resamples.n_resamples,
            seed=resamples.seed,
            purpose="studentised",
            progress=resamples.progress,
        )
        drawn = Evidence(mean, draws=draws.advantages[0], standard_errors=draws.standard_errors[0], errors=error)
        t, ratios = (mean - hypothesis.delta) / error, drawn.studentised(np.ones_like(error))
        # A resample of one value many times over has no spread: its t is infinite, or 0 where it did not move.
        moved = drawn.draws - mean[:, np.newaxis]
        moved[np.abs(moved) <= NEGLIGIBLE * np.abs(mean)[:, np.newaxis]] = 0.0
        ratios = np.where(np.isnan(ratios), np.where(moved == 0, 0.0, np.copysign(np.inf, moved)), ratios)
        known = self.pvalues(Evidence(t, null_draws=ratios), hypothesis.alternative)
        low, high = no_interval(mean)
        if hypothesis.interval:
            if hypothesis.alternative == "two-sided":
                arm = extreme_draws(np.abs(ratios), hypothesis.alpha)[1]
                smallest, largest = -arm, arm
            else:
                smallest, largest = extreme_draws(ratios, hypothesis.tail)
            low, high = hypothesis.ends(mean - largest * error, mean - smallest * error)
        return TestedRows(mean, t, known.values, np.sign(t), low, high, resamples.n_resamples)

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
