"""Designs: how many items, raters, and responses of gold, A and B; and what they cost."""

import math
from dataclasses import dataclass, replace

from howsure import _check
from howsure.errors import ArgumentError

Responses = int | tuple[int, int, int]

USUAL_RESPONSES = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 75, 100)
"""Responses per item that are tried where the user names none."""

USUAL_RATERS = (2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100)
"""Raters that are tried where the user names none."""


def spelled_responses(n_responses: tuple[int, int, int]) -> str:
    """Return numbers of responses in words, each source by its name.

    Examples
    --------
    >>> spelled_responses((5, 3, 1)), spelled_responses((1, 1, 1))
    ('5 gold, 3 A and 1 B responses per item', '1 gold, 1 A and 1 B response per item')
    """
    gold, a, b = n_responses
    return f"{gold} gold, {a} A and {b} B response{'s' * (n_responses != (1, 1, 1))} per item"


@dataclass(frozen=True, slots=True, order=True)
class Design:
    """A study: `n_items` items, each with `gold`, `a` and `b` responses, perhaps by known raters.

    Attributes
    ----------
    n_items : int
    gold, a, b : int
        Responses per item; gold is 0 where there is no gold and the models' own outputs are rated or scored.
    n_raters : int
        0 where raters are not planned: every response then counts as another rater's.
    raters_per_item : int
        How many of them judge each item.
    nested : bool
        Whether every rater judges one item only.
    per_pair : int
        Ratings that a rater gives to an item: 2 where both outputs are rated.
    per_cluster : float
        Items of a cluster (a document); 0 where items stand alone.

    Examples
    --------
    >>> print(Design(200, 5, 1, 1))
    200 items × 5 gold, 1 A, 1 B responses
    >>> print(Design(200, 0, 5, 5, n_raters=5, raters_per_item=5, per_pair=2))
    200 items × 5 raters
    >>> print(Design(200, 3, 4, 4, n_raters=12, raters_per_item=3))
    200 items × 12 raters (3 per item) × 4 responses of each model
    >>> print(Design(200, 5, 5, 5, per_cluster=4))
    200 items in 50 clusters × 5 responses
    """

    n_items: int
    gold: int
    a: int
    b: int
    n_raters: int = 0
    raters_per_item: int = 0
    nested: bool = False
    per_pair: int = 1
    per_cluster: float = 0.0

    def with_items(self, n_items: int) -> "Design":
        """Return the same design with another number of items; raters of one item each grow with them."""
        n_raters = n_items * self.raters_per_item if self.nested else self.n_raters
        return replace(self, n_items=n_items, n_raters=n_raters)

    @property
    def n_units(self) -> int:
        """What is independent: items, or whole clusters of them."""
        return max(1, math.floor(self.n_items / self.per_cluster + 1e-9)) if self.per_cluster else self.n_items

    @property
    def n_responses(self) -> tuple[int, int, int]:
        """Responses per item of gold, A and B."""
        return self.gold, self.a, self.b

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Responses per item that are drawn; where there is no gold, one that is not used."""
        return max(1, self.gold), self.a, self.b

    @property
    def n_ratings(self) -> int:
        """Responses of people in all: of gold, or ratings of the models' outputs."""
        if self.n_raters:
            return self.n_items * self.raters_per_item * self.per_pair
        return self.n_items * (self.gold or self.a + self.b)

    @property
    def n_runs(self) -> int:
        """Responses of the models in all; an output that several raters judge is one."""
        of_models = self.a + self.b if self.gold or not self.n_raters else 2
        return self.n_items * of_models

    @property
    def per_item(self) -> str:
        """The design in words, without its number of items."""
        if self.n_raters:
            if self.nested:
                return (
                    f"{self.raters_per_item} rater{'s' * (self.raters_per_item != 1)} each ({self.n_raters:,} in all)"
                )
            part = f" ({self.raters_per_item} per item)" if self.raters_per_item < self.n_raters else ""
            runs = f" × {self.a} responses of each model" if self.gold and self.a == self.b > 1 else ""
            return f"{self.n_raters:,} raters{part}{runs}"
        if not self.gold and self.a == self.b:
            return f"{self.a} response{'s' * (self.a != 1)} of each model"
        if not self.gold:
            return f"{self.a} A, {self.b} B responses"
        if self.gold == self.a == self.b:
            return f"{self.gold} response{'s' * (self.gold != 1)}"
        return f"{self.gold} gold, {self.a} A, {self.b} B responses"

    @property
    def short(self) -> str:
        """What stands beside the number of items in tables and charts: raters, or responses as 5 or 5/1/1."""
        if self.n_raters:
            return f"{self.raters_per_item if self.nested else self.n_raters}"
        sizes = self.n_responses if self.gold else (self.a, self.b)
        return f"{sizes[0]}" if len(set(sizes)) == 1 else "/".join(map(str, sizes))

    @property
    def in_words(self) -> str:
        """The design in a sentence: 200 items with 5 gold, 1 A, 1 B responses each."""
        each = "" if self.n_raters or not self.gold else " each"
        return f"{str(self).partition(' × ')[0]} with {self.per_item}{each}"

    def __str__(self) -> str:
        clusters = f" in {self.n_units:,} cluster{'s' * (self.n_units != 1)}" if self.per_cluster else ""
        return f"{self.n_items:,} item{'s' * (self.n_items != 1)}{clusters} × {self.per_item}"


