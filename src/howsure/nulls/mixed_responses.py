"""Nulls that mix both models' responses to an item: pooled with replacement, or shuffled between the models."""

from howsure.nulls.null import KEEPING, Null, Resampler, Rule, holds_raters
from howsure.resampling.draws import Draws


def narrower(name: str) -> str:
    """Say what such a null tests."""
    return (
        f"{name} tests the narrower hypothesis that A and B answer from the same distribution on every item. It "
        "rejects far too often for equally good models that err on different items."
    )


class MixedResponses(Null):
    """A and B answer each item from the same distribution."""

    from_resamples = False
    clusters = False
    narrower = True

    def null_draws(self, data: Resampler, draws: Draws) -> Draws:
        """Return advantages of mixed responses."""
        return data.exchanged(self.name)


class PooledResponses(MixedResponses):
    """Each model's responses are drawn from both models' responses."""

    name = "pooled-responses"
    says = "each model's responses are drawn with replacement from both models' responses to the item"
    account = (
        "the p-value is the share of resamples, in which each model's responses come from both models' responses to "
        "the item with replacement, whose advantage is at least as far from 0 as the observed one"
    )
    rules = (
        holds_raters("pooled-responses"),
        Rule(
            verdict="refuse",
            reason="keeping all responses while pooling them gives A and B the same pool: every null advantage is "
            "exactly 0. Use `responses='bootstrap'`, or another null.",
            responses=KEEPING,
        ),
        Rule(
            verdict="warn",
            reason="with one response per item, pooling understates the variance by half: true nulls are rejected "
            "about three times too often. Use sign-flip.",
            single=True,
        ),
        Rule(
            verdict="warn",
            reason="`n_responses` is larger than the number of responses of A or B: pooled resamples are less noisy "
            "than the data, and true nulls are rejected too often. Use fewer (`n_responses`), or sign-flip.",
            enlarged=True,
        ),
        Rule(verdict="warn", reason=narrower("pooled-responses")),
    )


class PermutedResponses(MixedResponses):
    """Both models' responses to an item are shuffled between the models."""

    name = "permuted-responses"
    says = "both models' responses to the item are shuffled between the models"
    account = (
        "the p-value is the share of resamples, in which the responses to an item are shuffled between the models, "
        "whose advantage is at least as far from 0 as the observed one"
    )
    rules = (
        holds_raters("permuted-responses"),
        Rule(
            verdict="refuse",
            reason="permuted-responses draws without replacement; use `responses='all'` with it, or the null "
            "pooled-responses.",
            responses=("one", "bootstrap"),
        ),
        Rule(verdict="warn", reason=narrower("permuted-responses")),
    )
