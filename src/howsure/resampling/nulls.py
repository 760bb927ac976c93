"""Nulls: what a draw looks like if A and B are equal; and which combinations with a scheme make sense.

The tables below are the theory: checks, warnings and the docs page are made from them.
"""

from dataclasses import dataclass
from typing import Literal

from howsure.resampling.schemes import KEEPING, Scheme

NullName = Literal[
    "sign-flip",
    "studentised",
    "pooled-responses",
    "permuted-responses",
    "shifted-bootstrap",
    "bootstrap-sign",
    "random-effects",
]

NULLS: dict[NullName, str] = {
    "sign-flip": "on each item A and B are exchanged with probability ½, all their responses together",
    "studentised": "resampled advantages around the observed one, each over its own standard error, times the data's",
    "pooled-responses": "each model's responses are drawn with replacement from both models' responses to the item",
    "permuted-responses": "both models' responses to the item are shuffled between the models",
    "shifted-bootstrap": "the resampled advantages, shifted so that their mean is zero",
    "bootstrap-sign": "none: the share of resampled advantages on the other side of zero (LEADER's "
    "bootstrap_items, all)",
    "random-effects": "no resampling: the advantage over its standard error from items and raters, against Student's t",
}

HOLD_RATERS: tuple[NullName, ...] = (
    "sign-flip",
    "studentised",
    "pooled-responses",
    "permuted-responses",
    "bootstrap-sign",
)

NARROWER = (
    "{null} tests the narrower hypothesis that A and B answer from the same distribution on every item. It rejects "
    "far too often for equally good models that err on different items."
)


BOOTSTRAP_SIGN = (
    "bootstrap-sign is LEADER's estimator (bootstrap_items, all): the share of resampled advantages on the other side "
    "of zero, doubled for two-sided questions. It has no null distribution. LEADER reports one side, which rejects "
    "for 10 to 12% of equally good models at .05."
)


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of the validity table; None matches anything."""

    verdict: Literal["refuse", "warn", "note"]
    reason: str
    null: NullName | None = None
    items: str | None = None
    responses: tuple[str, ...] | None = None
    raters: str | None = None
    single: bool = False
    """Only when A and B have one response per item."""
    enlarged: bool = False
    """Only when more responses are drawn for an item than A and B gave."""


RULES: tuple[Rule, ...] = (
    *(
        Rule(
            "refuse",
            "{null} holds the raters fixed; with `raters='random'` use the null random-effects or shifted-bootstrap.",
            null=null,
            raters="random",
        )
        for null in HOLD_RATERS
    ),
    Rule(
        "refuse",
        "a resampled rater has all their responses; with `raters='random'` use `responses='all'`.",
        responses=("equal", "first", "one", "bootstrap"),
        raters="random",
    ),
    Rule(
        "refuse",
        "random-effects treats raters as a random factor; use `raters='random'`, or the null sign-flip.",
        null="random-effects",
        raters="fixed",
    ),
    Rule(
        "refuse",
        "random-effects treats items and raters as random factors; use `items='bootstrap'`, or the null "
        "shifted-bootstrap.",
        null="random-effects",
        items="all",
        raters="random",
    ),
    Rule(
        "warn",
        "with few raters the shifted two-way bootstrap rejects true nulls too "
        "often (docs/raters.md). Use random-effects.",
        null="shifted-bootstrap",
        raters="random",
    ),
    Rule(
        "refuse",
        "nothing is resampled with `items='all'` and responses that are kept; use `items='bootstrap'` "
        "or `responses='bootstrap'`.",
        items="all",
        responses=KEEPING,
        raters="fixed",
    ),
    Rule(
        "refuse",
        "keeping all responses while pooling them gives A and B the same pool: every null advantage is exactly 0. "
        "Use `responses='bootstrap'`, or another null.",
        null="pooled-responses",
        responses=KEEPING,
    ),
    Rule(
        "refuse",
        "each resample needs a standard error over items; with studentised use `items='bootstrap'` and keep the "
        "responses (all, equal or first).",
        null="studentised",
        responses=("one", "bootstrap"),
    ),
    Rule(
        "refuse",
        "permuted-responses draws without replacement; use `responses='all'` with it, or the null pooled-responses.",
        null="permuted-responses",
        responses=("one", "bootstrap"),
    ),
    Rule(
        "warn",
        "with one response per item, pooling understates the variance by half: true nulls are rejected about "
        "three times too often. Use sign-flip.",
        null="pooled-responses",
        single=True,
    ),
    Rule(
        "warn",
        "`n_responses` is larger than the number of responses of A or B: pooled resamples are less noisy than the "
        "data, and true nulls are rejected too often. Use fewer (`n_responses`), or sign-flip.",
        null="pooled-responses",
        enlarged=True,
    ),
    Rule(
        "refuse",
        "bootstrap-sign resamples items and keeps responses; use `items='bootstrap'` and `responses='all'` (or first).",
        null="bootstrap-sign",
        items="all",
    ),
    Rule(
        "refuse",
        "bootstrap-sign resamples items and keeps responses; use `items='bootstrap'` and `responses='all'` (or first).",
        null="bootstrap-sign",
        responses=("one", "bootstrap"),
    ),
    Rule("warn", BOOTSTRAP_SIGN, null="bootstrap-sign"),
    Rule("warn", NARROWER, null="pooled-responses"),
    Rule("warn", NARROWER, null="permuted-responses"),
    Rule(
        "warn",
        "resampling responses in addition to sign flips counts the response noise twice: the p-value is too large.",
        null="sign-flip",
        responses=("one", "bootstrap"),
    ),
    Rule("note", "items are kept: the result holds for these items only, not for others like them.", items="all"),
)


def judge(scheme: Scheme, null: str, *, n_responses: tuple[float, float]) -> list[tuple[str, str]]:
    """Return the (verdict, reason) of every rule that applies; A and B have `n_responses` per item."""
    single, enlarged = max(n_responses) == 1, (scheme.n_responses or 0) > min(n_responses)
    return [
        (rule.verdict, rule.reason.format(null=null))
        for rule in RULES
        if rule.null in (None, null)
        and rule.items in (None, scheme.items)
        and (rule.responses is None or scheme.responses in rule.responses)
        and rule.raters in (None, scheme.raters)
        and (single or not rule.single)
        and (enlarged or not rule.enlarged)
    ]
