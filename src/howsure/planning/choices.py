"""What a design must reach and may cost, which numbers of items are tried, and which design to take.

Before: `Limits` and `ItemSearch` say what engines have to compute. After: `plan_of` prices what was computed (a
`Draft`), rules designs out and takes the best.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace

from howsure import _check, _random
from howsure.errors import ArgumentError
from howsure.inference.solving import fewest
from howsure.planning.designs import Costs, Design, spelled_responses
from howsure.planning.engines.base import Engine
from howsure.planning.engines.decisions import Test
from howsure.planning.request import PlanRequest, Scenario
from howsure.planning.result import Answer, Cell, FollowUp, Pilot, Plan
from howsure.provenance import Provenance

CANNOT_REJECT = "test cannot reject"
"""Why a design is ruled out whose test has too few items for any p-value at the level."""

USUAL_POWER = 0.8
"""The power to reach where no target is named (Cohen 1988, page 56)."""

ALIKE = 0.005
"""Powers (and expected p-values) that differ by less are equal, whatever their numerical error."""


@dataclass(frozen=True, slots=True)
class Target:
    """A number that a design must reach.

    Attributes
    ----------
    kind : {"power", "p", "width"}
        The power of the test, the expected p-value, or the width of the interval.
    value : float

    Examples
    --------
    >>> print(Target("power", 0.8), Target("power", 0.8).reached(0.79))
    power 0.8 False
    """

    kind: str
    value: float

    @classmethod
    def of(cls, request: PlanRequest) -> "Target | None":
        """Return the one target that was given; None if none was."""
        given = {kind: getattr(request, f"target_{kind}") for kind in ("power", "p", "width")}
        named = [kind for kind, value in given.items() if value is not None]
        if not named:
            return None
        if len(named) > 1:
            raise ArgumentError(f"give one target; got {' and '.join(f'target_{kind}' for kind in named)}.")
        [kind] = named
        if kind != "width":
            return cls(kind, _check.fraction(f"target_{kind}", given[kind]))
        if not _check.real("target_width", given[kind]) > 0:
            raise ArgumentError(f"`target_width` must be above 0; got {given[kind]:g}.")
        return cls(kind, float(given[kind]))

    def reached(self, number: float) -> bool:
        """Whether this number reaches the target; NaN never does."""
        return number >= self.value if self.kind == "power" else number <= self.value

    def measure(self, engine: Engine, design: Design, test: Test, metric: int = 0) -> float:
        """Return what a design reaches by a metric."""
        if self.kind == "power":
            engine.prepare([design], for_power_only=True)
            return engine.power(design, metric, test).power
        engine.prepare([design])
        found = engine.outlook(design, metric)
        return found.expected_pvalue if self.kind == "p" else found.ci_width

    def of_cell(self, cell: Cell) -> float:
        """Return the number of a computed design that the target is about."""
        return {"power": cell.power, "p": cell.expected_pvalue, "width": cell.ci_width}[self.kind]

    def __str__(self) -> str:
        word = {"power": "power", "p": "an expected p of", "width": "an interval width of"}[self.kind]
        return f"{word} {self.value:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemSearch:
    """Which numbers of items are computed for one kind of design: those given, or the fewest that reach a target.

    Attributes
    ----------
    n_items : tuple of int
        Numbers of items that are computed in any case.
    limit : int
        The most items that a search may end with; 0 where nothing is searched.
    target : Target or None
    detect : float or None
        The power with which the smallest detectable advantage is found.
    """

    n_items: tuple[int, ...] = ()
    limit: int = 0
    target: Target | None = None
    detect: float | None = None

    @property
    def is_empty(self) -> bool:
        """Whether no number of items is to be computed, because no budget pays for one."""
        return not (self.n_items or self.limit)

    def numbers(self, engine: Engine, shape: Design, test: Test, metric: int = 0) -> list[int]:
        """Return the numbers given, and the fewest that reaches the target by a metric (or the limit if none does)."""
        if not self.limit or self.target is None:
            return list(self.n_items)
        target = self.target

        def reached(n: int) -> bool:
            return target.reached(target.measure(engine, shape.with_items(n), test, metric))

        aim = target.value if target.kind == "power" else 0.8
        guess = engine.guess(shape.with_items(2), test, aim, metric=metric)
        found = fewest(reached, guess=guess, most=self.limit, step=1.15, precision=0.01)
        return sorted({*self.n_items, found or self.limit})


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

    @classmethod
    def of(cls, request: PlanRequest) -> "Limits":
        """Take the limits of a request; with neither designs, a budget nor a target, the target is 80% power."""
        target = Target.of(request)
        if target is None and not request.n_items and not request.budget and request.test is not None:
            target = Target("power", USUAL_POWER)
        if request.spend and (not request.budget or target is None):
            raise ArgumentError("`spend` needs a budget and a target.")
        return cls(
            budgets=request.budget,
            costs=request.costs,
            target=target,
            n_items=request.n_items,
            max_items=request.max_items,
            spend=request.spend,
            detect=(request.target_power or 0.8) if request.detectable else None,
        )

    @property
    def in_signature(self) -> dict[str, object]:
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

    def search(self, shape: Design) -> ItemSearch:
        """Return which numbers of items are computed for designs of this shape."""
        if self.n_items:
            affordable = [n for n in self.n_items if self.pays(shape.with_items(n))]
            return ItemSearch(n_items=tuple(affordable), detect=self.detect)
        if not self.budgets:
            if self.target is None:
                raise ArgumentError(
                    "Without a test there is no power to reach. Specify the designs: `n_items`, a `budget`, "
                    "`target_p` or `target_width`."
                )
            return ItemSearch(limit=self.max_items, target=self.target, detect=self.detect)
        most = sorted({self.most_items(shape, budget) for budget in self.budgets})
        numbers = [n for n in most if n >= self.fewest]
        if self.target is None or self.spend or not numbers:
            return ItemSearch(n_items=tuple(numbers), detect=self.detect)
        # Of several budgets each is computed as a whole, too, so that each has a curve over the numbers of responses.
        whole = tuple(numbers) if len(self.budgets) > 1 else ()
        return ItemSearch(n_items=whole, limit=numbers[-1], target=self.target, detect=self.detect)

    @property
    def of_width(self) -> bool:
        """Whether the target is an interval width, which needs no difference."""
        return self.target is not None and self.target.kind == "width"

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


def _priced(cell: Cell, limits: Limits, test: Test) -> Cell:
    """Return the cell with its cost, its budget, and what rules it out."""
    cost = limits.costs.of(cell.design)
    budget = min((b for b in limits.budgets if cost <= b * (1 + 1e-12)), default=None)
    return replace(cell, cost=cost, budget=budget, reason=_reason(cell, limits, test))


def _reason(cell: Cell, limits: Limits, test: Test) -> str:
    if limits.budgets and not limits.pays(cell.design):
        return "over budget"
    named = test if cell.test in ("", test.name) else None
    if named is not None and not named.can_reject(cell.design.n_units):
        return CANNOT_REJECT
    if limits.target is None:
        return ""
    reached = limits.target.of_cell(cell)
    if math.isnan(reached) or limits.target.reached(reached):
        return ""
    return "misses target"


def _never_rejecting(cells: Sequence[Cell], test: Test) -> list[str]:
    """Return a note on designs whose test can never reject."""
    few = [cell.design for cell in cells if cell.reason == CANNOT_REJECT]
    if not few:
        return []
    most = max(design.n_units for design in few)
    what = "clusters" if few[0].per_cluster else "items"
    smallest = min(1.0, test.sides * 0.5**most)
    return [
        f"with {most} {what} or fewer the smallest p-value is {smallest:.2g}, above the level of {test.alpha:g}: "
        "the test cannot reject, whatever the data."
    ]


def _uncomputed(design: Design, like: Cell) -> Cell:
    """Return a cell of a design that was not computed."""
    nan = math.nan
    return Cell(
        design=design, metric=like.metric, test=like.test, epsilon=like.epsilon, epsilon_a=like.epsilon_a,
        advantage=nan, advantage_error=nan, expected_pvalue=nan, expected_pvalue_error=nan, ci_width=nan,
        ci_width_error=nan, power=nan, power_error=nan, cost=nan, engine=like.engine,
    )  # fmt: skip


def _answers(cells: Sequence[Cell], limits: Limits, *, metrics: Sequence[str], with_power: bool) -> tuple[Answer, ...]:
    """Return what to take for each metric, difference, test and budget; nothing without a budget and a target."""
    if not limits.budgets and limits.target is None:
        return ()
    kinds = dict.fromkeys(
        (metric, cell.epsilon, cell.test if cell.engine != "components" else "")
        for metric in metrics
        for cell in cells
        if cell.metric == metric
    )
    found = []
    for metric, epsilon, test in kinds:
        ours = [cell for cell in cells if cell.metric == metric]
        for budget in limits.budgets or (None,):
            among = [
                cell
                for cell in ours
                if cell.epsilon == epsilon
                and (cell.engine == "components" or cell.test == test)
                and (budget is None or cell.cost <= budget * (1 + 1e-12))
            ]
            taken = _best(among, limits, with_power=with_power)
            nearest = None
            if taken is None and limits.target is not None:
                goal = limits.target
                known = [cell for cell in among if not math.isnan(goal.of_cell(cell)) and cell.reason != CANNOT_REJECT]
                nearest = min(known, key=lambda cell: abs(goal.value - goal.of_cell(cell)), default=None)
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


def _best(cells: Sequence[Cell], limits: Limits, *, with_power: bool) -> Cell | None:
    """Return the cheapest design that reaches the target, or the best within the budget."""
    open_to = [cell for cell in cells if not cell.reason]
    if limits.target is not None:
        goal = limits.target
        reached = [cell for cell in open_to if goal.reached(goal.of_cell(cell))]
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


@dataclass(frozen=True, kw_only=True)
class Draft:
    """What an engine found, before costs and choices.

    Attributes
    ----------
    scenario : Scenario
    limits : Limits
    cells : list of Cell
    shapes : list of Design
        What was asked for, apart from the numbers of items; empty where raters were searched for.
    model : str
        What the cells are computed from, in words.
    parameters : dict
        What the signature says of that.
    data : str
        Digest of the model or the pilot.
    pilot : Pilot or None
    follow_ups : tuple of FollowUp
    reference : tuple of int or None
        Responses of gold, A and B with which a named difference is measured; None where their number plays no part.
    notes : list of str
    """

    scenario: Scenario
    limits: Limits
    cells: list[Cell]
    shapes: list[Design]
    model: str
    parameters: dict[str, object]
    data: str
    pilot: Pilot | None = None
    follow_ups: tuple[FollowUp, ...] = ()
    reference: tuple[int, int, int] | None = None
    notes: list[str] = field(default_factory=list)


def plan_of(draft: Draft) -> Plan:
    """Add costs, reasons and choices, and make the plan."""
    request, limits, pilot = draft.scenario.request, draft.limits, draft.pilot
    tests = {test.name: test for test in request.tests}
    first = request.tests[0]
    cells = [_priced(cell, limits, tests.get(cell.test, first)) for cell in draft.cells]
    if cells:
        kinds = {(cell.metric, cell.test, cell.epsilon): cell for cell in cells}
        for shape in draft.shapes:
            for design in limits.unaffordable(shape):
                cells += [_priced(_uncomputed(design, like), limits, first) for like in kinds.values()]
    chosen = _answers(cells, limits, metrics=draft.scenario.names, with_power=request.with_power)
    if pilot is not None and pilot.has_nothing_to_plan_for:
        chosen = ()
    taken = chosen[0].recommended if chosen else None
    ran = tuple(dict.fromkeys(cell.test for cell in cells if cell.test))
    parameters = {
        **draft.parameters,
        "reference": None if draft.reference is None else "/".join(map(str, draft.reference)),
        "designs": ", ".join(dict.fromkeys(design.per_item for design in draft.shapes or [c.design for c in cells])),
        **limits.in_signature,
        "next": ",".join(dict.fromkeys(f"{way.n_more}" for way in draft.follow_ups)) or None,
        "test": ",".join(ran) or "none",
        "alternative": request.alternative,
        "alpha": request.alpha,
        "confidence_level": request.confidence_level,
    }
    seed = _random.entropy_of(draft.scenario.seed)
    difference = "" if request.effect is None else request.effect.in_words
    if difference and draft.reference is not None:
        difference = f"{difference} (as measured with {spelled_responses(draft.reference)})"
    return Plan(
        cells=tuple(cells),
        answers=chosen,
        follow_ups=draft.follow_ups,
        model=draft.model,
        difference=difference,
        tests=ran,
        alternative=request.alternative,
        alpha=request.alpha,
        confidence_level=request.confidence_level,
        target="" if limits.target is None else limits.target.kind,
        target_value=math.nan if limits.target is None else limits.target.value,
        spend=limits.spend,
        cost_terms=() if taken is None else tuple(str(term) for term in limits.costs.terms(taken.design)),
        pilot=pilot,
        layout=request.layout,
        notes=tuple(dict.fromkeys([*draft.notes, *_never_rejecting(cells, first)])),
        seed=seed,
        signature=Provenance("plan", parameters, seed, draft.data).signature,
    )