@dataclass(frozen=True, slots=True)
class CostTerm:
    """One part of the cost of a study: how many of something, and the price of each."""

    what: str
    count: int
    price: float

    def __str__(self) -> str:
        return f"{self.count:,} {self.what} × {self.price:g}"


@dataclass(frozen=True, slots=True)
class Costs:
    """What a study costs: items, responses of people, raters and responses of the models, each times its number.

    The default counts the responses of people: gold's, or the ratings of the models' outputs.

    Attributes
    ----------
    item : float
        Finding or writing one item.
    response : float
        One response of a person: a gold response, or a rating.
    run : float
        One response of a model.
    rater : float
        Finding and training one rater.

    Examples
    --------
    >>> Costs(item=2, response=0.5).of(Design(100, 4, 4, 4))
    400.0
    >>> print(*Costs(response=0, run=0.01).terms(Design(431, 0, 10, 10)))
    8,620 model responses × 0.01
    """

    item: float = 0.0
    response: float = 1.0
    run: float = 0.0
    rater: float = 0.0

    def __post_init__(self) -> None:
        for name in ("item", "response", "run", "rater"):
            _check.real(f"cost of {name}", getattr(self, name), at_least=0)
        if self.item == self.response == self.run == 0:
            raise ArgumentError(
                "a study whose items and responses cost nothing has no best design: give a cost above 0."
            )

    @classmethod
    def per_hour(
        cls, rate: float, *, responses_per_hour: float, item: float = 0.0, rater: float = 0.0, run: float = 0.0
    ) -> "Costs":
        """Make costs from what an hour of a rater costs and how many responses it brings.

        Examples
        --------
        >>> Costs.per_hour(30, responses_per_hour=60, item=1).response
        0.5
        """
        rate = _check.real("cost of a rater-hour", rate, at_least=0)
        if not _check.real("responses_per_hour", responses_per_hour) > 0:
            raise ArgumentError(f"`responses_per_hour` must be above 0; got {responses_per_hour:g}.")
        return cls(item, rate / responses_per_hour, run, rater)

    def terms(self, design: Design) -> tuple[CostTerm, ...]:
        """Return the parts of a design's cost; what costs nothing is left out."""
        people = "gold responses" if design.gold and not design.n_raters else "ratings"
        terms = (
            CostTerm("items", design.n_items, self.item),
            CostTerm(people, design.n_ratings, self.response),
            CostTerm("raters", design.n_raters, self.rater),
            CostTerm("model responses", design.n_runs, self.run),
        )
        return tuple(term for term in terms if term.price and term.count)

    def of(self, design: Design) -> float:
        """Return the cost of a design."""
        return float(sum(term.count * term.price for term in self.terms(design)))

    def most_items(self, design: Design, limit: float) -> int:
        """Return how many items of this design a limit pays for; 0 if not even one."""
        one, two = (self.of(design.with_items(n)) for n in (1, 2))
        if two <= one:
            raise ArgumentError(f"an item with {design.per_item} costs nothing, so no budget limits their number.")
        # Division may fall short of a whole number by its rounding: 0.3 / 0.1 is 2.9999999999999996.
        return max(0, math.floor(1 + (limit - one) / (two - one) * (1 + 1e-12) + 1e-9))
