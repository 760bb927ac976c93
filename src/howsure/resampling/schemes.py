"""Schemes: what is resampled. Two parts, and a third if there are rater ids."""

from dataclasses import dataclass
from typing import Literal

from howsure import _check
from howsure.errors import ArgumentError

Exchange = Literal["sign-flip", "pooled-responses", "permuted-responses"]
"""How a resample mixes A and B, as if they were equal: `howsure.nulls` says which null asks for which."""

ITEMS = ("all", "bootstrap")
RESPONSES = ("all", "equal", "first", "one", "bootstrap")
RATERS = ("fixed", "random")
KEEPING = ("all", "equal", "first")
"""Choices by which the same responses of an item are in every draw."""


@dataclass(frozen=True, slots=True)
class Scheme:
    """What is resampled. Gold, A and B share resampled items; their responses are resampled independently.

    Attributes
    ----------
    items : {"bootstrap", "all"}
        Draw as many items as there are, with replacement, or keep each once.
    responses : {"all", "equal", "first", "one", "bootstrap"}
        Keep every response of an item, as many of A as of B (their first ones; all of gold), the first of each source,
        one at random, or draw as many as it has with replacement.
    raters : {"fixed", "random"}
        Keep the raters, or draw as many as there are with replacement (needs rater ids).
    n_responses : int, optional
        With ``responses="bootstrap"``: draw this many for each item instead of as many as it has.

    Examples
    --------
    >>> print(Scheme(responses="bootstrap"))
    items bootstrap, responses bootstrap
    """

    items: str = "bootstrap"
    responses: str = "all"
    raters: str = "fixed"
    n_responses: int | None = None

    def __post_init__(self) -> None:
        _check.one_of("items", self.items, ITEMS)
        _check.one_of("responses", self.responses, RESPONSES)
        _check.one_of("raters", self.raters, RATERS)
        if self.n_responses is not None:
            _check.integer("n_responses", self.n_responses, at_least=1)
            if self.responses != "bootstrap":
                raise ArgumentError(f"`n_responses` goes with `responses='bootstrap'`; got {self.responses!r}.")

    @property
    def keeps_responses(self) -> bool:
        """Whether the same responses are in every draw of an item."""
        return self.responses in KEEPING

    @property
    def thins(self) -> bool:
        """Whether an item has other numbers of responses in a draw than in the data, so that its scores differ."""
        return self.responses == "one" or self.n_responses is not None

    def __str__(self) -> str:
        count = "" if self.n_responses is None else f"({self.n_responses})"
        raters = "" if self.raters == "fixed" else ", raters random"
        return f"items {self.items}, responses {self.responses}{count}{raters}"
