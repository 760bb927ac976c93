"""How to compare: everything that decides a comparison and is neither data nor metric."""

from dataclasses import dataclass

from howsure import _fields
from howsure._fields import option

MOST_DRAWS = 10_000_000
"""Draws are kept, at 16 bytes each for the interval and for the p-value of each metric."""

METHOD = "How to compare"
DRAWS = 9999
"""Where no number of draws is asked for."""


@dataclass(frozen=True, kw_only=True)
class RandomFactors:
    """What is a sample beside items: raters, and groups of items."""

    raters: str | None = option(
        None,
        "Treat raters as a random sample (random) or as the only raters of interest (fixed). Default: random where "
        "rater ids show that raters judged several items.",
        choices="howsure.resampling.schemes:RATERS",
        group=METHOD,
    )
    cluster: str | None = option(
        None, "Column that groups items (document): items of one group are resampled together.", group=METHOD
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
        "The null hypothesis: what the advantage would look like if A and B were alike. By default random-effects "
        "where raters are a random factor, else sign-flip.",
        choices="howsure.resampling.nulls:NULLS",
        group=METHOD,
    )
    items: str = option(
        "bootstrap",
        "Draw items with replacement, or keep each once.",
        choices="howsure.resampling.schemes:ITEMS",
        group=METHOD,
    )
    responses: str = option(
        "all",
        "Keep all responses of an item, as many of A as of B (equal), the first of each source, one at random, or draw "
        "with replacement.",
        choices="howsure.resampling.schemes:RESPONSES",
        group=METHOD,
    )
    n_responses: int | None = option(
        None, "With `responses='bootstrap'`: how many to draw for each item.", at_least=1, group=METHOD
    )
    alternative: str = option(
        "two-sided",
        "Ask whether A and B differ (two-sided), A is better (greater) or A is worse (less).",
        choices=("two-sided", "greater", "less"),
        group=METHOD,
    )
    n_resamples: int | None = option(
        None,
        "Number of draws, for the p-value and for the interval. By default 9999, and the p-value is exact where it can "
        "be: swapped items, a metric with item scores, all responses kept.",
        at_least=1,
        at_most=MOST_DRAWS,
        group=METHOD,
    )
    confidence_level: float = option(
        0.95, "Level of the interval. The verdict uses p ≤ 1 − level.", fraction=True, group=METHOD
    )
    interval: str | None = option(
        None,
        "Kind of interval. By default the kind with the best measured coverage that the metric can have.",
        choices="howsure.inference.interval_methods:METHODS",
        group=METHOD,
    )
    margin: float | None = option(
        None,
        "Smallest difference that matters, in units of the metric. Adds three tests: A is better by more than this, A "
        "is not worse by more than this, A and B are equivalent.",
        at_least=0,
        group=METHOD,
    )

    def __post_init__(self) -> None:
        _fields.check(self)

    @property
    def n_draws(self) -> int:
        """As many draws as asked for, else `DRAWS`."""
        return DRAWS if self.n_resamples is None else self.n_resamples
