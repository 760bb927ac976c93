"""Designs: how many items, how many responses of gold, A and B to each; and what they cost."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay import _check
from assay.errors import ArgumentError
from assay.models.base import check_sizes

Responses = int | tuple[int, int, int]

USUAL_RESPONSES = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 75, 100)
"""Responses per item that are tried where the user names none."""


@dataclass(frozen=True, slots=True, order=True)
class Design:
    """A study: `n_items` items, each with `gold`, `a` and `b` responses.

    Examples
    --------
    >>> print(Design(200, 5, 1, 1))
    200 items × 5 gold, 1 A, 1 B responses
    """

    n_items: int
    gold: int
    a: int
    b: int

    @classmethod
    def of(cls, n_items: int, n_responses: Responses) -> "Design":
        """Make a design from a number of items and one number of responses, or three."""
        return cls(_check.integer("n_items", n_items, at_least=1), *check_sizes(n_responses))

    @property
    def n_responses(self) -> tuple[int, int, int]:
        """Responses per item of gold, A and B."""
        return self.gold, self.a, self.b

    def __str__(self) -> str:
        items = f"{self.n_items:,} item{'s' * (self.n_items != 1)}"
        if self.gold == self.a == self.b:
            return f"{items} × {self.gold} response{'s' * (self.gold != 1)}"
        return f"{items} × {self.gold} gold, {self.a} A, {self.b} B responses"


@dataclass(frozen=True, slots=True)
class Costs:
    """What a study costs: items × (item + gold responses × response + responses of A and B × run).

    The default counts the gold responses, N × K.

    Attributes
    ----------
    item : float
        Finding or writing one item.
    response : float
        One gold response: a rater's time.
    run : float
        One response of a model.

    Examples
    --------
    >>> Costs(item=2, response=0.5).of(Design(100, 4, 4, 4))
    400.0
    """

    item: float = 0.0
    response: float = 1.0
    run: float = 0.0

    def __post_init__(self) -> None:
        for name in ("item", "response", "run"):
            _check.real(f"cost of {name}", getattr(self, name), at_least=0)
        if self.item == self.response == self.run == 0:
            raise ArgumentError("a study that costs nothing has no best design: give a cost above 0.")

    def per_item(self, n_responses: tuple[int, int, int]) -> float:
        """Return the cost of one item with all its responses."""
        gold, a, b = n_responses
        return self.item + gold * self.response + (a + b) * self.run

    def of(self, design: Design) -> float:
        """Return the cost of a design."""
        return float(design.n_items * self.per_item(design.n_responses))


def within(limit: float, costs: Costs, n_responses: Iterable[Responses]) -> list[Design]:
    """Return, for each number of responses, the design with as many items as the limit allows.

    Examples
    --------
    >>> [str(design) for design in within(100, Costs(), [1, 30])]
    ['100 items × 1 response', '3 items × 30 responses']
    """
    designs = []
    cheapest = float("inf")
    for responses in n_responses:
        sizes = check_sizes(responses)
        each = costs.per_item(sizes)
        cheapest = min(cheapest, each)
        if each <= 0:
            raise ArgumentError(f"an item with {sizes[0]} responses costs nothing, so no limit bounds their number.")
        # Division may fall short of a whole number by its rounding: 0.3 / 0.1 is 2.9999999999999996.
        n_items = int(limit / each * (1 + 1e-12))
        if n_items >= 1:
            designs.append(Design(n_items, *sizes))
    if not designs:
        raise ArgumentError(
            f"{limit:g} does not pay for one item; the cheapest asked for costs {cheapest:g}. Raise the budget or take "
            "fewer responses."
        )
    return designs


def product(n_items: Sequence[int], n_responses: Sequence[Responses]) -> list[Design]:
    """Return every combination of numbers of items and of responses."""
    return [Design.of(items, responses) for responses in n_responses for items in n_items]
