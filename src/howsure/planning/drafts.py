"""What an engine found, and the plan that costs and choices make of it."""

import math
from dataclasses import dataclass, field

import numpy as np

from howsure import _random
from howsure.planning.choices import Limits, answers, blank, judged, remarks
from howsure.planning.designs import Design
from howsure.planning.engines.simulated_pvalues import Test
from howsure.planning.plans import Cell, FollowUp, Pilot, Plan
from howsure.provenance import Provenance


@dataclass(frozen=True, kw_only=True)
class Draft:
    """What an engine found, before costs and choices."""

    cells: list[Cell]
    shapes: list[Design]
    metric: str
    tests: tuple[Test, ...]
    with_power: bool
    confidence_level: float
    model: str
    parameters: dict[str, object]
    data: str
    seed: np.random.SeedSequence
    pilot: Pilot | None = None
    follow_ups: tuple[FollowUp, ...] = ()
    notes: list[str] = field(default_factory=list)
    limits: Limits | None = None


def finished(draft: Draft, limits: Limits, *, layout: str) -> Plan:
    """Add costs, reasons and choices, and make the plan."""
    tests = {test.name: test for test in draft.tests}
    cells = [judged(cell, limits, tests.get(cell.test, draft.tests[0])) for cell in draft.cells]
    if cells:
        kinds = {(cell.metric, cell.test, cell.epsilon): cell for cell in cells}
        for shape in draft.shapes:
            for design in limits.unaffordable(shape):
                cells += [judged(blank(design, like), limits, draft.tests[0]) for like in kinds.values()]
    chosen = answers(cells, limits, metric=draft.metric, with_power=draft.with_power)
    pilot = draft.pilot
    if pilot is not None and not pilot.settled and pilot.difference == "as in the pilot":
        chosen = ()
    taken = chosen[0].recommended if chosen else None
    target = limits.target
    first = draft.tests[0]
    ran = tuple(dict.fromkeys(cell.test for cell in cells if cell.test))
    parameters = {
        **draft.parameters,
        "designs": ", ".join(dict.fromkeys(design.per_item for design in draft.shapes or [c.design for c in cells])),
        **limits.signed,
        "next": ",".join(dict.fromkeys(f"{way.n_more}" for way in draft.follow_ups)) or None,
        "test": ",".join(ran) or "none",
        "alternative": first.alternative,
        "alpha": first.alpha,
        "confidence_level": draft.confidence_level,
    }
    return Plan(
        cells=tuple(cells),
        answers=chosen,
        follow_ups=draft.follow_ups,
        model=draft.model,
        tests=ran,
        alternative=first.alternative,
        alpha=first.alpha,
        confidence_level=draft.confidence_level,
        target="" if target is None else target.kind,
        target_value=math.nan if target is None else target.value,
        spend=limits.spend,
        cost_terms=() if taken is None else tuple(str(term) for term in limits.costs.terms(taken.design)),
        pilot=pilot,
        layout=layout,
        notes=tuple(dict.fromkeys([*draft.notes, *remarks(cells, draft.tests)])),
        seed=_random.entropy_of(draft.seed),
        signature=Provenance("plan", parameters, _random.entropy_of(draft.seed), draft.data).signature,
    )
