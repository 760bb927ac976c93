"""What a plan says: one cell for each design, metric, difference and test; an answer to each question; notes."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from howsure._frames import in_any_form
from howsure.documents import Document, Sentence
from howsure.inference import ConfidenceInterval
from howsure.planning.designs import Design
from howsure.records import Record

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell(Record):
    """What a design may expect by one metric; each number is followed by its numerical error.

    Attributes
    ----------
    design : Design
    metric, test : str
        The test is "" where power was not asked for.
    epsilon : float or None
        How far B is from gold; None where A and B are those of a pilot.
    epsilon_a : float
        How far A is.
    advantage : float
        Expected advantage.
    expected_pvalue : float
        The p-value that such a study gives on average.
    expected_pvalue_is_bound : bool
        Whether it is only known to be smaller than that.
    ci_width : float
        Expected width of the interval that `compare` gives.
    power : float
        Probability that the test finds the difference; NaN where it was not asked for.
    power_interval : ConfidenceInterval or None
        What a pilot leaves open about the power.
    standard_error : float
        Of the advantage.
    cost : float
    engine : {"exact", "monte-carlo", "pilot", "components"}
    budget : float or None
        The budget that the design is for.
    detectable, detectable_epsilon : float
        Smallest advantage that is found with the target power; NaN where it was not asked for.
    shares : mapping of str to float
        With raters: which part of the squared standard error comes from items, raters, the residual and repeats.
    reason : str
        Why the design is ruled out; empty where it is not.
    """

    derived: ClassVar[tuple[str, ...]] = ("n_items", "n_responses", "n_raters", "raters_per_item")

    design: Design
    metric: str
    test: str
    epsilon: float | None
    advantage: float
    advantage_error: float
    expected_pvalue: float
    expected_pvalue_error: float
    ci_width: float
    ci_width_error: float
    power: float
    power_error: float
    cost: float
    engine: str
    epsilon_a: float = 0.0
    expected_pvalue_is_bound: bool = False
    power_interval: ConfidenceInterval | None = None
    standard_error: float = math.nan
    budget: float | None = None
    detectable: float = math.nan
    detectable_epsilon: float = math.nan
    shares: Mapping[str, float] = field(default_factory=dict)
    reason: str = ""

    def document(self) -> Document:
        """Return what the design may expect, in one sentence."""
        from howsure.planning.document import expectation

        return Document(str(self.design), (Sentence(expectation(self)),))

    @property
    def n_items(self) -> int:
        """Items of the design."""
        return self.design.n_items

    @property
    def n_responses(self) -> dict[str, int]:
        """Responses per item of gold, a and b."""
        return dict(zip(("gold", "a", "b"), self.design.n_responses, strict=True))

    @property
    def n_raters(self) -> int:
        """Raters of the design; 0 where they are not planned."""
        return self.design.n_raters

    @property
    def raters_per_item(self) -> int:
        """How many of them judge each item."""
        return self.design.raters_per_item


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Which design to take, for one metric, difference, test and budget.

    Attributes
    ----------
    metric, test : str
    epsilon, budget : float or None
    recommended : Cell or None
        None where no design does what was asked for.
    nearest : Cell or None
        The design that came nearest to the target where none reached it.
    saved : float
        What is left of the budget.
    """

    metric: str
    test: str
    epsilon: float | None
    budget: float | None
    recommended: Cell | None
    nearest: Cell | None = None
    saved: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUp:
    """What a pilot gains from more responses that are spent in one way.

    Attributes
    ----------
    n_more : int
        Responses (or ratings) in all that are collected.
    change : str
        What they are spent on.
    cell : Cell
        What pilot and follow-up together may expect.
    best : bool
        Whether no other way to spend them gives a smaller standard error of the advantage, relative to it.
    """

    n_more: int
    change: str
    cell: Cell
    best: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Supposition:
    """What it takes if the true difference is this one.

    Attributes
    ----------
    difference : float
    what : str
        How it follows from the pilot.
    n_items : float
        Items that reach the target power with the responses of the recommended design (else of the pilot); infinite
        where no number that was tried does.
    power : float
        Of the recommended design (else of the pilot's).
    """

    difference: float
    what: str
    n_items: float
    power: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Pilot:
    """What a pilot is, what it says, and what it leaves open.

    Attributes
    ----------
    design : Design
    raters : str
        How raters judged items: "crossed", "nested", …; "" where that plays no part.
    model : str
        How other designs are computed from the pilot.
    difference : {"given", "lower limit", "own", "none"}
        What is planned for: the difference that was given, the lower 80% limit of the pilot's own, the pilot's own
        where an interval width is planned, which needs no difference, or none, because that is not significant.
    advantage : float
        The pilot's own.
    advantage_interval : ConfidenceInterval or None
    suppositions : tuple of Supposition
        What it takes if the true difference is one of several; empty where a difference was given.
    searched : {"items", "raters"}
        What `needed` is a number of.
    needed : ConfidenceInterval or None
        How many items (or raters) it takes, as far as the pilot shows.
    components : mapping of str to float
        Variance components of the advantage, with raters.
    component_intervals : mapping of str to ConfidenceInterval
    goodness : tuple of mapping
        How well a fitted model reproduces the pilot.
    """

    design: Design
    raters: str = ""
    model: str
    difference: str
    advantage: float = math.nan
    advantage_interval: ConfidenceInterval | None = None
    suppositions: tuple[Supposition, ...] = ()
    searched: str = "items"
    needed: ConfidenceInterval | None = None
    components: Mapping[str, float] = field(default_factory=dict)
    component_intervals: Mapping[str, ConfidenceInterval] = field(default_factory=dict)
    goodness: tuple[Mapping[str, Any], ...] = ()

    @property
    def has_nothing_to_plan_for(self) -> bool:
        """Whether the pilot shows no significant difference, and none was given."""
        return self.difference == "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan(Record):
    """The answer to "how many items, how many responses"; `print` it for sentences and tables.

    Attributes
    ----------
    cells : tuple of Cell
        Every design that was tried, also those that are ruled out.
    answers : tuple of Answer
        What to take, for each difference, test and budget; the first metric decides. Empty where neither a budget nor
        a target was given.
    follow_ups : tuple of FollowUp
    model : str
        The response model, in words.
    difference : str
        The difference that was given, in words; empty where it was given as ε, or not at all.
    tests : tuple of str
    alternative : str
    alpha, confidence_level : float
    target : str
        "power", "p", "width" or "".
    target_value : float
    spend : bool
        Whether the whole budget is spent, so that the question is the number of responses.
    cost_terms : tuple of str
        The parts of the first recommended design's cost.
    pilot : Pilot or None
    layout : {"list", "matrix"}
        How the designs are shown.
    notes : tuple of str
        What the reader must know.
    seed : int
        Passed as `rng`, it gives this plan again.
    signature : str
    """

    derived: ClassVar[tuple[str, ...]] = ("sentences", "recommended")

    cells: tuple[Cell, ...]
    answers: tuple[Answer, ...]
    model: str
    difference: str = ""
    tests: tuple[str, ...]
    alternative: str
    alpha: float
    confidence_level: float
    target: str
    target_value: float
    spend: bool = False
    cost_terms: tuple[str, ...] = ()
    follow_ups: tuple[FollowUp, ...] = ()
    pilot: Pilot | None = None
    layout: str = "list"
    notes: tuple[str, ...] = ()
    seed: int
    signature: str

    @property
    def recommended(self) -> Cell | None:
        """The design to take by the first answer; None if there is none."""
        return self.answers[0].recommended if self.answers else None

    def recommends(self, cell: Cell) -> bool:
        """Whether this design is the one to take by one of the answers."""
        return any(cell == answer.recommended for answer in self.answers)

    @property
    def verdict(self) -> str:
        """The sentence that answers the question."""
        from howsure.planning.document import verdict

        return verdict(self)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The answer in English."""
        from howsure.planning.document import sentences

        return tuple(sentences(self))

    def document(self) -> Document:
        """Return the plan as a document."""
        from howsure.planning.document import document

        return document(self)

    @in_any_form
    def to_frame(self) -> "polars.DataFrame":
        """Return one row for each cell."""
        import polars

        rows = []
        for cell in self.cells:
            row = asdict(cell)
            design, shares, interval = (row.pop(name) for name in ("design", "shares", "power_interval"))
            ends = (math.nan, math.nan) if interval is None else (interval["low"], interval["high"])
            rows.append(
                {**design, **row, "power_low": ends[0], "power_high": ends[1]}
                | {f"share_{name}": value for name, value in shares.items()}
            )
        return polars.DataFrame(rows, infer_schema_length=None)
