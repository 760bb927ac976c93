"""How to compare: everything that decides a comparison and is neither data nor metric."""

from dataclasses import dataclass

from howsure import _fields
from howsure._fields import option

MOST_DRAWS = 10_000_000
"""Draws are kept, at 16 bytes each for the interval and for the p-value of each metric."""

METHOD = "Method"
DRAWS = 9999
"""Where no number of draws is asked for."""


@dataclass(frozen=True, kw_only=True)
class RandomFactors:
    """What is a sample beside items: raters, and groups of items."""

    raters: str | None = option(
        None,
        "Treat raters as a random sample (random) or as the only raters of interest (fixed). Default: random if "
        "five or more raters judged several items each.",
        choices="howsure.resampling.schemes:RATERS",
        group=METHOD,
        common=True,
    )
    cluster: str | None = option(
        None,
        "Column that groups items, such as documents. Groups are resampled as a whole.",
        metavar="COLUMN",
        group=METHOD,
    )


@dataclass(frozen=True, kw_only=True)
class Procedure(RandomFactors):
    """How A and B are compared: what is resampled, under which null, with which interval, at which level.

    `compare`, `audit` and simulated power all run the same procedure. What is left open (None) is chosen by the data,
    and the result says what was chosen.

    Examples
    --------
    >>> Procedure(null="shifted-bootstrap", n_resamples=999).alternative
    'two-sided'
    >>> Procedure(confidence_level=95)
    Traceback (most recent call last):
    howsure.errors.ArgumentError: `confidence_level` must lie strictly between 0 and 1; got 95. Did you mean 0.95?
    """

    null: str | None = option(
        None,
        "How the null distribution is generated. Default: random-effects if raters are random, otherwise sign-flip.",
        choices="howsure.nulls:NULLS",
        group=METHOD,
    )
    items: str = option(
        "bootstrap",
        "Resample items with replacement (bootstrap) or keep each item once (all).",
        choices="howsure.resampling.schemes:ITEMS",
        group=METHOD,
    )
    responses: str = option(
        "all",
        "Responses used per item: all, equally many of A and B (equal), the first of each source, one at random, or a "
        "bootstrap resample.",
        choices="howsure.resampling.schemes:RESPONSES",
        group=METHOD,
    )
    n_responses: int | None = option(
        None, "With `responses='bootstrap'`: number of responses to resample per item.", at_least=1, group=METHOD
    )
    alternative: str = option(
        "two-sided",
        "Alternative hypothesis: A and B differ (two-sided), A is better (greater) or A is worse (less).",
        choices=("two-sided", "greater", "less"),
        group=METHOD,
    )
    n_resamples: int | None = option(
        None,
        "Number of resamples for the p-value and the interval. Default: 9999, and an exact p-value where possible.",
        at_least=1,
        at_most=MOST_DRAWS,
        group=METHOD,
    )
    confidence_level: float = option(
        0.95,
        "Confidence level of the interval. The significance level α is 1 − this level.",
        fraction=True,
        group=METHOD,
    )
    interval: str | None = option(
        None,
        "Type of confidence interval. Default: the type with the best measured coverage for the metric.",
        choices="howsure.intervals:INTERVALS",
        group=METHOD,
    )
    margin: float | None = option(
        None,
        "Smallest difference that matters, in units of the metric. Adds tests of superiority, non-inferiority and "
        "equivalence.",
        at_least=0,
        group=METHOD,
        common=True,
    )

    def __post_init__(self) -> None:
        _fields.check(self)

    @property
    def n_draws(self) -> int:
        """As many draws as asked for, else `DRAWS`."""
        return DRAWS if self.n_resamples is None else self.n_resamples
