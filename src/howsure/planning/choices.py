"""Which numbers of items are tried, what rules a design out, and which design to take."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from howsure.errors import ArgumentError
from howsure.planning.designs import Costs, Design
from howsure.planning.engines.simulated_pvalues import Test
from howsure.planning.groups import Wanted
from howsure.planning.plans import Answer, Cell
from howsure.planning.targets import Target

ALIKE = 0.005
"""Powers (and expected p-values) that differ by less are equal, whatever their numerical error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a study may cost, what it must reach, and how many items it may have.

    Attributes
    ----------
    budgets : tuple of float
        Empty where the cost is not limited.
    costs : Costs
    target : Target or None
    n_items : tuple of int
        Numbers of items asked for; empty where they are searched for.
    max_items : int
    fewest : int
        The fewest items of a design.
    spend : bool
        Whether the whole budget is spent, so that the question is the number of responses.
    detect : float or None
        The power with which the smallest detectable advantage is found.
    """

    budgets: tuple[float, ...]
    costs: Costs
    target: Target | None
    n_items: tuple[int, ...]
    max_items: int
    fewest: int = 1
    spend: bool = False
    detect: float | None = None

    @property
    def signed(self) -> dict[str, object]:
        """What a signature says of them; None where nothing was asked for."""
        prices = {name: price for name, price in asdict(self.costs).items() if price != getattr(Costs(), name)}
        return {
            "n_items": ",".join(map(str, self.n_items)) or None,
            "budget": ",".join(f"{budget:.15g}" for budget in self.budgets) or None,
            "costs": ",".join(f"{name} {price:.15g}" for name, price in prices.items()) or None,
            "target": None if self.target is None else f"{self.target.kind} {self.target.value:.15g}",
            "spend": self.spend or None,
            "max_items": None if self.n_items else self.max_items,
            "detect": self.detect,
        }

    def wanted(self, shape: Design) -> Wanted:
        """Return the numbers of items of a group."""
        if self.n_items:
            affordable = [n for n in self.n_items if self.pays(shape.with_items(n))]
            return Wanted(n_items=tuple(affordable), detect=self.detect)
        if not self.budgets:
            if self.target is None:
                raise ArgumentError("say which designs: `n_items`, a `budget`, or a target (`target_power`).")
            return Wanted(limit=self.max_items, target=self.target, detect=self.detect)
        most = sorted({self.most_items(shape, budget) for budget in self.budgets})
        numbers = [n for n in most if n >= self.fewest]
        if self.target is None or self.spend or not numbers:
            return Wanted(n_items=tuple(numbers), detect=self.detect)
        return Wanted(n_items=tuple(numbers[:-1]), limit=numbers[-1], target=self.target, detect=self.detect)

    def without_difference(self, own: Design) -> "Limits":
        """Return the limits where the pilot shows no difference to plan for: each design says what it would detect."""
        tried = () if self.budgets else tuple(own.n_items * factor for factor in (1, 2, 5, 10))
        return replace(self, detect=0.8, target=None, n_items=self.n_items or tried)

    def most_items(self, shape: Design, budget: float) -> int:
        """Return how many items a budget pays for."""
        return min(self.max_items, self.costs.most_items(shape, budget))

    def pays(self, design: Design, budget: float | None = None) -> bool:
        """Whether the budget (the largest, if none is named) pays for a design."""
        if not self.budgets:
            return True
        most = max(self.budgets) if budget is None else budget
        return self.costs.of(design) <= most * (1 + 1e-12)

    def check(self, shapes: Sequence[Design]) -> None:
        """Refuse a budget that pays for no design."""
        if not self.budgets:
            return
        largest = max(self.budgets)
        if self.n_items:
            costs = [self.costs.of(shape.with_items(n)) for shape in shapes for n in self.n_items]
            if min(costs) > largest * (1 + 1e-12):
                raise ArgumentError(f"no design fits {largest:g}; the cheapest asked for costs {min(costs):g}.")
            return
        if all(self.most_items(shape, largest) < self.fewest for shape in shapes):
            least = min(self.costs.of(shape.with_items(self.fewest)) for shape in shapes)
            what = "one item" if self.fewest == 1 else "two items"
            raise ArgumentError(
                f"{largest:g} does not pay for {what}; the cheapest design asked for costs {least:g}. Raise the "
                "`budget` or plan fewer responses."
            )

    def unaffordable(self, shape: Design) -> list[Design]:
        """Return the designs of a shape that no budget pays for; they are shown, not computed."""
        if not self.budgets:
            return []
        if self.n_items:
            return [shape.with_items(n) for n in self.n_items if not self.pays(shape.with_items(n))]
        if self.most_items(shape, max(self.budgets)) >= self.fewest:
            return []
        return [shape.with_items(self.fewest)]


def judged(cell: Cell, limits: Limits, test: Test) -> Cell:
    """Return the cell with its cost, its budget, and what rules it out."""
    cost = limits.costs.of(cell.design)
    budget = min((b for b in limits.budgets if cost <= b * (1 + 1e-12)), default=None)
    return replace(cell, cost=cost, budget=budget, reason=_reason(cell, limits, test))


def _reason(cell: Cell, limits: Limits, test: Test) -> str:
    if limits.budgets and not limits.pays(cell.design):
        return "over budget"
    named = test if cell.test in ("", test.name) else None
    if named is not None and not named.can_reject(cell.design.n_units):
        return "test cannot reject"
    if limits.target is None:
        return ""
    reached = value_of(cell, limits.target)
    if math.isnan(reached) or limits.target.reached(reached):
        return ""
    return "misses target"


def remarks(cells: Sequence[Cell], tests: Sequence[Test]) -> list[str]:
    """Return a note on designs whose test can never reject."""
    few = [cell.design for cell in cells if cell.reason == "test cannot reject"]
    if not few:
        return []
    test, most = tests[0], max(design.n_units for design in few)
    what = "clusters" if few[0].per_cluster else "items"
    smallest = min(1.0, test.sides * 0.5**most)
    return [
        f"with {most} {what} or fewer the smallest p-value is {smallest:.2g}, above the level of {test.alpha:g}: "
        "the test cannot reject, whatever the data."
    ]


def value_of(cell: Cell, target: Target) -> float:
    """Return the number of a cell that a target is about."""
    return {"power": cell.power, "p": cell.expected_pvalue, "width": cell.ci_width}[target.kind]


def blank(design: Design, like: Cell) -> Cell:
    """Return a cell of a design that was not computed."""
    nan = math.nan
    return Cell(
        design=design, metric=like.metric, test=like.test, epsilon=like.epsilon, epsilon_a=like.epsilon_a,
        advantage=nan, advantage_error=nan, expected_pvalue=nan, expected_pvalue_error=nan, ci_width=nan,
        ci_width_error=nan, power=nan, power_error=nan, cost=nan, engine=like.engine,
    )  # fmt: skip


def answers(cells: Sequence[Cell], limits: Limits, *, metric: str, with_power: bool) -> tuple[Answer, ...]:
    """Return what to take for each difference, test and budget; nothing if there is neither budget nor target."""
    if not limits.budgets and limits.target is None:
        return ()
    ours = [cell for cell in cells if cell.metric == metric]
    kinds = dict.fromkeys((cell.epsilon, cell.test if cell.engine != "components" else "") for cell in ours)
    found = []
    for epsilon, test in kinds:
        for budget in limits.budgets or (None,):
            among = [
                cell
                for cell in ours
                if cell.epsilon == epsilon
                and (cell.engine == "components" or cell.test == test)
                and (budget is None or cell.cost <= budget * (1 + 1e-12))
            ]
            taken = _taken(among, limits, with_power=with_power)
            nearest = None
            if taken is None and limits.target is not None:
                goal = limits.target
                known = [cell for cell in among if not math.isnan(value_of(cell, goal))]
                nearest = min(known, key=lambda cell: goal.short_of(value_of(cell, goal)), default=None)
            saved = 0.0 if taken is None or budget is None else max(0.0, budget - taken.cost)
            shown = taken.test if taken is not None else test
            found.append(
                Answer(
                    metric=metric,
                    test=shown,
                    epsilon=epsilon,
                    budget=budget,
                    recommended=taken,
                    nearest=nearest,
                    saved=saved if saved > 1e-9 * (budget or 1.0) else 0.0,
                )
            )
    return tuple(found)


def _taken(cells: Sequence[Cell], limits: Limits, *, with_power: bool) -> Cell | None:
    """Return the cheapest design that reaches the target, or the best within the budget."""
    open_to = [cell for cell in cells if not cell.reason]
    if limits.target is not None:
        goal = limits.target
        reached = [cell for cell in open_to if goal.reached(value_of(cell, goal))]
        if limits.spend:
            return min(reached, key=lambda cell: (_responses(cell), -cell.n_items), default=None)
        return min(reached, key=lambda cell: (cell.cost, -cell.n_items, cell.expected_pvalue), default=None)
    known = [cell for cell in open_to if not math.isnan(cell.power if with_power else cell.expected_pvalue)]
    if not known:
        return None
    if with_power:
        best = max(known, key=lambda cell: cell.power)
        alike = [
            cell
            for cell in known
            if best.power - cell.power <= max(ALIKE, 2 * math.hypot(best.power_error, cell.power_error))
        ]
    else:
        best = min(known, key=lambda cell: cell.expected_pvalue)
        alike = [
            cell
            for cell in known
            if cell.expected_pvalue - best.expected_pvalue
            <= 2 * math.hypot(best.expected_pvalue_error, cell.expected_pvalue_error)
        ]
    return max(alike, key=lambda cell: (cell.n_items, -cell.cost, -cell.expected_pvalue))


def _responses(cell: Cell) -> int:
    return cell.design.n_raters or cell.design.gold or cell.design.a
