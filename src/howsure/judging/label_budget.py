"""How many labels of people and how many calls of a judge reach a target at least cost, from a pilot with both.

The half-width of n labelled and N judged items by R raters, k of them on each labelled item, is the root of

    t²(R − 1) · (raters / R + residual / (n k))  +  t²(n − 2) · (left / n + (items − left) / N),

with the variances of the pilot (`VarianceParts`). For each n and R, the number N of judged items follows; the cheapest
of these designs is the answer, beside the cheapest one without a judge.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from howsure._frames import in_any_form
from howsure.comparison.detectable import of_parts
from howsure.documents import Block, Column, Document, Sentence, Table
from howsure.documents.numbers import counted, number, rough
from howsure.errors import ArgumentError, DataError
from howsure.inference.combined_error import CombinedError
from howsure.inference.solving import fewest
from howsure.judging.combined_advantage import VarianceParts
from howsure.judging.judged_comparison import JudgedComparison
from howsure.provenance import Provenance
from howsure.records import Signed
from howsure.wording.estimates import ci

if TYPE_CHECKING:
    import polars

MORE_RATERS = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
"""Without numbers of raters, those of the pilot times these are tried."""

FEWEST = 10
"""The smallest number of labelled items that is planned."""

STEP = 1.02
"""Numbers of labelled items grow by this factor."""


@dataclass(frozen=True, slots=True)
class LabelPrices:
    """What labels and judge calls cost.

    Attributes
    ----------
    response, judge, item, rater : float
        Of one response of a person, one call of the judge, one item and one rater.
    """

    response: float = 1.0
    judge: float = 0.0
    item: float = 0.0
    rater: float = 0.0


@dataclass(frozen=True, slots=True)
class PricedDesign:
    """A design with its cost.

    Attributes
    ----------
    n_labelled, n_judged, n_raters : int
        `n_judged` is 0 without a judge.
    per_item : float
        Raters of a labelled item.
    n_labels, n_calls : int
        Responses of people and calls of the judge.
    half_width : float
    cost : float
    """

    n_labelled: int
    n_judged: int
    n_raters: int
    per_item: float
    n_labels: int
    n_calls: int
    half_width: float
    cost: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelBudget(Signed):
    """The cheapest study that reaches a target, with and without the judge.

    Attributes
    ----------
    judge : str
    target : {"width", "power"}
    value : float
        The width of the interval, or the difference that is to be found with 80% power.
    with_judge, without_judge : PricedDesign or None
        None where no design reaches the target.
    designs : tuple of PricedDesign
        The cheapest ones for each number of raters, with a judge and without.
    prices : LabelPrices
    notes : tuple of str
    provenance : Provenance
    """

    derived: ClassVar[tuple[str, ...]] = ("signature",)

    judge: str
    target: str
    value: float
    with_judge: PricedDesign | None
    without_judge: PricedDesign | None
    designs: tuple[PricedDesign, ...]
    prices: LabelPrices
    notes: tuple[str, ...]
    provenance: Provenance

    @property
    def worthwhile(self) -> bool:
        """Whether the judge makes the study cheaper."""
        if self.with_judge is None:
            return False
        return self.without_judge is None or self.with_judge.cost < self.without_judge.cost

    def document(self) -> Document:
        """Return what to label and what to judge, and what it costs beside a study without a judge."""
        blocks: list[Block] = [Sentence(self._verdict(), "verdict")]
        if self.designs:
            columns = [Column("raters", "count"), Column("labelled items", "count"), Column("labels", "count")]
            columns += [Column("judged items", "count"), Column("judge calls", "count"), Column("±", "number")]
            best = self.with_judge if self.worthwhile else self.without_judge
            rows = tuple(
                (
                    one.n_raters or "–",
                    one.n_labelled,
                    one.n_labels,
                    one.n_judged or "–",
                    one.n_calls or "–",
                    rough(one.half_width),
                    _money(one),
                )
                for one in self.designs
            )
            marked = frozenset(place for place, one in enumerate(self.designs) if one == best)
            table = Table((*columns, Column("cost", "number")), rows, "The cheapest designs", marked)
            blocks.append(table)
        return Document("How many labels and judge calls?", tuple(blocks), self.notes, self.signature)

    @in_any_form
    def to_frame(self) -> "polars.DataFrame":
        """Return one row for each design."""
        import polars

        names = ("n_raters", "n_labelled", "n_labels", "n_judged", "n_calls", "half_width", "cost")
        return polars.DataFrame([{name: getattr(one, name) for name in names} for one in self.designs])

    def _verdict(self) -> str:
        level = ci(float(self.provenance.parameters["confidence_level"]))
        aim = f"80% power for a difference of {rough(self.value)}"
        if self.target == "width":
            aim = f"a {level} of width {rough(self.value)}"
        own, other = self.with_judge, self.without_judge
        if own is None and other is None:
            return f"No design gives {aim}, because raters disagree: add raters, or accept less."
        if own is None or (other is not None and other.cost <= own.cost):
            assert other is not None
            beside = "" if own is None else f"; with it the study costs {_money(own)}"
            return (
                f"{self.judge} is not worth its price. For {aim} without it, label {_described(other)}, at a cost of "
                f"{_money(other)}{beside}."
            )
        said = (
            f"For {aim}, label {_described(own)}, and let {self.judge} score {counted(own.n_judged, 'item')}, at a "
            f"cost of {_money(own)}."
        )
        if other is None:
            return f"{said} Without the judge no design gives it."
        saved = 1 - own.cost / other.cost
        return (
            f"{said} Without the judge it takes {counted(other.n_labelled, 'labelled item')} and costs "
            f"{_money(other)}: the judge saves {100 * saved:.0f}%."
        )


def _described(one: PricedDesign) -> str:
    raters = f", each by {number(one.per_item)} of {one.n_raters} raters" if one.n_raters else ""
    return f"{counted(one.n_labelled, 'item')}{raters} ({counted(one.n_labels, 'label')})"


def _money(one: PricedDesign) -> str:
    return number(one.cost, one.cost / 10)


def plan_labels(
    pilot: JudgedComparison,
    *,
    prices: LabelPrices,
    width: float | None = None,
    difference: float | None = None,
    n_raters: Sequence[int] = (),
    max_items: int = 100_000,
    confidence_level: float = 0.95,
) -> LabelBudget:
    """Return the cheapest design that reaches an interval width, or 80% power for a difference.

    Parameters
    ----------
    pilot : JudgedComparison
        People's labels and a judge's scores, compared.
    prices : LabelPrices
    width : float, optional
        Of the interval; in its place `difference`, to be found with 80% power.
    n_raters : sequence of int
        Numbers of raters to choose from; by default some multiples of the pilot's.
    max_items : int
        The most items that can be labelled or judged.
    confidence_level : float
    """
    if (width is None) == (difference is None):
        raise ArgumentError("give the width of the interval, or the difference to find; not both.")
    if not pilot.parts.items + pilot.parts.raters + pilot.parts.residual > 0:
        raise DataError("A and B are equal on every labelled item of the pilot: there is no variance to plan from.")
    parts = replace(pilot.parts, n_all=10**12)
    known = parts.n_raters > 1
    tried = [r for r in n_raters if r > 1] or [math.ceil(parts.n_raters * times) for times in MORE_RATERS]
    tail = (1 - confidence_level) / 2
    half = width / 2 if width is not None else difference
    assert half is not None
    if not half > 0:
        raise ArgumentError("the width or the difference must be above 0.")
    cells = parts.n * parts.per_item
    each = pilot.n_labels / cells
    calls = 2 if pilot.combined.n_responses.get("gold") is None and pilot.combined.metric != "win-rate" else 1
    search = _Search(parts, prices, each, calls, tail, half, max_items, found_by_power=difference is not None)
    numbers = tuple(dict.fromkeys(tried)) if known else (0,)
    every = [search.cheapest(raters, judged=judged) for judged in (True, False) for raters in numbers]
    designs = [one for one in every if one is not None]
    with_judge, without = (
        min((one for one in designs if (one.n_judged > 0) == judged), key=lambda one: one.cost, default=None)
        for judged in (True, False)
    )
    target, value = ("width", width) if width is not None else ("power", difference)
    notes = ["The variances of the pilot are estimates: with few labels or raters the plan is rough."]
    parameters = {
        "judge": pilot.judge,
        "metric": pilot.provenance.parameters["metric"],
        "raters": pilot.provenance.parameters["raters"],
        target: value,
        "prices": [prices.response, prices.judge, prices.item, prices.rater],
        "n_raters": list(n_raters) or None,
        "max_items": max_items,
        "confidence_level": confidence_level,
    }
    return LabelBudget(
        judge=pilot.judge,
        target=target,
        value=float(value or 0.0),
        with_judge=with_judge,
        without_judge=without,
        designs=tuple(designs),
        prices=prices,
        notes=tuple(notes),
        provenance=Provenance("plan", parameters, None, pilot.provenance.data),
    )


@dataclass(frozen=True, slots=True)
class _Search:
    """What is the same for all designs of a budget."""

    parts: VarianceParts
    prices: LabelPrices
    labels_per_cell: float
    calls_per_item: int
    tail: float
    half: float
    max_items: int
    found_by_power: bool

    def cheapest(self, n_raters: int, *, judged: bool) -> PricedDesign | None:
        """Return the cheapest design with so many raters (0 where they are held fixed); None where none is enough."""
        best: PricedDesign | None = None
        n = float(FEWEST)
        while n <= self.max_items:
            one = self._design(math.ceil(n), n_raters, judged=judged)
            if one is not None and (best is None or one.cost < best.cost):
                best = one
            n = max(n + 1, n * STEP)
        return best

    def _design(self, n: int, n_raters: int, *, judged: bool) -> PricedDesign | None:
        """Return the design with the fewest judged items; None where even all of them are too few."""
        n_all = n
        if judged:
            needed = fewest(lambda n_all: self._reaches(n, n_all, n_raters), least=n, most=self.max_items)
            if needed is None:
                return None
            n_all = needed
        elif not self._reaches(n, n, n_raters, left=self.parts.items):
            return None
        labels = math.ceil(n * self._per_item(n_raters) * self.labels_per_cell)
        calls = n_all * self.calls_per_item if judged else 0
        prices = self.prices
        cost = labels * prices.response + calls * prices.judge + n_all * prices.item + n_raters * prices.rater
        error = self._error(n, n_all, n_raters, None if judged else self.parts.items)
        reached = error.half_width(self.tail)
        return PricedDesign(n, n_all if judged else 0, n_raters, self._per_item(n_raters), labels, calls, reached, cost)

    def _per_item(self, n_raters: int) -> float:
        """Return the raters of a labelled item: as many as in the pilot, or all where these are fewer."""
        return min(self.parts.per_item, n_raters or math.inf)

    def _error(self, n: int, n_all: int, n_raters: int, left: float | None) -> CombinedError:
        return self.parts.error(
            n=n, n_all=n_all, n_raters=n_raters or None, left=left, per_item=self._per_item(n_raters)
        )

    def _reaches(self, n: int, n_all: int, n_raters: int, left: float | None = None) -> bool:
        error = self._error(n, n_all, n_raters, left)
        if not self.found_by_power:
            return error.half_width(self.tail) <= self.half
        # A difference of that many standard errors is found with 80% power: the quick test first, then the exact one.
        if error.half_width(self.tail) > self.half:
            return False
        return bool(np.isfinite(found := of_parts(error, self.tail))) and found <= self.half
