"""Nulls made of the resamples of the interval: shifted to zero, or only asked for their sign (LEADER)."""

import numpy as np

from howsure.data.scales import FloatArray
from howsure.inference.evidence import Evidence
from howsure.inference.pvalues import PValues, tail_pvalues
from howsure.nulls.null import Null, Resampler, Rule, holds_raters
from howsure.resampling.draws import Draws


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


class BootstrapSign(Null):
    """LEADER's estimator (bootstrap_items, all): how often a resampled advantage changes sign.

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
