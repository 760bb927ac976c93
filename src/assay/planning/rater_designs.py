"""Designs with raters: how many items, raters and repeats of the models; what they cost, and what each may expect."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from assay import _check
from assay.errors import ArgumentError
from assay.planning.designs import Design
from assay.planning.results import Cell

USUAL_RATERS = (2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100)
"""Raters that are tried where the user names none."""


@dataclass(frozen=True, slots=True, order=True)
class RaterDesign(Design):
    """A study: `n_raters` raters, of whom `raters_per_item` judge each of `n_items` items.

    Attributes
    ----------
    gold, a, b : int
        Responses per item; gold is 0 where raters judge the outputs of A and B themselves.
    n_raters : int
        0 where they are unknown.
    raters_per_item : int
    nested : bool
        Whether every rater judges one item only.
    per_pair : int
        Ratings that a rater gives to an item: 2 where both outputs are rated.

    Examples
    --------
    >>> print(RaterDesign(200, 0, 5, 5, 5, 5, per_pair=2))
    200 items × 5 raters
    >>> print(RaterDesign(200, 3, 4, 4, 12, 3))
    200 items × 12 raters (3 per item) × 4 responses of each model
    """

    n_raters: int = 0
    raters_per_item: int = 0
    nested: bool = False
    per_pair: int = 1

    @property
    def n_ratings(self) -> int:
        """Ratings in all."""
        if not self.n_raters:
            return self.n_items * (self.gold or self.a + self.b)
        return self.n_items * self.raters_per_item * self.per_pair

    @property
    def n_runs(self) -> int:
        """Responses of the models in all; outputs that are rated themselves are one for each item and model."""
        return self.n_items * (self.a + self.b if self.gold else 2)

    def __str__(self) -> str:
        items = f"{self.n_items:,} item{'s' * (self.n_items != 1)}"
        if not self.n_raters:
            return f"{items} × {self.a} rating{'s' * (self.a != 1)} of each model"
        if self.nested:
            raters = f"{self.raters_per_item} rater{'s' * (self.raters_per_item != 1)} each ({self.n_raters:,} in all)"
        else:
            part = f" ({self.raters_per_item} per item)" if self.raters_per_item < self.n_raters else ""
            raters = f"{self.n_raters:,} raters{part}"
        runs = f" × {self.a} responses of each model" if self.gold and self.a == self.b > 1 else ""
        return f"{items} × {raters}{runs}"


@dataclass(frozen=True, slots=True)
class RaterCosts:
    """What a study costs: items, ratings, raters and responses of the models, each times its number.

    The default counts ratings.

    Attributes
    ----------
    item : float
        Finding or writing one item.
    rating : float
        One rating: a rater's time.
    rater : float
        Finding and training one rater.
    run : float
        One response of a model.

    Examples
    --------
    >>> costs = RaterCosts.per_hour(30, ratings_per_hour=60, item=1)
    >>> costs.rating, costs.of(RaterDesign(100, 0, 5, 5, 5, 5, per_pair=2))
    (0.5, 600.0)
    """

    item: float = 0.0
    rating: float = 1.0
    rater: float = 0.0
    run: float = 0.0

    def __post_init__(self) -> None:
        for name in ("item", "rating", "rater", "run"):
            _check.real(f"cost of {name}", getattr(self, name), at_least=0)
        if self.item == self.rating == self.run == 0:
            raise ArgumentError("a study whose items and ratings cost nothing has no best design: give a cost above 0.")

    @classmethod
    def per_hour(
        cls, rate: float, *, ratings_per_hour: float, item: float = 0.0, rater: float = 0.0, run: float = 0.0
    ) -> "RaterCosts":
        """Make costs from what an hour of a rater costs and how many ratings it brings."""
        rate = _check.real("cost of a rater-hour", rate, at_least=0)
        if not _check.real("ratings_per_hour", ratings_per_hour) > 0:
            raise ArgumentError(f"`ratings_per_hour` must be above 0; got {ratings_per_hour:g}.")
        return cls(item, rate / ratings_per_hour, rater, run)

    def of(self, design: RaterDesign) -> float:
        """Return the cost of a design."""
        return float(
            design.n_items * self.item
            + design.n_ratings * self.rating
            + design.n_raters * self.rater
            + design.n_runs * self.run
        )


@dataclass(frozen=True, slots=True)
class RaterCell(Cell):
    """What a design with raters may expect.

    Attributes
    ----------
    n_raters, raters_per_item : int
    nested : bool
    standard_error : float
        Of the contrast.
    shares : mapping of str to float
        Which part of the squared standard error comes from items, raters, the residual and repeats of the models.
    """

    n_raters: int = 0
    raters_per_item: int = 0
    nested: bool = False
    per_pair: int = 1
    standard_error: float = float("nan")
    shares: Mapping[str, float] = field(default_factory=dict)

    @property
    def design(self) -> RaterDesign:
        """The design of the cell."""
        gold, a, b = (self.n_responses[who] for who in ("gold", "a", "b"))
        return RaterDesign(self.n_items, gold, a, b, self.n_raters, self.raters_per_item, self.nested, self.per_pair)
